//! The status line under the client's prompt: what is known, cut into parts, in one line.
//!
//! A part of which nothing is known is left out. Nothing here looks anything up: the command does, and hands it in as
//! [`Known`].
//!
//! `2026_11_15_LEXER · implement · [2 of 5: Build] · plan login 1/3 · Port the lexer · ███░░░░░░░ 31% · $1.20 · ● hooks`

use crate::client::ContextUse;
use crate::config::Names;
use crate::file_link::Protocol;
use engine_text::line::one_line;
use engine_text::stamp::Stamp;

/// What the line shows.
pub const PARTS: Names = Names {
    name: "statusline.parts",
    about: "The parts of engine statusline, in this order; none: session, skill, phase, plan, chain, task, context, cost, lamp.",
    of: "parts: session, skill, phase, plan, chain, task, context, cost, lamp",
    fits: |name| Part::parse(name).is_some(),
};

const SEPARATOR: &str = " · ";
/// Names are cut here, in characters.
const NAME_LIMIT: usize = 30;
/// Cells of the bar of context.
const CELLS: u64 = 10;
/// From so many percent on the context is getting full, and nearly full.
const FILLING: u64 = 60;
const FULL: u64 = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Session,
    Skill,
    Phase,
    Plan,
    Chain,
    Task,
    Context,
    Cost,
    Lamp,
}

impl Part {
    pub const ALL: [Self; 9] = [
        Self::Session,
        Self::Skill,
        Self::Phase,
        Self::Plan,
        Self::Chain,
        Self::Task,
        Self::Context,
        Self::Cost,
        Self::Lamp,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Skill => "skill",
            Self::Phase => "phase",
            Self::Plan => "plan",
            Self::Chain => "chain",
            Self::Task => "task",
            Self::Context => "context",
            Self::Cost => "cost",
            Self::Lamp => "lamp",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.as_str() == word)
    }
}

/// The work session that the agent session is bound to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkFacts {
    pub name: String,
    /// Its folder, an absolute path.
    pub folder: String,
    pub skill: Option<String>,
    pub phase: Option<Phase>,
}

/// Phase `index` of `count`, the first being 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    pub index: usize,
    pub count: usize,
    pub name: String,
}

/// The open plan of the agent session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanFacts {
    pub name: String,
    pub done: usize,
    pub steps: usize,
    pub halted: bool,
}

/// Whether the client calls our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lamp {
    Firing,
    Silent,
    /// It was started in a folder that the hooks of the project do not reach.
    Unreached,
}

/// So long after our last event the transcript may grow before we look closer: thinking takes its time.
const PATIENCE: u64 = 30_000;
/// An act that is younger may have its hook still under way.
const UNDER_WAY: u64 = 5_000;

/// Tells whether hooks fire. `heard` is the last event of the session that we know of, `grown` when the transcript was
/// last written. Only if that looks odd, `acts` is asked: it says whether the transcript holds an act that calls a hook
/// between two moments.
pub fn lamp(heard: Option<Stamp>, grown: Stamp, now: Stamp, acts: impl FnOnce(Stamp, Stamp) -> bool) -> Lamp {
    let Some(heard) = heard else { return Lamp::Silent };
    let is_odd = grown.0 > heard.0.saturating_add(PATIENCE);
    let (from, to) = (Stamp(heard.0.saturating_add(UNDER_WAY)), Stamp(now.0.saturating_sub(UNDER_WAY)));
    if is_odd && acts(from, to) { Lamp::Silent } else { Lamp::Firing }
}

/// All that is known for the line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    pub work: Option<WorkFacts>,
    pub plan: Option<PlanFacts>,
    /// The chain of skills: `design ✓ → plan-adhoc …`.
    pub chain: Option<String>,
    /// The task in progress.
    pub task: Option<String>,
    pub context: Option<ContextUse>,
    /// US dollars.
    pub cost: Option<f64>,
    pub lamp: Option<Lamp>,
    /// How folders are linked.
    pub links: Protocol,
}

/// Whether colours and links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Coloured,
    Plain,
}

/// The line, without its end; empty if nothing is known.
pub fn line(known: &Known, parts: &[Part], look: Look) -> String {
    let shown: Vec<String> = parts.iter().filter_map(|part| render(known, *part, look)).collect();
    shown.join(SEPARATOR)
}

/// One part, if there is something to show.
pub fn render(known: &Known, part: Part, look: Look) -> Option<String> {
    let work = known.work.as_ref();
    match part {
        Part::Session => {
            let work = work?;
            let name = one_line(&work.name, NAME_LIMIT);
            Some(if look == Look::Coloured { known.links.linked(&name, &work.folder) } else { name })
        }
        Part::Skill => Some(one_line(work?.skill.as_ref()?, NAME_LIMIT)),
        Part::Phase => {
            let Phase { index, count, name } = work?.phase.as_ref()?;
            Some(format!("[{index} of {count}: {}]", one_line(name, NAME_LIMIT)))
        }
        Part::Plan => {
            let PlanFacts { name, done, steps, halted } = known.plan.as_ref()?;
            let name = one_line(name, NAME_LIMIT);
            Some(if *halted {
                painted(&format!("plan {name} halted"), RED, look)
            } else {
                format!("plan {name} {done}/{steps}")
            })
        }
        Part::Chain => Some(one_line(known.chain.as_ref()?, 2 * NAME_LIMIT)),
        Part::Task => Some(one_line(known.task.as_ref()?, NAME_LIMIT)),
        Part::Context => Some(bar(known.context?.percent(), look)),
        Part::Cost => Some(format!("${:.2}", known.cost?)),
        Part::Lamp => Some(match known.lamp? {
            Lamp::Firing => painted("● hooks", GREEN, look),
            Lamp::Silent => painted("○ hooks silent", RED, look),
            Lamp::Unreached => painted("○ hooks do not reach this folder", RED, look),
        }),
    }
}

const GREEN: u8 = 32;
const YELLOW: u8 = 33;
const RED: u8 = 31;

fn bar(percent: u64, look: Look) -> String {
    let colour = match percent {
        FULL.. => RED,
        FILLING.. => YELLOW,
        _ => GREEN,
    };
    let full = (percent.min(100) * CELLS + 50) / 100;
    let cells: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
    painted(&format!("{cells} {percent}%"), colour, look)
}

fn painted(text: &str, colour: u8, look: Look) -> String {
    match look {
        Look::Coloured => format!("\x1b[{colour}m{text}\x1b[0m"),
        Look::Plain => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all() -> Known {
        Known {
            work: Some(WorkFacts {
                name: "2026_11_15_LEXER".into(),
                folder: "/home/dev/my project/sessions/2026_11_15_LEXER".into(),
                skill: Some("implement".into()),
                phase: Some(Phase { index: 2, count: 5, name: "Build".into() }),
            }),
            plan: Some(PlanFacts { name: "login".into(), done: 1, steps: 3, halted: false }),
            chain: None,
            task: Some("Port the lexer to the new grammar at last".into()),
            context: Some(ContextUse { used: 31_700, window: 100_000, at: Stamp(0) }),
            cost: Some(1.2),
            lamp: Some(Lamp::Firing),
            links: Protocol::File,
        }
    }

    #[test]
    fn all_parts_in_their_order() {
        insta::assert_snapshot!(line(&all(), &Part::ALL, Look::Plain), @"2026_11_15_LEXER · implement · [2 of 5: Build] · plan login 1/3 · Port the lexer to the new gram… · ███░░░░░░░ 32% · $1.20 · ● hooks");
        let coloured = line(&all(), &Part::ALL, Look::Coloured).replace('\x1b', "^");
        insta::assert_snapshot!(coloured, @r"^]8;;file:///home/dev/my%20project/sessions/2026_11_15_LEXER^\2026_11_15_LEXER^]8;;^\ · implement · [2 of 5: Build] · plan login 1/3 · Port the lexer to the new gram… · ^[32m███░░░░░░░ 32%^[0m · $1.20 · ^[32m● hooks^[0m");
        insta::assert_snapshot!(line(&all(), &[Part::Cost, Part::Skill], Look::Plain), @"$1.20 · implement");
        let halted = all().plan.map(|plan| PlanFacts { halted: true, ..plan });
        let halted = line(&Known { plan: halted, ..Known::default() }, &Part::ALL, Look::Coloured);
        assert_eq!(halted.replace('\x1b', "^"), "^[31mplan login halted^[0m");
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        assert_eq!(line(&Known::default(), &Part::ALL, Look::Coloured), "");
        let work = WorkFacts { name: "S".into(), ..WorkFacts::default() };
        let known = Known { work: Some(work), lamp: Some(Lamp::Silent), ..Known::default() };
        assert_eq!(line(&known, &Part::ALL, Look::Plain), "S · ○ hooks silent");
    }

    #[test]
    fn the_bar_tells_its_level() {
        let cases = [
            (0, 100, "^[32m░░░░░░░░░░ 0%^[0m"),
            (594, 1000, "^[32m██████░░░░ 59%^[0m"),
            (595, 1000, "^[33m██████░░░░ 60%^[0m"),
            (79, 100, "^[33m████████░░ 79%^[0m"),
            (80, 100, "^[31m████████░░ 80%^[0m"),
            (130, 100, "^[31m██████████ 130%^[0m"),
            (5, 0, "^[32m░░░░░░░░░░ 0%^[0m"),
        ];
        for (used, window, expected) in cases {
            let known =
                Known { context: Some(ContextUse { used, window, at: Stamp(0) }), ..Known::default() };
            let shown = line(&known, &[Part::Context], Look::Coloured).replace('\x1b', "^");
            assert_eq!(shown, expected, "{used} of {window}");
        }
    }

    #[test]
    fn the_lamp_is_red_when_acts_bring_no_events() {
        /// Heard, grown, now, the acts in the transcript.
        type Case<'a> = (Option<u64>, u64, u64, &'a [u64], Lamp);
        let s = |seconds: u64| Stamp(seconds * 1000);
        let cases: [Case<'_>; 8] = [
            (None, 1, 2, &[], Lamp::Silent),
            (Some(100), 100, 101, &[], Lamp::Firing),
            (Some(100), 130, 131, &[110], Lamp::Firing),
            // A long thought, or a command that the person typed: no hook is due.
            (Some(100), 200, 300, &[], Lamp::Firing),
            (Some(100), 200, 300, &[99, 104], Lamp::Firing),
            // The hook of this one may be under way.
            (Some(100), 200, 203, &[199], Lamp::Firing),
            (Some(100), 200, 210, &[199], Lamp::Silent),
            (Some(300), 200, 310, &[199], Lamp::Firing),
        ];
        for (heard, grown, now, acts, expected) in cases {
            let seen =
                |from: Stamp, to: Stamp| acts.iter().any(|act| s(*act).0 > from.0 && s(*act).0 <= to.0);
            assert_eq!(
                lamp(heard.map(s), s(grown), s(now), seen),
                expected,
                "{heard:?} {grown} {now} {acts:?}"
            );
        }
    }

    proptest! {
        /// Names come from files that anybody can write: they must not move the cursor or add lines.
        #[test]
        fn a_line_is_one_line(name in "\\PC{0,40}|[\\x00-\\x1f\\x7f-\\u{9f}]{0,9}", task in "(?s).{0,60}") {
            let work = WorkFacts { name: name.clone(), skill: Some(name), ..WorkFacts::default() };
            let known = Known { work: Some(work), task: Some(task), ..Known::default() };
            let shown = line(&known, &Part::ALL, Look::Plain);
            prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
        }
    }
}
