//! Nothing that stands in a runbook makes reading it panic, and what is read can be rendered.

use proptest::prelude::*;

use super::whole::{DESIGN, MIXED};
use super::*;

fn survives(text: &str) -> Reading {
    let reading = reading(&[("runbook.md", text), ("design.md", DESIGN), ("recall-artifact.md", text)]);
    let lines = text.lines().count().max(1);
    let of_runbook = reading.problems.iter().filter(|problem| problem.path == "plans/foo/runbook.md");
    of_runbook.for_each(|problem| assert!((1..=lines).contains(&problem.line), "{problem} of {lines} lines"));
    assert!(reading.problems.is_sorted_by_key(|problem| (&problem.path, problem.line)));
    rendered(&reading.runbook);
    reading
}

#[test]
fn a_runbook_may_end_anywhere() {
    for end in (0..=MIXED.len()).filter(|end| MIXED.is_char_boundary(*end)) {
        survives(&MIXED[..end]);
    }
}

#[test]
fn any_line_may_be_missing_or_there_twice() {
    let lines: Vec<&str> = MIXED.split_inclusive('\n').collect();
    for index in 0..lines.len() {
        let (before, behind) = (lines[..index].concat(), lines[index + 1..].concat());
        survives(&format!("{before}{behind}"));
        survives(&format!("{before}{0}{0}{behind}", lines[index]));
    }
}

#[test]
fn line_ends_and_the_byte_order_mark_make_no_difference() {
    let plain = one(MIXED);
    for text in [
        MIXED.replace('\n', "\r\n"),
        format!("\u{feff}{MIXED}"),
        format!("\u{feff}{}", MIXED.replace('\n', "\r\n")),
    ] {
        let other = one(&text);
        assert_eq!(other.problems, plain.problems);
        let runbook = Runbook { fingerprint: plain.runbook.fingerprint.clone(), ..other.runbook };
        assert_eq!(runbook, plain.runbook);
    }
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    let runbook = survives(MIXED).runbook;
    assert_eq!(files(&runbook, &baselines()), files(&survives(MIXED).runbook, &baselines()));
}

/// As many steps as a runbook may have, and more.
#[test]
fn a_long_runbook_is_read() {
    let steps = |count: u32| {
        let step = |number: u32| {
            format!("## Step 1.{number}: s\nFiles: src/{number}.rs (new)\nNeeds: none\n\nDo it.\n\n")
        };
        format!(
            "---\nmodel: haiku\ncheck: c\n---\n### Stop conditions\nNever.\n{}",
            (1..=count).map(step).collect::<String>()
        )
    };
    survives(&steps(200));
    let reading = one(&steps(200));
    assert_eq!(reading.problems, []);
    assert_eq!(reading.runbook.steps.len(), 201);
    assert_eq!(reading.runbook.steps[200].needs.len(), 200);
    let reading = one(&steps(202));
    assert_eq!(shown(&reading), "runbook.md:1207: 202 steps: a runbook has at most 200; divide it");
}

const PIECES: &[&str] = &[
    "---\n",
    "# Phase 1: a {type: tdd}\n",
    "# Phase 2 (type: inline)\n",
    "## Step 1.1: a\n",
    "### Cycle 1.2: b [REGRESSION]\n",
    "## Cycle 0.1: c\n",
    "## Step 3\n",
    "Needs: 1.1, 1.2\n",
    "Needs: none\n",
    "Files: src/a.rs,\n",
    "Files:\n",
    "- `b` (new)\n",
    "Check: `c`\n",
    "Execution Model: opus\n",
    "Max Turns: 3\n",
    "### RED\n",
    "### GREEN\n",
    "### Bootstrap\n",
    "# Common context\n",
    "## Orchestrator Instructions\n",
    "```\n",
    "~~~~\n",
    "<!--\n",
    "-->\n",
    "…\n",
    "\n",
    "é R1 `plans/x.md`\n",
    "\u{feff}",
    "(phase 7)",
];

proptest! {
    #[test]
    fn any_order_of_lines_is_read(picked in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        survives(&picked.concat());
    }

    #[test]
    fn any_text_is_read(text in "(?s).{0,200}") {
        survives(&text);
    }
}
