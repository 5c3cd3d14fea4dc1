use engine_core::work::BoundWork;

use super::*;
use crate::plan::tests::{NAME, ROUTER, drafted, new, of_agent, of_person, stored};
use crate::stage::{AGENT, Stage, refusal};

fn from(context: &CommandContext, text: &str) -> String {
    refusal(make(context, None, Source { text, name: "router.yaml" }, &mut Vec::new()))
}

#[test]
fn what_is_wrong_comes_all_at_once_and_nothing_is_made() {
    let stage = Stage::new();
    let context = of_agent(&stage, AGENT);
    let before = stage.files();
    assert_eq!(
        from(&context, &ROUTER.replace("workflow: verify-first\n", "").replace("warnings: []", "extra: 1")),
        "Refused: the plan is not taken: 3 problems\n\
         router.yaml:1: workflow is missing\n\
         router.yaml:1: warnings is missing\n\
         router.yaml:8: the plan: extra is not known; known: task_type, workflow, skills_to_invoke, guardrails, enriched_context, todo_items, acceptance_criteria, scope, warnings, original_fragment, supervise\n\
         → engine plan new --help tells its form"
    );
    assert_eq!(
        from(&context, &"x".repeat(LARGEST + 1)),
        "Refused: the plan is not taken: 1 problem\n\
         router.yaml:1: the plan is larger than 1 MB\n\
         → engine plan new --help tells its form"
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn a_name_is_given_once_and_no_file_of_others_is_written_over() {
    let stage = Stage::new();
    let person = of_person(&stage);
    stage.write("plans/fix-the-login-2/PLAN.md", "mine");
    let name = || new(&person, None).unwrap().plan;
    let (first, second) = (name(), name());
    assert_eq!((first.name.as_str(), first.page.as_str()), (NAME, "plans/fix-the-login/PLAN.md"));
    assert_eq!((second.name.as_str(), second.owner), ("fix-the-login-3", None));
    let before = stage.files();
    assert_eq!(
        refusal(new(&person, Some(NAME))),
        "Refused: there is a plan fix-the-login already\n→ give another name: --name NAME"
    );
    assert_eq!(
        refusal(new(&person, Some("fix-the-login-2"))),
        "Refused: plans/fix-the-login-2/PLAN.md is a file of somebody else's\n→ give another name: --name NAME"
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn a_damaged_plan_of_that_name_is_set_aside_only_if_the_new_one_is_made() {
    let stage = Stage::new();
    let person = of_person(&stage);
    stage.write(".engine/state/plans/broken.json", "{");
    stage.write("plans/broken/PLAN.md", "mine");
    let before = stage.files();
    assert_eq!(
        refusal(new(&person, Some("broken"))),
        "Refused: plans/broken/PLAN.md is a file of somebody else's\n→ give another name: --name NAME"
    );
    assert_eq!(stage.files(), before, "a refusal leaves the damaged one where it was");
    std::fs::remove_file(stage.root().join("plans/broken/PLAN.md")).unwrap();
    let mut notes = Vec::new();
    make(&person, Some("broken"), Source { text: ROUTER, name: "x" }, &mut notes).unwrap();
    let aside: Vec<String> =
        stage.files().into_iter().filter(|(_, text)| text == "{").map(|(path, _)| path).collect();
    let [aside] = aside.as_slice() else { panic!("one file is kept: {aside:?}") };
    let name = aside.strip_prefix(".engine/state/plans/").unwrap();
    assert_eq!(
        notes,
        [format!(
            "plan broken was damaged (EOF while parsing an object at line 1 column 1); it is kept as {name}"
        )]
    );
}

#[test]
fn an_agent_session_has_one_open_plan() {
    let (stage, context) = drafted();
    let busy = "Refused: this agent session has the open plan fix-the-login\n→ engine plan show\n→ engine plan close, first";
    let before = stage.files();
    assert_eq!(refusal(new(&context, Some("another"))), busy);
    assert_eq!(stage.files(), before);
    stage.session(AGENT).update(|state| state.plan = None).unwrap();
    assert_eq!(refusal(new(&context, Some("another"))), busy, "also where the copy was lost");
    assert_eq!(
        from(&context, "no: plan").lines().next(),
        Some("Refused: the plan is not taken: 10 problems"),
        "its form comes first"
    );
}

#[test]
fn one_that_cannot_be_used_any_more_makes_way() {
    let (stage, context) = drafted();
    stage.write(".engine/state/plans/fix-the-login.json", "");
    let mut notes = Vec::new();
    let made = make(&context, None, Source { text: ROUTER, name: "x" }, &mut notes).unwrap();
    assert_eq!(made.plan.name, NAME);
    assert_eq!(notes.len(), 1);
    assert_eq!(stored(&context).owner.as_deref(), Some(AGENT));
}

#[test]
fn the_page_is_beside_the_work_and_the_task_in_progress_is_the_plans() {
    let stage = Stage::new();
    stage.write("session.md", "# Session\n\n## Pending Tasks\n\n- [ ] **Lexer**\n- [ ] **Login**\n");
    let context = of_agent(&stage, AGENT);
    let tasks = task::CommandContext::of(stage.project(), &context.caller);
    task::state::start(&tasks, Some("Login"), false).unwrap();
    let bind = |name: &str| {
        let work = BoundWork { name: name.to_owned(), ..BoundWork::default() };
        stage.session(AGENT).update(|state| state.work = Some(work)).unwrap();
    };
    bind("../elsewhere");
    assert_eq!(page(NAME, &context), "plans/fix-the-login/PLAN.md");
    bind("2026_02_07_AUTH");
    let plan = new(&context, None).unwrap().plan;
    assert_eq!(plan.page, "sessions/2026_02_07_AUTH/DO_FIX_THE_LOGIN_PLAN.md");
    assert_eq!(stage.read(&plan.page), plan::page(&plan));
    assert_eq!(plan.task.as_deref(), Some("Login"));
    assert_eq!(page(NAME, &of_person(&stage)), "plans/fix-the-login/PLAN.md");
}

#[test]
fn names_are_small_letters_digits_and_hyphens() {
    let long = "a".repeat(60);
    for (name, is_one) in [
        ("a", true),
        (long.as_str(), true),
        (&format!("{long}a"), false),
        ("", false),
        ("Fix", false),
        ("-a", false),
        ("a-", false),
        ("a/b", false),
    ] {
        let expected =
            format!("Usage: {name:?} is no name of a plan: small letters, digits and hyphens, at most 60");
        let expected = if is_one { "not refused" } else { &expected };
        assert_eq!(refusal(check_name(name)), expected);
    }
}

#[test]
fn a_file_is_read_up_to_what_a_plan_may_be() {
    let stage = Stage::new();
    let path = |name: &str| stage.root().join(name);
    stage.write("plan.yaml", "text");
    stage.write("large.yaml", &"x".repeat(LARGEST + 10));
    std::fs::write(path("latin.yaml"), b"caf\xe9").unwrap();
    let read = |name: &str| given(Some(&path(name)), &of_person(&stage));
    let (text, name) = ("text".to_owned(), path("plan.yaml").display().to_string());
    assert_eq!(read("plan.yaml").unwrap(), Given { text, name, is_answer: false });
    assert_eq!(read("large.yaml").unwrap().text.len(), LARGEST + 1, "enough to be refused");
    assert_eq!(
        refusal(read("latin.yaml")),
        format!("Refused: {}: it is not UTF-8", path("latin.yaml").display())
    );
    assert_eq!(
        refusal(read("nosuch")),
        format!("Refused: {}: No such file or directory (os error 2)", path("nosuch").display())
    );
}
