//! A new note, in one call without mandatory options.

use engine_core::note::{Entry, Kind, Note, Notes, Place, Unfit, is_same, likeness};
use engine_store::approve::Caller;
use engine_store::{clock, note_file};
use engine_text::line::shell_word;
use engine_text::redact::redact;
use engine_text::stamp::Stamp;

use super::consent::{self, Deeds};
use super::{CommandContext, not_kept, readable};
use crate::approval::Consent;
use crate::error::CommandError;
use crate::trust;

/// More are no help to whoever has to choose.
const NEAREST: usize = 3;
/// So long after a note was kept, `--into` may still be the answer to what was shown beside it.
const MOMENT: u64 = 10 * 60 * 1000;

/// What is to be remembered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Words<'a> {
    pub text: &'a str,
    pub kind: Option<Kind>,
    pub scope: &'a [String],
    pub source: Option<&'a str>,
    /// The note that this text takes the place of.
    pub into: Option<&'a str>,
    /// Notes that are not told any more; they stay.
    pub supersedes: &'a [String],
    /// In the person's own folder.
    pub mine: bool,
    pub consent: Consent<'a>,
}

/// A note that is kept, and what there is to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    pub id: String,
    pub file: String,
    pub note: Note,
    /// Something in the text looked like a secret, and was left out.
    pub redacted: bool,
    /// Other notes that say nearly the same.
    pub near: Vec<Near>,
    /// What `--into` has put away: the file where it is now.
    pub put_away: Vec<String>,
}

/// A note that is near a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    pub id: String,
    pub title: String,
    /// How near, in hundredths.
    pub hundredths: u8,
    /// What puts the new text into that note instead.
    pub command: String,
}

/// Keeps a note.
pub fn remember(context: &CommandContext, words: &Words<'_>) -> Result<Remembered, CommandError> {
    consent::may_say(context, words.source)?;
    let (note, redacted) = note(context, words)?;
    let mut kept = match words.into {
        Some(into) => put_into(context, words, note, into)?,
        None => add(context, words, note)?,
    };
    kept.redacted = redacted;
    context.changed();
    Ok(kept)
}

/// The note as it is to be written, and whether something was left out.
fn note(context: &CommandContext, words: &Words<'_>) -> Result<(Note, bool), CommandError> {
    let (kind, text) = match (words.kind, Kind::of_beginning(words.text)) {
        (None, Some((kind, text))) => (kind, text),
        (kind, _) => (kind.unwrap_or(Kind::Fact), words.text.trim()),
    };
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let plain = text.replace("\r\n", "\n").replace(odd, " ");
    let text = redact(&plain);
    let redacted = *text != plain;
    let note = Note {
        kind,
        scope: words.scope.to_vec(),
        source: words.source.map(|source| redact(source).into_owned()).or_else(|| context.source()),
        created: clock::now().rfc3339(),
        checked: if words.mine { None } else { context.head() },
        supersedes: Vec::new(),
        text: text.into_owned(),
    };
    note.check_new().map_err(|why| unfit(&why))?;
    Ok((note, redacted))
}

pub(super) fn unfit(unfit: &Unfit) -> CommandError {
    let hint = match unfit {
        Unfit::Empty => "engine remember TEXT, or - for stdin",
        Unfit::Words(_) | Unfit::Characters(_) => {
            "keep one fact in each note, and longer texts in the documentation"
        }
        Unfit::Hidden(_) => "write it without that character",
        Unfit::Scope(..) | Unfit::Scopes(_) | Unfit::SecretScope => {
            "--scope 'crates/store/**' names files from the root of the project"
        }
    };
    CommandError::usage(format!("it was not kept: {unfit}")).hint(hint)
}

fn place(words: &Words<'_>) -> Place {
    if words.mine { Place::Person } else { Place::Project }
}

fn add(context: &CommandContext, words: &Words<'_>, note: Note) -> Result<Remembered, CommandError> {
    let place = place(words);
    let held = context.hold(place)?;
    let notes = held.notes()?;
    let superseded = superseded(context, &notes, words)?;
    let note = Note { supersedes: slugs(&superseded), ..note };
    let same = notes.live().find(|(entry, old)| entry.place == place && is_same(&old.text, &note.text));
    if let Some((same, _)) = same {
        let id = same.id();
        return Err(CommandError::nothing(format!("this text is kept already: {id}"))
            .hint(format!("show it: engine note show {id}"))
            .hint(format!("it was found true again: engine note edit {id} --checked")));
    }
    if note_file::is_full(&notes, place) {
        return Err(CommandError::refused(format!(
            "it was not kept: {} notes are there already",
            note_file::MOST
        ))
        .hint("put some away: engine note review"));
    }
    let deeds = Deeds { place, old: None, new: Some(&note), superseded: &superseded, by_script: true };
    deeds.allow(context, words.consent)?;
    let slug = held.create(&note).map_err(|error| not_kept(context, place, error))?;
    drop(held);
    let entry = Entry { place, slug, note: Ok(note.clone()) };
    let near = near(context, &notes, &note, words);
    Ok(Remembered {
        id: entry.id(),
        file: context.file(&entry),
        note,
        redacted: false,
        near,
        put_away: Vec::new(),
    })
}

/// The notes that the words mean.
fn superseded<'n>(
    context: &CommandContext,
    notes: &'n Notes,
    words: &Words<'_>,
) -> Result<Vec<(&'n Entry, &'n Note)>, CommandError> {
    let place = place(words);
    let mut found = Vec::new();
    for word in words.supersedes {
        let (entry, note) = readable(notes, word, context)?;
        if entry.place != place {
            return Err(CommandError::refused(format!("{} is kept in another place", entry.id()))
                .hint("a note supersedes only notes beside it; with --mine, yours"));
        }
        found.push((entry, note));
    }
    Ok(found)
}

fn slugs(superseded: &[(&Entry, &Note)]) -> Vec<String> {
    superseded.iter().map(|(entry, _)| entry.slug.clone()).collect()
}

/// Of a project that is not trusted an agent is shown none.
fn near(context: &CommandContext, notes: &Notes, new: &Note, words: &Words<'_>) -> Vec<Near> {
    if trust::may_tell("the memory", &context.project, &context.caller).is_err() {
        return Vec::new();
    }
    let mut found: Vec<(f64, Near)> = notes
        .live()
        .filter(|(entry, _)| !new.supersedes.contains(&entry.slug))
        .filter_map(|(entry, old)| Some((likeness(&old.text, &new.text)?, entry, old)))
        .map(|(share, entry, old)| {
            let mine = if words.mine { " --mine" } else { "" };
            let text = shell_word(&new.text);
            let near = Near {
                id: entry.id(),
                title: old.title(),
                hundredths: hundredths(share),
                command: format!("engine remember --into {}{mine} -- {text}", entry.id()),
            };
            (share, near)
        })
        .collect();
    found.sort_by(|one, two| two.0.total_cmp(&one.0));
    found.into_iter().take(NEAREST).map(|(_, near)| near).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is between 0 and 1")]
fn hundredths(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

/// Whether a note was made a moment ago, by the same session, with this text and nothing else.
fn is_its_twin(old: &Note, new: &Note, now: Stamp) -> bool {
    let age = Stamp::parse(&old.created).map(|created| now.0.saturating_sub(created.0));
    is_same(&old.text, &new.text)
        && old.scope.is_empty()
        && old.supersedes.is_empty()
        && old.source == new.source
        && age.is_some_and(|age| age <= MOMENT)
}

/// Puts the text in the place of a note's. What the note said is kept among those that were dropped, and so is a note that was made for
/// the same text a moment ago.
fn put_into(
    context: &CommandContext,
    words: &Words<'_>,
    new: Note,
    into: &str,
) -> Result<Remembered, CommandError> {
    context.may_tell()?;
    let place = super::one(&context.notes()?, into)?.place;
    if place == Place::Person && !words.mine && !matches!(context.caller, Caller::Person) {
        return Err(CommandError::refused(format!("{into} is kept for every project"))
            .hint(format!("the same with --mine: engine remember --mine --into {into} …")));
    }
    let held = context.hold(place)?;
    let notes = held.notes()?;
    let (entry, old) = readable(&notes, into, context)?;
    if is_same(&old.text, &new.text) {
        return Err(CommandError::nothing(format!("this text is kept already: {}", entry.id())));
    }
    let says_kind = words.kind.is_some() || Kind::of_beginning(words.text).is_some();
    let mut supersedes = old.supersedes.clone();
    let untold = superseded(context, &notes, words)?;
    if untold.iter().any(|(other, _)| other.id() == entry.id()) {
        return Err(consent::itself(entry));
    }
    supersedes.extend(slugs(&untold));
    supersedes.retain(|slug| *slug != entry.slug);
    let note = Note {
        kind: if says_kind { new.kind } else { old.kind },
        scope: if new.scope.is_empty() { old.scope.clone() } else { new.scope },
        created: old.created.clone(),
        supersedes,
        ..new
    };
    let deeds =
        Deeds { place, old: Some((entry, old)), new: Some(&note), superseded: &untold, by_script: true };
    deeds.allow(context, words.consent)?;
    let text = engine_core::note::with_fields(&context.text(entry)?, &note)
        .map_err(|why| CommandError::refused(format!("{} was not changed: {why}", entry.id())))?;
    let (now, why) = (clock::now(), format!("its text was replaced: {}", note.title()));
    let kept = held.keep_copy(&entry.slug, &why, now)?;
    held.replace(&entry.slug, &text).map_err(|error| not_kept(context, place, error))?;
    let mut put_away = vec![context.shown(&kept)];
    let twins = notes.live().filter(|(twin, that)| {
        twin.place == place && twin.slug != entry.slug && is_its_twin(that, &note, now)
    });
    for (twin, _) in twins {
        let kept = held.put_away(&twin.slug, &format!("put into {}", entry.slug), now)?;
        put_away.push(context.shown(&kept));
    }
    Ok(Remembered {
        id: entry.id(),
        file: context.file(entry),
        note,
        redacted: false,
        near: Vec::new(),
        put_away,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_same_session_made_just_now_is_a_twin() {
        let now = Stamp(1_794_774_881_000);
        let new = Note {
            kind: Kind::Fact,
            scope: vec!["src/**".into()],
            source: Some("session a".into()),
            created: now.rfc3339(),
            checked: None,
            supersedes: Vec::new(),
            text: "A lock waits 5 s".into(),
        };
        let made = Note { scope: Vec::new(), ..new.clone() };
        let later = |ms: u64| Stamp(now.0 + ms);
        for (old, at, expected) in [
            (made.clone(), later(1000), true),
            (made.clone(), later(MOMENT + 1), false),
            (Note { scope: vec!["docs".into()], ..made.clone() }, now, false),
            (Note { source: Some("person".into()), ..made.clone() }, now, false),
            (Note { text: "A lock waits 6 s".into(), ..made.clone() }, now, false),
            (Note { supersedes: vec!["x".into()], ..made.clone() }, now, false),
            (Note { created: String::new(), ..made.clone() }, now, false),
        ] {
            assert_eq!(is_its_twin(&old, &new, at), expected, "{old:?}");
        }
    }
}
