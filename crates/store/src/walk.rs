//! The files below folders: links followed, each file once, `.gitignore` not asked.
//!
//! What is really there comes before what links lead to, so that a file is named by its own path where it has one. A folder is
//! entered once, by its real path; so loops end.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Nobody's own files.
const SKIPPED: &[&str] = &[".git", "node_modules"];

/// What a walk came upon.
#[derive(Debug, Default)]
pub struct Walked {
    /// In the order of their names.
    pub files: Vec<PathBuf>,
    /// Folders and links that could not be read, and why.
    pub unread: Vec<(PathBuf, io::Error)>,
}

/// Where a walk goes.
pub struct Bounds<'a> {
    /// Names of files and folders that are left out.
    pub skipped: &'a [&'a str],
    /// Whether a link is followed to what it really leads to.
    pub follows: &'a dyn Fn(&Path, &Path) -> bool,
}

/// The files at and below some places that are wanted; those that are named themselves are. A place that is not there has none.
pub fn files(starts: &[PathBuf], deepest: usize, wanted: impl Fn(&Path) -> bool) -> Walked {
    files_within(&Bounds { skipped: SKIPPED, follows: &|_, _| true }, starts, deepest, wanted)
}

/// The same, within bounds.
pub fn files_within(
    bounds: &Bounds<'_>,
    starts: &[PathBuf],
    deepest: usize,
    wanted: impl Fn(&Path) -> bool,
) -> Walked {
    let (seen, links, walked) = Default::default();
    let mut walk = Walk { bounds, deepest, wanted, seen, links, walked };
    for start in starts {
        match fs::canonicalize(start) {
            Ok(real) if real.is_dir() => walk.enter(start.clone(), real, 1),
            Ok(real) => walk.take(start.clone(), real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => walk.walked.unread.push((start.clone(), error)),
        }
    }
    while !walk.links.is_empty() {
        let mut links = std::mem::take(&mut walk.links);
        links.sort();
        for (link, depth) in links {
            walk.follow(link, depth);
        }
    }
    walk.walked.files.sort();
    walk.walked
}

struct Walk<'b, F> {
    bounds: &'b Bounds<'b>,
    deepest: usize,
    wanted: F,
    /// Real paths of files and folders.
    seen: HashSet<PathBuf>,
    /// Not yet followed, and how deep they lie.
    links: Vec<(PathBuf, usize)>,
    walked: Walked,
}

impl<F: Fn(&Path) -> bool> Walk<'_, F> {
    /// Takes what really is in a folder and below it, and keeps the links for later.
    fn enter(&mut self, folder: PathBuf, real: PathBuf, depth: usize) {
        let mut open = vec![(folder, real, depth)];
        while let Some((folder, real, depth)) = open.pop() {
            if !self.seen.insert(real.clone()) {
                continue;
            }
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.walked.unread.push((folder, error));
                    continue;
                }
            };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let Ok(kind) = entry.file_type() else { continue };
                if self.bounds.skipped.iter().any(|skipped| name == *skipped) {
                    continue;
                }
                let path = folder.join(&name);
                if kind.is_symlink() {
                    self.links.push((path, depth));
                } else if kind.is_dir() && depth < self.deepest {
                    open.push((path, real.join(&name), depth + 1));
                } else if kind.is_file() && (self.wanted)(&path) {
                    self.take(path, real.join(&name));
                }
            }
        }
    }

    fn follow(&mut self, link: PathBuf, depth: usize) {
        match fs::canonicalize(&link) {
            Ok(real) if !(self.bounds.follows)(&link, &real) => {}
            Ok(real) if real.is_dir() && depth < self.deepest => self.enter(link, real, depth + 1),
            Ok(real) if real.is_file() && (self.wanted)(&link) => self.take(link, real),
            // A link to nowhere or to itself is no file.
            _ => {}
        }
    }

    fn take(&mut self, path: PathBuf, real: PathBuf) {
        if self.seen.insert(real) {
            self.walked.files.push(path);
        }
    }
}

/// Reads all files, on every core, and gives what was made of them in their order. What is no UTF-8 is read as well as can be;
/// what cannot be read comes back as the error.
pub fn read_all<T: Send>(files: &[PathBuf], look: impl Fn(&str) -> T + Sync) -> Vec<(&Path, io::Result<T>)> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = files.len().div_ceil(cores).max(1);
    let look = &look;
    let read = |path: &Path| {
        let bytes = fs::read(path)?;
        Ok(match std::str::from_utf8(&bytes) {
            Ok(text) => look(text),
            Err(_) => look(&String::from_utf8_lossy(&bytes)),
        })
    };
    std::thread::scope(|scope| {
        let work = |part: &'_ [PathBuf]| part.iter().map(|path| read(path)).collect::<Vec<_>>();
        let workers: Vec<_> = files.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let results = workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        files.iter().map(PathBuf::as_path).zip(results).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_file_once_by_its_own_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        let elsewhere = folder.path().join("elsewhere");
        for path in ["root/z", "root/.git", "root/node_modules", "elsewhere/deep"] {
            fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        for path in
            ["root/z/a b.md", "root/.hidden.md", "root/.git/x.md", "root/node_modules/x.md", "root/no.txt"]
        {
            fs::write(folder.path().join(path), "").unwrap();
        }
        fs::write(elsewhere.join("deep/e.md"), "").unwrap();
        fs::write(elsewhere.join("deep/no.txt"), "").unwrap();
        for (target, link) in [
            (root.join("z"), "a-link"),
            (root.clone(), "z/loop"),
            (elsewhere.clone(), "out"),
            (elsewhere.join("deep"), "out2"),
            (root.join("z/a b.md"), "b.md"),
            (root.join("self"), "self"),
            (root.join("nowhere.md"), "dangling.md"),
            (elsewhere.join("deep/no.txt"), "named.md"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(&elsewhere, elsewhere.join("deep/back")).unwrap();
        let is_markdown = |path: &Path| path.extension().is_some_and(|end| end == "md");
        let walked = files(&[root.clone(), root.join("z"), root.join("none")], usize::MAX, is_markdown);
        let names: Vec<_> = walked.files.iter().map(|path| path.strip_prefix(&root).unwrap()).collect();
        assert_eq!(names, [".hidden.md", "named.md", "out/deep/e.md", "z/a b.md"].map(Path::new));
        assert!(walked.unread.is_empty());
        let flat = files(std::slice::from_ref(&root), 1, is_markdown);
        assert_eq!(flat.files, [".hidden.md", "b.md", "named.md"].map(|name| root.join(name)));
        let asked_for = files(&[root.join("no.txt")], 1, is_markdown);
        assert_eq!(asked_for.files, [root.join("no.txt")]);
    }

    #[test]
    fn files_are_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = (0..50).map(|number| folder.path().join(number.to_string())).collect();
        for path in &paths[..49] {
            fs::write(path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        fs::write(&paths[7], b"\xff").unwrap();
        let read = read_all(&paths, str::to_owned);
        let texts: Vec<String> = read[..49].iter().map(|(_, text)| text.as_ref().unwrap().clone()).collect();
        let expected: Vec<String> =
            (0..49).map(|number| if number == 7 { "\u{fffd}".into() } else { number.to_string() }).collect();
        assert_eq!(texts, expected);
        assert_eq!(read[49].1.as_ref().unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_walk_stays_within_its_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for path in ["a/b/c", "out/x", "skip"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in
            ["1.md", "a/2.md", "a/b/3.md", "a/b/c/4.md", "out/5.md", "out/x/6.md", "skip/7.md", "a/skip.md"]
        {
            fs::write(root.join(path), "").unwrap();
        }
        symlink(root.join("out"), root.join("a/to-out")).unwrap();
        symlink(root.join("out/5.md"), root.join("a/to-5.md")).unwrap();
        let walked = |follows: &dyn Fn(&Path, &Path) -> bool, deepest: usize| {
            let bounds = Bounds { skipped: &["skip", "skip.md"], follows };
            let walked = files_within(&bounds, &[root.join("1.md"), root.join("a")], deepest, |_| true);
            assert!(walked.unread.is_empty());
            let names =
                walked.files.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string());
            names.collect::<Vec<_>>()
        };
        let all = |_: &Path, _: &Path| true;
        assert_eq!(walked(&all, 1), ["1.md", "a/2.md", "a/to-5.md"]);
        assert_eq!(walked(&all, 2), ["1.md", "a/2.md", "a/b/3.md", "a/to-5.md"]);
        assert_eq!(
            walked(&all, 3),
            ["1.md", "a/2.md", "a/b/3.md", "a/b/c/4.md", "a/to-5.md", "a/to-out/x/6.md"]
        );
        assert_eq!(walked(&|_, _| false, 2), ["1.md", "a/2.md", "a/b/3.md"]);
        assert_eq!(
            walked(&|link, _| link.ends_with("to-out"), 2),
            ["1.md", "a/2.md", "a/b/3.md", "a/to-out/5.md"]
        );
        assert_eq!(walked(&|_, real| real.ends_with("5.md"), 2), ["1.md", "a/2.md", "a/b/3.md", "a/to-5.md"]);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let start = folder.path().join("f");
        fs::write(&start, "").unwrap();
        let below = start.join("x");
        let walked = files(&[below.clone(), folder.path().join("none")], 9, |_| true);
        assert_eq!(walked.files, Vec::<PathBuf>::new());
        let unread: Vec<(PathBuf, io::ErrorKind)> =
            walked.unread.into_iter().map(|(path, error)| (path, error.kind())).collect();
        assert_eq!(unread, [(below, io::ErrorKind::NotADirectory)]);
        assert!(read_all(&[], str::to_owned).is_empty());
    }
}
