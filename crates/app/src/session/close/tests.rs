use engine_store::session_file::SessionFile;
use serde_json::json;

use super::*;
use crate::session::activate::{self, activate};
use crate::session::phase::{self, enter};
use crate::stage::{AGENT, Stage, agent, ask, record, refusal};
use crate::stdin::NoInput;

const WORK: &str = "sessions/2026_02_07_AUTH";

const SKILL: &str = r#"---
name: build
description: Builds something.
engine:
  phases:
    - {label: "1", name: Setup}
    - {label: "2", name: Build, proof: [depth]}
    - {label: "3", name: Close, proof: [done]}
  nextSkills: ["/commit", "/review"]
  debriefTemplate: debrief.md
---
Build it.
"#;

const BUILD: activate::Request<'_> = activate::Request {
    path: WORK,
    skill: "build",
    mode: None,
    params: &[],
    proof: &[],
    small: None,
    fast_track: false,
    approved: None,
};

/// Work in a phase, held by an agent.
fn begun(phase: u32) -> (Stage, CommandContext) {
    let stage = Stage::new();
    stage.write(".claude/skills/build/SKILL.md", SKILL);
    stage.write(".claude/skills/build/debrief.md", "# Debrief\n");
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    activate(&context, &BUILD, &|| Ok(None), &mut Vec::new()).unwrap();
    for (label, proof) in [("2: Build", ""), ("3: Close", "depth=2")].into_iter().take(phase as usize - 1) {
        let proof: Vec<String> =
            Some(proof.to_owned()).filter(|proof| !proof.is_empty()).into_iter().collect();
        enter(&context, &phase::Request { path: WORK, phase: label, proof: &proof, approved: None }, &|| {
            Ok(None)
        })
        .map_err(|error| error.message)
        .unwrap();
    }
    (stage, context)
}

fn request<'a>(description: Option<&'a str>, proof: &'a [String]) -> Request<'a> {
    Request { path: WORK, description, keywords: &[], proof, approved: None }
}

fn stored(context: &CommandContext) -> WorkState {
    context.existing(WORK).unwrap().peek().unwrap()
}

fn never() -> Result<Option<String>, NoInput> {
    panic!("stdin is not read where a description is given")
}

/// What is open in phase 2, without the hints.
fn open_in_build() -> String {
    "phase: 3: Close was not passed\ndebrief: BUILD.md is not written\nproof: 2: Build: depth is missing\nproof: 3: Close: done is missing"
        .to_owned()
}

/// The hints that go with it.
fn hints_in_build(verb: &str) -> String {
    let how = if verb == "idle" { "let it rest here" } else { "stop here" };
    format!(
        "→ engine session phase {WORK} \"3: Close\"\n\
         → engine log --overwrite {WORK}/BUILD.md\n\
         → engine session {verb} {WORK} --proof NAME=VALUE\n\
         → to {how} all the same: engine session {verb} {WORK} --description \"…\" --user-approved \"why\"; engine asks the user"
    )
}

/// Asks for what is refused, and gets a yes.
fn allowed(stage: &Stage, rest: impl Fn() -> Result<Rested, CommandError>) -> Rested {
    assert!(rest().is_err());
    stage.answers(AGENT, true);
    rest().map_err(|error| error.message).unwrap()
}

#[test]
fn the_first_phase_is_no_end() {
    let (stage, context) = begun(1);
    let before = stage.read(&format!("{WORK}/state.json"));
    let open = |description: &str| {
        format!(
            "Refused: {WORK} stays active\n{description}phase: 2: Build, 3: Close were not passed\n{}\n",
            open_in_build().split_once('\n').unwrap().1
        )
    };
    let gates = |refusal: String| refusal.split('→').next().unwrap().to_owned();
    let undescribed = open("description: no description of what was done\n");
    for verb in [idle, deactivate] {
        assert_eq!(gates(refusal(verb(&context, &request(Some("x"), &[]), &never))), open(""));
        assert_eq!(gates(refusal(verb(&context, &request(None, &[]), &|| Ok(None)))), undescribed);
        assert_eq!(gates(refusal(verb(&context, &request(Some(" \n"), &[]), &never))), undescribed);
        let blank = || Ok(Some(" ".to_owned()));
        assert_eq!(gates(refusal(verb(&context, &request(None, &[]), &blank))), undescribed);
    }
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
    let words = [" login ".to_owned(), "login".to_owned(), " ".to_owned(), "auth".to_owned()];
    let said = Request { keywords: &words, approved: Some("later"), ..request(Some(" half done "), &[]) };
    let rested = allowed(&stage, || idle(&context, &said, &never));
    assert_eq!((rested.next.len(), rested.left.unwrap().shown().as_str()), (0, "1: Setup"));
    let work = stored(&context);
    assert_eq!(
        (work.lifecycle, work.description.as_deref(), work.keywords, work.agent_session),
        (Lifecycle::Idle, Some("half done"), vec!["login".to_owned(), "auth".to_owned()], None)
    );
    assert_eq!(stage.session(AGENT).peek().work, None, "the agent is free");
}

#[test]
fn in_order_the_next_skills_are_named() {
    let (stage, context) = begun(3);
    stage.write(&format!("{WORK}/BUILD.md"), "# Debrief\nDone.\n");
    let proof = ["done=all".to_owned()];
    let rested = idle(&context, &request(Some("built"), &proof), &never).unwrap();
    assert_eq!(
        (rested.next, rested.left.is_none()),
        (vec!["/commit".to_owned(), "/review".to_owned()], true)
    );
    let rested = deactivate(&context, &request(None, &proof), &|| Ok(None)).unwrap();
    assert_eq!((rested.state.lifecycle, rested.next.len()), (Lifecycle::Completed, 2));
}

#[test]
fn every_closed_gate_is_told_at_once_and_each_way_out_once() {
    let (stage, context) = begun(3);
    stage.write(&format!("{WORK}/NOTES.md"), "# Notes\n\n#needs-fix and\n\n#needs-docs\n");
    stage.write("requests/a.md", "# Request\n\n## Response\n");
    stage.write("requests/b.md", "# Request\n\n## Responses\n");
    let files = json!(["requests/a.md", "requests/b.md", 7, "requests/gone.md"]);
    context
        .existing(WORK)
        .unwrap()
        .update(|state| {
            state.params.insert("requestFiles".to_owned(), files);
            Ok::<(), CommandError>(())
        })
        .unwrap();
    let before = stage.read(&format!("{WORK}/state.json"));
    let escape = format!(
        "do what a tag asks for and take it out, or make it a mention: engine tag escape {WORK}/NOTES.md shows how, --write does it"
    );
    assert_eq!(
        refusal(deactivate(&context, &request(None, &[]), &|| Ok(None))),
        format!(
            "Refused: {WORK} stays active\n\
             description: no description of what was done\n\
             debrief: BUILD.md is not written\n\
             proof: 3: Close: done is missing\n\
             tags: {WORK}/NOTES.md:3 #needs-fix is undecided\n\
             tags: {WORK}/NOTES.md:5 #needs-docs is undecided\n\
             requests: requests/b.md has no section ## Response\n\
             requests: there is no requests/gone.md\n\
             → engine session deactivate {WORK} --description \"…\"\n\
             → engine log --overwrite {WORK}/BUILD.md\n\
             → engine session deactivate {WORK} --proof NAME=VALUE\n\
             → {escape}\n\
             → add a section ## Response to requests/b.md\n\
             → a person changes what it was asked for: engine session update {WORK} requestFiles '[…]'"
        )
    );
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
}

#[test]
fn a_persons_word_opens_the_gates_but_not_without_a_description() {
    let (stage, context) = begun(2);
    let (open, hints) = (open_in_build(), hints_in_build("idle"));
    let refused = format!("Refused: {WORK} stays active\n{open}\n");
    let said = |description| Request { approved: Some("they said so"), ..request(description, &[]) };
    let rest = |request: &Request<'_>| refusal(idle(&context, request, &|| Ok(None)));
    assert_eq!(rest(&request(Some("half"), &[])), format!("{refused}{hints}"));
    let what = format!("session idle {WORK} with open ends: {}", open.replace('\n', "; "));
    let ways = hints.rsplit_once('\n').unwrap().0;
    let asked = format!("{refused}{ways}\n→ {what} needs a person: approval 1\n{}", ask(1));
    assert_eq!(rest(&said(Some("half"))), asked);
    assert_eq!(rest(&said(Some("half"))), asked, "it waits");
    stage.answers(AGENT, true);
    assert_eq!(
        rest(&said(None)),
        format!(
            "Refused: {WORK} stays active\ndescription: no description of what was done\n{open}\n\
             → engine session idle {WORK} --description \"…\"\n{hints}"
        )
    );
    assert_eq!(stored(&context).lifecycle, Lifecycle::Active);
}

#[test]
fn a_word_that_came_in_vain_still_counts() {
    let (stage, context) = begun(2);
    let said = |description| Request { approved: Some("they said so"), ..request(description, &[]) };
    let rest = |request: &Request<'_>| refusal(idle(&context, request, &|| Ok(None)));
    rest(&said(Some("half")));
    stage.answers(AGENT, true);
    rest(&said(None));
    assert_eq!(rest(&said(Some("half"))), "not refused", "one word, one deed, and none was done before");
    let waived = stored(&context).run().and_then(|run| run.history.last()?.approved.clone());
    assert_eq!(waived, Some(record(1, Some("they said so"))));
}

#[test]
fn work_stops_before_its_last_phase_by_a_word_only() {
    let (stage, context) = begun(2);
    assert_eq!(
        refusal(deactivate(&context, &request(Some("done"), &[]), &never)),
        format!("Refused: {WORK} stays active\n{}\n{}", open_in_build(), hints_in_build("deactivate"))
    );
    stage.write(&format!("{WORK}/BUILD_PLAN.md"), "- [ ] one\n- [x] two\n- [x] ~~three~~\n");
    let said = Request { approved: Some("later"), ..request(Some("half"), &[]) };
    let rested = allowed(&stage, || idle(&context, &said, &never));
    assert_eq!(rested.left.unwrap().shown(), "2: Build; 2 plan steps open");
    // What rests was described; stdin takes the proof.
    let given = || Ok(Some("{\"depth\": 3}".to_owned()));
    let said = Request { approved: Some("no more"), ..request(None, &[]) };
    let rested = allowed(&stage, || deactivate(&context, &said, &given));
    assert_eq!((rested.next.len(), rested.state.shown().as_str()), (0, "stopped in 2: Build"));
    let work = stored(&context);
    assert_eq!((work.lifecycle, work.description.as_deref()), (Lifecycle::Stopped, Some("half")));
    let run = work.run().unwrap();
    assert_eq!((run.stopped, run.ended_at.is_some()), (true, true));
    let proofs: Vec<_> = run.history.iter().filter_map(|passed| passed.proof.clone()).collect();
    assert_eq!(proofs, [json!({"depth": 3})]);
    assert_eq!(
        refusal(deactivate(&context, &request(Some("x"), &[]), &never)),
        format!("Nothing: {WORK} is stopped in 2: Build already")
    );
    let gone = activate::resume(&context, Some(WORK), None, &mut Vec::new());
    assert_eq!(
        refusal(gone),
        format!(
            "Refused: {WORK} is stopped in 2: Build\n→ to run it again: engine session activate {WORK} build --fast-track"
        )
    );
}

#[test]
fn a_claim_that_does_not_hold_is_not_written_down() {
    let (stage, context) = begun(2);
    let proof = ["depth=___".to_owned()];
    let said = Request { approved: Some("enough"), ..request(Some("half"), &proof) };
    allowed(&stage, || deactivate(&context, &said, &never));
    let run = stored(&context).run().cloned().unwrap();
    assert_eq!(run.history.iter().filter(|passed| passed.proof.is_some()).count(), 0);
}

#[test]
fn a_gate_at_the_end_is_passed_by_a_word_only() {
    let stage = Stage::new();
    let skill = "---\nname: build\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Do, gate: true}\n  nextSkills: [/commit]\n---\n";
    stage.write(".claude/skills/build/SKILL.md", skill);
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    activate(&context, &BUILD, &|| Ok(None), &mut Vec::new()).unwrap();
    let rest = || deactivate(&context, &request(Some("done"), &[]), &never);
    assert_eq!(
        refusal(rest()),
        format!(
            "Refused: pass the gate from phase 1: Do to the end of {WORK} needs a person: approval 1\n{}",
            ask(1)
        )
    );
    let rested = allowed(&stage, rest);
    assert_eq!((rested.state.lifecycle, rested.next), (Lifecycle::Completed, vec!["/commit".to_owned()]));
    let passed = stored(&context).run().and_then(|run| run.history.last()?.approved.clone());
    assert_eq!(passed, Some(record(1, None)));
}

#[test]
fn a_skill_that_is_gone_asks_a_person() {
    let (stage, context) = begun(3);
    stage.write(&format!("{WORK}/BUILD.md"), "# Debrief\nDone.\n");
    std::fs::remove_dir_all(stage.root().join(".claude/skills/build")).unwrap();
    let proof = ["done=all".to_owned()];
    assert_eq!(
        refusal(deactivate(&context, &request(Some("done"), &proof), &never)),
        format!(
            "Refused: {WORK} stays active\nskill: there is no skill build\n→ put the skill back as it was\n\
             → to stop here all the same: engine session deactivate {WORK} --description \"…\" --user-approved \"why\"; engine asks the user"
        )
    );
}

#[test]
fn a_skill_that_was_left_in_the_middle_for_another_keeps_the_work_open() {
    let (stage, context) = begun(2);
    stage.write(
        ".claude/skills/tiny/SKILL.md",
        "---\nname: tiny\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Do}\n---\n",
    );
    let tiny = activate::Request { skill: "tiny", ..BUILD };
    activate(&context, &tiny, &|| Ok(None), &mut Vec::new()).unwrap();
    assert_eq!(
        refusal(deactivate(&context, &request(Some("done"), &[]), &never)),
        format!(
            "Refused: {WORK} stays active\nphase: build: 2: Build, 3: Close were not passed\n\
             → engine session activate {WORK} build --fast-track\n\
             → to stop here all the same: engine session deactivate {WORK} --description \"…\" --user-approved \"why\"; engine asks the user"
        )
    );
    let said = Request { approved: Some("enough"), ..request(Some("done"), &[]) };
    let rested = allowed(&stage, || deactivate(&context, &said, &never));
    assert_eq!(rested.state.shown(), "stopped in 1: Do");
}

#[test]
fn an_object_on_stdin_is_no_description() {
    let (stage, context) = begun(1);
    assert_eq!(
        refusal(idle(&context, &request(None, &[]), &|| Ok(Some("{\"depth\": 3}".to_owned())))),
        "Refused: stdin takes the description as plain text here\n→ proof goes into --proof NAME=VALUE"
    );
    assert_eq!(
        refusal(idle(&context, &request(None, &[]), &|| Err(NoInput::NotText))),
        "Refused: the input is not UTF-8"
    );
    let pair = ["depth".to_owned()];
    assert_eq!(
        refusal(idle(&context, &request(Some("x"), &pair), &never)),
        "Usage: --proof takes NAME=VALUE, not depth"
    );
    let said = Request { approved: Some("later"), ..request(None, &[]) };
    let list = || Ok(Some("[1] is a list, but read as text".to_owned()));
    allowed(&stage, || idle(&context, &said, &list));
    assert_eq!(stored(&context).description.as_deref(), Some("[1] is a list, but read as text"));
}

#[test]
fn only_the_holder_closes_and_a_state_that_changed_meanwhile_is_judged_anew() {
    let (stage, context) = begun(1);
    let other = CommandContext { project: stage.project(), caller: agent("another") };
    assert_eq!(
        refusal(idle(&other, &request(Some("x"), &[]), &never)),
        format!(
            "Refused: session: {WORK} is not bound to this agent session (another)\n→ engine session continue {WORK}"
        )
    );
    let moves = || {
        let entered = phase::Request { path: WORK, phase: "2: Build", proof: &[], approved: None };
        enter(&context, &entered, &|| Ok(None)).map_err(|error| error.message).unwrap();
        Ok(Some("rests".to_owned()))
    };
    assert_eq!(
        refusal(idle(&context, &request(None, &[]), &moves)),
        format!("Refused: {WORK} stays active\n{}\n{}", open_in_build(), hints_in_build("idle"))
    );
    let work = stored(&context);
    assert_eq!((work.lifecycle, work.description), (Lifecycle::Active, None));
    assert!(SessionFile::new(&context.project.sessions_folder(), AGENT).peek().work.is_some());
}
