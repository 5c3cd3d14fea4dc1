//! What comes with the binary out of `plugin/`.

use engine_agents::claude::install::Skill;

/// Installed by `engine init --with skills`.
pub(crate) const SKILLS: &[Skill] = &[
    Skill { name: "handoff", text: include_str!("../../../plugin/skills/handoff/SKILL.md") },
    Skill { name: "commit", text: include_str!("../../../plugin/skills/commit/SKILL.md") },
    Skill { name: "engine-context", text: include_str!("../../../plugin/skills/engine-context/SKILL.md") },
];
