use super::*;
use crate::directives::tests::package;
use crate::stage::{AGENT, Stage, agent, refusal};

const WORK: &str = "sessions/2026_02_07_AUTH";

fn reviewed(stage: &Stage) -> Review {
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    review(&context, Some(WORK)).map_err(|error| error.message).unwrap()
}

/// A package, and a work session with logs.
fn with_logs(logs: &[(&str, &str)]) -> Stage {
    let stage = package();
    stage.work(WORK);
    for (name, text) in logs {
        stage.write(&format!("{WORK}/{name}"), text);
    }
    stage
}

fn lines(first: &First<Proposed>) -> Vec<String> {
    first.found.iter().map(Proposed::line).collect()
}

#[test]
fn a_candidate_goes_to_the_first_folder_that_it_names_and_that_counts() {
    let stage = with_logs(&[]);
    stage.write("packages/b/src/deep/lex.rs", "");
    stage.write("packages/b/.directives/AGENTS.md", "# b\n");
    stage.write("node_modules/x/i.js", "");
    let log = "## PTF: one about a folder\nIn `packages/a/`, not `packages/b/`.\n\n\
               ## PTF: two about a file\nIn `packages/b/src/deep/lex.rs`.\n\n\
               ## PTF: three about what is left out\nIn `node_modules/x`, then `packages/a`.\n\n\
               ## INV: four about nothing there\nIn `nosuch/x.rs` and `sessions/2026_02_07_AUTH/A_LOG.md`.\n\n\
               ## INV: five about a file of the root\nIn `packages/a/lib.rs`.\n";
    stage.write(&format!("{WORK}/A_LOG.md"), log);
    let before = stage.files();
    let found = reviewed(&stage);
    assert_eq!(
        lines(&found.pitfalls),
        [
            format!(
                "{WORK}/A_LOG.md:1 for packages/a/.directives/PITFALLS.md: one about a folder: In `packages/a/`, not `packages/b/`."
            ),
            format!(
                "{WORK}/A_LOG.md:4 for packages/b/.directives/PITFALLS.md: two about a file: In `packages/b/src/deep/lex.rs`."
            ),
            format!(
                "{WORK}/A_LOG.md:7 for packages/a/.directives/PITFALLS.md: three about what is left out: In `node_modules/x`, then `packages/a`."
            ),
        ]
    );
    assert_eq!(
        lines(&found.invariants),
        [
            format!(
                "{WORK}/A_LOG.md:10 for .directives/INVARIANTS.md: four about nothing there: In `nosuch/x.rs` and `sessions/2026_02_07_AUTH/A_LOG.md`."
            ),
            format!(
                "{WORK}/A_LOG.md:13 for .directives/INVARIANTS.md: five about a file of the root: In `packages/a/lib.rs`."
            ),
        ]
    );
    assert!(found.mentions.is_empty() && found.unread.is_empty());
    assert_eq!(stage.files(), before, "it proposes, and writes nothing");
}

#[test]
fn twins_are_proposed_once_for_each_file_and_not_what_stands_there() {
    let stage = with_logs(&[]);
    stage.write(".directives/PITFALLS.md", "# P\n\n- the third trap of all\n");
    stage.write(".directives/AGENTS.md", "See PITFALLS.md.\n");
    let trap =
        "## PTF: the first trap of all\n\n## INV: the first trap of all\n\n## PTF: the third trap of all\n";
    stage.write(&format!("{WORK}/B_LOG.md"), trap);
    stage.write(&format!("{WORK}/A_LOG.md"), trap);
    let found = reviewed(&stage);
    assert_eq!(
        lines(&found.pitfalls),
        [format!("{WORK}/A_LOG.md:1 for .directives/PITFALLS.md: the first trap of all")]
    );
    assert_eq!(
        lines(&found.invariants),
        [format!("{WORK}/A_LOG.md:3 for .directives/INVARIANTS.md: the first trap of all")]
    );
}

#[test]
fn what_cannot_be_read_keeps_nothing_else_back() {
    let stage = with_logs(&[("B_LOG.md", "## PTF: a trap in the second log\n")]);
    std::fs::write(stage.root().join(WORK).join("A_LOG.md"), b"## PTF: \xe9\n").unwrap();
    for folder in ["z", "packages/a", "latin"] {
        stage.write(&format!("{folder}/.directives/TESTING.md"), "x");
    }
    std::fs::write(stage.root().join("latin/.directives/AGENTS.md"), b"\xe9").unwrap();
    let found = reviewed(&stage);
    assert_eq!(
        lines(&found.pitfalls),
        [format!("{WORK}/B_LOG.md:1 for .directives/PITFALLS.md: a trap in the second log")]
    );
    let mentions: Vec<String> = found.mentions.found.iter().map(Mention::line).collect();
    assert_eq!(mentions, ["packages/a/.directives/TESTING.md", "z/.directives/TESTING.md"]);
    assert_eq!(
        found.unread,
        [
            "latin/.directives/AGENTS.md: stream did not contain valid UTF-8".to_owned(),
            format!("{WORK}/A_LOG.md was not read: stream did not contain valid UTF-8")
        ]
    );
}

#[test]
fn five_are_shown_and_the_rest_is_counted() {
    for (count, shown, more) in [(0, 0, 0), (4, 4, 0), (5, 5, 0), (6, 5, 1), (12, 5, 7)] {
        let first = First::of((0..count).collect::<Vec<usize>>());
        assert_eq!((first.found, first.more), ((0..shown).collect(), more));
    }
}

#[test]
fn without_a_work_session_there_is_nothing_to_review() {
    let stage = Stage::new();
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    assert_eq!(
        refusal(review(&context, None)),
        "Refused: no work session is bound here, so none is reviewed\n→ engine directives review sessions/YYYY_MM_DD_TOPIC\n→ engine session list shows all"
    );
    assert_eq!(
        refusal(review(&context, Some(WORK))),
        format!(
            "Refused: {WORK}: there is no such work session\n→ engine session activate {WORK} SKILL makes it"
        )
    );
}
