//! The index of `engine search`: sessions that rest, kills, many processes, and what there is no time for.

use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::search::{index, places, project};
use crate::stage::{Output, Stage, output_of};

/// Sessions that rest are compared by the time of their folder, and in turns.
#[test]
fn a_session_that_rests_is_looked_at_again() {
    let stage = project();
    let old = |path: &str| {
        let file = File::open(stage.root().join(path)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(24 * 40)).unwrap();
    };
    for number in 1..=9 {
        let folder = format!("sessions/2026_01_0{number}_OLD");
        stage.write(&format!("{folder}/FIX_LOG.md"), "## [2026-01-01 10:00:00] Start\nA tapir.\n");
        old(&format!("{folder}/FIX_LOG.md"));
        old(&folder);
    }
    old("sessions");
    let found = |words: &str| places(&stage, &["session-search", "query", words, "--limit", "50"]);
    assert_eq!(found("tapir").len(), 9);
    // What is new in a folder, a folder that is new, and one that is gone.
    stage.write("sessions/2026_01_03_OLD/FIX.md", "# Fix\n\nA kudu.\n");
    stage.write("sessions/2026_01_10_NEW/FIX.md", "# Fix\n\nA kudu.\n");
    fs::remove_dir_all(stage.root().join("sessions/2026_01_04_OLD")).unwrap();
    assert_eq!(found("kudu"), ["sessions/2026_01_03_OLD/FIX.md:1", "sessions/2026_01_10_NEW/FIX.md:1"]);
    assert_eq!(found("tapir").len(), 8);
    // A log that grows in a folder that rests: within some queries, and at once by the index.
    stage.write("sessions/2026_01_05_OLD/FIX_LOG.md", "## [2026-01-01 10:00:00] Start\nAn oryx.\n");
    old("sessions/2026_01_05_OLD");
    index(&stage);
    assert_eq!(found("oryx"), ["sessions/2026_01_05_OLD/FIX_LOG.md:1"]);
    // The mirror is no more than a cache.
    for bytes in [&b""[..], b"engine mirror 1\n", b"engine mirror 1\n0123456789abcdef\xff\xff\xff\xff"] {
        fs::write(stage.root().join(".engine/state/search/mirror"), bytes).unwrap();
        assert_eq!((found("tapir").len(), found("oryx").len()), (7, 1));
    }
}

/// Some hundred files, so that an index takes a while.
fn large() -> Stage {
    let stage = Stage::new();
    for number in 0..600 {
        let text: String =
            (0..20).map(|part| format!("## Part {part}\n\nword{part} number{number}\n\n")).collect();
        stage.write(&format!("docs/{number}.md"), &format!("# Page {number}\n\n{text}"));
    }
    stage
}

#[test]
fn an_index_that_was_killed_goes_on() {
    let stage = large();
    for wait in [5, 30, 80, 150] {
        let mut killed = stage.command(&["search", "index"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let _ = killed.kill();
        killed.wait().unwrap();
        let output = stage.engine(&["search", "number7", "--json"]);
        assert!(matches!(output.code, Some(0 | 3)), "{wait}: {}", output.stderr);
    }
    let done = index(&stage);
    assert_eq!((&done["files"], &done["skipped"]), (&600.into(), &0.into()));
    assert_eq!(places(&stage, &["search", "number7", "--limit", "1"]).len(), 1);
    assert!(stage.ok(&["search", "status"]).contains("\nup to date\n"));
}

#[test]
fn many_processes_at_once_answer() {
    let stage = large();
    let calls: [&[&str]; 6] = [
        &["search", "number7"],
        &["search", "index"],
        &["search", "number8"],
        &["session-search", "query", "number9"],
        &["search", "status"],
        &["search", "number10"],
    ];
    let running: Vec<_> = calls.iter().map(|args| stage.command(args).spawn().unwrap()).collect();
    for (child, args) in running.into_iter().zip(calls) {
        let Output { code, stdout, stderr } = output_of(child);
        let is_busy = stderr.starts_with("engine: another process writes the search index");
        assert!(matches!(code, Some(0 | 3)) || is_busy, "{args:?}: {code:?} {stdout} {stderr}");
    }
    index(&stage);
    assert_eq!(places(&stage, &["search", "number8", "--limit", "1"]).len(), 1);
}

#[test]
fn what_is_left_for_want_of_time_is_said_and_done_by_the_index() {
    let stage = Stage::new();
    stage.write("docs/0.md", "A newt.\n");
    index(&stage);
    for number in 0..80 {
        let text = "axolotl swims deep\n".repeat(1000);
        stage.write(&format!("docs/{number}.md"), &format!("# Page {number}\n\n{text}"));
    }
    let output = stage.engine(&["search", "axolotl"]);
    let (count, rest) = output.stderr.split_once(' ').unwrap();
    assert!((1..80).contains(&count.parse::<u32>().unwrap()), "{}", output.stderr);
    assert_eq!(rest, "files are newer than the index: engine search index\n");
    assert!(stage.engine(&["search", "axolotl", "--json"]).json()["behind"].as_u64().unwrap() > 0);
    assert_eq!(index(&stage)["files"], 80);
    assert_eq!(stage.engine(&["search", "axolotl"]).stderr, "");
}
