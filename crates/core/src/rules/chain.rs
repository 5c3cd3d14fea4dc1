//! Carries chains of skills: tells the model what comes next, moves on when the next skill really ran, reminds once.
//!
//! A prompt that is a chain is stored for the session, with the default exits of its last skill. A Skill call that
//! succeeded moves it on; what is left is told again then and after a compaction. At the end of a turn an entry that was
//! not called is named once, unless an ordinary prompt came in between. Silent without a chain.

use super::{Mode, Rule, always, shortcuts};
use crate::chain::{
    Entry, Form, Link, Note, Reading, Standing, Stored, Typed, Why, is_name, listed, read, split, written,
};
use crate::change::Change;
use crate::event::{Actor, Event, EventName, Kind, Source, Stop, ToolCall};
use crate::field;
use crate::shortcut::{self, Act, Shortcut};
use crate::skill::{self, is_wrapped, standing};
use crate::text::one_line;
use crate::verdict::{Broken, Finding, UserLine};
use crate::view::View;

pub(super) const RULE: Rule = Rule {
    id: "chain",
    about: "Carries a chain of skills: /design plans/foo, /plan-adhoc and /orchestrate.",
    events: &[EventName::SessionStart, EventName::UserPromptSubmit, EventName::PostToolUse, EventName::Stop],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge,
};

fn judge(event: &Event<'_>, view: &dyn View) -> Result<Finding, Broken> {
    let finding = match &event.kind {
        Kind::SessionStart { source: Source::Compact, .. } => restated(view),
        Kind::Prompt { .. } => event.real_prompt().and_then(|prompt| at_prompt(prompt, view)),
        Kind::PostTool { call, response, .. } if call.tool == "Skill" && event.actor == Actor::Main => {
            let response = response.map_or("", |response| response.get());
            let succeeded = field::flag(response, "success") == Some(true);
            succeeded.then(|| after_skill(call, response, view)).flatten()
        }
        Kind::Stop(stop) if event.actor == Actor::Main => at_stop(stop, view),
        _ => None,
    };
    Ok(finding.unwrap_or_default())
}

fn restated(view: &dyn View) -> Option<Finding> {
    let chain = view.session().chain()?;
    Some(Finding::note(chain.told()).because("a chain is stored; the compaction took what was told of it"))
}

/// How the skills of this project stand in a chain.
fn stands(view: &dyn View) -> impl Fn(&str) -> Standing {
    |name: &str| standing(view.skill(name).as_ref(), is_wrapped(view.config(), name))
}

/// The chain that a prompt is, and whether the client itself runs the first skill of it.
struct Asked {
    typed: Typed,
    runs: bool,
    /// Skills that were named and cannot be entries.
    refused: Vec<String>,
}

fn at_prompt(prompt: &str, view: &dyn View) -> Option<Finding> {
    let asked = asked(prompt, view)?;
    let earlier = view.session().chain().filter(|chain| !chain.left.is_empty());
    if let ([only], Some(chain)) = (asked.typed.entries.as_slice(), earlier)
        && asked.runs
        && !asked.typed.closed
        && chain.is_next(&only.skill)
    {
        return Some(typed_next(only, chain, view));
    }
    let because = match asked.typed.form {
        Form::Leading => "the prompt starts with a skill",
        Form::Lines => "the prompt ends in lines that each start with a skill",
    };
    let mut finding = started(asked, view).because(because);
    if let Some(chain) = earlier.filter(|chain| !chain.waiting) {
        let left = short(&chain.entries());
        finding.lines.push(line(&format!("the chain before it ends here; {left} was left")));
        let told = format!("It replaces an earlier chain, of which {left} was left.");
        finding.context = Some(match finding.context {
            Some(context) => format!("{context}\n{told}"),
            None => format!("[CONTINUATION-PASSING]\nContinuation: none. {told}"),
        });
        if finding.changes.is_empty() {
            finding.changes.push(Change::ChainDropped);
        }
    }
    (!finding.is_silent() || !finding.changes.is_empty()).then_some(finding)
}

fn asked(prompt: &str, view: &dyn View) -> Option<Asked> {
    let shortcut = shortcut::find(prompt, view.config());
    let (text, runs) = match &shortcut {
        None => (prompt, true),
        Some(Shortcut::Command(command)) if command.act == Act::Skill => (command.expansion, false),
        Some(Shortcut::Command(command)) if command.act == (Act::Execute { commit: true }) => {
            return behind_task(view);
        }
        Some(Shortcut::Own { expansion, text: None, .. }) => (expansion.as_str(), false),
        Some(_) => return None,
    };
    // Without a slash there is no name to look up.
    if !text.contains('/') {
        return None;
    }
    let Reading { chain, notes } = read(text, &stands(view));
    let typed = chain?;
    let runs = runs && typed.form == Form::Leading && is_run(prompt);
    let is_refused = |note: &Note| matches!(note.why, Why::NotCooperative | Why::OnlyTyped);
    let refused = notes.into_iter().filter(is_refused).map(|note| note.name).collect();
    Some(Asked { typed, runs, refused })
}

/// Whether the client takes the prompt for a command: it does so only where nothing is glued to the name.
fn is_run(prompt: &str) -> bool {
    let word = prompt.split(char::is_whitespace).next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(is_name)
}

/// What `xc` asks for: the task's own command, if it is a chain, and the handoff behind it.
fn behind_task(view: &dyn View) -> Option<Asked> {
    let task = shortcuts::task_to_execute(view)?;
    let stands = stands(view);
    let tail = read(shortcut::TAIL, &stands).chain?;
    let command = task.command.as_deref().and_then(|command| read(command, &stands).chain);
    let typed = match command {
        Some(mut typed) if typed.form == Form::Leading => {
            typed.entries.extend(tail.entries);
            typed
        }
        _ => tail,
    };
    Some(Asked { typed, runs: false, refused: Vec::new() })
}

/// A new chain.
fn started(asked: Asked, view: &dyn View) -> Finding {
    let Asked { typed, runs, refused } = asked;
    let mut finding = Finding::default();
    let first = typed.entries.first().cloned();
    let mut left = typed.entries;
    if !typed.closed {
        let exits = left.last().map(|last| exits_of(last, view, &mut finding)).unwrap_or_default();
        left.extend(exits);
    }
    let current = runs.then(|| left.remove(0));
    let shown: Vec<Entry> = left.iter().skip(usize::from(current.is_none())).cloned().collect();
    if !left.is_empty() {
        let chain = Stored {
            current: current.map(|entry| Entry { args: one_line(&entry.args, 200), ..entry }),
            left: left.into_iter().map(|entry| link(entry, view)).collect(),
            waiting: typed.form == Form::Lines,
            ..Stored::default()
        };
        finding.context = Some(chain.told());
        finding.changes.push(Change::ChainStarted { chain: Box::new(chain) });
    }
    if !shown.is_empty() {
        finding.lines.push(line(&format!("chain: {}; engine chain drop cancels", short(&shown))));
    }
    let owner = first.map(|entry| entry.skill).unwrap_or_default();
    let unknown = typed.unknown.into_iter().map(|name| (name, "is no skill that is known here"));
    let refused = refused.into_iter().map(|name| (name, "takes no part in chains"));
    for (name, why) in unknown.chain(refused) {
        let text = format!("/{name} {why}; it stays in the arguments");
        let context = finding.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&format!("In the chain of /{owner}: {text}."));
        finding.lines.push(line(&text));
    }
    finding
}

/// The exits that a skill declares, as far as they are there.
fn exits_of(last: &Entry, view: &dyn View, finding: &mut Finding) -> Vec<Entry> {
    let (there, missing) = skill::exits_of(last, &|name| view.skill(name), &stands(view));
    for exit in missing {
        let text = format!(
            "engine: /{} declares the exit {}, which is no entry here. See: engine skill check",
            last.skill,
            written(&exit)
        );
        finding.lines.push(UserLine::once(text.clone(), text));
    }
    there
}

fn link(entry: Entry, view: &dyn View) -> Link {
    let cooperative = view.skill(&entry.skill).is_some_and(|known| known.cooperative);
    Link { entry, wrapped: !cooperative }
}

/// The user typed the next entry himself.
fn typed_next(only: &Entry, chain: &Stored, view: &dyn View) -> Finding {
    let mut moved = chain.clone();
    moved.advance(Some(&one_line(&only.args, 200)), view.session().turn);
    let mut finding = Finding::note(moved.told()).because("the user typed the next entry of the chain");
    finding.changes.push(Change::ChainCalled { skill: only.skill.clone(), args: one_line(&only.args, 200) });
    finding
}

fn after_skill(call: &ToolCall<'_>, response: &str, view: &dyn View) -> Option<Finding> {
    let skill = call.string("skill").unwrap_or_default();
    let name = field::string(response, "commandName").unwrap_or_default();
    let typed = call.string("args").unwrap_or_default();
    let (args, suffix) = match split(&typed) {
        Some((args, rest)) => (args, Some(rest)),
        None => (typed.clone().into_owned(), None),
    };
    let Some(chain) = view.session().chain().filter(|chain| !chain.left.is_empty()) else {
        return if suffix.is_none() { by_flag(skill.trim_start_matches('/'), &args, view) } else { None };
    };
    let next = chain.next()?;
    if chain.is_next(&skill) || chain.is_next(&name) {
        let args = one_line(&args, 200);
        let mut moved = chain.clone();
        moved.advance(Some(&args), view.session().turn);
        let mut finding =
            Finding::note(moved.told()).because("the Skill tool ran the next entry of the chain");
        finding.changes.push(Change::ChainCalled { skill: next.entry.skill.clone(), args });
        return Some(finding);
    }
    if chain.waiting {
        return None;
    }
    let (_, call) = chain.shown()?;
    Some(
        Finding::note(format!(
            "[CONTINUATION-PASSING]\n/{} is not the next entry of the chain, which stays where it is:\n  {call}",
            skill.trim_start_matches('/')
        ))
        .because("another skill than the next entry ran"),
    )
}

/// The model called a skill by itself, with a flag that asks for an exit: `handoff --commit`.
fn by_flag(skill: &str, args: &str, view: &dyn View) -> Option<Finding> {
    let known = view.skill(skill)?;
    known.exits.by_flag(args)?;
    let entries = vec![Entry { skill: skill.to_owned(), args: args.to_owned() }];
    let typed = Typed { form: Form::Leading, entries, closed: false, unknown: Vec::new() };
    let finding = started(Asked { typed, runs: true, refused: Vec::new() }, view);
    Some(finding.because("a flag of the call asks for the skill's exit"))
}

fn at_stop(stop: &Stop<'_>, view: &dyn View) -> Option<Finding> {
    let session = view.session();
    let chain = session.chain()?;
    // A turn that goes on only because of a hook goes on again only if something moved.
    let stuck = stop.active && chain.called == 0;
    if stuck || !chain.is_due(session.turn) {
        return None;
    }
    let (left, call) = chain.shown()?;
    let mut finding = Finding::note(format!(
        "The chain has entries left ({left}). The next one is called with the Skill tool:\n  {call}\n\
         If the current skill waits for the user, ending the turn is right. engine chain drop ends the chain."
    ));
    finding.moved = true;
    finding.changes.push(Change::ChainNamed);
    Some(finding.because("the next entry of the chain was not called in this turn"))
}

/// Entries for a line; long arguments are cut.
fn short(entries: &[Entry]) -> String {
    one_line(&listed(entries), 300)
}

fn line(text: &str) -> UserLine {
    UserLine { text: format!("engine: {text}"), cause: None }
}
