//! `cargo xtask hot`: which functions the hook calls, written down for the linker (see [`crate::shipped`]).
//!
//! Callgrind runs the shipped binary, with its symbols, on the events of the benchmark.

use std::collections::HashSet;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::bench::{events, process::on_path, project::BenchProject};
use crate::cargo;
use crate::shipped::{self, key};

/// Where the list is, from the root.
const LIST: &str = "xtask/hot-functions.txt";

pub(crate) fn run() -> Result<ExitCode> {
    let valgrind = on_path("valgrind").context("valgrind is needed: apt-get install valgrind")?;
    let engine = shipped::build_with_symbols()?;
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("calls");
    let project = BenchProject::new(&engine)?;
    project.add_skills()?;
    let mut found = Found::default();
    for event in events::EVENTS.iter().map(|event| event.in_project(&project)) {
        let hook = project.hook(&event);
        // The first run may fill caches.
        hook.output()?;
        let file = format!("--callgrind-out-file={}", out.display());
        hook.under(&valgrind, &["--tool=callgrind", "--demangle=no", &file]).output()?;
        found.add(&fs::read_to_string(&out).context("callgrind wrote nothing")?);
    }
    let path = cargo::root().join(LIST);
    fs::write(&path, found.names.join("\n") + "\n").with_context(|| format!("cannot write {LIST}"))?;
    eprintln!("{LIST}: {} functions", found.names.len());
    Ok(ExitCode::SUCCESS)
}

/// Functions in the order in which they were found.
#[derive(Default)]
struct Found {
    names: Vec<String>,
    seen: HashSet<String>,
}

impl Found {
    /// Takes the names out of what callgrind writes: `fn=(12) name` where a number occurs first, `fn=(12)` later. A call that recurs is
    /// `name'2`.
    fn add(&mut self, calls: &str) {
        let named = calls.lines().filter_map(|line| line.strip_prefix("fn=").or(line.strip_prefix("cfn=")));
        for name in named.filter_map(|rest| Some(rest.split_once(") ")?.1)) {
            let name = key(name.split('\'').next().unwrap_or(name));
            if self.seen.insert(name.to_owned()) {
                self.names.push(name.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_once_and_in_order() {
        let mut found = Found::default();
        found.add("fn=(1) main\ncfn=(2) _ZN1a1b17h0123456789abcdefE\nfn=(2)\nfn=(3) _ZN1a1b17h0123456789abcdefE'2\nfl=(1) x.rs\n");
        found.add("cfn=(1) malloc\nfn=(9) main\n");
        assert_eq!(found.names, ["main", "_ZN1a1b", "malloc"]);
    }
}
