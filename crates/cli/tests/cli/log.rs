//! `engine log`.

use std::fs;

use crate::session_rules::{WORK, at_work, unstamped};
use crate::stage::{Output, Stage, at_once, ended, filled_pipe, input, run};

const LOG: &str = "sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md";

fn with_session() -> Stage {
    let stage = Stage::new();
    fs::create_dir_all(stage.root().join(LOG).parent().unwrap()).unwrap();
    stage
}

fn log(stage: &Stage, args: &[&str], text: &str) -> Output {
    run(stage.command(&[&["log"], args].concat()), Some(text.as_bytes()))
}

/// The log with its stamps taken out.
fn masked(stage: &Stage) -> String {
    let text = stage.read(LOG).replace("## [", "## [ ").replace("] ", " ] ");
    stage.masked(&text).replace("[ [DAY] [TIME] ]", "[STAMP]")
}

#[test]
fn the_first_heading_is_stamped_and_nothing_else() {
    let stage = with_session();
    let out = log(&stage, &[LOG], "## ▶️ Lexer\nx\n## Later\n### Deeper\n");
    assert_eq!((out.code, out.stdout), (Some(0), format!("logged in {LOG}\n")));
    log(&stage, &[LOG], "## [2025-01-02 03:04:05] Mine\n");
    let out = log(&stage, &[LOG, "--json"], "# Title\n## Block: no key").json();
    assert_eq!((&out["version"], &out["file"], &out["overwritten"]), (&1.into(), &LOG.into(), &false.into()));
    insta::assert_snapshot!(masked(&stage), @"
    ## [STAMP] ▶️ Lexer
    x
    ## Later
    ### Deeper

    ## [STAMP] Mine

    # Title
    ## [STAMP] Block: no key
    ");
}

#[test]
fn an_entry_tells_the_phase_in_which_it_was_written() {
    let stage = at_work();
    let file = format!("{WORK}/BUILD_LOG.md");
    log(&stage, &[&file], "## First\nx\n");
    log(&stage, &[&file], "## Second\n**Phase**: 1: Setup\n");
    log(&stage, &["sessions/2026_11_15_LOOSE.md"], "## Loose\n");
    log(&stage, &["--overwrite", &format!("{WORK}/BUILD_PLAN.md")], "## Plan\n");
    insta::assert_snapshot!(unstamped(&stage.ok(&["log", "show", "--session", WORK, "--phase", "2"])), @"
    sessions/2026_02_07_AUTH/BUILD_LOG.md:1
    ## [STAMP] First
    **Phase**: 2: Build
    x
    ");
    insta::assert_snapshot!(unstamped(&stage.ok(&["log", "show", "--session", WORK, "--phase", "setup"])), @"
    sessions/2026_02_07_AUTH/BUILD_LOG.md:5
    ## [STAMP] Second
    **Phase**: 1: Setup
    ");
    assert_eq!(unstamped(&stage.read("sessions/2026_11_15_LOOSE.md")), "## [STAMP] Loose\n");
    assert_eq!(stage.read(&format!("{WORK}/BUILD_PLAN.md")), "## Plan\n");
    // Work that rests is in no phase.
    stage.ok(&["session", "idle", WORK, "--description", "later"]);
    log(&stage, &[&file], "## Third\n");
    assert!(unstamped(&stage.read(&file)).ends_with("**Phase**: 1: Setup\n\n## [STAMP] Third\n"));
}

#[test]
fn stamps_are_local_time() {
    let mut stage = with_session();
    stage.set("TZ", "JST-9");
    log(&stage, &[LOG], "## A");
    let text = stage.read(LOG);
    let now = engine_store::clock::now();
    let there = |ms: u64| engine_text::stamp::Stamp(ms + 9 * 3_600_000).rfc3339().replace('T', " ");
    let near = [now.0, now.0 - 60_000].map(|ms| format!("## [{}", &there(ms)[..16]));
    assert!(near.iter().any(|start| text.starts_with(start)), "{text} {near:?}");
}

#[test]
fn what_is_no_entry_is_refused_and_nothing_is_written() {
    let stage = with_session();
    let refused = |args: &[&str], text: &str| {
        let out = log(&stage, args, text);
        format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr)
    };
    insta::assert_snapshot!(refused(&[LOG], "no heading\n### x\n"), @"1 engine: the text has no heading: a log entry begins with a line ## TITLE");
    insta::assert_snapshot!(refused(&[LOG], " \n"), @"1 engine: the text on stdin is empty");
    insta::assert_snapshot!(refused(&["--overwrite", LOG], ""), @"1 engine: the text on stdin is empty");
    insta::assert_snapshot!(refused(&["sessions/NONE/A_LOG.md"], "## x"), @"
    1 engine: the folder sessions/NONE is not there
      make it: mkdir -p sessions/NONE
    ");
    insta::assert_snapshot!(refused(&["sessions"], "## x"), @"1 engine: sessions is no log: its name ends in .md");
    insta::assert_snapshot!(refused(&["--overwrite", ".engine/config.toml"], "x"), @"1 engine: .engine/config.toml is no log: its name ends in .md");
    insta::assert_snapshot!(refused(&["--overwrite", "src/main.rs"], "x"), @"1 engine: src/main.rs is no log: its name ends in .md");
    std::os::unix::fs::symlink(stage.root().join(".engine/config.toml"), stage.root().join("x.md")).unwrap();
    insta::assert_snapshot!(refused(&["--overwrite", "x.md"], "x"), @"1 engine: x.md is no log: its name ends in .md");
    insta::assert_snapshot!(refused(&[LOG], &format!("## x\n{}", "y".repeat(1 << 20))), @"1 engine: the text is larger than 1 MB");
    assert!(!stage.exists(LOG) && !stage.exists("sessions/NONE"));
    assert_eq!(stage.read(".engine/config.toml"), "");
}

#[test]
fn overwrite_replaces_and_stamps_nothing() {
    let stage = with_session();
    log(&stage, &[LOG], "## Old");
    let out = log(&stage, &["--overwrite", LOG], "# Plan\n\n## One\n");
    assert_eq!((out.code, out.stdout), (Some(0), format!("wrote {LOG}\n")));
    assert_eq!(stage.read(LOG), "# Plan\n\n## One\n");
}

#[test]
fn works_outside_of_a_project_and_from_any_folder() {
    let stage = Stage::bare();
    stage.write("sub/x.txt", "");
    let out = run(stage.command_in(&stage.root().join("sub"), &["log", "../A_LOG.md"]), Some(b"## A"));
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert!(stage.exists("A_LOG.md"));
}

#[test]
fn an_input_that_is_held_open_is_not_waited_for() {
    let stage = with_session();
    let (input, held) = filled_pipe(b"## Held\n");
    let mut child = stage.command(&["log", LOG]).stdin(input).spawn().unwrap();
    assert!(ended(&mut child).success());
    assert!(stage.read(LOG).ends_with("] Held\n"));
    drop(held);
}

/// Fifty processes at once, through a link: no entry is lost or torn.
#[test]
fn parallel_entries_stay_whole() {
    let stage = Stage::new();
    let elsewhere = stage.home().join("shared");
    fs::create_dir_all(elsewhere.join("A")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, stage.root().join("sessions")).unwrap();
    let body = "y\n".repeat(4000);
    let outputs = at_once(50, |number| {
        let mut command = stage.command(&["log", "sessions/A/X_LOG.md"]);
        command.stdin(input(format!("## entry {number}\n{body}").as_bytes()));
        command
    });
    for output in outputs {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    let text = stage.read("sessions/A/X_LOG.md");
    let mut numbers: Vec<usize> = text
        .split("\n\n")
        .map(|entry| {
            let (heading, rest) = entry.split_once('\n').unwrap();
            assert_eq!(rest.trim_end(), body.trim_end());
            heading.rsplit(' ').next().unwrap().parse().unwrap()
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).collect::<Vec<_>>());
}

#[test]
fn entries_are_shown_by_type_phase_and_time() {
    let stage = with_session();
    stage.write(
        LOG,
        "# Log\n\n## [2025-01-02 03:04:05] ▶️ Lexer\n**Phase**: 1: Setup\n\n## [2025-01-03 03:04:05] Decision: JSON\n**Phase**: 3.A: Build\n```\n## not this\n```\n\n## Success: unstamped\n",
    );
    stage.write("sessions/2026_11_15_AUTH/FIX_LOG.md", "## [2025-01-03 00:00:00] ⚖️ YAML is out\n");
    stage.write("sessions/2026_11_15_AUTH/IMPLEMENT.md", "## Decision: no log\n");
    let session = ["--session", "2026_11_15_AUTH"];
    let show = |args: &[&str]| stage.masked(&stage.ok(&[&["log", "show"], args].concat()));
    insta::assert_snapshot!(show(&[&session[..], &["--type", "Decision"]].concat()), @"
    sessions/2026_11_15_AUTH/FIX_LOG.md:1
    ## [2025-01-03 00:00:00] ⚖️ YAML is out

    sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md:6
    ## [2025-01-03 03:04:05] Decision: JSON
    **Phase**: 3.A: Build
    ```
    ## not this
    ```
    ");
    insta::assert_snapshot!(show(&[LOG, "--phase", "3.a"]), @"
    sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md:6
    ## [2025-01-03 03:04:05] Decision: JSON
    **Phase**: 3.A: Build
    ```
    ## not this
    ```
    ");
    insta::assert_snapshot!(show(&[&session[..], &["--since", "2025-01-03"]].concat()), @"
    sessions/2026_11_15_AUTH/FIX_LOG.md:1
    ## [2025-01-03 00:00:00] ⚖️ YAML is out

    sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md:6
    ## [2025-01-03 03:04:05] Decision: JSON
    **Phase**: 3.A: Build
    ```
    ## not this
    ```
    ");
    insta::assert_snapshot!(show(&[LOG, "--type", "success", "--json"]), @r#"{"entries":[{"at":null,"body":"","file":"sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md","line":12,"phase":null,"title":"unstamped","type":"success"}],"version":1}"#);
    let absolute = stage.root().join("sessions/2026_11_15_AUTH");
    for same in ["sessions/2026_11_15_AUTH", absolute.to_str().unwrap()] {
        let count = |session: &str| show(&["--session", session, "--json"]).matches("\"line\"").count();
        assert_eq!(count(same), 4, "{same}");
    }
    let none = stage.engine(&["log", "show", LOG, "--type", "debt"]);
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (Some(0), "", "no entry fits\n"));
    let missing = stage.engine(&["log", "show", "--session", "NONE"]);
    assert_eq!((missing.code, missing.stderr.as_str()), (Some(1), "engine: there is no session NONE\n"));
    for wrong in [
        &["log", "show"][..],
        &["log"],
        &["log", "show", LOG, "--type", "x"],
        &["log", "show", LOG, "--session", "x"],
    ] {
        assert_eq!(stage.engine(wrong).code, Some(2), "{wrong:?}");
    }
}
