//! `engine coverage`: whether every tool call of the recorded sessions passed the hook.

use std::path::PathBuf;

use clap::Args;
use engine_app::coverage::measure;
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::since::Since;
use engine_app::transcripts;
use engine_store::clock;

use crate::progress::Progress;
use crate::ui::{Tone, Ui, toned};

mod gaps;
mod report;

use report::Report;

/// Check that every tool call of the recorded sessions passed the hook
///
/// Matches the tool calls in the transcripts with the journal. A call that another hook changed after it was judged did not pass. Exits 1
/// below --min.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine coverage\n  engine coverage --since 7d --min 100")]
pub(crate) struct CoverageArgs {
    /// Transcripts, or folders of them; nothing: those that the client keeps of this project
    pub(crate) paths: Vec<PathBuf>,
    /// Only tool calls from then on: 2h, 30d, a day
    #[arg(long)]
    pub(crate) since: Option<Since>,
    /// Fail below this percentage
    #[arg(long, default_value_t = 0)]
    pub(crate) min: u8,
}

pub(super) fn run(args: &CoverageArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let since = args.since.map(|since| since.stamp(clock::now()));
    let found = transcripts::find(&args.paths, &project, since)?;
    let progress = Progress::new(found.sessions.len());
    let measured = measure(&found, &project, since, &|| progress.step())?;
    drop(progress);
    let report = Report { measured: &measured, found: &found, min: args.min };
    for problem in &measured.coverage.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    if ui.is_json() {
        ui.object(&report.json());
    } else {
        ui.text(&report.text());
    }
    if measured.coverage.reaches(args.min) { Ok(()) } else { Err(CommandError::already_told()) }
}
