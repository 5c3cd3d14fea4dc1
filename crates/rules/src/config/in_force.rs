//! What counts of the configuration files: what the person accepted, and whatever in the files is stricter.
//!
//! ```text
//! accepted            file                  in force
//! rules.policy = on   rules.policy = off    on    (held)
//! rules.title = off   rules.title = on      on
//! commit.checks = []  commit.checks = [x]   []    (held)
//! ```

use std::collections::BTreeMap;

use engine_core::config::{Acceptance, Assignment, Config, Difference, Layer, Problem, Value};

use super::stricter::stricter;
use super::{check, default_value};

/// A configuration file as it is, and what the person accepted of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub layer: Layer,
    pub now: Vec<Assignment>,
    pub accepted: Accepted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// The file as it is.
    All,
    Entries(BTreeMap<String, Value>),
}

/// The layers in their order, and above them what the environment sets. The differences are added to those of `acceptance`.
pub fn in_force(
    files: Vec<File>,
    environment: Vec<Assignment>,
    mut problems: Vec<Problem>,
    mut acceptance: Acceptance,
) -> Config {
    let mut set = Vec::new();
    for File { layer, now, accepted } in files {
        let now = checked(now, &mut problems);
        match accepted {
            Accepted::All => set.extend(now),
            Accepted::Entries(accepted) => {
                settle(layer, now, accepted, &mut set, &mut acceptance.differences);
            }
        }
    }
    set.extend(checked(environment, &mut problems));
    Config::new(set, problems).with_acceptance(acceptance)
}

/// The assignments that their knobs take; the others become problems.
pub(super) fn checked(assignments: Vec<Assignment>, problems: &mut Vec<Problem>) -> Vec<Assignment> {
    let mut set = Vec::with_capacity(assignments.len());
    for assignment in assignments {
        match check(&assignment.name, &assignment.value) {
            Ok(()) => set.push(assignment),
            Err(text) => problems.push(Problem { layer: assignment.layer, line: assignment.line, text }),
        }
    }
    set
}

fn settle(
    layer: Layer,
    now: Vec<Assignment>,
    mut accepted: BTreeMap<String, Value>,
    set: &mut Vec<Assignment>,
    differences: &mut Vec<Difference>,
) {
    let below = set.len();
    for assignment in now {
        let Assignment { name, value, line, .. } = assignment;
        let before = accepted.remove(&name);
        let base = before.clone().or_else(|| value_below(&set[..below], &name));
        if base.as_ref() == Some(&value) {
            set.push(Assignment { name, value, layer, line });
            continue;
        }
        let counts = stricter(&name, base.as_ref(), &value);
        let held = counts.as_ref() != Some(&value);
        // Of a value that is held the accepted one stays, if there is one.
        if let Some(counts) = counts.or(before) {
            let line = if held { 0 } else { line };
            set.push(Assignment { name: name.clone(), value: counts, layer, line });
        }
        differences.push(Difference { layer, name, now: Some(value), accepted: base, held });
    }
    for (name, value) in accepted {
        if check(&name, &value).is_err() {
            continue;
        }
        let without = value_below(&set[..below], &name);
        let counts = without.as_ref().and_then(|without| stricter(&name, Some(&value), without));
        let held = without.as_ref() != Some(&value) && (counts.is_none() || counts != without);
        if held {
            let value = counts.unwrap_or_else(|| value.clone());
            set.push(Assignment { name: name.clone(), value, layer, line: 0 });
        }
        differences.push(Difference { layer, name, now: None, accepted: Some(value), held });
    }
}

fn value_below(set: &[Assignment], name: &str) -> Option<Value> {
    let last = set.iter().rev().find(|assignment| assignment.name == name);
    last.map(|assignment| assignment.value.clone()).or_else(|| default_value(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(word: &str) -> Value {
        Value::Text(word.to_owned())
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|&item| item.to_owned()).collect())
    }

    fn file(layer: Layer, now: &[(&str, Value)], accepted: &[(&str, Value)]) -> File {
        let assign = |(line, (name, value)): (u32, &(&str, Value))| Assignment {
            name: (*name).to_owned(),
            value: value.clone(),
            layer,
            line,
        };
        let accepted = accepted.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        File { layer, now: (1..).zip(now).map(assign).collect(), accepted: Accepted::Entries(accepted) }
    }

    /// What is in force of one entry, and its difference: the entry, what was accepted, whether it is held.
    fn case(
        user: &[(&str, Value)],
        accepted: &[(&str, Value)],
        now: &[(&str, Value)],
    ) -> (Vec<String>, Vec<String>) {
        let user = File { accepted: Accepted::All, ..file(Layer::User, user, &[]) };
        let files = vec![user, file(Layer::Project, now, accepted)];
        let config = in_force(files, Vec::new(), Vec::new(), Acceptance::default());
        assert_eq!(config.problems(), []);
        let project = config.assignments().iter().filter(|one| one.layer == Layer::Project);
        let set = project.map(|one| format!("{} = {}", one.name, one.value)).collect();
        let told = |one: &Difference| format!("{}{}", one.change(), if one.held { " held" } else { "" });
        (set, config.acceptance().differences.iter().map(told).collect())
    }

    type Entries<'a> = &'a [(&'a str, Value)];

    /// The user's file, what was accepted of the project's, the project's; what is in force, what is told.
    type Case<'a> = (Entries<'a>, Entries<'a>, Entries<'a>, &'a [&'a str], &'a [&'a str]);

    #[test]
    fn accepted_counts_and_what_is_stricter() {
        let policy = |word| ("rules.policy", text(word));
        let checks = |items| ("commit.checks", list(items));
        let branches = |items| ("policy.branches", list(items));
        let cases: &[Case<'_>] = &[
            // A clone.
            (&[], &[], &[policy("off")], &[], &["rules.policy = \"off\" (accepted: \"on\") held"]),
            (&[], &[], &[policy("on")], &["rules.policy = \"on\""], &[]),
            (
                &[policy("off")],
                &[],
                &[policy("shadow")],
                &["rules.policy = \"shadow\""],
                &["rules.policy = \"shadow\" (accepted: \"off\")"],
            ),
            (&[], &[], &[checks(&["x"])], &[], &["commit.checks = [\"x\"] (accepted: []) held"]),
            (&[], &[], &[branches(&["main"])], &[], &["policy.branches = [\"main\"] (accepted: []) held"]),
            (
                &[],
                &[],
                &[branches(&["a"])],
                &["policy.branches = [\"main\", \"master\", \"a\"]"],
                &["policy.branches = [\"a\"] (accepted: []) held"],
            ),
            (
                &[],
                &[],
                &[("shortcuts.commands.t", text("do it"))],
                &[],
                &["shortcuts.commands.t = \"do it\" (accepted: not set) held"],
            ),
            // A change.
            (
                &[],
                &[policy("on")],
                &[policy("off")],
                &["rules.policy = \"on\""],
                &["rules.policy = \"off\" (accepted: \"on\") held"],
            ),
            (&[], &[policy("off")], &[policy("off")], &["rules.policy = \"off\""], &[]),
            (
                &[],
                &[policy("off")],
                &[policy("shadow")],
                &["rules.policy = \"shadow\""],
                &["rules.policy = \"shadow\" (accepted: \"off\")"],
            ),
            (
                &[],
                &[checks(&["x"])],
                &[checks(&["y"])],
                &["commit.checks = [\"x\"]"],
                &["commit.checks = [\"y\"] (accepted: [\"x\"]) held"],
            ),
            (
                &[],
                &[branches(&["a", "b"])],
                &[branches(&["b", "c"])],
                &["policy.branches = [\"a\", \"b\", \"c\"]"],
                &["policy.branches = [\"b\", \"c\"] (accepted: [\"a\", \"b\"]) held"],
            ),
            // A removal.
            (
                &[policy("off")],
                &[policy("on")],
                &[],
                &["rules.policy = \"on\""],
                &["rules.policy removed (accepted: \"on\") held"],
            ),
            (&[], &[policy("on")], &[], &[], &["rules.policy removed (accepted: \"on\")"]),
            (&[], &[policy("off")], &[], &[], &["rules.policy removed (accepted: \"off\")"]),
            (
                &[],
                &[branches(&["a"])],
                &[],
                &["policy.branches = [\"a\", \"main\", \"master\"]"],
                &["policy.branches removed (accepted: [\"a\"]) held"],
            ),
            (
                &[],
                &[checks(&["x"])],
                &[],
                &["commit.checks = [\"x\"]"],
                &["commit.checks removed (accepted: [\"x\"]) held"],
            ),
            // What an earlier release accepted and no knob takes any more.
            (&[], &[("nosuch", text("x"))], &[], &[], &[]),
        ];
        for (user, accepted, now, set, told) in cases {
            let (found_set, found_told) = case(user, accepted, now);
            assert_eq!(
                (found_set, found_told),
                (set.iter().map(|&s| s.to_owned()).collect(), told.iter().map(|&s| s.to_owned()).collect()),
                "{user:?} {accepted:?} {now:?}"
            );
        }
    }

    #[test]
    fn a_wrong_value_is_a_problem_and_the_accepted_one_stays() {
        let files =
            vec![file(Layer::Project, &[("rules.policy", text("of"))], &[("rules.policy", text("shadow"))])];
        let config = in_force(files, Vec::new(), Vec::new(), Acceptance::default());
        let problem = "rules.policy takes \"on\", \"shadow\" or \"off\", not \"of\"".to_owned();
        assert_eq!(config.problems(), [Problem { layer: Layer::Project, line: 1, text: problem }]);
        // Without the entry the rule is on, which is stricter.
        assert_eq!(config.assignments(), []);
    }

    #[test]
    fn the_environment_is_above_all() {
        let files = vec![file(Layer::Project, &[("rules.policy", text("on"))], &[])];
        let above = Assignment {
            name: "rules.policy".into(),
            value: text("off"),
            layer: Layer::Environment,
            line: 0,
        };
        let config = in_force(files, vec![above.clone()], Vec::new(), Acceptance::default());
        assert_eq!(config.last("rules.policy"), Some(&above));
    }
}
