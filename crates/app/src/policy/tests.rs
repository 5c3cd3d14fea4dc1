use super::*;
use crate::stage::{Stage, refusal};

fn context(stage: &Stage) -> PolicyContext {
    let project = stage.project();
    PolicyContext {
        config: config_file::load(&project),
        loaded: policy_file::read(&project),
        root: stage.root().to_string_lossy().into_owned(),
        project: Some(project),
    }
}

fn rule(id: &str, verdict: &str, more: &str) -> String {
    format!("[[rule]]\nid = \"{id}\"\nverdict = \"{verdict}\"\nreason = \"r\"\n{more}\n")
}

fn tested(rules: &str, tests: Option<&str>) -> (usize, Vec<String>) {
    let stage = Stage::new();
    stage.write(".engine/policy.toml", rules);
    if let Some(tests) = tests {
        stage.write(".engine/policy.tests.toml", tests);
    }
    let Tested { tests, failures } = context(&stage).test().unwrap();
    (tests, failures)
}

fn test(body: &str) -> String {
    format!("[[test]]\n{body}\n")
}

#[test]
fn a_rule_without_a_test_and_tests_without_a_rule_fail() {
    let tf = rule("no-tf", "block", "program = \"terraform\"");
    assert_eq!(tested("", None), (0, vec![]));
    assert_eq!(tested(&tf, None), (0, vec!["policy.toml: no-tf has no test".to_owned()]));
    assert_eq!(
        tested("", Some("# later\n")),
        (0, vec!["policy.tests.toml: there is no [[test]] in it".to_owned()])
    );
    assert_eq!(
        tested(&tf, Some(&test("command = \"terraform apply\"\nrule = \"no-ft\"\nverdict = \"block\""))),
        (
            1,
            vec![
                "policy.tests.toml:1: there is no rule no-ft".to_owned(),
                "policy.toml: no-tf has no test".to_owned()
            ]
        )
    );
    assert_eq!(
        tested(&tf, Some(&test("command = \"terraform apply\"\nrule = \"no-tf\"\nverdict = \"block\""))),
        (1, vec![])
    );
}

#[test]
fn a_file_may_hold_wrappers_alone() {
    let wrapper = "[[wrapper]]\nprogram = \"with-env\"\nvalued = [\"-f\"]\nskip = 1\n";
    assert_eq!(tested(wrapper, None), (0, vec![]));
    let test = test(
        "command = \"with-env -f x dev git reset --hard\"\nrule = \"git.reset-hard\"\nverdict = \"block\"",
    );
    assert_eq!(tested(wrapper, Some(&test)), (1, vec![]));
    let broken = |body: &str| tested(&format!("[[wrapper]]\n{body}\n"), None).1;
    for (body, expected) in [
        ("", "policy.toml:1: missing field `program`"),
        ("program = \"a b\"", "policy.toml:1: a wrapper needs program: one name or several, without folders"),
        (
            "program = \"x\"\nvalued = [\"f\"]",
            "policy.toml:1: wrapper x: valued and code are options: -f, --file",
        ),
        ("program = \"x\"\nskip = \"a\"", "policy.toml:1: invalid type: string \"a\", expected usize"),
    ] {
        assert_eq!(broken(body), [expected], "{body}");
    }
    assert_eq!(
        tested("[[wrappers]]\nprogram = \"x\"\n", None).1,
        ["policy.toml:1: wrappers is not known here; use [[rule]] or [[wrapper]]"]
    );
}

#[test]
fn the_strictest_that_fits_is_compared_and_a_named_rule_alone() {
    let rules = [rule("a", "warn", "program = \"tf\""), rule("b", "ask", "program = \"tf\"")].concat();
    let tests = [
        test("command = \"tf\"\nverdict = \"ask\""),
        test("command = \"tf\"\nrule = \"a\"\nverdict = \"warn\""),
        test("command = \"tf\"\nrule = \"b\"\nverdict = \"block\""),
        test("command = \"ls\"\nverdict = \"warn\""),
    ];
    assert_eq!(
        tested(&rules, Some(&tests.concat())),
        (
            4,
            vec![
                "policy.tests.toml:8: tf: b says ask, the test wants block".to_owned(),
                "policy.tests.toml:12: ls: any rule says none, the test wants warn".to_owned()
            ]
        )
    );
}

#[test]
fn what_a_test_is_about_is_taken_from_it() {
    let rules = rule(
        "x",
        "block",
        "program = \"tf\"\nwhen = { skill = \"deploy\", phase = \"2*\", mode = \"plan\", agent_type = \"explore\", branch = \"main\" }",
    );
    let when = "when = { skill = \"deploy\", phase = \"2: Do\", mode = \"plan\", agent_type = \"explore\", branch = \"main\" }";
    let tests = [
        test(&format!("command = \"tf\"\nrule = \"x\"\nverdict = \"block\"\n{when}")),
        test(&format!("command = \"tf\"\nverdict = \"none\"\n{}", when.replace("deploy", "other"))),
        test("command = \"tf\"\nverdict = \"none\"\nwhen = { weather = \"rain\" }"),
    ];
    assert_eq!(
        tested(&rules, Some(&tests.concat())),
        (3, vec!["policy.tests.toml:10: when.weather is not known".to_owned()])
    );
}

#[test]
fn outside_of_a_project_nothing_can_be_tested_and_nothing_is_guarded() {
    let stage = Stage::new();
    let bare = PolicyContext { project: None, loaded: policy_file::Loaded::default(), ..context(&stage) };
    assert_eq!(
        refusal(bare.test()),
        "Refused: no project: there is no .engine/ here or above\n→ make one: engine init"
    );
    let command = format!("rm -rf {}/.engine", stage.root().display());
    let rules = |context: &PolicyContext| -> Vec<String> {
        let found = context.judge_all(&context.facts(&command, None).unwrap());
        found.into_iter().map(|found| found.rule).filter(|rule| rule == GUARD).collect()
    };
    assert_eq!(rules(&bare), Vec::<String>::new());
    assert_eq!(rules(&context(&stage)), [GUARD]);
    let own = format!("{}/.engine/config.toml", stage.root().display());
    for (tool, expected) in [("Write", Some(Level::Block)), ("Read", None), ("Other", None)] {
        let facts = context(&stage).facts(&own, Some(tool)).unwrap();
        assert_eq!(context(&stage).guard(&facts).map(|found| found.verdict), expected, "{tool}");
    }
}

#[test]
fn the_strictest_comes_first_and_the_guard_follows_its_mode() {
    let stage = Stage::new();
    stage.write(
        ".engine/policy.toml",
        &[rule("soft", "warn", "program = \"rm\""), rule("hard", "ask", "program = \"rm\"")].concat(),
    );
    let command = format!("rm {}/.engine/config.toml", stage.root().display());
    let judged = || -> Vec<(String, Level)> {
        let context = context(&stage);
        let found = context.judge_all(&context.facts(&command, None).unwrap());
        found.into_iter().map(|found| (found.rule, found.verdict)).collect()
    };
    let of = |rule: &str, level| (rule.to_owned(), level);
    assert_eq!(judged(), [of(GUARD, Level::Block), of("hard", Level::Ask), of("soft", Level::Warn)]);
    stage.write(".engine/config.toml", "[rules]\nprotect = \"shadow\"\n");
    assert_eq!(judged(), [of("hard", Level::Ask), of("soft", Level::Warn), of(GUARD, Level::Shadow)]);
    stage.write(".engine/config.toml", "[rules]\nprotect = \"off\"\n# longer\n");
    assert_eq!(judged(), [of("hard", Level::Ask), of("soft", Level::Warn)]);
    assert_eq!(strictest(&[]), None);
}

#[test]
fn a_branch_is_protected_by_name() {
    let stage = Stage::new();
    let facts = || context(&stage).facts("git commit", None).unwrap();
    assert_eq!((facts().on_protected_branch, facts().context.branch), (false, None));
    stage.git(&["init", "-q", "-b", "main"]);
    assert_eq!((facts().on_protected_branch, facts().context.branch.as_deref()), (true, Some("main")));
    stage.git(&["checkout", "-q", "-b", "release"]);
    assert!(!facts().on_protected_branch);
}
