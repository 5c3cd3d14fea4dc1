//! Changing a note, and putting one away.

use engine_core::note::{Entry, Kind, Note, with_fields};
use engine_store::clock;
use engine_text::redact::redact;

use super::consent::{self, Deeds};
use super::remember::unfit;
use super::{CommandContext, exists, is_commit, not_kept, one, readable};
use crate::approval::Consent;
use crate::error::CommandError;

/// What is to be different.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit<'a> {
    pub text: Option<&'a str>,
    pub kind: Option<Kind>,
    /// In place of the old ones; one empty pattern: none.
    pub scope: &'a [String],
    pub source: Option<&'a str>,
    /// Found true at this commit; empty: at the one that is checked out.
    pub checked: Option<&'a str>,
    /// In place of the old ones; one empty slug: none.
    pub supersedes: &'a [String],
}

impl Edit<'_> {
    fn is_empty(&self) -> bool {
        let Self { text, kind, scope, source, checked, supersedes } = self;
        text.is_none()
            && kind.is_none()
            && scope.is_empty()
            && source.is_none()
            && checked.is_none()
            && supersedes.is_empty()
    }
}

/// A note that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    pub entry: Entry,
    /// Something in the text looked like a secret, and was left out.
    pub redacted: bool,
}

/// Changes a note.
pub fn edit(
    context: &CommandContext,
    word: &str,
    edit: &Edit<'_>,
    consent: Consent<'_>,
) -> Result<Edited, CommandError> {
    context.may_tell()?;
    if edit.is_empty() {
        let file = context.file(one(&context.notes()?, word)?);
        return Err(CommandError::usage(
            "nothing to change: give --text, --kind, --scope, --source, --checked or --supersedes",
        )
        .hint(format!("or edit the file: {file}")));
    }
    let place = one(&context.notes()?, word)?.place;
    let held = context.hold(place)?;
    let notes = held.notes()?;
    let (entry, old) = readable(&notes, word, context)?;
    let given = edit.text.map(|text| text.trim().replace("\r\n", "\n"));
    let text = given.as_deref().map(redact);
    let redacted = text.as_deref() != given.as_deref();
    let some = |texts: &[String], old: &[String]| match texts {
        [] => old.to_vec(),
        texts => texts.iter().filter(|text| !text.is_empty()).cloned().collect(),
    };
    consent::may_say(context, edit.source)?;
    let mut supersedes = some(edit.supersedes, &old.supersedes);
    let mut untold = Vec::new();
    if !edit.supersedes.is_empty() {
        for slug in &mut supersedes {
            let other = one(&notes, slug)?;
            if other.id() == entry.id() {
                return Err(consent::itself(entry));
            }
            slug.clone_from(&other.slug);
            let is_new = other.place == place && !old.supersedes.contains(&other.slug);
            untold.extend(other.note.as_ref().ok().filter(|_| is_new).map(|note| (other, note)));
        }
    }
    let note = Note {
        kind: edit.kind.unwrap_or(old.kind),
        scope: some(edit.scope, &old.scope),
        source: edit.source.map(|source| redact(source).into_owned()).or_else(|| old.source.clone()),
        created: old.created.clone(),
        checked: edit.checked.map_or_else(|| Ok(old.checked.clone()), |word| checked(context, word))?,
        supersedes,
        text: text.map_or_else(|| old.text.clone(), std::borrow::Cow::into_owned),
    };
    note.check_new().map_err(|why| unfit(&why))?;
    let deeds =
        Deeds { place, old: Some((entry, old)), new: Some(&note), superseded: &untold, by_script: false };
    deeds.allow(context, consent)?;
    let text = with_fields(&context.text(entry)?, &note)
        .map_err(|why| CommandError::refused(format!("{} was not changed: {why}", entry.id())))?;
    held.replace(&entry.slug, &text).map_err(|error| not_kept(context, place, error))?;
    drop(held);
    context.changed();
    Ok(Edited { entry: Entry { note: Ok(note), ..entry.clone() }, redacted })
}

fn checked(context: &CommandContext, word: &str) -> Result<Option<String>, CommandError> {
    if word.is_empty() {
        let none = || {
            CommandError::refused(
                "there is no commit to name: the project is in no repository of git, or has no commit",
            )
        };
        return context.head().map(Some).ok_or_else(none);
    }
    if word == "HEAD" {
        return checked(context, "");
    }
    if is_commit(word) {
        if exists(context.project.root(), word) {
            return Ok(Some(word.to_owned()));
        }
        return Err(CommandError::refused(format!("git has no commit {word} here"))
            .hint("--checked alone names the one that is checked out"));
    }
    Err(CommandError::usage(format!("{word} is no commit: give its digits, or --checked alone for this one")))
}

/// Puts a note away: it is not told or found any more, and its file is kept. Where it is now comes back.
pub fn put_away(
    context: &CommandContext,
    word: &str,
    why: &str,
    consent: Consent<'_>,
) -> Result<(String, String), CommandError> {
    context.may_tell()?;
    let place = one(&context.notes()?, word)?.place;
    let held = context.hold(place)?;
    let notes = held.notes()?;
    let entry = one(&notes, word)?;
    // What a damaged file says is not known.
    let unknown = Note {
        kind: Kind::Fact,
        scope: Vec::new(),
        source: None,
        created: String::new(),
        checked: None,
        supersedes: Vec::new(),
        text: context.text(entry).unwrap_or_default(),
    };
    let old = Some((entry, entry.note.as_ref().unwrap_or(&unknown)));
    Deeds { place, old, new: None, superseded: &[], by_script: false }.allow(context, consent)?;
    let kept = held.put_away(&entry.slug, redact(why).as_ref(), clock::now());
    let kept = kept.map_err(|error| {
        CommandError::refused(format!("{} was not dropped: {error}", entry.id())).caused_by(error)
    })?;
    drop(held);
    context.changed();
    Ok((entry.id(), context.shown(&kept)))
}
