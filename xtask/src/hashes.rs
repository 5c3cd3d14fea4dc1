//! `cargo xtask shipped-hashes`: the list of every version of every file that `engine init` writes into a project.
//!
//! The binary embeds it, so that `uninstall` and `init --refresh` recognise in a clone what an older version wrote. The list only grows: a
//! shallow clone has no history to make it from. What the working tree and the history hold and the list does not is added.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use engine_text::line::text_seal;

/// The list, from the root of the repository.
const LIST: &str = "crates/app/src/plugin/shipped.txt";
/// The folder whose files are installed.
const PLUGIN: &str = "plugin/";
/// The first configuration of a project is made from a table; a test keeps it as a snapshot, whose number changes with the test.
const SNAPSHOTS: &str = "crates/cli/tests/cli/snapshots/";
const CONFIG: &str = "cli__install__the_first_init_reads_well";
/// What the list calls it.
const CONFIG_NAME: &str = "config.toml";
/// Which files of the plugin are installed: those below these folders.
const INSTALLED: [&str; 3] = ["skills/", "agents/", "fragments/execute-rule.md"];

pub(crate) fn run() -> Result<()> {
    let root = root();
    let list = root.join(LIST);
    let written = fs::read_to_string(&list).with_context(|| format!("cannot read {LIST}"))?;
    let mut lines: BTreeSet<String> = written.lines().map(str::to_owned).collect();
    let before = lines.len();
    lines.extend(of_working_tree(&root)?);
    lines.extend(of_history(&root)?);
    let added = lines.len() - before;
    if added > 0 {
        fs::write(&list, lines.into_iter().map(|line| line + "\n").collect::<String>())?;
    }
    println!("{LIST}: {added} added");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What the list calls a file of the repository, if it is installed.
fn name(path: &str) -> Option<&str> {
    if is_config(path) {
        return Some(CONFIG_NAME);
    }
    let name = path.strip_prefix(PLUGIN)?;
    INSTALLED.iter().any(|installed| name.starts_with(installed)).then_some(name)
}

fn is_config(path: &str) -> bool {
    path.strip_prefix(SNAPSHOTS).is_some_and(|name| name.starts_with(CONFIG))
}

/// A line of the list. A snapshot has a head of its own.
fn line(path: &str, text: &str) -> Option<String> {
    let name = name(path)?;
    let text = if is_config(path) { text.splitn(3, "---\n").nth(2)? } else { text };
    Some(format!("{name} {}", text_seal(text)))
}

fn of_working_tree(root: &Path) -> Result<Vec<String>> {
    let mut folders = vec![root.join(PLUGIN), root.join(SNAPSHOTS)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    let mut lines = Vec::new();
    for file in files {
        let path = file.strip_prefix(root)?.to_string_lossy().into_owned();
        if name(&path).is_some() {
            lines.extend(line(&path, &fs::read_to_string(&file)?));
        }
    }
    Ok(lines)
}

fn of_history(root: &Path) -> Result<Vec<String>> {
    let changes = git(
        root,
        &["log", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=", "HEAD", "--", PLUGIN, SNAPSHOTS],
    )?;
    let mut versions = BTreeSet::new();
    for change in changes.lines().filter(|line| line.starts_with(':')) {
        // :100644 100644 OLD NEW M<tab>PATH
        let (fields, path) = change.split_once('\t').context("git log --raw has no path")?;
        let new = fields.split(' ').nth(3).context("git log --raw has no object")?;
        if name(path).is_some() && new.contains(|digit| digit != '0') {
            versions.insert((path.to_owned(), new.to_owned()));
        }
    }
    let mut lines = Vec::new();
    for (path, object) in versions {
        lines.extend(line(&path, &git(root, &["cat-file", "blob", &object])?));
    }
    Ok(lines)
}

fn git(root: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(root).args(args).output().context("cannot run git")?;
    ensure!(output.status.success(), "git {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = "crates/cli/tests/cli/snapshots/cli__install__the_first_init_reads_well-4.snap";

    #[test]
    fn only_what_is_installed_is_in_the_list() {
        for (path, expected) in [
            ("plugin/skills/do/SKILL.md", Some("skills/do/SKILL.md")),
            ("plugin/agents/qa.md", Some("agents/qa.md")),
            ("plugin/fragments/execute-rule.md", Some("fragments/execute-rule.md")),
            ("plugin/fragments/continuation-passing.md", None),
            ("plugin/hooks/hooks.json", None),
            ("plugin/directives/AGENTS.md", None),
            ("docs/skills/x.md", None),
            (SNAPSHOT, Some("config.toml")),
            ("crates/cli/tests/cli/snapshots/cli__other.snap", None),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
        let snapshot = line(SNAPSHOT, "---\nsource: x\nexpression: y\n---\n# a\n\n[b]\n").unwrap();
        assert_eq!(snapshot, format!("config.toml {}", text_seal("# a\n\n[b]\n")));
    }
}
