//! A whole runbook: every kind of phase, of field and of notation.

use super::*;

pub(super) const MIXED: &str = "---
name: foo
model: haiku
check: cargo test
---
# Runbook: foo

Read the design first.

# Common context

The parser is in src.

### Stop conditions

- A name is missing.

# Phase 1: Parser {type: tdd, model: sonnet}

Prepare the ground.

## Cycle 1.1: reads an empty file
Execution Model: Opus
Files: src/a.rs, tests/a.rs (new)
Check: `cargo test empty_file`, and one test runs
Max Turns: 30

For R1.

### RED

A test with an empty file.

```
## Step 1.9: in a fence
```

### GREEN

Return nothing.

### REFACTOR

Names.

## Cycle 1.2: keeps its order [REGRESSION]

- **Files**: `tests/a.rs`
- **Max Turns:** 12

### RED

A test of two lines.

### GREEN

Nothing.

## Cycle 1.3: reads a line

**Execution Model**: `haiku`
Check: `cargo test line`

### Bootstrap

An empty function.

### RED

It fails.

### GREEN

It passes.

# Phase 2: Docs (type: general)

## Step 2.1: the page
Files: README.md
Needs: none
Requirements: R2

Describe it.

## Step 2.2: the \"index\": a | b # c
Needs: none
Files:
- docs/index.md (new)
- `docs/list.md` (new)

List it.

## Step 2.3: both
Needs: 2.1, 2.2

Compare.

# Phase 3: By hand | later {type: inline}

Publish it (R3).
";

pub(super) const DESIGN: &str =
    "# Design\n\n## Requirements\n\n- R1: an empty file\n- **R2**: a page\n- `R3`: published\n";

#[test]
fn a_mixed_runbook_is_resolved() {
    let reading = reading(&[("runbook.md", MIXED), ("design.md", DESIGN)]);
    assert_eq!(shown(&reading), "");
    insta::assert_snapshot!(steps(&reading.runbook), @r#"
    1.1 Cycle "reads an empty file" phase 1 opus | files src/a.rs, tests/a.rs (new) | turns 30 | proof `cargo test empty_file` passes | for R1 | as cycle-1-1
    1.2 Cycle "keeps its order" phase 1 sonnet | needs 1.1 | files tests/a.rs | turns 12 | proof `cargo test` passes | as cycle-1-2 | is regression
    1.3-bootstrap Work "reads a line" phase 1 haiku | needs 1.2 | proof `cargo test` passes | as step-1-3-bootstrap
    1.3-test Cycle "reads a line" phase 1 haiku | needs 1.3-bootstrap | proof `cargo test line` fails once | as step-1-3-test
    1.3-impl Cycle "reads a line" phase 1 haiku | needs 1.3-test | proof `cargo test line` passes | as step-1-3-impl
    1-vet Review "Review of phase 1: Parser" phase 1 sonnet | needs 1.3-impl | as phase-1
    2.1 Work "the page" phase 2 haiku | needs 1-vet | files README.md | proof `cargo test` passes | for R2 | as step-2-1
    2.2 Work "the \"index\": a | b # c" phase 2 haiku | needs 1-vet | files docs/index.md (new), docs/list.md (new) | proof `cargo test` passes | as step-2-2
    2.3 Work "both" phase 2 haiku | needs 2.1+2.2 | proof `cargo test` passes | as step-2-3
    2-vet Review "Review of phase 2: Docs" phase 2 sonnet | needs 2.3 | as phase-2
    3.1 Inline "By hand | later" phase 3 haiku | needs 2-vet | proof `cargo test` passes | for R3 | as inline-3-1
    "#);
}

#[test]
fn a_mixed_runbook_is_rendered() {
    let reading = reading(&[("runbook.md", MIXED), ("design.md", DESIGN)]);
    insta::assert_snapshot!(rendered(&reading.runbook), @r#"
    ==> plans/foo/steps/cycle-1-1.md
    ---
    Execution Model: opus
    Title: reads an empty file
    Phase: 1
    Agent: foo-bc5071-tdd
    Files: src/a.rs, tests/a.rs (new)
    Requirements: R1
    Check: cargo test empty_file
    Max Turns: 30
    Report: plans/foo/reports/cycle-1-1.md
    Source: runbook.md@a68f715fb333
    ---
    # Cycle 1.1: reads an empty file

    ## Phase Context

    Prepare the ground.

    ## This cycle

    Check: `cargo test empty_file`, and one test runs

    For R1.

    ### RED

    A test with an empty file.

    ```
    ## Step 1.9: in a fence
    ```

    ### GREEN

    Return nothing.

    ### REFACTOR

    Names.
    ==> plans/foo/steps/cycle-1-2.md
    ---
    Execution Model: sonnet
    Title: keeps its order
    Phase: 1
    Agent: foo-bc5071-tdd
    Files: tests/a.rs
    Check: cargo test
    Max Turns: 12
    Report: plans/foo/reports/cycle-1-2.md
    Source: runbook.md@355d3dc55cfc
    ---
    # Cycle 1.2: keeps its order [REGRESSION]

    ## Phase Context

    Prepare the ground.

    ## This cycle

    ### RED

    A test of two lines.

    ### GREEN

    Nothing.
    ==> plans/foo/steps/step-1-3-bootstrap.md
    ---
    Execution Model: haiku
    Title: reads a line
    Phase: 1
    Agent: foo-17d34a-task
    Check: cargo test
    Report: plans/foo/reports/step-1-3-bootstrap.md
    Source: runbook.md@8cdc1fd5ea0c
    ---
    # Cycle 1.3-bootstrap: reads a line

    ## Phase Context

    Prepare the ground.

    ## This cycle

    Part 1 of 3 of the cycle: only what its test needs to compile and run. The test and the behaviour are parts 2 and 3.

    ### Bootstrap

    An empty function.
    ==> plans/foo/steps/step-1-3-test.md
    ---
    Execution Model: haiku
    Title: reads a line
    Phase: 1
    Agent: foo-bc5071-tdd
    Check: cargo test line
    Report: plans/foo/reports/step-1-3-test.md
    Source: runbook.md@3dad1bbfe3a9
    ---
    # Cycle 1.3-test: reads a line

    ## Phase Context

    Prepare the ground.

    ## This cycle

    Part 2 of 3 of the cycle: only RED. Here the check has to fail, as the text says; the code that lets it pass is part 3.

    ### RED

    It fails.
    ==> plans/foo/steps/step-1-3-impl.md
    ---
    Execution Model: haiku
    Title: reads a line
    Phase: 1
    Agent: foo-bc5071-tdd
    Check: cargo test line
    Report: plans/foo/reports/step-1-3-impl.md
    Source: runbook.md@ce5d4afa677b
    ---
    # Cycle 1.3-impl: reads a line

    ## Phase Context

    Prepare the ground.

    ## This cycle

    Part 3 of 3 of the cycle: GREEN, then REFACTOR. The test is there and fails; it stays as it is.

    ### GREEN

    It passes.
    ==> plans/foo/steps/step-2-1.md
    ---
    Execution Model: haiku
    Title: the page
    Phase: 2
    Agent: foo-17d34a-task
    Files: README.md
    Requirements: R2
    Check: cargo test
    Report: plans/foo/reports/step-2-1.md
    Source: runbook.md@dd07d69b5d48
    ---
    # Step 2.1: the page

    Describe it.
    ==> plans/foo/steps/step-2-2.md
    ---
    Execution Model: haiku
    Title: "the \"index\": a | b # c"
    Phase: 2
    Agent: foo-17d34a-task
    Files: docs/index.md (new), docs/list.md (new)
    Check: cargo test
    Report: plans/foo/reports/step-2-2.md
    Source: runbook.md@5ca41f16fee8
    ---
    # Step 2.2: the "index": a | b # c

    List it.
    ==> plans/foo/steps/step-2-3.md
    ---
    Execution Model: haiku
    Title: both
    Phase: 2
    Agent: foo-17d34a-task
    Check: cargo test
    Report: plans/foo/reports/step-2-3.md
    Source: runbook.md@4b633d39f666
    ---
    # Step 2.3: both

    Compare.
    ==> plans/foo/orchestrator-plan.md
    # Orchestrator plan: foo
    Type: mixed
    Agents: foo-17d34a-task, foo-bc5071-tdd
    Run: engine runbook next
    Source: runbook.md@f89635bbbb0d

    - cycle-1-1.md | phase 1 | opus | 30
    - cycle-1-2.md | phase 1 | sonnet | 12
    - step-1-3-bootstrap.md | phase 1 | haiku | –
    - step-1-3-test.md | phase 1 | haiku | –
    - step-1-3-impl.md | phase 1 | haiku | –
    - PHASE_BOUNDARY 1 | vet-agent | reports/phase-1.md
    - step-2-1.md | phase 2 | haiku | –
    - step-2-2.md | phase 2 | haiku | –
    - step-2-3.md | phase 2 | haiku | –
    - PHASE_BOUNDARY 2 | vet-agent | reports/phase-2.md
    - INLINE | phase 3 | – | By hand \| later
    ==> agents/foo-17d34a-task.md
    ---
    name: foo-17d34a-task
    description: Carries out a step of plans/foo.
    tools: Look, Change
    ---

    Carry it out.

    ## Common context

    Read the design first.

    The parser is in src.

    ### Stop conditions

    - A name is missing.

    ## Scope

    The step file that the prompt names is all there is to do: no other step and, where it has a `Files:` line, no other file.
    Its `Check:` line is the check that shows the step done. No commits.
    The report goes to the path in its `Report:` line. The answer is one line: `done: <path of the report>`, or
    `error: <what, where>; <path of the report>`.
    ==> agents/foo-bc5071-tdd.md
    ---
    name: foo-bc5071-tdd
    description: Carries out a cycle of plans/foo.
    tools: Look, Change, Run
    ---

    Test first.

    ## Common context

    Read the design first.

    The parser is in src.

    ### Stop conditions

    - A name is missing.

    ## Scope

    The step file that the prompt names is all there is to do: no other step and, where it has a `Files:` line, no other file.
    Its `Check:` line is the check that shows the step done. No commits.
    The report goes to the path in its `Report:` line. The answer is one line: `done: <path of the report>`, or
    `error: <what, where>; <path of the report>`.
    "#);
}
