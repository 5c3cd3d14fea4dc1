//! Directives where a project is out of the ordinary: links, worktrees, files that cannot be read, references without end.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::directives::{after, at_work, before, on, stage, with_long};
use crate::stage::Stage;

#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let stage = Stage::new();
    std::fs::create_dir_all(stage.home().join(".ssh/.directives")).unwrap();
    std::fs::write(stage.home().join(".ssh/id_rsa"), "SECRET").unwrap();
    std::fs::write(stage.home().join(".ssh/.directives/AGENTS.md"), "SECRET").unwrap();
    stage.write(".env", "SECRET");
    stage.write("docs/agents.md", "Facts.");
    for folder in ["a", "b", "c", "d"] {
        stage.write(&format!("{folder}/x.rs"), "");
    }
    let root = stage.root();
    for (link, target) in [
        ("a/.directives/AGENTS.md", "../../../home/.ssh/id_rsa"),
        ("b/.directives", "../../home/.ssh/.directives"),
        ("c/out", "../../home/.ssh"),
        // What is no Markdown is nobody's directive.
        ("d/.directives/INVARIANTS.md", "../../.env"),
        ("d/.directives/AGENTS.md", "../../docs/agents.md"),
    ] {
        std::fs::create_dir_all(root.join(link).parent().unwrap()).unwrap();
        symlink(target, root.join(link)).unwrap();
    }
    for path in ["a/x.rs", "b/x.rs", "c/out/x.rs"] {
        assert_eq!(on(&stage, "Read", path), "-", "{path}");
        let output = stage.engine(&["discover-directives", path.trim_end_matches("/out/x.rs")]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{path}");
    }
    insta::assert_snapshot!(on(&stage, "Read", "d/x.rs"), @"
    Directives that count here, nearest first:

    ## docs/agents.md

    Facts.
    ");
    // The person's own are the person's.
    std::fs::create_dir_all(stage.home().join(".config/engine/directives")).unwrap();
    std::fs::write(stage.home().join("mine.txt"), "Mine.").unwrap();
    symlink(stage.home().join("mine.txt"), stage.home().join(".config/engine/directives/AGENTS.md")).unwrap();
    insta::assert_snapshot!(on(&stage, "Read", "a/x.rs"), @"
    Directives that count here, nearest first:

    ## [TOP]/home/mine.txt

    Mine.
    ");
}

/// Held, until a call that shows the file.
fn freed(stage: &Stage, name: &str, input: &Value) -> [String; 2] {
    on(stage, "Read", "README.md");
    let fetch = || before(stage, "WebFetch", &json!({"url": "x"}));
    for _ in 0..7 {
        fetch();
    }
    assert!(fetch().starts_with("deny: "));
    let read = before(stage, name, input);
    after(stage, name, input);
    [read, fetch()]
}

#[test]
fn a_directive_is_read_by_whatever_path_leads_to_it() {
    let long = "long ".repeat(2000);
    let free = ["-".to_owned(), "-".to_owned()];
    // A link within the project is told by where it leads.
    for path in ["docs/agents.md", ".directives/AGENTS.md"] {
        let stage = at_work();
        stage.write("docs/agents.md", &long);
        std::fs::remove_file(stage.root().join(".directives/AGENTS.md")).unwrap();
        symlink("../docs/agents.md", stage.root().join(".directives/AGENTS.md")).unwrap();
        assert_eq!(freed(&stage, "Read", &json!({"file_path": stage.root().join(path)})), free, "{path}");
    }
    // The person's own, in a folder that is a link itself.
    let own = ".config/engine/directives/AGENTS.md";
    let (tool, shell) = (format!("~/{own}"), format!("cat ~/{own}"));
    for (name, key, value) in [
        ("Read", "file_path", "/HOME/dotfiles/engine/directives/AGENTS.md"),
        ("Read", "file_path", &tool),
        ("Bash", "command", &shell),
        ("Bash", "command", "head -50 \"$HOME\"/dotfiles/engine/directives/AGENTS.md"),
    ] {
        let stage = at_work();
        let home = stage.home();
        std::fs::create_dir_all(home.join("dotfiles/engine/directives")).unwrap();
        std::fs::write(home.join("dotfiles/engine/directives/AGENTS.md"), &long).unwrap();
        symlink("dotfiles", home.join(".config")).unwrap();
        let value = value.replace("/HOME", &home.display().to_string());
        assert_eq!(freed(&stage, name, &json!({key: value})), free, "{name} {value}");
    }
}

#[test]
fn what_can_no_longer_be_read_holds_nobody() {
    let stage = at_work();
    with_long(&stage);
    on(&stage, "Read", "packages/a/src/x.rs");
    let fetch = || before(&stage, "WebFetch", &json!({"url": "x"}));
    for _ in 0..7 {
        fetch();
    }
    assert!(fetch().starts_with("deny: "));
    let path = stage.root().join("packages/a/.directives/ARCHITECTURE.md");
    std::fs::write(&path, b"\xff\xfe").unwrap();
    assert_eq!(fetch(), "-");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert_eq!(fetch(), "-");
}

/// It took minutes, and the list of all names ten times the budget.
#[test]
fn thousands_of_references_neither_hang_nor_flood() {
    let stage = Stage::new();
    stage.write("a/.directives/AGENTS.md", "Begin with §CMD_N0.\n");
    let chain: String = (0..3000).map(|at| format!("- ¶CMD_N{at}: then §CMD_N{}\n", at + 1)).collect();
    stage.write(".directives/INVARIANTS.md", &chain);
    let began = std::time::Instant::now();
    let said = on(&stage, "Read", "a/x.rs");
    // It takes a tenth of a second.
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    assert_eq!((said.matches("### §CMD_N").count(), said.len() < 9000), (50, true), "{said}");
}

#[test]
fn a_worktree_within_the_project_has_the_projects_directives_once() {
    let stage = stage();
    stage.write(".claude/worktrees/w/.directives/AGENTS.md", "# The project\nAs on the branch.\n");
    insta::assert_snapshot!(on(&stage, "Read", ".claude/worktrees/w/src/x.rs"), @"
    Directives that count here, nearest first:

    ## .claude/worktrees/w/.directives/AGENTS.md

    # The project
    As on the branch.
    ");
}
