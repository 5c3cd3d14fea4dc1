//! From the tree to the types, with everything that is wrong on the way.

use super::label::not_a_label;
use super::{CUSTOM, Evidence, Label, ModeOfWork, Phase, Problem, ProofField, Protocol};
use engine_text::yaml::{self, ANY, Form, Node, Value};

pub(super) struct Reader {
    yaml: yaml::Reader,
    remarks: Vec<Problem>,
}

/// What every tree is read by; the methods below know protocols.
impl std::ops::Deref for Reader {
    type Target = yaml::Reader;

    fn deref(&self) -> &yaml::Reader {
        &self.yaml
    }
}

impl std::ops::DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut yaml::Reader {
        &mut self.yaml
    }
}

impl Reader {
    pub(super) fn new(above: usize) -> Self {
        Self { yaml: yaml::Reader::new(above), remarks: Vec::new() }
    }

    pub(super) fn done(self) -> (Vec<Problem>, Vec<Problem>) {
        (self.yaml.done(), self.remarks)
    }

    fn remark(&mut self, line: usize, text: impl Into<String>) {
        let line = self.yaml.place(line);
        self.remarks.push(Problem { line, text: text.into() });
    }

    pub(super) fn protocol(&mut self, node: Node) -> Protocol {
        let mut protocol = Protocol::default();
        let mut small = Vec::new();
        let line = node.line;
        for (key, node) in self.fields("engine", node, KEYS) {
            match key.as_str() {
                "taskType" => protocol.task_type = self.text(&key, node),
                "phases" => protocol.phases = self.phases(node),
                "nextSkills" => protocol.next_skills = self.texts(&key, node, &NEXT_SKILL),
                "directives" => protocol.directives = self.texts(&key, node, &DIRECTIVE),
                "logTemplate" => protocol.log_template = self.file(&key, node),
                "planTemplate" => protocol.plan_template = self.file(&key, node),
                "debriefTemplate" => protocol.debrief_template = self.file(&key, node),
                "requestTemplate" => protocol.request_template = self.file(&key, node),
                "responseTemplate" => protocol.response_template = self.file(&key, node),
                "small" => small = self.labels(node),
                _ => self.modes(node, &mut protocol),
            }
        }
        if protocol.phases.is_empty() && self.count() == 0 {
            self.problem(line, "a protocol has phases");
        }
        protocol.small = self.small(&small, &protocol.phases);
        protocol
    }

    /// The labels of a list, each with its line.
    fn labels(&mut self, node: Node) -> Vec<(usize, Label)> {
        let mut labels = Vec::new();
        for node in self.list("small", node) {
            let line = node.line;
            labels.extend(self.label(node).map(|label| (line, label)));
        }
        labels
    }

    /// The phases of a small run, in order: each is one of the declared ones.
    fn small(&mut self, named: &[(usize, Label)], phases: &[Phase]) -> Vec<Label> {
        let mut small: Vec<Label> = Vec::new();
        for (line, label) in named {
            if phases.iter().any(|phase| phase.label == *label) {
                small.push(label.clone());
            } else {
                self.problem(*line, format!("small: there is no phase {label}"));
            }
        }
        small.sort();
        small.dedup();
        let is_test = |field: &ProofField| field.evidence == Some(Evidence::Tests);
        let tests = |phase: &Phase| small.contains(&phase.label) && phase.proof.iter().any(is_test);
        if let Some((line, _)) = named.first().filter(|_| !phases.iter().any(tests)) {
            self.problem(*line, "small: none of its phases asks for evidence: tests");
        }
        small
    }

    /// The path of a file in the skill's folder.
    fn file(&mut self, what: &str, node: Node) -> Option<String> {
        let line = node.line;
        let path = self.text(what, node)?;
        let inside = !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..");
        if !inside {
            self.problem(line, format!("{what}: {path} is not in the skill's folder"));
        }
        inside.then_some(path)
    }

    /// The phases by their labels; one without label or name is left out.
    fn phases(&mut self, node: Node) -> Vec<Phase> {
        let mut phases: Vec<Phase> = Vec::new();
        for node in self.list("phases", node) {
            let line = node.line;
            let Some(phase) = self.phase(node) else { continue };
            if phases.iter().any(|other| other.label == phase.label) {
                self.problem(line, format!("the label {} stands twice", phase.label));
                continue;
            }
            if let Some(before) = phases.last().filter(|before| before.label > phase.label) {
                self.remark(line, format!("phase {} stands behind {}", phase.label, before.label));
            }
            phases.push(phase);
        }
        phases.sort_by(|a, b| a.label.cmp(&b.label));
        phases
    }

    fn phase(&mut self, node: Node) -> Option<Phase> {
        let line = node.line;
        let problems = self.count();
        let (mut label, mut name, mut phase) = (None, None, Phase::default());
        for (key, node) in self.fields("a phase", node, PHASE_KEYS) {
            match key.as_str() {
                "label" => label = self.label(node),
                "name" => name = self.text("name", node),
                "steps" => phase.steps = self.texts("steps", node, &STEP),
                "commands" => phase.commands = self.texts("commands", node, &ANY),
                "proof" => phase.proof = self.proof(node),
                _ => phase.gate = self.flag("gate", node),
            }
        }
        match (label, name) {
            (Some(label), Some(name)) => Some(Phase { label, name, ..phase }),
            // Said once: not that a label is missing where it is wrong.
            _ if self.count() > problems => None,
            _ => {
                self.problem(line, "a phase has a label and a name");
                None
            }
        }
    }

    fn label(&mut self, node: Node) -> Option<Label> {
        let line = node.line;
        let text = self.text("label", node)?;
        let label = Label::parse(&text);
        if label.is_none() {
            self.problem(line, not_a_label(&text));
        }
        label
    }

    fn proof(&mut self, node: Node) -> Vec<ProofField> {
        let mut fields: Vec<ProofField> = Vec::new();
        for node in self.list("proof", node) {
            let line = node.line;
            let Some(field) = self.proof_field(node) else { continue };
            if fields.iter().any(|other| other.name == field.name) {
                self.problem(line, format!("proof: {} stands twice", field.name));
            } else {
                fields.push(field);
            }
        }
        fields
    }

    fn proof_field(&mut self, node: Node) -> Option<ProofField> {
        let line = node.line;
        if let Value::Text { .. } = node.value {
            let name = self.text("proof", node)?;
            return Some(ProofField { name, ..ProofField::default() });
        }
        let problems = self.count();
        let mut field = ProofField::default();
        for (key, node) in self.fields("proof", node, PROOF_KEYS) {
            match key.as_str() {
                "name" => field.name = self.text("proof: name", node).unwrap_or_default(),
                "type" => field.kind = self.word("proof: type", node, TYPES),
                _ => field.evidence = self.word("proof: evidence", node, &Evidence::known()),
            }
        }
        if field.name.is_empty() && self.count() == problems {
            self.problem(line, "proof: a field has a name");
        }
        (!field.name.is_empty()).then_some(field)
    }

    fn modes(&mut self, node: Node, protocol: &mut Protocol) {
        let line = node.line;
        let Value::Map(fields) = node.value else {
            self.problem(line, "modes is no mapping");
            return;
        };
        for (key, node) in fields {
            let line = node.line;
            let mode = self.mode(&key, node);
            if protocol.modes.insert(key.clone(), mode).is_some() {
                self.problem(line, format!("the mode {key} stands twice"));
            }
        }
        if protocol.modes.len() != 4 || !protocol.modes.contains_key(CUSTOM) {
            let keys: Vec<&str> = protocol.modes.keys().map(String::as_str).collect();
            self.remark(
                line,
                format!("modes are three with a name, and {CUSTOM}; here: {}", keys.join(", ")),
            );
        }
    }

    fn mode(&mut self, key: &str, node: Node) -> ModeOfWork {
        let line = node.line;
        let problems = self.count();
        let mut mode = ModeOfWork::default();
        for (field, node) in self.fields(&format!("the mode {key}"), node, MODE_KEYS) {
            match field.as_str() {
                "label" => mode.label = self.text("label", node).unwrap_or_default(),
                "description" => mode.description = self.text("description", node).unwrap_or_default(),
                _ => mode.file = self.file("file", node).unwrap_or_default(),
            }
        }
        let whole = [&mode.label, &mode.description, &mode.file].iter().all(|text| !text.is_empty());
        if !whole && self.count() == problems {
            self.problem(line, format!("the mode {key} has a label, a description and a file"));
        }
        mode
    }
}

const KEYS: &[&str] = &[
    "taskType",
    "phases",
    "nextSkills",
    "directives",
    "logTemplate",
    "planTemplate",
    "debriefTemplate",
    "requestTemplate",
    "responseTemplate",
    "modes",
    "small",
];
const PHASE_KEYS: &[&str] = &["label", "name", "steps", "commands", "proof", "gate"];
const PROOF_KEYS: &[&str] = &["name", "type", "evidence"];
const MODE_KEYS: &[&str] = &["label", "description", "file"];
const TYPES: &str = "string, number, integer, boolean, array, object";

const STEP: Form = Form { is: "written §CMD_NAME", fits: is_step };
const NEXT_SKILL: Form =
    Form { is: "written /skill", fits: |text| text.strip_prefix('/').is_some_and(crate::chain::is_name) };
const DIRECTIVE: Form = Form {
    is: "the name of a Markdown file",
    fits: |text| text.strip_suffix(".md").is_some_and(|name| !name.is_empty() && !name.contains('/')),
};

fn is_step(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.strip_prefix("§CMD_").is_some_and(|name| !name.is_empty() && name.chars().all(is_part))
}
