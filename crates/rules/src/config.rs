//! The configuration as layers over the registry: which names there are, what each takes, its default and what it is for.

use engine_core::config::{Assignment, Config, Layer, Problem, Value};
use engine_core::policy::{self, Built, Level};
use engine_core::shortcut::{is_own_name, refused_key};

use crate::registry::{KNOBS, RULES};
use crate::{Mode, Rule};

mod in_force;
mod stricter;

pub use in_force::{Accepted, File, in_force};

/// The part of a name before the first dot that holds the rules' modes.
pub(crate) const RULES_SECTION: &str = "rules.";

/// Checks each assignment against its knob. Give the layers in their order.
pub fn layered(assignments: Vec<Assignment>, mut problems: Vec<Problem>) -> Config {
    let set = in_force::checked(assignments, &mut problems);
    Config::new(set, problems)
}

/// The value in force as TOML, and the layer that set it.
pub fn show(config: &Config, name: &str) -> Option<(String, Layer, u32)> {
    if let Some(last) = config.last(name) {
        return Some((last.value.to_string(), last.layer, last.line));
    }
    default_of(name).map(|default| (default, Layer::Default, 0))
}

/// The names of all knobs, the rules' modes last.
pub fn names() -> Vec<String> {
    let knobs = KNOBS.iter().map(|knob| knob.name().to_owned());
    let modes = RULES.iter().filter(|rule| !rule.fixed).map(|rule| format!("{RULES_SECTION}{}", rule.id));
    let verdicts = policy::built_in().map(|rule| format!("{}{}", policy::SECTION, rule.id));
    knobs.chain(verdicts).chain(modes).collect()
}

fn policy_rule(name: &str) -> Option<&'static Built> {
    let id = name.strip_prefix(policy::SECTION)?;
    policy::built_in().find(|rule| rule.id == id)
}

/// The default of a knob as TOML.
pub fn default_of(name: &str) -> Option<String> {
    default_value(name).map(|value| value.to_string())
}

fn default_value(name: &str) -> Option<Value> {
    if let Some(knob) = KNOBS.iter().find(|knob| knob.name() == name) {
        return Some(knob.default_value());
    }
    if let Some(rule) = policy_rule(name) {
        return Some(Value::Text(rule.verdict.as_str().to_owned()));
    }
    let rule = switchable(name.strip_prefix(RULES_SECTION)?)?;
    Some(Value::Text(rule.default.as_str().to_owned()))
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
            Value::Text(word) if Level::parse(word).is_some() => Ok(()),
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
mod tests;
