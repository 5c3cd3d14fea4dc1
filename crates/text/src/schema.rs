//! A part of JSON Schema: type, required, properties, additionalProperties, items, enum.

use serde_json::Value;

/// Everything in which a value is not as declared, with the path to it. `whole` names the value itself.
pub fn problems(schema: &Value, value: &Value, whole: &str) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, whole, "", &mut found);
    found
}

/// The fields that an object must have.
pub fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check(schema: &Value, value: &Value, whole: &str, path: &str, found: &mut Vec<String>) {
    let here = if path.is_empty() { whole } else { path };
    if let Some(wanted) = schema.get("type") {
        let types: Vec<&str> = match wanted {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
            found.push(format!("{here} must be of type {}, not {}", types.join(" or "), name_of(value)));
            return;
        }
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        let shown: Vec<String> = choices.iter().map(Value::to_string).collect();
        found.push(format!("{here} must be one of {}", shown.join(", ")));
    }
    if let Some(object) = value.as_object() {
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        for key in required(schema).into_iter().filter(|key| !object.contains_key(*key)) {
            found.push(format!("{} is missing", below(key)));
        }
        for (key, value) in object {
            match schema["properties"].get(key) {
                Some(declared) => check(declared, value, whole, &below(key), found),
                None => match &schema["additionalProperties"] {
                    Value::Bool(false) => found.push(format!("{} is not declared", below(key))),
                    Value::Object(_) => {
                        check(&schema["additionalProperties"], value, whole, &below(key), found);
                    }
                    _ => {}
                },
            }
        }
    }
    if let (Some(items), Some(declared)) = (value.as_array(), schema.get("items")) {
        for (index, item) in items.iter().enumerate() {
            check(declared, item, whole, &format!("{path}[{index}]"), found);
        }
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_path() {
        let schema = json!({
            "type": "object", "required": ["depth", "files"], "additionalProperties": false,
            "properties": {
                "depth": {"enum": ["short", "long"]},
                "files": {"type": "array", "items": {"type": "string"}},
                "count": {"type": "integer"},
            },
        });
        let cases = [
            (json!({"depth": "short", "files": ["a"]}), vec![]),
            (json!({"depth": "deep", "files": []}), vec!["depth must be one of \"short\", \"long\""]),
            (
                json!({"files": ["a", 1]}),
                vec!["depth is missing", "files[1] must be of type string, not number"],
            ),
            (
                json!({"depth": "long", "files": [], "count": 1.5, "x": 0}),
                vec!["count must be of type integer, not number", "x is not declared"],
            ),
            (json!([]), vec!["the value must be of type object, not array"]),
        ];
        for (value, expected) in cases {
            assert_eq!(problems(&schema, &value, "the value"), expected, "{value}");
        }
    }
}
