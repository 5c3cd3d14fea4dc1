//! The texts in which sigils count, and where each of them stands: directives of every level, context files, skills of the project and of
//! plugins, the person's own directives, the standards.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine_claude::skills::{self, Origin};
use engine_core::config::Config;
use engine_core::directive::{self, Type};
use engine_core::sigil::{Document, Home};
use engine_core::standard;
use engine_store::project::Project;
use engine_store::reason::reason;
use engine_store::{config_file, places, walk};

use crate::error::CommandError;
use crate::here;

/// The project around the current folder, or that folder alone.
pub struct DocumentScope {
    root: PathBuf,
    here: PathBuf,
    config: Config,
    /// How deep directives are looked for.
    deepest: usize,
}

/// Files, and where what they say holds. One that links bring to several places is one.
#[derive(Default)]
struct Placed {
    files: Vec<(PathBuf, Vec<Home>)>,
    /// By the real path.
    known: HashMap<PathBuf, usize>,
    /// What could not be read, each with the reason.
    unread: Vec<String>,
}

/// The documents, and what could not be read.
#[derive(Debug, Default)]
pub struct Documents {
    pub documents: Vec<Document>,
    /// Sentences, each with the path and the reason.
    pub unread: Vec<String>,
}

impl Placed {
    /// What a walk found, and what it could not read.
    fn add_walked(&mut self, walked: walk::Walked, home: impl Fn(&Path) -> Home) {
        let unread = walked.unread.iter();
        self.unread.extend(
            unread.map(|(path, error)| format!("{} was not read: {}", path.display(), reason(error))),
        );
        self.add(walked.files, home);
    }

    fn add(&mut self, files: impl IntoIterator<Item = PathBuf>, home: impl Fn(&Path) -> Home) {
        for path in files {
            let home = home(&path);
            if let Some(index) = self.known.get(&real(&path)) {
                let (_, homes) = &mut self.files[*index];
                if !homes.contains(&home) {
                    homes.push(home);
                }
            } else {
                self.known.insert(real(&path), self.files.len());
                self.files.push((path, vec![home]));
            }
        }
    }
}

impl DocumentScope {
    pub fn here() -> Result<Self, CommandError> {
        let here = here::folder()?;
        Ok(match Project::open(None, &here) {
            Some(project) => Self {
                root: project.root().to_owned(),
                here,
                config: config_file::load(&project),
                deepest: usize::MAX,
            },
            // It may be a home, or the whole disk.
            None => Self { root: here.clone(), here, config: Config::default(), deepest: ROOT_ALONE },
        })
    }

    /// The same for those who see no further than the root.
    pub fn of_root() -> Result<Self, CommandError> {
        Ok(Self { deepest: ROOT_ALONE, ..Self::here()? })
    }

    /// All documents. With paths only those there are asked about, and whatever else there is Markdown is one, too.
    pub fn documents(&self, paths: &[PathBuf]) -> Result<Documents, CommandError> {
        let mut named = Vec::new();
        for path in paths {
            named.push(fs::canonicalize(path).map_err(|error| CommandError::at(path.display(), error))?);
        }
        let mut placed = Placed::default();
        self.directives(&mut placed);
        self.skills(&mut placed);
        self.others(&named, &mut placed);
        let mut unread = placed.unread;
        let (files, homes): (Vec<PathBuf>, Vec<Vec<Home>>) = placed.files.into_iter().unzip();
        let mut documents = Vec::new();
        for ((path, text), homes) in walk::read_all(&files, str::to_owned).into_iter().zip(homes) {
            match text {
                Ok(text) => {
                    let real = real(path);
                    let asked = named.is_empty() || named.iter().any(|named| real.starts_with(named));
                    documents.push(Document { path: self.shown(path), text, homes, asked });
                }
                Err(error) => unread.push(format!("{} was not read: {}", path.display(), reason(&error))),
            }
        }
        let standards = standards(&mut documents, named.is_empty());
        documents.extend(standards);
        Ok(Documents { documents, unread })
    }

    /// Where a skill stands.
    pub fn skill(&self, folder: &Path) -> Home {
        Home::Own { folder: real(folder), from: self.root.clone() }
    }

    /// Directives of the project and the person's, and the context files.
    fn directives(&self, placed: &mut Placed) {
        let names = self.config.names(&directive::SKIP);
        let is_bare = self.config.flag(&directive::BARE);
        // The client's worktrees are the project once more.
        let worktrees = self.root.join(".claude/worktrees");
        let is_directive = |path: &Path| {
            let is_named = || Type::find(&name_of(path)).is_some_and(|kind| kind.file() == name_of(path));
            let is_wanted =
                if is_in(path, directive::FOLDER) { is_markdown(path) } else { is_bare && is_named() };
            is_wanted && !path.starts_with(&worktrees)
        };
        // Links bring the same directives to several folders; others are followed within the project, which they may well leave for
        // something large.
        let linked = RefCell::new(Vec::new());
        let follows = |link: &Path, real: &Path| {
            let is_ours = link.ends_with(directive::FOLDER) || is_directive(link);
            if is_ours {
                linked.borrow_mut().push(link.to_owned());
            }
            !is_ours && real.starts_with(&self.root)
        };
        let bounds = walk::Bounds { skipped: directive::skipped(&names), follows: &follows };
        let start = [self.root.clone()];
        placed.add_walked(walk::files_within(&bounds, &start, self.deepest, is_directive), level);
        for link in linked.take() {
            placed.add_walked(walk::files(&[link], 1, is_markdown), level);
        }
        let context = [self.root.join(".engine/context")];
        placed.add_walked(walk::files(&context, 1, is_markdown), |_| Home::Folder(self.root.clone()));
        let own: Vec<PathBuf> = places::user_directives().into_iter().collect();
        placed.add_walked(walk::files(&own, 1, is_markdown), |_| Home::Person);
    }

    /// SKILL.md with what lies beside it; a command alone.
    fn skills(&self, placed: &mut Placed) {
        for found in skills::all(&self.root) {
            let Some(path) = found.path.filter(|_| found.origin != Origin::User) else { continue };
            match path.parent().filter(|_| path.ends_with(SKILL)) {
                Some(folder) => {
                    let files = walk::files(&[folder.to_owned()], usize::MAX, is_markdown);
                    placed.add_walked(files, |_| self.skill(folder));
                }
                None => placed.add([path], |path| self.skill(path)),
            }
        }
    }

    /// What is named and none of these.
    fn others(&self, named: &[PathBuf], placed: &mut Placed) {
        let mut walked = walk::files(named, usize::MAX, is_markdown);
        walked.files.retain(|file| !placed.known.contains_key(&real(file)));
        placed.add_walked(walked, |path| {
            let skill = path.ancestors().skip(1).find(|folder| folder.join(SKILL).is_file());
            match (skill, path.parent()) {
                (Some(folder), _) => self.skill(folder),
                (None, Some(folder)) if !folder.ends_with(directive::FOLDER) => {
                    Home::Own { folder: folder.to_owned(), from: folder.to_owned() }
                }
                _ => level(path),
            }
        });
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.here).unwrap_or(path).display().to_string()
    }
}

const SKILL: &str = "SKILL.md";

/// The root and the folders in it.
const ROOT_ALONE: usize = 2;

/// The standards. A file that is a copy of one counts as that one, and is taken out.
fn standards(documents: &mut Vec<Document>, asked: bool) -> Vec<Document> {
    let mut standards = standard::documents();
    for standard in &mut standards {
        let copies = documents.extract_if(.., |document| document.text == standard.text);
        let named = copies.filter(|copy| copy.asked).count();
        standard.asked = asked || named > 0;
    }
    standards
}

/// What a directive holds for: the folder that its own is in.
fn level(path: &Path) -> Home {
    let folder = path.parent().unwrap_or(path);
    let above = if folder.ends_with(directive::FOLDER) { folder.parent().unwrap_or(folder) } else { folder };
    Home::Folder(above.to_owned())
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"))
}

fn is_in(path: &Path, folder: &str) -> bool {
    path.parent().is_some_and(|parent| parent.ends_with(folder))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
