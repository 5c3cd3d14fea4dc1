//! A folder of the project that has directives, or is to have some.

use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::directive::edit::{NotAdded, mentions};
use engine_core::directive::{self, BARE, FOLDER, Places, SKIP, TYPES, Type};
use engine_store::links::resolve;
use engine_store::project::{self, Project};
use engine_store::{config_file, directive_file};

use super::{AGENTS, files};
use crate::error::{CommandError, Outcome};
use crate::here::must_be_markdown;

/// A folder of the project whose directives count.
#[derive(Clone)]
pub struct Place {
    pub project: Project,
    /// Without links, like `folder`.
    root: PathBuf,
    pub folder: PathBuf,
}

impl Place {
    /// The folder that an argument names: from here, else from the root, as commands that an agent is told name it.
    pub fn of(project: Project, dir: Option<&Path>) -> Result<Self, CommandError> {
        let config = config_file::load(&project);
        let Some(dir) = dir else { return Self::at(project, &config, Path::new(".")) };
        let here = std::path::absolute(dir)?;
        let path = if here.exists() { here } else { project.root().join(dir) };
        if !path.is_dir() {
            return Err(CommandError::refused(format!("there is no folder {}", dir.display())));
        }
        Self::at(project, &config, &path)
    }

    /// A path that is there; a file stands for no folder.
    pub fn at(project: Project, config: &Config, path: &Path) -> Result<Self, CommandError> {
        let root = resolve(project.root());
        let real = resolve(&project.root().join(path));
        // The folder of the directives stands for the one that it is in.
        let folder = match real.ancestors().filter(|up| up.ends_with(FOLDER)).last() {
            Some(own) => own.parent().unwrap_or(own).to_owned(),
            None => real,
        };
        let shown = path.strip_prefix(project.root()).unwrap_or(path).display().to_string();
        if !folder.starts_with(&root) {
            let text = format!("{shown} is outside of the project {}", project.root().display());
            return Err(CommandError::refused(text));
        }
        let own = [project.folder(), project.root().join(".git")];
        let skipped = config.names(&SKIP);
        let places = Places {
            root: &root,
            user: None,
            skipped: &skipped,
            bare: config.flag(&BARE),
            worktrees: engine_claude::DIALECT.worktrees,
        };
        if own.iter().any(|own| folder.starts_with(resolve(own))) || !directive::counts(&folder, &places) {
            return Err(CommandError::refused(format!("{shown}: directives in it do not count"))
                .hint("folders that are left out: engine config show directives.skip"));
        }
        Ok(Self { project, root, folder })
    }

    /// From the root; nothing for the root itself.
    fn shown(&self) -> String {
        self.folder.strip_prefix(&self.root).unwrap_or(&self.folder).to_string_lossy().into_owned()
    }

    /// As an argument of these commands; nothing for the root.
    pub fn dir(&self) -> Option<String> {
        Some(self.shown()).filter(|shown| !shown.is_empty())
    }

    /// What the file is about: the folder, or the project by the name of its root.
    pub fn name(&self) -> String {
        match self.shown() {
            shown if shown.is_empty() => {
                self.root.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            shown => shown,
        }
    }

    pub fn file(&self, kind: &Type) -> PathBuf {
        self.folder.join(FOLDER).join(kind.file())
    }

    pub fn shown_file(&self, kind: &Type) -> String {
        let file = self.file(kind);
        file.strip_prefix(&self.root).unwrap_or(&file).to_string_lossy().into_owned()
    }

    /// The file, if writing it stays in the project: an agent does so without being asked, and a link may lead anywhere.
    pub fn writable(&self, kind: &Type) -> Result<PathBuf, CommandError> {
        let file = self.file(kind);
        let real = resolve(&file);
        let is_ours = real.starts_with(self.root.join(project::FOLDER));
        if !real.starts_with(&self.root) || is_ours {
            let text = format!("{} is a link to a file that is not ours to write", self.shown_file(kind));
            return Err(CommandError::refused(text));
        }
        must_be_markdown(&file, "directive")?;
        Ok(file)
    }

    /// The files that the AGENTS.md beside them does not mention.
    pub fn unmentioned(&self) -> Result<Vec<&'static Type>, CommandError> {
        let Some(agents) = Type::find(AGENTS) else { return Ok(Vec::new()) };
        let text = directive_file::read(&self.project, &self.file(agents))
            .map_err(|error| CommandError::at(self.shown_file(agents), error))?;
        let text = text.unwrap_or_default();
        let is_missing = |kind: &&Type| self.file(kind).is_file() && !mentions(&text, &self.shown(), kind);
        Ok(TYPES.iter().filter(|kind| kind.name != AGENTS).filter(is_missing).collect())
    }

    /// Refuses where the AGENTS.md beside a file cannot be read: before the file is written, since what it does not mention
    /// is looked up after that.
    pub(super) fn must_know_agents(&self, kind: &Type) -> Outcome {
        if kind.name == AGENTS { Ok(()) } else { self.unmentioned().map(|_| ()) }
    }

    pub(super) fn not_added(&self, kind: &Type, why: NotAdded) -> CommandError {
        let file = self.shown_file(kind);
        match why {
            NotAdded::There(line) => CommandError::nothing(format!("{file}:{line} says it already")),
            NotAdded::Open(line) => CommandError::refused(format!(
                "{file}:{line}: the code or comment that begins here never ends"
            ))
            .hint("close it first: an entry behind it would be part of it"),
        }
    }

    /// `engine directives mention DIR`.
    fn mention_command(&self) -> String {
        let words = ["engine", "directives", "mention"].map(str::to_owned).into_iter().chain(self.dir());
        engine_text::line::shell_line(&words.collect::<Vec<_>>())
    }

    /// That a file is there now and AGENTS.md does not say so.
    pub fn unmentioned_line(&self, missing: &[&Type]) -> Option<String> {
        let agents = Type::find(AGENTS).filter(|_| !missing.is_empty())?;
        Some(format!(
            "{} does not mention {}: {}",
            self.shown_file(agents),
            files(missing),
            self.mention_command()
        ))
    }
}

#[cfg(test)]
mod tests;
