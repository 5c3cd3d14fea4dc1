//! `engine runbook run`.

use std::ffi::OsString;

use clap::Args;
use engine_app::error::Outcome;
use engine_app::plan::CommandContext;
use engine_app::runbook::run::{self, News, StepEnd};
use serde_json::json;

use super::tell_notes;
use crate::progress::Waiting;
use crate::ui::{Tone, Ui, toned};

/// Run a prepared runbook to its end: each step by a client of its own, without a model that hands them out
///
/// A person's command. It starts the client that `run.agent` names, once for each try at a step, and looks at what the step left just as
/// engine runbook done does. It stops where a person is needed: a halt, a question, a step that is done by hand. Killed or stopped at any
/// moment, the same command goes on; the step that ran is looked at again.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine runbook run greet\n  engine runbook run greet -- --permission-mode acceptEdits\n  engine runbook run greet --json"
)]
pub(crate) struct RunbookRunArgs {
    /// The runbook: NAME or plans/NAME
    pub(crate) name: String,
    /// Arguments for the client of each step; model, turns and session are set by the runbook
    #[arg(last = true)]
    pub(crate) args: Vec<OsString>,
}

pub(super) fn run(args: &RunbookRunArgs, context: &mut CommandContext, ui: &Ui) -> Outcome {
    let mut waiting = None;
    let mut tell = |news: News<'_>| match news {
        News::Note(note) => tell_notes(&[note.to_owned()], ui),
        News::Began(began) => {
            let line = format!("step {} ({}): {}", began.step, began.model, began.text);
            waiting = Waiting::begin(&format!("{line}, {} of {} done", began.done, began.of));
            if waiting.is_none() {
                ui.talk(line);
            }
        }
        News::Ended(end) => {
            waiting = None;
            if ui.is_json() {
                ui.object(&json!({"version": 1, "ended": end}));
            } else {
                ui.line(shown(&end));
            }
        }
    };
    let ran = run::run(context, &args.name, &args.args, &mut tell);
    drop(waiting);
    let closed = ran?;
    tell_notes(&closed.kept.notes, ui);
    let plan = &closed.kept.plan.name;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "plan": plan, "closed": true, "task": closed.task}));
        return Ok(());
    }
    ui.line(format!("plan {plan} is done and closed: every step, every criterion"));
    if let Some(task) = closed.task {
        ui.line(format!("{task}: done"));
    }
    Ok(())
}

fn shown(end: &StepEnd) -> String {
    let StepEnd { step, came, model, seconds, done, of, .. } = end;
    let (tone, what) = match *came {
        "done" => (Tone::Good, "done"),
        "findings" => (Tone::Careful, "done; what it found comes first"),
        "lost" => (Tone::Careful, "cut off, and not done"),
        _ => (Tone::Bad, "not done"),
    };
    let used = end.used.as_ref().unwrap_or(model);
    let tokens = end.tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
    let why =
        end.why.as_ref().filter(|_| *came == "failed").map(|why| format!(": {why}")).unwrap_or_default();
    format!("step {step} {}{why} ({used}, {seconds} s{tokens}; {done} of {of} done)", toned(tone, what))
}
