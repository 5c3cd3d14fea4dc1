use super::*;
use crate::stage::{Stage, refusal};

fn scope(stage: &Stage) -> DocumentScope {
    let project = stage.project();
    DocumentScope {
        root: stage.root(),
        here: stage.root(),
        config: config_file::load(&project),
        deepest: usize::MAX,
    }
}

/// Those of the project: path, homes, whether it is asked about.
fn shown(stage: &Stage, found: &Documents) -> Vec<String> {
    let root = stage.root();
    let from_root = |path: &Path| {
        let shown = stage.shown(path);
        if shown.is_empty() { "root".to_owned() } else { shown }
    };
    let home = |home: &Home| match home {
        Home::Folder(folder) => format!("folder {}", from_root(folder)),
        Home::Own { folder, from } => format!("own {} from {}", from_root(folder), from_root(from)),
        other => format!("{other:?}"),
    };
    let is_projects = |document: &&Document| root.join(&document.path).is_file();
    let line = |document: &Document| {
        let homes: Vec<String> = document.homes.iter().map(home).collect();
        format!("{} [{}] {}", document.path, homes.join("; "), document.asked)
    };
    let mut lines: Vec<String> = found.documents.iter().filter(is_projects).map(line).collect();
    lines.sort();
    lines
}

fn project() -> Stage {
    let stage = Stage::new();
    for file in [
        ".directives/AGENTS.md",
        "packages/a/.directives/TESTING.md",
        "packages/a/.directives/notes.txt",
        "packages/a/AGENTS.md",
        "node_modules/x/.directives/AGENTS.md",
        ".claude/worktrees/one/.directives/AGENTS.md",
        ".engine/context/always.md",
        ".claude/skills/build/SKILL.md",
        ".claude/skills/build/steps/1.md",
        ".claude/commands/do.md",
        "docs/other.md",
    ] {
        stage.write(file, "text");
    }
    stage
}

const USUAL: [&str; 6] = [
    ".claude/commands/do.md [own .claude/commands/do.md from root]",
    ".claude/skills/build/SKILL.md [own .claude/skills/build from root]",
    ".claude/skills/build/steps/1.md [own .claude/skills/build from root]",
    ".directives/AGENTS.md [folder root]",
    ".engine/context/always.md [folder root]",
    "packages/a/.directives/TESTING.md [folder packages/a]",
];

#[test]
fn every_document_has_the_home_for_which_it_holds() {
    let stage = project();
    let found = scope(&stage).documents(&[]).unwrap();
    assert_eq!(shown(&stage, &found), USUAL.map(|line| format!("{line} true")));
    assert_eq!(found.unread, Vec::<String>::new());
    let named: Vec<&Document> = found.documents.iter().filter(|document| document.text != "text").collect();
    assert_eq!(named.len(), standard::documents().len(), "the standards come with them");
    assert!(named.iter().all(|document| document.asked));
}

#[test]
fn only_what_is_named_is_asked_about_and_any_markdown_there_is_one() {
    let stage = project();
    let found = scope(&stage).documents(&[stage.root().join("docs"), stage.root().join("packages")]).unwrap();
    let asked: Vec<String> =
        shown(&stage, &found).into_iter().filter(|line| line.ends_with("true")).collect();
    assert_eq!(
        asked,
        [
            "docs/other.md [own docs from docs] true",
            "packages/a/.directives/TESTING.md [folder packages/a] true",
            "packages/a/AGENTS.md [own packages/a from packages/a] true",
        ]
    );
    assert_eq!(shown(&stage, &found).len(), USUAL.len() + 2, "the others are still there to be referred to");
    let missing = stage.root().join("nosuch");
    assert_eq!(
        refusal(scope(&stage).documents(std::slice::from_ref(&missing))),
        format!("Refused: {}: No such file or directory (os error 2)", missing.display())
    );
}

#[test]
fn bare_files_count_where_the_project_wants_it() {
    let stage = project();
    stage.write(".engine/config.toml", "[directives]\nbare = true\n");
    let found = shown(&stage, &scope(&stage).documents(&[]).unwrap());
    assert!(found.contains(&"packages/a/AGENTS.md [folder packages/a] true".to_owned()), "{found:?}");
    assert_eq!(found.len(), USUAL.len() + 1, "{found:?}");
}

#[test]
fn one_that_links_bring_to_two_folders_is_one_with_two_homes() {
    let stage = project();
    stage.write("packages/b/lib.rs", "");
    std::os::unix::fs::symlink("../a/.directives", stage.root().join("packages/b/.directives")).unwrap();
    let found = shown(&stage, &scope(&stage).documents(&[]).unwrap());
    let testing: Vec<&String> = found.iter().filter(|line| line.contains("TESTING")).collect();
    assert_eq!(testing, ["packages/a/.directives/TESTING.md [folder packages/a; folder packages/b] true"]);
}

#[test]
fn the_root_alone_sees_no_further() {
    let stage = project();
    let root = DocumentScope { deepest: ROOT_ALONE, ..scope(&stage) };
    let found = shown(&stage, &root.documents(&[]).unwrap());
    assert_eq!(found, USUAL[..5].iter().map(|line| format!("{line} true")).collect::<Vec<_>>());
}

#[test]
fn a_copy_of_a_standard_counts_as_that_one() {
    let stage = Stage::new();
    let standard = standard::documents().remove(0);
    stage.write(".directives/COPY.md", &standard.text);
    stage.write(".directives/AGENTS.md", "text");
    let of = |paths: &[PathBuf]| {
        let found = scope(&stage).documents(paths).unwrap();
        let asked = found.documents.iter().find(|document| document.path == standard.path).unwrap().asked;
        (shown(&stage, &found), asked)
    };
    let alone = |asked: bool| vec![format!(".directives/AGENTS.md [folder root] {asked}")];
    assert_eq!(of(&[]), (alone(true), true));
    assert_eq!(of(&[stage.root().join(".directives/AGENTS.md")]), (alone(true), false));
    assert_eq!(
        of(&[stage.root().join(".directives/COPY.md")]),
        (alone(false), true),
        "to name the copy is to ask about it"
    );
}
