//! Which exits follow a chain: a default, not an order.
//!
//! `/design plans/a, but do not commit anything` is followed by `/handoff`, not by `/handoff --commit` and `/commit`. No name
//! of a skill occurs here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Entry;
use super::forbid::{Whose, Words, last_part};
use super::reading::Typed;
use super::shield::shielded;

/// What comes after the typed entries of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exits {
    pub follow: Vec<Entry>,
    /// Exits that the person forbade, each with the words that do so.
    pub left_out: Vec<(Entry, String)>,
    /// Exits that wait for the person's word when the chain is done.
    pub offered: Vec<Entry>,
}

/// Whether exits follow a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExitMode {
    #[default]
    Always,
    Never,
    Ask,
}

impl Exits {
    /// Those of the declared exits that follow this chain.
    pub fn of(typed: &Typed, declared: Vec<Entry>, mode: ExitMode) -> Self {
        let mut exits = Self::default();
        if declared.is_empty() || mode == ExitMode::Never {
            return exits;
        }
        let names: Vec<&str> = declared.iter().map(|exit| exit.skill.as_str()).collect();
        let forbidden = Forbidden::by_chain(typed, &names);
        if typed.closed {
            return exits;
        }
        exits.left_out = forbidden.of_exits(&declared);
        exits.follow = forbidden.rest_of(declared);
        if mode == ExitMode::Ask {
            exits.offered = std::mem::take(&mut exits.follow);
        }
        exits
    }

    /// Without those that these words forbid.
    pub fn without(self, forbidden: &Forbidden) -> Self {
        let mut left_out = self.left_out;
        left_out.extend(forbidden.of_exits(&self.follow));
        left_out.extend(forbidden.of_exits(&self.offered));
        Self { follow: forbidden.rest_of(self.follow), offered: forbidden.rest_of(self.offered), left_out }
    }
}

/// What the person's words forbid, by the names of the skills, each with the words that do so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Forbidden {
    /// As exits, and as flags that ask for one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub exits: BTreeMap<String, String>,
    /// Entries that the person typed before, and takes back.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub typed: BTreeMap<String, String>,
}

impl Forbidden {
    /// What a prompt that is no chain says of these skills.
    pub fn by_words(words: &str, names: &[&str]) -> Self {
        let said = Words::of(words, names);
        let against = |whose| {
            let of = |name: &&str| Some((last_part(name).to_owned(), said.against(name, names, whose)?));
            names.iter().filter_map(of).collect()
        };
        Self { exits: against(Whose::Declared), typed: against(Whose::Typed) }
    }

    /// What the answer to a question says: "No" to "Shall I commit?" forbids that, too.
    pub fn by_answer(question: &str, answer: &str, names: &[&str]) -> Self {
        let mut forbidden = Self::by_words(answer, names);
        if is_refusal(answer) {
            let asked = Words::of(question, names);
            let negated = |name: &&&str| asked.names(name);
            for name in names.iter().filter(negated) {
                let name = last_part(name).to_owned();
                forbidden.typed.entry(name.clone()).or_insert_with(|| answer.to_owned());
                forbidden.exits.entry(name).or_insert_with(|| answer.to_owned());
            }
        }
        forbidden
    }

    /// What the words of a chain say of its exits.
    pub fn by_chain(typed: &Typed, names: &[&str]) -> Self {
        let texts: Vec<Words<'_>> = [typed.above.as_str()]
            .into_iter()
            .chain(typed.entries.iter().map(|entry| entry.args.as_str()))
            .map(|text| Words::of(text, names))
            .collect();
        // The last words of the prompt may end the chain there.
        let stop = if typed.closed { Some(NO_EXIT.to_owned()) } else { texts.last().and_then(Words::stop) };
        let against = |name: &&str| {
            let words = texts.iter().find_map(|text| text.against(name, names, Whose::Declared));
            // "just the handoff, then stop": what is named before the end is wanted.
            let is_named = || !typed.closed && texts.last().is_some_and(|text| text.names(name));
            let stop = || stop.clone().filter(|_| !is_named());
            Some((last_part(name).to_owned(), words.or_else(stop)?))
        };
        Self { exits: names.iter().filter_map(against).collect(), typed: BTreeMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.exits.is_empty() && self.typed.is_empty()
    }

    /// The words against an exit.
    pub fn against(&self, skill: &str) -> Option<&String> {
        self.exits.get(last_part(skill))
    }

    /// Which of these exits are forbidden, each with the words.
    pub(super) fn of_exits(&self, exits: &[Entry]) -> Vec<(Entry, String)> {
        let words = |exit: &Entry| Some((exit.clone(), self.against(&exit.skill)?.clone()));
        exits.iter().filter_map(words).collect()
    }

    /// The exits that are left, without the flags that ask for a forbidden one.
    pub(super) fn rest_of(&self, exits: Vec<Entry>) -> Vec<Entry> {
        let is_left = |exit: &Entry| self.against(&exit.skill).is_none();
        exits.into_iter().filter(is_left).map(|exit| self.without_flags(exit)).collect()
    }

    /// Entries that nobody typed, as far as they are not forbidden, and what is left out.
    pub fn leaves(&self, entries: Vec<Entry>) -> (Vec<Entry>, Vec<(Entry, String)>) {
        let out = self.of_exits(&entries);
        (self.rest_of(entries), out)
    }

    /// The entry without flags that ask for something forbidden: `--commit`, if `commit` is.
    pub(super) fn without_flags(&self, entry: Entry) -> Entry {
        let asks = |word: &str| word.strip_prefix("--").is_some_and(|name| self.exits.contains_key(name));
        if !entry.args.split_whitespace().any(asks) {
            return entry;
        }
        let kept: Vec<&str> = entry.args.split_whitespace().filter(|word| !asks(word)).collect();
        Entry { args: kept.join(" "), ..entry }
    }

    /// What was forbidden before and what these words say: the newer ones count.
    pub fn and(mut self, newer: Self) -> Self {
        self.exits.extend(newer.exits);
        self.typed.extend(newer.typed);
        self
    }

    /// Without what these newer words order: "ok, you may commit now", `/commit`, `/handoff --commit`.
    pub fn lifted(mut self, prompt: &str, typed: Option<&Typed>) -> Self {
        let names: Vec<&str> = self.exits.keys().map(String::as_str).collect();
        let said = Words::of(prompt, &names);
        let asked = |name: &str| {
            typed.is_some_and(|typed| {
                typed.entries.iter().any(|entry| {
                    let flag = |word: &str| word.strip_prefix("--") == Some(name);
                    last_part(&entry.skill) == name || entry.args.split_whitespace().any(flag)
                })
            })
        };
        let lifted: Vec<String> = names
            .iter()
            .filter(|name| asked(name) || said.orders(name))
            .map(|name| (*name).to_owned())
            .collect();
        self.exits.retain(|name, _| !lifted.contains(name));
        self
    }
}

/// "No", "No, thanks", "not now", "later".
fn is_refusal(answer: &str) -> bool {
    let first =
        answer.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '\'')).next().unwrap_or_default();
    let refusals = ["no", "nope", "nah", "not", "never", "don't", "dont", "later", "skip", "nein"];
    refusals.iter().any(|refusal| first.eq_ignore_ascii_case(refusal))
}

const NO_EXIT: &str = "--no-exit";

/// The arguments without the word `--no-exit`; nothing if it is not in them, or only in code and quotations.
pub(super) fn without_no_exit(args: &str) -> Option<String> {
    if !args.contains(NO_EXIT) {
        return None;
    }
    let shields = shielded(args);
    let is_word = |at: usize| {
        let before = args[..at].chars().next_back().is_none_or(char::is_whitespace);
        let after = &args[at + NO_EXIT.len()..];
        let apart =
            after.trim_start_matches(['.', ',', ';', '!']).chars().next().is_none_or(char::is_whitespace);
        before && apart && !shields.iter().any(|shield| shield.contains(&at))
    };
    let mut kept = String::new();
    let mut from = 0;
    for (at, _) in args.match_indices(NO_EXIT).filter(|(at, _)| is_word(*at)) {
        kept.push_str(args[from..at].trim_end());
        from = at + NO_EXIT.len();
    }
    kept.push_str(&args[from..]);
    (from > 0).then(|| kept.trim().to_owned())
}
