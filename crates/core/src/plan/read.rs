//! The intent router's YAML, strictly: everything that is wrong comes at once, each with its line.

use super::{Criterion, Guardrails, Kind, ORDINARY, Plan, Step, StepId};
use crate::evidence::proof::{Command, Judge, Proof};
use engine_text::Problem;
use engine_text::line::is_unprintable;
use engine_text::markdown::Lines;
use engine_text::yaml::{self, Form, Node, Reader, Value};

/// Larger than any honest plan.
pub const LARGEST: usize = 1 << 20;
pub(super) const MOST_STEPS: usize = 200;
pub(super) const MOST_CRITERIA: usize = 50;
const MOST_PATTERNS: usize = 50;
/// Characters of a step or a criterion.
const LONGEST: usize = 500;

const KEYS: &[&str] = &[
    "task_type",
    "workflow",
    "skills_to_invoke",
    "guardrails",
    "enriched_context",
    "todo_items",
    "acceptance_criteria",
    "scope",
    "warnings",
    "original_fragment",
    "supervise",
];
/// Those that may be left out.
const OPTIONAL: &[&str] = &["scope", "supervise"];
const GUARDRAILS: &[&str] = &[
    "plan_mode",
    "verify_before_complete",
    "answer_only",
    "require_acceptance_test",
    "quote_errors_exactly",
    "fix_within_design",
    "require_skill",
];
const PROOF_KEYS: &[&str] = &["proof", "in", "fails", "file", "commit", "push", "judge"];
const CRITERION_KEYS: &[&str] = &["text", "proof", "in", "fails", "file", "commit", "push", "judge"];
const STEP_KEYS: &[&str] =
    &["text", "CHECKPOINT", "kind", "files", "proof", "in", "fails", "file", "commit", "push", "judge"];
const CHECKPOINT: &str = "CHECKPOINT";

const SKILL: Form =
    Form { is: "the name of a skill", fits: |text| crate::chain::is_name(text.trim_start_matches('/')) };
const PATH: Form = Form { is: "a path or pattern below the project's root", fits: is_inside };

/// A plan out of the router's answer: YAML, also between prose in a fence. It has no name and no place yet. `checks`: commands that
/// check this project, to propose where a proof is missing.
pub fn read(text: &str, checks: &[String]) -> Result<Plan, Vec<Problem>> {
    if text.len() > LARGEST {
        let text = format!("the plan is larger than {} MB", LARGEST >> 20);
        return Err(vec![Problem { line: 1, text }]);
    }
    let (block, above) = block(text);
    let fields = yaml::read(block)
        .map_err(|problem| vec![Problem { line: problem.line + above, text: problem.text }])?;
    let mut router = Router { yaml: Reader::new(above), checks };
    let plan = router.plan(fields);
    let problems = router.yaml.done();
    if problems.is_empty() { Ok(plan) } else { Err(problems) }
}

/// The YAML of an answer, and how many lines stand above it.
fn block(text: &str) -> (&str, usize) {
    let first = text.lines().map(str::trim_end).find(|line| !line.is_empty()).unwrap_or_default();
    let is_key = |line: &str| line.split_once(':').is_some_and(|(key, _)| KEYS.contains(&key));
    if is_key(first) || first == "---" {
        return (text, 0);
    }
    let lines = Lines::new(text);
    let is_ours =
        |info: &str| matches!(info, "yaml" | "yml") || (info.is_empty() && first.starts_with("```"));
    let Some(block) = lines.blocks.iter().find(|block| is_ours(&block.info)) else { return (text, 0) };
    let start = lines.all.get(block.lines.start).map_or(text.len(), |line| line.start);
    let end = lines.all.get(block.lines.end).map_or(text.len(), |line| line.start);
    (&text[start..end.max(start)], block.lines.start)
}

struct Router<'a> {
    yaml: Reader,
    checks: &'a [String],
}

impl Router<'_> {
    fn plan(&mut self, fields: Vec<(String, Node)>) -> Plan {
        let mut plan = Plan { version: ORDINARY, ..Plan::default() };
        let node = Node { line: 1, value: Value::Map(fields) };
        let fields = self.yaml.fields("the plan", node, KEYS);
        for key in KEYS.iter().filter(|key| !OPTIONAL.contains(key)) {
            if !fields.iter().any(|(name, _)| name == key) {
                self.yaml.problem(1, format!("{key} is missing"));
            }
        }
        let mut todo = None;
        for (key, node) in fields {
            match key.as_str() {
                "task_type" => plan.task_type = self.line(&key, node),
                "workflow" => plan.workflow = self.line(&key, node),
                "skills_to_invoke" => plan.skills_to_invoke = self.yaml.texts(&key, node, &SKILL),
                "guardrails" => plan.guardrails = self.guardrails(node),
                "enriched_context" => plan.enriched_context = self.prose(&key, node),
                "todo_items" => {
                    todo = Some(node.line);
                    plan.steps = self.steps(node);
                }
                "acceptance_criteria" => plan.criteria = self.criteria(&key, node),
                "scope" => {
                    let line = node.line;
                    plan.scope = self.yaml.texts(&key, node, &PATH);
                    self.at_most(&key, line, plan.scope.len(), MOST_PATTERNS);
                }
                "warnings" => plan.warnings = self.lines(&key, node),
                "original_fragment" => {
                    let text = self.yaml.text(&key, node).unwrap_or_default();
                    text.trim_end().clone_into(&mut plan.original_fragment);
                }
                _ => plan.supervise = self.yaml.flag(&key, node),
            }
        }
        let checked = plan.steps.iter().any(|step| step.kind == Kind::Check);
        if let Some(line) = todo.filter(|_| plan.guardrails.require_acceptance_test && !checked) {
            let text = "require_acceptance_test is true and no step is a check: one starts with CHECKPOINT: or has kind: check";
            self.yaml.problem(line, format!("todo_items: {text}"));
        }
        plan
    }

    fn guardrails(&mut self, node: Node) -> Guardrails {
        let line = node.line;
        let is_map = matches!(node.value, Value::Map(_));
        let mut rails = Guardrails::default();
        let fields = self.yaml.fields("guardrails", node, GUARDRAILS);
        for key in GUARDRAILS.iter().filter(|_| is_map) {
            if !fields.iter().any(|(name, _)| name == key) {
                self.yaml.problem(line, format!("guardrails: {key} is missing"));
            }
        }
        for (key, node) in fields {
            let what = format!("guardrails: {key}");
            match key.as_str() {
                "plan_mode" => rails.plan_mode = self.yaml.flag(&what, node),
                "verify_before_complete" => rails.verify_before_complete = self.yaml.flag(&what, node),
                "answer_only" => rails.answer_only = self.yaml.flag(&what, node),
                "require_acceptance_test" => rails.require_acceptance_test = self.yaml.flag(&what, node),
                "quote_errors_exactly" => rails.quote_errors_exactly = self.yaml.flag(&what, node),
                "fix_within_design" => rails.fix_within_design = self.yaml.flag(&what, node),
                _ => rails.require_skill = self.skill(&what, node),
            }
        }
        rails
    }

    fn skill(&mut self, what: &str, node: Node) -> Option<String> {
        // The presets have no other word for none than an empty text.
        if node.value == Value::Empty || matches!(&node.value, Value::Text { text } if text.is_empty()) {
            return None;
        }
        let line = node.line;
        let skill = self.yaml.text(what, node)?;
        let fits = (SKILL.fits)(&skill) && !matches!(skill.as_str(), "true" | "false");
        if !fits {
            self.yaml.problem(line, format!("{what}: {skill} is no name of a skill, nor null"));
        }
        fits.then(|| skill.trim_start_matches('/').to_owned())
    }

    fn steps(&mut self, node: Node) -> Vec<Step> {
        let line = node.line;
        let before = self.yaml.count();
        let items = self.yaml.list("todo_items", node);
        if items.is_empty() && self.yaml.count() == before {
            self.yaml.problem(line, "todo_items: a plan has at least one step");
        }
        self.at_most("todo_items", line, items.len(), MOST_STEPS);
        let steps: Vec<Step> = items.into_iter().filter_map(|item| self.step(item)).collect();
        (1..).zip(steps).map(|(number, step)| Step { number: StepId::from(number), ..step }).collect()
    }

    fn step(&mut self, node: Node) -> Option<Step> {
        let line = node.line;
        let node = text_with_colon(node, STEP_KEYS);
        if let Value::Text { .. } = node.value {
            let text = self.line("todo_items", node);
            return self.typed(line, &text, None, None);
        }
        let before = self.yaml.count();
        let (mut text, mut kind, mut files, mut proofs) = (None, None, Vec::new(), Vec::new());
        for (key, node) in self.yaml.fields("todo_items", node, STEP_KEYS) {
            match key.as_str() {
                "text" => text = Some(self.line("todo_items: text", node)),
                // `- CHECKPOINT: it works` is a mapping to YAML, and everybody writes it so.
                CHECKPOINT => text = Some(format!("{CHECKPOINT}: {}", self.line(CHECKPOINT, node))),
                "kind" => kind = self.yaml.word("todo_items: kind", node, "work, check"),
                "files" => files = self.yaml.texts("todo_items: files", node, &PATH),
                _ => proofs.push((key, node)),
            }
        }
        let proof = self.proof("todo_items", line, proofs);
        // What is wrong with it has been said.
        let proof = if self.yaml.count() > before { Some(Proof::Commit) } else { proof };
        match text {
            Some(text) => self.typed(line, &text, kind, proof).map(|step| Step { files, ..step }),
            None => {
                if self.yaml.count() == before {
                    self.yaml
                        .problem(line, "todo_items: an entry has a text; one with a colon stands in quotes");
                }
                None
            }
        }
    }

    /// A step by its text, which may say itself that it is a check.
    fn typed(&mut self, line: usize, text: &str, kind: Option<Kind>, proof: Option<Proof>) -> Option<Step> {
        let (text, says) = checkpoint(text);
        if says == Kind::Check && kind == Some(Kind::Work) {
            self.yaml.problem(line, "todo_items: its text says CHECKPOINT: and its kind says work");
        }
        if text.is_empty() && says == Kind::Check {
            self.yaml.problem(line, "todo_items: a CHECKPOINT: says what it checks");
        }
        let kind = kind.unwrap_or(says);
        if kind == Kind::Check && proof.is_none() && !text.is_empty() {
            self.unproved("todo_items", line, text);
        }
        Some(Step { text: text.to_owned(), kind, proof, ..Step::default() })
    }

    /// The proof that is declared beside a text.
    fn proof(&mut self, what: &str, line: usize, fields: Vec<(String, Node)>) -> Option<Proof> {
        let mut folder = None;
        let mut found: Vec<Proof> = Vec::new();
        let before = self.yaml.count();
        for (key, node) in fields {
            let named = format!("{what}: {key}");
            match key.as_str() {
                "in" => folder = self.folder(&named, node),
                "commit" => found.extend(self.yaml.flag(&named, node).then_some(Proof::Commit)),
                "push" => found.extend(self.yaml.flag(&named, node).then_some(Proof::Push)),
                "judge" => {
                    let word = self.line(&named, node);
                    match Judge::parse(&word) {
                        Some(judge) => found.push(Proof::Judge(judge)),
                        None => self
                            .yaml
                            .problem(line, format!("{named}: {word} is not known; known: qa, person")),
                    }
                }
                "file" => {
                    let path = self.line(&named, node);
                    if (PATH.fits)(&path) {
                        found.push(Proof::File(path));
                    } else {
                        self.yaml.problem(line, format!("{named}: {path} is not {}", PATH.is));
                    }
                }
                key => {
                    let text = self.line(&named, node);
                    found.extend(proof_of(key, &text));
                }
            }
        }
        if self.yaml.count() > before {
            return None;
        }
        if found.len() > 1 {
            self.yaml.problem(line, format!("{what}: a text has one proof, and here are {}", found.len()));
        }
        match (found.pop(), folder) {
            (Some(Proof::Passes(one)), Some(folder)) => Some(Proof::Passes(Command::new(&one.line, &folder))),
            (Some(Proof::Fails(one)), Some(folder)) => Some(Proof::Fails(Command::new(&one.line, &folder))),
            (proof, None) => proof,
            (_, Some(_)) => {
                self.yaml.problem(line, format!("{what}: in belongs to a command (proof: or fails:)"));
                None
            }
        }
    }

    fn folder(&mut self, what: &str, node: Node) -> Option<String> {
        let line = node.line;
        let folder = self.line(what, node);
        let fits = folder == "." || (PATH.fits)(&folder);
        if !fits {
            self.yaml.problem(line, format!("{what}: {folder} is not a folder below the project's root"));
        }
        fits.then_some(folder)
    }

    fn unproved(&mut self, what: &str, line: usize, text: &str) {
        self.yaml.problem(line, format!("{what}: {}", unproved(text, self.checks)));
    }

    fn criteria(&mut self, what: &str, node: Node) -> Vec<Criterion> {
        let line = node.line;
        let before = self.yaml.count();
        let items = self.yaml.list(what, node);
        if items.is_empty() && self.yaml.count() == before {
            self.yaml.problem(line, format!("{what}: a plan has at least one"));
        }
        self.at_most(what, line, items.len(), MOST_CRITERIA);
        items.into_iter().filter_map(|item| self.criterion(what, item)).collect()
    }

    fn criterion(&mut self, what: &str, node: Node) -> Option<Criterion> {
        let line = node.line;
        let is_proof = |(key, _): &(String, Node)| PROOF_KEYS.contains(&key.as_str());
        let is_declared = match &node.value {
            Value::Map(fields) => fields.iter().any(|field| field.0 == "text" || is_proof(field)),
            _ => false,
        };
        if !is_declared {
            let before = self.yaml.count();
            let text = self.line(what, node);
            if self.yaml.count() == before {
                self.unproved(what, line, &text);
            }
            return None;
        }
        let before = self.yaml.count();
        let (mut text, mut proofs) = (None, Vec::new());
        for (key, node) in self.yaml.fields(what, node, CRITERION_KEYS) {
            match key.as_str() {
                "text" => text = Some(self.line(&format!("{what}: text"), node)),
                _ => proofs.push((key, node)),
            }
        }
        let proof = self.proof(what, line, proofs);
        match (text, proof) {
            (Some(text), Some(proof)) => return Some(Criterion::new(text, proof)),
            _ if self.yaml.count() > before => {}
            (None, _) => self.yaml.problem(line, format!("{what}: an entry has a text")),
            (Some(text), None) => self.unproved(what, line, &text),
        }
        None
    }

    fn lines(&mut self, what: &str, node: Node) -> Vec<String> {
        let items = self.yaml.list(what, node).into_iter();
        items.map(|item| self.line(what, text_with_colon(item, &[]))).collect()
    }

    /// A text of one line that is not too long.
    fn line(&mut self, what: &str, node: Node) -> String {
        let line = node.line;
        let is_map = matches!(node.value, Value::Map(_));
        let before = self.yaml.count();
        let text = one_line(&self.yaml.text(what, node).unwrap_or_default());
        if is_map && self.yaml.count() > before {
            self.yaml.problem(line, format!("{what}: a text with a colon stands in quotes"));
        }
        if text.chars().count() > LONGEST {
            self.yaml.problem(line, format!("{what} is longer than {LONGEST} characters"));
        }
        text
    }

    /// A text that may be empty.
    fn prose(&mut self, what: &str, node: Node) -> String {
        match node.value {
            Value::Text { text } => text.trim_end().to_owned(),
            Value::Empty => String::new(),
            _ => self.yaml.text(what, node).unwrap_or_default(),
        }
    }

    fn at_most(&mut self, what: &str, line: usize, count: usize, most: usize) {
        if count > most {
            self.yaml.problem(line, format!("{what}: {count} are too many; at most {most}"));
        }
    }
}

/// `- Reproduce it: pytest -q` is a mapping to YAML and a text to everybody else. `known`: keys that make it a mapping.
fn text_with_colon(node: Node, known: &[&str]) -> Node {
    let Node { line, value } = node;
    let value = match value {
        Value::Map(fields) => match fields.as_slice() {
            [(key, Node { value: Value::Text { text }, .. })] if !known.contains(&key.as_str()) => {
                Value::Text { text: format!("{key}: {text}") }
            }
            _ => Value::Map(fields),
        },
        other => other,
    };
    Node { line, value }
}

/// The proof that a word and its text declare: `proof: pytest -q`, `proof: commit`, `fails: pytest -q`.
fn proof_of(key: &str, text: &str) -> Option<Proof> {
    match (key, text) {
        (_, "") => None,
        ("fails", line) => Some(Proof::Fails(Command::new(line, ""))),
        (_, "commit") => Some(Proof::Commit),
        (_, "push") => Some(Proof::Push),
        (_, line) => Some(Proof::Passes(Command::new(line, ""))),
    }
}

/// What is said of a text without a proof. `checks`: commands that check this project.
pub fn unproved(text: &str, checks: &[String]) -> String {
    let known = match checks {
        [] => "CMD".to_owned(),
        checks => checks.iter().take(4).map(|check| format!("{check:?}")).collect::<Vec<_>>().join(" or "),
    };
    format!(
        "{text:?} has no proof. Write {{text: …, proof: {known}}}; or fails: CMD, file: PATH, proof: commit, proof: push, judge: qa, judge: person"
    )
}

/// What a step's text says, and whether it says that it is a check.
pub(super) fn checkpoint(text: &str) -> (&str, Kind) {
    match text.strip_prefix(CHECKPOINT).and_then(|rest| rest.strip_prefix(':')) {
        Some(rest) => (rest.trim(), Kind::Check),
        None => (text, Kind::Work),
    }
}

/// Blanks and line ends as one blank, nothing that a terminal would act on.
pub(super) fn one_line(text: &str) -> String {
    let words =
        text.split_whitespace().map(|word| word.chars().filter(|c| !c.is_control()).collect::<String>());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A path that stays below the project's root.
pub fn is_inside(path: &str) -> bool {
    let is_plain = !path.trim().is_empty() && path.len() <= LONGEST && !path.chars().any(is_unprintable);
    is_plain && !path.starts_with(['/', '~']) && path.split(['/', '\\']).all(|part| part != "..")
}

impl Step {
    /// A step as it is added later; what is wrong with it otherwise.
    pub fn added(
        text: &str,
        kind: Option<Kind>,
        files: &[String],
        proof: Option<Proof>,
    ) -> Result<Self, String> {
        let text = text_of("a step", text)?;
        let (text, says) = checkpoint(&text);
        if text.is_empty() {
            return Err("a CHECKPOINT: says what it checks".to_owned());
        }
        if let Some(odd) = files.iter().find(|file| !is_inside(file)) {
            return Err(format!("{odd} is not {}", PATH.is));
        }
        let kind = kind.unwrap_or(says);
        if kind == Kind::Check && proof.is_none() {
            return Err(format!("a check has a proof: engine plan add {text:?} --kind check --proof CMD"));
        }
        Ok(Self { text: text.to_owned(), kind, files: files.to_vec(), proof, ..Self::default() })
    }
}

/// The text of a step or criterion that comes from the command line.
pub fn text_of(what: &str, text: &str) -> Result<String, String> {
    let text = one_line(text);
    if text.is_empty() {
        Err(format!("{what} needs a text"))
    } else if text.chars().count() > LONGEST {
        Err(format!("{what} is longer than {LONGEST} characters"))
    } else {
        Ok(text)
    }
}
