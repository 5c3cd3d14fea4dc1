//! Paths with symbolic links followed, also where they lead to nothing yet.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use engine_text::path::{LONGEST, join};

/// The real path: links followed as far as the path exists, `.` and `..` taken out.
pub fn resolve(path: &Path) -> PathBuf {
    Links::default().resolve(path)
}

/// More links than a path can sensibly lead through; the system gives up here too.
const MOST_HOPS: usize = 40;

/// What all paths of one event may cost: a look at a folder that is known is 1, a system call more. About 50 ms.
const MOST_COST: usize = 200_000;
const CALL: usize = 8;
/// So many bytes of a path cost as much as a look.
const BYTES: usize = 128;

/// The links that were looked at: the paths of one event lie in the same few folders.
#[derive(Default)]
pub(crate) struct Links {
    known: RefCell<HashMap<PathBuf, Real>>,
    /// Whole paths that were asked for: a script names the same file again and again.
    asked: RefCell<HashMap<PathBuf, PathBuf>>,
    cost: Cell<usize>,
}

/// What a path in a real folder stands for.
#[derive(Clone)]
struct Real {
    path: PathBuf,
    /// There is nothing at this path, so nothing below it is a link.
    is_missing: bool,
}

impl Links {
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        if path.as_os_str().len() > LONGEST || self.too_many().is_some() {
            return PathBuf::from(join("/", &path.to_string_lossy()));
        }
        if let Some(real) = self.asked.borrow().get(path) {
            self.cost.set(self.cost.get() + 1);
            return real.clone();
        }
        let real = self.walk(path, 0).path;
        self.asked.borrow_mut().insert(path.to_owned(), real.clone());
        real
    }

    /// Why links are not followed any more: from then on a path is taken as it is written.
    pub(crate) fn too_many(&self) -> Option<&'static str> {
        (self.cost.get() > MOST_COST).then_some("it names too many paths")
    }

    fn walk(&self, path: &Path, hops: usize) -> Real {
        let mut real = Real { path: PathBuf::new(), is_missing: false };
        for part in path.components() {
            match part {
                Component::Normal(name) if real.is_missing => {
                    real.path.push(name);
                    // As much as with a system call: the rest of the judgement costs the same for each name.
                    self.spend(&real.path, CALL);
                }
                Component::Normal(name) => real = self.followed(real.path.join(name), hops),
                Component::ParentDir => {
                    real.path.pop();
                    // The folder above may exist.
                    real.is_missing = false;
                }
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => real.path.push(part),
            }
        }
        real
    }

    fn spend(&self, path: &Path, calls: usize) {
        self.cost.set(self.cost.get() + 1 + calls + path.as_os_str().len() / BYTES);
    }

    /// A link to nowhere is followed: writing through it would make its target.
    fn followed(&self, path: PathBuf, hops: usize) -> Real {
        if let Some(real) = self.known.borrow().get(&path) {
            self.spend(&path, 0);
            return real.clone();
        }
        self.spend(&path, CALL);
        let real = match fs::read_link(&path) {
            Ok(target) if hops < MOST_HOPS => {
                self.walk(&path.parent().unwrap_or(Path::new("/")).join(target), hops + 1)
            }
            Err(error) => Real { path: path.clone(), is_missing: error.kind() == ErrorKind::NotFound },
            Ok(_) => Real { path: path.clone(), is_missing: false },
        };
        self.known.borrow_mut().insert(path, real.clone());
        real
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_links_dots_and_what_does_not_exist_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("a/new.txt"), root.join("dangling")).unwrap();
        let cases = [
            ("a/b/../c.txt", "a/c.txt"),
            ("link/b/x/y.txt", "a/b/x/y.txt"),
            ("none/../a/z", "a/z"),
            ("none/deeper/../../link/z", "a/z"),
            ("none/link/z", "none/link/z"),
            ("./a/./b", "a/b"),
            ("dangling", "a/new.txt"),
            ("a/b/../../link/../link/b", "a/b"),
        ];
        for (path, expected) in cases {
            assert_eq!(resolve(&root.join(path)), root.join(expected), "{path}");
        }
        // A path that the system does not take is taken as it is written.
        let long = root.join("link/../".repeat(1000)).join("x");
        assert_eq!(resolve(&long), root.join("x"));
        // A link that leads to itself ends somewhere.
        std::os::unix::fs::symlink(root.join("loop"), root.join("loop")).unwrap();
        assert_eq!(resolve(&root.join("loop/x")), root.join("loop/x"));
    }

    #[test]
    fn the_paths_of_one_event_have_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
        let links = Links::default();
        for name in 0..10_000 {
            links.resolve(&Path::new("/none").join(name.to_string()));
        }
        assert_eq!(links.too_many(), None);
        for name in 0..20_000 {
            links.resolve(&Path::new("/none/deeper").join(name.to_string()));
        }
        assert_eq!(links.too_many(), Some("it names too many paths"));
        assert_eq!(links.resolve(&root.join("b/../link/x")), root.join("link/x"));
    }
}
