//! Which notes should be looked at: stale, contradicting, never read.

use engine_core::note::{Note, STALE, doubts, is_slug};
use engine_store::{clock, note_reads};
use engine_text::line::shell_word;
use engine_text::stamp::Stamp;

use super::{CommandContext, since};
use crate::error::CommandError;

/// A note that is younger had no time to be read.
const SETTLED: u64 = 7 * 24 * 60 * 60 * 1000;

/// What a review is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    Stale,
    Contradicting,
    NeverRead,
    Damaged,
}

impl Topic {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Contradicting => "contradicting",
            Self::NeverRead => "never read",
            Self::Damaged => "damaged",
        }
    }
}

/// One thing to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub topic: Topic,
    pub id: String,
    pub other: Option<String>,
    pub why: String,
    /// What the notes say, a line each.
    pub texts: Vec<String>,
    /// What a command would do about it: what it means, and the command.
    pub commands: Vec<(&'static str, String)>,
}

/// Everything that may be wrong.
pub fn review(context: &CommandContext) -> Result<Vec<Remark>, CommandError> {
    context.may_tell()?;
    let notes = context.notes()?;
    let reads = note_reads::load(&context.project);
    let mut found = Vec::new();
    let ages = context.ages(&notes);
    // What is younger was not changed so often, and git need not be asked.
    let may_be_stale = |note: &Note| {
        let age = note.checked.as_ref().and_then(|checked| ages.get(checked));
        age.is_none_or(|commits| *commits >= STALE)
    };
    for (entry, note) in notes.live().filter(|(_, note)| may_be_stale(note)) {
        if let Some(commits) = changed(context, note).filter(|commits| *commits >= STALE) {
            let checked = note.checked.as_deref().unwrap_or_default();
            let why = format!("{commits} commits changed {} since {checked}", note.scope.join(", "));
            found.push(Remark {
                topic: Topic::Stale,
                id: entry.id(),
                other: None,
                why,
                texts: vec![note.title()],
                commands: commands(&entry.id()),
            });
        }
    }
    for doubt in doubts(&notes) {
        let title = |id: &str| {
            let entry = notes.entries().iter().find(|entry| entry.id() == id);
            entry.and_then(|entry| entry.note.as_ref().ok()).map(|note| format!("{id}: {}", note.title()))
        };
        let ids: Vec<&str> =
            [Some(doubt.id.as_str()), doubt.other.as_deref()].into_iter().flatten().collect();
        let texts: Vec<String> = ids.iter().filter_map(|id| title(id)).collect();
        let commands = match ids[..] {
            [one, other] if texts.len() == 2 && one != other => vec![
                ("only the first is true", format!("engine note edit {one} --supersedes {other}")),
                ("only the second is true", format!("engine note edit {other} --supersedes {one}")),
                ("one is not wanted", drop_command(one)),
            ],
            _ => vec![("set it right", format!("engine note edit {} --supersedes ''", doubt.id))],
        };
        found.push(Remark {
            topic: Topic::Contradicting,
            id: doubt.id.clone(),
            other: doubt.other.clone(),
            why: doubt.why,
            texts,
            commands,
        });
    }
    let now = clock::now();
    for (entry, note) in notes.live() {
        let id = entry.id();
        if !reads.notes.contains_key(&id) && is_settled(note, now) {
            found.push(Remark {
                topic: Topic::NeverRead,
                why: format!(
                    "kept {}, and told or shown to nobody in this checkout",
                    Stamp::parse(&note.created).map_or_else(|| note.created.clone(), Stamp::day)
                ),
                texts: vec![note.title()],
                commands: vec![("not needed", drop_command(&id))],
                id,
                other: None,
            });
        }
    }
    for entry in notes.entries() {
        if let Err(why) = &entry.note {
            found.push(Remark {
                topic: Topic::Damaged,
                id: entry.id(),
                other: None,
                why: why.clone(),
                texts: vec![context.file(entry)],
                // Another name could be more than a word to a shell.
                commands: is_slug(&entry.slug)
                    .then(|| ("not needed", drop_command(&entry.id())))
                    .into_iter()
                    .collect(),
            });
        }
    }
    Ok(found)
}

/// How many commits changed files of its scope since it was found true.
fn changed(context: &CommandContext, note: &Note) -> Option<u64> {
    let checked = note.checked.as_deref().filter(|_| !note.scope.is_empty())?;
    since(context.project.root(), checked, &note.scope)
}

fn is_settled(note: &Note, now: Stamp) -> bool {
    Stamp::parse(&note.created).is_none_or(|created| now.0.saturating_sub(created.0) > SETTLED)
}

fn commands(id: &str) -> Vec<(&'static str, String)> {
    vec![("still true", format!("engine note edit {id} --checked")), ("not true", drop_command(id))]
}

fn drop_command(id: &str) -> String {
    format!("engine note drop {id} --why {}", shell_word("…"))
}
