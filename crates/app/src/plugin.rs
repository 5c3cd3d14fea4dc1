//! What comes with the binary out of `plugin/`.

use engine_claude::install::{Shipment, Shipped};
use engine_core::fragment::execute_rule;
use engine_rules::config;

macro_rules! shipped {
    ($folder:literal, $end:literal: $($name:literal),* $(,)?) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../plugin/", $folder, "/", $name, $end)),
            files: &[],
        }),*]
    };
}

/// A skill with files beside its text.
macro_rules! with_files {
    ($name:literal: $($path:literal),* $(,)?) => {
        Shipped {
            name: $name,
            text: include_str!(concat!("../../../plugin/skills/", $name, "/SKILL.md")),
            files: &[$(($path, include_str!(concat!("../../../plugin/skills/", $name, "/", $path)))),*],
        }
    };
}

/// Installed by `engine init --with skills`.
pub const SKILLS: &[Shipped] = shipped!("skills", "/SKILL.md":
    "design", "plan-adhoc", "plan-tdd", "orchestrate", "do", "handoff", "handoff-haiku", "commit", "q", "pull", "remember", "engine-context",
);

/// Installed besides by `engine init --with skills=all`: those that work in sessions, with phases and proof.
pub const SESSION_SKILLS: &[Shipped] = &[
    with_files!("implement":
        "modes/tests-first.md", "modes/direct.md", "modes/spike.md", "modes/custom.md",
        "templates/log.md", "templates/plan.md", "templates/debrief.md",
        "templates/request.md", "templates/response.md"),
    with_files!("fix":
        "modes/trace.md", "modes/bisect.md", "modes/hotfix.md", "modes/custom.md",
        "templates/log.md", "templates/plan.md", "templates/debrief.md",
        "templates/request.md", "templates/response.md"),
    with_files!("analyze":
        "modes/explore.md", "modes/audit.md", "modes/compare.md", "modes/custom.md",
        "templates/log.md", "templates/debrief.md",
        "templates/request.md", "templates/response.md"),
    with_files!("test":
        "modes/gaps.md", "modes/harden.md", "modes/tidy.md", "modes/custom.md",
        "templates/log.md", "templates/plan.md", "templates/debrief.md"),
    with_files!("brainstorm":
        "modes/widen.md", "modes/challenge.md", "modes/narrow.md", "modes/custom.md",
        "templates/log.md", "templates/debrief.md",
        "templates/request.md", "templates/response.md"),
    with_files!("work-session":),
];

/// Where the client looks for the agents of a project.
pub const AGENT_FOLDER: &str = ".claude/agents";

/// The subagents that these skills call.
pub const AGENTS: &[Shipped] = shipped!("agents", ".md":
    "quiet-task", "tdd-task", "vet-agent", "design-vet-agent", "refactor", "intent-router", "planner", "critic", "qa", "prompt-writer",
);

/// Those that come with the plugin only.
const PLUGIN_SKILLS: &[Shipped] = shipped!("skills", "/SKILL.md": "handoff-haiku");

/// Every version of every file that is installed: `cargo xtask shipped-hashes` adds to it.
const VERSIONS: &str = include_str!("plugin/shipped.txt");

/// Everything that is, or was ever, installed into a project.
pub fn shipment() -> Shipment {
    Shipment {
        skills: [SKILLS, SESSION_SKILLS, PLUGIN_SKILLS].concat(),
        agents: AGENTS.to_vec(),
        fragment: execute_rule(),
        config: config::template(),
        versions: VERSIONS,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use engine_text::line::text_seal;

    use super::*;

    /// Whoever changes a text adds it to the list, or a clone with it cannot be cleaned by a later version.
    #[test]
    fn the_list_of_versions_has_all_that_is_shipped() {
        let shipment = shipment();
        for name in shipment.current() {
            let line = format!("{name} {}", text_seal(shipment.text(&name).unwrap()));
            assert!(VERSIONS.lines().any(|known| known == line), "{name}: run cargo xtask shipped-hashes");
        }
        let mut sorted: Vec<&str> = VERSIONS.lines().collect();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(VERSIONS.lines().collect::<Vec<_>>(), sorted);
    }

    #[test]
    fn every_skill_and_agent_of_the_plugin_is_known() {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin");
        let shipment = shipment();
        let mut folders = vec![plugin.join("skills"), plugin.join("agents")];
        while let Some(folder) = folders.pop() {
            for entry in fs_err::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                    continue;
                }
                let name = entry.path().strip_prefix(&plugin).unwrap().display().to_string();
                let text = fs_err::read_to_string(entry.path()).unwrap();
                assert_eq!(shipment.text(&name), Some(text.as_str()), "{name}");
            }
        }
    }
}
