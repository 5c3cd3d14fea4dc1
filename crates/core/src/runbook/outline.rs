//! The headings of a runbook: which text belongs to which step, phase or to all.
//!
//! A heading counts at any level, for models do not agree on one. Text is never lost: what belongs to no step or phase is common.

use engine_text::line::is_unprintable;
use engine_text::markdown::Lines;

use super::body::Role;
use super::nearly;
use super::read::{Problems, Source};
use crate::plan::StepId;

/// One file of the runbook.
pub(super) struct Document<'a> {
    pub(super) path: &'a str,
    pub(super) lines: Lines<'a>,
    /// How many lines its front matter has.
    pub(super) front: usize,
    /// The phase that the file is named for.
    pub(super) phase: Option<u32>,
}

/// A line of a document, by the places of both.
pub(super) type At = (usize, usize);

/// What the headings say, before any of it is resolved.
#[derive(Default)]
pub(super) struct Outline {
    pub(super) common: Vec<At>,
    pub(super) instructions: Option<Vec<At>>,
    pub(super) phases: Vec<RawPhase>,
}

pub(super) struct RawPhase {
    pub(super) number: u32,
    pub(super) title: String,
    /// What stands in braces behind the title.
    pub(super) attributes: Vec<(String, String)>,
    pub(super) at: At,
    /// There is a heading for it, or a file.
    pub(super) explicit: bool,
    pub(super) preamble: Vec<At>,
    pub(super) steps: Vec<RawStep>,
}

pub(super) struct RawStep {
    pub(super) id: StepId,
    /// Its heading says Cycle.
    pub(super) cycle: bool,
    pub(super) title: String,
    pub(super) regression: bool,
    pub(super) at: At,
    pub(super) lines: Vec<At>,
}

impl<'a> Document<'a> {
    pub(super) fn new(source: &Source<'a>) -> Self {
        let lines = Lines::new(source.text);
        let front = lines.front_matter();
        Self { path: source.path, lines, front, phase: phase_of(source.path) }
    }

    /// A line's text, without the mark that some editors begin a file with.
    pub(super) fn text(&self, line: usize) -> &'a str {
        self.lines.all[line].text.trim_start_matches(engine_text::BYTE_ORDER_MARK)
    }

    /// Level and text of the heading in a line, if it is one. Signs at its end are part of it: `C#`.
    pub(super) fn heading(&self, line: usize) -> Option<(usize, &'a str)> {
        let (level, _) = self.lines.heading(line)?;
        let text = self.text(line).trim().trim_start_matches('#').trim();
        // A closing row of signs stands apart.
        let open = text.trim_end_matches('#');
        Some((level, if open.ends_with([' ', '\t']) || open.is_empty() { open.trim_end() } else { text }))
    }

    /// Whether it holds nothing but front matter.
    pub(super) fn is_empty(&self) -> bool {
        (self.front..self.lines.all.len()).all(|line| self.text(line).trim().is_empty())
    }
}

/// The number in `runbook-phase-2.md`.
pub(super) fn phase_of(path: &str) -> Option<u32> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let digits = name.strip_prefix("runbook-phase-")?.strip_suffix(".md")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// What a heading begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head<'a> {
    Common,
    Instructions,
    Phase(u32, &'a str),
    Step {
        cycle: bool,
        id: StepId,
        title: &'a str,
    },
    /// It says step or cycle, with what is no number of one.
    Odd(&'a str),
    Plain,
}

impl<'a> Head<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let text = text.trim();
        let text = text.strip_prefix("**").and_then(|text| text.strip_suffix("**")).unwrap_or(text);
        let name = text.trim_end_matches(':').trim_end();
        if name.eq_ignore_ascii_case("common context") {
            return Self::Common;
        }
        if name.eq_ignore_ascii_case("orchestrator instructions") {
            return Self::Instructions;
        }
        let Some((word, rest)) = text.split_once(char::is_whitespace) else { return Self::Plain };
        let rest = rest.trim_start();
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Self::Plain;
        }
        if word.eq_ignore_ascii_case("phase") {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let behind = rest[digits..].trim_start();
            let is_phase = behind.is_empty()
                || behind.starts_with([':', '-', '–', '—', '(', '{', '['])
                || behind.strip_prefix('.').is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                || !attributes(behind).1.is_empty();
            return match rest[..digits].parse() {
                Ok(number) if is_phase => Self::Phase(number, title(behind)),
                _ => Self::Plain,
            };
        }
        let cycle = word.eq_ignore_ascii_case("cycle");
        if !cycle && !word.eq_ignore_ascii_case("step") {
            return Self::Plain;
        }
        let end = rest.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches(['.', ')', '-', '–', '—']);
        match number.parse::<StepId>() {
            Ok(id) if id.part.is_none() && (id.minor.is_some() || !cycle) => {
                Self::Step { cycle, id, title: title(&rest[number.len()..]) }
            }
            _ => Self::Odd(number),
        }
    }
}

/// A title, without what divides it from its number.
fn title(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix([':', '-', '–', '—', '.', ')']).unwrap_or(text).trim_start()
}

/// A title as one line that steers no terminal.
fn plain(title: &str) -> String {
    title.chars().map(|c| if is_unprintable(c) { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// A title, and the pairs in braces behind it: `Parser {type: tdd, model: sonnet}`.
fn attributes(text: &str) -> (&str, Vec<(String, String)>) {
    let braces = text.strip_suffix('}').and_then(|text| text.rsplit_once('{'));
    let Some((title, inner)) =
        braces.or_else(|| text.strip_suffix(')').and_then(|text| text.rsplit_once('(')))
    else {
        return (text, Vec::new());
    };
    let pair = |part: &str| {
        let (key, value) = part.split_once(':').unwrap_or((part, ""));
        (key.trim().to_lowercase(), value.trim().trim_matches('`').to_owned())
    };
    let pairs: Vec<(String, String)> =
        inner.split(',').filter(|part| !part.trim().is_empty()).map(pair).collect();
    // Round ones are prose, unless they begin as ours do.
    let is_ours = braces.is_some()
        || pairs.first().is_some_and(|(key, value)| matches!(&**key, "type" | "model") && !value.is_empty());
    if is_ours { (title.trim_end(), pairs) } else { (text, Vec::new()) }
}

/// A title without `[REGRESSION]`, and whether it was there.
fn regression(text: &str) -> (String, bool) {
    const MARK: &str = "[REGRESSION]";
    let at = text
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| text.get(*at..at + MARK.len()).is_some_and(|part| part.eq_ignore_ascii_case(MARK)));
    match at {
        Some(at) => {
            let (before, behind) = (text[..at].trim_end(), text[at + MARK.len()..].trim_start());
            let between = if before.is_empty() || behind.is_empty() { "" } else { " " };
            (format!("{before}{between}{behind}"), true)
        }
        None => (text.to_owned(), false),
    }
}

/// Where the walk through a document is.
#[derive(Clone, Copy)]
enum Place {
    Common,
    Instructions { level: usize },
    Phase,
    Step { level: usize, whole: bool },
}

impl Outline {
    pub(super) fn of(documents: &[Document<'_>], problems: &mut Problems) -> Self {
        let mut outline = Self::default();
        for (index, document) in documents.iter().enumerate() {
            outline.walk(index, document, problems);
        }
        outline
    }

    fn walk(&mut self, index: usize, document: &Document<'_>, problems: &mut Problems) {
        let heads: Vec<Option<(usize, Head<'_>)>> = (0..document.lines.all.len())
            .map(|line| document.heading(line).map(|(level, text)| (level, Head::of(text))))
            .collect();
        let mut place = Place::Common;
        let mut phase_level = 0;
        let has_phases = heads.iter().flatten().any(|(_, head)| matches!(head, Head::Phase(..)));
        if let Some(number) = document.phase.filter(|_| !has_phases) {
            // The file's name is its heading.
            self.phases.push(RawPhase::new(number, (index, document.front), true));
            place = Place::Phase;
        }
        let mut is_first = true;
        for (line, head) in heads.iter().enumerate().skip(document.front) {
            let at = (index, line);
            let head = match head {
                Some((level, head)) if place.divides(*level, head) => &Some((*level, Head::Plain)),
                head => head,
            };
            let is_title =
                is_first && head.as_ref().is_some_and(|(level, head)| *level == 1 && *head == Head::Plain);
            is_first &= document.text(line).trim().is_empty();
            if !matches!(place, Place::Instructions { .. }) {
                match head {
                    None => nearly::line(document, line, place.step().is_some(), problems),
                    Some((level, Head::Plain)) => {
                        let is_part = place.step().is_some_and(|own| *level > own);
                        nearly::heading(document, line, is_part, is_title, problems);
                    }
                    Some(_) => {}
                }
            }
            if let Some((level, Head::Plain)) = head
                && let Some(role) =
                    place.step().filter(|own| level < own).and_then(|_| self.section(document, line))
            {
                let (signs, own) = ("#".repeat(*level), place.step().unwrap_or_default());
                let text = format!(
                    "{} is a heading above its cycle, which ends there: write `{} {}` in the place of `{signs}`",
                    role.name(),
                    "#".repeat(own.min(5) + 1),
                    role.name()
                );
                problems.error(document.path, line, text);
                // What it lacks is not reported as well.
                if let Some(step) = self.phases.last_mut().and_then(|phase| phase.steps.last_mut()) {
                    step.lines.push(at);
                }
                continue;
            }
            match head {
                Some((_, Head::Common)) => {
                    place = Place::Common;
                    continue;
                }
                Some((level, Head::Instructions)) => {
                    place = Place::Instructions { level: *level };
                    self.instructions.get_or_insert_default();
                    continue;
                }
                Some((level, Head::Phase(number, rest))) => {
                    let (title, attributes) = attributes(rest);
                    phase_level = *level;
                    let phase =
                        RawPhase { title: plain(title), attributes, ..RawPhase::new(*number, at, true) };
                    self.phases.push(phase);
                    place = Place::Phase;
                    continue;
                }
                Some((level, Head::Step { cycle, id, title })) => {
                    let (title, regression) = regression(&plain(title));
                    let (id, cycle) = (*id, *cycle);
                    self.phase_for(id, at).steps.push(RawStep {
                        id,
                        cycle,
                        title,
                        regression,
                        at,
                        lines: Vec::new(),
                    });
                    place = Place::Step { level: *level, whole: id.minor.is_none() };
                    continue;
                }
                Some((level, head)) => {
                    if let Head::Odd(number) = head {
                        problems.error(
                            document.path,
                            line,
                            format!(
                                "{number} is not the number of a step: write PHASE.STEP, for example 1.2"
                            ),
                        );
                    }
                    place = place.behind(*level, phase_level);
                }
                None => {}
            }
            // The title of the file says nothing that its name does not.
            if is_title && matches!(place, Place::Common) {
                continue;
            }
            match place {
                Place::Common => self.common(document, at),
                Place::Instructions { .. } => self.instructions.get_or_insert_default().push(at),
                Place::Phase => {
                    if let Some(phase) = self.phases.last_mut() {
                        phase.preamble.push(at);
                    }
                }
                Place::Step { .. } => {
                    if let Some(step) = self.phases.last_mut().and_then(|phase| phase.steps.last_mut()) {
                        step.lines.push(at);
                    }
                }
            }
        }
    }

    /// The section of a cycle that a heading begins, right behind a cycle.
    fn section(&self, document: &Document<'_>, line: usize) -> Option<Role> {
        let is_cycle = self.phases.last().and_then(|phase| phase.steps.last()).is_some_and(|step| step.cycle);
        let (_, text) = document.heading(line).filter(|_| is_cycle)?;
        // `# Refactor the rest` may be anything.
        Role::of(text).filter(|role| matches!(role, Role::Red | Role::Green) || text == role.name())
    }

    /// Adds a line to what all agents are given. Where something is left out, two empty lines would meet.
    fn common(&mut self, document: &Document<'_>, at: At) {
        let is_empty = |line: usize| document.text(line).trim().is_empty();
        let gap =
            self.common.last().is_some_and(|last| last.0 == at.0 && last.1 + 1 < at.1 && is_empty(last.1));
        if !(gap && is_empty(at.1)) {
            self.common.push(at);
        }
    }

    /// The phase that a step belongs to; without a heading its number says it.
    fn phase_for(&mut self, id: StepId, at: At) -> &mut RawPhase {
        let current = self.phases.last();
        let number = if id.minor.is_some() { id.major } else { current.map_or(1, |phase| phase.number) };
        let fits = current.is_some_and(|phase| phase.explicit || phase.number == number);
        if !fits {
            self.phases.push(RawPhase::new(number, at, false));
        }
        let last = self.phases.len() - 1;
        &mut self.phases[last]
    }
}

impl RawPhase {
    fn new(number: u32, at: At, explicit: bool) -> Self {
        Self {
            number,
            title: String::new(),
            attributes: Vec::new(),
            at,
            explicit,
            preamble: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Place {
    /// The level of the step's heading, in a step.
    fn step(self) -> Option<usize> {
        match self {
            Self::Step { level, .. } => Some(level),
            _ => None,
        }
    }

    /// Whether a heading only divides the text of a step: below `## Step 1.2`, `#### Step 1` counts what is to be done there.
    fn divides(self, level: usize, head: &Head<'_>) -> bool {
        let Self::Step { level: own, whole: false } = self else { return false };
        level > own
            && match head {
                Head::Step { id, .. } => id.minor.is_none(),
                Head::Odd(_) => true,
                _ => false,
            }
    }

    /// What a heading of this level belongs to, if it begins nothing itself.
    fn behind(self, level: usize, phase_level: usize) -> Self {
        match self {
            Self::Step { level: own, .. } if level < own && phase_level > 0 && level > phase_level => {
                Self::Phase
            }
            Self::Step { level: own, .. } if level < own => Self::Common,
            Self::Instructions { level: own } if level <= own => Self::Common,
            Self::Phase if level <= phase_level => Self::Common,
            same => same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_says_what_it_begins() {
        let step = |cycle, id: &str, title| Head::Step { cycle, id: id.parse().unwrap(), title };
        let cases = [
            ("Common Context:", Head::Common),
            ("**Common context**", Head::Common),
            ("Orchestrator instructions", Head::Instructions),
            ("Phase 1: Parser {type: tdd}", Head::Phase(1, "Parser {type: tdd}")),
            ("phase 12 – docs", Head::Phase(12, "docs")),
            ("Phase 3 (type: inline)", Head::Phase(3, "(type: inline)")),
            ("Phase 3 by hand {type: inline}", Head::Phase(3, "by hand {type: inline}")),
            ("Phase 4", Head::Phase(4, "")),
            ("Phase 2 notes", Head::Plain),
            ("Phase 2 (notes)", Head::Phase(2, "(notes)")),
            ("Phase 1.2", Head::Plain),
            ("Phase 99999999999: big", Head::Plain),
            ("Cycle 1.2: a: b", step(true, "1.2", "a: b")),
            ("Step 1.2 - a", step(false, "1.2", "a")),
            ("STEP 3. a", step(false, "3", "a")),
            ("Step 3: - a", step(false, "3", "- a")),
            ("Step 10.20", step(false, "10.20", "")),
            ("**Step 1.1: a**", step(false, "1.1", "a")),
            ("Cycle 3: a", Head::Odd("3")),
            ("Step 1.2.3: a", Head::Odd("1.2.3")),
            ("Step 1a", Head::Odd("1a")),
            ("Step 99999999999", Head::Odd("99999999999")),
            ("Steps 1.1", Head::Plain),
            ("Step by step", Head::Plain),
            ("Step", Head::Plain),
            ("", Head::Plain),
        ];
        for (text, head) in cases {
            assert_eq!(Head::of(text), head, "{text:?}");
        }
    }

    #[test]
    fn braces_hold_what_a_phase_says_of_itself() {
        let cases = [
            ("Parser {type: tdd, model: `opus`}", ("Parser", "type=tdd model=opus")),
            ("Parser (Type: tdd)", ("Parser", "type=tdd")),
            ("Parser {}", ("Parser", "")),
            ("Parser (old)", ("Parser (old)", "")),
            ("Parser (type)", ("Parser (type)", "")),
            ("Parser {size}", ("Parser", "size=")),
            ("Parser {a {type: tdd}", ("Parser {a", "type=tdd")),
            ("Parser {type: tdd", ("Parser {type: tdd", "")),
        ];
        for (text, (title, pairs)) in cases {
            let (found, attributes) = attributes(text);
            let shown: Vec<String> = attributes.iter().map(|(key, value)| format!("{key}={value}")).collect();
            assert_eq!((found, shown.join(" ").as_str()), (title, pairs), "{text:?}");
        }
    }
}
