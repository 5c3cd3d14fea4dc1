//! What `engine init --with` takes.

use clap::ValueEnum;
use engine_app::install;

/// Parts that are installed on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Extra {
    /// The skills that come with engine
    Skills,
    /// These, and those that work in sessions: implement, fix, analyze, test, brainstorm, work-session
    #[value(name = "skills=all")]
    AllSkills,
    /// The vocabulary of the shortcuts, imported into CLAUDE.md by one line
    Fragment,
    /// The status line, if you have none
    Statusline,
    /// Git merges session.md by its tasks: a line in .gitattributes, and the driver in git's configuration of this clone
    Merge,
}

impl Extra {
    /// What the use case calls it.
    pub(super) fn part(self) -> install::Extra {
        match self {
            Self::Skills => install::Extra::Skills,
            Self::AllSkills => install::Extra::AllSkills,
            Self::Fragment => install::Extra::Fragment,
            Self::Statusline => install::Extra::Statusline,
            Self::Merge => install::Extra::Merge,
        }
    }
}
