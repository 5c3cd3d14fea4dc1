//! How steps move: one at a time, checks before what comes behind them, three attempts, no more growth than a fifth.

use super::{ATTEMPTS, Came, HaltKind, Kind, Plan, Refusal, State, Step, StepId};

/// What a move came to. A halt is a change too, and must be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Done,
    Halted,
}

impl Plan {
    /// Begins a step, or begins it again. `head`: the commit that is checked out.
    pub fn start(
        &mut self,
        number: impl Into<StepId>,
        head: Option<String>,
        now: &str,
    ) -> Result<Moved, Refusal> {
        let number = number.into();
        self.works()?;
        let at = self.place(number)?;
        if self.is_delegated() {
            return Err(Refusal::new(format!("plan {} gives its steps to agents", self.name))
                .fix("engine runbook next prints the call"));
        }
        if let Some(active) = self.active() {
            return Err(if active.number == number {
                Refusal::new(format!("step {number} is active already"))
            } else {
                Refusal::new(format!("step {} is active; one step at a time", active.number))
                    .fix(format!("end it first: engine plan step done {0}, or: step fail {0}", active.number))
            });
        }
        if let Some(before) = self.in_the_way(at) {
            let (what, kind) = (before.number, if before.kind == Kind::Check { "check " } else { "step " });
            return Err(Refusal::new(format!(
                "{kind}{what} comes before step {number} and is {}: {}",
                before.state.as_str(),
                before.text
            ))
            .fix(format!("engine plan step start {what}")));
        }
        let step = &self.steps[at];
        if step.attempts - step.forgiven.min(step.attempts) >= ATTEMPTS {
            let reason = format!("step {number} was tried {} times: {}", step.attempts, step.text);
            self.halt(HaltKind::Attempts, &reason, now)?;
            return Ok(Moved::Halted);
        }
        if step.kind == Kind::Work {
            // What was checked behind this step is about to change.
            for later in self.steps[at + 1..].iter_mut().filter(|later| later.kind == Kind::Check) {
                if later.state == State::Done {
                    later.state = State::Open;
                    later.evidence.clear();
                }
            }
        }
        let step = &mut self.steps[at];
        step.state = State::Active;
        step.attempts += 1;
        step.started_at = Some(now.to_owned());
        step.started_head = head;
        step.started_content = None;
        step.ended_at = None;
        step.why = None;
        step.evidence.clear();
        Ok(Moved::Done)
    }

    /// Notes the content of the project's files when the active step began.
    pub fn began_on(&mut self, content: Option<String>) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.state == State::Active) {
            step.started_content = content;
        }
    }

    /// What must be done before the step at a place: checks for work, everything for a check.
    pub(super) fn in_the_way(&self, at: usize) -> Option<&Step> {
        let is_check = self.steps[at].kind == Kind::Check;
        let holds = |step: &&Step| step.state != State::Done && (is_check || step.kind == Kind::Check);
        self.steps[..at].iter().find(holds)
    }

    /// Ends a step well. `found`: what shows it, which the caller looked up.
    pub fn finish(
        &mut self,
        number: impl Into<StepId>,
        found: Option<String>,
        now: &str,
    ) -> Result<(), Refusal> {
        let number = number.into();
        self.works()?;
        let at = self.active_place(number)?;
        let step = &mut self.steps[at];
        if let Some(run) = step.runs.last_mut().filter(|run| !run.is_over()) {
            run.came = Some(Came::Done);
            run.ended_at.get_or_insert_with(|| now.to_owned());
        }
        step.state = State::Done;
        step.ended_at = Some(now.to_owned());
        step.evidence = found.into_iter().collect();
        Ok(())
    }

    /// Ends it badly. Also in a halted plan: what failed has failed.
    pub fn fail(&mut self, number: impl Into<StepId>, why: Option<&str>, now: &str) -> Result<(), Refusal> {
        let number = number.into();
        let at = self.active_place(number)?;
        let step = &mut self.steps[at];
        step.state = State::Failed;
        step.ended_at = Some(now.to_owned());
        step.why = why.map(str::to_owned);
        Ok(())
    }

    /// Adds a step, at the end or behind another, and tells its number. Growth by more than a fifth since the lock halts.
    pub fn add(&mut self, new: Step, after: Option<StepId>, now: &str) -> Result<(StepId, Moved), Refusal> {
        self.moves()?;
        if self.is_delegated() {
            return Err(Refusal::new(format!("the steps of plan {} come from its runbook", self.name))
                .fix(format!("change that, then: engine runbook prepare {} --replan", self.name)));
        }
        let at = after.map(|number| self.place(number)).transpose()?.map_or(self.steps.len(), |at| at + 1);
        if self.steps.len() >= super::read::MOST_STEPS {
            return Err(Refusal::new(format!("a plan has at most {} steps", super::read::MOST_STEPS)));
        }
        let number = StepId::from(self.steps.iter().map(|step| step.number.major).max().unwrap_or(0) + 1);
        self.steps.insert(at, Step { number, ..new });
        if self.lock.is_some() {
            self.seal();
        }
        let count = self.steps.iter().filter(|step| !step.inserted).count();
        match &self.lock {
            Some(lock) if count * 5 > lock.agreed * 6 => {
                let reason =
                    format!("the plan grew from {} to {count} steps, by more than 20 %", lock.agreed);
                self.halt(HaltKind::Growth, &reason, now)?;
                Ok((number, Moved::Halted))
            }
            _ => Ok((number, Moved::Done)),
        }
    }

    pub(super) fn place(&self, number: StepId) -> Result<usize, Refusal> {
        let at = self.steps.iter().position(|step| step.number == number);
        at.ok_or_else(|| self.no_step(number))
    }

    pub(super) fn active_place(&self, number: StepId) -> Result<usize, Refusal> {
        let at = self.place(number)?;
        match self.steps[at].state {
            State::Active => Ok(at),
            state => {
                let begins = if self.is_delegated() {
                    "engine runbook next".to_owned()
                } else {
                    format!("engine plan step start {number}")
                };
                Err(Refusal::new(format!("step {number} is {}, not active", state.as_str())).fix(begins))
            }
        }
    }
}
