//! The knobs of the engine: each is defined once, here or beside its rule, and everything else is made from
//! that: defaults, checks, `engine config show`, the commented `config.toml` and the reference page.
//!
//! A [`Config`] holds only what somebody set. What was set wrongly becomes a [`Problem`] and the knob keeps
//! its default: a slip in a file must not stop the agent's work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::policy::{self, Built, Verdict};
use crate::rules::{Mode, RULES, Rule};
use crate::shortcut::{is_own_name, refused_key};

mod knob;

pub use knob::{Choice, Commands, FilePath, Flag, Knob, Names, Number, Text, TextList};

/// How long journal files and the state of ended sessions are kept.
pub const KEEP_DAYS: Number = Number {
    name: "journal.keep_days",
    default: 30,
    range: (1, 3650),
    about: "Days that journal files and the state of old sessions are kept. Applied by init, doctor and journal.",
};

/// What must pass before a commit.
pub const COMMIT_CHECKS: Commands = Commands {
    name: "commit.checks",
    about: "Shell commands that engine commit-check runs in the project's root; all must end well.",
};

/// What `engine run` starts.
pub const RUN_AGENT: Text =
    Text { name: "run.agent", default: "claude", about: "The program that engine run starts." };

/// Every knob but the rules' modes, in the order of the reference page.
pub static KNOBS: &[&dyn Knob] = &[
    &crate::rules::inject::FILES,
    &crate::rules::inject::BUDGET,
    &crate::rules::inject::STRICT,
    &crate::rules::inject::STANDARDS,
    &crate::rules::reminder::TEXT,
    &crate::rules::heartbeat::WARN,
    &crate::rules::heartbeat::BLOCK,
    &crate::rules::overflow::NOTE,
    &crate::rules::overflow::GATE,
    &crate::task::FILE,
    &crate::shortcut::STATUS,
    &crate::skill::WRAPPED,
    &crate::policy::FAIL,
    &crate::policy::PROTECTED,
    &crate::policy::BRANCHES,
    &crate::statusline::PARTS,
    &crate::tag::TRANSITIONS,
    &crate::rules::directives::BUDGET,
    &crate::rules::directives::WARN,
    &crate::rules::directives::BLOCK,
    &crate::directive::BARE,
    &crate::directive::SKIP,
    &crate::rules::memory::MEMORY,
    &crate::rules::autocommit::PATHS,
    &crate::plan::COMMIT,
    &crate::evidence::known::CHECKS,
    &RUN_AGENT,
    &COMMIT_CHECKS,
    &KEEP_DAYS,
];

/// What the names of policy verdicts begin with.
const POLICY_SECTION: &str = "policy.";

/// The part of a name before the first dot that holds the rules' modes.
const RULES_SECTION: &str = "rules.";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<String>),
    /// Something no knob takes; kept so that the message can say what stood there.
    Other(String),
}

impl std::fmt::Display for Value {
    /// As TOML.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => out.write_str(&quoted(text)),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
                write!(out, "[{}]", items.join(", "))
            }
            Self::Other(text) => out.write_str(text),
        }
    }
}

/// A TOML basic string. Its escapes are a superset of JSON's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where a setting was made. Later layers win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Default,
    User,
    Project,
    Environment,
}

impl Layer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
        }
    }
}

/// One `name = value` as it was read, not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    pub name: String,
    pub value: Value,
    pub layer: Layer,
    /// Line in its file; 0 for the environment.
    pub line: u32,
}

/// Something that somebody should mend; the rest of the configuration counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub layer: Layer,
    pub line: u32,
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    set: Vec<Assignment>,
    problems: Vec<Problem>,
}

impl Config {
    /// Checks each assignment against its knob. Give the layers in their order.
    pub fn from_assignments(assignments: Vec<Assignment>, mut problems: Vec<Problem>) -> Self {
        let mut set = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            match check(&assignment.name, &assignment.value) {
                Ok(()) => set.push(assignment),
                Err(text) => problems.push(Problem { layer: assignment.layer, line: assignment.line, text }),
            }
        }
        Self { set, problems }
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn flag(&self, knob: &Flag) -> bool {
        match self.value(knob.name) {
            Some(Value::Flag(flag)) => *flag,
            _ => knob.default,
        }
    }

    pub fn number(&self, knob: &Number) -> u64 {
        match self.value(knob.name) {
            Some(Value::Number(number)) => u64::try_from(*number).unwrap_or(knob.default),
            _ => knob.default,
        }
    }

    pub fn text<'a>(&'a self, knob: &Text) -> &'a str {
        match self.value(knob.name) {
            Some(Value::Text(text)) => text,
            _ => knob.default,
        }
    }

    pub fn commands(&self, knob: &Commands) -> Vec<&str> {
        match self.value(knob.name) {
            Some(Value::List(commands)) => commands.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn names(&self, knob: &Names) -> Vec<&str> {
        match self.value(knob.name) {
            Some(Value::List(names)) => names.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    pub fn choice<'a>(&'a self, knob: &Choice) -> &'a str {
        match self.value(knob.name) {
            Some(Value::Text(word)) => word,
            _ => knob.default,
        }
    }

    /// What the person's own entry `key` of a section stands for.
    pub fn own(&self, section: &str, key: &str) -> Option<&str> {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(section) == Some(key);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// All entries of the person's own in a section, the last one of a key.
    pub fn all_own(&self, section: &str) -> BTreeMap<&str, &str> {
        let entries = self.set.iter().filter_map(|assignment| match &assignment.value {
            Value::Text(text) => Some((assignment.name.strip_prefix(section)?, text.as_str())),
            _ => None,
        });
        entries.collect()
    }

    /// The path, or nothing.
    pub fn path<'a>(&'a self, knob: &FilePath) -> Option<&'a str> {
        match self.value(knob.name) {
            Some(Value::Text(path)) if !path.is_empty() => Some(path),
            _ => None,
        }
    }

    /// The list and whether somebody set it.
    pub fn list(&self, knob: &TextList) -> (Vec<&str>, bool) {
        match self.value(knob.name) {
            Some(Value::List(items)) => (items.iter().map(String::as_str).collect(), true),
            _ => (knob.default.to_vec(), false),
        }
    }

    pub fn mode(&self, rule: &Rule) -> Mode {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(RULES_SECTION) == Some(rule.id);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(word)) => Mode::parse(word).unwrap_or(rule.default),
            _ => rule.default,
        }
    }

    /// What a policy rule does.
    pub fn verdict(&self, rule: &Built) -> Verdict {
        let named = |assignment: &&Assignment| assignment.name.strip_prefix(POLICY_SECTION) == Some(rule.id);
        match self.set.iter().rev().find(named).map(|assignment| &assignment.value) {
            Some(Value::Text(word)) => Verdict::parse(word).unwrap_or(rule.verdict),
            _ => rule.verdict,
        }
    }

    /// The value in force as TOML, and the layer that set it.
    pub fn show(&self, name: &str) -> Option<(String, Layer, u32)> {
        if let Some(last) = self.last(name) {
            return Some((last.value.to_string(), last.layer, last.line));
        }
        default_of(name).map(|default| (default, Layer::Default, 0))
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.last(name).map(|assignment| &assignment.value)
    }

    fn last(&self, name: &str) -> Option<&Assignment> {
        self.set.iter().rev().find(|assignment| assignment.name == name)
    }
}

/// The names of all knobs, the rules' modes last.
pub fn names() -> Vec<String> {
    let knobs = KNOBS.iter().map(|knob| knob.name().to_owned());
    let modes = RULES.iter().filter(|rule| !rule.fixed).map(|rule| format!("{RULES_SECTION}{}", rule.id));
    let verdicts = policy::built_in().map(|rule| format!("{POLICY_SECTION}{}", rule.id));
    knobs.chain(verdicts).chain(modes).collect()
}

fn policy_rule(name: &str) -> Option<&'static Built> {
    let id = name.strip_prefix(POLICY_SECTION)?;
    policy::built_in().find(|rule| rule.id == id)
}

/// The default of a knob as TOML.
pub fn default_of(name: &str) -> Option<String> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return Some(knob.default_value().to_string());
    }
    if let Some(rule) = policy_rule(name) {
        return Some(Value::Text(rule.verdict.as_str().to_owned()).to_string());
    }
    let rule = switchable(name.strip_prefix(RULES_SECTION)?)?;
    Some(Value::Text(rule.default.as_str().to_owned()).to_string())
}

/// What a knob is for.
pub fn about(name: &str) -> Option<&'static str> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return Some(knob.about());
    }
    if let Some(rule) = policy_rule(name) {
        return Some(rule.about);
    }
    Some(switchable(name.strip_prefix(RULES_SECTION)?)?.about)
}

/// Whether the knob takes the value; if not, why, in one line.
pub fn check(name: &str, value: &Value) -> Result<(), String> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return knob.check(value).map_err(|wanted| format!("{name} takes {wanted}, not {value}"));
    }
    if let Some(why) = refused_key(name) {
        return Err(why);
    }
    if is_own_name(name) {
        let is_text = matches!(value, Value::Text(text) if !text.trim().is_empty());
        return if is_text { Ok(()) } else { Err(format!("{name} takes a text in quotes, not {value}")) };
    }
    if policy_rule(name).is_some() {
        return match value {
            Value::Text(word) if Verdict::parse(word).is_some() => Ok(()),
            _ => {
                Err(format!("{name} takes \"block\", \"ask\", \"warn\", \"shadow\" or \"off\", not {value}"))
            }
        };
    }
    let Some(id) = name.strip_prefix(RULES_SECTION) else { return Err(unknown(name)) };
    if RULES.iter().any(|rule| rule.id == id && rule.fixed) {
        return Err(format!("rule {id} keeps the session's state and cannot be switched"));
    }
    if switchable(id).is_none() {
        return Err(unknown(name));
    }
    match value {
        Value::Text(word) if Mode::parse(word).is_some() => Ok(()),
        _ => Err(format!("{name} takes \"on\", \"shadow\" or \"off\", not {value}")),
    }
}

fn switchable(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id && !rule.fixed)
}

fn unknown(name: &str) -> String {
    match nearest(name) {
        Some(known) => format!("unknown key {name}; did you mean {known}?"),
        None => format!("unknown key {name}"),
    }
}

/// The known name most like this one, if any is like it at all.
fn nearest(name: &str) -> Option<String> {
    let score = |known: &String| strsim::jaro_winkler(name, known);
    let best = names().into_iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
    (score(&best) > 0.8).then_some(best)
}

/// Reads a value typed on the command line or in the environment, in the way its knob reads it: a text needs
/// no quotes, a list is split at commas.
pub fn parse_word(name: &str, word: &str) -> Value {
    match KNOBS.iter().find(|knob| knob.name() == name) {
        Some(knob) => knob.parse_word(word),
        None => Value::Text(word.to_owned()),
    }
}

/// The environment variable of a knob: `journal.keep_days` → `ENGINE_JOURNAL_KEEP_DAYS`.
pub fn variable_of(name: &str) -> String {
    format!("ENGINE_{}", name.replace(['.', '-'], "_").to_uppercase())
}

/// The commented file that `engine init` writes: every knob at its default, commented out.
pub fn template() -> String {
    let mut out = String::from(
        "# engine's configuration for this project. Every knob stands here with its default, commented out.\n\
         # `engine config show` tells what is in force and where it comes from.\n",
    );
    let mut section = "";
    for knob in KNOBS {
        let (its_section, key) = knob.name().split_once('.').unwrap_or(("", knob.name()));
        if its_section != section {
            section = its_section;
            out.push_str(&format!("\n[{section}]\n"));
        }
        out.push_str(&format!("# {}\n# {key} = {}\n", knob.about(), knob.default_value()));
    }
    out.push_str(
        "\n# Shortcuts of your own: the whole message, or its beginning with a colon.\n\
         # [shortcuts.commands]\n# t = \"run the tests and tell what fails\"\n\
         # [shortcuts.directives]\n# e = \"explain it, with an example\"\n",
    );
    out.push_str("\n# What a policy rule does: \"block\", \"ask\", \"warn\", \"shadow\" or \"off\". Your own rules: .engine/policy.toml\n");
    let mut pack = "";
    for rule in policy::built_in() {
        let (its_pack, key) = rule.id.split_once('.').unwrap_or(("", rule.id));
        if its_pack != pack {
            pack = its_pack;
            out.push_str(&format!("# [policy.{pack}]\n"));
        }
        out.push_str(&format!("# {key} = \"{}\"\n", rule.verdict.as_str()));
    }
    out.push_str(
        "\n# Each rule: \"on\", \"shadow\" (judged and counted, without effect) or \"off\".\n[rules]\n",
    );
    for rule in RULES.iter().filter(|rule| !rule.fixed) {
        out.push_str(&format!("# {}\n# {} = \"{}\"\n", rule.about, rule.id, rule.default.as_str()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (
                "rules.protect",
                Value::Flag(false),
                "rules.protect takes \"on\", \"shadow\" or \"off\", not false",
            ),
            (
                "rules.session",
                Value::Text("off".into()),
                "rule session keeps the session's state and cannot be switched",
            ),
            ("zzz", Value::Flag(true), "unknown key zzz"),
        ];
        for (name, value, expected) in cases {
            let config = Config::from_assignments(vec![set(name, value)], Vec::new());
            let texts: Vec<&str> = config.problems().iter().map(|problem| problem.text.as_str()).collect();
            assert_eq!(texts, [expected]);
            assert_eq!(config.set, []);
        }
    }

    #[test]
    fn the_last_layer_wins() {
        let user = Assignment { layer: Layer::User, ..set("inject.budget", Value::Number(600)) };
        let config =
            Config::from_assignments(vec![user, set("inject.budget", Value::Number(700))], Vec::new());
        assert_eq!(config.show("inject.budget"), Some(("700".into(), Layer::Project, 7)));
        assert_eq!(config.show("inject.strict"), Some(("false".into(), Layer::Default, 0)));
        assert_eq!(config.show("nonsense"), None);
    }

    /// Every order in which three layers can set something and not set it, and the layer that counts.
    fn layered(name: &str, value: impl Fn(Layer) -> Value) -> Vec<(Config, Layer)> {
        let layers = [Layer::User, Layer::Project, Layer::Environment];
        let chosen = |bits: usize| layers.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
        (0..8)
            .map(|bits| {
                let set = chosen(bits)
                    .map(|(_, layer)| Assignment { layer: *layer, ..set(name, value(*layer)) })
                    .collect();
                let last = chosen(bits).map(|(_, layer)| *layer).last().unwrap_or(Layer::Default);
                (Config::from_assignments(set, Vec::new()), last)
            })
            .collect()
    }

    #[test]
    fn the_last_layer_wins_for_modes_and_verdicts() {
        let rule = RULES.iter().find(|rule| rule.id == "protect").unwrap();
        let mode = |layer| match layer {
            Layer::Default => Mode::On,
            Layer::User => Mode::Off,
            Layer::Project => Mode::Shadow,
            Layer::Environment => Mode::On,
        };
        for (config, last) in layered("rules.protect", |layer| Value::Text(mode(layer).as_str().to_owned())) {
            assert_eq!(config.problems(), []);
            assert_eq!(config.mode(rule), mode(last), "{last:?}");
            let shown = format!("{:?}", mode(last).as_str());
            assert_eq!(
                config.show("rules.protect").map(|(value, layer, _)| (value, layer)),
                Some((shown, last))
            );
        }
        let rule = policy::built_in().find(|rule| rule.id == "git.reset-hard").unwrap();
        let verdict = |layer| match layer {
            Layer::Default => rule.verdict,
            Layer::User => Verdict::Off,
            Layer::Project => Verdict::Warn,
            Layer::Environment => Verdict::Ask,
        };
        for (config, last) in
            layered("policy.git.reset-hard", |layer| Value::Text(verdict(layer).as_str().to_owned()))
        {
            assert_eq!(config.problems(), []);
            assert_eq!(config.verdict(rule), verdict(last), "{last:?}");
        }
    }

    #[test]
    fn the_last_layer_wins_for_every_kind_of_knob() {
        use crate::rules::{inject, memory, reminder};
        use Layer::{Default, Environment, Project, User};
        let number = |layer| match layer {
            Default => inject::BUDGET.default,
            layer => 600 + layer as u64,
        };
        for (config, last) in
            layered("inject.budget", |layer| Value::Number(i64::try_from(number(layer)).unwrap()))
        {
            assert_eq!(config.number(&inject::BUDGET), number(last), "{last:?}");
        }
        let flag = |layer| matches!(layer, User | Environment);
        for (config, last) in layered("inject.strict", |layer| Value::Flag(flag(layer))) {
            assert_eq!(config.flag(&inject::STRICT), flag(last), "{last:?}");
        }
        let list = |layer: Layer| vec![format!("{}.md", layer.as_str())];
        for (config, last) in layered("inject.files", |layer| Value::List(list(layer))) {
            let expected = match last {
                Default => (inject::FILES.default.iter().map(|&name| name.to_owned()).collect(), false),
                last => (list(last), true),
            };
            let (files, is_set) = config.list(&inject::FILES);
            assert_eq!((files.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), is_set), expected);
        }
        for (config, last) in layered("commit.checks", |layer| Value::List(list(layer))) {
            let expected = if last == Default { Vec::new() } else { list(last) };
            assert_eq!(config.commands(&COMMIT_CHECKS), expected, "{last:?}");
        }
        for (config, last) in layered("policy.branches", |layer| Value::List(vec![layer.as_str().to_owned()]))
        {
            let expected = if last == Default { Vec::new() } else { vec![last.as_str()] };
            assert_eq!(config.names(&policy::BRANCHES), expected, "{last:?}");
        }
        for (config, last) in layered("reminder.text", |layer| Value::Text(layer.as_str().to_owned())) {
            let expected = if last == Default { reminder::TEXT.default } else { last.as_str() };
            assert_eq!(config.text(&reminder::TEXT), expected);
        }
        let word = |layer| match layer {
            User | Environment => "deny",
            Default | Project => "allow",
        };
        for (config, last) in layered("directives.memory", |layer| Value::Text(word(layer).to_owned())) {
            assert_eq!(config.choice(&memory::MEMORY), word(last), "{last:?}");
        }
        // An empty path is no path: a later layer takes an earlier one's back.
        let path = |layer: Layer| if layer == Project { "" } else { layer.as_str() };
        for (config, last) in layered("tasks.file", |layer| Value::Text(path(layer).to_owned())) {
            let expected = Some(path(last)).filter(|path| !path.is_empty() && last != Default);
            assert_eq!(config.path(&crate::task::FILE), expected, "{last:?}");
        }
        for (config, last) in layered("shortcuts.commands.t", |layer| Value::Text(layer.as_str().to_owned()))
        {
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
        let config = Config::from_assignments(
            vec![text(Layer::User, "off"), text(Layer::Project, "of")],
            vec![Problem { layer: Layer::User, line: 1, text: "an earlier one".into() }],
        );
        assert_eq!(config.mode(rule), Mode::Off);
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
            assert_eq!(Config::default().show(&name), Some((default, Layer::Default, 0)), "{name}");
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
        let budget = &crate::rules::inject::BUDGET;
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
            (
                "policy.git.reset-hard",
                Value::Flag(true),
                Some(format!("policy.git.reset-hard {verdicts} true")),
            ),
            (
                "policy.git.reset-hrd",
                text("ask"),
                Some("unknown key policy.git.reset-hrd; did you mean policy.git.reset-hard?".into()),
            ),
            ("rules.protect", text("shadow"), None),
            (
                "rules.protcet",
                text("on"),
                Some("unknown key rules.protcet; did you mean rules.protect?".into()),
            ),
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
        let knobs = Config {
            set: KNOBS.iter().map(|knob| set(knob.name(), Value::Other("x".into()))).collect(),
            problems: Vec::new(),
        };
        assert_eq!(knobs.number(&KEEP_DAYS), 30);
        assert_eq!(knobs.text(&RUN_AGENT), "claude");
        assert!(!knobs.flag(&crate::rules::inject::STRICT));
        assert_eq!(knobs.choice(&crate::shortcut::STATUS), "auto");
        assert_eq!(knobs.commands(&COMMIT_CHECKS), [""; 0]);
        assert_eq!(knobs.names(&policy::BRANCHES), [""; 0]);
        assert_eq!(knobs.path(&crate::task::FILE), None);
        assert_eq!(
            knobs.list(&crate::rules::inject::FILES),
            (crate::rules::inject::FILES.default.to_vec(), false)
        );
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
}
