//! Expands shortcuts: the model is told what the user's one or two letters mean, as facts with the task resolved.
//!
//! `x` marks its task as in progress, `p: text` records a task, `q: text` keeps it in the queue, `m: text`
//! keeps it as a note, all before the model sees the prompt.
//! Where a person sits, `s`, `p: text`, `q: text`, `m: text`, and `x` and `r` with nothing to do are answered at once, without a model turn. Any
//! other prompt: silence. In a project that is not trusted the prompt ends where its tasks would be told to the model.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::chain::Stored;
use engine_core::event::{Event, EventName};
use engine_core::shortcut::{self, Act, Command, STATUS, Shortcut};
use engine_core::stage::Stages;
use engine_core::status;
use engine_core::task::{TaskFile, conflict};
use engine_core::trust::untold_line;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Outcomes, Project, Session, Skills, Tasks, Unread};
use engine_text::line::one_line;

mod capture;
mod execute;
mod skills;

pub(crate) use execute::{Executed, chain_of, hands_over, is_carried, tail_of, task_to_execute};
pub(crate) use skills::stands;

looks_at!(Outcomes + Project + Session + Skills + Stages + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "shortcuts",
    about: "Expands s x xc r h hc ci, d:, p:, q: and m:, and your own shortcuts.",
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
        Some(Shortcut::Prefix(prefix, text)) => capture::by_prefix(prefix, text, view),
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

fn rendered(text: &str, view: &(impl View + ?Sized)) -> String {
    let status = status::render(&view.task_file(), text, |task| view.holder(task), view);
    let own = chain(view).map(|chain| format!("Chain: {}", chain.standing()));
    let lines: Vec<String> = own.into_iter().chain(left(view)).collect();
    if lines.is_empty() { status } else { format!("{status}\n\n{}", lines.join("\n")) }
}

/// Chains whose client is gone, each with the command that takes it over.
fn left(view: &(impl View + ?Sized)) -> Vec<String> {
    // The words of a chain come from a person who worked here; a project that is not trusted has none of theirs.
    let chains = if view.is_trusted() { view.left_chains() } else { Vec::new() };
    let told = |(session, chain): &(String, Stored)| {
        let short: String = session.chars().take(SHORT_ID).collect();
        format!("Chain: {}; its client is gone: engine chain take {short}", chain.standing())
    };
    chains.iter().take(MOST_LEFT).map(told).collect()
}

/// How much of a session's id names it.
const SHORT_ID: usize = 8;
/// So many chains are named.
const MOST_LEFT: usize = 5;

/// The chain of the session, if it was begun.
fn chain(view: &(impl View + ?Sized)) -> Option<&Stored> {
    view.session().chain().filter(|chain| !chain.unbegun)
}

fn by_command(command: &Command, view: &(impl View + ?Sized)) -> Result<Finding, String> {
    let mark = format!("[SHORTCUT: {}]", command.expansion);
    match command.act {
        Act::Skill => Ok(skills::by_skill(&mark, command, view)),
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
        Act::Execute { commit } => execute::execute(&mark, command, commit, view),
        Act::Resume => execute::resume(&mark, command, view),
    }
}

/// Whether a person sits at the client.
fn is_attended(view: &(impl View + ?Sized)) -> bool {
    view.variable(view.dialect().attended_variable).as_deref() == Some("1")
}

/// Where a person sits, the answer needs no model.
fn instant(view: &(impl View + ?Sized)) -> bool {
    match view.config().choice(&STATUS) {
        "instant" => true,
        "agent" => false,
        _ => is_attended(view),
    }
}

/// What the person is told at once where they sit; otherwise the model gets its text.
fn answer(instant: bool, line: String, note: String) -> Finding {
    if instant { Finding { stop: Some(line), ..Finding::default() } } else { Finding::note(note) }
}
