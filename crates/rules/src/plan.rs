//! Holds an agent to its plan: what guardrails and a halt forbid is refused, edits and checks are counted, and the end of a turn names
//! once what is still open.
//!
//! Only while a plan is open, or `/do` waits for one. Reading, asking and the engine's own commands are never refused, so there is always a way on.

use crate::{Judge, Mode, Rule, always, evidence, looks_at};
use engine_core::change::Change;
use engine_core::event::{Event, EventName, Kind};
use engine_core::evidence::EditScope;
use engine_core::plan::{Armed, BoundPlan, Observation};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Briefs, Clock, Files, Plans, Project, Session, Shell, Skills, Work};

mod armed;
mod decision;
mod delegate;
mod end_of_turn;
mod guard;
mod review;
mod watch;

const ID: &str = "plan";

looks_at!(Briefs + Clock + Files + Plans + Project + Session + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: ID,
    about: "From /do to the end of a plan: refuses changes before the lock and what guardrails and halts forbid, counts edits and checks, briefs critic and qa and notes their verdicts, names at Stop what is open.",
    events: &[
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
        EventName::SubagentStart,
        EventName::SubagentStop,
        EventName::SessionStart,
    ],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let plan = view.plan();
    if event.is_client_internal() {
        let heard = plan.and_then(|plan| delegate::heard(event, plan, view));
        return Ok(heard.unwrap_or_default());
    }
    let armed = armed::judge(event, plan, view);
    let known = review::known(event, view);
    let Some(plan) = plan else {
        let mut finding = armed;
        finding.changes.extend(known);
        finding.changes.extend(closing(event, view));
        return Ok(finding);
    };
    let mut finding = match &event.kind {
        Kind::Prompt { text, .. } => at_prompt(text, plan),
        Kind::PreTool(call) => {
            let finding =
                review::before(call, plan, view).or_else(|| delegate::before(call, event, plan, view));
            let mut finding = finding.unwrap_or_else(|| guard::before(call, event, plan, view));
            finding.changes.extend(review::begins(event, plan, view));
            finding
        }
        Kind::PostTool { call, .. } => {
            with(review::noted(event, plan), watch::after(call, event, plan, view))
        }
        Kind::PostToolFailure { .. } => with(review::noted(event, plan), watch::ran(event, plan, view)),
        Kind::SubagentStop(stop) => review::at_end(stop, event, plan, view),
        Kind::Stop(_) => with(review::forgotten(plan), end_of_turn::at_stop(plan, view)),
        _ => Finding::default(),
    };
    if let Some(heard) = delegate::heard(event, plan, view) {
        finding.changes.extend(heard.changes);
        finding.context = heard.context.or(finding.context);
        finding.because = finding.because.or(heard.because);
    }
    if finding.decision.is_none() && armed.decision.is_some() {
        return Ok(armed);
    }
    finding.changes.extend(armed.changes.into_iter().chain(known));
    Ok(finding)
}

/// The hook that closed a quick plan was killed: the person is told now.
fn closing(event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<Change> {
    if !matches!(event.kind, Kind::Prompt { .. } | Kind::Stop(_)) {
        return None;
    }
    let name = view.closing()?;
    Some(Change::PlanCloses { name: name.to_owned(), reminds: false })
}

fn with(change: Option<Change>, mut finding: Finding) -> Finding {
    finding.changes.extend(change);
    finding
}

/// A plan that only answers is over when the user speaks again. A skill may also be typed.
fn at_prompt(text: &str, plan: &BoundPlan) -> Finding {
    if !plan.guardrails.answer_only {
        let typed = text.trim_start().strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        let mut finding = typed.map_or_else(Finding::default, |skill| {
            watch::saw(plan, vec![Observation::Skill(skill.to_owned())])
        });
        if let Some(typed) = Armed::typed(text).filter(|_| plan.locked).map(|armed| armed.command()) {
            let told = format!(
                "engine: plan {} is open: {typed} begins a new plan only after engine plan close",
                plan.name
            );
            finding.because = Some(format!("{typed} was typed, and a plan is locked"));
            finding.context = Some(told);
        }
        return finding;
    }
    Finding { changes: vec![Change::PlanAnswered { name: plan.name.clone() }], ..Finding::default() }
}

/// Where edits count; those of the plan's own page do not.
fn in_scope<T>(
    plan: Option<&BoundPlan>,
    view: &(impl View + ?Sized),
    ask: impl FnOnce(&EditScope<'_>) -> T,
) -> T {
    let page = plan.map(|plan| view.root().join(&plan.page).to_string_lossy().into_owned());
    evidence::in_scope(page.as_deref().as_slice(), view, ask)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::{Path, PathBuf};
    use std::rc::Rc;

    use engine_core::client::{ClientProcess, Snapshot};
    use engine_core::config::Config;
    use engine_core::dialect::Dialect;
    use engine_core::event::{Actor, Tool, ToolCall, ToolResult};
    use engine_core::plan::{Delegated, Plan, StepAgent};
    use engine_core::session::SessionState;
    use engine_core::skill::Known;
    use engine_core::view::{ClearedPlan, Unread};
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

        /// Whatever sends the event, the client of the session still runs.
        fn runs(&self, _: ClientProcess) -> bool {
            true
        }
    }

    impl Shell for Halted {
        /// Whatever the command is, it writes a file.
        fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
            self.asked.borrow_mut().push((command.to_owned(), cwd.to_owned()));
            analyse("echo > /p/a", &Surroundings::default())
        }

        fn too_large(&self) -> Option<&'static str> {
            None
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

    impl Files for Halted {
        fn resolve(&self, cwd: &str, path: &str) -> PathBuf {
            Path::new(cwd).join(path)
        }

        fn exists(&self, _: &Path) -> bool {
            false
        }

        fn read(&self, _: &Path) -> Result<String, Unread> {
            Err(Unread::Missing)
        }
    }

    impl Clock for Halted {
        fn now(&self) -> engine_text::stamp::Stamp {
            engine_text::stamp::Stamp(0)
        }
    }

    impl Briefs for Halted {
        fn changed_since(&self, _: &str) -> Option<Vec<String>> {
            None
        }

        fn with_prompt(&self, _: &str, _: &str) -> Option<String> {
            None
        }
    }

    impl Plans for Halted {
        fn open_plan(&self, _: &str) -> Option<Plan> {
            None
        }

        fn orphaned_plans(&self) -> Vec<Plan> {
            Vec::new()
        }

        fn cleared_plan(&self) -> Option<ClearedPlan> {
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
        let event = event(Kind::PreTool(shell()));
        let finding = judge(&event, &view).expect("the rule judges");
        assert_eq!(finding.because.as_deref(), Some("the call changes something; halt"));
        assert_eq!(*view.asked.borrow(), [("ls".to_owned(), "/p/sub".to_owned())]);
    }

    /// A program can send what the client sends; what it says was run shows nothing, and it tells of no agent.
    #[test]
    fn what_a_program_sends_in_the_place_of_the_client_is_kept_as_forged() {
        let agent = StepAgent { call: "1".into(), ..StepAgent::default() };
        let delegated = Delegated { agents: vec![agent], ..Delegated::default() };
        let client = ClientProcess { pid: 7, started: 7, table: None };
        let view = Halted {
            config: Config::default(),
            session: SessionState { client: Some(client), ..SessionState::default() },
            plan: BoundPlan { delegated: Some(delegated), ..BoundPlan::default() },
            asked: RefCell::default(),
        };
        let ended = || Kind::PostTool { call: shell(), result: ToolResult::default(), duration_ms: None };
        let changes = |kind| delegate::heard(&event(kind), &view.plan, &view).map(|finding| finding.changes);
        let forged = Change::Ran { ran: Vec::new(), said: None, passed: false, forged: true };
        assert_eq!(changes(ended()), Some(vec![forged]));
        assert_eq!(changes(Kind::PreTool(shell())), None);
        assert_eq!(changes(Kind::SubagentStart), None);
    }

    fn shell() -> ToolCall<'static> {
        ToolCall {
            name: "Bash".into(),
            id: "1".into(),
            input: "{}".into(),
            tool: Tool::Shell { command: "ls".into(), background: false },
        }
    }

    fn event(kind: Kind<'static>) -> Event<'static> {
        Event {
            name: kind.name().map_or_else(String::new, |name| format!("{name:?}")).into(),
            session: "s".into(),
            actor: Actor::Main,
            cwd: "/p/sub".into(),
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            kind,
        }
    }
}
