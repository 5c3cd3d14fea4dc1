//! The content of a project as one id, with real repositories of git: what counts, what cannot be hidden, what is never written.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use engine_store::content::{self, Changed, ChangedKind};
use engine_store::project::Project;
use engine_store::retention;
use engine_text::stamp::Stamp;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any test needs on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Makes something of a stage.
type Make<'m> = &'m dyn Fn(&Stage);

/// A folder with projects in it.
struct Stage {
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A project `p` in a repository with one commit of `a.txt` and `src/b.txt`.
    fn committed() -> Self {
        let stage = Self::new();
        stage.git("p", "init -q -b main");
        stage.write("p/a.txt", "one\ntwo\n");
        stage.write("p/src/b.txt", "bee\n");
        // Git compares the content of a file that is as young as its index.
        set_modified(&stage.path("p/src/b.txt"), SystemTime::UNIX_EPOCH + Duration::from_hours(400_000));
        stage.commit("p");
        stage
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    fn git(&self, folder: &str, words: &str) -> String {
        fs::create_dir_all(self.path(folder)).unwrap();
        let mut git = Command::new("git");
        git.arg("-C").arg(self.path(folder)).args([
            "-c",
            "user.name=dev",
            "-c",
            "user.email=dev@example.com",
        ]);
        git.args(["-c", "protocol.file.allow=always"]).args(words.split(' '));
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn commit(&self, folder: &str) {
        self.git(folder, "add -A");
        self.git(folder, "commit -q -m x");
    }

    fn project(&self, folder: &str) -> Project {
        fs::create_dir_all(self.path(folder).join(".engine")).unwrap();
        Project::open(None, &self.path(folder)).unwrap()
    }

    fn take(&self, folder: &str) -> String {
        content::take(&self.project(folder), PATIENCE).unwrap()
    }

    /// What differs from an id now.
    fn since(&self, folder: &str, id: &str) -> Vec<Changed> {
        content::changed(&self.project(folder), id, &self.take(folder)).unwrap()
    }
}

fn added(path: &str, lines: u64) -> Changed {
    Changed { path: path.into(), kind: ChangedKind::Added, lines: Some((lines, 0)) }
}

fn modified(path: &str, lines: Option<(u64, u64)>) -> Changed {
    Changed { path: path.into(), kind: ChangedKind::Modified, lines }
}

fn deleted(path: &str, lines: u64) -> Changed {
    Changed { path: path.into(), kind: ChangedKind::Deleted, lines: Some((0, lines)) }
}

/// Everything in a `.git`: what is in files, and when they were written. Of an object that it would have written anew git renews the
/// time, so that it is not collected; its bytes stay.
fn bytes_below(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, Option<SystemTime>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            let bytes = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let is_object = path.starts_with(folder.join("objects")) && path.is_file();
            let time = path.symlink_metadata().unwrap().modified().unwrap();
            found.insert(path, (bytes, (!is_object).then_some(time)));
        }
    }
    found
}

fn set_modified(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn an_id_is_that_of_the_content_alone() {
    let stage = Stage::committed();
    let first = stage.take("p");
    assert_eq!(first.split_once(':').unwrap().0, "git");
    let steps: &[(&str, &dyn Fn())] = &[
        ("again", &|| {}),
        ("touched", &|| set_modified(&stage.path("p/a.txt"), SystemTime::now() + Duration::from_secs(5))),
        ("written anew", &|| stage.write("p/a.txt", "one\ntwo\n")),
        ("a commit of nothing", &|| drop(stage.git("p", "commit -q --allow-empty -m y"))),
        ("another branch", &|| drop(stage.git("p", "checkout -q -b other"))),
        ("no branch", &|| drop(stage.git("p", "checkout -q --detach"))),
        ("not tracked", &|| drop(stage.git("p", "rm -q --cached src/b.txt"))),
        ("packed", &|| drop(stage.git("p", "gc -q --prune=now"))),
        ("work of the engine", &|| {
            for path in
                ["session.md", "learnings.md", "sessions/S/LOG.md", "plans/P/PLAN.md", ".engine/config.toml"]
            {
                stage.write(&format!("p/{path}"), "");
            }
        }),
        ("committed work of the engine", &|| {
            stage.commit("p");
            stage.write("p/session.md", "- [ ] x\n");
        }),
        ("made by a test", &|| {
            for path in ["src/__pycache__/b.pyc", ".pytest_cache/x", "target/debug/x", "node_modules/x/y.js"]
            {
                stage.write(&format!("p/{path}"), "");
            }
        }),
    ];
    for (name, step) in steps {
        step();
        assert_eq!(stage.take("p"), first, "{name}");
    }
    stage.write("p/src/b.txt", "bees\n");
    let second = stage.take("p");
    assert_ne!(second, first);
    stage.git("p", "commit -q -a -m z");
    assert_eq!(stage.take("p"), second, "committed");
    stage.git("p", "checkout -q HEAD~1");
    assert_eq!(stage.take("p"), first, "checked out");
    fs::remove_dir_all(stage.path("p/.engine/state/content")).unwrap();
    assert_eq!(stage.take("p"), first, "begun anew");
}

#[test]
fn files_that_differ_are_named_with_their_lines() {
    let stage = Stage::committed();
    stage.write("p/image", "\0\u{1}");
    stage.write("p/link-to-be", "x\n");
    stage.write("p/script", "x\n");
    let first = stage.take("p");
    stage.write("p/a.txt", "one\n2\n3\n");
    stage.write("p/new file", "x\ny\n");
    stage.write("p/line\nbreak", "x\n");
    fs::write(stage.path("p").join(OsStr::from_bytes(b"no\xffutf8")), "x\n").unwrap();
    stage.write("p/image", "\0\u{2}");
    stage.write("p/target/x", "made");
    fs::remove_dir_all(stage.path("p/src")).unwrap();
    fs::remove_file(stage.path("p/link-to-be")).unwrap();
    symlink("a.txt", stage.path("p/link-to-be")).unwrap();
    fs::set_permissions(stage.path("p/script"), PermissionsExt::from_mode(0o755)).unwrap();
    let expected = [
        modified("a.txt", Some((2, 1))),
        modified("image", None),
        added("line\nbreak", 1),
        modified("link-to-be", Some((1, 1))),
        added("new file", 2),
        added("no\u{fffd}utf8", 1),
        modified("script", Some((0, 0))),
        deleted("src/b.txt", 1),
    ];
    assert_eq!(stage.since("p", &first), expected);
    let project = stage.project("p");
    let second = stage.take("p");
    for (id, path, text) in [
        (&first, "a.txt", Some("one\ntwo\n")),
        (&second, "a.txt", Some("one\n2\n3\n")),
        (&first, "src/b.txt", Some("bee\n")),
        (&second, "src/b.txt", None),
        (&first, "src", None),
        (&second, "line\nbreak", Some("x\n")),
        (&second, "image", Some("\0\u{2}")),
        (&second, "link-to-be", Some("a.txt")),
    ] {
        assert_eq!(content::text_at(&project, id, path).as_deref(), text, "{path}");
    }
    assert_eq!(content::changed(&project, &second, &second), Some(Vec::new()));
    for odd in
        ["", "git:", "git:--output=x", "git:0123456789012345678901234567890123456789", "list:12", "x:12"]
    {
        assert_eq!(content::changed(&project, odd, &second), None, "{odd}");
        assert_eq!(content::text_at(&project, odd, "a.txt"), None, "{odd}");
    }
}

#[test]
fn the_repository_of_the_person_is_never_written() {
    let stage = Stage::committed();
    stage.git("p", "update-index --split-index");
    stage.git("p", "worktree add -q ../w");
    stage.write("p/staged", "x\n");
    stage.git("p", "add staged");
    stage.write("p/a.txt", "changed\n");
    stage.write("p/untracked", "x\n");
    stage.write("w/only here", "x\n");
    let before = bytes_below(&stage.path("p/.git"));
    let first = [stage.take("p"), stage.take("w")];
    stage.write("p/src/b.txt", "changed\n");
    stage.write("w/a.txt", "changed\n");
    assert_eq!(stage.since("p", &first[0]), [modified("src/b.txt", Some((1, 1)))]);
    assert_eq!(stage.since("w", &first[1]), [modified("a.txt", Some((1, 2)))]);
    assert_eq!(content::text_at(&stage.project("p"), &first[0], "src/b.txt").as_deref(), Some("bee\n"));
    let after = bytes_below(&stage.path("p/.git"));
    let differs = |path: &&PathBuf| before.get(*path) != after.get(*path);
    let written: Vec<&PathBuf> = before.keys().chain(after.keys()).filter(differs).collect();
    assert_eq!(written, Vec::<&PathBuf>::new());
}

fn edit(stage: &Stage) {
    stage.write("p/src/b.txt", "BEE\n");
}

/// Edits a file that has its size and its time afterwards.
fn forge(stage: &Stage) {
    let path = stage.path("p/src/b.txt");
    let time = path.metadata().unwrap().modified().unwrap();
    edit(stage);
    set_modified(&path, time);
}

#[test]
fn a_change_before_the_first_id_is_in_it() {
    for change in [edit, forge] {
        let stage = Stage::committed();
        change(&stage);
        let id = stage.take("p");
        assert_eq!(content::text_at(&stage.project("p"), &id, "src/b.txt").as_deref(), Some("BEE\n"));
    }
}

#[test]
fn nothing_hides_a_change() {
    let hook = |stage: &Stage| {
        stage.write("p/.git/lie", "#!/bin/sh\nprintf '0\\0'\n");
        fs::set_permissions(stage.path("p/.git/lie"), PermissionsExt::from_mode(0o755)).unwrap();
        stage.git("p", "config core.fsmonitor .git/lie");
        stage.git("p", "update-index --fsmonitor");
    };
    let filter = |stage: &Stage| {
        stage.write("p/.git/info/attributes", "* filter=lie\n");
        stage.git("p", "config filter.lie.clean true");
    };
    let ways: &[(&str, Make<'_>)] = &[
        ("nothing", &|_| {}),
        ("assume-unchanged", &|stage| drop(stage.git("p", "update-index --assume-unchanged src/b.txt"))),
        ("skip-worktree", &|stage| drop(stage.git("p", "update-index --skip-worktree src/b.txt"))),
        ("version 4", &|stage| {
            stage.git("p", "update-index --index-version 4");
            stage.git("p", "update-index --skip-worktree src/b.txt");
        }),
        ("split index", &|stage| {
            stage.git("p", "update-index --assume-unchanged src/b.txt");
            stage.git("p", "update-index --split-index");
        }),
        ("sparse index", &|stage| {
            stage.git("p", "sparse-checkout set --cone --sparse-index other");
            stage.write("p/src/b.txt", "bee\n");
        }),
        ("ignored stat", &|stage| drop(stage.git("p", "config core.ignoreStat true"))),
        ("no ctime", &|stage| {
            stage.git("p", "config core.trustctime false");
            stage.git("p", "config core.checkStat minimal");
        }),
        ("a lying monitor", &hook),
        ("a lying filter", &filter),
        ("excluded", &|stage| stage.write("p/.git/info/exclude", "b.txt\n")),
    ];
    for (name, hide) in ways {
        for (how, change) in [("edited", edit as fn(&Stage)), ("forged", forge)] {
            let expected = [modified("src/b.txt", Some((1, 1)))];
            let stage = Stage::committed();
            hide(&stage);
            let first = stage.take("p");
            change(&stage);
            assert_eq!(stage.since("p", &first), expected, "{name} before the first id, {how}");

            let stage = Stage::committed();
            let first = stage.take("p");
            hide(&stage);
            change(&stage);
            let found = stage.since("p", &first);
            let found: Vec<Changed> =
                found.into_iter().filter(|file| file.path != ".git/info/exclude").collect();
            assert_eq!(found, expected, "{name} later, {how}");
        }
    }
}

#[test]
fn a_file_outside_that_names_what_is_ignored_counts() {
    let stage = Stage::committed();
    let first = stage.take("p");
    stage.write("p/.git/info/exclude", "# nothing\n\n");
    assert_eq!(stage.take("p"), first, "comments say nothing");
    stage.write("p/.git/info/exclude", "conftest.py\n");
    stage.write("p/conftest.py", "x\n");
    assert_eq!(stage.since("p", &first), [modified(".git/info/exclude", None)]);
}

#[test]
fn odd_repositories_and_files_have_an_id() {
    let unborn = |stage: &Stage| {
        stage.git("p", "init -q");
        stage.write("p/a.txt", "x\n");
    };
    let below = |stage: &Stage| {
        stage.git(".", "init -q");
        stage.write("above", "x\n");
        stage.write("p/a.txt", "x\n");
        stage.commit(".");
    };
    let bare = |stage: &Stage| {
        stage.git("seed", "init -q -b main");
        stage.write("seed/a.txt", "x\n");
        stage.commit("seed");
        stage.git(".", "clone -q --bare seed store.git");
        stage.git("store.git", "worktree add -q ../p main");
    };
    let alternates = |stage: &Stage| {
        bare(stage);
        fs::rename(stage.path("p"), stage.path("old")).unwrap();
        stage.git(".", "clone -q --shared store.git p");
    };
    let sha256 = |stage: &Stage| {
        stage.git("p", "init -q --object-format=sha256");
        stage.write("p/a.txt", "x\n");
        stage.commit("p");
    };
    let submodule = |stage: &Stage| {
        bare(stage);
        stage.git("p", "submodule --quiet add ../store.git module");
        stage.commit("p");
        stage.write("p/module/dirt", "x\n");
    };
    let nested = |stage: &Stage| {
        unborn(stage);
        stage.git("p/empty", "init -q");
        stage.write("p/empty/x", "x\n");
        stage.git("p/nested", "init -q");
        stage.write("p/nested/x", "x\n");
        stage.commit("p/nested");
    };
    let pipes = |stage: &Stage| {
        unborn(stage);
        assert!(Command::new("mkfifo").arg(stage.path("p/pipe")).status().unwrap().success());
        UnixListener::bind(stage.path("p/socket")).unwrap();
        symlink("nowhere", stage.path("p/dangling")).unwrap();
    };
    let conflict = |stage: &Stage| {
        unborn(stage);
        stage.commit("p");
        stage.git("p", "checkout -q -b other");
        stage.write("p/a.txt", "other\n");
        stage.commit("p");
        stage.git("p", "checkout -q -");
        stage.git("p", "checkout -q -b third HEAD~0");
        stage.write("p/a.txt", "third\n");
        stage.commit("p");
        let merge =
            Command::new("git").arg("-C").arg(stage.path("p")).args(["merge", "-q", "other"]).output();
        assert_ne!(merge.unwrap().status.code(), Some(0));
    };
    let damaged = |stage: &Stage| {
        unborn(stage);
        stage.commit("p");
        stage.write("p/.git/index", "DIRC nonsense");
    };
    let all: &[(&str, Make<'_>)] = &[
        ("unborn", &unborn),
        ("below the top", &below),
        ("worktree of a bare repository", &bare),
        ("with alternates of its own", &alternates),
        ("sha256", &sha256),
        ("submodule", &submodule),
        ("nested", &nested),
        ("pipes", &pipes),
        ("conflict", &conflict),
        ("damaged index", &damaged),
    ];
    for (name, make) in all {
        let stage = Stage::new();
        make(&stage);
        let first = stage.take("p");
        assert_eq!(first.split_once(':').unwrap().0, "git", "{name}");
        assert_eq!(stage.take("p"), first, "{name}: again");
        stage.write("p/b", "x\n");
        assert_eq!(stage.since("p", &first), [added("b", 1)], "{name}");
        assert_eq!(
            content::text_at(&stage.project("p"), &stage.take("p"), "b").as_deref(),
            Some("x\n"),
            "{name}"
        );
    }
}

#[test]
fn a_commit_in_a_submodule_counts_and_a_file_that_is_none_any_more_is_deleted() {
    let stage = Stage::committed();
    stage.git("p/nested", "init -q");
    stage.write("p/nested/x", "x\n");
    stage.commit("p/nested");
    let first = stage.take("p");
    stage.write("p/nested/x", "y\n");
    assert_eq!(stage.take("p"), first, "dirt inside");
    stage.commit("p/nested");
    fs::remove_file(stage.path("p/a.txt")).unwrap();
    assert!(Command::new("mkfifo").arg(stage.path("p/a.txt")).status().unwrap().success());
    assert_eq!(stage.since("p", &first), [deleted("a.txt", 2), modified("nested", Some((1, 1)))]);
}

#[test]
fn what_was_left_behind_or_damaged_is_made_anew() {
    let stage = Stage::committed();
    let first = stage.take("p");
    let folder = "p/.engine/state/content/repository";
    for (name, path, text) in [
        ("killed", "index.lock", "half"),
        ("half an index", "index", "DIRC"),
        ("no index", "index", ""),
        ("another version", "origin.json", "{\"version\":0}"),
        ("damaged", "origin.json", "{"),
        ("damaged record", "taken.json", "{"),
        ("no repository", "HEAD", ""),
    ] {
        stage.write(&format!("{folder}/{path}"), text);
        assert_eq!(content::take(&stage.project("p"), PATIENCE), Ok(first.clone()), "{name}");
    }
}

#[test]
fn what_is_not_known_has_a_reason() {
    let stage = Stage::committed();
    stage.take("p");
    let project = stage.project("p");
    let reason = |patience| content::take(&project, patience).map_err(|unknown| unknown.to_string());

    let lock = File::open(stage.path("p/.engine/state/content.lock")).unwrap();
    lock.lock().unwrap();
    let held = reason(Duration::from_millis(10));
    assert_eq!(held, Err("another reading of the project's content took more than 0.01 seconds".into()));
    drop(lock);

    File::create(stage.path("p/huge")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(reason(content::PATIENCE), Err("git add took more than 1 second".into()));
    let left = bytes_below(&stage.path("p/.engine/state/content"));
    let is_half = |path: &&PathBuf| path.file_name().unwrap().as_bytes().starts_with(b"tmp_");
    assert_eq!(left.keys().filter(is_half).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    fs::remove_file(stage.path("p/huge")).unwrap();
    assert_eq!(reason(PATIENCE).map(|id| stage.since("p", &id)), Ok(Vec::new()));

    fs::remove_dir_all(stage.path("p/.engine/state")).unwrap();
    stage.write("p/.engine/state", "a file");
    let folder = fs::canonicalize(stage.path("p/.engine")).unwrap();
    let expected =
        format!("failed to create directory `{}/state`: File exists (os error 17)", folder.display());
    assert_eq!(reason(PATIENCE), Err(expected));
    fs::remove_file(stage.path("p/.engine/state")).unwrap();

    stage.write("p/.git/config", "[core]\n\trepositoryformatversion = 99\n");
    let expected = "git rev-parse: fatal: Expected git repo version <= 1, found 99";
    assert_eq!(reason(PATIENCE), Err(expected.into()));
}

#[test]
fn two_at_once_find_the_same() {
    let stage = Stage::committed();
    let ids: Vec<String> = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..4).map(|_| scope.spawn(|| stage.take("p"))).collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).collect()
    });
    assert_eq!(ids, vec![stage.take("p"); 4]);
}

#[test]
fn what_grows_too_large_or_old_is_begun_anew() {
    let stage = Stage::committed();
    let project = stage.project("p");
    stage.write("p/new", "x\n");
    let first = stage.take("p");
    let record = stage.path("p/.engine/state/content/repository/taken.json");
    let mut taken: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    taken["size"] = json!(200_000_001);
    fs::write(&record, taken.to_string()).unwrap();
    stage.write("p/new", "y\n");
    let second = stage.take("p");
    assert_eq!(content::changed(&project, &first, &second), None, "its objects are gone");
    stage.write("p/new", "x\n");
    assert_eq!(stage.take("p"), first, "the id is the same all the same");

    let folder = stage.path("p/.engine/state/content");
    let days = |days: u64| SystemTime::now() - Duration::from_hours(24 * days);
    for (age, stays) in [(9, true), (11, false)] {
        File::open(&folder).unwrap().set_modified(days(age)).unwrap();
        retention::apply(&project, Stamp(0), 10);
        assert_eq!(folder.exists(), stays, "{age} days");
    }
    assert_eq!(content::changed(&project, &first, &second), None);
    assert_eq!(content::text_at(&project, &first, "new"), None);
}

/// Looking at every object takes long, so it is done after much was written, however long that took.
#[test]
fn the_objects_are_looked_at_after_much_was_written() {
    let stage = Stage::committed();
    let changed = |size: u64| {
        File::create(stage.path("p/new")).unwrap().set_len(size).unwrap();
        stage.take("p");
        let record = fs::read(stage.path("p/.engine/state/content/repository/taken.json")).unwrap();
        let taken: Value = serde_json::from_slice(&record).unwrap();
        taken["size"].as_u64().unwrap() > 0
    };
    assert_eq!([changed(1), changed(2), changed(9_000_000)], [false; 3]);
    assert!(changed(11_000_001), "both together are much");
    let left = stage.path("p/.engine/state/content/repository/objects/ab/tmp_obj_left");
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    fs::write(&left, "half").unwrap();
    changed(3);
    assert!(left.exists());
    changed(20_000_001);
    assert!(!left.exists());
}

#[test]
fn without_git_names_sizes_and_times_count() {
    let stage = Stage::new();
    for path in ["a.txt", "src/b.txt", "gone", "node_modules/x", "target/x", "src/target/x", "session.md"] {
        stage.write(&format!("p/{path}"), "one\n");
    }
    let first = stage.take("p");
    assert_eq!(first.split_once(':').unwrap().0, "list");
    for path in
        ["node_modules/y", "target/x", "src/__pycache__/x", "session.md", "sessions/S/x", "plans/P/PLAN.md"]
    {
        stage.write(&format!("p/{path}"), "two\n");
    }
    assert_eq!(stage.take("p"), first, "none of them counts");
    let time = stage.path("p/a.txt").metadata().unwrap().modified().unwrap();
    stage.write("p/a.txt", "two\n");
    set_modified(&stage.path("p/a.txt"), time);
    stage.write("p/src/target/x", "two\n");
    fs::remove_file(stage.path("p/gone")).unwrap();
    fs::write(stage.path("p").join(OsStr::from_bytes(b"no\xffutf8\n")), "x\n").unwrap();
    symlink("/", stage.path("p/link")).unwrap();
    let listed = |path: &str, kind| Changed { path: path.into(), kind, lines: None };
    let expected = [
        listed("a.txt", ChangedKind::Modified),
        listed("gone", ChangedKind::Deleted),
        listed("link", ChangedKind::Added),
        listed("no\u{fffd}utf8\n", ChangedKind::Added),
        listed("src/target/x", ChangedKind::Modified),
    ];
    assert_eq!(stage.since("p", &first), expected);
    let project = stage.project("p");
    assert_eq!(content::text_at(&project, &first, "a.txt"), None);
    stage.git("p", "init -q");
    assert_eq!(content::changed(&project, &first, &stage.take("p")), None, "with git it is another id");
}

#[test]
fn a_project_that_git_ignores_is_listed() {
    for (name, ignore) in [("the folder", "p/\n"), ("all files", "*\n")] {
        let stage = Stage::new();
        stage.git(".", "init -q");
        stage.write("p/a.txt", "x\n");
        stage.write(".gitignore", ignore);
        let first = stage.take("p");
        stage.write("p/a.txt", "longer\n");
        let expected = Changed { path: "a.txt".into(), kind: ChangedKind::Modified, lines: None };
        assert_eq!(stage.since("p", &first), [expected], "{name}");
    }
}
