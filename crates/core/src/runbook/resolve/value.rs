//! The values of a step's fields, and of a phase's.

use super::super::body::{Body, Role};
use super::super::field::{self, Field, Key};
use super::super::front::Front;
use super::super::outline::{At, RawPhase, RawStep};
use super::super::read::Problems;
use super::super::{File, file_list, requirement, unfilled};
use super::{Defaults, Resolver};
use crate::plan::StepId;

/// What the fields of a step say.
#[derive(Default)]
pub(super) struct Values {
    /// The keys that were there.
    pub(super) keys: Vec<Key>,
    pub(super) model: Option<String>,
    pub(super) unknown_model: bool,
    pub(super) files: Vec<File>,
    pub(super) files_at: Option<usize>,
    pub(super) needs: Option<(Vec<StepId>, usize)>,
    pub(super) requirements: Vec<String>,
    pub(super) check: Option<String>,
    pub(super) bootstrap: Option<String>,
    pub(super) turns: Option<u32>,
}

impl Values {
    pub(super) fn said(&mut self, key: Key) {
        self.keys.push(key);
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.keys.contains(&key)
    }
}

impl Resolver<'_> {
    /// A model by its name. One that nobody knows is not used.
    pub(super) fn tier(
        &self,
        value: &str,
        what: &str,
        instead: Option<&str>,
        (path, line): (&str, usize),
        problems: &mut Problems,
    ) -> Option<String> {
        let tier = self.facts.tier(value);
        if tier.is_none() {
            let instead = instead.map_or(String::new(), |model| format!(", and {model} takes its place"));
            let text = format!(
                "model {:?} of {what} is not known{instead}: write one of {}",
                field::bare(value),
                self.facts.known()
            );
            problems.warning(path, line, text);
        }
        tier
    }

    /// The fields of a step, and their lines, which are not part of its text.
    pub(super) fn fields(
        &self,
        raw: &RawStep,
        body: &Body<'_>,
        what: &str,
        defaults: &Defaults<'_>,
        problems: &mut Problems,
    ) -> (Values, Vec<At>) {
        let path = self.documents[raw.at.0].path;
        let (fields, end) = field::block(self.documents, &raw.lines);
        let mut values = Values::default();
        let mut without: Vec<At> = Vec::new();
        for field in &fields {
            let line = field.lines[0].1;
            let mut is_read = true;
            if field.value.is_empty() {
                problems.error(
                    path,
                    line,
                    format!("{} of {what} is empty: write its value, or take the line out", field.key.name()),
                );
                values.said(field.key);
            } else if unfilled::is_open(&field.value) {
                values.said(field.key);
            } else if values.has(field.key) {
                problems.warning(path, line, twice(field.key, what));
            } else {
                is_read = self.value(field, &mut values, what, defaults, path, problems);
            }
            // What says more than its value stays.
            if is_read && !(field.key == Key::Check && field::command(&field.value).1) {
                without.extend(&field.lines);
            }
        }
        for stray in field::strays(self.documents, &raw.lines, end) {
            // A bootstrap is a step of its own.
            if stray.key == Key::Check && body.roles[stray.place] == Some(Role::Bootstrap) {
                values.bootstrap.get_or_insert_with(|| field::command(&stray.value).0);
                continue;
            }
            let text = format!(
                "{} of {what} is not read here, where it is text: write it right below the heading",
                stray.key.name()
            );
            problems.warning(path, stray.lines[0].1, text);
        }
        (values, without)
    }

    /// The model below the heading of a phase, as some write it, and the lines that it takes. A phase has no other fields.
    pub(super) fn phase_fields(
        &self,
        raw: &RawPhase,
        model: &mut Option<String>,
        is_open: &mut bool,
        front: &Front,
        problems: &mut Problems,
    ) -> Vec<At> {
        let path = self.documents[raw.at.0].path;
        let what = format!("phase {}", raw.number);
        let (fields, end) = field::block(self.documents, &raw.preamble);
        let mut without = Vec::new();
        let mut is_said = model.is_some() || *is_open;
        for field in fields.iter().filter(|field| !field.value.is_empty()) {
            let line = field.lines[0].1;
            match field.key {
                Key::Model if is_said => problems.warning(path, line, twice(field.key, &what)),
                Key::Model if unfilled::is_open(&field.value) => *is_open = true,
                Key::Model => {
                    *model = self.tier(&field.value, &what, front.model.as_deref(), (path, line), problems);
                }
                key => {
                    let text =
                        format!("{} of {what} is not read: write it below each of its steps", key.name());
                    problems.warning(path, line, text);
                    continue;
                }
            }
            is_said = true;
            without.extend(&field.lines);
        }
        for stray in field::strays(self.documents, &raw.preamble, end) {
            let text = match stray.key {
                Key::Model => format!(
                    "{} of {what} is not read here, where it is text: write it right below the heading",
                    stray.key.name()
                ),
                key => format!("{} of {what} is not read: write it below each of its steps", key.name()),
            };
            problems.warning(path, stray.lines[0].1, text);
        }
        without
    }

    /// Takes over the value of a field that is there for the first time. Whether all of it is read, and the line need not stay.
    fn value(
        &self,
        field: &Field,
        values: &mut Values,
        what: &str,
        defaults: &Defaults<'_>,
        path: &str,
        problems: &mut Problems,
    ) -> bool {
        let line = field.lines[0].1;
        values.said(field.key);
        let mut is_read = true;
        match field.key {
            Key::Model => {
                values.model =
                    self.tier(&field.value, what, defaults.model.as_deref(), (path, line), problems);
                values.unknown_model = values.model.is_none();
            }
            Key::Files => {
                values.files_at.get_or_insert(line);
                if file_list::is_none(&field.value) {
                    let text = format!(
                        "Files of {what} says none: write the files that it changes, or take the line out, and it may change any"
                    );
                    problems.error(path, line, text);
                    return true;
                }
                for file in file_list::files(&field.value) {
                    let mut parts = file.path.split('/');
                    let wrong = if !crate::plan::is_inside(&file.path) {
                        "is no path below the project's root: write it from there"
                    } else if parts
                        .any(|part| [".git", ".engine"].iter().any(|own| part.eq_ignore_ascii_case(own)))
                    {
                        "is git's or the engine's own, and no step changes it: take it out"
                    } else {
                        values.files.push(file);
                        continue;
                    };
                    problems.error(path, line, format!("{:?} {wrong}", file.path));
                }
            }
            Key::Needs => {
                let mut needs = Vec::new();
                for name in field::list(&field.value) {
                    let number = name.rsplit(char::is_whitespace).next().unwrap_or(name);
                    match number.parse::<StepId>() {
                        Ok(id) => needs.push(id.whole()),
                        Err(_) => problems.error(path, line, format!("Needs of {what}: {name:?} is not the number of a step: write 1.1, 1.2 or none")),
                    }
                }
                values.needs = Some((needs, line));
            }
            Key::Requirements => {
                for part in field::list(&field.value) {
                    let mut names = requirement::named(part).peekable();
                    if names.peek().is_none() {
                        let text =
                            format!("{part:?} of {what} is no requirement: write R1, R2 … as in design.md");
                        problems.warning(path, line, text);
                        is_read = false;
                    }
                    values.requirements.extend(names.map(str::to_owned));
                }
                let unknown: Vec<&str> = values
                    .requirements
                    .iter()
                    .map(String::as_str)
                    .filter(|name| !self.asks_for(name))
                    .collect();
                if self.facts.design.is_none() && !unknown.is_empty() {
                    let beside = self.facts.beside("design.md");
                    let text = format!(
                        "{} of {what} is in no design: write {beside} with a line for each, or take it out",
                        unknown.join(", ")
                    );
                    problems.warning(path, line, text);
                } else {
                    for name in unknown {
                        let text = format!("{name} of {what} is not in design.md: write one that is");
                        problems.warning(path, line, text);
                    }
                }
            }
            Key::Check => values.check = Some(field::command(&field.value).0),
            Key::Turns => match field::bare(&field.value).parse::<u32>() {
                Ok(turns) if turns > 0 => values.turns = Some(turns),
                _ => problems.error(
                    path,
                    line,
                    format!("Max Turns of {what} is {:?}: write a number", field.value),
                ),
            },
        }
        is_read
    }

    /// The requirements that a step is for: those that it lists, and those of the design that it mentions.
    pub(super) fn requirements(&self, title: &str, lines: &[At], listed: &[String]) -> Vec<String> {
        let mut found: Vec<String> = listed.to_vec();
        if !self.design.is_empty() {
            let texts = lines.iter().map(|(document, line)| self.documents[*document].text(*line));
            let named = std::iter::once(title).chain(texts).flat_map(requirement::named);
            found.extend(named.filter(|name| self.asks_for(name)).map(str::to_owned));
        }
        found.sort_by_key(|name| (name.len(), name.clone()));
        found.dedup();
        found
    }

    pub(super) fn asks_for(&self, name: &str) -> bool {
        self.design.iter().any(|one| one.id == name)
    }
}

fn twice(key: Key, what: &str) -> String {
    format!("{} is there twice in {what}, and the first counts: take one out", key.name())
}
