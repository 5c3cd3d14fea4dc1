//! What of a skill is read again while a run is under way: its modes, templates, next skills and the schemas of its steps.
//!
//! An agent can edit the skill that asks it for proof. The phases are kept with the run; the rest is compared with how it was when the
//! run began, and a person decides about a change.

use std::collections::{BTreeMap, BTreeSet};

use engine_core::skill::protocol::Phase;
use engine_core::work::Run;
use engine_text::line::seal;
use fs_err as fs;
use serde_json::json;

use super::{SkillFile, schema_of};
use crate::evidence::Redefined;

/// A fingerprint of each part, by its name.
pub(super) fn of(skill: &SkillFile, phases: &[Phase]) -> BTreeMap<String, String> {
    let Some(folder) = skill.folder.as_deref() else { return BTreeMap::new() };
    let protocol = &skill.protocol;
    let modes: Vec<&String> = protocol.modes.keys().collect();
    let declared =
        json!([modes, protocol.plan_template, protocol.debrief_template, protocol.next_skills]).to_string();
    let mut form = BTreeMap::from([("SKILL.md".to_owned(), seal(declared.as_bytes()))]);
    for file in [&protocol.plan_template, &protocol.debrief_template].into_iter().flatten() {
        form.insert(file.clone(), seal(&fs::read(folder.join(file)).unwrap_or_default()));
    }
    for step in phases.iter().flat_map(|phase| phase.steps.iter().chain(&phase.commands)) {
        if let Some(schema) = schema_of(Some(folder), step.trim_start_matches(['§', '¶'])) {
            form.insert(step.clone(), seal(schema.to_string().as_bytes()));
        }
    }
    form
}

/// How the skill differs from what it was when the run began, unless a person has accepted it.
pub(super) fn changed(run: &Run, skill: &SkillFile) -> Option<Redefined> {
    let now = of(skill, &run.phases);
    let definition = seal(json!(now).to_string().as_bytes());
    if run.form.is_empty() || run.form == now || run.accepted.contains(&definition) {
        return None;
    }
    let is_other = |name: &&String| run.form.get(*name) != now.get(*name);
    let names: BTreeSet<&str> =
        run.form.keys().chain(now.keys()).filter(is_other).map(String::as_str).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let text = format!("the skill {} was changed since this run of it began: {names}", run.skill);
    Some(Redefined { text, definition })
}
