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

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::facts::{CallFacts, Context};
use super::{Level, Match};
use engine_shell::{Effect, ExtraWrapper, Options, Run, Word};
use engine_text::glob;
use engine_text::path::join;

/// What a project adds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectPolicy {
    #[serde(default, rename = "rule")]
    pub rules: Vec<ProjectRule>,
    /// Programs that run their arguments. They add what is judged, so nobody has to accept them.
    #[serde(default, rename = "wrapper")]
    pub wrappers: Vec<ProjectWrapper>,
    /// Ids of rules whose words no model is told: nobody has accepted them, and the project is not trusted.
    pub untold: Vec<String>,
}

impl ProjectPolicy {
    /// The wrappers as the analysis takes them.
    pub fn extra_wrappers(&self) -> Rc<[ExtraWrapper]> {
        self.wrappers.iter().map(ProjectWrapper::row).collect()
    }

    /// What a model may be told of a match: of a rule that is not told neither its id nor a warning.
    #[must_use]
    pub fn told(&self, mut found: Match) -> Match {
        if self.untold.contains(&found.rule) {
            UNTOLD.clone_into(&mut found.rule);
            if found.verdict == Level::Warn {
                found.verdict = Level::Shadow;
            }
        }
        found
    }
}

/// What stands for the id of a rule whose words are not told.
const UNTOLD: &str = "a rule of this project";
/// How long an id may be, in characters.
const LONGEST_ID: usize = 60;

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
    /// The first operand of the program; what stands behind an option may be its value, then the next counts too.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub command: Several,
    /// All of these must be given; `--name=value` with this value.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub options: Several,
    /// One of the arguments is like one of these patterns.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub args: Several,
    /// Paths from the project's root, or from the home folder: `~/x`.
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

/// A program of the project that runs its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectWrapper {
    pub program: Several,
    /// Options that take a value.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub valued: Several,
    /// Options whose value is a line of shell.
    #[serde(default, skip_serializing_if = "Several::is_empty")]
    pub code: Several,
    /// Operands before the command.
    #[serde(default)]
    pub skip: usize,
    /// Only behind this word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subcommand: Option<String>,
}

impl ProjectWrapper {
    /// Why the row cannot be used, if it cannot.
    pub fn problem(&self) -> Option<String> {
        let is_name =
            |name: &str| !name.is_empty() && !name.contains(|c: char| c == '/' || c.is_whitespace());
        if self.program.is_empty() || !self.program.iter().all(is_name) {
            return Some("a wrapper needs program: one name or several, without folders".to_owned());
        }
        let name = self.program.iter().next().unwrap_or_default();
        let is_option = |option: &str| option.len() > 1 && option.starts_with('-');
        if !self.valued.iter().chain(self.code.iter()).all(is_option) {
            return Some(format!("wrapper {name}: valued and code are options: -f, --file"));
        }
        None
    }

    fn row(&self) -> ExtraWrapper {
        let texts = |several: &Several| several.iter().map(str::to_owned).collect();
        ExtraWrapper {
            programs: texts(&self.program),
            valued: texts(&self.valued),
            code: texts(&self.code),
            skip: self.skip,
            subcommand: self.subcommand.clone(),
        }
    }
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
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if self.id.is_empty() || self.id.len() > LONGEST_ID || !self.id.chars().all(is_plain) {
            return Some(format!(
                "a rule needs an id of letters, digits, `.`, `_` and `-`, at most {LONGEST_ID} of them"
            ));
        }
        if super::built_in().any(|built| built.id == self.id) {
            return Some(format!(
                "{} is the id of a built-in rule; engine config set policy.{} changes its verdict",
                self.id, self.id
            ));
        }
        if Level::parse(&self.verdict).is_none() {
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

    pub(super) fn judge(&self, facts: &CallFacts) -> Option<Match> {
        let verdict = Level::parse(&self.verdict).filter(|verdict| *verdict != Level::Off)?;
        if self.problem().is_some() || !self.when.holds(&facts.context) {
            return None;
        }
        if !self.tool.is_empty() && !self.tool.fits(&facts.tool) {
            return None;
        }
        for (field, patterns) in &self.field {
            facts.fields.iter().find(|(name, value)| name == field && patterns.fits(value))?;
        }
        let mut what = None;
        if self.looks_at_runs() {
            let (index, _) = facts.all_runs().find(|(_, run)| self.is_run(run))?;
            what = Some(super::what(facts, index));
        }
        if self.looks_at_paths() {
            let effect = facts.effects.iter().find(|effect| self.is_effect(effect, facts))?;
            what.get_or_insert_with(|| format!("{} ({})", super::what(facts, effect.run()), effect.path()));
        }
        Some(Match {
            rule: self.id.clone(),
            verdict,
            what: what.unwrap_or_else(|| format!("`{}`", facts.tool)),
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
        let command = self.command.is_empty()
            || commands(&run.args, &options)
                .any(|word| word.literal().is_some_and(|word| self.command.fits(word)));
        // As it stands, too: `-auto-approve` is one option, not letters of several.
        let end = run.args.iter().position(|arg| arg.text == "--").unwrap_or(run.args.len());
        let stands = |wanted: &str| run.args[..end].iter().any(|arg| arg.text == wanted);
        let has = |wanted: &str| match wanted.split_once('=') {
            Some((name, value)) => {
                let glued = options.all(&[name]).any(|given| given.value.as_deref() == Some(value));
                let follows = run.args.windows(2).any(|pair| pair[0].text == name && pair[1].text == value);
                glued || follows || stands(wanted)
            }
            None => options.has(&[wanted]) || stands(wanted),
        };
        let given = self.options.iter().all(has);
        let args = self.args.is_empty()
            || run.args.iter().filter_map(|arg| arg.literal()).any(|arg| self.args.fits(arg));
        program && command && given && args
    }

    fn is_effect(&self, effect: &Effect, facts: &CallFacts) -> bool {
        let places = &facts.places;
        let whole = |glob: &str| match (glob.strip_prefix("~/"), &places.home) {
            (Some(below), Some(home)) => join(home, below),
            _ => join(&places.root, glob),
        };
        let listed = |globs: &Several| globs.iter().any(|glob| facts.analysis.meets(effect, &whole(glob)));
        match effect {
            Effect::Read { .. } => listed(&self.reads),
            Effect::Write { .. } | Effect::Folder { .. } | Effect::Attributes { .. } => listed(&self.writes),
            Effect::Delete { .. } => listed(&self.deletes) || listed(&self.writes),
        }
    }
}

/// Operands that may be the command: the first, and the next while the one before it may be the value of an option.
fn commands<'o>(args: &'o [Word], options: &'o Options<'_>) -> impl Iterator<Item = &'o Word> {
    let may_be_value = |word: &Word| {
        let at = args.iter().position(|arg| std::ptr::eq(arg, word)).unwrap_or_default();
        let before = at.checked_sub(1).map(|at| args[at].text.as_str());
        before.is_some_and(|before| before.starts_with('-') && before != "--" && !before.contains('='))
    };
    let values = options.operands.iter().take_while(|word| may_be_value(word)).count();
    options.operands.iter().copied().take(values + 1)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use super::*;
    use crate::policy::Places;

    fn matches(rule: serde_json::Value, command: &str) -> bool {
        let mut rule = rule;
        for (name, value) in [("id", "x"), ("verdict", "block"), ("reason", "r")] {
            rule[name] = value.into();
        }
        let rule: ProjectRule = serde_json::from_value(rule).unwrap();
        assert_eq!(rule.problem(), None);
        let places = Places {
            root: "/home/dev/p".into(),
            cwd: "/home/dev/p".into(),
            home: Some("/home/dev".into()),
            temporary: None,
        };
        let around =
            crate::host::surroundings("/home/dev/p", Some("/home/dev".into()), None, &crate::dialect::TEST);
        let analysis = engine_shell::analyse(command, &around);
        rule.judge(&CallFacts::of_command("Bash", command, analysis, places)).is_some()
    }

    #[test]
    fn options_with_one_dash() {
        let force = serde_json::json!({"program": "tool", "options": ["-f"]});
        for (command, expected) in [
            ("tool -f x", true),
            ("tool -rf x", true),
            ("tool -ffile", true),
            ("tool -r x", false),
            ("tool -- -f", false),
            ("tool --force", false),
        ] {
            assert_eq!(matches(force.clone(), command), expected, "{command}");
        }
        let whole = serde_json::json!({"program": "terraform", "options": ["-auto-approve"]});
        assert!(matches(whole.clone(), "terraform apply -auto-approve"));
        assert!(!matches(whole, "terraform apply -auto"));
        let valued = serde_json::json!({"program": "kubectl", "options": ["-n=prod"]});
        for command in ["kubectl -n prod get x", "kubectl -nprod get x", "kubectl get x -n=prod"] {
            assert!(matches(valued.clone(), command), "{command}");
        }
        assert!(!matches(valued, "kubectl -n test get prod"));
    }

    #[test]
    fn wrappers_of_the_project_lead_to_their_command() {
        let wrapper = serde_json::json!({
            "program": "with-env", "valued": ["-f", "--file"], "code": ["-c"], "skip": 1, "subcommand": "run"
        });
        let wrapper: ProjectWrapper = serde_json::from_value(wrapper).unwrap();
        assert_eq!(wrapper.problem(), None);
        let policy = ProjectPolicy { wrappers: vec![wrapper], ..ProjectPolicy::default() };
        let mut around = crate::host::surroundings("/p", None, None, &crate::dialect::TEST);
        around.wrappers = policy.extra_wrappers();
        for (command, expected) in [
            ("with-env run x rm a", Some("rm a")),
            ("with-env -q run -f y --file=z x rm a", Some("rm a")),
            ("with-env run -c 'rm a'", Some("rm a")),
            ("sudo with-env run x env rm a", Some("rm a")),
            ("with-env list x rm a", None),
            ("with-env run x", None),
            ("other run x rm a", None),
        ] {
            let analysis = engine_shell::analyse(command, &around);
            let last = analysis.runs.last().filter(|run| run.is(&["rm"])).map(Run::shown);
            assert_eq!(last.as_deref(), expected, "{command}");
        }
        for (row, expected) in [
            (
                serde_json::json!({"program": []}),
                "a wrapper needs program: one name or several, without folders",
            ),
            (
                serde_json::json!({"program": "a/b"}),
                "a wrapper needs program: one name or several, without folders",
            ),
            (
                serde_json::json!({"program": "x", "code": "c"}),
                "wrapper x: valued and code are options: -f, --file",
            ),
        ] {
            let wrapper: ProjectWrapper = serde_json::from_value(row).unwrap();
            assert_eq!(wrapper.problem().as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_command_behind_options() {
        let delete = serde_json::json!({"program": "kubectl", "command": "delete"});
        for (command, expected) in [
            ("kubectl delete pod x", true),
            ("kubectl -n x delete pod", true),
            ("kubectl -n x --context y delete pod", true),
            ("kubectl --context=y delete pod", true),
            ("kubectl get delete", false),
            ("kubectl --context=y get delete", false),
        ] {
            assert_eq!(matches(delete.clone(), command), expected, "{command}");
        }
    }

    #[test]
    fn paths_of_the_home_folder_and_what_goes_with_a_folder() {
        let reads = serde_json::json!({"reads": "~/.config/app/**"});
        assert!(matches(reads.clone(), "cat ~/.config/app/token"));
        assert!(!matches(reads, "cat .config/app/token"));
        let writes = serde_json::json!({"writes": "src/gen/**"});
        assert!(matches(writes.clone(), "rm -rf src"));
        assert!(matches(writes.clone(), "git checkout -- src/gen/a.rs"));
        assert!(!matches(writes, "rm -rf src/lib"));
    }
}
