//! Programs that make commands of a list: `xargs`, `parallel`, `find -exec`, `fd -x`.

use super::Walk;
use super::unwrap::owned;
use crate::effect::executed;
use crate::option::{Given, Options};
use crate::run::Run;
use crate::scope::Scope;
use crate::word::Word;
use crate::wrapper::Wrapper;

/// Values of `xargs -I` and `parallel` that are looked at.
const MOST_ROUNDS: usize = 16;

/// Places in a command of `fd` for what it finds.
const FD_PLACES: &[&str] = &["{}", "{/}", "{//}", "{.}", "{/.}"];

impl Walk {
    /// The words behind the options, and those of the input as far as it is literal.
    pub(super) fn xargs(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let mut words = owned(&options.operands);
        let marks = options.all(&["-I", "-J", "-i", "--replace"]);
        let named = |given: &Given<'_>| given.value.clone().filter(|mark| !mark.is_empty());
        let mark = marks.last().map(|given| named(given).unwrap_or_else(|| "{}".to_owned()));
        let unknown = Word { text: "{}".to_owned(), unknown: true, glob: false, from: own.fed_by.clone() };
        let mut inner = own.within("xargs");
        inner.input = None;
        let file = options.all(&["-a", "--arg-file"]).last().and_then(Given::word);
        let input = match &file {
            // What the file holds is unknown, what stands in the pipe was meant for somebody.
            Some(file) => self.text_of(file, own).or_else(|| own.input.clone()),
            None => own.input.clone(),
        };
        let delimiter = match options.value(&["-d", "--delimiter"]) {
            _ if options.has(&["-0", "--null"]) => Some("\0".to_owned()),
            Some("\\n") => Some("\n".to_owned()),
            Some("\\0") => Some("\0".to_owned()),
            delimiter => delimiter.filter(|text| !text.is_empty()).map(str::to_owned),
        };
        let items = |input: &str, lines: bool| -> Vec<Word> {
            let bare = |item: &str| Word::known(item.replace(['\'', '"', '\\'], ""));
            match &delimiter {
                Some(mark) => {
                    input.split(mark.as_str()).filter(|item| !item.is_empty()).map(Word::known).collect()
                }
                None if lines => input.lines().map(|line| bare(line.trim())).collect(),
                None => input.split_whitespace().map(bare).collect(),
            }
        };
        let Some(mark) = mark else {
            match input {
                Some(input) => words.extend(items(&input, false)),
                None => words.push(unknown),
            }
            return self.words(words, &mut inner.clone(), &inner);
        };
        // Each line is a round of its own.
        let rounds = input.map_or_else(|| vec![unknown], |input| items(&input, true));
        let is_placed = words.iter().any(|word| word.text.contains(&mark));
        for round in self.limited(rounds) {
            let mut words: Vec<Word> = words.iter().map(|word| replace(word, &mark, &round)).collect();
            words.extend((!is_placed).then_some(round));
            self.words(words, &mut inner.clone(), &inner);
        }
    }

    /// As many values as are looked at; that there are more is said.
    fn limited(&mut self, mut values: Vec<Word>) -> Vec<Word> {
        if values.len() > MOST_ROUNDS {
            self.bound("more values than are looked at");
            values.truncate(MOST_ROUNDS);
        }
        values
    }

    pub(super) fn parallel(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let is_mark = |word: &Word| word.text.starts_with(":::");
        let at = options.operands.iter().position(|word| is_mark(word)).unwrap_or(options.operands.len());
        let (command, listed) = options.operands.split_at(at);
        let from_files =
            listed.iter().any(|word| word.text.starts_with("::::")) || options.has(&["-a", "--arg-file"]);
        let values: Vec<&Word> = listed.iter().copied().filter(|word| !is_mark(word)).collect();
        let unknown =
            Word { text: "{}".to_owned(), unknown: true, from: own.fed_by.clone(), ..Word::default() };
        let rounds = match &own.input {
            _ if from_files => vec![unknown],
            _ if !values.is_empty() => owned(&values),
            Some(input) => input.lines().filter(|line| !line.is_empty()).map(Word::known).collect(),
            None => vec![unknown],
        };
        let mut inner = own.within("parallel");
        inner.input = None;
        for value in self.limited(rounds) {
            if command.is_empty() {
                // Without a command, each line is one.
                self.literal(&value, &inner);
                continue;
            }
            let places = ["{}", "{1}"];
            let mut words = owned(command);
            if words.iter().any(|word| places.iter().any(|place| word.text.contains(place))) {
                for place in places {
                    words = words.iter().map(|word| replace(word, place, &value)).collect();
                }
            } else {
                words.push(value.clone());
            }
            match words.as_slice() {
                // A single word is a line of shell.
                [code, ..] if code.text.contains(' ') && !code.unknown => {
                    let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                    self.script(&code, &inner);
                }
                _ => self.words(words, &mut inner.clone(), &inner),
            }
        }
    }

    /// `-exec PROGRAM … ;`: what it finds is unknown.
    pub(super) fn find(&mut self, run: &Run, own: &Scope) {
        // The run itself was noted last.
        let finder = self.runs.len().saturating_sub(1);
        for command in executed(&run.args) {
            let words: Vec<Word> = command.iter().map(|word| found(word, &["{}"], finder)).collect();
            let inner = own.within("find -exec");
            self.words(words, &mut inner.clone(), &inner);
        }
    }

    /// `fd … -x PROGRAM …`, up to `;`. Without a place for what is found, it stands behind the words.
    pub(super) fn fd(&mut self, run: &Run, own: &Scope) {
        let finder = self.runs.len().saturating_sub(1);
        let mut args = run.args.as_slice();
        while let Some(at) = args.iter().position(|arg| is_exec(&arg.text)) {
            let glued = args[at].text.split_once('=').map(|(_, program)| Word::known(program));
            let rest = &args[at + 1..];
            let end = rest.iter().position(|word| word.text == ";").unwrap_or(rest.len());
            let mut words: Vec<Word> =
                glued.iter().chain(&rest[..end]).map(|word| found(word, FD_PLACES, finder)).collect();
            if !words.iter().any(|word| word.from.contains(&finder)) {
                words.push(found(&Word::known("{}"), FD_PLACES, finder));
            }
            let inner = own.within("fd -x");
            self.words(words, &mut inner.clone(), &inner);
            args = &rest[end..];
        }
    }
}

fn is_exec(text: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    matches!(name, "--exec" | "--exec-batch")
        || (text.len() > 1 && text.starts_with('-') && !text.starts_with("--") && text.ends_with(['x', 'X']))
}

/// A word that stands for what a program finds.
fn found(word: &Word, places: &[&str], finder: usize) -> Word {
    let is_place = places.contains(&word.text.as_str());
    let from = if is_place { vec![finder] } else { word.from.clone() };
    let text = if is_place { "{}".to_owned() } else { word.text.clone() };
    Word { text, unknown: word.unknown || is_place, from, ..word.clone() }
}

/// A word with the value in place of the mark.
fn replace(word: &Word, mark: &str, value: &Word) -> Word {
    if mark.is_empty() || !word.text.contains(mark) {
        return word.clone();
    }
    let mut word = word.clone();
    // Inside a string of code the rest of it is still plain to see.
    let is_code = word.text != mark && value.unknown && word.text.contains(char::is_whitespace);
    word.text = word.text.replace(mark, &value.text);
    word.unknown |= value.unknown && !is_code;
    word.from.extend(&value.from);
    word
}
