//! What a test may need that a machine may not have.
//!
//! Such a test has `#[ignore = "needs …: cargo xtask test"]`, so it is never counted as passed where it did not run.
//! The marks in the sources are read, since neither cargo nor nextest lists the reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use engine_testkit::client;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Client,
    Namespaces,
}

impl Need {
    pub(crate) const ALL: [Self; 2] = [Self::Client, Self::Namespaces];

    /// The reason that stands in the mark of a test.
    fn mark(self) -> &'static str {
        match self {
            Self::Client => "needs the real client: cargo xtask test",
            Self::Namespaces => "needs mount namespaces: cargo xtask test",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Namespaces => "namespaces",
        }
    }

    /// What [`Self::provide`] does, for the line that is printed before.
    pub(crate) fn doing(self) -> String {
        match self {
            Self::Client => {
                format!(
                    "Claude Code {}, installed from npm if it is not in the cache",
                    client::CLAUDE_VERSION
                )
            }
            Self::Namespaces => "unshare -rm true".to_owned(),
        }
    }

    /// Makes it available if that is possible. The error says why its tests cannot run.
    pub(crate) fn provide(self) -> Result<()> {
        match self {
            Self::Client => client::ensure().map(drop),
            Self::Namespaces => {
                let mut probe = Command::new("unshare");
                probe.args(["-rm", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
                let status = probe.status().context("cannot run unshare")?;
                ensure!(status.success(), "`unshare -rm true` is not allowed here");
                Ok(())
            }
        }
    }
}

/// A test that needs something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) need: Need,
    /// The file without its ending: `real_chains`.
    pub(crate) module: String,
    pub(crate) function: String,
}

impl Marked {
    /// `real_chains::a_typed_chain_runs`
    pub(crate) fn name(&self) -> String {
        format!("{}::{}", self.module, self.function)
    }
}

/// All marked tests of the workspace, in the order of their files.
pub(crate) fn marked(root: &Path) -> Result<Vec<Marked>> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        sources(&root.join(folder), &mut files)?;
    }
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let module = file.file_stem().unwrap_or_default().to_string_lossy();
        all.extend(marked_in(&module, &text).with_context(|| file.display().to_string())?);
    }
    Ok(all)
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
    Ok(())
}

/// A mark stands alone on its line, above the function. One with an unknown reason, or with none, is an error: its test
/// would be counted with others that it has nothing to do with.
fn marked_in(module: &str, text: &str) -> Result<Vec<Marked>> {
    let mut all = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.by_ref().find(|line| line.starts_with("#[ignore")) {
        let known = |need: &Need| line == format!("#[ignore = \"{}\"]", need.mark());
        let need = Need::ALL.into_iter().find(known).with_context(|| format!("unknown mark {line}"))?;
        let function = lines.by_ref().find_map(|line| line.strip_prefix("fn ")?.split('(').next());
        let function = function.with_context(|| format!("no function below {line}"))?.to_owned();
        all.push(Marked { need, module: module.to_owned(), function });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::root;

    #[test]
    fn marks_are_read_with_their_reason() {
        let text = "#[test]\nfn plain() {}\n\n#[test]\n#[ignore = \"needs the real client: cargo xtask test\"]\nfn real() -> Result<()> {\n}\n\
                    mod tests {\n    #[test]\n    #[ignore = \"needs mount namespaces: cargo xtask test\"]\n    #[cfg(unix)]\n    fn mounted() {}\n}\n";
        let found = marked_in("m", text).unwrap();
        let found: Vec<_> = found.iter().map(|test| (test.need, test.name())).collect();
        assert_eq!(
            found,
            [(Need::Client, "m::real".to_owned()), (Need::Namespaces, "m::mounted".to_owned())]
        );
    }

    #[test]
    fn a_mark_without_a_known_reason_is_an_error() {
        for mark in ["#[ignore]", "#[ignore = \"slow\"]"] {
            assert!(marked_in("m", &format!("#[test]\n{mark}\nfn x() {{}}\n")).is_err(), "{mark}");
        }
    }

    /// Whoever forgets the mark has a test that fails without a client. Here it is told earlier.
    #[test]
    fn every_test_of_a_real_module_is_marked() {
        let mut files = Vec::new();
        sources(&root().join("crates"), &mut files).unwrap();
        let is_real = |file: &&PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("real_"))
        };
        let mut tests = 0;
        for file in files.iter().filter(is_real) {
            let text = fs::read_to_string(file).unwrap();
            let all = text.lines().filter(|line| line.trim() == "#[test]").count();
            assert_eq!(marked_in("m", &text).unwrap().len(), all, "{}", file.display());
            tests += all;
        }
        assert!(tests > 50, "only {tests}");
        assert!(marked(&root()).unwrap().len() > tests, "others are marked, too");
    }
}
