//! Plans on disk: `.engine/state/plans/NAME.json`, changed under a lock of their own.
//!
//! That folder is protected from the agent's tools, so it alone is believed. With every change the readable page beside the work is
//! written anew, and the agent session that owns the plan gets its copy of what rules ask.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine_core::plan::{self, BoundPlan, HaltKind, Observation, Plan};
use engine_core::versioned::Unusable;
use engine_text::field;
use fs_err as fs;

use crate::atomic::Durability;
use crate::project::Project;
use crate::read::{read_bytes, read_string};
use crate::reason::reason;
use crate::record::{Fault, Held, Layout, Record, SetAside, Versioned};
use crate::session_file::SessionFile;
use crate::{binding, clock, lock, told};

impl Versioned for Plan {
    const LAYOUT: Layout = Layout::Pretty;
    const DURABILITY: Durability = Durability::Disk;

    fn parse(text: &str) -> Result<Self, Unusable> {
        Self::parse(text)
    }
}

/// One plan.
pub struct PlanFile<'p> {
    pub name: String,
    project: &'p Project,
    record: Record<Plan>,
}

/// What a change came to, and what a person should hear besides.
#[derive(Debug)]
pub struct Kept<T> {
    pub answer: T,
    pub plan: Plan,
    pub notes: Vec<String>,
}

impl<'p> PlanFile<'p> {
    pub fn new(project: &'p Project, name: &str) -> Self {
        let path = project.plans_folder().join(name).with_extension("json");
        let record = Record::new(format!("plan {name}"), path, lock::RARE);
        Self { name: name.to_owned(), project, record }
    }

    pub fn exists(&self) -> bool {
        self.record.exists()
    }

    /// The plan as it is, without the lock; `None` if there is no file.
    pub fn peek(&self) -> Option<Result<Plan, Fault>> {
        self.record.peek()
    }

    /// The plan, if it is open and can be read. Most are closed, and those are not taken apart.
    pub fn peek_open(&self) -> Option<Plan> {
        if self.is_closed() {
            return None;
        }
        self.peek()?.ok().filter(Plan::is_open)
    }

    /// Whether it is there and closed. It is not taken apart.
    fn is_closed(&self) -> bool {
        read_string(self.record.path()).is_ok_and(|text| field::raw(&text, "closed").is_some())
    }

    /// The same of a plan whose steps agents carry out; nothing if there is no such plan.
    pub fn is_closed_run(&self) -> Option<bool> {
        let fields = read_string(self.record.path()).ok()?;
        let fields = field::all(&fields)?;
        let is_run = fields.get("conduct").is_some_and(|conduct| conduct.get() == "\"delegate\"");
        is_run.then(|| fields.contains_key("closed"))
    }

    /// Changes a plan that exists, under the lock. If `change` fails, nothing is written.
    pub fn update<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut Plan) -> Result<T, E>,
    ) -> Result<Kept<T>, E> {
        let held = self.record.hold()?;
        let mut plan = held.existing(|| format!("there is no plan {}", self.name))?;
        let before = plan.clone();
        let answer = change(&mut plan)?;
        let notes = if plan == before { Vec::new() } else { self.keep(&held, &plan, Some(&before))? };
        Ok(Kept { answer, plan, notes })
    }

    /// The plan first: page and copies are made from it, and made anew by the next change.
    fn keep(&self, held: &Held<'_, Plan>, plan: &Plan, before: Option<&Plan>) -> io::Result<Vec<String>> {
        held.replace(plan)?;
        let mut notes = Vec::new();
        match self.write_page(plan) {
            Ok(edited) => notes.extend(edited),
            Err(error) => notes.push(format!("{} was not written: {}", plan.page, reason(&error))),
        }
        // The plan is kept; the next command mends its copies.
        if let Err(error) = binding::plan::follow(self.project, plan, before) {
            notes.push(format!("the agent session does not know of it yet: {error}"));
        }
        Ok(notes)
    }

    /// Gives the owner's session its copy anew, as the plan is now.
    pub fn tell_owner(&self) -> io::Result<()> {
        let held = self.record.hold()?;
        match held.read() {
            Some(Ok(plan)) => binding::plan::follow(self.project, &plan, None),
            _ => Ok(()),
        }
    }

    /// Brings an agent session's copy of this plan up to date, or removes it if the plan is not its own any more: a
    /// process may have been killed before it wrote the copy.
    pub fn repair(&self, plan: &Plan, copy: &BoundPlan, agent: &str) -> io::Result<()> {
        let is_its = is_owned(plan, agent);
        if !is_its || !binding::plan::is_current(plan, copy) {
            self.tell_owner()?;
        }
        if is_its { Ok(()) } else { binding::plan::unbind(self.project, &plan.name, agent) }
    }

    /// Writes the page. One that somebody edited is kept beside it, and told; so is a link, since what it leads to is not ours to write.
    fn write_page(&self, plan: &Plan) -> io::Result<Option<String>> {
        if plan.page.is_empty() {
            return Ok(None);
        }
        let path = page_path(self.project, plan);
        if let Some(worktree) = plan.worktree.as_ref().filter(|folder| !Path::new(folder).is_dir()) {
            return Err(io::Error::other(format!("its worktree {worktree} is gone")));
        }
        told::may_write(page_root(self.project, plan), path.parent().unwrap_or(&path))?;
        let mut edited = None;
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() || is_edited(&path) => {
                let aside = path.with_extension(format!("edited-{}.md", clock::now().0));
                fs::rename(&path, &aside)?;
                let name = aside.file_name().unwrap_or_default().to_string_lossy();
                edited = Some(format!(
                    "{} was edited by hand, which changes nothing; it is kept as {name}",
                    plan.page
                ));
            }
            Ok(_) | Err(_) => {}
        }
        told::replace(page_root(self.project, plan), &path, plan::page(plan).as_bytes(), Durability::Disk)?;
        Ok(edited)
    }

    /// Keeps a plan that cannot be used under another name.
    pub fn set_aside(&self, fault: &Fault) -> io::Result<String> {
        let SetAside(text) = self.record.hold()?.set_aside(fault)?;
        Ok(text)
    }
}

/// Where the page of a plan is. Worktrees share their plans, and each page is in the one in which its plan is worked on.
pub fn page_path(project: &Project, plan: &Plan) -> PathBuf {
    page_root(project, plan).join(&plan.page)
}

/// The checkout in which the page of a plan is.
fn page_root<'a>(project: &'a Project, plan: &'a Plan) -> &'a Path {
    plan.worktree.as_ref().map_or(project.main_root(), Path::new)
}

fn is_edited(path: &Path) -> bool {
    read_bytes(path).is_ok_and(|bytes| plan::was_edited(&String::from_utf8_lossy(&bytes)))
}

/// Tells the plan of an agent session, if it has one, what was seen; where the work goes in circles the plan halts.
pub fn saw(project: &Project, session: &str, observations: &[Observation]) -> io::Result<()> {
    let file = SessionFile::new(&project.sessions_folder(), session);
    if session.is_empty() || observations.is_empty() || !file.has_plan() {
        return Ok(());
    }
    let (circle, _) = file.update(|state| {
        let plan = state.plan.as_mut()?;
        let circle = observations.iter().filter_map(|observation| plan.see(observation)).last()?;
        Some((plan.name.clone(), circle.reason()))
    })?;
    circle.map_or(Ok(()), |(name, reason)| halt(project, session, &name, HaltKind::Thrash, &reason))
}

/// Stops a plan on which the work goes in circles. One that stands still already stays as it is. Where its file cannot be used, the copy of
/// the agent session is halted alone.
pub fn halt(project: &Project, session: &str, name: &str, kind: HaltKind, reason: &str) -> io::Result<()> {
    let now = clock::now().rfc3339();
    let halted = PlanFile::new(project, name).update(|plan| match plan.halted() {
        Some(_) => Ok(()),
        None => plan.halt(kind, reason, &now).map_err(|why| io::Error::other(why.text)),
    });
    if halted.is_err() {
        binding::plan::halt(project, name, session, reason)?;
    }
    halted.map(drop)
}

/// Begins the work step that a change belongs to. Of several changes at once, one does. `head`: the commit that was checked out.
pub fn begin(project: &Project, name: &str, head: Option<String>, now: &str) -> io::Result<()> {
    let begin = |plan: &mut Plan| plan.begin(head, now).map_err(|why| io::Error::other(why.text));
    PlanFile::new(project, name).update(begin)?;
    Ok(())
}

/// Makes a plan. `make` is asked under a lock, so that names are given once and a session gets one plan.
pub fn create<E: From<io::Error>>(
    project: &Project,
    make: impl FnOnce() -> Result<Plan, E>,
) -> Result<Kept<()>, E> {
    // No plan has a name with a dot.
    let _one = lock::hold_local(&project.plans_folder().join("new.plan.lock"), lock::RARE)?;
    let plan = make()?;
    let file = PlanFile::new(project, &plan.name);
    let held = file.record.hold()?;
    let notes = file.keep(&held, &plan, None)?;
    Ok(Kept { answer: (), plan, notes })
}

/// The right to run a plan by itself, for as long as it is kept; nothing if another process has it. It ends with the process.
pub fn hold_run(project: &Project, name: &str) -> io::Result<Option<fs::File>> {
    // No plan has a name with a dot.
    let path = project.plans_folder().join(format!("{name}.run.lock"));
    match lock::hold_local_until(&path, Instant::now()) {
        Ok(held) => Ok(Some(held)),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a process runs a plan by itself.
pub fn is_run(project: &Project, name: &str) -> io::Result<bool> {
    let is_there = project.plans_folder().join(format!("{name}.run.lock")).exists();
    Ok(is_there && hold_run(project, name)?.is_none())
}

/// Gives the plan of an agent session that ended with a clear to the one that follows it, with all that events told of it.
pub fn inherit(project: &Project, name: &str, from: &str, to: &str) -> io::Result<()> {
    let session = |agent: &str| SessionFile::new(&project.sessions_folder(), agent);
    let copy = session(from).peek().plan.filter(|plan| plan.name == name);
    PlanFile::new(project, name).update(|plan| {
        if !is_owned(plan, from) {
            return Ok(());
        }
        plan.give(to);
        session(to).update(|state| state.plan = copy).map(drop)
    })?;
    Ok(())
}

/// Whether a plan is open and belongs to this agent session.
pub fn is_owned(plan: &Plan, agent: &str) -> bool {
    plan.is_open() && plan.owner.as_deref() == Some(agent)
}

/// The open plan of an agent session that has lost its copy; it gets a new one.
pub fn owned_by<'p>(project: &'p Project, agent: &str) -> Option<(PlanFile<'p>, Plan)> {
    let found = names(project).into_iter().find_map(|name| {
        let file = PlanFile::new(project, &name);
        let plan = file.peek()?.ok().filter(|plan| is_owned(plan, agent))?;
        Some((file, plan))
    })?;
    found.0.tell_owner().ok()?;
    Some(found)
}

/// Whether a plan is open and the agent session that works on it is not alive. A person's plan has none.
pub fn is_orphaned(project: &Project, plan: &Plan) -> bool {
    let is_alive = |owner: &String| SessionFile::new(&project.sessions_folder(), owner).is_alive();
    plan.is_open() && plan.owner.as_ref().is_some_and(|owner| !is_alive(owner))
}

/// The names of the plans that were changed last, newest first.
pub fn newest(project: &Project, most: usize) -> Vec<String> {
    let changed = |name: &String| {
        let path = project.plans_folder().join(name).with_extension("json");
        fs::metadata(path).and_then(|data| data.modified()).ok()
    };
    let mut names = names(project);
    names.sort_by_cached_key(|name| std::cmp::Reverse(changed(name)));
    names.truncate(most);
    names
}

/// Whether somebody works by a plan.
pub fn any_open(project: &Project) -> bool {
    let is_open = |name: &String| {
        PlanFile::new(project, name).peek().and_then(Result::ok).is_some_and(|plan| plan.is_open())
    };
    names(project).iter().any(is_open)
}

/// The names of all plans, sorted.
pub fn names(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.plans_folder()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(".json").map(str::to_owned))
        .filter(|name| plan::is_name(name))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn project() -> (TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        (folder, project)
    }

    fn plan(owner: &str) -> Plan {
        let mut plan = Plan { name: "lexer".to_owned(), ..Plan::default() };
        plan.give(owner);
        plan
    }

    /// The name in the copy and whether the mark is there.
    fn copy(project: &Project, agent: &str) -> (Option<String>, bool) {
        let file = SessionFile::new(&project.sessions_folder(), agent);
        (file.peek().plan.map(|plan| plan.name), file.has_plan())
    }

    fn bound() -> (Option<String>, bool) {
        (Some("lexer".to_owned()), true)
    }

    /// Writes the truth alone, as a process does that is killed before it writes the copy.
    fn killed(project: &Project, plan: &Plan) {
        PlanFile::new(project, "lexer").record.hold().unwrap().replace(plan).unwrap();
    }

    #[test]
    fn the_copy_and_its_mark_follow_the_owner() {
        let (_folder, project) = project();
        create(&project, || Ok::<_, io::Error>(plan("a"))).unwrap();
        assert_eq!(copy(&project, "a"), bound());
        let file = PlanFile::new(&project, "lexer");
        let give = |plan: &mut Plan| {
            plan.give("b");
            Ok::<(), io::Error>(())
        };
        file.update(give).unwrap();
        assert_eq!((copy(&project, "a"), copy(&project, "b")), ((None, false), bound()));
        let close = |plan: &mut Plan| {
            plan.close(None, None, "2026-01-01T10:00:00Z").map_err(|why| io::Error::other(why.text))
        };
        file.update(close).unwrap();
        assert_eq!(copy(&project, "b"), (None, false));
    }

    #[test]
    fn open_plans_that_were_changed_last_come_first() {
        let (_folder, project) = project();
        let names = ["a", "b", "c"];
        for (name, minutes) in names.into_iter().zip([5, 1, 3]) {
            create(&project, || Ok::<_, io::Error>(Plan { name: name.to_owned(), ..plan("s1") })).unwrap();
            let path = project.plans_folder().join(name).with_extension("json");
            let file = fs::OpenOptions::new().write(true).open(path).unwrap();
            let changed = std::time::SystemTime::now() - std::time::Duration::from_mins(minutes);
            file.file().set_modified(changed).unwrap();
        }
        assert_eq!(newest(&project, 2), ["b", "c"]);
        let open = || names.map(|name| PlanFile::new(&project, name).peek_open().is_some());
        assert_eq!(open(), [true; 3]);
        let close = |plan: &mut Plan| plan.close(None, None, "").map_err(|why| io::Error::other(why.text));
        PlanFile::new(&project, "b").update(close).unwrap();
        fs::write(project.plans_folder().join("c.json"), "{").unwrap();
        assert_eq!(open(), [true, false, false]);
        // Its session lives until it ends.
        let a = PlanFile::new(&project, "a").peek_open().unwrap();
        assert!(!is_orphaned(&project, &a));
        let ended = engine_core::session::Ended { at: clock::now(), reason: "exit".to_owned() };
        SessionFile::new(&project.sessions_folder(), "s1").update(|state| state.ended = Some(ended)).unwrap();
        assert!(is_orphaned(&project, &a));
        assert!(!is_orphaned(&project, &Plan { owner: None, ..a }), "a person's");
    }

    #[test]
    fn a_kill_before_the_copy_is_written_is_repaired() {
        let (_folder, project) = project();
        killed(&project, &plan("a"));
        assert!(owned_by(&project, "b").is_none());
        assert_eq!(copy(&project, "a"), (None, false));
        assert_eq!(owned_by(&project, "a").unwrap().1.name, "lexer");
        assert_eq!(copy(&project, "a"), bound());
    }

    #[test]
    fn a_kill_before_the_copy_is_removed_is_repaired() {
        let (_folder, project) = project();
        create(&project, || Ok::<_, io::Error>(plan("a"))).unwrap();
        let stale = SessionFile::new(&project.sessions_folder(), "a").peek().plan.unwrap();
        let now = plan("b");
        killed(&project, &now);
        PlanFile::new(&project, "lexer").repair(&now, &stale, "a").unwrap();
        assert_eq!((copy(&project, "a"), copy(&project, "b")), ((None, false), bound()));
    }
}
