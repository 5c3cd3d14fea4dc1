//! Which value of a knob is stricter than another. What is stricter counts before a person has accepted it; nothing else does.

use engine_core::config::Value;
use engine_core::policy::{BRANCHES, FAIL, Level, PROTECTED, SECTION, USUAL_BRANCHES};

use super::{RULES_SECTION, policy_rule, switchable};
use crate::{Mode, enrich};

/// How the values of a knob compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Words, the least strict first.
    Ranks(&'static [&'static str]),
    /// A list with more items is stricter. An empty one means these.
    Grows(&'static [&'static str]),
    /// No value is stricter than another.
    None,
}

const MODES: &[&str] = &[Mode::Off.as_str(), Mode::Shadow.as_str(), Mode::On.as_str()];

const LEVELS: &[&str] = &[
    Level::Off.as_str(),
    Level::Shadow.as_str(),
    Level::Warn.as_str(),
    Level::Ask.as_str(),
    Level::Block.as_str(),
];

pub(super) fn order(name: &str) -> Order {
    if name == FAIL.name {
        return Order::Ranks(&["open", "closed"]);
    }
    if name == PROTECTED.name {
        return Order::Grows(&[]);
    }
    if name == BRANCHES.name {
        return Order::Grows(&USUAL_BRANCHES);
    }
    if name.starts_with(SECTION) && policy_rule(name).is_some() {
        return Order::Ranks(LEVELS);
    }
    match name.strip_prefix(RULES_SECTION) {
        // It only tells the model more.
        Some(enrich::ID) => Order::None,
        Some(id) if switchable(id).is_some() => Order::Ranks(MODES),
        _ => Order::None,
    }
}

/// What counts of a new value where `base` is in force: the value itself if it is stricter, of a list the items of both. `None` if
/// it adds nothing.
pub(super) fn stricter(name: &str, base: Option<&Value>, new: &Value) -> Option<Value> {
    match (order(name), new) {
        (Order::Ranks(words), Value::Text(word)) => {
            let rank = |word: &str| words.iter().position(|other| *other == word);
            let base = match base {
                Some(Value::Text(base)) => rank(base),
                _ => None,
            };
            (rank(word) > base).then(|| new.clone())
        }
        (Order::Grows(empty), Value::List(items)) => {
            let meant = |items: &[String]| match items {
                [] => empty.iter().map(|&item| item.to_owned()).collect(),
                items => items.to_vec(),
            };
            let before = match base {
                Some(Value::List(base)) => meant(base),
                _ => meant(&[]),
            };
            let after = meant(items);
            let has_all = before.iter().all(|item| after.contains(item));
            let more: Vec<String> = after.into_iter().filter(|item| !before.contains(item)).collect();
            match (more.is_empty(), has_all) {
                (true, _) => None,
                (false, true) => Some(new.clone()),
                (false, false) => Some(Value::List([before, more].concat())),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::names;

    /// Every knob whose values are all equally strict. A new knob belongs here or gets an [`Order`].
    const NONE: &[&str] = &[
        "inject.files",
        "inject.budget",
        "inject.strict",
        "inject.standards",
        "links.protocol",
        "reminder.text",
        "reminder.for",
        "heartbeat.warn",
        "heartbeat.block",
        "overflow.note",
        "overflow.gate",
        "tasks.file",
        "shortcuts.status",
        "shortcuts.capture",
        "chain.wrapped",
        "chain.exits",
        "statusline.parts",
        "tags.transitions",
        "session.modes",
        "directives.budget",
        "directives.warn",
        "directives.block",
        "directives.bare",
        "directives.skip",
        "directives.memory",
        "search.docs",
        "search.skip",
        "autocommit.paths",
        "plan.commit",
        "models.tiers",
        "runbook.attempts",
        "runbook.tokens",
        "runbook.minutes",
        "evidence.checks",
        "run.agent",
        "run.restart",
        "commit.checks",
        "journal.keep_days",
        "rules.enrich",
    ];

    #[test]
    fn every_knob_is_classified() {
        let unordered: Vec<String> = names().into_iter().filter(|name| order(name) == Order::None).collect();
        assert_eq!(unordered, NONE);
        let rules = names().into_iter().filter(|name| name.starts_with("rules."));
        for name in rules.filter(|name| !NONE.contains(&name.as_str())) {
            assert_eq!(order(&name), Order::Ranks(MODES), "{name}");
        }
        assert_eq!(order("policy.git.reset-hard"), Order::Ranks(LEVELS));
        for name in ["shortcuts.commands.t", "rules.session", "rules.nosuch", "policy.nosuch.rule", ""] {
            assert_eq!(order(name), Order::None, "{name}");
        }
    }

    #[test]
    fn words_compare_by_rank() {
        let text = |word: &str| Value::Text(word.to_owned());
        for (name, words) in [
            ("rules.protect", MODES),
            ("rules.title", MODES),
            ("policy.git.reset-hard", LEVELS),
            ("policy.fail", &["open", "closed"][..]),
        ] {
            for (at, base) in words.iter().enumerate() {
                for (new_at, new) in words.iter().enumerate() {
                    let expected = (new_at > at).then(|| text(new));
                    assert_eq!(
                        stricter(name, Some(&text(base)), &text(new)),
                        expected,
                        "{name} {base} {new}"
                    );
                }
            }
        }
        assert_eq!(stricter("rules.enrich", Some(&text("off")), &text("on")), None, "it adds text, no rule");
        assert_eq!(stricter("rules.protect", Some(&text("on")), &text("nonsense")), None);
        assert_eq!(stricter("rules.protect", Some(&text("off")), &Value::Flag(true)), None);
    }

    #[test]
    fn lists_grow_and_never_shrink() {
        let list = |items: &[&str]| Value::List(items.iter().map(|&item| item.to_owned()).collect());
        for (name, base, new, expected) in [
            ("policy.protected", &[][..], &["a"][..], Some(&["a"][..])),
            ("policy.protected", &["a"], &["a"], None),
            ("policy.protected", &["a"], &[], None),
            ("policy.protected", &["a"], &["b"], Some(&["a", "b"])),
            ("policy.protected", &["a"], &["b", "a"], Some(&["b", "a"])),
            ("policy.protected", &["a", "b"], &["b", "c"], Some(&["a", "b", "c"])),
            ("policy.branches", &["a"], &["a"], None),
            ("policy.branches", &["a", "b"], &["b", "c"], Some(&["a", "b", "c"])),
            // An empty list means main and master.
            ("policy.branches", &[], &["a"], Some(&["main", "master", "a"])),
            ("policy.branches", &[], &["main"], None),
            ("policy.branches", &[], &["a", "master", "main"], Some(&["a", "master", "main"])),
            ("policy.branches", &["a"], &[], Some(&["a", "main", "master"])),
            ("policy.branches", &["main"], &[], Some(&[])),
        ] {
            let found = stricter(name, Some(&list(base)), &list(new));
            assert_eq!(found, expected.map(list), "{name} {base:?} {new:?}");
        }
        assert_eq!(stricter("policy.protected", None, &list(&["a"])), Some(list(&["a"])));
        assert_eq!(stricter("policy.branches", None, &list(&["a"])), Some(list(&["main", "master", "a"])));
    }

    #[test]
    fn any_other_value_adds_nothing() {
        for name in NONE {
            for value in
                [Value::Number(0), Value::Flag(false), Value::Text("x".into()), Value::List(vec!["x".into()])]
            {
                assert_eq!(stricter(name, None, &value), None, "{name} {value}");
                assert_eq!(stricter(name, Some(&Value::List(Vec::new())), &value), None, "{name} {value}");
            }
        }
    }
}
