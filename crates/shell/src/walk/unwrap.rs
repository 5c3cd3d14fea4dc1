//! What a wrapper runs: finds the command among the wrapper's words and walks through it too.
//!
//! [`crate::wrapper`] holds the table of wrappers. This module reads its rows, and has the functions for the wrappers that a row cannot
//! describe.

use std::rc::Rc;

use super::Walk;
use crate::container::Container;
use crate::option::{Given, Options};
use crate::run::Run;
use crate::scope::Scope;
use crate::surroundings::ExtraWrapper;
use crate::word::Word;
use crate::wrapper::{self, HOOKS, Runs, Special, Wrapper};

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
        if run.path.text.contains('/') {
            self.run_written(run, own);
        }
        self.hooks(program, run, own);
        for row in own.wrappers.iter().filter(|row| row.programs.iter().any(|name| name == program)) {
            self.extra(row, program, run, own);
        }
        // `bun` runs code, and programs of packages too.
        let row = wrapper::of(program).filter(|_| run.calls.is_none());
        let Some(row) = row else { return self.embedded(run, own) };
        match row.runs {
            Runs::Special(special) => self.special(special, row, program, run, scope, own),
            _ => self.plain_wrapper(row, program, run, own),
        }
    }

    /// Lines of shell that a program takes by an option.
    fn hooks(&mut self, program: &str, run: &Run, own: &Scope) {
        for hook in HOOKS.iter().filter(|hook| hook.programs.contains(&program)) {
            let options = Options::read(&run.args, hook.valued, false);
            for code in options.all(hook.options).filter_map(Given::word) {
                let text =
                    code.text.strip_prefix(hook.key).unwrap_or_default().trim_start_matches(['=', ' ']);
                if !text.is_empty() {
                    self.script(text, &own.within(program));
                }
            }
        }
    }

    /// A wrapper of the project.
    fn extra(&mut self, row: &ExtraWrapper, program: &str, run: &Run, own: &Scope) {
        let args = match &row.subcommand {
            Some(word) => match run.args.iter().position(|arg| arg.text == *word) {
                Some(at) => &run.args[at + 1..],
                None => return,
            },
            None => &run.args[..],
        };
        let valued: Vec<&str> = row.valued.iter().chain(&row.code).map(String::as_str).collect();
        let code: Vec<&str> = row.code.iter().map(String::as_str).collect();
        let options = Options::read(args, &valued, true);
        let inner = own.within(program);
        match options.all(&code).next_back().and_then(Given::word) {
            Some(code) => self.literal(&code, &inner),
            None => self.rest(options.operands.get(row.skip..).unwrap_or_default(), inner),
        }
    }

    /// A wrapper that the table describes.
    fn plain_wrapper(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let Some(args) = row.subcommand.behind(&run.args) else { return };
        // Where no operand is a command, options may follow operands.
        let options = Options::read(args, row.valued, row.runs != Runs::Options && !row.separated);
        if options.has(row.idle) {
            return;
        }
        let mut inner = own.within(program);
        // `chroot /` is this machine.
        let is_here = program == "chroot" && options.operands.first().is_some_and(|root| root.text == "/");
        inner.remote |= row.remote && !is_here;
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
        let words = match (row.separated, options.separator) {
            (false, _) => words,
            (true, Some(at)) => options.operands.get(at..).unwrap_or_default(),
            (true, None) => return,
        };
        let end = words.iter().position(|word| row.until.contains(&word.text.as_str()));
        let words = &words[..end.unwrap_or(words.len())];
        match (row.runs, words) {
            // Without a command, a shell there reads the input.
            (Runs::Joined, []) if row.remote => {
                if let Some(code) = inner.input.take() {
                    self.script(&code, &inner);
                }
            }
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
                self.same_shell(&code, program, None, scope, own);
            }
            Special::Source => {
                let Some((file, args)) = run.args.split_first() else { return };
                let from_stdin =
                    matches!(file.text.as_str(), "/dev/stdin" | "-") || file.text.starts_with("/dev/fd/");
                let code = if from_stdin { own.input.clone() } else { self.text_of(file, own) };
                if let Some(code) = code.filter(|_| file.unknown || !own.calls.contains(&file.text)) {
                    let mut own = own.clone();
                    Rc::make_mut(&mut own.calls).push(file.text.clone());
                    let args = Some(args).filter(|args| !args.is_empty());
                    self.same_shell(&code, program, args, scope, &own);
                }
            }
            Special::Trap => {
                let options = Options::read(&run.args, row.valued, true);
                if let Some(code) = options.operands.first().filter(|_| options.operands.len() > 1) {
                    self.literal(code, &own.inside(program));
                }
            }
            Special::Builtin => {
                let options = Options::read(&run.args, row.valued, true);
                if !options.has(row.idle) {
                    let mut inner = own.inside(program);
                    inner.direct = true;
                    self.words(owned(&options.operands), scope, &inner);
                }
            }
            Special::Input => self.input(row, program, run, own),
            Special::Nix => self.nix(program, run, own),
            Special::Make => self.make(row, program, run, own),
            Special::Xargs => self.xargs(row, run, own),
            Special::Parallel => self.parallel(row, run, own),
            Special::Find => self.find(run, own),
            Special::Fd => self.fd(run, own),
            Special::Git => self.git(row, run, own),
            Special::Container => self.container(program, run, own),
        }
    }

    /// A program in a container, with the variables that it is given there.
    fn container(&mut self, program: &str, run: &Run, own: &Scope) {
        let Some(call) = Container::of(run).filter(|call| !call.command.is_empty()) else { return };
        let mut inner = own.within(program);
        inner.remote = true;
        inner.env.extend(
            call.values(&["-e", "--env"]).filter_map(assignment).map(|(name, value)| (name, Some(value))),
        );
        self.words(owned(&call.command), &mut inner.clone(), &inner);
    }

    /// Code whose changes the shell keeps.
    fn same_shell(
        &mut self,
        code: &str,
        program: &str,
        args: Option<&[Word]>,
        scope: &mut Scope,
        own: &Scope,
    ) {
        let mut inner = own.inside(program);
        if let Some(args) = args {
            inner.positional = Some(args.into());
        }
        let before = inner.env.len();
        self.script_in(code, &mut inner);
        if args.is_none() {
            scope.positional.clone_from(&inner.positional);
        }
        scope.adopt(inner, before);
    }

    /// `at`, `batch`, `crontab -`: the input is code, in a table of times the rest of each line.
    fn input(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, false);
        if options.has(row.idle) {
            return;
        }
        let by_option = options.all(&["-f"]).next_back().and_then(Given::word);
        let is_table = program == "crontab";
        let file =
            by_option.or_else(|| options.operands.first().filter(|_| is_table).map(|word| (*word).clone()));
        let text = match file.filter(|file| file.text != "-") {
            Some(file) => self.text_of(&file, own),
            None => own.input.clone(),
        };
        let Some(text) = text else { return };
        let mut inner = own.within(program);
        inner.input = None;
        if !is_table {
            return self.script(&text, &inner);
        }
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let times = if line.trim_start().starts_with('@') { 1 } else { 5 };
            let mut rest = line;
            for _ in 0..times {
                rest = rest.trim_start();
                rest = &rest[rest.find(char::is_whitespace).unwrap_or(rest.len())..];
            }
            self.script(rest.trim_start(), &inner);
        }
    }

    /// `nix develop -c PROGRAM …`, `nix shell x -c PROGRAM …`, `nix run x -- ARGUMENT …`.
    fn nix(&mut self, program: &str, run: &Run, own: &Scope) {
        let Some((subcommand, args)) = run.args.split_first() else { return };
        let inner = own.within(program);
        if let Some(at) = args.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command")) {
            let words: Vec<&Word> = args[at + 1..].iter().collect();
            return self.rest(&words, inner);
        }
        if subcommand.text == "run"
            && let Some(package) = args.iter().find_map(|arg| arg.literal()?.rsplit_once('#'))
        {
            let behind = args.iter().position(|arg| arg.text == "--").map_or(args.len(), |at| at + 1);
            let words =
                std::iter::once(Word::known(package.1)).chain(args[behind..].iter().cloned()).collect();
            self.words(words, &mut inner.clone(), &inner);
        }
    }

    /// The recipes of a makefile that the line itself gives: `make -f -`, or one that it writes.
    fn make(&mut self, row: &Wrapper, program: &str, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, false);
        if options.has(row.idle) {
            return;
        }
        let mut inner = own.within(program);
        if let Some(folder) = options.all(row.folder).next_back().and_then(Given::word) {
            inner.cwd = folder.literal().and_then(|folder| own.at(folder));
        }
        let named: Vec<Word> = options.all(&["-f", "--file", "--makefile"]).filter_map(Given::word).collect();
        let usual = ["GNUmakefile", "makefile", "Makefile"].map(Word::known);
        let files = if named.is_empty() { &usual[..] } else { &named[..] };
        for file in files {
            let text = match file.text.as_str() {
                "-" | "/dev/stdin" => own.input.clone(),
                _ => self.text_of(file, &inner),
            };
            let Some(text) = text else { continue };
            let mut inner = inner.clone();
            inner.input = None;
            for line in text.lines() {
                // `all: ; recipe`
                let recipe =
                    line.strip_prefix('\t').or_else(|| Some(line.split_once(':')?.1.split_once(';')?.1));
                if let Some(recipe) = recipe {
                    let code = recipe.trim_start_matches(['@', '-', '+', ' ', '\t']).replace("$$", "$");
                    self.script(&code, &inner);
                }
            }
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
    pub(super) fn rest(&mut self, mut words: &[&Word], mut inner: Scope) {
        // sudo and others take variables before the command.
        while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
            inner.env.push((name, Some(value)));
            words = &words[1..];
        }
        self.words(owned(words), &mut inner.clone(), &inner);
    }

    /// The words are joined and given to a shell.
    pub(super) fn joined(&mut self, words: &[&Word], inner: &Scope) {
        if words.iter().all(|word| !word.unknown) {
            let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            self.script(&code, inner);
        }
    }

    pub(super) fn literal(&mut self, code: &Word, inner: &Scope) {
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
            let mut inner = started(own, &format!("{program} -c"));
            inner.positional = Some(owned(rest.get(1..).unwrap_or_default()).into());
            inner.name = rest.first().map(|word| (*word).clone());
            // What is unknown in it stands as it was written, and stays unknown; the rest is plain to see.
            self.script(&code.text, &inner);
            return;
        }
        let reads_stdin = options.operands.is_empty()
            || options.has(&["-s"])
            || options.operands[0].text == "/dev/stdin"
            || options.operands[0].text.starts_with("/dev/fd/")
            || options.operands[0].text == "-";
        if !reads_stdin {
            let (file, args) = (options.operands[0], owned(&options.operands[1..]));
            if let Some(code) = self.text_of(file, own) {
                self.run_text(&code, program, file, &args, &started(own, ""));
            }
        } else if let Some(code) = own.input.clone() {
            let mut inner = started(own, program);
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
                    let is_code = |arg: &Word| arg.text == code.text || arg.text.ends_with(&code.text);
                    let at = run.args.iter().position(is_code).map_or(run.args.len(), |at| at + 1);
                    let rest: Vec<String> = run.args[at..].iter().map(Word::shown).collect();
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
}

pub(super) fn owned(words: &[&Word]) -> Vec<Word> {
    words.iter().map(|word| (*word).clone()).collect()
}

/// The scope of a shell that is started: variables that are set for it are its own.
fn started(own: &Scope, wrapper: &str) -> Scope {
    let mut inner = if wrapper.is_empty() { own.clone() } else { own.within(wrapper) };
    for (name, value) in &own.env {
        if let Some(value) = value {
            inner.set(name, value.clone());
        }
    }
    inner
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
                    words.extend(row.separated.then_some("--"));
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
