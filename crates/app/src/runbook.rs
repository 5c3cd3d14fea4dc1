//! Runbooks: plans on disk that agents carry out, a step each. Reading and preparing them, and driving the plan that each of them is.

use std::path::Path;

use engine_core::plan::{self, Plan};
use engine_core::runbook::{Facts, Problem, Reading, Runbook, Severity, Source, read};
use engine_store::plan_file::PlanFile;
use engine_store::project::Project;
use engine_store::{config_file, told};

use crate::error::CommandError;
use crate::glob;
use crate::plan::CommandContext;

pub mod drive;
mod left_behind;
pub mod list;
pub mod new;
pub mod prepare;
pub mod run;
pub mod status;

/// The folder of all of them.
const FOLDER: &str = "plans";
/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 2_000;

/// A runbook that was read, and what its plan says.
pub struct Found {
    pub reading: Reading,
    /// The plan of it, if it was prepared.
    pub plan: Option<Plan>,
}

impl Found {
    /// How many faults keep it from being prepared, as far as its text shows them.
    pub fn errors(&self) -> usize {
        self.reading.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }
}

/// The name of a runbook as somebody writes it: `foo`, `plans/foo`, `plans/foo/runbook.md`.
pub fn name_of(written: &str) -> Result<String, CommandError> {
    let path = written.trim().trim_start_matches("./").trim_end_matches('/');
    let below = path.rsplit_once("plans/").map_or(path, |(_, below)| below);
    let name = below.split('/').next().unwrap_or_default();
    let is_file = below.split_once('/').is_none_or(|(_, file)| file.starts_with("runbook"));
    if plan::is_name(name) && is_file {
        return Ok(name.to_owned());
    }
    Err(CommandError::usage(format!("{written:?} is no runbook: give NAME for plans/NAME/runbook.md")))
}

/// Reads the runbook plans/NAME.
pub fn find(project: &Project, name: &str) -> Result<Found, CommandError> {
    let root = project.root();
    let folder = format!("{FOLDER}/{name}");
    if !root.join(&folder).is_dir() {
        return Err(CommandError::nothing(format!("there is no folder {folder}"))
            .hint(format!("make one: engine runbook new {name}")));
    }
    let mut sources: Vec<(String, String)> = Vec::new();
    for file in files_of(&root.join(&folder)) {
        if is_source(&file) {
            let path = format!("{folder}/{file}");
            // Bytes that are not UTF-8 are a problem of their line.
            if let Some(text) = told::read_kept_if_there(root, &root.join(&path))? {
                sources.push((path, text));
            }
        }
    }
    let beside = |file: &str| told::read_if_there(root, &root.join(&folder).join(file));
    let (design, recall) = (beside("design.md")?, beside("recall-artifact.md")?);
    let tiers = plan::tiers(&config_file::load(project));
    let exists = |path: &str| root.join(path).exists() || fits(path, root);
    let sources: Vec<Source<'_>> = sources.iter().map(|(path, text)| Source { path, text }).collect();
    let facts = Facts {
        folder: &folder,
        tiers: &tiers,
        exists: &exists,
        design: design.as_deref(),
        recall: recall.as_deref(),
    };
    let reading = read(&sources, &facts);
    let plan = PlanFile::new(project, name).peek().and_then(Result::ok).filter(Plan::is_delegated);
    Ok(Found { reading, plan })
}

/// Whether a file of the project fits a pattern.
fn fits(pattern: &str, root: &Path) -> bool {
    let is_pattern = pattern.contains(['*', '?', '[', '{']);
    is_pattern && glob::files(pattern, root, Some(1)).is_ok_and(|found| !found.files.is_empty())
}

/// Whether a file of a folder below plans/ is its runbook, or a phase of it.
fn is_source(file: &str) -> bool {
    file.strip_suffix(".md").is_some_and(|stem| stem == "runbook" || stem.starts_with("runbook-phase-"))
}

/// The files of a folder, sorted.
fn files_of(folder: &Path) -> Vec<String> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// A worktree without an `.engine/` of its own shares that of the main checkout, whose files are not those at hand.
pub fn is_here(project: &Project) -> Result<(), CommandError> {
    if project.tree() == project.root() {
        return Ok(());
    }
    let tree = project.tree().display();
    Err(CommandError::refused(format!(
        "{tree} is a worktree without an .engine/ of its own, and a runbook is of one checkout"
    ))
    .hint("make it a project: engine init, in the worktree")
    .hint(format!("or run this in {}", project.root().display())))
}

/// Everything that is wrong with a runbook, also with its checks, in the order of files and lines. A warning does not keep it from being
/// prepared.
pub fn problems(found: &Found, context: &CommandContext) -> Result<Vec<Problem>, CommandError> {
    let runbook = &found.reading.runbook;
    let plan = runbook.plan(&prepare::agents(runbook), &[], "");
    let mut problems = found.reading.problems.clone();
    // No exit status can show them.
    let impossible = crate::plan::proof_problems(&plan, context)?;
    problems.extend(impossible.iter().map(|why| placed(why, runbook, Severity::Error)));
    if !problems.iter().any(|problem| problem.severity == Severity::Error) {
        let asked = |doubt: &String| {
            let problem = placed(doubt, runbook, Severity::Warning);
            Problem { text: format!("{}; the user is asked before the run begins", problem.text), ..problem }
        };
        problems.extend(crate::plan::proof_doubts(&plan, context)?.iter().map(asked));
    }
    problems.sort();
    problems.dedup();
    Ok(problems)
}

/// `step 1.2: why` at the line of that step; what is wrong with a criterion is that of the front matter.
fn placed(problem: &str, runbook: &Runbook, severity: Severity) -> Problem {
    let (what, why) = problem.split_once(": ").unwrap_or(("", problem));
    let step = what.strip_prefix("step ").and_then(|id| runbook.step(id.parse().ok()?));
    let first = runbook.steps.first().map_or("", |step| step.path.as_str());
    let (path, line) = step.map_or((first, 1), |step| (step.path.as_str(), step.line));
    Problem { path: path.to_owned(), line, severity, text: why.to_owned() }
}
