//! Policy: what the agent's tools may do. Rules look at what a command line does ([`engine_shell`]), not at its text.
//!
//! Built-in rules come in packs; a project adds its own in the same form. Every rule has a verdict that the configuration may
//! change, a reason and what to do instead. Nothing here approves anything.

mod agents;
mod cloud;
mod code;
mod database;
mod docs;
mod facts;
mod files;
mod git;
mod machine;
mod mount;
mod network;
mod operation;
mod person;
mod project;
mod request;
mod secrets;
mod sql;
mod startup;
mod token;
mod unknown;

pub use docs::over_long;
pub use facts::{CallFacts, Context, FileUse, Places};
pub use git::{Asked, AskedBranch, Unsaved, new_branches, unsaved};
pub use project::{ProjectPolicy, ProjectRule, ProjectWrapper, RuleTest, When};
pub use secrets::{ENV_FILES, Holds, SHADOW, is_secret, secrets_of_home, telling_bytes};

use crate::config::{Choice, Config, Names};
use engine_shell::Problem;
use unknown::{names_an_operation, unknown_program};

/// What the names of the knobs of policy rules begin with.
pub const SECTION: &str = "policy.";

/// What happens when the engine itself fails.
pub const FAIL: Choice = Choice {
    name: "policy.fail",
    default: "open",
    of: &["open", "closed"],
    about: "What happens to a tool call when the engine fails: open lets it run, closed blocks it (takes effect with engine init).",
};

/// Files that the agent does not change.
pub const PROTECTED: Names = Names {
    name: "policy.protected",
    about: "Files that the agent must not change or delete, by any tool: patterns from the project's root, * and **.",
    of: "patterns below the project",
    fits: is_below,
};

/// Branches that take no commits from the agent, where policy.git.protected-branch is on.
pub const BRANCHES: Names = Names {
    name: "policy.branches",
    about: "Branches for policy.git.protected-branch; empty: main and master.",
    of: "branches",
    fits: |name| !name.is_empty() && !name.contains(char::is_whitespace),
};

/// What an empty list of branches means.
pub const USUAL_BRANCHES: [&str; 2] = ["main", "master"];

/// The branches that `policy.branches` means.
pub fn branches(config: &Config) -> Vec<&str> {
    let listed = config.names(&BRANCHES);
    if listed.is_empty() { USUAL_BRANCHES.to_vec() } else { listed }
}

/// Whether a pattern names something below the project.
pub fn is_below(pattern: &str) -> bool {
    !pattern.is_empty()
        && !pattern.starts_with(['/', '~'])
        && !pattern.contains(['[', ']', '"'])
        && pattern.split('/').all(|part| part != "..")
}

/// What follows when a rule matches; the later, the stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Off,
    /// Counted only.
    Shadow,
    /// It runs, and the model is told.
    Warn,
    Ask,
    Block,
}

impl Level {
    pub const ALL: [Self; 5] = [Self::Off, Self::Shadow, Self::Warn, Self::Ask, Self::Block];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Shadow => "shadow",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == word)
    }
}

/// A rule that comes with the engine.
pub struct Built {
    pub id: &'static str,
    /// The release that it came with.
    pub since: &'static str,
    pub verdict: Level,
    /// What it matches, for lists.
    pub about: &'static str,
    /// Why: what would happen.
    pub reason: &'static str,
    pub instead: &'static str,
    /// The run that matches.
    matches: fn(&CallFacts) -> Option<usize>,
}

impl Built {
    /// What the rule does under this configuration.
    pub fn verdict(&self, config: &Config) -> Level {
        config.own(SECTION, self.id).and_then(Level::parse).unwrap_or(self.verdict)
    }
}

/// All built-in rules, by pack.
pub static PACKS: &[&[Built]] = &[
    git::RULES,
    files::FILES,
    machine::MACHINE,
    secrets::SECRETS,
    files::NETWORK,
    network::NETWORK,
    cloud::CLOUD,
    database::DATABASE,
    person::PERSON,
    agents::AGENTS,
    docs::DOCS,
    docs::PYTHON,
    docs::SKILLS,
];

pub fn built_in() -> impl Iterator<Item = &'static Built> {
    PACKS.iter().flat_map(|pack| pack.iter())
}

/// A rule that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub rule: String,
    pub verdict: Level,
    /// The parsed command or the path, not the whole text.
    pub what: String,
    pub reason: String,
    pub instead: String,
}

impl Match {
    /// What the model reads.
    pub fn message(&self) -> String {
        let Self { rule, what, reason, instead, .. } = self;
        let lead = match self.verdict {
            Level::Block => "refused",
            Level::Ask => "needs the user's word",
            _ => "noted",
        };
        let instead = if instead.is_empty() { String::new() } else { format!(" Instead: {instead}.") };
        format!("{rule}: {what} is {lead}: {reason}.{instead}").replace(" is needs", " needs")
    }
}

/// The id of the rule for what cannot be read.
pub const UNPARSED: &str = "unparsed";

/// The id of the rule for a program that only the running shell knows.
pub const UNKNOWN_PROGRAM: &str = "unknown-program";

/// Every rule that matches, the strictest first. `verdict` tells what a rule's id is set to.
pub fn judge(facts: &CallFacts, project: &ProjectPolicy, verdict: &dyn Fn(&Built) -> Level) -> Vec<Match> {
    let mut found = Vec::new();
    for rule in built_in() {
        let verdict = verdict(rule);
        if verdict == Level::Off {
            continue;
        }
        if let Some(run) = (rule.matches)(facts) {
            found.push(Match {
                rule: rule.id.to_owned(),
                verdict,
                what: match (facts.named_path(rule.id, run), place(facts, rule, run)) {
                    (Some(path), _) => format!("{} on {path}", what(facts, run)),
                    (None, Some(place)) => format!("{} ({place})", what(facts, run)),
                    (None, None) => what(facts, run),
                },
                reason: rule.reason.to_owned(),
                instead: rule.instead.to_owned(),
            });
        }
    }
    found.extend(project.rules.iter().filter_map(|rule| rule.judge(facts)));
    let unread = match &facts.analysis.problem {
        Some(Problem::Syntax(why)) => Some(why.as_str()),
        Some(Problem::Bound(what)) => Some(*what),
        // Asked about whatever it names, by a rule of its own.
        Some(Problem::TooLarge(_)) | None => None,
    };
    if let Some(why) = unread
        && found.iter().all(|found| found.verdict < Level::Ask)
        && names_an_operation(&facts.text, verdict)
    {
        found.push(Match {
            rule: UNPARSED.to_owned(),
            verdict: Level::Ask,
            what: "the command".to_owned(),
            reason: format!("it cannot be read ({why}), and it names an operation that a rule refuses"),
            instead: "the same in a form that bash reads".to_owned(),
        });
    }
    if found.iter().all(|found| found.verdict < Level::Ask)
        && let Some(run) = unknown_program(facts, verdict)
    {
        found.push(Match {
            rule: UNKNOWN_PROGRAM.to_owned(),
            verdict: Level::Ask,
            what: what(facts, run),
            reason: "its program is known to the running shell only, and its words name an operation that a rule refuses"
                .to_owned(),
            instead: "the program by its name".to_owned(),
        });
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.verdict));
    found
}

/// What a program works on elsewhere, by its words: `context prod`, `profile p`.
fn place(facts: &CallFacts, rule: &Built, run: usize) -> Option<String> {
    let run = facts.analysis.runs.get(run)?;
    let place = match rule.id.split('.').next()? {
        "cloud" => operation::place(cloud::CLIENTS, run),
        "database" => database::place(run).or_else(|| operation::place(database::CLIENTS, run)),
        _ => None,
    };
    place.map(|place| engine_text::line::one_line(&engine_text::redact::redact(&place), 100))
}

/// What a reader is shown of a match: of a program elsewhere, also what leads there.
fn what(facts: &CallFacts, run: usize) -> String {
    let runs = &facts.analysis.runs;
    let shown = runs.get(run).map(engine_shell::Run::shown).unwrap_or_default();
    let outer = runs.get(..run).unwrap_or_default().iter().rfind(|outer| !outer.remote);
    let shown =
        match outer.filter(|_| runs.get(run).is_some_and(|run| run.remote)).map(engine_shell::Run::shown) {
            Some(outer) if outer.ends_with(&shown) => outer,
            Some(outer) => format!("{shown}, by {outer}"),
            None => shown,
        };
    let shown = if shown.trim().is_empty() || shown == "''" {
        let effect = facts.effects.iter().find(|effect| effect.run() == run);
        effect.map_or_else(|| facts.tool.clone(), |effect| format!("{} of {}", facts.tool, effect.path()))
    } else {
        shown
    };
    format!("`{}`", engine_text::line::one_line(&engine_text::redact::redact(&shown), 200))
}
