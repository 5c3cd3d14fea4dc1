//! Reading a chain out of a prompt. The grammar is told in `docs/chains.md`.
//!
//! The parser never fails. Besides the chain it gives the reasons for how it read each name, with their places: that is
//! what `--explain` prints and what `engine chain validate` calls doubtful. A wrong entry corrupts an argument or runs a
//! commit that nobody asked for, so in doubt a name is text.

use std::cell::RefCell;
use std::collections::HashMap;

use super::exits::without_no_exit;
use super::reading::{Form, Note, Reading, Standing, Typed, Why};
use super::talk::{self, Above};
use super::token::{self, Joint, Kind, Token, is_name, tokens};
use super::{Entry, transport};

/// Whether the client takes the prompt for a command: it does so only where nothing is before the name or glued to it.
pub fn is_run(prompt: &str) -> bool {
    let word = prompt.split(char::is_whitespace).next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(is_name)
}

/// Reads a prompt. `standing` tells what a name stands for; it is asked for names that could be entries only.
pub fn read(prompt: &str, standing: &dyn Fn(&str) -> Standing) -> Reading {
    let tokens = tokens(prompt);
    let talked = talk::talked_about(prompt, &tokens);
    // Who knows a name may have to look for its file: each is asked for once.
    let known: RefCell<HashMap<String, Standing>> = RefCell::default();
    let standing = |name: &str| {
        let seen = known.borrow().get(name).copied();
        seen.unwrap_or_else(|| {
            let found = standing(name);
            known.borrow_mut().insert(name.to_owned(), found);
            found
        })
    };
    let mut reader =
        Reader { prompt, tokens, talked, standing: &standing, notes: Vec::new(), unknown: Vec::new() };
    let chain = reader.leading().or_else(|| reader.lines());
    Reading { chain, notes: reader.notes }
}

/// Nobody types a longer chain: what comes after it is text.
const MOST_ENTRIES: usize = 50;

struct Reader<'p> {
    prompt: &'p str,
    tokens: Vec<Token>,
    /// Of each token, whether it is a name that is talked about.
    talked: Vec<bool>,
    standing: &'p dyn Fn(&str) -> Standing,
    notes: Vec<Note>,
    unknown: Vec<String>,
}

/// The tokens of a line, without its line end.
type Line = std::ops::Range<usize>;

/// The lines at the end of a prompt that each start with an entry.
struct Run {
    /// The first token of the first of them.
    from: usize,
    /// Why they are text, if they are.
    refused: Option<Why>,
}

/// What is right before a token: delimiters, white space, the start of an item.
#[expect(clippy::struct_excessive_bools, reason = "what was seen, each by itself")]
#[derive(Clone, Copy, Default)]
struct Gap {
    /// Where it begins: the end of the argument before it.
    start: usize,
    /// A delimiter, a line end that counts, an item of a chain.
    delimits: bool,
    /// A sign or a word delimits, so that a list may follow.
    opens_list: bool,
    /// What follows is an order, whatever was talked about before.
    orders: bool,
    /// `or`.
    or: bool,
    newline: bool,
}

/// What is before a gap.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A path.
    Path,
    /// A noun that announces names.
    Noun,
    Other,
}

/// Whether the sentence so far keeps a later name from being an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sentence {
    Plain,
    /// It mentions a skill, or talks about one.
    Talks,
    /// It forbids one. An order counts again.
    Forbids,
}

/// A list, or the part of it that was looked at.
#[derive(Default)]
struct List {
    /// The token after it.
    end: usize,
    /// How far its items are indented; deeper ones belong to them.
    least: usize,
    /// Every item starts with a name.
    is_chain: bool,
}

/// An item of a list that is not a chain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// Another item follows it.
    Inner,
    Last,
}

/// Where the reader is in the text after an entry.
struct State {
    args_from: usize,
    gap: Option<Gap>,
    before: Before,
    sentence: Sentence,
    list: List,
    /// In an item of a list that is not a chain.
    item: Option<Item>,
    /// An item of such a list named a skill.
    item_named: bool,
    /// In a line that is indented like code.
    in_code: bool,
}

impl Reader<'_> {
    fn name(&self, token: &Token) -> Option<&str> {
        let Kind::Name { end } = token.kind else { return None };
        Some(&self.prompt[token.span.start + 1..end])
    }

    fn standing_of(&self, token: usize) -> Standing {
        self.name(&self.tokens[token]).map_or(Standing::Unknown, self.standing)
    }

    fn note(&mut self, token: usize, why: Why) {
        let Some(name) = self.name(&self.tokens[token]).map(str::to_owned) else { return };
        self.notes.push(Note { at: self.tokens[token].span.start, name, why });
    }

    /// The form that starts with a skill.
    fn leading(&mut self) -> Option<Typed> {
        let first = self.tokens.iter().position(|token| !is_blank(token.kind))?;
        let standing = self.standing_of(first);
        // What the model cannot call, the client has to run.
        if !(standing.is_entry() || standing.is_only_typed() && is_run(self.prompt)) {
            return None;
        }
        self.note(first, Why::First);
        let mut entries = vec![self.entry(first)];
        let mut closed = false;
        let run = self.last_run(first);
        let is_free_text = self.follow(first, self.tokens.len(), run.as_ref(), &mut entries);
        let count = entries.len();
        if !is_free_text
            && let Some(last) = entries.last_mut()
            && let Some((args, rest)) = transport::split_strict(&last.args)
            && count + rest.len() <= MOST_ENTRIES
        {
            args.trim().clone_into(&mut last.args);
            for entry in rest {
                if (self.standing)(&entry.skill).is_entry() {
                    entries.push(entry);
                } else {
                    self.unknown.push(entry.skill);
                }
            }
            closed = true;
        }
        closed |= self.take_no_exit(&mut entries);
        let unknown = std::mem::take(&mut self.unknown);
        Some(Typed { form: Form::Leading, entries, above: String::new(), closed, unknown })
    }

    fn entry(&self, token: usize) -> Entry {
        Entry { skill: self.name(&self.tokens[token]).unwrap_or_default().to_owned(), args: String::new() }
    }

    /// Takes `--no-exit` out of the arguments; free text stays as it is.
    fn take_no_exit(&self, entries: &mut [Entry]) -> bool {
        let mut found = false;
        for entry in entries {
            if let Some(args) = without_no_exit(&entry.args)
                && !(self.standing)(&entry.skill).is_free_text()
            {
                entry.args = args;
                found = true;
            }
        }
        found
    }

    /// Reads on after the entry at `first`, up to the token `end`: later entries, and the arguments of all. Tells
    /// whether the last of them takes free text.
    fn follow(&mut self, first: usize, end: usize, run: Option<&Run>, entries: &mut Vec<Entry>) -> bool {
        let stop = self.tokens[end - 1].span.end;
        let mut state = State {
            args_from: self.tokens[first].span.end,
            gap: None,
            before: Before::Other,
            sentence: Sentence::Plain,
            list: List::default(),
            item: None,
            item_named: false,
            in_code: false,
        };
        let mut is_free_text = self.standing_of(first).is_free_text();
        for index in first + 1..end {
            if is_free_text {
                break;
            }
            let Token { kind, span } = self.tokens[index].clone();
            let mut gap = state.gap.unwrap_or(Gap { start: span.start, ..Gap::default() });
            match kind {
                Kind::Blank => state.gap = Some(gap),
                Kind::Indent { code } => {
                    // An item may be indented as it likes, and so may what a delimiter announces.
                    state.in_code = code && !gap.opens_list && index >= state.list.end;
                    state.gap = Some(gap);
                }
                Kind::Sign(joint) | Kind::Word(joint) => {
                    gap.delimits = true;
                    gap.opens_list = true;
                    gap.orders |= joint != Joint::Lists;
                    if joint == Joint::Ends {
                        state.sentence = Sentence::Plain;
                    }
                    state.gap = Some(gap);
                }
                Kind::Or => {
                    gap.or = true;
                    state.gap = Some(gap);
                }
                Kind::Newline => {
                    gap.newline = true;
                    gap.delimits |= run.is_some_and(|run| run.refused.is_none() && index + 1 >= run.from);
                    // A sentence goes on over a line end only where a delimiter says so.
                    if !gap.opens_list {
                        state.sentence = Sentence::Plain;
                    }
                    state.item = None;
                    state.in_code = false;
                    state.gap = Some(gap);
                }
                Kind::Marker => self.item(index, end, gap, &mut state),
                Kind::Name { .. } => {
                    let why = self.judge(index, gap, &state, run);
                    let why =
                        if why == Why::Joined && entries.len() >= MOST_ENTRIES { Why::TooMany } else { why };
                    if why == Why::Joined {
                        set_args(entries, without_dash(&self.prompt[state.args_from..gap.start]));
                        entries.push(self.entry(index));
                        state.args_from = span.end;
                        is_free_text = self.standing_of(index).is_free_text();
                    }
                    self.keep(index, why, &mut state);
                }
                Kind::Path => self.path(index, gap, &mut state),
                Kind::Text => self.text(index, &mut state),
            }
        }
        set_args(entries, &self.prompt[state.args_from..stop]);
        is_free_text
    }

    /// An item of a list begins.
    fn item(&self, index: usize, end: usize, mut gap: Gap, state: &mut State) {
        if index >= state.list.end && gap.opens_list {
            state.list = self.list(index, end);
        }
        let deeper = index.checked_sub(1).map_or(0, |at| self.indent(at)) > state.list.least;
        let in_chain = state.list.is_chain && index < state.list.end && !deeper;
        gap.delimits = in_chain;
        let is_item = |token: &Token| token.kind == Kind::Marker;
        let is_last = !self.tokens[index + 1..end].iter().any(is_item);
        state.item = (!in_chain).then_some(if is_last { Item::Last } else { Item::Inner });
        state.in_code = false;
        state.before = Before::Other;
        state.gap = in_chain.then_some(gap);
    }

    /// A word that starts with a slash and is not a name.
    fn path(&mut self, index: usize, gap: Gap, state: &mut State) {
        let span = self.tokens[index].span.clone();
        let word = &self.prompt[span.start + 1..span.end];
        let plain = word.trim_end_matches(|c: char| c.is_ascii_punctuation() || c == '…');
        // `/commit:` is a name that somebody talks about, or meant to call.
        let is_skill =
            is_name(plain) && plain.len() < word.len() && (self.standing)(plain) != Standing::Unknown;
        if is_skill {
            let name = plain.to_owned();
            if !gap.delimits {
                state.sentence = Sentence::Talks;
            }
            self.notes.push(Note { at: span.start, name, why: Why::Glued });
            state.before = Before::Other;
        } else if !gap.delimits || (state.before == Before::Path && !gap.orders && !gap.newline) {
            state.before = Before::Path;
        } else {
            state.before = Before::Other;
        }
        let word = &self.prompt[span.clone()];
        if talk::ends_sentence(word) && self.is_apart(span.end) {
            state.sentence = Sentence::Plain;
        }
        state.gap = None;
    }

    /// Words, or what is shielded.
    fn text(&self, index: usize, state: &mut State) {
        let span = self.tokens[index].span.clone();
        let text = &self.prompt[span.clone()];
        if text.contains('\n') {
            state.sentence = Sentence::Plain;
        }
        let is_quoted = self.is_quoted_mention(text);
        if is_quoted {
            state.sentence = Sentence::Talks;
        }
        if talk::ends_sentence(text) && self.is_apart(span.end) {
            state.sentence = Sentence::Plain;
        }
        state.before = if talk::announces(text) { Before::Noun } else { Before::Other };
        state.gap = None;
    }

    /// White space or the end.
    fn is_apart(&self, at: usize) -> bool {
        self.prompt[at..].chars().next().is_none_or(token::is_blank)
    }

    /// What a name that was judged means for those after it.
    fn keep(&mut self, index: usize, why: Why, state: &mut State) {
        let is_known = self.standing_of(index) != Standing::Unknown;
        if why == Why::Unknown
            && let Some(name) = self.name(&self.tokens[index]).map(str::to_owned)
        {
            self.unknown.push(name);
        }
        if is_known || why == Why::Unknown {
            self.note(index, why);
        }
        state.before = if why == Why::Path { Before::Path } else { Before::Other };
        state.item_named |= is_known && state.item.is_some();
        state.sentence = match why {
            Why::Joined => Sentence::Plain,
            Why::Forbidden | Why::JoinedToForbidden if state.sentence == Sentence::Plain => Sentence::Forbids,
            Why::Forbidden | Why::JoinedToForbidden | Why::Unknown | Why::NotCooperative | Why::OnlyTyped => {
                state.sentence
            }
            Why::Path => state.sentence,
            _ if is_known => Sentence::Talks,
            _ => state.sentence,
        };
        // A full stop after the name ends the sentence.
        let Token { kind, span } = &self.tokens[index];
        if matches!(kind, Kind::Name { end } if *end < span.end) {
            state.sentence = Sentence::Plain;
        }
        state.gap = None;
    }

    /// What a name after the first entry is.
    fn judge(&self, token: usize, gap: Gap, state: &State, run: Option<&Run>) -> Why {
        let standing = self.standing_of(token);
        let in_paths = state.before == Before::Path && !gap.orders && !gap.newline;
        if in_paths && (gap.delimits || gap.or) {
            return Why::Path;
        }
        if state.in_code {
            return Why::CodeLine;
        }
        if gap.or && state.sentence == Sentence::Forbids {
            return Why::JoinedToForbidden;
        }
        if !gap.delimits || gap.or {
            return match standing {
                _ if state.item.is_some() && self.tokens[token - 1].kind == Kind::Marker => Why::NoChainList,
                _ if talk::is_forbidden(self.prompt, &self.tokens, token) => Why::Forbidden,
                Standing::Unknown => Why::Path,
                _ if gap.newline => self.refusal_of(token, run),
                _ => Why::Mention,
            };
        }
        let announced = state.before == Before::Noun && !gap.orders && !gap.newline;
        if state.sentence == Sentence::Talks || announced {
            return Why::JoinedToMention;
        }
        if state.sentence == Sentence::Forbids && !gap.orders {
            return Why::JoinedToForbidden;
        }
        match standing {
            // The sentence of the last item may end in an order.
            _ if state.item == Some(Item::Inner) || (state.item.is_some() && state.item_named) => {
                Why::NoChainList
            }
            Standing::Unknown => Why::Unknown,
            _ if self.talked[token] => Why::Talk,
            _ if self.is_taken_back(token, gap) => Why::Forbidden,
            Standing::NotCooperative => Why::NotCooperative,
            Standing::OnlyTyped | Standing::FreeText { callable: false } => Why::OnlyTyped,
            Standing::Entry | Standing::FreeText { callable: true } => Why::Joined,
        }
    }

    /// Whether the words around an entry say that it is not to be called: "/commit not needed", "I will then /commit".
    fn is_taken_back(&self, token: usize, gap: Gap) -> bool {
        let Token { kind: Kind::Name { end }, span } = &self.tokens[token] else { return false };
        // A full stop after the name ends the sentence.
        (*end == span.end && talk::takes_back(&self.prompt[*end..]))
            || talk::keeps(&self.prompt[..gap.start], &self.prompt[gap.start..span.start])
    }

    /// Why a name that starts a line is text.
    fn refusal_of(&self, token: usize, run: Option<&Run>) -> Why {
        match run.filter(|run| token >= run.from) {
            Some(Run { refused: Some(why), .. }) => *why,
            _ if self.talked[token] => Why::Talk,
            _ => Why::TextAfter,
        }
    }

    /// `/name` in quotation marks or ticks.
    fn is_quoted_mention(&self, text: &str) -> bool {
        let inside = text.trim_matches(['`', '"', '\'', '“', '”', '‘', '’', '(', ')', '[', ']']);
        let name = inside.strip_prefix('/').filter(|name| inside.len() < text.len() && is_name(name));
        name.is_some_and(|name| (self.standing)(name) != Standing::Unknown)
    }

    /// How wide the token is, if it is the indent of a line.
    fn indent(&self, token: usize) -> usize {
        match self.tokens.get(token) {
            Some(Token { kind: Kind::Indent { .. }, span }) => span.len(),
            _ => 0,
        }
    }

    /// The list that begins with the marker at `first`.
    fn list(&self, first: usize, end: usize) -> List {
        let width = |index: usize| self.indent(index);
        let least = first.checked_sub(1).map_or(0, width);
        let mut until = first;
        let mut index = first;
        while index < end {
            // Here begins a line.
            let indented = matches!(self.tokens[index].kind, Kind::Indent { .. });
            let content = index + usize::from(indented);
            let line_end = (index..end)
                .find(|at| self.tokens[*at].kind == Kind::Newline)
                .map_or(end, |newline| newline + 1);
            match self.tokens.get(content).map(|token| token.kind) {
                Some(Kind::Marker) => {
                    // Deeper items are part of the one above them.
                    let deeper = index > first && width(index) > least;
                    if !deeper && !self.names_skill(content + 1..line_end) {
                        return List { end: line_end, least, is_chain: false };
                    }
                    until = line_end;
                }
                Some(Kind::Newline) => {}
                // What is indented goes on with the item above it.
                Some(_) if indented => until = line_end,
                _ => break,
            }
            index = line_end;
        }
        List { end: until, least, is_chain: true }
    }

    /// Whether an item starts with a known skill, and does not talk about it.
    fn names_skill(&self, mut item: Line) -> bool {
        let joins = |token: &Token| matches!(token.kind, Kind::Blank | Kind::Word(_));
        let first = item.find(|index| !joins(&self.tokens[*index]));
        first.is_some_and(|first| self.standing_of(first) != Standing::Unknown && !self.talked[first])
    }

    /// The lines at the end of a prompt that starts with the entry `first`.
    fn last_run(&self, first: usize) -> Option<Run> {
        let filled = self.filled_lines();
        let own = filled.iter().position(|line| line.contains(&first))?;
        let run =
            filled.len() - filled.iter().rev().take_while(|line| self.line_name(line).is_some()).count();
        let run = run.max(own + 1);
        let from = filled.get(run)?.start;
        let above = &filled[run - 1];
        let names_skill = above.clone().find(|index| !is_blank(self.tokens[*index].kind));
        let names_skill = names_skill.is_some_and(|first| self.standing_of(first) != Standing::Unknown);
        let refused = talk::introduces(self.line_above(above), Above::Argument { names_skill });
        Some(Run { from, refused })
    }

    /// The form of lines after prose.
    fn lines(&mut self) -> Option<Typed> {
        let filled = self.filled_lines();
        let starts_run = |line: &Line| self.line_name(line).is_some();
        let behind = filled.iter().rposition(starts_run).map_or(0, |last| last + 1);
        let mut first =
            filled[..behind].iter().rposition(|line| !starts_run(line)).map_or(0, |above| above + 1);
        // A line that begins with "then" goes on with the prose above it.
        while first < behind && !self.starts_plainly(&filled[first]) {
            first += 1;
        }
        let run = filled[first..behind].to_vec();
        let above = first.checked_sub(1).map(|above| {
            // A line end follows each line, and another one is a blank line.
            let is_apart = first < behind && filled[first].start > filled[above].end + 1;
            (self.line_above(&filled[above]), Above::Prose { is_apart })
        });
        let refusal = if behind < filled.len() {
            Some(Why::TextAfter)
        } else if run.len() < 2 {
            Some(Why::OneLine)
        } else if run.len() > MOST_ENTRIES {
            Some(Why::TooMany)
        } else {
            above.and_then(|(line, above)| talk::introduces(line, above))
        };
        let names: Vec<usize> = run.iter().filter_map(|line| self.line_name(line)).collect();
        if let Some(why) = refusal {
            for name in names {
                self.note(name, why);
            }
            return None;
        }
        let start =
            run.first().and_then(|line| self.tokens.get(line.start)).map_or(0, |token| token.span.start);
        let mut entries = Vec::new();
        for (index, (name, line)) in names.into_iter().zip(&run).enumerate() {
            entries.push(self.entry(name));
            self.note(name, Why::OnItsLine);
            let joins = |token: &Token| matches!(token.kind, Kind::Blank | Kind::Sign(_) | Kind::Word(_));
            let is_last = index + 1 == run.len();
            let trailing =
                self.tokens[name + 1..line.end].iter().rev().take_while(|token| joins(token)).count();
            self.follow(name, if is_last { line.end } else { line.end - trailing }, None, &mut entries);
        }
        if entries.is_empty() {
            return None;
        }
        let closed = self.take_no_exit(&mut entries);
        let unknown = std::mem::take(&mut self.unknown);
        let above = self.prompt[..start].to_owned();
        Some(Typed { form: Form::Lines, entries, above, closed, unknown })
    }

    /// The lines that are not blank.
    fn filled_lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut from = 0;
        let ends = self.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Newline);
        for end in ends.map(|(index, _)| index).chain([self.tokens.len()]) {
            if self.tokens[from..end].iter().any(|token| !is_blank(token.kind)) {
                lines.push(from..end);
            }
            from = end + 1;
        }
        lines
    }

    /// The text of a line; where code reaches over several, the last of them.
    fn line_above(&self, line: &Line) -> &str {
        let (Some(first), Some(last)) = (self.tokens.get(line.start), self.tokens.get(line.end - 1)) else {
            return "";
        };
        self.prompt[first.span.start..last.span.end].rsplit('\n').next().unwrap_or_default()
    }

    /// The entry that a line starts with, after delimiters or not.
    fn line_name(&self, line: &Line) -> Option<usize> {
        if matches!(self.tokens[line.start].kind, Kind::Indent { code: true }) {
            return None;
        }
        let leads = |kind: Kind| is_blank(kind) || matches!(kind, Kind::Word(_) | Kind::Sign(_));
        let first = line.clone().find(|index| !leads(self.tokens[*index].kind))?;
        let is_entry = self.standing_of(first).is_entry() && !self.talked[first];
        is_entry.then_some(first)
    }

    fn starts_plainly(&self, line: &Line) -> bool {
        let first = line.clone().find(|index| !is_blank(self.tokens[*index].kind));
        first.is_some_and(|first| matches!(self.tokens[first].kind, Kind::Name { .. }))
    }
}

/// A comma or semicolon right after the name belongs to neither.
fn set_args(entries: &mut [Entry], text: &str) {
    if let Some(last) = entries.last_mut() {
        let text = text.trim_start_matches([',', ';', '，']).trim_matches(token::is_blank);
        text.clone_into(&mut last.args);
    }
}

/// The text before a delimiter; a dash between them belongs to the delimiter.
fn without_dash(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix(['-', '–', '—']) {
        Some(rest) if rest.is_empty() || rest.ends_with(char::is_whitespace) => rest,
        _ => text,
    }
}

fn is_blank(kind: Kind) -> bool {
    matches!(kind, Kind::Blank | Kind::Newline | Kind::Indent { .. })
}
