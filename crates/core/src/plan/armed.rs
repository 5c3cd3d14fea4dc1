//! Between `/do` and the lock of a plan: the session changes nothing until one is locked.

use engine_text::redact::redact;
use serde::{Deserialize, Serialize};

use super::Plan;

/// The skill that arms a session, as its folder is named.
pub const DO: &str = "do";

/// Typed in place of it, it asks for a quick plan. The client knows no such command and hands it on as text.
pub const DO_QUICK: &str = "do!";

/// The agent whose answer becomes the plan, as its file is named.
pub const ROUTER: &str = "intent-router";

/// Asks for work that others judge.
const SUPERVISE: &str = "--supervise";

/// How much of the request is kept, in bytes.
const REQUEST: usize = 8000;

/// What the names of skills and agents begin with where they come from the plugin.
const PLUGIN: &str = "engine:";

/// A session that a person set to work by `/do`, and that has no locked plan yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Armed {
    /// What the person typed after `/do`; nothing where the skill was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// They want the work supervised.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub supervise: bool,
    /// They want a quick plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// What the intent router answered last, until it is a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// Whether a name is ours, with or without the plugin's prefix.
pub fn is_named(name: &str, ours: &str) -> bool {
    name.strip_prefix(PLUGIN).unwrap_or(name) == ours
}

impl Armed {
    /// A prompt that is `/do` or `/do!`, with or without a request.
    pub fn typed(prompt: &str) -> Option<Self> {
        let rest = prompt.trim_start().strip_prefix('/')?;
        let (skill, request) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let quick = is_named(skill, DO_QUICK);
        (quick || is_named(skill, DO)).then(|| {
            let called = Self { quick, ..Self::called(request) };
            let request = request.trim().strip_prefix(SUPERVISE).unwrap_or(request).trim();
            let start = &request[..request.floor_char_boundary(REQUEST)];
            Self { request: Some(redact(start).into_owned()), ..called }
        })
    }

    /// As it was typed: `/do!`.
    pub fn command(&self) -> String {
        format!("/{}", if self.quick { DO_QUICK } else { DO })
    }

    /// The skill was called with arguments. They are the agent's words, except that they may ask for more.
    pub fn called(args: &str) -> Self {
        let supervise = args.split_whitespace().next() == Some(SUPERVISE);
        Self { supervise, ..Self::default() }
    }

    /// What is typed begins anew; what is called adds to what was typed.
    pub fn take(&mut self, new: &Self) {
        if new.request.is_some() {
            self.clone_from(new);
        } else {
            self.supervise |= new.supervise;
        }
    }

    /// Holds a plan to what the person typed. What was changed comes back, in words.
    pub fn hold(&self, plan: &mut Plan) -> Vec<String> {
        let mut changed = Vec::new();
        if self.supervise && !plan.supervise {
            plan.supervise = true;
            changed.push(format!("it is supervised: /{DO} {SUPERVISE}"));
        }
        let words = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(request) = self.request.as_deref().filter(|request| !request.is_empty())
            && words(request) != words(&plan.original_fragment)
        {
            request.clone_into(&mut plan.original_fragment);
            // The text of a quick plan is the agent's, always.
            if !plan.quick {
                changed.push("original_fragment is what the user typed".to_owned());
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_that_arm() {
        for (prompt, request, supervise, quick) in [
            ("/do", "", false, false),
            ("/do fix it", "fix it", false, false),
            (" /do\nfix it", "fix it", false, false),
            ("/engine:do fix it", "fix it", false, false),
            ("/do --supervise fix\n it", "fix\n it", true, false),
            ("/do! fix it", "fix it", false, true),
            ("/do!", "", false, true),
            ("/engine:do!\nfix it", "fix it", false, true),
            ("/do! --supervise fix it", "fix it", true, true),
        ] {
            let expected = Armed { request: Some(request.to_owned()), supervise, quick, answer: None };
            assert_eq!(Armed::typed(prompt), Some(expected), "{prompt:?}");
        }
        for prompt in
            ["do it", "do! it", "/do!x", "/do!! x", "/done", "/other:do x", "please /do! x", "/ do", ""]
        {
            assert_eq!(Armed::typed(prompt), None, "{prompt:?}");
        }
    }

    #[test]
    fn a_plan_is_held_to_what_was_typed() {
        let plan = Plan { original_fragment: "tidy up".to_owned(), ..Plan::default() };
        for (prompt, fragment, supervise, changed) in [
            ("/do tidy  up", "tidy up", false, vec![]),
            ("/do", "tidy up", false, vec![]),
            ("/do fix it", "fix it", false, vec!["original_fragment is what the user typed"]),
            ("/do --supervise tidy up", "tidy up", true, vec!["it is supervised: /do --supervise"]),
        ] {
            let mut plan = plan.clone();
            assert_eq!(Armed::typed(prompt).unwrap().hold(&mut plan), changed, "{prompt}");
            assert_eq!((plan.original_fragment.as_str(), plan.supervise), (fragment, supervise), "{prompt}");
        }
        let mut armed = Armed::typed("/do --supervise fix it").unwrap();
        let typed = armed.clone();
        armed.take(&Armed::called("tidy up"));
        assert_eq!(armed, typed);
    }
}
