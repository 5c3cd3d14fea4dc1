//! Lets a person do what an agent may do only after a person has spoken, and says so plainly.

use engine_core::journal::{Entry, FindingLine};
use engine_store::approve::{self, Caller, Refusal};
use engine_store::project::Project;
use engine_store::{clock, journal_file};

use crate::error::CommandError;

/// Passes, or ends the command with what to do. A waiver is written into the journal with the person's words.
pub fn require(
    project: &Project,
    caller: &Caller,
    what: &str,
    reason: Option<&str>,
) -> Result<(), CommandError> {
    let said = approve::require(project, caller, what, reason).map_err(explain)?;
    let (Some(said), Caller::Agent { session }) = (said, caller) else { return Ok(()) };
    let now = clock::now();
    let waiver = FindingLine {
        rule: "approval".to_owned(),
        reason: reason.map(|reason| engine_text::redact::redact(reason).into_owned()),
        because: Some(format!(
            "the person said after the refusal: {}",
            engine_text::redact::redact(&said.text)
        )),
        ..FindingLine::default()
    };
    let entry = Entry {
        id: clock::decision_id(now).as_str().to_owned(),
        at: now.rfc3339(),
        session: session.clone(),
        event: "Approval".to_owned(),
        input: Some(what.to_owned()),
        findings: vec![waiver],
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    journal_file::append(&project.journal_folder(), now, &entry)?;
    Ok(())
}

fn explain(refusal: Refusal) -> CommandError {
    let refused = CommandError::refused(refusal.to_string());
    let refused = match &refusal {
        Refusal::NotApproved(_) => refused
            .hint("ask the user; after their answer the same command counts with --user-approved \"what they said\"")
            .hint("or the user runs it in a terminal of their own"),
        Refusal::NobodySpoke(_) => refused.hint("ask the user and wait for the answer"),
        Refusal::Io(_) => refused,
    };
    refused.caused_by(refusal)
}
