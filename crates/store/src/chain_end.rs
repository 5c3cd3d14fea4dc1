//! The facts by which an entry of a chain is done, and the chains whose client is gone.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine_core::chain::{Began, Condition, Stored};
use engine_core::config::Config;
use engine_core::evidence::proof::Command;
use engine_core::evidence::{self, EditScope, Evidence};
use engine_core::journal::Entry;
use engine_core::plan::Plan;
use engine_text::glob;
use engine_text::line::fingerprint;
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::mark;
use crate::plan_file::{self, PlanFile};
use crate::project::Project;
use crate::read::read_beginning;
use crate::session_file::SessionFile;
use crate::{clock, git, journal_file, task_file};

/// Entries of a folder that a pattern is compared with.
const MOST_ENTRIES: usize = 2_000;
/// Plans among which one that was closed is looked for.
const MOST_PLANS: usize = 20;
/// Files whose content is kept when an entry begins, and how much of each counts.
const MOST_FILES: usize = 500;
const LONGEST: usize = 1 << 20;
/// How far the clock of a file system, and the one that git reads, lag behind the clock of events: a tick of the kernel.
const TICK: u64 = 10;
/// A chain that nobody took up for so long is not named any more.
const MOST_DAYS: u64 = 14;

/// What is missing of an entry's `done-when`.
pub(crate) fn unmet(
    project: &Project,
    session: &str,
    began: &Began,
    scope: &EditScope<'_>,
) -> Vec<Condition> {
    let holds = |condition: &&Condition| match condition {
        Condition::File(pattern) => {
            let is_new = |path: &PathBuf| {
                let content = content(path);
                // A file that was only touched says nothing new.
                content.is_some() && content.as_ref() != began.files.get(&name(project.root(), path))
            };
            let written = files(project.root(), pattern);
            written
                .iter()
                .any(|path| written_at(path).is_some_and(|at| is_since(at, began.at)) && is_new(path))
        }
        Condition::Commit => is_committed(project.root(), began),
        Condition::Passed(line) => {
            let sessions: Vec<&str> = began.sessions.iter().map(String::as_str).chain([session]).collect();
            let entries = entries(project, &sessions, began.at);
            let found = evidence::find(&entries, &Command::new(line, ""), scope);
            matches!(found, Evidence::Passed(pass) if pass.edited.is_none())
        }
        Condition::Run(name) => {
            let sessions: Vec<&str> = began.sessions.iter().map(String::as_str).chain([session]).collect();
            plan_of(project, name, &sessions, began.at).is_some_and(|plan| is_built(&plan))
        }
    };
    began.ending.done_when.iter().filter(|condition| !holds(condition)).cloned().collect()
}

/// The plan that a run is: the one of that name, else the delegated one that a session of the chain works on, or closed since then.
fn plan_of(project: &Project, name: &str, sessions: &[&str], since: Stamp) -> Option<Plan> {
    let read = |name: &str| PlanFile::new(project, name).peek().and_then(Result::ok);
    if !name.is_empty() && (PlanFile::new(project, name).exists() || is_plan_folder(project, name)) {
        return read(name);
    }
    let since = since.rfc3339();
    let is_theirs = |plan: &Plan| {
        plan.is_delegated() && plan.owner.as_deref().is_some_and(|owner| sessions.contains(&owner))
    };
    let is_closed = |plan: &Plan| plan.closed.as_ref().is_some_and(|closed| closed.at >= since);
    let names = plan_file::newest(project, MOST_PLANS);
    let theirs: Vec<Plan> = names.iter().filter_map(|name| read(name)).filter(is_theirs).collect();
    let at = theirs.iter().position(Plan::is_open).or_else(|| theirs.iter().position(is_closed))?;
    theirs.into_iter().nth(at)
}

/// Whether a name is that of a folder below `plans/`, which may not be prepared yet.
fn is_plan_folder(project: &Project, name: &str) -> bool {
    project.root().join("plans").join(name).is_dir()
}

/// Whether all steps of a plan are done. What a person let pass when it was closed is not.
fn is_built(plan: &Plan) -> bool {
    match &plan.closed {
        Some(closed) => closed.approved.is_none(),
        None => plan.is_built(),
    }
}

/// Whether something was committed since then. To go back to an earlier commit is none, nor is an empty commit.
fn is_committed(root: &Path, began: &Began) -> bool {
    let now = git::head(root);
    if now.is_none() || now == began.head {
        return false;
    }
    let made = head_made(root).unwrap_or_default();
    let is_as = |other: &str| {
        let trees = git::text(root, &["rev-parse", "HEAD^{tree}", &format!("{other}^{{tree}}")])?;
        let mut trees = trees.lines();
        Some(trees.next()? == trees.next()?)
    };
    // As before, or as the commit under it: of an older commit somebody checked out, an empty one shows nothing either.
    let is_empty = is_as("HEAD~1").unwrap_or(false) || began.head.as_deref().and_then(is_as).unwrap_or(false);
    is_since(Stamp(made * 1000 + 999), began.at) && !is_empty
}

/// Whether something was written at or after a moment, by a clock that lags.
fn is_since(written: Stamp, moment: Stamp) -> bool {
    written.0 + TICK >= moment.0
}

/// When the commit was made that a repository is at, in seconds.
pub(crate) fn head_made(root: &Path) -> Option<u64> {
    git::text(root, &["log", "-1", "--format=%ct"])?.trim().parse().ok()
}

/// What the files hold now that an entry's conditions name, each by its path from the root.
pub(crate) fn contents(root: &Path, began: &Began) -> BTreeMap<String, String> {
    let patterns = began.ending.done_when.iter().filter_map(|condition| match condition {
        Condition::File(pattern) => Some(pattern),
        _ => None,
    });
    let paths = patterns.flat_map(|pattern| files(root, pattern)).take(MOST_FILES);
    paths.filter_map(|path| Some((name(root, &path), content(&path)?))).collect()
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// A fingerprint of what a file holds; nothing if it holds nothing. Of a long one its beginning and its length count.
fn content(path: &Path) -> Option<String> {
    let length = fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    let text = read_beginning(path, LONGEST)?;
    (!text.trim().is_empty()).then(|| format!("{length}-{}", fingerprint(&text)))
}

/// The files that a pattern names below a folder.
fn files(root: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    for part in pattern.split('/').filter(|part| !part.is_empty() && *part != ".") {
        // A skill's front matter names files of the project.
        if part == ".." {
            return Vec::new();
        }
        found = found.iter().flat_map(|folder| named(folder, part)).collect();
    }
    found
}

/// When a file was written.
fn written_at(path: &Path) -> Option<Stamp> {
    let data = fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let changed =
        Stamp(u64::try_from(data.ctime() * 1000 + data.ctime_nsec() / 1_000_000).unwrap_or_default());
    // A time that lies ahead was set, and the time of the change cannot be.
    data.modified().ok().map(|written| clock::stamp(written).min(changed))
}

fn named(folder: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains(['*', '?', '[']) {
        return vec![folder.join(part)];
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let fits =
        |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| glob::matches(part, name));
    entries.filter(fits).map(|entry| entry.path()).collect()
}

/// What the journal has of sessions since a moment, the oldest first.
fn entries(project: &Project, sessions: &[&str], since: Stamp) -> Vec<Entry> {
    let (from, since) = (since.day(), since.rfc3339());
    let mut found = Vec::new();
    for (day, path) in journal_file::days(&project.journal_folder()) {
        if day >= from {
            let _ = journal_file::read_day(&path, |entry| {
                if sessions.contains(&entry.session.as_str()) && entry.at >= since {
                    found.push(entry);
                }
            });
        }
    }
    found
}

/// Every session that has a chain.
pub fn sessions(project: &Project) -> Vec<String> {
    mark::chained(&project.sessions_folder())
}

/// The chain of a session that is not over, whether or not its client lives.
pub fn chain_of(project: &Project, session: &str) -> Option<Stored> {
    SessionFile::new(&project.sessions_folder(), session).peek().chain
}

/// Chains whose client is gone, by their sessions.
pub fn orphaned(project: &Project) -> Vec<(String, Stored)> {
    let is_orphan = |session: &String| {
        let file = SessionFile::new(&project.sessions_folder(), session);
        let is_fresh = file.age().is_some_and(|age| age.as_secs() / 86_400 < MOST_DAYS);
        is_fresh && !file.is_alive()
    };
    let orphans = sessions(project).into_iter().filter(is_orphan);
    let left = |chain: &Stored| !chain.unbegun && !chain.is_over();
    orphans.filter_map(|id| chain_of(project, &id).filter(left).map(|chain| (id, chain))).collect()
}

/// Takes a chain away from a session whose client is gone, and hands its task over: one that a failure blocked is at work again.
pub(crate) fn take(
    project: &Project,
    config: &Config,
    from: &str,
    to: &str,
    chain: &Stored,
) -> io::Result<()> {
    SessionFile::new(&project.sessions_folder(), from).update(|state| state.chain = None)?;
    let path = task_file::path(project, config);
    if let Some(failure) = &chain.failure {
        task_file::unblock(project, &path, to, &failure.reason())?;
    }
    chain.carried_task().map_or(Ok(()), |task| task_file::hand_over(project, &path, task, from, to))
}

/// Those of which no session was told.
pub(crate) fn untold(project: &Project) -> Vec<(String, Stored)> {
    let sessions = project.sessions_folder();
    let is_news = |(session, _): &(String, Stored)| !mark::is_chain_told(&sessions, session);
    orphaned(project).into_iter().filter(is_news).collect()
}

/// Notes that a session was told of them.
pub(crate) fn told(project: &Project, sessions: &[String]) -> io::Result<()> {
    sessions.iter().try_for_each(|session| mark::tell_chain(&project.sessions_folder(), session))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is written right after an event may have an earlier time than the event.
    #[test]
    fn a_clock_that_lags_by_a_tick_is_forgiven() {
        let at = |written| is_since(Stamp(written), Stamp(1_000));
        assert_eq!([at(1_000), at(990), at(989)], [true, true, false]);
    }

    #[test]
    fn the_newest_file_of_a_pattern_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (path, age) in [("plans/a/design.md", 100), ("plans/b/design.md", 10), ("plans/b/other.md", 0)] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x").unwrap();
            let file = fs::OpenOptions::new().write(true).open(root.join(path)).unwrap();
            let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            file.file().set_modified(time).unwrap();
        }
        let now = clock::now();
        let newest = |pattern: &str| files(root, pattern).iter().filter_map(|path| written_at(path)).max();
        let age = |pattern: &str| newest(pattern).map(|at| (now.0 - at.0 + 500) / 1000);
        assert_eq!(age("plans/a/design.md"), Some(100));
        assert_eq!(age("plans/*/design.md"), Some(10));
        assert_eq!(age("./plans/*/*.md"), Some(0));
        assert_eq!(age("plans/c/design.md"), None);
        assert_eq!(age("plans/b"), None, "a folder is no file");
        assert_eq!(age("../x"), None);
    }
}
