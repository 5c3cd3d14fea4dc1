//! What leaving a phase asks for, and whether it is given.

use serde_json::{Map, Value};

use crate::skill::protocol::{Evidence, Phase, ProofField};
use engine_text::schema;

/// What leaving a phase asks for: the fields of the phase, and the schemas of its steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Demand {
    pub fields: Vec<ProofField>,
    /// By the command that declares it.
    pub schemas: Vec<(String, Value)>,
}

/// A field that names something which can be looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub field: String,
    pub evidence: Evidence,
    pub values: Vec<String>,
}

impl Evidence {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::File => "file",
            Self::Commit => "commit",
            Self::Push => "push",
        }
    }
}

impl Demand {
    /// Of a phase; `schema_of` finds the schema that a step's command declares.
    pub fn of(phase: &Phase, schema_of: impl Fn(&str) -> Option<Value>) -> Self {
        let steps = phase.steps.iter().chain(&phase.commands);
        let schemas = steps.filter_map(|step| {
            let name = step.trim_start_matches(['§', '¶']);
            Some((name.to_owned(), schema_of(name)?))
        });
        Self { fields: phase.proof.clone(), schemas: schemas.collect() }
    }

    pub fn is_empty(&self) -> bool {
        let asks = |schema: &Value| schema.is_null() || !schema::required(schema).is_empty();
        self.fields.is_empty() && !self.schemas.iter().any(|(_, schema)| asks(schema))
    }

    /// The names that must be given, each once, with what kind of evidence counts.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .fields
            .iter()
            .map(|field| match field.evidence {
                Some(evidence) => format!("{} ({})", field.name, evidence.as_str()),
                None => field.name.clone(),
            })
            .collect();
        for (_, declared) in &self.schemas {
            for name in schema::required(declared) {
                if !self.fields.iter().any(|field| field.name == name)
                    && !names.iter().any(|known| known == name)
                {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }

    /// The options that would give it.
    pub fn options(&self) -> String {
        let name = |name: String| format!("--proof {}=…", name.split(' ').next().unwrap_or_default());
        self.names().into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// Everything that is wrong with a proof, but for what its evidence comes to.
    pub fn problems(&self, proof: &Map<String, Value>) -> Vec<String> {
        let mut found = Vec::new();
        for field in &self.fields {
            match proof.get(&field.name) {
                None => found.push(format!("{} is missing", field.name)),
                Some(value) if is_empty(value) => found.push(format!("{} is empty", field.name)),
                Some(value) => {
                    if let Some(kind) = &field.kind {
                        let declared = serde_json::json!({"type": kind});
                        found.extend(schema::problems(&declared, value, &field.name));
                    }
                }
            }
        }
        let whole = Value::Object(proof.clone());
        for (command, declared) in &self.schemas {
            if declared.is_null() {
                found.push(format!("the schema of §{command} is no JSON"));
            }
            found.extend(schema::problems(declared, &whole, "the proof"));
            let required = schema::required(declared);
            let empty = required.iter().filter(|name| proof.get(**name).is_some_and(is_empty));
            found.extend(empty.map(|name| format!("{name} is empty")));
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|line| seen.insert(line.clone()));
        found
    }

    /// What is to be looked up.
    pub fn claims(&self, proof: &Map<String, Value>) -> Vec<Claim> {
        let claim = |field: &ProofField| {
            let evidence = field.evidence?;
            let values = texts(proof.get(&field.name)?, evidence);
            Some(Claim { field: field.name.clone(), evidence, values })
        };
        self.fields.iter().filter_map(claim).collect()
    }
}

/// The texts of a claim: `"cargo test"`, `["a.rs", "b.rs"]` or `{"command": "cargo test"}`.
fn texts(value: &Value, evidence: Evidence) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(|item| texts(item, evidence)).collect(),
        Value::Object(object) => {
            object.get(evidence.as_str()).map(|value| texts(value, evidence)).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Nothing, or the line that a form leaves to be filled in.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        // A line to be filled in, or the dots of an example, say nothing either.
        Value::String(text) => !text.chars().any(char::is_alphanumeric),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(object) => object.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The schema that a text declares for a command: `## PROOF FOR §CMD_X` and the JSON behind it; null if that is no JSON.
pub fn declared_in(text: &str, command: &str) -> Option<Value> {
    let wanted = command.trim_start_matches(['§', '¶']);
    let mut lines = text.lines();
    lines.find(|line| {
        line.strip_prefix("## PROOF FOR ")
            .is_some_and(|name| name.trim().trim_start_matches(['§', '¶']) == wanted)
    })?;
    let behind: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let start = behind.iter().position(|line| line.trim_start().starts_with("```"))?;
    let code = behind[start + 1..].iter().take_while(|line| !line.trim_start().starts_with("```"));
    Some(serde_json::from_str(&code.copied().collect::<Vec<_>>().join("\n")).unwrap_or_default())
}
