//! Gives an agent session whose context is new the work that it goes on with: the work session, the plan, or both, in one text that is put
//! together at that moment. After a clear the session that follows in the same client takes both over from the one before it, once.

use crate::assemble::{self, Whose, assemble};
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind, Source};
use engine_core::plan::{Heir, Plan};
use engine_core::restored::Found;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{ClearedPlan, ClearedWork, Plans, Work};
use engine_core::work::{BoundWork, Lifecycle, WorkState};

looks_at!(assemble::View + Plans + Work);

pub(crate) const RULE: Rule = Rule {
    id: "restore",
    about: "After a compaction or clear: tells the new context goal, open steps, decisions, checks and last words of the work.",
    events: &[EventName::SessionStart],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::SessionStart { source, .. } = &event.kind else { return Ok(Finding::default()) };
    if !source.context_is_fresh() {
        return Ok(Finding::default());
    }
    let is_clear = *source == Source::Clear;
    let cleared = if is_clear { view.cleared_work() } else { None };
    let heir = inherited_plan(event, view);
    let had_plan = is_clear && view.cleared_plan().is_some();
    let mut finding = told(event, cleared.as_ref(), heir.as_ref().map(|(plan, _)| plan), view);
    if let Some((_, ClearedPlan { name, session })) = heir {
        finding.changes.push(Change::PlanInherited { name, from: session });
    }
    if cleared.is_some() || had_plan {
        finding.changes.push(Change::ClearedTold);
    }
    Ok(finding)
}

/// The plan that was this client's before a clear.
pub(crate) fn inherited_plan(
    event: &Event<'_>,
    view: &(impl Plans + Work + ?Sized),
) -> Option<(Plan, ClearedPlan)> {
    let is_clear = matches!(event.kind, Kind::SessionStart { source: Source::Clear, .. });
    let cleared = if is_clear && view.plan().is_none() { view.cleared_plan() } else { None }?;
    let plan = view.open_plan(&cleared.name)?;
    (plan.owner.as_ref() == Some(&cleared.session)).then_some((plan, cleared))
}

fn told(
    event: &Event<'_>,
    cleared: Option<&ClearedWork>,
    heir: Option<&Plan>,
    view: &(impl View + ?Sized),
) -> Finding {
    let mut changes = Vec::new();
    let mut work = view.work().or_else(|| cleared.map(|cleared| &cleared.work)).cloned();
    let before = cleared.map(|cleared| cleared.session.as_str());
    let found = work.as_ref().map(|work| view.work_state(&work.name));
    let (mut state, mut damaged, mut lost) = (None, None, None);
    match found {
        Some(Found::Ours(found)) => state = Some(*found).filter(|state| state.lifecycle == Lifecycle::Active),
        Some(Found::Unusable(why)) => damaged = Some(why),
        Some(Found::Others(holder)) => lost = work.as_ref().map(|work| held(work, &holder)),
        None => {}
    }
    if state.is_none() && damaged.is_none() {
        work = None;
    }
    let own = view.plan().map(|own| (own.name.clone(), view.open_plan(&own.name)));
    let (plan, plan_unread) = match &own {
        Some((_, Some(plan))) if plan.owner.as_deref() == Some(&*event.session) => {
            (Some((plan, Heir::Owner)), None)
        }
        // Another session has taken it.
        Some((_, Some(_))) => (None, None),
        Some((name, None)) => (
            None,
            Some(format!(
                "engine: this session works on plan {name}, which cannot be read: engine plan show {name}"
            )),
        ),
        None => (heir.map(|plan| (plan, Heir::Successor)), None),
    };
    let mut texts: Vec<String> = lost.into_iter().collect();
    if work.is_some() || plan.is_some() || plan_unread.is_some() {
        let whose = Whose {
            session: &event.session,
            before,
            transcript: event.transcript.as_deref(),
            work: work.as_ref(),
            state: state.as_ref(),
            damaged: damaged.as_deref(),
            plan,
            plan_unread: plan_unread.as_deref(),
        };
        texts.push(assemble(view, &whose));
    }
    if let (Some(work), Some(state)) = (&work, &state) {
        changes.push(Change::Restored { work: work.name.clone() });
        let from = before.filter(|before| holds(state, before));
        changes.extend(
            from.map(|from| Change::WorkInherited { name: work.name.clone(), from: from.to_owned() }),
        );
    }
    if texts.is_empty() {
        return Finding { changes, ..Finding::default() };
    }
    let finding = Finding::note(texts.join("\n")).because("the context is new, and work is open");
    Finding { changes, ..finding }
}

fn holds(state: &WorkState, session: &str) -> bool {
    state.agent_session.as_ref().is_some_and(|holder| holder.id == session)
}

fn held(work: &BoundWork, holder: &str) -> String {
    let name = &work.name;
    format!(
        "engine: sessions/{name}, in which this agent session worked, is held by the agent session {holder} now. This session has no part in it. \
         To take it: engine session continue sessions/{name}"
    )
}
