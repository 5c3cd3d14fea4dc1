//! What is written, and what is left alone.

use super::whole::MIXED;
use super::*;

/// What preparing would change, with the files that are there.
fn changes(text: &str, disk: &[Rendered]) -> String {
    let runbook = one(text).runbook;
    let rendered = files(&runbook, &baselines());
    let on_disk = |path: &str| disk.iter().find(|file| file.path == path).map(|file| file.text.clone());
    let present: Vec<Option<String>> = rendered.iter().map(|file| on_disk(&file.path)).collect();
    let found: Vec<String> = disk.iter().map(|file| file.path.clone()).collect();
    let line = |one: &Difference| format!("{:?} {}", one.change, one.path.replace("plans/foo/", ""));
    difference(&runbook, &rendered, &present, &found).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn only_what_changes_is_changed() {
    let mut disk = files(&one(MIXED).runbook, &baselines());
    for path in [
        "plans/foo/steps/notes.md",
        "plans/foo/reports/cycle-1-1.md",
        "agents/foo-helper.md",
        "agents/foobar-012345-task.md",
    ] {
        disk.push(Rendered { path: path.to_owned(), text: String::new() });
    }
    let nothing = changes(MIXED, &disk);
    assert!(nothing.lines().all(|line| line.starts_with("Unchanged ")), "{nothing}");
    assert!(changes(MIXED, &[]).lines().all(|line| line.starts_with("New ")));
    // Another text of a step, a step less.
    let changed = MIXED
        .replace("Describe it.", "Describe it well.")
        .replace("## Step 2.3: both\nNeeds: 2.1, 2.2\n\nCompare.\n", "");
    insta::assert_snapshot!(changes(&changed, &disk), @"
    Unchanged steps/cycle-1-1.md
    Unchanged steps/cycle-1-2.md
    Unchanged steps/step-1-3-bootstrap.md
    Unchanged steps/step-1-3-test.md
    Unchanged steps/step-1-3-impl.md
    Changed steps/step-2-1.md
    Unchanged steps/step-2-2.md
    Changed orchestrator-plan.md
    Unchanged agents/foo-17d34a-task.md
    Unchanged agents/foo-bc5071-tdd.md
    Vanished steps/step-2-3.md
    ");
    // What all agents are given: their names change with it.
    let changed = MIXED.replace("is in src.", "is in lib.");
    insta::assert_snapshot!(changes(&changed, &disk), @"
    Refreshed steps/cycle-1-1.md
    Refreshed steps/cycle-1-2.md
    Refreshed steps/step-1-3-bootstrap.md
    Refreshed steps/step-1-3-test.md
    Refreshed steps/step-1-3-impl.md
    Refreshed steps/step-2-1.md
    Refreshed steps/step-2-2.md
    Refreshed steps/step-2-3.md
    Changed orchestrator-plan.md
    New agents/foo-fa19b9-task.md
    New agents/foo-11147b-tdd.md
    Replaced agents/foo-17d34a-task.md
    Replaced agents/foo-bc5071-tdd.md
    ");
}

#[test]
fn a_template_is_filled_in_first() {
    insta::assert_snapshot!(problems(&template("foo", false)), @"
    3: <a model> is still to be written: put the text in its place, or take the line out
    4: <a command> is still to be written: put the text in its place, or take the line out
    9: <the goal> is still to be written: put the text in its place, or take the line out
    11: <what is decided> is still to be written: put the text in its place, or take the line out
    17: <when to stop> is still to be written: put the text in its place, or take the line out
    19: <name of the phase> is still to be written: put the text in its place, or take the line out
    21: <what its steps build on> is still to be written: put the text in its place, or take the line out
    23: <what it does> is still to be written: put the text in its place, or take the line out
    25: <its files> is still to be written: put the text in its place, or take the line out
    27: <the work> is still to be written: put the text in its place, or take the line out
    ");
    insta::assert_snapshot!(problems(&template("foo", true)), @"
    3: <a model> is still to be written: put the text in its place, or take the line out
    4: <a command> is still to be written: put the text in its place, or take the line out
    9: <the goal> is still to be written: put the text in its place, or take the line out
    11: <what is decided> is still to be written: put the text in its place, or take the line out
    17: <when to stop> is still to be written: put the text in its place, or take the line out
    19: <name of the phase> is still to be written: put the text in its place, or take the line out
    21: <what its steps build on> is still to be written: put the text in its place, or take the line out
    23: <what it does> is still to be written: put the text in its place, or take the line out
    25: <its files> is still to be written: put the text in its place, or take the line out
    29: <the test and its failure> is still to be written: put the text in its place, or take the line out
    33: <the least code> is still to be written: put the text in its place, or take the line out
    37: <what to tidy> is still to be written: put the text in its place, or take the line out
    ");
    for tdd in [false, true] {
        let mut text = template("foo", tdd).replace("<a model>", "haiku").replace("<its files>", "src/a.rs");
        for placeholder in crate::runbook::unfilled::PLACEHOLDERS {
            text = text.replace(placeholder, "done");
        }
        assert_eq!(problems(&text), "");
    }
}

#[test]
fn a_title_stays_a_title() {
    let titles = [
        "a: b # c",
        "**bold** `code` [link](x)",
        "a | b",
        "größe 漢字 🎉",
        "a\rFiles: b\u{2028}---\u{85}x\u{1b}[2J",
        "---",
        "\"quoted\" \\ 'single'",
        "{{ x }} {y: z",
        "- [ ] item",
        "yes",
        "learn C#",
        "closed ##",
        "use *args*",
        "ends with:",
        "Phase 2: not one",
    ];
    let head = "---\nmodel: haiku\ncheck: c\n---\n### Stop conditions\nNever.\n";
    let mut found = Vec::new();
    for title in titles {
        let runbook = one(&format!(
            "{head}# Phase 1: {title}\n## Step 1.1: {title}\nText.\n# Phase 2: {title} {{type: inline}}\n"
        ))
        .runbook;
        let files = files(&runbook, &baselines());
        let lines: Vec<&str> = files[0].text.lines().collect();
        let order = files[1].text.lines().find(|line| line.starts_with("- INLINE")).unwrap_or_default();
        assert_eq!(lines[3], "Phase: 1");
        found.push(format!("{}\n{}\n{order}", lines[2], lines[9]));
    }
    insta::assert_snapshot!(found.join("\n\n"), @r#"
    Title: "a: b # c"
    # Step 1.1: a: b # c
    - INLINE | phase 2 | – | a: b # c

    Title: "**bold** `code` [link](x)"
    # Step 1.1: **bold** `code` [link](x)
    - INLINE | phase 2 | – | **bold** `code` [link](x)

    Title: a | b
    # Step 1.1: a | b
    - INLINE | phase 2 | – | a \| b

    Title: größe 漢字 🎉
    # Step 1.1: größe 漢字 🎉
    - INLINE | phase 2 | – | größe 漢字 🎉

    Title: "a Files: b --- x [2J"
    # Step 1.1: a Files: b --- x [2J
    - INLINE | phase 2 | – | a Files: b --- x [2J

    Title: "---"
    # Step 1.1: ---
    - INLINE | phase 2 | – | ---

    Title: "\"quoted\" \\ 'single'"
    # Step 1.1: "quoted" \ 'single'
    - INLINE | phase 2 | – | "quoted" \ 'single'

    Title: "{{ x }} {y: z"
    # Step 1.1: {{ x }} {y: z
    - INLINE | phase 2 | – | {{ x }} {y: z

    Title: "- [ ] item"
    # Step 1.1: - [ ] item
    - INLINE | phase 2 | – | - [ ] item

    Title: "yes"
    # Step 1.1: yes
    - INLINE | phase 2 | – | yes

    Title: learn C#
    # Step 1.1: learn C#
    - INLINE | phase 2 | – | learn C#

    Title: closed
    # Step 1.1: closed
    - INLINE | phase 2 | – | closed ##

    Title: use *args*
    # Step 1.1: use *args*
    - INLINE | phase 2 | – | use *args*

    Title: "ends with:"
    # Step 1.1: ends with:
    - INLINE | phase 2 | – | ends with:

    Title: "Phase 2: not one"
    # Step 1.1: Phase 2: not one
    - INLINE | phase 2 | – | Phase 2: not one
    "#);
}

#[test]
fn an_agent_says_only_what_its_steps_need() {
    let runbook = Runbook { name: "a".repeat(60), ..one(MIXED).runbook };
    let agents = agents(&runbook, &Baselines { task: "No front matter.\n", ..baselines() });
    let task = agents.task.unwrap();
    let description = task.text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap();
    assert_eq!(description.chars().count(), 60);
    assert!(!task.text.contains("\nmodel:") && !task.text.contains("\ntools:"));
    assert!(task.text.contains("---\n\nNo front matter.\n\n## Common context\n"));
    // The name is made of the text without its own line.
    let text: String = task.text.split_inclusive('\n').filter(|line| !line.starts_with("name: ")).collect();
    assert_eq!(task.name, format!("{}-{}-task", runbook.name, &engine_text::line::fingerprint(&text)[..6]));
}
