//! Reading a chain out of a prompt. The grammar is told in `docs/chains.md`.
//!
//! The parser never fails. Besides the chain it gives the reasons for how it read each name, with their places: that is
//! what `--explain` prints and what `engine chain validate` calls doubtful.

use std::collections::HashSet;

use super::token::{Kind, Token, is_name, tokens};
use super::{Entry, transport};

/// What is known of a skill when its name is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Entry,
    /// Cooperative, but the model cannot call it: it can be typed first, and nothing else.
    OnlyTyped,
    /// A skill that does not know chains.
    NotCooperative,
    Unknown,
}

/// How a prompt was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub chain: Option<Typed>,
    /// Every name that was looked at, and what became of it.
    pub notes: Vec<Note>,
}

/// A chain as it was typed, without default exits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub form: Form,
    /// At least one. In the inline form the first is the skill that the client runs.
    pub entries: Vec<Entry>,
    /// The chain names its own end: no default exits.
    pub closed: bool,
    /// Names behind a delimiter that no skill has.
    pub unknown: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The prompt starts with a skill, and the client runs it.
    Leading,
    /// Lines behind prose: the client runs none of them.
    Lines,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub at: usize,
    pub name: String,
    pub why: Why,
}

/// What became of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    First,
    Joined,
    OnItsLine,
    Unknown,
    NotCooperative,
    OnlyTyped,
    Talk,
    Mention,
    JoinedToMention,
    NoChainList,
    OneLine,
    Introduced,
    Listing,
    TextBehind,
    NotAtStart,
}

impl Why {
    pub fn text(self) -> &'static str {
        match self {
            Self::First => "entry: the prompt starts with it",
            Self::Joined => "entry: behind a delimiter",
            Self::OnItsLine => "entry: at the start of its line",
            Self::Unknown => "text: no skill has this name",
            Self::NotCooperative => "text: the skill is not cooperative",
            Self::OnlyTyped => "text: the model cannot call this skill",
            Self::Talk => "text: the word behind it says that the skill is talked about",
            Self::Mention => "text: no delimiter before it",
            Self::JoinedToMention => "text: joined to a skill that is only mentioned",
            Self::NoChainList => "text: an item of a list that is no chain",
            Self::OneLine => "text: one line alone behind other text",
            Self::Introduced => "text: the line above talks about the lines",
            Self::Listing => "text: part of a listing",
            Self::TextBehind => "text: other text follows the run of lines",
            Self::NotAtStart => "text: the prompt does not start with a skill",
        }
    }

    pub fn is_entry(self) -> bool {
        matches!(self, Self::First | Self::Joined | Self::OnItsLine)
    }

    /// Whether a person might have meant a chain here.
    pub fn is_doubtful(self) -> bool {
        matches!(
            self,
            Self::Unknown
                | Self::NotCooperative
                | Self::OnlyTyped
                | Self::Talk
                | Self::JoinedToMention
                | Self::NoChainList
                | Self::OneLine
                | Self::Introduced
                | Self::TextBehind
        )
    }
}

/// Whether the client takes the prompt for a command: it does so only where nothing is before the name or glued to it.
pub fn is_run(prompt: &str) -> bool {
    let word = prompt.split(char::is_whitespace).next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(is_name)
}

/// Words behind a name by which somebody talks about the skill instead of calling it.
const TALK: [&str; 26] = [
    "skill", "skills", "command", "commands", "is", "are", "was", "were", "does", "did", "should", "must",
    "can", "has", "have", "had", "will", "would", "failed", "fails", "works", "worked", "runs", "ran",
    "writes", "breaks",
];

/// Signs behind a name that do the same: a table, a mapping.
const TALK_SIGNS: [&str; 5] = ["->", "=>", "→", "|", "="];

/// Words before a delimiter after which names are examples: "these skills, /commit and /handoff".
const NOUNS: [&str; 2] = ["skills", "commands"];

/// Words in the line above a run of lines by which somebody talks about them, or forbids them.
const ABOUT: [&str; 21] = [
    "not",
    "don't",
    "dont",
    "don’t",
    "never",
    "without",
    "these",
    "those",
    "following",
    "below",
    "between",
    "difference",
    "differ",
    "output",
    "compare",
    "versus",
    "vs",
    "which",
    "explain",
    "commands",
    "skills",
];

/// Reads a prompt. `standing` tells what a name stands for; it is asked for names that could be entries only.
pub fn read(prompt: &str, standing: &dyn Fn(&str) -> Standing) -> Reading {
    let tokens = tokens(prompt);
    let talked = talked_about(prompt, &tokens);
    let mut reader = Reader { prompt, tokens, talked, standing, notes: Vec::new(), unknown: Vec::new() };
    let chain = reader.leading().or_else(|| reader.lines());
    Reading { chain, notes: reader.notes }
}

/// The same, with a note on every known skill that a prompt without a chain names: for people, who want to know why.
pub fn explain(prompt: &str, standing: &dyn Fn(&str) -> Standing) -> Reading {
    let mut reading = read(prompt, standing);
    if reading.chain.is_some() {
        return reading;
    }
    let noted: HashSet<usize> = reading.notes.iter().map(|note| note.at).collect();
    for token in tokens(prompt) {
        let Kind::Name { end } = token.kind else { continue };
        let name = &prompt[token.span.start + 1..end];
        if !noted.contains(&token.span.start) && standing(name) != Standing::Unknown {
            reading.notes.push(Note { at: token.span.start, name: name.to_owned(), why: Why::NotAtStart });
        }
    }
    reading.notes.sort_by_key(|note| note.at);
    reading
}

struct Reader<'p> {
    prompt: &'p str,
    tokens: Vec<Token>,
    /// Of each token, whether it is a name that is talked about.
    talked: Vec<bool>,
    standing: &'p dyn Fn(&str) -> Standing,
    notes: Vec<Note>,
    unknown: Vec<String>,
}

/// Delimiters that stand right before a token.
#[expect(clippy::struct_excessive_bools, reason = "what was seen, each by itself")]
#[derive(Clone, Copy, Default)]
struct Run {
    /// Where the run begins: the end of the argument before it.
    start: usize,
    /// A comma, a joint, a new line, an item of a chain list.
    delimits: bool,
    /// A comma or a joint, so that a list may follow.
    opens_list: bool,
    /// A new line behind a colon: what follows is a listing.
    introduced: bool,
    /// `then` or `finally`: what follows is an order, whatever was talked about before.
    orders: bool,
}

/// What stands before a run of delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A skill that is only mentioned.
    Mention,
    /// Words of a sentence that mentions one.
    Talk,
    /// A name in a listing.
    Listed,
    Other,
}

/// A list, or the part of it that was looked at.
struct List {
    /// The token behind it.
    end: usize,
    /// How far its items are indented; deeper ones belong to them.
    least: usize,
    /// Every item starts with a name.
    is_chain: bool,
}

impl Reader<'_> {
    fn name(&self, token: &Token) -> Option<&str> {
        let Kind::Name { end } = token.kind else { return None };
        Some(&self.prompt[token.span.start + 1..end])
    }

    fn note(&mut self, token: usize, why: Why) {
        let Some(name) = self.name(&self.tokens[token]).map(str::to_owned) else { return };
        self.notes.push(Note { at: self.tokens[token].span.start, name, why });
    }

    /// The form that starts with a skill.
    fn leading(&mut self) -> Option<Typed> {
        let first = self.tokens.iter().position(|token| !is_blank(token.kind))?;
        let name = self.name(&self.tokens[first])?;
        match (self.standing)(name) {
            Standing::Entry => {}
            // The model cannot call it, so the client has to run it.
            Standing::OnlyTyped if is_run(self.prompt) => {}
            _ => return None,
        }
        let mut entries = vec![self.entry(first)];
        self.note(first, Why::First);
        self.follow(first, self.tokens.len(), &mut entries);
        let mut closed = false;
        if let Some(last) = entries.last_mut()
            && let Some((args, rest)) = transport::split_strict(&last.args)
        {
            args.trim().clone_into(&mut last.args);
            for entry in rest {
                if (self.standing)(&entry.skill) == Standing::Entry {
                    entries.push(entry);
                } else {
                    self.unknown.push(entry.skill);
                }
            }
            closed = true;
        }
        Some(Typed { form: Form::Leading, entries, closed, unknown: std::mem::take(&mut self.unknown) })
    }

    fn entry(&self, token: usize) -> Entry {
        Entry { skill: self.name(&self.tokens[token]).unwrap_or_default().to_owned(), args: String::new() }
    }

    /// Reads on behind the entry at `first`, up to the token `end`: later entries, and the arguments of all.
    fn follow(&mut self, first: usize, end: usize, entries: &mut Vec<Entry>) {
        let mut args_from = self.tokens[first].span.end;
        let mut run: Option<Run> = None;
        let mut before = Before::Other;
        // Somebody is talking about skills in this sentence.
        let mut in_mention = false;
        let mut list = List { end: 0, least: 0, is_chain: false };
        let stop = self.tokens[end - 1].span.end;
        for index in first + 1..end {
            let Token { kind, span } = self.tokens[index].clone();
            let mut here = run.unwrap_or(Run { start: span.start, ..Run::default() });
            match kind {
                Kind::Blank | Kind::Indent { code: false } => run = Some(here),
                // Commas and joints reach over it; a new line alone does not make code an entry.
                Kind::Indent { code: true } => {
                    here.delimits = here.opens_list;
                    run = Some(here);
                }
                // `s,/a,/b,`: glued on both sides to something that is no name, it is no delimiter.
                Kind::Comma if self.is_glued(index) => run = None,
                Kind::Comma | Kind::Joint { .. } => {
                    let orders = here.orders || kind == Kind::Joint { orders: true };
                    here = Run { delimits: true, opens_list: true, introduced: false, orders, ..here };
                    run = Some(here);
                }
                Kind::Newline => {
                    // Behind a colon a listing begins, and goes on with the next line.
                    let introduced =
                        self.prompt[..here.start].ends_with([':', '：']) || before == Before::Listed;
                    here.introduced |= introduced && !here.opens_list;
                    here.delimits = true;
                    // A sentence goes on over a line end only where a joint or a comma says so.
                    if !here.opens_list && before == Before::Talk {
                        in_mention = false;
                        before = Before::Other;
                    }
                    run = Some(here);
                }
                Kind::Marker => {
                    if index >= list.end && here.opens_list {
                        list = self.list(index, end);
                    }
                    let deeper = index.checked_sub(1).map_or(0, |at| self.indent(at)) > list.least;
                    if list.is_chain && index < list.end && !deeper {
                        here.delimits = true;
                        run = Some(here);
                    } else {
                        run = None;
                        before = Before::Other;
                    }
                }
                Kind::Name { .. } => {
                    let why = self.judge(index, run.unwrap_or_default(), before);
                    if why == Why::Joined {
                        in_mention = false;
                        set_args(entries, &self.prompt[args_from..here.start]);
                        entries.push(self.entry(index));
                        args_from = span.end;
                    }
                    if why == Why::Unknown
                        && let Some(name) = self.name(&self.tokens[index]).map(str::to_owned)
                    {
                        self.unknown.push(name);
                    }
                    let mentioned = matches!(why, Why::Mention | Why::NoChainList);
                    let known = !mentioned || self.is_known(index);
                    if known {
                        self.note(index, why);
                    }
                    in_mention |= known && (mentioned || matches!(why, Why::Talk | Why::JoinedToMention));
                    before = if here.introduced {
                        Before::Listed
                    } else if in_mention {
                        Before::Mention
                    } else {
                        Before::Other
                    };
                    run = None;
                }
                Kind::Text => {
                    // A shielded block brings its line end along.
                    let new_line = self.prompt[span.clone()].ends_with('\n');
                    run = new_line.then_some(Run { start: span.end, delimits: true, ..Run::default() });
                    let text = &self.prompt[span];
                    in_mention |= self.is_quoted_mention(text);
                    in_mention &= !new_line && !text.ends_with(['.', ';', '!', '?', '。']);
                    let is_noun = NOUNS.iter().any(|noun| text.eq_ignore_ascii_case(noun));
                    before = if is_noun || self.is_quoted_mention(text) {
                        Before::Mention
                    } else if in_mention {
                        Before::Talk
                    } else {
                        Before::Other
                    };
                }
            }
        }
        set_args(entries, &self.prompt[args_from..stop]);
    }

    /// A comma without a blank on either side, behind something that is no name, and the name again before one.
    fn is_glued(&self, comma: usize) -> bool {
        let is =
            |at: usize, kind: fn(Kind) -> bool| self.tokens.get(at).is_some_and(|token| kind(token.kind));
        let before = comma.checked_sub(1).is_some_and(|at| is(at, |kind| kind == Kind::Text));
        before
            && is(comma + 1, |kind| matches!(kind, Kind::Name { .. }))
            && is(comma + 2, |kind| kind == Kind::Comma)
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

    fn is_known(&self, token: usize) -> bool {
        self.name(&self.tokens[token]).is_some_and(|name| (self.standing)(name) != Standing::Unknown)
    }

    /// What a name behind the first entry is.
    fn judge(&self, token: usize, run: Run, before: Before) -> Why {
        let Some(name) = self.name(&self.tokens[token]) else { return Why::Mention };
        if !run.delimits {
            let in_list = self.tokens[token - 1].kind == Kind::Marker;
            return if in_list { Why::NoChainList } else { Why::Mention };
        }
        if before == Before::Mention || (before == Before::Talk && !run.orders) {
            return Why::JoinedToMention;
        }
        match (self.standing)(name) {
            Standing::Unknown => Why::Unknown,
            _ if run.introduced => Why::Listing,
            _ if self.talked[token] => Why::Talk,
            Standing::NotCooperative => Why::NotCooperative,
            Standing::OnlyTyped => Why::OnlyTyped,
            Standing::Entry => Why::Joined,
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
                    let is_name = |token: &Token| matches!(token.kind, Kind::Name { .. });
                    let deeper = index > first && width(index) > least;
                    if !deeper && !self.tokens.get(content + 1).is_some_and(is_name) {
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

    /// The form of lines behind prose.
    fn lines(&mut self) -> Option<Typed> {
        let lines = self.line_starts();
        let filled: Vec<(usize, usize)> =
            lines.into_iter().filter(|(from, to)| self.tokens[*from..*to].iter().any(is_filled)).collect();
        let starts_run = |line: &(usize, usize)| self.line_name(*line).is_some();
        let behind = filled.iter().rposition(starts_run).map_or(0, |last| last + 1);
        let first = filled[..behind].iter().rposition(|line| !starts_run(line)).map_or(0, |above| above + 1);
        let run = &filled[first..behind];
        let above = first.checked_sub(1).map(|above| self.line_text(filled[above]));
        let refusal = if behind < filled.len() {
            Some(Why::TextBehind)
        } else if run.len() < 2 {
            Some(Why::OneLine)
        } else {
            above.and_then(|above| introduces(above.trim()))
        };
        let names: Vec<usize> = run.iter().filter_map(|line| self.line_name(*line)).collect();
        if let Some(why) = refusal {
            for name in names {
                self.note(name, why);
            }
            return None;
        }
        let mut entries = Vec::new();
        let lines = run.to_vec();
        for (index, (name, (_, end))) in names.into_iter().zip(&lines).enumerate() {
            entries.push(self.entry(name));
            self.note(name, Why::OnItsLine);
            let joins = |token: &Token| matches!(token.kind, Kind::Blank | Kind::Comma | Kind::Joint { .. });
            let is_last = index + 1 == lines.len();
            let trailing = self.tokens[name + 1..*end].iter().rev().take_while(|token| joins(token)).count();
            self.follow(name, if is_last { *end } else { end - trailing }, &mut entries);
        }
        let unknown = std::mem::take(&mut self.unknown);
        (!entries.is_empty()).then_some(Typed { form: Form::Lines, entries, closed: false, unknown })
    }

    /// The tokens of each line, without its line end.
    fn line_starts(&self) -> Vec<(usize, usize)> {
        let mut lines = Vec::new();
        let mut from = 0;
        for (index, token) in self.tokens.iter().enumerate() {
            let ends_line = token.kind == Kind::Newline || self.prompt[token.span.clone()].ends_with('\n');
            if ends_line {
                // A shielded block brings its line end along and is a line itself.
                lines.push((from, if token.kind == Kind::Newline { index } else { index + 1 }));
                from = index + 1;
            }
        }
        lines.push((from, self.tokens.len()));
        lines
    }

    fn line_text(&self, (from, to): (usize, usize)) -> &str {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if from < to => &self.prompt[first.span.start..last.span.end],
            _ => "",
        }
    }

    /// The entry that a line starts with.
    fn line_name(&self, (from, to): (usize, usize)) -> Option<usize> {
        let code = matches!(self.tokens[from].kind, Kind::Indent { code: true });
        let first = (from..to).find(|index| !is_blank(self.tokens[*index].kind))?;
        let name = self.name(&self.tokens[first])?;
        let is_entry = !code && (self.standing)(name) == Standing::Entry && !self.talked[first];
        is_entry.then_some(first)
    }
}

/// Which names are followed by a word of talk. "/handoff and /commit are …" talks about both.
fn talked_about(prompt: &str, tokens: &[Token]) -> Vec<bool> {
    let mut talked = vec![false; tokens.len()];
    let mut joined_talk = false;
    for (index, token) in tokens.iter().enumerate().rev() {
        match token.kind {
            Kind::Name { .. } => {
                let behind = prompt[token.span.end..].trim_start_matches([' ', '\t']);
                let word = &behind[..behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len())];
                joined_talk |= TALK.iter().any(|talk| word.eq_ignore_ascii_case(talk))
                    || TALK_SIGNS.iter().any(|sign| behind.starts_with(sign));
                talked[index] = joined_talk;
            }
            Kind::Blank | Kind::Comma | Kind::Joint { .. } => {}
            _ => joined_talk = false,
        }
    }
    talked
}

/// Why a line above a run of skills makes the run a list that is talked about.
fn introduces(line: &str) -> Option<Why> {
    if line.ends_with([':', '?', ',', ';', '：', '？']) {
        return Some(Why::Introduced);
    }
    let about = |word: &str| ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about));
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')));
    if words.any(about) || line.starts_with(['#', '$', '|', '>']) {
        return Some(Why::Introduced);
    }
    let is_rule = !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '+' | '|' | '_' | ' '));
    (line.starts_with('/') || is_rule).then_some(Why::Listing)
}

/// A comma right behind the name belongs to neither.
fn set_args(entries: &mut [Entry], text: &str) {
    if let Some(last) = entries.last_mut() {
        text.trim_start_matches(',').trim().clone_into(&mut last.args);
    }
}

fn is_blank(kind: Kind) -> bool {
    matches!(kind, Kind::Blank | Kind::Newline | Kind::Indent { .. })
}

fn is_filled(token: &Token) -> bool {
    !is_blank(token.kind)
}
