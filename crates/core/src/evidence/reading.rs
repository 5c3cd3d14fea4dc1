//! Command lines that only look: every program of them is known to change nothing. Elsewhere a program that nobody knows is taken for
//! harmless; here it is not.

use super::{git_words, known};
use engine_shell::{Analysis, Run};

/// Programs that change no file, whatever their arguments are.
const READERS: &[&str] = &[
    "cat", "cd", "cut", "date", "df", "diff", "du", "echo", "egrep", "false", "fgrep", "file", "grep",
    "head", "jq", "ls", "nl", "pwd", "readlink", "realpath", "stat", "tail", "test", "tr", "tree", "true",
    "type", "wc", "which", "[",
];
/// Programs that change nothing without one of these options, or what begins with them.
const MOSTLY: &[(&str, &[&str])] = &[
    ("rg", &["--pre"]),
    ("find", &["-exec", "-ok", "-delete", "-fprint", "-fls"]),
    ("sort", &["-o", "--o", "--compress"]),
];
/// Verbs of git that change neither files nor what git keeps.
const GIT: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "log",
    "ls-files",
    "ls-tree",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
];
/// Options by which they write or run something all the same.
const GIT_OPTIONS: &[&str] = &["--output", "-O", "--ext-diff"];

/// Whether a command line changes no file.
pub fn only_reads(analysis: &Analysis) -> bool {
    let is_kept = |path: &str| !path.starts_with("/dev/");
    analysis.problem.is_none()
        && !analysis.effects.iter().any(|effect| effect.changes() && is_kept(effect.path()))
        && analysis.runs.iter().all(looks)
}

fn looks(run: &Run) -> bool {
    let is_itself = run.path.literal().is_some_and(|path| !path.contains('/') || known::is_system(path));
    let has = |options: &[&str]| {
        run.args.iter().any(|arg| arg.unknown || options.iter().any(|option| arg.text.starts_with(option)))
    };
    let mostly = |(program, options): &(&str, &[&str])| run.is(&[program]) && !has(options);
    let by_git = git_words(run).is_some_and(|(verb, _)| GIT.contains(&verb)) && !has(GIT_OPTIONS);
    is_itself && (run.is(READERS) || MOSTLY.iter().any(mostly) || by_git)
}

#[cfg(test)]
mod tests {
    use engine_shell::{Surroundings, analyse};

    use super::*;

    #[test]
    fn lines_that_only_look_and_lines_that_may_not() {
        let cases = [
            ("ls -la data; cat x | head -3 2>/dev/null", true),
            ("git status && git -C sub log --oneline", true),
            ("cd src && rg -n foo | sort | wc -l", true),
            ("find . -name '*.md'", true),
            ("/usr/bin/grep x $(ls)", true),
            ("for f in a b; do cat $f; done", true),
            ("", true),
            ("ls > data/list", false),
            ("./ls", false),
            ("make", false),
            ("cat $(make)", false),
            ("find . -name x -delete", false),
            ("find . -exec touch {} +", false),
            ("rg --pre ./x foo", false),
            ("sort -o a a", false),
            ("git diff --output=x", false),
            ("git commit -m x", false),
            ("git -c diff.external=./x diff --ext-diff", false),
            ("git log --format=x $ARGS", false),
            ("python3 -c pass", false),
            ("$PROGRAM", false),
            ("ls '", false),
            ("engine task done x", false),
        ];
        for (line, expected) in cases {
            let around = Surroundings { cwd: "/p".into(), ..Surroundings::default() };
            assert_eq!(only_reads(&analyse(line, &around)), expected, "{line}");
        }
    }
}
