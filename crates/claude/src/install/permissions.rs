//! What the agent may do without a dialog: entries of `permissions.allow` for engine's own commands, for skills, and for the project's checks.
//!
//! A person who opens the client in a new folder is shown these entries and asked whether they trust the folder. So there are few: what an
//! agent is told to run without any skill, and for each skill what its text names.

use std::path::Path;

use super::manifest::{Manifest, Touched};
use super::written::{AGENTS, SKILLS};
use super::{InstallOptions, Plan, Shipped};

/// What shortcuts, chains and refusals tell an agent to run: it reads, or changes tasks, the queue, learnings, notes and directives.
/// Nothing that runs other programs is among them. What changes configuration (`evidence learn --set`) asks the person itself.
pub const PLAIN: &[&str] = &[
    "status",
    "task",
    "handoff",
    "chain",
    "q",
    "learn",
    "remember",
    "note",
    "recall",
    "directives",
    "evidence",
    "why",
    "rules",
    "show",
    "skill list",
    "config show",
    "config get",
    "search",
    "session-search",
    "doc-search",
];

/// What comes with a skill whose text names it.
pub const ON_REQUEST: &[&str] = &[
    "session",
    "log",
    "plan",
    "tag",
    "sigil",
    "glob",
    "discover-directives",
    "skill check",
    "policy",
    "explain",
    "journal",
];

/// What comes with a skill that runs a runbook: all of it, for what one command refuses is done by another. None of them runs a program that
/// the project names. What a person decides (`run`, `skip`, `abandon`) is not among them.
pub const RUNBOOK: &[&str] = &[
    "runbook new",
    "runbook check",
    "runbook prepare",
    "runbook list",
    "runbook start",
    "runbook next",
    "runbook done",
    "runbook fail",
    "runbook escalate",
    "runbook resume",
    "runbook status",
    "plans",
];

/// How the entries of ours begin that may go again.
pub(super) const CHECK_ENTRY: &str = "Bash(engine check -- ";
const COMMAND_ENTRY: &str = "Bash(engine ";
const SKILL_ENTRY: &str = "Skill(";
/// In front of the name of a skill that the plugin brings.
pub(super) const PLUGIN: &str = "engine:";

/// The entries without any skill: engine's own commands, and exactly the checks that the project names.
pub fn permission_entries(checks: &[&str]) -> Vec<String> {
    entries(PLAIN, &[], checks)
}

fn entries(commands: &[&str], skills: &[String], checks: &[&str]) -> Vec<String> {
    let commands = commands.iter().map(|command| format!("{COMMAND_ENTRY}{command}:*)"));
    let skills = skills.iter().map(|skill| format!("{SKILL_ENTRY}{skill})"));
    // An entry with other signs may permit more than this one line: `*` stands for anything.
    let is_plain = |check: &str| {
        check
            .split_whitespace()
            .all(|word| word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+,".contains(c)))
    };
    let checks = checks.iter().filter(|check| is_plain(check)).map(|check| format!("{CHECK_ENTRY}{check})"));
    commands.chain(skills).chain(checks).collect()
}

/// Whether a text tells to run a command of the engine.
fn names(text: &str, command: &str) -> bool {
    let call = format!("engine {command}");
    let mut ends = text.match_indices(&call).map(|(at, call)| &text[at + call.len()..]);
    ends.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}

impl Plan {
    /// The entries that are wanted, and those of ours that are not wanted any more. `installed`: the skills that this plan puts there.
    pub(super) fn permissions(
        &self,
        local_file: &Path,
        installed: &[Shipped],
        options: &InstallOptions<'_>,
    ) -> (Vec<String>, Vec<String>) {
        let present = [&self.project, &self.user].into_iter().flat_map(of_skills);
        let mut texts: Vec<&str> = present.clone().map(|(_, text)| text).collect();
        let agents = if installed.is_empty() { &[] } else { options.agents };
        for shipped in installed.iter().chain(agents) {
            texts.push(shipped.text);
            texts.extend(shipped.files.iter().map(|(_, text)| *text));
        }
        let of_plugin: &[Shipped] = if options.with_plugin { &options.shipment.skills } else { &[] };
        for shipped in of_plugin {
            texts.push(shipped.text);
            texts.extend(shipped.files.iter().map(|(_, text)| *text));
        }
        let is_named = |command: &&&str| texts.iter().any(|text| names(text, command));
        let of_runbook: &[&str] = if is_named(&&"runbook") { RUNBOOK } else { &[] };
        let on_request = ON_REQUEST.iter().filter(is_named).chain(of_runbook);
        let commands: Vec<&str> = PLAIN.iter().chain(on_request).copied().collect();
        let mut skills: Vec<String> = installed.iter().map(|skill| skill.name.to_owned()).collect();
        skills.extend(present.filter_map(|(file, _)| skill_of(file)));
        skills.extend(of_plugin.iter().map(|skill| format!("{PLUGIN}{}", skill.name)));
        let mut seen = std::collections::BTreeSet::new();
        skills.retain(|skill| seen.insert(skill.clone()));
        let wanted = entries(&commands, &skills, options.checks);
        let ours = self.project.files.get(local_file).map(|file| file.permissions.as_slice());
        let is_of_us =
            |entry: &str| [COMMAND_ENTRY, SKILL_ENTRY].iter().any(|start| entry.starts_with(start));
        let is_stale = |entry: &&String| is_of_us(entry) && !wanted.contains(entry);
        let stale = ours.unwrap_or_default().iter().filter(is_stale).cloned().collect();
        (wanted, stale)
    }
}

/// The files of skills and agents that are ours, as far as they are still there.
fn of_skills(manifest: &Manifest) -> impl Iterator<Item = (&Path, &str)> + Clone {
    let is_it = |(file, _): &(&std::path::PathBuf, &Touched)| {
        file.components().any(|part| [SKILLS, AGENTS].iter().any(|folder| part.as_os_str() == *folder))
    };
    manifest
        .files
        .iter()
        .filter(is_it)
        .filter(|(file, _)| file.exists())
        .map(|(file, touched)| (file.as_path(), touched.after.as_str()))
}

fn skill_of(file: &Path) -> Option<String> {
    let name = file.parent()?.file_name()?.to_string_lossy().into_owned();
    file.ends_with("SKILL.md").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_command_only_whole() {
        for (text, command, expected) in [
            ("run `engine plan new`", "plan", true),
            ("run engine plan.", "plan", true),
            ("`engine planning`", "plan", false),
            ("`engine plan-b`", "plan", false),
            ("the engine plans", "plan", false),
            ("engine skill check x", "skill check", true),
            ("engine skill list", "skill check", false),
            ("engine planx, engine plan", "plan", true),
        ] {
            assert_eq!(names(text, command), expected, "{text}");
        }
    }

    #[test]
    fn a_check_with_other_signs_gets_no_entry() {
        let entries = permission_entries(&["cargo test", "cargo *", "make 'x y'", "./run.sh a=b"]);
        let checks: Vec<&str> = entries[PLAIN.len()..].iter().map(String::as_str).collect();
        assert_eq!(checks, ["Bash(engine check -- cargo test)", "Bash(engine check -- ./run.sh a=b)"]);
    }
}
