//! What a shell command line *does*: the programs it runs with their arguments, through wrappers, substitutions and scripts in
//! strings; the files it reads, writes and deletes.
//!
//! Built on a parser for bash of our own. What only the running shell can know stays unknown and is never guessed: a word is known or it
//! is not. The analysis is bounded in size, depth and number of commands, and says so when it stopped.

pub(crate) mod brace;
mod effect;
mod expand;
mod lex;
mod option;
mod parse;
mod status;
mod syntax;
mod walk;
mod word;
mod wrapper;

use std::cell::RefCell;
use std::rc::Rc;

pub use effect::Effect;
pub use option::Options;
pub use status::{Says, Status, statuses};

/// Where and as whom a command runs, as far as it is known before it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The current folder, absolute.
    pub cwd: String,
    pub home: Option<String>,
    pub temporary: Option<String>,
}

/// Everything that a command line does.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    pub runs: Vec<Run>,
    /// What the runs on this machine do to files.
    pub effects: Vec<Effect>,
    /// Why it could not be read, or not to its end.
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// bash would not take it either, or our parser does not know it.
    Syntax(String),
    /// Too large, too deep or too much: what was seen so far counts.
    Bound(&'static str),
}

/// One program that is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// Its name without folders; nothing if only the shell will know.
    pub program: Option<String>,
    /// As it was written, with folders.
    pub path: Word,
    pub args: Vec<Word>,
    /// Variables that are set for it alone; without a value: unset.
    pub env: Vec<(String, Option<Word>)>,
    /// Redirections of it and of what it stands in.
    pub files: Vec<Redirect>,
    /// The folder it runs in, absolute; nothing if unknown.
    pub cwd: Option<String>,
    /// The wrappers around it, outermost first: `sudo`, `bash -c`.
    pub via: Vec<String>,
    /// On another machine, or in a container.
    pub remote: bool,
    /// The runs before it in its pipeline.
    pub fed_by: Vec<usize>,
    /// What its standard input holds, if that is literal.
    pub input: Option<String>,
}

impl Run {
    /// The command as a reader would write it.
    pub fn shown(&self) -> String {
        let words = std::iter::once(&self.path).chain(&self.args);
        words.map(Word::shown).collect::<Vec<_>>().join(" ")
    }

    /// The program, if it is one of these.
    pub fn is(&self, names: &[&str]) -> bool {
        self.program.as_deref().is_some_and(|program| names.contains(&program))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    Read,
    Write,
    Append,
}

/// A word after expansion, as far as that is possible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// The text; what is unknown in it stands as it was written.
    pub text: String,
    /// Some part is known to the running shell only.
    pub unknown: bool,
    /// It holds an unquoted `*`, `?` or `[`.
    pub glob: bool,
    /// Runs whose output is part of it.
    pub from: Vec<usize>,
}

impl Word {
    pub fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The text, if all of it is known.
    pub fn literal(&self) -> Option<&str> {
        (!self.unknown).then_some(self.text.as_str())
    }

    fn shown(&self) -> String {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~*?[]{}$^".contains(c);
        if !self.text.is_empty() && (self.unknown || self.text.chars().all(plain)) {
            self.text.clone()
        } else {
            crate::text::shell_word(&self.text)
        }
    }
}

/// What was analysed last: several rules look at the same command of one event.
struct Last {
    command: String,
    around: Surroundings,
    analysis: Rc<Analysis>,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Analyses a command line.
pub fn analyse(command: &str, around: &Surroundings) -> Rc<Analysis> {
    let known = LAST.with_borrow(|last| {
        let same = last.as_ref().filter(|last| last.command == command && last.around == *around);
        same.map(|last| Rc::clone(&last.analysis))
    });
    known.unwrap_or_else(|| {
        let mut walk = walk::Walk::new();
        walk.script(command, &walk::Scope::new(around));
        let analysis = Rc::new(walk.done());
        let last =
            Last { command: command.to_owned(), around: around.clone(), analysis: Rc::clone(&analysis) };
        LAST.replace(Some(last));
        analysis
    })
}

/// A path without `.`, `..` and doubled slashes, from a folder. Purely by its text; links are the caller's business.
pub fn join(cwd: &str, path: &str) -> String {
    // Most paths are tidy, and stand in a folder that is.
    let is_tidy = |path: &str| path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if cwd.len() > 1 && cwd.starts_with('/') && is_tidy(&cwd[1..]) && is_tidy(path) {
        return format!("{cwd}/{path}");
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn around() -> Surroundings {
        Surroundings { cwd: "/p".into(), home: Some("/home/dev".into()), temporary: None }
    }

    fn shown(command: &str) -> Vec<String> {
        let analysis = analyse(command, &around());
        let via = |run: &Run| {
            if run.via.is_empty() { String::new() } else { format!("{} > ", run.via.join(" > ")) }
        };
        analysis.runs.iter().map(|run| format!("{}{}", via(run), run.shown())).collect()
    }

    #[test]
    fn programs_are_found_wherever_they_stand() {
        let cases: &[(&str, &[&str])] = &[
            ("a && b || c; d | e &", &["a", "b", "c", "d", "e"]),
            (
                "sudo -u root env X=1 rm -rf /",
                &["sudo -u root env X=1 rm -rf /", "sudo > env X=1 rm -rf /", "sudo > env > rm -rf /"],
            ),
            ("bash -lc 'git reset --hard'", &["bash -lc 'git reset --hard'", "bash -c > git reset --hard"]),
            ("echo $(rm x)", &["rm x", "echo $(rm x)"]),
            ("D=/; rm -rf $D", &["rm -rf /"]),
            ("f() { rm \"$1\"; }; f x", &["rm x"]),
            ("for d in a b; do rm $d; done", &["rm a", "rm b"]),
            ("cd sub && cat <<'E' | bash\nls\nE", &["cd sub", "cat", "bash", "bash > ls"]),
            ("a=(rm -rf); a+=(x); \"${a[@]}\" y", &["rm -rf x y"]),
            ("a=(git push); ${a[0]} ${a[1]} -f", &["git push -f"]),
            ("f() { shift; rm \"$@\"; }; f a b c", &["shift", "rm b c"]),
            ("set -- -rf x; rm \"$@\"", &["set -- -rf x", "rm -rf x"]),
            ("echo ${x:+$(rm a)} ${y/$(rm b)/c}", &["rm a", "rm b", "echo ${x…} ${y…}"]),
            ("(( $(rm a) )); case x in $(rm b)) ;; esac; z[$(rm c)]=1", &["rm a", "rm b", "rm c"]),
            ("for f in *.json; do rm \"$f\"; done", &["rm *.json"]),
            ("xargs -n1 rm < list", &["xargs -n1 rm", "xargs > rm {}"]),
            ("find . -name x -exec rm {} \\;", &["find . -name x -exec rm {} ';'", "find -exec > rm {}"]),
        ];
        for (command, expected) in cases {
            assert_eq!(shown(command), *expected, "{command}");
        }
        assert_eq!(analyse("echo 'rm 77777777777<x'", &around()).problem, None);
        let analysis = analyse("cd sub && rm x", &around());
        assert_eq!(analysis.runs[1].cwd.as_deref(), Some("/p/sub"));
    }

    #[test]
    fn a_list_in_the_background_changes_nothing_behind_it() {
        // The last program, the folder that it runs in, and the variables that are set for it.
        let cases: &[(&str, &str, &str, &[&str])] = &[
            ("cd x & rm y", "rm y", "/p", &[]),
            ("cd x && cd z & rm y", "rm y", "/p", &[]),
            ("cd a; cd b & rm y", "rm y", "/p/a", &[]),
            ("{ cd x; } & rm y", "rm y", "/p", &[]),
            ("pushd x & rm y", "rm y", "/p", &[]),
            ("if true; then cd x & fi; rm y", "rm y", "/p", &[]),
            ("(cd x & rm y)", "rm y", "/p", &[]),
            ("D=a; D=b & rm $D", "rm a", "/p", &[]),
            ("D=a; export D=b & rm $D", "rm a", "/p", &[]),
            ("D=a; read D & rm $D", "rm a", "/p", &[]),
            ("D=a; unset D & rm $D", "rm a", "/p", &[]),
            ("f() { rm a; }; f() { rm b; } & f", "rm a", "/p", &[]),
            ("set -- a; set -- b & rm \"$1\"", "rm a", "/p", &[]),
            ("CLAUDECODE= & engine uninstall", "engine uninstall", "/p", &[]),
            ("export ENGINE_OFF=1 & engine rules", "engine rules", "/p", &[]),
            // Within the list, and where nothing is in the background, it does.
            ("cd x && rm y &", "rm y", "/p/x", &[]),
            ("cd x; rm y", "rm y", "/p/x", &[]),
            ("D=a; D=b; rm $D", "rm b", "/p", &[]),
            ("CLAUDECODE=; engine uninstall &", "engine uninstall", "/p", &["CLAUDECODE"]),
        ];
        for (command, program, cwd, set) in cases {
            let analysis = analyse(command, &around());
            let last = analysis.runs.last().unwrap();
            let names: Vec<&str> = last.env.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(
                (last.shown().as_str(), last.cwd.as_deref(), names.as_slice()),
                (*program, Some(*cwd), *set),
                "{command}"
            );
        }
        // What is written counts from the folder that is really the current one.
        let analysis = analyse("cd .engine & echo x > config.toml", &around());
        let paths: Vec<&str> = analysis.effects.iter().map(Effect::path).collect();
        assert_eq!(paths, ["/p/config.toml"]);
    }

    #[test]
    fn paths_are_joined() {
        for (cwd, path, joined) in [
            ("/p", "a/b", "/p/a/b"),
            ("/p", "./a", "/p/a"),
            ("/p/x", "../a//b/", "/p/a/b"),
            ("/p", "/etc", "/etc"),
            ("/", "a", "/a"),
            ("/p/../q", "a", "/q/a"),
            ("/p", "", "/p"),
            ("/p", "../../..", "/"),
        ] {
            assert_eq!(join(cwd, path), joined, "{cwd} {path}");
        }
    }

    #[test]
    fn bounds_hold() {
        for command in [
            "rm 99999999999999999999<x".to_owned(),
            "rm ${x:} ${y→} ${:} ${}".to_owned(),
            format!("find {}", "{".repeat(45)),
            "(".repeat(5000),
            "$(".repeat(500),
            "bash -c ".repeat(400),
            "f() { f; }; f".to_owned(),
            "{a,b}".repeat(40),
            "x".repeat(300_000),
        ] {
            let analysis = analyse(&command, &around());
            assert!(analysis.runs.len() < 5000);
        }
    }

    proptest! {
        // The same cases each time: to find new ones is the fuzzer's work, which can be stopped.
        #![proptest_config(ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_analysed(command in any::<String>()) {
            let analysis = analyse(&command, &around());
            prop_assert!(analysis.effects.iter().all(|effect| effect.run() < analysis.runs.len()));
        }

        #[test]
        fn shell_like_text_is_analysed(command in "((rm|git|echo|bash -c|sudo|cat|\\$\\(|\\)|`|'|\"|<<E\n|E\n|;|&&|\\||\\{|\\}|if|then|fi|-rf|/|\\$x|x=1|\\\\)( |\n)?){0,14}") {
            let analysis = analyse(&command, &around());
            prop_assert!(analysis.effects.iter().all(|effect| effect.run() < analysis.runs.len()));
        }

        /// Whatever is quoted into an echo does nothing.
        #[test]
        fn a_quoted_command_is_data(command in "[ -~\n]{0,60}") {
            let quoted = format!("echo {}", crate::text::shell_word(&command));
            prop_assert_eq!(shown(&quoted).len(), 1);
        }
    }
}
