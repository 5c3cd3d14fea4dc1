//! The intent router's YAML, strictly: everything that is wrong comes at once, each with its line.

use super::{Criterion, Guardrails, Kind, Plan, Step, VERSION};
use engine_text::Problem;
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
const STEP_KEYS: &[&str] = &["text", "kind", "files"];
const CHECKPOINT: &str = "CHECKPOINT";

const SKILL: Form =
    Form { is: "the name of a skill", fits: |text| crate::chain::is_name(text.trim_start_matches('/')) };
const PATH: Form = Form { is: "a path or pattern below the project's root", fits: is_inside };

/// A plan out of the router's answer: YAML, also between prose in a fence. It has no name and no place yet.
pub fn read(text: &str) -> Result<Plan, Vec<Problem>> {
    if text.len() > LARGEST {
        let text = format!("the plan is larger than {} MB", LARGEST >> 20);
        return Err(vec![Problem { line: 1, text }]);
    }
    let (block, above) = block(text);
    let fields = yaml::read(block)
        .map_err(|problem| vec![Problem { line: problem.line + above, text: problem.text }])?;
    let mut router = Router { yaml: Reader::new(above) };
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

struct Router {
    yaml: Reader,
}

impl Router {
    fn plan(&mut self, fields: Vec<(String, Node)>) -> Plan {
        let mut plan = Plan { version: VERSION, ..Plan::default() };
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
        (1..).zip(steps).map(|(number, step)| Step { number, ..step }).collect()
    }

    fn step(&mut self, node: Node) -> Option<Step> {
        let line = node.line;
        let node = match node.value {
            // `- CHECKPOINT: it works` is a mapping to YAML, and everybody writes it so.
            Value::Map(mut fields) if fields.len() == 1 && fields[0].0 == CHECKPOINT => {
                let text = self.line(CHECKPOINT, fields.remove(0).1);
                return Some(Step { text, kind: Kind::Check, ..Step::default() });
            }
            value => Node { line, value },
        };
        if let Value::Text { .. } = node.value {
            let text = self.line("todo_items", node);
            return self.typed(line, &text, None);
        }
        let before = self.yaml.count();
        let (mut text, mut kind, mut files) = (None, None, Vec::new());
        for (key, node) in self.yaml.fields("todo_items", node, STEP_KEYS) {
            match key.as_str() {
                "text" => text = Some(self.line("todo_items: text", node)),
                "kind" => kind = self.yaml.word("todo_items: kind", node, "work, check"),
                _ => files = self.yaml.texts("todo_items: files", node, &PATH),
            }
        }
        match text {
            Some(text) => self.typed(line, &text, kind).map(|step| Step { files, ..step }),
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
    fn typed(&mut self, line: usize, text: &str, kind: Option<Kind>) -> Option<Step> {
        let (text, says) = checkpoint(text);
        if says == Kind::Check && kind == Some(Kind::Work) {
            self.yaml.problem(line, "todo_items: its text says CHECKPOINT: and its kind says work");
        }
        if text.is_empty() && says == Kind::Check {
            self.yaml.problem(line, "todo_items: a CHECKPOINT: says what it checks");
        }
        Some(Step { text: text.to_owned(), kind: kind.unwrap_or(says), ..Step::default() })
    }

    fn criteria(&mut self, what: &str, node: Node) -> Vec<Criterion> {
        let line = node.line;
        let before = self.yaml.count();
        let texts = self.lines(what, node);
        if texts.is_empty() && self.yaml.count() == before {
            self.yaml.problem(line, format!("{what}: a plan has at least one"));
        }
        self.at_most(what, line, texts.len(), MOST_CRITERIA);
        texts.into_iter().map(|text| Criterion { text, verdict: None }).collect()
    }

    fn lines(&mut self, what: &str, node: Node) -> Vec<String> {
        self.yaml.list(what, node).into_iter().map(|item| self.line(what, item)).collect()
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
pub(super) fn is_inside(path: &str) -> bool {
    let is_plain = !path.trim().is_empty() && path.len() <= LONGEST && !path.chars().any(char::is_control);
    is_plain && !path.starts_with(['/', '~']) && path.split(['/', '\\']).all(|part| part != "..")
}

impl Step {
    /// A step as it is added later; what is wrong with it otherwise.
    pub fn added(text: &str, kind: Option<Kind>, files: &[String]) -> Result<Self, String> {
        let text = text_of("a step", text)?;
        let (text, says) = checkpoint(&text);
        if text.is_empty() {
            return Err("a CHECKPOINT: says what it checks".to_owned());
        }
        if let Some(odd) = files.iter().find(|file| !is_inside(file)) {
            return Err(format!("{odd} is not {}", PATH.is));
        }
        let kind = kind.unwrap_or(says);
        Ok(Self { text: text.to_owned(), kind, files: files.to_vec(), ..Self::default() })
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
