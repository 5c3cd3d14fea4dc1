//! The person's word for what is theirs: notes for every project, and notes that say what a person said.

use engine_core::approval::{Deed, Kind as DeedKind};
use engine_core::note::{Entry, Note, Place, names_person};
use engine_store::approve::Caller;
use engine_text::line::visible;

use super::CommandContext;
use crate::approval::{self, Consent};
use crate::error::{CommandError, Outcome};

/// What is to be done to notes.
pub(super) struct Deeds<'a> {
    pub(super) place: Place,
    /// The note that is changed or put away.
    pub(super) old: Option<(&'a Entry, &'a Note)>,
    /// What is to be there; none: it is put away.
    pub(super) new: Option<&'a Note>,
    /// Notes that are not told any more because of it.
    pub(super) superseded: &'a [(&'a Entry, &'a Note)],
    /// Whether a script may do it with `--yes`.
    pub(super) by_script: bool,
}

impl Deeds<'_> {
    /// Asks for the person's word, if it is wanted.
    pub(super) fn allow(&self, context: &CommandContext, consent: Consent<'_>) -> Outcome {
        let touched = self.old.iter().chain(self.superseded);
        let is_persons = touched.into_iter().any(|(_, note)| note.is_persons());
        let is_wanted = is_persons && !matches!(context.caller, Caller::Person);
        if self.place == Place::Project && !is_wanted {
            return Ok(());
        }
        let ids: Vec<String> = self.old.iter().chain(self.superseded).map(|(entry, _)| entry.id()).collect();
        let texts = self.old.iter().chain(self.superseded).map(|(_, note)| note.render());
        let texts = texts.collect::<Vec<_>>().join("\0");
        // When it is kept, and at which commit, is known only then.
        let new = self.new.map(|note| Note { created: String::new(), checked: None, ..note.clone() });
        let new = new.map_or_else(|| "drop".to_owned(), |note| note.render());
        let deed = Deed::new(&self.what(), &["note", &ids.join("\0"), &texts, &new]).of(DeedKind::Directive);
        let deed = if self.by_script { deed.by_script(consent.yes) } else { deed };
        approval::require(&context.project, &context.caller, &deed, consent.reading).map(drop)
    }

    /// What a person reads: what becomes of what is there, then the new text, which is last because it may say anything.
    fn what(&self) -> String {
        let whose = match self.place {
            Place::Person => "for every project",
            Place::Project => "that a person made",
        };
        let mut facts = Vec::new();
        if let (Some((_, old)), Some(new)) = (self.old, self.new) {
            facts.extend(changed("kind", old.kind.as_str(), new.kind.as_str()));
            facts.extend(changed("scope", &scope(old), &scope(new)));
            facts.extend(changed("source", source(old), source(new)));
            facts.extend(changed("supersedes", &old.supersedes.join(", "), &new.supersedes.join(", ")));
            facts.extend((old.text != new.text).then(|| format!("its text was {}", quoted(&old.text))));
        } else if let Some(note) = self.new.or(self.old.map(|(_, old)| old)) {
            facts.extend([note.kind.as_str().to_owned(), format!("scope: {}", scope(note))]);
        }
        let superseded = self.superseded.iter();
        facts.extend(
            superseded
                .map(|(entry, note)| format!("{} is not told any more: {}", entry.id(), quoted(&note.text))),
        );
        let facts = if facts.is_empty() { "found true again".to_owned() } else { facts.join("; ") };
        match (self.old, self.new) {
            (Some((entry, _)), Some(new)) => {
                format!("change the note {whose} {} ({facts}): {}", entry.id(), new.text)
            }
            (Some((entry, old)), None) => {
                format!("drop the note {whose} {} ({facts}): {}", entry.id(), old.text)
            }
            (None, Some(new)) if self.place == Place::Person => {
                format!("keep a note {whose} ({facts}): {}", new.text)
            }
            (None, new) => {
                format!("keep a note ({facts}): {}", new.map(|note| note.text.as_str()).unwrap_or_default())
            }
        }
    }
}

fn scope(note: &Note) -> String {
    if note.scope.is_empty() { "none".to_owned() } else { note.scope.join(", ") }
}

fn source(note: &Note) -> &str {
    note.source.as_deref().unwrap_or("none")
}

fn changed(what: &str, old: &str, new: &str) -> Option<String> {
    let shown = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    (old != new).then(|| format!("{what}: {} → {}", shown(old), shown(new)))
}

/// A text whose end is seen.
fn quoted(text: &str) -> String {
    format!("{:?}", visible(text))
}

/// A note does not take its own place.
pub(super) fn itself(entry: &Entry) -> CommandError {
    CommandError::refused(format!("{} would supersede itself", entry.id()))
        .hint("--supersedes names a note that is not told any more because this one is true")
}

/// Refuses to write down somebody else's words as the person's.
pub(super) fn may_say(context: &CommandContext, source: Option<&str>) -> Outcome {
    if matches!(context.caller, Caller::Person) || !source.is_some_and(names_person) {
        return Ok(());
    }
    Err(CommandError::refused(
        "--source person is for what a person kept: they type m: TEXT, or run the command",
    )
    .hint("without --source the agent session is named"))
}

#[cfg(test)]
mod tests {
    use engine_core::note::Kind;

    use super::*;

    #[test]
    fn a_person_reads_what_becomes_of_what_is_there() {
        let note = |text: &str| Note {
            kind: Kind::Preference,
            scope: Vec::new(),
            source: None,
            created: String::new(),
            checked: None,
            supersedes: Vec::new(),
            text: text.to_owned(),
        };
        let entry = |slug: &str| Entry { place: Place::Person, slug: slug.to_owned(), note: Ok(note("x")) };
        let (tabs, old, other) = (entry("tabs"), note("Tabs \u{202e}\"4\""), entry("names"));
        let new = Note {
            kind: Kind::Fact,
            scope: vec!["**".into()],
            supersedes: vec!["names".into()],
            ..note("Spaces")
        };
        let short = note("short names");
        let all = [(&other, &short)];
        let what =
            |place, old, new, superseded| Deeds { place, old, new, superseded, by_script: false }.what();
        let person = Place::Person;
        for (found, expected) in [
            (
                what(person, None, Some(&old), &[][..]),
                "keep a note for every project (preference; scope: none): Tabs \u{202e}\"4\"",
            ),
            (
                what(person, Some((&tabs, &old)), Some(&new), &all),
                "change the note for every project mine/tabs (kind: preference → fact; scope: none → **; supersedes: none → names; its text \
                 was \"Tabs \\\"4\\\"\"; mine/names is not told any more: \"short names\"): Spaces",
            ),
            (
                what(person, Some((&tabs, &old)), Some(&old), &[]),
                "change the note for every project mine/tabs (found true again): Tabs \u{202e}\"4\"",
            ),
            (
                what(Place::Project, Some((&tabs, &short)), None, &[]),
                "drop the note that a person made mine/tabs (preference; scope: none): short names",
            ),
            (
                what(Place::Project, None, Some(&short), &all),
                "keep a note (preference; scope: none; mine/names is not told any more: \"short names\"): short names",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
