//! `engine help TOPIC`.

use clap::{Args, ValueEnum};
use engine_app::error::Outcome;
use engine_app::here::project;
use engine_core::config::Config;
use engine_core::shortcut::{COMMANDS, OWN_COMMANDS, OWN_DIRECTIVES, PREFIXES};
use engine_store::config_file;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

/// Explain a topic
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine help shortcuts\n  engine help chains")]
pub(crate) struct HelpArgs {
    pub(crate) topic: Topic,
}

/// What `engine help` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// What a prompt of one or two letters stands for
    Shortcuts,
    /// How a chain of skills is written
    Chains,
}

pub(super) fn run(args: &HelpArgs, ui: &Ui) -> Outcome {
    match args.topic {
        Topic::Shortcuts => shortcuts(ui),
        Topic::Chains => chains(ui),
    }
}

/// The grammar, as the reference page has it.
fn chains(ui: &Ui) -> Outcome {
    let page = include_str!("../../../../docs/chains.md");
    if ui.is_json() {
        ui.object(&json!({"version": 1, "text": page}));
    } else {
        ui.text(page);
    }
    Ok(())
}

/// The table in force here, the person's own included.
fn shortcuts(ui: &Ui) -> Outcome {
    // Outside of a project there are only the built-in ones.
    let config = project().map_or_else(|_| Config::default(), |project| config_file::load_fresh(&project));
    let mut commands: Vec<[String; 3]> =
        COMMANDS.iter().map(|known| [known.key, known.expansion, known.about].map(str::to_owned)).collect();
    for (key, expansion) in config.all_own(OWN_COMMANDS) {
        commands.push([key.to_owned(), "yours".to_owned(), expansion.to_owned()]);
    }
    let mut directives: Vec<[String; 3]> = Vec::new();
    for known in PREFIXES {
        let keys = known.keys.iter().map(|key| format!("{key}: …")).collect::<Vec<_>>().join(" or ");
        directives.push([keys, known.name.to_owned(), known.about.to_owned()]);
    }
    for (key, expansion) in config.all_own(OWN_DIRECTIVES) {
        directives.push([format!("{key}: …"), "yours".to_owned(), expansion.to_owned()]);
    }
    if ui.is_json() {
        let rows = |rows: &[[String; 3]]| -> Vec<_> {
            rows.iter()
                .map(|[key, expansion, about]| json!({"key": key, "expansion": expansion, "about": about}))
                .collect()
        };
        ui.object(&json!({"version": 1, "commands": rows(&commands), "directives": rows(&directives)}));
        return Ok(());
    }
    let rows = |rows: &[[String; 3]]| -> Vec<Vec<String>> { rows.iter().map(|row| row.to_vec()).collect() };
    ui.line(toned(Tone::Strong, "The whole message"));
    ui.text(&aligned(&rows(&commands), "  "));
    ui.line(toned(Tone::Strong, "The beginning of the message"));
    ui.text(&aligned(&rows(&directives), "  "));
    ui.line(toned(Tone::Quiet, "Your own: engine config set shortcuts.commands.KEY \"what it stands for\""));
    Ok(())
}
