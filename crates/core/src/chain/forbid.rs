//! What words of a person forbid. No name of a skill occurs here: an exit is forbidden by its own name, in any form that
//! English makes of it, where its clause also has a word that forbids, puts off, or keeps the act for the person. A commit that
//! nobody wanted cannot be taken back, one that was left out is named in a line: so in doubt it is forbidden.

use std::borrow::Cow;
use std::ops::Range;

use super::talk::{self, forbids, forbids_by_two};

mod split;
mod words;

use split::clauses;
use words::{
    AFTER, ASKS, AUXILIARIES, AWAITS, BEGINS, BY_PERSON, ENDS, FORMS, GLUED, HARMLESS, KEEPING, LEAVES,
    NO_OBJECT, OBJECTS, ORDERS, OWNERS, PAIRED, PAST, PERSON, PERSON_DOES, POLITE, PREFIXES, PUTS_OFF,
    PUTS_OFF_BY_TWO, QUESTIONS, SMALL, STOPS, TO_ACT, UNDONE,
};

/// Whose wish an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// An exit that a skill declares.
    Declared,
    /// An entry that the person typed. Only a prohibition of the act itself takes it back: "do not fix yet", not "do not fix
    /// the tests".
    Typed,
}

/// What a person wrote, clause by clause.
pub(super) struct Words<'t> {
    clauses: Vec<Clause<'t>>,
}

/// Words that a comma, a full stop, a line end, `then` or `but` ends, outside code and quotations. A clause that ends in a
/// prohibition goes on: after an insertion between commas, and in the next line where an editor broke it.
struct Clause<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    sentence: usize,
    /// The sign that ends it, if that is no comma: `?` or `:`.
    mark: Option<char>,
}

struct Word<'t> {
    /// Without the marks around it.
    text: Cow<'t, str>,
    span: Range<usize>,
}

/// How many words after a prohibition it reaches, small ones not counted.
const REACH: usize = 8;
/// The same with all words.
const FARTHEST: usize = 24;

/// The name without the prefix of a plugin.
pub(super) fn last_part(skill: &str) -> &str {
    skill.rsplit(':').next().unwrap_or(skill)
}

impl<'t> Words<'t> {
    /// `names`: what the words may be about. A text that has none of them is not looked at.
    pub(super) fn of(text: &'t str, names: &[&str]) -> Self {
        let lower = text.to_ascii_lowercase();
        let begins = |name: &&str| {
            let name = last_part(name).to_ascii_lowercase();
            lower.contains(&name[..name.floor_char_boundary(3)])
        };
        if !names.iter().any(begins) && !lower.contains("stop") && !lower.contains("nothing") {
            return Self { clauses: Vec::new() };
        }
        let mut clauses = clauses(text);
        let mut from = 0;
        while from < clauses.len() {
            let same = |clause: &Clause<'_>| clause.sentence == clauses[from].sentence;
            let end = from + clauses[from..].iter().take_while(|clause| same(clause)).count();
            if is_past(&clauses[from..end]) {
                clauses[from..end].iter_mut().for_each(|clause| clause.words.clear());
            }
            from = end;
        }
        clauses.retain(|clause| !clause.words.is_empty());
        // A name that is said again and again is said once.
        clauses.dedup_by(|later, earlier| {
            later.words.len() == 1 && earlier.words.len() == 1 && later.words[0].text == earlier.words[0].text
        });
        Self { clauses }
    }

    /// The words that forbid the entry of this name. `others`: exits that follow with it.
    pub(super) fn against(&self, name: &str, others: &[&str], whose: Whose) -> Option<String> {
        let name = last_part(name);
        self.clauses.iter().enumerate().find_map(|(at, clause)| {
            let next = self.clauses.get(at + 1);
            clause
                .against(name, whose)
                .or_else(|| clause.answered(name, next))
                .or_else(|| clause.asks_first(name, next))
                .or_else(|| clause.only_others(name, others))
        })
    }

    /// Whether they name it.
    pub(super) fn names(&self, name: &str) -> bool {
        let name = last_part(name);
        self.clauses.iter().any(|clause| (0..clause.words.len()).any(|at| clause.names(at, name)))
    }

    /// Whether the person orders it: "ok, you may commit now".
    pub(super) fn orders(&self, name: &str) -> bool {
        let name = last_part(name);
        self.clauses.iter().any(|clause| clause.orders(name))
            && self.against(name, &[], Whose::Declared).is_none()
    }

    /// The words by which the text ends what is to be done, if its last ones do: "then stop", "and nothing else".
    pub(super) fn stop(&self) -> Option<String> {
        let polite = |clause: &&Clause<'_>| (0..clause.words.len()).all(|at| clause.is(at, &POLITE));
        self.clauses.iter().rev().find(|clause| !polite(clause))?.stop()
    }
}

/// Whether a sentence asks about what happened: "why did you not commit?".
fn is_past(sentence: &[Clause<'_>]) -> bool {
    let Some(first) = sentence.iter().find(|clause| !clause.words.is_empty()) else { return false };
    let is_question = || sentence.iter().any(|clause| clause.mark == Some('?'));
    first.is(0, &["why"])
        || (first.is(0, &["how"]) && first.is(1, &["come"]))
        || (first.is(0, &QUESTIONS) && !first.is(1, &["i", "we", "not"]) && is_question())
}

impl<'t> Clause<'t> {
    fn new(text: &'t str, sentence: usize) -> Self {
        Self { text, words: Vec::new(), sentence, mark: None }
    }

    fn is(&self, at: usize, table: &[&str]) -> bool {
        self.words.get(at).is_some_and(|word| talk::is_among(&word.text, table))
    }

    /// The words of the clause that forbid the entry of this name.
    fn against(&self, name: &str, whose: Whose) -> Option<String> {
        let names = |at: usize| self.names(at, name);
        // Most clauses name no exit.
        let found: Vec<usize> =
            (0..self.words.len()).filter(|at| names(*at) || self.undoes(*at, name)).collect();
        let mut near = found.iter().copied().peekable();
        let last = found.last()?;
        for at in 0..=*last {
            while near.next_if(|found| *found < at).is_some() {}
            if near.peek().is_none_or(|found| *found > at + FARTHEST) {
                continue;
            }
            if let Some(next) = self.after_prohibition(at)
                && !self.is(next, &HARMLESS)
                && !(self.is(next, &["be"]) && self.is(next + 1, &HARMLESS))
                && match whose {
                    Whose::Declared => self.within_reach(next).any(names),
                    Whose::Typed => self.is_act(next, name),
                }
            {
                let start = if at > 0 && self.is(at - 1, &AUXILIARIES) { at - 1 } else { at };
                return self.quoted(start);
            }
            if self.is_glued(at, name) {
                return self.quoted(at);
            }
            if names(at) && (self.is_put_off(at) || self.is_taken_back(at, name)) {
                return self.quoted(0);
            }
            let is_left = |word| {
                self.undoes(word, name)
                    || (names(word) && (self.is_left_to_person(word) || self.is_left_out(word)))
            };
            let is_undone = (at.saturating_sub(3)..at).any(|before| self.after_prohibition(before).is_some());
            if self.is(at, &LEAVES) && !is_undone && self.within_reach(at + 1).any(is_left) {
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
        let ends = |word: usize| word >= self.words.len() || self.is(word, &["on", "please", "thanks", "by"]);
        let begins = (0..at).rev().find(|before| !self.is(*before, &BEGINS)).is_none_or(|before| {
            // "… and commit when I say so"
            (before + 1..at).any(|word| self.is(word, &["and", "only"]))
        });
        (at + 1..=at + 4).any(|word| {
            self.is(word, &BY_PERSON)
                || (self.is(word, &["by"]) && self.is(word + 1, &["hand", "me"]))
                || (self.is(word, &["on"]) && self.is(word + 1, &["my"]) && self.is(word + 2, &["own"]))
                || (self.is(word, &["later"]) && ends(word + 1))
                || (begins && self.is(word, &AWAITS) && self.is(word + 1, &PERSON))
        })
    }

    /// Whether the words after a name take it back: "commit is not needed", "commits are mine", "commit is on me".
    fn is_taken_back(&self, at: usize, name: &str) -> bool {
        let Some(mut after) = self.named(at, name) else { return false };
        // "commit/push not wanted"
        let joined = &self.text[self.words[after - 1].span.end..];
        after += usize::from(joined.starts_with(['/', '+']));
        while self.is(after, &FORMS) {
            after += 1;
        }
        // "/handoff must not commit" forbids another one.
        let is_modal = self
            .is(after - 1, &["must", "should", "may", "can", "will", "would", "shall", "do", "does"])
            && self.is(after, &["not"])
            && after + 1 < self.words.len()
            && !self.is(after + 1, &["be", "happen", "run", "occur", "go", "exist", "yet", "now"]);
        if is_modal {
            return false;
        }
        let is_said = after > at + 1;
        let harmless = self.is(after + 1, &HARMLESS)
            || (self.is(after, &["no", "nothing"]) && self.is(after + 1, &["more", "but"]));
        (self.is(after, &AFTER) && !harmless)
            || (is_said
                && (self.is(after, &["my", "mine"])
                    || (self.is(after, &["on", "up", "with", "by", "to", "for", "left"])
                        && (after + 1..=after + 2).any(|word| self.is(word, &OWNERS)))
                    || (self.is(after, &["done", "made"])
                        && self.is(after + 1, &["by"])
                        && self.is(after + 2, &OWNERS))))
    }

    /// "the commit to me".
    fn is_left_to_person(&self, at: usize) -> bool {
        (at + 1..=at + 3).any(|word| {
            self.is(word, &["to", "for", "with"])
                && self.is(word + 1, &["me", "us", "later", "myself", "tomorrow"])
        })
    }

    /// "the commit out".
    fn is_left_out(&self, at: usize) -> bool {
        self.is(at + 1, &["out", "off", "away", "aside"])
    }

    /// The word after "I'll do the", if the clause has it from this word on.
    fn person_does(&self, at: usize) -> Option<usize> {
        let is_person = self.is(at, &["i", "ill", "id", "we", "well", "me"])
            && !(at > 0 && self.is(at - 1, &["if", "when", "once"]));
        let is_let = self.is(at, &["me"]);
        if !is_person || (is_let && !(at > 0 && self.is(at - 1, &["let"]))) {
            return None;
        }
        // "we'll commit at the end" is said of both.
        let is_both = self.is(at, &["we", "well"]);
        let found = (at + 1..self.words.len()).find(|word| {
            let wants = self.is(*word, &["want", "like", "need", "have", "prefer", "plan"])
                && self.is(word + 1, &["to"]);
            let looks = self.is(*word, &["look", "review", "check", "test", "read"])
                && (word + 1..=word + 2).any(|next| self.is(next, &["and"]));
            let joins = self.is(*word, &["and", "it"]);
            !wants && !looks && !joins && !self.is(*word, &PERSON_DOES)
        })?;
        (!is_both).then_some(found)
    }

    /// The words, if the clause only ends the work, or ends with that: "then stop", "and nothing else".
    fn stop(&self) -> Option<String> {
        let mut starts = (0..self.words.len()).filter(|at| {
            *at == 0 || self.is(at - 1, &["and", "then"]) && !self.is(at.saturating_sub(2), &PAIRED)
        });
        starts.find_map(|start| self.stop_from(start))
    }

    fn stop_from(&self, start: usize) -> Option<String> {
        let first =
            (start..self.words.len()).find(|at| !self.is(*at, &["and", "please", "just", "now", "then"]))?;
        let rest = match () {
            () if self.is(first, &["nothing"]) && self.is(first + 1, &["else", "more"]) => first + 2,
            () if self.is(first, &["stop"]) => first + 1,
            () => return None,
        };
        let is_whole = (rest..self.words.len()).all(|at| self.is(at, &ENDS));
        is_whole.then(|| self.quoted(start)).flatten()
    }

    /// "Commit? No.", "commit: never".
    fn answered(&self, name: &str, next: Option<&Clause<'t>>) -> Option<String> {
        let next = next.filter(|_| self.mark.is_some())?;
        let last = self.words.len().checked_sub(1)?;
        let is_named = self.named(last, name) == Some(last + 1);
        let is_no = next.is(0, &AFTER) || next.is(0, &["later"]) && next.words.len() <= 3;
        let end = next.words.last()?.span.end;
        (is_named && is_no).then(|| self.text[self.words[0].span.start..end].to_owned())
    }

    /// "before you commit, ask me".
    fn asks_first(&self, name: &str, next: Option<&Clause<'t>>) -> Option<String> {
        let before = (0..self.words.len()).find(|at| self.is(*at, &["before"]))?;
        let named = self.within_reach(before + 1).find(|at| self.names(*at, name))?;
        let here = (named + 1..self.words.len()).any(|at| self.is(at, &ASKS));
        let next = next.filter(|next| (0..3).any(|at| next.is(at, &ASKS)));
        let end = match next {
            Some(next) => next.words.last()?.span.end,
            None if here => self.words.last()?.span.end,
            None => return None,
        };
        Some(self.text[self.words[before].span.start..end].to_owned())
    }

    /// Another exit alone: "handoff only", "just the handoff", "stop after the handoff".
    fn only_others(&self, name: &str, others: &[&str]) -> Option<String> {
        let is_name = |at: usize| self.names(at, name);
        let is_other =
            |at: usize| others.iter().any(|other| *other != name && self.names(at, last_part(other)));
        let at = (0..self.words.len()).find(|at| is_other(*at))?;
        let small = |at: &usize| self.is(*at, &SMALL);
        let before = (0..at).rev().find(|at| !small(at));
        let last = |at: usize| at + 1 >= self.words.len() || self.is(at + 1, &POLITE);
        if (0..at).any(|before| self.after_prohibition(before).is_some()) {
            return None;
        }
        let is_alone = (0..at).all(|word| small(&word) || self.is(word, &["please", "just", "do", "until"]));
        let is_only = (is_alone && self.is(at + 1, &["only", "alone"]) && last(at + 1))
            // "just the handoff"; "just commit" is an order.
            || before.is_some_and(|before| before + 1 < at && self.is(before, &["only", "just"]))
            || (at == 1 && self.is(0, &["only"]) && last(at))
            || before.is_some_and(|before| {
                self.is(before, &["after", "at", "with", "to"])
                    && before.checked_sub(1).is_some_and(|verb| self.is(verb, &STOPS) || self.is(verb, &["up"]))
            });
        let names_it = (0..self.words.len()).any(is_name);
        (is_only && !names_it).then(|| self.quoted(0)).flatten()
    }

    /// "ok, you may commit now".
    fn orders(&self, name: &str) -> bool {
        let Some(at) = (0..self.words.len()).find(|at| self.names(*at, name)) else { return false };
        let Some(after) = self.named(at, name) else { return false };
        let before_is_order = at.checked_sub(1).is_none_or(|before| self.is(before, &ORDERS));
        before_is_order && (after..self.words.len()).all(|word| self.is(word, &OBJECTS))
    }

    /// Whether the words so far want another one.
    fn is_broken(&self) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        self.after_prohibition(last).is_some() || self.is(last, &SMALL)
    }

    /// Whether an insertion may follow: "do not, under any circumstances, commit".
    fn wants_an_act(&self) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        let is_negated = last > 0 && (forbids(&self.words[last - 1].text));
        self.is(last, &["not", "never", "dont", "donot", "mustnt", "shouldnt", "cannot", "cant"])
            || (is_negated && self.is(last, &["ever", "including"]))
    }

    /// Whether `then` goes on with the verb: "I will then commit", "you must not then".
    fn wants_a_verb(&self) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        let will = self.is(last, &["will", "shall", "can", "must", "ill", "id"]);
        self.wants_an_act()
            || (will && (last.saturating_sub(1)..=last).any(|at| self.is(at, &["i", "ill", "id"])))
    }

    /// "everything but the commit".
    fn is_all(&self) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else { return false };
        self.is(last, &["everything", "all", "anything"])
    }

    /// The first word after a prohibition that begins at a word.
    fn after_prohibition(&self, at: usize) -> Option<usize> {
        let word = &self.words.get(at)?.text;
        // "do not skip", "you did not commit"
        let is_negated = || (at.saturating_sub(2)..at).any(|before| forbids(&self.words[before].text));
        if self.is(at, &UNDONE) && is_negated() {
            return None;
        }
        if at > 0 && self.is(at, &["not"]) && self.is(at - 1, &PAST) {
            return None;
        }
        // "no need to ask before the commit", "do not stop before it", "not without a commit".
        let asks = |word: usize| self.is(word, &ASKS) && self.is(word + 1, &["before", "to"]);
        let ends = |word: usize| self.is(word, &STOPS) && self.is(word + 1, &["before", "without"]);
        let is_free =
            forbids(word) && (self.is(at + 1, &["without"]) || ends(at + 1) || (at + 1..=at + 3).any(asks));
        let was_free = self.is(at, &["before", "without"])
            && at > 0
            && self.is(at - 1, &ASKS)
            && (at.saturating_sub(4)..at).any(|before| forbids(&self.words[before].text));
        if is_free || was_free {
            return None;
        }
        // "never skip the commit": neither of the two forbids.
        if forbids(word)
            && !self.is(at, &UNDONE)
            && (at + 1..=at + 2).any(|next| self.is(next, &UNDONE) && !self.is(next, &KEEPING))
        {
            return None;
        }
        let asks = self.is(at, &["before", "prior"])
            && ((at.saturating_sub(12)..at).any(|earlier| self.is(earlier, &PERSON))
                || (at.saturating_sub(3)..at)
                    .any(|earlier| self.is(earlier, &STOPS) || self.is(earlier, &ASKS)));
        let stops = self.is(at, &["stop", "stops"])
            && self.words.get(at + 1).is_some_and(|next| next.text.ends_with("ing"));
        if forbids(word) || self.is(at, &PUTS_OFF) || asks || stops {
            return Some(at + 1);
        }
        let next = &self.words.get(at + 1)?.text;
        let is = |(one, two): &(&str, &str)| talk::is_among(word, &[one]) && talk::is_among(next, &[two]);
        (forbids_by_two(word, next) || PUTS_OFF_BY_TWO.iter().any(is)).then_some(at + 2)
    }

    /// Whether the words from here on name it and nothing that it would be done to: "commit", "run /commit on it", "commit yet".
    fn is_act(&self, from: usize, name: &str) -> bool {
        let small = |at: &usize| self.is(*at, &SMALL) || self.is(*at, &TO_ACT);
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
        if word.eq_ignore_ascii_case(name) {
            return Some(at + 1);
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
        let word = self
            .words
            .get(at)
            .filter(|word| word.text.starts_with(['u', 'U', 'n', 'N', 'w', 'W', 's', 'S', '-']));
        let word = word.map(|word| word.text.to_lowercase());
        word.as_deref()
            .and_then(|word| word.strip_prefix("un").map(|word| word.ends_with("ed") && is_form(word, name)))
            .unwrap_or(false)
            || self.is_glued(at, name)
    }

    /// `--no-commit`, `nocommit`.
    fn is_glued(&self, at: usize, name: &str) -> bool {
        let Some(word) =
            self.words.get(at).filter(|word| word.text.starts_with(['n', 'N', 'w', 'W', 's', 'S', '-']))
        else {
            return false;
        };
        let word = word.text.trim_start_matches('-').to_lowercase();
        let rest =
            GLUED.iter().find_map(|glued| word.strip_prefix(glued).map(|rest| rest.trim_start_matches('-')));
        rest.is_some_and(|rest| is_form(rest, name))
    }

    /// From a word to the end of the clause.
    fn quoted(&self, from: usize) -> Option<String> {
        let (first, last) = (self.words.get(from)?, self.words.last()?);
        Some(self.text[first.span.start..last.span.end].to_owned())
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
        return matches!(ending, "" | "s" | "es" | "d" | "ed" | "er" | "ing")
            || doubled.is_some_and(|ending| matches!(ending, "ed" | "ing" | "en"));
    }
    name.strip_suffix('e').and_then(|stem| word.strip_prefix(stem)).is_some_and(|ending| ending == "ing")
}
