//! A plan as a page to read. Written from the plan after every change, never read back: to edit it changes nothing, and is noticed.

use super::{CriterionVerdict, Kind, Plan, State, Step};
use crate::evidence::proof::{Judge, Proof};
use engine_text::line::{fingerprint, one_line, plain_lines, printable};
use engine_text::redact::redact;

/// What the last line begins with; a sum over everything above it follows.
const SEAL: &str = "<!-- written by engine plan, which does not read it; sum ";
const SEAL_END: &str = " -->";
/// Characters of a command that are shown.
const SHOWN: usize = 200;

/// The page, with its seal. It lies beside the work and may be committed, so no secret is in it.
pub fn page(plan: &Plan) -> String {
    let text = redact(&shown(plan, str::to_owned)).into_owned();
    format!("{text}{SEAL}{}{SEAL_END}\n", fingerprint(&text))
}

/// Whether somebody changed a page after it was written.
pub fn was_edited(page: &str) -> bool {
    let Some((text, seal)) = page.rfind(SEAL).map(|at| page.split_at(at)) else { return true };
    seal.trim_end() != format!("{SEAL}{}{SEAL_END}", fingerprint(text))
}

/// Whether a text is the page of a plan, as it was written or edited since.
pub fn is_page(text: &str) -> bool {
    text.starts_with("# Plan: ") && text.contains(SEAL)
}

/// The plan as text. `when` writes a moment as its reader likes it.
pub fn shown(plan: &Plan, when: fn(&str) -> String) -> String {
    let mut out =
        format!("# Plan: {}\n\n{}, {}. {}\n", plan.name, plan.task_type, plan.workflow, standing(plan, when));
    quote(&mut out, &plan.original_fragment);
    out.push_str("\n## Acceptance criteria\n\n");
    criteria(&mut out, plan, when);
    out.push_str("\n## Steps\n\n");
    for step in &plan.steps {
        out.push_str(&format!("{}\n", step_line(step)));
    }
    let rails = plan.guardrails.shown();
    list(&mut out, "Guardrails", &rails);
    list(&mut out, "Scope", &plan.scope.iter().map(|glob| format!("`{glob}`")).collect::<Vec<_>>());
    list(&mut out, "Skills", &plan.skills_to_invoke);
    list(&mut out, "Warnings", &plan.warnings);
    if !plan.enriched_context.is_empty() {
        out.push_str("\n## Context\n");
        quote(&mut out, &plan.enriched_context);
    }
    let halts = plan.halts.iter().map(|halt| {
        let resumed = halt.resumed.as_ref();
        let resumed = resumed.map(|one| format!("; resumed {}: {}", when(&one.at), one.reason));
        format!("{} {}{}", when(&halt.at), halt.reason, resumed.unwrap_or_default())
    });
    list(&mut out, "Halts", &halts.collect::<Vec<_>>());
    let approvals =
        plan.approvals.iter().map(|one| format!("{} {}: {}", when(&one.at), one.what, one.reason));
    list(&mut out, "Approved by a person", &approvals.collect::<Vec<_>>());
    list(&mut out, "Reviews", &plan.reviews.iter().map(|review| review.shown(when)).collect::<Vec<_>>());
    out.push('\n');
    out
}

/// The criteria with their numbers, proofs and verdicts.
pub(super) fn criteria(out: &mut String, plan: &Plan, when: fn(&str) -> String) {
    for (criterion, number) in plan.criteria.iter().zip(1..) {
        out.push_str(&format!("{number}. {}\n", printable(&criterion.shown())));
        if let Some(verdict) = &criterion.verdict {
            out.push_str(&format!("   - {}\n", told(verdict, when)));
        }
    }
}

fn list(out: &mut String, title: &str, items: &[String]) {
    if !items.is_empty() {
        out.push_str(&format!("\n## {title}\n\n"));
    }
    for item in items {
        out.push_str(&format!("- {}\n", plain_lines(item).join(" ")));
    }
}

pub(super) fn quote(out: &mut String, text: &str) {
    out.push('\n');
    for line in plain_lines(text) {
        out.push_str(format!("> {line}").trim_end());
        out.push('\n');
    }
}

/// Where the plan stands, in one sentence.
fn standing(plan: &Plan, when: fn(&str) -> String) -> String {
    if let Some(closed) = &plan.closed {
        let open =
            closed.approved.as_ref().map_or_else(String::new, |why| format!(", with open ends: {why}"));
        return format!("Closed {}{open}.", when(&closed.at));
    }
    if let Some(halt) = plan.halted() {
        return format!("Halted: {}.", halt.reason);
    }
    match &plan.lock {
        Some(lock) => format!("Locked {}.", when(&lock.at)),
        None => "Not locked yet.".to_owned(),
    }
}

/// `- [x] 3. CHECKPOINT: text (2 attempts)`.
pub fn step_line(step: &Step) -> String {
    let mark = match step.state {
        State::Open => ' ',
        State::Active => '>',
        State::Done => 'x',
        State::Failed => '†',
    };
    let kind = if step.kind == Kind::Check { "CHECKPOINT: " } else { "" };
    let mut notes = Vec::new();
    // What was found says what was to be found.
    notes.extend(step.proof.as_ref().filter(|_| step.evidence.is_empty()).map(Proof::shown));
    if !step.files.is_empty() {
        notes.push(step.files.join(", "));
    }
    if step.attempts > 1 {
        notes.push(format!("{} attempts", step.attempts));
    }
    if !step.evidence.is_empty() {
        notes.push(step.evidence.iter().map(|one| one_line(one, SHOWN)).collect::<Vec<_>>().join("; "));
    }
    notes.extend(step.why.clone());
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    printable(&format!("- [{mark}] {}. {kind}{}{notes}", step.number, step.text))
}

/// A verdict in a few words.
pub fn told(verdict: &CriterionVerdict, when: fn(&str) -> String) -> String {
    let word = match (verdict.met, verdict.judged) {
        (false, _) => "rejected",
        (true, None) => "met",
        (true, Some(Judge::Qa)) => "judged by qa",
        (true, Some(Judge::Person)) => "judged by a person",
    };
    let before = verdict.before.then(|| "passed before the work too".to_owned());
    let found = verdict.found.as_ref().map(|found| one_line(found, SHOWN));
    let parts: Vec<String> = [found, before, verdict.why.clone()].into_iter().flatten().collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join("; ")) };
    format!("{word} {}{parts}", when(&verdict.at))
}
