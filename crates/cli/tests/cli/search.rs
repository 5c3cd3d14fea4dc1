//! `engine search`, `engine session-search`, `engine doc-search`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::stage::{Stage, output_of};

/// Something of each kind, all of it older than two days.
pub(crate) fn project() -> Stage {
    let stage = Stage::new();
    let session = "sessions/2026_02_07_AUTH_ÜBER_漢字";
    for (path, text) in [
        (
            "README.md",
            "---\ntitle: Readme\n---\nA zebra walks in.\n\n# Start\n\nBuild the zebra with care.\n",
        ),
        (
            "docs/guide.md",
            "# Guide\n\n## Locks\n\nA lock waits for ten seconds.\n\n```sh\n# zebra in code\n```\n",
        ),
        ("docs/decisions/001-locks.md", "# 001 Locks are per file\n\nBecause a zebra was slow.\n"),
        (
            ".engine/memory/zebra-food.md",
            "---\nkind: pitfall\ncreated: 2026-02-08T10:00:00Z\n---\n\nA zebra eats no hay.\n",
        ),
        (
            "learnings.md",
            "# Learnings\n\n## Count zebra stripes\n- Anti-pattern: guess\n- Correct pattern: count\n- Reason: wrong twice\n",
        ),
        (
            ".engine/queue/20260208-110000-zebra-crossing.md",
            "---\ntitle: zebra crossing\nstate: open\ncreated: 2026-02-08T11:00:00.000Z\n---\n\n## Goal\n\nPaint it.\n",
        ),
        (
            "plans/stripes/PLAN.md",
            "# Plan: stripes\n\nFEATURE, feature. Closed 2026-02-09T10:00:00.000Z.\n\n## Halts\n\n- 2026-02-09 the zebra ran away; resumed 2026-02-09: it came back\n\n<!-- written by engine plan, which does not read it; sum 0 -->\n",
        ),
        (
            "plans/open/PLAN.md",
            "# Plan: open\n\nFEATURE, feature. Locked 2026-02-09T10:00:00.000Z.\n\nzebra\n\n<!-- written by engine plan, which does not read it; sum 0 -->\n",
        ),
    ] {
        stage.write(path, text);
    }
    for (name, text) in [
        (
            "IMPLEMENT_LOG.md",
            "# Log\n\n## [2026-02-07 10:00:00] ⚖️ Use a zebra\n**Phase**: 3.A: Build\nIt is striped. #needs-review\n\n## [2026-02-07 11:00:00] 🚧 The cage is locked\nAsked for the key.\n",
        ),
        ("IMPLEMENT.md", "# Debrief\n**Tags**: #done-zoo\n\nThe zebra stands.\n"),
        ("DIALOGUE.md", "## [2026-02-07 10:30:00]\n\n**A**: Which zebra? — Red / Blue\n**U**: Blue\n"),
        (
            "state.json",
            r#"{"version":1,"lifecycle":"completed","runs":[{"skill":"implement","startedAt":"2026-02-07T09:00:00.000Z"}],"description":"Animals log in","keywords":["zebra","badge"]}"#,
        ),
    ] {
        stage.write(&format!("{session}/{name}"), text);
    }
    age(&stage, "");
    stage
}

/// Makes files old: the age of a hit is the same on every day.
fn age(stage: &Stage, below: &str) {
    let folder = stage.root().join(below);
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = entry.path().strip_prefix(stage.root()).unwrap().display().to_string();
        if entry.path().is_dir() {
            age(stage, &name);
        } else {
            let file = File::open(entry.path()).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 20_000)).unwrap();
        }
    }
}

/// What a person reads, without the ages, which grow.
fn shown(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once("  ") {
        Some((head, age)) if age.ends_with(" ago") => format!("{head}  [AGE]\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

fn asked(stage: &Stage, args: &[&str]) -> String {
    shown(&stage.ok(&[&["search"], args].concat()))
}

/// The size of an index is the database's business.
fn without_size(status: &str) -> String {
    let line = |line: &str| if line.ends_with(" kB") { "[SIZE]\n".to_owned() } else { format!("{line}\n") };
    status.lines().map(line).collect()
}

/// The places of the hits, by path.
pub(crate) fn places(stage: &Stage, args: &[&str]) -> Vec<String> {
    let output = stage.engine(&[&["--json"], args].concat());
    assert!(matches!(output.code, Some(0 | 3)), "{args:?}: {} {}", output.stdout, output.stderr);
    let hits = output.json()["hits"].as_array().unwrap().clone();
    assert_eq!(hits.is_empty(), output.code == Some(3));
    let place = |hit: &Value| format!("{}:{}", hit["path"].as_str().unwrap(), hit["line"]);
    let mut places: Vec<String> = hits.iter().map(place).collect();
    places.sort();
    places
}

pub(crate) fn index(stage: &Stage) -> Value {
    let output = stage.engine(&["search", "index", "--json"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    output.json()
}

#[test]
fn every_kind_is_found_with_its_place_and_its_words() {
    let stage = project();
    insta::assert_snapshot!(asked(&stage, &["zebra", "--limit", "20"]), @"
    .engine/queue/20260208-110000-zebra-crossing.md:7  open: zebra crossing > Goal  [AGE]
      Paint it.
    .engine/memory/zebra-food.md:6  pitfall: zebra-food  [AGE]
      A zebra eats no hay.
    learnings.md:3  Count zebra stripes  [AGE]
      - Anti-pattern: guess - Correct pattern: count - Reason: wrong twice
    sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG.md:3  decision: Use a zebra  [AGE]
      It is striped. #needs-review
    README.md:1  Readme  [AGE]
      --- title: Readme --- A zebra walks in.
    README.md:6  Start  [AGE]
      Build the zebra with care.
    sessions/2026_02_07_AUTH_ÜBER_漢字/DIALOGUE.md:1  dialogue  [AGE]
      **A**: Which zebra? — Red / Blue **U**: Blue
    sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT.md:1  debrief: Debrief  [AGE]
      **Tags**: #done-zoo The zebra stands.
    docs/guide.md:3  Guide > Locks  [AGE]
      … A lock waits for ten seconds. ```sh # zebra in code ```
    sessions/2026_02_07_AUTH_ÜBER_漢字  session  [AGE]
      Animals log in Keywords: zebra, badge Skills: implement State: completed
    docs/decisions/001-locks.md:1  001 Locks are per file  [AGE]
      Because a zebra was slow.
    plans/stripes/PLAN.md:5  halt: Plan: stripes > Halts  [AGE]
      - 2026-02-09 the zebra ran away; resumed 2026-02-09: it came back <!-- written by engine plan, which does not read it; sum 0 -->
    ");
    insta::assert_snapshot!(asked(&stage, &["lock waits", "--explain"]), @"
    lexical; engine search model install adds meaning
    docs/guide.md:3  Guide > Locks  [AGE]
      A lock waits for ten seconds. ```sh # zebra in code ```
      lexical 1 (6.31); matched: locks, lock, waits
    docs/decisions/001-locks.md:1  001 Locks are per file  [AGE]
      Because a zebra was slow.
      lexical 2 (2.04); matched: locks
    sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG.md:7  block: The cage is locked  [AGE]
      Asked for the key.
      lexical 3 (1.59); matched: locked
    ");
    insta::assert_snapshot!(without_size(&stage.ok(&["search", "status"])), @"
    KIND       FILES  CHUNKS
    sessions   4      5
    docs       2      3
    notes      1      1
    learnings  1      1
    decisions  1      1
    queue      1      1
    plans      2      2
    [SIZE]
    lexical; engine search model install adds meaning
    up to date
    ");
    // From a folder of the project, too.
    let inner =
        stage.command_in(&stage.root().join("docs"), &["search", "cage"]).spawn().map(output_of).unwrap();
    insta::assert_snapshot!(shown(&inner.stdout), @"
    sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG.md:7  block: The cage is locked  [AGE]
      Asked for the key.
    ");
}

#[test]
fn filters_narrow() {
    let stage = project();
    let session = "sessions/2026_02_07_AUTH_ÜBER_漢字";
    let log = format!("{session}/IMPLEMENT_LOG.md");
    for (args, expected) in [
        (
            &["--in", "notes,queue"][..],
            vec![".engine/memory/zebra-food.md:6", ".engine/queue/20260208-110000-zebra-crossing.md:7"],
        ),
        (&["--in", "learning"], vec!["learnings.md:3"]),
        (&["--in", "docs"], vec!["README.md:1", "README.md:6", "docs/guide.md:3"]),
        (&["--in", "plans"], vec!["plans/stripes/PLAN.md:5"]),
        (&["--type", "pitfall"], vec![".engine/memory/zebra-food.md:6"]),
        (
            &["--type", "halt,open"],
            vec![".engine/queue/20260208-110000-zebra-crossing.md:7", "plans/stripes/PLAN.md:5"],
        ),
        (&["--type", "decision"], vec!["docs/decisions/001-locks.md:1", &format!("{log}:3")]),
        (&["--skill", "engine:implement", "--type", "decision"], vec![&format!("{log}:3")]),
        (&["--skill", "fix"], vec![]),
        (&["--tag", "#needs-review"], vec![&format!("{log}:3")]),
        (&["--tag", "done-zoo"], vec![&format!("{session}/IMPLEMENT.md:1")]),
        (&["--since", "2026-02-09"], vec!["plans/stripes/PLAN.md:5"]),
        (
            &["--since", "2026-02-08", "--until", "2026-02-08"],
            vec![".engine/memory/zebra-food.md:6", ".engine/queue/20260208-110000-zebra-crossing.md:7"],
        ),
        (&["--since", "2026-02-07T10:00:00Z", "--until", "2026-02-07T10:15:00Z"], vec![&format!("{log}:3")]),
        (&["--file", "guide"], vec!["docs/guide.md:3"]),
        (&["--file", "ÜBER_漢字/D"], vec![&format!("{session}/DIALOGUE.md:1")]),
        (&["--file", "%"], vec![]),
    ] {
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        expected.sort();
        assert_eq!(places(&stage, &[&["search", "zebra"], args].concat()), expected, "{args:?}");
    }
    assert_eq!(places(&stage, &["search", "zebra", "--limit", "2"]).len(), 2);
    let sessions = places(&stage, &["session-search", "query", "zebra"]);
    assert_eq!(
        sessions,
        ["DIALOGUE.md:1", "IMPLEMENT.md:1", "IMPLEMENT_LOG.md:3", "state.json:1"]
            .map(|name| format!("{session}/{name}"))
    );
    assert_eq!(
        places(&stage, &["doc-search", "query", "zebra"]),
        ["README.md:1", "README.md:6", "docs/decisions/001-locks.md:1", "docs/guide.md:3"]
    );
    // A session is found by its name.
    assert_eq!(
        places(&stage, &["search", "über 漢字", "--type", "session"]),
        [format!("{session}/state.json:1")]
    );
}

#[test]
fn the_object_of_an_answer() {
    let stage = project();
    let object = |args: &[&str]| {
        let object = stage.engine(&[args, &["--json"]].concat()).json();
        serde_json::to_string_pretty(&object).unwrap()
    };
    insta::assert_snapshot!(object(&["search", "striped", "--explain"]), @r#"
    {
      "behind": 0,
      "hits": [
        {
          "at": "2026-02-09T10:00:00.000Z",
          "branch": null,
          "end_line": 3,
          "explain": {
            "lexical": {
              "rank": 1,
              "score": 1.493
            },
            "matched": [
              "stripes"
            ]
          },
          "kind": "plans",
          "line": 1,
          "path": "plans/stripes/PLAN.md",
          "phase": null,
          "score": 1.493,
          "skill": null,
          "snippet": "FEATURE, feature. Closed 2026-02-09T10:00:00.000Z.",
          "tags": [],
          "title": "plans/stripes/PLAN > Plan: stripes",
          "type": "plan"
        },
        {
          "at": "2024-10-04T00:00:00.000Z",
          "branch": null,
          "end_line": 6,
          "explain": {
            "lexical": {
              "rank": 2,
              "score": 1.318
            },
            "matched": [
              "stripes"
            ]
          },
          "kind": "learnings",
          "line": 3,
          "path": "learnings.md",
          "phase": null,
          "score": 1.318,
          "skill": null,
          "snippet": "- Anti-pattern: guess - Correct pattern: count - Reason: wrong twice",
          "tags": [],
          "title": "learnings > Count zebra stripes",
          "type": null
        },
        {
          "at": "2026-02-09T10:00:00.000Z",
          "branch": null,
          "end_line": 9,
          "explain": {
            "lexical": {
              "rank": 3,
              "score": 1.206
            },
            "matched": [
              "stripes"
            ]
          },
          "kind": "plans",
          "line": 5,
          "path": "plans/stripes/PLAN.md",
          "phase": null,
          "score": 1.206,
          "skill": null,
          "snippet": "- 2026-02-09 the zebra ran away; resumed 2026-02-09: it came back <!-- written by engine plan, which does not read it; sum 0 -->",
          "tags": [],
          "title": "plans/stripes/PLAN > Plan: stripes > Halts",
          "type": "halt"
        },
        {
          "at": "2026-02-07T10:00:00.000Z",
          "branch": null,
          "end_line": 5,
          "explain": {
            "lexical": {
              "rank": 4,
              "score": 0.81
            },
            "matched": [
              "striped"
            ]
          },
          "kind": "sessions",
          "line": 3,
          "path": "sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG.md",
          "phase": "3.A: Build",
          "score": 0.81,
          "skill": "implement",
          "snippet": "It is striped. #needs-review",
          "tags": [
            "needs-review"
          ],
          "title": "2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG > Use a zebra",
          "type": "decision"
        }
      ],
      "mode": "lexical",
      "version": 1
    }
    "#);
    insta::assert_snapshot!(object(&["search", "nowhere"]), @r#"
    {
      "behind": 0,
      "hits": [],
      "mode": "lexical",
      "version": 1
    }
    "#);
    insta::assert_snapshot!(object(&["session-search", "status"]).lines().filter(|line| !line.contains("bytes")).collect::<Vec<_>>().join("\n"), @r#"
    {
      "behind": 0,
      "kinds": {
        "sessions": {
          "chunks": 5,
          "files": 4
        }
      },
      "mode": "lexical",
      "model": null,
      "others": 0,
      "skipped": [],
      "uncompared": [],
      "version": 1
    }
    "#);
}

#[test]
fn nothing_found_and_wrong_words_are_one_line_each() {
    let stage = project();
    let said = |args: &[&str]| {
        let output = stage.engine(args);
        let line = output.stderr.lines().next().unwrap_or_default().to_owned();
        format!("{} {}{line}\n", output.code.unwrap(), output.stdout)
    };
    let all: String = [
        &["search", "nowhere"][..],
        &["search", "zebra", "--in", "queue", "--type", "done"],
        &["search", "?!"],
        &["search", "zebra", "--in", "code"],
        &["search", "zebra", "--type", "joke"],
        &["search", "zebra", "--since", "yesterday"],
        &["search", "zebra", "--until", "2026-13-01"],
        &["search", "zebra", "--since", "2026-02-08", "--until", "2026-02-07"],
        &["search", "zebra", "--since", "0d"],
        &["search", "zebra", "--tag", ""],
        &["search", "zebra", "--skill", "fix,"],
        &["search", "zebra", "--limit", "0"],
        &["doc-search", "query", "zebra", "--branch", "main"],
        &["doc-search", "query", "zebra", "--branch", "main", "--since", "2d"],
        &["doc-search", "query", "zebra", "--all-branches", "--until", "2d"],
        &["search"],
    ]
    .map(said)
    .concat();
    insta::assert_snapshot!(all, @"
    3 engine: nothing found in the files of sessions 4, docs 2, notes 1, learnings 1, decisions 1, queue 1, plans 2; try other words
    3 engine: nothing found in the files of queue 1; try other words, or fewer options
    2 engine: the query has no word to search for: type at least one letter or digit
    2 error: invalid value 'code' for '--in <KIND>': the kinds are sessions, docs, notes, learnings, decisions, queue, plans
    2 error: invalid value 'joke' for '--type <TYPE>': the types are start, block, stuck, debug, debt, observation, concern, revert, success, parked, decision, invariant, pitfall, session, plan, debrief, dialogue, request, response, criterion, step, halt, fact, preference, open, pulled, done, dropped
    2 error: invalid value 'yesterday' for '--since <TIME>': use 45s, 30m, 2h, 3d, 1w, a day such as 2026-11-01, or a moment in RFC 3339
    2 error: invalid value '2026-13-01' for '--until <TIME>': use 45s, 30m, 2h, 3d, 1w, a day such as 2026-11-01, or a moment in RFC 3339
    2 engine: the time of --since is not before that of --until
    2 error: invalid value '0d' for '--since <TIME>': nothing is newer than now
    2 error: invalid value '' for '--tag <TAG>': a name with at least one letter
    2 error: invalid value '' for '--skill <SKILL>': a name with at least one letter
    2 error: invalid value '0' for '--limit <COUNT>': a number from 1 to 1000
    1 engine: branches cannot be read: git for-each-ref: fatal: not a git repository (or any of the parent directories): .git
    2 error: the argument '--branch <BRANCH>' cannot be used with '--since <TIME>'
    2 error: the argument '--all-branches' cannot be used with '--until <TIME>'
    2 error: the following required arguments were not provided:
    ");
    let empty = Stage::new();
    let said = |args: &[&str]| empty.engine(args).stderr;
    assert_eq!(
        said(&["search", "zebra", "--in", "queue"]),
        "engine: there is no file in queue: engine search status\n"
    );
    let bare = Stage::bare();
    let output = bare.engine(&["search", "zebra"]);
    assert_eq!(output.code, Some(1));
    insta::assert_snapshot!(bare.masked(&output.stderr), @"
    engine: no project: there is no .engine/ in [TOP]/project or above it
      make one: engine init
    ");
}

#[test]
fn whatever_is_typed_is_words() {
    let stage = project();
    let long = "zebra ".repeat(17_000);
    for words in [
        "\"zebra",
        "zebra* AND (NEAR",
        "title:zebra",
        "-zebra",
        "zebra'); DROP TABLE words;--",
        "🦓 zebra",
        "ZÉBRA",
        &long,
    ] {
        assert!(
            !places(&stage, &["search", "--limit", "3", "--", words]).is_empty(),
            "{}",
            &words[..words.len().min(40)]
        );
    }
    // The name of a subcommand is a word behind --.
    stage.write("docs/index.md", "The index is small.\n");
    assert_eq!(places(&stage, &["search", "--", "index"]), ["docs/index.md:1"]);
}

#[test]
fn a_query_follows_what_changed() {
    let stage = project();
    assert_eq!(places(&stage, &["search", "giraffe"]), Vec::<String>::new());
    stage.write("docs/new.md", "# New\n\nA giraffe.\n");
    assert_eq!(places(&stage, &["search", "giraffe"]), ["docs/new.md:1"]);
    stage.write("docs/new.md", "# New\n\nNo more.\n\n## Long\n\nA giraffe.\n");
    assert_eq!(places(&stage, &["search", "giraffe"]), ["docs/new.md:5"]);
    fs::rename(stage.root().join("docs/new.md"), stage.root().join("docs/moved.md")).unwrap();
    assert_eq!(places(&stage, &["search", "giraffe"]), ["docs/moved.md:5"]);
    File::open(stage.root().join("docs/moved.md")).unwrap().set_modified(SystemTime::now()).unwrap();
    let touched = index(&stage);
    assert_eq!((&touched["changed"], &touched["removed"]), (&0.into(), &0.into()));
    fs::remove_file(stage.root().join("docs/moved.md")).unwrap();
    assert_eq!(places(&stage, &["search", "giraffe"]), Vec::<String>::new());
    // A folder that goes takes all of it along.
    fs::remove_dir_all(stage.root().join("sessions")).unwrap();
    assert_eq!(places(&stage, &["session-search", "query", "zebra"]), Vec::<String>::new());
    fs::remove_dir_all(stage.root().join(".engine/state/search")).unwrap();
    assert_eq!(places(&stage, &["search", "zebra", "--in", "learnings"]), ["learnings.md:3"]);
    fs::write(stage.root().join(".engine/state/search/index.db"), "no database").unwrap();
    assert_eq!(places(&stage, &["search", "zebra", "--in", "learnings"]), ["learnings.md:3"]);
}

#[test]
fn what_is_no_text_of_the_project_is_left_out_and_reported() {
    let stage = project();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.write(".gitignore", "made/\n");
    stage.write("made/ignored.md", "okapi\n");
    stage.write("node_modules/x/README.md", "okapi\n");
    stage.write(".engine/state/x.md", "okapi\n");
    stage.write("../elsewhere/secret.md", "okapi\n");
    symlink(stage.root().join("../elsewhere"), stage.root().join("docs/out")).unwrap();
    symlink(stage.root().join("../elsewhere/secret.md"), stage.root().join("docs/out.md")).unwrap();
    symlink("guide.md", stage.root().join("docs/again.md")).unwrap();
    fs::write(stage.root().join("docs/latin.md"), b"okapi \xe9\n").unwrap();
    fs::write(stage.root().join("docs/huge.md"), "okapi ".repeat(800_000)).unwrap();
    assert!(Command::new("mkfifo").arg(stage.root().join("docs/pipe.md")).status().unwrap().success());
    assert_eq!(places(&stage, &["search", "okapi"]), Vec::<String>::new());
    assert_eq!(
        places(&stage, &["search", "ten seconds"]).first().map(String::as_str),
        Some("docs/guide.md:3")
    );
    let status = stage.ok(&["search", "status"]);
    let left_out: String =
        status.lines().filter(|line| line.contains("left out")).map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(left_out, @"
    left out: docs/again.md: a link, which is not followed
    left out: docs/huge.md: larger than 4 MB
    left out: docs/latin.md: stream did not contain valid UTF-8
    left out: docs/out: a link, which is not followed
    left out: docs/out.md: a link, which is not followed
    left out: docs/pipe.md: not a file
    ");
    stage.write(
        ".engine/config.toml",
        "[search]\ndocs = [\"docs/**/*.md\", \"*.txt\"]\nskip = [\"decisions\"]\n",
    );
    stage.write("a.txt", "zebra\n");
    assert_eq!(places(&stage, &["doc-search", "query", "zebra"]), ["a.txt:1", "docs/guide.md:3"]);
}

#[test]
fn secrets_are_neither_found_nor_kept() {
    let stage = project();
    let token = ["ghp", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"].join("_");
    let key = format!(
        "-----BEGIN {0}-----\nTWFuYXRlZSBzZWNyZXQ\nc2Vjb25kIGxpbmU\n-----END {0}-----",
        "RSA PRIVATE KEY"
    );
    stage.write(
        "docs/keys.md",
        &format!("# Keys\n\nThe token is {token} for the quokka.\n\n{key}\n\n## Behind\n\nA numbat.\n"),
    );
    stage.write(
        "sessions/2026_02_07_AUTH/X_LOG.md",
        &format!("## [2026-02-07 10:00:00] A quokka\nDB_PASSWORD={token}\n"),
    );
    assert_eq!(places(&stage, &["search", "quokka"]).len(), 2);
    // Lines below a key are where they were.
    assert_eq!(places(&stage, &["search", "numbat"]), ["docs/keys.md:10"]);
    for words in [token.as_str(), "TWFuYXRlZSBzZWNyZXQ", "c2Vjb25kIGxpbmU"] {
        assert_eq!(places(&stage, &["search", words]), Vec::<String>::new(), "{words}");
        for entry in fs::read_dir(stage.root().join(".engine/state/search")).unwrap().flatten() {
            let bytes = fs::read(entry.path()).unwrap();
            let has = |part: &str| {
                bytes.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
            };
            assert!(!has(words), "{words} in {}", entry.path().display());
        }
    }
}

#[test]
fn notes_that_were_replaced_and_open_plans_are_not_found() {
    let stage = project();
    stage.write(".engine/memory/old-food.md", "---\nkind: fact\n---\n\nA zebra eats hay.\n");
    let notes = |stage: &Stage| places(stage, &["search", "zebra", "--in", "notes"]);
    assert_eq!(notes(&stage).len(), 2);
    // What is no note is not told anywhere, but reported.
    stage.write(".engine/memory/no-food.md", "---\nkind: banana\n---\n\nA zebra eats bananas.\n");
    assert_eq!(notes(&stage).len(), 2);
    assert!(stage.ok(&["search", "status"]).contains("left out: .engine/memory/no-food.md: "));
    stage.write(
        ".engine/memory/zebra-food.md",
        "---\nkind: pitfall\nsupersedes: [old-food]\n---\n\nA zebra eats no hay.\n",
    );
    assert_eq!(notes(&stage), [".engine/memory/zebra-food.md:6"]);
    // The person's own are found in every project.
    let own = stage.home().join(".config/engine/memory");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("mine.md"), "---\nkind: preference\n---\nMy zebra is blue.\n").unwrap();
    assert_eq!(
        notes(&stage),
        [".engine/memory/zebra-food.md:6".to_owned(), format!("{}:4", own.join("mine.md").display())]
    );
}

#[test]
fn branches_are_searched_without_checking_them_out() {
    let stage = project();
    let commit = |message: &str| {
        stage.git(&["add", "-A"]);
        stage.git(&["commit", "-q", "-m", message]);
    };
    stage.git(&["init", "-q", "-b", "main"]);
    commit("one");
    stage.git(&["checkout", "-q", "-b", "feat/x"]);
    stage.write("docs/guide.md", "# Guide\n\nAn ibex on a branch.\n");
    stage.write("docs/only.md", "# Only\n\nAn ibex here alone.\n");
    commit("two");
    assert_eq!(places(&stage, &["search", "ibex"]), ["docs/guide.md:1", "docs/only.md:1"]);
    stage.git(&["branch", "feat/y"]);
    stage.git(&["checkout", "-q", "main"]);
    assert_eq!(places(&stage, &["search", "ibex"]), Vec::<String>::new(), "the files as they are");
    let query = |args: &[&str]| shown(&stage.ok(&[&["doc-search", "query"], args].concat()));
    insta::assert_snapshot!(query(&["ibex", "--branch", "feat/x"]), @"
    docs/only.md:1 [feat/x]  Only
      An ibex here alone.
    docs/guide.md:1 [feat/x]  Guide
      An ibex on a branch.
    ");
    insta::assert_snapshot!(query(&["ibex", "--all-branches"]), @"
    docs/only.md:1 [feat/x, feat/y]  Only
      An ibex here alone.
    docs/guide.md:1 [feat/x, feat/y]  Guide
      An ibex on a branch.
    ");
    insta::assert_snapshot!(query(&["ten seconds", "--all-branches"]), @"
    docs/guide.md:3  Guide > Locks  [AGE]
      A lock waits for ten seconds. ```sh # zebra in code ```
    ");
    let hits = stage
        .engine(&["doc-search", "query", "ibex alone", "--all-branches", "--limit", "1", "--json"])
        .json();
    assert_eq!(
        (&hits["hits"][0]["branch"], hits["hits"][0]["branches"].to_string()),
        (&"feat/x".into(), r#"["feat/x","feat/y"]"#.to_owned())
    );
    assert_eq!(places(&stage, &["doc-search", "query", "ibex", "--branch", "main"]), Vec::<String>::new());
    stage.git(&["branch", "-q", "-D", "feat/x", "feat/y"]);
    let others =
        |stage: &Stage| stage.engine(&["doc-search", "status", "--json"]).json()["others"].as_u64().unwrap();
    let before = others(&stage);
    index(&stage);
    assert!(others(&stage) < before, "what branches left that are gone is removed");
}

#[test]
fn a_linked_worktree_has_its_own_files_in_the_shared_index() {
    let stage = project();
    stage.git(&["init", "-q", "-b", "main"]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-q", "-m", "one"]);
    stage.git(&["worktree", "add", "-q", "../tree"]);
    stage.git(&["worktree", "add", "-q", "inner"]);
    let tree = stage.root().parent().unwrap().join("tree");
    fs::write(tree.join("docs/guide.md"), "# Guide\n\nA dodo.\n").unwrap();
    let in_tree = |words: &str| {
        let output = stage.command_in(&tree, &["search", words, "--json"]).spawn().map(output_of).unwrap();
        let hits = output.json()["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(in_tree("dodo"), ["docs/guide.md"]);
    assert_eq!(in_tree("ten seconds"), Vec::<String>::new());
    assert_eq!(places(&stage, &["search", "dodo"]), Vec::<String>::new());
    assert_eq!(places(&stage, &["search", "ten seconds"]), ["docs/guide.md:3"]);
    assert!(!tree.join(".engine/state/search").exists());
    // The queue is shared, and named as it can be opened from there.
    assert_eq!(
        in_tree("crossing").first(),
        Some(&stage.root().join(".engine/queue/20260208-110000-zebra-crossing.md").display().to_string())
    );
}

#[test]
fn where_nothing_can_be_written_an_answer_comes_all_the_same() {
    let stage = project();
    fs::create_dir_all(stage.root().join("../away")).unwrap();
    symlink(stage.root().join("../away"), stage.root().join(".engine/state")).unwrap();
    let output = stage.engine(&["search", "cage"]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    insta::assert_snapshot!(shown(&output.stdout), @"
    sessions/2026_02_07_AUTH_ÜBER_漢字/IMPLEMENT_LOG.md:7  block: The cage is locked  [AGE]
      Asked for the key.
    ");
    insta::assert_snapshot!(stage.masked(&output.stderr), @"note: the index is not kept: [TOP]/project/.engine/state/search: [TOP]/project/.engine/state is a link that leads out of the project; put a folder in its place");
    assert_eq!(fs::read_dir(stage.root().join("../away")).unwrap().count(), 0);
    let refused = stage.engine(&["search", "index"]);
    assert_eq!(refused.code, Some(1));
}

#[test]
fn a_project_that_nobody_trusts_is_searched() {
    let stage = Stage::bare();
    stage.write_from_elsewhere(".engine/config.toml", "[search]\nskip = [\"docs\"]\n");
    stage.write_from_elsewhere("docs/a.md", "A zebra.\n");
    assert_eq!(
        places(&stage, &["search", "zebra"]),
        ["docs/a.md:1"],
        "what the files configure does not count"
    );
}

#[test]
fn a_terminal_gets_links_and_marks() {
    let mut stage = project();
    stage.ok(&["config", "set", "links.protocol", "vscode"]);
    // As a terminal has it.
    stage.set("CLICOLOR_FORCE", "1");
    let shown = stage.masked(&shown(&stage.ok(&["search", "hay"])));
    insta::assert_snapshot!(shown.replace('\u{1b}', "^"), @r"
    ^]8;;vscode://file[TOP]/project/.engine/memory/zebra-food.md:6^\.engine/memory/zebra-food.md:6^]8;;^\  pitfall: zebra-food  ^[2m284 days ago^[0m
      A zebra eats no ^[1mhay^[0m.
    ");
}
