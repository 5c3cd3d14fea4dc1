use super::*;

const HEAD: &str =
    "---\nmodel: haiku\ncheck: cargo test\n---\n# Common context\n### Stop conditions\nNever.\n";
const SECTIONS: &str = "### RED\nr\n### GREEN\ng\n";

fn table(cases: &[(&str, String)]) -> String {
    cases.iter().map(|(name, text)| format!("{name}\n{}\n", problems(text))).collect()
}

#[test]
fn what_the_original_refused() {
    let found = table(&[
        ("H01", "---\ncheck: c\n---\n# Common context\n### Stop\n## Step 1.1: a\n## Step 1.2: b\nExecution Model: opus\n".to_owned()),
        ("H02", format!("{HEAD}## Step 1.1: a\n## Step 1.2: b\n## Step 1.1: c\n")),
        ("H03", format!("{HEAD}Text.\n")),
        ("H04", format!("{HEAD}## Cycle 1.1: a\n### RED\nr\n")),
        ("H05", format!("---\nmodel: haiku\ncheck: c\n---\n## Cycle 1.1: a\n{SECTIONS}## Cycle 1.2: b\n{SECTIONS}## Cycle 1.3: c\n{SECTIONS}### Error conditions\n")),
        ("H06", format!("{HEAD}## Cycle 1.2: a\n{SECTIONS}")),
        ("H07", format!("{HEAD}## Cycle 1.1: a\n{SECTIONS}## Cycle 1.3: b\n{SECTIONS}## Cycle 3.1: c\n{SECTIONS}")),
        ("H08", format!("{HEAD}## Cycle 1.1: a\n{SECTIONS}## Cycle 1.1: b\n{SECTIONS}")),
        ("H09", format!("{HEAD}## Step 1.1: a\n**Execution Model**: gpt\n")),
        ("H10", "---\ntype: weird\nmodel: haiku\ncheck: c\n---\n# Common context\n### Stop\n# Phase 1: x {type: odd}\n## Step 1.1: a\n".to_owned()),
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
    18: warning: phase 3 follows phase 1: 2 is missing
    H08
    13: cycle 1.1 is there twice, first in line 8: give this one the next free number
    H09
    9: warning: model "gpt" of step 1.1 is not known, and haiku takes its place: write haiku, sonnet, opus
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
