use super::*;

const HEAD: &str =
    "---\nmodel: haiku\ncheck: cargo test\n---\n# Common context\n### Stop conditions\nNever.\n";
const SECTIONS: &str = "### RED\nr\n### GREEN\ng\n";

fn table(cases: &[(&str, String)]) -> String {
    listed(cases.iter().map(|(name, text)| (*name, problems(text))).collect())
}

#[test]
fn what_the_original_refused() {
    let found = table(&[
        ("H01", "---\ncheck: c\n---\n### Stop conditions\nNever.\n## Step 1.1: a\n## Step 1.2: b\nExecution Model: opus\n".to_owned()),
        ("H02", format!("{HEAD}## Step 1.1: a\n## Step 1.2: b\n## Step 1.1: c\n")),
        ("H03", format!("{HEAD}Text.\n")),
        ("H04", format!("{HEAD}## Cycle 1.1: a\n### RED\nr\n")),
        ("H05", format!("---\nmodel: haiku\ncheck: c\n---\n## Cycle 1.1: a\n{SECTIONS}## Cycle 1.2: b\n{SECTIONS}## Cycle 1.3: c\n{SECTIONS}### Error conditions\nNever.\n")),
        ("H06", format!("{HEAD}## Cycle 1.2: a\n{SECTIONS}")),
        ("H07", format!("{HEAD}## Cycle 1.1: a\n{SECTIONS}## Cycle 1.3: b\n{SECTIONS}## Cycle 3.1: c\n{SECTIONS}")),
        ("H08", format!("{HEAD}## Cycle 1.1: a\n{SECTIONS}## Cycle 1.1: b\n{SECTIONS}")),
        ("H09", format!("{HEAD}## Step 1.1: a\n**Execution Model**: gpt\n")),
        ("H10", "---\ntype: weird\nmodel: haiku\ncheck: c\n---\n### Stop conditions\nNever.\n# Phase 1: x {type: odd}\n## Step 1.1: a\n".to_owned()),
        ("H11", format!("{HEAD}# Phase 2: b\n## Step 1.1: a\n# Phase 1: a\n## Step 2.1: b\n")),
        ("H12", format!("{HEAD}### Phase 1: a (type: inline)\nDo it.\n### Phase 2 (type: inline)\nAnd this.\n")),
        ("H20", format!("{HEAD}## Cycle 1.1: a\n### Stored\n### Evergreen\nred green\n")),
        ("H21", format!("{HEAD}## Step 1.1: a\nsee `plans/dep/missing.md` and `plans/dep/design.md`\nCreate `plans/dep/new.md`\n```\n`plans/dep/fenced.md`\n```\nReport: `plans/foo/reports/step-1-1.md`\n")),
    ]);
    insta::assert_snapshot!(found, @r#"
    H01
    6: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)
    H02
    10: step 1.1 is there twice, first in line 8: give this one the next free number
    H03
    1: nothing to run: a step begins with `## Step 1.1: TITLE`, a test-first one with `## Cycle 1.1: TITLE`
    H04
    8: cycle 1.1 has no GREEN heading: add `### GREEN` with the least code that passes
    H05
    5: no stop conditions for 1.1, 1.2: add `### Stop conditions` below `# Common context`
    H06
    8: the first cycle of phase 1 is 1.2: number it 1.1
    H07
    13: warning: cycle 1.3 follows 1.1: 1.2 is missing
    18: warning: phase 3 follows phase 1: phase 2 is missing
    H08
    13: cycle 1.1 is there twice, first in line 8: give this one the next free number
    H09
    9: warning: model "gpt" of step 1.1 is not known, and haiku takes its place: write one of haiku, sonnet, opus
    H10
    2: warning: type "weird" is not known and counts as general: write general, tdd or inline
    8: warning: type "odd" is not known and counts as general: write general, tdd or inline
    H11
    8: the first phase is 2: phases start at 1, or at 0 for spikes
    9: step 1.1 is in phase 2: number it 2.N, or put a heading of phase 1 above it
    10: phase 1 follows phase 2: phases go up; move it, or number it anew
    11: step 2.1 is in phase 1: number it 1.N, or put a heading of phase 2 above it
    H12

    H20
    8: cycle 1.1 has no RED heading: add `### RED` with the test and the failure it shows
    8: cycle 1.1 has no GREEN heading: add `### GREEN` with the least code that passes
    H21
    9: warning: plans/dep/missing.md is not there: correct the path; where a step makes it, the line says `Create`
    "#);
}

/// A runbook as the original wrote them.
#[test]
fn bold_text_is_no_heading() {
    let text = format!(
        "{HEAD}\n---\n\n### Phase 1: a (type: tdd, model: sonnet)\n\n**Scope:** all.\n\n**Execution Model:**\n- Cycles: sonnet\n\n---\n\n\
         ## Cycle 1.1: a\n\n**RED Phase:**\n\n- fails\n\n**GREEN Phase:**\n\n- passes\n\n---\n\n\
         ## Cycle 1.2: b\n\n### RED\n\n---\nr\n### GREEN\nTitle\n---\n\n---\n"
    );
    insta::assert_snapshot!(problems(&text), @"
    20: cycle 1.1 has no RED heading: line 22 is no heading: write `### RED` there
    20: cycle 1.1 has no GREEN heading: line 26 is no heading: write `### GREEN` there
    ");
    let runbook = one(&text).runbook;
    assert_eq!(runbook.common, "### Stop conditions\nNever.");
    assert_eq!(runbook.phases[0].preamble, "**Scope:** all.\n\n**Execution Model:**\n- Cycles: sonnet");
    assert_eq!(runbook.steps[0].body, "**RED Phase:**\n\n- fails\n\n**GREEN Phase:**\n\n- passes");
    assert_eq!(runbook.steps[1].body, "### RED\n\n---\nr\n### GREEN\nTitle\n---");
}

/// What is wrong with several files of a folder.
fn beside(files: &[(&str, &str)]) -> String {
    shown(&reading(files))
}

#[test]
fn phase_files_count_without_gaps() {
    let phase = |number: u32| format!("{HEAD}# Phase {number}: p\n## Step {number}.1: a\n");
    let (spikes, first, second, third) = (phase(0), phase(1), phase(2), phase(3));
    let bare = "## Step 2.1: b\nNo heading of the phase.\n";
    let cases: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("H13", vec![("runbook-phase-3.md", &third), ("runbook-phase-1.md", &first)]),
        (
            "H14 empty",
            vec![("runbook-phase-1.md", &first), ("runbook-phase-2.md", "---\nmodel: opus\n---\n\n")],
        ),
        ("H14 nothing", vec![]),
        ("H14 empty runbook", vec![("runbook.md", " \n")]),
        ("both forms", vec![("runbook.md", &first), ("runbook-phase-1.md", &first)]),
        ("late", vec![("runbook-phase-2.md", &second), ("runbook-phase-3.md", &third)]),
        ("another phase", vec![("runbook-phase-1.md", &first), ("runbook-phase-2.md", &third)]),
        ("right", vec![("runbook-phase-2.md", &second), ("runbook-phase-1.md", &first)]),
        ("no heading", vec![("runbook-phase-2.md", bare), ("runbook-phase-1.md", &first)]),
        ("spikes", vec![("runbook-phase-0.md", &spikes), ("runbook-phase-1.md", &first)]),
    ];
    let found = listed(cases.iter().map(|(name, files)| (*name, beside(files))).collect());
    insta::assert_snapshot!(found, @"
    H13
    runbook-phase-3.md:1: runbook-phase-2.md is missing before it: phase files count without gaps from 1
    H14 empty
    runbook-phase-2.md:1: the file is empty: write the steps of the phase, or delete it
    H14 nothing
    runbook.md:1: the runbook is not there: `engine runbook new foo` writes a template
    H14 empty runbook
    runbook.md:1: the file is empty: delete it, and `engine runbook new foo` writes a template
    both forms
    runbook.md:1: there are runbook.md and runbook-phase-1.md too: keep one of both forms
    late
    runbook-phase-2.md:1: runbook-phase-1.md is missing before it: phase files count without gaps from 1
    another phase
    runbook-phase-2.md:8: phase 3 is in the file of phase 2: move it, or number it 2
    right

    no heading

    spikes
    ");
    let read = reading(&[("runbook-phase-2.md", bare), ("runbook-phase-1.md", &first)]);
    insta::assert_snapshot!(steps(&read.runbook), @r#"
    1.1 Work "a" phase 1 haiku | proof `cargo test` passes | as step-1-1
    1-vet Review "Review of phase 1: p" phase 1 sonnet | needs 1.1 | as phase-1
    2.1 Work "b" phase 2 haiku | needs 1-vet | proof `cargo test` passes | as step-2-1
    2-vet Review "Review of phase 2" phase 2 sonnet | needs 2.1 | as phase-2
    "#);
    assert_eq!(read.runbook.steps[2].path, "plans/foo/runbook-phase-2.md");
}

#[test]
fn a_heading_in_a_fence_is_no_step() {
    let text = format!(
        "{HEAD}## Step 1.1: a\n~~~~\n~~~\n## Step 1.2: b\n~~~\n~~~~\n## Step 1.2: c\n````md\n```\n## Step 1.3\n```\n````\n"
    );
    assert_eq!(problems(&text), "");
    insta::assert_snapshot!(steps(&one(&text).runbook), @r#"
    1.1 Work "a" phase 1 haiku | proof `cargo test` passes | as step-1-1
    1.2 Work "c" phase 1 haiku | needs 1.1 | proof `cargo test` passes | as step-1-2
    1-vet Review "Review of phase 1" phase 1 sonnet | needs 1.2 | as phase-1
    "#);
    let text = format!("{HEAD}## Step 1.1: a\n```\nopen\n## Step 1.2: b\n");
    assert_eq!(
        problems(&text),
        "9: this fence or comment is never closed, and all below it is part of it: close it"
    );
}

#[test]
fn the_nearest_model_counts() {
    let text = "---\nmodel: haiku\ncheck: c\n---\n### Stop conditions\nNever.\n# Phase 1: a {model: Sonnet}\n## Step 1.1: s\nExecution Model: Opus\nMax Turns: 12\n\
        ## Step 1.2: s\n## Step 1.3: s\n**Execution Model**: gpt\n# Phase 2: b\n## Step 2.1: s\n# Phase 3: c (model: gpt)\n## Step 3.1: s\n# Phase 4: d\n- **Execution Model:** `OPUS`\n\nContext.\n## Step 4.1: s\n";
    insta::assert_snapshot!(problems(text), @r#"
    13: warning: model "gpt" of step 1.3 is not known, and sonnet takes its place: write one of haiku, sonnet, opus
    16: warning: model "gpt" of phase 3 is not known, and haiku takes its place: write one of haiku, sonnet, opus
    "#);
    let runbook = one(text).runbook;
    insta::assert_snapshot!(steps(&runbook), @r#"
    1.1 Work "s" phase 1 opus | turns 12 | proof `c` passes | as step-1-1
    1.2 Work "s" phase 1 sonnet | needs 1.1 | proof `c` passes | as step-1-2
    1.3 Work "s" phase 1 sonnet | needs 1.2 | proof `c` passes | as step-1-3
    1-vet Review "Review of phase 1: a" phase 1 sonnet | needs 1.3 | as phase-1
    2.1 Work "s" phase 2 haiku | needs 1-vet | proof `c` passes | as step-2-1
    2-vet Review "Review of phase 2: b" phase 2 sonnet | needs 2.1 | as phase-2
    3.1 Work "s" phase 3 haiku | needs 2-vet | proof `c` passes | as step-3-1
    3-vet Review "Review of phase 3: c" phase 3 sonnet | needs 3.1 | as phase-3
    4.1 Work "s" phase 4 opus | needs 3-vet | proof `c` passes | as step-4-1
    4-vet Review "Review of phase 4: d" phase 4 sonnet | needs 4.1 | as phase-4
    "#);
    let files = files(&runbook, &baselines());
    let of = |name: &str| {
        files.iter().find(|file| file.path.ends_with(name)).map(|file| file.text.as_str()).unwrap()
    };
    assert!(of("steps/step-1-1.md").starts_with("---\nExecution Model: opus\n"));
    assert!(of("orchestrator-plan.md").contains("- step-1-1.md | phase 1 | opus | 12\n"));
    assert!(of("steps/step-4-1.md").contains("## Phase Context\n\nContext.\n"));
    // Nobody knows the only model that is named.
    let text =
        "---\nmodel: gpt\ncheck: c\n---\n### Stop conditions\nNever.\n## Step 1.1: s\nExecution Model: x\n";
    insta::assert_snapshot!(problems(text), @r#"
    2: warning: model "gpt" is not known and not used: write one of haiku, sonnet, opus
    7: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)
    8: warning: model "x" of step 1.1 is not known: write one of haiku, sonnet, opus
    "#);
}

#[test]
fn a_bootstrap_makes_three_steps() {
    let text = format!(
        "{HEAD}## Cycle 1.1: a\nFiles: src/a.rs\nCheck: `cargo test a`\n\nAbout both.\n\n### RED\nr\n\n#### Failure\nf\n\n### Bootstrap\nb\nCheck: `cargo build`\n\n### GREEN\ng\n\n### REFACTOR\nt\n\n### Notes\nn\n## Cycle 1.2: b\n{SECTIONS}"
    );
    assert_eq!(problems(&text), "");
    let runbook = one(&text).runbook;
    insta::assert_snapshot!(steps(&runbook), @r#"
    1.1-bootstrap Work "a" phase 1 haiku | files src/a.rs | proof `cargo build` passes | as step-1-1-bootstrap
    1.1-test Cycle "a" phase 1 haiku | needs 1.1-bootstrap | files src/a.rs | proof `cargo test a` fails once | as step-1-1-test
    1.1-impl Cycle "a" phase 1 haiku | needs 1.1-test | files src/a.rs | proof `cargo test a` passes | as step-1-1-impl
    1.2 Cycle "b" phase 1 haiku | needs 1.1-impl | proof `cargo test` passes | as cycle-1-2
    1-vet Review "Review of phase 1" phase 1 sonnet | needs 1.2 | as phase-1
    "#);
    let bodies: Vec<&str> = runbook.steps[..3].iter().map(|step| step.body.as_str()).collect();
    assert_eq!(
        bodies,
        [
            "About both.\n\n### Bootstrap\nb\nCheck: `cargo build`\n\n### Notes\nn",
            "About both.\n\n### RED\nr\n\n#### Failure\nf\n\n### Notes\nn",
            "About both.\n\n### GREEN\ng\n\n### REFACTOR\nt\n\n### Notes\nn",
        ]
    );
}

#[test]
fn spikes_and_regressions_need_fewer_sections() {
    let text = format!(
        "{HEAD}# Phase 0: try\n## Cycle 0.1: a library\nTry it.\n## Cycle 0.2: tested\n{SECTIONS}## Step 0.3: write\n# Phase 1: a\n## Cycle 1.1: pinned [regression]\n### RED\nr\n## Cycle 1.2: [REGRESSION] too\n### GREEN\n"
    );
    insta::assert_snapshot!(problems(&text), @"
    21: cycle 1.2 has no RED heading: add `### RED` with the test and the failure it shows
    ");
    insta::assert_snapshot!(steps(&one(&text).runbook), @r#"
    0.1 Work "a library" phase 0 haiku | proof `cargo test` passes | as step-0-1
    0.2 Cycle "tested" phase 0 haiku | needs 0.1 | proof `cargo test` passes | as cycle-0-2
    0.3 Work "write" phase 0 haiku | needs 0.2 | proof `cargo test` passes | as step-0-3
    0-vet Review "Review of phase 0: try" phase 0 sonnet | needs 0.3 | as phase-0
    1.1 Cycle "pinned" phase 1 haiku | needs 0-vet | proof `cargo test` passes | as cycle-1-1 | is regression
    1.2 Cycle "too" phase 1 haiku | needs 1.1 | proof `cargo test` passes | as cycle-1-2 | is regression
    1-vet Review "Review of phase 1: a" phase 1 sonnet | needs 1.2 | as phase-1
    "#);
}

#[test]
fn inline_phases_have_no_step_files() {
    let text = format!(
        "{HEAD}### Phase 1: ask (type: inline)\nCheck: `test -f ok`\nAsk R1.\n### Phase 2: do {{type: inline}}\n#### Step 2.1: one\n#### Step 2.2: two\nCheck: `ls`\n## Phase 3: last {{type: general}}\n## Step 3.1: s\n"
    );
    assert_eq!(problems(&text), "");
    let runbook = one(&text).runbook;
    insta::assert_snapshot!(steps(&runbook), @r#"
    1.1 Inline "ask" phase 1 haiku | proof `test -f ok` passes | as inline-1-1
    2.1 Inline "one" phase 2 haiku | needs 1.1 | proof `cargo test` passes | as inline-2-1
    2.2 Inline "two" phase 2 haiku | needs 2.1 | proof `ls` passes | as inline-2-2
    3.1 Work "s" phase 3 haiku | needs 2.2 | proof `cargo test` passes | as step-3-1
    3-vet Review "Review of phase 3: last" phase 3 sonnet | needs 3.1 | as phase-3
    "#);
    let files = files(&runbook, &baselines());
    let names: Vec<&str> = files.iter().map(|file| file.path.rsplit('/').next().unwrap()).collect();
    assert_eq!(names[..2], ["step-3-1.md", "orchestrator-plan.md"]);
    insta::assert_snapshot!(files[1].text, @"
    # Orchestrator plan: foo
    Type: mixed
    Agents: foo-7f8944-task
    Run: engine runbook next
    Source: runbook.md@11586e31935b

    - INLINE | phase 1 | – | ask
    - INLINE | phase 2 | – | do
    - step-3-1.md | phase 3 | haiku | –
    - PHASE_BOUNDARY 3 | vet-agent | reports/phase-3.md
    ");
    let only = format!("{HEAD}### Phase 1: a (type: inline)\nDo it.\n");
    insta::assert_snapshot!(rendered(&one(&only).runbook), @"
    ==> plans/foo/orchestrator-plan.md
    # Orchestrator plan: foo
    Type: inline
    Agents: –
    Run: engine runbook next
    Source: runbook.md@a9864d3f581b

    - INLINE | phase 1 | – | a
    ");
    assert_eq!(runbook.steps[0].body, "Ask R1.");
    // No model is needed where no agent works.
    assert_eq!(problems("# Phase 1: a {type: inline}\nDo it.\n"), "");
}

#[test]
fn every_agent_that_is_named_is_rendered() {
    let cases = [
        format!("{HEAD}## Step 1.1: a\n"),
        format!("{HEAD}## Cycle 1.1: a\n{SECTIONS}# Phase 2: b {{type: tdd}}\n## Cycle 2.1: b\n{SECTIONS}"),
        format!("{HEAD}## Cycle 1.1: a\n### Bootstrap\nb\n{SECTIONS}"),
        format!(
            "{HEAD}# Phase 1: a {{type: general}}\n## Step 1.1: a\n# Phase 2: b {{type: tdd}}\n## Cycle 2.1: a\n{SECTIONS}"
        ),
    ];
    let mut kinds = Vec::new();
    for text in cases {
        let runbook = one(&text).runbook;
        let (agents, files) = (agents(&runbook, &baselines()), files(&runbook, &baselines()));
        for step in runbook.steps.iter().filter(|step| step.kind != Kind::Review) {
            let path = format!("agents/{}.md", agent_of(step, &agents).unwrap());
            assert!(files.iter().any(|file| file.path == path), "{path}");
        }
        let order = files.iter().find(|file| file.path.ends_with("orchestrator-plan.md")).unwrap();
        let head: Vec<&str> = order.text.lines().skip(1).take(2).collect();
        kinds.push(head.join(", ").replace(|c: char| c.is_ascii_digit(), "0"));
    }
    insta::assert_snapshot!(kinds.join("\n"), @"
    Type: general, Agents: foo-0f0000-task
    Type: tdd, Agents: foo-e00b00-tdd
    Type: tdd, Agents: foo-0f0000-task, foo-e00b00-tdd
    Type: mixed, Agents: foo-0f0000-task, foo-e00b00-tdd
    ");
}

#[test]
fn instructions_take_the_place_of_the_order() {
    let text = format!(
        "{HEAD}## Orchestrator Instructions\n\n1. One after the other.\n\n### Then\n\n- stop | wait\n\n## Step 1.1: a\n"
    );
    assert_eq!(problems(&text), "");
    let files = files(&one(&text).runbook, &baselines());
    assert_eq!(files[1].text, "1. One after the other.\n\n### Then\n\n- stop | wait\n");
}

#[test]
fn a_recalled_phase_has_an_agent() {
    let text = format!("{HEAD}# Phase 1: a\n## Step 1.1: a\n# Phase 2: b {{type: inline}}\nBy hand.\n");
    let recall = "- a rule (phase 1)\n- another (Phase 2), and (phase 3)\n```\n(phase 4)\n```\n";
    insta::assert_snapshot!(beside(&[("runbook.md", &text), ("recall-artifact.md", recall)]), @"
    recall-artifact.md:2: (phase 2) is inline, and has no step file: write one of 1, or take the tag out
    recall-artifact.md:2: (phase 3) is not in the runbook: write one of 1, or take the tag out
    ");
    insta::assert_snapshot!(beside(&[("runbook.md", "# Phase 1: a {type: inline}\nx\n"), ("recall-artifact.md", recall)]), @"
    recall-artifact.md:1: (phase 1) is inline, and has no step file: take the tag out
    recall-artifact.md:2: (phase 2) is not in the runbook: take the tag out
    recall-artifact.md:2: (phase 3) is not in the runbook: take the tag out
    ");
}
