//! `engine skill list | check | new`.

use std::path::PathBuf;

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::registry::Skills;
use engine_app::skill::{self, Featured, why_not};
use engine_app::wording::counted;
use engine_claude::skills::{self, SkillEntry};
use engine_core::chain::{Entry, listed};
use engine_core::skill::{Checked, Exits, FEATURES, Severity};
use serde_json::{Map, Value, json};

use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills that the client has here: where they come from, whether chains can hold them
    #[command(after_long_help = "Examples:\n  engine skill list\n  engine skill list --json")]
    List,
    /// Check skills: front matter, names, tools, links, exits; without a path those of the project
    #[command(
        after_long_help = "Examples:\n  engine skill check\n  engine skill check .claude/skills/deploy\n  engine skill check --matrix"
    )]
    Check {
        /// A SKILL.md, its folder, or a folder of such folders
        paths: Vec<PathBuf>,
        /// Show which feature each skill has
        #[arg(long)]
        matrix: bool,
    },
    /// Make a new skill in the project, cooperative from the start
    #[command(after_long_help = "Example:\n  engine skill new deploy-docs")]
    New { name: String },
}

pub(super) fn run(command: &SkillCommand, ui: &Ui) -> Outcome {
    match command {
        SkillCommand::List => list(ui),
        SkillCommand::Check { paths, matrix } => {
            let files = skill::files(paths)?;
            if *matrix { show_matrix(&files, ui) } else { check(&files, ui) }
        }
        SkillCommand::New { name } => make(name, ui),
    }
}

fn list(ui: &Ui) -> Outcome {
    let root = skill::root()?;
    let skills = Skills::here()?;
    let found = skills::all(&root);
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(|found| row(found, &skills)).collect();
        ui.object(&json!({"version": 1, "skills": rows}));
        return Ok(());
    }
    let mut rows = vec![["SKILL", "FROM", "CHAINS", "EXITS"].map(str::to_owned).to_vec()];
    for found in &found {
        let chains = match why_not(found, &skills) {
            None if !found.declared.cooperative => "entry (wrapped)".to_owned(),
            None => "entry".to_owned(),
            Some(why) => format!("no: {why}"),
        };
        rows.push(vec![called(found), found.origin.describe(), chains, exits(&found.declared.exits)]);
    }
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn called(found: &SkillEntry) -> String {
    match &found.alias {
        Some(alias) => format!("/{} (/{alias})", found.name),
        None => format!("/{}", found.name),
    }
}

fn exits(exits: &Exits) -> String {
    let mut parts = Vec::new();
    if !exits.always.is_empty() {
        parts.push(listed(&exits.always));
    }
    for (flag, entries) in &exits.when {
        parts.push(format!("with {flag}: {}", listed(entries)));
    }
    parts.join("; ")
}

fn row(found: &SkillEntry, skills: &Skills) -> Value {
    let written = |entries: &[Entry]| entries.iter().map(engine_core::chain::written).collect::<Vec<_>>();
    let when: Map<String, Value> =
        found.declared.exits.when.iter().map(|(flag, exits)| (flag.clone(), json!(written(exits)))).collect();
    let why = why_not(found, skills);
    let problems: Vec<Value> = found
        .declared
        .problems
        .iter()
        .map(|problem| json!({"line": problem.line, "text": problem.text}))
        .collect();
    json!({"name": found.name, "alias": found.alias, "source": found.origin.describe(), "path": found.path,
        "description": found.declared.description, "cooperative": found.declared.cooperative,
        "modelCanCall": found.declared.callable, "wrapped": skills.is_wrapped(&found.name), "entry": why.is_none(),
        "whyNot": why, "defaultExit": written(&found.declared.exits.always), "defaultExitWhen": when,
        "problems": problems})
}

fn check(files: &[PathBuf], ui: &Ui) -> Outcome {
    let report = skill::check_all(files)?;
    ui.talk_all(&report.unread);
    let mut rows = Vec::new();
    let mut errors = 0u64;
    let mut warnings = 0u64;
    for (file, Checked { severity, line, text }) in &report.found {
        let (word, tone) = match severity {
            Severity::Error => ("error", Tone::Bad),
            Severity::Warning => ("warning", Tone::Careful),
        };
        errors += u64::from(*severity == Severity::Error);
        warnings += u64::from(*severity == Severity::Warning);
        if ui.is_json() {
            rows.push(json!({"file": file, "line": line, "severity": word, "text": text}));
        } else {
            ui.line(format!("{}:{line}: {}: {text}", file.display(), toned(tone, word)));
        }
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "checked": files.len(), "errors": errors, "warnings": warnings, "found": rows}));
    } else {
        let checked = counted(files.len() as u64, "skill");
        ui.talk(format!("{checked} checked: {}, {}", counted(errors, "error"), counted(warnings, "warning")));
    }
    if errors > 0 { Err(CommandError::already_told()) } else { Ok(()) }
}

fn show_matrix(files: &[PathBuf], ui: &Ui) -> Outcome {
    let all = skill::matrix(files)?;
    if ui.is_json() {
        let row = |Featured { skill, has, follow_up }: &Featured| {
            let has: Map<String, Value> =
                FEATURES.iter().zip(has).map(|(feature, has)| ((*feature).to_owned(), json!(has))).collect();
            json!({"skill": skill, "features": has, "followUp": follow_up})
        };
        ui.object(&json!({"version": 1, "skills": all.iter().map(row).collect::<Vec<_>>()}));
        return Ok(());
    }
    let some = |feature: usize| all.iter().any(|one| one.has[feature]);
    let mut rows = vec![std::iter::once("SKILL").chain(FEATURES).map(str::to_owned).collect::<Vec<_>>()];
    for Featured { skill, has, follow_up } in &all {
        let cell = |(feature, has): (usize, &bool)| match (has, follow_up) {
            (true, _) => "yes".to_owned(),
            (false, true) if some(feature) => "to come".to_owned(),
            (false, _) if some(feature) => "-".to_owned(),
            _ => String::new(),
        };
        rows.push(std::iter::once(skill.clone()).chain(has.iter().enumerate().map(cell)).collect());
    }
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn make(name: &str, ui: &Ui) -> Outcome {
    let file = skill::make(&skill::root()?, name)?;
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": name, "file": file.display().to_string()}));
    } else {
        ui.line(format!("made {}", file.display()));
        let folder = file.parent().unwrap_or(&file);
        ui.talk(format!("fill it in, then: engine skill check {}", folder.display()));
    }
    Ok(())
}
