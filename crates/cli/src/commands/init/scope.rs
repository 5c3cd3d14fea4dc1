//! The words of `--scope`.

use clap::ValueEnum;
use engine_claude::install::Scope;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    /// .claude/settings.json, committed: for the whole team, as --team
    Project,
    /// .claude/settings.local.json: for you, in this project; git does not show it, nor .engine/
    Local,
    /// ~/.claude/settings.json: for you, in every project with an .engine/
    User,
}

impl From<ScopeWord> for Scope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::Project => Self::Project,
            ScopeWord::Local => Self::Local,
            ScopeWord::User => Self::User,
        }
    }
}
