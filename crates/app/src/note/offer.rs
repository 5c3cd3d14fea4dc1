//! What is worth a note at the end of work, as commands that keep it. Nothing is kept by itself.

use engine_core::note::{Notes, is_same};
use engine_core::plan::Plan;
use engine_store::approve::Caller;
use engine_store::note_file;
use engine_store::plan_file::{self, PlanFile};
use engine_store::project::Project;
use engine_text::line::shell_word;

/// More would not be read.
const MOST: usize = 3;
/// Plans that were changed last.
const PLANS: usize = 20;

/// What a plan knows for certain and no note has.
pub fn of_plan(project: &Project, plan: &Plan) -> Vec<String> {
    offers(project, std::slice::from_ref(plan))
}

/// The same of the plans that this agent session worked on and closed.
pub fn of_session(project: &Project, caller: &Caller) -> Vec<String> {
    let Some(session) = caller.session() else { return Vec::new() };
    let is_its = |plan: &Plan| {
        !plan.is_open()
            && (plan_file::is_owned(plan, session) || plan.owners.iter().any(|owner| owner == session))
    };
    let plans = plan_file::newest(project, PLANS).into_iter();
    let plans = plans.filter_map(|name| PlanFile::new(project, &name).peek()?.ok()).filter(is_its);
    offers(project, &plans.collect::<Vec<_>>())
}

fn offers(project: &Project, plans: &[Plan]) -> Vec<String> {
    let memorable: Vec<_> =
        plans.iter().flat_map(|plan| plan.memorable().into_iter().map(move |one| (plan, one))).collect();
    if memorable.is_empty() {
        return Vec::new();
    }
    let notes: Notes = note_file::load(project).unwrap_or_default();
    let is_kept = |text: &str| notes.notes().any(|(_, note)| is_same(&note.text, text));
    let left = memorable.into_iter().filter(|(_, (_, text))| !is_kept(text)).take(MOST);
    left.map(|(plan, (kind, text))| {
        let source = shell_word(&format!("plan {}", plan.name));
        format!("engine remember --kind {} --source {source} -- {}", kind.as_str(), shell_word(&text))
    })
    .collect()
}
