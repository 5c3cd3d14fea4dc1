//! Rules of a project: `.engine/policy.toml`, in the same form as the built-in ones, with their tests beside them.
//!
//! ```toml
//! [[rule]]
//! id = "no-prod"
//! verdict = "block"
//! program = "kubectl"
//! command = ["delete", "apply"]
//! options = ["--context=prod"]
//! reason = "production is changed by the pipeline only"
//! instead = "a pull request"
//! when = { mode = "bypassPermissions" }
//! ```

use serde::{Deserialize, Serialize};

use super::glob;
use super::scene::{Context, Scene};
use super::{Match, Verdict};
use crate::shell::{Effect, Options, Run, join};

/// What a project adds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectPolicy {
    #[serde(default, rename = "rule")]
    pub rules: Vec<ProjectRule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectRule {
    pub id: String,
    pub verdict: String,
    pub reason: String,
    #[serde(default)]
    pub instead: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub since: String,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub program: Several,
    /// The first operand of the program.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub command: Several,
    /// All of these must be given; `--name=value` with this value.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub options: Several,
    /// One of the arguments is like one of these patterns.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub args: Several,
    /// Paths from the project's root.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub reads: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub writes: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub deletes: Several,
    /// Names of tools, as patterns: `mcp__db__*`.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub tool: Several,
    /// Fields of a tool's input and a pattern for each.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub field: std::collections::BTreeMap<String, Several>,
    #[serde(default, skip_serializing_if = "When::is_empty")]
    pub when: When,
}

/// One text or several.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Several {
    #[default]
    None,
    One(String),
    Many(Vec<String>),
}

impl Several {
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let all: &[String] = match self {
            Self::None => &[],
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        };
        all.iter().map(String::as_str)
    }

    fn fits(&self, text: &str) -> bool {
        self.iter().any(|pattern| like(pattern, text))
    }
}

/// In what a rule counts; what is not named does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub skill: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub phase: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub agent_type: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub mode: Several,
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub branch: Several,
}

impl When {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn holds(&self, context: &Context) -> bool {
        let fits =
            |wanted: &Several, is: Option<&str>| wanted.is_empty() || is.is_some_and(|is| wanted.fits(is));
        fits(&self.skill, context.skill.as_deref())
            && fits(&self.phase, context.phase.as_deref())
            && fits(&self.agent_type, context.agent_type.as_deref())
            && fits(&self.mode, context.mode.as_deref())
            && fits(&self.branch, context.branch.as_deref())
    }
}

/// A pattern over a whole text: `*` stands for anything.
fn like(pattern: &str, text: &str) -> bool {
    glob::matches(&pattern.replace('/', "\u{1}"), &text.replace('/', "\u{1}"))
}

impl ProjectRule {
    /// Why the rule cannot be used, if it cannot.
    pub fn problem(&self) -> Option<String> {
        if self.id.is_empty() || self.id.contains(char::is_whitespace) {
            return Some("a rule needs an id without blanks".to_owned());
        }
        if super::built_in().any(|built| built.id == self.id) {
            return Some(format!(
                "{} is the id of a built-in rule; engine config set policy.{} changes its verdict",
                self.id, self.id
            ));
        }
        if Verdict::parse(&self.verdict).is_none() {
            return Some(format!("{}: verdict is one of block, ask, warn, shadow, off", self.id));
        }
        if !self.looks_at_runs() && !self.looks_at_paths() && self.tool.is_empty() && self.field.is_empty() {
            return Some(format!(
                "{}: nothing to match: program, args, reads, writes, deletes, tool or field",
                self.id
            ));
        }
        None
    }

    fn looks_at_runs(&self) -> bool {
        !self.program.is_empty()
            || !self.command.is_empty()
            || !self.options.is_empty()
            || !self.args.is_empty()
    }

    fn looks_at_paths(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty() || !self.deletes.is_empty()
    }

    pub(super) fn judge(&self, scene: &Scene) -> Option<Match> {
        let verdict = Verdict::parse(&self.verdict).filter(|verdict| *verdict != Verdict::Off)?;
        if self.problem().is_some() || !self.when.holds(&scene.context) {
            return None;
        }
        if !self.tool.is_empty() && !self.tool.fits(&scene.tool) {
            return None;
        }
        for (field, patterns) in &self.field {
            scene.fields.iter().find(|(name, value)| name == field && patterns.fits(value))?;
        }
        let mut what = None;
        if self.looks_at_runs() {
            let (index, _) = scene.runs().find(|(_, run)| self.is_run(run))?;
            what = Some(super::what(scene, index));
        }
        if self.looks_at_paths() {
            let effect = scene.effects.iter().find(|effect| self.is_effect(effect, &scene.places.root))?;
            what.get_or_insert_with(|| format!("{} ({})", super::what(scene, effect.run()), effect.path()));
        }
        Some(Match {
            rule: self.id.clone(),
            verdict,
            what: what.unwrap_or_else(|| format!("`{}`", scene.tool)),
            reason: self.reason.clone(),
            instead: self.instead.clone(),
        })
    }

    fn is_run(&self, run: &Run) -> bool {
        // Options that are given with a value take the next word.
        let valued: Vec<&str> =
            self.options.iter().filter_map(|option| Some(option.split_once('=')?.0)).collect();
        let options = Options::read(&run.args, &valued, false);
        let program = self.program.is_empty()
            || run.program.as_deref().is_some_and(|program| self.program.fits(program));
        let first = options.operands.first().and_then(|word| word.literal());
        let command = self.command.is_empty() || first.is_some_and(|first| self.command.fits(first));
        let has = |wanted: &str| match wanted.split_once('=') {
            Some((name, value)) => {
                let glued = options.all(&[name]).any(|given| given.value.as_deref() == Some(value));
                glued || run.args.windows(2).any(|pair| pair[0].text == name && pair[1].text == value)
            }
            None => options.has(&[wanted]),
        };
        let given = self.options.iter().all(has);
        let args = self.args.is_empty()
            || run.args.iter().filter_map(|arg| arg.literal()).any(|arg| self.args.fits(arg));
        program && command && given && args
    }

    fn is_effect(&self, effect: &Effect, root: &str) -> bool {
        let listed = |globs: &Several| globs.iter().any(|glob| glob::meets(effect, &join(root, glob)));
        match effect {
            Effect::Read { .. } => listed(&self.reads),
            Effect::Write { .. } | Effect::Attributes { .. } => listed(&self.writes),
            Effect::Delete { .. } => listed(&self.deletes) || listed(&self.writes),
        }
    }
}

/// A test of `.engine/policy.tests.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTest {
    #[serde(default)]
    pub command: Option<String>,
    /// A file tool and its path, instead of a command.
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub field: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    pub when: std::collections::BTreeMap<String, String>,
    /// The rule that must match; without one, any.
    #[serde(default)]
    pub rule: Option<String>,
    /// block, ask, warn, shadow, or none.
    pub verdict: String,
}
