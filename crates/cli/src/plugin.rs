//! What comes with the binary out of `plugin/`.

use engine_agents::claude::install::Skill;

pub(crate) const SKILLS: &[Skill] =
    &[Skill { name: "engine-context", text: include_str!("../../../plugin/skills/engine-context/SKILL.md") }];
