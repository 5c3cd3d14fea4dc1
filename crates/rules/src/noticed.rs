//! Tells the person, once, what the client runs by itself since something changed its settings: hooks of others, servers, status lines,
//! helpers, plugins; that hooks are switched off; that the engine's own hooks are gone from a file.
//!
//! Nothing is told of what was there at the first look, except what files of a project declare that is not trusted. Where the rule `protect` keeps the client from a change, it tells of that
//! itself.

use std::path::Path;

use crate::{Judge, Mode, Rule, always, looks_at, protect};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind};
use engine_core::runner::{News, Runner, RunnerKind};
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Files, Project, Runners, Settings};
use engine_text::line::{fingerprint, printable};

looks_at!(Files + Project + Runners + Settings);

pub(crate) const RULE: Rule = Rule {
    id: "noticed",
    about: "Names hooks, status lines, servers, helpers and plugins that are new or changed in the client's settings.",
    events: &[EventName::SessionStart, EventName::Prompt, EventName::ConfigChange],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

/// How many of them are named in one line.
const MOST: usize = 10;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let is_start = matches!(event.kind, Kind::SessionStart { .. });
    let Some(look) = view.runners(is_start) else { return Ok(Finding::default()) };
    let held =
        matches!(event.kind, Kind::ConfigChange { .. }) && protect::RULE.mode(view.config()) == Mode::On;
    let is_told = |file: &str| held && view.settings_files().contains(&view.resolve("/", file));
    let (mut new, mut changed, mut finding) = (Vec::new(), Vec::new(), Finding::default());
    // What came with a project that is not trusted, the person did not set up.
    let is_cloned = |file: &str| !view.is_trusted() && Path::new(file).starts_with(view.root());
    for news in look.news(is_cloned) {
        match news {
            News::New(file, runner) if runner.kind == RunnerKind::HooksOff && is_told(file) => {}
            News::New(file, runner) if runner.kind == RunnerKind::NoFile => {
                let place = place(file, view);
                tell(
                    &mut finding,
                    format!(
                        "engine: {place} is a pipe, a device or a folder and is not read, so nothing that stood in it counts"
                    ),
                );
            }
            News::New(file, runner) => new.push(named(file, runner, view)),
            News::Changed(file, runner) => changed.push(named(file, runner, view)),
            News::OwnGone(file, left) if is_told(file) || is_uninstalled(file, left, view) => {}
            News::OwnGone(file, left) => {
                let which = if left == 0 { "engine's own hooks" } else { "some of engine's own hooks" };
                let place = place(file, view);
                tell(
                    &mut finding,
                    format!("engine: {which} are gone from {place}. Set them up again: engine init"),
                );
            }
        }
    }
    let since = match (is_start, &look.before) {
        (_, None) => "to you",
        (true, _) => "since the last session",
        (false, _) => "since the session began",
    };
    for (word, list) in [("new", new), ("changed", changed)] {
        if !list.is_empty() {
            tell(&mut finding, format!("engine: {word} {since}: {}", listed(&list)));
        }
    }
    finding.changes.push(Change::RunnersSeen { seen: Box::new(look.seen()) });
    Ok(finding)
}

/// Two hooks of the engine may see the same at the same time.
fn tell(finding: &mut Finding, text: String) {
    finding.lines.push(UserLine::once(format!("noticed:{}", fingerprint(&text)), text));
}

fn listed(list: &[String]) -> String {
    match list.len().saturating_sub(MOST) {
        0 => list.join("; "),
        more => format!("{}; and {more} more", list[..MOST].join("; ")),
    }
}

fn named(file: &str, runner: &Runner, view: &(impl View + ?Sized)) -> String {
    format!("{} in {}", runner.words(), place(file, view))
}

/// Whether a command of the engine took its hooks out of the file.
fn is_uninstalled(file: &str, left: usize, view: &(impl View + ?Sized)) -> bool {
    view.installed(&view.resolve("/", file)).is_some_and(|installed| installed.entries.len() <= left)
}

/// A file as a person names it: from the project, or from their home.
fn place(file: &str, view: &(impl View + ?Sized)) -> String {
    let path = Path::new(file);
    let home = view.variable("HOME").filter(|home| !home.is_empty());
    let shown = match (path.strip_prefix(view.root()), home) {
        (Ok(below), _) => below.display().to_string(),
        (Err(_), Some(home)) => match path.strip_prefix(&home) {
            Ok(below) => format!("~/{}", below.display()),
            Err(_) => file.to_owned(),
        },
        (Err(_), None) => file.to_owned(),
    };
    printable(&shown)
}
