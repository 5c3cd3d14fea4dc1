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

/// Verbs of somebody who tells what happened.
const TOLD: [&str; 18] = [
    "went", "looks", "looked", "stopped", "got", "took", "gave", "came", "became", "seemed", "hung",
    "showed", "threw", "forgot", "died", "exited", "refused", "wants",
];

/// After these a word in -ed is a verb: "ignored the hook", "stopped working", "used to do this".
const AFTER_VERB: [&str; 17] = [
    "the",
    "a",
    "an",
    "my",
    "our",
    "its",
    "it",
    "me",
    "us",
    "twice",
    "again",
    "working",
    "when",
    "because",
    "yesterday",
    "nothing",
    "too",
];

/// After these a word in -s is a verb: "bothers me".
const AFTER_THIRD: [&str; 12] =
    ["me", "my", "us", "our", "it", "twice", "again", "forever", "nothing", "too", "itself", "when"];

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

/// The same of somebody who did something: "I ran".
const RAN: [&str; 16] = [
    "ran", "run", "typed", "type", "did", "tried", "used", "executed", "pasted", "get", "got", "see", "saw",
    "wrote", "called", "invoked",
];

/// Words of a line that has no full stop, by which it is an answer all the same: "looks good, go with B".
const ASSENTS: [&str; 47] = [
    "ok",
    "okay",
    "yes",
    "yep",
    "yeah",
    "sure",
    "fine",
    "good",
    "great",
    "nice",
    "perfect",
    "cool",
    "lgtm",
    "go",
    "ship",
    "proceed",
    "continue",
    "right",
    "correct",
    "agreed",
    "agree",
    "approved",
    "alright",
    "done",
    "green",
    "fixed",
    "resolved",
    "works",
    "passes",
    "passed",
    "passing",
    "merged",
    "ready",
    "now",
    "thanks",
    "thank",
    "thx",
    "danke",
    "passt",
    "nope",
    "wanted",
    "myself",
    "excellent",
    "exactly",
    "accepted",
    "next",
    "sounds",
];

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

/// An apostrophe, as it is typed.
const APOSTROPHES: [char; 5] = ['\'', '’', '´', '`', '′'];

/// Whether a table has the word. The tables have no apostrophes, as they are often not typed: "dont", "cant".
pub(super) fn is_among(word: &str, table: &[&str]) -> bool {
    let has = |word: &str| table.iter().any(|known| known.eq_ignore_ascii_case(word));
    if word.contains(APOSTROPHES) { has(&word.replace(APOSTROPHES, "")) } else { has(word) }
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
    let is_verb =
        |word: &str| is_among(word, &FINITE) || is_among(word, &THIRD_PERSON) || is_among(word, &TOLD);
    // "stopped working", "forces me": a verb by the word after it.
    let next = first_word(rest.trim_start_matches([' ', '\t'])).0;
    let is_past = first.len() > 4 && first.ends_with("ed") && is_among(next, &AFTER_VERB);
    let is_third =
        first.len() > 3 && first.ends_with('s') && !first.ends_with("ss") && is_among(next, &AFTER_THIRD);
    if is_past || is_third || (is_among(first, &["used"]) && is_among(next, &["to"])) {
        return true;
    }
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

/// Whether the words after an entry take it back: "not needed", "please not", "I do myself", "no thanks".
pub(super) fn takes_back(after: &str) -> bool {
    let clause = &after[..after.find([',', ';', '.', '\n', '!', '?']).unwrap_or(after.len())];
    let words: Vec<&str> = clause.split_whitespace().take(6).collect();
    let is = |at: usize, table: &[&str]| words.get(at).is_some_and(|word| is_among(word, table));
    let first = usize::from(is(0, &["please", "is", "are"]));
    let person = is(first, &["i", "we", "ill", "well", "id"]);
    let does = is(first + 1, &["do", "will", "can", "take", "make", "want", "handle", "commit", "run"]);
    let ends = words.len() <= first + 1;
    (is(first, &["not"])
        && (ends
            || is(
                first + 1,
                &["needed", "necessary", "wanted", "required", "now", "yet", "today", "please"],
            )))
        || (is(first, &["no", "never", "nope", "nothing", "unnecessary", "unneeded"])
            && (ends || is(first + 1, &["thanks", "thank", "need", "please", "more"])))
        || (person && (does || words.iter().any(|word| is_among(word, &["myself", "later", "ourselves"]))))
        || is(first, &["myself"])
        || (is(first, &["later", "by"]) && is(first + 1, &["by", "me", "myself"]))
}

/// Whether the words before an entry, which only `then` joins to it, forbid it or keep it for the person: "you must not then",
/// "I will then".
pub(super) fn keeps(before: &str, joint: &str) -> bool {
    if joint.is_empty() || !joint.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '\t')) {
        return false;
    }
    let mut words = before.split([' ', '\t', '\n']).rev().filter(|word| !word.is_empty());
    let (Some(last), second) = (words.next(), words.next().unwrap_or_default()) else { return false };
    if !last.ends_with(char::is_alphanumeric) {
        return false;
    }
    let acts = is_among(last, &["not", "never", "dont", "mustnt", "shouldnt", "cannot", "cant"]);
    let will = is_among(last, &["will", "shall", "can", "must", "would", "ill"]);
    (acts && !is_among(second, &["if", "or", "when"]))
        || is_among(last, &["i", "ill", "id"])
        || (will && is_among(second, &["i", "we"]))
}

/// Whether a line of prose is a finished sentence, or the end of a block of code.
fn is_finished(line: &str) -> bool {
    let plain = line.trim_end_matches(|c: char| {
        matches!(c, ')' | '"' | '\'' | '*' | '_' | '”' | '’')
            || (!c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '。' | '！' | '…'))
    });
    plain.ends_with(['.', '!', '。', '！', '…']) || line.ends_with("```") || line.ends_with("~~~")
}

/// Whether a line without a full stop answers something: a word of assent, or several words with a comma.
fn assents<'l>(line: &str, mut words: impl Iterator<Item = &'l str> + Clone) -> bool {
    const LONG: usize = 5;
    let count = words.clone().filter(|word| !word.is_empty()).count();
    line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("do it"))
        || (line.contains(',') && count >= LONG)
        || words.any(|word| is_among(word, &ASSENTS))
}

/// Where the line above a run of lines is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Above {
    /// In the argument of a skill. `names_skill`: it starts with a skill itself.
    Argument { names_skill: bool },
    /// In prose. `is_apart`: a blank line follows it.
    Prose { is_apart: bool },
}

/// Why a line above a run of skills makes the run a list that is talked about. In an argument a comma at its end delimits,
/// and what it forbids is part of the task.
pub(super) fn introduces(line: &str, above: Above) -> Option<Why> {
    let line = line.trim();
    let in_prose = matches!(above, Above::Prose { .. });
    if line.ends_with([':', '?', '：', '？']) || (in_prose && line.ends_with([',', ';', '，'])) {
        return Some(Why::Introduced);
    }
    if line.starts_with(['#', '$', '|']) || (in_prose && line.starts_with('>')) {
        return Some(Why::Introduced);
    }
    let about = |word: &str| is_among(word, &ABOUT_LINES) || (in_prose && is_among(word, &ABOUT_PROSE));
    let words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '.')));
    let words = words.map(|word| word.trim_end_matches('.'));
    let shows = words.clone().next_back().is_some_and(|last| is_among(last, &SHOWS) || is_among(last, &RAN));
    if shows || words.clone().any(about) {
        return Some(Why::Introduced);
    }
    if above == (Above::Prose { is_apart: false }) && !is_finished(line) && !assents(line, words) {
        return Some(Why::Unfinished);
    }
    let is_rule = !line.is_empty() && line.chars().all(|c| matches!(c, '-' | '=' | '+' | '|' | '_' | ' '));
    let is_slash = line.starts_with('/') && above != Above::Argument { names_skill: true };
    (is_slash || is_rule).then_some(Why::Listing)
}
