//! Acceptance criteria: free until the lock, a person's after it, each with a verdict at the end.

use super::{Approval, Criterion, CriterionVerdict, Plan, Refusal};
use crate::evidence::proof::Proof;
use engine_text::line::one_line;

/// Characters of a text, and of a proof, in a request to a person.
const SHORT: usize = 70;

/// How the criteria are to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CriteriaChange {
    Set { number: usize, text: String, proof: Proof },
    Add { text: String, proof: Proof },
    Remove { number: usize },
}

impl Criterion {
    pub fn new(text: String, proof: Proof) -> Self {
        Self { text, proof: Some(proof), verdict: None }
    }

    /// Its text with its proof.
    pub fn shown(&self) -> String {
        self.within(usize::MAX)
    }

    /// The same for a request to a person.
    pub fn short(&self) -> String {
        self.within(SHORT)
    }

    /// The same, each of both in so many characters: a long text does not hide its proof.
    fn within(&self, most: usize) -> String {
        let cut = |text: &str| if most == usize::MAX { text.to_owned() } else { one_line(text, most) };
        match &self.proof {
            Some(proof) => format!("{} ({})", cut(&self.text), cut(&proof.shown())),
            None => cut(&self.text),
        }
    }
}

impl Plan {
    /// The difference that a change would make, as `-` and `+` lines.
    pub fn difference(&self, change: &CriteriaChange) -> Result<Vec<String>, Refusal> {
        self.difference_within(change, usize::MAX)
    }

    /// The same for a request to a person, in a line or two.
    pub fn short_difference(&self, change: &CriteriaChange) -> Result<Vec<String>, Refusal> {
        self.difference_within(change, SHORT)
    }

    fn difference_within(&self, change: &CriteriaChange, most: usize) -> Result<Vec<String>, Refusal> {
        let old = |number: &usize| {
            Ok::<_, Refusal>(format!("- {number}. {}", self.criterion(*number)?.within(most)))
        };
        let new = |number: usize, text: &String, proof: &Proof| {
            format!("+ {number}. {}", Criterion::new(text.clone(), proof.clone()).within(most))
        };
        Ok(match change {
            CriteriaChange::Set { number, text, proof } => vec![old(number)?, new(*number, text, proof)],
            CriteriaChange::Add { text, proof } => vec![new(self.criteria.len() + 1, text, proof)],
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
            CriteriaChange::Set { number, text, proof } => {
                self.criteria[number - 1] = Criterion::new(text, proof);
            }
            CriteriaChange::Add { .. } if self.criteria.len() >= super::read::MOST_CRITERIA => {
                return Err(Refusal::new(format!(
                    "a plan has at most {} criteria",
                    super::read::MOST_CRITERIA
                )));
            }
            CriteriaChange::Add { text, proof } => self.criteria.push(Criterion::new(text, proof)),
            CriteriaChange::Remove { .. } if self.criteria.len() == 1 => {
                return Err(Refusal::new("a plan has at least one criterion"));
            }
            CriteriaChange::Remove { number } => {
                self.criteria.remove(number - 1);
            }
        }
        if self.lock.is_some() {
            self.approvals.extend(approval);
            self.seal();
        }
        Ok(())
    }

    /// Says whether a criterion is met. Its proof was looked up by the caller.
    pub fn verify(&mut self, number: usize, verdict: CriterionVerdict) -> Result<(), Refusal> {
        self.works()?;
        self.criterion(number)?;
        self.criteria[number - 1].verdict = Some(verdict);
        Ok(())
    }
}
