//! `engine session dehydrate`, `restart` and `clear`: what the next agent session must know.

use engine_app::error::{CommandError, Outcome};
use engine_app::wording::counted;
use engine_claude::skills::Claude;
use engine_core::work::payload::{MOST_FILES, SHAPE};
use engine_core::work::{Overflow, Payload};
use engine_rules::assemble;
use engine_store::live_view::LiveView;
use engine_store::work_file::WorkFile;
use engine_store::{config_file, restart_file};
use serde_json::{Map, Value, json};

use super::{Desk, bound, may_change, now, object_on_stdin};
use crate::args::DehydrateArgs;
use crate::ui::{Tone, Ui, toned};

pub(super) fn dehydrate(args: &DehydrateArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.existing(&args.path)?;
    let object = match from_options(args) {
        object if object.is_empty() => object_on_stdin()?.unwrap_or_default(),
        object => object,
    };
    let (payload, dropped) = Payload::read(&object)
        .map_err(|wrong| CommandError::refused(format!("payload: {}", wrong.join("; "))).hint(SHAPE))?;
    save(&work, payload, desk)?;
    if dropped > 0 {
        let text =
            format!("the first {MOST_FILES} files are kept, {} left out", counted(dropped as u64, "file"));
        ui.talk(format!("{} {text}", toned(Tone::Careful, "cut:")));
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "dropped": dropped}));
    } else {
        ui.line(format!("{}: saved; the next agent session of this work is told once", work.shown()));
    }
    Ok(())
}

fn from_options(args: &DehydrateArgs) -> Map<String, Value> {
    let mut object = Map::new();
    let texts = [
        ("summary", &args.summary),
        ("lastAction", &args.last_action),
        ("handoverInstructions", &args.instructions),
        ("userHistory", &args.user_history),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            object.insert(key.to_owned(), json!(text));
        }
    }
    for (key, list) in [("nextSteps", &args.next), ("requiredFiles", &args.file)] {
        if !list.is_empty() {
            object.insert(key.to_owned(), json!(list));
        }
    }
    object
}

fn save(work: &WorkFile, payload: Payload, desk: &Desk) -> Outcome {
    work.update(|state| {
        may_change(work, state, desk)?;
        state.overflow = Overflow { payload: Some(payload), saved_at: Some(now()) };
        Ok::<(), CommandError>(())
    })?;
    if let Some(file) = desk.agent_file() {
        file.update(|state| {
            if let Some(bound) = state.work.as_mut().filter(|bound| bound.name == work.name) {
                bound.saved = true;
            }
        })?;
    }
    Ok(())
}

/// What is saved already, or what can be put together.
fn ensure_saved(work: &WorkFile, desk: &Desk) -> Outcome {
    if work.peek().is_some_and(|state| state.overflow.payload.is_some()) {
        return Ok(());
    }
    let state = work.peek().unwrap_or_default();
    let bound = state.run().map(|run| bound(&work.name, run)).unwrap_or_default();
    let client = Box::new(Claude::around(desk.project.root()));
    let agent = desk.agent().unwrap_or_default();
    let view = LiveView::new(&desk.project, config_file::load(&desk.project), agent, client);
    save(work, assemble(&view, &bound), desk)
}

fn prompt(work: &WorkFile) -> String {
    format!(
        "Go on with the work session {}: run engine session continue {} first.",
        work.shown(),
        work.shown()
    )
}

pub(super) fn restart(path: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.named_or_bound(path)?;
    ensure_saved(&work, desk)?;
    let prompt = prompt(&work);
    let agent = desk.agent().unwrap_or_default();
    let how = if restart_file::write(&desk.project, agent, &prompt)? {
        "end this session, and engine run starts the client again with"
    } else {
        "start a new client with"
    };
    told(&work, &prompt, how, ui);
    Ok(())
}

pub(super) fn clear(path: Option<&str>, desk: &Desk, ui: &Ui) -> Outcome {
    let work = desk.named_or_bound(path)?;
    ensure_saved(&work, desk)?;
    told(&work, &prompt(&work), "after /clear go on with", ui);
    Ok(())
}

fn told(work: &WorkFile, prompt: &str, how: &str, ui: &Ui) {
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "prompt": prompt}));
    } else {
        ui.line(format!("{}: saved; {how}:", work.shown()));
        ui.line(prompt);
    }
}
