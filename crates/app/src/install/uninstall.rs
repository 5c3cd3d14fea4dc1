//! Taking engine out of a project, wherever what was installed is known from: a manifest, or the files themselves.

use std::path::{Path, PathBuf};

use engine_claude::install::{self, FileChange, KeptFile, Part, Removal, Shipment};
use engine_core::approval::{Deed, Kind};
use engine_core::config::Config;
use engine_core::runbook::is_agent;
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::stage_file::StageFiles;
use engine_store::{config_file, directive_file, lock, places, task_file, trust, work_file};
use fs_err as fs;

use super::purge::{self, Purge, Purged};
use crate::approval;
use crate::error::CommandError;
use crate::plugin::{AGENT_FOLDER, shipment};
use crate::wording::counted;

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Uninstall<'a> {
    /// Only what is in the person's own settings, for all projects; else only what is in the project.
    pub of_user: bool,
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
    /// Why not all went that was to go. The same again goes on.
    pub failures: Vec<String>,
}

impl Uninstalled {
    /// Whether nothing was there to take out.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.purged.is_any && !self.has_driver && self.failures.is_empty()
    }

    /// What to say where not all went.
    pub fn unfinished(&self) -> Option<CommandError> {
        let (first, others) = self.failures.split_first()?;
        let count = counted(self.failures.len() as u64, "file");
        let error = CommandError::refused(format!("{count} could not be taken out: {first}"));
        let error = others.iter().cloned().fold(error, CommandError::hint);
        Some(error.hint("mend that, and then the same again: it goes on from here"))
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
    let target = target(cwd, &shipment, wish)?;
    let is_person = matches!(caller, Caller::Person);
    if wish.dry_run {
        let (removal, purged) = planned(&target.project, &shipment, wish)?;
        let goes = is_person && purge::leaves_no_folder(&target.project, &removal.changes);
        let has_folder = target.project.folder().is_dir() && !goes;
        return Ok(told(&target.project, &removal, purged, has_folder));
    }
    // Whoever else takes it out has done so when the lock is ours, and nothing is made again here.
    let held = lock::hold_folder(target.project.root())?;
    let Target { project, asks } = self::target(cwd, &shipment, wish)?;
    if is_person {
        let (removal, purged) = planned(&project, &shipment, wish)?;
        if removal.is_nothing() && !purged.is_any {
            removal.tidy();
            return Ok(told(&project, &removal, purged, project.folder().is_dir()));
        }
    }
    let is_untouched = purge::is_untouched(&project);
    let root = project.root().to_string_lossy();
    let what = if wish.of_user { "take engine out of the user settings" } else { wish.purge.deed() };
    let deed = Deed::new(what, &[&root]).of(Kind::Uninstall);
    // Where `.engine/` is gone, no session can be shown what a person did, and it is not to be made for that.
    match asks.as_ref().filter(|asks| !(is_person && asks.is_gone())) {
        Some(asks) => drop(approval::require(asks, caller, &deed, wish.approved)?),
        None => approval::require_without_project(caller, &deed)?,
    }
    let installing = project.folder().is_dir().then(|| install::lock(&project)).transpose()?;
    let (removal, purged) = planned(&project, &shipment, wish)?;
    let noted = asks.as_ref().filter(|asks| asks.folder().is_dir());
    let mut done = told(&project, &removal, purged, false);
    let applied = removal.apply(&project, noted).map_err(CommandError::from_error)?;
    let is_whole = applied.failures.is_empty();
    if is_whole && !wish.of_user && project.worktree().is_none() {
        trust::uninstalled(&project)?;
    }
    let _ = places::user_state().map(fs::remove_dir);
    drop(installing);
    if is_whole {
        purge::carry_out(&project, &done.purged)?;
    } else {
        // What is needed to go on is in it.
        done.purged = purge::Purged::default();
    }
    if is_untouched && is_person && is_whole {
        purge::leave_no_trace(&project)?;
    }
    drop(held);
    done.changes = applied.done;
    done.has_driver = applied.has_driver;
    done.failures = applied.failures.iter().map(ToString::to_string).collect();
    done.has_folder = project.folder().is_dir();
    done.has_journal = project.journal_folder().is_dir();
    Ok(done)
}

/// What goes, and what of `.engine/`. Where that stays, git goes on not to show it.
fn planned(
    project: &Project,
    shipment: &Shipment,
    wish: &Uninstall<'_>,
) -> Result<(Removal, Purged), CommandError> {
    let plan = |part| install::plan_uninstall(project, shipment, part).map_err(CommandError::from_error);
    if wish.of_user {
        return Ok((plan(Part::User)?, Purged::default()));
    }
    let mut removal = plan(Part::Project { hides: false })?;
    let purged = purge::plan(project, wish.purge, &removal.changes);
    let stays = match wish.purge {
        Purge::No => !purge::leaves_no_folder(project, &removal.changes),
        Purge::Ours => !purged.words.is_empty(),
        Purge::All => false,
    };
    if stays && project.folder().is_dir() {
        removal = plan(Part::Project { hides: true })?;
    }
    // What cannot be read there is no reason to stay here.
    removal.notes.extend(plan(Part::User).ok().and_then(|of_user| of_users(&of_user.changes)));
    Ok((removal, purged))
}

/// What stays because it is for all projects.
fn of_users(changes: &[FileChange]) -> Option<String> {
    let first = changes.first()?.path.display();
    let others = changes.len() as u64 - 1;
    let text = match others {
        0 => format!("{first} serves all your projects and stays; to take it out"),
        _ => format!(
            "{first} and {} serve all your projects and stay; to take them out",
            counted(others, "file")
        ),
    };
    Some(format!("{text}: engine uninstall --scope user"))
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
        failures: Vec::new(),
    }
}

/// The project around the folder; without any, whatever of ours is there.
fn target(cwd: &Path, shipment: &Shipment, wish: &Uninstall<'_>) -> Result<Target, CommandError> {
    let Some(project) = Project::open_accepted(None, cwd) else {
        let project = if wish.of_user { Project::at(cwd) } else { bare(cwd, shipment, wish)? };
        return Ok(Target { project, asks: None });
    };
    if wish.of_user {
        return Ok(Target { asks: Some(project.clone()), project });
    }
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
    let part = Part::Project { hides: false };
    let removal = |project: &Project| install::plan_uninstall(project, shipment, part).ok();
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

/// The same, or where something stays that one could take for ours.
fn bare(cwd: &Path, shipment: &Shipment, wish: &Uninstall<'_>) -> Result<Project, CommandError> {
    if let Some(own) = within(cwd, shipment) {
        return Ok(own);
    }
    let mut last = None;
    for project in around(cwd) {
        let (removal, _) = planned(&project, shipment, wish)?;
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
    work.extend(made_agents(project, &config));
    work.dedup();
    work
}

/// The agents that were made for the runbooks of a project, from its root.
fn made_agents(project: &Project, config: &Config) -> Vec<String> {
    let names = StageFiles::new(project, config).names().names;
    let files = fs::read_dir(project.root().join(AGENT_FOLDER)).into_iter().flatten().flatten();
    let files = files.filter_map(|entry| entry.file_name().into_string().ok());
    let is_ours = |file: &String| names.iter().any(|name| is_agent(file, name));
    let mut made: Vec<String> = files.filter(is_ours).map(|file| format!("{AGENT_FOLDER}/{file}")).collect();
    made.sort();
    made
}
