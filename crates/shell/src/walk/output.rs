//! What a command prints, where its words tell: `echo`, `printf`, `pwd`, and `cat` of a literal input.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::Walk;
use crate::budget::Budget;
use crate::run::{RedirectKind, Run};
use crate::scope::Scope;
use crate::word::Word;
use crate::wrapper;
use engine_text::decode;

/// A longer text is nobody's command.
const LONGEST: usize = 64 << 10;

/// Commands that print nothing.
const SILENT: &[&str] =
    &["cd", "true", ":", "set", "export", "alias", "shift", "unset", "local", "declare", "shopt"];
/// More commands than this print no command.
const MOST: usize = 256;

impl Walk {
    /// What runs print together, where that is plain to see. What goes into a pipe is printed by those behind it.
    pub(super) fn output_of(&self, range: Range<usize>, scope: &Scope) -> Option<Rc<str>> {
        let runs = self.runs.get(range.clone())?;
        if let [run] = runs {
            return self.shown_by(run, scope);
        }
        if runs.is_empty() || runs.len() > MOST {
            return None;
        }
        // Into a pipe, or into a word of another command.
        let words = |run: &Run| {
            std::iter::once(&run.path).chain(&run.args).flat_map(|word| word.from.clone()).collect::<Vec<_>>()
        };
        let piped: HashSet<usize> =
            runs.iter().flat_map(|run| run.fed_by.iter().copied().chain(words(run))).collect();
        if !self.budget.spend(runs.len() + piped.len()) {
            return None;
        }
        let mut texts = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let is_piped = piped.contains(&(range.start + index));
            let is_wrapper = run.program.as_deref().is_some_and(|program| wrapper::of(program).is_some())
                && runs.get(index + 1).is_some_and(|inner| inner.via.len() > run.via.len());
            if !is_piped && !is_wrapper && !run.is(SILENT) {
                texts.push(self.shown_by(run, scope)?);
            }
        }
        (!texts.is_empty()).then(|| texts.join("\n").into())
    }

    fn shown_by(&self, run: &Run, scope: &Scope) -> Option<Rc<str>> {
        let to_file = run.files.iter().any(|file| file.kind != RedirectKind::Read);
        // What is in a file or a folder elsewhere, this line does not say.
        let is_of_there = run.remote && run.is(&["cat", "pwd", "git"]);
        if to_file || is_of_there {
            return None;
        }
        // A file that this line has written before.
        if let ([file], true) = (run.args.as_slice(), run.is(&["cat"]))
            && let Some(text) = self.text_of(file, scope)
        {
            return Some(text);
        }
        printed(run, scope, &self.budget)
    }
}

/// What a run prints, if its words tell.
pub(super) fn printed(run: &Run, scope: &Scope, budget: &Budget) -> Option<Rc<str>> {
    let program = run.program.as_deref()?;
    if !matches!(
        program,
        "pwd" | "echo" | "printf" | "cat" | "tee" | "git" | "base64" | "gbase64" | "xxd" | "rev"
    ) {
        return None;
    }
    let words = words(&run.args)?;
    match program {
        "pwd" => scope.cwd.as_deref().map(Rc::from),
        "git" if words == ["rev-parse", "--show-toplevel"] => scope.top().map(Rc::from),
        "echo" => {
            let is_flag = |word: &&&str| {
                word.strip_prefix('-').is_some_and(|letters| {
                    !letters.is_empty() && letters.bytes().all(|letter| b"neE".contains(&letter))
                })
            };
            let flags = words.iter().take_while(is_flag).count();
            let text = words[flags..].join(" ");
            let escapes = words[..flags].iter().any(|flag| flag.contains('e'));
            Some(if escapes { unescaped(&text) } else { text }.into())
        }
        "printf" => formatted(&words, budget).map(Rc::from),
        "cat" if words.is_empty() || words == ["-"] => run.input.clone(),
        "tee" => run.input.clone(),
        "base64" | "gbase64" if matches!(words.as_slice(), ["-d" | "-D" | "--decode" | "-di"]) => {
            decode::base64(decoded(run, budget)?).map(Rc::from)
        }
        "xxd" if matches!(words.as_slice(), ["-r", "-p" | "-ps"] | ["-p", "-r"] | ["-rp" | "-pr"]) => {
            decode::hex(decoded(run, budget)?).map(Rc::from)
        }
        "rev" if words.is_empty() => {
            let lines = decoded(run, budget)?.lines().map(|line| line.chars().rev().collect::<String>());
            Some(lines.collect::<Vec<_>>().join("\n").into())
        }
        _ => None,
    }
}

/// The input that is decoded, byte by byte.
fn decoded<'r>(run: &'r Run, budget: &Budget) -> Option<&'r str> {
    run.input.as_deref().filter(|input| budget.spend_bytes(input.len()))
}

/// The words, if all of them are known.
pub(super) fn words(args: &[Word]) -> Option<Vec<&str>> {
    args.iter().map(|arg| arg.literal().filter(|_| !arg.glob)).collect()
}

/// What `printf` makes of a format and words. The format is used again while there are words.
pub(super) fn formatted(words: &[&str], budget: &Budget) -> Option<String> {
    let words = if words.first() == Some(&"--") { &words[1..] } else { words };
    let (format, args) = words.split_first()?;
    let mut args = args.iter();
    let mut out = String::new();
    loop {
        if out.len() > LONGEST || !budget.spend(1 + format.len() / 16) {
            return None;
        }
        let before = args.len();
        let mut rest = *format;
        while let Some((plain, behind)) = rest.split_once('%') {
            out.push_str(&unescaped(plain));
            let width = behind.find(|c: char| !"-+ #0123456789.".contains(c))?;
            let kind = behind[width..].chars().next()?;
            match kind {
                '%' => out.push('%'),
                'b' => out.push_str(&unescaped(args.next().unwrap_or(&""))),
                's' | 'q' | 'd' | 'i' | 'u' => out.push_str(args.next().unwrap_or(&"")),
                'c' => out.extend(args.next().and_then(|word| word.chars().next())),
                _ => return None,
            }
            rest = &behind[width + kind.len_utf8()..];
        }
        out.push_str(&unescaped(rest));
        // Words that no part of the format takes are used up by nothing.
        if args.len() == 0 || args.len() == before {
            return Some(out);
        }
    }
}

/// A text with the escapes of `echo -e` and `printf`.
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    // Behind `\0` stand three digits of an octal number here, and not two as in `$'…'`.
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\\0") {
        let is_octal = behind.len() >= 3 && behind.bytes().take(3).all(|byte| (b'0'..=b'7').contains(&byte));
        plain.push_str(before);
        plain.push_str(if is_octal { "\\" } else { "\\0" });
        rest = behind;
    }
    plain.push_str(rest);
    super::expand::ansi_c(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printf_fills_its_format() {
        for (words, expected) in [
            (&["a\\nb"][..], Some("a\nb")),
            (&["%s\\n", "a", "b"], Some("a\nb\n")),
            (&["%s %s", "a"], Some("a ")),
            (&["%b", "a\\tb"], Some("a\tb")),
            (&["\\x67it"], Some("git")),
            (&["\\0162m\\0"], Some("rm\0")),
            (&["%5.2s|", "ab"], Some("ab|")),
            (&["100%%", "x"], Some("100%")),
            (&["%*d", "1", "2"], None),
            (&["%"], None),
            (&[], None),
        ] {
            assert_eq!(formatted(words, &Budget::new(None)).as_deref(), expected, "{words:?}");
        }
    }
}
