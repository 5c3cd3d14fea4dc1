//! Asks git whether files have changes that are not committed, and runs nothing of the repository for it: no hook, no fsmonitor, no
//! filter, no fetch. The commands compare what the index remembers of a file with the file, so a file that was only touched counts as
//! changed.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use engine_core::policy::{Asked, Unsaved};

use crate::git::Call;
use crate::read::read_bytes;

/// For all questions of one command together.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The same where a person waits, and the answer decides what is deleted.
const PATIENCE_OF_A_COMMAND: Duration = Duration::from_secs(20);
/// More programs that convert files than a repository has.
const MOST_FILTERS: usize = 32;
/// Settings of git that could run a program.
const QUIET: [&str; 4] = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/// What git knows of unsaved work in the paths.
pub fn look(asked: &Asked) -> Unsaved {
    answer(asked).unwrap_or(Unsaved::NotKnown)
}

/// The files below a folder that the last commit has exactly as they are, from the folder. None where git does not say so in time: what is
/// not in the list may be nowhere else.
pub fn saved(folder: &Path) -> BTreeSet<String> {
    saved_by_git(folder).unwrap_or_default()
}

fn saved_by_git(folder: &Path) -> Option<BTreeSet<String>> {
    let until = Instant::now() + PATIENCE_OF_A_COMMAND;
    let quiet = quiet(folder, until)?;
    let run = |args: &[&str]| ask(folder, until, &[&quiet.each(), args].concat(), &[0]);
    // A capital H: in the index, and nobody said to git that it may believe what it remembers.
    let tracked = run(&["ls-files", "-v", "-z"])?;
    let mut saved: BTreeSet<String> =
        tracked.split('\0').filter_map(|entry| Some(entry.strip_prefix("H ")?.to_owned())).collect();
    let names = ["-z", "--name-only", "--no-renames", "--relative", "--ignore-submodules=all"];
    let staged = run(&[&["diff-index", "--cached"], &names[..], &["HEAD", "--", "."]].concat())?;
    saved.retain(|name| !staged.split('\0').any(|staged| staged == name));
    let in_files = run(&[&["diff-files"], &names[..], &["--", "."]].concat())?;
    for name in in_files.split('\0').filter(|name| !name.is_empty()) {
        // A file that was only touched counts as changed.
        let object = format!(":./{name}");
        let kept = Call::new(folder, &["cat-file", "blob", &object]).offline().raw(&[0]).ok();
        let is_same =
            kept.is_some_and(|kept| read_bytes(&folder.join(name)).is_ok_and(|now| now == kept.stdout));
        if !is_same {
            saved.remove(name);
        }
    }
    Some(saved)
}

fn answer(asked: &Asked) -> Option<Unsaved> {
    let folder = Path::new(&asked.folder);
    let until = Instant::now() + PATIENCE;
    let quiet = quiet(folder, until)?;
    let paths: Vec<&str> = asked.paths.iter().map(String::as_str).collect();
    let on_paths =
        |command: &[&str]| ask(folder, until, &[&quiet.each(), command, &["--"], &paths].concat(), &[0]);
    // It fails for a path that git does not know.
    on_paths(&["ls-files", "-z", "--error-unmatch"])?;
    let kinds = ["-z", "--name-status", "--no-renames", "--ignore-submodules=all"];
    let in_files = on_paths(&[&["diff-files"], &kinds[..]].concat())?;
    // What was deleted is brought back, and nothing is lost.
    if is_one(&in_files, &["M", "T"]) {
        return Some(Unsaved::Something);
    }
    if !asked.from_commit {
        return Some(Unsaved::Nothing);
    }
    let staged = on_paths(&[&["diff-index", "--cached"], &kinds[..], &["HEAD"]].concat())?;
    let is_lost = is_one(&in_files, &["U"]) || is_one(&staged, &["A", "M", "T", "U"]);
    Some(if is_lost { Unsaved::Something } else { Unsaved::Nothing })
}

/// What git prints, if it ends with one of these codes in time.
fn ask(folder: &Path, until: Instant, args: &[&str], answers: &[i32]) -> Option<String> {
    let left = until.saturating_duration_since(Instant::now());
    let raw = Call::new(folder, args).offline().within(left).raw(answers).ok()?;
    Some(String::from_utf8_lossy(&raw.stdout).into_owned())
}

/// Settings by which git runs no program of the repository.
struct Quiet(Vec<String>);

impl Quiet {
    fn each(&self) -> Vec<&str> {
        QUIET.into_iter().chain(self.0.iter().flat_map(|set| ["-c", set.as_str()])).collect()
    }
}

fn quiet(folder: &Path, until: Instant) -> Option<Quiet> {
    let of_filters = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
    Some(Quiet(filters(&ask(folder, until, &[&QUIET[..], &of_filters].concat(), &[0, 1])?)?))
}

/// Settings that switch the programs off by which the repository converts files; nothing if there is one that no word can name.
fn filters(names: &str) -> Option<Vec<String>> {
    let mut off = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let (filter, key) = name.rsplit_once('.')?;
        if filter.contains(['=', '\n']) || off.len() >= MOST_FILTERS {
            return None;
        }
        match key {
            "required" => off.push(format!("{name}=false")),
            _ => off.push(format!("{name}=")),
        }
    }
    Some(off)
}

/// Whether one of the files has one of the kinds of change: kind and name take turns.
fn is_one(changes: &str, kinds: &[&str]) -> bool {
    changes.split('\0').step_by(2).any(|kind| kinds.contains(&kind))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn saved_is_what_the_last_commit_has_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("part");
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join("q")).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        let git = |args: &[&str]| Call::new(&root, args).text().unwrap();
        write("clean", "one\n");
        assert!(saved(&root).is_empty(), "no repository");
        git(&["init", "-q", ".."]);
        assert!(saved(&root).is_empty(), "no commit");
        for name in ["touched", "edited", "staged", "assumed", "q/a [b] *", "gone"] {
            write(name, "one\n");
        }
        git(&["add", "."]);
        assert!(saved(&root).is_empty(), "the index is no commit");
        git(&["-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "start"]);
        let past = std::time::SystemTime::now() - Duration::from_hours(1);
        fs::File::options().write(true).open(root.join("touched")).unwrap().set_modified(past).unwrap();
        write("edited", "two\n");
        write("staged", "two\n");
        git(&["add", "staged"]);
        git(&["update-index", "--assume-unchanged", "assumed"]);
        write("assumed", "two\n");
        write("untracked", "one\n");
        fs::remove_file(root.join("gone")).unwrap();
        let expected = ["clean", "q/a [b] *", "touched"].map(str::to_owned);
        assert_eq!(saved(&root), BTreeSet::from(expected));
    }

    #[test]
    fn unsaved_work_is_known_and_nothing_of_the_repository_runs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let git = |args: &[&str]| Call::new(folder.path(), args).text().unwrap();
        git(&["init", "-q"]);
        for name in ["clean", "edited", "staged", "gone", "dir/edited", "dir/clean"] {
            fs::create_dir_all(at("dir")).unwrap();
            fs::write(at(name), "one\n").unwrap();
        }
        fs::write(at(".gitattributes"), "* filter=evil\n").unwrap();
        git(&["add", "."]);
        let who = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
        git(&[&who[..], &["commit", "-q", "-m", "start"]].concat());
        fs::write(at("staged"), "two\n").unwrap();
        git(&["add", "staged"]);
        fs::write(at("edited"), "two\n").unwrap();
        fs::write(at("dir/edited"), "two\n").unwrap();
        fs::write(at("untracked"), "two\n").unwrap();
        fs::remove_file(at("gone")).unwrap();
        let trace = at("ran");
        let touch = format!("touch {}", trace.display());
        for name in ["filter.evil.clean", "filter.evil.process", "core.fsmonitor"] {
            git(&["config", name, &touch]);
        }
        git(&["config", "filter.evil.required", "true"]);
        for (paths, from_commit, expected) in [
            (&["clean"][..], false, Unsaved::Nothing),
            (&["clean"], true, Unsaved::Nothing),
            (&["edited"], false, Unsaved::Something),
            (&["clean", "edited"], false, Unsaved::Something),
            (&["dir/"], false, Unsaved::Something),
            (&["dir/clean"], false, Unsaved::Nothing),
            (&["dir/e*"], false, Unsaved::Something),
            (&["staged"], false, Unsaved::Nothing),
            (&["staged"], true, Unsaved::Something),
            (&["gone"], true, Unsaved::Nothing),
            (&["untracked"], false, Unsaved::NotKnown),
            (&["clean", "nothing"], false, Unsaved::NotKnown),
        ] {
            let asked = Asked {
                folder: folder.path().display().to_string(),
                paths: paths.iter().map(|path| (*path).to_owned()).collect(),
                from_commit,
            };
            assert_eq!(look(&asked), expected, "{paths:?} {from_commit}");
        }
        assert!(!trace.exists(), "a program of the repository ran");
        let asked = |folder: &str| Asked {
            folder: folder.to_owned(),
            paths: vec!["clean".to_owned()],
            from_commit: false,
        };
        let outside = tempfile::tempdir().unwrap();
        assert_eq!(look(&asked(&outside.path().display().to_string())), Unsaved::NotKnown);
        assert_eq!(look(&asked("/nowhere/at/all")), Unsaved::NotKnown);
    }
}
