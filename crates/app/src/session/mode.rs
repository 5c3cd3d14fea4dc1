//! The mode in which a skill works: named with the proof, or set for the project.

use engine_core::skill::protocol::{CUSTOM, Evidence};
use engine_core::work::Run;
use engine_core::work::mode;
use engine_core::work::proof::Demand;
use engine_store::config_file;
use serde_json::{Map, Value};

use super::{CommandContext, SkillFile};

/// The mode that is to be proved where none is named.
pub(super) fn set(run: &Run, skill: &SkillFile, context: &CommandContext) -> Option<String> {
    let config = config_file::load(&context.project);
    let set = run.mode.clone().or_else(|| mode::set_for(&config, &run.skill).map(str::to_owned))?;
    knows(skill, &set).then_some(set)
}

fn knows(skill: &SkillFile, mode: &str) -> bool {
    mode == CUSTOM || skill.protocol.modes.contains_key(mode)
}

/// A proof with the mode, where leaving the phase asks for one and none is named.
pub(super) fn with(
    proof: Option<Map<String, Value>>,
    demand: &Demand,
    run: &Run,
    skill: &SkillFile,
    context: &CommandContext,
) -> Option<Map<String, Value>> {
    let Some(field) = demand.field(Evidence::Mode) else { return proof };
    if proof.as_ref().is_some_and(|proof| proof.contains_key(&field.name)) {
        return proof;
    }
    let Some(set) = set(run, skill, context) else { return proof };
    let mut proof = proof.unwrap_or_default();
    proof.insert(field.name.clone(), Value::String(set));
    Some(proof)
}

/// Keeps the mode that a phase was left with.
pub(super) fn note(run: &mut Run, demand: &Demand, proof: Option<&Map<String, Value>>) {
    let claims = proof.map(|proof| demand.claims(proof)).unwrap_or_default();
    let of_mode = claims.into_iter().find(|claim| claim.evidence == Evidence::Mode);
    if let Some(mode) = of_mode.and_then(|claim| claim.values.into_iter().next()) {
        run.mode = Some(mode);
    }
}

/// The line that tells the agent whether the user is asked for the mode; nothing where the skill has none.
pub(super) fn told(
    run: &Run,
    demand: &Demand,
    skill: &SkillFile,
    context: &CommandContext,
) -> Option<String> {
    if let Some(mode) = &run.mode {
        return Some(format!("mode: {mode}"));
    }
    demand.field(Evidence::Mode)?;
    let mut known: Vec<&str> = skill.protocol.modes.keys().map(String::as_str).collect();
    known.sort_by_key(|mode| *mode == CUSTOM);
    let known = known.join(", ");
    let config = config_file::load(&context.project);
    Some(match mode::set_for(&config, &run.skill) {
        Some(set) if knows(skill, set) => format!("mode: {set}, by {}", mode::MODES.name),
        Some(set) => format!("mode: {set} of {} is not one of {known}; the user is asked", mode::MODES.name),
        None => format!("mode: none is set, so the user is asked: {known}"),
    })
}
