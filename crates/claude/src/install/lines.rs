//! Lines that init adds to files of the person's: the import of the fragment, and what git is not to show.
//!
//! A first try is private: `.engine/` and the client's local settings go into the repository's own ignore list, `.git/info/exclude`, which
//! nobody else sees. A team commits `.engine/`, so there it is not hidden, and a line of ours that hid it goes.

use std::path::{Path, PathBuf};

use engine_store::git;
use engine_store::project::{FOLDER, Project};

use super::line;
use super::manifest::Touched;
use super::written::exclude_file;
use super::{FileChange, InstallError, Plan, Scope, read};
use crate::entry::Form;
use crate::reach::wirings;

/// The client has git ignore this file when it makes it; so do we when we make it.
pub(super) const EXCLUDED: &str = "**/.claude/settings.local.json";

/// The comment in front of a line of the ignore list that is ours. Whoever has no manifest knows it by that.
pub(super) fn marker(pattern: &str) -> String {
    format!("# engine init hides: {pattern}")
}

impl Plan {
    /// Lines at the end of a file of the person's, those that are not there.
    pub(super) fn add_lines(
        &mut self,
        project: &Project,
        path: PathBuf,
        lines: &[String],
    ) -> Result<(), InstallError> {
        if !lines.is_empty() && self.is_outside(project, &path) {
            return Ok(());
        }
        let before = read(&path)?;
        let mut after = before.clone().unwrap_or_default();
        let mut missing: Vec<&str> = Vec::new();
        for line in lines {
            // A file of ours has whole lines.
            let is_ours = before.is_none() && line::removed(&after, line).is_none();
            let added = if is_ours { Some(format!("{after}{line}\n")) } else { line::added(&after, line) };
            let Some(added) = added else { continue };
            after = added;
            missing.push(line);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let known = self.manifest(project, &path).files.get(&path).cloned().unwrap_or_default();
        let ours = known.line.as_deref().into_iter().chain(missing).collect::<Vec<_>>().join("\n");
        let touched = Touched {
            before: before.as_deref().and_then(|before| without_us(before, &known)),
            after: after.clone(),
            line: Some(ours),
            ..Touched::default()
        };
        self.record(project, FileChange { path, before, after: Some(after) }, touched);
        Ok(())
    }

    /// Takes lines of ours out again, as far as they are there.
    fn drop_lines(&mut self, project: &Project, path: &Path, lines: &[String]) -> Result<(), InstallError> {
        let known = self.manifest(project, path).files.get(path).cloned().unwrap_or_default();
        let ours: Vec<&str> = known.line.iter().flat_map(|ours| ours.lines()).collect();
        let goes = |line: &&str| lines.iter().any(|gone| gone == line);
        let Some(before) = read(path)?.filter(|_| ours.iter().any(goes)) else { return Ok(()) };
        let (gone, rest): (Vec<&str>, Vec<&str>) = ours.into_iter().partition(goes);
        let clean = without_us(&before, &known);
        let without = |text: String, line: &&str| line::removed(&text, line).unwrap_or(text);
        let after =
            if rest.is_empty() { clean.clone() } else { Some(gone.iter().fold(before.clone(), without)) };
        let touched = Touched {
            before: clean,
            after: after.clone().unwrap_or_default(),
            line: Some(rest.join("\n")),
            ..Touched::default()
        };
        self.record(project, FileChange { path: path.to_owned(), before: Some(before), after }, touched);
        if rest.is_empty() {
            self.manifest(project, path).files.remove(path);
        }
        Ok(())
    }

    /// Hides from git what is this person's alone, and shows what a team commits.
    pub(super) fn hide(
        &mut self,
        project: &Project,
        scope: Scope,
        local_file: &Path,
    ) -> Result<(), InstallError> {
        let root = project.root();
        let Some((exclude, folder)) = exclude_file(root).zip(hidden_folder(root)) else { return Ok(()) };
        let mut lines = Vec::new();
        let is_changed = self.changes.iter().any(|change| change.path == local_file);
        if is_changed && !is_ignored(root, ".claude/settings.local.json") {
            lines.push(EXCLUDED.to_owned());
        }
        if scope == Scope::Project {
            self.drop_lines(project, &exclude, &[marker(&folder), folder])?;
        } else if !is_of_team(root) && !is_tracked(root) && !is_ignored(root, ".engine/config.toml") {
            lines.push(folder);
        }
        let lines: Vec<String> = lines.into_iter().flat_map(|line| [marker(&line), line]).collect();
        self.add_lines(project, exclude, &lines)
    }
}

/// The pattern that hides `.engine/`; nothing where there is no repository.
pub(super) fn hidden_folder(root: &Path) -> Option<String> {
    let prefix = git::text(root, &["rev-parse", "--show-prefix"])?;
    Some(format!("/{}{FOLDER}/", escaped(prefix.trim_end_matches(['\n', '\r']))))
}

/// A file as it was before us; nothing if it came with us.
fn without_us(text: &str, known: &Touched) -> Option<String> {
    match &known.line {
        None => Some(text.to_owned()),
        Some(_) if text == known.after => known.before.clone(),
        Some(lines) => {
            let without = |text: String, line| line::removed(&text, line).unwrap_or(text);
            Some(lines.lines().fold(text.to_owned(), without))
        }
    }
}

/// A committed entry is for everybody, with the configuration.
fn is_of_team(root: &Path) -> bool {
    wirings(root).iter().any(|wiring| wiring.scope == Scope::Project && wiring.form == Form::Team)
}

fn is_tracked(root: &Path) -> bool {
    git::text(root, &["ls-files", "--", FOLDER]).is_some_and(|files| !files.trim().is_empty())
}

fn is_ignored(root: &Path, path: &str) -> bool {
    git::git(root, &["check-ignore", "-q", path]).is_some_and(|done| done.code == Some(0))
}

/// A path as a pattern that means itself.
fn escaped(path: &str) -> String {
    path.chars().fold(String::new(), |mut out, c| {
        if "\\*?[".contains(c) {
            out.push('\\');
        }
        out.push(c);
        out
    })
}
