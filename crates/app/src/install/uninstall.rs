//! Taking engine out of a project, wherever what was installed is known from: a manifest, or the files themselves.

use std::path::{Path, PathBuf};

use engine_claude::install::{self, InstallError, KeptFile, Removal, Shipment};
use engine_core::approval::{Deed, Kind};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{config_file, directive_file, lock, task_file, trust, work_file};

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
    /// Whether there is an `.engine/` still.
    pub has_folder: bool,
}

impl Uninstalled {
    /// Whether nothing was there to take out.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.purged.is_any
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
    if wish.dry_run {
        let removal = planned(&target.project, &shipment)?;
        let purged = purge::plan(&target.project, wish.purge, &removal.changes);
        let has_folder = target.project.folder().is_dir();
        return Ok(told(&target.project, &removal, purged, has_folder));
    }
    // Whoever else takes it out has done so when the lock is ours, and nothing is made again here.
    let held = lock::hold_folder(target.project.root())?;
    let target = self::target(cwd, &shipment)?;
    let Target { project, asks } = &target;
    let root = project.root().to_string_lossy();
    let deed = Deed::new(wish.purge.deed(), &[&root]).of(Kind::Uninstall);
    match asks {
        Some(asks) => drop(approval::require(asks, caller, &deed, wish.approved)?),
        None => approval::require_without_project(caller, &deed)?,
    }
    let installing = project.folder().is_dir().then(|| install::lock(project)).transpose()?;
    let removal = planned(project, &shipment)?;
    let purged = purge::plan(project, wish.purge, &removal.changes);
    let noted = asks.as_ref().filter(|asks| asks.folder().is_dir());
    let mut done = told(project, &removal, purged, false);
    let failures = removal.apply(project, noted).map_err(CommandError::from_error)?;
    if project.worktree().is_none() {
        trust::uninstalled(project)?;
    }
    drop(installing);
    purge::carry_out(project, &done.purged)?;
    drop(held);
    if let Some(first) = failures.first() {
        return Err(unfinished(&failures, first));
    }
    done.has_folder = project.folder().is_dir();
    Ok(done)
}

fn planned(project: &Project, shipment: &Shipment) -> Result<Removal, CommandError> {
    install::plan_uninstall(project, shipment).map_err(CommandError::from_error)
}

fn told(project: &Project, removal: &Removal, purged: purge::Purged, has_folder: bool) -> Uninstalled {
    Uninstalled {
        root: project.root().to_owned(),
        changes: removal.changes.clone(),
        kept: removal.kept.clone(),
        notes: removal.notes.clone(),
        purged,
        work: work(project),
        has_folder,
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
    let top = cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd);
    let is_own = |change: &install::FileChange, root: &Path| change.path.starts_with(root);
    let folders = cwd.ancestors().take_while(|folder| folder.starts_with(top));
    folders.map(Project::at).find(|project| {
        let removal = install::plan_uninstall(project, shipment).ok();
        removal.is_some_and(|removal| removal.changes.iter().any(|change| is_own(change, project.root())))
    })
}

/// The same, or the person's own settings.
fn bare(cwd: &Path, shipment: &Shipment) -> Result<Project, CommandError> {
    if let Some(own) = within(cwd, shipment) {
        return Ok(own);
    }
    let project = Project::at(cwd);
    if planned(&project, shipment)?.is_nothing() {
        return Err(CommandError::nothing(format!("nothing of engine's is installed in {}", cwd.display())));
    }
    Ok(project)
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
