//! What guardrails and a halt forbid.

use engine_core::event::{Actor, Event, ToolCall};
use engine_core::evidence::Touch;
use engine_core::plan::{BoundPlan, role, ways_out};
use engine_core::verdict::Finding;
use engine_shell::Effect;

use super::{View, in_scope};
use crate::touch;

/// Refuses a call that changes something while it must not.
pub(super) fn before(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    if let Some((path, role)) = role_file(call, &event.cwd, view) {
        let text = format!(
            "{path} says how the agent {role} works. It is not changed while plan {} is open; after engine plan close it is free.",
            plan.name
        );
        return Finding::deny(text).because("the call changes the file of an agent with a role");
    }
    let touch = touch_of(call, event, Some(plan), view);
    if touch == Touch::Nothing {
        return Finding::default();
    }
    let name = &plan.name;
    let refused = if let Some(reason) = &plan.halted {
        Some((
            format!(
                "plan {name} is halted: {reason}. Nothing is changed now. Ways out: {}",
                ways_out(plan.outgrown).join("; ")
            ),
            "halt",
        ))
    } else if plan.replaces {
        let text = format!(
            "plan {name} is not locked, and takes the place of a quick plan that grew too large. Nothing is changed before it is locked. Run: engine plan lock"
        );
        Some((text, "halt"))
    } else if plan.guardrails.answer_only {
        let text = format!(
            "plan {name} only answers (answer_only): nothing is changed. Answer the question and end the turn."
        );
        Some((text, "answer_only"))
    } else if let Some(skill) = plan.guardrails.require_skill.as_ref().filter(|_| !plan.skill_called) {
        let text = format!(
            "plan {name} begins with a skill (require_skill): call {} before anything is changed. Where there is no such skill: engine plan close --user-approved \"why\"; engine asks the user whether the plan ends.",
            (view.dialect().skill_call)(skill, None)
        );
        Some((text, "require_skill"))
    } else if plan.guardrails.plan_mode && !plan.locked {
        let text = format!(
            "plan {name} is not locked (plan_mode): nothing is changed before a person agrees to its steps and criteria. engine plan lock asks them"
        );
        Some((text, "plan_mode"))
    } else if plan.supervise && event.actor == Actor::Main && touch == Touch::Files {
        let text = format!(
            "plan {name} is supervised: the main agent changes no files. Give the step to a subagent ({}), and check what it did.",
            view.dialect().agent_words
        );
        Some((text, "supervise"))
    } else {
        None
    };
    match refused {
        Some((text, guardrail)) => {
            Finding::deny(text).because(format!("the call changes something; {guardrail}"))
        }
        None => Finding::default(),
    }
}

/// What a call changes.
pub(super) fn touch_of(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    plan: Option<&BoundPlan>,
    view: &(impl View + ?Sized),
) -> Touch {
    in_scope(plan, view, |scope| touch::touch_of(call, &event.cwd, scope, view))
}

/// The agent file that a call changes, and the role that it has or gets: by its name, or by the text that it is given.
fn role_file(call: &ToolCall<'_>, cwd: &str, view: &(impl View + ?Sized)) -> Option<(String, &'static str)> {
    let dialect = view.dialect();
    if dialect.agents.is_empty() {
        return None;
    }
    let analyses: Vec<_> = call.commands().map(|command| view.analysis(command, cwd)).collect();
    let effects = analyses.iter().flat_map(|analysis| &analysis.effects);
    let by_command = effects.filter(|effect| effect.changes()).map(Effect::path);
    let mut paths = call.writes().chain(call.deletes()).chain(by_command);
    paths.find_map(|written| {
        let path = view.resolve(cwd, written);
        let own = dialect.home.rsplit('/').next().unwrap_or_default();
        let moved = view.variable(dialect.home_variable).is_some_and(|home| path.starts_with(home));
        let has = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
        if !has(dialect.agents) || !(has(own) || moved) {
            return None;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let role = role(&stem).or_else(|| named_role(&call.input))?;
        Some((written.to_owned(), role))
    })
}

/// The role that a text gives to an agent: `name: qa`.
fn named_role(text: &str) -> Option<&'static str> {
    let names = text.split("name:").skip(1);
    let mut names = names.map(|rest| rest.trim_start_matches([' ', '"', '\'', '\\']));
    let is_end = |c: char| !c.is_alphanumeric() && c != '-' && c != ':';
    names.find_map(|name| role(name.split(is_end).next()?))
}
