//! The end of a step that an agent has done: nothing it says counts, all that is missing is named at once.

use std::collections::BTreeSet;

use engine_core::approval::Deed;
use engine_core::evidence::ledger::Line;
use engine_core::evidence::proof::Proof;
use engine_core::plan::{
    Came, HaltKind, Kind, Moved, Part, Plan, REFACTOR, Report, Run, State, Step, StepId, TASK, Turn, covers,
};
use engine_store::plan_file::Kept;
use engine_store::{clock, content, git, told};
use engine_text::line::{fingerprint, one_line};

use super::drift::named;
use super::{CommandContext, proof};
use crate::approval;
use crate::error::CommandError;
use crate::evidence::{Editor, EvidenceQuery, PATIENCE};

/// How much later than the end of its agent a report may be written, in milliseconds: clocks of file systems are rough.
const SLACK: u128 = 1_000;
/// Of a report's words that are shown.
const LONGEST: usize = 200;

/// Ends a step of a delegated plan, if everything shows that it is done. `approved`: why it is done all the same, by a person.
pub(super) fn finish(
    context: &CommandContext,
    number: StepId,
    approved: Option<&str>,
) -> Result<Kept<Vec<String>>, CommandError> {
    let (_, plan) = context.own()?;
    let step = plan.step(number)?;
    if step.state == State::Done {
        return Ok(Kept { answer: Vec::new(), plan, notes: Vec::new() });
    }
    plan.works()?;
    may_end(step, &plan)?;
    let seen = look(step, &plan, context)?;
    let mut waived = None;
    if !seen.lacks.is_empty() {
        let refused = || {
            let text = format!("step {number} is not done\n{}", seen.lacks.join("\n"));
            CommandError::refused(text).hint(ways_on(step))
        };
        let what = format!("accept step {number} of plan {} as done: {}", plan.name, seen.lacks.join("; "));
        let deed = Deed::new(&what, &[&plan.name, &number.to_string(), &seen.lacks.join("\n")])
            .of(engine_core::approval::Kind::Judge);
        waived = Some(approval::waive(&context.project, &context.caller, &deed, approved, refused)?);
    }
    let found = waived.map_or(seen.found, |why| Some(format!("accepted by the user: {why}")));
    let Seen { quality, critical, .. } = seen;
    context.change_judged(&plan, |plan, now| {
        if critical > 0 {
            return findings(plan, number, critical, now).map(|()| Vec::new());
        }
        if plan.step(number)?.state != State::Active {
            plan.begin_inline(number, None, None, now)?;
        }
        plan.finish(number, found, now)?;
        if let Some(quality) = quality {
            plan.insert(refactor(plan.step(number)?, &quality, plan), number, true)?;
        }
        Ok(Vec::new())
    })
}

/// Ends a try badly. Whether the plan halted comes back.
pub fn fail(
    context: &CommandContext,
    number: StepId,
    came: Came,
    why: Option<&str>,
) -> Result<Kept<Moved>, CommandError> {
    let (_, plan) = context.own()?;
    let root = context.project.root();
    let report = plan.step(number)?.report.as_ref().map(|report| root.join(report));
    let is_there = report.is_some_and(|report| matches!(told::read_if_there(root, &report), Ok(Some(_))));
    context.change(|plan, now| {
        if is_there {
            plan.reported(number);
        }
        plan.fail_run(number, came, why, now)
    })
}

/// Whether a step can end at all: somebody has worked on it, and does no more.
fn may_end(step: &Step, plan: &Plan) -> Result<(), CommandError> {
    let number = step.number;
    let now = clock::now().rfc3339();
    match step.run() {
        Some(run) if run.is_live() => {
            let agent = run.agent.as_deref().map(|agent| format!(" ({agent})")).unwrap_or_default();
            Err(CommandError::refused(format!("step {number} still runs: its agent{agent} has not ended"))
                .hint(
                    "end the turn, its result comes by itself; engine runbook status tells whether it ended",
                ))
        }
        Some(_) => Ok(()),
        None if !step.is_delegated() => {
            plan.clone().begin_inline(number, None, None, &now)?;
            Ok(())
        }
        None => {
            let what = match plan.turn(&now) {
                Turn::Starts(steps) if steps.iter().any(|ready| ready.number == number) => {
                    format!("step {number} was given to no agent")
                }
                _ => format!("step {number} was given to no agent, and is not the next"),
            };
            Err(CommandError::refused(what).hint("engine runbook next prints the call that is right now"))
        }
    }
}

fn ways_on(step: &Step) -> String {
    let number = step.number;
    if step.is_delegated() {
        format!("let it be tried again: engine runbook fail {number} --why \"…\"; then engine runbook next")
    } else {
        format!("put it right, then: engine runbook done {number}")
    }
}

/// What was looked up about a step.
#[derive(Default)]
struct Seen {
    lacks: Vec<String>,
    found: Option<String>,
    quality: Option<String>,
    critical: u32,
}

fn look(step: &Step, plan: &Plan, context: &CommandContext) -> Result<Seen, CommandError> {
    let mut seen = Seen::default();
    let since = step.runs.first().map(|run| run.at.clone()).or(step.started_at.clone()).unwrap_or_default();
    let trail = EvidenceQuery { since: &since, within: "since the step began", ..context.trail(plan) };
    if let Some(run) = step.run() {
        seen.lacks.extend(of_run(run, &trail)?);
    }
    if step.started_head.is_some() && git::head(context.project.root()) != step.started_head {
        seen.lacks.push("a commit was made meanwhile; steps make none".to_owned());
    }
    let report = report(step, context, &mut seen.lacks)?;
    if let Some(run) = step.run() {
        seen.lacks.extend(by_others(step, run, plan, context)?);
    }
    seen.lacks.extend(other_words(step, plan, context));
    let edited = edited_by_its(step, plan, context)?;
    let unchanged = changes(step, plan, &report, edited, context, &mut seen.lacks);
    if step.kind == Kind::Review {
        match report.critical {
            Some(0) => of_review(step, plan, context, &mut seen)?,
            Some(critical) => seen.critical = critical,
            None => {
                seen.lacks
                    .push("its report has no line `Critical: N` between its first two `---`".to_owned());
            }
        }
        return Ok(seen);
    }
    let lookup = trail.look()?;
    if let Some(wanted) = &step.proof {
        match proof::prove(wanted, plan, &lookup) {
            Ok(found) => seen.found = Some(found),
            Err(lacks) => seen.lacks.push(lacks.text().to_owned()),
        }
    }
    if let Some(why) = unchanged {
        let nothing = format!("nothing was changed: {}", one_line(&why, LONGEST));
        seen.found = Some(seen.found.map_or_else(|| nothing.clone(), |found| format!("{found}; {nothing}")));
    }
    if let (Kind::Cycle, false, Some(Proof::Passes(command))) = (step.kind, step.regression, &step.proof) {
        let ledger: Vec<Line> = lookup.ledger();
        let lacks = step.lacks_red(command, &ledger, &plan.check_lines());
        seen.lacks.extend(lacks.map(|lacks| lacks.text(command)));
    }
    let is_mended = step.number.part == Some(Part::Refactor)
        || plan.steps.iter().any(|other| other.number == step.number.with(Part::Refactor));
    seen.quality = report.quality.filter(|_| !is_mended && step.is_delegated());
    Ok(seen)
}

/// Whether the right model did it, and did something.
fn of_run(run: &Run, trail: &EvidenceQuery<'_>) -> Result<Vec<String>, CommandError> {
    let mut lacks = Vec::new();
    if run.resolved.is_none() && !run.call.is_empty() && !run.is_cut_off() {
        lacks.push(format!("the client has not said which model it ran on; {} was asked for", run.model));
    }
    if !run.is_as_asked() {
        let used = run.resolved.as_deref().unwrap_or_default();
        lacks.push(format!("it ran on {used}, and {} was asked for", run.model));
    }
    if trail.calls_of(run)? == 0 {
        lacks.push("its agent called no tool".to_owned());
    }
    Ok(lacks)
}

/// The report, as far as it can be read.
fn report(step: &Step, context: &CommandContext, lacks: &mut Vec<String>) -> Result<Report, CommandError> {
    let (Some(path), Some(run)) = (&step.report, step.run()) else { return Ok(Report::default()) };
    let file = context.project.root().join(path);
    let Some(text) = told::read_if_there(context.project.root(), &file)? else {
        lacks.push(format!("there is no report {path}"));
        return Ok(Report::default());
    };
    let report = Report::parse(&text);
    let written = fs_err::metadata(&file).ok().and_then(|data| data.modified().ok());
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    let began = crate::time::parse(&run.at);
    // File systems know some moments only roughly.
    let is_old = written.zip(began).is_some_and(|(at, began)| at.as_millis() + 20 < u128::from(began.0));
    if is_old {
        lacks.push(format!("{path} is older than this try"));
    } else if run.ended_at.as_deref().and_then(crate::time::parse).zip(written).is_some_and(late) {
        lacks.push(format!("{path} was changed after its agent had ended"));
    } else if step.kind == Kind::Review && report.status.as_deref().is_some_and(|status| status != "done") {
        lacks.push(format!("{path} does not say that the review was made"));
    } else if step.kind != Kind::Review && !report.is_done() {
        let says =
            report.status.as_deref().map_or("no status".to_owned(), |status| one_line(status, LONGEST));
        lacks.push(format!("{path} says {says}, not `Status: done`"));
    }
    Ok(report)
}

/// Whether a file was written so long after a moment that it was not before it.
fn late((ended, written): (engine_text::stamp::Stamp, std::time::Duration)) -> bool {
    written.as_millis() > u128::from(ended.0) + SLACK
}

/// A review is held to the check of all steps, which may have passed before it.
fn of_review(
    step: &Step,
    plan: &Plan,
    context: &CommandContext,
    seen: &mut Seen,
) -> Result<(), CommandError> {
    let Some(wanted) = &step.proof else { return Ok(()) };
    let trail = context.trail(plan);
    match proof::prove(wanted, plan, &trail.look()?) {
        Ok(found) => seen.found = Some(found),
        Err(lacks) => seen.lacks.push(lacks.text().to_owned()),
    }
    Ok(())
}

/// What somebody else did of a step's work, by the events; and a report that its agent was not seen writing.
fn by_others(
    step: &Step,
    run: &Run,
    plan: &Plan,
    context: &CommandContext,
) -> Result<Vec<String>, CommandError> {
    let trail = EvidenceQuery { since: &run.at, sessions: None, ..context.trail(plan) };
    let (its, others): (Vec<Editor>, Vec<Editor>) =
        trail.editors()?.into_iter().partition(|editor| is_of(editor, run));
    let mut lacks = Vec::new();
    let report = step.report.as_ref().filter(|report| context.project.root().join(report).exists());
    if let Some(report) = report {
        if others.iter().any(|editor| editor.file == *report) {
            lacks.push(format!("{report} was written by another than its agent"));
        } else if !its.iter().any(|editor| editor.file == *report) {
            lacks.push(format!("its agent was not seen writing {report}"));
        }
    }
    let mut foreign: Vec<String> = others.into_iter().map(|editor| editor.file).collect();
    foreign.retain(|file| !step.files.is_empty() && step.covers(file));
    foreign.sort();
    foreign.dedup();
    if !foreign.is_empty() {
        lacks.push(format!("changed by another than its agent: {}", named(&foreign)));
    }
    Ok(lacks)
}

/// The files that the agents of a step, or the main agent in a step of its own, were seen editing; those below plans/ are no work.
fn edited_by_its(step: &Step, plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let since = step.runs.first().map(|run| run.at.clone()).or(step.started_at.clone()).unwrap_or_default();
    let trail = EvidenceQuery { since: &since, ..context.trail(plan) };
    let is_its = |editor: &Editor| {
        if step.runs.is_empty() {
            editor.agent.is_none()
        } else {
            step.runs.iter().any(|run| is_of(editor, run))
        }
    };
    let editors = trail.editors()?.into_iter().filter(is_its).map(|editor| editor.file);
    Ok(editors.filter(|file| !file.starts_with("plans/")).collect::<BTreeSet<_>>().into_iter().collect())
}

/// Whether the agent of a try did it.
fn is_of(editor: &Editor, run: &Run) -> bool {
    match &run.agent {
        Some(agent) => editor.agent.as_ref() == Some(agent),
        None => run.is_client() && editor.session == run.session && editor.agent.is_none(),
    }
}

/// A step file that says something else than what was prepared.
fn other_words(step: &Step, plan: &Plan, context: &CommandContext) -> Option<String> {
    let file = step.prompt.as_deref().and_then(|prompt| prompt.lines().next())?;
    let sum = plan.runbook.as_ref()?.files.get(file)?;
    let root = context.project.root();
    let text = told::read_if_there(root, &root.join(file)).ok().flatten().unwrap_or_default();
    (fingerprint(&text) != *sum).then(|| format!("{file} is not what was prepared"))
}

/// Whether what changed is what was to be changed. Why nothing was comes back.
fn changes(
    step: &Step,
    plan: &Plan,
    report: &Report,
    edited: Vec<String>,
    context: &CommandContext,
    lacks: &mut Vec<String>,
) -> Option<String> {
    let first = step.runs.first().and_then(|run| run.content.as_ref()).or(step.started_content.as_ref());
    let now = content::take(&context.project, PATIENCE);
    let changed = |from: &String| content::changed(&context.project, from, now.as_ref().ok()?);
    let files = first.and_then(changed).map(|files| files.into_iter().map(|file| file.path).collect());
    // Where the contents cannot be compared, the edits count that were seen.
    let files: Vec<String> = files.unwrap_or(edited);
    if step.kind == Kind::Review {
        let since = step.run().and_then(|run| run.content.as_ref()).and_then(changed);
        let meanwhile: Vec<String> = since.into_iter().flatten().map(|file| file.path).collect();
        if !meanwhile.is_empty() {
            lacks.push(format!("files were changed during the review: {}", named(&meanwhile)));
        }
        return None;
    }
    let beside = |file: &String| {
        let others = plan.steps.iter().filter(|other| other.number != step.number && overlaps(other, step));
        let mut others = others.filter(|other| !other.files.is_empty());
        !step.covers(file) && !others.any(|other| covers(&other.files, file))
    };
    let strays: Vec<String> = files.iter().filter(|file| beside(file)).cloned().collect();
    if !strays.is_empty() {
        lacks.push(format!("changed besides its files ({}): {}", step.files.join(", "), named(&strays)));
    }
    let later = step.run().and_then(|run| run.left.as_ref()).and_then(changed);
    let mut later: Vec<String> = later.into_iter().flatten().map(|file| file.path).collect();
    later.retain(|file| step.covers(file) && !step.files.is_empty());
    if !later.is_empty() {
        lacks.push(format!("changed after its agent had ended: {}", named(&later)));
    }
    if files.iter().any(|file| step.covers(file)) {
        return None;
    }
    if step.is_delegated() && report.no_change.is_none() {
        lacks.push("no file of it was changed, and its report has no line `No change: why`".to_owned());
    } else if !step.is_delegated() && !step.files.is_empty() {
        lacks.push(format!("no file of it was changed: {}", step.files.join(", ")));
    }
    report.no_change.clone()
}

/// Whether two steps were at work at the same time.
fn overlaps(other: &Step, step: &Step) -> bool {
    let since = |step: &Step| step.runs.first().map(|run| run.at.clone());
    let (Some(from), Some(began)) = (since(step), since(other)) else { return false };
    let ended = other.ended_at.as_deref();
    (other.state == State::Active || ended.is_some_and(|ended| ended >= from.as_str()))
        && began.as_str() <= step.ended_at.as_deref().unwrap_or("~")
}

/// Puts a step before a review whose findings are critical; a second time a person is asked.
fn findings(
    plan: &mut Plan,
    number: StepId,
    critical: u32,
    now: &str,
) -> Result<(), engine_core::plan::Refusal> {
    let review = plan.step(number)?.clone();
    let mend = number.whole().with(Part::Mend);
    if plan.steps.iter().any(|step| step.number == mend) {
        let report = review.report.unwrap_or_default();
        let reason =
            format!("the second review of phase {} still has {critical} critical: {report}", number.major);
        plan.fail_run(number, Came::Failed, Some(&reason), now)?;
        return if plan.halted().is_some() { Ok(()) } else { plan.halt(HaltKind::Attempts, &reason, now) };
    }
    plan.reopen(number, now)?;
    let report = review.report.unwrap_or_default();
    let folder = folder(plan);
    let of_phase = || plan.steps.iter().filter(|step| step.phase == review.phase && step.number != number);
    // One that names no files may change any.
    let is_any = of_phase().any(|step| step.files.is_empty());
    let files: BTreeSet<String> =
        of_phase().filter(|_| !is_any).flat_map(|step| step.files.clone()).collect();
    let files: Vec<String> = files.into_iter().collect();
    let proof = of_phase().filter_map(|step| step.proof.clone()).next_back();
    let proof = proof.filter(|proof| matches!(proof, Proof::Passes(_)));
    let own = format!("{folder}/reports/{}.md", mend.slug());
    let what = format!("Mend the critical and major findings of {report}");
    let step = Step {
        number: mend,
        text: format!("mend the findings of {report}"),
        kind: Kind::Work,
        prompt: Some(prompt(&what, &own, &files, proof.as_ref())),
        proof,
        files,
        model: review.model,
        agent: Some(TASK.to_owned()),
        report: Some(own),
        phase: review.phase,
        needs: review.needs,
        ..Step::default()
    };
    plan.insert(step, number, false)
}

/// The step that puts the quality warnings of another right.
fn refactor(of: &Step, quality: &str, plan: &Plan) -> Step {
    let number = of.number.with(Part::Refactor);
    let folder = folder(plan);
    let report = format!("{folder}/reports/step-{}.md", number.slug());
    let what = format!("Quality warnings: {}", of.report.as_deref().unwrap_or_default());
    let proof = of.proof.clone().filter(|proof| matches!(proof, Proof::Passes(_)));
    Step {
        number,
        text: format!("put right: {}", one_line(quality, LONGEST)),
        kind: Kind::Work,
        prompt: Some(prompt(&what, &report, &of.files, proof.as_ref())),
        proof,
        files: of.files.clone(),
        model: plan.tiers.get(1).or(plan.tiers.last()).cloned().or(of.model.clone()),
        agent: Some(REFACTOR.to_owned()),
        report: Some(report),
        phase: of.phase,
        needs: vec![of.number],
        ..Step::default()
    }
}

/// What the agent of a step is told that has no file of its own: all that it is measured by.
fn prompt(what: &str, report: &str, files: &[String], proof: Option<&Proof>) -> String {
    let mut prompt = format!("{what}\nReport: {report}");
    if !files.is_empty() {
        prompt.push_str(&format!("\nFiles: {}", files.join(", ")));
    }
    if let Some(Proof::Passes(command)) = proof {
        prompt.push_str(&format!("\nCheck: {}", command.shown()));
    }
    prompt
}

fn folder(plan: &Plan) -> String {
    plan.runbook.as_ref().map_or_else(|| format!("plans/{}", plan.name), |source| source.folder.clone())
}
