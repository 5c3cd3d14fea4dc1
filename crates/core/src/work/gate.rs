//! What must be in order before work rests or ends.

use super::Run;

/// What is on disk, as far as the gates ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub described: bool,
    /// The debrief that the skill wants, if it is not there.
    pub missing_debrief: Option<String>,
    /// Checklists that have not passed as they are now.
    pub open_checklists: Vec<String>,
    /// Proof that leaving the last phase asks for and does not get.
    pub unproved: Vec<String>,
    /// `FILE:LINE #needs-x`
    pub bare_tags: Vec<String>,
    /// Request files without an answer.
    pub unanswered: Vec<String>,
}

/// One gate that is closed, and the command that opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    pub rule: &'static str,
    pub text: String,
    pub fix: String,
}

/// Every closed gate. In the first phases only the description is asked for: there is nothing to account for yet.
pub fn closed(run: Option<&Run>, facts: &Facts, path: &str, verb: &str) -> Vec<Closed> {
    let mut found = Vec::new();
    if !facts.described {
        found.push(Closed {
            rule: "description",
            text: "no description of what was done".to_owned(),
            fix: format!("engine session {verb} {path} --description \"…\""),
        });
    }
    if run.is_some_and(Run::has_barely_begun) {
        return found;
    }
    if let Some(file) = &facts.missing_debrief {
        found.push(Closed {
            rule: "debrief",
            text: format!("{file} is not written"),
            fix: format!("engine log --overwrite {path}/{file}"),
        });
    }
    for checklist in &facts.open_checklists {
        found.push(Closed {
            rule: "checklist",
            text: format!("{checklist} has not passed"),
            fix: format!("engine session check {path}"),
        });
    }
    if !facts.unproved.is_empty() {
        found.push(Closed {
            rule: "proof",
            text: facts.unproved.join("; "),
            fix: format!("engine session {verb} {path} --proof NAME=VALUE"),
        });
    }
    for tag in &facts.bare_tags {
        found.push(Closed {
            rule: "tags",
            text: format!("{tag} is undecided"),
            fix: "do it, or put the tag in a code span".to_owned(),
        });
    }
    for request in &facts.unanswered {
        found.push(Closed {
            rule: "requests",
            text: format!("{request} has no answer"),
            fix: format!("add a section ## Response to {request}"),
        });
    }
    found
}
