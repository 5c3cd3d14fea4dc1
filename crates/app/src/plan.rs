//! Plans: one piece of work with steps, locked criteria and verdicts.

use std::cell::OnceCell;
use std::time::Duration;

use engine_core::approval::{Deed, Kind};
use engine_core::evidence::proof::Proof;
use engine_core::journal::Entry;
use engine_core::plan::{
    AgentNews, Approval, Criterion, HaltKind, Moved, Plan, Refusal, Start, Step, StepId,
};
use engine_core::session::kept_words;
use engine_store::approve::Caller;
use engine_store::plan_file::{self, Kept, PlanFile};
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{binding, clock, content};

use crate::approval;
use crate::error::{CommandError, Outcome};
use crate::evidence::{self, EvidenceQuery};
use crate::here;
use crate::plan::lost::Look;

pub mod advance;
pub mod close;
pub mod criteria;
pub mod delegate;
pub mod drift;
pub mod list;
mod lost;
pub mod new;
pub mod presets;
mod proof;
pub mod quick;
mod review;
pub mod step;

/// Why a change that was judged is not made: it may be judged again.
pub const MEANWHILE: &str = "was changed by another call meanwhile";

/// Plans that an error names at most.
const MOST_NAMED: usize = 3;

/// What every command works on.
pub struct CommandContext {
    pub project: Project,
    pub caller: Caller,
    /// The plan that was named.
    pub named: Option<String>,
    /// An event that the journal is about to get.
    pending: Option<Entry>,
    /// How long a look at the content may take.
    patience: Duration,
    /// The content as it is now, where that is looked at once.
    now: Option<OnceCell<Result<String, String>>>,
}

impl CommandContext {
    pub fn open(named: Option<String>) -> Result<Self, CommandError> {
        Ok(Self::of(here::project()?, here::caller(), named))
    }

    pub(crate) fn of(project: Project, caller: Caller, named: Option<String>) -> Self {
        Self { project, caller, named, pending: None, patience: evidence::PATIENCE, now: None }
    }

    /// In the hook, for the plan of its agent session: it has less time, so it looks at the content once, and its event is not in the
    /// journal yet.
    pub fn of_hook(project: &Project, event: &Entry, name: &str) -> Self {
        let caller = Caller::Agent { session: event.session.clone() };
        let of_command = Self::of(project.clone(), caller, Some(name.to_owned()));
        let now = Some(OnceCell::new());
        Self { pending: Some(event.clone()), patience: content::PATIENCE, now, ..of_command }
    }

    /// The content of the project's files, if it can be known.
    pub(crate) fn content(&self) -> Option<String> {
        let take = || content::take(&self.project, self.patience).map_err(|why| why.to_string());
        match &self.now {
            Some(now) => now.get_or_init(take).clone().ok(),
            None => take().ok(),
        }
    }

    /// The agent session that asks; nothing for a person.
    pub fn agent(&self) -> Option<&str> {
        self.caller.session()
    }

    pub(crate) fn session(&self, agent: &str) -> SessionFile {
        SessionFile::new(&self.project.sessions_folder(), agent)
    }

    /// A plan by its name.
    pub fn existing(&self, name: &str) -> Result<(PlanFile<'_>, Plan), CommandError> {
        match self.look(name)? {
            Look::Plan(file, plan) => Ok((file, *plan)),
            Look::Lost(lost) => Err(lost.error(self)),
            Look::Nothing => Err(CommandError::refused(format!("there is no plan {name}"))
                .hint("engine plan list --all shows all")),
        }
    }

    /// The plan to look at: the named one, that of the session, or the only open one.
    pub fn found(&self) -> Result<(PlanFile<'_>, Plan), CommandError> {
        if let Some(name) = &self.named {
            return self.existing(name);
        }
        if let Some(agent) = self.agent() {
            let copy = self.session(agent).peek().plan;
            let Some(copy) = copy else {
                return plan_file::owned_by(&self.project, agent).ok_or_else(|| self.no_plan());
            };
            let (file, plan) = match self.look(&copy.name)? {
                Look::Plan(file, plan) => (file, *plan),
                Look::Lost(lost) => return Err(lost.error(self)),
                Look::Nothing => {
                    // A draft that is gone cannot be locked or closed: it must not refuse anything either.
                    binding::plan::unbind(&self.project, &copy.name, agent)?;
                    return Err(self.no_plan());
                }
            };
            file.repair(&plan, &copy, agent)?;
            return if plan_file::is_owned(&plan, agent) { Ok((file, plan)) } else { Err(self.no_plan()) };
        }
        let mut open: Vec<String> = plan_file::names(&self.project);
        open.retain(|name| self.existing(name).is_ok_and(|(_, plan)| plan.is_open()));
        match open.as_slice() {
            [] => Err(self.no_plan()),
            [only] => self.existing(only),
            several => Err(CommandError::refused(format!("several plans are open: {}", several.join(", ")))
                .hint("name one: --plan NAME")),
        }
    }

    /// Those whose session has ended wait for somebody to take them up: after a clear, the next one is the same person's.
    fn no_plan(&self) -> CommandError {
        let nothing = CommandError::refused("no plan is open here");
        let names = plan_file::names(&self.project).into_iter().filter(|_| self.agent().is_some());
        let is_free = |name: &String| {
            let plan = PlanFile::new(&self.project, name).peek().and_then(Result::ok);
            plan.filter(Plan::is_open)
                .is_some_and(|plan| plan.owner.is_none_or(|owner| !self.session(&owner).is_alive()))
        };
        names
            .filter(is_free)
            .take(MOST_NAMED)
            .fold(nothing, |error, name| error.hint(format!("take up the open one: engine plan take {name}")))
            .hint("make one: engine plan new --from FILE")
    }

    /// The plan to change: an agent's own.
    fn own(&self) -> Result<(PlanFile<'_>, Plan), CommandError> {
        let (file, plan) = self.found()?;
        self.must_own(&plan)?;
        Ok((file, plan))
    }

    fn must_own(&self, plan: &Plan) -> Outcome {
        match self.agent().filter(|agent| plan.owner.as_deref() != Some(agent)) {
            None => Ok(()),
            Some(agent) => {
                let text = format!("plan {} is not that of this agent session ({agent})", plan.name);
                Err(CommandError::refused(text).hint(format!("engine plan take {}", plan.name)))
            }
        }
    }

    /// Changes it.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Plan, &str) -> Result<T, Refusal>,
    ) -> Result<Kept<T>, CommandError> {
        let (file, _) = self.own()?;
        let now = clock::now().rfc3339();
        file.update(|plan| {
            self.must_own(plan)?;
            change(plan, &now).map_err(CommandError::from)
        })
    }

    /// Changes it, if it is still what was judged: evidence takes its time to look up, and so does a person.
    pub(crate) fn change_judged<T>(
        &self,
        judged: &Plan,
        change: impl FnOnce(&mut Plan, &str) -> Result<T, Refusal>,
    ) -> Result<Kept<T>, CommandError> {
        let (file, _) = self.own()?;
        let now = clock::now().rfc3339();
        file.update(|plan| {
            if plan != judged {
                let text = format!("plan {} {MEANWHILE}", plan.name);
                return Err(CommandError::refused(text).hint("look at it again: engine plan show"));
            }
            change(plan, &now).map_err(CommandError::from)
        })
    }

    /// Where evidence for a plan is looked for: since its lock, among the doings of those who worked on it.
    pub fn trail<'a>(&'a self, plan: &'a Plan) -> EvidenceQuery<'a> {
        let since = plan.lock.as_ref().map_or(&plan.created_at, |lock| &lock.at);
        let of_agents = || plan.owners.iter().map(String::as_str).collect();
        EvidenceQuery {
            project: &self.project,
            since,
            what: format!("the lock of plan {}", plan.name),
            within: "since the lock",
            sessions: self.agent().map(|_| of_agents()),
            checks: plan.check_lines(),
            folder: None,
            pending: self.pending.as_ref(),
            patience: self.patience,
            now: self.now.as_ref(),
        }
    }

    /// The worktree in which this command runs.
    pub(crate) fn worktree(&self) -> Option<String> {
        self.project.worktree().map(|folder| folder.display().to_string())
    }

    pub(crate) fn head(&self) -> Option<String> {
        evidence::head(&self.project)
    }
}

/// The plan was halted by the very command that asked: kept, and told as a refusal.
pub fn unless_halted(moved: Moved, plan: &Plan) -> Outcome {
    if moved == Moved::Halted { plan.moves().map_err(CommandError::from) } else { Ok(()) }
}

/// A plan that a process runs by itself is left to it.
pub(crate) fn unless_run(context: &CommandContext, name: &str) -> Outcome {
    if plan_file::is_run(&context.project, name)? { Err(is_run(name)) } else { Ok(()) }
}

pub(crate) fn is_run(name: &str) -> CommandError {
    CommandError::refused(format!("plan {name} is run by another process: engine runbook run"))
        .hint(format!("how it stands: engine runbook status {name}"))
}

/// Takes up a plan that no living agent session works on.
pub fn take(context: &CommandContext, name: &str) -> Result<Kept<()>, CommandError> {
    let Some(agent) = context.agent() else {
        return Err(CommandError::refused("only an agent session takes up a plan")
            .hint(format!("a person works on it with --plan {name}")));
    };
    let (file, _) = context.existing(name)?;
    let mine = context.session(agent).peek().plan.filter(|mine| mine.name != name);
    match mine.map(|mine| context.look(&mine.name)).transpose()? {
        Some(Look::Plan(_, mine)) if mine.is_open() => {
            return Err(CommandError::refused(format!("this agent session has the open plan {}", mine.name))
                .hint("engine plan close, first"));
        }
        Some(Look::Lost(lost)) => return Err(lost.error(context)),
        _ => {}
    }
    unless_run(context, name)?;
    let kept = file.update(|plan| {
        if !plan.is_open() {
            return Err(CommandError::refused(format!("plan {name} is closed")));
        }
        if plan.live().any(|(_, run)| run.is_client()) {
            // What ran it by itself is gone.
            plan.heard(&AgentNews::Lost, agent, &clock::now().rfc3339());
        }
        if plan.owner.as_deref().is_some_and(|owner| owner != agent) {
            // Its agents ended with it.
            plan.heard(&AgentNews::Lost, agent, &clock::now().rfc3339());
        }
        match plan.owner.clone().filter(|owner| owner != agent) {
            Some(owner) if context.session(&owner).is_alive() => {
                Err(CommandError::refused(format!("plan {name} belongs to the agent session {owner}"))
                    .hint("it is free when that session ends"))
            }
            _ => {
                plan.give(agent);
                plan.worktree = context.worktree();
                Ok(())
            }
        }
    })?;
    // Also where nothing changed: a kill may have come between a plan and its copy.
    file.tell_owner()?;
    Ok(kept)
}

/// Locks the criteria and every proof. A person must agree under `plan_mode`, to a command that is not a known check, and to criteria most
/// of which are only judged. A supervised plan needs a critic's approval, or a person's in its place: `approved` asks for it.
pub fn lock(context: &CommandContext, approved: Option<&str>) -> Result<Kept<()>, CommandError> {
    let (_, plan) = context.own()?;
    plan.clone().lock(Start::default(), "")?;
    has_proofs(&plan, context)?;
    let start = start(&plan, context)?;
    let mut doubts = proof::doubtful(&plan, context)?;
    doubts.extend(review::unreviewed(&plan, context, approved)?);
    if !plan.guardrails.plan_mode && doubts.is_empty() {
        return context.change_judged(&plan, |plan, now| plan.lock(start, now));
    }
    let steps = serde_json::to_string(&plan.steps).unwrap_or_default();
    let deed = Deed::new(&agreement(&plan, &doubts), &[&plan.name, &plan.fixed(), &steps]).of(Kind::Lock);
    let reason = approval::require(&context.project, &context.caller, &deed, approved)?;
    context.change_judged(&plan, |plan, now| {
        plan.lock(start, now)?;
        let what = "steps, criteria and proofs".to_owned();
        plan.approvals.push(Approval { what, reason, at: now.to_owned() });
        Ok(())
    })
}

/// Locks a plan that was just made, if nobody must agree to it first.
pub fn lock_at_once(context: &CommandContext, plan: &Plan) -> Result<Option<Kept<()>>, CommandError> {
    let rails = &plan.guardrails;
    if rails.plan_mode || rails.answer_only || plan.supervise || !proof::doubtful(plan, context)?.is_empty() {
        return Ok(None);
    }
    lock(context, None).map(Some)
}

/// Plans of an earlier release have criteria without one.
fn has_proofs(plan: &Plan, context: &CommandContext) -> Outcome {
    let mut missing: Vec<String> = proof::impossible(plan, context)?;
    let bare = plan.criteria.iter().zip(1..).filter(|(one, _)| one.proof.is_none());
    missing.extend(bare.map(|(one, number)| format!("criterion {number} has no proof: {}", one.text)));
    if missing.is_empty() {
        return Ok(());
    }
    Err(CommandError::refused(missing.join("\n")).hint("engine plan criteria set N TEXT --proof CMD"))
}

/// How things are when a plan is locked.
fn start(plan: &Plan, context: &CommandContext) -> Result<Start, CommandError> {
    let sessions = context.agent().map(|_| plan.owners.iter().map(String::as_str).collect());
    let proofs: Vec<&Proof> = plan.proofs().map(|(_, proof)| proof).collect();
    Ok(evidence::start(&context.project, sessions, &proofs)?)
}

/// What a person agrees to, in one line.
fn agreement(plan: &Plan, doubts: &[String]) -> String {
    let criteria: Vec<String> = plan.criteria.iter().map(Criterion::short).collect();
    let steps: Vec<String> = plan.steps.iter().map(shown_step).collect();
    let listed = |texts: &[String]| {
        let numbered = texts.iter().zip(1..).map(|(text, number)| format!("{number}. {text}"));
        numbered.collect::<Vec<_>>().join(" ")
    };
    let doubts = if doubts.is_empty() { String::new() } else { format!("; {}", doubts.join("; ")) };
    format!("lock plan {}, criteria: {}; steps: {}{doubts}", plan.name, listed(&criteria), listed(&steps))
}

fn shown_step(step: &Step) -> String {
    match &step.proof {
        Some(proof) => format!("{} ({})", step.text, proof.shown()),
        None => step.text.clone(),
    }
}

/// What is wrong with the proofs of a plan before anything has run.
pub fn proof_problems(plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    proof::impossible(plan, context)
}

/// Why a person must agree to the proofs of a plan.
pub fn proof_doubts(plan: &Plan, context: &CommandContext) -> Result<Vec<String>, CommandError> {
    proof::doubtful(plan, context)
}

/// Adds a step. Its number comes back, and whether the plan was halted by it.
pub fn add(
    context: &CommandContext,
    step: Step,
    after: Option<StepId>,
) -> Result<Kept<(StepId, Moved)>, CommandError> {
    let (_, plan) = context.own()?;
    let mut grown = plan.clone();
    let (number, _) = grown.add(step.clone(), after, "")?;
    let mut wrong = proof::impossible(&grown, context)?;
    if wrong.is_empty() {
        wrong.extend(unknown_check(&Step { number, ..step.clone() }, context)?);
    }
    if !wrong.is_empty() {
        return Err(CommandError::refused(wrong.join("\n")).hint("engine evidence lists what counts"));
    }
    let new = start(&grown, context)?;
    context.change_judged(&plan, |plan, now| {
        let added = plan.add(step, after, now)?;
        learn(plan, new);
        Ok(added)
    })
}

/// A step that comes later is not looked at by a person, so its proof is a check that everybody knows.
fn unknown_check(step: &Step, context: &CommandContext) -> Result<Option<String>, CommandError> {
    let alone = Plan { steps: vec![step.clone()], ..Plan::default() };
    Ok(proof::doubtful(&alone, context)?.into_iter().next())
}

/// Takes up how things are for proofs that came after the lock.
fn learn(plan: &mut Plan, new: Start) {
    if let Some(lock) = &mut plan.lock {
        for (command, definition) in new.definitions {
            lock.start.definitions.entry(command).or_insert(definition);
        }
        for (file, seal) in new.files {
            lock.start.files.entry(file).or_insert(seal);
        }
    }
}

/// Stops the work until the user has spoken.
pub fn halt(context: &CommandContext, reason: &str) -> Result<Kept<()>, CommandError> {
    let reason = kept_words(reason);
    if reason.is_empty() {
        return Err(CommandError::usage("a reason is needed"));
    }
    context.change(|plan, now| plan.halt(HaltKind::Manual, &reason, now))
}

/// What the user said after a question with which an agent halted the plan: that is the answer, and nobody asks again. Nothing where the
/// halt is another.
fn answered(plan: &Plan, context: &CommandContext) -> Result<Option<String>, CommandError> {
    let question = plan.halted().filter(|halt| halt.kind == HaltKind::Question);
    let (Some(halt), Some(agent)) = (question, context.agent()) else { return Ok(None) };
    let input = context.session(agent).peek().user_input.filter(|input| input.at.rfc3339() > halt.at);
    let words = input.map(|input| kept_words(&input.text)).filter(|words| !words.is_empty());
    words.map(Some).ok_or_else(|| {
        CommandError::refused(format!("the user has not answered yet: {}", halt.reason))
            .hint("ask them and end the turn; what they say next is the answer")
    })
}

/// Goes on after a halt. Why comes back.
pub fn resume(context: &CommandContext, approved: Option<&str>) -> Result<(Kept<()>, String), CommandError> {
    let (_, plan) = context.own()?;
    plan.clone().resume("", "")?;
    let halt = plan.halts.last().map(|halt| (halt.reason.as_str(), halt.at.as_str())).unwrap_or_default();
    let deed =
        Deed::new(&format!("resume plan {} (halted: {})", plan.name, halt.0), &[&plan.name, halt.0, halt.1])
            .of(Kind::Resume);
    let reason = match answered(&plan, context)? {
        Some(words) => words,
        None => approval::require(&context.project, &context.caller, &deed, approved)?,
    };
    let kept = context.change_judged(&plan, |plan, now| plan.resume(&reason, now))?;
    Ok((kept, reason))
}

#[cfg(test)]
mod tests;
