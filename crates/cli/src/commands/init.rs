//! `engine init`.

use clap::{Args, ValueEnum};
use engine_app::error::Outcome;
use engine_app::evidence::learn;
use engine_app::here;
use engine_app::install::{self, Init};
use engine_claude::install::Scope;
use engine_rules::Rule;
use serde_json::json;

use crate::ui::Ui;

mod changes;
mod question;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    /// .claude/settings.json, committed: for the whole team
    Project,
    /// .claude/settings.local.json: for you, in this project
    Local,
    /// ~/.claude/settings.json: for you, in every project with an .engine/
    User,
}

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
}

/// Put engine into this project
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine init\n  engine init --dry-run\n  engine init --scope local --with skills\n  engine init --with skills=all,fragment"
)]
pub(crate) struct InitArgs {
    /// Which settings file gets the hook entries
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: ScopeWord,
    /// What else to install
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<Extra>,
    /// Add no permission entries for engine's own everyday commands
    #[arg(long)]
    pub(crate) no_permissions: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Edit a settings file also if the client ignores it (comments, trailing commas)
    #[arg(long)]
    pub(crate) force: bool,
}

pub(super) fn run(args: &InitArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let root = install::root()?;
    let with: Vec<install::Extra> = args.with.iter().map(|extra| part(*extra)).collect();
    let wanted = Init {
        scope: scope(args.scope),
        with: &with,
        permissions: !args.no_permissions,
        force: args.force,
        dry_run: args.dry_run,
    };
    let installed = install::init(&root, rules, &here::program()?, &wanted)?;
    let checks = learn::uncounted(&root);
    if ui.is_json() {
        let (events, files) = changes::objects(&installed);
        ui.object(
            &json!({"version": 1, "project": root, "scope": wanted.scope.as_str(), "dryRun": args.dry_run,
            "events": events, "files": files, "notes": installed.notes, "checksFound": checks, "trusted": installed.trusted}),
        );
        return Ok(());
    }
    changes::tell(&root, &installed, args.dry_run, ui);
    if !checks.is_empty() {
        ui.line(format!("checks found: {}; count them: engine evidence learn --set", checks.join(", ")));
    }
    if installed.trusted { Ok(()) } else { question::ask(&here::project()?, ui) }
}

fn part(extra: Extra) -> install::Extra {
    match extra {
        Extra::Skills => install::Extra::Skills,
        Extra::AllSkills => install::Extra::AllSkills,
        Extra::Fragment => install::Extra::Fragment,
        Extra::Statusline => install::Extra::Statusline,
    }
}

fn scope(word: ScopeWord) -> Scope {
    match word {
        ScopeWord::Project => Scope::Project,
        ScopeWord::Local => Scope::Local,
        ScopeWord::User => Scope::User,
    }
}
