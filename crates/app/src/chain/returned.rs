//! `engine chain return`: the current entry of a chain hands values to the entries after it.

use std::path::Path;

use engine_core::chain::{PLAN, Stored};
use engine_store::project::Project;
use engine_text::line::units;

use super::Running;
use crate::error::CommandError;

/// Longer values belong into a file, and the path of that is the value.
const LONGEST: usize = 200;
/// The folder of all plans.
const PLANS: &str = "plans/";

impl Running {
    /// Keeps values (`plan=plans/foo`) and makes them the argument of later entries that have none: all of them, or none if one is
    /// wrong.
    pub fn hand_on(&self, project: &Project, values: &[String]) -> Result<Stored, CommandError> {
        let chain =
            self.chain.as_ref().ok_or_else(|| CommandError::nothing("no chain, so nothing takes a value"))?;
        let given: Vec<(String, String)> =
            values.iter().map(|text| read(text, chain, project.root())).collect::<Result<_, _>>()?;
        self.change(|chain| {
            for (name, value) in &given {
                chain.hand_on(name, value);
            }
            true
        })
    }
}

/// `plan=plans/foo` as a name that the current entry declares, and a value that can be one.
fn read(text: &str, chain: &Stored, root: &Path) -> Result<(String, String), CommandError> {
    let Some(current) = &chain.current else {
        return Err(CommandError::refused("no entry of the chain was called yet, so none returns anything")
            .hint("engine chain show prints the chain"));
    };
    let skill = &current.skill;
    let Some((name, value)) = text.split_once('=') else {
        return Err(CommandError::usage(format!("{text} is no value: engine chain return NAME=VALUE")));
    };
    let declared = chain.returns();
    if declared.is_empty() {
        return Err(CommandError::refused(format!(
            "/{skill} is current and declares no value that it returns"
        ))
        .hint(format!("its front matter declares one: continuation: {{returns: [{name}]}}")));
    }
    if !declared.iter().any(|known| known == name) {
        let error = CommandError::refused(format!("/{skill} declares no value {name}"));
        return Err(error.hint(format!("it returns: {}", declared.join(", "))));
    }
    let value = value.trim();
    if value.is_empty() || value.contains(char::is_control) || units(value) > LONGEST {
        let why = format!("the value of {name} is not one line of 1 to {LONGEST} characters");
        return Err(CommandError::refused(why).hint("put a longer text into a file, and return its path"));
    }
    let value = if name == PLAN { plan(value, root)? } else { value.to_owned() };
    Ok((name.to_owned(), value))
}

/// The folder of a plan as it is named from the project's root.
fn plan(value: &str, root: &Path) -> Result<String, CommandError> {
    let from_root = Path::new(value).strip_prefix(root).ok().and_then(Path::to_str).unwrap_or(value);
    let name = from_root.trim_start_matches("./").trim_end_matches('/');
    let name = name.strip_prefix(PLANS).unwrap_or(name);
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(char::is_whitespace);
    let path = format!("{PLANS}{name}");
    if name.split('/').all(is_plain) && root.join(&path).is_dir() {
        return Ok(path);
    }
    let error = CommandError::refused(format!("{value} is no folder below {PLANS}, and plan names one"));
    Err(error.hint("write the plan first, then: engine chain return plan=plans/NAME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_folder_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs_err::create_dir_all(root.join("plans/foo")).unwrap();
        fs_err::create_dir_all(root.join("src")).unwrap();
        fs_err::write(root.join("plans/foo/design.md"), "x").unwrap();
        let absolute = root.join("plans/foo").display().to_string();
        for value in ["plans/foo", "foo", "./plans/foo/", absolute.as_str()] {
            assert_eq!(plan(value, root).map_err(|_| ()), Ok("plans/foo".to_owned()), "{value}");
        }
        for value in ["plans/bar", "src", "plans", "plans/", "plans/../src", "plans/foo/design.md", "/etc"] {
            assert!(plan(value, root).is_err(), "{value}");
        }
    }
}
