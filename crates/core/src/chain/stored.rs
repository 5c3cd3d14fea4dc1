//! What a session remembers of its chain, and how it moves on.

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;

use super::exits::Forbidden;
use super::forbid::last_part;
use super::{
    Began, Ending, Entry, Failure, Outcome, Past, Returned, listed, same_skill, with_suffix, written,
};
use engine_text::line::{one_line, units};

/// At most so often in one turn does the end of a turn name the next entry.
const WORDS_PER_TURN: u32 = 6;

/// So often is one entry named at the end of a turn.
const MOST_REMINDERS: u32 = 2;
/// Entries of the line of outcomes, the last ones.
const MOST_SHOWN: usize = 12;
/// How much of the reason of a failure is kept.
const WHY: usize = 200;

/// Longer arguments are not repeated at every step.
const LONGEST_TOLD: usize = 1500;
/// How much of a long argument a list shows.
const SHORT: usize = 120;
/// More entries than this are counted, not listed.
const MOST_TOLD: usize = 20;

/// An entry that is still to be called.
#[expect(clippy::struct_excessive_bools, reason = "what is known of an entry, each by itself")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    #[serde(flatten)]
    pub entry: Entry,
    /// The name that always calls the skill, where it was typed by another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The skill knows nothing of chains: its arguments stay free of them, and the engine names the next entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrapped: bool,
    /// A default exit: nobody typed it, and the person's words may take it away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exit: bool,
    /// A skill of the chain declares it as an exit, whoever typed it: it works on the session, and takes no value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tail: bool,
    /// Its argument is what an entry before it returned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// The task whose command it is the last entry of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// When it is done and what follows if it fails, as its skill declared when the chain began.
    #[serde(flatten)]
    pub ending: Ending,
}

impl From<Entry> for Link {
    fn from(entry: Entry) -> Self {
        Self {
            entry,
            id: None,
            wrapped: false,
            exit: false,
            tail: false,
            given: false,
            task: None,
            ending: Ending::default(),
        }
    }
}

/// Where a chain stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The current entry is at work, or the next one is to be called.
    Runs,
    /// The turn ended before the next entry was called: the person has the word.
    Waits,
    /// An entry failed, and nothing goes on before somebody says how.
    Failed,
    /// Every entry that was asked for is done; the exits wait for the person's word.
    Offers,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Stored {
    /// Entries that are over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub past: Vec<Past>,
    /// The entry that runs, as far as the engine saw it start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<Began>,
    /// The task that is done with the current entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    pub left: Vec<Link>,
    /// What entries returned: the argument of those after them that have none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<Returned>,
    /// Exits that follow only if the person wants them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<Link>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// A turn ended with entries left, so the person has the word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// A chain of lines behind prose waits for the first call in its turn; nobody is reminded of it.
    #[serde(rename = "waiting", skip_serializing_if = "std::ops::Not::not")]
    pub unbegun: bool,
    /// A task comes before the first entry.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub behind_task: bool,
    /// The turn that the chain is part of. Another one was started by an ordinary prompt.
    pub turn: u64,
    /// How many entries were called.
    pub called: u32,
    /// The value of `called` when the end of a turn last named the next entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<u32>,
    /// How often it did so in `turn`.
    #[serde(skip_serializing_if = "is_zero")]
    pub words: u32,
    /// How often it did so for the next entry.
    #[serde(skip_serializing_if = "is_zero")]
    pub reminders: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Stored {
    pub fn next(&self) -> Option<&Link> {
        self.left.first()
    }

    pub fn entries(&self) -> Vec<Entry> {
        self.left.iter().map(|link| link.entry.clone()).collect()
    }

    /// All that has not run, in its order: what is left, what failed, what was kept, what is offered.
    pub fn rest(&self) -> Vec<Entry> {
        let failed =
            self.failure.iter().flat_map(|failure| std::iter::once(&failure.failed).chain(&failure.left));
        let links = self.left.iter().chain(failed).chain(&self.offered);
        links.map(|link| link.entry.clone()).collect()
    }

    /// The names of the skills that words of the person may forbid here.
    pub fn names(&self) -> Vec<&str> {
        let kept = self.failure.iter().flat_map(|failure| failure.left.iter().chain([&failure.failed]));
        let links = || self.left.iter().chain(kept.clone()).chain(&self.offered);
        let endings = links().map(|link| &link.ending).chain(self.began.iter().map(|began| &began.ending));
        let handlers = endings.flat_map(|ending| &ending.on_failure);
        let mut names: Vec<&str> =
            links().map(|link| &link.entry).chain(handlers).map(|entry| entry.skill.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Takes out what the person forbids: of what is left, kept and offered, and of every `on-failure`. Gives what was taken out, each
    /// with the words that forbid it.
    pub fn forbid(&mut self, forbidden: &Forbidden) -> Vec<(Entry, String)> {
        let kept = self.failure.iter_mut().map(|failure| &mut failure.left);
        let mut out = Vec::new();
        for links in [&mut self.left, &mut self.offered].into_iter().chain(kept) {
            out.extend(without_forbidden(links, forbidden));
        }
        self.forbid_handlers(forbidden);
        out
    }

    /// Takes out of every `on-failure` what is forbidden.
    pub fn forbid_handlers(&mut self, forbidden: &Forbidden) {
        let kept =
            self.failure.iter_mut().flat_map(|failure| failure.left.iter_mut().chain([&mut failure.failed]));
        let links = self.left.iter_mut().chain(&mut self.offered).chain(kept).map(|link| &mut link.ending);
        let current = self.began.iter_mut().map(|began| &mut began.ending);
        for ending in links.chain(current).filter(|ending| !ending.on_failure.is_empty()) {
            ending.on_failure = forbidden.rest_of(std::mem::take(&mut ending.on_failure));
        }
    }

    /// Where it stands, in a line for a person.
    pub fn standing(&self) -> String {
        let how = match self.state() {
            State::Runs => String::new(),
            State::Waits => "; waits for your answer".to_owned(),
            State::Failed => self
                .failure
                .as_ref()
                .map(|failure| format!("; /{} failed: {}", failure.failed.entry.skill, failure.why))
                .unwrap_or_default(),
            State::Offers => {
                let exits: Vec<Entry> = self.offered.iter().map(|link| link.entry.clone()).collect();
                format!("; done, r calls {}", brief(&exits))
            }
        };
        format!("{}{how}", self.line())
    }

    pub fn state(&self) -> State {
        match (&self.failure, self.left.is_empty()) {
            (Some(_), _) => State::Failed,
            (None, true) if !self.offered.is_empty() => State::Offers,
            _ if self.asked => State::Waits,
            _ => State::Runs,
        }
    }

    /// Whether something in it must be shown to be done before what is left: without its chain nothing would ask for that.
    pub fn is_gated(&self) -> bool {
        let links = self.left.iter().map(|link| &link.ending);
        let current = self.began.iter().map(|began| &began.ending);
        self.failure.is_some() || links.chain(current).any(|ending| !ending.done_when.is_empty())
    }

    /// The task that it carries out.
    pub fn carried_task(&self) -> Option<&str> {
        let kept =
            self.failure.iter().flat_map(|failure| std::iter::once(&failure.failed).chain(&failure.left));
        let links = self.left.iter().chain(kept).find_map(|link| link.task.as_deref());
        self.task.as_deref().or(links)
    }

    /// Whether the task that it carries out ends with one of its entries, and not by a word.
    pub fn is_task_shown(&self) -> bool {
        let is_its = |link: &Link| link.task.is_some();
        match self.left.iter().position(is_its) {
            // Something follows it, or it declares when it is done.
            Some(at) => at + 1 < self.left.len() || !self.left[at].ending.done_when.is_empty(),
            None => {
                let began = self.began.as_ref().is_some_and(|began| !began.ending.done_when.is_empty());
                self.task.is_none() || began || !self.left.is_empty()
            }
        }
    }

    /// The entry by which a task is still to be done, if the chain carries that task out.
    pub fn carries(&self, task: &str) -> Option<&Entry> {
        let kept =
            self.failure.iter().flat_map(|failure| std::iter::once(&failure.failed).chain(&failure.left));
        let is_its = |name: &Option<String>| name.as_deref() == Some(task);
        let link = self.left.iter().chain(kept).find(|link| is_its(&link.task)).map(|link| &link.entry);
        let declares = self.began.as_ref().is_some_and(|began| !began.ending.done_when.is_empty());
        link.or_else(|| self.current.as_ref().filter(|_| declares && is_its(&self.task)))
    }

    /// Whether nothing is left to be done or decided.
    pub fn is_over(&self) -> bool {
        let holds = self.began.as_ref().is_some_and(|began| began.ending.holds());
        self.left.is_empty() && self.offered.is_empty() && self.failure.is_none() && !holds
    }

    /// Whether a name calls the next entry. `id`: the name that always calls that skill, if it is known.
    pub fn is_next(&self, name: &str, id: Option<&str>) -> bool {
        let Some(next) = self.next() else { return false };
        match (&next.id, id) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => same_skill(&next.entry.skill, name),
        }
    }

    /// The next entry was called, in this turn; with other arguments perhaps than the chain had. `outcome` is that of the entry before it.
    pub fn advance(&mut self, args: Option<&str>, turn: u64, began: Option<Began>, outcome: Outcome) {
        if self.left.is_empty() {
            return;
        }
        let Link { mut entry, task, given, .. } = self.left.remove(0);
        // Who calls it without arguments takes what was returned for it.
        if let Some(args) = args.filter(|args| !given || !args.is_empty()) {
            args.clone_into(&mut entry.args);
        }
        self.leave_current(outcome);
        self.current = Some(entry);
        self.task = task;
        self.began = began;
        self.unbegun = false;
        self.behind_task = false;
        self.called += 1;
        self.asked = false;
        self.reminders = 0;
        if self.turn != turn {
            self.turn = turn;
            self.words = 0;
        }
    }

    fn leave_current(&mut self, outcome: Outcome) {
        self.began = None;
        self.task = None;
        self.past.extend(self.current.take().map(|entry| Past { entry, outcome }));
    }

    /// The current entry failed. What was left is kept, and what its skill declares for this case comes next.
    pub fn fail(&mut self, why: &str) -> bool {
        let Some(entry) = self.current.take() else { return false };
        let ending = self.began.take().map(|began| began.ending).unwrap_or_default();
        let task = self.task.take();
        let handlers = ending.on_failure.clone();
        let why = one_line(why, WHY);
        self.past.push(Past { entry: entry.clone(), outcome: Outcome::Failed(why.clone()) });
        let left = std::mem::replace(&mut self.left, handlers.into_iter().map(Link::from).collect());
        // A second failure, of what follows the first, changes nothing of what was kept.
        self.failure.get_or_insert(Failure { failed: Link { task, ending, ..Link::from(entry) }, why, left });
        self.arm(self.turn);
        true
    }

    /// The failure that the chain has if the call of its next entry fails.
    pub fn failure_of_next(mut self, why: &str) -> Option<Failure> {
        let next = self.next()?.entry.clone();
        self.left.remove(0);
        self.current = Some(next);
        self.fail(why);
        self.failure
    }

    /// The entry that failed is the next one again.
    pub fn retry(&mut self) -> bool {
        let Some(Failure { failed, left, .. }) = self.failure.take() else { return false };
        self.leave_current(Outcome::Done);
        self.left = std::iter::once(failed).chain(left).collect();
        true
    }

    /// Goes on without the entry that failed, else without the next one; which one that was.
    pub fn skip(&mut self) -> Option<Entry> {
        if let Some(Failure { failed, left, .. }) = self.failure.take() {
            self.leave_current(Outcome::Done);
            self.left = left;
            return Some(failed.entry);
        }
        if self.left.is_empty() {
            return None;
        }
        // The current entry goes on, with what it must show.
        let entry = self.left.remove(0).entry;
        self.past.push(Past { entry: entry.clone(), outcome: Outcome::Skipped });
        Some(entry)
    }

    /// Somebody takes it up again in this turn: what failed is tried again, what was offered is wanted.
    pub fn resume(&mut self, turn: u64) {
        self.retry();
        if self.left.is_empty() {
            self.left = std::mem::take(&mut self.offered);
        }
        self.unbegun = false;
        self.arm(turn);
    }

    /// The end of this turn may name the next entry.
    pub fn arm(&mut self, turn: u64) {
        self.asked = false;
        self.named = None;
        self.turn = turn;
        self.words = 0;
    }

    /// Whether the end of this turn names the next entry: once for each entry that was called, and not when an ordinary
    /// prompt started the turn. An entry that was named in vain twice is not named again.
    pub fn is_due(&self, turn: u64) -> bool {
        !self.left.is_empty()
            && !self.unbegun
            && self.turn == turn
            && self.named != Some(self.called)
            && self.words < WORDS_PER_TURN
            && self.reminders < MOST_REMINDERS
    }

    /// It did.
    pub fn was_named(&mut self) {
        self.named = Some(self.called);
        self.words += 1;
        self.reminders += 1;
    }

    /// `design ✓ → plan-adhoc … → orchestrate`: all entries and what became of each.
    pub fn line(&self) -> String {
        let sign = |outcome: &Outcome| match outcome {
            Outcome::Done => "✓",
            Outcome::Skipped => "–",
            Outcome::Failed(_) => "✗",
        };
        let mut parts: Vec<String> =
            self.past.iter().map(|past| format!("{} {}", past.entry.skill, sign(&past.outcome))).collect();
        let mark = if self.state() == State::Waits { "?" } else { "…" };
        parts.extend(self.current.iter().map(|current| format!("{} {mark}", current.skill)));
        parts.extend(self.left.iter().map(|link| link.entry.skill.clone()));
        if let Some(failure) = &self.failure {
            parts.extend(failure.left.iter().map(|link| format!("({})", link.entry.skill)));
        }
        parts.extend(self.offered.iter().map(|link| format!("{} offered", link.entry.skill)));
        let first = parts.len().saturating_sub(MOST_SHOWN);
        let cut = if first > 0 { "… → " } else { "" };
        format!("{cut}{}", parts[first..].join(" → "))
    }

    /// The Skill call for the next entry, as the model writes it.
    pub fn call(&self, dialect: &Dialect) -> Option<String> {
        let next = self.next()?;
        let rest: Vec<Entry> = self.left[1..].iter().map(|link| link.entry.clone()).collect();
        let args = if next.wrapped { next.entry.args.clone() } else { with_suffix(&next.entry.args, &rest) };
        Some((dialect.skill_call)(&next.entry.skill, Some(&args)))
    }

    /// The next call for a text; a long one is named by the command that prints it.
    pub fn shown_call(&self, dialect: &Dialect) -> Option<String> {
        let call = self.call(dialect)?;
        let long = units(&call) > LONGEST_TOLD;
        Some(if long { "as engine chain next prints it (it is long)".to_owned() } else { call })
    }

    /// What the model is told of the chain: facts, and the exact call.
    pub fn told(&self, dialect: &Dialect) -> String {
        let mut text = String::from("[CONTINUATION-PASSING]\n");
        if let Some(current) = &self.current {
            let whole = written(current);
            if units(&whole) <= LONGEST_TOLD {
                text.push_str(&format!("Current: {whole}\n"));
            } else {
                let start = brief(std::slice::from_ref(current));
                text.push_str(&format!("Current: {start} (engine chain show prints all of it)\n"));
            }
        }
        if let Some(Failure { failed, why, left }) = &self.failure {
            let kept: Vec<Entry> = left.iter().map(|link| link.entry.clone()).collect();
            let kept = if kept.is_empty() { "nothing".to_owned() } else { brief(&kept) };
            text.push_str(&format!("/{} failed: {why}. Kept for later: {kept}.\n", failed.entry.skill));
        }
        let Some(call) = self.shown_call(dialect) else {
            text.push_str(match (&self.failure, self.offered.is_empty()) {
                (Some(_), _) => "Continuation: none; the user decides how it goes on.",
                (None, false) => "Continuation: none; the user decides whether the exits follow.",
                (None, true) => "Continuation: none; the chain ends with the current skill.",
            });
            return text;
        };
        text.push_str(&format!("Continuation: {}\n\n", brief(&self.entries())));
        text.push_str(match (&self.current, self.behind_task) {
            (Some(_), _) => {
                "When the work of the current skill is done, the next entry is called with the Skill tool:\n"
            }
            (None, true) => "When the task is done, the first entry is called with the Skill tool:\n",
            (None, false) => "The first entry is called with the Skill tool:\n",
        });
        text.push_str(&format!("  {call}\n"));
        text.push_str("The continuation belongs in Skill calls only, not in a subagent's prompt.");
        text
    }
}

/// Takes the links out that are forbidden, and gives them with the words.
fn without_forbidden(links: &mut Vec<Link>, forbidden: &Forbidden) -> Vec<(Entry, String)> {
    let mut out = Vec::new();
    let kept = std::mem::take(links).into_iter().filter_map(|link| {
        let of = if link.exit { &forbidden.exits } else { &forbidden.typed };
        match of.get(last_part(&link.entry.skill)) {
            Some(words) => {
                out.push((link.entry, words.clone()));
                None
            }
            None => Some(Link { entry: forbidden.without_flags(link.entry), ..link }),
        }
    });
    *links = kept.collect();
    out
}

/// Entries for a reader: long arguments are cut, many entries counted.
pub fn brief(entries: &[Entry]) -> String {
    let short = |entry: &Entry| {
        let long = units(&entry.args) > SHORT;
        let args = if long { one_line(&entry.args, SHORT) } else { entry.args.clone() };
        Entry { args, ..entry.clone() }
    };
    let shown: Vec<Entry> = entries.iter().take(MOST_TOLD).map(short).collect();
    match entries.len().saturating_sub(MOST_TOLD) {
        0 => listed(&shown),
        more => format!("{} and {more} more", listed(&shown)),
    }
}
