//! Which entries of `permissions.allow` are ours where no manifest tells: the same words may be a person's.

use super::CHECK_ENTRY;
use super::permissions::PLUGIN;
use crate::json_edit::EditError;
use crate::settings;

/// Every command that some version of engine has permitted. What is permitted now is in [`super::PLAIN`], [`super::ON_REQUEST`] and
/// [`super::RUNBOOK`].
const PERMITTED: &[&str] = &[
    "chain",
    "config get",
    "config show",
    "directives",
    "discover-directives",
    "doc-search",
    "evidence",
    "explain",
    "glob",
    "handoff",
    "journal",
    "learn",
    "log",
    "note",
    "plan",
    "plans",
    "policy",
    "q",
    "recall",
    "remember",
    "rules",
    "runbook check",
    "runbook done",
    "runbook escalate",
    "runbook fail",
    "runbook list",
    "runbook new",
    "runbook next",
    "runbook prepare",
    "runbook resume",
    "runbook start",
    "runbook status",
    "search",
    "session",
    "session-search",
    "show",
    "sigil",
    "skill check",
    "skill list",
    "status",
    "tag",
    "task",
    "why",
];

/// A person who permits commands of engine names one or two; init names all at once.
const AT_ONCE: usize = 5;

/// What the settings permit that is ours: engine's commands and checks, and these skills. Nothing where they are too few to come from init.
pub(super) fn ours(text: &str, skills: &[String]) -> Result<Vec<String>, EditError> {
    let is_command = |entry: &&String| {
        let command = entry.strip_prefix("Bash(engine ").and_then(|rest| rest.strip_suffix(":*)"));
        command.is_some_and(|command| PERMITTED.contains(&command))
    };
    let is_skill = |entry: &String| {
        let skill = entry.strip_prefix("Skill(").and_then(|rest| rest.strip_suffix(')'));
        skill.is_some_and(|skill| skill.starts_with(PLUGIN) || skills.iter().any(|ours| ours == skill))
    };
    let mut all = settings::allowed(text)?;
    if all.iter().filter(is_command).count() < AT_ONCE {
        return Ok(Vec::new());
    }
    all.retain(|entry| is_command(&entry) || is_skill(entry) || entry.starts_with(CHECK_ENTRY));
    Ok(all)
}

/// Those that name engine.
pub(super) fn about_engine(text: &str) -> Vec<String> {
    let mut all = settings::allowed(text).unwrap_or_default();
    all.retain(|entry| entry.starts_with("Bash(engine ") || entry == "Bash(engine)");
    all
}

#[cfg(test)]
mod tests {
    use super::super::{ON_REQUEST, PLAIN, RUNBOOK};
    use super::*;

    #[test]
    fn all_that_is_permitted_now_is_known_later() {
        let all = PLAIN.iter().chain(ON_REQUEST).chain(RUNBOOK);
        let unknown: Vec<_> = all.filter(|command| !PERMITTED.contains(command)).collect();
        assert!(unknown.is_empty(), "add them to PERMITTED: {unknown:?}");
    }

    #[test]
    fn a_few_entries_are_the_persons() {
        let text = |entries: &[&str]| serde_json::json!({"permissions": {"allow": entries}}).to_string();
        let few = ["Bash(engine why:*)", "Bash(engine task:*)", "Skill(do)"];
        assert!(ours(&text(&few), &["do".to_owned()]).unwrap().is_empty());
        let many = [
            "Bash(engine why:*)",
            "Bash(ls:*)",
            "Bash(engine task:*)",
            "Bash(engine status:*)",
            "Bash(engine init:*)",
            "Bash(engine q:*)",
            "Bash(engine log:*)",
            "Skill(do)",
            "Skill(mine)",
            "Bash(engine check -- cargo test)",
        ];
        let left = ["Bash(ls:*)", "Bash(engine init:*)", "Skill(mine)"];
        let found = ours(&text(&many), &["do".to_owned()]).unwrap();
        assert_eq!(found, many.into_iter().filter(|entry| !left.contains(entry)).collect::<Vec<_>>());
        assert_eq!(about_engine(&text(&left)), ["Bash(engine init:*)"]);
    }
}
