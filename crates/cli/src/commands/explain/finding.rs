//! What one rule says about an event.

use engine_core::verdict::{Decision, Judged};
use serde_json::{Value, json};

use crate::ui::{Tone, Ui, toned};

pub(super) fn show(judged: &Judged, ui: &Ui) {
    let shadow = if judged.mode == engine_rules::Mode::Shadow { " (shadow)" } else { "" };
    let rule = format!("  {}{shadow}:", judged.rule);
    let finding = match &judged.outcome {
        Err(broken) => return ui.line(format!("{rule} {} {}", toned(Tone::Bad, "failed:"), broken.0)),
        Ok(finding) => finding,
    };
    match &finding.decision {
        Some(Decision::Deny(reason)) => ui.line(format!("{rule} {} {reason}", toned(Tone::Bad, "deny:"))),
        Some(Decision::Ask(reason)) => ui.line(format!("{rule} {} {reason}", toned(Tone::Careful, "ask:"))),
        None if finding.is_silent() && finding.changes.is_empty() => ui.line(format!("{rule} silent")),
        None => ui.line(format!("{rule} no decision")),
    }
    if let Some(context) = &finding.context {
        ui.line(format!("    to the model ({} bytes):", context.len()));
        for line in context.lines() {
            ui.line(format!("    | {line}"));
        }
    }
    for line in &finding.lines {
        ui.line(format!("    to the person: {}", line.text));
    }
    for change in &finding.changes {
        ui.line(format!("    would change: {change:?}"));
    }
    if let Some(because) = &finding.because {
        ui.line(format!("    because {because}"));
    }
}

pub(super) fn object(judged: &Judged) -> Value {
    match &judged.outcome {
        Err(broken) => json!({"rule": judged.rule, "mode": judged.mode.as_str(), "error": broken.0}),
        Ok(finding) => {
            let decision = finding.decision.as_ref().map(|decision| match decision {
                Decision::Deny(reason) => json!({"deny": reason}),
                Decision::Ask(reason) => json!({"ask": reason}),
            });
            let lines: Vec<&str> = finding.lines.iter().map(|line| line.text.as_str()).collect();
            json!({"rule": judged.rule, "mode": judged.mode.as_str(), "decision": decision, "context": finding.context,
                "lines": lines, "because": finding.because})
        }
    }
}
