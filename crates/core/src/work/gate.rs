//! What must be in order before work rests or ends.

use super::course::listed;
use super::debrief::Loose;
use super::request::Unanswered;
use super::{PhaseName, WorkState};

/// What is on disk, as far as the gates ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub described: bool,
    /// The debrief that the skill wants, and what is wrong with it.
    pub debrief: Option<(String, String)>,
    /// Checklists that have not passed as they are now.
    pub open_checklists: Vec<String>,
    /// Proof that the current phase and those that were not passed ask for and do not get, by phase.
    pub unproved: Vec<(String, Vec<String>)>,
    /// Proof of passed phases that holds no more, by phase.
    pub lapsed: Vec<(String, Vec<String>)>,
    /// How the skill differs from what it was when the run began.
    pub changed_skill: Option<String>,
    /// Checks that failed and have not passed since.
    pub red: Vec<String>,
    /// Tags in the text that nobody has decided, by file.
    pub bare_tags: Vec<(String, Loose)>,
    /// What request files lack of an answer.
    pub unanswered: Vec<Unanswered>,
}

/// One gate that is closed, and the command that opens it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    pub rule: &'static str,
    pub text: String,
    pub fix: String,
}

impl Closed {
    /// Whether it may be right to leave it closed, which a person decides.
    pub fn is_for_a_person(&self) -> bool {
        matches!(self.rule, PHASE | SKILL)
    }

    /// Whether it is the proof of this phase.
    pub fn is_about(&self, phase: &PhaseName) -> bool {
        self.rule == PROOF && self.text.starts_with(&format!("{phase}: "))
    }
}

const PROOF: &str = "proof";
/// The gate of the phases that were not passed.
const PHASE: &str = "phase";
/// The gate of a skill that is not what it was.
const SKILL: &str = "skill";

/// Every closed gate.
pub fn closed(state: &WorkState, facts: &Facts, path: &str, verb: &str) -> Vec<Closed> {
    let mut found = Vec::new();
    if !facts.described {
        found.push(Closed {
            rule: "description",
            text: "no description of what was done".to_owned(),
            fix: format!("engine session {verb} {path} --description \"…\""),
        });
    }
    found.extend(unpassed(state, path));
    if let Some((file, wrong)) = &facts.debrief {
        found.push(Closed {
            rule: "debrief",
            text: format!("{file} {wrong}"),
            fix: format!("engine log --overwrite {path}/{file}"),
        });
    }
    let of_checklist = |checklist: &String| Closed {
        rule: "checklist",
        text: format!("{checklist} has not passed"),
        fix: format!("engine session check {path}"),
    };
    found.extend(facts.open_checklists.iter().map(of_checklist));
    for (phase, unproved) in &facts.unproved {
        found.push(Closed {
            rule: PROOF,
            text: format!("{phase}: {}", unproved.join("; ")),
            fix: format!("engine session {verb} {path} --proof NAME=VALUE"),
        });
    }
    for (phase, why) in &facts.lapsed {
        found.push(Closed {
            rule: "evidence",
            text: format!("{phase}: {}", why.join("; ")),
            fix: "engine evidence lists what ran".to_owned(),
        });
    }
    if let Some(text) = &facts.changed_skill {
        let fix = "put the skill back as it was".to_owned();
        found.push(Closed { rule: SKILL, text: text.clone(), fix });
    }
    for red in &facts.red {
        found.push(Closed {
            rule: "red",
            text: format!("{red} failed, and no run of it has passed since"),
            fix: "engine evidence lists what ran".to_owned(),
        });
    }
    found.extend(facts.bare_tags.iter().map(|(file, loose)| undecided(path, file, loose)));
    let requests = facts.unanswered.iter().map(|lack| (lack.text(path), lack.fix(path)));
    found.extend(requests.map(|(text, fix)| Closed { rule: "requests", text, fix }));
    found
}

/// Declared phases that were not passed: of the current run, and of those that were left in the middle for another skill.
fn unpassed(state: &WorkState, path: &str) -> Vec<Closed> {
    let mut found = Vec::new();
    for run in state.left_open().into_iter().chain(state.run()) {
        let phases = run.unpassed();
        let Some(first) = phases.first() else { continue };
        let is_current = state.run().is_some_and(|current| std::ptr::eq(current, run));
        let were = if phases.len() == 1 { "was" } else { "were" };
        let (skill, fix) = if is_current {
            (String::new(), format!("engine session phase {path} \"{first}\""))
        } else {
            (format!("{}: ", run.skill), format!("engine session activate {path} {} --fast-track", run.skill))
        };
        found.push(Closed {
            rule: PHASE,
            text: format!("{skill}{} {were} not passed", listed(&phases)),
            fix,
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
