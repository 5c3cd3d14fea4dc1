//! `engine skill check`.

use std::path::PathBuf;

use clap::Args;
use engine_app::error::{CommandError, Outcome};
use engine_app::skill;
use engine_app::wording::counted;
use engine_core::skill::protocol::Evidence;
use engine_core::skill::{Checked, Severity};
use serde_json::{Value, json};

use super::matrix;
use crate::ui::{Tone, Ui, toned};

/// Check skills: front matter, names, tools, links, exits, sigils; without a path or name those of the project
#[derive(Debug, Args)]
#[command(after_long_help = long_help())]
pub(crate) struct SkillCheckArgs {
    /// A SKILL.md, its folder, a folder of such folders, or the name of a skill
    #[arg(value_name = "PATH|NAME")]
    pub(crate) paths: Vec<PathBuf>,
    /// Show which feature each skill has
    #[arg(long)]
    pub(crate) matrix: bool,
}

fn long_help() -> String {
    let kind = |evidence: Evidence| {
        let value = if evidence.needs_no_value() { "none" } else { evidence.names() };
        format!("  {:<12}{value:<10}{}\n", evidence.as_str(), evidence.about())
    };
    format!(
        "Examples:\n  engine skill check\n  engine skill check deploy\n  engine skill check .claude/skills/deploy\n  engine skill check --matrix\n\n\
         Proof of a phase, in the front matter:\n  engine:\n    phases:\n      \
         - {{label: \"4\", name: Verify, proof: [{{name: testsPass, evidence: tests}}]}}\n\n\
         \x20 evidence    value     counts\n{}",
        Evidence::ALL.map(kind).concat()
    )
}

pub(super) fn run(args: &SkillCheckArgs, ui: &Ui) -> Outcome {
    let files = skill::files(&args.paths)?;
    if args.matrix { matrix::show(&files, ui) } else { check(&files, ui) }
}

fn check(files: &[PathBuf], ui: &Ui) -> Outcome {
    let report = skill::check_all(files)?;
    ui.talk_all(&report.unread);
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    if ui.is_json() {
        let row = |(file, Checked { severity, line, text }): &(PathBuf, Checked)| json!({"file": file, "line": line, "severity": word(*severity).0, "text": text});
        let rows: Vec<Value> = report.found.iter().map(row).collect();
        ui.object(&json!({"version": 1, "checked": files.len(), "errors": errors, "warnings": warnings, "found": rows}));
    } else {
        for (file, Checked { severity, line, text }) in &report.found {
            let (word, tone) = word(*severity);
            ui.line(format!("{}:{line}: {}: {text}", file.display(), toned(tone, word)));
        }
        let checked = counted(files.len() as u64, "skill");
        ui.talk(format!("{checked} checked: {}, {}", counted(errors, "error"), counted(warnings, "warning")));
    }
    if errors > 0 { Err(CommandError::already_told()) } else { Ok(()) }
}

fn word(severity: Severity) -> (&'static str, Tone) {
    match severity {
        Severity::Error => ("error", Tone::Bad),
        Severity::Warning => ("warning", Tone::Careful),
    }
}
