//! Words by which somebody talks about a skill, or forbids it, instead of calling it.
//!
//! The tables are closed: what is not listed is an argument. `/commit fixes` is one, since `fixes` is more often a noun;
//! `/commit prints an empty line` is talk.

use super::reading::Why;
use super::token::{Joint, Kind, Token};

/// Nouns after a name: the skill is talked about.
const NOUNS: [&str; 8] = ["skill", "skills", "command", "commands", "step", "steps", "hook", "hooks"];

/// Verbs that are never the first word of an argument: forms of be, have, do, modal verbs, past forms.
const FINITE: [&str; 41] = [
    "is", "isnt", "are", "arent", "was", "wasnt", "were", "werent", "does", "doesnt", "did", "didnt", "has",
    "hasnt", "have", "havent", "had", "should", "shouldnt", "must", "mustnt", "can", "cant", "cannot",
    "could", "couldnt", "may", "might", "shall", "will", "wont", "would", "wouldnt", "failed", "worked",
    "ran", "broke", "crashed", "printed", "asked", "wrote",
];

/// Verbs in the third person that are seldom plural nouns.
const THIRD_PERSON: [&str; 72] = [
    "accepts",
    "adds",
    "allows",
    "appears",
    "appends",
    "asks",
    "becomes",
    "begins",
    "behaves",
    "belongs",
    "breaks",
    "calls",
    "comes",
    "contains",
    "crashes",
    "creates",
    "deletes",
    "depends",
    "does",
    "drops",
    "exists",
    "expects",
    "fails",
    "finds",
    "forgets",
    "generates",
    "gets",
    "gives",
    "goes",
    "handles",
    "hangs",
    "happens",
    "ignores",
    "includes",
    "keeps",
    "knows",
    "lacks",
    "leaves",
    "lets",
    "loses",
    "makes",
    "means",
    "needs",
    "opens",
    "overwrites",
    "prints",
    "produces",
    "puts",
    "reads",
    "refuses",
    "remains",
    "removes",
    "replaces",
    "requires",
    "returns",
    "runs",
    "says",
    "seems",
    "sends",
    "shows",
    "skips",
    "starts",
    "stays",
    "stops",
    "takes",
    "tells",
    "throws",
    "tries",
    "uses",
    "waits",
    "works",
    "writes",
];

/// Verbs that make talk of a plural noun before them: `/handoff notes stay out`.
const PLURAL: [&str; 6] = ["stay", "remain", "belong", "seem", "fail", "need"];

/// Words that an argument starts with, whatever verb follows: `/commit what is staged`.
const NOT_NOUNS: [&str; 32] = [
    "a",
    "all",
    "an",
    "any",
    "anything",
    "but",
    "each",
    "either",
    "everything",
    "he",
    "here",
    "how",
    "i",
    "if",
    "it",
    "nothing",
    "only",
    "she",
    "so",
    "that",
    "the",
    "there",
    "these",
    "they",
    "this",
    "those",
    "we",
    "what",
    "when",
    "which",
    "who",
    "you",
];

/// Signs after a name that make it a row of a table or a mapping.
const SIGNS: [&str; 4] = ["->", "=>", "|", "="];

/// Words before a delimiter after which names are examples: "these skills, /commit and /handoff".
const EXAMPLES: [&str; 2] = ["skills", "commands"];

/// Words of the line above by which somebody talks about the lines.
const ABOUT_LINES: [&str; 20] = [
    "these",
    "those",
    "following",
    "below",
    "output",
    "outputs",
    "commands",
    "skills",
    "lines",
    "prompts",
    "types",
    "typed",
    "typing",
    "menu",
    "example",
    "examples",
    "e.g",
    "enters",
    "entered",
    "pastes",
];

/// Verbs at the end of the line above, whose object the lines are: "it printed".
const SHOWS: [&str; 9] =
    ["print", "prints", "printed", "show", "shows", "showed", "says", "said", "contains"];

/// Words of a line of prose that compares or forbids what comes below it. In the argument of a skill they are part of
/// the task.
const ABOUT_PROSE: [&str; 16] = [
    "not",
    "dont",
    "never",
    "without",
    "between",
    "difference",
    "differ",
    "compare",
    "versus",
    "vs",
    "which",
    "explain",
    "instead",
    "except",
    "skip",
    "avoid",
];

/// Words that forbid what follows them.
const FORBIDS: [&str; 21] = [
    "not", "dont", "doesnt", "never", "no", "without", "skip", "skipping", "avoid", "except", "cannot",
    "cant", "mustnt", "shouldnt", "wont", "wouldnt", "neednt", "nor", "neither", "omit", "forbid",
];

/// The same in two words.
const FORBIDS_BY_TWO: [(&str, &str); 3] = [("instead", "of"), ("rather", "than"), ("leave", "out")];

/// Words between one that forbids and the name.
const BETWEEN: [&str; 13] =
    ["run", "running", "call", "calling", "use", "using", "do", "doing", "a", "the", "any", "to", "invoke"];

/// Abbreviations: their full stop ends no sentence.
const ABBREVIATIONS: [&str; 10] =
    ["e.g.", "i.e.", "etc.", "vs.", "cf.", "incl.", "approx.", "resp.", "no.", "z.b."];

/// Whether a table has the word. The tables have no apostrophes, as they are often not typed: "dont", "cant".
pub(super) fn is_among(word: &str, table: &[&str]) -> bool {
    let has = |word: &str| table.iter().any(|known| known.eq_ignore_ascii_case(word));
    if word.contains(['\'', '’']) { has(&word.replace(['\'', '’'], "")) } else { has(word) }
}

pub(super) fn forbids(word: &str) -> bool {
    is_among(word, &FORBIDS)
}

pub(super) fn forbids_by_two(first: &str, second: &str) -> bool {
    let is = |(one, two): &(&str, &str)| first.eq_ignore_ascii_case(one) && second.eq_ignore_ascii_case(two);
    FORBIDS_BY_TWO.iter().any(is)
}

/// Whether names that a comma or `and` joins to this word are examples.
pub(super) fn announces(word: &str) -> bool {
    is_among(word, &EXAMPLES)
}

/// Whether a word ends its sentence, if white space follows it.
pub(super) fn ends_sentence(word: &str) -> bool {
    word.ends_with(['.', '!', '?', '。']) && !is_among(word, &ABBREVIATIONS)
}

/// Which names are talked about. "/handoff and /commit are …" talks about both.
pub(super) fn talked_about(prompt: &str, tokens: &[Token]) -> Vec<bool> {
    let mut talked = vec![false; tokens.len()];
    let mut joined_talk = false;
    for (index, token) in tokens.iter().enumerate().rev() {
        match token.kind {
            Kind::Name { end } => {
                // A full stop after the name ends the sentence.
                joined_talk = end == token.span.end && (joined_talk || is_talk(&prompt[end..]));
                talked[index] = joined_talk;
            }
            Kind::Blank | Kind::Sign(Joint::Lists) | Kind::Word(Joint::Lists | Joint::Orders) | Kind::Or => {}
            _ => joined_talk = false,
        }
    }
    talked
}

/// Whether the text after a name talks about the skill.
fn is_talk(after: &str) -> bool {
    let text = after.trim_start_matches([' ', '\t']);
    if SIGNS.iter().any(|sign| text.starts_with(sign)) {
        return true;
    }
    let (first, rest) = first_word(text);
    let is_verb = |word: &str| is_among(word, &FINITE) || is_among(word, &THIRD_PERSON);
    if is_among(first, &NOUNS) || is_verb(first) {
        return true;
    }
    if first.is_empty() || is_among(first, &NOT_NOUNS) || !rest.starts_with([' ', '\t']) {
        return false;
    }
    let (second, _) = first_word(rest.trim_start_matches([' ', '\t']));
    is_verb(second) || (first.ends_with('s') && is_among(second, &PLURAL))
}

/// The word that a text starts with, and the text after it.
fn first_word(text: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    text.split_at(text.find(|c: char| !is_part(c)).unwrap_or(text.len()))
}

/// Whether the words right before the token forbid it: "but do not run /commit".
pub(super) fn is_forbidden(prompt: &str, tokens: &[Token], name: usize) -> bool {
    let mut words = tokens[..name]
        .iter()
        .rev()
        .filter(|token| token.kind != Kind::Blank)
        .map_while(|token| (token.kind == Kind::Text).then(|| &prompt[token.span.clone()]))
        .take(5)
        .skip_while(|word| is_among(word, &BETWEEN));
    let Some(last) = words.next() else { return false };
    forbids(last) || words.next().is_some_and(|before| forbids_by_two(before, last))
}

/// Where the line above a run of lines is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Above {
    /// In the argument of a skill. `names_skill`: it starts with a skill itself.
    Argument { names_skill: bool },
    /// In prose.
    Prose,
}

/// Why a line above a run of skills makes the run a list that is talked about. In an argument a comma at its end delimits,
/// and what it forbids is part of the task.
pub(super) fn introduces(line: &str, above: Above) -> Option<Why> {
    let line = line.trim();
    let in_prose = above == Above::Prose;
    if line.ends_with([':', '?', '：', '？']) || (in_prose && line.ends_with([',', ';', '，'])) {
        return Some(Why::Introduced);
    }
    if line.starts_with(['#', '$', '|']) || (in_prose && line.starts_with('>')) {
        return Some(Why::Introduced);
    }
    let about = |word: &str| is_among(word, &ABOUT_LINES) || (in_prose && is_among(word, &ABOUT_PROSE));
    let words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '.')));
    let mut words = words.map(|word| word.trim_end_matches('.'));
    if words.clone().next_back().is_some_and(|last| is_among(last, &SHOWS)) || words.any(about) {
        return Some(Why::Introduced);
    }
    let is_rule = !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '+' | '|' | '_' | ' '));
    let is_slash = line.starts_with('/') && above != Above::Argument { names_skill: true };
    (is_slash || is_rule).then_some(Why::Listing)
}
