//! Files that a line writes and then runs: `echo 'git reset --hard' > x.sh && bash x.sh`.
//!
//! Only literal texts are kept, and all that was ever written to a file: whether it is replaced or gone before it runs, the text was
//! meant to run.

use std::rc::Rc;

use super::Walk;
use super::output::printed;
use crate::code::Language;
use crate::option::Options;
use crate::run::{RedirectKind, Run};
use crate::scope::Scope;
use crate::word::Word;

/// Files that are kept.
const MOST_FILES: usize = 32;
/// Bytes of a file that are kept.
const LONGEST: usize = 64 << 10;

/// Literal texts by the absolute paths of their files.
#[derive(Debug, Default)]
pub(super) struct Written {
    files: Vec<(String, String)>,
}

impl Written {
    fn put(&mut self, path: String, text: &str) {
        let is_room = self.files.len() < MOST_FILES && text.len() < LONGEST;
        match self.files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, old)) if old.len() + text.len() < LONGEST => {
                old.push('\n');
                old.push_str(text);
            }
            None if is_room => self.files.push((path, text.to_owned())),
            _ => {}
        }
    }

    fn text(&self, path: &str) -> Option<Rc<str>> {
        self.files.iter().find(|(known, _)| known == path).map(|(_, text)| Rc::from(text.as_str()))
    }
}

impl Walk {
    /// Keeps what a run writes to files, as far as it is literal.
    pub(super) fn write(&mut self, run: &Run, own: &Scope) {
        let is_tee = run.is(&["tee"]);
        let by_file = run.files.iter().filter(|file| file.kind != RedirectKind::Read);
        if run.remote || (by_file.clone().next().is_none() && !is_tee) {
            return self.copy(run, own);
        }
        let Some(text) = printed(run, own, &self.budget).filter(|text| !text.is_empty()) else { return };
        let operands = if is_tee { Options::read(&run.args, &[], false).operands } else { Vec::new() };
        let targets = by_file.map(|file| &file.target).chain(operands);
        let paths: Vec<String> = targets
            .filter_map(|word| own.at(word.literal().filter(|_| !word.glob)?))
            .filter(|path| !path.starts_with("/dev/"))
            .collect();
        self.budget.spend_bytes(paths.len() * text.len());
        for path in paths {
            self.written.put(path, &text);
        }
    }

    /// `cp`, `mv` and their like bring a text to another place.
    fn copy(&mut self, run: &Run, own: &Scope) {
        if self.written.files.is_empty() || !run.is(&["cp", "mv", "install", "ln"]) {
            return;
        }
        let options = Options::read(&run.args, &["-m", "--mode", "-o", "-g", "-S", "-t"], false);
        let [from, to] = options.operands.as_slice() else { return };
        let place = |word: &Word| word.literal().and_then(|path| own.at(path));
        if let (Some(from), Some(to)) = (place(from), place(to))
            && let Some(text) = self.written.text(&from)
        {
            self.budget.spend_bytes(text.len());
            let name = from.rsplit('/').next().unwrap_or_default().to_owned();
            self.written.put(format!("{}/{name}", to.trim_end_matches('/')), &text);
            self.written.put(to, &text);
        }
    }

    /// The text of a file that this line has written, or that `<(…)` prints.
    pub(super) fn text_of(&self, file: &Word, own: &Scope) -> Option<Rc<str>> {
        if let (true, Some(first), Some(last)) = (file.unknown, file.from.first(), file.from.last()) {
            return self.output_of(*first..last + 1, own).filter(|_| file.text == "<(…)");
        }
        if self.written.files.is_empty() {
            return None;
        }
        self.written.text(&own.at(file.literal()?)?)
    }

    /// Runs a file of this line by its path, if it is one.
    pub(super) fn run_written(&mut self, run: &Run, own: &Scope) {
        if let Some(text) = self.text_of(&run.path, own) {
            let interpreter = text.strip_prefix("#!").and_then(|text| text.lines().next());
            let mut words = interpreter.unwrap_or_default().split_whitespace();
            let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
            let mut program = words.next().map(name);
            if program.as_deref() == Some("env") {
                program = words.find(|word| !word.starts_with('-')).map(name);
            }
            self.run_text(&text, program.as_deref().unwrap_or("sh"), &run.path, &run.args, own);
        }
    }

    /// Walks through a text that an interpreter is given as a file.
    pub(super) fn run_text(&mut self, text: &str, program: &str, file: &Word, args: &[Word], own: &Scope) {
        // A file that runs itself does nothing new. What comes out of a pipe is another one each time.
        if (!file.unknown && own.calls.contains(&file.text)) || !self.goes_on(1 + text.len() / 64) {
            return;
        }
        let mut inner = own.within(program);
        inner.aside = false;
        Rc::make_mut(&mut inner.calls).push(file.text.clone());
        let Some(language) = Language::of(program) else {
            inner.input = None;
            inner.fed_by.clear();
            inner.positional = Some(args.into());
            inner.name = Some(file.clone());
            return self.script(text, &inner);
        };
        // As the reader of code finds it on a command line.
        let flag = match language {
            Language::Python => Some("-c"),
            Language::Php => Some("-r"),
            Language::Awk => None,
            Language::JavaScript
            | Language::Ruby
            | Language::Perl
            | Language::Lua
            | Language::AppleScript => Some("-e"),
        };
        let head = [Some(program), flag, Some(text)];
        let words = head.into_iter().flatten().map(Word::known).chain(args.iter().cloned()).collect();
        self.words(words, &mut inner.clone(), &inner);
    }
}
