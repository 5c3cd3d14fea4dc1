//! What is told of earlier work where work begins and rests, and what `engine recall` knows.

use serde_json::json;

use crate::session_ends::allowed;
use crate::session_small::ready;
use crate::sessions::{WORK, session, told};
use crate::stage::Stage;

/// A project with pages, a note, a learning and two earlier work sessions.
fn project() -> Stage {
    let stage = ready();
    for (path, text) in [
        (
            "docs/locks.md",
            "# Locks\n\n## Waits\n\nA command waits for a lock of a state file, ten seconds at most.\n",
        ),
        (
            "docs/decisions/007-locks.md",
            "# 007 State files have locks of their own\n\n## Decision\n\nOne lock for each state file.\n",
        ),
        ("docs/colours.md", "# Colours\n\nThe list is blue.\n"),
        (
            ".engine/memory/lock-order.md",
            "---\nkind: pitfall\ncreated: 2026-02-01T10:00:00.000Z\n---\n\nTwo state files are locked in the order of their names, else two commands wait for each other.\n",
        ),
        (
            "learnings.md",
            "# Learnings\n\n## Wait for a lock with a limit\n- Anti-pattern: wait for a state file for ever\n- Correct pattern: give up after ten seconds\n- Reason: a hung command\n",
        ),
        (
            "sessions/2026_01_02_STATE/IMPLEMENT_LOG.md",
            "# Log\n\n## [2026-01-02 10:00:00] ⚖️ Locks of state files are bounded\nTen seconds.\n",
        ),
        (
            "sessions/2026_01_02_STATE/state.json",
            r#"{"version":1,"lifecycle":"completed","runs":[{"skill":"implement","startedAt":"2026-01-02T09:00:00.000Z"}],"description":"A lock for each state file","keywords":["lock"]}"#,
        ),
        ("sessions/2026_01_05_LIST/IMPLEMENT.md", "# Debrief\n\nThe list has colours.\n"),
    ] {
        stage.write(path, text);
    }
    stage
}

const GOAL: &str = "a lock of a state file has a shorter limit";

#[test]
fn work_that_begins_is_told_of_earlier_work_on_the_same() {
    let stage = project();
    insta::assert_snapshot!(told(&session(&stage, &["activate", WORK, "implement", "--small", GOAL])), @"
    exit 0
    sessions/2026_02_07_AUTH: implement started, phase 3: Build (1 of 3)
    goal: a lock of a state file has a shorter limit
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    earlier: sessions/2026_01_02_STATE  decision: Locks of state files are bounded
    see also: docs/decisions/007-locks.md:3  007 State files have locks of their own > Decision
    see also: docs/locks.md:3  Locks > Waits
    more: engine search WORDS
    then: engine session finish sessions/2026_02_07_AUTH
    ");
    // Once: who goes on knows it.
    let again = told(&session(&stage, &["activate", WORK, "implement", "--small", GOAL]));
    assert!(!again.contains("earlier:"), "{again}");
}

#[test]
fn what_has_nothing_to_do_with_it_is_not_told() {
    let stage = project();
    let goal = "the greeting says Hello in French";
    let begun = told(&session(&stage, &["activate", WORK, "implement", "--small", goal]));
    assert!(
        !begun.contains("earlier:") && !begun.contains("see also:") && !begun.contains("more:"),
        "{begun}"
    );
    let begun = session(&project(), &["activate", WORK, "implement", "--small", goal, "--json"]);
    assert_eq!(begun.json()["related"], json!({"sessions": [], "docs": []}));
}

#[test]
fn a_program_gets_it_as_data() {
    let stage = project();
    let begun = session(&stage, &["activate", WORK, "implement", "--small", GOAL, "--json"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&begun.json()["related"]).unwrap(), @r#"
    {
      "docs": [
        {
          "line": 3,
          "path": "docs/decisions/007-locks.md",
          "title": "007 State files have locks of their own > Decision"
        },
        {
          "line": 3,
          "path": "docs/locks.md",
          "title": "Locks > Waits"
        }
      ],
      "sessions": [
        {
          "path": "sessions/2026_01_02_STATE",
          "title": "decision: Locks of state files are bounded"
        }
      ]
    }
    "#);
}

#[test]
fn a_plan_is_told_of_it_before_it_is_locked() {
    let stage = project();
    let plan = format!(
        "task_type: debug\nworkflow: verify-first\nskills_to_invoke: []\nguardrails: {{plan_mode: false, verify_before_complete: false, answer_only: false, require_acceptance_test: false, quote_errors_exactly: false, fix_within_design: false, require_skill: null}}\nenriched_context: x\ntodo_items:\n  - Do it\nacceptance_criteria:\n  - {{text: it is there, file: greet.py}}\nwarnings: []\noriginal_fragment: {GOAL}\n"
    );
    stage.write("plan.yaml", &plan);
    insta::assert_snapshot!(told(&stage.engine(&["plan", "new", "--from", "plan.yaml"])), @"
    exit 0
    plan a-lock-of-a-state: 1 step, 1 criterion; plans/a-lock-of-a-state/PLAN.md
    earlier: sessions/2026_01_02_STATE  decision: Locks of state files are bounded
    see also: docs/decisions/007-locks.md:3  007 State files have locks of their own > Decision
    see also: docs/locks.md:3  Locks > Waits
    more: engine search WORDS
    then: engine plan lock
    ");
}

#[test]
fn work_that_rests_is_told_of_earlier_work() {
    let stage = project();
    stage.ok(&["session", "activate", WORK, "implement", "--small", "the greeting says Hello"]);
    let words = "the lock of each state file is shorter";
    let rested = allowed(&stage, &["idle", WORK, "--description", words, "--user-approved", "enough"]);
    insta::assert_snapshot!(rested, @"
    exit 0
    sessions/2026_02_07_AUTH rests in 3: Build
    earlier: sessions/2026_01_02_STATE  A lock for each state file
    more: engine search WORDS
    ");
}

#[test]
fn what_is_known_is_recalled_in_few_bytes() {
    let stage = project();
    let known = ["recall", "how long may a command wait for the lock of a state file"];
    insta::assert_snapshot!(without_ages(&told(&stage.engine(&known))), @"
    exit 0
    learnings.md:3 – Wait for a lock with a limit: - Anti-pattern: wait for a state file for ever - Correct pattern: give up after ten seconds - Reason: a hung command
    .engine/memory/lock-order.md:6 – Two state files are locked in the order of their names, else two commands wait for each other., [AGE]
    docs/decisions/007-locks.md:3 – 007 State files have locks of their own > Decision: One lock for each state file.
    sessions/2026_01_02_STATE/IMPLEMENT_LOG.md:3 – Locks of state files are bounded: Ten seconds., [AGE]
    ");
    let reads = stage.read(".engine/state/notes-reads.json");
    assert!(reads.contains(r#""lock-order":{"told":0,"shown":1"#), "{reads}");
    insta::assert_snapshot!(told(&stage.engine(&["recall", "make", "coffee", "with", "milk"])), @"
    exit 3
    engine: nothing is known about this; engine search looks through everything
    ");
    insta::assert_snapshot!(told(&stage.engine(&["recall", "make coffee with milk", "--json"])), @r#"
    exit 3
    {"facts":[],"version":1}
    "#);
    let facts = stage.engine(&["recall", "lock", "state", "file", "--limit", "2", "--json"]);
    let facts = facts.json()["facts"].as_array().unwrap().clone();
    let kinds: Vec<&str> = facts.iter().map(|fact| fact["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.len(), 2, "{kinds:?}");
}

fn without_ages(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(", ") {
        Some((head, age)) if age.ends_with(" days old") => format!("{head}, [AGE]\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn facts_stay_within_their_size() {
    let stage = project();
    for number in 0..30 {
        let text =
            format!("# {number} A lock of a state file\n\n{}\n", "A lock of a state file waits. ".repeat(30));
        stage.write(&format!("docs/decisions/{number:03}-a-rather-long-name-of-a-decision.md"), &text);
    }
    let facts = stage.ok(&["recall", "the lock of a state file", "--limit", "20"]);
    assert!(facts.len() <= 1200, "{}", facts.len());
    assert!(facts.lines().count() >= 3, "{facts}");
}

/// A large project does not wait for its first index where somebody begins work.
#[test]
fn a_large_first_index_is_not_made_on_the_side() {
    let large = || {
        let stage = project();
        for number in 0..310 {
            stage.write(&format!("docs/many/{number}.md"), "# A lock of a state file\n\nIt waits.\n");
        }
        stage
    };
    let activated = |stage: &Stage| told(&session(stage, &["activate", WORK, "implement", "--small", GOAL]));
    let stage = large();
    let begun = activated(&stage);
    assert!(!begun.contains("see also:"), "{begun}");
    let stage = large();
    stage.ok(&["search", "index"]);
    let begun = activated(&stage);
    assert!(begun.contains("see also:"), "{begun}");
}
