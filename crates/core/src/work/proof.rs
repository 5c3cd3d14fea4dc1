//! What leaving a phase asks for, and whether it is given.

use serde_json::{Map, Value};

use super::{Passed, Run};
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

impl Demand {
    /// Of a phase; `schema_of` finds the schema that a step's command declares. A property with `evidence` is a field like the phase's own.
    pub fn of(phase: &Phase, schema_of: impl Fn(&str) -> Option<Value>) -> Self {
        let steps = phase.steps.iter().chain(&phase.commands);
        let schemas = steps.filter_map(|step| {
            let name = step.trim_start_matches(['§', '¶']);
            Some((name.to_owned(), schema_of(name)?))
        });
        let mut demand = Self { fields: phase.proof.clone(), schemas: schemas.collect() };
        for (_, declared) in &demand.schemas {
            for (name, word) in evidence_of(declared) {
                let Some(evidence) = Evidence::of(word) else { continue };
                match demand.fields.iter_mut().find(|field| field.name == name) {
                    Some(field) => {
                        field.evidence.get_or_insert(evidence);
                    }
                    None => demand.fields.push(ProofField {
                        name: name.to_owned(),
                        evidence: Some(evidence),
                        ..ProofField::default()
                    }),
                }
            }
        }
        demand
    }

    pub fn is_empty(&self) -> bool {
        let asks = |schema: &Value| schema.is_null() || !schema::required(schema).is_empty();
        self.fields.is_empty() && !self.schemas.iter().any(|(_, schema)| asks(schema))
    }

    /// What leaving asks for, each once, with what kind of evidence counts.
    pub fn names(&self) -> Vec<String> {
        let shown = |field: &ProofField| match field.evidence {
            Some(evidence) if evidence.needs_no_value() => {
                format!("{} ({}, looked up without a value)", field.name, evidence.as_str())
            }
            Some(evidence) => format!("{} ({})", field.name, evidence.as_str()),
            None => field.name.clone(),
        };
        let names = self.fields.iter().map(shown);
        names.chain(self.of_schemas().into_iter().map(str::to_owned)).collect()
    }

    /// The options that would give it.
    pub fn options(&self) -> String {
        let fields = self.fields.iter().filter(|field| !needs_no_value(field));
        let names = fields.map(|field| field.name.as_str()).chain(self.of_schemas());
        names.map(|name| format!("--proof {name}=…")).collect::<Vec<_>>().join(" ")
    }

    /// The names that only schemas ask for.
    fn of_schemas(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.schemas.iter().flat_map(|(_, declared)| schema::required(declared)) {
            if !self.fields.iter().any(|field| field.name == name) && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Everything that is wrong with a proof, but for what its evidence comes to.
    pub fn problems(&self, proof: &Map<String, Value>) -> Vec<String> {
        let mut found = Vec::new();
        for field in self.fields.iter().filter(|field| !needs_no_value(field)) {
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
            for (_, word) in evidence_of(declared).filter(|(_, word)| Evidence::of(word).is_none()) {
                let known = Evidence::known();
                found.push(format!("the schema of §{command}: evidence: {word} is not one of {known}"));
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

    /// What is to be looked up: also what no value was given for, if it needs none.
    pub fn claims(&self, proof: &Map<String, Value>) -> Vec<Claim> {
        let claim = |field: &ProofField| {
            let evidence = field.evidence?;
            let given = proof.get(&field.name);
            if given.is_none() && !evidence.needs_no_value() {
                return None;
            }
            let values = given.map(|value| texts(value, evidence)).unwrap_or_default();
            Some(Claim { field: field.name.clone(), evidence, values })
        };
        self.fields.iter().filter_map(claim).collect()
    }

    /// The field that asks for a kind of evidence.
    pub fn field(&self, evidence: Evidence) -> Option<&ProofField> {
        self.fields.iter().find(|field| field.evidence == Some(evidence))
    }

    /// What of a proof leaving asks for, or its schemas know.
    pub fn own(&self, mut proof: Map<String, Value>) -> Map<String, Value> {
        let is_known = |name: &str| {
            let knows = |schema: &Value| schema["properties"].get(name).is_some();
            self.fields.iter().any(|field| field.name == name)
                || self.of_schemas().contains(&name)
                || self.schemas.iter().any(|(_, schema)| knows(schema))
        };
        proof.retain(|name, _| is_known(name));
        proof
    }

    /// A proof as it is written down: without values that nobody asked for and nobody looked at.
    pub fn recorded(&self, mut proof: Map<String, Value>) -> Map<String, Value> {
        for field in self.fields.iter().filter(|field| needs_no_value(field)) {
            proof.remove(&field.name);
        }
        proof
    }
}

/// What was last proved of a kind in a run: the values that a phase was left with.
pub fn last_proved(run: &Run, evidence: Evidence, demand_of: impl Fn(&Phase) -> Demand) -> Vec<String> {
    let of_phase = |passed: &Passed| {
        let phase = run.phases.iter().find(|phase| phase.to_string() == passed.phase)?;
        let mut claims = demand_of(phase).claims(passed.proof.as_ref()?.as_object()?).into_iter();
        claims.find(|claim| claim.evidence == evidence && !claim.values.is_empty())
    };
    run.history.iter().rev().find_map(of_phase).map(|claim| claim.values).unwrap_or_default()
}

fn needs_no_value(field: &ProofField) -> bool {
    field.evidence.is_some_and(Evidence::needs_no_value)
}

/// The properties of a schema that name a kind of evidence, with its word.
fn evidence_of(schema: &Value) -> impl Iterator<Item = (&str, &str)> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.filter_map(|(name, declared)| Some((name.as_str(), declared["evidence"].as_str()?)))
}

/// The texts of a claim: `"cargo test"`, `["a.rs", "b.rs"]` or `{"command": "cargo test"}`.
fn texts(value: &Value, evidence: Evidence) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(|item| texts(item, evidence)).collect(),
        Value::Object(object) => {
            object.get(evidence.names()).map(|value| texts(value, evidence)).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A phase with fields of its own, and with a step that declares others.
    fn demand(schema: &Value) -> Demand {
        let field = |name: &str, evidence| ProofField { name: name.to_owned(), kind: None, evidence };
        let phase = Phase {
            steps: vec!["§CMD_X".to_owned()],
            proof: vec![field("depth", None), field("done", Some(Evidence::Steps)), field("plan", None)],
            ..Phase::default()
        };
        Demand::of(&phase, |command| (command == "CMD_X").then(|| schema.clone()))
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_step_declares_fields_that_are_looked_up() {
        let schema = json!({"required": ["why"], "properties": {
            "lists": {"evidence": "checklists"}, "plan": {"evidence": "plan"}, "why": {"type": "string"}}});
        let demand = demand(&schema);
        assert_eq!(
            demand.names(),
            [
                "depth",
                "done (steps, looked up without a value)",
                "plan (plan)",
                "lists (checklists, looked up without a value)",
                "why"
            ]
        );
        assert_eq!(demand.options(), "--proof depth=… --proof plan=… --proof why=…");
        assert_eq!(
            demand.problems(&Map::new()),
            ["depth is missing", "plan is missing", "why is missing"],
            "what needs no value is not missing"
        );
        let given =
            object(&json!({"depth": 1, "plan": {"file": "p.md"}, "why": "x", "done": "all", "lists": "___"}));
        assert_eq!(demand.problems(&given), Vec::<String>::new());
        let claim = |field: &str, evidence, values: &[&str]| Claim {
            field: field.to_owned(),
            evidence,
            values: values.iter().map(|&value| value.to_owned()).collect(),
        };
        assert_eq!(
            demand.claims(&given),
            [
                claim("done", Evidence::Steps, &["all"]),
                claim("plan", Evidence::Plan, &["p.md"]),
                claim("lists", Evidence::Checklists, &["___"]),
            ]
        );
        assert_eq!(
            demand.claims(&Map::new()),
            [claim("done", Evidence::Steps, &[]), claim("lists", Evidence::Checklists, &[])]
        );
        let recorded = json!({"depth": 1, "plan": {"file": "p.md"}, "why": "x"});
        assert_eq!(demand.recorded(given), object(&recorded));
    }

    #[test]
    fn a_kind_that_nobody_knows_is_told() {
        let demand = demand(&json!({"properties": {"plan": {"evidence": "word"}}}));
        assert_eq!(
            demand.problems(&object(&json!({"depth": 1, "plan": "x"}))),
            [
                "the schema of §CMD_X: evidence: word is not one of command, tests, failed, fixed, file, plan, steps, debrief, checklists, mode, commit, push"
            ]
        );
    }

    #[test]
    fn every_kind_is_written_as_it_is_stored() {
        for evidence in Evidence::ALL {
            assert_eq!(json!(evidence), json!(evidence.as_str()));
            assert_eq!(Evidence::of(evidence.as_str()), Some(evidence));
        }
    }
}
