//! What makes a line's pass worthless: the program may be another than its name says, may not have run at all, or something ran beside
//! it that nobody saw.
//!
//! `. ./functions.sh; make test` may run a function; `set -n; make test` runs nothing; `make -C link/.. test` may run elsewhere. Each is
//! read from the line alone, so what is only possible counts: who means it honestly runs `engine check -- CMD` on a line of its own.

use engine_shell::{Analysis, Run, Status, Word};

/// Shells, which can be told to read and not to run.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh"];

/// Programs that run another one, and with an option only print something.
const WRAPPERS: &[&str] = &[
    "env",
    "nice",
    "nohup",
    "stdbuf",
    "ionice",
    "strace",
    "ltrace",
    "timeout",
    "setsid",
    "chrt",
    "taskset",
    "time",
    "sudo",
    "doas",
    "xvfb-run",
    "unbuffer",
    "script",
    "flock",
    "systemd-run",
    "cpulimit",
    "prlimit",
    "numactl",
];

/// Builtins that the recorder and the line rest on: a function of such a name decides what they do.
const RELIED_ON: &[&str] = &[
    "command", "builtin", "test", "printf", "local", "set", "return", "typeset", "declare", "type", "shift",
    "break", "trap", "wait", "kill", "read", "whence", "cd", "pushd", "engine", "unset", "export", "source",
    "eval",
];

/// Why a pass of a line says nothing; nothing if it does.
pub(super) fn trick(command: &str, analysis: &Analysis, statuses: &[Status]) -> Option<String> {
    if let Some(why) = analysis.runs.iter().filter(|run| !run.remote).find_map(of_run) {
        return Some(why);
    }
    if let Some(name) = RELIED_ON.iter().find(|name| defines(command, name)) {
        return Some(format!("the line defines a function {name}"));
    }
    if command.contains("BASH_ALIASES") {
        return Some("the line defines an alias".to_owned());
    }
    if command.contains("__engine") {
        return Some("the line calls the recorder".to_owned());
    }
    if leaves_a_name(command) {
        return Some("a folder behind .. may be another one".to_owned());
    }
    let beside = statuses.iter().find(|status| status.is_background());
    beside.and_then(|status| status.runs.first()).map(|run| format!("`{}` ran beside it", run.shown()))
}

fn of_run(run: &Run) -> Option<String> {
    let has = |words: &[&str]| run.args.iter().any(|arg| words.contains(&arg.text.as_str()));
    let is_unknown = || run.args.iter().any(|arg| arg.unknown);
    let unsure = match run.program.as_deref()? {
        "source" | "." => !run.args.first().and_then(Word::literal).is_some_and(is_activation),
        "eval" => is_unknown(),
        "hash" | "enable" => !run.args.is_empty(),
        "trap" => true,
        "declare" | "typeset" | "local" => has_letter(run, 'n'),
        "set" => has_letter(run, 'n') || has(&["noexec"]) || has(&["+o"]),
        "shopt" => has(&["expand_aliases", "noexec"]) || (has_letter(run, 'u') && has(&["pipefail"])),
        program if SHELLS.contains(&program) => {
            let own =
                run.args.iter().take_while(|arg| arg.text.starts_with(['-', '+']) || arg.text == "noexec");
            let mut own = own.map(|arg| arg.text.as_str());
            own.any(|arg| {
                let is_short = arg.starts_with('-') && !arg.starts_with("--");
                (is_short && arg.contains(['n', 'D', 'i']))
                    || matches!(arg, "--version" | "--help" | "noexec" | "--rcfile" | "--init-file")
            })
        }
        program if WRAPPERS.contains(&program) => {
            let own = run.args.iter().take_while(|arg| arg.text.starts_with('-'));
            own.into_iter()
                .any(|arg| matches!(arg.text.as_str(), "--help" | "--version" | "-V" | "-h" | "-S"))
        }
        _ => false,
    };
    unsure.then(|| format!("`{}` may decide what runs", run.shown()))
}

/// `source .venv/bin/activate` only puts a folder of the project first on the path.
fn is_activation(path: &str) -> bool {
    path.ends_with("bin/activate")
}

/// A letter among the short options, `-n` or `-xn`.
fn has_letter(run: &Run, letter: char) -> bool {
    let is_short = |arg: &&Word| arg.text.starts_with('-') && !arg.text.starts_with("--");
    run.args.iter().filter(is_short).any(|arg| arg.text.contains(letter))
}

/// `link/..` is the folder above the one that the link leads to, and no text tells which.
fn leaves_a_name(command: &str) -> bool {
    command.match_indices("/..").any(|(at, found)| {
        let before = command[..at].chars().next_back();
        let behind = command[at + found.len()..].chars().next();
        let is_end = behind.is_none_or(|c| c == '/' || !(c.is_alphanumeric() || c == '.'));
        is_end && before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '}' | '"' | '\''))
    })
}

/// Whether a line defines a function of a name.
pub(super) fn defines(command: &str, name: &str) -> bool {
    let is_end = |rest: &str| rest.trim_start().starts_with('(') || rest.trim_start().starts_with('{');
    let is_start = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || "_-./$=".contains(c));
    command.match_indices(name).any(|(at, found)| {
        let (before, behind) = (&command[..at], &command[at + found.len()..]);
        let is_named = before.trim_end().ends_with("function") && before.ends_with(char::is_whitespace);
        (is_start(before) && is_end(behind) && behind.trim_start().starts_with("()"))
            || (is_named && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[cfg(test)]
mod tests {
    use engine_shell::{analyse, statuses};

    use super::*;
    use crate::host::surroundings;

    #[test]
    fn what_an_honest_line_has_is_none() {
        let around = surroundings("/p", None, None, &crate::dialect::TEST);
        for (line, expected) in [
            ("make test", None),
            ("cd .. && make test | tail -3", None),
            ("cd ../.. && make test", None),
            ("source .venv/bin/activate && pytest -q", None),
            ("set -euo pipefail; pytest | tail", None),
            ("out=$(pytest -q 2>&1); echo \"$out\"", None),
            ("timeout 60 pytest -q", None),
            ("bash -c 'pytest -q'", None),
            ("for d in a b; do (cd $d && pytest); done", None),
            ("pytest ...", None),
            (". ./fn.sh; make test", Some("`. ./fn.sh` may decide what runs")),
            ("eval \"$(cat fn.sh)\"; make test", Some("`eval $(cat fn.sh)` may decide what runs")),
            ("hash -p /tmp/make make; make test", Some("`hash -p /tmp/make make` may decide what runs")),
            ("trap 'sh bad.sh' EXIT; make test", Some("`trap 'sh bad.sh' EXIT` may decide what runs")),
            ("declare -n p=PATH; p=/f:$PATH; make test", Some("`declare -n p=PATH` may decide what runs")),
            ("set -n\nmake test", Some("`set -n` may decide what runs")),
            ("set -o noexec; make test", Some("`set -o noexec` may decide what runs")),
            ("shopt -so noexec; make test", Some("`shopt -so noexec` may decide what runs")),
            (
                "set -o pipefail +o pipefail; make test | cat",
                Some("`set -o pipefail +o pipefail` may decide what runs"),
            ),
            ("bash -n -c 'make test'", Some("`bash -n -c 'make test'` may decide what runs")),
            ("bash --version -c 'make test'", Some("`bash --version -c 'make test'` may decide what runs")),
            ("env --help make test", Some("`env --help make test` may decide what runs")),
            ("strace -V make test", Some("`strace -V make test` may decide what runs")),
            ("command() { :; }; make test", Some("the line defines a function command")),
            ("function command { true; }\nmake test", Some("the line defines a function command")),
            ("shopt -s expand_aliases\nmake test", Some("`shopt -s expand_aliases` may decide what runs")),
            ("BASH_ALIASES[make]=true\nmake test", Some("the line defines an alias")),
            ("make -C up/.. test", Some("a folder behind .. may be another one")),
            ("cd -P up/.. && make test", Some("a folder behind .. may be another one")),
            ("sh race.sh & sleep 1; make test", Some("`sh race.sh` ran beside it")),
            (
                "bash --rcfile x.sh -ic 'make test'",
                Some("`bash --rcfile x.sh -ic 'make test'` may decide what runs"),
            ),
            ("__engine_note 0 x make test || make test", Some("the line calls the recorder")),
            ("eval \"command() { :; }\"; make test", Some("the line defines a function command")),
        ] {
            let found = trick(line, &analyse(line, &around), &statuses(line, &around));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
