//! Tags of files: changed under a lock, found in many files at once.

use std::path::Path;

use engine_core::approval::{Deed, Kind};
use engine_core::config::Config;
use engine_core::journal::{Entry, FindingLine};
use engine_core::tag::{self, Escaped, EscapedLine, Feeds, NotSwapped};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::{clock, config_file, journal_file, tag_file};

use crate::approval::{self, Consent};
use crate::error::{CommandError, Outcome};
use crate::here::{self, must_be_markdown};

pub mod find;

/// A file whose tags are changed, and who does it.
pub struct CommandContext<'f> {
    pub project: Project,
    pub caller: Caller,
    config: Config,
    file: &'f Path,
}

impl<'f> CommandContext<'f> {
    /// For a file that can have tags.
    pub fn of(
        file: &'f Path,
        project: impl FnOnce() -> Result<Project, CommandError>,
    ) -> Result<Self, CommandError> {
        must_be_markdown(file, "Markdown file")?;
        let project = project()?;
        let config = config_file::load(&project);
        Ok(Self { project, caller: here::caller(), config, file })
    }

    /// Changes the file; what the disk says is said with the file's name.
    fn edit<T>(
        &self,
        change: impl FnOnce(&str) -> Result<(Option<String>, T), CommandError>,
    ) -> Result<T, CommandError> {
        self.read()?;
        tag_file::edit(&self.project, self.file, change)
    }

    fn read(&self) -> Result<String, CommandError> {
        tag_file::read(self.file).map_err(|error| CommandError::at(self.file.display(), error))
    }

    /// Adds a tag to the Tags line. Whether it is new comes back.
    pub fn add(&self, tag: &str, consent: Consent<'_>) -> Result<bool, CommandError> {
        if tag::is_persons(tag) && tag::add(&self.read()?, tag).is_some() {
            let file = self.file.display().to_string();
            let deed = Deed::new(&format!("tag add {file} '{tag}'"), &[&file, tag]).of(Kind::Tag);
            approval::require(&self.project, &self.caller, &deed.by_script(consent.yes), consent.reading)?;
        }
        self.edit(|text| {
            let new = tag::add(text, tag);
            let is_new = new.is_some();
            Ok((new, is_new))
        })
    }

    /// Removes a tag from the Tags line, or the bare one in a line of the text. Whether it was there comes back.
    pub fn remove(&self, tag: &str, line: Option<usize>) -> Result<bool, CommandError> {
        self.edit(|text| {
            let new = tag::remove(text, tag, line);
            let was_there = new.is_some();
            Ok((new, was_there))
        })
    }

    /// Puts one tag in the place of another.
    pub fn swap(&self, swap: &Swap<'_>) -> Outcome {
        let feeds = Feeds::new(&self.config);
        let is_legal = feeds.is_legal(swap.old, swap.new);
        if !is_legal && !swap.force {
            return Err(illegal(swap, &feeds));
        }
        let swapped = |text: &str| {
            tag::swap(text, swap.old, swap.new, swap.line).map_err(|why| self.not_swapped(swap, &why))
        };
        if tag::is_persons(swap.new) {
            // A person is not asked about what cannot be done.
            swapped(&self.read()?)?;
            let file = self.file.display().to_string();
            let what = format!("tag swap {file} '{}' '{}'", swap.old, swap.new);
            let line = swap.line.map(|line| line.to_string()).unwrap_or_default();
            let deed = Deed::new(&what, &[&file, swap.old, swap.new, &line]).of(Kind::Tag);
            let Consent { reading, yes } = swap.consent;
            approval::require(&self.project, &self.caller, &deed.by_script(yes), reading)?;
        }
        self.edit(|text| {
            let new = swapped(text)?;
            if !is_legal {
                self.note_force(swap, &feeds)?;
            }
            Ok((Some(new), ()))
        })
    }

    fn not_swapped(&self, swap: &Swap<'_>, why: &NotSwapped) -> CommandError {
        let (file, tag) = (self.file.display(), swap.old);
        match why {
            NotSwapped::Absent => {
                let place = swap.line.map(|line| format!(":{line}")).unwrap_or_default();
                CommandError::refused(format!("{file}{place} has no {tag}"))
                    .hint("it may have been swapped by somebody else; a tag in code is a mention")
            }
            NotSwapped::Several(lines) => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                CommandError::refused(format!(
                    "{file} has {tag} several times in its text, in lines {}",
                    lines.join(", ")
                ))
                .hint("say which: --line N")
            }
        }
    }

    /// What was done against the table is written down before it is done.
    fn note_force(&self, swap: &Swap<'_>, feeds: &Feeds<'_>) -> Outcome {
        let session = match &self.caller {
            Caller::Agent { session } => session.clone(),
            Caller::Person | Caller::Program => String::new(),
        };
        let now = clock::now();
        let forced = FindingLine {
            rule: "tags".to_owned(),
            because: Some(format!("forced; legal: {}", legal(swap.old, feeds))),
            ..FindingLine::default()
        };
        let entry = Entry {
            id: clock::decision_id(now).as_str().to_owned(),
            at: now.rfc3339(),
            session,
            event: "TagSwap".to_owned(),
            input: Some(format!("{}: {} → {}", self.file.display(), swap.old, swap.new)),
            findings: vec![forced],
            verdict: "none".to_owned(),
            ..Entry::default()
        };
        Ok(journal_file::append(&self.project.journal_folder(), now, &entry)?)
    }

    /// Puts the stages of work in the text into code spans. Which lines are different comes back; they are written only if asked.
    pub fn escape(&self, write: bool) -> Result<Vec<EscapedLine>, CommandError> {
        let feeds = Feeds::new(&self.config);
        if !write {
            return Ok(tag::escape(&self.read()?, &feeds).lines);
        }
        self.edit(|text| {
            let Escaped { text, lines } = tag::escape(text, &feeds);
            Ok((Some(text), lines))
        })
    }
}

/// Which tag for which.
#[derive(Debug, Clone, Copy)]
pub struct Swap<'a> {
    pub old: &'a str,
    pub new: &'a str,
    /// The bare tag in this line of the text.
    pub line: Option<usize>,
    /// Also if the new tag may not follow the old one.
    pub force: bool,
    /// Why a person wants it.
    pub consent: Consent<'a>,
}

fn illegal(swap: &Swap<'_>, feeds: &Feeds<'_>) -> CommandError {
    CommandError::refused(format!(
        "{} cannot follow {}; legal: {}",
        swap.new,
        swap.old,
        legal(swap.old, feeds)
    ))
    .hint("engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal")
}

fn legal(tag: &str, feeds: &Feeds<'_>) -> String {
    let legal = feeds.legal_from(tag);
    if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") }
}

#[cfg(test)]
mod tests;
