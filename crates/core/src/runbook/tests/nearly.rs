//! What is nearly right: read as what it means, or named, never lost.

use super::*;

const HEAD: &str = "---\nmodel: haiku\ncheck: c\n---\n### Stop conditions\nNever.\n";

/// All problems of a text, also those of what has no text.
fn all_of(text: &str) -> String {
    let problems = one(text).problems;
    let line = |problem: &Problem| problem.to_string().replace("plans/foo/runbook.md:", "");
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The same of each case, below its name. The first line of a case is line 7.
fn all(cases: &[(&str, &str)]) -> String {
    listed(cases.iter().map(|(name, text)| (*name, all_of(&format!("{HEAD}{text}")))).collect())
}

#[test]
fn no_heading_of_a_step_vanishes() {
    let found = all(&[
        (
            "no blank",
            "## Step 1.1: a\nA.\n##Step 1.2: b\nB.\n#Phase 2: c\n##Cycle 2.1\n##Step2.2: d\n##Step two\n#hashtag\n###RED\n#1.2\n",
        ),
        (
            "in words",
            "# Phase One: a\n## Step two\nA.\n## Cycle Three\n## Step 1.1: a\nA.\n### Step two\nB.\n",
        ),
        (
            "another word",
            "# Phase 1: a\n## Step 1.1: a\nA.\n## Task 1.2: b\n## 1.3: c\n## The Step 1.4\n## Step1.5: d\n## Step #1.6\n## [Step 1.7]\n### 1.8 e\n",
        ),
        (
            "bold",
            "## Step 1.1: a\nA.\n\n**Step 1.2: b**\n\n**Phase 2**:\n\n**Step 3: a part of it**\n\n**Step 1.4: x** is prose.\n",
        ),
        ("underlined", "## Step 1.1: a\nA.\n\nStep 1.2: b\n-----------\nB.\n\nPhase 2: c\n====\n"),
        (
            "no number",
            "# Phase overview\n# Phase 1: a\n## Step by step\n## Step 1.1: a\nA.\n## Cycles\n# Phase 2b: c\n",
        ),
        (
            "parts of a step",
            "## Step 1.1: a\n#### Step 1\nA.\n#### Step by step\n#### Phase one\n#### Steps 1 and 2\n",
        ),
        (
            "no step",
            "## Step 1.1: a\nA.\n```\n##Step 1.2: b\n**Step 1.3: c**\n```\n    ##Step 1.4: d\n### Release 1.2.3 and v1.2\n### Support for all of Python 3.12\n",
        ),
        (
            "instructions",
            "## Step 1.1: a\nA.\n## Orchestrator Instructions\n##Step 1.2: b\n### Step two\n**Step 1.3**\n",
        ),
        ("above its cycle", "## Cycle 1.1: a\n# RED\nr\n## GREEN\ng\n"),
    ]);
    insta::assert_snapshot!(found, @"
    no blank
    9: `##Step 1.2: b` is no heading, for there is no blank behind ##: write `## Step 1.2: TITLE`
    11: `#Phase 2: c` is no heading, for there is no blank behind #: write `# Phase 2: TITLE`
    12: `##Cycle 2.1` is no heading, for there is no blank behind ##: write `## Cycle 2.1: TITLE`
    13: `##Step2.2: d` is no heading, for there is no blank behind ##: write `## Step 2.2: TITLE`
    14: `##Step two` is no heading, for there is no blank behind ##: write `## Step 1.2: TITLE`
    in words
    7: `# Phase One: a` is not read as a phase: write `# Phase 1: TITLE`
    8: `## Step two` is not read as a step: write `## Step 1.2: TITLE`
    10: `## Cycle Three` is not read as a cycle: write `## Cycle 1.2: TITLE`
    another word
    10: warning: `## Task 1.2: b` is not read as a step: if it is one, write `## Step 1.2: TITLE`
    11: warning: `## 1.3: c` is not read as a step: if it is one, write `## Step 1.3: TITLE`
    12: warning: `## The Step 1.4` is not read as a step: if it is one, write `## Step 1.4: TITLE`
    13: warning: `## Step1.5: d` is not read as a step: if it is one, write `## Step 1.5: TITLE`
    14: warning: `## Step #1.6` is not read as a step: if it is one, write `## Step 1.6: TITLE`
    15: warning: `## [Step 1.7]` is not read as a step: if it is one, write `## Step 1.7: TITLE`
    16: warning: `### 1.8 e` is not read as a step: if it is one, write `### Step 1.8: TITLE`
    bold
    10: warning: `Step 1.2: b` is only in bold and begins nothing: if it is a heading, write `## Step 1.2: TITLE`
    12: warning: `Phase 2` is only in bold and begins nothing: if it is a heading, write `# Phase 2: TITLE`
    underlined
    10: warning: `Step 1.2: b` is only underlined and begins nothing: if it is a heading, write `## Step 1.2: TITLE`
    14: warning: `Phase 2: c` is only underlined and begins nothing: if it is a heading, write `# Phase 2: TITLE`
    no number
    7: warning: `# Phase overview` is not read as a phase: if it is one, write `# Phase 1: TITLE`
    9: warning: `## Step by step` is not read as a step: if it is one, write `## Step 1.2: TITLE`
    13: warning: `# Phase 2b: c` is not read as a phase: if it is one, write `# Phase 1: TITLE`
    parts of a step

    no step

    instructions

    above its cycle
    8: RED is a heading above its cycle, which ends there: write `### RED` in the place of `#`
    ");
}

#[test]
fn files_are_read_in_every_form() {
    let of = |text: &str| {
        let runbook = one(&format!("{HEAD}## Step 1.1: a\n{text}\n\nA.\n")).runbook;
        let files = runbook.steps[0].files.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        format!("{files} | {}", runbook.steps[0].body)
    };
    let cases = [
        ("File: a (new)", "a (new) | A."),
        ("*Files*: a (new)", "a (new) | A."),
        ("__Files__: a (new)", "a (new) | A."),
        ("1. Files: a (new)", "a (new) | A."),
        ("> Files: a (new)", "a (new) | A."),
        ("\t- Files: a (new)", "a (new) | A."),
        ("Files: a (new) and b (new); c (new) d (new)", "a (new); b (new); c (new); d (new) | A."),
        ("Files: {a,b}.txt (new)", "{a,b}.txt (new) | A."),
        (
            "Files:\n1. a (new)\n2) `b` (new) — x, y\n* [c](c) (new)\n- **d** (new): z",
            "a (new); b (new); c (new); d (new) | A.",
        ),
        ("**Files:**\n\n- a (new)\n- b (new)", "a (new); b (new) | A."),
        ("Files:\n\nText.", " | Text.\n\nA."),
    ];
    for (text, expected) in cases {
        assert_eq!(of(text), expected, "{text:?}");
    }
    let found = all(&[
        (
            "none",
            "## Step 1.1: a\nFiles: none\n\nA.\n## Step 1.2: b\nFiles: -\n\nB.\n## Step 1.3: c\nFiles: None\n\nC.\n",
        ),
        (
            "not of the project",
            "## Step 1.1: a\nFiles: .git/config, .engine/x.toml, /etc/hosts, ../a, .GIT/x, src/.git, .gitignore (new)\n\nA.\n",
        ),
        ("blanks", "## Step 1.1: a\nFiles: a.txt b.txt\n\nA.\n"),
        (
            "patterns",
            "## Step 1.1: a\nFiles: lib/, src/*.zig, doc/ (new), *.md (new)\n\nA.\n## Step 1.2: b\nFiles: doc/a.md, x.md, doc/*.md, out/, y.rs (new)\n\nB.\n## Step 1.3: c\nFiles: *.rs\n\nC.\n",
        ),
        (
            "a folder",
            "## Step 1.1: a\nFiles: src (new)\n\nA.\n## Step 1.2: b\nNeeds: none\nFiles: src/a.rs\n\nB.\n",
        ),
        (
            "any file",
            "## Step 1.1: a\nFiles: src/a.rs\n\nA.\n## Step 1.2: b\nNeeds: none\n\nB.\n## Step 1.3: c\nNeeds: none\n\nC.\n## Step 1.4: d\nNeeds: 1.2\nFiles: src/b.rs\n\nD.\n",
        ),
    ]);
    insta::assert_snapshot!(found, @r#"
    none
    8: Files of step 1.1 says none: write the files that it changes, or take the line out, and it may change any
    12: Files of step 1.2 says none: write the files that it changes, or take the line out, and it may change any
    16: Files of step 1.3 says none: write the files that it changes, or take the line out, and it may change any
    not of the project
    8: ".git/config" is git's or the engine's own, and no step changes it: take it out
    8: ".engine/x.toml" is git's or the engine's own, and no step changes it: take it out
    8: "/etc/hosts" is no path below the project's root: write it from there
    8: "../a" is no path below the project's root: write it from there
    8: ".GIT/x" is git's or the engine's own, and no step changes it: take it out
    8: "src/.git" is git's or the engine's own, and no step changes it: take it out
    blanks
    8: "a.txt b.txt" is not there: write one path after another with commas, `src/a.rs, src/b.rs (new)`
    patterns
    8: warning: lib/ fits no file, and no step before makes one: correct it, or write `lib/ (new)`
    8: warning: src/*.zig fits no file, and no step before makes one: correct it, or write `src/*.zig (new)`
    12: warning: doc/*.md fits no file, and no step before makes one: correct it, or write `doc/*.md (new)`
    12: warning: out/ fits no file, and no step before makes one: correct it, or write `out/ (new)`
    a folder
    13: 1.2 and 1.1 change src/a.rs, in no order: add 1.1 to the `Needs:` of 1.2
    any file
    11: warning: 1.2 has no `Files:` and may change those of 1.1, in no order: write the files of 1.2, or add 1.1 to its `Needs:`
    15: warning: 1.3 has no `Files:` and may change those of 1.1, 1.2, 1.4, in no order: write the files of 1.3, or add 1.1, 1.2, 1.4 to its `Needs:`
    "#);
}

#[test]
fn fields_stand_right_below_the_heading() {
    let text = format!(
        "{HEAD}# Phase 1: a\n\n**Model**: opus\n\nBefore.\n## Cycle 1.1: a\n\n- **Files**: src/a.rs\n\nCheck: `one`\n\nText.\n\nCheck: two\n### RED\nFiles: src/b.rs\nr\n### GREEN\nCheck: `three`\ng\n"
    );
    let runbook = one(&text).runbook;
    let step = &runbook.steps[0];
    assert_eq!((step.model.as_deref(), step.check.as_deref()), (Some("opus"), Some("one")));
    assert_eq!(step.body, "Text.\n\nCheck: two\n### RED\nFiles: src/b.rs\nr\n### GREEN\nCheck: `three`\ng");
    assert_eq!(runbook.phases[0].preamble, "Before.");
    let found = all(&[
        ("farther down", &text[HEAD.len()..]),
        (
            "spelled otherwise",
            "## Step 1.1: a\nModel: sonnet\nexecution-model: opus\nExecutionModel: opus\nChecks: c\nmax-turns: 3\n\nA.\n",
        ),
        (
            "of a phase",
            "# Phase 1: a\nExecution Model: opus\nModel: haiku\nCheck: c\nFiles: src/a.rs\n\nText.\n\nNeeds: none\nExecution Model: opus\n## Step 1.1: a\nA.\n",
        ),
        ("of a phase, twice", "# Phase 1: a {model: sonnet}\nModel: haiku\n## Step 1.1: a\nA.\n"),
        ("of a phase by hand", "# Phase 1: a {type: inline}\nCheck: c\nFiles: src/a.rs\nA.\n"),
    ]);
    insta::assert_snapshot!(found, @"
    farther down
    20: warning: Check of cycle 1.1 is not read here, where it is text: write it right below the heading
    22: warning: Files of cycle 1.1 is not read here, where it is text: write it right below the heading
    25: warning: Check of cycle 1.1 is not read here, where it is text: write it right below the heading
    spelled otherwise
    9: warning: Execution Model is there twice in step 1.1, and the first counts: take one out
    10: warning: Execution Model is there twice in step 1.1, and the first counts: take one out
    of a phase
    9: warning: Execution Model is there twice in phase 1, and the first counts: take one out
    10: warning: Check of phase 1 is not read: write it below each of its steps
    11: warning: Files of phase 1 is not read: write it below each of its steps
    15: warning: Needs of phase 1 is not read: write it below each of its steps
    16: warning: Execution Model of phase 1 is not read here, where it is text: write it right below the heading
    of a phase, twice
    8: warning: Execution Model is there twice in phase 1, and the first counts: take one out
    of a phase by hand
    ");
}

#[test]
fn front_matter_is_read_or_named() {
    let of = |front: &str| all_of(&format!("{front}### Stop\nNever.\n## Step 1.1: a\nA.\n"));
    let found = listed(
        [
            ("capitals", "---\nName: foo\nMODEL: haiku\nCheck: c\nType: general\n---\n"),
            ("a wrong key", "---\nmodle: haiku\nmodel: haiku\ncheck: c\n---\n"),
            ("twice", "---\nmodel: haiku\nModel: gpt\ncheck: c\ncheck: d\n---\n"),
            ("late", "\n---\nmodel: haiku\ncheck: c\n---\n"),
            ("a rule", "\n---\n"),
        ]
        .into_iter()
        .map(|(name, front)| (name, of(front)))
        .collect(),
    );
    insta::assert_snapshot!(found, @r#"
    capitals

    a wrong key
    2: warning: "modle" of the front matter is not known and not read: known are name, model, check, type
    twice
    3: warning: model is there twice in the front matter, and the first counts: take one out
    5: warning: check is there twice in the front matter, and the first counts: take one out
    late
    2: the front matter is not read here: put its first --- into the first line of the file
    a rule
    5: step 1.1 has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter (haiku, sonnet, opus)
    5: step 1.1 has no check: write `Check: COMMAND` below it, or check: COMMAND in the front matter
    "#);
    let runbook =
        one("---\nMODEL: haiku\nModel: opus\nCheck: c\ncheck: d\n---\n## Step 1.1: a\nA.\n").runbook;
    assert_eq!((runbook.steps[0].model.as_deref(), runbook.check.as_deref()), (Some("haiku"), Some("c")));
}

#[test]
fn requirements_are_those_of_the_design() {
    let text = format!(
        "{HEAD}## Step 1.1: a\nRequirements: R1, FR-1, R9\n\nA.\n## Step 1.2: b\nRequirements:\n- R4\n\nB.\n"
    );
    let with = reading(&[("runbook.md", &text), ("design.md", "# Design\n1. R1 one\n2. R4 four\n")]);
    insta::assert_snapshot!(shown(&with), @r#"
    runbook.md:8: warning: "FR-1" of step 1.1 is no requirement: write R1, R2 … as in design.md
    runbook.md:8: warning: R9 of step 1.1 is not in design.md: write one that is
    "#);
    insta::assert_snapshot!(shown(&one(&text)), @r#"
    runbook.md:8: warning: "FR-1" of step 1.1 is no requirement: write R1, R2 … as in design.md
    runbook.md:8: warning: R1, R9 of step 1.1 is in no design: write design.md with a line for each, or take it out
    runbook.md:12: warning: R4 of step 1.2 is in no design: write design.md with a line for each, or take it out
    "#);
    let files = files(&with.runbook, &baselines());
    let front: Vec<&str> = files[0].text.split("---\n").collect();
    assert!(front[1].contains("\nRequirements: R1, R9\n"), "{}", front[1]);
    assert_eq!(with.runbook.steps[0].body, "Requirements: R1, FR-1, R9\n\nA.");
    assert!(files[1].text.contains("\nRequirements: R4\n") && !files[1].text.contains("- R4"));
}

#[test]
fn what_says_nothing_is_named() {
    let found = all(&[
        ("a step", "## Step 1.1: a\nFiles: src/a.rs\n\n### Notes\n\n## Step 1.2: b\n"),
        (
            "sections",
            "## Cycle 1.1: a\n### RED\n\n#### How\n### GREEN\n<!-- later -->\n## Cycle 1.2: b [REGRESSION]\n### RED\nr\n### GREEN\n",
        ),
        ("order", "## Cycle 1.1: a\n### GREEN\ng\n### RED\nr\n"),
        (
            "twice",
            "## Cycle 1.1: a\n### RED\nr\n#### RED, too\n### RED\nr\n### GREEN\ng\n### GREEN: more\ng\n",
        ),
        ("red teams", "## Cycle 1.1: a\n### Red team notes\nr\n### GREEN\ng\n"),
        ("inline", "# Phase 1: a {type: inline}\n# Phase 2: b {type: inline}\n## Step 2.1: c\n"),
        ("regression", "## Step 1.1: a [REGRESSION]\nA.\n"),
    ]);
    insta::assert_snapshot!(found, @"
    a step
    7: warning: step 1.1 has no text: write what its agent has to do, which else knows the title alone
    12: warning: step 1.2 has no text: write what its agent has to do, which else knows the title alone
    sections
    8: warning: RED of cycle 1.1 is empty: write the test and the failure it shows
    11: warning: GREEN of cycle 1.1 is empty: write the least code that passes
    16: warning: GREEN of cycle 1.2 is empty: write the least code that passes
    order
    8: warning: GREEN of cycle 1.1 stands before RED: the test comes first, so put RED above it
    twice
    11: warning: RED is there twice in cycle 1.1: write one section, or a cycle for each
    15: warning: GREEN is there twice in cycle 1.1: write one section, or a cycle for each
    red teams
    7: cycle 1.1 has no RED heading: add `### RED` with the test and the failure it shows
    inline
    7: warning: 1.1 is inline and has no text: write what is to be done
    9: warning: 2.1 is inline and has no text: write what is to be done
    regression
    7: warning: [REGRESSION] of step 1.1 says nothing, for no test has to fail first: take it out, or write a cycle
    ");
    let found: Vec<(&str, String)> = [
        ("stop", "---\nmodel: haiku\ncheck: c\n---\n# Common context\n### Stop conditions\n\n## Step 1.1: a\nA.\n"),
        ("stop below", "---\nmodel: haiku\ncheck: c\n---\n### Stop conditions\n#### All\n- Never.\n## Step 1.1: a\nA.\n"),
        ("stop of a step", "---\nmodel: haiku\ncheck: c\n---\n## Step 1.1: a\nA.\n### Error conditions\n---\n## Step 1.2: b\nB.\n"),
        ("CR", "---\rmodel: haiku\rcheck: c\r---\r## Step 1.1: a\rA.\r"),
        ("not UTF-8", "---\nmodel: haiku\ncheck: c\n---\n### Stop\nNever.\n## Step 1.1: a\ncaf\u{10ffe9}\n"),
    ]
    .into_iter()
    .map(|(name, text)| (name, all_of(text)))
    .collect();
    insta::assert_snapshot!(listed(found), @"
    stop
    6: the stop conditions are empty: write below them when an agent stops and reports an error
    stop below

    stop of a step
    7: the stop conditions are empty: write below them when an agent stops and reports an error
    9: no stop conditions for 1.2: add `### Stop conditions` below `# Common context`
    CR
    1: the lines end with CR, so all is one line: save the file with LF
    not UTF-8
    8: this line is not UTF-8: save the file as UTF-8
    ");
}
