//! Holds an agent to its plan: what guardrails and a halt forbid is refused, edits and checks are counted, and the end of a turn names
//! once what is still open.
//!
//! Only while a plan is open. Reading, asking and the engine's own commands are never refused, so there is always a way on.

use crate::{Judge, Mode, Rule, always, evidence, looks_at};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Tool, ToolCall};
use engine_core::evidence::ledger::{self, Check, Outcome};
use engine_core::evidence::{EditScope, Touch, touch};
use engine_core::plan::{BoundPlan, Observation, ways_out};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Project, Session, Shell, Skills, Work};
use engine_shell::Run;

const ID: &str = "plan";

looks_at!(Project + Session + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "With an open plan: refuses what its guardrails and halts forbid, counts edits and checks, names at Stop what is open.",
    events: &[
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
    ],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Some(plan) = view.plan() else { return Ok(Finding::default()) };
    Ok(match &event.kind {
        Kind::Prompt { text, .. } => at_prompt(text, plan),
        Kind::PreTool(call) => before(call, event, plan, view),
        Kind::PostTool { call, .. } => after(call, event, plan, view),
        Kind::PostToolFailure { .. } => saw(plan, observations(event, plan, view)),
        Kind::Stop(_) => at_stop(plan, view),
        _ => Finding::default(),
    })
}

/// A plan that only answers is over when the user speaks again. A skill may also be typed.
fn at_prompt(text: &str, plan: &BoundPlan) -> Finding {
    if !plan.guardrails.answer_only {
        let typed = text.trim_start().strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        return typed
            .map_or_else(Finding::default, |skill| saw(plan, vec![Observation::Skill(skill.to_owned())]));
    }
    Finding { changes: vec![Change::PlanAnswered { name: plan.name.clone() }], ..Finding::default() }
}

fn before(call: &ToolCall<'_>, event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Finding {
    let touch = touch_of(call, event, plan, view);
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
fn touch_of(call: &ToolCall<'_>, event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Touch {
    in_scope(plan, view, |scope| {
        let by_itself =
            call.writes().chain(call.deletes()).map(|path| touch::of_file(path, &event.cwd, scope));
        let by_command =
            call.commands().map(|command| touch::of_command(&view.analysis(command, &event.cwd), scope));
        by_itself.chain(by_command).max()
    })
    .unwrap_or(Touch::Nothing)
}

/// Where edits count; those of the plan's own page do not.
fn in_scope<T>(plan: &BoundPlan, view: &(impl View + ?Sized), ask: impl FnOnce(&EditScope<'_>) -> T) -> T {
    let page = view.root().join(&plan.page).to_string_lossy().into_owned();
    evidence::in_scope(&[page.as_str()], view, ask)
}

fn after(call: &ToolCall<'_>, event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Finding {
    if let Tool::Skill { name, .. } = &call.tool {
        return saw(plan, vec![Observation::Skill(name.clone().into_owned())]);
    }
    if let Kind::PostTool { result, .. } = &event.kind
        && let Some(noted) = &result.listed
    {
        return saw(plan, vec![Observation::Todo(noted.clone())]);
    }
    let mut finding = saw(plan, observations(event, plan, view));
    if finding.context.is_none() && is_step_done(call, &event.cwd, view) {
        step_done(plan, &mut finding);
    }
    finding
}

/// Edits and checks that an event tells of.
fn observations(event: &Event<'_>, plan: &BoundPlan, view: &(impl View + ?Sized)) -> Vec<Observation> {
    let lines = in_scope(plan, view, |scope| ledger::read_one(&evidence::entry(event, view), scope));
    lines.into_iter().filter_map(Observation::of).collect()
}

/// Notes what was seen; where the work goes in circles the plan halts.
fn saw(plan: &BoundPlan, observations: Vec<Observation>) -> Finding {
    let mut after = plan.clone();
    let circle = observations.iter().filter_map(|observation| after.see(observation)).last();
    if after == *plan {
        return Finding::default();
    }
    let mut finding = Finding { changes: vec![Change::PlanSaw { observations }], ..Finding::default() };
    if after.doubted && !plan.doubted {
        let doubt = doubted_check(&finding.changes);
        finding.context = doubt.map(|(command, why)| {
            format!("engine: plan {}: whether `{command}` passed is not known ({why}). A run that counts: engine check --tail 20 -- {command}", plan.name)
        });
        finding.because = Some("the outcome of a check is not known".to_owned());
    }
    if let Some(circle) = circle.filter(|_| plan.halted.is_none()) {
        let reason = circle.reason();
        finding.context = Some(format!(
            "engine: plan {} is halted: {reason}. Ways out: {}",
            plan.name,
            ways_out().join("; ")
        ));
        finding.because = Some(format!("{} cycles of edit and failed check", circle.cycles));
        finding.changes.push(Change::PlanHalted { name: plan.name.clone(), reason });
    }
    finding
}

/// The first check whose outcome is not known, and why.
fn doubted_check(changes: &[Change]) -> Option<(String, String)> {
    let observations = changes.iter().find_map(|change| match change {
        Change::PlanSaw { observations } => Some(observations),
        _ => None,
    })?;
    observations.iter().find_map(|observation| match observation {
        Observation::Checked(Check { command, outcome: Outcome::Unknown { why }, .. }) => {
            Some((command.clone(), why.clone()))
        }
        _ => None,
    })
}

/// Whether a command ended a step; the engine let it, or the call had failed.
fn is_step_done(call: &ToolCall<'_>, cwd: &str, view: &(impl View + ?Sized)) -> bool {
    let Some(command) = call.commands().find(|command| command.contains("plan")) else { return false };
    let words = |run: &Run| run.args.iter().take(3).map(|arg| arg.text.clone()).collect::<Vec<_>>();
    view.analysis(command, cwd)
        .runs
        .iter()
        .any(|run| run.is(&["engine"]) && words(run) == ["plan", "step", "done"])
}

/// What is worth a word when a step is done: what strays from the plan, and, the first time, where decisions go.
fn step_done(plan: &BoundPlan, finding: &mut Finding) {
    let mut strays = Vec::new();
    if !plan.outside.is_empty() {
        let files: Vec<&str> = plan.outside.iter().take(5).map(String::as_str).collect();
        strays.push(format!(
            "outside of its scope {} changed: {}",
            counted(plan.outside.len(), "file"),
            files.join(", ")
        ));
    }
    if plan.locked && plan.steps > plan.steps_at_lock {
        strays.push(format!("{} steps where {} were agreed on", plan.steps, plan.steps_at_lock));
    }
    if plan.failed_checks > 0 {
        strays.push(counted(plan.failed_checks as usize, "failed check"));
    }
    let mut parts = Vec::new();
    if !strays.is_empty() {
        parts.push(format!("engine: plan {}: {}.", plan.name, strays.join("; ")));
    }
    if !plan.reminded {
        parts.push("engine: what was decided, and others must know, is written down now: engine learn add, engine log, or .directives/.".to_owned());
        finding.changes.push(Change::PlanReminded);
    }
    if !parts.is_empty() {
        finding.context = Some(parts.join("\n"));
        finding.because = Some("a step was done".to_owned());
    }
}

/// Names once per turn what keeps a plan open, and what was not verified.
fn at_stop(plan: &BoundPlan, view: &(impl View + ?Sized)) -> Finding {
    let waits = plan.halted.is_some() || !plan.locked || plan.guardrails.answer_only;
    if waits || view.session().spoke_this_turn(ID) {
        return Finding::default();
    }
    let mut open = Vec::new();
    if plan.guardrails.verify_before_complete && plan.changed {
        open.push(
            "nothing was verified since the last edit (run the check; engine evidence lists what counts)"
                .to_owned(),
        );
    }
    open.extend(plan.open.iter().cloned());
    if open.is_empty() && plan.open_count == 0 {
        open.push("everything is done and verified: engine plan report, then engine plan close".to_owned());
    }
    let more = plan.open_count.saturating_sub(plan.open.len());
    let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
    let text = format!(
        "engine: plan {} is open:\n- {}{more}\nEnding the turn is right if it waits for the user.",
        plan.name,
        open.join("\n- ")
    );
    let mut finding = Finding::note(text).because("a locked plan is open at the end of the turn");
    finding.changes.push(Change::SpokeThisTurn { rule: ID });
    finding
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;
    use std::rc::Rc;

    use engine_core::client::Snapshot;
    use engine_core::config::Config;
    use engine_core::dialect::Dialect;
    use engine_core::session::SessionState;
    use engine_core::skill::Known;
    use engine_core::work::BoundWork;
    use engine_shell::{Analysis, Surroundings, analyse};

    use super::*;

    /// A project with a halted plan, whose view notes what it is asked to analyse.
    struct Halted {
        config: Config,
        session: SessionState,
        plan: BoundPlan,
        asked: RefCell<Vec<(String, String)>>,
    }

    impl Project for Halted {
        fn config(&self) -> &Config {
            &self.config
        }

        fn root(&self) -> &Path {
            Path::new("/p")
        }

        fn variable(&self, _: &str) -> Option<String> {
            None
        }
    }

    impl Session for Halted {
        fn session(&self) -> &SessionState {
            &self.session
        }

        fn wiring(&self) -> Vec<(String, Snapshot)> {
            Vec::new()
        }
    }

    impl Shell for Halted {
        /// Whatever the command is, it writes a file.
        fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
            self.asked.borrow_mut().push((command.to_owned(), cwd.to_owned()));
            analyse("echo > /p/a", &Surroundings::default())
        }
    }

    impl Skills for Halted {
        fn dialect(&self) -> &'static Dialect {
            &Dialect::NONE
        }

        fn skill(&self, _: &str) -> Option<Known> {
            None
        }
    }

    impl Work for Halted {
        fn work(&self) -> Option<&BoundWork> {
            None
        }

        fn plan(&self) -> Option<&BoundPlan> {
            Some(&self.plan)
        }
    }

    /// The view remembers the analysis of an event's command for all rules. An analysis of the rule's own would be a second one.
    #[test]
    fn a_command_is_analysed_by_the_view() {
        let view = Halted {
            config: Config::default(),
            session: SessionState::default(),
            plan: BoundPlan { halted: Some("the user said so".into()), ..BoundPlan::default() },
            asked: RefCell::default(),
        };
        let call = ToolCall {
            name: "Bash".into(),
            id: "1".into(),
            input: "{}".into(),
            tool: Tool::Shell { command: "ls".into(), background: false },
        };
        let event = Event {
            name: "PreToolUse".into(),
            session: "s".into(),
            actor: Actor::Main,
            cwd: "/p/sub".into(),
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            kind: Kind::PreTool(call),
        };
        let finding = judge(&event, &view).expect("the rule judges");
        assert_eq!(finding.because.as_deref(), Some("the call changes something; halt"));
        assert_eq!(*view.asked.borrow(), [("ls".to_owned(), "/p/sub".to_owned())]);
    }
}
