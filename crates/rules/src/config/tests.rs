use super::*;
use crate::registry::{COMMIT_CHECKS, KEEP_DAYS, RUN_AGENT};

fn set(name: &str, value: Value) -> Assignment {
    Assignment { name: name.into(), value, layer: Layer::Project, line: 7 }
}

#[test]
fn slips_are_told_and_leave_the_default() {
    let cases = [
        ("inject.bugdet", Value::Number(1), "unknown key inject.bugdet; did you mean inject.budget?"),
        (
            "inject.budget",
            Value::Text("big".into()),
            "inject.budget takes a number from 500 to 9500, not \"big\"",
        ),
        ("inject.budget", Value::Number(3), "inject.budget takes a number from 500 to 9500, not 3"),
        ("inject.strict", Value::Number(1), "inject.strict takes true or false, not 1"),
        (
            "inject.files",
            Value::List(vec!["../x.md".into()]),
            "inject.files takes a list of file names below .engine/context/, not [\"../x.md\"]",
        ),
        ("rules.protect", Value::Flag(false), "rules.protect takes \"on\", \"shadow\" or \"off\", not false"),
        (
            "rules.session",
            Value::Text("off".into()),
            "rule session keeps the session's state and cannot be switched",
        ),
        ("zzz", Value::Flag(true), "unknown key zzz"),
    ];
    for (name, value, expected) in cases {
        let config = layered(vec![set(name, value)], Vec::new());
        let texts: Vec<&str> = config.problems().iter().map(|problem| problem.text.as_str()).collect();
        assert_eq!(texts, [expected]);
        assert_eq!(config.assignments(), []);
    }
}

#[test]
fn later_layers_are_greater_and_have_names() {
    let layers = [Layer::Default, Layer::User, Layer::Project, Layer::Environment];
    assert!(layers.is_sorted());
    assert_eq!(layers.map(Layer::as_str), ["default", "user", "project", "environment"]);
}

#[test]
fn the_last_layer_wins() {
    let user = Assignment { layer: Layer::User, ..set("inject.budget", Value::Number(600)) };
    let config = layered(vec![user, set("inject.budget", Value::Number(700))], Vec::new());
    assert_eq!(show(&config, "inject.budget"), Some(("700".into(), Layer::Project, 7)));
    assert_eq!(show(&config, "inject.strict"), Some(("false".into(), Layer::Default, 0)));
    assert_eq!(show(&config, "nonsense"), None);
}

/// Every order in which three layers can set something and not set it, and the layer that counts.
fn in_layers(name: &str, value: impl Fn(Layer) -> Value) -> Vec<(Config, Layer)> {
    let layers = [Layer::User, Layer::Project, Layer::Environment];
    let chosen = |bits: usize| layers.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
    (0..8)
        .map(|bits| {
            let set = chosen(bits)
                .map(|(_, layer)| Assignment { layer: *layer, ..set(name, value(*layer)) })
                .collect();
            let last = chosen(bits).next_back().map_or(Layer::Default, |(_, layer)| *layer);
            (layered(set, Vec::new()), last)
        })
        .collect()
}

#[test]
fn the_last_layer_wins_for_modes_and_verdicts() {
    let rule = RULES.iter().find(|rule| rule.id == "protect").unwrap();
    let mode = |layer| match layer {
        Layer::Default | Layer::Environment => Mode::On,
        Layer::User => Mode::Off,
        Layer::Project => Mode::Shadow,
    };
    for (config, last) in in_layers("rules.protect", |layer| Value::Text(mode(layer).as_str().to_owned())) {
        assert_eq!(config.problems(), []);
        assert_eq!(rule.mode(&config), mode(last), "{last:?}");
        let shown = format!("{:?}", mode(last).as_str());
        assert_eq!(
            show(&config, "rules.protect").map(|(value, layer, _)| (value, layer)),
            Some((shown, last))
        );
    }
    let rule = policy::built_in().find(|rule| rule.id == "git.reset-hard").unwrap();
    let verdict = |layer| match layer {
        Layer::Default => rule.verdict,
        Layer::User => Level::Off,
        Layer::Project => Level::Warn,
        Layer::Environment => Level::Ask,
    };
    for (config, last) in
        in_layers("policy.git.reset-hard", |layer| Value::Text(verdict(layer).as_str().to_owned()))
    {
        assert_eq!(config.problems(), []);
        assert_eq!(rule.verdict(&config), verdict(last), "{last:?}");
    }
}

#[test]
fn the_last_layer_wins_for_every_kind_of_knob() {
    use crate::{inject, memory, reminder};
    use Layer::{Default, Environment, Project, User};
    let number = |layer| match layer {
        Default => inject::BUDGET.default,
        layer => 600 + layer as u64,
    };
    for (config, last) in
        in_layers("inject.budget", |layer| Value::Number(i64::try_from(number(layer)).unwrap()))
    {
        assert_eq!(config.number(&inject::BUDGET), number(last), "{last:?}");
    }
    let flag = |layer| matches!(layer, User | Environment);
    for (config, last) in in_layers("inject.strict", |layer| Value::Flag(flag(layer))) {
        assert_eq!(config.flag(&inject::STRICT), flag(last), "{last:?}");
    }
    let listed = |layer: Layer| vec![format!("{}.md", layer.as_str())];
    for (config, last) in in_layers("inject.files", |layer| Value::List(listed(layer))) {
        let expected = match last {
            Default => (inject::FILES.default.iter().map(|&name| name.to_owned()).collect(), false),
            other => (listed(other), true),
        };
        let (files, is_set) = config.list(&inject::FILES);
        assert_eq!((files.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), is_set), expected);
    }
    for (config, last) in in_layers("commit.checks", |layer| Value::List(listed(layer))) {
        let expected = if last == Default { Vec::new() } else { listed(last) };
        assert_eq!(config.commands(&COMMIT_CHECKS), expected, "{last:?}");
    }
    for (config, last) in in_layers("policy.branches", |layer| Value::List(vec![layer.as_str().to_owned()])) {
        let expected = if last == Default { Vec::new() } else { vec![last.as_str()] };
        assert_eq!(config.names(&policy::BRANCHES), expected, "{last:?}");
    }
    for (config, last) in in_layers("reminder.text", |layer| Value::Text(layer.as_str().to_owned())) {
        let expected = if last == Default { reminder::TEXT.default } else { last.as_str() };
        assert_eq!(config.text(&reminder::TEXT), expected);
    }
    let word = |layer| match layer {
        User | Environment => "deny",
        Default | Project => "allow",
    };
    for (config, last) in in_layers("directives.memory", |layer| Value::Text(word(layer).to_owned())) {
        assert_eq!(config.choice(&memory::MEMORY), word(last), "{last:?}");
    }
    // An empty path is no path: a later layer takes an earlier one's back.
    let path = |layer: Layer| if layer == Project { String::new() } else { format!("{}.md", layer.as_str()) };
    for (config, last) in in_layers("tasks.file", |layer| Value::Text(path(layer))) {
        let expected = Some(path(last)).filter(|path| !path.is_empty() && last != Default);
        assert_eq!(config.path(&engine_core::task::FILE), expected.as_deref(), "{last:?}");
    }
    for (config, last) in in_layers("shortcuts.commands.t", |layer| Value::Text(layer.as_str().to_owned())) {
        let expected = Some(last.as_str()).filter(|_| last != Default);
        assert_eq!(config.own("shortcuts.commands.", "t"), expected, "{last:?}");
        assert_eq!(
            config.all_own("shortcuts.commands."),
            expected.map(|text| ("t", text)).into_iter().collect()
        );
        assert_eq!(config.own("shortcuts.directives.", "t"), None);
    }
}

#[test]
fn a_layer_that_is_wrong_leaves_the_one_below_in_force() {
    let rule = RULES.iter().find(|rule| rule.id == "protect").unwrap();
    let text = |layer, word: &str| Assignment { layer, ..set("rules.protect", Value::Text(word.into())) };
    let config = layered(
        vec![text(Layer::User, "off"), text(Layer::Project, "of")],
        vec![Problem { layer: Layer::User, line: 1, text: "an earlier one".into() }],
    );
    assert_eq!(rule.mode(&config), Mode::Off);
    assert_eq!(
        config.problems(),
        [
            Problem { layer: Layer::User, line: 1, text: "an earlier one".into() },
            Problem {
                layer: Layer::Project,
                line: 7,
                text: "rules.protect takes \"on\", \"shadow\" or \"off\", not \"of\"".into()
            },
        ]
    );
}

#[test]
fn every_default_passes_its_own_check() {
    for knob in KNOBS {
        assert_eq!(check(knob.name(), &knob.default_value()), Ok(()));
        assert!(about(knob.name()).is_some_and(|text| text.ends_with('.')), "{}", knob.name());
    }
    for name in names() {
        let default = default_of(&name).unwrap();
        assert_eq!(show(&Config::default(), &name), Some((default, Layer::Default, 0)), "{name}");
    }
}

#[test]
fn a_name_is_that_of_a_knob_a_policy_or_a_rule() {
    let names = names();
    let kinds = ["inject.budget", "policy.git.reset-hard", "rules.protect"];
    let at = kinds.map(|name| names.iter().position(|known| known == name).unwrap());
    assert!(at.is_sorted(), "the rules' modes come last: {at:?}");
    assert_eq!(
        names.len(),
        KNOBS.len() + policy::built_in().count() + RULES.iter().filter(|rule| !rule.fixed).count()
    );
    let reset = policy::built_in().find(|rule| rule.id == "git.reset-hard").unwrap();
    let protect = RULES.iter().find(|rule| rule.id == "protect").unwrap();
    let budget = &crate::inject::BUDGET;
    for (name, default, expected, variable) in [
        ("inject.budget", Some(budget.default.to_string()), Some(budget.about), "ENGINE_INJECT_BUDGET"),
        (
            "policy.git.reset-hard",
            Some("\"block\"".into()),
            Some(reset.about),
            "ENGINE_POLICY_GIT_RESET_HARD",
        ),
        ("rules.protect", Some("\"on\"".into()), Some(protect.about), "ENGINE_RULES_PROTECT"),
        ("rules.title", Some("\"off\"".into()), about("rules.title"), "ENGINE_RULES_TITLE"),
        ("rules.session", None, None, "ENGINE_RULES_SESSION"),
        ("rules.none", None, None, "ENGINE_RULES_NONE"),
        ("policy.none", None, None, "ENGINE_POLICY_NONE"),
        ("none", None, None, "ENGINE_NONE"),
    ] {
        assert_eq!((default_of(name), about(name)), (default, expected), "{name}");
        assert_eq!(names.iter().any(|known| known == name), expected.is_some(), "{name}");
        assert_eq!(variable_of(name), variable);
    }
}

#[test]
fn a_value_is_checked_by_what_its_name_stands_for() {
    let text = |word: &str| Value::Text(word.into());
    let verdicts = "takes \"block\", \"ask\", \"warn\", \"shadow\" or \"off\", not";
    let quoted = "takes a text in quotes, not";
    for (name, value, expected) in [
        ("inject.budget", Value::Number(500), None),
        ("policy.git.reset-hard", text("ask"), None),
        ("policy.git.reset-hard", text("on"), Some(format!("policy.git.reset-hard {verdicts} \"on\""))),
        ("policy.git.reset-hard", Value::Flag(true), Some(format!("policy.git.reset-hard {verdicts} true"))),
        (
            "policy.git.reset-hrd",
            text("ask"),
            Some("unknown key policy.git.reset-hrd; did you mean policy.git.reset-hard?".into()),
        ),
        ("rules.protect", text("shadow"), None),
        ("rules.protcet", text("on"), Some("unknown key rules.protcet; did you mean rules.protect?".into())),
        (
            "rules.session",
            text("on"),
            Some("rule session keeps the session's state and cannot be switched".into()),
        ),
        ("shortcuts.commands.t", text("run the tests"), None),
        ("shortcuts.commands.t", text(" "), Some(format!("shortcuts.commands.t {quoted} \" \""))),
        (
            "shortcuts.commands.t",
            Value::List(vec!["a".into(), "b\n".into()]),
            Some(format!("shortcuts.commands.t {quoted} [\"a\", \"b\\n\"]")),
        ),
        ("qqq.www", text("x"), Some("unknown key qqq.www".into())),
    ] {
        assert_eq!(check(name, &value).err(), expected, "{name} {value}");
    }
}

#[test]
fn a_word_is_read_by_what_its_name_stands_for() {
    for (name, word, expected) in [
        ("inject.budget", "700", Value::Number(700)),
        ("inject.strict", "on", Value::Flag(true)),
        ("rules.protect", "off", Value::Text("off".into())),
        ("rules.protect", "1", Value::Text("1".into())),
        ("shortcuts.commands.t", "a, b", Value::Text("a, b".into())),
    ] {
        assert_eq!(parse_word(name, word), expected, "{name} {word}");
    }
}

#[test]
fn a_value_of_the_wrong_kind_leaves_the_default() {
    // No check lets it through; a reader does not rely on that.
    let knobs = Config::new(
        KNOBS.iter().map(|knob| set(knob.name(), Value::Other("x".into()))).collect(),
        Vec::new(),
    );
    assert_eq!(knobs.number(&KEEP_DAYS), 30);
    assert_eq!(knobs.text(&RUN_AGENT), "claude");
    assert!(!knobs.flag(&crate::inject::STRICT));
    assert_eq!(knobs.choice(&engine_core::shortcut::STATUS), "auto");
    assert_eq!(knobs.commands(&COMMIT_CHECKS), [""; 0]);
    assert_eq!(knobs.names(&policy::BRANCHES), [""; 0]);
    assert_eq!(knobs.path(&engine_core::task::FILE), None);
    assert_eq!(knobs.list(&crate::inject::FILES), (crate::inject::FILES.default.to_vec(), false));
}

#[test]
fn the_template_names_everything_once_in_its_section() {
    let template = template();
    let mut section = String::new();
    let mut found: Vec<String> = Vec::new();
    for line in template.lines() {
        let line = line.trim_start_matches("# ");
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((key, _)) = line.split_once(" = ")
            && key.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
        {
            found.push(format!("{section}{key}"));
        }
    }
    let own = ["shortcuts.commands.t".to_owned(), "shortcuts.directives.e".to_owned()];
    let mut expected = names();
    expected.splice(KNOBS.len()..KNOBS.len(), own);
    assert_eq!(found, expected);
    for name in names() {
        let line = format!("# {} = {}\n", name.rsplit('.').next().unwrap(), default_of(&name).unwrap());
        assert!(template.contains(&line), "{line}");
    }
    assert_eq!(template.matches("\n[inject]\n").count(), 1);
    assert_eq!(template.matches("\n# [policy.git]\n").count(), 1);
}

#[test]
fn slips_in_tag_transitions_are_reported() {
    for wrong in ["translation", "#a", "#a > b", "#a > #b-*", "#a* > #b > #c"] {
        let config = layered(vec![set("tags.transitions", Value::List(vec![wrong.into()]))], Vec::new());
        assert_eq!(
            config.problems()[0].text,
            format!(
                "tags.transitions takes a list of swaps like \"#needs-x > #done-x\" or \"#needs-* > #parked-*\", not [{wrong:?}]"
            )
        );
    }
}
