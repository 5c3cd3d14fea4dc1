//! `engine replay`: what the rules would have said in recorded sessions.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::replay::{Configs, Extent, replay};
use engine_app::since::Since;
use engine_app::transcripts;
use engine_rules::Rule;
use engine_store::project::Project;
use engine_store::{clock, config_file};

use crate::progress::Progress;
use crate::ui::{Tone, Ui, toned};

mod report;

use report::Report;

/// Judge recorded sessions again: what the rules would have done
///
/// Rebuilds the events from the client's transcripts and runs the rules over them in memory. Nothing is written.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine replay --since 30d\n  engine replay transcript.jsonl\n  engine replay --config new.toml --diff"
)]
pub(crate) struct ReplayArgs {
    /// Transcripts, or folders of them; nothing: those that the client keeps of this project
    pub(crate) paths: Vec<PathBuf>,
    /// Only events from then on: 2h, 30d, a day
    #[arg(long)]
    pub(crate) since: Option<Since>,
    /// Judge by this configuration instead of the one in force
    #[arg(long)]
    pub(crate) config: Option<PathBuf>,
    /// Show what differs from the configuration in force
    #[arg(long, requires = "config")]
    pub(crate) diff: bool,
}

pub(super) fn run(args: &ReplayArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let project = project()?;
    let since = args.since.map(|since| since.stamp(clock::now()));
    let configs = configs(args, &project, ui)?;
    let found = transcripts::find(&args.paths, &project, since)?;
    let extent = Extent { found: &found, since, with_journal: args.paths.is_empty() };
    let progress = Progress::new(found.sessions.len());
    let replayed = replay(rules, &project, &configs, extent, &|| progress.step())?;
    drop(progress);
    for problem in &replayed.tally.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    Report { found: &found, replayed: &replayed, diff: args.diff }.show(ui);
    Ok(())
}

fn configs(args: &ReplayArgs, project: &Project, ui: &Ui) -> Result<Configs, CommandError> {
    let Some(file) = &args.config else {
        return Ok(Configs { asked: config_file::load_fresh(project), other: None });
    };
    if !file.is_file() {
        return Err(CommandError::refused(format!("{}: there is no such file", file.display())));
    }
    let asked = config_file::load_with(file);
    for problem in asked.problems() {
        let place = format!("{}:{}", file.display(), problem.line);
        ui.talk(format!("{} {place}: {}", toned(Tone::Careful, "ignored:"), problem.text));
    }
    let other = args.diff.then(|| config_file::load_fresh(project));
    Ok(Configs { asked, other })
}
