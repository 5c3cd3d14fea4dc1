//! The files that come with engine, and those of a project that are, or were, one of them.
//!
//! A clone has no manifest of what was installed, so a file is known by what it says: it is ours if it says what some version of engine
//! shipped under this name. Nothing is recognised under another name, and nothing behind a link: whoever made the link may have it lead to
//! where they keep their own copy.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::read::read_bytes;
use engine_text::line::text_seal;
use fs_err as fs;

use super::written::{CLIENT_FOLDER, FRAGMENT};
use super::{Shipped, client_home};

/// What the list of versions calls the first configuration of a project.
pub(super) const CONFIG: &str = "config.toml";
/// What it calls the fragment.
const FRAGMENT_NAME: &str = "fragments/execute-rule.md";

/// No file of ours is nearly as large.
const LARGEST: u64 = 1 << 20;

/// Everything that `engine init` can write into a project, in this version and in all before it.
#[derive(Debug)]
pub struct Shipment {
    pub skills: Vec<Shipped>,
    pub agents: Vec<Shipped>,
    pub fragment: String,
    pub config: String,
    /// `NAME SEAL` for each version of each file; see `cargo xtask shipped-hashes`.
    pub versions: &'static str,
}

/// What a file that has the name of one of ours is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As this version ships it.
    Current,
    /// As an earlier version shipped it.
    Older,
    /// As an earlier version shipped it; this one has no such file.
    Retired,
    /// Ours, and somebody has changed it.
    Edited,
    /// Somebody's own.
    Theirs,
    /// A link, or behind one.
    Linked,
    /// Behind a link that leads out of the project.
    LeadsOut,
}

impl Standing {
    /// Whether nobody's words are in it but ours.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::Current | Self::Older | Self::Retired)
    }
}

/// A file that has the name of one of ours.
#[derive(Debug, Clone)]
pub struct ShippedFile {
    /// In the list of versions.
    pub name: String,
    pub path: PathBuf,
    /// Empty where it was not read, or is no text.
    pub text: String,
    pub standing: Standing,
}

impl Shipment {
    /// What this version ships under a name.
    pub fn text(&self, name: &str) -> Option<&str> {
        if name == CONFIG {
            return Some(&self.config);
        }
        if name == FRAGMENT_NAME {
            return Some(&self.fragment);
        }
        if let Some(agent) = name.strip_prefix("agents/").and_then(|rest| rest.strip_suffix(".md")) {
            return self.agents.iter().find(|shipped| shipped.name == agent).map(|shipped| shipped.text);
        }
        let (skill, file) = name.strip_prefix("skills/")?.split_once('/')?;
        let shipped = self.skills.iter().find(|shipped| shipped.name == skill)?;
        if file == "SKILL.md" {
            return Some(shipped.text);
        }
        shipped.files.iter().find(|(path, _)| *path == file).map(|(_, text)| *text)
    }

    /// The names of all files of this version.
    pub fn current(&self) -> BTreeSet<String> {
        let skills = self.skills.iter().flat_map(|skill| {
            let files = skill.files.iter().map(|(path, _)| *path);
            std::iter::once("SKILL.md").chain(files).map(|path| format!("skills/{}/{path}", skill.name))
        });
        let agents = self.agents.iter().map(|agent| format!("agents/{}.md", agent.name));
        skills.chain(agents).chain([CONFIG, FRAGMENT_NAME].map(str::to_owned)).collect()
    }

    /// Those of all versions.
    fn names(&self) -> BTreeSet<String> {
        let earlier = self.versions.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned()));
        earlier.chain(self.current()).collect()
    }

    /// Whether some version shipped this under this name.
    pub fn is_ours(&self, name: &str, text: &str) -> bool {
        let seal = text_seal(text);
        let is_listed =
            || self.versions.lines().any(|line| line.split_once(' ') == Some((name, seal.as_str())));
        self.text(name).is_some_and(|current| text_seal(current) == seal) || is_listed()
    }

    /// What a text under a name is.
    pub(super) fn standing(&self, name: &str, text: &str) -> Standing {
        let current = self.text(name);
        let is_current = current.is_some_and(|current| text_seal(current) == text_seal(text));
        match (current, is_current, self.is_ours(name, text)) {
            (_, true, _) => Standing::Current,
            (Some(_), _, true) => Standing::Older,
            (None, _, true) => Standing::Retired,
            // A configuration is one however little of ours is left in it.
            (Some(current), ..) if name == CONFIG || resembles(text, current) => Standing::Edited,
            _ => Standing::Theirs,
        }
    }

    /// What a path is called in the list, if init may write it.
    pub(super) fn name_of(&self, project: &Project, path: &Path) -> Option<String> {
        if path == project.config_file() {
            return Some(CONFIG.to_owned());
        }
        let folder = places(project).into_iter().find(|folder| path.starts_with(folder))?;
        self.names().into_iter().find(|name| place(&folder, name).as_deref() == Some(path))
    }

    /// Folders that are ours by their name, or by what they hold in the folder of the client: each is named only if it is there.
    pub(super) fn folders(&self, project: &Project) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for folder in places(project) {
            let paths = self.names().into_iter().filter_map(|name| place(&folder, &name));
            for path in paths {
                let above = path.ancestors().skip(1).take_while(|above| above.starts_with(&folder));
                found.extend(above.filter(|above| above.is_dir()).map(Path::to_owned));
            }
        }
        found
    }

    /// Where the files of this version are or may be installed, with their texts.
    pub(super) fn places(&self, project: &Project) -> Vec<(PathBuf, &str)> {
        let current = self.current();
        let in_folder = |folder: PathBuf| {
            current.iter().filter_map(move |name| Some((place(&folder, name)?, self.text(name)?)))
        };
        let config = (project.config_file(), self.config.as_str());
        places(project).into_iter().flat_map(in_folder).chain([config]).collect()
    }

    /// Whatever lies under the names of our files: in the project, and in the client's folder of the person.
    pub fn files(&self, project: &Project) -> Vec<ShippedFile> {
        let names = self.names();
        let mut found: Vec<ShippedFile> = Vec::new();
        for folder in places(project) {
            let real = resolve(&folder);
            let is_theirs = client_home().is_some_and(|home| home == folder);
            let leads_out = !is_theirs && !real.starts_with(resolve(project.root()));
            for name in &names {
                let Some(path) = place(&folder, name) else { continue };
                found.extend(self.file(name, &path, |path| match path.strip_prefix(&folder) {
                    _ if leads_out => Some(Standing::LeadsOut),
                    Ok(rest) if resolve(path) == real.join(rest) => None,
                    _ => Some(Standing::Linked),
                }));
            }
        }
        let config = project.config_file();
        let real = resolve(project.root()).join(config.strip_prefix(project.root()).unwrap_or(&config));
        found.extend(self.file(CONFIG, &config, |path| (resolve(path) != real).then_some(Standing::Linked)));
        found
    }

    /// The file of a name, if it is there. `linked` says whether a link is in its way.
    fn file(
        &self,
        name: &str,
        path: &Path,
        linked: impl Fn(&Path) -> Option<Standing>,
    ) -> Option<ShippedFile> {
        let data = fs::symlink_metadata(path).ok()?;
        let shipped =
            |text, standing| ShippedFile { name: name.to_owned(), path: path.to_owned(), text, standing };
        if let Some(standing) = linked(path) {
            return Some(shipped(String::new(), standing));
        }
        if !data.is_file() || data.len() > LARGEST {
            return Some(shipped(String::new(), Standing::Theirs));
        }
        let bytes = read_bytes(path).unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else {
            return Some(shipped(String::new(), Standing::Theirs));
        };
        let standing = self.standing(name, &text);
        Some(shipped(text, standing))
    }
}

/// The folders of the client that may hold our files.
pub(super) fn places(project: &Project) -> Vec<PathBuf> {
    let own = project.root().join(CLIENT_FOLDER);
    let home = client_home().filter(|home| *home != own);
    std::iter::once(own).chain(home).collect()
}

/// The folders above a file of ours that may be ours as well, innermost first.
pub(super) fn folders_above(project: &Project, path: &Path) -> Vec<PathBuf> {
    let own = project.root().join(CLIENT_FOLDER);
    let home = client_home();
    let is_ours = |folder: &&Path| {
        folder.starts_with(&own)
            || home.as_deref().is_some_and(|home| folder.starts_with(home) && *folder != home)
            || **folder == project.folder()
    };
    path.ancestors().skip(1).take_while(is_ours).map(Path::to_owned).collect()
}

/// Where a file of the list is installed in a folder of the client.
pub(super) fn place(folder: &Path, name: &str) -> Option<PathBuf> {
    match name {
        CONFIG => None,
        FRAGMENT_NAME => Some(folder.join(FRAGMENT)),
        _ => Some(folder.join(name)),
    }
}

/// Fewer lines than these are alike by chance: a name, a heading.
const ALIKE: usize = 3;

/// Whether most lines of the shorter text are in the other one, too: somebody changed it, and did not write their own.
fn resembles(one: &str, other: &str) -> bool {
    let lines = |text: &str| -> BTreeSet<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| line.len() > 3).collect()
    };
    let (one, other) = (lines(one), lines(other));
    let shared = one.intersection(&other).count();
    shared >= ALIKE && 2 * shared >= one.len().min(other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILL: &str = "---\nname: do\n---\nOne line.\nAnother line.\nA third one.\n";

    fn shipment() -> Shipment {
        let skill = Shipped { name: "do", text: SKILL, files: &[("modes/a.md", "mode a\n")] };
        let agent = Shipped { name: "qa", text: "agent\n", files: &[] };
        // Of `do` the text "old" as well, and a skill that is not shipped any more.
        let versions = format!(
            "skills/do/SKILL.md {}\nskills/gone/SKILL.md {}\n",
            text_seal("old\n"),
            text_seal("gone\n")
        );
        Shipment {
            skills: vec![skill],
            agents: vec![agent],
            fragment: "fragment\n".to_owned(),
            config: "# config\n".to_owned(),
            versions: versions.leak(),
        }
    }

    fn found(root: &Path) -> Vec<(String, Standing)> {
        let project = Project::at(root);
        let of_project = |file: &ShippedFile| file.path.starts_with(root);
        shipment()
            .files(&project)
            .into_iter()
            .filter(of_project)
            .map(|file| (file.path.strip_prefix(root).unwrap().display().to_string(), file.standing))
            .collect()
    }

    #[test]
    fn a_file_is_known_by_name_and_text() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        };
        let skill = ".claude/skills/do/SKILL.md";
        let edited = SKILL.replace("Another", "My");
        for (text, expected) in [
            (SKILL, Standing::Current),
            (&SKILL.replace('\n', "\r\n"), Standing::Current),
            (SKILL.trim_end(), Standing::Current),
            ("old\n", Standing::Older),
            ("old\r\n", Standing::Older),
            (&edited, Standing::Edited),
            ("---\nname: do\n---\nMine.\nAll of it is mine.\nAnd this.\n", Standing::Theirs),
            ("gone\n", Standing::Theirs),
            ("", Standing::Theirs),
        ] {
            write(skill, text);
            assert_eq!(found(&root), [(skill.to_owned(), expected)], "{text:?}");
        }
        fs::write(root.join(skill), b"\xff\xfe").unwrap();
        assert_eq!(found(&root), [(skill.to_owned(), Standing::Theirs)]);
        fs::remove_file(root.join(skill)).unwrap();
        fs::create_dir(root.join(skill)).unwrap();
        assert_eq!(found(&root), [(skill.to_owned(), Standing::Theirs)]);
        fs::remove_dir(root.join(skill)).unwrap();
        write(".claude/skills/other/SKILL.md", SKILL);
        write(".claude/skills/gone/SKILL.md", "gone\n");
        write(".claude/engine/execute-rule.md", "fragment\n");
        write(".claude/agents/qa.md", "agent\n");
        write(".engine/config.toml", "# config\n");
        let expected = [
            (".claude/agents/qa.md", Standing::Current),
            (".claude/engine/execute-rule.md", Standing::Current),
            (".claude/skills/gone/SKILL.md", Standing::Retired),
            (".engine/config.toml", Standing::Current),
        ];
        assert_eq!(found(&root), expected.map(|(path, standing)| (path.to_owned(), standing)));
    }

    #[test]
    fn nothing_is_recognised_behind_a_link_but_that_of_the_clients_folder() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let write = |path: &str| {
            fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            fs::write(top.join(path), SKILL).unwrap();
        };
        let skill = |root: &Path, expected: Standing| {
            assert_eq!(found(root), [(".claude/skills/do/SKILL.md".to_owned(), expected)]);
        };
        write("a/plugin/skills/do/SKILL.md");
        fs::create_dir_all(top.join("a/.claude")).unwrap();
        symlink("../plugin/skills", top.join("a/.claude/skills")).unwrap();
        skill(&top.join("a"), Standing::Linked);
        write("b/text.md");
        fs::create_dir_all(top.join("b/.claude/skills/do")).unwrap();
        symlink("../../../text.md", top.join("b/.claude/skills/do/SKILL.md")).unwrap();
        skill(&top.join("b"), Standing::Linked);
        write("c/cfg/skills/do/SKILL.md");
        symlink("cfg", top.join("c/.claude")).unwrap();
        skill(&top.join("c"), Standing::Current);
        fs::create_dir_all(top.join("d")).unwrap();
        symlink("../c/cfg", top.join("d/.claude")).unwrap();
        skill(&top.join("d"), Standing::LeadsOut);
    }

    #[test]
    fn the_name_of_a_path_is_found_where_init_writes() {
        let (root, shipment) = (Path::new("/p"), shipment());
        let project = Project::at(root);
        for (path, expected) in [
            (".claude/skills/do/SKILL.md", Some("skills/do/SKILL.md")),
            (".claude/skills/do/modes/a.md", Some("skills/do/modes/a.md")),
            (".claude/skills/gone/SKILL.md", Some("skills/gone/SKILL.md")),
            (".claude/agents/qa.md", Some("agents/qa.md")),
            (".claude/engine/execute-rule.md", Some(FRAGMENT_NAME)),
            (".engine/config.toml", Some(CONFIG)),
            (".claude/config.toml", None),
            (".claude/settings.json", None),
            ("CLAUDE.md", None),
        ] {
            assert_eq!(shipment.name_of(&project, &root.join(path)).as_deref(), expected, "{path}");
        }
        assert_eq!(shipment.current().len(), 5);
    }
}
