//! `engine sigil`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::stage::{Output, Stage, run};

fn shown(out: &Output) -> String {
    format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr)
}

fn check(stage: &Stage, paths: &[&str]) -> String {
    stage.masked(&shown(&stage.engine(&[&["sigil", "check"], paths].concat())))
}

fn plugin() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin")).unwrap()
}

#[test]
fn what_comes_with_engine_is_clean() {
    let stage = Stage::bare();
    stage.ok(&["init", "--with", "skills=all"]);
    insta::assert_snapshot!(check(&stage, &[]), @"0 62 texts checked: 0 unresolved references, 0 duplicates, 0 orphans");
    let json = stage.engine(&["sigil", "list", "--kind", "¶cmd_", "--json"]).json();
    let definitions = json["definitions"].as_array().unwrap();
    assert_eq!(definitions[1]["name"], "CMD_ASK");
    assert!(definitions[1]["references"].as_u64() >= Some(5), "skills name it in their front matter: {json}");
    // The same texts as files: a copy of a standard is that standard.
    let folder = plugin().display().to_string();
    let copies = Stage::bare();
    let out = copies.engine(&["sigil", "check", &format!("{folder}/standards"), &format!("{folder}/skills")]);
    insta::assert_snapshot!(shown(&out), @"0 62 texts checked: 0 unresolved references, 0 duplicates, 0 orphans");
    let all = copies.engine(&["sigil", "check", &folder, "--json"]).json();
    assert_eq!(
        all,
        json!({"version": 1, "unresolved": [], "duplicates": [], "orphans": [
            {"name": "INV_NAME", "file": format!("{folder}/directives/INVARIANTS.md"), "line": 5}]})
    );
}

/// Two packages, a skill, the person's own.
fn project() -> Stage {
    let stage = Stage::new();
    stage.write(
        ".directives/INVARIANTS.md",
        "# Root\n- **¶INV_TEST** Tests first, by §CMD_LOG.\n- **¶INV_LOOP** see §INV_BACK and §INV_LOOP\n- **¶INV_BACK** see §INV_LOOP\n",
    );
    stage.write(
        "packages/a/.directives/AGENTS.md",
        "# A\n\n§INV_TEST, §INV_MINE, `§INV_CODE`, §INV_B_ONLY\n\n```\n§INV_FENCED\n```\n\n## ¶FMT_REPORT\nA list.\n\nShort.\n\n## Other\n",
    );
    stage.write("packages/a/deep/.directives/PITFALLS.md", "§FMT_REPORT §INV_TSET\n");
    stage.write("packages/b/.directives/INVARIANTS.md", "- ¶INV_B_ONLY b\n- ¶FMT_REPORT of b\n");
    stage.write(".engine/context/CORE.md", "We say §INV_TEST and ¶INV_CORE.\n");
    stage.write(
        ".claude/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: D.\n---\n§CMD_SHIP then §INV_CORE, §INV_B_ONLY\n",
    );
    stage.write(".claude/skills/deploy/steps/SHIP.md", "## ¶CMD_SHIP\nShip it.\n");
    for skipped in ["node_modules/x", "target", "vendor/y", ".claude/worktrees/w"] {
        stage.write(&format!("{skipped}/.directives/AGENTS.md"), "¶INV_TEST §INV_SKIPPED\n");
    }
    stage.write("packages/a/NOTES.md", "§INV_NOWHERE\n");
    stage.write("../home/.config/engine/directives/INVARIANTS.md", "- ¶INV_MINE my own\n");
    stage
}

#[test]
fn references_see_what_is_above_them() {
    let stage = project();
    insta::assert_snapshot!(check(&stage, &[]), @"
    1 packages/a/.directives/AGENTS.md:3: error: §INV_B_ONLY is not defined in sight of it; out of sight: packages/b/.directives/INVARIANTS.md:1
    packages/a/deep/.directives/PITFALLS.md:1: error: §INV_TSET is not defined; nearest: ¶INV_TEST
    .claude/skills/deploy/SKILL.md:5: error: §INV_B_ONLY is not defined in sight of it; out of sight: packages/b/.directives/INVARIANTS.md:1
    packages/b/.directives/INVARIANTS.md:2: note: nothing refers to ¶FMT_REPORT
    packages/b/.directives/INVARIANTS.md:1: note: nothing refers to ¶INV_B_ONLY
    11 texts checked: 3 unresolved references, 0 duplicates, 2 orphans
    ");
    insta::assert_snapshot!(check(&stage, &["packages/a/deep", ".claude"]), @"
    1 packages/a/deep/.directives/PITFALLS.md:1: error: §INV_TSET is not defined; nearest: ¶INV_TEST
    .claude/skills/deploy/SKILL.md:5: error: §INV_B_ONLY is not defined in sight of it; out of sight: packages/b/.directives/INVARIANTS.md:1
    .claude/worktrees/w/.directives/AGENTS.md:1: error: §INV_SKIPPED is not defined
    .claude/worktrees/w/.directives/AGENTS.md:1: note: nothing refers to ¶INV_TEST
    4 texts checked: 3 unresolved references, 0 duplicates, 1 orphan
    ");
    insta::assert_snapshot!(check(&stage, &["packages/a/NOTES.md"]), @"
    1 packages/a/NOTES.md:1: error: §INV_NOWHERE is not defined; nearest: ¶INV_CORE, ¶INV_NO_MEMORY
    1 text checked: 1 unresolved reference, 0 duplicates, 0 orphans
    ");
    insta::assert_snapshot!(check(&stage, &["packages/b"]), @"
    0 packages/b/.directives/INVARIANTS.md:2: note: nothing refers to ¶FMT_REPORT
    packages/b/.directives/INVARIANTS.md:1: note: nothing refers to ¶INV_B_ONLY
    1 text checked: 0 unresolved references, 0 duplicates, 2 orphans
    ");
    insta::assert_snapshot!(check(&stage, &["nowhere"]), @"1 engine: nowhere: No such file or directory (os error 2)");
    insta::assert_snapshot!(stage.engine(&["sigil", "check", "packages/a/deep", "--json"]).stdout, @r#"{"duplicates":[],"orphans":[],"unresolved":[{"file":"packages/a/deep/.directives/PITFALLS.md","line":1,"name":"INV_TSET","nearest":["INV_TEST"],"outOfSight":[]}],"version":1}"#);
    // What is skipped is the project's to say; bare files count if it says so.
    stage.write(
        ".engine/config.toml",
        "[directives]\nskip = [\"a\", \"node_modules\", \".claude\"]\nbare = true\n",
    );
    stage.write("packages/b/AGENTS.md", "§INV_BARE\n");
    stage.write("packages/b/README.md", "§INV_NO_DIRECTIVE\n");
    insta::assert_snapshot!(check(&stage, &[]), @"
    1 packages/b/AGENTS.md:1: error: §INV_BARE is not defined; nearest: ¶INV_BACK, ¶INV_CORE, ¶INV_BATCH
    target/.directives/AGENTS.md:1: error: §INV_SKIPPED is not defined
    vendor/y/.directives/AGENTS.md:1: error: §INV_SKIPPED is not defined
    .claude/skills/deploy/SKILL.md:5: error: §INV_B_ONLY is not defined in sight of it; out of sight: packages/b/.directives/INVARIANTS.md:1
    packages/b/.directives/INVARIANTS.md:2: note: nothing refers to ¶FMT_REPORT
    packages/b/.directives/INVARIANTS.md:1: note: nothing refers to ¶INV_B_ONLY
    [TOP]/home/.config/engine/directives/INVARIANTS.md:1: note: nothing refers to ¶INV_MINE
    target/.directives/AGENTS.md:1: note: nothing refers to ¶INV_TEST
    vendor/y/.directives/AGENTS.md:1: note: nothing refers to ¶INV_TEST
    12 texts checked: 4 unresolved references, 0 duplicates, 5 orphans
    ");
}

#[test]
fn the_same_name_twice_in_sight_is_told_with_all_places() {
    let stage = Stage::new();
    stage.write(".directives/INVARIANTS.md", "- ¶INV_X root\n- ¶INV_Y\n- ¶INV_Y again\n");
    stage.write("a/.directives/INVARIANTS.md", "\n- ¶INV_X a\n\n§INV_X\n");
    stage.write("b/.directives/INVARIANTS.md", "- ¶INV_Z b\n");
    stage.write("c/.directives/INVARIANTS.md", "- ¶INV_Z c\n");
    stage.write("c/.directives/AGENTS.md", "**¶INV_ONE** §CMD_LOG\n");
    stage.write("c/.directives/PITFALLS.md", "¶INV_ONE, ¶CMD_LOG\n");
    symlink(stage.root().join("c"), stage.root().join("d")).unwrap();
    insta::assert_snapshot!(check(&stage, &[]), @"
    1 c/.directives/PITFALLS.md:1: error: ¶CMD_LOG is defined again in COMMANDS:9
    c/.directives/AGENTS.md:1: error: ¶INV_ONE is defined again in c/.directives/PITFALLS.md:1
    .directives/INVARIANTS.md:1: error: ¶INV_X is defined again in a/.directives/INVARIANTS.md:2
    .directives/INVARIANTS.md:2: error: ¶INV_Y is defined again in .directives/INVARIANTS.md:3
    c/.directives/AGENTS.md:1: note: nothing refers to ¶INV_ONE
    c/.directives/PITFALLS.md:1: note: nothing refers to ¶INV_ONE
    .directives/INVARIANTS.md:2: note: nothing refers to ¶INV_Y
    .directives/INVARIANTS.md:3: note: nothing refers to ¶INV_Y
    b/.directives/INVARIANTS.md:1: note: nothing refers to ¶INV_Z
    c/.directives/INVARIANTS.md:1: note: nothing refers to ¶INV_Z
    9 texts checked: 0 unresolved references, 4 duplicates, 6 orphans
    ");
    insta::assert_snapshot!(stage.engine(&["sigil", "check", "a", "--json"]).stdout, @r#"{"duplicates":[{"name":"INV_X","places":[{"file":".directives/INVARIANTS.md","line":1},{"file":"a/.directives/INVARIANTS.md","line":2}]}],"orphans":[],"unresolved":[],"version":1}"#);
}

#[test]
fn list_tells_how_often() {
    let stage = project();
    insta::assert_snapshot!(stage.masked(&stage.ok(&["sigil", "list", "--kind", "FMT"])), @"
    ¶FMT_REPORT  packages/a/.directives/AGENTS.md:9      1 reference
    ¶FMT_REPORT  packages/b/.directives/INVARIANTS.md:2  0 references
    ");
    insta::assert_snapshot!(stage.ok(&["sigil", "list", "--kind", "fmt", "--json"]), @r#"{"definitions":[{"file":"packages/a/.directives/AGENTS.md","line":9,"name":"FMT_REPORT","references":1},{"file":"packages/b/.directives/INVARIANTS.md","line":2,"name":"FMT_REPORT","references":0}],"version":1}"#);
    insta::assert_snapshot!(shown(&stage.engine(&["sigil", "list", "--kind", "XYZ"])), @"0 no ¶XYZ_… is defined");
    insta::assert_snapshot!(shown(&stage.engine(&["sigil", "list", "--kind", "C D"])), @"
    2 error: invalid value 'C D' for '--kind <KIND>': a kind is capitals and digits: CMD, INV

    For more information, try '--help'.
    ");
    let all = stage.masked(&stage.ok(&["sigil", "list"]));
    assert!(
        all.contains(
            "¶INV_MINE              [TOP]/home/.config/engine/directives/INVARIANTS.md:1  1 reference\n"
        ),
        "{all}"
    );
    // Paths are told from where one is.
    let out =
        run(stage.command_in(&stage.root().join("packages/a"), &["sigil", "list", "--kind", "FMT"]), None);
    let rows = stage.masked(&out.stdout);
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            ["¶FMT_REPORT", ".directives/AGENTS.md:9", "1", "reference"],
            ["¶FMT_REPORT", "[TOP]/project/packages/b/.directives/INVARIANTS.md:2", "0", "references"],
        ]
    );
}

/// Links bring the same directives to several folders: one text, which counts in each. Other links out of the project are not followed.
#[test]
fn linked_directives_count_where_the_links_are() {
    let stage = Stage::new();
    stage.write("../shared/INVARIANTS.md", "- ¶INV_SHARED §INV_SHARED\n");
    stage.write("../large/.directives/AGENTS.md", "§INV_FOREIGN\n");
    stage.write("a/deep/.directives/AGENTS.md", "§INV_SHARED\n");
    stage.write("b/deep/.directives/AGENTS.md", "§INV_SHARED\n");
    stage.write("c/.directives/AGENTS.md", "§INV_SHARED §INV_OF_ONE_FILE\n");
    stage.write("d/.directives/AGENTS.md", "§INV_OF_ONE_FILE\n");
    stage.write("d/.directives/PITFALLS.md", "¶INV_OF_ONE_FILE\n");
    let root = stage.root();
    let shared = root.join("../shared");
    symlink(&shared, root.join("a/.directives")).unwrap();
    symlink(&shared, root.join("b/.directives")).unwrap();
    symlink(&shared, root.join("a/deep/deeper")).unwrap();
    symlink(root.join("d/.directives/PITFALLS.md"), root.join("c/.directives/PITFALLS.md")).unwrap();
    symlink(root.join("../large"), root.join("large")).unwrap();
    insta::assert_snapshot!(check(&stage, &[]), @"
    1 c/.directives/AGENTS.md:1: error: §INV_SHARED is not defined in sight of it; out of sight: a/.directives/INVARIANTS.md:1
    9 texts checked: 1 unresolved reference, 0 duplicates, 0 orphans
    ");
    symlink(&shared, root.join(".directives")).unwrap();
    insta::assert_snapshot!(check(&stage, &[]), @"0 9 texts checked: 0 unresolved references, 0 duplicates, 0 orphans");
}

/// A folder that is no project may be large: only its own directives are looked at.
#[test]
fn outside_a_project_only_the_folder_counts() {
    let stage = Stage::bare();
    stage.write(".directives/AGENTS.md", "¶INV_HERE\n");
    stage.write("a/.directives/AGENTS.md", "¶INV_DEEP\n");
    insta::assert_snapshot!(check(&stage, &[]), @"
    0 .directives/AGENTS.md:1: note: nothing refers to ¶INV_HERE
    4 texts checked: 0 unresolved references, 0 duplicates, 1 orphan
    ");
    insta::assert_snapshot!(check(&stage, &["."]), @"
    0 a/.directives/AGENTS.md:1: note: nothing refers to ¶INV_DEEP
    .directives/AGENTS.md:1: note: nothing refers to ¶INV_HERE
    2 texts checked: 0 unresolved references, 0 duplicates, 2 orphans
    ");
}

#[test]
fn show_prints_definitions() {
    let stage = project();
    insta::assert_snapshot!(stage.ok(&["sigil", "show", "§FMT_REPORT"]), @"
    packages/a/.directives/AGENTS.md:9
    ## ¶FMT_REPORT
    A list.

    Short.

    packages/b/.directives/INVARIANTS.md:2
    - ¶FMT_REPORT of b
    ");
    insta::assert_snapshot!(stage.ok(&["sigil", "show", "cmd_continue"]), @"
    COMMANDS:36
    **¶CMD_CONTINUE** After a restart, clear or compaction: `engine session continue S` prints the record of the work.
    ");
    insta::assert_snapshot!(stage.ok(&["sigil", "show", "FEED_REVIEW", "--json"]), @r#"{"definitions":[{"file":"SIGILS","line":11,"references":0,"text":"| ¶FEED_REVIEW | needs-review → done-review or needs-rework; needs-rework → needs-review |"}],"name":"FEED_REVIEW","version":1}"#);
    insta::assert_snapshot!(shown(&stage.engine(&["sigil", "show", "INV_TSET"])), @"
    1 engine: ¶INV_TSET is not defined
      nearest: ¶INV_TEST
    ");
    insta::assert_snapshot!(shown(&stage.engine(&["sigil", "show", "QQQ_1", "--json"])), @r#"1 {"error":"¶QQQ_1 is not defined","hints":["what is: engine sigil list"],"version":1}"#);
    insta::assert_snapshot!(shown(&stage.engine(&["sigil", "show", "CMD_"])), @"
    2 error: invalid value 'CMD_' for '<NAME>': a name is a kind, then words of capitals and digits: CMD_LOG

    For more information, try '--help'.
    ");
}

#[test]
fn files_are_read_as_well_as_can_be() {
    let stage = Stage::new();
    stage.write(".directives/AGENTS.md", "");
    fs::write(stage.root().join(".directives/AGENTS.md"), b"\xff \xc2\xa7INV_A\n").unwrap();
    symlink(stage.root().join("nowhere"), stage.root().join(".directives/INVARIANTS.md")).unwrap();
    fs::create_dir(stage.root().join(".directives/TESTING.md")).unwrap();
    insta::assert_snapshot!(check(&stage, &[]), @"
    1 .directives/AGENTS.md:1: error: §INV_A is not defined
    4 texts checked: 1 unresolved reference, 0 duplicates, 0 orphans
    ");
}

#[test]
fn steps_of_a_skill_must_be_defined() {
    let stage = Stage::new();
    let skill = |steps: &str| {
        let text = format!(
            "---\nname: ship\ndescription: Ships.\nengine:\n  phases:\n    - {{label: \"1\", name: A, steps: [{steps}]}}\n---\nShip.\n"
        );
        stage.write("skills/ship/SKILL.md", &text);
        shown(&stage.engine(&["skill", "check", "skills/ship"]))
    };
    insta::assert_snapshot!(skill("\"§CMD_LOG\", \"§CMD_SHIP\", \"§CMD_SHIP\""), @"
    1 skills/ship/SKILL.md:6: error: steps: §CMD_SHIP is not defined; engine sigil list shows what is
    1 skill checked: 1 error, 0 warnings
    ");
    stage.write("skills/ship/COMMANDS.md", "**¶CMD_SHIP** Ship.\n");
    insta::assert_snapshot!(skill("\"§CMD_LOG\", \"§CMD_SHIP\""), @"0 1 skill checked: 0 errors, 0 warnings");
    let here = stage.root().join("skills/ship");
    let out = run(stage.command_in(&here, &["skill", "check", "SKILL.md"]), None);
    insta::assert_snapshot!(shown(&out), @"0 1 skill checked: 0 errors, 0 warnings");
    stage.write(".directives/AGENTS.md", "**¶CMD_ROOT** Of the root.\n");
    insta::assert_snapshot!(skill("\"§CMD_ROOT\", \"§CMD_GONE\""), @"
    1 skills/ship/SKILL.md:6: error: steps: §CMD_GONE is not defined; engine sigil list shows what is
    1 skill checked: 1 error, 0 warnings
    ");
}
