//! Programs that run other programs: what they run is found and walked through too.

use super::Walk;
use crate::option::{Given, Options};
use crate::run::Run;
use crate::scope::Scope;
use crate::word::Word;

/// Programs that run the rest of their words, with the options of theirs that take a value.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "sudo",
        &[
            "-u", "-g", "-p", "-C", "-D", "-h", "-r", "-t", "-T", "-U", "-R", "--user", "--group",
            "--prompt", "--host", "--chdir",
        ],
    ),
    ("doas", &["-u", "-C", "-a"]),
    ("pkexec", &["--user"]),
    ("nice", &["-n", "--adjustment"]),
    ("ionice", &["-c", "-n", "-p", "--class", "--classdata"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("time", &["-f", "-o", "--format", "--output"]),
    ("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"]),
    ("builtin", &[]),
    ("exec", &["-a"]),
    ("chronic", &[]),
    ("unbuffer", &[]),
    ("caffeinate", &["-t", "-w"]),
    ("systemd-run", &["-p", "--property", "--unit", "-E", "--setenv", "--description"]),
    ("strace", &["-o", "-e", "-p", "-s", "-u"]),
    ("ltrace", &["-o", "-e", "-p", "-s", "-u"]),
    ("busybox", &[]),
    ("toybox", &[]),
    ("fakeroot", &[]),
    ("dbus-run-session", &[]),
    ("xvfb-run", &["-s", "-n", "-e", "-f", "--server-args"]),
    ("rlwrap", &[]),
    ("chpst", &["-u", "-U", "-e", "-n"]),
];

/// Values of `xargs -I` and `parallel` that are looked at.
const MOST_ROUNDS: usize = 16;

pub(crate) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash"];

impl Walk {
    /// Walks through what a run runs in its turn.
    pub(crate) fn unwrap(&mut self, run: &Run, scope: &mut Scope, own: &Scope) {
        let Some(program) = run.program.as_deref() else { return };
        if SHELLS.contains(&program) {
            return self.shell(program, run, own);
        }
        if let Some((_, valued)) = PLAIN.iter().find(|(name, _)| *name == program) {
            let options = Options::read(&run.args, valued, true);
            let mut own = own.clone();
            if drops_environment(program, &options) {
                own.env.push(("*".to_owned(), None));
            }
            if program == "sudo"
                && let Some(folder) = options.all(&["-D", "--chdir"]).next_back().and_then(Given::word)
            {
                own.cwd = folder.literal().and_then(|folder| own.at(folder));
            }
            return self.rest(program, &options.operands, &own);
        }
        match program {
            "command" => {
                let options = Options::read(&run.args, &[], true);
                if !options.has(&["-v", "-V"]) {
                    self.rest(program, &options.operands, own);
                }
            }
            "env" => self.env(run, own),
            "timeout" => {
                let options = Options::read(&run.args, &["-k", "-s", "--kill-after", "--signal"], true);
                self.rest(program, options.operands.get(1..).unwrap_or_default(), own);
            }
            "taskset" | "chrt" => {
                let options = Options::read(&run.args, &[], true);
                self.rest(program, options.operands.get(1..).unwrap_or_default(), own);
            }
            "chroot" => {
                let options = Options::read(&run.args, &[], true);
                let mut inner = own.within(program);
                inner.remote = true;
                self.words(owned(options.operands.get(1..).unwrap_or_default()), &mut inner.clone(), &inner);
            }
            "flock" => {
                let options =
                    Options::read(&run.args, &["-w", "-E", "--timeout", "--wait", "-c", "--command"], true);
                match options.value(&["-c", "--command"]) {
                    Some(code) => self.code(program, code, own),
                    None => {
                        let rest = options.operands.get(1..).unwrap_or_default();
                        match rest {
                            [flag, code, ..] if flag.text == "-c" => self.literal(program, code, own),
                            rest => self.rest(program, rest, own),
                        }
                    }
                }
            }
            "script" => {
                let options = Options::read(&run.args, &["-c", "--command"], false);
                if let Some(code) = options.value(&["-c", "--command"]) {
                    self.code(program, code, own);
                }
            }
            "su" | "runuser" => self.other_user(program, run, own),
            "watch" => {
                let options = Options::read(&run.args, &["-n", "--interval", "-q"], true);
                self.joined(program, &options.operands, own);
            }
            "eval" => {
                let code = run.args.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                let mut inner = own.within("eval");
                self.script_in(&code, &mut inner);
                scope.cwd = inner.cwd;
            }
            "source" | "." => {
                let from_stdin =
                    run.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "/dev/stdin" | "-"));
                if let Some(code) = own.input.clone().filter(|_| from_stdin) {
                    self.script(&code, &own.within(program));
                }
            }
            "trap" => {
                let options = Options::read(&run.args, &[], true);
                if let Some(code) = options.operands.first().filter(|_| options.operands.len() > 1) {
                    self.literal("trap", code, own);
                }
            }
            "xargs" => self.xargs(run, own),
            "parallel" => self.parallel(run, own),
            "find" | "gfind" => self.find(run, own),
            "ssh" => {
                let valued = [
                    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p",
                    "-Q", "-R", "-S", "-W", "-w",
                ];
                let options = Options::read(&run.args, &valued, true);
                let mut inner = own.within("ssh");
                inner.remote = true;
                let words = options.operands.get(1..).unwrap_or_default();
                let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                if words.iter().all(|word| !word.unknown) {
                    self.script(&code, &inner);
                }
            }
            "engine" => {
                let is_check = run.args.first().is_some_and(|arg| arg.text == "check");
                let at = run.args.iter().position(|arg| arg.text == "--").filter(|_| is_check);
                if let Some(at) = at {
                    let rest: Vec<&Word> = run.args[at + 1..].iter().collect();
                    self.rest("engine check", &rest, own);
                }
            }
            "git" => self.git(run, own),
            "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi" => {
                let at = run.args.iter().position(|arg| arg.text == "run");
                if let Some(at) = at {
                    let valued = [
                        "--with",
                        "--python",
                        "-p",
                        "--extra",
                        "--group",
                        "--env-file",
                        "--project",
                        "--directory",
                    ];
                    let options = Options::read(&run.args[at + 1..], &valued, true);
                    self.rest(program, &options.operands, own);
                }
            }
            "npx" | "pnpx" | "bunx" => self.package(program, &run.args, own),
            "npm" | "pnpm" | "yarn" | "bun" => {
                if let [command, args @ ..] = run.args.as_slice()
                    && matches!(command.text.as_str(), "exec" | "x" | "dlx")
                {
                    self.package(program, args, own);
                }
            }
            _ => {}
        }
    }

    /// A program of a package.
    fn package(&mut self, program: &str, args: &[Word], own: &Scope) {
        let options = Options::read(args, &["-p", "--package", "-c", "--call"], true);
        match options.value(&["-c", "--call"]) {
            Some(code) => self.code(program, code, own),
            None => self.rest(program, &options.operands, own),
        }
    }

    /// `su` and `runuser`: a line of shell, or with `-u` the rest of the words.
    fn other_user(&mut self, program: &str, run: &Run, own: &Scope) {
        let valued = ["-c", "--command", "-s", "--shell", "-g", "--group", "-G", "-u", "--user", "-w"];
        let options = Options::read(&run.args, &valued, false);
        let keeps = options.has(&["-m", "-p", "--preserve-environment"]);
        let mut own = own.clone();
        if !keeps {
            own.env.push(("*".to_owned(), None));
        }
        if let Some(code) = options.value(&["-c", "--command"]) {
            self.code(program, code, &own);
        } else if program == "runuser" && options.has(&["-u", "--user"]) {
            let words = Options::read(&run.args, &valued, true).operands;
            self.rest(program, &words, &own);
        }
    }

    /// The rest of the words is a command.
    fn rest(&mut self, wrapper: &str, words: &[&Word], own: &Scope) {
        let mut inner = own.within(wrapper);
        let mut words = words;
        // sudo and others take variables before the command.
        while let Some((name, value)) = words.first().and_then(|word| assignment(word)) {
            inner.env.push((name, Some(value)));
            words = &words[1..];
        }
        self.words(owned(words), &mut inner.clone(), &inner);
    }

    /// The words are joined and given to a shell.
    fn joined(&mut self, wrapper: &str, words: &[&Word], own: &Scope) {
        if words.iter().all(|word| !word.unknown) {
            let code = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            self.code(wrapper, &code, own);
        }
    }

    fn literal(&mut self, wrapper: &str, code: &Word, own: &Scope) {
        if let Some(code) = code.literal() {
            self.code(wrapper, code, own);
        }
    }

    fn code(&mut self, wrapper: &str, code: &str, own: &Scope) {
        self.script(code, &own.within(wrapper));
    }

    /// `bash -c CODE`, `bash < code`, `… | bash`.
    fn shell(&mut self, program: &str, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, &["-o", "-O", "--rcfile", "--init-file"], true);
        if options.has(&["-c"]) {
            let [code, rest @ ..] = options.operands.as_slice() else { return };
            let mut inner = own.within(&format!("{program} -c"));
            inner.positional = Some(owned(rest.get(1..).unwrap_or_default()).into());
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

    fn env(&mut self, run: &Run, own: &Scope) {
        let valued =
            ["-u", "--unset", "--uns", "--unse", "-C", "--chdir", "-S", "--split-string", "-a", "--argv0"];
        let options = Options::read(&run.args, &valued, true);
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
    fn xargs(&mut self, run: &Run, own: &Scope) {
        let valued = [
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-s",
            "-E",
            "-a",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "--replace",
        ];
        let options = Options::read(&run.args, &valued, true);
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

    fn parallel(&mut self, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, &["-j", "--jobs", "-a", "--colsep", "-n", "-N"], true);
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
                    self.code("parallel", &code, own);
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
        let mut index = 0;
        while let Some(arg) = run.args.get(index) {
            index += 1;
            if !matches!(arg.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir") {
                continue;
            }
            let rest = &run.args[index..];
            let end =
                rest.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(rest.len());
            let words = rest[..end].iter().map(|word| {
                let is_place = word.text == "{}";
                Word { unknown: word.unknown || is_place, ..word.clone() }
            });
            let inner = own.within("find -exec");
            self.words(words.collect(), &mut inner.clone(), &inner);
            index += end;
        }
    }

    /// Code that git runs for somebody.
    fn git(&mut self, run: &Run, own: &Scope) {
        let valued = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
        let options = Options::read(&run.args, &valued, true);
        let Some((command, rest)) = options.operands.split_first() else { return };
        for value in options.all(&["-c"]).filter_map(|given| given.value.as_deref()) {
            let alias = value.get(..6).filter(|start| start.eq_ignore_ascii_case("alias."));
            let Some((name, code)) = alias.and_then(|_| value[6..].split_once('=')) else { continue };
            if name.eq_ignore_ascii_case(&command.text) {
                let rest: Vec<String> = rest.iter().map(|word| word.shown()).collect();
                let code = match code.strip_prefix('!') {
                    Some(code) => code.to_owned(),
                    None => format!("git {code}"),
                };
                self.code("git alias", &format!("{code} {}", rest.join(" ")), own);
            }
        }
        match command.text.as_str() {
            "submodule" => {
                if let Some(at) = rest.iter().position(|word| word.text == "foreach") {
                    let words = &rest[at + 1..];
                    let options = words.iter().take_while(|word| word.text.starts_with('-')).count();
                    self.joined("git submodule foreach", &words[options..], own);
                }
            }
            "bisect" if rest.first().is_some_and(|word| word.text == "run") => {
                self.rest("git bisect run", &rest[1..], own);
            }
            "rebase" => {
                let rest = owned(rest);
                let options = Options::read(&rest, &["-x", "--exec", "--onto", "-s", "-X", "-C"], false);
                for code in options.all(&["-x", "--exec"]).filter_map(Given::word) {
                    self.literal("git rebase --exec", &code, own);
                }
            }
            _ => {}
        }
    }
}

/// Whether the program does not see the variables around it: by what it is, or by an option.
fn drops_environment(program: &str, options: &Options<'_>) -> bool {
    match program {
        "sudo" => {
            let keeps = |given: &Given<'_>| given.name == "--preserve-env" && given.value.is_none();
            !options.has(&["-E"]) && !options.given.iter().any(keeps)
        }
        "doas" | "pkexec" => true,
        "systemd-run" => !options.has(&["--scope"]),
        "exec" => options.has(&["-c"]),
        _ => false,
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
