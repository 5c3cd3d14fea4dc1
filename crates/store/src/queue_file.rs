//! The queue on disk: a file per item in `.engine/queue/`.
//!
//! A capture takes no lock and waits for nobody: its file is there as a whole or not at all. Changes of items are made
//! one after the other under a lock, each by replacing one file, so that a kill leaves the old state or the new one.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::config::Config;
use engine_core::queue::{Capture, Entry, Item, LARGEST_FRAGMENT, Queue};
use engine_core::task::{State, TaskFile};
use engine_core::view::Unread;
use engine_text::stamp::Stamp;
use engine_text::undecoded;
use fs_err as fs;

use crate::atomic::{self, Durability};
use crate::git;
use crate::inside;
use crate::lock;
use crate::project::Project;
use crate::reason::at;
use crate::task_file;
use crate::task_owners::Owners;
use crate::told;

/// A small repository answers in a few milliseconds; a huge one does not hold up a capture.
const FOR_GIT: Duration = Duration::from_millis(50);
/// What a killed writer left behind is nobody's any more.
const STRAY: Duration = Duration::from_mins(10);

/// What is to be captured.
#[derive(Debug, Default)]
pub struct Words<'a> {
    pub fragment: &'a str,
    pub title: Option<&'a str>,
    pub after: &'a [String],
    /// The agent session; nothing for a person.
    pub session: Option<&'a str>,
}

/// Writes a new item, with what is known at this moment, and gives its id.
pub fn capture(project: &Project, config: &Config, words: &Words<'_>, now: Stamp) -> io::Result<String> {
    let Words { fragment, title, after, session } = *words;
    if fragment.len() > LARGEST_FRAGMENT {
        return Err(io::Error::other(format!("the text is larger than {} MB", LARGEST_FRAGMENT >> 20)));
    }
    let capture = Capture {
        fragment,
        title,
        after,
        created: now,
        branch: git::branch(project.root()),
        session,
        task: task(project, config, session),
        files: git::recent_files(project.root(), FOR_GIT),
    };
    let text = capture.text();
    let name = |taken| path(project, &capture.id(taken));
    let write = || atomic::create(name, text.as_bytes(), Durability::Soon);
    let taken = match write() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(project.queue_folder())?;
            write()?
        }
        taken => taken?,
    };
    Ok(capture.id(taken))
}

/// The task in progress: the session's own, or any.
fn task(project: &Project, config: &Config, session: Option<&str>) -> Option<String> {
    let path = task_file::path(project, config);
    let text = task_file::read(project, &path).ok()?;
    let file = TaskFile::parse(&text);
    let running = || file.tasks().filter(|task| task.state == State::InProgress);
    let owners = Owners::load(project, &path);
    let own = running().find(|task| session.is_some() && owners.owner(&task.meta.name) == session);
    own.or_else(|| running().next()).map(|task| undecoded::shown(&task.meta.name).into_owned())
}

/// The file of an item.
pub fn path(project: &Project, id: &str) -> PathBuf {
    project.queue_folder().join(format!("{id}.md"))
}

/// All items, and what is wrong with files that are none. A queue that is not there is empty.
pub fn load(project: &Project) -> io::Result<Queue> {
    let files = match fs::read_dir(project.queue_folder()) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Queue::default()),
        files => files?,
    };
    let mut entries = Vec::new();
    for file in files {
        let path = file?.path();
        let is_item = path.extension().is_some_and(|end| end == "md");
        let (true, Some(id)) = (is_item, path.file_stem().and_then(|stem| stem.to_str())) else { continue };
        if let Some(text) = text_of(project, &path).transpose() {
            entries.push(Entry { id: id.to_owned(), item: text.and_then(|text| Item::read(id, &text)) });
        }
    }
    Ok(Queue::new(entries))
}

/// The text of a file, nothing if it is gone by now, or why it has none. A link is not followed: what it leads to is
/// not the queue's to change.
fn text_of(project: &Project, path: &Path) -> Result<Option<String>, String> {
    if path.is_symlink() {
        return Err("a symbolic link, not a file".into());
    }
    match told::read(project.main_root(), path) {
        Ok(told) => Ok(Some(told.text)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::Unreadable(why)) => Err(why),
    }
}

/// The text of an item.
pub fn text(project: &Project, id: &str) -> io::Result<String> {
    let path = path(project, id);
    let found = text_of(project, &path).map_err(|why| at("read file", &path)(io::Error::other(why)))?;
    found.ok_or_else(|| at("read file", &path)(ErrorKind::NotFound.into()))
}

/// Changes at most one item. `change` sees the queue as it is under the lock, and gives the id and the new text.
pub fn change<T, E: From<io::Error>>(
    project: &Project,
    change: impl FnOnce(&Queue) -> Result<(Option<(String, String)>, T), E>,
) -> Result<T, E> {
    let lock_file = project.state_folder().join("queue.lock");
    let held = lock::hold_local(&lock_file, lock::RARE)?;
    let folder = project.queue_folder();
    inside::keeps(&folder)?;
    sweep(&folder);
    let (new, answer) = change(&load(project)?)?;
    if let Some((id, text)) = new {
        told::replace(project.main_root(), &path(project, &id), text.as_bytes(), Durability::Disk)?;
    }
    drop(held);
    Ok(answer)
}

/// Removes what killed writers left.
fn sweep(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_stray = file.path().extension().is_some_and(|end| end == atomic::TEMPORARY)
            && file
                .metadata()
                .and_then(|data| data.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STRAY));
        if is_stray {
            let _ = fs::remove_file(file.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::SystemTime;

    use engine_core::queue::State;

    use super::*;

    // 15 November 2026, 20:34:41.
    const NOW: Stamp = Stamp(1_794_774_881_000);

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        (folder, project)
    }

    fn captured(project: &Project, fragment: &str) -> io::Result<String> {
        capture(project, &Config::default(), &Words { fragment, ..Words::default() }, NOW)
    }

    fn names(project: &Project) -> Vec<String> {
        let entries = fs::read_dir(project.queue_folder()).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_capture_makes_its_folder_and_finds_a_free_name() {
        let (_folder, project) = project();
        assert_eq!(load(&project).unwrap().entries(), [], "a queue that is not there is empty");
        assert_eq!(text(&project, "none").unwrap_err().kind(), ErrorKind::NotFound);
        let ids: Vec<String> = (0..3).map(|_| captured(&project, "Dark mode").unwrap()).collect();
        let id = "20261115-203441-dark-mode";
        assert_eq!(ids, [id.to_owned(), format!("{id}-2"), format!("{id}-3")]);
        assert_eq!(path(&project, id), project.queue_folder().join(format!("{id}.md")));
        let queue = load(&project).unwrap();
        let items: Vec<(&str, &str, State)> =
            queue.items().map(|item| (item.id.as_str(), item.title.as_str(), item.state)).collect();
        assert_eq!(items, ids.iter().map(|id| (id.as_str(), "Dark mode", State::Open)).collect::<Vec<_>>());
        assert_eq!(text(&project, id).unwrap(), fs::read_to_string(path(&project, id)).unwrap());
        assert_eq!(names(&project), [format!("{id}-2.md"), format!("{id}-3.md"), format!("{id}.md")]);
    }

    #[test]
    fn a_capture_tells_what_is_known() {
        let (folder, project) = project();
        let config = Config::default();
        let text_of = |session: Option<&str>| {
            let after = ["20261101-000000-first".to_owned()];
            let words = Words { fragment: "x", title: Some("Title"), after: &after, session };
            text(&project, &capture(&project, &config, &words, NOW).unwrap()).unwrap()
        };
        let task = |text: &str| {
            text.lines().find_map(|line| line.strip_prefix("- Task in progress: ")).map(str::to_owned)
        };
        assert_eq!(task(&text_of(None)), None);
        fs::write(
            folder.path().join("session.md"),
            "## Pending Tasks\n- [>] **One** —\n- [>] **Two** —\n- [ ] **Three** —\n",
        )
        .unwrap();
        task_file::edit(&project, &folder.path().join("session.md"), |_, owners| {
            owners.take("Two", Some("s1"));
            owners.take("Three", Some("s2"));
            Ok::<_, io::Error>((None, ()))
        })
        .unwrap();
        for (session, expected) in
            [(None, "One"), (Some("s1"), "Two"), (Some("s2"), "One"), (Some("s3"), "One")]
        {
            let text = text_of(session);
            assert_eq!(task(&text).as_deref(), Some(expected), "{session:?}");
            let item = Item::read("x", &text).unwrap();
            assert_eq!(
                (item.title.as_str(), item.after, item.session.as_deref()),
                ("Title", vec!["20261101-000000-first".to_owned()], session)
            );
        }
    }

    #[test]
    fn what_is_too_large_or_has_no_place_is_refused() {
        let (folder, project) = project();
        captured(&project, &"x".repeat(LARGEST_FRAGMENT)).unwrap();
        let refused = captured(&project, &"x".repeat(LARGEST_FRAGMENT + 1)).unwrap_err();
        assert_eq!(refused.to_string(), "the text is larger than 1 MB");
        fs::remove_dir_all(project.queue_folder()).unwrap();
        fs::write(project.queue_folder(), "a file in the folder's place").unwrap();
        assert_eq!(captured(&project, "x").unwrap_err().kind(), ErrorKind::NotADirectory);
        assert_eq!(load(&project).unwrap_err().kind(), ErrorKind::NotADirectory);
        let nothing = |_: &Queue| Ok::<_, io::Error>((None, ()));
        let place = project.queue_folder();
        assert_eq!(
            change(&project, nothing).unwrap_err().to_string(),
            format!("failed to read directory `{}`: Not a directory (os error 20)", place.display())
        );
        fs::remove_dir_all(project.folder()).unwrap();
        fs::write(folder.path().join(".engine"), "").unwrap();
        let lock = project.state_folder().join("queue.lock");
        assert_eq!(
            change(&project, nothing).unwrap_err().to_string(),
            format!("failed to open file `{}`: Not a directory (os error 20)", lock.display())
        );
    }

    #[test]
    fn files_that_are_no_items_are_told_or_passed_over() {
        let (folder, project) = project();
        let id = captured(&project, "x").unwrap();
        let queue = project.queue_folder();
        fs::write(folder.path().join("theirs.md"), "---\nstate: open\n---\n").unwrap();
        symlink(folder.path().join("theirs.md"), queue.join("link.md")).unwrap();
        fs::write(queue.join("broken.md"), "no head").unwrap();
        fs::create_dir(queue.join("folder.md")).unwrap();
        fs::write(queue.join("notes.txt"), "").unwrap();
        let loaded = load(&project).unwrap();
        let mut told: Vec<(&str, Option<&str>)> = loaded
            .entries()
            .iter()
            .map(|entry| (entry.id.as_str(), entry.item.as_ref().err().map(String::as_str)))
            .collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [
                (id.as_str(), None),
                ("broken", Some("no front matter between two lines ---")),
                ("folder", Some("not a file")),
                ("link", Some("a symbolic link, not a file")),
            ]
        );
        assert_eq!(
            text(&project, "link").unwrap_err().to_string(),
            format!(
                "failed to read file `{}`: a symbolic link, not a file",
                project.queue_folder().join("link.md").display()
            )
        );
    }

    #[test]
    fn a_change_replaces_one_file_or_none() {
        let (_folder, project) = project();
        let id = captured(&project, "x").unwrap();
        let path = path(&project, &id);
        fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let before = fs::read_to_string(&path).unwrap();
        assert_eq!(change(&project, |queue| Ok::<_, io::Error>((None, queue.items().count()))).unwrap(), 1);
        let failed = change(&project, |_| Err::<(_, ()), _>(io::Error::other("no"))).unwrap_err();
        assert_eq!(
            (failed.to_string(), fs::read_to_string(&path).unwrap()),
            ("no".to_owned(), before.clone())
        );
        let done = before.replace("state: open", "state: done");
        change(&project, |_| Ok::<_, io::Error>((Some((id.clone(), done.clone())), ()))).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), done);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(load(&project).unwrap().items().next().unwrap().state, State::Done);
    }

    #[test]
    fn a_change_removes_what_killed_writers_left() {
        let (_folder, project) = project();
        let id = captured(&project, "x").unwrap();
        let minute = Duration::from_mins(1);
        for (name, age) in
            [("a.md.1.tmp", STRAY + minute), ("b.md.1.tmp", STRAY / 2), ("c.txt", STRAY + minute)]
        {
            let file = fs::File::create(project.queue_folder().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        captured(&project, "x").unwrap();
        assert!(names(&project).contains(&"a.md.1.tmp".to_owned()), "a capture waits for nothing");
        change(&project, |_| Ok::<_, io::Error>((None, ()))).unwrap();
        assert_eq!(
            names(&project),
            [format!("{id}-2.md"), format!("{id}.md"), "b.md.1.tmp".to_owned(), "c.txt".to_owned()]
        );
    }

    #[test]
    fn many_at_once_change_one_after_the_other() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let (_folder, project) = project();
        let id = captured(&project, "x").unwrap();
        let take = || {
            change(&project, |queue| {
                let is_open = queue.items().any(|item| item.state == State::Open);
                let text = text(&project, &id)?.replace("state: open", "state: pulled");
                Ok::<_, io::Error>((is_open.then(|| (id.clone(), text)), usize::from(is_open)))
            })
        };
        let taken: usize = std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| take().unwrap())).collect();
            all.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(taken, 1);
    }
}
