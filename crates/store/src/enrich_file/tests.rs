use std::path::Path;
use std::thread;

use super::*;

struct Stage {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join(".engine")).unwrap();
        Self { _folder: folder, root }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn project(&self) -> Project {
        Project::at(&self.root)
    }

    fn make(&self) -> Gathered {
        make(&self.project(), &Config::default(), &BTreeSet::new(), None).unwrap().unwrap()
    }

    fn is_current(&self) -> bool {
        is_current(&self.project(), &Config::default())
    }
}

fn places(gathered: &Gathered) -> Vec<String> {
    let mut places: Vec<String> =
        gathered.items.iter().map(|item| format!("{}:{}", item.path, item.line)).collect();
    places.sort();
    places
}

const NOTE: &str =
    "---\nkind: fact\ncreated: 2026-11-19T21:00:00.000Z\n---\n\nThe registry token is on the build server.\n";

fn filled() -> Stage {
    let stage = Stage::new();
    stage.write(".engine/memory/deploys.md", NOTE);
    stage.write(".engine/memory/old.md", NOTE);
    stage.write(".engine/memory/new.md", &NOTE.replace("created", "supersedes: [old]\ncreated"));
    stage.write(".engine/memory/dropped/gone.md", NOTE);
    stage.write(
        "learnings.md",
        "# Learnings\n\n## Whole outputs\n- Anti-pattern: a\n- Correct pattern: b\n- Reason: c\n",
    );
    stage.write("docs/decisions/001-one.md", "# One\n\ntext\n\n## Decision\n\nmore\n");
    stage.write("docs/decisions/deep/002.md", "# Two\n\ntext\n");
    stage.write("a/b/adr/x.md", "# Three\n\ntext\n");
    stage.write("node_modules/p/adr/x.md", "# Foreign\n\ntext\n");
    stage.write(".hidden/adr/x.md", "# Hidden\n\ntext\n");
    stage.write("docs/page.md", "# No decision\n\ntext\n");
    stage
}

#[test]
fn what_is_written_down_is_gathered_from_its_places() {
    let stage = filled();
    assert_eq!(
        places(&stage.make()),
        [
            ".engine/memory/deploys.md:6",
            ".engine/memory/new.md:7",
            "a/b/adr/x.md:1",
            "docs/decisions/001-one.md:1",
            "docs/decisions/001-one.md:5",
            "docs/decisions/deep/002.md:1",
            "learnings.md:3",
        ]
    );
    let bytes = read(&stage.project()).unwrap();
    assert_eq!(Index::open(&bytes).unwrap().len(), 7);
}

#[test]
fn an_edit_makes_it_old() {
    for (name, edit) in [
        ("a note more", ".engine/memory/more.md"),
        ("a note", ".engine/memory/deploys.md"),
        ("a learning", "learnings.md"),
        ("a decision", "docs/decisions/001-one.md"),
        ("a decision more", "docs/decisions/003.md"),
        ("a plan", ".engine/state/plans/x.json"),
    ] {
        let stage = filled();
        assert!(!stage.is_current(), "{name}: there is none");
        stage.make();
        assert!(stage.is_current(), "{name}");
        stage.write(
            edit,
            "# Another text that is longer than before, to be sure, or of another time\n\ntext\n",
        );
        assert!(!stage.is_current(), "{name}");
        stage.make();
        assert!(stage.is_current(), "{name}");
    }
    let stage = Stage::new();
    stage.make();
    assert!(stage.is_current());
    stage.write("learnings.md", "");
    assert!(!stage.is_current(), "a file that was not there");
}

#[test]
fn what_cannot_be_used_is_made_anew() {
    let stage = filled();
    stage.make();
    let whole = read(&stage.project()).unwrap();
    for broken in [&b"garbage"[..], b"", &whole[..whole.len() / 2]] {
        fs::write(path(&stage.project()), broken).unwrap();
        assert!(!stage.is_current());
        assert_eq!(retired(&stage.project()), BTreeSet::new());
        stage.make();
        assert_eq!(read(&stage.project()).unwrap(), whole);
    }
}

#[test]
fn a_pipe_in_its_place_is_not_waited_for() {
    let stage = filled();
    fs::create_dir_all(stage.project().own_state_folder()).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        path(&stage.project()),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert!(read(&stage.project()).is_err());
}

#[test]
fn links_out_of_the_project_are_not_read() {
    let stage = filled();
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("secret.md"), "# Secret\n\ntext\n").unwrap();
    std::os::unix::fs::symlink(other.path(), stage.root.join("docs/adr")).unwrap();
    std::os::unix::fs::symlink(other.path().join("secret.md"), stage.root.join("docs/decisions/s.md"))
        .unwrap();
    assert!(places(&stage.make()).iter().all(|place| !place.contains("adr/s") && !place.contains("s.md:1")));
}

#[test]
fn a_hook_leaves_the_old_index_where_time_is_up_or_another_writes() {
    let stage = filled();
    let project = stage.project();
    let none = make(&project, &Config::default(), &BTreeSet::new(), Some(Duration::ZERO)).unwrap();
    assert!(none.is_none() && read(&project).is_err());
    let held = lock::hold_local(&path(&project).with_extension("lock"), Duration::ZERO).unwrap();
    assert!(make(&project, &Config::default(), &BTreeSet::new(), Some(HOOK)).unwrap().is_none());
    drop(held);
    assert!(
        make(&project, &Config::default(), &BTreeSet::new(), Some(Duration::from_mins(1))).unwrap().is_some()
    );
}

#[test]
fn a_reader_sees_a_whole_index_while_several_write() {
    let stage = filled();
    stage.make();
    let project = stage.project();
    thread::scope(|scope| {
        for writer in 0..4 {
            let (stage, project) = (&stage, &project);
            scope.spawn(move || {
                for round in 0..8 {
                    stage.write(&format!("docs/decisions/w{writer}.md"), &format!("# W\n\ntext {round}\n"));
                    make(project, &Config::default(), &BTreeSet::new(), None).unwrap();
                }
            });
        }
        for _ in 0..200 {
            let bytes = read(&project).unwrap();
            assert!(Index::open(&bytes).unwrap().len() >= 7);
        }
    });
    let names: Vec<_> =
        fs::read_dir(project.own_state_folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| Path::new(name).extension().is_none_or(|end| end != "tmp")), "{names:?}");
}
