//! `engine directives new`.

use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::here;
use engine_core::directive::Type;
use engine_core::directive::edit::made;
use engine_store::approve::Caller;
use engine_store::{directive_file, places};
use serde_json::json;

use super::{AGENTS, Place, given};
use crate::ui::Ui;

#[derive(Debug, Args)]
pub(crate) struct DirectivesNewArgs {
    /// AGENTS, INVARIANTS, ARCHITECTURE, TESTING, PITFALLS, CONTRIBUTING, TEMPLATE or CHECKLIST
    #[arg(value_name = "TYPE", value_parser = super::kind)]
    pub(crate) kind: &'static Type,
    /// The folder; nothing: the project's root
    #[arg(conflicts_with = "user")]
    pub(crate) dir: Option<PathBuf>,
    /// What stands below the title instead of the template; -: stdin
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) text: Option<String>,
    /// For you in every project
    #[arg(long)]
    pub(crate) user: bool,
    /// For an agent: why a person wants --user; counts after they have spoken
    #[arg(long, value_name = "REASON", requires = "user")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &DirectivesNewArgs, ui: &Ui) -> Outcome {
    let kind = args.kind;
    if args.user {
        return for_every_project(args, ui);
    }
    let place = Place::of(here::project()?, args.dir.as_deref())?;
    let file = place.writable(kind)?;
    let text = args.text.as_deref().map(given).transpose()?;
    let shown = place.shown_file(kind);
    make(&file, &shown, &made(kind, &place.name(), text.as_deref()))?;
    let mut missing = place.unmentioned()?;
    if kind.name != AGENTS {
        missing.retain(|other| *other == kind);
    }
    if ui.is_json() {
        let names: Vec<String> = missing.iter().map(|kind| kind.file()).collect();
        ui.object(&json!({"version": 1, "type": kind.name, "file": shown, "unmentioned": names}));
        return Ok(());
    }
    ui.line(format!("made {shown}"));
    place.tell_unmentioned(&missing, ui);
    Ok(())
}

/// The person's own, which no project has a say in; so an agent needs a person's word.
fn for_every_project(args: &DirectivesNewArgs, ui: &Ui) -> Outcome {
    let kind = args.kind;
    let Some(folder) = places::user_directives() else {
        return Err(CommandError::refused("no home folder: HOME is not set"));
    };
    let caller = Caller::from_environment();
    if matches!(caller, Caller::Agent { .. }) {
        let what = format!("engine directives new {} --user", kind.name);
        approval::require(&here::project()?, &caller, &what, args.user_approved.as_deref())?;
    }
    let file = folder.join(kind.file());
    let text = args.text.as_deref().map(given).transpose()?;
    make(&file, &file.display().to_string(), &made(kind, "every project", text.as_deref()))?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "type": kind.name, "file": file}));
    } else {
        ui.line(format!("made {}", file.display()));
    }
    Ok(())
}

fn make(file: &Path, shown: &str, text: &str) -> Outcome {
    directive_file::make(file, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => CommandError::refused(format!("{shown} is there already")),
        _ => CommandError::refused(format!("{shown}: {error}")),
    })
}
