//! What the fields of steps say: needs, files, requirements, and values that cannot be used.

use super::*;

const HEAD: &str = "---\nmodel: haiku\ncheck: cargo test\n---\n### Stop conditions\nNever.\n";

fn table(cases: &[(&str, &str)]) -> String {
    listed(cases.iter().map(|(name, text)| (*name, problems(&format!("{HEAD}{text}")))).collect())
}

#[test]
fn needs_are_steps_that_come_before() {
    let found = table(&[
        ("none", "## Step 1.1: a\n## Step 1.2: b\nNeeds: none\n## Step 1.3: c\nNeeds: `1.1`, step 1.2\n"),
        ("missing", "## Step 1.1: a\nNeeds: 1.7, x\n"),
        ("itself", "## Step 1.1: a\nNeeds: 1.1\n"),
        ("a circle", "## Step 1.1: a\nNeeds: 1.3\n## Step 1.2: b\n## Step 1.3: c\nNeeds: 1.2\n"),
        (
            "two circles",
            "## Step 1.1: a\nNeeds: 1.2\n## Step 1.2: b\nNeeds: 1.1\n## Step 1.3: c\nNeeds: 1.4\n## Step 1.4: d\nNeeds: 1.3\n",
        ),
        ("ahead", "## Step 1.1: a\nNeeds: 1.2\n## Step 1.2: b\nNeeds: none\n"),
        (
            "a later phase",
            "# Phase 1: a\n## Step 1.1: a\nNeeds: 2.1\n# Phase 2: b\n## Step 2.1: b\nNeeds: 1.1\n",
        ),
        ("empty", "## Step 1.1: a\nNeeds:\n"),
    ]);
    insta::assert_snapshot!(found, @r#"
    none
    8: warning: 1.2 has no `Files:` and may change those of 1.1, in no order: write the files of 1.2, or add 1.1 to its `Needs:`
    missing
    8: Needs of step 1.1: "x" is not the number of a step: write 1.1, 1.2 or none
    8: 1.1 needs 1.7, which is not there: write the number of a step, or none
    itself
    8: 1.1 needs 1.1: a circle; take one of these needs out
    a circle
    8: 1.1 needs 1.3 needs 1.2 needs 1.1: a circle; take one of these needs out
    two circles
    8: 1.1 needs 1.2 needs 1.1: a circle; take one of these needs out
    11: warning: 1.3 has no `Files:` and may change those of 1.1, 1.2, in no order: write the files of 1.3, or add 1.1, 1.2 to its `Needs:`
    12: 1.3 needs 1.4 needs 1.3: a circle; take one of these needs out
    13: warning: 1.4 has no `Files:` and may change those of 1.1, 1.2, in no order: write the files of 1.4, or add 1.1, 1.2 to its `Needs:`
    ahead

    a later phase
    9: 1.1 needs 2.1 of a later phase, which begins when this one is done: move one of them
    empty
    8: Needs of step 1.1 is empty: write its value, or take the line out
    "#);
    let text = format!(
        "{HEAD}## Step 1.1: a\n## Cycle 1.2: b\nNeeds: 1.1\n### Bootstrap\nb\n### RED\nr\n### GREEN\ng\n## Step 1.3: c\nNeeds: 1.1\n## Step 1.4: d\nNeeds: 1.2\n## Step 1.5: e\n"
    );
    insta::assert_snapshot!(steps(&one(&text).runbook), @r#"
    1.1 Work "a" phase 1 haiku | proof `cargo test` passes | as step-1-1
    1.2-bootstrap Work "b" phase 1 haiku | needs 1.1 | proof `cargo test` passes | as step-1-2-bootstrap
    1.2-test Cycle "b" phase 1 haiku | needs 1.2-bootstrap | proof `cargo test` fails once | as step-1-2-test
    1.2-impl Cycle "b" phase 1 haiku | needs 1.2-test | proof `cargo test` passes | as step-1-2-impl
    1.3 Work "c" phase 1 haiku | needs 1.1 | proof `cargo test` passes | as step-1-3
    1.4 Work "d" phase 1 haiku | needs 1.2-impl | proof `cargo test` passes | as step-1-4
    1.5 Work "e" phase 1 haiku | needs 1.3+1.4 | proof `cargo test` passes | as step-1-5
    1-vet Review "Review of phase 1" phase 1 sonnet | needs 1.5 | as phase-1
    "#);
}

#[test]
fn files_are_there_or_are_made() {
    let found = table(&[
        ("made before", "## Step 1.1: a\nFiles: `new.rs` (new), src/a.rs\n## Step 1.2: b\nFiles: new.rs\n"),
        ("made later", "## Step 1.1: a\nFiles: new.rs, other.rs\n## Step 1.2: b\nFiles: new.rs (new)\n"),
        ("outside", "## Step 1.1: a\nFiles: ../a.rs, /etc/hosts, src/a.rs\n"),
        ("patterns", "## Step 1.1: a\nFiles: src/*.rs, docs/\n"),
        (
            "shared",
            "## Step 1.1: a\nFiles: src/a.rs\n## Step 1.2: b\nFiles: src/a.rs, src/b.rs\nNeeds: none\n## Step 1.3: c\nFiles: src/b.rs\nNeeds: 1.1\n## Step 1.4: d\nFiles: src/a.rs\n## Step 1.5: e\nFiles: src/a.rs\nNeeds: none\n",
        ),
        (
            "shared by a pattern",
            "## Step 1.1: a\nFiles: src/*.rs\n## Step 1.2: b\nFiles: src/a.rs\nNeeds: none\n",
        ),
        (
            "shared over phases",
            "# Phase 1: a\n## Step 1.1: a\nFiles: src/a.rs\nNeeds: none\n# Phase 2: b\n## Step 2.1: b\nFiles: src/a.rs\nNeeds: none\n",
        ),
        ("over lines", "## Step 1.1: a\nFiles: src/a.rs,\n  gone.rs,\n  src/b.rs\n\nText.\n"),
        ("in sections", "## Cycle 1.1: a\n### RED\nFiles: t.rs\n### GREEN\nFiles: src/a.rs\n"),
    ]);
    insta::assert_snapshot!(found, @r#"
    made before

    made later
    8: new.rs is not there, and no step before makes it: correct the path, or write `new.rs (new)`
    8: other.rs is not there, and no step before makes it: correct the path, or write `other.rs (new)`
    outside
    8: "../a.rs" is no path below the project's root: write it from there
    8: "/etc/hosts" is no path below the project's root: write it from there
    patterns
    8: warning: src/*.rs fits no file, and no step before makes one: correct it, or write `src/*.rs (new)`
    8: warning: docs/ fits no file, and no step before makes one: correct it, or write `docs/ (new)`
    shared
    10: 1.2 and 1.1 change src/a.rs, in no order: add 1.1 to the `Needs:` of 1.2
    13: 1.3 and 1.2 change src/b.rs, in no order: add 1.2 to the `Needs:` of 1.3
    18: 1.5 and 1.1, 1.2, 1.4 change src/a.rs, in no order: add 1.1, 1.2, 1.4 to the `Needs:` of 1.5
    shared by a pattern
    8: warning: src/*.rs fits no file, and no step before makes one: correct it, or write `src/*.rs (new)`
    10: 1.2 and 1.1 change src/a.rs, in no order: add 1.1 to the `Needs:` of 1.2
    shared over phases

    over lines
    8: gone.rs is not there, and no step before makes it: correct the path, or write `gone.rs (new)`
    in sections
    9: warning: Files of cycle 1.1 is not read here, where it is text: write it right below the heading
    11: warning: Files of cycle 1.1 is not read here, where it is text: write it right below the heading
    "#);
}

#[test]
fn every_requirement_has_a_step() {
    let design = "# Design\n- R1: one\n- R2: two\n- R3: three\n- R10: ten\n";
    let text = format!("{HEAD}## Step 1.1: for R1\n## Step 1.2: b\nRequirements: R3, R7\n\nR20, not R2x.\n");
    let read = reading(&[("runbook.md", &text), ("design.md", design)]);
    insta::assert_snapshot!(shown(&read), @"
    design.md:3: no step is for R2: write `Requirements: R2` below the step that is, or add one
    design.md:5: no step is for R10: write `Requirements: R10` below the step that is, or add one
    runbook.md:9: warning: R7 of step 1.2 is not in design.md: write one that is
    ");
    let of = |one: &Requirement| {
        format!("{} {} {:?}", one.id, one.text, one.steps.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let found: Vec<String> = read.runbook.requirements.iter().map(of).collect();
    assert_eq!(found, [r#"R1 one ["1.1"]"#, "R2 two []", r#"R3 three ["1.2"]"#, "R10 ten []"]);
    // Without a design, only what is listed is known.
    assert_eq!(one(&text).runbook.steps[1].requirements, ["R3", "R7"]);
}

#[test]
fn values_that_cannot_be_used_are_named() {
    let found = table(&[
        (
            "turns",
            "## Step 1.1: a\nMax Turns: many\n## Step 1.2: b\nMax Turns: 0\n## Step 1.3: c\nMax Turns: `7`\n",
        ),
        ("empty", "## Step 1.1: a\nCheck:\nFiles:\nMax Turns:\nExecution Model:\n"),
        ("twice", "## Step 1.1: a\nExecution Model: opus\nCheck: a\nExecution Model: sonnet\nCheck: b\n"),
        ("section in a step", "## Step 1.1: a\n### RED\nr\n"),
        (
            "numbers",
            "## Step 1.1: a\n## Step 1.2.3: b\n## Cycle 4: c\n## Step 1.2-test: d\n### Steps to take\n### Step by step\n",
        ),
        (
            "parts of a step",
            "## Step 1.1: a\n#### Step 1: x\n#### Step 1.1.1: y\n#### Cycle 2\n### Step 1.2: b\n",
        ),
        ("order", "## Step 1.1: a\n## Step 1.3: b\n## Step 1.2: c\n## Step 1.7: d\n"),
        (
            "whole numbers",
            "# Phase 1: a\n## Step 1: a\n## Step 2 - b\n# Phase 2: b\n## Step 4. c\n## Step 3) d\n",
        ),
        (
            "phases",
            "# Phase 1: a\n## Step 1.1: a\n### Phase 7 notes\n# Phase 1: b\n# Phase 4: c {size: big}\n## Step 4.1: a\n# Phase 5: d {type: tdd\n## Step 5.1: a\n",
        ),
        ("no cycle", "# Phase 1: a {type: tdd}\n## Step 1.1: a\n"),
        ("no steps", "# Phase 1: a\nText.\n"),
        (
            "unfilled",
            "# Phase 1: …\n...\n## Step 1.1: …\nCheck: `…`\nFiles: …\n- …\n\nFirst …\n```\n...\n```\n",
        ),
    ]);
    insta::assert_snapshot!(found, @r#"
    turns
    8: Max Turns of step 1.1 is "many": write a number
    10: Max Turns of step 1.2 is "0": write a number
    empty
    8: Check of step 1.1 is empty: write its value, or take the line out
    9: Files of step 1.1 is empty: write its value, or take the line out
    10: Max Turns of step 1.1 is empty: write its value, or take the line out
    11: Execution Model of step 1.1 is empty: write its value, or take the line out
    twice
    10: warning: Execution Model is there twice in step 1.1, and the first counts: take one out
    11: warning: Check is there twice in step 1.1, and the first counts: take one out
    section in a step
    8: warning: step 1.1 has a section of a cycle, and is none: write Cycle 1.1 in its heading to have the test fail first
    numbers
    8: 1.2.3 is not the number of a step: write PHASE.STEP, for example 1.2
    9: 4 is not the number of a step: write PHASE.STEP, for example 1.2
    10: 1.2-test is not the number of a step: write PHASE.STEP, for example 1.2
    parts of a step

    order
    8: warning: step 1.3 follows 1.1: 1.2 is missing
    9: step 1.2 follows 1.3: numbers go up; move it, or number it anew
    10: warning: step 1.7 follows 1.2: 1.3 to 1.6 are missing
    whole numbers
    11: warning: step 4 follows 2: 3 is missing
    12: step 3 follows 4: numbers go up; move it, or number it anew
    phases
    10: phase 1 is there twice: give this one the next number
    10: phase 1 has no steps: add `## Step 1.1: TITLE`, or write {type: inline} behind its title
    11: warning: phase 4 follows phase 1: phase 2 to phase 3 are missing
    11: warning: "size" of phase 4 is not known and not used: known are type and model
    13: the braces of phase 5 are not closed at the end of its line, and not read: end it with `{type: tdd}`
    no cycle
    7: warning: phase 1 is of type tdd and has no cycle, so no test has to fail first: write `## Cycle 1.1: TITLE`, or take the type out
    no steps
    7: phase 1 has no steps: add `## Step 1.1: TITLE`, or write {type: inline} behind its title
    unfilled
    7: … is still to be written: put the text in its place, or take the line out
    8: … is still to be written: put the text in its place, or take the line out
    9: … is still to be written: put the text in its place, or take the line out
    10: … is still to be written: put the text in its place, or take the line out
    11: … is still to be written: put the text in its place, or take the line out
    12: … is still to be written: put the text in its place, or take the line out
    "#);
}

#[test]
fn front_matter_is_checked() {
    let body = "### Stop\nNever.\n## Step 1.1: a\n";
    let cases = [
        ("---\nname: foo\nmodel: `Haiku`\ncheck: `cargo test`\nowner: me\n---\n", "well"),
        ("---\nname: bar\nmodel: [haiku]\ncheck:\n---\n", "values"),
        ("---\nmodel: haiku\ncheck: |\n  a\n  b\ntype: …\n---\n", "several lines"),
        ("---\nmodel: haiku\n\tx: [\n---\n", "no YAML"),
        ("---\nmodel: haiku\ncheck: c\n", "not closed"),
        ("", "none"),
    ];
    let found = cases.iter().map(|(front, name)| (*name, problems(&format!("{front}{body}"))));
    let found = listed(found.collect());
    insta::assert_snapshot!(found, @r#"
    well
    5: warning: "owner" of the front matter is not known and not read: known are name, model, check, type
    values
    2: warning: name is "bar", and the folder "foo", which counts: write name: foo
    3: model is no text: write model: VALUE
    4: check is empty: write its value, or take the line out
    several lines
    3: check has several lines: write it in one
    6: … is still to be written: put the text in its place, or take the line out
    no YAML
    2: the front matter is not valid YAML: while scanning a plain scalar, found a tab
    7: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)
    7: step 1.1 has no check: write `Check: COMMAND` below it, or check: COMMAND in the front matter
    not closed
    1: the front matter is not closed: put a line --- behind it
    none
    3: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)
    3: step 1.1 has no check: write `Check: COMMAND` below it, or check: COMMAND in the front matter
    "#);
    let facts = Facts { folder: "plans/Foo Bar", tiers: &[], exists: &|_| true, design: None, recall: None };
    let read = read(
        &[Source { path: "plans/Foo Bar/runbook.md", text: "## Step 1.1: a\nCheck: c\n### Stop\nNever.\n" }],
        &facts,
    );
    insta::assert_snapshot!(shown(&read), @r#"
    plans/Foo Bar/runbook.md:1: "Foo Bar" cannot be the name of a plan: rename the folder to small letters, digits and -
    plans/Foo Bar/runbook.md:1: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter ()
    "#);
}

#[test]
fn check_keeps_what_it_says_beyond_the_command() {
    let text = format!(
        "{HEAD}## Step 1.1: a\nCheck: `cargo test a`, 3 tests\n## Step 1.2: b\n**Check:** cargo test b\n\nB.\n"
    );
    let runbook = one(&text).runbook;
    let found: Vec<_> =
        runbook.steps[..2].iter().map(|step| (step.check.as_deref().unwrap(), step.body.as_str())).collect();
    assert_eq!(found, [("cargo test a", "Check: `cargo test a`, 3 tests"), ("cargo test b", "B.")]);
}
