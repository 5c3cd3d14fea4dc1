//! How the phases of a run are written: as arrays, since they are most of a state and nobody reads them there.
//!
//! `["3","Build",["§CMD_LOG"],[],[["stepsDone",null,"steps"]]]` is read back by the same types as `{"label":"3","name":"Build",…}`:
//! fields in their order, and those at the end that hold nothing are left out. So an engine of another release reads it, too.

use serde::Serializer;
use serde_json::{Value, json};

use crate::skill::protocol::{Phase, ProofField};

pub(super) fn phases<S: Serializer>(phases: &[Phase], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(phases.iter().map(phase))
}

fn phase(phase: &Phase) -> Value {
    let Phase { label, name, steps, commands, proof, gate, added } = phase;
    let proof: Vec<Value> = proof.iter().map(field).collect();
    trimmed(vec![
        json!(label),
        json!(name),
        json!(steps),
        json!(commands),
        json!(proof),
        json!(gate),
        json!(added),
    ])
}

fn field(field: &ProofField) -> Value {
    let ProofField { name, kind, evidence } = field;
    trimmed(vec![json!(name), json!(kind), json!(evidence)])
}

fn trimmed(mut fields: Vec<Value>) -> Value {
    let is_nothing = |value: &Value| matches!(value, Value::Null | Value::Bool(false)) || *value == json!([]);
    while fields.last().is_some_and(is_nothing) {
        fields.pop();
    }
    Value::Array(fields)
}

#[cfg(test)]
mod tests {
    use crate::work::Run;

    #[test]
    fn phases_are_read_as_they_were_written_and_in_the_longer_form() {
        let short = r#"[["1","Setup",["§CMD_MODE"]],["2","Plan",[],[],[],true],["3.A","Build",[],["x"],[["n","array"],["t",null,"tests"]]],["3.B","",[],[],[],false,true]]"#;
        let long = r#"[{"label":"1","name":"Setup","steps":["§CMD_MODE"],"gate":false},{"label":"2","name":"Plan","gate":true},
            {"label":"3.A","name":"Build","commands":["x"],"proof":[{"name":"n","type":"array"},{"name":"t","evidence":"tests"}]},
            {"label":"3.B","name":"","added":true}]"#;
        let read = |phases: &str| serde_json::from_str::<Run>(&format!("{{\"phases\":{phases}}}")).unwrap();
        assert_eq!(read(short), read(long));
        let written = serde_json::to_string(&read(long)).unwrap();
        assert!(written.contains(&format!("\"phases\":{short}")), "{written}");
        assert_eq!(serde_json::from_str::<Run>(&written).unwrap(), read(long));
    }
}
