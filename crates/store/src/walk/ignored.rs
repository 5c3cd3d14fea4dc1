//! What git ignores: by the patterns in the folders of its repository, in `.git/info/exclude` and in the person's own file.
//!
//! Files that git tracks all the same are asked of git itself, see [`super::Walk`].

use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::places;
use crate::read::{read_bytes, read_small};

/// The patterns that hold in a folder; none outside of a repository.
#[derive(Clone, Default)]
pub(super) struct Patterns(Option<Rc<Level>>);

/// The patterns of one folder.
struct Level {
    /// The top of the repository.
    top: PathBuf,
    /// The first that has an opinion decides.
    files: Vec<Gitignore>,
    above: Option<Rc<Level>>,
}

impl Patterns {
    /// Those that hold in a folder, by its real path.
    pub(super) fn of(folder: &Path) -> Self {
        let Some(top) = top_of(folder) else { return Self::default() };
        let mut folders: Vec<&Path> = folder.ancestors().take_while(|above| above.starts_with(top)).collect();
        folders.reverse();
        folders.into_iter().fold(Self::default(), |above, folder| above.below(folder))
    }

    /// Those that hold in a folder in this one.
    pub(super) fn below(&self, folder: &Path) -> Self {
        let own = file(folder, &folder.join(".gitignore"));
        let git = folder.join(".git");
        if git.exists() {
            let common = common(&git);
            let exclude = file(folder, &common.join("info/exclude"));
            // What the repository names stands in the place of the person's own file.
            let others = match excludes_file(&common) {
                Some(path) => file(folder, &folder.join(path)),
                None => Some(GitignoreBuilder::new(folder).build_global().0),
            };
            let files = own.into_iter().chain(exclude).chain(others).collect();
            return Self(Some(Rc::new(Level { top: folder.to_owned(), files, above: None })));
        }
        match (&self.0, own) {
            (Some(above), Some(own)) => {
                let (top, above) = (above.top.clone(), Some(Rc::clone(above)));
                Self(Some(Rc::new(Level { top, files: vec![own], above })))
            }
            _ => self.clone(),
        }
    }

    /// The top of the repository in which a path, directly in this folder, is ignored.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> Option<&Path> {
        let levels = std::iter::successors(self.0.as_deref(), |level| level.above.as_deref());
        for level in levels {
            for file in &level.files {
                match file.matched(path, is_folder) {
                    Match::None => {}
                    Match::Ignore(_) => return Some(&level.top),
                    Match::Whitelist(_) => return None,
                }
            }
        }
        None
    }
}

fn top_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The patterns of a file, which count from a folder. A line that means nothing is passed over.
fn file(folder: &Path, path: &Path) -> Option<Gitignore> {
    let bytes = read_bytes(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut patterns = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = patterns.add_line(None, line);
    }
    patterns.build().ok()
}

/// `core.excludesFile` in the configuration of a repository. What that includes from elsewhere is not read.
fn excludes_file(common: &Path) -> Option<PathBuf> {
    let bytes = read_bytes(&common.join("config")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (mut in_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_core = line.trim_matches(['[', ']']).trim().eq_ignore_ascii_case("core");
        } else if let Some((key, value)) = line.split_once('=')
            && in_core
            && key.trim().eq_ignore_ascii_case("excludesFile")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    let found = found.filter(|path| !path.is_empty())?;
    match found.strip_prefix("~/") {
        Some(below) => Some(places::home()?.join(below)),
        None => Some(PathBuf::from(found)),
    }
}

/// The folder of a repository that its worktrees share.
fn common(git: &Path) -> PathBuf {
    let of_worktree = || {
        let link = read_small(git).ok()?;
        let own = git.parent()?.join(link.strip_prefix("gitdir:")?.trim());
        let common = read_small(&own.join("commondir")).map(|common| own.join(common.trim()));
        Some(common.unwrap_or(own))
    };
    of_worktree().unwrap_or_else(|| git.to_owned())
}

/// Any file, in the eyes of the patterns.
const ANY: &str = "any";

/// Whether git ignores a folder that a person names, by its real path, or everything that is in it. Whoever names it wants what
/// is in it: `target/`, or a `sessions/` that is kept out of git.
pub(super) fn is_ignored(folder: &Path) -> bool {
    let Some(top) = top_of(folder) else { return false };
    let probe = folder.join(ANY);
    let files = folder.ancestors().take_while(|above| above.starts_with(top));
    let places = files.map(|above| (above, above.join(".gitignore")));
    // The nearest file that has an opinion decides.
    places
        .chain([(top, top.join(".git/info/exclude"))])
        .find_map(|(root, path)| {
            let matched = file(root, &path)?.matched_path_or_any_parents(&probe, false).map(|_| ());
            if matched.is_none() { None } else { Some(matched.is_ignore()) }
        })
        .unwrap_or(false)
}
