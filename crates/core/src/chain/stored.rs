//! What a session remembers of its chain, and how it moves on.

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;

use super::{Entry, listed, same_skill, with_suffix, written};
use engine_text::line::{one_line, units};

/// At most so often in one turn does the end of a turn name the next entry.
const WORDS_PER_TURN: u32 = 6;

/// Longer arguments are not repeated at every step.
const LONGEST_TOLD: usize = 1500;
/// How much of a long argument a list shows.
const SHORT: usize = 120;
/// More entries than this are counted, not listed.
const MOST_TOLD: usize = 20;

/// An entry that is still to be called.
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
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Stored {
    /// The entry that runs, as far as the engine saw it start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Entry>,
    pub left: Vec<Link>,
    /// A chain of lines behind prose waits for the first call in its turn; nobody is reminded of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
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

    /// Whether a name calls the next entry. `id`: the name that always calls that skill, if it is known.
    pub fn is_next(&self, name: &str, id: Option<&str>) -> bool {
        let Some(next) = self.next() else { return false };
        match (&next.id, id) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => same_skill(&next.entry.skill, name),
        }
    }

    /// The next entry was called, in this turn; with other arguments perhaps than the chain had.
    pub fn advance(&mut self, args: Option<&str>, turn: u64) {
        if self.left.is_empty() {
            return;
        }
        let mut entry = self.left.remove(0).entry;
        if let Some(args) = args {
            args.clone_into(&mut entry.args);
        }
        self.current = Some(entry);
        self.waiting = false;
        self.behind_task = false;
        self.called += 1;
        if self.turn != turn {
            self.turn = turn;
            self.words = 0;
        }
    }

    /// Whether the end of this turn names the next entry: once for each entry that was called, and not when an ordinary
    /// prompt started the turn.
    pub fn is_due(&self, turn: u64) -> bool {
        !self.left.is_empty()
            && !self.waiting
            && self.turn == turn
            && self.named != Some(self.called)
            && self.words < WORDS_PER_TURN
    }

    /// It did.
    pub fn was_named(&mut self) {
        self.named = Some(self.called);
        self.words += 1;
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
        let Some(call) = self.shown_call(dialect) else {
            text.push_str("Continuation: none; the chain ends with the current skill.");
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
