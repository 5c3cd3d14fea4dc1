//! What guardrails and a halt forbid.

use engine_core::event::{Actor, Event, ToolCall};
use engine_core::evidence::{Touch, touch};
use engine_core::plan::{BoundPlan, ways_out};
use engine_core::verdict::Finding;

use super::{View, in_scope};

/// Refuses a call that changes something while it must not.
pub(super) fn before(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    plan: &BoundPlan,
    view: &(impl View + ?Sized),
) -> Finding {
    let touch = touch_of(call, event, Some(plan), view);
    if touch == Touch::Nothing {
        return Finding::default();
    }
    let name = &plan.name;
    let refused = if let Some(reason) = &plan.halted {
        Some((
            format!(
                "plan {name} is halted: {reason}. Nothing is changed now. Ways out: {}",
                ways_out().join("; ")
            ),
            "halt",
        ))
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
    in_scope(plan, view, |scope| {
        let by_itself =
            call.writes().chain(call.deletes()).map(|path| touch::of_file(path, &event.cwd, scope));
        let by_command =
            call.commands().map(|command| touch::of_command(&view.analysis(command, &event.cwd), scope));
        by_itself.chain(by_command).max()
    })
    .unwrap_or(Touch::Nothing)
}
