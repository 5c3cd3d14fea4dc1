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
        // The last words of the prompt may end the chain there.
        let stop = typed.entries.last().and_then(|last| {
            self::clauses(&last.args).into_iter().rfind(|clause| !clause.words.is_empty())?.stop()
        });
        let words_against = |skill: &str| {
            let forbids = |clause: &Clause<'_>| {
                clause.words_against(last_part(skill), Whose::Declared).map(str::to_owned)
            };
            clauses.iter().find_map(forbids).or_else(|| stop.clone())
        };
        let forbidden: Vec<(Entry, String)> =
            declared.iter().filter_map(|exit| Some((exit.clone(), words_against(&exit.skill)?))).collect();
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

/// The words of a later prompt by which the person takes an entry back that they typed before, if there are any.
pub(super) fn taken_back(words: &str, skill: &str) -> Option<String> {
    let clauses = clauses(words);
    let against =
        |clause: &Clause<'_>| clause.words_against(last_part(skill), Whose::Typed).map(str::to_owned);
    clauses.iter().find_map(against)
}

/// Whose wish an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// An exit that a skill declares.
    Declared,
    /// An entry that the person typed. Only a prohibition of the act itself takes it back: "do not fix yet", not "do not fix
    /// the tests".
    Typed,
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

/// Words that a comma, a full stop, a line end, `then` or `but` ends, outside code and quotations. A line that ends in a
/// prohibition or in a small word was broken by an editor, and goes on in the next one.
struct Clause<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
}

struct Word<'t> {
    /// Without the marks around it.
    text: &'t str,
    span: Range<usize>,
}

/// After these, what sounds like a prohibition is none: "don't forget to commit", "do not skip the commit".
const HARMLESS: [&str; 13] = [
    "forget",
    "hesitate",
    "fail",
    "miss",
    "omit",
    "only",
    "just",
    "worry",
    "mind",
    "skip",
    "skipping",
    "avoid",
    "forgetting",
];

/// Prohibitions that a prohibition before them undoes.
const UNDONE: [&str; 4] = ["skip", "skipping", "omit", "avoid"];

/// Verbs before a prohibition that are quoted with it: "do not".
const AUXILIARIES: [&str; 10] =
    ["do", "does", "did", "must", "should", "can", "could", "will", "would", "please"];

/// "leave it uncommitted", "leave the commit to me".
const LEAVES: [&str; 7] = ["leave", "leaves", "leaving", "keep", "keeps", "stay", "stays"];

/// Words that forbid an exit, and would not forbid a name: "nothing gets committed", "hold off on committing".
const PUTS_OFF: [&str; 6] = ["nothing", "hold", "wait", "refrain", "postpone", "delay"];

/// Before `before`, words by which the person wants to be asked: "show me the diff before committing".
const PERSON: [&str; 6] = ["me", "i", "ill", "ive", "we", "my"];

/// Before `before`, words that end the work there: "stop before the commit".
const STOPS: [&str; 4] = ["stop", "stops", "pause", "halt"];

/// After a name, how the person does it: "commit by hand", "I commit it myself".
const BY_PERSON: [&str; 4] = ["myself", "ourselves", "manually", "tomorrow"];

/// Words from `I'll` to a name: "I'll do the commit".
const PERSON_DOES: [&str; 15] = [
    "do", "make", "handle", "run", "be", "then", "just", "also", "a", "any", "the", "my", "own", "git", "all",
];

/// Words before a name that begins a request: "please only commit when I say so".
const BEGINS: [&str; 8] = ["and", "or", "please", "only", "just", "you", "may", "can"];

/// "commit after I approve".
const AWAITS: [&str; 5] = ["after", "when", "once", "until", "if"];

/// Prefixes of a name: "no auto-commit".
const PREFIXES: [&str; 2] = ["auto", "git"];

/// After a name, words that are nothing which it would be done to: "do not commit yet".
const NO_OBJECT: [&str; 24] = [
    "yet",
    "now",
    "anything",
    "it",
    "this",
    "that",
    "them",
    "everything",
    "until",
    "till",
    "before",
    "please",
    "today",
    "ever",
    "again",
    "because",
    "so",
    "unless",
    "either",
    "here",
    "at",
    "on",
    "while",
    "first",
];

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
            Kind::Newline => !found.last().is_some_and(Clause::is_broken),
            Kind::Sign(_) | Kind::Word(Joint::Orders | Joint::Ends) | Kind::Marker => true,
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
        self.words.get(at).is_some_and(|word| talk::is_among(word.text, table))
    }

    /// The words of the clause that forbid the entry of this name.
    fn words_against(&self, name: &str, whose: Whose) -> Option<&'t str> {
        let names = |at: usize| self.names(at, name);
        // Most clauses name no exit.
        if !(0..self.words.len()).any(|at| names(at) || self.undoes(at, name)) {
            return None;
        }
        for at in 0..self.words.len() {
            if let Some(next) = self.after_prohibition(at)
                && !self.is(next, &HARMLESS)
                && match whose {
                    Whose::Declared => self.within_reach(next).any(names),
                    Whose::Typed => self.is_act(next, name),
                }
            {
                let start = if at > 0 && self.is(at - 1, &AUXILIARIES) { at - 1 } else { at };
                return self.quoted(start);
            }
            if names(at) && self.is_put_off(at) {
                return self.quoted(0);
            }
            let is_left = |word| self.undoes(word, name) || (names(word) && self.is_left_to_person(word));
            if self.is(at, &LEAVES) && self.within_reach(at + 1).any(is_left) {
                return self.quoted(at);
            }
            if self.person_does(at).is_some_and(names) {
                return self.quoted(at);
            }
        }
        None
    }

    /// Whether what is named here is not to be done now, or by the person: "commit nothing", "commit later", "I commit it
    /// myself", "commit when I say so".
    fn is_put_off(&self, at: usize) -> bool {
        // With a slash it is a skill that somebody mentions: "first a, /handoff later".
        if self.words[at].text.starts_with('/') {
            return false;
        }
        let is_last = |word: usize| word + 1 == self.words.len();
        let begins = (0..at).rev().find(|before| !self.is(*before, &BEGINS)).is_none_or(|before| {
            // "… and commit when I say so"
            (before + 1..at).any(|word| self.is(word, &["and", "only"]))
        });
        self.is(at + 1, &["nothing"])
            || (self.is(at + 1, &["is", "are"]) && self.is(at + 2, &["mine"]))
            || (at + 1..=at + 4).any(|word| {
                self.is(word, &BY_PERSON)
                    || (self.is(word, &["by"]) && self.is(word + 1, &["hand"]))
                    || (self.is(word, &["later"]) && (is_last(word) || self.is(word + 1, &["on"])))
                    || (begins && self.is(word, &AWAITS) && self.is(word + 1, &PERSON))
            })
    }

    /// "the commit to me".
    fn is_left_to_person(&self, at: usize) -> bool {
        (at + 1..=at + 3)
            .any(|word| self.is(word, &["to", "for", "with"]) && self.is(word + 1, &["me", "us"]))
    }

    /// The word after "I'll do the", if the clause has it from this word on.
    fn person_does(&self, at: usize) -> Option<usize> {
        let from = match () {
            () if self.is(at, &["ill"]) => at + 1,
            () if self.is(at, &["i"]) && self.is(at + 1, &["will"]) => at + 2,
            () => return None,
        };
        (from..self.words.len()).find(|word| !self.is(*word, &PERSON_DOES))
    }

    /// The words, if the clause only ends the work: "then stop", "nothing else".
    fn stop(&self) -> Option<String> {
        let first = (0..self.words.len()).find(|at| !self.is(*at, &["and", "please", "just", "now"]))?;
        let rest = match () {
            () if self.is(first, &["nothing"]) && self.is(first + 1, &["else", "more"]) => first + 2,
            () if self.is(first, &["stop"]) => first + 1,
            () => return None,
        };
        let ends = ["there", "here", "after", "that", "afterwards", "please", "now"];
        let is_whole = (rest..self.words.len()).all(|at| self.is(at, &ends));
        is_whole.then(|| self.quoted(0).map(str::to_owned)).flatten()
    }

    /// Whether the words so far want another one.
    fn is_broken(&self) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        self.after_prohibition(last).is_some() || self.is(last, &SMALL)
    }

    /// The first word after a prohibition that begins at a word.
    fn after_prohibition(&self, at: usize) -> Option<usize> {
        let word = self.words.get(at)?.text;
        if at > 0 && self.is(at, &UNDONE) && forbids(self.words[at - 1].text) {
            return None;
        }
        let asks = self.is(at, &["before"])
            && ((at.saturating_sub(12)..at).any(|earlier| self.is(earlier, &PERSON))
                || (at.saturating_sub(3)..at).any(|earlier| self.is(earlier, &STOPS)));
        if forbids(word) || self.is(at, &PUTS_OFF) || asks {
            return Some(at + 1);
        }
        let next = self.words.get(at + 1)?.text;
        forbids_by_two(word, next).then_some(at + 2)
    }

    /// Whether the words from here on name it and nothing that it would be done to: "commit", "run /commit on it", "commit yet".
    fn is_act(&self, from: usize, name: &str) -> bool {
        let small = |at: &usize| self.is(*at, &SMALL) || self.is(*at, &["run", "call", "use", "do", "doing"]);
        let Some(at) = (from..self.words.len()).find(|at| !small(at)) else { return false };
        let Some(after) = self.named(at, name) else { return false };
        self.words[at].text.starts_with('/') || after == self.words.len() || self.is(after, &NO_OBJECT)
    }

    /// The words that a prohibition reaches from this one on.
    fn within_reach(&self, from: usize) -> impl Iterator<Item = usize> {
        let mut counted = 0;
        (from..self.words.len()).take_while(move |at| {
            counted += usize::from(!self.is(*at, &SMALL));
            counted <= REACH
        })
    }

    fn names(&self, at: usize, name: &str) -> bool {
        self.named(at, name).is_some()
    }

    /// The word after those that name it here: `commit`, `/commit`, `committing`, `hand off`, `hand it off`.
    fn named(&self, at: usize, name: &str) -> Option<usize> {
        let word = last_part(self.words.get(at)?.text.trim_start_matches('/'));
        // Most words are others.
        let begins = |start: &str| {
            word.as_bytes()
                .iter()
                .zip(start.as_bytes())
                .next()
                .is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        if !begins(name) && !PREFIXES.iter().any(|prefix| begins(prefix)) {
            return None;
        }
        let word = word.to_lowercase();
        let joined: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        let plain = word.replace('-', "");
        let without_prefix = PREFIXES.iter().find_map(|prefix| plain.strip_prefix(prefix));
        // A doubled letter is often typed once: "comitting".
        let is_misspelt = |word: &str| is_form(&singled(word), &singled(&joined));
        if is_form(&word, name) || is_misspelt(&plain) || without_prefix.is_some_and(is_misspelt) {
            return Some(at + 1);
        }
        let object = ["it", "this", "that", "them", "things"];
        let second = if self.is(at + 1, &object) { at + 2 } else { at + 1 };
        let text = self.words.get(second)?.text.to_lowercase();
        let start = joined.strip_suffix(text.as_str()).filter(|start| !start.is_empty() && text.len() > 1);
        start.filter(|start| is_form(&word, start)).map(|_| second + 1)
    }

    /// `uncommitted`.
    fn undoes(&self, at: usize, name: &str) -> bool {
        let word = self.words.get(at).filter(|word| word.text.starts_with(['u', 'U']));
        let word = word.map(|word| word.text.to_lowercase());
        word.and_then(|word| word.strip_prefix("un").map(|word| word.ends_with("ed") && is_form(word, name)))
            .unwrap_or(false)
    }

    /// From a word to the end of the clause.
    fn quoted(&self, from: usize) -> Option<&'t str> {
        let (first, last) = (self.words.get(from)?, self.words.last()?);
        Some(&self.text[first.span.start..last.span.end])
    }
}

/// A word with each run of one letter as one: `comiting` for `committing`.
fn singled(word: &str) -> String {
    let mut last = None;
    word.chars().filter(|c| last.replace(*c) != Some(*c)).collect()
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
