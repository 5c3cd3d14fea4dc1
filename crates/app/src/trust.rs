//! Trusting a project, and accepting changes of its configuration that the engine's own commands did not make.

use engine_core::approval::{Deed, Kind};
use engine_core::config::{Config, Difference};
use engine_core::trust::{RuleChange, RuleChangeKind, untold_line};
use engine_store::accepted::{self, Whose};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::settings_variables;
use engine_store::trust::{self, AcceptableFiles, TrustedText};
use engine_store::{config_file, policy_file};

use crate::approval;
use crate::error::{CommandError, Outcome};
use crate::wording::counted;

/// What of the files differs from what was accepted, and what a model is told of them.
#[derive(Debug)]
pub struct Offer {
    pub is_trusted: bool,
    pub config: Config,
    pub rules: Vec<RuleChange>,
    /// Files of `.engine/context/`.
    pub context: Vec<TrustedText>,
    pub directives: Vec<TrustedText>,
    pub handoff: Option<TrustedText>,
    /// The task file, and how many tasks are in it.
    pub tasks: (String, usize),
    /// How many items are in the queue.
    pub queue: usize,
    /// Files of `.engine/workflows/`.
    pub workflows: Vec<TrustedText>,
    /// Files of `.engine/memory/`.
    pub notes: Vec<TrustedText>,
}

impl Offer {
    /// Whether trust would change anything.
    pub fn is_empty(&self) -> bool {
        let has_texts = self.texts().next().is_some() || self.tasks.1 > 0 || self.queue > 0;
        let is_untrusted = !self.is_trusted && (has_texts || !self.config.acceptance().variables.is_empty());
        self.changes().is_empty() && !is_untrusted
    }

    /// Every entry and rule that differs, in a few words each.
    fn changes(&self) -> Vec<String> {
        let words = if self.is_trusted { Difference::change } else { Difference::entry };
        let entries = self.config.acceptance().differences.iter().map(words);
        let rules = self.rules.iter().map(|rule| format!("rule {} ({})", rule.id, rule.words()));
        entries.chain(rules).collect()
    }

    pub fn texts(&self) -> impl Iterator<Item = &TrustedText> {
        let own = self.context.iter().chain(&self.directives).chain(&self.handoff);
        own.chain(&self.workflows).chain(&self.notes)
    }
}

/// Everything that trust in the project would put in force.
pub fn offer(project: &Project) -> Offer {
    let config = config_file::load_fresh(project);
    Offer {
        is_trusted: !config.acceptance().is_untrusted,
        rules: policy_file::read(project).changes,
        context: trust::context(project),
        directives: trust::directives(project, &config),
        handoff: trust::handoff(project, &config),
        tasks: trust::tasks(project, &config),
        queue: trust::queue(project).len(),
        workflows: trust::workflows(project),
        notes: trust::notes(project),
        config,
    }
}

/// Trusts the project with all that is in it now.
pub fn trust(project: &Project, caller: &Caller, reading: Option<&str>) -> Result<Offer, CommandError> {
    let files = AcceptableFiles::read(project);
    let offer = offer(project);
    if offer.is_trusted && offer.changes().is_empty() {
        return Err(CommandError::nothing("this project is trusted, and nothing was changed since"));
    }
    let mut parts = offer.changes();
    let variables = offer.config.acceptance().variables.iter();
    parts.extend(variables.map(|one| format!("{}={} ({})", one.name, one.value, one.file)));
    parts.extend(offer.texts().map(|one| one.path.clone()));
    let counts = [(offer.tasks.1, "task"), (offer.queue, "queue item")].into_iter();
    parts.extend(counts.filter(|(count, _)| *count > 0).map(|(count, word)| counted(count as u64, word)));
    let root = project.root().to_string_lossy();
    let content = trust::whole_content(&files, project, &offer.config);
    let what = match parts.join(", ") {
        all if all.is_empty() => "trust this project".to_owned(),
        all => format!("trust this project with {all}"),
    };
    let deed = Deed::new(&what, &["trust", &root, &content]).of(Kind::Config);
    must_be_whole(project, &offer.config)?;
    approval::require(project, caller, &deed, reading)?;
    must_be_as_shown(project, &files)?;
    trust::trust(project, &files)?;
    Ok(offer)
}

/// Refuses to tell an agent a text of a project that is not trusted.
pub fn may_tell(what: &str, project: &Project, caller: &Caller) -> Outcome {
    let is_agent = matches!(caller, Caller::Agent { .. });
    if is_agent && config_file::load(project).acceptance().is_untrusted {
        return Err(CommandError::refused(untold_line(what)));
    }
    Ok(())
}

/// Takes the trust back, and everything that was accepted with it.
pub fn drop_trust(project: &Project, caller: &Caller, reading: Option<&str>) -> Result<(), CommandError> {
    if accepted::stamp(Whose::Project(project)).is_none() {
        return Err(CommandError::nothing("this project is not trusted"));
    }
    let root = project.root().to_string_lossy();
    let deed = Deed::new("take back the trust in this project", &["trust --drop", &root]).of(Kind::Config);
    approval::require(project, caller, &deed, reading)?;
    trust::forget(project)?;
    Ok(())
}

/// Accepts the configuration and the policy as they are.
pub fn accept(project: &Project, caller: &Caller, reading: Option<&str>) -> Result<Offer, CommandError> {
    let files = AcceptableFiles::read(project);
    let offer = offer(project);
    if !offer.is_trusted {
        return Err(CommandError::refused("this project is not trusted yet: engine trust")
            .hint("look at it first: engine trust --show"));
    }
    must_be_whole(project, &offer.config)?;
    let changes = offer.changes();
    if changes.is_empty() {
        return Err(CommandError::nothing("nothing differs from what was accepted"));
    }
    let root = project.root().to_string_lossy();
    let what = format!("accept {}", changes.join(", "));
    let deed = Deed::new(&what, &["config accept", &root, &files.name()]).of(Kind::Config);
    approval::require(project, caller, &deed, reading)?;
    must_be_as_shown(project, &files)?;
    trust::accept(project, &files)?;
    Ok(offer)
}

/// Refuses what was changed while the person was asked.
fn must_be_as_shown(project: &Project, files: &AcceptableFiles) -> Outcome {
    if AcceptableFiles::read(project) == *files {
        return Ok(());
    }
    Err(CommandError::refused("the files were changed meanwhile; nothing was accepted")
        .hint("look at them again: engine config diff"))
}

/// Refuses files that cannot be read to their end: what they lack would be accepted as removed.
fn must_be_whole(project: &Project, config: &Config) -> Outcome {
    let broken = |what: String| {
        Err(CommandError::refused(format!("{what}; nothing was accepted"))
            .hint("mend the file first; until then what you accepted before counts"))
    };
    if let Some(problem) = policy_file::read(project).problems.first() {
        return broken(format!(".engine/policy.toml:{}: {}", problem.line, problem.text));
    }
    match config.problems().iter().find(|problem| problem.is_of_whole_file()) {
        Some(problem) => {
            broken(format!("{} config, line {}: {}", problem.layer.as_str(), problem.line, problem.text))
        }
        None => Ok(()),
    }
}

/// Whether a rule that differs counts as accepted, too.
pub fn is_kept(rule: &RuleChange) -> bool {
    rule.kind != RuleChangeKind::New
}

/// Whether `ENGINE_OFF` is set by a settings file of a project that is not trusted, or was, so that it does not count.
pub fn is_switched_off_by(project: &Project) -> bool {
    !trust::is_trusted(project)
        && settings_variables::set_by(project).iter().any(|one| one.name == "ENGINE_OFF")
}
