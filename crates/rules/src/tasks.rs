//! Keeps tasks: refuses a change of the task file by which an open task, or the state of one, would be lost.
//!
//! An edit by a tool is judged by what the file would become, so tasks may be moved, reworded and added, and removed when they are over.
//! What a command makes of the file is not known: it passes if it appends, or if no task is open. The refusal names the command of
//! `engine task` that does what may be meant. The engine's own commands pass. So does git when it merges, switches branches or stashes:
//! that names no file. Silent in a project that is not trusted, whose tasks are not told to a model.

use std::path::{Path, PathBuf};

use engine_core::event::{Edit, Event, EventName, Kind};
use engine_core::task::{Loss, TaskFile, conflict, losses};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Project, Shell, Skills, Tasks, Told};
use engine_shell::{Analysis, Effect, Options, RedirectKind, Run};
use engine_text::line::one_line;
use engine_text::path::join;
use engine_text::undecoded::shown;

use crate::touch::parent;
use crate::{Judge, Mode, Rule, always, looks_at};

mod indirect;

looks_at!(Files + Project + Shell + Skills + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "tasks",
    about: "Denies changes of session.md by which an open task, or the state of a task, would be lost.",
    events: &[EventName::PreTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

/// Losses and tasks that a refusal names.
const NAMED: usize = 5;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreTool(call) = &event.kind else { return Ok(Finding::default()) };
    if !view.is_trusted() {
        return Ok(Finding::default());
    }
    let written = call.edits().find_map(|(path, edit)| {
        let path = view.resolve(&event.cwd, path);
        edited(&path, edit, view)
    });
    let deleted = || {
        call.deletes().find_map(|path| {
            let path = join(&event.cwd, path);
            let effect = Effect::Delete { run: 0, path, recursive: true, pattern: false };
            let file = changed(&effect, &Analysis::default(), view)?;
            refused(&effect, &format!("{} would delete", call.name), &file, view)
        })
    };
    let by_command = || call.commands().find_map(|command| ordered(command, event, view));
    Ok(written.or_else(deleted).or_else(by_command).unwrap_or_default())
}

/// The text of the task file that a path is, as a reader sees it; nothing for any other file.
fn text_at(path: &Path, view: &(impl View + ?Sized)) -> Option<String> {
    let Told { text, .. } = view.task_file_at(path)?.ok()?;
    Some(shown(&text).into_owned())
}

/// The path from the project's root.
fn named(path: &Path, view: &(impl View + ?Sized)) -> String {
    let root = view.resolve("/", &view.root().to_string_lossy());
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// An edit by a tool, by what the file would become.
fn edited(path: &Path, edit: &Edit<'_>, view: &(impl View + ?Sized)) -> Option<Finding> {
    let before = text_at(path, view)?;
    let name = named(path, view);
    let Some((before, after)) = result(edit, &before) else {
        let tasks = open(&before)?;
        let (why, instead) = match edit {
            Edit::Replace { .. } | Edit::Several(_) => (
                "the text to replace is not in it as it is written here",
                "Read the file again, and replace the text as it stands there.".to_owned(),
            ),
            Edit::Whole { .. } | Edit::Unknown => {
                ("what it would become cannot be foreseen", instead(view.dialect().edit_words))
            }
        };
        let text =
            format!("this change to {name} is refused, because the file has {tasks} and {why}. {instead}");
        return Some(Finding::deny(text).because("the task file has open tasks"));
    };
    let lost = losses(&before, &after);
    let (named, others) = lost.split_at(lost.len().min(NAMED));
    let mut lines: Vec<String> = named.iter().map(Loss::told).collect();
    lines.extend((!others.is_empty()).then(|| format!("and {} more", others.len())));
    let in_conflict = if conflict::ranges(&before).is_empty() {
        ""
    } else {
        " The file has conflict markers: until they are gone, each task of both sides stays once, in the state of either side; the \
         commands work then."
    };
    (!lost.is_empty()).then(|| {
        Finding::deny(format!(
            "this change to {name} is refused, because tasks or their states would be lost:\n{}\nTasks may be moved, reworded and added, \
             and removed when they are over.{in_conflict}",
            lines.join("\n"),
        ))
        .because("judged by what the file would become")
    })
}

/// The file before and after an edit. A client also finds a text with other line ends and quotes than the file has.
fn result(edit: &Edit<'_>, before: &str) -> Option<(String, String)> {
    if let Some(after) = edit.result(before) {
        return Some((before.to_owned(), after));
    }
    let before = plain(before);
    let after = result_of_plain(edit, &before)?;
    Some((before, after))
}

fn result_of_plain(edit: &Edit<'_>, before: &str) -> Option<String> {
    match edit {
        Edit::Replace { old, new, all } => {
            let (old, new) = (plain(&old.get()?), plain(&new.get()?));
            let times = if *all { usize::MAX } else { 1 };
            before.contains(&old).then(|| before.replacen(&old, &new, times))
        }
        Edit::Several(edits) => {
            edits.iter().try_fold(before.to_owned(), |text, edit| result_of_plain(edit, &text))
        }
        Edit::Whole { text } => text.get().map(|text| plain(&text)),
        Edit::Unknown => None,
    }
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace(['\u{2018}', '\u{2019}'], "'").replace(['\u{201c}', '\u{201d}'], "\"")
}

/// `3 open tasks (A, B, C)`; nothing if no task is open.
fn open(text: &str) -> Option<String> {
    let file = TaskFile::parse(text);
    let open: Vec<String> =
        file.tasks().filter(|task| task.is_open()).map(|task| one_line(&task.meta.name, 60)).collect();
    let (named, others) = open.split_at(open.len().min(NAMED));
    let more = if others.is_empty() { "" } else { ", …" };
    let word = if open.len() == 1 { "task" } else { "tasks" };
    (!open.is_empty()).then(|| format!("{} open {word} ({}{more})", open.len(), named.join(", ")))
}

/// The first effect of a command by which a task would be lost.
fn ordered(command: &str, event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<Finding> {
    let analysis = view.analysis(command, &event.cwd);
    let changes = analysis
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Write { .. } | Effect::Delete { .. }));
    changes.filter(|effect| !keeps(effect, &analysis)).find_map(|effect| {
        let file = changed(effect, &analysis, view)?;
        let run = &analysis.runs[effect.run()];
        let verb = match effect {
            Effect::Delete { .. } if run.is(&["mv", "gmv"]) => "move",
            Effect::Delete { .. } => "delete",
            _ if indirect::is_hard_link_to(run, &file, view) => "give another name to",
            _ => "overwrite",
        };
        refused(effect, &format!("`{}` would {verb}", one_line(&run.shown(), 200)), &file, view)
    })
}

/// The task file that an effect changes; nothing if it changes another.
fn changed(effect: &Effect, analysis: &Analysis, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    if effect.tail().is_some() {
        return None;
    }
    if effect.is_pattern() || effect.is_recursive() {
        let written = view.root().join(view.task_file());
        let real = view.resolve("/", &written.to_string_lossy());
        let met = [real, written].into_iter().find(|path| analysis.meets(effect, &path.to_string_lossy()));
        return met.or_else(|| reached(effect, analysis, view));
    }
    let path = match effect {
        // What is deleted is a link itself.
        Effect::Delete { path, .. } => parent(path, view),
        _ => view.resolve("/", effect.path()),
    };
    if view.task_file_at(&path).is_some() { Some(path) } else { reached(effect, analysis, view) }
}

/// The task file, if an effect reaches it without its name.
fn reached(effect: &Effect, analysis: &Analysis, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    let run = analysis.runs.get(effect.run()).filter(|run| run.is(indirect::PROGRAMS))?;
    let file = view.resolve("/", &view.root().join(view.task_file()).to_string_lossy());
    let is_met = indirect::is_pathspec_of(run, effect, &file)
        || indirect::comes_over(run, effect, &file, view)
        || indirect::is_hard_link_to(run, &file, view);
    is_met.then_some(file)
}

fn refused(effect: &Effect, what: &str, file: &Path, view: &(impl View + ?Sized)) -> Option<Finding> {
    let tasks = open(&text_at(file, view)?)?;
    let unknown = match effect {
        Effect::Delete { .. } => "",
        _ => ", and the result cannot be foreseen",
    };
    let (name, instead) = (named(file, view), instead(view.dialect().edit_words));
    let text = format!("{what} {name}, which has {tasks}{unknown}. {instead}");
    Some(Finding::deny(text).because("an effect of the command is the task file"))
}

/// `edit`: what the client calls the tools whose result is known.
fn instead(edit: &str) -> String {
    format!(
        "Instead: engine task done, cancel, block, edit or move NAME, engine task add NAME, engine handoff for its other sections. With \
         {edit} any change passes that keeps the tasks and their states."
    )
}

/// Whether an effect leaves what is in the file.
fn keeps(effect: &Effect, analysis: &Analysis) -> bool {
    let Some(run) = analysis.runs.get(effect.run()) else { return false };
    if run.is(&["touch"]) || (run.is(&["engine"]) && !rewrites(run)) {
        return true;
    }
    if run.is(&["tee", "sponge"]) && Options::read(&run.args, &[], false).has(&["-a", "--append"]) {
        return true;
    }
    if run.is(&["git"]) && restores_conflict(run) {
        return true;
    }
    // What is there already is kept.
    if run.is(&["cp", "gcp", "mv", "gmv"])
        && matches!(effect, Effect::Write { .. })
        && Options::read(&run.args, &[], false).has(&["-n", "--no-clobber"])
    {
        return true;
    }
    let cwd = run.cwd.as_deref().unwrap_or("/");
    let is_appended = |file: &&engine_shell::Redirect| {
        file.kind == RedirectKind::Append
            && file.target.literal().is_some_and(|text| join(cwd, text) == effect.path())
    };
    let is_same = |other: &&Effect| {
        matches!(other, Effect::Write { .. }) && other.run() == effect.run() && other.path() == effect.path()
    };
    analysis.effects.iter().filter(is_same).count() <= run.files.iter().filter(is_appended).count()
        && matches!(effect, Effect::Write { .. })
}

/// The engine's commands that put one text in the place of another in a file that they are given.
fn rewrites(run: &Run) -> bool {
    let mut words = run.args.iter().map(|arg| arg.text.as_str());
    words.any(|word| word == "merge-driver" || word.starts_with("--overwrite"))
}

/// Git puts both sides of a conflict back into the file, asks for each part, or changes only what it notes of it.
fn restores_conflict(run: &Run) -> bool {
    let mut words = run.args.iter().map(|arg| arg.text.as_str());
    words.any(|word| {
        matches!(word, "-m" | "--merge" | "-p" | "--patch" | "update-index") || word.starts_with("--conflict")
    })
}
