//! Between `/do` and the lock of a plan: the session changes nothing until one is locked.

use serde::{Deserialize, Serialize};

/// The skill that arms a session, as its folder is named.
pub const DO: &str = "do";

/// The agent whose answer becomes the plan, as its file is named.
pub const ROUTER: &str = "intent-router";

/// What the names of skills and agents begin with where they come from the plugin.
const PLUGIN: &str = "engine:";

/// A session that a person set to work by `/do`, and that has no locked plan yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Armed {
    /// What the intent router answered last, until it is a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// Whether a name is ours, with or without the plugin's prefix.
pub fn is_named(name: &str, ours: &str) -> bool {
    name.strip_prefix(PLUGIN).unwrap_or(name) == ours
}

/// Whether a prompt is `/do`, with or without a request.
pub fn is_do(prompt: &str) -> bool {
    let skill = prompt.trim_start().strip_prefix('/').and_then(|rest| rest.split(char::is_whitespace).next());
    skill.is_some_and(|skill| is_named(skill, DO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_that_arm() {
        for prompt in ["/do", "/do fix it", " /do\nfix it", "/engine:do fix it", "/do --supervise x"] {
            assert!(is_do(prompt), "{prompt:?}");
        }
        for prompt in ["do it", "/do! x", "/done", "/other:do x", "please /do x", "/ do", ""] {
            assert!(!is_do(prompt), "{prompt:?}");
        }
    }
}
