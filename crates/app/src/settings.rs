//! The configuration: known keys, and setting one.

use std::path::{Path, PathBuf};

use engine_claude::install;
use engine_core::approval::Deed;
use engine_core::config::Value;
use engine_rules::{Rule, config};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{config_file, places};

use crate::approval;
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
    /// Why a person wants it.
    pub approved: Option<&'a str>,
}

/// What was set.
#[derive(Debug)]
pub struct Assigned {
    pub value: Value,
    pub path: PathBuf,
    /// Whether the hook entries had to follow.
    pub rewired: bool,
}

/// Sets one value, and wires the events that a rule now wants to hear. `program` is what the hooks call.
pub fn set(
    project: &Project,
    caller: &Caller,
    rules: &[Rule],
    program: &Path,
    wanted: &Assignment<'_>,
) -> Result<Assigned, CommandError> {
    let Assignment { key, value, user, approved } = *wanted;
    must_be_known(key)?;
    let scope = if user { "config set --user" } else { "config set" };
    let deed = Deed::new(&format!("{scope} {key} {value}"), &[scope, key, value]);
    approval::require(project, caller, &deed, approved)?;
    let _held = install::lock(project)?;
    let path = if user {
        places::user_config().ok_or_else(|| CommandError::refused("no home folder: HOME is not set"))?
    } else {
        project.config_file()
    };
    let value = config_file::set(&path, key, value).map_err(CommandError::from_error)?;
    let rewired = rewire(project, rules, program).map_err(|error| {
        CommandError::refused(format!("the value is set, but the hooks were not wired: {error}"))
            .caused_by(error)
    })?;
    Ok(Assigned { value, path, rewired })
}
