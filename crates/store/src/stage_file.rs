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

use engine_core::config::Config;
use engine_core::plan::{Kind, Plan, State, tiers};
use engine_core::runbook::{self, Severity, Source};
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

/// The plans of a project by their files.
pub struct StageFiles<'p> {
    project: &'p Project,
    config: &'p Config,
    root: &'p Path,
}

/// The names of the plans, and how many folders were not looked at.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub names: Vec<String>,
    pub left_out: usize,
}

impl<'p> StageFiles<'p> {
    pub fn new(project: &'p Project, config: &'p Config) -> Self {
        Self { project, config, root: project.root() }
    }

    /// The folders that are plans.
    pub fn names(&self) -> Names {
        let entries = self.plans().and_then(|plans| fs::read_dir(plans).ok());
        let Some(entries) = entries else { return Names::default() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let names: BTreeSet<String> = names.filter(|name| stage::is_folder(name)).collect();
        let left_out = names.len().saturating_sub(MOST_FOLDERS);
        let is_plan = |name: &String| self.folder(name).is_some_and(|folder| folder.is_plan());
        Names { names: names.into_iter().take(MOST_FOLDERS).filter(is_plan).collect(), left_out }
    }

    /// The folder that holds them.
    fn plans(&self) -> Option<PathBuf> {
        let plans = self.root.join(stage::FOLDER);
        let kind = fs::symlink_metadata(&plans).ok()?.file_type();
        self.is_own(&plans, kind).then_some(plans)
    }

    /// Whether something is not a link that leads out of the project.
    fn is_own(&self, path: &Path, kind: FileType) -> bool {
        !kind.is_symlink() || resolve(path).starts_with(resolve(self.root))
    }

    fn folder(&self, name: &str) -> Option<Folder<'_>> {
        let path = self.plans()?.join(name);
        if !self.is_own(&path, fs::symlink_metadata(&path).ok()?.file_type()) {
            return None;
        }
        let entries = fs::read_dir(&path).ok()?.flatten().take(MOST_ENTRIES);
        let own =
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| self.is_own(&entry.path(), kind)));
        let files = own.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let name = format!("{}/{name}", stage::FOLDER);
        Some(Folder { root: self.root, name, path, files })
    }

    fn facts(&self, name: &str) -> Option<Facts> {
        let folder = self.folder(name).filter(Folder::is_plan)?;
        let mut facts = Facts { brief: folder.has_brief(), design: folder.design(), ..Facts::default() };
        let sources = folder.sources();
        let plan = PlanFile::new(self.project, name).peek().transpose();
        let plan = plan.map(|plan| plan.filter(Plan::is_delegated));
        facts.run = match &plan {
            Ok(Some(plan)) => Some(self.run_of(plan)),
            Ok(None) => folder.reported(),
            // One that cannot be used holds the work up.
            Err(fault) if !sources.is_empty() => {
                Some(Run { damaged: Some(fault.to_string()), ..Run::default() })
            }
            Err(_) => None,
        };
        if !sources.is_empty() {
            // What runs or has run is not measured against the runbook any more.
            let is_to_be_run = facts.run.as_ref().is_none_or(|run| !run.begun && !run.closed);
            let prepared = plan.ok().flatten().and_then(|plan| plan.runbook);
            let prepared = prepared.as_ref().map(|source| source.sum.as_str());
            let runbook = is_to_be_run.then(|| self.runbook(&folder, &sources, prepared));
            facts.runbook = Some(runbook.unwrap_or(Runbook { errors: 0, steps: Steps::Fresh }));
        }
        Some(facts)
    }

    /// What is wrong with a runbook, and whether the step files are made from it. `prepared`: the text that its plan was made from.
    fn runbook(&self, folder: &Folder<'_>, sources: &[Written], prepared: Option<&str>) -> Runbook {
        let (design, recall) = (folder.read(stage::DESIGN), folder.read(RECALL));
        let sources: Vec<Source<'_>> =
            sources.iter().map(|Written { path, text }| Source { path, text }).collect();
        let reading = runbook::read(
            &sources,
            &runbook::Facts {
                folder: &folder.name,
                tiers: &tiers(self.config),
                exists: &|path| self.root.join(path).exists(),
                design: design.as_deref(),
                recall: recall.as_deref(),
            },
        );
        let errors = reading.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
        let fingerprint = &reading.runbook.fingerprint;
        let source = |file: &str| {
            let text = folder.read(file)?;
            stage::field(&text, "source")?.rsplit_once('@').map(|(_, sum)| sum.to_owned())
        };
        let is_fresh = |step: &runbook::Step| {
            source(&format!("steps/{}.md", step.stem)) == Some(runbook::sum(&reading.runbook, step))
        };
        // An order of steps that the runbook gives itself does not name its source.
        let names_source = reading.runbook.instructions.is_none();
        let of_order = || names_source.then(|| source(ORCHESTRATOR_PLAN)).flatten();
        let prepared = prepared.map(str::to_owned).or_else(of_order);
        let mut steps = reading.runbook.steps.iter().filter(|step| reading.runbook.step_file(step).is_some());
        let steps = if !folder.files.contains(ORCHESTRATOR_PLAN) {
            Steps::Missing
        } else if prepared.is_none_or(|sum| sum == *fingerprint) && steps.all(is_fresh) {
            Steps::Fresh
        } else {
            Steps::Stale
        };
        Runbook { errors, steps }
    }

    fn run_of(&self, plan: &Plan) -> Run {
        let done = plan.steps.iter().filter(|step| step.state == State::Done).count();
        let all = plan.steps.len();
        let reason = |reason: &str| one_line(&visible(&redact(reason)), REASON);
        Run {
            done,
            all,
            begun: plan.lock.is_some() || plan.steps.iter().any(|step| step.state != State::Open),
            has_reviews: plan.steps.iter().any(|step| step.kind == Kind::Review),
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
            let closed = PlanFile::new(self.project, name).is_closed_run();
            closed.unwrap_or_else(|| self.folder(name).is_some_and(|folder| folder.reported().is_some()))
        };
        self.names().names.into_iter().filter(|name| !is_over(name)).collect()
    }
}

/// The folder of a plan, and what is in it.
struct Folder<'p> {
    root: &'p Path,
    /// From the root.
    name: String,
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

    /// The files of the runbook.
    fn sources(&self) -> Vec<Written> {
        let sources = self.files.iter().filter(|file| is_source(file));
        let written =
            |file: &String| Some(Written { path: format!("{}/{file}", self.name), text: self.read(file)? });
        sources.filter_map(written).collect()
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

    /// What the reports tell, if there is one of every step and each says that it is done. The plan object stays in the clone in which the
    /// steps were run; in another one the reports are all that is known of it.
    fn reported(&self) -> Option<Run> {
        let is_done = |stem: &String| {
            let report = self.read(&format!("reports/{stem}.md")).unwrap_or_default();
            stage::field(&report, "status").is_some_and(|status| status.eq_ignore_ascii_case("done"))
        };
        let all = self.prepared();
        let done = all.len();
        let is_over = done > 0 && all.iter().all(is_done);
        let over = Run { done, all: done, begun: true, closed: true, committed: true, ..Run::default() };
        is_over.then_some(over)
    }
}

/// A file of a runbook. The path is from the root.
struct Written {
    path: String,
    text: String,
}

const ORCHESTRATOR_PLAN: &str = "orchestrator-plan.md";
const RECALL: &str = "recall-artifact.md";

/// Whether a file holds the runbook, or a phase of it.
fn is_source(file: &str) -> bool {
    let phase = file.strip_prefix("runbook-phase-").and_then(|rest| rest.strip_suffix(".md"));
    file == "runbook.md" || phase.is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_folders_are_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let config = Config::default();
        assert_eq!(StageFiles::new(&project, &config).names(), Names::default());
        for number in 0..MOST_FOLDERS + 3 {
            let plan = folder.path().join(format!("plans/p{number:04}"));
            fs::create_dir_all(&plan).unwrap();
            fs::write(plan.join("brief.md"), "").unwrap();
        }
        let Names { names, left_out } = StageFiles::new(&project, &config).names();
        assert_eq!((names.len(), left_out, names[0].as_str()), (MOST_FOLDERS, 3, "p0000"));
    }

    #[test]
    fn plans_that_lie_outside_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("project"), folder.path().join("outside/foo"));
        fs::create_dir_all(&root).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("brief.md"), "").unwrap();
        std::os::unix::fs::symlink(folder.path().join("outside"), root.join("plans")).unwrap();
        let (project, config) = (Project::at(&root), Config::default());
        let files = StageFiles::new(&project, &config);
        assert_eq!((files.names(), files.standing("foo"), files.unfinished()), Default::default());
    }
}
