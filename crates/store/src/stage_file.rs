//! The facts by which the stage of `plans/NAME` is derived: which files are there, when they were written, and the plan object.
//!
//! ```text
//! plans/foo/design.md, reports/design-review.md, runbook.md, steps/      .engine/state/plans/foo.json
//! ```
//!
//! Nothing is written here. A folder that leads out of the project counts as if it were not there.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::plan::{Kind, Plan, Report, State, tiers};
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
/// Where the client looks for the agents of a project.
const AGENTS: &str = ".claude/agents";

/// The plans of a project by their files.
pub struct StageFiles<'p> {
    project: &'p Project,
    config: &'p Config,
    root: &'p Path,
    /// The commit that is checked out: git is asked once.
    head: OnceCell<Option<String>>,
}

/// The folders below plans/.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub names: Vec<String>,
    /// Those that would be plans, by what is in them, and that are called as no plan can be.
    pub misnamed: Vec<String>,
    /// How many were not looked at.
    pub left_out: usize,
}

impl<'p> StageFiles<'p> {
    pub fn new(project: &'p Project, config: &'p Config) -> Self {
        Self { project, config, root: project.root(), head: OnceCell::new() }
    }

    /// The folders that are plans.
    pub fn names(&self) -> Names {
        let entries = self.plans().and_then(|plans| fs::read_dir(plans).ok());
        let Some(entries) = entries else { return Names::default() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let (names, others): (BTreeSet<String>, BTreeSet<String>) =
            names.partition(|name| stage::is_folder(name));
        let left_out = names.len().saturating_sub(MOST_FOLDERS);
        let are_plans = |names: BTreeSet<String>| {
            let is_plan = |name: &String| self.folder(name).is_some_and(|folder| folder.is_plan());
            names.into_iter().take(MOST_FOLDERS).filter(is_plan).collect()
        };
        Names { names: are_plans(names), misnamed: are_plans(others), left_out }
    }

    /// Whether there is a runbook in the folder of a plan, whatever is in it.
    pub fn has_runbook(&self, name: &str) -> bool {
        self.folder(name).is_some_and(|folder| folder.sources().next().is_some())
    }

    /// The first file of a plan that cannot be read, and why.
    pub fn unread(&self, name: &str) -> Option<String> {
        self.folder(name)?.unread()
    }

    /// The folder that holds them.
    fn plans(&self) -> Option<PathBuf> {
        let plans = self.root.join(stage::FOLDER);
        self.is_own(&plans).then_some(plans)
    }

    /// Whether a folder is there, and not a link that leads out of the project.
    fn is_own(&self, path: &Path) -> bool {
        fs::symlink_metadata(path)
            .is_ok_and(|data| !data.is_symlink() || resolve(path).starts_with(resolve(self.root)))
    }

    fn folder(&self, name: &str) -> Option<Folder<'_>> {
        let path = self.plans()?.join(name);
        if !self.is_own(&path) {
            return None;
        }
        let entries = fs::read_dir(&path).ok()?.flatten().take(MOST_ENTRIES);
        // A link to nothing is no file: it is written through, if at all.
        let leads_to_nothing =
            |path: &Path| fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let there = entries.filter(|entry| {
            !entry.file_type().is_ok_and(|kind| kind.is_symlink()) || !leads_to_nothing(&entry.path())
        });
        let files = there.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        let name = format!("{}/{name}", stage::FOLDER);
        Some(Folder { root: self.root, name, path, files })
    }

    fn facts(&self, name: &str) -> Option<Facts> {
        let folder = self.folder(name).filter(Folder::is_plan)?;
        let is_planned = folder.sources().next().is_some();
        let mut facts = Facts {
            brief: folder.has_brief(),
            design: folder.design(),
            unread: folder.unread(),
            ..Facts::default()
        };
        let file = PlanFile::new(self.project, name);
        let plan = file.peek().transpose();
        let plan = plan.map(|plan| plan.filter(Plan::is_delegated));
        facts.run = match &plan {
            Ok(Some(plan)) => Some(self.run_of(plan)),
            Ok(None) => folder.reported(),
            // One that cannot be used holds the work up.
            Err(fault) if is_planned => {
                let closed = file.is_closed_run() == Some(true);
                Some(Run { damaged: Some(fault.to_string()), closed, ..Run::default() })
            }
            Err(_) => None,
        };
        if is_planned {
            // What runs or has run is not measured against the runbook any more.
            let is_to_be_run = facts.run.as_ref().is_none_or(|run| !run.begun && !run.closed);
            let plan = plan.ok().flatten();
            let runbook =
                (is_to_be_run && facts.unread.is_none()).then(|| self.runbook(&folder, plan.as_ref()));
            facts.runbook = Some(runbook.unwrap_or(Runbook { errors: 0, steps: Steps::Fresh }));
        }
        Some(facts)
    }

    /// What is wrong with a runbook, and whether the step files and the plan are made from it.
    fn runbook(&self, folder: &Folder<'_>, plan: Option<&Plan>) -> Runbook {
        let sources: Vec<Written> = folder.written_sources();
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
        let of_plan = plan.and_then(|plan| plan.runbook.as_ref()).map(|source| source.sum.clone());
        let prepared = of_plan.or_else(of_order);
        let mut steps = reading.runbook.steps.iter().filter(|step| reading.runbook.step_file(step).is_some());
        let steps = if !folder.files.contains(ORCHESTRATOR_PLAN) {
            Steps::Missing
        } else if prepared.is_none_or(|sum| sum == *fingerprint)
            && plan.is_none_or(|plan| self.has_agents(plan))
            && steps.all(is_fresh)
        {
            Steps::Fresh
        } else {
            Steps::Stale
        };
        Runbook { errors, steps }
    }

    /// Whether the agents that were made for a plan are there. The shipped ones always are.
    fn has_agents(&self, plan: &Plan) -> bool {
        let agents: BTreeSet<&str> = plan.steps.iter().filter_map(|step| step.agent.as_deref()).collect();
        let mut own = agents.into_iter().filter(|agent| is_made_for(&plan.name, agent));
        own.all(|agent| self.root.join(AGENTS).join(format!("{agent}.md")).exists())
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
        let head = || self.head.get_or_init(|| git::head(self.root)).as_ref();
        if closed_at.is_some_and(|closed| head() != Some(closed)) {
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
        Standing::of(plan, &self.facts(plan)?, &tiers(self.config))
    }

    fn unfinished(&self) -> Vec<String> {
        let is_closed = |name: &String| match PlanFile::new(self.project, name).is_closed_run() {
            Some(closed) => closed,
            None => self.folder(name).is_some_and(|folder| folder.reported().is_some()),
        };
        self.names().names.into_iter().filter(|name| !is_closed(name)).collect()
    }
}

/// Whether an agent is called as those that are made for a plan: `foo-ab12cd-task`.
fn is_made_for(plan: &str, agent: &str) -> bool {
    let hash = agent.strip_prefix(plan).and_then(|rest| rest.strip_prefix('-')?.split_once('-'));
    hash.is_some_and(|(hash, _)| hash.len() == 6 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
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

    /// The text of a file; nothing if it is not there, or cannot be read.
    fn read(&self, file: &str) -> Option<String> {
        self.told(file).ok().flatten()
    }

    /// The same, or why it cannot be read.
    fn told(&self, file: &str) -> Result<Option<String>, String> {
        if !file.contains('/') && !self.files.contains(file) {
            return Ok(None);
        }
        match told::read(self.root, &self.path.join(file)) {
            Ok(told) => Ok(Some(told.text)),
            Err(Unread::Missing) => Ok(None),
            Err(Unread::Unreadable(why)) => Err(why),
        }
    }

    /// The first file that cannot be read of those that say what is to be done: what comes later counts.
    fn unread(&self) -> Option<String> {
        let mut of_runbook: Vec<&str> = self.sources().map(String::as_str).collect();
        let beside: &[&str] = match (of_runbook.is_empty(), self.files.contains(stage::DESIGN)) {
            (false, _) => &[stage::DESIGN, RECALL],
            (true, true) => &[stage::DESIGN],
            (true, false) => &stage::BRIEFS,
        };
        of_runbook.extend(beside);
        let why = |file: &str| self.told(file).err().map(|why| format!("{file}: {}", one_line(&why, REASON)));
        of_runbook.into_iter().find_map(why)
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

    /// The names of the runbook's files.
    fn sources(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter(|file| is_source(file))
    }

    fn written_sources(&self) -> Vec<Written> {
        let written =
            |file: &String| Some(Written { path: format!("{}/{file}", self.name), text: self.read(file)? });
        self.sources().filter_map(written).collect()
    }

    /// What the reports tell, if there is one of every step and review, each step is done and no finding critical. The plan object stays
    /// in the clone in which the steps were run; in another one the reports are all that is known of it.
    fn reported(&self) -> Option<Run> {
        let plan = self.read(ORCHESTRATOR_PLAN).unwrap_or_default();
        let lines: Vec<&str> = plan.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        let report = |stem: &str| {
            let text = self.read(&format!("reports/{stem}.md")).unwrap_or_default();
            Report::parse(&text)
        };
        let of_step = |line: &&str| {
            let stem = line.split('|').next()?.trim().strip_suffix(".md")?;
            (stem.starts_with("step-") || stem.starts_with("cycle-")).then(|| report(stem).is_done())
        };
        let of_review = |line: &&str| {
            let phase = line.strip_prefix(REVIEWED)?.split('|').next()?.trim();
            Some(report(&format!("phase-{phase}")).critical == Some(0))
        };
        let steps: Vec<bool> = lines.iter().filter_map(of_step).take(MOST_ENTRIES).collect();
        let mut reviews = lines.iter().filter_map(of_review).take(MOST_ENTRIES);
        let done = steps.len();
        let is_over = done > 0 && steps.into_iter().all(|done| done) && reviews.all(|passed| passed);
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
/// What a line of it begins with that names a review.
const REVIEWED: &str = "PHASE_BOUNDARY ";
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
        let Names { names, left_out, .. } = StageFiles::new(&project, &config).names();
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
