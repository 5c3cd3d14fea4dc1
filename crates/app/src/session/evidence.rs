//! Looks up what a proof claims of the run that is under way.

use engine_core::work::Run;
use engine_core::work::proof::Claim;
use engine_store::work_file::WorkFile;

use super::CommandContext;
use crate::evidence::EvidenceQuery;

/// What is wrong with a claim. Of an agent, its own session counts; of a person, all.
pub(super) fn check(claim: &Claim, run: &Run, work: &WorkFile, context: &CommandContext) -> Vec<String> {
    let Claim { field, evidence, values } = claim;
    if values.is_empty() {
        return vec![format!("{field} names no {}", evidence.as_str())];
    }
    let trail = EvidenceQuery {
        project: &context.project,
        since: &run.started_at,
        what: format!("this run of {}", run.skill),
        within: "in this session",
        sessions: context.agent().map(|agent| vec![agent]),
        folder: Some(work.folder()),
    };
    let wrong = values.iter().filter_map(|value| trail.wrong(*evidence, value));
    wrong.map(|why| format!("{field}: {why}")).collect()
}
