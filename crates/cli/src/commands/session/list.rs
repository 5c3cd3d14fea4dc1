//! `engine session list` and `engine find-sessions`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::list::{Filter, Period, list};
use engine_app::since::Since;
use engine_app::unfinished::is_orphaned;
use engine_core::file_link::Protocol;
use engine_core::versioned::Unusable;
use engine_core::work::{Lifecycle, WorkState};
use engine_store::work_file::WorkFile;
use engine_store::{clock, config_file};
use serde_json::{Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, linked, toned};

#[derive(Debug, Args)]
pub(crate) struct SessionListArgs {
    /// Those of today
    #[arg(long)]
    pub(crate) today: bool,
    /// Those of yesterday
    #[arg(long)]
    pub(crate) yesterday: bool,
    /// From when on: 3d, 1w, a day
    #[arg(long)]
    pub(crate) since: Option<Since>,
    /// Of these days: 2026-02-01..2026-02-07
    #[arg(long, value_name = "DAY..DAY")]
    pub(crate) range: Option<String>,
    /// With this in the topic, the keywords or the description
    #[arg(long)]
    pub(crate) topic: Option<String>,
    /// With this tag in one of its files
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only those that an agent session works on
    #[arg(long)]
    pub(crate) active: bool,
}

impl SessionListArgs {
    fn filter(&self) -> Filter<'_> {
        let period = match (self.today, self.yesterday, self.since) {
            (true, _, _) => Some(Period::Today),
            (_, true, _) => Some(Period::Yesterday),
            (_, _, Some(since)) => Some(Period::Since(since)),
            _ => self.range.as_deref().map(Period::Range),
        };
        Filter { period, topic: self.topic.as_deref(), tag: self.tag.as_deref(), active: self.active }
    }
}

pub(super) fn run(args: &SessionListArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let rows = list(&context.project, &args.filter(), clock::now())?;
    if ui.is_json() {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(work, state)| {
                let run = state.as_ref().and_then(WorkState::run);
                json!({"path": work.shown(), "lifecycle": state.as_ref().map(|state| state.lifecycle),
                    "orphaned": state.as_ref().is_some_and(|state| is_orphaned(&context.project, state)), "unusable": unusable(work),
                    "skill": run.map(|run| &run.skill), "phase": run.and_then(|run| run.current_phase.as_ref()),
                    "description": state.as_ref().and_then(|state| state.description.as_ref()), "keywords": state.as_ref().map(|state| &state.keywords)})
            })
            .collect();
        ui.object(&json!({"version": 1, "sessions": rows}));
        return Ok(());
    }
    if rows.is_empty() {
        ui.line("no work sessions");
        return Ok(());
    }
    let links = Protocol::of(&config_file::load(&context.project));
    let link = |work: &WorkFile| linked(&work.shown(), work.folder(), links);
    let rows = rows.iter().map(|(work, state)| row(link(work), work, state.as_ref(), context));
    ui.text(&aligned(&rows.collect::<Vec<_>>(), ""));
    Ok(())
}

/// Why the state of a work session cannot be used, in a word.
fn unusable(work: &WorkFile) -> Option<&'static str> {
    work.unusable().map(|why| match why {
        Unusable::Newer { .. } => "newer",
        Unusable::Damaged(_) => "damaged",
    })
}

fn row(link: String, work: &WorkFile, state: Option<&WorkState>, context: &CommandContext) -> Vec<String> {
    let Some(state) = state else {
        let none =
            unusable(work).map_or_else(|| toned(Tone::Quiet, "empty"), |why| toned(Tone::Careful, why));
        return vec![link, none];
    };
    let lifecycle = state.lifecycle.as_str();
    let lifecycle = match state.lifecycle {
        Lifecycle::Active if is_orphaned(&context.project, state) => {
            toned(Tone::Careful, &format!("{lifecycle}, its agent session has ended"))
        }
        Lifecycle::Active => toned(Tone::Good, lifecycle),
        _ => toned(Tone::Quiet, lifecycle),
    };
    let run = state.run();
    let skill = run.map(|run| run.skill.clone()).unwrap_or_default();
    let phase = run.and_then(|run| run.current_phase.as_ref()).map(ToString::to_string).unwrap_or_default();
    let description = state.description.clone().unwrap_or_default();
    vec![link, lifecycle, skill, phase, engine_text::line::one_line(&description, 60)]
}
