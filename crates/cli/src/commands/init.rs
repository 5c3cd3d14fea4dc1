//! `engine init`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::evidence::learn;
use engine_app::here;
use engine_app::install::scope::Wired;
use engine_app::install::{self, Init};
use engine_claude::install::Scope;
use engine_rules::Rule;
use serde_json::json;

use crate::ui::Ui;

mod changes;
mod difference;
mod extra;
mod question;
mod refresh;
mod scope;
pub(super) mod summary;

use extra::Extra;
use scope::ScopeWord;

/// Put engine into this project
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option")]
#[command(
    after_long_help = "Examples:\n  engine init\n  engine init --dry-run\n  engine init --team\n  engine init --scope user --with skills\n  engine init --with skills=all,fragment\n  engine init --refresh --dry-run"
)]
pub(crate) struct InitArgs {
    /// Which settings file gets the hook entries [default: local]
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeWord>,
    /// Commit the hook entries for the whole team, silent where engine is missing; the same as --scope project
    #[arg(long, conflicts_with = "scope")]
    pub(crate) team: bool,
    /// What else to install
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<Extra>,
    /// Add no permission entries for engine's own everyday commands
    #[arg(long)]
    pub(crate) no_permissions: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Make this very folder a project, such as a package of a larger one, which stays as it is
    #[arg(long)]
    pub(crate) here: bool,
    /// Edit a settings file also if the client ignores it (comments, trailing commas)
    #[arg(long)]
    pub(crate) force: bool,
    /// Bring what an earlier version installed to this one; what you changed is shown beside ours and kept
    #[arg(long, conflicts_with_all = ["scope", "team", "with", "no_permissions", "force", "here"])]
    pub(crate) refresh: bool,
    /// Name every file instead of counting those of skills and agents; with --dry-run show every line
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

pub(super) fn run(args: &InitArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    if args.refresh {
        return refresh::run(args, rules, ui);
    }
    let root = install::root(args.here)?;
    let with: Vec<install::Extra> = args.with.iter().map(|extra| extra.part()).collect();
    let wanted = Init {
        scope: if args.team { Some(Scope::Project) } else { args.scope.map(Scope::from) },
        with: &with,
        permissions: !args.no_permissions,
        force: args.force,
        dry_run: args.dry_run,
    };
    let mut installed = install::init(&root, rules, &here::program()?, &wanted)?;
    installed.notes.extend(install::part_of(&root));
    let checks = learn::uncounted(&root);
    if ui.is_json() {
        let (events, files) = changes::objects(&installed);
        ui.object(
            &json!({"version": 1, "project": root, "scope": installed.scope.as_str(), "dryRun": args.dry_run,
            "wired": installed.wired == Wired::Here, "permissions": installed.permitted, "events": events, "files": files, "notes": installed.notes, "checksFound": checks, "trusted": installed.trusted}),
        );
        return Ok(());
    }
    let tell = if args.dry_run { changes::tell_dry_run } else { changes::tell };
    tell(&root, &installed, args.verbose, ui);
    if !checks.is_empty() {
        ui.line(format!("checks found: {}; count them: engine evidence learn --set", checks.join(", ")));
    }
    if !args.dry_run {
        changes::tell_next(&installed, ui);
    }
    if installed.trusted { Ok(()) } else { question::ask(&here::project()?, ui) }
}
