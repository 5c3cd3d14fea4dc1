//! Plans whose file cannot be used while an agent session still holds to them.
//!
//! The copy in the agent session says what held: a lock, a halt, `plan_mode`. Whatever became of the file (damaged, removed, put back as it
//! was before, edited to be closed or resumed), that stands until a person lets another plan take its place.

use engine_core::approval::Deed;
use engine_core::plan::{BoundPlan, HaltKind, Plan};
use engine_core::versioned::Unusable;
use engine_store::approve::Caller;
use engine_store::plan_file::PlanFile;
use engine_store::record::Fault;
use engine_store::{binding, clock, journal_file, session_file};

use super::CommandContext;
use crate::approval;
use crate::error::{CommandError, Outcome};

/// A plan that cannot be used.
pub(super) struct Lost<'p> {
    file: PlanFile<'p>,
    /// Nothing where the file is gone.
    fault: Option<Fault>,
    /// What an agent session knows of it.
    copy: Option<Box<BoundPlan>>,
}

/// What is there by a name.
pub(super) enum Look<'p> {
    Plan(PlanFile<'p>, Box<Plan>),
    Lost(Lost<'p>),
    Nothing,
}

/// Whether a copy holds the agent to something.
fn holds(copy: &BoundPlan) -> bool {
    copy.locked || copy.halted.is_some() || copy.guardrails.plan_mode
}

impl CommandContext {
    /// Looks for a plan, and at what agent sessions know of it. A halt that its file does not know any more is written into it again.
    pub(super) fn look(&self, name: &str) -> Result<Look<'_>, CommandError> {
        if !engine_core::plan::is_name(name) {
            return Ok(Look::Nothing);
        }
        let file = PlanFile::new(&self.project, name);
        let copy = |session: Option<&str>| {
            let copy = self.session(session?).peek().plan;
            copy.filter(|copy| copy.name == name).map(Box::new)
        };
        let own = copy(self.agent());
        let plan = match file.peek() {
            None if own.as_deref().is_some_and(holds) => {
                return Ok(Look::Lost(Lost { file, fault: None, copy: own }));
            }
            None => return Ok(Look::Nothing),
            Some(Err(fault)) => return Ok(Look::Lost(Lost { file, fault: Some(fault), copy: own })),
            Some(Ok(plan)) => plan,
        };
        let of_owner = copy(plan.owner.as_deref());
        let doubt = self.doubt(name, &plan, own.as_deref(), of_owner.as_deref())?;
        let known = own.or(of_owner);
        if let Some(why) = doubt {
            let fault = Fault::Unusable(Unusable::Damaged(why.to_owned()));
            return Ok(Look::Lost(Lost { file, fault: Some(fault), copy: known }));
        }
        match known.and_then(|known| Some((known.halted?, known.halts.max(1)))) {
            Some((reason, halts)) if self.is_unhalted(&plan, halts)? => {
                let now = clock::now().rfc3339();
                let kept = file
                    .update(|plan| plan.halt(HaltKind::Manual, &reason, &now).map_err(CommandError::from))?;
                Ok(Look::Plan(file, Box::new(kept.plan)))
            }
            _ => Ok(Look::Plan(file, Box::new(plan))),
        }
    }

    /// Why a plan cannot be what the engine wrote last, by the copy of the agent that asks and by that of its owner.
    fn doubt(
        &self,
        name: &str,
        plan: &Plan,
        own: Option<&BoundPlan>,
        of_owner: Option<&BoundPlan>,
    ) -> Result<Option<&'static str>, CommandError> {
        if plan.name != name {
            return Ok(Some("it is not that plan"));
        }
        let known = own.or(of_owner);
        if known.is_some_and(|known| known.locked) && plan.is_open() && plan.lock.is_none() {
            return Ok(Some("it is from before its lock"));
        }
        if !own.is_some_and(holds) {
            return Ok(None);
        }
        if !plan.is_open() {
            let is_over = plan.guardrails.answer_only || plan.loose_ends().is_empty();
            let is_closed = is_over || self.approvals(plan, "close")? > 0;
            return Ok((!is_closed).then_some("it is closed, and no command closed it"));
        }
        let is_moved = plan.owner.as_deref() != self.agent() && of_owner.is_none();
        Ok(is_moved.then_some("its owner is not the agent session that has it"))
    }

    /// Whether a plan that was halted so often goes on without a person's word.
    fn is_unhalted(&self, plan: &Plan, halts: usize) -> Result<bool, CommandError> {
        let goes_on = plan.is_open() && plan.halted().is_none();
        Ok(goes_on && (halts > plan.halts.len() || halts > self.approvals(plan, "resume")?))
    }

    /// How often a person let somebody do this to a plan, by the journal.
    fn approvals(&self, plan: &Plan, verb: &str) -> Result<usize, CommandError> {
        let deed = format!("{verb} plan {} ", plan.name);
        let mut count = 0;
        for (day, path) in journal_file::days(&self.project.journal_folder()) {
            if day.as_str() < plan.created_at.get(..10).unwrap_or_default() {
                continue;
            }
            journal_file::read_day(&path, |entry| {
                let is_it = entry.event == approval::EVENT && entry.at >= plan.created_at;
                count += usize::from(is_it && entry.input.is_some_and(|what| what.starts_with(&deed)));
            })?;
        }
        Ok(count)
    }
}

impl Lost<'_> {
    pub(super) fn is(&self, name: &str) -> bool {
        self.file.name == name
    }

    /// `damaged (…)` or `gone`, and what it was.
    fn shown(&self) -> String {
        let why = self.fault.as_ref().map_or_else(|| "gone".to_owned(), Fault::to_string);
        let Some(copy) = &self.copy else { return why };
        let halted = copy.halted.as_ref().map(|reason| format!("halted ({reason})"));
        let was = [
            copy.locked.then(|| "locked".to_owned()),
            halted,
            (copy.guardrails.plan_mode && !copy.locked).then(|| "a draft under plan_mode".to_owned()),
        ];
        let was: Vec<String> = was.into_iter().flatten().collect();
        if was.is_empty() { why } else { format!("{why}; it was {}", was.join(" and ")) }
    }

    fn is_newer(&self) -> bool {
        matches!(self.fault, Some(Fault::Unusable(Unusable::Newer { .. })))
    }

    /// Whether it may hold somebody to something: what nobody knows may be anything.
    fn may_hold(&self) -> bool {
        self.copy.as_deref().is_none_or(holds)
    }

    pub(super) fn error(&self, context: &CommandContext) -> CommandError {
        let refused = CommandError::refused(format!("plan {} is {}", self.file.name, self.shown()));
        let page = self.copy.as_ref().map(|copy| &copy.page);
        let page = page.filter(|page| context.project.root().join(page).is_file());
        let refused = match page {
            Some(page) => refused.hint(format!("{page} shows it as it was")),
            None => refused,
        };
        if self.is_newer() {
            refused.hint("update this engine")
        } else if self.may_hold() {
            refused.hint("engine plan new asks the person whether another plan takes its place")
        } else {
            refused.hint("engine plan new sets it aside and begins anew")
        }
    }

    /// Makes room for another plan, if a person agrees where it may hold somebody to something. What happened is added to `notes`.
    pub(super) fn give_way(&self, context: &CommandContext, notes: &mut Vec<String>) -> Outcome {
        let name = &self.file.name;
        if self.is_newer() && context.caller != Caller::Person {
            return Err(self.error(context));
        }
        if self.may_hold() {
            let shown = self.shown();
            let what = format!("give up plan {name}, which is {shown}, for another plan");
            approval::require(&context.project, &context.caller, &Deed::new(&what, &[name, &shown]), None)?;
        }
        if let Some(fault) = &self.fault {
            notes.push(self.file.set_aside(fault)?);
        }
        for session in session_file::all(&context.project.sessions_folder()) {
            binding::plan::unbind(&context.project, name, &session)?;
        }
        Ok(())
    }
}
