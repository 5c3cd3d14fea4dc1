//! What the journal says of items: told, and read within the turn. Only the lines of agent sessions in which the rule spoke are taken apart.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use engine_claude::{DIALECT, EventName};
use engine_core::enrich::{Noted, Report, Step, Usage, was_looked_up};
use engine_core::journal::{Entry, FindingLine};
use engine_rules::enrich::ID;
use engine_store::journal_file;
use engine_store::project::Project;
use engine_store::read::read_bytes;

/// A message of the client that is no prompt of a person.
const MACHINE: &str = "<task-notification>";

/// All of it; nothing if that would take longer.
pub(super) fn report(project: &Project, limit: Option<Duration>) -> io::Result<Option<Report>> {
    let until = limit.map(|limit| Instant::now() + limit);
    let mut usage = Usage::default();
    let mut sessions = BTreeSet::new();
    let mark = format!("\"rule\":\"{ID}\"");
    for (_, path) in journal_file::days(&project.journal_folder()) {
        if until.is_some_and(|until| Instant::now() > until) {
            return Ok(None);
        }
        let bytes = read_bytes(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines() {
            let speaks = line.contains(&mark);
            if !speaks && !sessions.iter().any(|session: &String| line.contains(session.as_str())) {
                continue;
            }
            let Ok(entry) = serde_json::from_str::<Entry>(line) else { continue };
            if speaks {
                sessions.insert(entry.session.clone());
            }
            if let Some(step) = step(&entry) {
                usage.see(&entry.session, step);
            }
        }
    }
    Ok(Some(usage.finish()))
}

fn step(entry: &Entry) -> Option<Step<'_>> {
    if entry.event == EventName::UserPromptSubmit.as_str() {
        let is_of_client = entry.input.as_deref().is_some_and(|input| input.starts_with(MACHINE));
        let spoke = |finding: &&FindingLine| finding.rule == ID;
        let looked = |finding: &FindingLine| {
            let because = finding.because.as_deref().filter(|because| was_looked_up(because))?;
            let characters = finding.context.as_deref().map_or(0, |text| text.chars().count());
            Some(Step::Looked { shadow: finding.shadow, told: Noted::all(because), characters })
        };
        return match entry.findings.iter().find(spoke).and_then(looked) {
            Some(step) => Some(step),
            None => (!is_of_client).then_some(Step::Prompt),
        };
    }
    let is_call = entry.event == DIALECT.pre_tool || entry.event == DIALECT.post_tool;
    let words = entry.command.as_deref().or(entry.input.as_deref()).filter(|_| is_call)?;
    Some(Step::Call { words })
}
