//! Sessions, judged event by event, by one configuration or by two at once.

use std::time::Instant;

use engine_claude::decode;
use engine_claude::replay::{Rebuilt, Session};
use engine_core::event::{Event, Kind};
use engine_core::verdict::{Judged, Verdict};
use engine_rules::{Mode, Rule};
use engine_store::memory_view::MemoryView;
use engine_text::line::one_line;
use engine_text::stamp::{DecisionId, Stamp};

use super::tally::{Answer, Row, Tally};
use crate::time;

/// How much of a command a row keeps.
const WHAT: usize = 300;

pub(super) struct Judge<'a> {
    rules: &'a [Rule],
    view: MemoryView<'a>,
    /// The configuration in force, to compare with.
    other: Option<MemoryView<'a>>,
    /// Events before it only lead to the state; in RFC 3339.
    since: &'a str,
    tally: Tally,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        rules: &'a [Rule],
        view: MemoryView<'a>,
        other: Option<MemoryView<'a>>,
        since: &'a str,
    ) -> Self {
        Self { rules, view, other, since, tally: Tally::default() }
    }

    pub(super) fn run(mut self, sessions: &mut dyn Iterator<Item = &Session>) -> Tally {
        for session in sessions {
            self.view.begin();
            self.other.iter_mut().for_each(MemoryView::begin);
            let events = self.tally.events;
            let damage = session.events(|rebuilt| self.event(&rebuilt));
            self.tally.sessions += u64::from(self.tally.events > events);
            self.tally.damaged_lines += damage.lines;
            self.tally.unread.extend(damage.files);
        }
        self.tally
    }

    /// What only the journal still knows, session by session.
    pub(super) fn run_journal(mut self, calls: &[(String, Rebuilt)]) -> Tally {
        for session in calls.chunk_by(|(one, _), (other, _)| one == other) {
            self.view.begin();
            self.other.iter_mut().for_each(MemoryView::begin);
            let events = self.tally.events;
            for (_, rebuilt) in session {
                self.event(rebuilt);
            }
            self.tally.sessions += u64::from(self.tally.events > events);
        }
        self.tally
    }

    fn event(&mut self, rebuilt: &Rebuilt) {
        // No hook hears of the end of such a call. That of its beginning is judged all the same: the model did try.
        if rebuilt.refused_by_client {
            return;
        }
        let Ok(event) = decode(&rebuilt.json) else { return };
        let start = Instant::now();
        let (judged, verdict) = answer(self.rules, &event, rebuilt, &mut self.view);
        let took = u32::try_from(start.elapsed().as_nanos()).unwrap_or(u32::MAX);
        let before = self.other.as_mut().map(|view| answer(self.rules, &event, rebuilt, view));
        if rebuilt.at.as_str() < self.since {
            return;
        }
        self.tally.events += 1;
        self.tally.times.push(took);
        Tally::count(&mut self.tally.rules, &judged);
        let given = Answer::of(&judged, &verdict);
        let earlier = before.map(|(judged, verdict)| {
            Tally::count(&mut self.tally.rules_before, &judged);
            Answer::of(&judged, &verdict)
        });
        let listed = match &earlier {
            Some(earlier) => *earlier != given,
            // What the model is told at prompts and at the end of a turn is counted, not listed.
            None => matches!(event.kind, Kind::PreTool(_)) && given.verdict != "none",
        };
        if listed {
            self.tally.rows.push(row(rebuilt, &event, &judged, given, earlier));
        }
    }
}

fn answer(
    rules: &[Rule],
    event: &Event<'_>,
    rebuilt: &Rebuilt,
    view: &mut MemoryView<'_>,
) -> (Vec<Judged>, Verdict) {
    view.set_branch(rebuilt.branch.clone());
    let judged = engine_rules::replay(rules, event, view);
    let verdict = Verdict::merge(&judged);
    if !verdict.changes.is_empty() {
        view.apply(&verdict.changes, time::parse(&rebuilt.at).unwrap_or_default());
    }
    (judged, verdict)
}

impl Answer {
    fn of(judged: &[Judged], verdict: &Verdict) -> Self {
        let speaks = |part: &&Judged| {
            let acts = |finding: &engine_core::verdict::Finding| match &verdict.decision {
                Some(_) => finding.decision.is_some(),
                None => finding.context.is_some() || finding.stop.is_some(),
            };
            part.mode == Mode::On && part.outcome.as_ref().is_ok_and(acts)
        };
        let rules = judged.iter().filter(speaks).map(|part| part.rule).collect();
        Self { verdict: verdict.word(), rules }
    }
}

/// The journal's words for an event, so that secrets are taken out in one place.
fn row(
    rebuilt: &Rebuilt,
    event: &Event<'_>,
    judged: &[Judged],
    answer: Answer,
    before: Option<Answer>,
) -> Row {
    let no_id = DecisionId::new(Stamp::default(), 0);
    let entry = Verdict::default().entry(&no_id, Stamp::default(), event, judged);
    let because = entry.findings.iter().find(|line| !line.shadow && line.because.is_some());
    Row {
        at: rebuilt.at.clone(),
        session: entry.session,
        agent: entry.agent,
        event: entry.event,
        tool: entry.tool,
        what: one_line(entry.command.or(entry.input).as_deref().unwrap_or_default(), WHAT),
        because: because.and_then(|line| line.because.clone()),
        before,
        answer,
    }
}
