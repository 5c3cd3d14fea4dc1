//! `engine` alone: where you stand.

use engine_app::error::Outcome;
use engine_app::here;
use engine_app::journal::today;
use engine_app::unfinished::{OpenWork, work_lines, works};
use engine_app::wording::counted;
use engine_claude::reach;
use engine_store::config_file;
use engine_store::project::Project;
use serde_json::json;

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

pub(super) fn run(ui: &Ui) -> Outcome {
    let cwd = here::folder()?;
    let Some(project) = Project::open(None, &cwd) else {
        if ui.is_json() {
            ui.object(&json!({"version": 1, "project": null}));
            return Ok(());
        }
        ui.line(format!("{} is not a project of engine.", cwd.display()));
        ui.line("Make it one: engine init    See what it does: engine demo    All commands: engine --help");
        return Ok(());
    };
    let today = today(&project)?;
    let wirings = reach::wirings(project.root());
    let plugin = reach::plugin(project.root()).map(|plugin| plugin.name);
    let works = works(&project);
    let config = config_file::load_fresh(&project);
    if ui.is_json() {
        let wired: Vec<_> = wirings
            .iter()
            .map(|wiring| json!({"scope": wiring.scope.as_str(), "events": wiring.events}))
            .collect();
        ui.object(&json!({"version": 1, "project": project.root(), "wired": wired, "plugin": plugin, "today": today, "active": works, "orphaned": works.iter().filter(|work| work.orphaned).collect::<Vec<&OpenWork>>(), "trusted": !config.acceptance().is_untrusted, "held": config.held().map(|one| &one.name).collect::<Vec<_>>()}));
        return Ok(());
    }
    let hooks = match (reach::answering(&wirings).first(), plugin) {
        (Some(wiring), _) => format!(
            "wired for {} events in {} ({} scope)",
            wiring.events.len(),
            wiring.path.display(),
            wiring.scope.as_str()
        ),
        (None, Some(plugin)) => format!("wired by the plugin {plugin}"),
        (None, None) => format!("{}: engine init", toned(Tone::Careful, "not wired")),
    };
    let milliseconds = today.microseconds / 1000;
    let mut rows = vec![
        row("Project", project.root().display().to_string()),
        row("Hooks", hooks),
        row(
            "Today",
            format!("{} in {}", counted(today.events, "event"), counted(today.sessions as u64, "session")),
        ),
        row("", format!("{} denied, {} asked, {}", today.denied, today.asked, counted(today.notes, "note"))),
        row("", format!("{} bytes given to the model, {milliseconds} ms spent", today.bytes)),
    ];
    if today.trouble > 0 {
        rows.push(row(
            "",
            toned(Tone::Careful, &format!("{} with trouble: engine doctor", counted(today.trouble, "event"))),
        ));
    }
    let held = config.held().count() as u64;
    if config.acceptance().is_untrusted {
        rows.push(row("Trust", toned(Tone::Careful, "not trusted: engine trust --show")));
    } else if held > 0 {
        let text = format!("{} held: engine config diff", counted(held, "value"));
        rows.push(row("Config", toned(Tone::Careful, &text)));
    }
    let works = work_lines(&works).into_iter().enumerate();
    rows.extend(works.map(|(index, line)| row(if index == 0 { "Work" } else { "" }, line)));
    ui.text(&aligned(&rows, ""));
    ui.line("");
    super::status::run(ui)
}

fn row(name: &str, text: String) -> Vec<String> {
    vec![name.to_owned(), text]
}
