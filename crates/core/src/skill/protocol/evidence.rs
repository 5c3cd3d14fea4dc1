//! What a field of proof names, and what must be so for it to count.

use serde::{Deserialize, Serialize};

/// How the engine looks a field of proof up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    Command,
    Tests,
    Failed,
    Fixed,
    File,
    Plan,
    Steps,
    Debrief,
    Checklists,
    Mode,
    Commit,
    Push,
}

impl Evidence {
    pub const ALL: [Self; 12] = [
        Self::Command,
        Self::Tests,
        Self::Failed,
        Self::Fixed,
        Self::File,
        Self::Plan,
        Self::Steps,
        Self::Debrief,
        Self::Checklists,
        Self::Mode,
        Self::Commit,
        Self::Push,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Tests => "tests",
            Self::Failed => "failed",
            Self::Fixed => "fixed",
            Self::File => "file",
            Self::Plan => "plan",
            Self::Steps => "steps",
            Self::Debrief => "debrief",
            Self::Checklists => "checklists",
            Self::Mode => "mode",
            Self::Commit => "commit",
            Self::Push => "push",
        }
    }

    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence| evidence.as_str() == word)
    }

    /// All of them, for a message about another word.
    pub fn known() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// What counts, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Command => {
                "a known check, or one of `evidence.checks`, that passed on the content as it is"
            }
            Self::Tests => "the same, and it runs tests, or is one of `evidence.checks`",
            Self::Failed => "a check that failed in this run of the skill; exit 126 and 127 do not count",
            Self::Fixed => "the command that was proved as `failed` before: it passes now",
            Self::File => "a file of the project or the work session that is not empty",
            Self::Plan => "Markdown with boxes; text of its own under each heading of `planTemplate`",
            Self::Steps => "each box of the plan is ticked, or dropped: `- [x] ~~text~~: reason`",
            Self::Debrief => "Markdown with text of its own under each heading of `debriefTemplate`",
            Self::Checklists => "every checklist that is armed has passed: `engine session check`",
            Self::Mode => "one of the skill's `modes`, or `custom`",
            Self::Commit => "it is on the branch that is checked out, and not older than the run",
            Self::Push => "a remote branch has it, as far as git knows without asking the network",
        }
    }

    /// Whether the engine finds it without being given a value; one that is given is not believed.
    pub fn needs_no_value(self) -> bool {
        matches!(self, Self::Fixed | Self::Steps | Self::Checklists)
    }

    /// What a value names.
    pub fn names(self) -> &'static str {
        match self {
            Self::Command | Self::Tests | Self::Failed | Self::Fixed => "command",
            Self::File | Self::Plan | Self::Debrief => "file",
            Self::Steps | Self::Checklists | Self::Mode | Self::Commit | Self::Push => self.as_str(),
        }
    }
}
