//! The words of `engine sigil`.

use std::path::PathBuf;

use clap::Subcommand;
use engine_core::sigil;

#[derive(Debug, Subcommand)]
pub enum SigilCommand {
    /// List the definitions: where they stand, how many references mean them
    #[command(
        after_long_help = "Examples:\n  engine sigil list\n  engine sigil list --kind INV\n  engine sigil list --json"
    )]
    List {
        /// Only this kind: CMD, INV, FMT, FEED, TAG …
        #[arg(long, value_parser = kind)]
        kind: Option<String>,
    },
    /// Check that every reference has one definition: exit 1 if not
    ///
    /// A reference in a directive sees what its folder and those above it define up to the root (with .engine/context), then what you
    /// define for every project, then the standards. In a skill it sees the skill's folder, then the root, you and the standards; in
    /// any other file that is named, the files beside it, then the same from its folder up. What you define for every project sees
    /// itself and the standards; the standards see themselves.
    ///
    /// Told are references that see no definition, and names that are defined twice in one of these places or within sight of one
    /// reference: the same name in two branches is no trouble. Definitions that nothing refers to are listed, which is no failure; those
    /// of the standards are not.
    #[command(
        after_long_help = "Examples:\n  engine sigil check\n  engine sigil check packages/a/.directives\n  engine sigil check docs .claude/skills/deploy --json"
    )]
    Check {
        /// Only what stands at and below these paths, all Markdown files there; what others define counts all the same
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
    },
    /// Print what a name stands for, and where that stands
    #[command(
        after_long_help = "Examples:\n  engine sigil show CMD_LOG\n  engine sigil show '§INV_LINKS' --json"
    )]
    Show {
        /// With or without its sigil
        #[arg(value_parser = name)]
        name: String,
    },
}

fn kind(word: &str) -> Result<String, String> {
    let kind = sigil::typed(word.trim_end_matches('_'));
    // What goes behind it does not matter.
    if sigil::is_name(&format!("{kind}_X")) {
        Ok(kind)
    } else {
        Err("a kind is capitals and digits: CMD, INV".to_owned())
    }
}

fn name(word: &str) -> Result<String, String> {
    let name = sigil::typed(word);
    if sigil::is_name(&name) {
        Ok(name)
    } else {
        Err("a name is a kind, then words of capitals and digits: CMD_LOG".to_owned())
    }
}
