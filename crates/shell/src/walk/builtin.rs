//! What commands of the shell itself change for those behind them: variables, functions, aliases, the folder.

use std::rc::Rc;

use super::output::{formatted, words};
use crate::budget::Budget;
use crate::grammar::parse;
use crate::run::Run;
use crate::scope::{Function, Scope};
use crate::word::Word;

/// What built-in commands change for those behind them.
pub(super) fn changes(run: &Run, scope: &mut Scope, budget: &Budget) {
    match run.program.as_deref() {
        Some("cd" | "pushd") => {
            let target = run.args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
            scope.cwd = match target {
                None => scope.home.as_deref().map(str::to_owned),
                Some(word) => {
                    word.literal().filter(|text| *text != "-" && !word.glob).and_then(|text| scope.at(text))
                }
            };
        }
        Some("popd") => scope.cwd = None,
        Some("export" | "declare" | "typeset" | "local" | "readonly") => {
            // `export -n NAME` and `declare +x NAME` hide it from programs.
            if run.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('f')) {
                return export_functions(run, scope);
            }
            let hides = run.args.iter().any(|arg| matches!(arg.text.as_str(), "-n" | "+x"));
            for arg in &run.args {
                if let Some((name, value)) = arg.text.split_once('=') {
                    scope.steer(name, Some(arg));
                    scope.set(name, Word { text: value.to_owned(), ..arg.clone() });
                } else if hides {
                    scope.steer(&arg.text, None);
                }
            }
        }
        Some("hash") => {
            if let [flag, path, name, ..] = run.args.as_slice()
                && let (true, Some(path)) = (flag.text == "-p", path.literal())
            {
                let body = format!("{} \"$@\"", engine_text::line::shell_word(path)).into();
                scope.define(&name.text, Function { body, exported: false, unsure: true });
            }
        }
        Some("read") if run.input.is_some() => read(run, scope),
        Some(program @ ("read" | "mapfile" | "readarray" | "getopts")) => {
            // A line out of a list: what lists it is known.
            let from = if program == "getopts" { Vec::new() } else { run.fed_by.clone() };
            let value = match from.as_slice() {
                [] => Word::unknown(),
                _ => Word { text: "{}".to_owned(), unknown: true, glob: false, from },
            };
            let names = run.args.iter().map(|arg| arg.text.as_str()).filter(|name| !name.starts_with('-'));
            // Without a name it sets this one; the value of an option is told from a name by nobody.
            let usual = if program == "read" { "REPLY" } else { "MAPFILE" };
            for name in names.chain([usual]) {
                scope.steer(name, None);
                scope.set(name, value.clone());
            }
        }
        Some("unset") => unset(run, scope),
        Some("printf") => {
            if let [flag, name, rest @ ..] = run.args.as_slice()
                && flag.text == "-v"
            {
                scope.steer(&name.text, None);
                let text = words(rest).and_then(|words| formatted(&words, budget));
                scope.set(&name.text, text.map_or_else(Word::unknown, Word::known));
            }
        }
        Some("alias") => {
            for (name, value) in run.args.iter().filter_map(|arg| arg.literal()?.split_once('=')) {
                // Behind a compound command no word may stand.
                let with_words = format!("{value} \"$@\"");
                let is_read = budget.spend_bytes(value.len() * 8) && parse(&with_words, budget).is_ok();
                let body = if is_read { with_words } else { value.to_owned() }.into();
                scope.define(name, Function { body, exported: false, unsure: true });
            }
        }
        Some("unalias") => forget(run, scope),
        Some("shift") => {
            let by = run.args.first().map_or(Some(1), |arg| arg.literal()?.parse().ok());
            let shifted = |words: &Rc<[Word]>| Some(Rc::from(words.get(by?..)?));
            scope.positional = scope.positional.as_ref().and_then(shifted);
        }
        Some("set") => {
            // Options end at `--` or at the first word that is none; `-o` takes a word.
            let mut at = 0;
            while let Some(arg) = run.args.get(at).filter(|arg| arg.text.starts_with(['-', '+'])) {
                at += 1 + usize::from(matches!(arg.text.as_str(), "-o" | "+o"));
                if arg.text == "--" {
                    break;
                }
            }
            let rest = run.args.get(at..).unwrap_or_default();
            if !rest.is_empty() || run.args.last().is_some_and(|arg| arg.text == "--") {
                scope.positional = Some(Rc::from(rest));
            }
        }
        _ => {}
    }
}

/// `unset NAME` takes a variable, or else a function; `-f` and `-v` say which.
/// `read NAME… <<< TEXT`: the words of the first line, and the rest of it for the last name.
fn read(run: &Run, scope: &mut Scope) {
    let line = run.input.as_deref().and_then(|input| input.lines().next()).unwrap_or_default().to_owned();
    let separators =
        run.env.iter().rev().find(|(name, _)| name == "IFS").and_then(|(_, value)| value.clone());
    let separators = separators.map(|value| value.text).or_else(|| scope.separators());
    let is_separator = |c: char| separators.as_ref().map_or(c.is_whitespace(), |known| known.contains(c));
    let plain = ["-r", "-s", "-e", "-ra", "-a", "-rs", "-er"];
    let is_known =
        run.args.iter().all(|arg| !arg.text.starts_with('-') || plain.contains(&arg.text.as_str()));
    let names: Vec<&Word> = run.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    let words = || line.split(is_separator).filter(|word| !word.is_empty());
    for (index, name) in names.iter().enumerate() {
        scope.steer(&name.text, None);
        let value = if !is_known {
            vec![Word::unknown()]
        } else if run.args.iter().any(|arg| matches!(arg.text.as_str(), "-a" | "-ra")) {
            words().map(Word::known).collect()
        } else if index + 1 == names.len() {
            let rest: Vec<&str> = words().skip(index).collect();
            vec![Word::known(if index == 0 { line.trim().to_owned() } else { rest.join(" ") })]
        } else {
            vec![Word::known(words().nth(index).unwrap_or_default())]
        };
        scope.set_list(&name.text, value.into());
    }
}

fn unset(run: &Run, scope: &mut Scope) {
    let has = |flag: &str| run.args.iter().any(|arg| arg.text == flag);
    let (functions, variables) = (!has("-v"), !has("-f"));
    for arg in run.args.iter().filter(|arg| !arg.text.starts_with('-')) {
        if variables {
            // `${!PREFIX*}` are all names that begin so.
            scope.steer(if arg.unknown { "*" } else { &arg.text }, None);
            scope.unset(&arg.text);
        }
        if functions && scope.functions.contains_key(&arg.text) {
            scope.functions_mut().remove(&arg.text);
        }
    }
}

fn forget(run: &Run, scope: &mut Scope) {
    for arg in &run.args {
        if scope.functions.get(&arg.text).is_some_and(|function| function.unsure) {
            scope.functions_mut().remove(&arg.text);
        }
    }
}

/// `export -f NAME`: shells that are started know the function.
fn export_functions(run: &Run, scope: &mut Scope) {
    let exports = run.is(&["export"]) || run.args.iter().any(|arg| arg.text.contains('x'));
    for arg in run.args.iter().filter(|_| exports) {
        if let Some(function) = scope.functions.get(&arg.text).cloned() {
            scope.define(&arg.text, Function { exported: true, ..function });
        }
    }
}
