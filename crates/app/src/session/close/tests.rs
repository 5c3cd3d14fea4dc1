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

/// Work in a phase, held by an agent.
fn begun(phase: u32) -> (Stage, CommandContext) {
    let stage = Stage::new();
    stage.write(".claude/skills/build/SKILL.md", SKILL);
    stage.write(".claude/skills/build/debrief.md", "# Debrief\n");
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    let request = activate::Request {
        path: WORK,
        skill: "build",
        mode: None,
        params: &[],
        fast_track: false,
        approved: None,
    };
    activate(&context, &request, &|| Ok(None), &mut Vec::new()).unwrap();
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

#[test]
fn in_the_first_phase_a_description_is_enough() {
    let (stage, context) = begun(1);
    let before = stage.read(&format!("{WORK}/state.json"));
    let open = format!(
        "Refused: {WORK} stays active\ndescription: no description of what was done\n→ engine session idle {WORK} --description \"…\""
    );
    assert_eq!(refusal(idle(&context, &request(None, &[]), &|| Ok(None))), open);
    assert_eq!(refusal(idle(&context, &request(Some(" \n"), &[]), &never)), open);
    assert_eq!(refusal(idle(&context, &request(None, &[]), &|| Ok(Some(" ".to_owned())))), open);
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
    let words = [" login ".to_owned(), "login".to_owned(), " ".to_owned(), "auth".to_owned()];
    let rested =
        idle(&context, &Request { keywords: &words, ..request(Some(" half done "), &[]) }, &never).unwrap();
    assert_eq!(rested.next, ["/commit", "/review"]);
    let work = stored(&context);
    assert_eq!(
        (work.lifecycle, work.description.as_deref(), work.keywords, work.agent_session),
        (Lifecycle::Idle, Some("half done"), vec!["login".to_owned(), "auth".to_owned()], None)
    );
    assert_eq!(stage.session(AGENT).peek().work, None, "the agent is free");
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
             proof: done is missing\n\
             tags: {WORK}/NOTES.md:3 #needs-fix is undecided\n\
             tags: {WORK}/NOTES.md:5 #needs-docs is undecided\n\
             requests: requests/b.md has no answer\n\
             requests: requests/gone.md has no answer\n\
             → engine session deactivate {WORK} --description \"…\"\n\
             → engine log --overwrite {WORK}/BUILD.md\n\
             → engine session deactivate {WORK} --proof NAME=VALUE\n\
             → {escape}\n\
             → add a section ## Response to requests/b.md\n\
             → add a section ## Response to requests/gone.md"
        )
    );
    assert_eq!(stage.read(&format!("{WORK}/state.json")), before);
}

#[test]
fn a_persons_word_opens_the_gates_but_not_without_a_description() {
    let (stage, context) = begun(2);
    let refused = format!(
        "Refused: {WORK} stays active\ndebrief: BUILD.md is not written\n→ engine log --overwrite {WORK}/BUILD.md"
    );
    let said = |description| Request { approved: Some("they said so"), ..request(description, &[]) };
    let rest = |request: &Request<'_>| refusal(idle(&context, request, &|| Ok(None)));
    assert_eq!(rest(&request(Some("half"), &[])), refused);
    let what = format!("session idle {WORK} with open ends: debrief: BUILD.md is not written");
    let asked = format!("{refused}\n→ {what} needs a person: approval 1\n{}", ask(1));
    assert_eq!(rest(&said(Some("half"))), asked);
    assert_eq!(rest(&said(Some("half"))), asked, "it waits");
    stage.answers(AGENT, true);
    assert_eq!(
        rest(&said(None)),
        format!(
            "Refused: {WORK} stays active\ndescription: no description of what was done\ndebrief: BUILD.md is not written\n\
             → engine session idle {WORK} --description \"…\"\n→ engine log --overwrite {WORK}/BUILD.md"
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
fn work_that_rests_in_the_middle_owes_no_proof_and_work_that_ends_does() {
    let (stage, context) = begun(2);
    stage.write(&format!("{WORK}/BUILD.md"), "# Debrief\n");
    assert_eq!(
        refusal(deactivate(&context, &request(Some("done"), &[]), &never)),
        format!(
            "Refused: {WORK} stays active\nproof: depth is missing\n→ engine session deactivate {WORK} --proof NAME=VALUE"
        )
    );
    idle(&context, &request(Some("half"), &[]), &never).unwrap();
    // What rests was described; stdin takes the proof.
    let given = || Ok(Some("{\"depth\": 3}".to_owned()));
    deactivate(&context, &request(None, &[]), &given).unwrap();
    let work = stored(&context);
    assert_eq!((work.lifecycle, work.description.as_deref()), (Lifecycle::Completed, Some("half")));
    let last = work.run().unwrap().history.last().unwrap();
    assert_eq!((last.phase.as_str(), &last.proof), ("2: Build", &Some(json!({"depth": 3}))));
    assert_eq!(
        refusal(deactivate(&context, &request(Some("x"), &[]), &never)),
        format!("Nothing: {WORK} is completed already")
    );
}

#[test]
fn an_object_on_stdin_is_no_description() {
    let (_stage, context) = begun(1);
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
    idle(&context, &request(None, &[]), &|| Ok(Some("[1] is a list, but read as text".to_owned()))).unwrap();
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
        format!(
            "Refused: {WORK} stays active\ndebrief: BUILD.md is not written\n→ engine log --overwrite {WORK}/BUILD.md"
        )
    );
    let work = stored(&context);
    assert_eq!((work.lifecycle, work.description), (Lifecycle::Active, None));
    assert!(SessionFile::new(&context.project.sessions_folder(), AGENT).peek().work.is_some());
}
