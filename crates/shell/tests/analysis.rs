//! What command lines do, as far as the analysis sees it.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use engine_shell::{Effect, Host, Run, Surroundings, analyse};

fn around() -> Surroundings {
    Surroundings { cwd: "/p".into(), home: Some("/home/dev".into()), ..Surroundings::default() }
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
        ("tmux new -d 'rm a' ';' kill-pane", &["tmux new -d 'rm a' ';' kill-pane", "tmux > rm a"]),
        ("screen -dmS x rm a", &["screen -dmS x rm a", "screen > rm a"]),
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
fn functions_are_looked_up_as_the_shell_does() {
    let cases: &[(&str, &[&str])] = &[
        ("rm() { command rm \"$@\"; }; rm x", &["command rm x", "command > rm x"]),
        ("rm() { env rm \"$@\"; }; rm x", &["env rm x", "env > rm x"]),
        ("rm() { rm \"$@\"; }; rm x", &["rm x"]),
        ("f() { a; }; /bin/f; sudo f", &["/bin/f", "sudo f", "sudo > f"]),
        ("f() { a; }; bash -c f", &["bash -c f", "bash -c > f"]),
        ("f() { a; }; export -f f; bash -c f", &["export -f f", "bash -c f", "bash -c > a"]),
        ("f() { g() { a; }; }; f; g; (h() { b; }); h", &["a", "h"]),
        ("eval 'f() { a; }'; f", &["eval 'f() { a; }'", "a"]),
        ("x && f() { a; }; f", &["x", "a", "f"]),
        ("f() { a; }; unset -f f; f", &["unset -f f", "f"]),
        ("alias f='a b'; f c; \\f", &["alias 'f=a b'", "a b c", "f c", "a b", "f"]),
        (
            "command cd /q && command eval x=1 && a $x",
            &["command cd /q", "command > cd /q", "command eval x=1", "command > eval x=1", "a 1"],
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(shown(command), *expected, "{command}");
    }
    assert_eq!(analyse("command cd /q; a", &around()).runs.last().unwrap().cwd.as_deref(), Some("/q"));
}

#[test]
fn one_part_of_a_line_sees_what_another_has_made() {
    // The last program that is run.
    let cases = [
        ("eval x=a; $x b", "a b"),
        ("$(echo a) b", "a b"),
        ("`printf a` b", "a b"),
        ("$(cat <<'E'\na b\nE\n)", "a b"),
        ("$(a) b", "$(a) b"),
        ("set a b; \"$@\"", "a b"),
        ("set -e -o pipefail a b; \"$@\"", "a b"),
        ("set -- a b; set -e; \"$@\"", "a b"),
        ("bash <(echo a)", "a"),
        ("source <(echo a; echo b)", "b"),
        ("bash < <(echo a)", "a"),
        ("${ a b; }", "${…}"),
        (": ${x:=a}; $x b", "a b"),
        ("x=; ${x:-a} b", "a b"),
        ("x=1; ${x:+a} b", "a b"),
        ("${x:+a} b", "${x…} b"),
        ("x=1; unset x; ${x:-a} b", "a b"),
        ("read x; ${x:-a} b", "${x…} b"),
        ("x=a sh -c '$x b'", "a b"),
        ("printf -v x a; $x b", "a b"),
        ("f() { \"$@\" b; }; f", "b"),
    ];
    for (command, expected) in cases {
        let all = shown(command);
        let last = all.last().unwrap().rsplit(" > ").next().unwrap();
        if expected == "${…}" {
            assert_eq!(all[0], "a b", "{command}");
        } else {
            assert_eq!(last, expected, "{command}");
        }
    }
}

#[test]
fn a_file_that_the_line_writes_is_run() {
    let cases = [
        ("echo a > x; sh x", "sh > a"),
        ("echo 'a $1' > x; bash ./x b", "bash > a b"),
        ("cat > x <<E\na\nE\n. ./x", ". > a"),
        ("echo a | tee x; ./x", "sh > a"),
        ("{ echo a; echo b; } > x; bash x", "bash > b"),
        ("cd d; echo a > x; cd ..; bash d/x", "bash > a"),
        ("(echo a > x); mv x y; bash y", "bash > a"),
        ("echo \"os.system('a')\" > x.py; python3 x.py", "python3 > python3 > a"),
        ("printf '#!/usr/bin/env python3\\nos.system(\"a\")' > x; ./x", "python3 > python3 > a"),
        ("echo a > x; bash < x", "bash > a"),
        ("echo ./x > x; bash x", "bash > sh > ./x"),
        ("printf 'all:\\n\\t@a\\n' > Makefile; make", "make > a"),
        // Not run, not this file, not here.
        ("echo a > x; bash -n x", "bash -n x"),
        ("echo a > x; bash y", "bash y"),
        ("ssh h 'echo a > x'; bash x", "bash x"),
        ("echo a > x; cat x", "cat x"),
    ];
    for (command, expected) in cases {
        assert_eq!(shown(command).last().unwrap(), expected, "{command}");
    }
}

#[test]
fn expansions_of_watched_variables_are_noted() {
    let host = Host { watched: &["KEY"], ..Host::default() };
    let around = Surroundings { host, ..around() };
    let cases: &[(&str, &[usize])] = &[
        ("a $KEY", &[0]),
        ("a; b \"x${KEY:-y}\"", &[1]),
        ("k=$KEY; a $k", &[0]),
        ("n=KEY; a ${!n}", &[0]),
        ("sh -c 'a $KEY'", &[1]),
        ("a <<E\n$KEY\nE", &[0]),
        ("a > $KEY", &[0]),
        ("k=$KEY", &[0]),
        ("a '$KEY' KEY \\$KEY $KEYS ${OTHER}", &[]),
        ("a <<'E'\n$KEY\nE", &[]),
        ("KEY=1 a; unset KEY", &[]),
        ("ssh host 'a $KEY'", &[]),
    ];
    for (command, expected) in cases {
        assert_eq!(analyse(command, &around).watched, *expected, "{command}");
    }
    assert_eq!(analyse("a $KEY", &Surroundings::default()).watched, Vec::<usize>::new());
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
        ("STEERED= & engine uninstall", "engine uninstall", "/p", &[]),
        ("export STEERED_2=1 & engine rules", "engine rules", "/p", &[]),
        // Within the list, and where nothing is in the background, it does.
        ("cd x && rm y &", "rm y", "/p/x", &[]),
        ("cd x; rm y", "rm y", "/p/x", &[]),
        ("D=a; D=b; rm $D", "rm b", "/p", &[]),
        ("STEERED=; engine uninstall &", "engine uninstall", "/p", &["STEERED"]),
    ];
    for (command, program, cwd, set) in cases {
        let host = Host { exported: &["STEERED*"], ..Host::default() };
        let analysis = analyse(command, &Surroundings { host, ..around() });
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
        let quoted = format!("echo {}", engine_text::line::shell_word(&command));
        prop_assert_eq!(shown(&quoted).len(), 1);
    }

    /// Whatever the code of another language is, it is read.
    #[test]
    fn any_code_is_read(
        program in "python3 -c|node -e|perl -e|ruby -e|php -r|lua -e|awk|osascript -e",
        code in "((os|fs|system|exec|open|Path|'|\"|`|'''|\\(|\\)|\\[|\\]|\\{|\\}|=|\\+|\\.|/|%[qwx]|q\\(|s/|<<E|E|\\$x|#\\{|\\$\\{|\\\\|\n|for x in|import|é|\\||->|::|=>|,|;|:|<\\*>|--\\[\\[|f\"\\{)( )?){0,24}",
    ) {
        let command = format!("{program} {}", engine_text::line::shell_word(&code));
        let analysis = analyse(&command, &around());
        prop_assert!(analysis.effects.iter().all(|effect| effect.run() < analysis.runs.len()));
    }

    #[test]
    fn any_text_is_read_as_code(program in "python3 -c|node -e|perl -e|ruby -e|php -r|lua -e|awk", code in any::<String>()) {
        let command = format!("{program} {}", engine_text::line::shell_word(&code));
        prop_assert!(!analyse(&command, &around()).runs.is_empty());
    }
}
