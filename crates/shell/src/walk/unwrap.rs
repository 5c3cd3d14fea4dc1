//! What a wrapper runs: finds the command among the wrapper's words and walks through it too.
//!
//! [`crate::wrapper`] holds the table of wrappers. This module reads its rows, and has the functions for the wrappers that a row cannot
//! describe.

use super::Walk;
use crate::effect::executed;
use crate::git_command;
use crate::option::{Given, Options};
use crate::run::Run;
use crate::scope::Scope;
use crate::word::Word;
use crate::wrapper::{self, Runs, Special, Wrapper};

/// Values of `xargs -I` and `parallel` that are looked at.
const MOST_ROUNDS: usize = 16;

impl Walk {
    /// Walks through what a run runs in its turn.
    pub(super) fn unwrap(&mut self, run: &Run, scope: &mut Scope, own: &Scope) {
        let Some(program) = run.program.as_deref() else { return };
        let subcommand = run.args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
        if let Some(runner) = own.host.runner(program, subcommand) {
            let at = run.args.iter().position(|arg| arg.text == "--").unwrap_or(run.args.len());
            let options = Options::read(&run.args[1..at], runner.valued, false);
            let mut inner = own.within(&runner.name());
            if let Some(folder) = options.all(runner.folder).next_back().and_then(Given::word) {
                inner.cwd = folder.literal().and_then(|folder| own.at(folder));
            }
            let command: Vec<&Word> = run.args.iter().skip(at + 1).collect();
            return self.rest(&command, inner);
        }
        // `bun` runs code, and programs of packages too.
        let row = wrapper::of(program).filter(|_| run.calls.is_none());
        let Some(row) = row else { return self.embedded(run, own) };
        match row.runs {
            Runs::Special(special) => self.special(special, row, program, run, scope, own),
            _ => self.plain_wrapper(row, program, run, own),
        }
    }

    /// A wrapper that the table describes.
    fn plain_wrapper(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let Some(args) = row.subcommand.behind(&run.args) else { return };
        // Where no operand is a command, options may follow operands.
        let options = Options::read(args, row.valued, row.runs != Runs::Options);
        if options.has(row.idle) {
            return;
        }
        let mut inner = own.within(program);
        inner.remote |= row.remote;
        if row.environment.is_dropped(&options) {
            inner.env.push(("*".to_owned(), None));
        }
        if let Some(folder) = options.all(row.folder).next_back().and_then(Given::word) {
            inner.cwd = folder.literal().and_then(|folder| own.at(folder));
        }
        if let Some(code) = options.value(row.code) {
            return self.script(code, &inner);
        }
        let words = options.operands.get(row.skip..).unwrap_or_default();
        let end = words.iter().position(|word| row.until.contains(&word.text.as_str()));
        let words = &words[..end.unwrap_or(words.len())];
        match (row.runs, words) {
            (Runs::Joined, words) => self.joined(words, &inner),
            (Runs::Command, [flag, code, ..])
                if row.skip > 0 && row.code.first() == Some(&flag.text.as_str()) =>
            {
                self.literal(code, &inner);
            }
            // A program elsewhere; no variables are taken before it.
            (Runs::Command, words) if row.remote => self.words(owned(words), &mut inner.clone(), &inner),
            (Runs::Command, words) => self.rest(words, inner),
            (Runs::Options | Runs::Special(_), _) => {}
        }
    }

    fn special(
        &mut self,
        special: Special,
        row: &Wrapper,
        program: &str,
        run: &Run,
        scope: &mut Scope,
        own: &Scope,
    ) {
        match special {
            Special::Shell => self.shell(row, program, run, own),
            Special::Env => self.env(row, run, own),
            Special::OtherUser => self.other_user(row, program, run, own),
            Special::Eval => {
                let code = run.args.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                let mut inner = own.within(program);
                self.script_in(&code, &mut inner);
                scope.cwd = inner.cwd;
            }
            Special::Source => {
                let from_stdin =
                    run.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "/dev/stdin" | "-"));
                if let Some(code) = own.input.clone().filter(|_| from_stdin) {
                    self.script(&code, &own.within(program));
                }
            }
            Special::Trap => {
                let options = Options::read(&run.args, row.valued, true);
                if let Some(code) = options.operands.first().filter(|_| options.operands.len() > 1) {
                    self.literal(code, &own.within(program));
                }
            }
            Special::Xargs => self.xargs(row, run, own),
            Special::Parallel => self.parallel(row, run, own),
            Special::Find => self.find(run, own),
            Special::Git => self.git(row, run, own),
        }
    }

    /// `su` and `runuser`: a line of shell, or with `-u` the rest of the words.
    fn other_user(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, false);
        let mut inner = own.within(program);
        if row.environment.is_dropped(&options) {
            inner.env.push(("*".to_owned(), None));
        }
        if let Some(code) = options.value(row.code) {
            self.script(code, &inner);
        } else if program == "runuser" && options.has(&["-u", "--user"]) {
            let words = Options::read(&run.args, row.valued, true).operands;
            self.rest(&words, inner);
        }
    }

    /// The words are a command.
    fn rest(&mut self, mut words: &[&Word], mut inner: Scope) {
        // sudo and others take variables before the command.
        while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
            inner.env.push((name, Some(value)));
            words = &words[1..];
        }
        self.words(owned(words), &mut inner.clone(), &inner);
    }

    /// The words are joined and given to a shell.
    fn joined(&mut self, words: &[&Word], inner: &Scope) {
        if words.iter().all(|word| !word.unknown) {
            let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            self.script(&code, inner);
        }
    }

    fn literal(&mut self, code: &Word, inner: &Scope) {
        if let Some(code) = code.literal() {
            self.script(code, inner);
        }
    }

    /// `bash -c CODE`, `bash < code`, `… | bash`.
    fn shell(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        // It only looks whether the code can be read; who types has it run all the same.
        if options.has(&["-n"]) && !options.has(&["-i"]) {
            return;
        }
        if options.has(&["-c"]) {
            let [code, rest @ ..] = options.operands.as_slice() else { return };
            let mut inner = own.within(&format!("{program} -c"));
            inner.positional = Some(owned(rest.get(1..).unwrap_or_default()).into());
            inner.name = rest.first().map(|word| (*word).clone());
            // What is unknown in it stands as it was written, and stays unknown; the rest is plain to see.
            self.script(&code.text, &inner);
            return;
        }
        let reads_stdin = options.operands.is_empty()
            || options.has(&["-s"])
            || options.operands[0].text == "/dev/stdin"
            || options.operands[0].text == "-";
        if let Some(code) = own.input.clone().filter(|_| reads_stdin) {
            let mut inner = own.within(program);
            inner.input = None;
            inner.fed_by.clear();
            self.script(&code, &inner);
        }
    }

    fn env(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let mut inner = own.within("env");
        for given in &options.given {
            // Long options may be cut short.
            let is = |short: &str, long: &str| {
                given.name == short || (given.name.len() > 2 && long.starts_with(&given.name))
            };
            match given.word() {
                Some(name) if is("-u", "--unset") => inner.env.push((name.text, None)),
                Some(folder) if is("-C", "--chdir") => {
                    inner.cwd = folder.literal().and_then(|folder| own.at(folder));
                }
                Some(code) if is("-S", "--split-string") => {
                    // Its words stand in place of it, options among them.
                    let rest: Vec<String> = options.operands.iter().map(|word| word.shown()).collect();
                    return self.script(&format!("env {} {}", code.text, rest.join(" ")), &inner);
                }
                None if is("-i", "--ignore-environment") => inner.env.push(("*".to_owned(), None)),
                _ => {}
            }
        }
        let mut words = options.operands.as_slice();
        if words.first().is_some_and(|word| word.text == "-") {
            inner.env.push(("*".to_owned(), None));
            words = &words[1..];
        }
        while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
            inner.env.push((name, Some(value)));
            words = &words[1..];
        }
        self.words(owned(words), &mut inner.clone(), &inner);
    }

    /// The words behind the options, and those of the input as far as it is literal.
    fn xargs(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let mut words = owned(&options.operands);
        let replaced = options.value(&["-I", "--replace"]).map(str::to_owned);
        let unknown = Word { text: "{}".to_owned(), unknown: true, glob: false, from: own.fed_by.clone() };
        let mut inner = own.within("xargs");
        inner.input = None;
        let Some(mark) = replaced else {
            match &own.input {
                Some(input) => words.extend(input.split_whitespace().map(Word::known)),
                None => words.push(unknown),
            }
            return self.words(words, &mut inner.clone(), &inner);
        };
        // Each line is a round of its own.
        let lines = own.input.as_ref().map(|input| input.lines().map(str::trim).map(Word::known).collect());
        let rounds: Vec<Word> = lines.unwrap_or_else(|| vec![unknown]);
        for round in self.rounds(rounds) {
            let words: Vec<Word> = words.iter().map(|word| replace(word, &mark, &round)).collect();
            self.words(words, &mut inner.clone(), &inner);
        }
    }

    /// As many values as are looked at; that there are more is said.
    fn rounds(&mut self, mut values: Vec<Word>) -> Vec<Word> {
        if values.len() > MOST_ROUNDS {
            self.bound("more values than are looked at");
            values.truncate(MOST_ROUNDS);
        }
        values
    }

    fn parallel(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let at = options
            .operands
            .iter()
            .position(|word| word.text.starts_with(":::"))
            .unwrap_or(options.operands.len());
        let (command, values) = options.operands.split_at(at);
        let values: Vec<&Word> =
            values.iter().copied().filter(|word| !word.text.starts_with(":::")).collect();
        let unknown = Word { text: "{}".to_owned(), unknown: true, ..Word::default() };
        let rounds = if values.is_empty() { vec![unknown] } else { owned(&values) };
        for value in self.rounds(rounds) {
            let mut words = owned(command);
            let mut placed = false;
            for word in &mut words {
                if word.text.contains("{}") {
                    placed = true;
                    word.text = word.text.replace("{}", &value.text);
                    word.unknown |= value.unknown;
                }
            }
            if !placed {
                words.push(value.clone());
            }
            match words.as_slice() {
                // A single word is a line of shell.
                [code, ..] if code.text.contains(' ') && !code.unknown => {
                    let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                    self.script(&code, &own.within("parallel"));
                }
                _ => {
                    let inner = own.within("parallel");
                    self.words(words, &mut inner.clone(), &inner);
                }
            }
        }
    }

    /// `-exec PROGRAM … ;`: what it finds is unknown.
    fn find(&mut self, run: &Run, own: &Scope) {
        // The run itself was noted last.
        let finder = self.runs.len().saturating_sub(1);
        for command in executed(&run.args) {
            let words = command.iter().map(|word| {
                let is_place = word.text == "{}";
                let from = if is_place { vec![finder] } else { word.from.clone() };
                Word { unknown: word.unknown || is_place, from, ..word.clone() }
            });
            let inner = own.within("find -exec");
            let words: Vec<Word> = words.collect();
            self.words(words, &mut inner.clone(), &inner);
        }
    }

    /// Code that git runs for somebody.
    fn git(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let Some((command, rest)) = options.operands.split_first() else { return };
        for value in options.all(&["-c"]).filter_map(|given| given.value.as_deref()) {
            let alias = value.get(..6).filter(|start| start.eq_ignore_ascii_case("alias."));
            let Some((name, code)) = alias.and_then(|_| value[6..].split_once('=')) else { continue };
            // Git looks for no alias of a command that it has.
            if name.eq_ignore_ascii_case(&command.text) && !git_command::is_built_in(&command.text) {
                let rest: Vec<String> = rest.iter().map(|word| word.shown()).collect();
                let code = match code.strip_prefix('!') {
                    Some(code) => code.to_owned(),
                    None => format!("git {code}"),
                };
                self.script(&format!("{code} {}", rest.join(" ")), &own.within("git alias"));
            }
        }
        match command.text.as_str() {
            "submodule" => {
                if let Some(at) = rest.iter().position(|word| word.text == "foreach") {
                    let words = &rest[at + 1..];
                    let options = words.iter().take_while(|word| word.text.starts_with('-')).count();
                    self.joined(&words[options..], &own.within("git submodule foreach"));
                }
            }
            "bisect" if rest.first().is_some_and(|word| word.text == "run") => {
                self.rest(&rest[1..], own.within("git bisect run"));
            }
            "rebase" => {
                let rest = owned(rest);
                let options = Options::read(&rest, &["-x", "--exec", "--onto", "-s", "-X", "-C"], false);
                for code in options.all(&["-x", "--exec"]).filter_map(Given::word) {
                    self.literal(&code, &own.within("git rebase --exec"));
                }
            }
            _ => {}
        }
    }
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

fn owned(words: &[&Word]) -> Vec<Word> {
    words.iter().map(|word| (*word).clone()).collect()
}

/// `NAME=value` as a word.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), Word { text: value.to_owned(), ..word.clone() }))
}

#[cfg(test)]
mod tests {
    use crate::surroundings::Surroundings;
    use crate::walk::analyse;
    use crate::wrapper::{Environment, Runs, Subcommand, TABLE, Wrapper};

    fn subcommand(row: &Wrapper) -> &'static str {
        match row.subcommand {
            Subcommand::None => "",
            Subcommand::First(names) => names[0],
            Subcommand::Anywhere(name) => name,
        }
    }

    /// The last run of a line must be `prog x`, run by this wrapper alone.
    fn assert_runs(line: &str, name: &str, row: &Wrapper) {
        // Behind a backslash, `time` is a program and no word of the shell.
        let analysis =
            analyse(&format!("\\{line}"), &Surroundings { cwd: "/p".into(), ..Surroundings::default() });
        let run = analysis.runs.last().expect("something runs");
        assert_eq!((run.shown().as_str(), run.via.as_slice()), ("prog x", &[name.to_owned()][..]), "{line}");
        assert_eq!(run.remote, row.remote, "{line}");
        let drops = matches!(row.environment, Environment::Dropped | Environment::DroppedWithout(_));
        assert_eq!(run.env.iter().any(|(variable, _)| variable == "*"), drops, "{line}");
    }

    #[test]
    fn every_row_leads_to_its_command() {
        for row in TABLE {
            for name in row.names {
                let subcommand = subcommand(row);
                if matches!(row.runs, Runs::Command | Runs::Joined) {
                    let mut words = vec![subcommand];
                    for option in row.valued.iter().filter(|option| !row.code.contains(option)) {
                        words.extend([option, "value"]);
                    }
                    words.extend(["operand"].repeat(row.skip));
                    assert_runs(&format!("{name} {} prog x", words.join(" ")), name, row);
                }
                for option in row.code {
                    assert_runs(&format!("{name} {subcommand} {option} 'prog x'"), name, row);
                }
                for option in row.idle {
                    let analysis = analyse(&format!("{name} {option} prog x"), &Surroundings::default());
                    assert_eq!(analysis.runs.len(), 1, "{name} {option}");
                }
            }
        }
    }
}
