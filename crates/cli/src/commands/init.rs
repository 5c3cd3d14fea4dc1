//! `engine init`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use engine_app::error::{CommandError, Outcome};
use engine_app::plugin::{AGENTS, SESSION_SKILLS, SKILLS};
use engine_claude::install::{self, FileChange, InstallError, Scope, Shipped, Wish};
use engine_core::fragment::execute_rule;
use engine_rules::config;
use engine_rules::{Rule, wanted_events};
use engine_store::project::{FOLDER, Project};
use engine_store::{clock, config_file, places, retention};
use serde_json::json;

use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeWord {
    /// .claude/settings.json, committed: for the whole team
    Project,
    /// .claude/settings.local.json: for you, in this project
    Local,
    /// ~/.claude/settings.json: for you, in every project with an .engine/
    User,
}

/// Parts that are installed on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Extra {
    /// The skills that come with engine
    Skills,
    /// These, and those that work in sessions: implement, fix, analyze, test, brainstorm, work-session
    #[value(name = "skills=all")]
    AllSkills,
    /// The vocabulary of the shortcuts, imported into CLAUDE.md by one line
    Fragment,
    /// The status line, if you have none
    Statusline,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Which settings file gets the hook entries
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: ScopeWord,
    /// What else to install
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) with: Vec<Extra>,
    /// Add no permission entries for engine's own everyday commands
    #[arg(long)]
    pub(crate) no_permissions: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Edit a settings file also if the client ignores it (comments, trailing commas)
    #[arg(long)]
    pub(crate) force: bool,
}

pub(super) fn run(args: &InitArgs, rules: &[Rule], ui: &Ui) -> Outcome {
    let root = root()?;
    let project = Project::open(None, &root)
        .filter(|project| project.root() == root)
        .unwrap_or_else(|| Project::at(&root));
    let settings = config_file::load_fresh(&project);
    let events = wanted_events(rules, &settings);
    let program = std::env::current_exe()?;
    let fragment = execute_rule();
    let skills = skills(&args.with);
    let wish = Wish {
        scope: scope(args.scope),
        events: &events,
        program: &program,
        permissions: !args.no_permissions,
        skills: &skills,
        agents: if skills.is_empty() { &[] } else { AGENTS },
        closed: settings.choice(&engine_core::policy::FAIL) == "closed",
        fragment: args.with.contains(&Extra::Fragment).then_some(fragment.as_str()),
        statusline: args.with.contains(&Extra::Statusline),
        config: &config::template(),
        force: args.force,
    };
    let plan = || install::plan_init(&project, &wish).map_err(|error| explain(&error, args));
    // A refusal and a dry run leave no trace, so the lock is taken only for the plan that is carried out.
    let first = plan()?;
    let (_held, plan) = if args.dry_run { (None, first) } else { (Some(install::lock(&project)?), plan()?) };
    let changes = plan.changes.clone();
    let notes = plan.notes.clone();
    if !args.dry_run {
        plan.apply(&project).map_err(|error| explain(&error, args))?;
        retention::apply(&project, clock::now(), settings.number(&engine_rules::KEEP_DAYS));
    }
    if ui.is_json() {
        let files: Vec<_> =
            changes.iter().map(|change| json!({"path": change.path, "action": action(change)})).collect();
        let events: Vec<_> = events.iter().map(|event| event.as_str()).collect();
        ui.object(&json!({"version": 1, "project": root, "scope": scope(args.scope).as_str(), "dryRun": args.dry_run,
            "events": events, "files": files, "notes": notes}));
        return Ok(());
    }
    tell(args, &root, &changes, &notes, events.len(), ui);
    Ok(())
}

/// The skills that are asked for.
fn skills(with: &[Extra]) -> Vec<Shipped> {
    if with.contains(&Extra::AllSkills) {
        SKILLS.iter().chain(SESSION_SKILLS).copied().collect()
    } else if with.contains(&Extra::Skills) {
        SKILLS.to_vec()
    } else {
        Vec::new()
    }
}

fn tell(args: &InitArgs, root: &Path, changes: &[FileChange], notes: &[String], events: usize, ui: &Ui) {
    for change in changes {
        let path = change.path.strip_prefix(root).unwrap_or(&change.path);
        let word = if args.dry_run { format!("would {}", action(change)) } else { past(change).to_owned() };
        ui.line(format!("{} {}", toned(Tone::Good, &word), path.display()));
        if args.dry_run {
            show_added(change, ui);
        }
    }
    for note in notes {
        ui.line(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    if args.dry_run {
        ui.line("Nothing was written.");
        return;
    }
    if changes.is_empty() {
        ui.line(format!("{} is set up already: {events} events wired.", root.display()));
    } else {
        ui.line(format!(
            "{events} events wired. Running sessions pick it up within seconds. Check: engine doctor"
        ));
    }
}

fn action(change: &FileChange) -> &'static str {
    if change.before.is_none() { "create" } else { "change" }
}

fn past(change: &FileChange) -> &'static str {
    if change.before.is_none() { "created" } else { "changed" }
}

/// The lines that come with the change.
fn show_added(change: &FileChange, ui: &Ui) {
    let before: Vec<&str> = change.before.as_deref().unwrap_or_default().lines().collect();
    for line in change.after.as_deref().unwrap_or_default().lines().filter(|line| !before.contains(line)) {
        ui.line(toned(Tone::Good, &format!("  + {line}")));
    }
}

pub(super) fn scope(word: ScopeWord) -> Scope {
    match word {
        ScopeWord::Project => Scope::Project,
        ScopeWord::Local => Scope::Local,
        ScopeWord::User => Scope::User,
    }
}

/// The project around us, else the repository, else this folder.
fn root() -> Result<PathBuf, CommandError> {
    let cwd = std::env::current_dir()?;
    let root = cwd
        .ancestors()
        .find(|folder| folder.join(FOLDER).is_dir())
        .or_else(|| cwd.ancestors().find(|folder| folder.join(".git").exists()))
        .unwrap_or(&cwd);
    if places::home().is_some_and(|home| home == root) {
        return Err(CommandError::refused(
            "the home folder is not a project: every session below it would be part of it",
        )
        .hint("go to the project's folder first"));
    }
    Ok(root.to_owned())
}

fn explain(error: &InstallError, args: &InitArgs) -> CommandError {
    let refused = CommandError::refused(error.to_string());
    match error {
        InstallError::WiredElsewhere { scope, .. } => refused
            .hint("two entries would run engine twice on each event")
            .hint(format!("keep it there: engine init --scope {scope}; or move it: engine uninstall, then engine init")),
        InstallError::WiredByPlugin { .. } => refused
            .hint("two entries would run engine twice on each event; disable the plugin first, or leave it at that"),
        InstallError::Settings { .. } if !args.force => refused
            .hint("the client ignores a settings file that is not plain JSON, hooks and permissions included; nothing was changed")
            .hint("mend the file, or edit it all the same: engine init --force"),
        _ => refused,
    }
}
