//! From headings to steps: every value of a step is resolved here, and only here.

use std::collections::BTreeMap;

use super::body::{self, Body, Role, Stop};
use super::field::Key;
use super::front::{Front, Type};
use super::needs::{self, Node, Wanted};
use super::outline::{At, Document, Outline, RawPhase, RawStep};
use super::read::{Facts, Problems};
use super::{Kind, MOST_STEPS, Phase, REVIEWER, Requirement, Runbook, Step, unfilled};
use crate::plan::{Part, StepId};

mod beside;
mod number;
mod section;
mod value;

use number::Numbers;

/// Steps that one problem names.
const SHOWN: usize = 5;

pub(super) struct Resolver<'a> {
    pub(super) documents: &'a [Document<'a>],
    pub(super) fronts: &'a [Front],
    pub(super) facts: &'a Facts<'a>,
    pub(super) outline: &'a Outline,
    /// What the design asks for.
    pub(super) design: &'a [Requirement],
}

/// A step as it is written, before it is cut into parts.
struct Draft {
    /// With everything but what it needs; of a cycle in parts, what they share.
    step: Step,
    /// Its phase, by the place.
    phase: usize,
    /// The parts of a cycle: what is different of each.
    parts: Vec<Step>,
    /// The steps that it names, and where.
    needs: Option<(Vec<StepId>, usize)>,
    /// The line that names its files.
    files_at: usize,
}

/// What a phase gives to its steps.
struct Defaults<'a> {
    place: usize,
    number: u32,
    front: &'a Front,
    model: Option<String>,
    model_is_open: bool,
    inline: bool,
    /// Agents know when to stop, by what all of them are given.
    stops: bool,
}

impl Resolver<'_> {
    pub(super) fn resolve(&self, runbook: &mut Runbook, problems: &mut Problems) {
        let stops = self.stops(&self.outline.common, problems);
        let mut drafts: Vec<Draft> = Vec::new();
        let mut first: BTreeMap<StepId, At> = BTreeMap::new();
        let mut numbers = Numbers::default();
        let mut without_stop: Vec<(At, StepId)> = Vec::new();
        for (place, raw) in self.outline.phases.iter().enumerate() {
            let document = &self.documents[raw.at.0];
            numbers.phase(raw, document, problems);
            let (phase, defaults) = self.phase(place, raw, stops, problems);
            if raw.steps.is_empty() {
                if phase.inline {
                    let step = whole(raw, &phase);
                    drafts.push(self.step(&step, &defaults, &mut without_stop, problems));
                } else if !document.is_empty() {
                    let number = raw.number;
                    let text = format!(
                        "phase {number} has no steps: add `## Step {number}.1: TITLE`, or write {{type: inline}} behind its title"
                    );
                    problems.error(document.path, raw.at.1, text);
                }
            }
            for step in &raw.steps {
                let word = word(step);
                if let Some((other, line)) = first.get(&step.id) {
                    let file = if *other == step.at.0 { "" } else { self.documents[*other].path };
                    let place = if file.is_empty() {
                        format!("line {}", line + 1)
                    } else {
                        format!("{file}:{}", line + 1)
                    };
                    let id = step.id;
                    let text = format!(
                        "{word} {id} is there twice, first in {place}: give this one the next free number"
                    );
                    problems.error(document.path, step.at.1, text);
                    continue;
                }
                first.insert(step.id, step.at);
                numbers.step(step, raw, document, problems);
                let draft = self.step(step, &defaults, &mut without_stop, problems);
                drafts.push(draft);
            }
            runbook.phases.push(phase);
        }
        self.report_stop(&without_stop, problems);
        if drafts.len() > MOST_STEPS {
            let text = format!("{} steps: a runbook has at most {MOST_STEPS}; divide it", drafts.len());
            problems.error(&drafts[MOST_STEPS].step.path, drafts[MOST_STEPS].step.line - 1, text);
            drafts.truncate(MOST_STEPS);
        }
        let order = self.order(&drafts, runbook, problems);
        self.check_files(&drafts, &order.before, problems);
        self.check_references(&drafts, problems);
        self.check_recall(runbook, problems);
        self.assemble(drafts, &order, runbook);
    }

    fn phase(
        &self,
        place: usize,
        raw: &RawPhase,
        stops: bool,
        problems: &mut Problems,
    ) -> (Phase, Defaults<'_>) {
        let document = &self.documents[raw.at.0];
        let front = &self.fronts[raw.at.0];
        let (mut kind, mut model, mut model_is_open) = (None, None, false);
        let what = format!("phase {}", raw.number);
        for (key, value) in &raw.attributes {
            match key.as_str() {
                _ if unfilled::is_open(value) => model_is_open |= key == "model",
                "type" => kind = Some(Type::read(value, document.path, raw.at.1, problems)),
                "model" => {
                    let at = (document.path, raw.at.1);
                    model = self.tier(value, &what, front.model.as_deref(), at, problems);
                }
                _ => {
                    let text = format!(
                        "{key:?} of phase {} is not known and not used: known are type and model",
                        raw.number
                    );
                    problems.warning(document.path, raw.at.1, text);
                }
            }
        }
        if ["{type", "{model", "(type:", "(model:"]
            .iter()
            .any(|begun| raw.title.to_lowercase().contains(begun))
        {
            let text = format!(
                "the braces of {what} are not closed at the end of its line, and not read: end it with `{{type: tdd}}`"
            );
            problems.error(document.path, raw.at.1, text);
        }
        if kind == Some(Type::Tdd) && !raw.steps.is_empty() && raw.steps.iter().all(|step| !step.cycle) {
            let number = raw.number;
            let text = format!(
                "{what} is of type tdd and has no cycle, so no test has to fail first: write `## Cycle {number}.1: TITLE`, or take the type out"
            );
            problems.warning(document.path, raw.at.1, text);
        }
        let inline = kind.or(front.kind) == Some(Type::Inline);
        // Without steps it is a step itself, and its fields are read as those of one.
        let without = if inline && raw.steps.is_empty() {
            Vec::new()
        } else {
            self.phase_fields(raw, &mut model, &mut model_is_open, front, problems)
        };
        let lines: Vec<At> = raw.preamble.iter().filter(|at| !without.contains(at)).copied().collect();
        let phase = Phase {
            number: raw.number,
            title: if raw.title.is_empty() { untitled(raw.number) } else { raw.title.clone() },
            inline,
            preamble: body::text(self.documents, &lines),
            path: document.path.to_owned(),
            line: raw.at.1 + 1,
        };
        let defaults = Defaults {
            place,
            number: raw.number,
            front,
            model: model.or_else(|| front.model.clone()),
            model_is_open: model_is_open || front.model_is_open,
            inline,
            stops: stops || self.stops(&raw.preamble, problems),
        };
        (phase, defaults)
    }

    fn step(
        &self,
        raw: &RawStep,
        defaults: &Defaults<'_>,
        without_stop: &mut Vec<(At, StepId)>,
        problems: &mut Problems,
    ) -> Draft {
        let path = self.documents[raw.at.0].path;
        let body = Body::new(self.documents, &raw.lines);
        let (id, word) = (raw.id, word(raw));
        let what = format!("{word} {id}");
        let kind = kind(raw, &body, defaults);
        if kind != Kind::Inline && !defaults.stops && !self.stops(&raw.lines, problems) {
            without_stop.push((raw.at, id));
        }
        if raw.regression && kind != Kind::Cycle {
            let text = format!(
                "[REGRESSION] of {what} says nothing, for no test has to fail first: take it out, or write a cycle"
            );
            problems.warning(path, raw.at.1, text);
        }
        let (values, without) = self.fields(raw, &body, &what, defaults, problems);
        section::check(raw, &body, kind, &without, path, problems);
        let model = values.model.clone().or_else(|| defaults.model.clone());
        let is_open = values.has(Key::Model) && values.model.is_none() && !values.unknown_model;
        if model.is_none() && kind != Kind::Inline && !is_open && !defaults.model_is_open {
            let text = format!(
                "{what} has no model: write `Execution Model: NAME` below it, or model: NAME in the front matter ({})",
                self.facts.known()
            );
            problems.error(path, raw.at.1, text);
        }
        let check = values.check.clone().or_else(|| defaults.front.check.clone());
        if check.is_none() && kind != Kind::Inline && !values.has(Key::Check) && !defaults.front.check_is_open
        {
            let text = format!(
                "{what} has no check: write `Check: COMMAND` below it, or check: COMMAND in the front matter"
            );
            problems.error(path, raw.at.1, text);
        }
        let step = Step {
            id,
            kind,
            title: if raw.title.is_empty() {
                format!("{}{} {id}", word[..1].to_uppercase(), &word[1..])
            } else {
                raw.title.clone()
            },
            phase: defaults.number,
            model,
            turns: values.turns,
            files: values.files,
            check,
            regression: raw.regression && kind == Kind::Cycle,
            requirements: self.requirements(&raw.title, &raw.lines, &values.requirements),
            body: body.text(&without, |_| true),
            stem: stem(kind, id),
            path: path.to_owned(),
            line: raw.at.1 + 1,
            needs: Vec::new(),
        };
        let parts = if kind == Kind::Cycle && body.has(Role::Bootstrap) {
            let bootstrap = values.bootstrap.or_else(|| defaults.front.check.clone());
            parts(&step, bootstrap, &body, &without)
        } else {
            Vec::new()
        };
        let files_at = values.files_at.unwrap_or(raw.at.1);
        Draft { step, phase: defaults.place, parts, needs: values.needs, files_at }
    }

    /// One problem for all steps without stop conditions: one heading mends them all.
    fn report_stop(&self, without: &[(At, StepId)], problems: &mut Problems) {
        let Some(((document, line), _)) = without.first() else { return };
        let names: Vec<String> = without.iter().take(SHOWN).map(|(_, id)| id.to_string()).collect();
        let more = without.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = format!(
            "no stop conditions for {}{more}: add `### Stop conditions` below `# Common context`",
            names.join(", ")
        );
        problems.error(self.documents[*document].path, *line, text);
    }

    /// Whether a text says when to stop. A heading without a text is reported here and nowhere else.
    fn stops(&self, lines: &[At], problems: &mut Problems) -> bool {
        match body::stop(self.documents, lines) {
            Stop::Said => true,
            Stop::Unsaid => false,
            Stop::Empty((document, line)) => {
                let text = "the stop conditions are empty: write below them when an agent stops and reports an error";
                problems.error(self.documents[document].path, line, text);
                true
            }
        }
    }

    fn order(&self, drafts: &[Draft], runbook: &Runbook, problems: &mut Problems) -> needs::Order {
        let places: BTreeMap<StepId, usize> =
            drafts.iter().enumerate().map(|(index, draft)| (draft.step.id, index)).collect();
        let mut wanted: Vec<Wanted> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let mut named = draft.needs.as_ref().map(|_| Vec::new());
            let (ids, line) =
                draft.needs.as_ref().map_or((&[][..], 0), |(ids, line)| (ids.as_slice(), *line));
            for id in ids {
                let (path, own) = (&draft.step.path, draft.step.id);
                match places.get(id) {
                    None => problems.error(
                        path,
                        line,
                        format!("{own} needs {id}, which is not there: write the number of a step, or none"),
                    ),
                    Some(other) if drafts[*other].phase > draft.phase => {
                        let text = format!(
                            "{own} needs {id} of a later phase, which begins when this one is done: move one of them"
                        );
                        problems.error(path, line, text);
                    }
                    Some(other) => named.get_or_insert_default().push(*other),
                }
            }
            wanted.push(Wanted { phase: draft.phase, named });
        }
        let is_inline: Vec<bool> = runbook.phases.iter().map(|phase| phase.inline).collect();
        let mut order = needs::order(&wanted, &is_inline);
        for circle in needs::circles(&order.before) {
            let says = circle.iter().find(|index| drafts[**index].needs.is_some()).unwrap_or(&circle[0]);
            let names = circle.iter().chain(&circle[..1]).map(|index| drafts[*index].step.id.to_string());
            let text = format!(
                "{}: a circle; take one of these needs out",
                names.collect::<Vec<_>>().join(" needs ")
            );
            let line = drafts[*says].needs.as_ref().map_or(drafts[*says].step.line - 1, |(_, line)| *line);
            problems.error(&drafts[*says].step.path, line, text);
            // Nothing that follows walks in circles.
            order.before[*says].retain(|need| !matches!(need, Node::Step(index) if circle.contains(index)));
        }
        order
    }

    /// Cuts cycles into their parts, says what each needs, and ends phases with their reviews.
    fn assemble(&self, drafts: Vec<Draft>, order: &needs::Order, runbook: &mut Runbook) {
        let last: Vec<StepId> =
            drafts.iter().map(|draft| draft.parts.last().unwrap_or(&draft.step).id).collect();
        let numbers: Vec<u32> = runbook.phases.iter().map(|phase| phase.number).collect();
        let ids = |needs: &[Node]| {
            let id = |need: &Node| match need {
                Node::Step(index) => last[*index],
                Node::Review(phase) => StepId::from(numbers[*phase]).with(Part::Vet),
            };
            needs.iter().map(id).collect::<Vec<StepId>>()
        };
        let mut drafts = drafts.into_iter().enumerate().peekable();
        for (place, phase) in runbook.phases.iter().enumerate() {
            let from = runbook.steps.len();
            while let Some((index, draft)) = drafts.next_if(|(_, draft)| draft.phase == place) {
                let mut needs = ids(&order.before[index]);
                let steps = if draft.parts.is_empty() { vec![draft.step] } else { draft.parts };
                for step in steps {
                    let id = step.id;
                    runbook.steps.push(Step { needs: std::mem::replace(&mut needs, vec![id]), ..step });
                }
            }
            if phase.inline || runbook.steps.len() == from {
                continue;
            }
            runbook.steps.push(Step {
                id: StepId::from(phase.number).with(Part::Vet),
                kind: Kind::Review,
                title: review(phase),
                phase: phase.number,
                model: self.facts.reviewing(),
                needs: ids(&order.before_review[place]),
                body: format!("{REVIEWER} reviews what the steps of phase {} have changed.", phase.number),
                stem: format!("phase-{}", phase.number),
                path: phase.path.clone(),
                line: phase.line,
                ..Step::default()
            });
        }
    }
}

/// A phase that is carried out by hand and has no steps is one.
fn whole(raw: &RawPhase, phase: &Phase) -> RawStep {
    RawStep {
        id: StepId::of(raw.number, 1),
        cycle: false,
        title: phase.title.clone(),
        regression: false,
        at: raw.at,
        lines: raw.preamble.clone(),
    }
}

fn review(phase: &Phase) -> String {
    let title = format!("Review of phase {}", phase.number);
    if phase.title == untitled(phase.number) { title } else { format!("{title}: {}", phase.title) }
}

fn untitled(phase: u32) -> String {
    format!("Phase {phase}")
}

fn word(raw: &RawStep) -> &'static str {
    if raw.cycle { "cycle" } else { "step" }
}

/// A spike without a test is a general step.
fn kind(raw: &RawStep, body: &Body<'_>, defaults: &Defaults<'_>) -> Kind {
    let is_tested = body.has(Role::Red) && body.has(Role::Green);
    match raw.cycle {
        _ if defaults.inline => Kind::Inline,
        true if raw.id.major > 0 || is_tested => Kind::Cycle,
        _ => Kind::Work,
    }
}

fn stem(kind: Kind, id: StepId) -> String {
    let word = match kind {
        Kind::Cycle => "cycle",
        Kind::Inline => "inline",
        Kind::Work | Kind::Review => "step",
    };
    format!("{word}-{}", id.slug())
}

/// The three parts of a cycle with a bootstrap: what the test needs to compile, the test, the code.
fn parts(step: &Step, bootstrap: Option<String>, body: &Body<'_>, without: &[At]) -> Vec<Step> {
    let part = |part: Part, wanted: &[Role]| {
        let id = step.id.with(part);
        Step {
            id,
            kind: Kind::Cycle,
            stem: stem(Kind::Work, id),
            body: body.text(without, |role| role.is_none_or(|role| wanted.contains(&role))),
            ..step.clone()
        }
    };
    let first = part(Part::Bootstrap, &[Role::Bootstrap]);
    vec![
        Step { kind: Kind::Work, check: bootstrap, regression: false, ..first },
        part(Part::Test, &[Role::Red]),
        part(Part::Impl, &[Role::Green, Role::Refactor]),
    ]
}
