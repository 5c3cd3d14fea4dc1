//! Which exits follow a chain: a default, not an order.
//!
//! `/design plans/a, but do not commit anything` is followed by `/handoff`, not by `/handoff --commit` and `/commit`. What
//! the person forbids is looked for clause by clause, outside code and quotations. No name of a skill occurs here: an
//! exit is forbidden by its own name, in any form that English makes of it.

use std::ops::Range;

use super::reading::{Form, Typed};
use super::shield::{quoted, shielded};
use super::talk::{forbids, forbids_by_two};
use super::token::{Joint, Kind, tokens_between};
use super::{Entry, talk};

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
    /// What words of the person, outside a chain, leave of exits.
    pub(super) fn forbidden_by(words: &str, declared: Vec<Entry>) -> Self {
        let entries = vec![Entry { skill: String::new(), args: words.to_owned() }];
        let (closed, above, unknown) = (false, String::new(), Vec::new());
        let typed = Typed { form: Form::Leading, entries, closed, above, unknown };
        Self::of(&typed, declared, ExitMode::Always)
    }

    /// Those of the declared exits that follow this chain.
    pub fn of(typed: &Typed, declared: Vec<Entry>, mode: ExitMode) -> Self {
        let mut exits = Self::default();
        if typed.closed || declared.is_empty() || mode == ExitMode::Never {
            return exits;
        }
        let clauses: Vec<Clause<'_>> = [typed.above.as_str()]
            .into_iter()
            .chain(typed.entries.iter().map(|entry| entry.args.as_str()))
            .flat_map(clauses)
            .collect();
        let words_against =
            |skill: &str| clauses.iter().find_map(|clause| clause.words_against(last_part(skill)));
        let forbidden: Vec<(Entry, String)> = declared
            .iter()
            .filter_map(|exit| Some((exit.clone(), words_against(&exit.skill)?.to_owned())))
            .collect();
        let is_forbidden = |name: &str| forbidden.iter().any(|(exit, _)| last_part(&exit.skill) == name);
        for exit in declared {
            if !is_forbidden(last_part(&exit.skill)) {
                let args = without_flags(&exit.args, &is_forbidden);
                exits.follow.push(Entry { args, ..exit });
            }
        }
        exits.left_out = forbidden;
        if mode == ExitMode::Ask {
            exits.offered = std::mem::take(&mut exits.follow);
        }
        exits
    }
}

/// The name without the prefix of a plugin.
fn last_part(skill: &str) -> &str {
    skill.rsplit(':').next().unwrap_or(skill)
}

/// Arguments without the flags that ask for something forbidden: `--commit`, if `commit` is.
fn without_flags(args: &str, is_forbidden: &dyn Fn(&str) -> bool) -> String {
    let asks = |word: &str| word.strip_prefix("--").is_some_and(is_forbidden);
    if !args.split_whitespace().any(asks) {
        return args.to_owned();
    }
    args.split_whitespace().filter(|word| !asks(word)).collect::<Vec<_>>().join(" ")
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

/// Words that a comma, a full stop, a line end, `then` or `but` ends, outside code and quotations.
struct Clause<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
}

struct Word<'t> {
    /// Without the marks around it.
    text: &'t str,
    span: Range<usize>,
}

/// After these, what sounds like a prohibition is none: "don't forget to commit".
const HARMLESS: [&str; 9] = ["forget", "hesitate", "fail", "miss", "omit", "only", "just", "worry", "mind"];

/// Verbs before a prohibition that are quoted with it: "do not".
const AUXILIARIES: [&str; 10] =
    ["do", "does", "did", "must", "should", "can", "could", "will", "would", "please"];

/// "leave it uncommitted".
const LEAVES: [&str; 7] = ["leave", "leaves", "leaving", "keep", "keeps", "stay", "stays"];

/// Words that forbid an exit, and would not forbid a name: "nothing gets committed", "hold off on committing".
const PUTS_OFF: [&str; 6] = ["nothing", "hold", "wait", "refrain", "postpone", "delay"];

/// Before `before`, words by which the person wants to be asked: "show me the diff before committing".
const PERSON: [&str; 5] = ["me", "i", "i'll", "i've", "we"];

/// How many words after a prohibition it reaches, small ones not counted.
const REACH: usize = 5;

const SMALL: [&str; 8] = ["a", "an", "any", "the", "to", "you", "me", "make"];

fn clauses(text: &str) -> Vec<Clause<'_>> {
    let shields = quoted(text);
    let is_shielded = |at: usize| {
        let shield = shields.get(shields.partition_point(|shield| shield.end <= at));
        shield.is_some_and(|shield| shield.contains(&at))
    };
    let mut found = vec![Clause { text, words: Vec::new() }];
    for token in tokens_between(text, &shields) {
        let span = token.span;
        let word = &text[span.clone()];
        let ends = match token.kind {
            Kind::Sign(_) | Kind::Word(Joint::Orders | Joint::Ends) | Kind::Newline | Kind::Marker => true,
            Kind::Blank | Kind::Indent { .. } => continue,
            _ => matches!(word, "-" | "–" | "—") || word.eq_ignore_ascii_case("but"),
        };
        if ends || is_shielded(span.start) {
            if ends {
                found.push(Clause { text, words: Vec::new() });
            }
            continue;
        }
        if word.starts_with(['(', '[']) {
            found.push(Clause { text, words: Vec::new() });
        }
        let plain = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '-')));
        if let Some(clause) = found.last_mut().filter(|_| !plain.is_empty()) {
            let start = span.start + word.find(plain).unwrap_or(0);
            clause.words.push(Word { text: plain, span: start..start + plain.len() });
        }
        if talk::ends_sentence(word) || word.ends_with([':', ')', ']']) {
            found.push(Clause { text, words: Vec::new() });
        }
    }
    found
}

impl<'t> Clause<'t> {
    fn is(&self, at: usize, table: &[&str]) -> bool {
        self.words.get(at).is_some_and(|word| table.iter().any(|known| word.text.eq_ignore_ascii_case(known)))
    }

    /// The words of the clause that forbid the exit of this name.
    fn words_against(&self, name: &str) -> Option<&'t str> {
        let names = |at: usize| self.names(at, name);
        for at in 0..self.words.len() {
            if let Some(next) = self.after_prohibition(at)
                && !self.is(next, &HARMLESS)
                && self.within_reach(next).any(names)
            {
                let start = if at > 0 && self.is(at - 1, &AUXILIARIES) { at - 1 } else { at };
                return self.quoted(start);
            }
            // "commit nothing", "I commit it myself"
            if names(at)
                && (self.is(at + 1, &["nothing"]) || (at + 1..=at + 4).any(|word| self.is(word, &["myself"])))
            {
                return self.quoted(0);
            }
            if self.is(at, &LEAVES) && self.within_reach(at + 1).any(|word| self.undoes(word, name)) {
                return self.quoted(at);
            }
        }
        None
    }

    /// The first word after a prohibition that begins at a word.
    fn after_prohibition(&self, at: usize) -> Option<usize> {
        let word = self.words.get(at)?.text;
        let asks =
            self.is(at, &["before"]) && (at.saturating_sub(12)..at).any(|earlier| self.is(earlier, &PERSON));
        if forbids(word) || self.is(at, &PUTS_OFF) || asks {
            return Some(at + 1);
        }
        let next = self.words.get(at + 1)?.text;
        forbids_by_two(word, next).then_some(at + 2)
    }

    /// The words that a prohibition reaches from this one on.
    fn within_reach(&self, from: usize) -> impl Iterator<Item = usize> {
        let mut counted = 0;
        (from..self.words.len()).take_while(move |at| {
            counted += usize::from(!self.is(*at, &SMALL));
            counted <= REACH
        })
    }

    /// Whether the words here name it: `commit`, `/commit`, `committing`, `hand off`, `hand it off`.
    fn names(&self, at: usize, name: &str) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        let word = last_part(word.text.trim_start_matches('/')).to_lowercase();
        let joined: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        if is_form(&word, name) || is_form(&word.replace('-', ""), &joined) {
            return true;
        }
        let object = ["it", "this", "that", "them", "things"];
        let second = if self.is(at + 1, &object) { at + 2 } else { at + 1 };
        let Some(second) = self.words.get(second).map(|word| word.text.to_lowercase()) else { return false };
        let start =
            joined.strip_suffix(second.as_str()).filter(|start| !start.is_empty() && second.len() > 1);
        start.is_some_and(|start| is_form(&word, start))
    }

    /// `uncommitted`.
    fn undoes(&self, at: usize, name: &str) -> bool {
        let word = self.words.get(at).map(|word| word.text.to_lowercase());
        word.and_then(|word| word.strip_prefix("un").map(|word| word.ends_with("ed") && is_form(word, name)))
            .unwrap_or(false)
    }

    /// From a word to the end of the clause.
    fn quoted(&self, from: usize) -> Option<&'t str> {
        let (first, last) = (self.words.get(from)?, self.words.last()?);
        Some(&self.text[first.span.start..last.span.end])
    }
}

/// Whether a word is a form of the verb that a name is: `commits`, `committed`, `committing`.
fn is_form(word: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    if name.is_empty() {
        return false;
    }
    if let Some(ending) = word.strip_prefix(name.as_str()) {
        // The last letter may be doubled.
        let doubled = name.chars().next_back().and_then(|last| ending.strip_prefix(last));
        return matches!(ending, "" | "s" | "es" | "d" | "ed" | "ing")
            || doubled.is_some_and(|ending| matches!(ending, "ed" | "ing"));
    }
    name.strip_suffix('e').and_then(|stem| word.strip_prefix(stem)).is_some_and(|ending| ending == "ing")
}
