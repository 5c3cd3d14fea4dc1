//! Scripts of `package.json`, `composer.json` and `deno.json`.

use std::collections::BTreeMap;

use serde_json::Value;

/// Keys of a `package.json` that configure a runner of tests.
const RUNNERS: &[&str] = &["ava", "jest", "mocha"];

/// What these scripts say, with those that they call and those that run before and after them. The second is the same as lines of shell.
/// A text that cannot be read counts whole.
pub(in crate::evidence) fn cut(text: &str, key: &str, names: &[&str]) -> (String, Vec<String>) {
    let Ok(file) = serde_json::from_str::<Value>(text) else { return (text.to_owned(), Vec::new()) };
    let scripts: BTreeMap<String, Vec<String>> = file[key]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.clone(), commands(value)))
        .collect();
    let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut chosen: BTreeMap<String, &Vec<String>> = BTreeMap::new();
    while let Some(name) = wanted.pop() {
        let Some(lines) = scripts.get(&name).filter(|_| !chosen.contains_key(&name)) else {
            continue;
        };
        wanted.extend([format!("pre{name}"), format!("post{name}")]);
        let words =
            lines.iter().flat_map(|line| line.split(|c: char| c.is_whitespace() || "'\"@;&|".contains(c)));
        for word in words.filter(|word| !word.is_empty()) {
            wanted.push(word.to_owned());
            // `run-s "test:*"`.
            if let Some(stem) = word.strip_suffix('*') {
                wanted.extend(scripts.keys().filter(|key| key.starts_with(stem)).cloned());
            }
        }
        chosen.insert(name, lines);
    }
    let lines: Vec<String> = chosen.values().flat_map(|lines| lines.iter().cloned()).collect();
    let mut out: Vec<String> =
        chosen.iter().map(|(name, lines)| format!("{key}.{name}: {}", lines.join("; "))).collect();
    out.extend(RUNNERS.iter().filter_map(|runner| Some(format!("{runner}: {}", file.get(runner)?))));
    (out.join("\n"), lines)
}

/// A script is a text, a list of texts, or an object with a command.
pub(in crate::evidence) fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) => vec![line.clone()],
        Value::Array(lines) => lines.iter().flat_map(commands).collect(),
        Value::Object(fields) => fields.values().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}
