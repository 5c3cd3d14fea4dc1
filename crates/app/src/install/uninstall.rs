//! Taking engine out of a project, wherever what was installed is known from: a manifest, or the files themselves.

use std::path::{Path, PathBuf};

use engine_claude::install::{self, InstallError, KeptFile, Removal, Shipment};
use engine_core::approval::{Deed, Kind};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{config_file, directive_file, lock, places, task_file, trust, work_file};
use fs_err as fs;

use super::purge::{self, Purge};
use crate::approval;
use crate::error::CommandError;
use crate::plugin::shipment;
use crate::wording::counted;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Uninstall<'a> {
    pub purge: Purge,
    /// Write nothing and ask nobody.
    pub dry_run: bool,
    /// What an agent says of the person's words.
    pub approved: Option<&'a str>,
}

/// What was, or would be, taken out.
#[derive(Debug)]
pub struct Uninstalled {
    pub root: PathBuf,
    pub changes: Vec<install::FileChange>,
    /// What stays that one could take for engine's.
    pub kept: Vec<KeptFile>,
    pub notes: Vec<String>,
    /// What of `.engine/` goes.
    pub purged: purge::Purged,
    /// Work that was done with engine, and stays: from the root.
    pub work: Vec<String>,
    /// The merge driver goes from the configuration of git.
    pub has_driver: bool,
    /// Whether there is an `.engine/` still, and a journal in it.
    pub has_folder: bool,
    pub has_journal: bool,
}

impl Uninstalled {
    /// Whether nothing was there to take out.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.purged.is_any && !self.has_driver
    }
}

/// What is to be left, and by which project a person is asked.
struct Target {
    project: Project,
    asks: Option<Project>,
}

/// Takes engine out of the project around `cwd`.
pub fn uninstall(cwd: &Path, caller: &Caller, wish: &Uninstall<'_>) -> Result<Uninstalled, CommandError> {
    let shipment = shipment();
    let target = target(cwd, &shipment)?;
    let is_person = matches!(caller, Caller::Person);
    if wish.dry_run {
        let removal = planned(&target.project, &shipment)?;
        let purged = purge::plan(&target.project, wish.purge, &removal.changes);
        let goes = is_person && purge::leaves_no_folder(&target.project, &removal.changes);
        let has_folder = target.project.folder().is_dir() && !goes;
        return Ok(told(&target.project, &removal, purged, has_folder));
    }
    // Whoever else takes it out has done so when the lock is ours, and nothing is made again here.
    let held = lock::hold_folder(target.project.root())?;
    let Target { project, asks } = self::target(cwd, &shipment)?;
    if is_person {
        let removal = planned(&project, &shipment)?;
        let purged = purge::plan(&project, wish.purge, &removal.changes);
        if removal.is_nothing() && !purged.is_any {
            removal.tidy();
            return Ok(told(&project, &removal, purged, project.folder().is_dir()));
        }
    }
    let is_untouched = purge::is_untouched(&project);
    let root = project.root().to_string_lossy();
    let deed = Deed::new(wish.purge.deed(), &[&root]).of(Kind::Uninstall);
    // Where `.engine/` is gone, no session can be shown what a person did, and it is not to be made for that.
    match asks.as_ref().filter(|asks| !(is_person && asks.is_gone())) {
        Some(asks) => drop(approval::require(asks, caller, &deed, wish.approved)?),
        None => approval::require_without_project(caller, &deed)?,
    }
    let installing = project.folder().is_dir().then(|| install::lock(&project)).transpose()?;
    let removal = planned(&project, &shipment)?;
    let purged = purge::plan(&project, wish.purge, &removal.changes);
    let noted = asks.as_ref().filter(|asks| asks.folder().is_dir());
    let mut done = told(&project, &removal, purged, false);
    let failures = removal.apply(&project, noted).map_err(CommandError::from_error)?;
    if project.worktree().is_none() {
        trust::uninstalled(&project)?;
    }
    let _ = places::user_state().map(fs::remove_dir);
    drop(installing);
    purge::carry_out(&project, &done.purged)?;
    if is_untouched && is_person && failures.is_empty() {
        purge::leave_no_trace(&project)?;
    }
    drop(held);
    if let Some(first) = failures.first() {
        return Err(unfinished(&failures, first));
    }
    done.has_folder = project.folder().is_dir();
    done.has_journal = project.journal_folder().is_dir();
    Ok(done)
}

fn planned(project: &Project, shipment: &Shipment) -> Result<Removal, CommandError> {
    install::plan_uninstall(project, shipment).map_err(CommandError::from_error)
}

fn told(project: &Project, removal: &Removal, purged: purge::Purged, has_folder: bool) -> Uninstalled {
    // What stays of `.engine/` has a reason of its own.
    let is_told = |kept: &KeptFile| purged.is_asked_for() && kept.path.starts_with(project.folder());
    Uninstalled {
        root: project.root().to_owned(),
        changes: removal.changes.clone(),
        kept: removal.kept.iter().filter(|kept| !is_told(kept)).cloned().collect(),
        notes: removal.notes.clone(),
        purged,
        work: work(project),
        has_driver: removal.has_driver,
        has_folder,
        has_journal: project.journal_folder().is_dir(),
    }
}

fn unfinished(failures: &[InstallError], first: &InstallError) -> CommandError {
    let count = counted(failures.len() as u64, "file");
    let error = CommandError::refused(format!("{count} could not be taken out: {first}"));
    let others = failures.iter().skip(1).map(ToString::to_string);
    others.fold(error, CommandError::hint).hint("mend that, and then the same again")
}

/// The project around the folder; without any, whatever of ours is there.
fn target(cwd: &Path, shipment: &Shipment) -> Result<Target, CommandError> {
    let Some(project) = Project::open_accepted(None, cwd) else {
        return Ok(Target { project: bare(cwd, shipment)?, asks: None });
    };
    if project.is_gone() && project.folder().symlink_metadata().is_ok() {
        let folder = project.folder();
        return Err(CommandError::refused(format!("{} is no folder", folder.display()))
            .hint("move it away, and then the same again"));
    }
    if cwd.starts_with(project.root()) {
        return Ok(Target { asks: Some(project.clone()), project });
    }
    // A worktree whose branch has files of ours and no `.engine/`.
    if let Some(own) = within(cwd, shipment) {
        return Ok(Target { project: own, asks: Some(project) });
    }
    let root = project.root().display();
    Err(CommandError::refused(format!("this worktree has no .engine/ of its own; it uses that of {root}"))
        .hint(format!("to take engine out there: cd {root} && engine uninstall")))
}

/// The nearest folder in the repository that has something of ours.
fn within(cwd: &Path, shipment: &Shipment) -> Option<Project> {
    let removal = |project: &Project| install::plan_uninstall(project, shipment).ok();
    let has = |project: &Project| {
        let root = project.root();
        removal(project)
            .is_some_and(|removal| removal.changes.iter().any(|change| change.path.starts_with(root)))
    };
    around(cwd).into_iter().find(has)
}

/// The folders up to that of the repository, as projects.
fn around(cwd: &Path) -> Vec<Project> {
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
    cwd.ancestors().take_while(|folder| folder.starts_with(top)).map(Project::at).collect()
}

/// The same, or where something stays that one could take for ours; at last the person's own settings.
fn bare(cwd: &Path, shipment: &Shipment) -> Result<Project, CommandError> {
    if let Some(own) = within(cwd, shipment) {
        return Ok(own);
    }
    let mut last = None;
    for project in around(cwd) {
        let removal = planned(&project, shipment)?;
        if !removal.is_nothing() || !removal.kept.is_empty() {
            return Ok(project);
        }
        last = Some(project);
    }
    Ok(last.unwrap_or_else(|| Project::at(cwd)))
}

/// Files and folders in which work is kept, as far as they are there.
fn work(project: &Project) -> Vec<String> {
    let root = project.root();
    let config = config_file::load_fresh(project);
    let files = [task_file::path(project, &config), task_file::learnings(project, &config)];
    let folders = [work_file::folder(project), root.join("plans"), root.join(engine_core::directive::FOLDER)];
    let below = directive_file::folders(root, |_| false).files;
    let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let mut work: Vec<String> = files.iter().filter(|path| path.is_file()).map(|path| shown(path)).collect();
    work.extend(folders.iter().filter(|path| path.is_dir()).map(|path| format!("{}/", shown(path))));
    let directives = below.iter().map(|folder| folder.join(engine_core::directive::FOLDER));
    work.extend(directives.map(|path| format!("{}/", shown(&path))));
    work.dedup();
    work
}
