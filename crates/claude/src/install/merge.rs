//! The merge driver of the task file: the line in `.gitattributes`, and the driver in the configuration of the clone.

use std::path::Path;

pub(super) use engine_store::merge_driver::NAME;
use engine_store::merge_driver::{self, attribute, attribute_line, configured, program_of};
use engine_store::project::Project;

use super::{InstallError, Plan, read};

/// Where git looks for attributes of the files of a folder.
pub(super) const ATTRIBUTES: &str = ".gitattributes";

impl Plan {
    /// Has git merge a file, from the project's root, by `program`.
    pub(super) fn merge(
        &mut self,
        project: &Project,
        file: &str,
        program: &Path,
    ) -> Result<(), InstallError> {
        let root = project.root();
        if !merge_driver::has_repository(root) {
            self.notes.push(format!(
                "{} is in no git repository, so there is nothing to merge {file} in",
                root.display()
            ));
            return Ok(());
        }
        match attribute(root, file).as_deref() {
            None if is_link(&root.join(ATTRIBUTES)) => {
                self.notes.push(format!(
                    "{ATTRIBUTES} is a link, which git does not follow, so nothing was written; put a file of its own in its place, \
                     then: engine init --with merge"
                ));
                return Ok(());
            }
            None if !is_text(&root.join(ATTRIBUTES)) => {
                self.notes.push(format!(
                    "{ATTRIBUTES} is not UTF-8, so nothing was written; add this line to it, then: engine init --with merge\n  {}",
                    attribute_line(file)
                ));
                return Ok(());
            }
            None => self.add_lines(project, root.join(ATTRIBUTES), &[attribute_line(file)])?,
            Some(NAME) => {}
            Some(other) => {
                self.notes.push(format!(
                    "the attributes of {file} say merge={other}, which was kept; engine does not merge it"
                ));
                return Ok(());
            }
        }
        match configured(root) {
            Some(driver) if driver == merge_driver::command(program) => {}
            Some(driver) if program_of(&driver).is_none() => {
                self.notes.push(format!(
                    "merge.{NAME}.driver in the git configuration is yours and was kept: {driver}"
                ));
            }
            _ => {
                self.driver = Some(program.to_owned());
                self.notes.push(format!(
                    "merge.{NAME}.driver in the git configuration of this clone has git merge {file} by task; each other clone needs \
                     engine init --with merge once"
                ));
            }
        }
        Ok(())
    }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_symlink())
}

/// Whether a file, if there is one, can be read as a text.
fn is_text(path: &Path) -> bool {
    !read(path).is_err_and(|error| {
        matches!(error, InstallError::Io { error, .. } if error.kind() == std::io::ErrorKind::InvalidData)
    })
}

/// The lines of `.gitattributes` that give a file to our driver, and nothing else.
pub(super) fn lines(root: &Path) -> Vec<String> {
    if is_link(&root.join(ATTRIBUTES)) {
        return Vec::new();
    }
    let text = read(&root.join(ATTRIBUTES)).unwrap_or_default().unwrap_or_default();
    let end = format!(" merge={NAME}");
    let is_ours = |line: &&str| {
        let pattern = line.trim_end().strip_suffix(&end).unwrap_or_default();
        pattern.starts_with('/') && !pattern.contains([' ', '\t'])
            || pattern.starts_with("\"/") && pattern.ends_with('"')
    };
    text.lines().filter(is_ours).map(|line| line.trim_end().to_owned()).collect()
}
