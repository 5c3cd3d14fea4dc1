//! What comes with the binary out of `plugin/`.

use engine_agents::claude::install::Shipped;

macro_rules! shipped {
    ($folder:literal, $end:literal: $($name:literal),* $(,)?) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../../../plugin/", $folder, "/", $name, $end)) }),*]
    };
}

/// Installed by `engine init --with skills`.
pub(crate) const SKILLS: &[Shipped] = shipped!("skills", "/SKILL.md":
    "design", "plan-adhoc", "plan-tdd", "orchestrate", "handoff", "commit", "engine-context",
);

/// The subagents that these skills call.
pub(crate) const AGENTS: &[Shipped] = shipped!("agents", ".md":
    "quiet-task", "tdd-task", "vet-agent", "design-vet-agent", "refactor",
);
