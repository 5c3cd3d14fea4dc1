//! Expands shortcuts: the model is told what the user's one or two letters mean, as facts with the task resolved.
//!
//! `s` and `q: text` are answered at once where a person sits, without a model turn. `x` marks its task as in progress, `p: text`
//! records a task, `q: text` keeps it in the queue, all before the model sees the prompt. Any other prompt: silence. In a project that is
//! not trusted the prompt ends where its tasks would be told to the model.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::chain::{Form, Standing, Stored, Typed, read};
use engine_core::change::Change;
use engine_core::event::{Event, EventName};
use engine_core::queue::title_of;
use engine_core::shortcut::{self, Act, Command, Prefix, PrefixKind, STATUS, Shortcut};
use engine_core::skill::{is_wrapped, standing};
use engine_core::status::{self, Holder, NOTHING};
use engine_core::task::{Meta, State, Task, TaskFile, conflict, from_prompt};
use engine_core::trust::untold_line;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Project, Session, Skills, Tasks, Unread};
use engine_text::line::{one_line, shell_word};

looks_at!(Project + Session + Skills + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "shortcuts",
    about: "Expands s x xc r h hc ci, d:, p: and q:, and your own shortcuts.",
    events: &[EventName::Prompt],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let unreadable = |why: String| {
        let text = format!("engine: {why}");
        let lines = vec![UserLine::once(text.clone(), text.clone())];
        Finding { context: Some(text), lines, ..Finding::default() }
    };
    Ok(expand(event, view).unwrap_or_else(unreadable))
}

/// The finding, or why the task file cannot be read.
fn expand(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, String> {
    let Some(prompt) = event.real_prompt() else { return Ok(Finding::default()) };
    let finding = match shortcut::find(prompt, view.config()) {
        None => return Ok(Finding::default()),
        Some(Shortcut::Command(command)) => by_command(command, view)?,
        Some(Shortcut::Prefix(prefix, text)) => by_prefix(prefix, text, view),
        Some(Shortcut::Question) => {
            let text = tasks(view)?;
            untold(&text, view).unwrap_or_else(|| {
                Finding::note(format!(
                    "The user asks where the work stands. STATUS, rendered by engine from {}:\n\n{}",
                    view.task_file(),
                    rendered(&text, view)
                ))
            })
        }
        Some(Shortcut::Own { key, expansion, text }) => {
            let behind = if text.is_some() { " (the topic follows in their message)" } else { "" };
            Finding::note(format!(
                "[SHORTCUT: {key}] The user typed {key}, which stands for: {expansion}{behind}"
            ))
        }
    };
    Ok(finding.because(format!("the prompt begins with a shortcut: {:?}", one_line(prompt, 2))))
}

/// The text of the task file; none is empty.
fn tasks(view: &(impl View + ?Sized)) -> Result<String, String> {
    match view.tasks() {
        Ok(told) => Ok(told.text),
        Err(Unread::Missing) => Ok(String::new()),
        Err(Unread::Unreadable(why)) => Err(format!("{} cannot be read: {why}", view.task_file())),
    }
}

/// The end of a prompt that would tell the model the tasks of a project that is not trusted.
fn untold(text: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let is_untold = !view.is_trusted() && !TaskFile::parse(text).items().is_empty();
    is_untold.then(|| {
        let line = format!("engine: {}", untold_line(&view.task_file()));
        Finding { stop: Some(line), ..Finding::default() }
    })
}

/// The end of a prompt that would work on a task while both sides of a merge stand in the file.
fn in_conflict(command: &Command, text: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let refusal = conflict::refusal(&view.task_file(), text)?;
    let line = format!("engine: {} was not carried out: {refusal}", command.key);
    Some(Finding { stop: Some(line), ..Finding::default() })
}

/// What was typed behind `p:`, kept in the queue while both sides of a merge stand in the task file.
fn queued(mark: &str, report: &str, text: &str, view: &(impl View + ?Sized)) -> Finding {
    let kept = format!("{report}, so it was put into the queue instead: {}", title_of(text));
    let remedy = format!("engine q list shows the queue. To mend the file, {}.", conflict::REMEDY);
    let mut finding = if instant(view) {
        Finding { stop: Some(format!("engine: {kept}. {remedy}")), ..Finding::default() }
    } else {
        Finding::note(format!("{mark} {kept}. It is not to be executed now. {remedy}"))
    };
    finding.changes.push(Change::Capture { fragment: text.to_owned() });
    finding
}

fn rendered(text: &str, view: &(impl View + ?Sized)) -> String {
    let status = status::render(&view.task_file(), text, |task| view.holder(task));
    match chain(view) {
        Some(chain) => format!("{status}\n\nChain: {}", chain.standing()),
        None => status,
    }
}

/// The chain of the session, if it was begun.
fn chain(view: &(impl View + ?Sized)) -> Option<&Stored> {
    view.session().chain().filter(|chain| !chain.unbegun)
}

/// Going on with a chain: what failed is tried again, what was offered is wanted.
fn resumed(mark: &str, chain: &Stored, view: &(impl View + ?Sized)) -> Finding {
    let mut resumed = chain.clone();
    resumed.resume(view.session().turn);
    let line = chain.line();
    let told = resumed.told(view.dialect());
    let mut finding =
        Finding::note(format!("{mark} The user typed r, which goes on with the chain: {line}\n\n{told}"));
    finding.changes.push(Change::ChainResumed);
    finding
}

fn by_command(command: &Command, view: &(impl View + ?Sized)) -> Result<Finding, String> {
    let mark = format!("[SHORTCUT: {}]", command.expansion);
    match command.act {
        Act::Skill => Ok(Finding::note(format!(
            "{mark} The user typed {}, which stands for {} ({}).",
            command.key, command.expansion, command.about
        ))),
        Act::Status => {
            let tasks = tasks(view)?;
            let text = rendered(&tasks, view);
            if instant(view) {
                return Ok(Finding { stop: Some(text), ..Finding::default() });
            }
            if let Some(end) = untold(&tasks, view) {
                return Ok(end);
            }
            Ok(Finding::note(format!(
                "{mark} The user typed s, which asks for STATUS and nothing else. Rendered by engine from {}:\n\n{text}",
                view.task_file()
            )))
        }
        Act::Execute { commit } => {
            let text = tasks(view)?;
            if let Some(end) = untold(&text, view).or_else(|| in_conflict(command, &text, view)) {
                return Ok(end);
            }
            let file = TaskFile::parse(&text);
            match (running(&file, view), file.next()) {
                (Some(task), _) | (None, Some(task)) => {
                    let end = format!("{} {}", ending(&task.meta, commit, view), after(commit));
                    Ok(work(&mark, command, &file, task, &end))
                }
                (None, None) => Ok(Finding::note(format!("{mark} {}", why_none(&file)))),
            }
        }
        Act::Resume => {
            let text = tasks(view)?;
            if let Some(end) = untold(&text, view).or_else(|| in_conflict(command, &text, view)) {
                return Ok(end);
            }
            let file = TaskFile::parse(&text);
            Ok(match running(&file, view) {
                Some(task) => taken_up(&mark, command, &file, task, view),
                None if chain(view).is_some_and(|chain| !chain.is_over()) => {
                    chain(view).map(|chain| resumed(&mark, chain, view)).unwrap_or_default()
                }
                None => Finding::note(format!(
                    "{mark} Nothing in progress{}. The user typed r, which resumes a task in progress and starts no other.",
                    elsewhere(&file)
                )),
            })
        }
    }
}

/// A task in progress, and the chain that carries it out.
fn taken_up(
    mark: &str,
    command: &Command,
    file: &TaskFile<'_>,
    task: &Task,
    view: &(impl View + ?Sized),
) -> Finding {
    let name = Some(&task.meta.name);
    let is_its = |chain: &&Stored| {
        let links = chain.failure.iter().map(|failure| &failure.failed).chain(&chain.left);
        !chain.is_over()
            && links.map(|link| link.task.as_ref()).chain([chain.task.as_ref()]).any(|task| task == name)
    };
    let Some(chain) = chain(view).filter(is_its) else {
        let end = format!("{} {}", ending(&task.meta, false, view), after(false));
        return work(mark, command, file, task, &end);
    };
    let mut resumed = chain.clone();
    resumed.resume(view.session().turn);
    let end = format!("Its chain goes on: {}\n\n{}", chain.line(), resumed.told(view.dialect()));
    let mut finding = work(mark, command, file, task, &end);
    finding.changes.push(Change::ChainResumed);
    finding
}

/// What `x` and `xc` go on with, or start.
pub(crate) fn task_to_execute(view: &(impl View + ?Sized)) -> Option<Meta> {
    let text = tasks(view).ok().filter(|text| view.is_trusted() && conflict::ranges(text).is_empty())?;
    let file = TaskFile::parse(&text);
    running(&file, view).or_else(|| file.next()).map(|task| task.meta.clone())
}

/// How the skills of this project stand in a chain.
pub(crate) fn stands(view: &(impl View + ?Sized)) -> impl Fn(&str) -> Standing {
    |name: &str| standing(view.skill(name).as_ref(), is_wrapped(view.config(), name))
}

/// The command of a task, if it is a chain of skills.
pub(crate) fn chain_of(task: &Meta, view: &(impl View + ?Sized)) -> Option<Typed> {
    let chain = read(task.command.as_deref()?, &stands(view)).chain;
    chain.filter(|typed| typed.form == Form::Leading)
}

/// How a task ends that is carried out now: by the agent's word, or with the skills of its command.
fn ending(task: &Meta, commit: bool, view: &(impl View + ?Sized)) -> String {
    let by_word = format!("When it is done: engine task done {}.", shell_word(&task.name));
    let Some(last) = chain_of(task, view).and_then(|mut typed| {
        let is_chain = commit || typed.entries.len() > 1;
        typed.entries.pop().filter(|_| is_chain)
    }) else {
        return by_word;
    };
    let is_shown = || view.skill(&last.skill).is_some_and(|known| !known.ending.done_when.is_empty());
    match (commit, is_shown()) {
        (true, _) => {
            format!(
                "Its command is the task: engine marks it as done when /handoff is called after /{}.",
                last.skill
            )
        }
        (false, true) => format!("Its command is the task: engine marks it as done when /{} is.", last.skill),
        (false, false) => by_word,
    }
}

/// Where a person sits, the answer needs no model.
fn instant(view: &(impl View + ?Sized)) -> bool {
    match view.config().choice(&STATUS) {
        "instant" => true,
        "agent" => false,
        _ => view.variable(view.dialect().attended_variable).as_deref() == Some("1"),
    }
}

/// The task in progress that is ours to go on with.
fn running<'t>(file: &'t TaskFile<'_>, view: &(impl View + ?Sized)) -> Option<&'t Task> {
    let in_progress = |task: &&Task| task.state == State::InProgress;
    file.tasks().filter(in_progress).find(|task| view.holder(task) == Holder::Free)
}

/// Tasks in progress that are not ours to go on with.
fn elsewhere(file: &TaskFile<'_>) -> String {
    let names: Vec<&str> = file
        .tasks()
        .filter(|task| task.state == State::InProgress)
        .map(|task| task.meta.name.as_str())
        .collect();
    if names.is_empty() { String::new() } else { format!(" here; in another session: {}", names.join(", ")) }
}

fn why_none(file: &TaskFile<'_>) -> String {
    let waiting: Vec<String> = file
        .tasks()
        .filter(|task| task.state == State::Pending)
        .map(|task| format!("{} waits for {}", task.meta.name, file.unmet(task).join(", ")))
        .collect();
    if waiting.is_empty() {
        NOTHING.to_owned()
    } else {
        format!("No task is free to start: {}.", waiting.join("; "))
    }
}

fn work(mark: &str, command: &Command, file: &TaskFile<'_>, task: &Task, end: &str) -> Finding {
    let Meta { name, command: starts, restart, .. } = &task.meta;
    let how = if task.state == State::InProgress {
        "in progress, resumed"
    } else {
        "pending, now marked as in progress"
    };
    let mut text = format!("{mark} The user typed {}. Task: {name} ({how})\n", command.key);
    if let Some(starts) = starts {
        text.push_str(&format!("Command: `{starts}`\n"));
    }
    let restart = if *restart { "yes" } else { "no" };
    text.push_str(&format!("Model: {} | Restart: {restart}\n", task.meta.model_or_default()));
    for line in file.lines_of(task).iter().skip(1) {
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(end);
    let mut finding = Finding::note(text);
    finding.changes.push(Change::StartTask { name: name.clone(), from: task.state });
    finding
}

fn after(commit: bool) -> &'static str {
    if commit {
        "Then the user expects /handoff --commit, which ends in a commit and STATUS."
    } else {
        "The user expects this one task to be carried to its end, and no other to be started."
    }
}

fn by_prefix(prefix: &Prefix, text: &str, view: &(impl View + ?Sized)) -> Finding {
    let mark = format!("[DIRECTIVE: {}]", prefix.name);
    match prefix.kind {
        PrefixKind::Discuss => Finding::note(format!(
            "{mark} The user wants to discuss the topic in their message: analysis and discussion. Execution, \
             implementation and workflow skills are not part of this turn."
        )),
        PrefixKind::Pending => {
            let meta = from_prompt(text);
            // A file that cannot be read cannot be written either; the store says so, with what was typed.
            let file_text = tasks(view).unwrap_or_default();
            if let Some(report) = conflict::report(&view.task_file(), &file_text) {
                return queued(&mark, &report, text, view);
            }
            let file = TaskFile::parse(&file_text);
            if let Some(twin) = file.twin(&meta.name) {
                return Finding::note(format!(
                    "{mark} {} is in {} already, {}. Nothing was added, and nothing is to be executed.",
                    twin.meta.name,
                    view.task_file(),
                    twin.state.as_str()
                ));
            }
            let mut finding = Finding::note(format!(
                "{mark} Recorded by engine in {} as a pending task: {} ({}). It is not to be executed now, and needs no \
                 edit of the file.",
                view.task_file(),
                meta.name,
                meta.model_or_default()
            ));
            finding.changes.push(Change::AddTask { task: meta, typed: text.to_owned() });
            finding
        }
        PrefixKind::Queue => {
            let title = title_of(text);
            let mut finding = if instant(view) {
                let kept = format!("Kept in the queue: {title}. engine q list shows the queue.");
                Finding { stop: Some(kept), ..Finding::default() }
            } else {
                Finding::note(format!(
                    "{mark} Kept by engine in the queue, for later: {title}. It is not to be executed now, and needs no other \
                     record. engine q list shows the queue."
                ))
            };
            finding.changes.push(Change::Capture { fragment: text.to_owned() });
            finding
        }
    }
}
