//! Programs that run other programs: what they run is found and walked through too.

use super::option::Options;
use super::walk::{Scope, Walk};
use super::{Run, Word};

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

pub(super) const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash"];

impl Walk {
    /// Walks through what a run runs in its turn.
    pub(super) fn unwrap(&mut self, run: &Run, scope: &mut Scope, own: &Scope) {
        let Some(program) = run.program.as_deref() else { return };
        if SHELLS.contains(&program) {
            return self.shell(program, run, own);
        }
        if let Some((_, valued)) = PLAIN.iter().find(|(name, _)| *name == program) {
            let options = Options::read(&run.args, valued, true);
            return self.rest(program, &options.operands, own);
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
            "su" | "runuser" | "script" => {
                let options = Options::read(&run.args, &["-c", "--command", "-s", "-g", "-u"], false);
                if let Some(code) = options.value(&["-c", "--command"]) {
                    self.code(program, code, own);
                }
            }
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
            "npx" | "pnpx" | "bunx" => {
                let options = Options::read(&run.args, &["-p", "--package", "-c", "--call"], true);
                match options.value(&["-c", "--call"]) {
                    Some(code) => self.code(program, code, own),
                    None => self.rest(program, &options.operands, own),
                }
            }
            _ => {}
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
        let valued = ["-u", "--unset", "-C", "--chdir", "-S", "--split-string"];
        let options = Options::read(&run.args, &valued, true);
        let mut inner = own.within("env");
        for (name, _, value) in &options.given {
            match (name.as_str(), value) {
                ("-u" | "--unset", Some(name)) => inner.env.push((name.clone(), None)),
                ("-i" | "--ignore-environment", _) => inner.env.push(("*".to_owned(), None)),
                ("-C" | "--chdir", Some(folder)) => inner.cwd = own.at(folder),
                ("-S" | "--split-string", Some(code)) => self.script(code, &inner),
                _ => {}
            }
        }
        let mut words = options.operands.as_slice();
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
        let given: Vec<Word> = match &own.input {
            Some(input) => input.split_whitespace().map(Word::known).collect(),
            None => {
                vec![Word { text: "{}".to_owned(), unknown: true, glob: false, from: own.fed_by.clone() }]
            }
        };
        match replaced {
            Some(mark) => {
                let single = given.first().cloned().unwrap_or_default();
                for word in words.iter_mut().filter(|word| word.text.contains(&mark)) {
                    // Inside a string of code the rest of it is still plain to see.
                    let is_code = word.text != mark && single.unknown;
                    word.text = word.text.replace(&mark, &single.text);
                    word.unknown |= single.unknown && !is_code;
                }
            }
            None => words.extend(given),
        }
        let mut inner = own.within("xargs");
        inner.input = None;
        self.words(words, &mut inner.clone(), &inner);
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
        let rounds = if values.is_empty() { vec![&unknown] } else { values };
        for value in rounds.into_iter().take(16) {
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
        for (index, arg) in run.args.iter().enumerate() {
            let next = run.args.get(index + 1);
            match arg.text.as_str() {
                "-c" => {
                    let alias = next.and_then(|word| word.literal()).and_then(|text| text.split_once("=!"));
                    if let Some((_, code)) = alias.filter(|(name, _)| name.starts_with("alias.")) {
                        self.code("git alias", code, own);
                    }
                }
                "foreach" => {
                    let rest = &run.args[index + 1..];
                    let options = rest.iter().take_while(|word| word.text.starts_with('-')).count();
                    let words: Vec<&Word> = rest[options..].iter().collect();
                    self.joined("git submodule foreach", &words, own);
                }
                "run" if run.args.iter().any(|arg| arg.text == "bisect") => {
                    let words: Vec<&Word> = run.args[index + 1..].iter().collect();
                    self.rest("git bisect run", &words, own);
                }
                "-x" | "--exec" if run.args.iter().any(|arg| arg.text == "rebase") => {
                    if let Some(code) = next {
                        self.literal("git rebase --exec", code, own);
                    }
                }
                _ => {}
            }
        }
    }
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
