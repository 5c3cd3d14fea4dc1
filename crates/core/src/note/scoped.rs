//! A note with a scope, as it is told to whoever works on a file of it.

use serde::{Deserialize, Serialize};

use super::covers;

/// What a hook has to know of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scoped {
    /// From the root of the project; of the person's own, the whole path.
    pub file: String,
    /// By what commands name it.
    pub id: String,
    /// The person's own: it is told in a project that is not trusted, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mine: bool,
    pub scope: Vec<String>,
    /// What is told of it.
    pub line: String,
}

/// A folder whose files are notes, as it is in every path to one.
const FOLDER: &str = "engine/memory/";

impl Scoped {
    /// Whether it has something to say about one of these paths from the root.
    pub fn is_about(&self, path: &str) -> bool {
        self.scope.iter().any(|pattern| covers(pattern, path))
    }

    /// What is told where the line is larger than all that one event may tell.
    pub fn named(&self) -> String {
        let head = self.line.split_once("): ").map_or(self.line.as_str(), |(head, _)| head);
        format!("{head}): engine note show {}", self.id)
    }
}

/// The id of the note that a path names, if it names one.
pub fn id_of(path: &str) -> Option<String> {
    let (folder, name) = path.split_at(path.find(FOLDER)? + FOLDER.len());
    let slug = name.strip_suffix(".md").filter(|slug| !slug.contains('/'))?;
    let is_of_project = folder.strip_suffix(FOLDER) == Some(".");
    Some(if is_of_project { slug.to_owned() } else { format!("mine/{slug}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_note_or_none() {
        for (path, expected) in [
            (".engine/memory/a.md", Some("a")),
            ("/home/dev/.config/engine/memory/b.md", Some("mine/b")),
            (".engine/memory/dropped/a.md", None),
            (".engine/memory/a.txt", None),
            ("src/.directives/AGENTS.md", None),
        ] {
            assert_eq!(id_of(path).as_deref(), expected, "{path}");
        }
    }
}
