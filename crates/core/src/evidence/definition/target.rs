//! Targets of a makefile, recipes of a justfile, tasks of a Taskfile.

use std::collections::BTreeSet;

use engine_text::yaml::{self, Node, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::evidence) enum Flavour {
    Make,
    Just,
}

/// A target with what it needs and what it runs.
struct Rule {
    names: Vec<String>,
    needs: Vec<String>,
    lines: Vec<String>,
    /// `name::`, which runs whatever is there.
    is_double: bool,
}

/// What is said outside of targets (variables, includes), and the targets with these names and those that they need. The second is what
/// they run.
pub(in crate::evidence) fn cut(text: &str, names: &[&str], flavour: Flavour) -> (String, Vec<String>) {
    let (outside, rules) = parts(text, flavour);
    let chosen = reached(&rules, names);
    let mut run = Vec::new();
    let mut out = outside;
    for rule in rules.iter().filter(|rule| rule.names.iter().any(|name| chosen.contains(name))) {
        out.push(format!("{}: {}", rule.names.join(" "), rule.needs.join(" ")).trim_end().to_owned());
        out.extend(rule.lines.iter().cloned());
        run.extend(rule.lines.iter().map(|line| bare(line)));
    }
    if chosen.is_empty() { (String::new(), Vec::new()) } else { (out.join("\n"), run) }
}

/// The targets by name, with what they run.
pub(in crate::evidence) fn list(text: &str, flavour: Flavour) -> Vec<(String, Vec<String>)> {
    let (_, rules) = parts(text, flavour);
    let of_rule = |rule: Rule| {
        let lines: Vec<String> = rule.lines.iter().map(|line| bare(line)).collect();
        rule.names.into_iter().map(move |name| (name, lines.clone()))
    };
    rules.into_iter().flat_map(of_rule).collect()
}

/// Whether make runs a target only where no file of its name is there: it is not phony, has one colon, and does not make that file itself.
pub(in crate::evidence) fn looks_for_file(text: &str, name: &str) -> bool {
    let (_, rules) = parts(text, Flavour::Make);
    let is_named = |rule: &&Rule| rule.names.iter().any(|own| own == name);
    let is_phony = |rule: &Rule| {
        rule.names.iter().any(|own| own == ".PHONY") && rule.needs.iter().any(|need| need == name)
    };
    let is_mentioned = |line: &String| {
        line.contains("$@") || line.split(|c: char| c.is_whitespace() || c == '/').any(|word| word == name)
    };
    let is_made = |rule: &Rule| rule.is_double || rule.lines.iter().any(is_mentioned);
    !rules.iter().any(is_phony) && !rules.iter().filter(is_named).any(is_made)
}

/// A line of a recipe without the marks that say how it is run.
fn bare(line: &str) -> String {
    line.trim_start_matches(['@', '-', '+']).to_owned()
}

/// What is said outside of targets, and the targets.
fn parts(text: &str, flavour: Flavour) -> (Vec<String>, Vec<Rule>) {
    let mut outside: Vec<String> = Vec::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut in_rule = false;
    for line in joined(text) {
        let is_body = match flavour {
            Flavour::Make => line.starts_with('\t'),
            Flavour::Just => line.starts_with([' ', '\t']),
        };
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        if is_body && in_rule {
            if let Some(rule) = rules.last_mut() {
                rule.lines.push(bare.to_owned());
            }
            continue;
        }
        match rule(bare, flavour) {
            Some(rule) => {
                rules.push(rule);
                in_rule = true;
            }
            None => {
                outside.push(bare.to_owned());
                in_rule = false;
            }
        }
    }
    (outside, rules)
}

/// The names of the rules that these names lead to.
fn reached(rules: &[Rule], names: &[&str]) -> BTreeSet<String> {
    let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut chosen = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        let found: Vec<&Rule> = rules.iter().filter(|rule| rule.names.contains(&name)).collect();
        if !found.is_empty() && chosen.insert(name) {
            wanted.extend(found.iter().flat_map(|rule| rule.needs.iter().cloned()));
        }
    }
    chosen
}

/// Lines, with those that a backslash continues in one.
fn joined(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let (part, more) = match line.strip_suffix('\\') {
            Some(part) => (part.trim_end(), true),
            None => (line, false),
        };
        match out.last_mut().filter(|_| goes_on) {
            Some(last) => *last = format!("{last} {}", part.trim()),
            None => out.push(part.to_owned()),
        }
        goes_on = more;
    }
    out
}

/// `name: needs`, but no assignment.
fn rule(line: &str, flavour: Flavour) -> Option<Rule> {
    let (before, after) = line.split_once(':')?;
    // The parameters of a recipe may have defaults.
    let is_assignment = (before.contains('=') && flavour == Flavour::Make)
        || after.starts_with('=')
        || after.starts_with(":=");
    if is_assignment || before.is_empty() {
        return None;
    }
    let words = |text: &str| -> Vec<String> {
        let is_break = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | '&');
        text.split(is_break).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let names = match flavour {
        Flavour::Make => words(before),
        // Its parameters follow the name.
        Flavour::Just => words(before.trim_start_matches('@')).into_iter().take(1).collect(),
    };
    let (needs, first) = match after.split_once(';') {
        Some((needs, first)) if flavour == Flavour::Make => (needs, Some(first.trim().to_owned())),
        _ => (after, None),
    };
    Some(Rule {
        names,
        needs: words(needs.trim_start_matches(':')),
        lines: first.into_iter().collect(),
        is_double: after.starts_with(':'),
    })
}

/// The same of a Taskfile. A text that cannot be read counts whole.
pub(in crate::evidence) fn cut_yaml(text: &str, names: &[&str]) -> (String, Vec<String>) {
    let Ok(fields) = yaml::read(text) else { return (text.to_owned(), Vec::new()) };
    let tasks = tasks(&fields);
    let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut chosen: BTreeSet<String> = BTreeSet::new();
    let mut run = Vec::new();
    while let Some(name) = wanted.pop() {
        let Some((_, task)) = tasks.iter().find(|(key, _)| *key == name) else { continue };
        if !chosen.insert(name) {
            continue;
        }
        // Whatever text in it is the name of a task is one that it needs.
        texts(task, &mut |text| {
            wanted.push(text.to_owned());
            run.push(text.to_owned());
        });
    }
    if chosen.is_empty() {
        return (String::new(), Vec::new());
    }
    let outside =
        fields.iter().filter(|(key, _)| matches!(key.as_str(), "vars" | "env" | "includes" | "dotenv"));
    let inside = tasks.iter().filter(|(key, _)| chosen.contains(key)).map(|(key, node)| (key, node));
    let lines: Vec<String> = outside
        .map(|(key, node)| (key, node))
        .chain(inside)
        .map(|(key, node)| format!("{key}: {}", flat(node)))
        .collect();
    (lines.join("\n"), run)
}

/// The tasks of a Taskfile by name, with the texts in them.
pub(in crate::evidence) fn list_yaml(text: &str) -> Vec<(String, Vec<String>)> {
    let Ok(fields) = yaml::read(text) else { return Vec::new() };
    let of_task = |(name, node): &(String, Node)| {
        let mut lines = Vec::new();
        texts(node, &mut |text| lines.push(text.to_owned()));
        (name.clone(), lines)
    };
    tasks(&fields).into_iter().map(of_task).collect()
}

fn tasks(fields: &[(String, Node)]) -> Vec<&(String, Node)> {
    let mut all = Vec::new();
    for (_, node) in fields.iter().filter(|(key, _)| key == "tasks") {
        if let Value::Map(tasks) = &node.value {
            all.extend(tasks);
        }
    }
    all
}

fn texts(node: &Node, see: &mut dyn FnMut(&str)) {
    match &node.value {
        Value::Text { text } => see(text),
        Value::List(items) => items.iter().for_each(|item| texts(item, see)),
        Value::Map(fields) => fields.iter().for_each(|(_, value)| texts(value, see)),
        Value::Empty => {}
    }
}

/// A value on one line.
fn flat(node: &Node) -> String {
    match &node.value {
        Value::Text { text } => text.clone(),
        Value::List(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
        Value::Map(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}: {}", flat(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Empty => String::new(),
    }
}
