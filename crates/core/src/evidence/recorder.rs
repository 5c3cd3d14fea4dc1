//! The recorder: shell functions with the names of check programs, which write down how each run ended.
//!
//! The exit status of a line says nothing of a check in a pipe, behind `||`, before `;` or in the background. A function of the same
//! name sees the status of the run itself:
//!
//! ```text
//! pytest -q 2>&1 | tail -5     →     1 ⇥ 4711 ⇥ /p/api ⇥ pytest ⇥ -q ⇥ 2
//! ```
//!
//! A line of the log has the exit status, the shell's process id, the folder, the words and the number of words, with tabs between
//! them. Tab, newline and `%` inside a field are `%09`, `%0A` and `%25`. The number at the end shows that the line is whole.
//!
//! What goes past functions is not recorded: `command X`, `timeout X`, `xargs X`, scripts.

use super::known::programs;
pub use crate::journal::Ran;
use engine_text::line::shell_word;

/// Stands for the words that did not fit into a line of the log.
pub const CUT: &str = "…";

/// The length of a line from which on words are left out. A shell writes a line of this length at once, so the lines of shells that
/// run side by side do not mix.
const LINE_LIMIT: usize = 2000;
/// Lines and bytes of a log that are read, from its end.
const MOST_RUNS: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

/// The programs of the table that are recorded. Each costs every shell that names a check some microseconds, so the rare ones are left
/// out: of them the status of the line and the output speak.
const COMMON: &[&str] = &[
    "bats",
    "bazel",
    "biome",
    "black",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "cmake",
    "composer",
    "coverage",
    "ctest",
    "cypress",
    "dart",
    "deno",
    "dotnet",
    "eslint",
    "flake8",
    "flutter",
    "go",
    "golangci-lint",
    "gotestsum",
    "gradle",
    "hatch",
    "inv",
    "invoke",
    "isort",
    "jest",
    "just",
    "lein",
    "make",
    "meson",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "phpstan",
    "phpunit",
    "pipenv",
    "playwright",
    "pnpm",
    "poe",
    "poetry",
    "pre-commit",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rails",
    "rake",
    "rspec",
    "rubocop",
    "ruff",
    "sbt",
    "shellcheck",
    "stack",
    "swift",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "uvx",
    "vite",
    "vitest",
    "yarn",
    "zig",
];

/// Names that a shell or this script needs for itself.
const TAKEN: &[&str] = &[
    "alias",
    "autoload",
    "bg",
    "bind",
    "break",
    "builtin",
    "bye",
    "case",
    "cd",
    "chdir",
    "command",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disable",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "emulate",
    "enable",
    "engine",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "float",
    "for",
    "foreach",
    "function",
    "functions",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "integer",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "nocorrect",
    "noglob",
    "popd",
    "print",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "rehash",
    "repeat",
    "return",
    "select",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unfunction",
    "unhash",
    "unset",
    "unsetopt",
    "until",
    "wait",
    "whence",
    "where",
    "which",
    "while",
    "zmodload",
];

/// The programs that are recorded: those of the known checks, and of the checks that a project adds.
pub fn names<'c>(configured: &[&'c str]) -> Vec<&'c str> {
    let is_free = |name: &&str| is_plain(name) && !TAKEN.contains(name);
    let mut names: Vec<&'c str> = programs().filter(|name| COMMON.contains(name)).collect();
    names.extend(configured.iter().filter_map(|check| check.split_whitespace().next()));
    names.retain(|name| is_free(name));
    names.sort_unstable();
    names.dedup();
    names
}

/// A name that can be that of a function, and is found on the `PATH`.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The functions for bash and zsh, which append to `log`. Sourcing them prints nothing and starts no process.
///
/// `$1` to `$3` of a run are its exit status, the flags of the shell and the name of the program. They are positional parameters
/// because a variable would reach the program where the shell exports all (`set -a`). Every builtin has a backslash, because a person
/// may have an alias of its name.
pub fn script(names: &[&str], log: &str) -> String {
    let (plain, odd): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| !name.contains(['-', '.']));
    // Short names are in many words: `go` in `goes`. Between two characters of no name they are names.
    let pattern = |name: &&str| match name.len() {
        0..=3 => format!("*[!A-Za-z0-9_.-]{name}[!A-Za-z0-9_.-]*"),
        _ => format!("*{name}*"),
    };
    let patterns: Vec<String> = names.iter().map(pattern).collect();
    HELPERS
        .replace("@FIRST@", names.first().unwrap_or(&""))
        .replace("@NAMED@", &if patterns.is_empty() { "*".to_owned() } else { patterns.join("|") })
        .replace("@LIMIT@", &LINE_LIMIT.to_string())
        .replace("@CUT@", CUT)
        .replace("@PLAIN@", &plain.join(" "))
        .replace("@ODD@", &odd.join(" "))
        .replace("@LOG@", &shell_word(log))
}

/// A shell that exports all would export these functions too, so it gets none. Nor does one whose command (`-c`) and aliases name none
/// of the programs: it would spend a third of its start on them. A program that they do not name gets no function for the same reason. A strict
/// POSIX shell ends at a function whose name has a `-`.
///
/// A function that somebody has already stays. `function` is needed: `NAME()` is a syntax error where there is an alias NAME. A trace
/// (`set -x`) shows the call only, as it would without the function.
///
/// In the background `$!` is the shell around the function, so a signal for it is passed on to the program. A background shell is
/// recognised by `SIGQUIT`, which it ignores and other subshells do not; where there is no `/proc`, signals are not passed on.
const HELPERS: &str = r#"case $- in *a*) \return 0; esac
{ case " ${BASH_EXECUTION_STRING:-${ZSH_EXECUTION_STRING:-@FIRST@}} ${BASH_ALIASES[*]-} ${aliases[*]-} " in @NAMED@) ;; *) \return 0; esac; } 2>/dev/null
function __engine_word {
case $1 in *[%$'\t\n']*)
\set -- "${1//"%"/"%"25}"
\set -- "${1//$'\t'/"%"09}"
\set -- "${1//$'\n'/"%"0A}"
esac
__engine_line=$__engine_line$'\t'$1
}
function __engine_note {
\local "__engine_line=$1"$'\t'"$$" __engine_count=0
\shift 2
__engine_word "${PWD-}"
while \test "$#" -gt 0; do
__engine_count=$((__engine_count + 1))
if \test "$((${#__engine_line} + ${#1}))" -gt @LIMIT@; then __engine_word @CUT@; \break; fi
__engine_word "$1"
\shift
done
\printf '%s\t%s\n' "$__engine_line" "$__engine_count" >>@LOG@
}
function __engine_found {
if \test -n "${ZSH_VERSION-}"; then \whence -p -- "$1" || \typeset -f command_not_found_handler
else \type -P -- "$1" || \typeset -f command_not_found_handle; fi
}
function __engine_is_behind {
case ${BASH_SUBSHELL-}${ZSH_SUBSHELL-} in ''|0) \return 1; esac
\local __engine_key __engine_value
while IFS=$' \t\n' \read -r __engine_key __engine_value; do
case $__engine_key$__engine_value in SigIgn:*[4567cdef]) \return 0; esac
done </proc/self/status
\return 1
}
function __engine_run {
if ! __engine_found "$3" >/dev/null 2>&1; then
if \test -n "${ZSH_VERSION-}"; then \printf 'zsh: command not found: %s\n' "$3"
else \printf '%s: line %s: %s: command not found\n' "${BASH_SOURCE[2]:-$0}" "${BASH_LINENO[1]}" "$3"; fi >&2
\set -- 127 "${@:2}"
elif __engine_is_behind 2>/dev/null; then
\trap '__engine_early=TERM' TERM
\trap '__engine_early=HUP' HUP
\command "$3" "${@:4}" <&0 &
\trap '\kill -TERM "$!"' TERM
\trap '\kill -HUP "$!"' HUP
if \test -n "${__engine_early-}"; then \kill "-$__engine_early" "$!"; fi
\wait "$!" || \set -- "$?" "${@:2}"
while \kill -0 "$!" 2>/dev/null; do
if \wait "$!"; then \set -- 0 "${@:2}"; else \set -- "$?" "${@:2}"; fi
done
\trap - TERM HUP
elif \command "$3" "${@:4}"; then \:
else \set -- "$?" "${@:2}"
fi
case $3:${4-} in
python:-m|python:*manage.py|python3:-m|python3:*manage.py) __engine_note "$@" ;;
python:*|python3:*) ;;
*) __engine_note "$@" ;;
esac 2>/dev/null || \:
{ case $2 in *x*) \set -x; esac; \return "$1"; } 2>/dev/null
}
function __engine_define {
case $__engine_text in *$1*) \typeset -f "$1" || \eval "function $1 {
{ \\set -- 0 \"\$-\" $1 \"\$@\"; \\set +x; } 2>/dev/null
__engine_run \"\$@\" || { \\return; } 2>/dev/null
}"; esac
}
{
__engine_text="${BASH_EXECUTION_STRING:-${ZSH_EXECUTION_STRING:-@PLAIN@ @ODD@}} ${BASH_ALIASES[*]-} ${aliases[*]-}"
for __engine_name in @PLAIN@; do __engine_define "$__engine_name"; done
case :${SHELLOPTS-}: in *:posix:*) ;; *)
for __engine_name in @ODD@; do __engine_define "$__engine_name"; done ;; esac
\unset __engine_text __engine_name
\unset -f __engine_define
} >/dev/null 2>&1
"#;

/// Reads a log. Lines that are not whole or not of this form are left out.
pub fn parse(text: &str) -> Vec<Ran> {
    let from = text.len().saturating_sub(MOST_BYTES);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let text = if from == 0 { text } else { text[from..].split_once('\n').map_or("", |(_, rest)| rest) };
    let mut runs: Vec<Ran> = text.split('\n').rev().filter_map(line).take(MOST_RUNS).collect();
    runs.reverse();
    runs
}

fn line(text: &str) -> Option<Ran> {
    let mut fields = text.split('\t');
    let exit = fields.next()?.parse().ok()?;
    let shell = fields.next()?.parse().ok()?;
    let count: usize = fields.next_back()?.parse().ok()?;
    let folder = decoded(fields.next()?)?;
    let words: Vec<String> = fields.map(decoded).collect::<Option<_>>()?;
    (count == words.len() && count > 0).then_some(Ran { exit, shell, folder, words })
}

/// A field as it was before it was written; nothing if the recorder cannot have written it.
fn decoded(field: &str) -> Option<String> {
    let mut parts = field.split('%');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (escaped, rest) = part.split_at_checked(2)?;
        text.push(match escaped {
            "09" => '\t',
            "0A" => '\n',
            "25" => '%',
            _ => return None,
        });
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(exit: i32, shell: u32, folder: &str, words: &[&str]) -> Ran {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Ran { exit, shell, folder: folder.to_owned(), words }
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let cases: &[(&str, Option<Ran>)] = &[
            ("0\t12\t/p\tpytest\t1", Some(ran(0, 12, "/p", &["pytest"]))),
            ("143\t7\t/a b\tgo\ttest\t./...\t3", Some(ran(143, 7, "/a b", &["go", "test", "./..."]))),
            ("1\t7\t/p\tpytest\t\t\t3", Some(ran(1, 7, "/p", &["pytest", "", ""]))),
            ("1\t7\t\tpytest\t1", Some(ran(1, 7, "", &["pytest"]))),
            (
                "1\t7\t/n%0Al\tpytest\t%09%2509\t100%25\tå\r\t4",
                Some(ran(1, 7, "/n\nl", &["pytest", "\t%09", "100%", "å\r"])),
            ),
            ("1\t7\t/p\tpytest\t…\t2", Some(ran(1, 7, "/p", &["pytest", CUT]))),
            // A torn line, two lines in one, and what nobody wrote.
            ("1\t7\t/p\tpytest", None),
            ("1\t7\t/p\tpytest\t-q", None),
            ("1\t7\t/p\tpytest\t-1\t7\t/p\tpytest\t1", None),
            ("1\t7\t/p\t0", None),
            ("x\t7\t/p\tpytest\t1", None),
            ("1\t-7\t/p\tpytest\t1", None),
            ("1\t7\t/p\tpytest\t%0a\t2", None),
            ("1\t7\t/p\tpytest\t%2\t2", None),
            ("1\t7\t/p\tpytest\t%é\t2", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(line(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_log_is_read_from_its_end_and_garbage_is_skipped() {
        let one = |exit: usize| format!("{exit}\t7\t/p\tpytest\t1\n");
        let text = format!("{}junk\n\n{}1\t7\t/p\tpyt", one(1), one(2));
        assert_eq!(parse(&text), [ran(1, 7, "/p", &["pytest"]), ran(2, 7, "/p", &["pytest"])]);
        let many: String = (0..MOST_RUNS + 5).map(one).collect();
        let exits: Vec<i32> = parse(&many).iter().map(|ran| ran.exit).collect();
        let expected: Vec<i32> = (5..).take(MOST_RUNS).collect();
        assert_eq!(exits, expected);
        let long = format!("1\t7\t/p\tpytest\t{}\t2\n{}", "é".repeat(MOST_BYTES / 2), one(3));
        assert_eq!(parse(&long), [ran(3, 7, "/p", &["pytest"])]);
    }

    #[test]
    fn names_are_those_of_programs_and_no_words_of_the_shell() {
        let known = names(&[]);
        assert_eq!(known.len(), COMMON.len(), "each is a program of the table");
        for name in ["pytest", "cargo", "npm", "python3", "npx", "golangci-lint", "make"] {
            assert!(known.contains(&name), "{name}");
        }
        let configured = [
            "verify --all",
            "./gradlew x",
            "scripts/t.sh",
            "test -f x",
            "a;b",
            "",
            "cd x && t",
            "py.test",
            "9x",
        ];
        let added: Vec<&str> = names(&configured).into_iter().filter(|name| !known.contains(name)).collect();
        assert_eq!(added, ["py.test", "verify"]);
    }
}
