use engine_store::session_file::SessionFile;

use super::*;
use crate::session::activate::{self, activate};
use crate::session::close;
use crate::stage::{AGENT, Stage, agent, record, wanted};

const WORK: &str = "sessions/2026_02_07_AUTH";

const SKILL: &str = r#"---
name: build
description: Builds something.
engine:
  phases:
    - {label: "1", name: Setup}
    - {label: "2", name: Plan, proof: [depth]}
    - {label: "3", name: Build, proof: [{name: testsPass, evidence: command}]}
    - {label: "4", name: Close}
---
Build it.
"#;

/// A work session whose skill was just started by an agent.
fn begun() -> (Stage, CommandContext) {
    begun_with(SKILL)
}

fn begun_with(skill: &str) -> (Stage, CommandContext) {
    let stage = Stage::new();
    stage.write(".claude/skills/build/SKILL.md", skill);
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    let request = activate::Request {
        path: WORK,
        skill: "build",
        mode: None,
        params: &[],
        proof: &[],
        small: None,
        fast_track: false,
        approved: None,
    };
    let begun = activate(&context, &request, &|| Ok(None), &mut Vec::new()).unwrap();
    assert_eq!(
        (begun.outcome, place(begun.state.run().unwrap()).as_str()),
        ("started", ", phase 1: Setup (1 of 4)")
    );
    (stage, context)
}

fn shown(entered: Result<Entered, CommandError>) -> String {
    match entered {
        Ok(Entered { run, demand, .. }) => format!("in{} asks {:?}", place(&run), demand.names()),
        Err(error) => std::iter::once(error.message).chain(error.hints).collect::<Vec<_>>().join("\n"),
    }
}

fn go_with(context: &CommandContext, phase: &str, proof: &[&str], piped: Piped<'_>) -> String {
    let proof: Vec<String> = proof.iter().map(|&pair| pair.to_owned()).collect();
    shown(enter(context, &Request { path: WORK, phase, proof: &proof, approved: None }, piped))
}

fn go(context: &CommandContext, phase: &str, proof: &[&str]) -> String {
    go_with(context, phase, proof, &|| Ok(None))
}

#[test]
fn from_phase_to_phase() {
    let (_stage, context) = begun();
    let call = "engine session phase sessions/2026_02_07_AUTH";
    let ask = |phase: &str| {
        format!("to do it all the same: {call} \"{phase}\" --user-approved \"why\"; engine asks the user")
    };
    let cases: Vec<(&str, &[&str], String)> = vec![
        (
            "x",
            &[],
            "phase: \"x\" is no label; 2, 2.1, 2.1A and 2.A are\na phase is written as \"2: Plan\""
                .to_owned(),
        ),
        ("3: Build", &[], format!("phase: from phase 1 to 3 skips 2\n{}", ask("3: Build"))),
        ("1: Setup", &[], "in, phase 1: Setup (1 of 4) asks []".to_owned()),
        ("2: Plan", &[], "in, phase 2: Plan (2 of 4) asks [\"depth\"]".to_owned()),
        ("2: Plan", &[], "in, phase 2: Plan (2 of 4) asks [\"depth\"]".to_owned()),
        ("3: Build", &[], format!("proof: depth is missing\n{call} \"3: Build\" --proof depth=…")),
        (
            "3: Build",
            &["depth=short"],
            "in, phase 3: Build (3 of 4) asks [\"testsPass (command)\"]".to_owned(),
        ),
        (
            "3.1: Extra",
            &["testsPass=cargo test"],
            format!(
                "evidence: testsPass: `cargo test` was not run in this session: engine check -- cargo test\n{call} \"3.1: Extra\" --proof testsPass=…"
            ),
        ),
        // Back without proof, and forward again with it.
        ("1: Setup", &[], "in, phase 1: Setup (1 of 4) asks []".to_owned()),
        ("3: Build", &[], format!("phase: from phase 1 to 3 skips 2\n{}", ask("3: Build"))),
        ("2: Plan", &[], "in, phase 2: Plan (2 of 4) asks [\"depth\"]".to_owned()),
        ("3: Build", &[], format!("proof: depth is missing\n{call} \"3: Build\" --proof depth=…")),
    ];
    for (phase, proof, expected) in cases {
        assert_eq!(go(&context, phase, proof), expected, "{phase} {proof:?}");
    }
}

#[test]
fn what_is_given_is_kept_with_the_phase_that_is_left() {
    let (_stage, context) = begun();
    go(&context, "2: Plan", &[]);
    go(&context, "3: Build", &["depth=2"]);
    let run = context.existing(WORK).unwrap().peek().unwrap().run().cloned().unwrap();
    let history: Vec<_> =
        run.history.iter().map(|passed| (passed.phase.as_str(), passed.proof.clone())).collect();
    assert_eq!(history, [("1: Setup", None), ("2: Plan", Some(serde_json::json!({"depth": 2})))]);
    let bound = SessionFile::new(&context.project.sessions_folder(), AGENT).peek().work.unwrap();
    assert_eq!((bound.name.as_str(), bound.phase.as_deref()), ("2026_02_07_AUTH", Some("3: Build")));
}

/// Stdin is read between the look at the state and its lock, so another call can come in between there.
#[test]
fn a_state_that_changed_meanwhile_is_judged_anew() {
    let moves = |context: &CommandContext, phase: &str| {
        assert!(go(context, phase, &[]).starts_with("in, phase 2"));
        Ok(None)
    };
    let (_stage, context) = begun();
    // The same call twice at once: the second finds itself where it wants to be.
    let twice = go_with(&context, "2: Plan", &[], &|| moves(&context, "2: Plan"));
    assert_eq!(twice, r#"in, phase 2: Plan (2 of 4) asks ["depth"]"#);
    let run = context.existing(WORK).unwrap().peek().unwrap().run().cloned().unwrap();
    assert_eq!(run.history.len(), 1, "phase 1 was left once");

    // Looked at in phase 1, which asks for no proof; under the lock it is phase 2, which does.
    let (_stage, context) = begun();
    let proved = go_with(&context, "3: Build", &[], &|| moves(&context, "2: Plan"));
    assert_eq!(
        proved,
        "proof: depth is missing\n\
         engine session phase sessions/2026_02_07_AUTH \"3: Build\" --proof depth=…"
    );

    // Closed meanwhile: nobody moves it.
    let (stage, context) = begun();
    let rest = || {
        let request = close::Request {
            path: WORK,
            description: Some("rests"),
            keywords: &[],
            proof: &[],
            approved: Some("they want it"),
        };
        assert!(close::idle(&context, &request, &|| Ok(None)).is_err());
        stage.answers(AGENT, true);
        close::idle(&context, &request, &|| Ok(None)).map_err(|error| error.message).unwrap();
        Ok(None)
    };
    assert_eq!(
        go_with(&context, "2: Plan", &[], &rest),
        "sessions/2026_02_07_AUTH is not active\nengine session activate sessions/2026_02_07_AUTH SKILL"
    );
}

#[test]
fn a_word_of_the_person_counts_once_and_under_the_lock() {
    let (stage, context) = begun();
    let skip = |approved| {
        shown(enter(&context, &Request { path: WORK, phase: "4: Close", proof: &[], approved }, &|| Ok(None)))
    };
    assert_eq!(
        skip(None),
        "phase: from phase 1 to 4 skips 2\n\
         to do it all the same: engine session phase sessions/2026_02_07_AUTH \"4: Close\" --user-approved \"why\"; engine asks the user"
    );
    assert_eq!(stage.session(AGENT).peek().approvals, [], "nobody is bothered before the agent asks for it");
    let what = "enter phase 4 of sessions/2026_02_07_AUTH (from phase 1 to 4 skips 2)";
    let asked = wanted(what, 1).replace("Refused: ", "").replace("→ ", "");
    assert_eq!(skip(Some("they said so")), asked);
    assert_eq!(skip(Some("they said so")), asked);
    stage.answers(AGENT, true);
    assert_eq!(skip(Some("they said so")), "in, phase 4: Close (4 of 4) asks []");
    let work = context.existing(WORK).unwrap().peek().unwrap();
    let approved = work.run().and_then(|run| run.history.last()?.approved.clone());
    assert_eq!(approved, Some(record(1, Some("they said so"))));
}

#[test]
fn another_agent_session_moves_nothing() {
    let (_stage, context) = begun();
    let other = CommandContext { project: context.project.clone(), caller: agent("another") };
    assert_eq!(
        go(&other, "2: Plan", &[]),
        "session: sessions/2026_02_07_AUTH is not bound to this agent session (another)\n\
         engine session continue sessions/2026_02_07_AUTH"
    );
}

#[test]
fn a_gate_is_passed_by_a_word_for_the_files_as_they_are() {
    let gated = SKILL.replace("proof: [depth]}", "proof: [{name: planFile, evidence: file}], gate: true}");
    let (stage, context) = begun_with(&gated);
    go(&context, "1", &[]);
    go(&context, "2", &[]);
    let file = format!("{WORK}/PLAN.md");
    stage.write(&file, "# Plan\n");
    let build = || go(&context, "3", &[&format!("planFile={file}")]);
    let what = format!("pass the gate from phase 2: Plan to 3 of {WORK} ({file})");
    let asked = |number| wanted(&what, number)["Refused: ".len()..].replace("→ ", "");
    assert_eq!(build(), asked(1));
    stage.answers(AGENT, true);
    stage.write(&file, "# Another plan\n");
    assert_eq!(build(), asked(2), "that is not what was agreed to");
    // The phase itself is not left.
    assert_eq!(go(&context, "2", &[]), "in, phase 2: Plan (2 of 4) asks [\"planFile (file)\"]");
    stage.answers(AGENT, true);
    assert_eq!(build(), "in, phase 3: Build (3 of 4) asks [\"testsPass (command)\"]");
    let kept: WorkState = serde_json::from_str(&stage.read(&format!("{WORK}/state.json"))).unwrap();
    let passed = kept.run().unwrap().history.last().unwrap().approved.clone();
    assert_eq!(passed, Some(record(2, None)));
    // Back through it, and it is asked for again.
    assert_eq!(go(&context, "2", &[]), "in, phase 2: Plan (2 of 4) asks [\"planFile (file)\"]");
    assert_eq!(build(), asked(3));
}

#[test]
fn a_phase_that_is_left_by_going_back_is_unproved() {
    let (_stage, context) = begun();
    for (phase, proof) in [("2", &[][..]), ("3", &["depth=2"]), ("2", &["testsPass=cargo test"])] {
        go(&context, phase, proof);
    }
    let run = context.existing(WORK).unwrap().peek().unwrap().run().cloned().unwrap();
    let history: Vec<_> = run
        .history
        .iter()
        .map(|passed| (passed.phase.as_str(), passed.unproved, passed.proof.is_some()))
        .collect();
    assert_eq!(
        history,
        [("1: Setup", false, false), ("2: Plan", false, true), ("3: Build", true, false)],
        "nobody looked at what was given"
    );
}

#[test]
fn a_skill_that_is_changed_meanwhile_needs_a_word() {
    let template = "planTemplate: plan.md\n---";
    let (stage, context) =
        begun_with(&SKILL.replace("name: Close}\n---", &format!("name: Close}}\n  {template}")));
    go(&context, "1", &[]);
    stage.write(".claude/skills/build/plan.md", "# Plan\n");
    let changed = "the skill build was changed since this run of it began: plan.md";
    assert_eq!(
        go(&context, "2", &[]),
        format!(
            "evidence: {changed}\nto do it all the same: engine session phase {WORK} \"2\" --user-approved \"why\"; engine asks the user"
        )
    );
    let said = || {
        let request = Request { path: WORK, phase: "2", proof: &[], approved: Some("a better form") };
        shown(enter(&context, &request, &|| Ok(None)))
    };
    let asked = wanted(&format!("accept the proof of {WORK} ({changed})"), 1);
    assert_eq!(said(), asked["Refused: ".len()..].replace("→ ", ""));
    stage.answers(AGENT, true);
    assert_eq!(said(), "in, phase 2: Plan (2 of 4) asks [\"depth\"]");
    assert_eq!(
        go(&context, "3", &["depth=2"]),
        "in, phase 3: Build (3 of 4) asks [\"testsPass (command)\"]",
        "it is accepted"
    );
}

#[test]
fn a_gate_names_files_and_no_other_claims() {
    let fields = "proof: [{name: how, evidence: mode}, {name: planFile, evidence: plan}], gate: true}";
    let (stage, context) = begun_with(&SKILL.replace("proof: [depth]}", fields));
    go(&context, "2", &[]);
    stage.write("plan.md", "- [ ] build it\n");
    let what = format!("pass the gate from phase 2: Plan to 3 of {WORK} (plan.md)");
    let asked = wanted(&what, 1)["Refused: ".len()..].replace("→ ", "");
    assert_eq!(go(&context, "3", &["how=custom", "planFile=plan.md"]), asked);
}

#[test]
fn a_first_phase_with_a_gate_is_no_way_around_it() {
    let gated = SKILL.replace("name: Setup}", "name: Setup, gate: true}");
    // Whether the skill's text has been read or not.
    for begins in [true, false] {
        let (_stage, context) = begun_with(&gated);
        if begins {
            go(&context, "1", &[]);
        }
        let what = format!("pass the gate from phase 1: Setup to 2 of {WORK}");
        let asked = wanted(&what, 1)["Refused: ".len()..].replace("→ ", "");
        assert_eq!(go(&context, "2", &[]), asked, "{begins}");
    }
}
