use engine_core::task::State;

use super::*;
use crate::error::Failure;
use crate::stage::{AGENT, Stage, agent};

const FILE: &str =
    "# Session\n\n## Pending Tasks\n\n- [ ] **Lexer**\n- [ ] **Parser** | needs: Lexer\n- [x] **Design**\n";

fn context(stage: &Stage, session: &str) -> CommandContext {
    CommandContext::of(stage.project(), &agent(session))
}

fn shown(changed: Result<Changed, CommandError>) -> String {
    match changed {
        Ok(Changed { name, task }) => format!("{name}: {}", task.map_or("gone", |task| task.state.as_str())),
        Err(error) => format!("{:?} {}", error.failure, error.message),
    }
}

#[test]
fn from_state_to_state() {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    let context = context(&stage, AGENT);
    let steps: Vec<(Result<Changed, CommandError>, &str)> = vec![
        (state::start(&context, Some("Parser"), false), "Refused Parser waits for Lexer"),
        (state::done(&context, None), "Nothing nothing is in progress"),
        (state::start(&context, None, false), "Lexer: in progress"),
        (state::start(&context, None, false), "Nothing no task is pending and free to start"),
        (state::done(&context, None), "Lexer: done"),
        (state::done(&context, Some("Lexer")), "Nothing Lexer is done already"),
        (state::block(&context, "Lexer", "no key"), "Refused Lexer is done"),
        (state::start(&context, None, false), "Parser: in progress"),
        (state::fail(&context, "Parser", " "), "Usage a reason is needed"),
        (state::fail(&context, "Parser", "the API is gone"), "Parser: failed"),
        (state::reopen(&context, "Parser"), "Parser: pending"),
        (state::cancel(&context, "nosuch"), "Refused no task nosuch"),
    ];
    for (index, (changed, expected)) in steps.into_iter().enumerate() {
        assert_eq!(shown(changed), expected, "step {index}");
    }
}

#[test]
fn what_another_session_works_on_is_left_to_it() {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    let (mine, theirs) = (context(&stage, AGENT), context(&stage, "another"));
    engine_store::session_file::SessionFile::new(&stage.project().sessions_folder(), "another")
        .update(|_| ())
        .unwrap();
    state::start(&theirs, Some("Lexer"), false).unwrap();
    assert_eq!(
        shown(state::start(&mine, Some("Lexer"), false)),
        "Refused Lexer is in progress elsewhere: session another"
    );
    assert_eq!(shown(state::done(&mine, None)), "Nothing nothing is in progress");
}

#[test]
fn lines_are_added_changed_and_moved() {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    let context = context(&stage, AGENT);
    let named = |name: &str| Meta { name: name.to_owned(), ..Meta::default() };
    add(&context, named("Docs\n now"), None, Place::First).unwrap();
    assert_eq!(
        shown(add(&context, named("lexer"), None, Place::Last)),
        "Refused lexer is there already, pending, in line 6"
    );
    assert_eq!(shown(add(&context, named(" "), None, Place::Last)), "Usage a task needs a name");
    edit(&context, "Docs now", &Edit { rename: Some("Manual"), model: Some("OPUS"), ..Edit::default() })
        .unwrap();
    relocate(&context, "Manual", Destination::After("Parser")).unwrap();
    assert_eq!(
        shown(relocate(&context, "Manual", Destination::After("Parser"))),
        "Nothing Manual stands there already"
    );
    note(&context, "Manual", "in English").unwrap();
    assert_eq!(
        stage.read("session.md"),
        "# Session\n\n## Pending Tasks\n\n- [ ] **Lexer**\n- [ ] **Parser** | needs: Lexer\n- [ ] **Manual** — | opus\n  - in English\n- [x] **Design**\n"
    );
}

#[test]
fn the_only_task_in_progress_of_a_session_is_the_plans() {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    let context = context(&stage, AGENT);
    assert_eq!(state::finish(&context, None).unwrap(), None);
    state::start(&context, Some("Lexer"), false).unwrap();
    assert_eq!(state::finish(&context, None).unwrap().as_deref(), Some("Lexer"));
    let text = stage.read("session.md");
    let file = TaskFile::parse(&text);
    assert_eq!(one(&file, "Lexer").unwrap().state, State::Done);
    assert_eq!(one(&file, "nosuch").unwrap_err().failure, Failure::Refused);
}
