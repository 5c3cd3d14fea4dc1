//! The debrief as the engine drafts it, in the place where the skill's debrief belongs. One that an agent wrote is never touched.

use engine_core::evidence::ledger::{Check, Outcome as Ran};
use engine_core::log::{self, Kind};
use engine_core::work::draft::{self, Facts};
use engine_core::work::{WorkState, name};
use engine_store::atomic::{self, Durability};
use engine_store::content::Changed;
use engine_store::log_file;
use engine_store::read::{read_bytes, read_string};
use engine_store::work_file::WorkFile;
use engine_text::line::{one_line, seal};
use engine_text::redact::redact;
use fs_err as fs;

use super::evidence::ProofQuery;
use super::{CommandContext, SkillFile, debrief, must_hold};
use crate::error::CommandError;
use crate::time;

/// Of what a list names: files, checks, decisions.
const MOST: usize = 30;
/// Of one of them, in characters.
const LONGEST: usize = 160;

/// What stands where the debrief of a run belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// The skill has no debrief.
    Unwanted,
    Missing,
    /// As the engine drafted it.
    Draft,
    /// The agent's.
    Written,
}

/// What stands where the debrief of the current run belongs.
pub(super) fn stands(work: &WorkFile, state: &WorkState, skill: &SkillFile) -> Stands {
    let Some(run) = state.run().filter(|_| skill.protocol.debrief_template.is_some()) else {
        return Stands::Unwanted;
    };
    let path = work.folder().join(run.file(""));
    match fs::symlink_metadata(&path) {
        Err(_) => Stands::Missing,
        Ok(data) if data.is_file() => {
            let found = read_bytes(&path).ok().map(|bytes| seal(&bytes));
            if found.is_some() && found == run.draft { Stands::Draft } else { Stands::Written }
        }
        Ok(_) => Stands::Written,
    }
}

/// A draft that was written.
pub struct Drafted {
    pub work: WorkFile,
    /// From the project's root.
    pub file: String,
    /// Lines that the agent has to decide, each with its number.
    pub undecided: Vec<(usize, String)>,
}

/// Writes the draft alone.
pub fn write(context: &CommandContext, path: &str) -> Result<Drafted, CommandError> {
    let work = context.changeable(path)?;
    let state = work.peek().unwrap_or_default();
    must_hold(&work, &state, context)?;
    let Some(run) = state.run() else {
        return Err(CommandError::refused(format!("{}: no skill was ever started in it", work.shown())));
    };
    let skill = SkillFile::find(&context.project, &run.skill)?;
    let file = format!("{}/{}", work.shown(), run.file(""));
    match stands(&work, &state, &skill) {
        Stands::Unwanted => {
            return Err(CommandError::refused(format!("{} has no debriefTemplate", run.skill)));
        }
        Stands::Written => {
            return Err(CommandError::refused(format!(
                "{file} is there, and it is not the engine's draft; it stays"
            ))
            .hint(format!("engine session debrief {} lists what is open", work.shown())));
        }
        Stands::Missing | Stands::Draft => {}
    }
    let text = draft(context, &work, &state, &skill, None)?;
    let undecided = draft::undecided(&text).into_iter().map(|(line, text)| (line, text.to_owned())).collect();
    Ok(Drafted { work, file, undecided })
}

/// Drafts the debrief of the current run. The fingerprint is noted first: what has it is never taken for the agent's.
pub(super) fn draft(
    context: &CommandContext,
    work: &WorkFile,
    state: &WorkState,
    skill: &SkillFile,
    description: Option<&str>,
) -> Result<String, CommandError> {
    let run = state.run().cloned().unwrap_or_default();
    let template = skill.protocol.debrief_template.as_ref().zip(skill.folder.as_ref());
    let template = template.map(|(file, folder)| read_string(&folder.join(file))).transpose()?;
    let query = ProofQuery {
        run: &run,
        checklists: &state.checklists,
        skill,
        work,
        context,
        redefined: std::cell::RefCell::default(),
    };
    let facts = facts(&query, work, description);
    let text = draft::draft(template.as_deref().unwrap_or_default(), &facts);
    let path = work.folder().join(run.file(""));
    let is_ours = stands(work, state, skill) == Stands::Draft;
    let drafted = seal(text.as_bytes());
    work.update(|state| {
        must_hold(work, state, context)?;
        if let Some(run) = state.run_mut() {
            run.draft = Some(drafted);
        }
        Ok::<_, CommandError>(())
    })?;
    if is_ours {
        atomic::replace(&path, text.as_bytes(), Durability::Disk)?;
    } else if !atomic::create_new(&path, text.as_bytes())? {
        let file = format!("{}/{}", work.shown(), run.file(""));
        return Err(CommandError::refused(format!("{file} was written meanwhile; it stays")));
    }
    Ok(text)
}

fn facts(query: &ProofQuery<'_>, work: &WorkFile, description: Option<&str>) -> Facts {
    let run = query.run;
    let shown = |text: &str| one_line(&redact(text), LONGEST);
    let some = |mut all: Vec<String>| {
        let more = all.len().saturating_sub(MOST);
        all.truncate(MOST);
        all.extend((more > 0).then(|| format!("and {more} more")));
        all
    };
    let steps = if run.small { Vec::new() } else { query.plan_steps() };
    let loose = debrief::all(work);
    let own = run.file("");
    // Steps of the plan are told as such.
    let open = loose.iter().filter(|(file, loose)| *file != own && loose.kind != "plan");
    let open = open.map(|(file, loose)| {
        // A heading of the log may begin with the word.
        let is_named = loose.text.to_lowercase().starts_with(loose.kind);
        let what = if is_named { loose.text.clone() } else { format!("{} {}", loose.kind, loose.text) };
        shown(&format!("{what} ({file}:{})", loose.line))
    });
    Facts {
        topic: name::topic(&work.name).to_owned(),
        small: run.small,
        goal: run.goal.clone(),
        description: description.map(shown),
        steps: steps.into_iter().map(|(stands, text)| (stands, shown(&text))).collect(),
        changed: some(query.changed().iter().map(changed).collect()),
        checks: some(query.checks().iter().map(|check| shown(&ran(check))).collect()),
        decisions: some(decisions(work).iter().map(|title| shown(title)).collect()),
        open: some(open.collect()),
    }
}

/// `` `src/a.rs` (+3 −1) ``.
fn changed(one: &Changed) -> String {
    let lines = one.lines.map(|(added, removed)| format!(" (+{added} −{removed})")).unwrap_or_default();
    format!("`{}`{lines}", one.path)
}

/// `` `pytest -q` in api: passed, 2026-02-07 10:00:00 ``.
fn ran(check: &Check) -> String {
    let Check { at, command, outcome, folder, .. } = check;
    let folder = folder.as_ref().filter(|folder| !folder.is_empty());
    let place = folder.map(|folder| format!(" in {folder}")).unwrap_or_default();
    let outcome = match outcome {
        Ran::Passed => "passed".to_owned(),
        Ran::Failed { exit } => format!("failed with {exit}"),
        Ran::Unknown { why } => format!("ended with an unknown status ({why})"),
    };
    format!("`{command}`{place}: {outcome}, {}", time::shown(at))
}

/// The titles of the entries of the session's logs that decide something.
fn decisions(work: &WorkFile) -> Vec<String> {
    let logs = log_file::all(work.folder()).unwrap_or_default();
    let of_log = |text: String| -> Vec<String> {
        let decided = log::parse(&text).into_iter().filter(|entry| entry.kind == Some(Kind::Decision));
        decided.map(|entry| entry.title.to_owned()).collect()
    };
    logs.iter().filter_map(|log| read_string(log).ok()).flat_map(of_log).collect()
}
