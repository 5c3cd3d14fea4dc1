//! Carries chains of skills: tells the model what comes next, moves on when the next skill really ran, reminds once.
//!
//! A prompt that is a chain is stored for the session, with the default exits of its last skill. A Skill call that
//! succeeded moves it on; what is left is told again then and after a compaction. A call is refused while the skill before it is not done
//! by what it declares, and one that fails ends the chain until somebody says how it goes on. At the end of a turn an entry that was
//! not called is named once, unless an ordinary prompt came in between or the agent has asked something. Silent without a chain.

mod begin;
mod gate;
mod said;
mod turn_end;

use begin::{MOST_NAMES, asked, at_prompt, by_flag, id_of, is_quick, quick_within};
use gate::{before_skill, unmet};
use said::{answered, at_answer, held, prohibitions};
use turn_end::at_stop;

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::chain::{Began, Condition, Ending, Entry, Forbidden, Outcome, Stored, split};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Source, Tool};
use engine_core::stage::Stages;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Outcomes, Project, Session, Skills, Tasks};
use engine_text::line::one_line;
use engine_text::redact::redact;

looks_at!(Outcomes + Project + Session + Skills + Stages + Tasks);

pub(crate) const RULE: Rule = Rule {
    id: "chain",
    about: "Carries a chain of skills: /design plans/foo, /plan-adhoc and /orchestrate.",
    events: &[
        EventName::SessionStart,
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
    ],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let finding = match &event.kind {
        Kind::SessionStart { source: Source::Compact, .. } => restated(view),
        Kind::SessionStart { source: Source::Startup | Source::Fork, .. } => orphaned(view),
        Kind::SessionStart { source: Source::Clear, .. } => cleared(view),
        Kind::Prompt { .. } => event.real_prompt().and_then(|prompt| at_words(prompt, view)),
        // A subagent's call is held as the agent's own: the entry before it is not done for either.
        Kind::PreTool(call) => match &call.tool {
            Tool::Skill { name, .. } => before_skill(name, view),
            _ => None,
        },
        // What the person interrupts has not failed.
        Kind::PostToolFailure { call, error, interrupted: false, .. } if event.actor == Actor::Main => {
            match &call.tool {
                Tool::Skill { name, .. } => failed_call(name, error, view),
                _ => None,
            }
        }
        Kind::PostTool { result, .. } if !result.questions.is_empty() => at_answer(&result.questions, view),
        Kind::PostTool { call, result, .. } if event.actor == Actor::Main => {
            match (&call.tool, &result.skill) {
                (Tool::Skill { name, args }, Some(ran)) => {
                    after_skill(name, args, ran, view).or_else(|| dropped(view))
                }
                _ => None,
            }
        }
        Kind::Stop(stop) if event.actor == Actor::Main => at_stop(stop, view).or_else(|| renewed(view)),
        _ => None,
    };
    Ok(finding.unwrap_or_default())
}

/// A prompt: a chain, an answer, or words that forbid what is left of one.
fn at_words(prompt: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let asked = asked(prompt, view).filter(|_| !is_quick(prompt));
    let typed = asked.as_ref().map(|asked| asked.typed.clone());
    let quick = quick_within(prompt, view);
    let chain = quick.or_else(|| asked.and_then(|asked| at_prompt(asked, prompt, view)));
    let finding = chain.or_else(|| dropped(view)).or_else(|| answered(prompt, view));
    match held(prompt, typed.as_ref(), view) {
        None => finding,
        Some(change) => {
            let mut finding = finding.unwrap_or_default();
            finding.changes.push(change);
            Some(finding)
        }
    }
}

/// Somebody dropped the chain; what the model was told of it before no longer holds.
fn dropped(view: &(impl View + ?Sized)) -> Option<Finding> {
    if !view.session().chain_dropped {
        return None;
    }
    let mut finding = Finding::note("[CONTINUATION-PASSING]\nContinuation: none; the chain was dropped.");
    finding.changes.push(Change::ChainDropTold);
    Some(finding.because("engine chain drop ended the chain"))
}

/// The end of a turn shows what the person was not shown yet, and that what the session remembers could not be read.
fn renewed(view: &(impl View + ?Sized)) -> Option<Finding> {
    let session = view.session();
    let has_news = !session.untold.is_empty() || (session.turn == 0 && view.is_damaged());
    has_news.then(|| Finding { changes: vec![Change::StateRenewed], ..Finding::default() })
}

/// The person cleared the context, and the chain with it.
fn cleared(view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.cleared_chain()?;
    let text = format!("the chain ended with the cleared context: {chain}");
    let mut finding = Finding { lines: vec![line(&text)], ..Finding::default() };
    finding.changes.push(Change::ClearedTold);
    Some(finding.because("a chain was under way when the context was cleared"))
}

fn restated(view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    Some(
        Finding::note(chain.told(view.dialect()))
            .because("a chain is stored; the compaction took what was told of it"),
    )
}

/// Chains of clients that are gone, for a session that begins.
fn orphaned(view: &(impl View + ?Sized)) -> Option<Finding> {
    // The words of a chain come from a person who worked here; a project that is not trusted has none of theirs.
    let chains = if view.is_trusted() { view.orphaned_chains() } else { Vec::new() };
    let told = |(session, chain): &(String, Stored)| {
        let short: String = session.chars().take(SHORT_ID).collect();
        format!(
            "engine: a chain was left by a client that is gone: {}; engine chain take {short}",
            chain.line()
        )
    };
    let lines: Vec<String> = chains.iter().take(MOST_NAMES).map(told).collect();
    if lines.is_empty() {
        return None;
    }
    let mut finding = Finding::note(lines.join("\n"));
    finding.lines = lines.into_iter().map(|text| UserLine { text, cause: None }).collect();
    let sessions = chains.into_iter().map(|(session, _)| session).collect();
    finding.changes.push(Change::OrphansTold { sessions });
    Some(finding.because("a chain is stored for a session whose client is gone"))
}

/// How much of a session's id names it.
const SHORT_ID: usize = 8;

/// The call of the next entry failed. Nothing after it is pressed for.
fn failed_call(name: &str, error: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let chain = view.session().chain()?;
    // A call that was refused, because the entry before it is not done, has not failed.
    if chain.unbegun || !is_next(chain, name, None, view) || unmet(chain, view).is_some() {
        return None;
    }
    let next = chain.next()?;
    let why = one_line(&redact(error), WHY);
    let began = began(&next.ending, &next.entry.args, view);
    let mut after = chain.clone();
    after.advance(None, view.session().turn, began.clone(), Outcome::Done);
    after.fail(&why);
    let mut finding = Finding::note(after.told(view.dialect()));
    finding.lines.push(line(&stopped(&next.entry.skill, &why)));
    let skill = next.entry.skill.clone();
    finding.changes.push(Change::ChainFailed { skill, why, began });
    Some(finding.because("the Skill call of the next entry failed"))
}

/// How much of an error is told.
const WHY: usize = 200;

/// The person's line for a chain that stopped.
fn stopped(skill: &str, why: &str) -> String {
    format!("chain stopped at /{skill}: {why}; engine chain retry, skip or drop")
}

/// How an entry that is called with these arguments is to end.
fn began(ending: &Ending, args: &str, view: &(impl View + ?Sized)) -> Option<Began> {
    let has_commit = ending.done_when.contains(&Condition::Commit);
    (*ending != Ending::default()).then(|| {
        // A path in the project is named from its root.
        let root = format!("{}/", view.root().display());
        let args = if args.contains(&root) { args.replacen(&root, "", 1) } else { args.to_owned() };
        let mut began = Began::new(ending, &args, has_commit.then(|| view.head()).flatten());
        began.files = view.contents(&began);
        began
    })
}

/// Whether a skill is the next entry: as it was called, and by the name that the client has for it. Only another name needs the registry.
fn is_next(chain: &Stored, skill: &str, name: Option<&str>, view: &(impl View + ?Sized)) -> bool {
    let literally = chain.next().is_some_and(|next| next.entry.skill == skill.trim_start_matches('/'));
    literally || {
        let id = id_of(skill, view);
        chain.is_next(skill, id.as_deref())
            || (id.is_none() && name.is_some_and(|name| chain.is_next(name, None)))
    }
}

/// The chain behind its next entry, which was called with these arguments. `said`: the prompt by which the person did it, whose
/// words may forbid what is left then.
fn moved_on(chain: &Stored, args: &str, said: &str, view: &(impl View + ?Sized)) -> Finding {
    let Some(next) = chain.next() else { return Finding::default() };
    let entry = Entry { skill: next.entry.skill.clone(), args: args.to_owned() };
    // A person may call it before its time.
    let outcome = if unmet(chain, view).is_some() { Outcome::Skipped } else { Outcome::Done };
    // What the person typed for an entry counts, not what the agent called it with.
    let is_own = next.entry.args.is_empty() || (next.given && !args.is_empty());
    let of_entry = if is_own { args } else { &next.entry.args };
    let began = began(&next.ending, of_entry, view);
    let mut moved = chain.clone();
    moved.advance(Some(args), view.session().turn, began.clone(), outcome.clone());
    let forbidden = Forbidden::by_words(said, &moved.names());
    let mut after = moved.clone();
    let text = prohibitions(&after.forbid(&forbidden));
    let unreturned = unreturned(chain, args).map(|text| format!("\n{text}")).unwrap_or_default();
    let mut finding = Finding::note(format!("{}{unreturned}", after.told(view.dialect())));
    let Entry { skill, args } = entry;
    finding.changes.extend(task_done(chain).filter(|_| outcome == Outcome::Done));
    finding.changes.push(Change::ChainCalled { skill, args, began, outcome });
    if after != moved {
        finding.changes.push(Change::ChainForbidden { forbidden });
        finding.lines.extend(text.as_deref().map(line));
    }
    finding
}

/// That the current entry declares values which nobody returned, where an entry is called without an argument for want of them.
fn unreturned(chain: &Stored, args: &str) -> Option<String> {
    let missing = chain.unreturned(args);
    let current = chain.current.as_ref().filter(|_| !missing.is_empty())?;
    let names = missing.join(" and ");
    Some(format!(
        "/{} ended without returning {names}, so no entry has it as its argument. Where one needs it, the Skill call names it.",
        current.skill
    ))
}

/// The task that is done with the current entry of a chain.
fn task_done(chain: &Stored) -> Option<Change> {
    chain.task.clone().map(|name| Change::TaskDone { name })
}

/// A skill ran: as the model called it, and by the name that the client has for it.
fn after_skill(skill: &str, typed: &str, name: &str, view: &(impl View + ?Sized)) -> Option<Finding> {
    let (args, suffix) = match split(typed) {
        Some((args, rest)) => (args, Some(rest)),
        None => (typed.to_owned(), None),
    };
    let Some(chain) = view.session().chain().filter(|chain| !chain.left.is_empty()) else {
        let is_free = suffix.is_none() && view.session().chain().is_none_or(Stored::is_over);
        return if is_free { by_flag(skill.trim_start_matches('/'), &args, view) } else { None };
    };
    if is_next(chain, skill, Some(name), view) {
        let mut finding =
            moved_on(chain, &args, "", view).because("the Skill tool ran the next entry of the chain");
        if let Some((current, missing)) = unmet(chain, view) {
            finding.lines.push(line(&format!("/{} was left before it was done: {missing}", current.skill)));
        }
        return Some(finding);
    }
    if chain.unbegun {
        return None;
    }
    let call = chain.shown_call(view.dialect())?;
    Some(
        Finding::note(format!(
            "[CONTINUATION-PASSING]\n/{} is not the next entry of the chain, which stays where it is:\n  {call}",
            skill.trim_start_matches('/')
        ))
        .because("another skill than the next entry ran"),
    )
}

fn line(text: &str) -> UserLine {
    UserLine { text: format!("engine: {text}"), cause: None }
}
