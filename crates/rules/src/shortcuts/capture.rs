//! `p: text`, `q: text` and `m: text`: what is written down before anything else, and how that is answered. `d: text` writes nothing.

use engine_core::chain::{Form, read};
use engine_core::change::Change;
use engine_core::note;
use engine_core::queue::title_of;
use engine_core::shortcut::{CAPTURE, Prefix, PrefixKind};
use engine_core::task::{Added, Call, conflict, from_prompt, with_added};
use engine_core::verdict::{Finding, UserLine};
use engine_text::line::{cut_at_line, operand};
use engine_text::redact::redact;

use super::{View, is_attended, stands, tasks};

/// So much of a text that was not kept is told.
const TYPED: usize = 4000;

pub(super) fn by_prefix(prefix: &Prefix, text: &str, view: &(impl View + ?Sized)) -> Finding {
    let mark = format!("[DIRECTIVE: {}]", prefix.name);
    match prefix.kind {
        PrefixKind::Discuss => Finding::note(format!(
            "{mark} The user wants to discuss the topic in their message: analysis and discussion. Execution, \
             implementation and workflow skills are not part of this turn."
        )),
        PrefixKind::Pending => pending(&mark, text, view),
        PrefixKind::Queue => {
            let title = title_of(text);
            let mut finding = answer(
                instant(view),
                format!("engine: kept: {title}, in the queue; engine q list"),
                format!(
                    "{mark} Kept by engine in the queue, for later: {title}. It is not to be executed now, and needs no other \
                     record. engine q list shows the queue."
                ),
            );
            finding.changes.push(Change::Capture { fragment: text.to_owned() });
            finding
        }
        PrefixKind::Remember => remember(&mark, text, view),
    }
}

/// A note of what was typed, unless it is none.
fn remember(mark: &str, typed: &str, view: &(impl View + ?Sized)) -> Finding {
    let (kind, text) = note::Kind::of_beginning(typed).unwrap_or((note::Kind::Fact, typed.trim()));
    let (text, kept) = (redact(text), text);
    if let Err(unfit) = note::check_text(&text) {
        let typed = redact(typed);
        let typed = cut_at_line(&typed, TYPED);
        return answer(
            instant(view),
            format!("engine: not kept as a note: {unfit}. It was: {typed}"),
            format!("{mark} Not kept by engine as a note: {unfit}. It was: {typed}"),
        );
    }
    let (title, word) = (note::title_of(&text), kind.as_str());
    let secret = "; something in it looked like a secret, and was left out";
    let secret = if *text == *kept { "" } else { secret };
    let mut finding = answer(
        instant(view),
        format!("engine: kept: {title}, as a note ({word}){secret}; engine note list"),
        format!(
            "{mark} Kept by engine as a note ({word}): {title}{secret}. It needs no other record and no answer beyond a word. \
             engine note list shows the notes."
        ),
    );
    finding.changes.push(Change::Remember { kind, text: text.into_owned() });
    finding
}

/// Whether what is written down is answered without the model.
fn instant(view: &(impl View + ?Sized)) -> bool {
    view.config().choice(&CAPTURE) == "instant" && is_attended(view)
}

/// What the person is told at once where they sit; otherwise the model gets its text, and the person the same line.
fn answer(instant: bool, line: String, note: String) -> Finding {
    if instant {
        return super::answer(instant, line, note);
    }
    Finding { lines: vec![UserLine { text: line, cause: None }], ..Finding::note(note) }
}

/// What was typed behind `p:`, kept in the queue while both sides of a merge stand in the task file.
fn queued(mark: &str, report: &str, text: &str, view: &(impl View + ?Sized)) -> Finding {
    let kept = format!("{report}, so it was put into the queue instead: {}", title_of(text));
    let remedy = format!("engine q list shows the queue. To mend the file, {}.", conflict::REMEDY);
    let mut finding = answer(
        instant(view),
        format!("engine: {kept}. {remedy}"),
        format!("{mark} {kept}. It is not to be executed now. {remedy}"),
    );
    finding.changes.push(Change::Capture { fragment: text.to_owned() });
    finding
}

fn pending(mark: &str, text: &str, view: &(impl View + ?Sized)) -> Finding {
    // A file that cannot be read cannot be written either; the store says so, with what was typed.
    let file_text = tasks(view).unwrap_or_default();
    if let Some(report) = conflict::report(&view.task_file(), &file_text) {
        return queued(mark, &report, text, view);
    }
    let typed = from_prompt(text, &|text| call(text, view));
    let added = with_added(&file_text, &typed).map(|(_, added)| added).unwrap_or_default();
    let file = view.task_file();
    let mut finding = answer(instant(view), shown(&added, &file), format!("{mark} {}", told(&added, &file)));
    finding.changes.push(Change::AddTasks { tasks: typed, typed: text.to_owned() });
    finding
}

/// The first call of a text that is a chain, or a skill that takes no part in one.
fn call(text: &str, view: &(impl View + ?Sized)) -> Option<Call> {
    let words = text.strip_prefix('/')?;
    let chain = read(text, &stands(view)).chain.filter(|typed| typed.form == Form::Leading);
    if let Some(first) = chain.and_then(|typed| typed.entries.into_iter().next()) {
        return Some((first.skill, first.args));
    }
    let (skill, args) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    view.skill(skill).map(|_| (skill.to_owned(), args.trim().to_owned()))
}

/// The person's line.
fn shown(added: &[Added], file: &str) -> String {
    let new: Vec<&str> = new(added).map(|added| added.name.as_str()).collect();
    let kept = match new.as_slice() {
        [] => None,
        [one] => Some(format!("kept: {one}, as a pending task in {file}")),
        several => Some(format!("kept: {} pending tasks in {file}: {}", several.len(), several.join("; "))),
    };
    let known = known(added).map(|(added, state)| {
        let what = if added.noted { "its other lines were added below it" } else { "nothing was added" };
        format!("{} is in {file} already, {state}; {what}{}", added.name, model(added))
    });
    format!("engine: {}", kept.into_iter().chain(known).collect::<Vec<_>>().join("; "))
}

/// The same for the model.
fn told(added: &[Added], file: &str) -> String {
    let new: Vec<String> = new(added).map(|added| format!("{} ({})", added.name, added.model)).collect();
    let recorded = match new.as_slice() {
        [] => None,
        [one] => Some(format!(
            "Recorded by engine in {file} as a pending task: {one}. It is not to be executed now, and needs no edit of the file."
        )),
        several => Some(format!(
            "Recorded by engine in {file} as pending tasks: {}. They are not to be executed now, and need no edit of the file.",
            several.join("; ")
        )),
    };
    let known = known(added).map(|(added, state)| {
        let what = if added.noted { "Its other lines were added below it" } else { "Nothing was added" };
        let model = model(added);
        format!("{} is in {file} already, {state}. {what}{model}, and nothing is to be executed.", added.name)
    });
    recorded.into_iter().chain(known).collect::<Vec<_>>().join(" ")
}

/// What a typed model that was not taken needs.
fn model(added: &Added) -> String {
    added.other_model.as_ref().map_or_else(String::new, |typed| {
        let (model, name) = (&added.model, operand(&added.name));
        format!(", and its model stays {model} (to change it: engine task edit --model {typed} {name})")
    })
}

fn new(added: &[Added]) -> impl Iterator<Item = &Added> {
    added.iter().filter(|added| added.is_new())
}

/// Those that were in the file before, with how they stand.
fn known(added: &[Added]) -> impl Iterator<Item = (&Added, &'static str)> {
    added.iter().filter_map(|added| Some((added, added.known?.as_str())))
}
