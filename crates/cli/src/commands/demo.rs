//! `engine demo`: a session played through the real hook, without agent, key or network.
//!
//! Makes a throw-away project with an empty home, installs into it with the real `engine init`, and starts
//! `engine hook` once per event, the way the client does. What is printed is what those processes answered.

use engine_app::error::{CommandError, Outcome};
use engine_core::config::Layer;
use engine_store::{config_file, trust};
use serde_json::Value;

use crate::ui::{Tone, Ui, toned};

mod script;
mod stage;

use script::script;
use stage::Stage;

pub(super) fn run(ui: &Ui) -> Outcome {
    let folder = tempfile::tempdir()?;
    let stage = Stage::new(folder.path())?;
    ui.line(toned(Tone::Strong, "A throw-away project, set up by: engine init --with skills"));
    for line in stage.engine(&["init", "--with", "skills"])?.lines() {
        ui.line(format!("    {line}"));
    }
    stage
        .write(".engine/context/AXIOMS.md", "Tests run before a commit.\nNo secrets in the repository.\n")?;
    stage.write(".engine/context/CORE.md", "We build a parser in Rust. Ask before adding a dependency.\n")?;
    stage.write(
        "session.md",
        "# Session\n\n## Pending Tasks\n\n- [ ] **Fix the lexer** — `/fix lexer` | sonnet\n",
    )?;
    // By hand: whoever plays the demo, the project is nobody's.
    let config = stage.project.join(".engine/config.toml");
    let text =
        config_file::set(&config, "reminder.text", "Decisions of this turn belong in notes/decisions.md.")
            .map_err(CommandError::from_error)?;
    trust::accept_entry(&stage.opened(), Layer::Project, "reminder.text", text)?;
    ui.line("");
    ui.line(toned(Tone::Strong, "A session, event by event"));
    let mut times = Vec::new();
    for (story, event) in script(&stage.project) {
        let (answer, time) = stage.hook(&event)?;
        times.push(time);
        ui.line(format!("{:>6.1} ms  {story}", time.as_secs_f64() * 1000.0));
        for line in told(&answer) {
            ui.line(format!("           {line}"));
        }
    }
    ui.line("");
    ui.line(toned(Tone::Strong, "Why was the first change refused? engine why tells it from the journal"));
    let denied = stage.engine(&["journal", "--denied", "--json"])?;
    let first: Value = serde_json::from_str(denied.lines().next().unwrap_or("{}")).unwrap_or_default();
    for line in stage.engine(&["why", first["id"].as_str().unwrap_or_default()])?.lines() {
        ui.line(format!("    {line}"));
    }
    ui.line("");
    ui.line(toned(Tone::Strong, "Where the project stands: engine"));
    for line in stage.engine(&[])?.lines() {
        ui.line(format!("    {line}"));
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    ui.line("");
    ui.line(format!(
        "{} events, {:.1} ms each (median, process start included). The project is gone again.",
        times.len(),
        median.as_secs_f64() * 1000.0
    ));
    ui.line("In your own: engine init");
    Ok(())
}

/// What the answer says, to whom.
fn told(answer: &str) -> Vec<String> {
    if answer.trim().is_empty() {
        return vec![toned(Tone::Quiet, "no opinion: nothing printed")];
    }
    let Ok(answer) = serde_json::from_str::<Value>(answer) else { return vec![answer.to_owned()] };
    let output = &answer["hookSpecificOutput"];
    let mut lines = Vec::new();
    let mut say = |tone, word: &str, text: &Value| {
        for (n, line) in text.as_str().unwrap_or_default().lines().enumerate() {
            let word = if n == 0 { toned(tone, word) } else { " ".repeat(word.len()) };
            lines.push(format!("{word} {line}"));
        }
    };
    say(Tone::Bad, "denied:", &output["permissionDecisionReason"]);
    say(Tone::Bad, "blocked:", &answer["reason"]);
    say(Tone::Good, "to the model:", &output["additionalContext"]);
    say(Tone::Careful, "to the person:", &answer["systemMessage"]);
    lines
}
