//! The README: short enough to be read, and every command and page that it names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The command lines that begin with `engine` in a page: lines of `sh` blocks, and code spans.
fn commands(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut in_sh = false;
    for line in page.lines() {
        if line.starts_with("```") {
            in_sh = line == "```sh";
        } else if in_sh {
            found.insert(line.split(" #").next().unwrap_or(line).trim().to_owned());
        } else {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found.into_iter().filter(|command| command.starts_with("engine ")).collect()
}

#[test]
fn a_stranger_reads_it_in_five_minutes() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let words = page.split_whitespace().count();
    assert!(words <= 900, "README.md has {words} words, 900 are allowed");
}

#[test]
fn every_command_in_it_is_one() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = commands(&page);
    assert!(commands.len() > 10, "{commands:?}");
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|command| {
            let tried = engine_cli::command().try_get_matches_from(command.split_whitespace());
            // What names a group of commands only needs its subcommand.
            tried.err().filter(|error| !shows_help(error.kind())).map(|error| format!("{command}: {error}"))
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    let tried = engine_cli::command().try_get_matches_from(["engine", "no-such-command"]);
    assert!(tried.is_err_and(|error| !shows_help(error.kind())));
}

fn shows_help(kind: clap::error::ErrorKind) -> bool {
    use clap::error::ErrorKind;
    matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
}

/// The index of `docs/` names each page once.
#[test]
fn the_index_lists_every_page() {
    let docs = root().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let listed: Vec<&str> = index
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| [")?.split_once("](")?.1.split_once(')')?.0))
        .collect();
    let mut pages: Vec<String> = fs::read_dir(&docs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    pages.sort();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, pages);
}
