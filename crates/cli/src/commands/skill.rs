//! `engine skill list | check | new`.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use engine_app::error::{CommandError, Outcome};
use engine_app::registry::Skills;
use engine_app::sigil::{Documents, Surroundings};
use engine_app::wording::counted;
use engine_claude::skills::{self, Found, Origin, is_built_in};
use engine_core::chain::{Entry, Standing, is_name, listed};
use engine_core::sigil::Index;
use engine_core::skill::{Checked, Exits, FEATURES, Severity, World, check, features, template};
use engine_store::project::Project;
use serde_json::{Value, json};

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
            let files = files(paths)?;
            if *matrix { show_matrix(&files, ui) } else { check_all(&files, ui) }
        }
        SkillCommand::New { name } => make(name, ui),
    }
}

/// The project's root, or where we are.
fn root() -> Result<PathBuf, CommandError> {
    let cwd = std::env::current_dir()?;
    Ok(Project::open(None, &cwd).map_or(cwd, |project| project.root().to_owned()))
}

/// Why a skill cannot be an entry of a chain; nothing if it can.
fn why_not(found: &Found, skills: &Skills) -> Option<String> {
    if let Some(hidden_by) = &found.hidden_by {
        return Some(format!("hidden by {hidden_by}"));
    }
    if !is_name(&found.name) {
        return Some("its name cannot be typed in a chain".to_owned());
    }
    let wrapped = skills.is_wrapped(&found.name);
    let known = engine_core::skill::Known::of(&found.declared);
    match engine_core::skill::standing(Some(&known), wrapped) {
        Standing::Entry => None,
        Standing::OnlyTyped => Some("the model cannot call it".to_owned()),
        Standing::NotCooperative | Standing::Unknown => match found.declared.problems.first() {
            Some(problem) if problem.line > 0 => Some(format!("line {}: {}", problem.line, problem.text)),
            Some(problem) => Some(problem.text.clone()),
            None => Some("not cooperative".to_owned()),
        },
    }
}

fn list(ui: &Ui) -> Outcome {
    let root = root()?;
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

fn called(found: &Found) -> String {
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

fn row(found: &Found, skills: &Skills) -> Value {
    let written = |entries: &[Entry]| entries.iter().map(engine_core::chain::written).collect::<Vec<_>>();
    let when: serde_json::Map<String, Value> =
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

/// The SKILL.md files that are meant.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, CommandError> {
    if paths.is_empty() {
        let root = root()?;
        let own = skills::all(&root).into_iter().filter(|found| found.origin == Origin::Project);
        let files: Vec<PathBuf> =
            own.filter_map(|found| found.path).filter(|path| path.ends_with("SKILL.md")).collect();
        if files.is_empty() {
            return Err(CommandError::nothing("the project has no skills")
                .hint("name a path, or make one: engine skill new NAME"));
        }
        return Ok(files);
    }
    let mut files = Vec::new();
    for path in paths {
        if path.is_file() {
            files.push(path.clone());
        } else if path.join("SKILL.md").is_file() {
            files.push(path.join("SKILL.md"));
        } else {
            let below = std::fs::read_dir(path)
                .map_err(|error| CommandError::refused(format!("{}: {error}", path.display())))?;
            let mut found: Vec<PathBuf> =
                below.flatten().map(|entry| entry.path().join("SKILL.md")).collect();
            found.retain(|file| file.is_file());
            found.sort();
            if found.is_empty() {
                return Err(CommandError::refused(format!("{}: no SKILL.md in it", path.display())));
            }
            files.extend(found);
        }
    }
    Ok(files)
}

fn text_of(file: &Path) -> Result<String, CommandError> {
    std::fs::read_to_string(file)
        .map_err(|error| CommandError::refused(format!("{}: {error}", file.display())))
}

fn folder_of(file: &Path) -> String {
    let full = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    full.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// The folder that a skill's file is in.
fn beside(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn check_all(files: &[PathBuf], ui: &Ui) -> Outcome {
    let skills = Skills::here()?;
    // A skill that is checked together with the one that names it counts as there.
    let together: Vec<String> = files.iter().map(|file| folder_of(file)).collect();
    let surroundings = Surroundings::of_root()?;
    let folders: Vec<PathBuf> = files.iter().map(|file| beside(file).to_owned()).collect();
    let Documents { documents, unread } = surroundings.documents(&folders)?;
    unread.iter().for_each(|problem| ui.talk(problem));
    let sigils = Index::new(&documents);
    let mut rows = Vec::new();
    let mut errors = 0u64;
    let mut warnings = 0u64;
    for file in files {
        let text = text_of(file)?;
        let folder = folder_of(file);
        let beside = beside(file);
        let found = check(
            &text,
            &World {
                folder: &folder,
                is_built_in: &is_built_in,
                is_skill: &|name| skills.find(name).is_some() || together.iter().any(|other| other == name),
                exists: &|path| beside.join(path).exists(),
                is_defined: &|name| sigils.is_defined(name, &surroundings.skill(beside)),
            },
        );
        for Checked { severity, line, text } in found {
            let (word, tone) = match severity {
                Severity::Error => ("error", Tone::Bad),
                Severity::Warning => ("warning", Tone::Careful),
            };
            errors += u64::from(severity == Severity::Error);
            warnings += u64::from(severity == Severity::Warning);
            if ui.is_json() {
                rows.push(json!({"file": file, "line": line, "severity": word, "text": text}));
            } else {
                ui.line(format!("{}:{line}: {}: {text}", file.display(), toned(tone, word)));
            }
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

/// A tag in a skill's file that says: this feature is still to come.
const FOLLOW_UP: &str = "#needs-implementation";

/// In a code span it is only talked about.
fn is_tagged(text: &str) -> bool {
    text.match_indices(FOLLOW_UP).any(|(at, _)| !text[..at].ends_with('`'))
}

/// Which skill has which feature. A feature that some have and others lack is a gap: it is to be carried over, or the
/// file says that it will be.
fn show_matrix(files: &[PathBuf], ui: &Ui) -> Outcome {
    let mut all = Vec::new();
    for file in files {
        let text = text_of(file)?;
        all.push((folder_of(file), features(&text), is_tagged(&text)));
    }
    let some = |feature: usize| all.iter().any(|(_, has, _)| has[feature]);
    if ui.is_json() {
        let rows: Vec<Value> = all
            .iter()
            .map(|(name, has, tagged)| {
                let has: serde_json::Map<String, Value> = FEATURES
                    .iter()
                    .zip(has)
                    .map(|(feature, has)| ((*feature).to_owned(), json!(has)))
                    .collect();
                json!({"skill": name, "features": has, "followUp": tagged})
            })
            .collect();
        ui.object(&json!({"version": 1, "skills": rows}));
        return Ok(());
    }
    let mut rows = vec![std::iter::once("SKILL").chain(FEATURES).map(str::to_owned).collect::<Vec<_>>()];
    for (name, has, tagged) in &all {
        let cell = |(feature, has): (usize, &bool)| match (has, tagged) {
            (true, _) => "yes".to_owned(),
            (false, true) if some(feature) => "to come".to_owned(),
            (false, _) if some(feature) => "-".to_owned(),
            _ => String::new(),
        };
        rows.push(std::iter::once(name.clone()).chain(has.iter().enumerate().map(cell)).collect());
    }
    ui.text(&aligned(&rows, ""));
    Ok(())
}

fn make(name: &str, ui: &Ui) -> Outcome {
    if !is_name(name) || name.contains(':') {
        return Err(CommandError::usage(format!("{name} is no name for a skill: letters, digits, - and _")));
    }
    if is_built_in(name) {
        return Err(CommandError::refused(format!(
            "/{name} is a command of the client; the skill would take its place"
        )));
    }
    let root = root()?;
    let twin = skills::all(&root).into_iter().find(|found| found.name == name && found.hidden_by.is_none());
    if let Some(twin) = twin {
        let place = twin.path.map_or(String::new(), |path| format!(": {}", path.display()));
        return Err(CommandError::refused(format!("/{name} is there already{place}")));
    }
    let folder = root.join(".claude/skills").join(name);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("SKILL.md");
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
    std::io::Write::write_all(&mut file, template(name).as_bytes())?;
    let shown = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
    if ui.is_json() {
        ui.object(&json!({"version": 1, "name": name, "file": shown}));
    } else {
        ui.line(format!("made {shown}"));
        ui.talk(format!(
            "fill it in, then: engine skill check {}",
            folder.strip_prefix(&root).unwrap_or(&folder).display()
        ));
    }
    Ok(())
}
