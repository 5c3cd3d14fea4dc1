//! Tells the model, when its context is empty, what the person and the project want it to know: the person's own files, the files
//! FRAMEWORK, AXIOMS, HEURISTICS and CORE of `.engine/context/`, the standards that it asks for, and the protocol of links. And
//! `PROMPT.md` with every real prompt.
//!
//! Silent when there is nothing of it; files of a project that is not trusted are not told, the person's own are. After a resume or fork
//! the text is still in the context, so it is not said again. It also gives the agent's shell the session's identity.

use std::path::Path;

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::config::{Flag, Names, Number, TextList};
use engine_core::event::{Event, EventName, Kind};
use engine_core::file_link::Protocol;
use engine_core::standard;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Own, Project, Telling, Told, Unread};
use engine_text::line::cut_at_line;

use compose::{ContextFile, compose};

mod compose;
mod variables;

looks_at!(Own + Project + Telling);

pub(crate) const RULE: Rule = Rule {
    id: "inject",
    about: "Gives the model your own context files and those of .engine/context/ when a session starts, and PROMPT.md with each prompt.",
    events: &[EventName::SessionStart, EventName::Prompt],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const FILES: TextList = TextList {
    name: "inject.files",
    default: &["FRAMEWORK.md", "AXIOMS.md", "HEURISTICS.md", "CORE.md"],
    below: CONTEXT,
    about: "Files of .engine/context/ told when a session starts, in this order. Unset: those of the default that exist. Set: a missing one is named.",
};

pub const BUDGET: Number = Number {
    name: "inject.budget",
    default: 8000,
    range: (500, 9500),
    about: "How much of them and of your own is told, in UTF-16 units; the client takes 10,000 from all rules together.",
};

pub const STRICT: Flag = Flag {
    name: "inject.strict",
    default: false,
    about: "Whether a missing file makes the session-start hook exit 1. All files of inject.files are then required.",
};

pub const STANDARDS: Names = Names {
    name: "inject.standards",
    about: "Standards told when a session starts, behind the files and within the same budget: COMMANDS, INVARIANTS, SIGILS. `engine show` prints them.",
    of: "standards: COMMANDS, INVARIANTS, SIGILS",
    fits: |name| standard::find(name).is_some(),
};

const CONTEXT: &str = ".engine/context/";
const SHOW: &str = "engine show ";
const PROMPT_FILE: &str = ".engine/context/PROMPT.md";
/// The file in which variables stand for folders.
const FRAMEWORK: &str = "FRAMEWORK.md";
/// The person's own file of this name is for prompts, and the project's counts there.
const PROMPT_NAME: &str = "PROMPT.md";
/// More of the person's own files are not told.
const MOST_OWN: usize = 50;
const PROMPT_LIMIT: usize = 500;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    Ok(match &event.kind {
        Kind::SessionStart { source, .. } => {
            let mut finding =
                if source.context_is_fresh() { context_files(view) } else { Finding::default() };
            finding.changes.push(Change::Export {
                variables: vec![
                    ("ENGINE_SESSION_ID", event.session.as_ref().to_owned()),
                    ("ENGINE_PROJECT", view.root().to_string_lossy().into_owned()),
                ],
            });
            finding
        }
        Kind::Prompt { .. } => prompt_file(view),
        _ => Finding::default(),
    })
}

fn prompt_file(view: &(impl View + ?Sized)) -> Finding {
    if !view.is_trusted() {
        return Finding::default();
    }
    match read(view, PROMPT_FILE) {
        Ok(Told { text, remark }) if !text.is_empty() => Finding {
            lines: remark.map(|remark| remarked(PROMPT_FILE, remark)).into_iter().collect(),
            ..Finding::note(cut_at_line(&text, PROMPT_LIMIT)).because(format!("{PROMPT_FILE} is there"))
        },
        Err(Unread::Unreadable(why)) => {
            Finding { lines: vec![refused(PROMPT_FILE, &why)], ..Finding::default() }
        }
        _ => Finding::default(),
    }
}

fn context_files(view: &(impl View + ?Sized)) -> Finding {
    let mut finding = Finding::default();
    let mut files = own_files(view, &mut finding);
    files.extend(project_files(view, &mut finding));
    files.extend(standards(view));
    let links = Protocol::of(view.config()).told();
    if files.is_empty() {
        if let Some(links) = links {
            finding.context = Some(links);
            return finding.because("links.protocol is set");
        }
        return finding;
    }
    let budget = usize::try_from(view.config().number(&BUDGET)).unwrap_or(usize::MAX);
    let told = compose(&files, budget);
    if let Some(cut) = &told.cut {
        finding.lines.push(UserLine::once(
            format!("cut:{cut}"),
            format!("engine: not whole for the model: {cut} (inject.budget = {budget})"),
        ));
    }
    finding.context = Some([Some(told.text), links].into_iter().flatten().collect::<Vec<_>>().join("\n\n"));
    finding.because(format!("files loaded: {}", told.files))
}

/// The person's own, those that the project may have too first, in the same order.
fn own_files(view: &(impl View + ?Sized), finding: &mut Finding) -> Vec<ContextFile> {
    let name_of = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut own: Vec<_> = view.own_context().into_iter().map(|path| (name_of(&path), path)).collect();
    own.retain(|(name, _)| name != PROMPT_NAME);
    own.sort_by_key(|(name, _)| {
        let place = FILES.default.iter().position(|known| known == name);
        (place.unwrap_or(FILES.default.len()), name.clone())
    });
    own.truncate(MOST_OWN);
    let mut files = Vec::new();
    for (name, path) in own {
        let shown = path.to_string_lossy().into_owned();
        match told(view, &path) {
            Ok(Told { text, .. }) if text.is_empty() => {}
            Ok(Told { text, .. }) => {
                let text = expanded(&name, text, view);
                files.push(ContextFile {
                    path: shown,
                    title: format!("{name} (of the user, for all projects)"),
                    text,
                });
            }
            Err(Unread::Missing) => {}
            Err(Unread::Unreadable(why)) => finding.lines.push(refused(&shown, &why)),
        }
    }
    files
}

fn project_files(view: &(impl View + ?Sized), finding: &mut Finding) -> Vec<ContextFile> {
    let (mut names, listed) = view.config().list(&FILES);
    if !view.is_trusted() {
        names.clear();
    }
    let strict = view.config().flag(&STRICT);
    let mut files = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        let path = format!("{CONTEXT}{name}");
        match read(view, &path) {
            Ok(told) if told.text.is_empty() => {}
            Ok(Told { text, remark }) => {
                finding.lines.extend(remark.map(|remark| remarked(&path, remark)));
                let text = expanded(name, text, view);
                files.push(ContextFile { path, title: name.to_owned(), text });
            }
            Err(Unread::Missing) if listed || strict => missing.push(path),
            Err(Unread::Missing) => {}
            Err(Unread::Unreadable(why)) => finding.lines.push(refused(&path, &why)),
        }
    }
    if !missing.is_empty() {
        let list = missing.join(", ");
        finding.lines.push(UserLine::once(
            format!("missing:{list}"),
            format!("engine: {list} is missing and was not told to the model (inject.files, inject.strict)"),
        ));
        finding.failure = strict.then(|| format!("inject.strict: missing {list}"));
    }
    files
}

fn expanded(name: &str, text: String, view: &(impl View + ?Sized)) -> String {
    if name == FRAMEWORK { variables::expand(&text, &|name| variables::value(name, view)) } else { text }
}

fn read(view: &(impl View + ?Sized), path: &str) -> Result<Told, Unread> {
    told(view, &view.root().join(Path::new(path)))
}

fn told(view: &(impl View + ?Sized), path: &Path) -> Result<Told, Unread> {
    let Told { text, remark } = view.told(path)?;
    Ok(Told { text: text.trim_start_matches('\u{feff}').trim().replace("\r\n", "\n"), remark })
}

/// What the person reads of a file that did not come into the context.
pub(crate) fn refused(path: &str, why: &str) -> UserLine {
    UserLine::once(format!("unreadable:{path}"), format!("engine: {path} was not told to the model: {why}"))
}

/// What the person reads of a file that did.
pub(crate) fn remarked(path: &str, remark: &str) -> UserLine {
    UserLine::once(format!("remark:{path}"), format!("engine: {path} was told to the model, and {remark}"))
}

/// The standards that the configuration lists, each once, with the command that prints it in place of a path.
fn standards(view: &(impl View + ?Sized)) -> Vec<ContextFile> {
    let mut found: Vec<ContextFile> = Vec::new();
    for standard in view.config().names(&STANDARDS).into_iter().filter_map(standard::find) {
        let path = format!("{SHOW}{}", standard.name);
        if found.iter().all(|other| other.path != path) {
            let (title, text) = (standard.name.to_owned(), standard.text.trim().to_owned());
            found.push(ContextFile { path, title, text });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_text::line::units;

    #[test]
    fn the_standards_fit_into_the_default_budget_together() {
        let all: usize = standard::STANDARDS.iter().map(|standard| units(standard.text) + 100).sum();
        let budget = usize::try_from(BUDGET.default).unwrap();
        assert!(all <= budget, "{all} units");
    }
}
