//! What the client's tool asks a person, and what the person answered.

use std::collections::BTreeMap;

use engine_core::approval::Dialog;
use engine_core::dialogue::Question;
use serde::Deserialize;
use serde_json::{Value, json};

/// The input of the tool that asks just this.
pub(crate) fn input(dialog: &Dialog) -> Value {
    let option =
        |(label, description): &(String, String)| json!({"label": label, "description": description});
    let options: Vec<Value> = dialog.options.iter().map(option).collect();
    let Dialog { question, header, .. } = dialog;
    json!({"questions": [{"question": question, "header": header, "options": options, "multiSelect": false}]})
}

/// Whether an input asks just this. Once the question is answered, the client adds the answer to it.
pub(crate) fn asks(given: &str, dialog: &Dialog, is_answered: bool) -> bool {
    let Ok(Value::Object(mut given)) = serde_json::from_str(given) else { return false };
    if is_answered {
        given.remove("answers");
        given.remove("annotations");
    }
    // A switch that is off may be left out.
    let questions = given.get_mut("questions").and_then(Value::as_array_mut).into_iter().flatten();
    for question in questions.filter_map(Value::as_object_mut) {
        question.entry("multiSelect").or_insert(Value::Bool(false));
    }
    Value::Object(given) == input(dialog)
}

/// The questions in the input or response of the tool that asks, in their order. What has another shape is passed over.
pub(crate) fn questions(json: &str) -> Vec<Question> {
    #[derive(Deserialize)]
    struct Asked {
        #[serde(default)]
        questions: Vec<Value>,
        #[serde(default)]
        answers: BTreeMap<String, Value>,
    }
    let Ok(Asked { questions, mut answers }) = serde_json::from_str(json) else { return Vec::new() };
    let label = |option: &Value| option.get("label").unwrap_or(option).as_str().map(str::to_owned);
    let mut found: Vec<Question> = Vec::new();
    for one in &questions {
        let Some(question) = one.get("question").and_then(Value::as_str) else { continue };
        let options = one.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        found.push(Question {
            question: question.to_owned(),
            options: options.iter().filter_map(label).collect(),
            answer: answers.remove(question).and_then(|answer| told(&answer)),
        });
    }
    // An answer whose question is written otherwise is an answer still.
    found.extend(answers.into_iter().map(|(question, answer)| Question {
        question,
        options: Vec::new(),
        answer: told(&answer),
    }));
    found
}

/// Several choices come as a list or as one text.
fn told(answer: &Value) -> Option<String> {
    match answer {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_from_the_tools_own_json() {
        let json = r#"{"questions":[{"question":"Which color?","header":"Color","options":[{"label":"Red","description":"warm"},{"label":"Blue"}],"multiSelect":false},
            {"question":"Which parts?","options":["a","b"]}, {"odd":1}, {"question":"Else?"}],
            "answers":{"Which color?":"Red","Which parts?":["a","b"],"Other":""},"annotations":{}}"#;
        let question = |question: &str, options: &[&str], answer: Option<&str>| Question {
            question: question.into(),
            options: options.iter().map(|&option| option.into()).collect(),
            answer: answer.map(str::to_owned),
        };
        let expected = [
            question("Which color?", &["Red", "Blue"], Some("Red")),
            question("Which parts?", &["a", "b"], Some("a, b")),
            question("Else?", &[], None),
            question("Other", &[], Some("")),
        ];
        assert_eq!(questions(json), expected);
        for odd in ["", "[]", "{}", "{\"questions\":1}", "{\"answers\":[]}"] {
            assert_eq!(questions(odd), [], "{odd}");
        }
    }
}
