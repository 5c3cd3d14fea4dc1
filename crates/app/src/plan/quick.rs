//! A quick plan: one step, one criterion, one known check, locked at once.

use std::collections::BTreeSet;

use engine_core::evidence::ledger::Line;
use engine_core::evidence::proof::Command;
use engine_core::plan::{DO, Extent, HaltKind, Plan, is_inside, text_of};
use engine_store::atomic::Durability;
use engine_store::plan_file::Kept;
use engine_store::{clock, config_file, content, told};

use super::{CommandContext, new, proof, start};
use crate::error::CommandError;

/// What is to be done, and what shows it.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub text: &'a str,
    pub command: &'a str,
    /// Where it runs, from the root; nothing: in the root.
    pub folder: &'a str,
    pub name: Option<&'a str>,
    /// An agent does it.
    pub delegate: Option<Delegate<'a>>,
}

/// The agent that does it, and what it may change.
#[derive(Debug, Clone, Copy)]
pub struct Delegate<'a> {
    pub model: &'a str,
    pub files: &'a [String],
    /// What the agent must know besides.
    pub details: &'a str,
}

/// Makes a quick plan and locks it. What happened on the way is added to `notes`.
pub fn make(
    context: &CommandContext,
    wanted: &Wanted<'_>,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    let text = text_of("a plan", wanted.text).map_err(CommandError::usage)?;
    let mut plan = Plan::small(text, Command::new(wanted.command, wanted.folder));
    if !matches!(wanted.folder, "" | ".") && !is_inside(wanted.folder) {
        return Err(CommandError::usage(format!(
            "{} is not a folder below the project's root",
            wanted.folder
        )));
    }
    new::is_unbound(context)?;
    takes_part(context)?;
    is_known(&plan, context)?;
    if let Some(agent) = context.agent() {
        plan.give(agent);
    }
    let start = start(&plan, context)?;
    plan.lock(start, &clock::now().rfc3339())?;
    if let Some(delegate) = &wanted.delegate {
        return delegated(context, wanted, delegate, plan, notes);
    }
    // The name comes from the text, which is short; what was typed may be long.
    let base = plan.original_fragment.clone();
    notes.extend(new::hold(context, &mut plan));
    new::create_named(context, wanted.name, &base, plan, notes)
}

/// Gives the one step to an agent: with the same evidence as the step of a runbook, and its own file.
fn delegated(
    context: &CommandContext,
    wanted: &Wanted<'_>,
    delegate: &Delegate<'_>,
    plan: Plan,
    notes: &mut Vec<String>,
) -> Result<Kept<()>, CommandError> {
    let tiers = engine_core::plan::tiers(&config_file::load(&context.project));
    let model = delegate.model.to_lowercase();
    if !tiers.contains(&model) {
        return Err(CommandError::usage(format!("{model} is no tier of models: {}", tiers.join(", ")))
            .hint("models.tiers in .engine/config.toml names others"));
    }
    if let Some(odd) = delegate.files.iter().find(|file| !is_inside(file)) {
        return Err(CommandError::usage(format!("{odd} is not a path below the project's root")));
    }
    let base = plan.original_fragment.clone();
    let kept = new::create_named(context, wanted.name, &base, Plan { lock: None, ..plan }, notes)?;
    let folder = format!("plans/{}", kept.plan.name);
    let mut delegated = kept.plan.clone();
    delegated.delegate(&folder, &model, delegate.files, tiers);
    let root = context.project.root();
    let text = delegated.step_file(delegate.details);
    told::replace(root, &root.join(&folder).join("steps/step-1.md"), text.as_bytes(), Durability::Disk)?;
    let start = super::start(&delegated, context)?;
    let (file, _) = context.existing(&kept.plan.name)?;
    file.update(|plan| {
        *plan = delegated;
        plan.lock(start, &clock::now().rfc3339()).map_err(CommandError::from)
    })
}

/// Others judge supervised work, and a quick plan has nobody to.
fn takes_part(context: &CommandContext) -> Result<(), CommandError> {
    let armed = context.agent().and_then(|agent| context.session(agent).peek().armed);
    if armed.is_some_and(|armed| armed.supervise) {
        return Err(CommandError::refused(format!(
            "/{DO} --supervise asks for a plan that others judge, and a quick plan closes itself"
        ))
        .hint("engine plan new takes the plan of the agent intent-router or planner"));
    }
    Ok(())
}

/// Nobody looks at the proof before it counts, so it is a check that everybody knows.
fn is_known(plan: &Plan, context: &CommandContext) -> Result<(), CommandError> {
    let mut wrong = proof::impossible(plan, context)?;
    if wrong.is_empty() {
        wrong = proof::doubtful(plan, context)?;
    }
    // Step and criterion have the same proof.
    match wrong.first() {
        None => Ok(()),
        Some(why) => {
            let why = why.strip_prefix("criterion 1: ").unwrap_or(why);
            Err(CommandError::refused(format!("a quick plan is proved by a known check: {why}"))
                .hint("engine evidence learn lists the checks of this project")
                .hint("engine plan new takes other proofs; for those a person is asked"))
        }
    }
}

/// How much was changed since the lock.
pub fn extent(plan: &Plan, context: &CommandContext) -> Result<Extent, CommandError> {
    Ok(Extent::of(changes(plan, context)?.into_iter().map(|(_, lines)| lines)))
}

/// What was changed outside of the folder in which the proof runs: there it shows nothing.
pub fn outside(plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    let proof = plan.criteria.first().and_then(|criterion| criterion.proof.as_ref());
    let folder = proof.and_then(|proof| proof.command()).map_or("", |command| command.folder.as_str());
    if folder.is_empty() {
        return Ok(Vec::new());
    }
    let below = format!("{folder}/");
    let files = changes(plan, context)?.into_iter().map(|(file, _)| file);
    Ok(files.filter(|file| !file.starts_with(&below)).collect())
}

/// A file, with the lines added and removed where they are known.
type Change = (String, Option<(u64, u64)>);

/// The files that were changed since the lock, with the lines added and removed. Where the contents cannot be compared, the edits count
/// that were seen.
fn changes(plan: &Plan, context: &CommandContext) -> Result<Vec<Change>, CommandError> {
    let then = plan.lock.as_ref().and_then(|lock| lock.start.content.as_ref());
    let now = then.and_then(|_| context.content());
    let changed = match (then, &now) {
        (Some(then), Some(now)) if then == now => Some(Vec::new()),
        (Some(then), Some(now)) => content::changed(&context.project, then, now),
        _ => None,
    };
    if let Some(changed) = changed {
        return Ok(changed.into_iter().map(|file| (file.path, file.lines)).collect());
    }
    let ledger = context.trail(plan).ledger()?;
    let edited: BTreeSet<String> = ledger
        .into_iter()
        .filter_map(|line| match line {
            Line::Edit { file, .. } => Some(file),
            Line::Check(_) => None,
        })
        .collect();
    Ok(edited.into_iter().map(|file| (file, None)).collect())
}

/// Halts a quick plan that grew too large. Why comes back.
pub fn halt_if_outgrown(
    plan: &Plan,
    extent: &Extent,
    context: &CommandContext,
) -> Result<Option<String>, CommandError> {
    let Some(reason) = extent.is_too_much().filter(|_| plan.quick && plan.works().is_ok()) else {
        return Ok(None);
    };
    context.change(|plan, now| match plan.halted() {
        None if plan.quick => plan.halt(HaltKind::Size, &reason, now),
        _ => Ok(()),
    })?;
    Ok(Some(reason))
}
