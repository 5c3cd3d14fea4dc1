//! The guardrails of a plan, by the names that the router writes.

use serde::{Deserialize, Serialize};

/// What rules enforce while the plan is open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "seven flags, by the names that the router writes")]
pub struct Guardrails {
    pub plan_mode: bool,
    pub verify_before_complete: bool,
    pub answer_only: bool,
    pub require_acceptance_test: bool,
    pub quote_errors_exactly: bool,
    pub fix_within_design: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_skill: Option<String>,
}

impl Guardrails {
    /// Those that are on, as a reader writes them.
    pub fn shown(&self) -> Vec<String> {
        let flags = [
            ("plan_mode", self.plan_mode),
            ("verify_before_complete", self.verify_before_complete),
            ("answer_only", self.answer_only),
            ("require_acceptance_test", self.require_acceptance_test),
            ("quote_errors_exactly", self.quote_errors_exactly),
            ("fix_within_design", self.fix_within_design),
        ];
        let skill = self.require_skill.iter().map(|skill| format!("require_skill: {skill}"));
        flags.iter().filter(|(_, on)| *on).map(|(name, _)| (*name).to_owned()).chain(skill).collect()
    }
}
