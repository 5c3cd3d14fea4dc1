//! Four small corpora of three projects, and a program that answers in engine's words.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::*;
use serde_json::json;

/// Blocks `block …`, asks about `ask …`, warns of `warn …`.
const FAKE: &str = r#"#!/bin/sh
[ "$1" = init ] && exit 0
[ -f README.md ] && [ -z "$(git status --porcelain)" ] || exit 9
shift 4
verdict=${1%% *}
case $verdict in
    block) code=1 ;;
    ask) code=4 ;;
    warn) code=0 ;;
    broken) echo 'no such policy' >&2; exit 2 ;;
    *) echo '{"version":1,"verdict":"none","matches":[]}'; exit 0 ;;
esac
echo "{\"version\":1,\"verdict\":\"$verdict\",\"matches\":[{\"rule\":\"its.$verdict\",\"verdict\":\"$verdict\"}]}"
exit $code
"#;

fn corpora(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn judged(folder: &Path) -> Result<Report> {
    let bin = tempfile::tempdir().unwrap();
    let fake = bin.path().join("engine");
    fs::write(&fake, FAKE).unwrap();
    fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).unwrap();
    let project = CorpusProject::anywhere(&fake, bin.path())?;
    Ok(Report::new(project.judge(row::read(folder)?)?))
}

const ONE: &str = r#"{"label": "block", "command": "block a", "source": "one.rs"}
{"label": "block", "command": "silent a", "source": "one.rs"}
{"label": "block", "command": "-n silent", "source": "one.rs"}
{"label": "ask", "command": "ask a", "source": "one.rs"}
{"label": "warn", "command": "silent b", "source": "one.rs"}
{"label": "allow", "command": "ask b", "source": "one.rs"}
{"label": "allow", "command": "warn a", "source": "one.rs"}
{"label": "allow", "command": "silent c", "source": "one.rs"}
"#;

/// Of the same project: nobody agrees with it, and it contradicts itself.
const ONE_MORE: &str = r#"{"label": "block", "command": "block a"}
{"label": "block", "command": "silent a"}
{"label": "block", "command": "silent c"}
"#;

const THREE: &str = r#"{"label": "allow", "command": "silent c"}
{"label": "allow", "command": "silent a"}
"#;

const TWO: &str = r#"{"label": "block", "command": "block a "}

{"label": "block", "command": "ask a"}
{"label": "block", "command": "-n silent"}
{"label": "allow", "command": "ask b"}
{"label": "allow", "command": "silent c"}
{"label": "block", "command": "warn a"}
"#;

#[test]
fn answers_are_counted_by_corpus_and_label() {
    let folder = corpora(&[
        ("one.jsonl", ONE),
        ("one-more.jsonl", ONE_MORE),
        ("two.jsonl", TWO),
        ("three.jsonl", THREE),
        ("x.md", "no"),
    ]);
    let report = judged(folder.path()).unwrap();
    let expected = "\
| corpus | label | rows | block | ask | warn | silent |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
| one | block | 3 | 1 (33.3 %) | 0 (0.0 %) | 0 (0.0 %) | 2 (66.7 %) |
| one | ask | 1 | 0 (0.0 %) | 1 (100.0 %) | 0 (0.0 %) | 0 (0.0 %) |
| one | warn | 1 | 0 (0.0 %) | 0 (0.0 %) | 0 (0.0 %) | 1 (100.0 %) |
| one | allow | 3 | 0 (0.0 %) | 1 (33.3 %) | 1 (33.3 %) | 1 (33.3 %) |
| one-more | block | 3 | 1 (33.3 %) | 0 (0.0 %) | 0 (0.0 %) | 2 (66.7 %) |
| three | allow | 2 | 0 (0.0 %) | 0 (0.0 %) | 0 (0.0 %) | 2 (100.0 %) |
| two | block | 4 | 1 (25.0 %) | 1 (25.0 %) | 1 (25.0 %) | 1 (25.0 %) |
| two | allow | 2 | 0 (0.0 %) | 1 (50.0 %) | 0 (0.0 %) | 1 (50.0 %) |

| two or more projects agree to | commands | engine |
| --- | ---: | ---: |
| block | 3 | 2 (66.7 %) caught |
| allow | 2 | 1 (50.0 %) bothered |

9 of 19 rows are decided otherwise than their label.
";
    assert_eq!(report.tables(), expected);
    let json = report.json();
    assert_eq!(json["agreed"], json!({"block": 3, "caught": 2, "allow": 2, "bothered": 1}));
    assert_eq!(
        json["corpora"][0],
        json!({"corpus": "one", "label": "block", "block": 1, "ask": 0, "warn": 0, "silent": 2})
    );
    let misses = report.misses();
    let bothered = json!({"corpus": "one", "label": "allow", "engine": "ask", "rules": ["its.ask"], "command": "ask b", "source": "one.rs"});
    assert_eq!(misses.lines().count(), 9);
    assert!(misses.contains(&format!("{bothered}\n")), "{misses}");
}

#[test]
fn each_bad_row_is_named_by_file_and_line() {
    let text = "{\"label\": \"block\", \"command\": \"a\"}\n{\"label\": \"deny\", \"command\": \"a\"}\n{\"label\": \"block\"}\n\
                {\"command\": \"a\"}\n{\n{\"label\": \"block\", \"command\": 1}\n{\"label\": \"block\", \"command\": \"a\\u0000\"}\n";
    let folder = corpora(&[("one.jsonl", text)]);
    let error = format!("{:#}", row::read(folder.path()).unwrap_err());
    let place = folder.path().join("one.jsonl");
    let expected = [
        "2: the label \"deny\" is none of block, ask, warn, allow",
        "3: there is no command",
        "4: there is no label",
        "5: not JSON: EOF while parsing an object at line 1 column 1",
        "6: there is no command",
        "7: there is a NUL in the command",
    ];
    let expected: Vec<String> = expected.iter().map(|line| format!("{}:{line}", place.display())).collect();
    assert_eq!(error, expected.join("\n"));
}

#[test]
fn what_cannot_be_measured_is_reported() {
    let folder = corpora(&[("one.jsonl", "{\"label\": \"block\", \"command\": \"broken x\"}\n")]);
    let error = format!("{:#}", judged(folder.path()).err().unwrap());
    assert!(
        error.starts_with("one: \"broken x\": engine gave no answer, exit status: 2: no such policy"),
        "{error}"
    );
    let empty = corpora(&[]);
    let error = row::read(empty.path()).unwrap_err().to_string();
    assert_eq!(error, format!("there is no *.jsonl in {}", empty.path().display()));
    let below = corpora(&[]);
    if below.path().starts_with("/tmp") {
        let error = CorpusProject::new(Path::new("engine"), below.path()).err().unwrap().to_string();
        assert!(error.ends_with("is below /tmp: set CARGO_TARGET_DIR to another folder"), "{error}");
    }
}
