//! From headings to steps: every value of a step is resolved here, and only here.

use std::collections::BTreeMap;

use super::body::{self, Body, Role};
use super::field::{self, Field, Key};
use super::front::{Front, Type};
use super::needs::{self, Node, Wanted};
use super::outline::{At, Document, Outline, RawPhase, RawStep};
use super::read::{Facts, Problems};
use super::{File, Kind, MOST_STEPS, Phase, REVIEWER, Requirement, Runbook, Step, requirement, unfilled};
use crate::plan::{Part, StepId};

mod beside;
mod number;

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
        let stops = body::stops(self.documents, &self.outline.common);
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
                    drafts.push(self.whole_phase(raw, &phase, &defaults));
                } else {
                    let number = raw.number;
                    let text = format!(
                        "phase {number} has no steps: add `## Step {number}.1: TITLE`, or write {{type: inline}} behind its title"
                    );
                    problems.error(document.path, raw.at.1, text);
                }
            }
            for step in &raw.steps {
                let word = word(step);
                if let Some(first) = first.get(&step.id) {
                    let text = format!(
                        "{word} {} is there twice, first in line {}: give this one the next free number",
                        step.id,
                        first.1 + 1
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
        // Some write the model below the heading, as in a step.
        let fields = field::fields(self.documents, &raw.preamble);
        let mut without = Vec::new();
        for field in fields.iter().filter(|field| field.key == Key::Model) {
            without.extend(&field.lines);
            let at = (document.path, field.lines[0].1);
            if unfilled::is_open(&field.value) {
                model_is_open = true;
            } else if model.is_none() {
                model = self.tier(
                    &field.value,
                    &format!("phase {}", raw.number),
                    front.model.as_deref(),
                    at,
                    problems,
                );
            }
        }
        let lines: Vec<At> = raw.preamble.iter().filter(|at| !without.contains(at)).copied().collect();
        let inline = kind.or(front.kind) == Some(Type::Inline);
        let phase = Phase {
            number: raw.number,
            title: if raw.title.is_empty() { format!("Phase {}", raw.number) } else { raw.title.clone() },
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
            stops: stops || body::stops(self.documents, &raw.preamble),
        };
        (phase, defaults)
    }

    /// A model by its name. One that nobody knows is not used.
    fn tier(
        &self,
        value: &str,
        what: &str,
        instead: Option<&str>,
        (path, line): (&str, usize),
        problems: &mut Problems,
    ) -> Option<String> {
        let tier = self.facts.tier(value);
        if tier.is_none() {
            let instead = instead.map_or(String::new(), |model| format!(", and {model} takes its place"));
            let text = format!(
                "model {:?} of {what} is not known{instead}: write {}",
                field::bare(value),
                self.facts.known()
            );
            problems.warning(path, line, text);
        }
        tier
    }

    /// A phase that is carried out by hand and names no steps is one.
    fn whole_phase(&self, raw: &RawPhase, phase: &Phase, defaults: &Defaults<'_>) -> Draft {
        let id = StepId::of(raw.number, 1);
        let step = Step {
            id,
            kind: Kind::Inline,
            title: phase.title.clone(),
            phase: raw.number,
            model: defaults.model.clone(),
            check: defaults.front.check.clone(),
            requirements: self.requirements(&raw.title, &raw.preamble, &[]),
            body: phase.preamble.clone(),
            stem: format!("inline-{}", id.slug()),
            path: phase.path.clone(),
            line: phase.line,
            ..Step::default()
        };
        Draft { step, phase: defaults.place, parts: Vec::new(), needs: None, files_at: raw.at.1 }
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
        check_sections(raw, &body, kind, path, problems);
        if kind != Kind::Inline && !defaults.stops && !body.stops() {
            without_stop.push((raw.at, id));
        }

        let fields = field::fields(self.documents, &raw.lines);
        let mut values = Values::default();
        let mut without: Vec<At> = Vec::new();
        let has_files =
            fields.iter().any(|field| field.key == Key::Files && body.roles[field.place].is_none());
        for field in &fields {
            let line = field.lines[0].1;
            let role = body.roles[field.place];
            match (field.key, role) {
                // What a section checks is its text, but for a bootstrap, which is a step of its own.
                (Key::Check, Some(Role::Bootstrap)) => {
                    values.bootstrap.get_or_insert_with(|| field::command(&field.value).0);
                    continue;
                }
                (Key::Check, Some(_)) => continue,
                (Key::Files, Some(_)) if has_files => continue,
                (Key::Files, Some(_)) => {}
                _ => without.extend(&field.lines),
            }
            if field.value.is_empty() {
                problems.error(
                    path,
                    line,
                    format!("{} of {what} is empty: write its value, or take the line out", field.key.name()),
                );
                values.said(field.key);
            } else if unfilled::is_open(&field.value) {
                values.said(field.key);
            } else if values.has(field.key) && !(field.key == Key::Files && role.is_some()) {
                problems.warning(
                    path,
                    line,
                    format!(
                        "{} is there twice in {what}, and the first counts: take one out",
                        field.key.name()
                    ),
                );
            } else {
                self.value(field, &mut values, &what, defaults, path, problems);
            }
            if field.key == Key::Check && field::command(&field.value).1 {
                // It says more than the command.
                without.truncate(without.len() - field.lines.len());
            }
        }
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

    /// Takes over the value of a field that is there for the first time.
    fn value(
        &self,
        field: &Field,
        values: &mut Values,
        what: &str,
        defaults: &Defaults<'_>,
        path: &str,
        problems: &mut Problems,
    ) {
        let line = field.lines[0].1;
        values.said(field.key);
        match field.key {
            Key::Model => {
                values.model =
                    self.tier(&field.value, what, defaults.model.as_deref(), (path, line), problems);
                values.unknown_model = values.model.is_none();
            }
            Key::Files => {
                values.files_at.get_or_insert(line);
                for file in field::files(&field.value) {
                    if crate::plan::is_inside(&file.path) {
                        values.files.push(file);
                    } else {
                        problems.error(
                            path,
                            line,
                            format!(
                                "{:?} is no path below the project's root: write it from there",
                                file.path
                            ),
                        );
                    }
                }
            }
            Key::Needs => {
                let mut needs = Vec::new();
                for name in field::list(&field.value) {
                    let number = name.rsplit(char::is_whitespace).next().unwrap_or(name);
                    match number.parse::<StepId>() {
                        Ok(id) => needs.push(id.whole()),
                        Err(_) => problems.error(path, line, format!("Needs of {what}: {name:?} is not the number of a step: write 1.1, 1.2 or none")),
                    }
                }
                values.needs = Some((needs, line));
            }
            Key::Requirements => {
                let names = requirement::named(&field.value).map(str::to_owned);
                values.requirements.extend(names);
                for name in
                    values.requirements.iter().filter(|name| !self.design.is_empty() && !self.asks_for(name))
                {
                    problems.warning(
                        path,
                        line,
                        format!("{name} of {what} is not in design.md: write one that is"),
                    );
                }
            }
            Key::Check => values.check = Some(field::command(&field.value).0),
            Key::Turns => match field::bare(&field.value).parse::<u32>() {
                Ok(turns) if turns > 0 => values.turns = Some(turns),
                _ => problems.error(
                    path,
                    line,
                    format!("Max Turns of {what} is {:?}: write a number", field.value),
                ),
            },
        }
    }

    /// The requirements that a step is for: those that it lists, and those of the design that it mentions.
    fn requirements(&self, title: &str, lines: &[At], listed: &[String]) -> Vec<String> {
        let mut found: Vec<String> = listed.to_vec();
        if !self.design.is_empty() {
            let texts = lines.iter().map(|(document, line)| self.documents[*document].text(*line));
            let named = std::iter::once(title).chain(texts).flat_map(requirement::named);
            found.extend(named.filter(|name| self.asks_for(name)).map(str::to_owned));
        }
        found.sort_by_key(|name| (name.len(), name.clone()));
        found.dedup();
        found
    }

    fn asks_for(&self, name: &str) -> bool {
        self.design.iter().any(|one| one.id == name)
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
                title: format!("Review of phase {}: {}", phase.number, phase.title),
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

/// What the fields of a step say.
#[derive(Default)]
struct Values {
    /// The keys that were there.
    keys: Vec<Key>,
    model: Option<String>,
    unknown_model: bool,
    files: Vec<File>,
    files_at: Option<usize>,
    needs: Option<(Vec<StepId>, usize)>,
    requirements: Vec<String>,
    check: Option<String>,
    bootstrap: Option<String>,
    turns: Option<u32>,
}

impl Values {
    fn said(&mut self, key: Key) {
        self.keys.push(key);
    }

    fn has(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }
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

/// Whether the sections are there that a cycle is made of.
fn check_sections(raw: &RawStep, body: &Body<'_>, kind: Kind, path: &str, problems: &mut Problems) {
    let id = raw.id;
    if kind == Kind::Cycle {
        if !body.has(Role::Red) {
            problems.error(
                path,
                raw.at.1,
                format!(
                    "cycle {id} has no RED heading: add `### RED` with the test and the failure it shows"
                ),
            );
        }
        if !body.has(Role::Green) && !raw.regression {
            problems.error(
                path,
                raw.at.1,
                format!("cycle {id} has no GREEN heading: add `### GREEN` with the least code that passes"),
            );
        }
    }
    let section = body.place(Role::Red).or_else(|| body.place(Role::Green));
    if let Some((_, line)) = section.filter(|_| !raw.cycle && kind == Kind::Work) {
        let text = format!(
            "step {id} has a section of a cycle, and is none: write Cycle {id} in its heading to have the test fail first"
        );
        problems.warning(path, line, text);
    }
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
