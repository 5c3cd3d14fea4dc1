//! With real shells: bash, and zsh where it is installed.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::thread;

use engine_core::evidence::recorder::CUT;

use super::*;

const SESSION: &str = "s1";

/// A program whose first argument says what it does.
const PROGRAM: &str = r#"#!/bin/sh
case ${1-} in
ok) ;;
env) env | grep -v -e '^_=' -e '^SHLVL=' | sort ;;
args) shift; printf '<%s>' "$@"; echo ;;
big) shift; printf '%s' "$*" | cksum ;;
stdin) cat ;;
kill) kill -9 $$ ;;
fds) for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done ;;
hold) echo $$ >"$2"; exec sleep 60 ;;
*) echo "out $*"; echo err >&2; exit 3 ;;
esac
"#;

/// A project with a session, programs of its own and a shell.
struct Stage {
    folder: tempfile::TempDir,
    project: Project,
    line: String,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("it's ").tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let project = Project::at(&root.join("p"));
        fs::create_dir_all(root.join("bin")).unwrap();
        for name in ["pytest", "golangci-lint", "python", "python3", "npm"] {
            let program = root.join("bin").join(name);
            fs::write(&program, PROGRAM).unwrap();
            fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let line = open(&project, SESSION, &Config::default()).unwrap();
        let stage = Self { folder, project, line };
        stage.set_open(true);
        stage
    }

    fn set_open(&self, is_open: bool) {
        let file = SessionFile::new(&self.project.sessions_folder(), SESSION);
        file.update(|state| state.plan = is_open.then(Default::default)).unwrap();
    }

    fn log(&self) -> PathBuf {
        Files::of(&self.project, SESSION).path(LOG)
    }

    /// Each line is evaluated by itself, as the client does it: an alias counts for what is read after it.
    fn command(&self, shell: &[&str], lines: &[&str]) -> Command {
        let evaluated: Vec<String> = lines.iter().map(|line| format!("eval {}", shell_word(line))).collect();
        let mut command = Command::new(shell[0]);
        let root = fs::canonicalize(self.folder.path()).unwrap();
        let path = format!("{}:/usr/bin:/bin", root.join("bin").display());
        command.args(&shell[1..]).arg("-c").arg(evaluated.join("\n")).current_dir(&root);
        // The shell itself is found on the real path.
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LC_ALL", "C.UTF-8");
        command.env("STAGE_PATH", path).stdin(Stdio::null());
        command
    }

    fn run(&self, shell: &[&str], lines: &[&str]) -> Output {
        self.command(shell, lines).output().unwrap()
    }
}

/// What a person sees of a run.
fn seen(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const BASH: &[&str] = &["bash", "--norc"];
const POSIX: &[&str] = &["bash", "--norc", "-o", "posix"];
const ZSH: &[&str] = &["zsh", "-f"];

fn shells() -> Vec<&'static [&'static str]> {
    let is_there = |shell: &&[&str]| Command::new(shell[0]).args(["-c", ":"]).status().is_ok();
    [BASH, POSIX, ZSH].into_iter().filter(is_there).collect()
}

/// The first line of every run: from here on programs are those of the stage.
const PATH: &str = "PATH=$STAGE_PATH; export PATH; unset STAGE_PATH";

/// Runs lines with and without the recorder, compares all that can be seen, and returns what was recorded: status and words.
fn recorded(shell: &[&str], before: &str, lines: &str) -> Vec<String> {
    let stage = Stage::new();
    let without = seen(&stage.run(shell, &[PATH, before, ":", lines]));
    assert_eq!(take(&stage.project, SESSION), [], "{lines}");
    let with = seen(&stage.run(shell, &[PATH, before, &stage.line, lines]));
    assert_eq!(with, without, "{shell:?} {before:?} {lines}");
    let shown = |ran: &Ran| format!("{} {}", ran.exit, ran.words.join("|"));
    take(&stage.project, SESSION).iter().map(shown).collect()
}

#[track_caller]
fn check(before: &str, lines: &str, expected: &[&str]) {
    for shell in shells() {
        assert_eq!(recorded(shell, before, lines), expected, "{shell:?} {before:?} {lines}");
    }
}

#[test]
fn every_shape_of_a_line_is_recorded_and_looks_the_same() {
    const FAILED: &[&str] = &["3 pytest|-q"];
    for lines in [
        "pytest -q",
        "pytest -q | tail -1",
        "pytest -q 2>&1 | tail -1; echo $?",
        "pytest -q || true",
        "pytest -q; echo \"exit $?\"",
        "pytest -q && echo no",
        "if pytest -q; then echo yes; else echo \"no $?\"; fi",
        "! pytest -q",
        "out=$(pytest -q); echo \"$? $out\"",
        "(pytest -q); echo $?",
        "(pytest -q; exit 7); echo $?",
        "{ pytest -q; } 2>/dev/null; echo $?",
        "pytest -q & wait $!; echo $?",
        "{ pytest -q; echo $?; } & wait",
        "pytest -q >out 2>&1; cat out",
        "eval 'pytest -q'; echo $?",
        "f() { pytest -q; }; f; echo $?",
        "for i in 1; do pytest -q || break; done; echo $?",
        "while ! pytest -q; do break; done",
        "pytest -q |& cat",
        "cat <(pytest -q)",
        "A=1 pytest -q; echo \"${A-unset}\"",
        "exec 2>&1; pytest -q",
        "pytest -q 2>&-; echo $?",
        "pytest -q >&- 2>/dev/null; echo $?",
        "trap 'echo bye' EXIT; pytest -q",
    ] {
        // A strict shell has no process substitution.
        let is_strict = |shell: &[&str]| shell == POSIX && lines.contains("<(");
        for shell in shells().into_iter().filter(|shell| !is_strict(shell)) {
            assert_eq!(recorded(shell, "", lines), FAILED, "{shell:?} {lines}");
        }
    }
}

#[test]
fn options_of_the_shell_mean_the_same() {
    const FAILED: &[&str] = &["3 pytest|-q"];
    for lines in [
        "set -e; pytest -q; echo no",
        "set -e; pytest -q || echo \"$?\"; echo on",
        "set -e; pytest -q | cat; echo on",
        "set -e; (pytest -q; echo no); echo no",
        "set -e; x=$(pytest -q); echo no",
        "set -eo pipefail; pytest -q | cat; echo no",
        "set -o pipefail; pytest -q | cat; echo $?",
        "set -u; pytest -q; echo $?",
        "set -euo pipefail; pytest -q || echo $?",
        "set -x; pytest -q; echo on",
        "set -ex; pytest -q; echo no",
        "set -C; pytest -q; echo $?",
        "set -f; pytest -q; echo $?",
        "IFS=0123/p; pytest -q; echo $?",
        "readonly line words count; pytest -q; echo $?",
    ] {
        check("", lines, FAILED);
    }
    for lines in [
        "trap 'echo trapped' ERR; pytest -q; echo on",
        "set -e; trap 'echo trapped' ERR; pytest -q; echo no",
        "set -eE; trap 'echo trapped' ERR; f() { pytest -q; }; f; echo no",
        "set -m; pytest -q; echo $?",
        "shopt -s extglob nullglob failglob; pytest -q",
        "set +h; pytest -q",
    ] {
        assert_eq!(recorded(BASH, "", lines), FAILED, "{lines}");
    }
    if shells().contains(&ZSH) {
        for options in [
            "nomatch",
            "ksh_arrays",
            "sh_word_split",
            "err_return",
            "warn_create_global",
            "no_unset",
            "no_clobber",
            "glob_subst",
            "posix_builtins",
            "no_function_argzero",
            "ksh_glob",
            "extended_glob",
            "xtrace",
            "no_multibyte",
            "no_short_loops",
            "rc_expand_param",
            "null_glob",
            "warn_nested_var",
        ] {
            let lines = format!("setopt {options}; pytest -q; echo $?; pytest ok 'a b' ''; echo $?");
            let expected: &[&str] =
                if options == "err_return" { FAILED } else { &["3 pytest|-q", "0 pytest|ok|a b|"] };
            assert_eq!(recorded(ZSH, "", &lines), expected, "{options}");
        }
    }
}

#[test]
fn words_are_recorded_as_the_program_gets_them() {
    for (lines, expected) in [
        ("pytest", "3 pytest"),
        ("pytest args", "0 pytest|args"),
        ("pytest args 'a b' '' \"it's\" '\"'", "0 pytest|args|a b||it's|\""),
        ("pytest args 'n\nl' 't\tb' '100%' '%0A' '\\n' '\\'", "0 pytest|args|n\nl|t\tb|100%|%0A|\\n|\\"),
        ("pytest args 'é' '日本' '🦀' '&' '*' '$x' '-n' '--'", "0 pytest|args|é|日本|🦀|&|*|$x|-n|--"),
        ("pytest args bin/p* ~ {a,b}", ""),
        ("set -- 'x y' z; pytest args \"$@\"; echo \"$*\"", "0 pytest|args|x y|z"),
        ("golangci-lint args x", "0 golangci-lint|args|x"),
    ] {
        for shell in shells() {
            let found = recorded(shell, "HOME=/h", lines);
            let globbed = "0 pytest|args|bin/pytest|bin/python|bin/python3|/h|a|b";
            match (expected, shell == POSIX && lines.starts_with("golangci")) {
                (_, true) => assert_eq!(found, [""; 0], "{lines}"),
                ("", _) => assert_eq!(found, [globbed], "{lines}"),
                _ => assert_eq!(found, [expected], "{lines}"),
            }
        }
    }
}

#[test]
fn long_words_reach_the_program_and_are_cut_in_the_log() {
    let doubled = "x=0123456789; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do x=$x$x; done";
    check("", &format!("{doubled}; pytest big a \"$x\" b"), &[&format!("0 pytest|big|a|{CUT}")]);
    check("", "pytest big $(seq 1000)", &[&cut_sequence()]);
}

/// As many numbers as fit; how many depends on the folder, so only the form is known.
fn cut_sequence() -> String {
    let stage = Stage::new();
    stage.run(BASH, &[PATH, &stage.line, "pytest big $(seq 1000)"]);
    let words = take(&stage.project, SESSION).remove(0).words;
    let (last, numbers) = words[2..].split_last().unwrap();
    assert_eq!(last, CUT);
    assert!((300..600).contains(&numbers.len()), "{}", numbers.len());
    for (at, number) in numbers.iter().enumerate() {
        assert_eq!(*number, (at + 1).to_string());
    }
    format!("0 {}", words.join("|"))
}

#[test]
fn the_program_has_the_same_around_it() {
    for lines in [
        "pytest env",
        "A=1 pytest env; echo \"${A-unset}\"",
        "export B=2; set -a; C=3; pytest env",
        "PYTHONPATH=. pytest env | cat",
        "exec 3>three; pytest fds",
        "pytest fds | cat; (pytest fds); x=$(pytest fds); echo \"$x\"",
    ] {
        for shell in shells() {
            let found = recorded(shell, "", lines);
            assert!(found.iter().all(|line| line.starts_with("0 pytest|")) && !found.is_empty(), "{found:?}");
        }
    }
    check("", "echo in | pytest stdin", &["0 pytest|stdin"]);
    check("", "pytest stdin <<'E'\na\nb\nE", &["0 pytest|stdin"]);
    check("", "printf '1\\n2\\n' | while read -r n; do echo \"$n\"; pytest stdin; done", &["0 pytest|stdin"]);
    check("", "echo in | { pytest stdin & wait $!; }", &["0 pytest|stdin"]);
    check("", "{ pytest kill; echo $?; } 2>/dev/null", &["137 pytest|kill"]);
    // Functions are not for other shells.
    check("", "sh -c 'pytest -q'; bash -c 'pytest -q; type pytest'", &[]);
    check("", "command pytest -q; env pytest -q; echo -q | xargs pytest", &[]);
}

#[test]
fn what_a_person_has_defined_stays() {
    let aliases =
        "shopt -s expand_aliases 2>/dev/null; alias pytest='pytest -x' t='pytest args' npm='echo npm'";
    check(aliases, "pytest -q", &["3 pytest|-x|-q"]);
    check(aliases, "t 1; npm 2", &["3 pytest|-x|args|1"]);
    let builtins = "alias command='echo a' local='echo b' set='echo c' printf='echo d' test='echo e' \
         shift='echo f' return='echo g' typeset='echo h' read='echo i' trap='echo j' wait='echo k' kill='echo l' exec='echo m'";
    check(&format!("{aliases}\n{builtins}"), "pytest | cat; \\wait", &["3 pytest|-x"]);
    let lazy = "pytest() { unset -f pytest; echo lazy; command pytest \"$@\"; }";
    check(lazy, "pytest -q; echo $?", &[]);
    assert_eq!(
        recorded(BASH, "pytest() { echo mine; }; export -f pytest", "pytest; bash -c pytest"),
        [""; 0]
    );
    check("set -a", "pytest env; npm -q", &[]);
    let strict = "shopt -s expand_aliases 2>/dev/null; set -euo pipefail";
    check(strict, "pytest -q | cat; echo no", &["3 pytest|-q"]);
}

#[test]
fn a_program_that_is_not_there_is_missed_as_ever() {
    const MISSED: &[&str] = &["127 tox|-q"];
    for lines in ["tox -q; echo $?", "\n\ntox -q", "f() {\n tox -q\n}\nf", "tox -q | cat"] {
        for shell in [BASH, POSIX] {
            assert_eq!(recorded(shell, "", lines), MISSED, "{shell:?} {lines}");
        }
    }
    let handler = "command_not_found_handle() { echo \"no $*\"; return 9; }\ncommand_not_found_handler() { echo \"no $*\"; return 9; }";
    check(handler, "tox -q; echo $?", &["9 tox|-q"]);
    // Found later than the functions were defined.
    check("", "mkdir -p venv; cp bin/pytest venv/tox; PATH=$PWD/venv:$PATH; tox -q", &["3 tox|-q"]);
}

#[test]
fn python_is_recorded_where_it_runs_a_module_or_a_project() {
    for (lines, expected) in [
        ("python -m pytest", &["3 python|-m|pytest"][..]),
        ("python3 -m unittest", &["3 python3|-m|unittest"]),
        ("python manage.py test", &["3 python|manage.py|test"]),
        ("python3 app/manage.py test", &["3 python3|app/manage.py|test"]),
        ("python3 x.py -m; python; python3 -c 'x'; echo $?", &[]),
    ] {
        check("", lines, expected);
    }
}

#[test]
fn a_signal_for_a_background_program_reaches_it() {
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    for signal in ["TERM", "HUP"] {
        let lines = format!(
            "exec 2>/dev/null; mkfifo ready; pytest hold ready & read -r pid <ready; kill -{signal} $!; wait $!; echo $?\n\
             while kill -0 $pid 2>/dev/null; do :; done; echo gone; rm ready"
        );
        let expected = if signal == "TERM" { "143 pytest|hold|ready" } else { "129 pytest|hold|ready" };
        check("", &lines, &[expected]);
    }
}

#[test]
fn the_log_may_be_missing_or_no_file() {
    for shell in shells() {
        let stage = Stage::new();
        let sessions = shell_word(&stage.project.sessions_folder().to_string_lossy());
        let without = seen(&stage.run(shell, &[PATH, "pytest -q; echo $?; echo on"]));
        let gone = format!("rm -r {sessions}; pytest -q; echo $?; echo on");
        assert_eq!(seen(&stage.run(shell, &[PATH, &stage.line, &gone])), without);
        let stage = Stage::new();
        fs::remove_file(stage.log()).unwrap();
        fs::create_dir(stage.log()).unwrap();
        assert_eq!(seen(&stage.run(shell, &[PATH, &stage.line, "pytest -q; echo $?; echo on"])), without);
        assert_eq!(take(&stage.project, SESSION), []);
        // A full disk.
        let stage = Stage::new();
        if Path::new("/dev/full").exists() {
            fs::remove_file(stage.log()).unwrap();
            std::os::unix::fs::symlink("/dev/full", stage.log()).unwrap();
            assert_eq!(seen(&stage.run(shell, &[PATH, &stage.line, "pytest -q; echo $?; echo on"])), without);
        }
    }
}

#[test]
fn nothing_is_sourced_while_nothing_is_open() {
    for shell in shells() {
        let stage = Stage::new();
        let ask = "pytest -q; echo $?; set -eu; typeset -f __engine_run || echo none";
        let none = seen(&stage.run(shell, &[PATH, ":", ask]));
        for prepare in [
            &|stage: &Stage| stage.set_open(false) as _,
            &(|stage: &Stage| fs::remove_file(Files::of(&stage.project, SESSION).path(FUNCTIONS)).unwrap())
                as &dyn Fn(&Stage),
            &|stage: &Stage| close(&stage.project, SESSION),
        ] {
            let stage = Stage::new();
            prepare(&stage);
            for options in ["set +e", "set -eu", "set -euo pipefail"] {
                let lines = [PATH, options, &stage.line, "echo $?", "set +eu", ask];
                let mut expected = none.clone();
                expected.1.insert_str(0, "0\n");
                assert_eq!(seen(&stage.run(shell, &lines)), expected, "{shell:?} {options}");
            }
        }
        // Sourced twice, it is still there once.
        let twice = seen(&stage.run(shell, &[PATH, &stage.line, &stage.line, "pytest -q; echo $?"]));
        assert_eq!((twice.0, twice.1.as_str()), (Some(0), "out -q\n3\n"));
        assert_eq!(take(&stage.project, SESSION).len(), 1);
    }
}

#[test]
fn the_folder_is_the_one_at_the_end_of_the_run() {
    for shell in shells() {
        let stage = Stage::new();
        let root = fs::canonicalize(stage.folder.path()).unwrap().display().to_string();
        let lines = "mkdir -p 'a b/n\nl' 'ü%'; pytest ok; cd 'a b' && pytest ok | cat; (cd 'n\nl'; pytest ok); cd ../ü% && pytest ok; echo $$";
        let output = stage.run(shell, &[PATH, &stage.line, lines]);
        let pid: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let ran = |below: &str| Ran {
            exit: 0,
            shell: pid,
            folder: format!("{root}{below}"),
            words: vec!["pytest".to_owned(), "ok".to_owned()],
        };
        let expected = ["", "/a b", "/a b/n\nl", "/ü%"].map(ran);
        assert_eq!(take(&stage.project, SESSION), expected, "{shell:?}");
    }
}

#[test]
fn fifty_shells_append_whole_lines_while_they_are_claimed() {
    for shell in shells() {
        let stage = Stage::new();
        let lines = "i=0; while [ $i -lt 10 ]; do pytest ok $N \"$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9)\"; i=$((i+1)); done";
        let mut found: Vec<Ran> = Vec::new();
        thread::scope(|scope| {
            let shells: Vec<_> = (0..50)
                .map(|n| {
                    let mut command = stage.command(shell, &[PATH, &stage.line, lines]);
                    scope.spawn(move || command.env("N", n.to_string()).status().unwrap())
                })
                .collect();
            while !shells.iter().all(thread::ScopedJoinHandle::is_finished) {
                found.extend(take(&stage.project, SESSION));
            }
        });
        found.extend(take(&stage.project, SESSION));
        let mut numbers: Vec<u32> = found.iter().map(|ran| ran.words[2].parse().unwrap()).collect();
        numbers.sort_unstable();
        let expected: Vec<u32> = (0..50).flat_map(|n| [n; 10]).collect();
        assert_eq!(numbers, expected, "{shell:?}");
        assert!(found.iter().all(|ran| ran.words[3] == "xxxxxxxxx" && ran.exit == 0));
    }
}

#[test]
fn a_run_is_claimed_once_and_a_torn_line_waits() {
    let stage = Stage::new();
    let append = |text: &str| {
        use std::io::Write;
        let mut log = fs::OpenOptions::new().append(true).open(stage.log()).unwrap();
        log.write_all(text.as_bytes()).unwrap();
    };
    let exits = |runs: Vec<Ran>| runs.iter().map(|ran| ran.exit).collect::<Vec<_>>();
    append("1\t7\t/p\tpytest\t1\n2\t7\t/p\tpyt");
    assert_eq!(exits(peek(&stage.project, SESSION)), [1]);
    assert_eq!(exits(take(&stage.project, SESSION)), [1]);
    assert_eq!(exits(take(&stage.project, SESSION)), [0; 0]);
    append("est\t1\n3\t7\t/p\tpytest\t1\n");
    assert_eq!(exits(peek(&stage.project, SESSION)), [2, 3]);
    assert_eq!(exits(take(&stage.project, SESSION)), [2, 3]);
    assert_eq!(exits(peek(&stage.project, SESSION)), [0; 0]);
    // A log that is large begins anew; of one that nobody claimed only the end is read.
    append(&"4\t7\t/p\tpytest\t1\n".repeat(100_000));
    assert_eq!(exits(take(&stage.project, SESSION)), [4; 1000]);
    assert_eq!(fs::metadata(stage.log()).unwrap().len(), 0);
    append("5\t7\t/p\tpytest\t1\n");
    assert_eq!(exits(take(&stage.project, SESSION)), [5]);
    close(&stage.project, SESSION);
    assert_eq!(take(&stage.project, SESSION), []);
    assert_eq!(take(&stage.project, "../other"), []);
}

#[test]
fn opened_again_it_has_what_the_project_counts_now() {
    let stage = Stage::new();
    let functions = Files::of(&stage.project, SESSION).path(FUNCTIONS);
    let first = fs::read_to_string(&functions).unwrap();
    assert_eq!(open(&stage.project, SESSION, &Config::default()).unwrap(), stage.line);
    assert_eq!(fs::read_to_string(&functions).unwrap(), first);
    let log = fs::metadata(stage.log()).unwrap();
    assert_eq!((log.len(), log.permissions().mode() & 0o777), (0, 0o600));
}

#[test]
fn a_shell_that_names_no_check_gets_no_functions() {
    const ASK: &str = "typeset -f __engine_run >/dev/null && echo some || echo none";
    for shell in shells() {
        let stage = Stage::new();
        let told = |lines: &[&str]| String::from_utf8(stage.run(shell, lines).stdout).unwrap();
        assert_eq!(told(&[&stage.line, ASK]), "none\n", "{shell:?}");
        assert_eq!(told(&[&stage.line, ASK, ": cargo"]), "some\n", "{shell:?}");
        // Its command is not on its command line.
        let script = format!("{}\n{ASK}\n", stage.line);
        fs::write(stage.folder.path().join("script"), script).unwrap();
        let mut command = Command::new(shell[0]);
        let output =
            command.args(&shell[1..]).arg("script").current_dir(stage.folder.path()).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "some\n", "{shell:?}");
    }
    let stage = Stage::new();
    fs::write(stage.folder.path().join("rc"), "shopt -s expand_aliases; alias t='pytest ok'\n").unwrap();
    stage.run(BASH, &[PATH, ". ./rc", &stage.line, "t 1"]);
    let words: Vec<String> = take(&stage.project, SESSION).iter().map(|ran| ran.words.join(" ")).collect();
    assert_eq!(words, ["pytest ok 1"]);
}
