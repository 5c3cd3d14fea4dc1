//! Whether the client starts the engine: where it is wired, how often, for which events, and from which folders.

use std::path::Path;

use engine_claude::entry::Form;
use engine_claude::install::{Scope, settings_file};
use engine_claude::reach::{self, Plugin, Wiring};
use engine_claude::settings::{StatusLine, status_line};
use engine_claude::{EventName, event_names};
use engine_core::config::Config;
use engine_rules::{Rule, wanted_events};
use engine_store::project::Project;
use engine_store::read::read_string;

use super::{Health, Report, probe, shown};

/// Whether a client that is started in this folder of the project would run the hooks.
pub(super) fn folder(project: &Project, folder: Option<&Path>, report: &mut Report) {
    let Some(folder) = folder.filter(|folder| *folder != project.root()) else { return };
    if let Some(text) = reach::unreached(project.root(), folder) {
        report.add(Health::Note, "folder", text);
    }
}

pub(super) fn wiring(project: &Project, rules: &[Rule], config: &Config, report: &mut Report) {
    let (dead, wirings): (Vec<Wiring>, Vec<Wiring>) =
        reach::wirings(project.root()).into_iter().partition(|wiring| wiring.gone().is_some());
    for wiring in &dead {
        let (file, program) = (shown(project, &wiring.path), wiring.gone().unwrap_or_default());
        let text = format!("{file} starts {program}, which does not exist. Run: {}", wiring.mended_by());
        report.add(Health::Broken, "hooks", text);
    }
    status_lines(project, report);
    let wanted: Vec<&str> =
        event_names(wanted_events(rules, config)).into_iter().map(EventName::as_str).collect();
    let plugin = reach::plugin(project.root());
    let answering = reach::answering(&wirings);
    let plugin_answers = plugin.as_ref().filter(|plugin| !plugin.stands_back(&wirings));
    let mut places: Vec<String> = answering.iter().map(|wiring| shown(project, &wiring.path)).collect();
    places.extend(plugin_answers.map(|plugin| format!("the plugin {}", plugin.name)));
    match places.as_slice() {
        [] if !dead.is_empty() => {}
        [] => report.add(Health::Broken, "hooks", "not wired. Run: engine init"),
        [_] => {}
        several => report.add(
            Health::Broken,
            "hooks",
            format!("wired more than once, each runs: {}. Run: {}", several.join(", "), remedy(&answering)),
        ),
    }
    for wiring in &wirings {
        mismatch(wiring.scope, &wiring.events, &wanted, report);
        if !answering.iter().any(|one| one.path == wiring.path)
            && let Some(other) = answering.first()
        {
            let text =
                format!("{} stands back for {}", shown(project, &wiring.path), shown(project, &other.path));
            report.add(Health::Ok, "hooks", text);
        }
    }
    for wiring in answering {
        for (event, command) in wiring.events.iter().zip(&wiring.commands) {
            fire(project, event, command, report);
        }
    }
    if let Some(plugin) = &plugin {
        of_plugin(project, plugin, plugin_answers.is_some(), report);
    }
}

/// Names status lines of ours that start nothing: the client shows none then, and says nothing.
fn status_lines(project: &Project, report: &mut Report) {
    for path in Scope::ALL.into_iter().filter_map(|scope| settings_file(project.root(), scope)) {
        let text = read_string(&path).unwrap_or_default();
        if let Ok(StatusLine::Ours(program)) = status_line(&text)
            && Path::new(&program).is_absolute()
            && !Path::new(&program).exists()
        {
            let file = shown(project, &path);
            let text = format!("{file} starts {program}, which does not exist. Run: engine init --refresh");
            report.add(Health::Broken, "status line", text);
        }
    }
}

fn remedy(answering: &[&Wiring]) -> &'static str {
    let is_earlier = |wiring: &&&Wiring| wiring.scope == Scope::Project && wiring.form == Form::Direct;
    if answering.iter().any(|wiring| is_earlier(&wiring)) {
        "engine init --team, so that the committed entry stands back for yours"
    } else {
        "engine uninstall, then engine init"
    }
}

fn of_plugin(project: &Project, plugin: &Plugin, answers: bool, report: &mut Report) {
    let name = &plugin.name;
    if !answers {
        return report.add(Health::Ok, "hooks", format!("the plugin {name} stands back for the settings"));
    }
    match plugin.program() {
        Some(program) => {
            report.add(Health::Ok, "hooks", format!("wired by the plugin {name}"));
            let command = (program.to_string_lossy().into_owned(), vec!["hook".to_owned()]);
            fire(project, "SessionStart", &command, report);
        }
        None => report.add(
            Health::Broken,
            "hooks",
            format!("the plugin {name} is enabled, and there is no program for it: put engine on PATH"),
        ),
    }
}

fn fire(project: &Project, event: &str, command: &(String, Vec<String>), report: &mut Report) {
    if let Some(why) = probe::withheld(project, command) {
        return report.add(Health::Note, &format!("hook {event}"), why);
    }
    let (health, detail) = match probe::fire(project, event, command) {
        Ok(probe::Fired { ms, journalled: true }) => (Health::Ok, format!("wired, fires, {ms:.1} ms")),
        Ok(probe::Fired { ms, journalled: false }) => {
            (Health::Note, format!("wired, runs in {ms:.1} ms, left no line in the journal"))
        }
        Err(why) => (Health::Broken, why),
    };
    report.add(health, &format!("hook {event}"), detail);
}

fn mismatch(scope: Scope, events: &[String], wanted: &[&str], report: &mut Report) {
    let missing: Vec<&str> =
        wanted.iter().filter(|event| !events.iter().any(|wired| wired == *event)).copied().collect();
    let extra: Vec<&str> =
        events.iter().map(String::as_str).filter(|event| !wanted.contains(event)).collect();
    if !missing.is_empty() {
        report.add(
            Health::Broken,
            "hooks",
            format!(
                "a rule listens to {}, which is not wired. Run: engine init --scope {}",
                missing.join(", "),
                scope.as_str()
            ),
        );
    }
    if !extra.is_empty() {
        report.add(
            Health::Note,
            "hooks",
            format!("no rule listens to {}. Run: engine init --scope {}", extra.join(", "), scope.as_str()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{report, row};

    #[test]
    fn events_that_are_missing_break_and_those_too_many_are_noted() {
        let events = |events: &[&str]| events.iter().map(|&event| event.to_owned()).collect::<Vec<String>>();
        let missing = row(
            Health::Broken,
            "hooks",
            "a rule listens to Stop, which is not wired. Run: engine init --scope local",
        );
        let extra =
            row(Health::Note, "hooks", "no rule listens to PreCompact. Run: engine init --scope local");
        let cases: [(&[&str], Vec<_>); 4] = [
            (&["Stop", "SessionStart"], vec![]),
            (&["SessionStart"], vec![missing.clone()]),
            (&["Stop", "SessionStart", "PreCompact"], vec![extra.clone()]),
            (&["SessionStart", "PreCompact"], vec![missing, extra]),
        ];
        for (wired, expected) in cases {
            assert_eq!(
                report(|report| mismatch(Scope::Local, &events(wired), &["Stop", "SessionStart"], report)),
                expected,
                "{wired:?}"
            );
        }
    }
}
