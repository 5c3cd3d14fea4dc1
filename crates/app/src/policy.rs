//! The policy in force, asked about a command or a file.

use engine_claude::DIALECT;
use engine_claude::skills::Claude;
use engine_core::config::Config;
use engine_core::host::surroundings;
use engine_core::policy::{self, Built, CallFacts, Context, FileUse, Level, Match, Places};
use engine_core::verdict::Decision;
use engine_core::view::Files as _;
use engine_rules::{Mode, protect};
use engine_shell::{Surroundings, analyse};
use engine_store::live_view::{IS_GNU, LiveView};
use engine_store::project::Project;
use engine_store::{config_file, git, places, policy_file, unsaved};

use crate::error::CommandError;
use crate::here;

/// The rule that guards engine's own files; it is none of the policy's.
pub const GUARD: &str = "protect";

/// The policy in force here: outside of a project only the built-in rules.
pub struct PolicyContext {
    pub config: Config,
    pub loaded: policy_file::Loaded,
    root: String,
    pub project: Option<Project>,
}

impl PolicyContext {
    pub fn here() -> Result<Self, CommandError> {
        let cwd = here::folder()?;
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        Ok(match Project::open(None, &cwd) {
            Some(project) => Self {
                config: config_file::load(&project),
                loaded: policy_file::read(&project),
                root: text(project.root()),
                project: Some(project),
            },
            None => Self {
                config: Config::default(),
                loaded: policy_file::Loaded::default(),
                root: text(&cwd),
                project: None,
            },
        })
    }

    /// Refuses to answer by a policy file that cannot be used as it stands.
    pub fn sound(self) -> Result<Self, CommandError> {
        let Some(problem) = self.loaded.problems.first() else { return Ok(self) };
        let place = match problem.line {
            0 => ".engine/policy.toml".to_owned(),
            line => format!(".engine/policy.toml:{line}"),
        };
        let others = match self.loaded.problems.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let text =
            format!("{place}: {}{others}. Mend it; engine policy test checks the whole file", problem.text);
        Err(CommandError::refused(text))
    }

    fn places(&self) -> Result<Places, CommandError> {
        let cwd = here::folder()?.to_string_lossy().into_owned();
        let home = places::home().map(|home| home.to_string_lossy().into_owned());
        Ok(Places { root: self.root.clone(), cwd, home, temporary: std::env::var("TMPDIR").ok() })
    }

    pub fn facts(&self, subject: &str, tool: Option<&str>) -> Result<CallFacts, CommandError> {
        let places = self.places()?;
        let mut facts = match tool {
            None | Some("Bash") => {
                let (home, temporary) = (places.home.clone(), places.temporary.clone());
                let around = surroundings(&places.cwd, home, temporary, &DIALECT);
                let wrappers = self.loaded.policy.extra_wrappers();
                let around =
                    Surroundings { root: Some(self.root.clone()), is_gnu: IS_GNU, wrappers, ..around };
                CallFacts::of_command("Bash", subject, analyse(subject, &around), places)
            }
            Some(tool) if DIALECT.edit_tools.contains(&tool) => {
                CallFacts::of_files(tool, [FileUse::Write(subject.to_owned())], places)
            }
            Some("Read") => CallFacts::of_files("Read", [FileUse::Read(subject.to_owned())], places),
            Some(tool) => CallFacts::of_tool(tool, places),
        };
        facts.dialect = &DIALECT;
        facts.unsaved = policy::unsaved(&facts, &|path| std::path::Path::new(path).exists(), &unsaved::look);
        facts.new_branches = policy::new_branches(&facts, &git::has_branch);
        let patterns = self.config.names(&policy::PROTECTED);
        facts.protected =
            patterns.iter().map(|pattern| engine_text::path::join(&self.root, pattern)).collect();
        let branch = self.project.as_ref().and_then(|project| git::branch(project.root()));
        let listed = policy::branches(&self.config);
        facts.on_protected_branch = branch.as_deref().is_some_and(|branch| listed.contains(&branch));
        facts.context = Context { branch, ..Context::default() };
        Ok(facts)
    }

    fn judge(&self, facts: &CallFacts) -> Vec<Match> {
        policy::judge(facts, &self.loaded.policy, &|rule: &Built| rule.verdict(&self.config))
    }

    /// The policy's answer, and behind it what the rule that guards engine's own files says to it: that these go too is not why
    /// `rm -rf /` is refused.
    pub fn judge_all(&self, facts: &CallFacts) -> Vec<Match> {
        let mut found = self.judge(facts);
        found.extend(self.guard(facts));
        found.sort_by_key(|found| std::cmp::Reverse(found.verdict));
        found
    }

    fn knows(&self, rule: &str) -> bool {
        [policy::UNPARSED, policy::UNKNOWN_PROGRAM].contains(&rule)
            || policy::built_in().any(|built| built.id == rule)
            || self.loaded.policy.rules.iter().any(|own| own.id == rule)
    }

    fn guard(&self, facts: &CallFacts) -> Option<Match> {
        let project = self.project.as_ref()?;
        let rule = engine_rules::RULES.iter().find(|rule| rule.id == GUARD)?;
        let mode = rule.mode(&self.config);
        if mode == Mode::Off {
            return None;
        }
        let view = LiveView::new(project, self.config.clone(), "", Box::new(Claude::new(project)));
        let finding = if facts.tool == "Bash" {
            protect::shell(&facts.text, &facts.analysis, None, &view)
        } else {
            let changed = facts.effects.iter().filter(|effect| effect.changes());
            let mut judged =
                changed.map(|effect| protect::file(&view.resolve("/", effect.path()), None, &view));
            judged.find(|finding| !finding.is_silent())?
        };
        let (verdict, reason) = match finding.decision? {
            Decision::Deny(reason) => (Level::Block, reason),
            Decision::Ask(reason) => (Level::Ask, reason),
        };
        let verdict = if mode == Mode::Shadow { Level::Shadow } else { verdict };
        Some(Match {
            rule: GUARD.to_owned(),
            verdict,
            what: if facts.tool == "Bash" { "the command" } else { "the file" }.to_owned(),
            reason,
            instead: String::new(),
        })
    }
}

pub fn strictest(found: &[Match]) -> Option<Level> {
    found.iter().map(|found| found.verdict).max()
}

/// What came of the tests beside the project's rules.
#[derive(Debug, PartialEq, Eq)]
pub struct Tested {
    pub tests: usize,
    pub failures: Vec<String>,
}

impl PolicyContext {
    /// Runs the tests beside the rules. A rule without a test, and a problem in either file, counts as a failure.
    pub fn test(&self) -> Result<Tested, CommandError> {
        let Some(project) = &self.project else {
            return Err(CommandError::refused("no project: there is no .engine/ here or above")
                .hint("make one: engine init"));
        };
        let (tests, problems) = policy_file::tests(project);
        let mut failures: Vec<String> = Vec::new();
        failures.extend(
            self.loaded
                .problems
                .iter()
                .map(|problem| format!("policy.toml:{}: {}", problem.line, problem.text)),
        );
        failures.extend(
            problems.iter().map(|problem| format!("policy.tests.toml:{}: {}", problem.line, problem.text)),
        );
        if tests.is_empty() && problems.is_empty() && policy_file::tests_path(project).exists() {
            failures.push("policy.tests.toml: there is no [[test]] in it".to_owned());
        }
        for (line, test) in &tests {
            if let Some(rule) = test.rule.as_deref().filter(|rule| !self.knows(rule)) {
                failures.push(format!("policy.tests.toml:{line}: there is no rule {rule}"));
                continue;
            }
            let subject = test.command.as_deref().or(test.path.as_deref()).unwrap_or_default();
            let mut facts = self.facts(subject, test.tool.as_deref())?;
            facts.fields = test.field.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            for (name, value) in &test.when {
                let value = Some(value.clone());
                match name.as_str() {
                    "skill" => facts.context.skill = value,
                    "phase" => facts.context.phase = value,
                    "agent_type" => facts.context.agent_type = value,
                    "mode" => facts.context.mode = value,
                    "branch" => facts.context.branch = value,
                    _ => failures.push(format!("policy.tests.toml:{line}: when.{name} is not known")),
                }
            }
            let found = self.judge(&facts);
            let of_rule: Vec<Match> = found
                .into_iter()
                .filter(|found| test.rule.as_ref().is_none_or(|rule| found.rule == *rule))
                .collect();
            let is = strictest(&of_rule).map_or("none", Level::as_str);
            if is != test.verdict {
                let rule = test.rule.as_deref().unwrap_or("any rule");
                failures.push(format!(
                    "policy.tests.toml:{line}: {subject}: {rule} says {is}, the test wants {}",
                    test.verdict
                ));
            }
        }
        for rule in &self.loaded.policy.rules {
            if !tests.iter().any(|(_, test)| test.rule.as_deref() == Some(rule.id.as_str())) {
                failures.push(format!("policy.toml: {} has no test", rule.id));
            }
        }
        Ok(Tested { tests: tests.len(), failures })
    }
}

#[cfg(test)]
mod tests;
