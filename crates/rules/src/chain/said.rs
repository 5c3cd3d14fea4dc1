//! What the person says while a chain is under way: in a prompt, in the text behind a prefix, in the answer to a question of the
//! agent. What they forbid counts until they say otherwise, also for a chain that replaces this one, and against the model's own flags.

use engine_core::chain::{Entry, Forbidden, State, Stored, Typed, written};
use engine_core::change::Change;
use engine_core::dialogue::Question;
use engine_core::shortcut::{self, PrefixKind, Shortcut};
use engine_core::verdict::Finding;
use engine_text::line::one_line;

use super::{View, line};

/// How much of the person's words is quoted.
const QUOTED: usize = 60;

/// An ordinary prompt answers what the agent asked: the end of this turn may name the next entry again. What it forbids is left out.
pub(super) fn answered(prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    let shortcut = shortcut::find(prompt, view.config());
    let words = spoken(prompt, shortcut.as_ref())?;
    let mut finding = Finding::default();
    if chain.state() == State::Waits && shortcut.is_none() {
        finding.changes.push(Change::ChainArmed);
    }
    forbid(chain, Forbidden::by_words(words, &chain.names()), &mut finding, view);
    (!finding.changes.is_empty()).then_some(finding)
}

/// The answers to the agent's questions, by its tool for that.
pub(super) fn at_answer(questions: &[Question], view: &(impl View + ?Sized)) -> Option<Finding> {
    let session = view.session();
    let names = names(view);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut forbidden = Forbidden::default();
    for Question { question, answer, .. } in questions {
        let said = answer.as_ref().map(|answer| Forbidden::by_answer(question, answer, &names));
        forbidden = forbidden.and(said.unwrap_or_default());
    }
    let mut held = session.forbidden.clone();
    for answer in questions.iter().filter_map(|question| question.answer.as_ref()) {
        held = held.lifted(answer, None);
    }
    let held = Forbidden { typed: held.typed.clone(), ..held.and(forbidden.clone()) };
    let mut finding = Finding::default();
    if let Some(chain) = session.chain() {
        forbid(chain, forbidden, &mut finding, view);
    }
    if held != session.forbidden {
        finding.changes.push(Change::ExitsForbidden { forbidden: held });
    }
    (!finding.changes.is_empty()).then(|| finding.because("the person answered a question"))
}

fn forbid(chain: &Stored, forbidden: Forbidden, finding: &mut Finding, view: &(impl View + ?Sized)) {
    let mut after = chain.clone();
    let text = prohibitions(&after.forbid(&forbidden));
    if after == *chain {
        return;
    }
    finding.changes.push(Change::ChainForbidden { forbidden });
    finding.lines.extend(text.as_deref().map(line));
    finding.context = text.map(|_| after.told(view.dialect()));
}

/// The line that names what was left out.
pub(super) fn prohibitions(out: &[(Entry, String)]) -> Option<String> {
    let told = |(exit, words): &(Entry, String)| {
        format!("{} (you wrote \"{}\")", written(exit), one_line(words, QUOTED))
    };
    (!out.is_empty())
        .then(|| format!("chain: left out: {}", out.iter().map(told).collect::<Vec<_>>().join(", ")))
}

/// What a prompt says to the agent: not what is written down for later.
fn spoken<'p>(prompt: &'p str, shortcut: Option<&Shortcut<'p>>) -> Option<&'p str> {
    match shortcut {
        None => Some(prompt),
        Some(Shortcut::Prefix(prefix, text)) => (prefix.kind == PrefixKind::Discuss).then_some(*text),
        Some(Shortcut::Own { text, .. }) => *text,
        Some(_) => None,
    }
}

/// The names of what may be forbidden here: the exits of the chain, and those that a shortcut calls.
fn names(view: &(impl View + ?Sized)) -> Vec<String> {
    let session = view.session();
    let of_chain = session.chain().map(Stored::names).unwrap_or_default();
    let mut names: Vec<String> = of_chain.into_iter().map(str::to_owned).collect();
    if let Some(tail) = Entry::parse(shortcut::TAIL) {
        let known = view.skill(&tail.skill).unwrap_or_default();
        names.extend(
            known.exits.by_flag(&tail.args).unwrap_or_default().iter().map(|exit| exit.skill.clone()),
        );
        names.push(tail.skill);
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// What the person has forbidden so far, with this prompt, if that changes it.
pub(super) fn held(prompt: &str, typed: Option<&Typed>, view: &(impl View + ?Sized)) -> Option<Change> {
    let session = view.session();
    let before = &session.forbidden;
    // Most prompts are said where there is no chain, and nothing was forbidden.
    if typed.is_none() && before.is_empty() && session.chain().is_none() {
        return None;
    }
    let mut names = names(view);
    let forbidden = match typed {
        Some(typed) => {
            let is_kept = |entry: &Entry| view.skill(&entry.skill).is_some_and(|known| known.free_text);
            if session.chain().is_some() && typed.entries.len() == 1 && typed.entries.iter().all(is_kept) {
                return None;
            }
            let last = typed.entries.last().and_then(|last| view.skill(&last.skill)).unwrap_or_default();
            names.extend(last.exits.entries().map(|exit| exit.skill.clone()));
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let goes_on = session.chain().is_some_and(|chain| !chain.is_over() && !chain.unbegun);
            let earlier = if goes_on { before.clone() } else { Forbidden::default() };
            earlier.lifted("", Some(typed)).and(Forbidden::by_chain(typed, &names))
        }
        None => {
            let words = spoken(prompt, shortcut::find(prompt, view.config()).as_ref())?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            before.clone().lifted(words, None).and(Forbidden::by_words(words, &names))
        }
    };
    // What was typed is taken back at once, or not at all.
    let forbidden = Forbidden { typed: before.typed.clone(), ..forbidden };
    (forbidden != *before).then_some(Change::ExitsForbidden { forbidden })
}
