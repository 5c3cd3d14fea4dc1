//! The configuration: known keys, and setting one.

use std::path::{Path, PathBuf};

use engine_claude::install;
use engine_core::approval::{Deed, Kind};
use engine_core::config::{Layer, Value};
use engine_rules::{Rule, config};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{config_file, places, trust};

use crate::approval::{self, Consent};
use crate::error::{CommandError, Outcome};
use crate::install::rewire;

/// Refuses a key that no knob has.
pub fn must_be_known(key: &str) -> Outcome {
    match config::default_of(key) {
        Some(_) => Ok(()),
        None if config::check(key, &Value::Text("x".into())).is_ok() => Ok(()),
        None => {
            let why = config::check(key, &Value::Flag(true)).err().unwrap_or_default();
            Err(CommandError::usage(why).hint("list them: engine config show"))
        }
    }
}

/// What is to be set.
#[derive(Debug, Clone, Copy)]
pub struct Assignment<'a> {
    pub key: &'a str,
    pub value: &'a str,
    /// For the person in every project.
    pub user: bool,
    pub consent: Consent<'a>,
}

/// What was set.
#[derive(Debug)]
pub struct Assigned {
    pub value: Value,
    pub path: PathBuf,
    /// Whether the hook entries had to follow.
    pub rewired: bool,
}

/// Groups of keys that say what is told and shown, and nothing of what an agent may do.
const HARMLESS: [&str; 6] = ["inject.", "reminder.", "shortcuts.", "statusline.", "chain.", "tasks."];

/// Whether a value leaves every rule as strict as it is.
fn loosens_nothing(key: &str, value: &str) -> bool {
    let is_strictest = (key.starts_with("rules.") && value == "on")
        || (key.starts_with("policy.") && matches!(value, "block" | "closed"));
    is_strictest || HARMLESS.iter().any(|group| key.starts_with(group))
}

/// Sets one value, and wires the events that a rule now wants to hear. `program` is what the hooks call.
pub fn set(
    project: &Project,
    caller: &Caller,
    rules: &[Rule],
    program: &Path,
    wanted: &Assignment<'_>,
) -> Result<Assigned, CommandError> {
    let Assignment { key, value, user, consent } = *wanted;
    must_be_known(key)?;
    // A person is not asked about what cannot be set.
    config::check(key, &config::parse_word(key, value)).map_err(CommandError::refused)?;
    let scope = if user { "config set --user" } else { "config set" };
    let mut deed = Deed::new(&format!("{scope} {key} {value}"), &[scope, key, value]).of(Kind::Config);
    if loosens_nothing(key, value) {
        deed = deed.by_script(consent.yes);
    }
    approval::require(project, caller, &deed, consent.reading)?;
    let _held = install::lock(project)?;
    let path = if user {
        places::user_config().ok_or_else(|| CommandError::refused("no home folder: HOME is not set"))?
    } else {
        project.config_file()
    };
    let value = config_file::set(&path, key, value).map_err(CommandError::from_error)?;
    let layer = if user { Layer::User } else { Layer::Project };
    trust::accept_entry(project, layer, key, value.clone()).map_err(|error| {
        CommandError::refused(format!("the value is in {}, but not accepted: {error}", path.display()))
            .hint("until it is, only what is stricter counts: engine config accept")
            .caused_by(error)
    })?;
    let rewired = rewire(project, rules, program).map_err(|error| {
        CommandError::refused(format!("the value is set, but the hooks were not wired: {error}"))
            .caused_by(error)
    })?;
    Ok(Assigned { value, path, rewired })
}
