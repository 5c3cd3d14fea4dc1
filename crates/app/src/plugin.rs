//! What comes with the binary out of `plugin/`.

use engine_claude::install::Shipped;

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
    "design", "plan-adhoc", "plan-tdd", "orchestrate", "do", "handoff", "commit", "q", "pull", "engine-context",
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

/// The subagents that these skills call.
pub const AGENTS: &[Shipped] = shipped!("agents", ".md":
    "quiet-task", "tdd-task", "vet-agent", "design-vet-agent", "refactor", "intent-router", "planner", "critic", "qa", "prompt-writer",
);
