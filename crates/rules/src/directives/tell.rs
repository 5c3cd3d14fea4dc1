//! Which directives come with an event, and which wait for the next.
//!
//! Told is what fits into the budget: first AGENTS and INVARIANTS of the project's root and the person's own, as far as they take half of
//! it, then what the call met, nearest first, then what waits from earlier calls. What the call met and does not fit waits.

use std::path::{Path, PathBuf};

use super::{BLOCK, News, View, budget, identity};
use crate::inject;
use engine_core::directive::context::Queued;
use engine_core::directive::edit::is_form;
use engine_core::directive::{CHECKLIST, FOLDER, FoundDirective, Type};
use engine_core::note::{Scoped, id_of};
use engine_core::verdict::Finding;
use engine_core::view::{Told, Unread};
use engine_core::work::{BoundWork, name};
use engine_text::line::units;

/// Types of the root that are told before what is nearer.
const FIRST: [&str; 2] = ["AGENTS", "INVARIANTS"];

/// A directive that the agent has not been told.
pub(super) struct Candidate {
    /// Its identity.
    pub(super) path: String,
    file: PathBuf,
    /// It waits from an earlier call.
    waits: bool,
    /// It is a note.
    note: Option<Scoped>,
}

impl Candidate {
    pub(super) fn fresh(found: &FoundDirective, view: &(impl View + ?Sized)) -> Self {
        Self { path: identity(&found.real, view), file: found.path.clone(), waits: false, note: None }
    }

    pub(super) fn note(note: &Scoped, view: &(impl View + ?Sized)) -> Self {
        let file = view.root().join(&note.file);
        Self { path: note.file.clone(), file, waits: false, note: Some(note.clone()) }
    }

    pub(super) fn queued(queued: &Queued, notes: &[Scoped]) -> Self {
        let note = notes.iter().find(|note| note.file == queued.path).cloned();
        Self { path: queued.path.clone(), file: queued.file.clone(), waits: true, note }
    }

    fn is_note(&self) -> bool {
        self.note.is_some() || id_of(&self.path).is_some()
    }

    /// The line of a note; of one that is not told any more, none.
    fn line(&self, news: &mut News, most: usize) -> Option<String> {
        let Some(note) = &self.note else {
            news.gone.push(self.path.clone());
            return None;
        };
        Some(if units(&note.line) > most { note.named() } else { note.line.clone() })
    }

    fn kind(&self) -> Option<&'static Type> {
        self.file.file_name().and_then(|name| Type::find(&name.to_string_lossy()))
    }

    fn is_own(&self, view: &(impl View + ?Sized)) -> bool {
        if let Some(note) = &self.note {
            return note.mine;
        }
        view.own_directives().is_some_and(|own| self.file.starts_with(own))
    }

    /// Whether it is told before what is nearer.
    fn is_first(&self, view: &(impl View + ?Sized)) -> bool {
        let folder = self.file.parent().filter(|folder| folder.ends_with(FOLDER)).and_then(Path::parent);
        let is_of_all = folder == Some(view.root()) || self.is_own(view);
        is_of_all && self.kind().is_some_and(|kind| FIRST.contains(&kind.name))
    }

    /// Its section; nothing if there is nothing to tell of it now.
    fn section(
        &self,
        work: Option<&BoundWork>,
        news: &mut News,
        finding: &mut Finding,
        view: &(impl View + ?Sized),
    ) -> Option<String> {
        if self.is_note() {
            return self.line(news, budget(view));
        }
        let is_its = || identity(&view.resolve("/", &self.file.to_string_lossy()), view) == self.path;
        if self.waits && !is_its() {
            news.gone.push(self.path.clone());
            return None;
        }
        let body = match view.told(&self.file) {
            Ok(Told { text, remark }) => {
                finding.lines.extend(remark.map(|remark| inject::remarked(&self.path, remark)));
                text.trim_start_matches('\u{feff}').trim().replace("\r\n", "\n")
            }
            Err(why) => {
                if self.waits {
                    news.gone.push(self.path.clone());
                }
                if let Unread::Unreadable(why) = why {
                    finding.lines.push(inject::refused(&self.path, &why));
                }
                return None;
            }
        };
        // Once somebody has filled it in, it is told.
        if body.is_empty() || self.kind().is_some_and(|kind| is_form(kind, &body)) {
            if self.waits {
                news.gone.push(self.path.clone());
            }
            return None;
        }
        let is_checklist = self.kind().is_some_and(|kind| kind.name == CHECKLIST);
        let remark = match work.filter(|_| is_checklist) {
            Some(work) => format!(" (handed in by: engine session check {}/{})", name::FOLDER, work.name),
            None => String::new(),
        };
        Some(format!("\n\n## {}{remark}\n\n{body}", self.path))
    }
}

/// The texts that fit, then the paths of what is larger than an event may tell.
pub(super) fn tell(
    candidates: &[Candidate],
    work: Option<&BoundWork>,
    news: &mut News,
    view: &(impl View + ?Sized),
) -> Finding {
    let mut finding = Finding::default();
    let most = budget(view);
    let mut left = most;
    let mut told: Vec<Option<String>> = candidates.iter().map(|_| None).collect();
    let mut reserved = most / 2;
    for (one, place) in
        candidates.iter().zip(&mut told).filter(|(one, _)| may_tell(one, view) && one.is_first(view))
    {
        let section =
            one.section(work, news, &mut finding, view).filter(|section| units(section) <= reserved);
        reserved -= section.as_deref().map_or(0, units);
        left -= section.as_deref().map_or(0, units);
        *place = section;
    }
    let mut named = Vec::new();
    let mut waiting = 0;
    for (one, place) in candidates.iter().zip(&mut told).filter(|(one, _)| may_tell(one, view)) {
        // What waits comes in its order: nothing overtakes what does not fit.
        if one.waits && waiting > 0 && place.is_none() {
            waiting += 1;
            continue;
        }
        if place.is_some() || news.gone.contains(&one.path) {
            continue;
        }
        let Some(section) = one.section(work, news, &mut finding, view) else { continue };
        let size = units(&section);
        if size <= left {
            left -= size;
            *place = Some(section);
        } else if size > most && one.is_note() {
            // Even the name of it is more than may be told.
            *place = Some(section);
        } else if size > most {
            named.push(format!("- {} ({} characters)", one.path, body_units(&section)));
            news.pending.push(one.path.clone());
        } else {
            waiting += 1;
            if !one.waits {
                news.queued.push(Queued { path: one.path.clone(), file: one.file.clone() });
            }
        }
    }
    let is_told = |waits: bool| {
        let sections = candidates.iter().zip(&told);
        let sections = sections.filter(move |(one, _)| one.waits == waits && one.note.is_none());
        sections.filter_map(|(_, section)| section.as_deref()).collect::<String>()
    };
    let mut parts = Vec::new();
    for (sections, lead) in [
        (is_told(false), "Directives that count here, nearest first:"),
        (is_told(true), "Directives that count where this agent worked, and did not fit before:"),
    ] {
        if !sections.is_empty() {
            parts.push(format!("{lead}{sections}"));
        }
    }
    if waiting > 0 {
        let files = if waiting == 1 { "1 more comes".to_owned() } else { format!("{waiting} more come") };
        parts.push(format!("{files} with the next calls."));
    }
    parts.extend(naming(&named, work, view));
    for (one, _) in candidates.iter().zip(&told).filter(|(_, section)| section.is_some()) {
        news.delivered.push(one.path.clone());
        if one.waits && one.note.is_none() {
            news.elsewhere.push(one.file.clone());
        }
    }
    let is_line =
        |(one, section): (&Candidate, &Option<String>)| section.clone().filter(|_| one.note.is_some());
    news.notes = candidates.iter().zip(&told).filter_map(is_line).collect();
    if !parts.is_empty() {
        finding.context = Some(parts.join("\n\n"));
    }
    if !parts.is_empty() || !news.notes.is_empty() {
        let list: Vec<&str> = news.delivered.iter().chain(&news.pending).map(String::as_str).collect();
        finding.because = Some(format!("not told before: {}", list.join(", ")));
    }
    finding
}

/// How long a section is without its heading.
fn body_units(section: &str) -> usize {
    section.trim_start().split_once("\n\n").map_or(0, |(_, body)| units(body))
}

/// Of a project that is not trusted any more nothing is told but the person's own.
fn may_tell(one: &Candidate, view: &(impl View + ?Sized)) -> bool {
    view.is_trusted() || one.is_own(view)
}

fn naming(named: &[String], work: Option<&BoundWork>, view: &(impl View + ?Sized)) -> Option<String> {
    if named.is_empty() {
        return None;
    }
    let block = view.config().number(&BLOCK);
    let until = if work.is_some() && block > 0 {
        format!("Read them whole within {block} calls, after which other calls are held")
    } else {
        "Read them before the work goes on".to_owned()
    };
    Some(format!("Directives that count here and did not fit. {until}:\n{}", named.join("\n")))
}
