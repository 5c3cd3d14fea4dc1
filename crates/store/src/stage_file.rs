//! The facts by which the stage of `plans/NAME` is derived: which files are there, when they were written, and the plan object.
//!
//! ```text
//! plans/foo/design.md, reports/design-review.md, runbook.md, steps/      .engine/state/plans/foo.json
//! ```
//!
//! Nothing is written here. Files that lead out of the project count as if they were not there.

use std::collections::BTreeSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use engine_core::plan::{Part, Plan, State};
use engine_core::stage::{self, Design, Facts, REVIEW, Review, Run, Runbook, Stages, Standing, Steps};
use engine_core::view::Unread;
use engine_text::line::{one_line, visible};
use engine_text::redact::redact;
use engine_text::stamp::Stamp;
use fs_err as fs;

use crate::links::resolve;
use crate::plan_file::PlanFile;
use crate::project::Project;
use crate::{clock, git, told};

/// Folders that are looked at, the first by their names; and entries of one of them.
pub const MOST_FOLDERS: usize = 500;
const MOST_ENTRIES: usize = 2_000;
/// How much of the reason of a halt is shown.
const REASON: usize = 100;
/// Files of a plan that git is asked about.
const MOST_FILES: usize = 500;

/// The plans of a checkout by their files.
pub struct StageFiles<'p> {
    project: &'p Project,
    /// The checkout whose plans count.
    root: &'p Path,
}

/// The names of the plans, and how many folders were not looked at.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub names: Vec<String>,
    pub left_out: usize,
}

impl<'p> StageFiles<'p> {
    /// The plans of the worktree at hand, if it has any.
    pub fn new(project: &'p Project) -> Self {
        let (tree, root) = (project.tree(), project.root());
        let has_own = tree != root && tree.join(stage::FOLDER).is_dir();
        Self { project, root: if has_own { tree } else { root } }
    }

    /// The folders that are plans.
    pub fn names(&self) -> Names {
        let Ok(entries) = fs::read_dir(self.root.join(stage::FOLDER)) else { return Names::default() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let names: BTreeSet<String> = names.filter(|name| stage::is_folder(name)).collect();
        let left_out = names.len().saturating_sub(MOST_FOLDERS);
        let is_plan = |name: &String| self.folder(name).is_some_and(|folder| folder.is_plan());
        Names { names: names.into_iter().take(MOST_FOLDERS).filter(is_plan).collect(), left_out }
    }

    fn folder(&self, name: &str) -> Option<Folder<'_>> {
        let path = self.root.join(stage::FOLDER).join(name);
        let is_own =
            |path: &Path, kind: FileType| !kind.is_symlink() || resolve(path).starts_with(resolve(self.root));
        let kind = fs::symlink_metadata(&path).ok()?.file_type();
        if !is_own(&path, kind) {
            return None;
        }
        let entries = fs::read_dir(&path).ok()?.flatten().take(MOST_ENTRIES);
        let own = entries.filter(|entry| entry.file_type().is_ok_and(|kind| is_own(&entry.path(), kind)));
        let files = own.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        Some(Folder { root: self.root, path, files })
    }

    fn facts(&self, name: &str) -> Option<Facts> {
        let folder = self.folder(name).filter(Folder::is_plan)?;
        let mut facts = Facts { brief: folder.has_brief(), design: folder.design(), ..Facts::default() };
        let sources = folder.sources();
        if !sources.is_empty() {
            let run = self.run(name, &folder);
            // What runs or has run is not measured against the runbook any more.
            let is_to_be_run = run.as_ref().is_none_or(|run| !run.begun && !run.closed);
            let runbook = is_to_be_run.then(|| folder.runbook(&sources));
            facts.runbook = Some(runbook.unwrap_or(Runbook { errors: 0, steps: Steps::Fresh }));
            facts.run = run;
        }
        Some(facts)
    }

    /// How far the plan object is that was made of a runbook. One that cannot be used holds the work up.
    fn run(&self, name: &str, folder: &Folder<'_>) -> Option<Run> {
        match PlanFile::new(self.project, name).peek() {
            Some(Ok(plan)) => Some(self.run_of(&plan)),
            Some(Err(fault)) => Some(Run { damaged: Some(fault.to_string()), begun: true, ..Run::default() }),
            // The state stays in the clone in which the steps were run. In another one their reports are all that tells of it.
            None => folder.is_reported().then(|| Run {
                done: 1,
                all: 1,
                begun: true,
                closed: true,
                committed: true,
                ..Run::default()
            }),
        }
    }

    fn run_of(&self, plan: &Plan) -> Run {
        let done = plan.steps.iter().filter(|step| step.state == State::Done).count();
        let all = plan.steps.len();
        let reason = |reason: &str| one_line(&visible(&redact(reason)), REASON);
        Run {
            done,
            all,
            begun: plan.steps.iter().any(|step| step.state != State::Open || step.attempts > 0),
            has_reviews: plan.steps.iter().any(|step| step.number.part == Some(Part::Vet)),
            halted: plan.halted().map(|halt| reason(&halt.reason)),
            damaged: None,
            closed: !plan.is_open(),
            // Git is asked only where it matters.
            committed: done == all && self.is_committed(plan),
        }
    }

    /// Whether what the steps changed is in a commit. Where there is no repository, there is nothing to commit.
    fn is_committed(&self, plan: &Plan) -> bool {
        let closed_at = plan.closed.as_ref().and_then(|closed| closed.head.as_ref());
        if closed_at.is_some_and(|head| git::head(self.root).as_ref() != Some(head)) {
            return true;
        }
        let files: BTreeSet<&str> =
            plan.steps.iter().flat_map(|step| &step.files).map(String::as_str).take(MOST_FILES).collect();
        let files: Vec<&str> = if files.is_empty() { vec!["."] } else { files.into_iter().collect() };
        let args = ["--literal-pathspecs", "status", "--porcelain", "--no-renames", "-z", "--"];
        let changed = git::text(self.root, &[&args, files.as_slice()].concat()).unwrap_or_default();
        // It is written with every change of the plan.
        let is_page = |path: &str| !plan.page.is_empty() && path.ends_with(&plan.page);
        changed.split('\0').filter_map(|entry| entry.get(3..)).all(is_page)
    }
}

impl Stages for StageFiles<'_> {
    fn standing(&self, plan: &str) -> Option<Standing> {
        Standing::of(plan, &self.facts(plan)?)
    }

    fn unfinished(&self) -> Vec<String> {
        let is_over = |name: &String| {
            let plan = PlanFile::new(self.project, name);
            if plan.exists() {
                return plan.is_closed();
            }
            self.folder(name).is_some_and(|folder| folder.is_reported())
        };
        self.names().names.into_iter().filter(|name| !is_over(name)).collect()
    }
}

/// The folder of a plan, and what is in it.
struct Folder<'p> {
    root: &'p Path,
    path: PathBuf,
    files: BTreeSet<String>,
}

impl Folder<'_> {
    fn is_plan(&self) -> bool {
        let is_known = |file: &String| {
            stage::BRIEFS.contains(&file.as_str()) || file == stage::DESIGN || is_source(file)
        };
        self.files.iter().any(is_known)
    }

    /// The text of a file; nothing if it is not there, or not the project's own.
    fn read(&self, file: &str) -> Option<String> {
        let read = || match told::read(self.root, &self.path.join(file)) {
            Ok(told) => Some(told.text),
            Err(Unread::Missing | Unread::Unreadable(_)) => None,
        };
        let is_listed = file.contains('/') || self.files.contains(file);
        is_listed.then(read).flatten()
    }

    fn written(&self, file: &str) -> Stamp {
        let modified = fs::metadata(self.path.join(file)).and_then(|data| data.modified());
        modified.map(clock::stamp).unwrap_or_default()
    }

    fn has_brief(&self) -> bool {
        stage::BRIEFS.iter().any(|brief| self.read(brief).is_some())
    }

    fn design(&self) -> Option<Design> {
        let text = self.read(stage::DESIGN)?;
        let review = self
            .read(REVIEW)
            .map(|review| Review { written: self.written(REVIEW), critical: stage::critical(&review) });
        Some(Design {
            written: self.written(stage::DESIGN),
            review,
            tests_first: stage::is_tests_first(&text),
        })
    }

    /// The files of the runbook, in the order of their names.
    fn sources(&self) -> Vec<(String, String)> {
        let sources = self.files.iter().filter(|file| is_source(file));
        sources.filter_map(|file| Some((file.clone(), self.read(file)?))).collect()
    }

    fn runbook(&self, sources: &[(String, String)]) -> Runbook {
        let _ = sources;
        Runbook { errors: 0, steps: Steps::Missing }
    }

    /// The step files that were prepared, by their stems.
    fn prepared(&self) -> Vec<String> {
        let plan = self.read(ORCHESTRATOR_PLAN).unwrap_or_default();
        let step = |line: &str| {
            let file = line.strip_prefix("- ")?.split('|').next()?.trim();
            let stem = file.strip_suffix(".md")?;
            (stem.starts_with("step-") || stem.starts_with("cycle-")).then(|| stem.to_owned())
        };
        plan.lines().filter_map(step).take(MOST_ENTRIES).collect()
    }

    /// Whether there is a report of every step, and each says that it is done.
    fn is_reported(&self) -> bool {
        let is_done = |stem: &String| {
            let report = self.read(&format!("reports/{stem}.md")).unwrap_or_default();
            stage::field(&report, "status").is_some_and(|status| status.eq_ignore_ascii_case("done"))
        };
        let steps = self.prepared();
        !steps.is_empty() && steps.iter().all(is_done)
    }
}

const ORCHESTRATOR_PLAN: &str = "orchestrator-plan.md";

/// Whether a file holds the runbook, or a phase of it.
fn is_source(file: &str) -> bool {
    let phase = file.strip_prefix("runbook-phase-").and_then(|rest| rest.strip_suffix(".md"));
    file == "runbook.md" || phase.is_some_and(|number| number.parse::<u32>().is_ok())
}
