//! A state that something else than the engine changed: an agent goes on with it only by a person's word.

use engine_core::approval::{Deed, Kind};
use engine_core::work::WorkState;
use engine_store::approve::Caller;
use engine_store::work_file::WorkFile;
use engine_store::work_seal::Breach;

use super::CommandContext;
use crate::approval;
use crate::error::{CommandError, Outcome};

impl CommandContext {
    /// A work session whose state this command may change.
    pub(super) fn changeable(&self, path: &str) -> Result<WorkFile, CommandError> {
        let work = self.existing(path)?;
        self.sealed(&work, None)?;
        self.arm_again(&work)?;
        Ok(work)
    }

    /// While git had taken the state away, the hook noted checklists in the agent session's copy alone.
    fn arm_again(&self, work: &WorkFile) -> Outcome {
        let Some(bound) = self.bound().filter(|bound| bound.name == work.name) else { return Ok(()) };
        let state = work.peek().unwrap_or_default();
        let is_known = |path: &&String| state.checklists.iter().any(|list| list.path == **path);
        let missing: Vec<&String> = bound.armed.iter().filter(|path| !is_known(path)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        work.update(|state| {
            for path in missing {
                state.arm(path);
            }
            Ok(())
        })
    }

    /// Passes if the engine wrote the state as it is, or if a person wants to go on with it. `approved`: why they do, as the agent says.
    pub(super) fn sealed(&self, work: &WorkFile, approved: Option<&str>) -> Outcome {
        let Some(breach) = work.breach()? else { return Ok(()) };
        let (shown, told) = (work.shown(), breach.told(&work.state_file()));
        let what = match work.peek() {
            Some(state) => format!("go on with {shown} as it is{} ({told})", place(&state)),
            None => format!("begin {shown} anew ({told})"),
        };
        let deed = Deed::new(&what, &[&work.name, breach.found()]).of(Kind::Takeover);
        let (project, caller) = (&self.project, &self.caller);
        match caller {
            Caller::Person => approval::require(project, caller, &deed, approved)?,
            _ => approval::waive(project, caller, &deed, approved, || broken(work, &breach))?,
        };
        Ok(work.accept(&breach)?)
    }
}

/// `, implement in 3: Build`.
fn place(state: &WorkState) -> String {
    let Some(run) = state.run() else { return String::new() };
    let phase = run.current_phase.as_ref().map(|phase| format!(" in {phase}")).unwrap_or_default();
    format!(", {}{phase}", run.skill)
}

/// The refusal of a state that the engine did not write.
pub(super) fn broken(work: &WorkFile, breach: &Breach) -> CommandError {
    let shown = work.shown();
    let (how, call) = if breach.is_missing() || work.unusable().is_some() {
        ("begin anew", format!("engine session activate {shown} SKILL"))
    } else {
        ("go on with it as it is", format!("engine session continue {shown}"))
    };
    CommandError::refused(breach.told(&work.state_file()))
        .hint("put it back: git stash pop, git restore or git checkout, by what was done before")
        .hint(format!("to {how}: {call} --user-approved \"why\"; engine asks the user"))
}
