//! What a session remembers of its chain, and how it moves on.

use serde::{Deserialize, Serialize};

use super::{Entry, listed, same_skill, with_suffix, written};
use crate::text::units;

/// At most so often in one turn does the end of a turn name the next entry.
const WORDS_PER_TURN: u32 = 6;

/// Longer arguments are not repeated at every step.
const LONGEST_TOLD: usize = 3000;

/// An entry that is still to be called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    #[serde(flatten)]
    pub entry: Entry,
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
    /// A chain of lines behind prose waits for the first call; until then nobody is reminded of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
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

    pub fn is_next(&self, skill: &str) -> bool {
        self.next().is_some_and(|next| same_skill(&next.entry.skill, skill))
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
    pub fn call(&self) -> Option<String> {
        let next = self.next()?;
        let rest: Vec<Entry> = self.left[1..].iter().map(|link| link.entry.clone()).collect();
        let args = if next.wrapped { next.entry.args.clone() } else { with_suffix(&next.entry.args, &rest) };
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        Some(format!("Skill(skill: {}, args: {})", quoted(&next.entry.skill), quoted(&args)))
    }

    /// What is left and the next call, for a text; without the arguments where they are long.
    pub fn shown(&self) -> Option<(String, String)> {
        let entries = self.entries();
        let (list, call) = (listed(&entries), self.call()?);
        if units(&list) + units(&call) <= LONGEST_TOLD {
            return Some((list, call));
        }
        let names = entries.into_iter().map(|entry| Entry { args: String::new(), ..entry });
        let names: Vec<Entry> = names.collect();
        Some((listed(&names), "as engine chain next prints it (its arguments are long)".to_owned()))
    }

    /// What the model is told of the chain: facts, and the exact call.
    pub fn told(&self) -> String {
        let mut text = String::from("[CONTINUATION-PASSING]\n");
        if let Some(current) = &self.current {
            text.push_str(&format!("Current: {}\n", written(current)));
        }
        let Some((list, call)) = self.shown() else {
            text.push_str("Continuation: none; the chain ends with the current skill.");
            return text;
        };
        text.push_str(&format!("Continuation: {list}\n\n"));
        text.push_str(match &self.current {
            Some(_) => {
                "When the work of the current skill is done, the next entry is called with the Skill tool:\n"
            }
            None => "The first entry is called with the Skill tool:\n",
        });
        text.push_str(&format!("  {call}\n"));
        text.push_str("The continuation belongs in Skill calls only, not in a subagent's prompt.");
        text
    }
}
