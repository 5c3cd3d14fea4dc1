//! What must be in order before work rests or ends.

use super::Run;
use super::debrief::Loose;

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
    /// Checks that failed and have not passed since.
    pub red: Vec<String>,
    /// Tags in the text that nobody has decided, by file.
    pub bare_tags: Vec<(String, Loose)>,
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

/// Every closed gate. In the first phases only the description and checklists of what was changed are asked for: there is
/// nothing else to account for yet.
pub fn closed(run: Option<&Run>, facts: &Facts, path: &str, verb: &str) -> Vec<Closed> {
    let mut found = Vec::new();
    if !facts.described {
        found.push(Closed {
            rule: "description",
            text: "no description of what was done".to_owned(),
            fix: format!("engine session {verb} {path} --description \"…\""),
        });
    }
    let of_checklist = |checklist: &String| Closed {
        rule: "checklist",
        text: format!("{checklist} has not passed"),
        fix: format!("engine session check {path}"),
    };
    if run.is_some_and(Run::has_barely_begun) {
        // They are about changes that were made, if under another skill.
        found.extend(facts.open_checklists.iter().map(of_checklist));
        return found;
    }
    if let Some(file) = &facts.missing_debrief {
        found.push(Closed {
            rule: "debrief",
            text: format!("{file} is not written"),
            fix: format!("engine log --overwrite {path}/{file}"),
        });
    }
    found.extend(facts.open_checklists.iter().map(of_checklist));
    if !facts.unproved.is_empty() {
        found.push(Closed {
            rule: "proof",
            text: facts.unproved.join("; "),
            fix: format!("engine session {verb} {path} --proof NAME=VALUE"),
        });
    }
    for red in &facts.red {
        found.push(Closed {
            rule: "red",
            text: format!("{red} failed, and no run of it has passed since"),
            fix: "engine evidence lists what ran".to_owned(),
        });
    }
    found.extend(facts.bare_tags.iter().map(|(file, loose)| undecided(path, file, loose)));
    for request in &facts.unanswered {
        found.push(Closed {
            rule: "requests",
            text: format!("{request} has no answer"),
            fix: format!("add a section ## Response to {request}"),
        });
    }
    found
}

/// A tag in the text of the work at `path` that nobody has decided.
pub fn undecided(path: &str, file: &str, Loose { line, text, .. }: &Loose) -> Closed {
    Closed {
        rule: "tags",
        text: format!("{path}/{file}:{line} {text} is undecided"),
        fix: format!(
            "do what a tag asks for and take it out, or make it a mention: engine tag escape {path}/{file} shows how, --write does it"
        ),
    }
}
