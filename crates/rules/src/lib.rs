//! The rules and the one table that lists them.
//!
//! A rule is a pure function of an event and a view of the world. To add one, write its file and its line in
//! [`RULES`]; deleting both removes the feature. The table's order is the order of texts in an answer.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use engine_core::change::Change;
use engine_core::config::Config;
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Decision, Finding, Judged};
use engine_core::view::{Replay, View};

mod approval;
mod assemble;
pub mod autocommit;
mod chain;
pub mod config;
mod dialogue;
pub mod directives;
mod engine_call;
pub mod engine_commands;
pub mod enrich;
mod evidence;
mod handoff;
pub mod heartbeat;
pub mod inject;
mod isolation;
pub mod journal;
mod link;
pub mod memory;
mod noticed;
mod open_plans;
pub mod overflow;
mod plan;
mod policy;
mod precompact;
pub mod protect;
mod ran;
mod registry;
pub mod reminder;
mod require_session;
pub mod restart;
mod restore;
mod roles;
mod session;
mod shortcuts;
mod size;
mod skill_lines;
mod standing;
mod tail;
mod tasks;
mod title;
mod touch;
mod trust;

pub use assemble::{Whose, assemble};
pub use engine_core::verdict::Mode;
pub use evidence::STEP;
pub use registry::{COMMIT_CHECKS, KEEP_DAYS, KNOBS, RULES, RUN_AGENT};

/// A rule's entry in the table.
pub struct Rule {
    pub id: &'static str,
    /// One sentence for `engine rules`, the configuration file and the reference page.
    pub about: &'static str,
    pub events: &'static [EventName],
    pub default: Mode,
    /// The engine cannot work without it, so it has no mode to set.
    pub fixed: bool,
    /// Whether the rule has anything to do under this configuration; if not, its events need not be wired.
    pub wanted: fn(&Config) -> bool,
    pub judge: Judge,
}

/// How a rule judges an event, and with that what it can look at.
#[derive(Clone, Copy)]
pub enum Judge {
    /// While the agent works only: it looks at what has changed since an event of the past.
    Live(fn(&Event<'_>, &dyn View) -> Result<Finding, Broken>),
    /// Also again from a transcript: it looks at nothing that a replay cannot answer.
    Replays(fn(&Event<'_>, &dyn Replay) -> Result<Finding, Broken>),
}

/// Names what the rule of a file looks at, as the trait `View` of that file.
macro_rules! looks_at {
    (pub $($noun:tt)*) => {
        /// What this looks at.
        pub trait View: $($noun)* {}

        impl<V: $($noun)* + ?Sized> View for V {}
    };
    ($($noun:tt)*) => {
        /// What this looks at.
        pub(crate) trait View: $($noun)* {}

        impl<V: $($noun)* + ?Sized> View for V {}
    };
}

pub(crate) use looks_at;

impl Rule {
    /// Whether it can be asked again about an event of the past.
    pub fn replays(&self) -> bool {
        matches!(self.judge, Judge::Replays(_))
    }

    /// The name of the knob that holds its mode.
    pub(crate) fn knob(&self) -> String {
        format!("{}{}", config::RULES_SECTION, self.id)
    }

    /// What the rule does under this configuration.
    pub fn mode(&self, config: &Config) -> Mode {
        config.own(config::RULES_SECTION, self.id).and_then(Mode::parse).unwrap_or(self.default)
    }
}

/// For rules that always have something to do.
pub const fn always(_: &Config) -> bool {
    true
}

/// The events that some rule wants to hear under this configuration.
pub fn wanted_events(rules: &[Rule], config: &Config) -> BTreeSet<EventName> {
    let acts = |rule: &&Rule| rule.mode(config) != Mode::Off && (rule.wanted)(config);
    rules.iter().filter(acts).flat_map(|rule| rule.events.iter().copied()).collect()
}

/// Asks every rule that listens to the event. A rule that fails or panics is skipped and named.
pub fn judge(rules: &[Rule], event: &Event<'_>, view: &dyn View) -> Vec<Judged> {
    all(rules, event, view.config(), &|rule| match rule.judge {
        Judge::Live(judge) => Some(judge(event, view)),
        Judge::Replays(judge) => Some(judge(event, view)),
    })
}

/// Asks every rule that can be asked again about an event of the past.
pub fn replay(rules: &[Rule], event: &Event<'_>, view: &dyn Replay) -> Vec<Judged> {
    all(rules, event, view.config(), &|rule| match rule.judge {
        Judge::Live(_) => None,
        Judge::Replays(judge) => Some(judge(event, view)),
    })
}

fn all(
    rules: &[Rule],
    event: &Event<'_>,
    config: &Config,
    ask: &dyn Fn(&Rule) -> Option<Result<Finding, Broken>>,
) -> Vec<Judged> {
    let Some(name) = event.kind.name() else { return Vec::new() };
    // A message of the client's own is no opinion's business, but it may tell that the agent of a step has ended.
    let is_heard = |rule: &Rule| {
        !event.is_client_internal() || (rule.id == plan::RULE.id && matches!(event.kind, Kind::Prompt { .. }))
    };
    // About as many as listen to one event: a list that grows is copied again and again.
    let mut judged = Vec::with_capacity(rules.len() / 2);
    for rule in rules.iter().filter(|rule| rule.events.contains(&name) && is_heard(rule)) {
        let mode = rule.mode(config);
        if mode == Mode::Off {
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| ask(rule)))
            .unwrap_or_else(|panic| Some(Err(Broken(panic_text(panic.as_ref())))));
        let Some(outcome) = outcome else { continue };
        let outcome = outcome.map(|finding| without_looping(event, finding));
        judged.push(Judged { rule: rule.id, mode, outcome });
    }
    if matches!(event.kind, Kind::Stop(_)) {
        hold_for_the_end(&mut judged);
    }
    if matches!(event.kind, Kind::PreTool(_)) {
        count_no_denied_call(&mut judged);
    }
    judged
}

/// A call that a rule denies does not happen: it counts for nobody, and the note of its number comes with another.
fn count_no_denied_call(judged: &mut [Judged]) {
    let denies = |part: &Judged| {
        part.mode == Mode::On
            && matches!(&part.outcome, Ok(Finding { decision: Some(Decision::Deny(_)), .. }))
    };
    if !judged.iter().any(denies) {
        return;
    }
    let counts = |change: &Change| {
        matches!(change, Change::CallCounted { .. } | Change::SkillRead | Change::DirectiveAwaited { .. })
    };
    for part in judged {
        let Ok(finding) = &mut part.outcome else { continue };
        if finding.changes.iter().any(counts) {
            *finding = Finding::default();
        }
        // Nor does an agent start that would use up the brief.
        finding.changes.retain(|change| !matches!(change, Change::ReviewBriefed { .. }));
    }
}

/// When one rule makes the turn go on, what others would show the person at its end waits for that end. Not how the work stands: a turn
/// that is interrupted has no end.
fn hold_for_the_end(judged: &mut [Judged]) {
    let goes_on = |part: &Judged| {
        part.mode == Mode::On && matches!(&part.outcome, Ok(finding) if finding.context.is_some())
    };
    if !judged.iter().any(goes_on) {
        return;
    }
    for part in judged {
        if let Ok(finding) = &mut part.outcome
            && finding.context.is_none()
            && part.rule != standing::ID
        {
            *finding = Finding::default();
        }
    }
}

/// A text at Stop makes the turn go on. It must not do so again when a hook did already, unless the work moved on in
/// between, nor while a subagent works in the background, whose result will come as another prompt.
fn without_looping(event: &Event<'_>, finding: Finding) -> Finding {
    let (Kind::Stop(stop) | Kind::SubagentStop(stop)) = &event.kind else { return finding };
    // What only notes something makes nothing go on, and a subagent's end comes once.
    if matches!(event.kind, Kind::SubagentStop(_)) && finding.is_silent() {
        return finding;
    }
    if stop.subagent_running || (stop.active && finding.context.is_some() && !finding.moved) {
        Finding::default()
    } else {
        finding
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panicked").to_owned()
}
