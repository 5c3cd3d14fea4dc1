//! Holds a session to a plan whose steps are given to agents: the right step, by the right agent, with the right model, one at a time; and
//! hears from the events what became of each.

use engine_core::change::Change;
use engine_core::event::{Actor, Event, Kind, Source, Stop, Tool, ToolCall, ToolResult};
use engine_core::evidence::ledger::is_at_or_below;
use engine_core::evidence::{Touch, is_commit, touch};
use engine_core::plan::{AgentNews, BoundPlan, Claim, Delegated, HaltKind, Meant, Plan, StepAgent};
use engine_core::verdict::Finding;
use engine_shell::Effect;
use engine_text::line::one_line;

use super::{View, guard};
use crate::approval::is_foreign;

/// Of what a shipped agent is told of the work, in characters: the client takes 10,000.
const MOST_CONTEXT: usize = 9_000;
/// Of a reason that is kept.
const LONGEST_WHY: usize = 200;

/// Before a call of a tool, while the plan is open.
pub(super) fn before(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Option<Finding> {
    let delegated = plan.delegated.as_ref().filter(|_| plan.locked)?;
    match &call.tool {
        Tool::Agent { agent_type, model, prompt, .. } => {
            agent(call, agent_type, model.as_deref(), prompt, event, plan, view)
        }
        Tool::Message { to, .. } => message(to, delegated, plan, view),
        _ if view.dialect().swarms.contains(&&*call.name) => {
            Some(refused(plan, &format!("{} starts agents that no step names", call.name), view))
        }
        // What a halt forbids is said where it forbids it to every plan.
        _ if plan.halted.is_some() => None,
        _ => work(call, event, delegated, plan, view),
    }
}

/// A call that starts an agent: it is the claim of a step, or it is about something else.
fn agent(
    call: &ToolCall<'_>,
    agent_type: &str,
    model: Option<&str>,
    prompt: &str,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Option<Finding> {
    if view.dialect().forks.contains(&agent_type) {
        let why = format!("a {agent_type} takes the whole conversation along, and a step gets its own file");
        return Some(refused(plan, &why, view));
    }
    let Some(whole) = view.open_plan(&plan.name) else {
        let text =
            format!("plan {} cannot be read, so no agent is started for it: engine plan show", plan.name);
        return Some(Finding::deny(text).because("the plan's file is not there or is damaged"));
    };
    let step = match whole.meant(agent_type, prompt)? {
        Meant::Step(step) => step,
        Meant::None => {
            let why = format!("the call starts {agent_type} and its prompt names no step");
            return Some(refuse(&whole, &why, view));
        }
    };
    if event.actor != Actor::Main {
        return Some(refuse(&whole, "the agent of a step starts no agents", view));
    }
    if is_foreign(view) {
        return Some(refuse(&whole, "something else than the client of this session sends the call", view));
    }
    if let Some(reason) = whole.over_budget(view.config(), view.now()) {
        let text = format!(
            "plan {} is halted: {reason}. Ways out: engine plan resume (engine asks the user)",
            plan.name
        );
        let halt = Change::PlanHalted { name: plan.name.clone(), kind: HaltKind::Budget, reason };
        return Some(Finding { changes: vec![halt], ..Finding::deny(text).because("the budget is spent") });
    }
    let claim = Claim {
        step: step.number,
        session: event.session.to_string(),
        agent_type: agent_type.to_owned(),
        model: model.unwrap_or_default().to_owned(),
        call: call.id.to_string(),
    };
    if let Err(refusal) = whole.refuses(&claim, &view.now().rfc3339()) {
        return Some(refuse(&whole, &refusal.text, view));
    }
    // The agent gets what its step says and nothing that the caller adds.
    let wanted = whole.call(step, false).map(|call| call.prompt).unwrap_or_default();
    let updated_input =
        (wanted.trim() != prompt.trim()).then(|| view.with_prompt(&call.input, &wanted)).flatten();
    let news = AgentNews::Claimed(Box::new(claim));
    Some(Finding {
        updated_input,
        changes: vec![Change::StepAgent { name: plan.name.clone(), news }],
        because: Some(format!("the call gives step {} to its agent", step.number)),
        ..Finding::default()
    })
}

/// A refusal with the calls that are right.
fn refuse(plan: &Plan, why: &str, view: &(impl View + ?Sized)) -> Finding {
    let prompted = view.session().user_input.as_ref().map(|input| input.at);
    let right = plan.right_calls(plan.is_fresh(prompted), view.dialect(), &view.now().rfc3339());
    let text =
        format!("plan {} gives its steps to agents: {why}. The right call:\n{}", plan.name, right.join("\n"));
    Finding::deny(text).because("the call does not give the next step to its agent")
}

fn refused(plan: &BoundPlan, why: &str, view: &(impl View + ?Sized)) -> Finding {
    match view.open_plan(&plan.name) {
        Some(whole) => refuse(&whole, why, view),
        None => {
            Finding::deny(format!("plan {} gives its steps to agents: {why}. engine runbook next", plan.name))
        }
    }
}

/// A message to an agent of a step goes on with the same try. One whose step is over does nothing more.
fn message(
    to: &str,
    delegated: &Delegated,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Option<Finding> {
    let (_, number) = delegated.ended.iter().find(|(agent, _)| agent == to)?;
    let whole = view.open_plan(&plan.name)?;
    let step = whole.step(*number).ok()?;
    let waits = step.run().is_some_and(|run| run.agent.as_deref() == Some(to));
    if waits {
        let news = AgentNews::Woken { agent: to.to_owned() };
        let changes = vec![Change::StepAgent { name: plan.name.clone(), news }];
        return Some(Finding { changes, ..Finding::default() });
    }
    let why = format!("the try of agent {to} at step {number} is over");
    Some(refuse(&whole, &why, view))
}

/// Changes, commits and other agents beside the steps.
fn work(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    delegated: &Delegated,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Option<Finding> {
    let is_step_agent = delegated.agent(event.actor.id()).is_some() || is_awaited(event, delegated);
    for command in call.commands() {
        let analysis = view.analysis(command, &event.cwd);
        if analysis.runs.iter().any(|run| view.dialect().starts_agent(run)) {
            return Some(refused(plan, "a client that a shell starts is the agent of no step", view));
        }
        if !delegated.built && analysis.runs.iter().any(is_commit) {
            let text = format!(
                "plan {} is not built yet: its steps make no commits, and neither does who delegates them. After the last step the commit comes as usual; engine runbook next",
                plan.name
            );
            return Some(Finding::deny(text).because("a commit between the steps of a delegated plan"));
        }
    }
    if is_step_agent || guard::touch_of(call, event, Some(plan), view) != Touch::Files {
        return None;
    }
    if is_own_work(call, event, delegated, plan, view) {
        return None;
    }
    let text = match &delegated.inline {
        Some((number, files)) => format!(
            "step {number} of plan {} changes {}: anything else is the work of another step. engine runbook next",
            plan.name,
            files.join(", ")
        ),
        None => {
            return Some(refused(plan, "this session delegates and changes no files itself", view));
        }
    };
    Some(Finding::deny(text).because("a change beside the files of the step"))
}

/// An agent whose start was not heard of, while a call waits for one of its type.
fn is_awaited(event: &Event<'_>, delegated: &Delegated) -> bool {
    match &event.actor {
        Actor::Subagent { agent_type, .. } => delegated.awaited(agent_type).is_some(),
        Actor::Main => false,
    }
}

/// Whether all that a call changes is what is written about the work, or of the step that the main agent does itself.
fn is_own_work(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    delegated: &Delegated,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> bool {
    let analyses: Vec<_> = call.commands().map(|command| view.analysis(command, &event.cwd)).collect();
    let does_inline = event.actor == Actor::Main && delegated.inline.is_some();
    // What a command does not name may be anything.
    if !does_inline && analyses.iter().any(|analysis| analysis.runs.iter().any(touch::rewrites)) {
        return false;
    }
    let effects = analyses.iter().flat_map(|analysis| &analysis.effects);
    let by_command = effects.filter(|effect| effect.changes()).map(Effect::path);
    let mut paths = call.writes().chain(call.deletes()).chain(by_command);
    paths.all(|path| {
        let path = view.resolve(&event.cwd, path);
        let below = path.strip_prefix(view.resolve("/", &view.root().to_string_lossy())).ok();
        let below = below.map(|below| below.to_string_lossy().into_owned());
        let is_free = super::in_scope(Some(plan), view, |scope| {
            touch::of_file(&path.to_string_lossy(), "/", scope) == Touch::Nothing
        });
        let is_own = |below: String| is_note(&below, plan) || (does_inline && delegated.is_inline(&below));
        is_free || below.is_some_and(is_own)
    })
}

/// Whether a file is beside the plans, and is not what the steps of this one work from or report.
fn is_note(path: &str, plan: &BoundPlan) -> bool {
    let folder = plan.page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let of_steps = ["steps", "reports", "orchestrator-plan.md"];
    path.starts_with("plans/")
        && !of_steps.iter().any(|part| is_at_or_below(path, &format!("{folder}/{part}")))
}

/// What an event tells of the agents of steps.
pub(super) fn heard(event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Option<Finding> {
    let delegated = plan.delegated.as_ref()?;
    if is_foreign(view) {
        return forged(event);
    }
    let (news, context) = match &event.kind {
        Kind::PostTool { call, result, .. } if is_claim(call, delegated) => {
            resolved(call, result, delegated, plan)
        }
        Kind::PostToolFailure { call, error, .. } if is_claim(call, delegated) => {
            let why = one_line(error, LONGEST_WHY);
            (AgentNews::Freed { call: call.id.to_string(), why }, None)
        }
        // Its start was not heard of.
        Kind::PostTool { .. }
            if is_awaited(event, delegated) && delegated.agent(event.actor.id()).is_none() =>
        {
            return started(event, delegated, plan, view).map(|finding| Finding { context: None, ..finding });
        }
        Kind::PostTool { call, .. } if view.dialect().stops.contains(&&*call.name) => {
            (cut_off(delegated, |id| call.input.contains(&format!("\"{id}\"")), "it was stopped")?, None)
        }
        Kind::Prompt { text, by_person: false } if (view.dialect().is_cut_off)(text) => {
            (cut_off(delegated, |id| text.contains(id), "it ended without an answer")?, None)
        }
        Kind::PostTool { .. } | Kind::PostToolFailure { .. } => {
            let agent = delegated.agent(event.actor.id()).filter(|agent| !agent.worked)?;
            (AgentNews::Worked { agent: agent.agent.clone()? }, None)
        }
        // A call that has started nothing by the end of the turn was refused by something else.
        Kind::Stop(_) => {
            let void =
                delegated.agents.iter().filter(|agent| agent.agent.is_none() && !agent.call.is_empty());
            let why = "its agent never started";
            let freed = |call: &String| Change::StepAgent {
                name: plan.name.clone(),
                news: AgentNews::Freed { call: call.clone(), why: why.to_owned() },
            };
            let changes: Vec<Change> = void.map(|agent| freed(&agent.call)).collect();
            return (!changes.is_empty()).then(|| Finding { changes, ..Finding::default() });
        }
        Kind::SubagentStart => return started(event, delegated, plan, view),
        Kind::SubagentStop(stop) => return ended(stop, event, delegated, plan),
        Kind::SessionStart { source, .. } => {
            let goes_on = matches!(source, Source::Compact | Source::Fork);
            if goes_on || delegated.agents.is_empty() {
                return None;
            }
            (AgentNews::Lost, None)
        }
        _ => return None,
    };
    let changes = vec![Change::StepAgent { name: plan.name.clone(), news }];
    Some(Finding { changes, context, ..Finding::default() })
}

/// What a program sends in the client's place tells of no agent, and what it says was called shows nothing.
fn forged(event: &Event<'_>) -> Option<Finding> {
    let is_call = matches!(event.kind, Kind::PostTool { .. } | Kind::PostToolFailure { .. });
    let noted = Change::Ran { ran: Vec::new(), said: None, passed: false, forged: true };
    is_call.then(|| Finding { changes: vec![noted], ..Finding::default() })
}

/// The agent that is named has ended, and no event of its own has said so.
fn cut_off(delegated: &Delegated, is_named: impl Fn(&str) -> bool, why: &str) -> Option<AgentNews> {
    let agent = delegated.agents.iter().filter_map(|agent| agent.agent.as_deref()).find(|id| is_named(id))?;
    Some(AgentNews::CutOff { agent: agent.to_owned(), why: why.to_owned() })
}

fn is_claim(call: &ToolCall<'_>, delegated: &Delegated) -> bool {
    delegated.claimed(&call.id).is_some() && matches!(call.tool, Tool::Agent { .. })
}

/// The client has started the agent of a call, or has ended it already; it says with which model.
fn resolved(
    call: &ToolCall<'_>,
    result: &ToolResult<'_>,
    delegated: &Delegated,
    plan: &BoundPlan,
) -> (AgentNews, Option<String>) {
    let asked = match &call.tool {
        Tool::Agent { model, .. } => model.as_deref().unwrap_or_default(),
        _ => "",
    };
    let model = result.model.as_deref().map(str::to_owned);
    let other = model.as_deref().filter(|model| !engine_core::plan::is_of_tier(model, asked));
    let step = delegated.claimed(&call.id);
    let context = other.zip(step).map(|(model, step)| {
        format!(
            "engine: plan {}: step {step} was to run on {asked}, and the client used {model}. engine runbook done {step} will refuse it",
            plan.name
        )
    });
    let agent = result.agent.as_deref().map(str::to_owned);
    (AgentNews::Resolved { call: call.id.to_string(), agent, model, tokens: result.tokens }, context)
}

/// The agent of a step starts. One whose own file the client does not know is told what all steps must know.
fn started(
    event: &Event<'_>,
    delegated: &Delegated,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Option<Finding> {
    let Actor::Subagent { id, agent_type } = &event.actor else { return None };
    // In the background the client answers the call first, and names the agent by that.
    let is_known = delegated.agent(id).is_some();
    if !is_known {
        delegated.awaited(agent_type)?;
    }
    let news = AgentNews::Started { agent_type: agent_type.to_string(), agent: id.to_string() };
    let change = (!is_known).then(|| Change::StepAgent { name: plan.name.clone(), news });
    let changes = change.into_iter().collect();
    let whole = view.open_plan(&plan.name).filter(|whole| {
        let is_own = |step: &engine_core::plan::Step| step.agent.as_deref() == Some(agent_type);
        !whole.steps.iter().any(is_own) && !whole.enriched_context.is_empty()
    });
    let context = whole.map(|whole| {
        let text = engine_text::line::cut_at_line(&whole.enriched_context, MOST_CONTEXT);
        format!("engine: what all steps of plan {} have in common:\n\n{text}", plan.name)
    });
    Some(Finding { changes, context, ..Finding::default() })
}

/// The agent of a step has answered. One that has done nothing is sent on, once.
fn ended(stop: &Stop<'_>, event: &Event<'_>, delegated: &Delegated, plan: &BoundPlan) -> Option<Finding> {
    let agent: &StepAgent = delegated.agent(event.actor.id())?;
    let id = agent.agent.clone()?;
    if !agent.worked && !agent.sent_on && !stop.active {
        let text = format!(
            "engine: step {} of plan {}: no tool was called, so nothing is done. Read the step's file, do what it says, write its report, then answer.",
            agent.step, plan.name
        );
        let changes = vec![Change::StepAgentSentOn { agent: id }];
        return Some(Finding { changes, ..Finding::note(text).because("the agent of a step did nothing") });
    }
    let changes = vec![Change::StepAgent { name: plan.name.clone(), news: AgentNews::Ended { agent: id } }];
    Some(Finding { changes, ..Finding::default() })
}
