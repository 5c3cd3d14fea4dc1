//! What agent sessions, work sessions and plans keep on disk, by the functions that commands and hooks call: a missing, damaged,
//! newer or unreadable file, many writers at once, permissions.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use engine_core::evidence::known;
use engine_core::evidence::ledger::{Check, Outcome};
use engine_core::plan::{HaltKind, Observation, Plan, Start};
use engine_core::session::{Ended, SessionState};
use engine_core::work::WorkState;
use engine_store::plan_file::{self, PlanFile};
use engine_store::project::Project;
use engine_store::session_file::{self, SessionFile};
use engine_store::work_file::{self, WorkFile};
use engine_text::line::fingerprint;
use engine_text::stamp::Stamp;
use tempfile::TempDir;

const WORK: &str = "2026_02_07_AUTH";
const WRITERS: u64 = 6;
/// Few, since each write of a person's own file waits for the disk while all others wait for the lock.
const ROUNDS: u64 = 3;

/// Bytes that are no state, and what is said of them.
const UNUSABLE: [(&[u8], &str); 4] = [
    (b"{\"version\":1,\"tu", "damaged (EOF while parsing a string at line 1 column 16)"),
    (b"", "damaged (EOF while parsing a value at line 1 column 0)"),
    (b"{\"version\":1}\xff", "damaged (not UTF-8)"),
    (b"{\"version\":99,\"mine\":true}", "written by a newer engine (format 99, this one knows 1)"),
];

fn project() -> (TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path());
    fs::create_dir(project.folder()).unwrap();
    (folder, project)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The only file of a folder that was set aside, and its bytes.
fn set_aside(folder: &Path) -> (String, Vec<u8>) {
    let mut bad = names_in(folder);
    bad.retain(|name| name.contains(".bad-"));
    let [name] = bad.as_slice() else { panic!("not one file: {bad:?}") };
    (name.clone(), fs::read(folder.join(name)).unwrap())
}

fn all_at_once(write: impl Fn() + Sync) {
    // Nobody knows when a thread gets its turn.
    engine_store::lock::wait_at_least(Duration::from_mins(10));
    std::thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| write()));
        }
    });
}

fn touched(path: &Path, ago: Duration) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - ago).unwrap();
}

mod session {
    use super::*;

    #[test]
    fn a_session_that_nobody_told_of_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = folder.path().join("state/sessions");
        let file = SessionFile::new(&sessions, "s1");
        assert_eq!(file.peek(), SessionState::default());
        assert_eq!(
            (file.age(), file.is_alive(), file.is_bound(), file.has_plan()),
            (None, false, false, false)
        );
        assert!(!sessions.exists(), "who looks makes nothing");
        assert_eq!(session_file::live(&sessions), Vec::<String>::new());
        let (answer, aside) = file.update(|state| std::mem::replace(&mut state.turn, 7)).unwrap();
        assert_eq!((answer, aside), (0, None));
        assert_eq!(file.peek(), SessionState { turn: 7, ..SessionState::default() });
        assert_eq!(names_in(&sessions), [".gitignore", "s1.json", "s1.lock"]);
        assert_eq!(mode(&sessions.join("s1.json")), 0o600);
        assert!(file.age().unwrap() < Duration::from_hours(1));
    }

    #[test]
    fn what_cannot_be_used_is_kept_under_another_name() {
        for (bytes, why) in UNUSABLE {
            let folder = tempfile::tempdir().unwrap();
            let file = SessionFile::new(folder.path(), "s1");
            fs::write(folder.path().join("s1.json"), bytes).unwrap();
            assert_eq!(file.peek(), SessionState::default(), "{why}");
            assert_eq!(fs::read(folder.path().join("s1.json")).unwrap(), bytes, "who looks changes nothing");
            let (turn, note) = file
                .update(|state| {
                    state.turn += 1;
                    state.turn
                })
                .unwrap();
            let (name, kept) = set_aside(folder.path());
            assert_eq!((turn, kept.as_slice()), (1, bytes), "{why}");
            assert_eq!(note.unwrap().0, format!("s1.json was {why}; it is kept as {name}"));
            assert_eq!(file.peek().turn, 1);
            let ((), note) = file.update(|state| state.turn += 1).unwrap();
            assert_eq!(note, None, "told once");
        }
    }

    #[test]
    fn fields_of_another_release_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s1.json");
        fs::write(&path, r#"{"version":1,"turn":3,"later":{"a":[1]}}"#).unwrap();
        SessionFile::new(folder.path(), "s1").update(|state| state.turn += 1).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), r#"{"version":1,"turn":4,"later":{"a":[1]}}"#);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("s1.json/inside")).unwrap();
        let file = SessionFile::new(folder.path(), "s1");
        assert_eq!(file.update(|_| ()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(file.peek(), SessionState::default());
        assert!(folder.path().join("s1.json/inside").is_dir());
        // The place of the folder is taken.
        fs::write(folder.path().join("file"), "mine").unwrap();
        let file = SessionFile::new(&folder.path().join("file"), "s1");
        assert_eq!(file.update(|_| ()).unwrap_err().kind(), io::ErrorKind::NotADirectory);
        assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"mine");
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = folder.path().join("sessions");
        all_at_once(|| {
            let ((), aside) = SessionFile::new(&sessions, "s1").update(|state| state.turn += 1).unwrap();
            assert_eq!(aside, None);
        });
        assert_eq!(SessionFile::new(&sessions, "s1").peek().turn, WRITERS * ROUNDS);
        assert_eq!(names_in(&sessions), [".gitignore", "s1.json", "s1.lock"]);
    }

    #[test]
    fn permissions_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::new(folder.path(), "s1");
        file.update(|state| state.turn += 1).unwrap();
        set_mode(&folder.path().join("s1.json"), 0o640);
        file.update(|state| state.turn += 1).unwrap();
        assert_eq!((file.peek().turn, mode(&folder.path().join("s1.json"))), (2, 0o640));
    }

    #[test]
    fn a_session_lives_until_it_ends_or_falls_silent() {
        let folder = tempfile::tempdir().unwrap();
        let file = |id: &str| SessionFile::new(folder.path(), id);
        for id in ["b", "a", "ended", "silent"] {
            file(id).update(|state| state.turn += 1).unwrap();
        }
        let ended = Ended { at: Stamp(1), reason: "exit".into() };
        file("ended").update(|state| state.ended = Some(ended.clone())).unwrap();
        touched(&folder.path().join("a.json"), Duration::from_hours(11));
        touched(&folder.path().join("silent.json"), Duration::from_hours(13));
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        fs::write(folder.path().join("x.json.bad-1"), "").unwrap();
        assert_eq!(session_file::live(folder.path()), ["a", "b"]);
        for (id, expected) in [("a", true), ("b", true), ("ended", false), ("silent", false), ("none", false)]
        {
            assert_eq!(file(id).is_alive(), expected, "{id}");
        }
        // It is heard of again.
        file("silent").update(|state| state.turn += 1).unwrap();
        file("ended").update(|state| state.ended = None).unwrap();
        assert_eq!(session_file::live(folder.path()), ["a", "b", "ended", "silent"]);
    }

    #[test]
    fn sessions_do_not_share_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(80);
        let longer = "x".repeat(81);
        let ids = ["s1", "s2", "", "a/b", "a.b", "../s1", &long, &longer];
        for (at, id) in (1..).zip(ids) {
            SessionFile::new(folder.path(), id).update(|state| state.turn = at).unwrap();
        }
        for (at, id) in (1..).zip(ids) {
            assert_eq!(SessionFile::new(folder.path(), id).peek().turn, at, "{id:?}");
        }
        assert!(folder.path().join(format!("{long}.json")).is_file());
        assert!(!folder.path().join(format!("{longer}.json")).exists());
        assert_eq!(
            names_in(folder.path()).len(),
            2 * ids.len(),
            "all in the folder, without an ignore file of its own"
        );
    }
}

mod work {
    use super::*;

    fn described(text: &str) -> impl FnOnce(&mut WorkState) -> io::Result<()> {
        move |state| {
            state.description = Some(text.to_owned());
            Ok(())
        }
    }

    fn made(project: &Project) -> WorkFile {
        let work = WorkFile::new(project, WORK);
        work.make().unwrap();
        work.begin(described("first")).unwrap();
        work
    }

    fn path(project: &Project) -> std::path::PathBuf {
        project.root().join("sessions").join(WORK).join("state.json")
    }

    #[test]
    fn work_that_nobody_began_has_no_state() {
        let (_folder, project) = project();
        let work = WorkFile::new(&project, WORK);
        assert_eq!(
            (work.exists(), work.peek(), work.unusable().map(|why| why.to_string())),
            (false, None, None)
        );
        assert_eq!(
            (work.folder(), work.shown()),
            (&*project.root().join("sessions").join(WORK), format!("sessions/{WORK}"))
        );
        assert_eq!(
            work.update(described("x")).unwrap_err().to_string(),
            format!("sessions/{WORK} has no state")
        );
        assert_eq!(
            work.begin(described("x")).unwrap_err().kind(),
            io::ErrorKind::NotFound,
            "without its folder"
        );
        assert!(!project.root().join("sessions").exists());
        work.make().unwrap();
        work.make().unwrap();
        assert!(!work.exists());
        assert_eq!((work.begin(described("x")).unwrap(), work.exists()), (((), None), true));
        let state = WorkState { description: Some("x".into()), ..WorkState::default() };
        assert_eq!(work.peek(), Some(state));
        // Locks and seals are local; the folder may be shared.
        assert_eq!(names_in(work.folder()), ["state.json"]);
        let local = [format!("{}.seal", fingerprint(&work.folder().to_string_lossy())), "lock".to_owned()];
        assert_eq!(names_in(&project.state_folder().join("work")), local.map(|end| format!("{WORK}.{end}")));
    }

    #[test]
    fn a_state_is_there_after_a_change_of_nothing() {
        let (_folder, project) = project();
        let work = WorkFile::new(&project, WORK);
        work.make().unwrap();
        work.begin(|_| Ok::<(), io::Error>(())).unwrap();
        assert_eq!(work.peek(), Some(WorkState::default()));
        let text = fs::read_to_string(path(&project)).unwrap();
        assert!(text.ends_with("}\n") && text.lines().count() == 1, "a quiet line of a diff: {text}");
    }

    #[test]
    fn what_cannot_be_used_is_refused_or_kept_under_another_name() {
        for (bytes, why) in UNUSABLE {
            let (_folder, project) = project();
            let work = made(&project);
            fs::remove_dir_all(project.state_folder().join("work")).unwrap();
            fs::write(path(&project), bytes).unwrap();
            assert_eq!(
                (work.exists(), work.peek(), work.unusable().map(|why| why.to_string())),
                (true, None, Some(why.to_owned()))
            );
            let refused = work.update(described("x")).unwrap_err().to_string();
            assert_eq!(refused, format!("sessions/{WORK}/state.json is {why}"));
            assert_eq!(fs::read(path(&project)).unwrap(), bytes, "nothing is lost");
            let ((), note) = work.begin(described("anew")).unwrap();
            let (name, kept) = set_aside(work.folder());
            assert_eq!(
                note.unwrap().0,
                format!("sessions/{WORK}/state.json was {why}; it is kept as {name}")
            );
            assert_eq!(kept, bytes);
            assert_eq!(work.peek().unwrap().description.as_deref(), Some("anew"));
        }
    }

    #[test]
    fn a_change_that_fails_writes_nothing() {
        let (_folder, project) = project();
        let work = made(&project);
        let before = fs::read(path(&project)).unwrap();
        let fail = |state: &mut WorkState| {
            state.description = Some("half".into());
            Err::<(), io::Error>(io::Error::other("no"))
        };
        assert_eq!(work.update(fail).unwrap_err().to_string(), "no");
        assert_eq!(work.begin(fail).unwrap_err().to_string(), "no");
        assert_eq!(fs::read(path(&project)).unwrap(), before);
        // A change of nothing leaves the very file.
        let file = fs::metadata(path(&project)).unwrap().ino();
        work.update(described("first")).unwrap();
        assert_eq!(fs::metadata(path(&project)).unwrap().ino(), file);
        work.update(described("second")).unwrap();
        assert_eq!(work.peek().unwrap().description.as_deref(), Some("second"));
    }

    #[test]
    fn fields_of_another_release_survive() {
        let (_folder, project) = project();
        let work = made(&project);
        fs::remove_dir_all(project.state_folder().join("work")).unwrap();
        let newer = r#"{"version":1,"lifecycle":"idle","agentSession":null,"runs":[],"later":{"a":1}}"#;
        fs::write(path(&project), newer).unwrap();
        work.update(described("x")).unwrap();
        let text = fs::read_to_string(path(&project)).unwrap();
        assert_eq!(
            text,
            "{\"version\":1,\"lifecycle\":\"idle\",\"agentSession\":null,\"runs\":[],\"description\":\"x\",\"later\":{\"a\":1}}\n"
        );
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_stays() {
        let (_folder, project) = project();
        let work = WorkFile::new(&project, WORK);
        fs::create_dir_all(path(&project).join("inside")).unwrap();
        let unreadable = format!("sessions/{WORK}/state.json is unreadable (Is a directory (os error 21))");
        assert_eq!(work.update(described("x")).unwrap_err().to_string(), unreadable);
        let place = path(&project).display().to_string();
        assert_eq!(
            work.begin(described("x")).unwrap_err().to_string(),
            format!("failed to read file `{place}`: Is a directory (os error 21)")
        );
        assert!(path(&project).join("inside").is_dir());
        assert_eq!(
            (work.exists(), work.peek(), work.unusable().map(|why| why.to_string())),
            (false, None, None)
        );
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let (_folder, project) = project();
        let work = made(&project);
        all_at_once(|| {
            work.update(|state| {
                state.keywords.push("k".into());
                Ok::<(), io::Error>(())
            })
            .unwrap();
        });
        assert_eq!(work.peek().unwrap().keywords.len() as u64, WRITERS * ROUNDS);
        assert_eq!(names_in(work.folder()), ["state.json"]);
    }

    #[test]
    fn permissions_and_links_are_kept() {
        let (folder, project) = project();
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, project.root().join("sessions")).unwrap();
        let work = made(&project);
        let real = elsewhere.join(WORK).join("state.json");
        set_mode(&real, 0o600);
        work.update(described("second")).unwrap();
        assert_eq!((mode(&real), work.peek().unwrap().description), (0o600, Some("second".to_owned())));
        assert!(project.root().join("sessions").is_symlink());
    }

    #[test]
    fn the_newest_work_comes_first() {
        let (_folder, project) = project();
        assert_eq!(work_file::names(&project), Vec::<String>::new());
        for name in
            ["2026_02_07_AUTH", "2026_11_01_LATE", "2025_12_31_OLD", "notes", "2026_13_01_NO", ".hidden"]
        {
            fs::create_dir_all(work_file::folder(&project).join(name)).unwrap();
        }
        assert_eq!(work_file::names(&project), ["2026_11_01_LATE", "2026_02_07_AUTH", "2025_12_31_OLD"]);
    }
}

mod plan {
    use super::*;

    fn sample(owner: Option<&str>) -> Plan {
        let mut plan = Plan {
            version: 1,
            name: "dark-mode".into(),
            page: "plans/dark-mode.md".into(),
            task_type: "feature".into(),
            workflow: "build".into(),
            original_fragment: "dark mode".into(),
            ..Plan::default()
        };
        if let Some(owner) = owner {
            plan.give(owner);
        }
        plan
    }

    fn make(project: &Project, owner: Option<&str>) {
        let kept = plan_file::create(project, || Ok::<_, io::Error>(sample(owner))).unwrap();
        assert_eq!((kept.plan, kept.notes), (sample(owner), Vec::<String>::new()));
    }

    fn path(project: &Project) -> std::path::PathBuf {
        project.plans_folder().join("dark-mode.json")
    }

    fn warned(text: &str) -> impl FnOnce(&mut Plan) -> io::Result<()> {
        move |plan| {
            plan.warnings.push(text.to_owned());
            Ok(())
        }
    }

    /// The plan, or why it cannot be used, in words.
    fn peeked(file: &PlanFile) -> Option<Result<Plan, String>> {
        file.peek().map(|read| read.map_err(|fault| fault.to_string()))
    }

    #[test]
    fn a_plan_is_kept_with_its_page_and_its_owners_copy() {
        let (_folder, project) = project();
        let file = PlanFile::new(&project, "dark-mode");
        assert_eq!((file.exists(), peeked(&file)), (false, None));
        assert_eq!(file.update(warned("x")).unwrap_err().to_string(), "there is no plan dark-mode");
        make(&project, Some("s1"));
        assert_eq!((file.exists(), peeked(&file)), (true, Some(Ok(sample(Some("s1"))))));
        let page = project.root().join("plans/dark-mode.md");
        assert_eq!(fs::read_to_string(&page).unwrap(), engine_core::plan::page(&sample(Some("s1"))));
        let owner = |id: &str| SessionFile::new(&project.sessions_folder(), id);
        assert_eq!(owner("s1").peek().plan.unwrap().name, "dark-mode");
        assert!(owner("s1").has_plan());
        // It passes to another session, then to nobody.
        let kept = file
            .update(|plan| {
                plan.give("s2");
                Ok::<_, io::Error>(5)
            })
            .unwrap();
        assert_eq!((kept.answer, kept.notes), (5, Vec::<String>::new()));
        assert_eq!((owner("s1").has_plan(), owner("s2").has_plan()), (false, true));
        file.update(|plan| plan.close(None, None, "now").map_err(|why| io::Error::other(why.text))).unwrap();
        assert_eq!((owner("s1").has_plan(), owner("s2").has_plan()), (false, false));
        assert_eq!(
            fs::read_to_string(&page).unwrap(),
            engine_core::plan::page(&file.peek().unwrap().unwrap())
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused_and_stays_until_it_is_set_aside() {
        for (bytes, why) in UNUSABLE {
            // Plans are at their fourth format.
            let why = &why.replace("knows 1", "knows 4");
            let (_folder, project) = project();
            make(&project, None);
            let file = PlanFile::new(&project, "dark-mode");
            fs::write(path(&project), bytes).unwrap();
            assert_eq!((file.exists(), peeked(&file)), (true, Some(Err(why.clone()))));
            let refused = file.update(warned("x")).unwrap_err().to_string();
            assert_eq!(refused, format!("plan dark-mode is {why}"));
            file.tell_owner().unwrap();
            assert_eq!(fs::read(path(&project)).unwrap(), bytes, "nothing is lost");
            let note = file.set_aside(&file.peek().unwrap().unwrap_err()).unwrap();
            let (name, kept) = set_aside(&project.plans_folder());
            assert_eq!(
                (note, kept.as_slice()),
                (format!("plan dark-mode was {why}; it is kept as {name}"), bytes)
            );
            assert!(!file.exists());
        }
        let (_folder, project) = project();
        fs::create_dir_all(path(&project)).unwrap();
        let file = PlanFile::new(&project, "dark-mode");
        assert_eq!(peeked(&file), Some(Err("unreadable (Is a directory (os error 21))".to_owned())));
        assert_eq!(
            file.update(warned("x")).unwrap_err().to_string(),
            "plan dark-mode is unreadable (Is a directory (os error 21))"
        );
        assert_eq!(
            PlanFile::new(&project, "none").set_aside(&file.peek().unwrap().unwrap_err()).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn a_change_that_fails_writes_nothing() {
        let (_folder, project) = project();
        make(&project, None);
        let file = PlanFile::new(&project, "dark-mode");
        let before = fs::read(path(&project)).unwrap();
        let fail = |plan: &mut Plan| {
            plan.warnings.push("half".into());
            Err::<(), io::Error>(io::Error::other("no"))
        };
        assert_eq!(file.update(fail).unwrap_err().to_string(), "no");
        assert_eq!(fs::read(path(&project)).unwrap(), before);
        let inode = || fs::metadata(path(&project)).unwrap().ino();
        let first = inode();
        file.update(|_| Ok::<(), io::Error>(())).unwrap();
        assert_eq!(inode(), first, "a change of nothing leaves the very file");
        let none = plan_file::create(&project, || Err::<Plan, _>(io::Error::other("no name"))).unwrap_err();
        assert_eq!(none.to_string(), "no name");
        assert_eq!(plan_file::names(&project), ["dark-mode"]);
    }

    #[test]
    fn a_page_that_somebody_edited_is_kept_beside_the_new_one() {
        let (folder, project) = project();
        make(&project, None);
        let file = PlanFile::new(&project, "dark-mode");
        let pages = project.root().join("plans");
        let page = pages.join("dark-mode.md");
        set_mode(&page, 0o600);
        assert_eq!(file.update(warned("a")).unwrap().notes, Vec::<String>::new(), "nobody did");
        assert_eq!(mode(&page), 0o600);
        let text = format!("{}mine\n", fs::read_to_string(&page).unwrap());
        fs::write(&page, &text).unwrap();
        let aside = |notes: Vec<String>| {
            let mut names = names_in(&pages);
            names.retain(|name| name.starts_with("dark-mode.edited-"));
            let [name] = names.as_slice() else { panic!("not one page: {names:?}") };
            let told =
                format!("plans/dark-mode.md was edited by hand, which changes nothing; it is kept as {name}");
            assert_eq!(notes, [told]);
            pages.join(name)
        };
        let kept = aside(file.update(warned("b")).unwrap().notes);
        assert_eq!(fs::read_to_string(&kept).unwrap(), text);
        assert_eq!(
            fs::read_to_string(&page).unwrap(),
            engine_core::plan::page(&file.peek().unwrap().unwrap())
        );
        fs::remove_file(kept).unwrap();
        // What a link leads to is not ours to write.
        let target = folder.path().join("target.md");
        fs::write(&target, "theirs").unwrap();
        fs::remove_file(&page).unwrap();
        symlink(&target, &page).unwrap();
        let kept = aside(file.update(warned("c")).unwrap().notes);
        assert!(kept.is_symlink() && !page.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
    }

    #[test]
    fn a_page_that_cannot_be_written_is_told_and_the_plan_is_kept() {
        let (_folder, project) = project();
        fs::write(project.root().join("plans"), "a file").unwrap();
        let kept = plan_file::create(&project, || Ok::<_, io::Error>(sample(None))).unwrap();
        assert_eq!(kept.notes, ["plans/dark-mode.md was not written: File exists (os error 17)"]);
        assert_eq!(peeked(&PlanFile::new(&project, "dark-mode")), Some(Ok(sample(None))));
        let kept = PlanFile::new(&project, "dark-mode").update(warned("x")).unwrap();
        assert_eq!(kept.plan.warnings, ["x"]);
        // Without a page there is none to write.
        let bare = Plan { name: "bare".into(), page: String::new(), ..sample(None) };
        let kept = plan_file::create(&project, || Ok::<_, io::Error>(bare)).unwrap();
        assert_eq!(kept.notes, Vec::<String>::new());
        assert_eq!(plan_file::names(&project), ["bare", "dark-mode"]);
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let (_folder, project) = project();
        make(&project, Some("s1"));
        all_at_once(|| {
            let kept = PlanFile::new(&project, "dark-mode").update(warned("w")).unwrap();
            assert_eq!(kept.notes, Vec::<String>::new());
        });
        let plan = PlanFile::new(&project, "dark-mode").peek().unwrap().unwrap();
        assert_eq!(plan.warnings.len() as u64, WRITERS * ROUNDS);
        assert_eq!(names_in(&project.root().join("plans")), ["dark-mode.md"]);
    }

    #[test]
    fn permissions_are_kept() {
        let (_folder, project) = project();
        make(&project, None);
        set_mode(&path(&project), 0o600);
        PlanFile::new(&project, "dark-mode").update(warned("w")).unwrap();
        assert_eq!(mode(&path(&project)), 0o600);
    }

    #[test]
    fn a_halt_is_copied_to_the_owner_and_stays() {
        let (_folder, project) = project();
        make(&project, Some("s1"));
        let owner = SessionFile::new(&project.sessions_folder(), "s1");
        let halt = |name: &str, why: &str| plan_file::halt(&project, "s1", name, HaltKind::Thrash, why);
        halt("dark-mode", "in circles").unwrap();
        let halts = || PlanFile::new(&project, "dark-mode").peek().unwrap().unwrap().halts;
        let [first] = halts().try_into().unwrap();
        assert_eq!((first.kind, first.reason.as_str()), (HaltKind::Thrash, "in circles"));
        assert_eq!(owner.peek().plan.unwrap().halted.as_deref(), Some("in circles"));
        assert_eq!(owner.peek().approvals, [], "who wants to go on asks for it");
        halt("dark-mode", "again").unwrap();
        assert_eq!(halts().len(), 1, "what stands still stays as it is");
        assert_eq!(halt("none", "x").unwrap_err().to_string(), "there is no plan none");
    }

    #[test]
    fn work_in_circles_halts_the_plan() {
        let (_folder, project) = project();
        make(&project, Some("s1"));
        let failed = Check {
            at: String::new(),
            command: "cargo test".into(),
            outcome: Outcome::Failed { exit: 101 },
            known: true,
            folder: None,
            checks: vec![known::Check::default()],
        };
        let circle = [Observation::Edit("a.rs".into()), Observation::Checked(failed)];
        let halted = || {
            PlanFile::new(&project, "dark-mode")
                .peek()
                .unwrap()
                .unwrap()
                .halted()
                .map(|halt| halt.reason.clone())
        };
        PlanFile::new(&project, "dark-mode")
            .update(|plan| plan.lock(Start::default(), "now").map_err(|why| io::Error::other(why.text)))
            .unwrap();
        for (session, observations) in [("s2", &circle[..]), ("", &circle), ("s1", &[])] {
            for _ in 0..5 {
                plan_file::saw(&project, session, observations).unwrap();
            }
        }
        assert_eq!(halted(), None, "another session, nobody, nothing");
        for expected in
            [None, None, Some("a.rs was edited and a check failed, 3 times with no pass between".to_owned())]
        {
            plan_file::saw(&project, "s1", &circle).unwrap();
            assert_eq!(halted(), expected);
        }
    }

    #[test]
    fn an_owners_copy_is_mended() {
        let (_folder, project) = project();
        make(&project, Some("s1"));
        let owner = SessionFile::new(&project.sessions_folder(), "s1");
        let copy = owner.peek().plan;
        owner.update(|state| state.plan = None).unwrap();
        PlanFile::new(&project, "dark-mode").tell_owner().unwrap();
        assert_eq!(owner.peek().plan, copy);
        PlanFile::new(&project, "none").tell_owner().unwrap();
        // The copy of another plan is not taken away.
        owner.update(|state| state.plan.as_mut().unwrap().name = "other".into()).unwrap();
        PlanFile::new(&project, "dark-mode")
            .update(|plan| {
                plan.give("s2");
                Ok::<(), io::Error>(())
            })
            .unwrap();
        assert_eq!(owner.peek().plan.unwrap().name, "other");
    }

    #[test]
    fn names_are_those_of_plans() {
        let (_folder, project) = project();
        assert_eq!(plan_file::names(&project), Vec::<String>::new());
        fs::create_dir_all(project.plans_folder()).unwrap();
        for name in
            ["b.json", "a-1.json", "a.lock", "c.json.bad-1", "Big.json", "new.plan.lock", "-x.json", "d.txt"]
        {
            fs::write(project.plans_folder().join(name), "").unwrap();
        }
        assert_eq!(plan_file::names(&project), ["a-1", "b"]);
    }
}
