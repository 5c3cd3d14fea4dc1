//! The plan that a runbook is: the same object as every other plan, with a step for each of its own.

use engine_text::line::fingerprint;

use super::{Agents, Kind, Requirement, Runbook, Step, agent_of};
use std::collections::BTreeMap;

use crate::evidence::proof::{Command, Proof};
use crate::plan::{self, Conduct, Criterion, Guardrails, Part, Plan, Source};

impl Runbook {
    /// The plan of it, which nobody has begun. `tiers`: the tiers of models; `now`: when its files are written.
    pub fn plan(&self, agents: &Agents, tiers: &[String], now: &str) -> Plan {
        let mut criteria: Vec<Criterion> = self.requirements.iter().filter_map(criterion).collect();
        if let Some(check) = &self.check {
            let proof = Proof::Passes(Command::new(check, ""));
            criteria.push(Criterion::new("the check of the runbook passes".to_owned(), proof));
        }
        Plan {
            version: plan::VERSION,
            name: self.name.clone(),
            created_at: now.to_owned(),
            task_type: "runbook".to_owned(),
            workflow: "delegate".to_owned(),
            guardrails: Guardrails { verify_before_complete: true, ..Guardrails::default() },
            enriched_context: self.common.clone(),
            steps: self.steps.iter().map(|step| self.step_of_plan(step, agents)).collect(),
            criteria,
            original_fragment: format!("the runbook {}", self.folder),
            conduct: Conduct::Delegate,
            tiers: tiers.to_vec(),
            runbook: Some(Source {
                folder: self.folder.clone(),
                sum: self.fingerprint.clone(),
                prepared_at: now.to_owned(),
                files: BTreeMap::new(),
            }),
            ..Plan::default()
        }
    }

    fn step_of_plan(&self, step: &Step, agents: &Agents) -> plan::Step {
        let kind = match step.kind {
            Kind::Cycle if step.id.part.is_none() => plan::Kind::Cycle,
            Kind::Work | Kind::Cycle => plan::Kind::Work,
            Kind::Inline => plan::Kind::Inline,
            Kind::Review => plan::Kind::Review,
        };
        let agent = agent_of(step, agents).map(str::to_owned);
        let prompt = match step.kind {
            Kind::Work | Kind::Cycle => self.step_file(step),
            Kind::Review => Some(self.review_prompt(step)),
            Kind::Inline => None,
        };
        plan::Step {
            number: step.id,
            text: step.title.clone(),
            kind,
            proof: self.proof_of(step),
            files: step.files.iter().map(|file| file.path.clone()).collect(),
            model: step.model.clone(),
            report: agent.as_ref().map(|_| self.report(step)),
            agent,
            prompt,
            needs: step.needs.clone(),
            turns: step.turns,
            phase: Some(step.phase),
            regression: step.regression,
            body: Some(fingerprint(&step.body)),
            ..plan::Step::default()
        }
    }

    /// What shows that a step is done. What only lets a test compile is not held to a check that wants tests; a review is held to the
    /// check of all steps, so that the plan ends with it.
    fn proof_of(&self, step: &Step) -> Option<Proof> {
        let of_all = || self.check.as_ref().map(|check| Proof::Passes(Command::new(check, "")));
        match (step.kind, step.id.part) {
            (Kind::Review, _) => of_all(),
            (_, Some(Part::Bootstrap)) => step.proof().filter(|proof| Some(proof) != of_all().as_ref()),
            _ => step.proof(),
        }
    }

    /// What the agent is told that reviews a phase. Its first line names the report and nothing else does, so a call is known by it.
    fn review_prompt(&self, review: &Step) -> String {
        let steps = self.steps.iter().filter(|step| step.phase == review.phase && step.id != review.id);
        let files: Vec<String> = steps.filter_map(|step| self.step_file(step)).collect();
        let folder = &self.folder;
        let check = self.check.as_ref().map(|check| format!("\nCheck: {check}")).unwrap_or_default();
        format!(
            "Review of phase {}, report: {}\nRunbook: {folder}/runbook*.md. Design, if there is one: {folder}/design.md. Steps: {}",
            review.phase,
            self.report(review),
            files.join(", ")
        ) + &check
    }
}

/// A requirement is met by the steps that are for it.
fn criterion(requirement: &Requirement) -> Option<Criterion> {
    let text = format!("{}: {}", requirement.id, requirement.text);
    let proof = Proof::Steps(requirement.steps.clone());
    (!requirement.steps.is_empty()).then(|| Criterion::new(text, proof))
}
