//! Looks up what a proof claims: in the journal, on the disk, in git. Nothing is asked over the network.

use std::path::PathBuf;

use engine_core::evidence::{Evidence as Found, Ground, find};
use engine_core::journal::Entry;
use engine_core::skill::protocol::Evidence;
use engine_core::work::Run;
use engine_core::work::proof::Claim;
use engine_store::live_view::resolve;
use engine_store::work_file::WorkFile;
use engine_store::{git, journal_file, places};

use super::Desk;

/// What is wrong with a claim.
pub(super) fn check(claim: &Claim, run: &Run, work: &WorkFile, desk: &Desk) -> Vec<String> {
    let Claim { field, evidence, values } = claim;
    if values.is_empty() {
        return vec![format!("{field} names no {}", evidence.as_str())];
    }
    let wrong = values.iter().filter_map(|value| match evidence {
        Evidence::Command => command(value, run, desk),
        Evidence::File => file(value, work, desk),
        Evidence::Commit => commit(value, run, desk),
        Evidence::Push => push(value, run, desk),
    });
    wrong.map(|why| format!("{field}: {why}")).collect()
}

fn command(wanted: &str, run: &Run, desk: &Desk) -> Option<String> {
    let entries = match entries(run, desk) {
        Ok(entries) => entries,
        Err(error) => return Some(format!("the journal cannot be read: {error}")),
    };
    let root = desk.project.root().to_string_lossy();
    let home = places::home().map(|home| home.to_string_lossy().into_owned());
    let ground = Ground { root: &root, home: home.as_deref(), free: &[] };
    let again = format!("engine check -- {wanted}");
    match find(&entries, wanted, &ground) {
        Found::Passed => None,
        Found::Failed { exit } => Some(format!("`{wanted}` ended with {exit} when it ran last")),
        Found::Never => Some(format!("`{wanted}` was not run in this session: {again}")),
        Found::Stale { edited } => {
            Some(format!("`{wanted}` passed, but {edited} was changed since: {again}"))
        }
        Found::Unknown { why } => Some(format!("whether `{wanted}` passed cannot be told ({why}): {again}")),
    }
}

/// The journal of this agent session since the skill was started; for a person, of all sessions.
fn entries(run: &Run, desk: &Desk) -> std::io::Result<Vec<Entry>> {
    let first_day = run.started_at.get(..10).unwrap_or_default();
    let mut entries = Vec::new();
    for (day, path) in journal_file::days(&desk.project.journal_folder()) {
        if day.as_str() < first_day {
            continue;
        }
        journal_file::read_day(&path, |entry| {
            let is_ours = desk.agent().is_none_or(|agent| entry.session == agent);
            if is_ours && entry.at >= run.started_at {
                entries.push(entry);
            }
        })?;
    }
    Ok(entries)
}

/// From the project's root, or from the work session's folder.
fn file(path: &str, work: &WorkFile, desk: &Desk) -> Option<String> {
    let inside = [resolve(desk.project.root()), resolve(work.folder())];
    let places = [desk.project.root().join(path), work.folder().join(path)];
    let is_inside = |place: &PathBuf| inside.iter().any(|folder| resolve(place).starts_with(folder));
    let found =
        places.iter().filter(|place| is_inside(place)).find_map(|place| std::fs::metadata(place).ok());
    match found {
        None => Some(format!("there is no file {path} in this project")),
        Some(data) if !data.is_file() => Some(format!("{path} is no file")),
        Some(data) if data.len() == 0 => Some(format!("{path} is empty")),
        Some(_) => None,
    }
}

fn commit(name: &str, run: &Run, desk: &Desk) -> Option<String> {
    let root = desk.project.root();
    let spec = format!("{name}^{{commit}}");
    let Some(hash) = git::text(root, &["rev-parse", "--verify", "--quiet", &spec]) else {
        return Some(format!("there is no commit {name}"));
    };
    let hash = hash.trim();
    if git::git(root, &["merge-base", "--is-ancestor", hash, "HEAD"]).and_then(|done| done.code) != Some(0) {
        return Some(format!("commit {name} is not on the branch that is checked out"));
    }
    let at = git::text(root, &["log", "-1", "--format=%cI", hash]).unwrap_or_default();
    let (made, started) = (crate::time::parse(at.trim()), crate::time::parse(&run.started_at));
    // Commits know seconds only.
    let is_older = made.zip(started).is_some_and(|(made, started)| made.0 / 1000 < started.0 / 1000);
    is_older.then(|| format!("commit {name} is older than this run of {}", run.skill))
}

/// By what git knows of the other side: nothing is fetched.
fn push(name: &str, run: &Run, desk: &Desk) -> Option<String> {
    let root = desk.project.root();
    let name = if matches!(name, "" | "true") { "HEAD" } else { name };
    if let Some(why) = commit(name, run, desk) {
        return Some(why);
    }
    let contains = git::text(root, &["branch", "--remotes", "--contains", name]);
    match contains {
        None => Some(format!("there is no commit {name}")),
        Some(branches) if branches.trim().is_empty() => Some(format!("{name} is on no remote branch")),
        Some(_) => None,
    }
}
