//! The files below folders: links followed, each file once.
//!
//! Real files come before what links lead to, so that a file is named by its own path where it has one. A folder is entered once,
//! by its real path, so loops end. Commands that list files for people leave out what git ignores; see [`ignored`].

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::git;
use crate::read::read_bytes;

mod ignored;
mod pattern;
mod stated;

use ignored::Patterns;
pub use pattern::Pattern;
pub use stated::{LINK, Stated, StatedBounds, Statement, folder_times, stated, stated_file};

/// Nobody's own files.
const SKIPPED: &[&str] = &[".git", "node_modules"];

/// What a walk came upon.
#[derive(Debug, Default)]
pub struct Walked {
    /// In the order of their names.
    pub files: Vec<PathBuf>,
    /// Folders and links that could not be read, and why.
    pub unread: Vec<(PathBuf, io::Error)>,
    /// Whether something was left out that git ignores, and that was wanted or holds what may be.
    pub left_out: bool,
}

/// Where a walk goes.
pub struct Bounds<'a> {
    /// Names of files and folders that are left out.
    pub skipped: &'a [&'a str],
    /// Whether a link is followed to what it really leads to.
    pub follows: &'a dyn Fn(&Path, &Path) -> bool,
}

/// What becomes of files that git ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum GitIgnored {
    /// They are found like all others.
    Found,
    /// They are left out, unless they are named or below a folder that is named and that git ignores.
    LeftOut,
}

/// All files.
const ALL: Bounds<'static> = Bounds { skipped: SKIPPED, follows: &|_, _| true };

/// The files at and below some places that are wanted; those that are named themselves are. A place that does not exist has none.
pub fn files(starts: &[PathBuf], deepest: usize, wanted: impl Fn(&Path) -> bool) -> Walked {
    files_within(&ALL, starts, deepest, wanted)
}

/// The same, within bounds.
pub fn files_within(
    bounds: &Bounds<'_>,
    starts: &[PathBuf],
    deepest: usize,
    wanted: impl Fn(&Path) -> bool,
) -> Walked {
    all_files(bounds, &|_| false, starts, deepest, wanted)
}

/// The same without what git ignores and does not track. Of a place that git ignores, or that is in the folder `whole`, everything
/// is found: it was named.
pub fn files_unignored(
    starts: &[PathBuf],
    whole: Option<&Path>,
    deepest: usize,
    wanted: impl Fn(&Path) -> bool,
) -> Walked {
    let whole = whole.and_then(|whole| fs::canonicalize(whole).ok());
    let leaves_out = |real: &Path| {
        !whole.as_ref().is_some_and(|whole| real.starts_with(whole)) && !ignored::is_ignored(real)
    };
    all_files(&ALL, &leaves_out, starts, deepest, wanted)
}

/// `leaves_out`: whether what git ignores is left out in a place.
fn all_files(
    bounds: &Bounds<'_>,
    leaves_out: &dyn Fn(&Path) -> bool,
    starts: &[PathBuf],
    deepest: usize,
    wanted: impl Fn(&Path) -> bool,
) -> Walked {
    let (seen, links, walked) = Default::default();
    let mut walk = Walk { bounds, deepest, wanted, git: GitIgnored::Found, seen, links, walked };
    let place = |start: &PathBuf| {
        let real = fs::canonicalize(start);
        let asks = real.as_ref().is_ok_and(|real| real.is_dir() && leaves_out(real));
        (if asks { GitIgnored::LeftOut } else { GitIgnored::Found }, start.clone(), real)
    };
    let mut places: Vec<_> = starts.iter().map(place).collect();
    // A folder is entered once: first where nothing in it is left out.
    places.sort_by_key(|(git, ..)| *git);
    for (git, start, real) in places {
        match real {
            Ok(real) if real.is_dir() => {
                walk.git = git;
                walk.enter(&start, &real, 1);
            }
            Ok(real) => walk.take(start, real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => walk.walked.unread.push((start, error)),
        }
    }
    while !walk.links.is_empty() {
        let mut links = std::mem::take(&mut walk.links);
        links.sort();
        for link in links {
            walk.follow(link);
        }
    }
    walk.walked.files.sort();
    walk.walked.unread.sort_by(|(one, _), (other, _)| one.cmp(other));
    walk.walked
}

struct Walk<'b, F> {
    bounds: &'b Bounds<'b>,
    deepest: usize,
    wanted: F,
    /// For the place that is walked now.
    git: GitIgnored,
    /// Real paths of files and folders.
    seen: HashSet<PathBuf>,
    /// Not yet followed.
    links: Vec<Link>,
    walked: Walked,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    path: PathBuf,
    depth: usize,
    git: GitIgnored,
}

impl<F: Fn(&Path) -> bool> Walk<'_, F> {
    /// Takes the real files in a folder and below it, and keeps the links for later.
    fn enter(&mut self, start: &Path, real_start: &Path, depth: usize) {
        let patterns = match self.git {
            GitIgnored::Found => Patterns::default(),
            GitIgnored::LeftOut => Patterns::of(real_start),
        };
        let mut repositories = BTreeSet::new();
        let mut open = vec![(start.to_owned(), real_start.to_owned(), depth, patterns)];
        while let Some((folder, real, depth, patterns)) = open.pop() {
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
                if self.is_skipped(&name) {
                    continue;
                }
                let (path, real) = (folder.join(&name), real.join(&name));
                let enters = kind.is_dir() && depth < self.deepest;
                let is_wanted = enters || kind.is_symlink() || (kind.is_file() && (self.wanted)(&path));
                if !is_wanted {
                    continue;
                }
                if let Some(top) = patterns.ignore(&real, kind.is_dir()) {
                    repositories.insert(top.to_owned());
                } else if enters {
                    let patterns = patterns.below(&real);
                    open.push((path, real, depth + 1, patterns));
                } else if kind.is_symlink() {
                    self.links.push(Link { path, depth, git: self.git });
                } else {
                    self.take(path, real);
                }
            }
        }
        for top in repositories {
            self.walked.left_out = true;
            self.take_tracked(&top, start, real_start, depth);
        }
    }

    /// Takes what a repository tracks although a pattern ignores it.
    fn take_tracked(&mut self, top: &Path, start: &Path, real_start: &Path, depth: usize) {
        let folder = if top.starts_with(real_start) { top } else { real_start };
        let args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
        let listed = git::text(folder, &args).unwrap_or_default();
        for real in listed.split('\0').filter(|name| !name.is_empty()).map(|name| folder.join(name)) {
            let Ok(below) = real.strip_prefix(real_start) else { continue };
            let depth = depth + below.components().count() - 1;
            if depth > self.deepest || below.iter().any(|name| self.is_skipped(name)) {
                continue;
            }
            let path = start.join(below);
            let Ok(data) = real.symlink_metadata() else { continue };
            if data.is_symlink() {
                self.links.push(Link { path, depth, git: self.git });
            } else if data.is_file() && (self.wanted)(&path) {
                self.take(path, real);
            }
        }
    }

    fn is_skipped(&self, name: &OsStr) -> bool {
        self.bounds.skipped.iter().any(|skipped| name == *skipped)
    }

    fn follow(&mut self, Link { path: link, depth, git }: Link) {
        self.git = git;
        match fs::canonicalize(&link) {
            Ok(real) if !(self.bounds.follows)(&link, &real) => {}
            Ok(real) if real.is_dir() && depth < self.deepest => self.enter(&link, &real, depth + 1),
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
        let bytes = read_bytes(path)?;
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
        for leaves_out in [false, true] {
            let git = |_: &Path| leaves_out;
            let walked = all_files(
                &ALL,
                &git,
                &[root.clone(), root.join("z"), root.join("none")],
                usize::MAX,
                is_markdown,
            );
            let names: Vec<_> = walked.files.iter().map(|path| path.strip_prefix(&root).unwrap()).collect();
            assert_eq!(names, [".hidden.md", "named.md", "out/deep/e.md", "z/a b.md"].map(Path::new));
            assert!(walked.unread.is_empty());
            let flat = all_files(&ALL, &git, std::slice::from_ref(&root), 1, is_markdown);
            assert_eq!(flat.files, [".hidden.md", "b.md", "named.md"].map(|name| root.join(name)));
            let asked_for = all_files(&ALL, &git, &[root.join("no.txt")], 1, is_markdown);
            assert_eq!(asked_for.files, [root.join("no.txt")]);
        }
    }

    #[test]
    fn what_git_ignores_is_left_out_unless_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in
            ["src/a.md", "src/made/b.md", "target/c.md", "sessions/S/d.md", ".directives/e.md", "f.log"]
        {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        symlink(root.join("target"), root.join("linked")).unwrap();
        fs::write(root.join(".gitignore"), "target/\n/linked\nsessions/*\n*.log\n[\n").unwrap();
        fs::write(root.join("src/.gitignore"), "made/\n").unwrap();
        let found = |starts: &[&str]| {
            let starts: Vec<PathBuf> = starts.iter().map(|start| root.join(start)).collect();
            let wanted = |path: &Path| path.file_name().is_none_or(|name| name != ".gitignore");
            let walked = files_unignored(&starts, None, usize::MAX, wanted);
            assert!(walked.unread.is_empty(), "{:?}", walked.unread);
            let below = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
            walked.files.iter().map(below).collect::<Vec<_>>()
        };
        assert_eq!(found(&[""]).len(), 6, "without a repository nothing is ignored");
        fs::create_dir_all(root.join(".git/info")).unwrap();
        assert_eq!(found(&[""]), [".directives/e.md", "src/a.md"]);
        assert_eq!(found(&["sessions"]), ["sessions/S/d.md"]);
        assert_eq!(found(&["sessions/S", "f.log"]), ["f.log", "sessions/S/d.md"]);
        assert_eq!(found(&["target"]), ["target/c.md"]);
        assert_eq!(found(&["linked"]), ["linked/c.md"]);
        assert_eq!(found(&["src/made", "src"]), ["src/a.md", "src/made/b.md"]);
        // The repository may name a file of its own.
        fs::write(root.join(".git/mine"), "e.md\n").unwrap();
        fs::write(
            root.join(".git/config"),
            "[user]\n\texcludesFile = no\n[core]\n\tbare = false\n\texcludesfile = \".git/mine\"\n",
        )
        .unwrap();
        assert_eq!(found(&[""]), ["src/a.md"]);
        fs::remove_file(root.join(".git/config")).unwrap();
        fs::write(root.join(".git/info/exclude"), "/src/\n").unwrap();
        assert_eq!(found(&[""]), [".directives/e.md"]);
        assert_eq!(found(&["src"]), ["src/a.md", "src/made/b.md"]);
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
