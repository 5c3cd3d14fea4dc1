//! Keeps the agent from switching its own rules off: engine's files, and what wires engine into the client's
//! settings files, and engine's program ([`program`]). Keeps it from writing what the person said, too: the client's records ([`record`]).
//!
//! A settings file is judged by what it would become: any edit passes that leaves our hook entries alone and
//! neither disables hooks, nor sets a variable that steers us, nor makes the client drop the file. `context/`, `queue/` and `notes/` inside `.engine/` are the
//! agent's to write. A change that came another way (an editor, a script) is met when the client reports it,
//! and the client keeps the old settings in force.

mod program;
mod record;
mod signal;
mod taken;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::link::{self, Link};
use crate::skill_lines;
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::client::Snapshot;
use engine_core::dialect::Dialect;
use engine_core::event::{Edit, Event, EventName, Kind};
use engine_core::verdict::{Broken, Decision, Finding, UserLine};
use engine_core::view::{Changes, Files, Own, Project, Session, Settings, Shell, Skills, Unread, Work};
use engine_core::work;
use engine_shell::{Analysis, Effect, Problem, Run, Word};
use engine_text::glob;
use engine_text::line::one_line;
use engine_text::path::join;

looks_at!(pub Changes + Files + Own + Project + Session + Settings + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: "protect",
    about: "Denies changes to engine's own files and program, to what wires engine into the client's settings, and to transcripts.",
    events: &[EventName::PreTool, EventName::PromptExpansion, EventName::ConfigChange],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

/// Folders inside `.engine/` that the agent may write.
const FREE: &[&str] = &["context", "queue", "notes"];

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    match &event.kind {
        Kind::PreTool(call) => {
            let transcript = event.transcript.as_deref();
            let written = call
                .edits()
                .map(|(path, edit)| file_tool(edit, &view.resolve(&event.cwd, path), transcript, view));
            let deleted = call.deletes().map(|path| delete_tool(&call.name, path, event, view));
            let by_command =
                call.commands().map(|line| shell(line, &view.analysis(line, &event.cwd), transcript, view));
            Ok(strictest(written.chain(deleted).chain(by_command).chain(of_skill(event, view))))
        }
        Kind::PromptExpansion { .. } => Ok(skill_lines::as_typed(event, strictest(of_skill(event, view)))),
        Kind::ConfigChange { path, .. } => {
            let mut finding = changed_settings(&view.resolve(&event.cwd, path), view);
            if finding.decision.is_some() {
                finding.changes.push(Change::SettingsHeld);
            }
            Ok(finding)
        }
        _ => Ok(Finding::default()),
    }
}

/// The first refusal, or else the first question.
fn strictest(found: impl Iterator<Item = Finding>) -> Finding {
    let mut kept = Finding::default();
    for one in found {
        if matches!(one.decision, Some(Decision::Deny(_))) {
            return one;
        }
        if kept.is_silent() {
            kept = one;
        }
    }
    kept
}

/// What is found about the command lines of a skill that runs, or that a call writes.
fn of_skill(event: &Event<'_>, view: &(impl View + ?Sized)) -> impl Iterator<Item = Finding> {
    let found = skill_lines::of_event(event, view);
    let unjudged =
        found.unjudged.map(|why| Finding::ask(why).because("the client runs what such a file says"));
    let judged = found.lines.into_iter().map(|line| {
        let analysis = view.analysis(&line.command, &event.cwd);
        let found = shell(&line.command, &analysis, event.transcript.as_deref(), view);
        let placed = |text: String| format!("{}: {text}", line.place);
        let decision = found.decision.map(|decision| match decision {
            Decision::Deny(text) => Decision::Deny(placed(text)),
            Decision::Ask(text) => Decision::Ask(placed(text)),
        });
        Finding { decision, ..found }
    });
    judged.chain(unjudged)
}

/// A tool that deletes a file or a folder by itself, judged like a command that does.
fn delete_tool(tool: &str, path: &str, event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    let run = Run { path: Word::known(tool), args: vec![Word::known(path)], ..Run::default() };
    let path = view.resolve(&event.cwd, path).to_string_lossy().into_owned();
    let effect = Effect::Delete { run: 0, path, recursive: true, pattern: false };
    let analysis = Analysis { runs: vec![run], effects: vec![effect], ..Analysis::default() };
    shell("", &analysis, event.transcript.as_deref(), view)
}

/// Judges a change of a file by its name alone, whatever the change is.
pub fn file(path: &Path, transcript: Option<&str>, view: &(impl View + ?Sized)) -> Finding {
    if is_own(path, view) {
        return Finding::deny(format!(
            "{} belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, \
             which a person confirms). Free to write: .engine/{}/.",
            path.display(),
            FREE.join("/, .engine/"),
        ))
        .because("the path lies in .engine/");
    }
    if record::is_record(path, transcript, view) {
        return record::refused(&format!("{} is", path.display()));
    }
    if program::is_program(path, view) {
        return program::refused(&format!("{} is", path.display()));
    }
    if let Some(own) = taken::linked(path, view) {
        return taken::refused_link("this would change", path, &own);
    }
    if is_managed(path, view) {
        return managed(&format!("{} is", path.display()));
    }
    Finding::default()
}

fn file_tool(edit: &Edit<'_>, path: &Path, transcript: Option<&str>, view: &(impl View + ?Sized)) -> Finding {
    let named = file(path, transcript, view);
    if !named.is_silent() || !view.settings_files().iter().any(|file| file == path) {
        return named;
    }
    // Of a file that is not there, or that nobody can read, nothing is to be preserved.
    let before = view.read(path).unwrap_or_default();
    let harm = match edit.result(&before) {
        Some(after) => view.client().harm(&view.client().snapshot(&before), &after),
        // The client also finds a text with other quotes or line ends than the file has.
        None => Some(
            "the text to replace does not stand in it letter by letter, so the result cannot be foreseen"
                .into(),
        ),
    };
    match harm {
        None => Finding::default(),
        Some(harm) => Finding::deny(format!(
            "this change to {} is refused: {harm}. Other keys of the file may be changed. \
             engine uninstall, run by a person, removes engine.",
            path.display(),
        ))
        .because("judged by what the file would become"),
    }
}

/// Judges a command line for a shell. `transcript` is that of the agent session, where one is known.
pub fn shell(
    command: &str,
    analysis: &Analysis,
    transcript: Option<&str>,
    view: &(impl View + ?Sized),
) -> Finding {
    if let Some((name, run)) = steered(&analysis.runs, view.dialect()) {
        return Finding::deny(format!(
            "`{}` runs engine with {name} changed, by which engine knows whose call it is. The same command without that \
             passes.",
            one_line(&run.shown(), 200)
        ))
        .because("a variable that steers the engine is set or unset for it");
    }
    if let Some(run) = analysis.runs.iter().find(|run| is_for_the_client(run)) {
        return Finding::deny(format!(
            "`{}` is called by the client, to tell engine what happened; an agent has nothing to tell it that way.",
            one_line(&run.shown(), 200)
        ))
        .because("events and reports come from the client only");
    }
    if let Some(run) = analysis.runs.iter().find(|run| is_for_the_person(run)) {
        return Finding::deny(format!(
            "`{}` is typed by the person, in a terminal of their own. They answer here, too: ok or no and the number, as their whole message.",
            one_line(&run.shown(), 200)
        ))
        .because("a person's word comes from a person only");
    }
    if let Some((path, run)) =
        analysis.runs.iter().find_map(|run| Some((other_name(run, transcript, view)?, run)))
    {
        let shown = one_line(&run.shown(), 200);
        let another = format!("`{shown}` would make another name for {}", path.display());
        if record::is_or_holds(&path, transcript, view) {
            return record::refused(&format!("{another}, which is or holds"));
        }
        return Finding::deny(format!(
            "{another}, by which it could be changed. It belongs to engine or wires it into the client.",
        ))
        .because("a link to what is protected");
    }
    let mut seen: HashSet<(String, bool)> = HashSet::new();
    let mut leading_up = LeadingUp::default();
    for (effect, named) in analysis
        .effects
        .iter()
        .filter(|effect| effect.changes())
        .flat_map(|effect| leading_up.names(effect, &analysis.runs).map(move |named| (effect, named)))
    {
        // The same file is often written again and again; to look it up costs system calls.
        if !seen.insert((named.clone(), effect.is_recursive())) {
            continue;
        }
        // Where a path is that only its end is known of, no link tells.
        let path = match effect.tail() {
            Some(_) => PathBuf::from(named),
            None => view.resolve("/", &named),
        };
        let shown = || one_line(&analysis.runs[effect.run()].shown(), 200);
        let is_ours = is_own(&path, view);
        if is_ours {
            return Finding::deny(format!(
                "`{}` would change {}, which belongs to engine and is changed by its commands only. Free to write: .engine/{}/.",
                shown(),
                path.display(),
                FREE.join("/, .engine/"),
            ))
            .because("an effect of the command lies in .engine/");
        }
        if let Some(taken) = held_own(effect, analysis, view) {
            return Finding::deny(format!(
                "`{}` would {} {} and with it {}, where engine keeps its files. Name the files or folders beside it that are meant.",
                shown(),
                verb(effect, &analysis.runs[effect.run()]),
                path.display(),
                taken.display(),
            ))
            .because("an effect of the command takes .engine/ with it");
        }
        if record::is_changed(effect, &path, transcript, view) {
            let changed = format!("`{}` would change {}, which is or holds", shown(), path.display());
            return record::refused(&changed);
        }
        if let Some(own) = taken::shut_in(effect, &analysis.runs[effect.run()], &path, view) {
            return taken::refused_shut(&shown(), &path, &own);
        }
        if let Some(program) = program::changed(effect, &path, analysis, view) {
            return program::refused(&format!("`{}` would change {}:", shown(), program.display()));
        }
        let is_written = matches!(effect, Effect::Write { .. } | Effect::Attributes { .. });
        let is_one = effect.tail().is_none() && !effect.is_pattern();
        if let Some(own) =
            Some(&path).filter(|_| is_written && is_one).and_then(|path| taken::linked(path, view))
        {
            return taken::refused_link(&format!("`{}` would change", shown()), &path, &own);
        }
        if is_managed(&path, view)
            || held(effect, analysis, managed_files(view)).is_some_and(|file| view.exists(&file))
        {
            return managed(&format!("`{}` would change {}, which is or holds", shown(), path.display()));
        }
        let is_settings = view.settings_files().contains(&path)
            || held(effect, analysis, view.settings_files().iter().cloned()).is_some()
            || is_restored(effect, &analysis.runs[effect.run()], view)
            || effect.tail().is_some_and(|tail| is_settings_name(tail, view));
        if is_settings {
            return Finding::deny(format!(
                "`{}` would change {}, and what it would become cannot be foreseen. With {} any change passes \
                 that leaves engine's hooks alone.",
                shown(),
                path.display(),
                view.dialect().edit_words,
            ))
            .because("an effect of the command is a settings file of the client");
        }
    }
    if let Some(finding) = program::by_package_manager(analysis).or_else(|| program::looked_up(analysis)) {
        return finding;
    }
    if let Some(finding) = taken::by_command(analysis, view) {
        return finding;
    }
    if let Some(finding) = signal::sent(analysis) {
        return finding;
    }
    // What was not read to its end may still do it.
    let records = record::folder_name(view);
    let names_us = [".engine", view.dialect().settings_prefix, "engine config", "engine uninstall", &records];
    if matches!(analysis.problem, Some(Problem::Bound(_)))
        && names_us.iter().any(|name| command.contains(name))
    {
        return Finding::ask(
            "the command is too large or too deep to be read to its end, and names files of engine",
        )
        .because("the analysis stopped at a bound");
    }
    Finding::default()
}

/// The paths of a run that lead up, as they were written, by what they come to as texts: behind a link, `..` is above what the link leads
/// to, which the text alone does not tell.
#[derive(Default)]
struct LeadingUp {
    run: Option<usize>,
    written: HashMap<String, Vec<String>>,
}

impl LeadingUp {
    /// The path of an effect, and that path as it was written if it leads up. Effects come by their runs.
    fn names(&mut self, effect: &Effect, runs: &[Run]) -> impl Iterator<Item = String> + use<> {
        if self.run != Some(effect.run()) {
            *self = Self { run: Some(effect.run()), written: leading_up(&runs[effect.run()]) };
        }
        let written = self.written.get(effect.path()).cloned().unwrap_or_default();
        std::iter::once(effect.path().to_owned()).chain(written)
    }
}

fn leading_up(run: &Run) -> HashMap<String, Vec<String>> {
    let words = run.args.iter().chain(run.files.iter().map(|file| &file.target));
    let written = words.filter_map(|word| word.literal()).flat_map(|text| {
        // `of=../x`, `--output=../x`.
        [Some(text), text.split_once('=').map(|(_, value)| value)].into_iter().flatten()
    });
    let cwd = run.cwd.as_deref().unwrap_or("/");
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for text in written.filter(|text| text.split('/').any(|part| part == "..")) {
        let whole = if text.starts_with('/') { text.to_owned() } else { format!("{cwd}/{text}") };
        found.entry(join(cwd, text)).or_default().push(whole);
    }
    found
}

/// What is protected and gets another name by a link that the run makes.
fn other_name(run: &Run, transcript: Option<&str>, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    let is_protected = |path: &PathBuf| {
        is_own(path, view)
            || view.settings_files().contains(path)
            || program::is_program(path, view)
            || record::is_or_holds(path, transcript, view)
    };
    let Link { made, sources } = link::of_run(run, view)?;
    // Where what is protected would be written, it is changed.
    if made.is_some_and(|link| is_protected(&view.resolve("/", &link))) {
        return None;
    }
    sources.into_iter().find(is_protected)
}

/// The first of these that an effect takes with it.
fn held(effect: &Effect, analysis: &Analysis, paths: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    paths.into_iter().find(|path| analysis.meets(effect, &path.to_string_lossy()))
}

/// What an effect does to its path.
fn verb(effect: &Effect, run: &Run) -> &'static str {
    match effect {
        Effect::Delete { .. } if run.is(&["mv", "gmv"]) => "move",
        Effect::Delete { .. } => "delete",
        Effect::Write { .. } => "overwrite",
        Effect::Attributes { .. } => "change owner or mode of",
        Effect::Read { .. } | Effect::Folder { .. } => "change",
    }
}

/// The folder of engine that an effect takes with it, or by its name the configuration in one.
fn held_own(effect: &Effect, analysis: &Analysis, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    let folders = view.own_folders();
    let of_folder = |own: &PathBuf| ["config.toml", "policy.toml"].map(|file| own.join(file));
    // The state of the work at hand goes with its folder.
    let state = || view.work().map(|work| sessions(view).join(&work.name).join("state.json"));
    held(effect, analysis, folders.iter().cloned())
        .or_else(|| held(effect, analysis, folders.iter().flat_map(of_folder)))
        .or_else(|| folders.iter().find(|own| reaches_into(effect, own)).cloned())
        .or_else(|| held(effect, analysis, state()))
}

/// Whether a pattern of the shell leads into a folder: `.eng*/state/x`.
fn reaches_into(effect: &Effect, own: &Path) -> bool {
    let (pattern, own) = (effect.path(), own.to_string_lossy());
    if !effect.is_pattern() || pattern.contains("**") {
        return false;
    }
    let depth = own.matches('/').count();
    let cut = pattern.match_indices('/').nth(depth).map(|(at, _)| at);
    cut.is_some_and(|at| {
        let first = pattern[at + 1..].split('/').next().unwrap_or_default();
        !FREE.contains(&first) && glob::expands_to(&pattern[..at], &own)
    })
}

/// Where work sessions lie, with links followed.
fn sessions(view: &(impl View + ?Sized)) -> PathBuf {
    view.resolve("/", &view.root().join(work::name::FOLDER).to_string_lossy())
}

/// `git restore DIR`: of a folder everything in it is written. What holds the whole project is another rule's business.
fn is_restored(effect: &Effect, run: &Run, view: &(impl View + ?Sized)) -> bool {
    let restores = |word: &Word| matches!(word.text.as_str(), "checkout" | "restore" | "checkout-index");
    if !run.is(&["git"]) || !run.args.iter().any(restores) {
        return false;
    }
    let root = view.resolve("/", &view.root().to_string_lossy());
    let is_it = |folder: &Path| {
        let folder = folder.to_string_lossy();
        effect.path() == folder || (effect.is_pattern() && glob::expands_to(effect.path(), &folder))
    };
    let above = view.settings_files().iter().flat_map(|file| file.ancestors().skip(1));
    above.filter(|folder| !root.starts_with(folder)).any(is_it)
}

/// The end of a path that is a settings file of the client in any folder.
fn is_settings_name(tail: &str, view: &(impl View + ?Sized)) -> bool {
    view.dialect().settings.iter().any(|name| tail == *name || tail.ends_with(&format!("/{name}")))
}

/// A command of engine by which an agent could make up what a person said or what a command came to.
fn is_for_the_client(run: &Run) -> bool {
    matches!(verbs(run), [Some("hook" | "statusline"), _])
}

/// A command of engine by which an agent could give itself a person's word.
fn is_for_the_person(run: &Run) -> bool {
    matches!(verbs(run), [Some("approval"), Some("grant" | "deny")])
}

/// The first two words of a command of engine that are no options.
fn verbs(run: &Run) -> [Option<&str>; 2] {
    if !run.is(&["engine"]) {
        return [None, None];
    }
    let mut words = run.args.iter().map(|arg| arg.text.as_str()).filter(|word| !word.starts_with('-'));
    [words.next(), words.next()]
}

/// A run of engine with variables changed by which it knows who calls.
fn steered<'r>(runs: &'r [Run], dialect: &Dialect) -> Option<(&'r str, &'r Run)> {
    let steers = |name: &str| name == "*" || dialect.steers(name);
    runs.iter().filter(|run| run.is(&["engine"])).find_map(|run| {
        let (name, _) = run.env.iter().find(|(name, _)| steers(name))?;
        Some((if name == "*" { "the whole environment" } else { name.as_str() }, run))
    })
}

/// Whether a path belongs to the engine: in the project's `.engine/`, in one below the project, which would take its place, in that of
/// another project, or in the person's own folders of the engine.
fn is_own(path: &Path, view: &(impl View + ?Sized)) -> bool {
    let is_free = |inside: &Path| {
        inside.components().next().is_some_and(|first| FREE.iter().any(|free| first.as_os_str() == *free))
    };
    // The state of a work session is moved on by its commands, with proof.
    let is_state = path.file_name().is_some_and(|name| name == "state.json");
    if is_state && path.starts_with(sessions(view)) {
        return true;
    }
    if let Some(inside) = view.own_folders().iter().find_map(|own| path.strip_prefix(own).ok()) {
        return !is_free(inside);
    }
    let mut folders =
        path.ancestors().filter(|above| above.file_name().is_some_and(|name| name == ".engine"));
    folders.any(|own| {
        let is_free = path.strip_prefix(own).is_ok_and(is_free);
        !is_free && is_of_a_project(own, view)
    })
}

/// Whether a folder of this name is one that counts: below the project, or of another project that is set up. A copy somewhere else is
/// nobody's. Where a path begins that only its end is known of, nobody can tell.
fn is_of_a_project(own: &Path, view: &(impl View + ?Sized)) -> bool {
    let below = |folder: &str| own.starts_with(view.resolve("/", folder));
    if !own.is_absolute() || below(&view.root().to_string_lossy()) {
        return true;
    }
    if !view.exists(&own.join("config.toml")) {
        return false;
    }
    let named = |name: &str| view.variable(name).filter(|folder| !folder.is_empty());
    let is_temporary = ["/tmp", "/var/tmp"].iter().any(|folder| below(folder))
        || named("TMPDIR").is_some_and(|folder| below(&folder));
    !is_temporary || named("HOME").is_some_and(|home| below(&home))
}

/// Settings of the machine, which count before all others, and the folders beside them that hold more of the kind.
fn managed_files(view: &(impl View + ?Sized)) -> impl Iterator<Item = PathBuf> {
    let files = view.dialect().managed_settings.iter().map(PathBuf::from);
    files.flat_map(|file| [file.with_extension("d"), file])
}

fn is_managed(path: &Path, view: &(impl View + ?Sized)) -> bool {
    managed_files(view).any(|file| path.starts_with(file))
}

fn managed(what: &str) -> Finding {
    Finding::deny(format!(
        "{what} a settings file of the machine, which can switch every hook off. A person changes it, in a terminal of their own."
    ))
    .because("the path is a settings file of the machine")
}

fn changed_settings(path: &Path, view: &(impl View + ?Sized)) -> Finding {
    if !view.settings_files().iter().any(|file| file == path) {
        return Finding::default();
    }
    let name = path.to_string_lossy();
    let at_start = view.session().wiring.get(&*name).cloned().unwrap_or_default();
    let harm = match view.read(path) {
        Ok(now) => harm_since(&at_start, &now, path, view),
        // A deleted file wires nothing.
        Err(Unread::Missing) => harm_since(&at_start, "{}", path, view),
        Err(Unread::Unreadable(why)) => Some(format!("it cannot be read ({why})")),
    };
    match harm {
        None => Finding::default(),
        Some(harm) => {
            let text = format!("the change to {name} was not applied: {harm}");
            let mut finding =
                Finding::deny(text.clone()).because("judged against the settings at session start");
            finding.lines.push(UserLine {
                text: format!(
                    "engine: {text}. The file still holds it. To remove engine, run engine uninstall"
                ),
                cause: None,
            });
            finding
        }
    }
}

/// Harm against the settings at session start; what `engine init`, `config set` or `uninstall` wrote since is none.
fn harm_since(at_start: &Snapshot, now: &str, path: &Path, view: &(impl View + ?Sized)) -> Option<String> {
    let harm = view.client().harm_done(at_start, now)?;
    let ours =
        view.installed(path).filter(|installed| installed.entries == view.client().snapshot(now).entries);
    match ours {
        Some(installed) => view.client().harm_done(&installed, now),
        None => Some(harm),
    }
}
