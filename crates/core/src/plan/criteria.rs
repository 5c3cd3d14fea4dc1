//! Acceptance criteria: free until the lock, a person's after it, each with a verdict at the end.

use super::{Approval, Criterion, CriterionVerdict, Plan, Refusal};

/// How the criteria are to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriteriaChange {
    Set { number: usize, text: String },
    Add { text: String },
    Remove { number: usize },
}

impl Plan {
    /// The difference that a change would make, as `-` and `+` lines.
    pub fn difference(&self, change: &CriteriaChange) -> Result<Vec<String>, Refusal> {
        let old = |number: &usize| Ok::<_, Refusal>(format!("- {number}. {}", self.criterion(*number)?.text));
        Ok(match change {
            CriteriaChange::Set { number, text } => vec![old(number)?, format!("+ {number}. {text}")],
            CriteriaChange::Add { text } => vec![format!("+ {}. {text}", self.criteria.len() + 1)],
            CriteriaChange::Remove { number } => vec![old(number)?],
        })
    }

    pub fn criterion(&self, number: usize) -> Result<&Criterion, Refusal> {
        number.checked_sub(1).and_then(|at| self.criteria.get(at)).ok_or_else(|| {
            Refusal::new(format!("plan {} has no criterion {number}", self.name))
                .fix("engine plan show lists its criteria")
        })
    }

    /// Changes the criteria. After the lock only with what a person said, which is kept; the lock then holds the new ones.
    pub fn change_criteria(
        &mut self,
        change: CriteriaChange,
        approval: Option<Approval>,
    ) -> Result<(), Refusal> {
        self.moves()?;
        let difference = self.difference(&change)?;
        if self.lock.is_some() && approval.is_none() {
            let text = format!("the criteria of plan {} are locked\n{}", self.name, difference.join("\n"));
            return Err(Refusal::new(text));
        }
        match change {
            CriteriaChange::Set { number, text } => {
                self.criteria[number - 1] = Criterion { text, verdict: None }
            }
            CriteriaChange::Add { .. } if self.criteria.len() >= super::read::MOST_CRITERIA => {
                return Err(Refusal::new(format!(
                    "a plan has at most {} criteria",
                    super::read::MOST_CRITERIA
                )));
            }
            CriteriaChange::Add { text } => self.criteria.push(Criterion { text, verdict: None }),
            CriteriaChange::Remove { .. } if self.criteria.len() == 1 => {
                return Err(Refusal::new("a plan has at least one criterion"));
            }
            CriteriaChange::Remove { number } => {
                self.criteria.remove(number - 1);
            }
        }
        if self.lock.is_some() {
            self.approvals.extend(approval);
            let hash = self.hash();
            if let Some(lock) = &mut self.lock {
                lock.hash = hash;
            }
        }
        Ok(())
    }

    /// Says whether a criterion is met. The evidence was looked up by the caller.
    pub fn verify(&mut self, number: usize, verdict: CriterionVerdict) -> Result<(), Refusal> {
        self.works()?;
        self.criterion(number)?;
        if verdict.met && verdict.evidence.is_empty() {
            return Err(Refusal::new(format!("criterion {number} is met by evidence"))
                .fix(format!("engine plan verify {number} --evidence \"cargo test\"")));
        }
        self.criteria[number - 1].verdict = Some(verdict);
        Ok(())
    }
}
