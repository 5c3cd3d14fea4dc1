//! How the files of each kind are cut into the pieces that are found: one log entry, one learning, one section.
//!
//! A title begins with the name of its file (`2026_02_07_AUTH/IMPLEMENT_LOG > Use JWT`), so that words of it count. Secrets are
//! removed before anything is cut: a part of one would not be recognised.

use std::panic::catch_unwind;

use engine_core::log;
use engine_core::search::{Kind, skill_of};
use engine_core::tag::{self, FoundTag};
use engine_core::work::request::is_request;
use engine_core::work::{WorkState, name};
use engine_core::{dialogue, learning, queue};
use engine_search::{Chunk, Facts, markdown};
use engine_text::BYTE_ORDER_MARK;
use engine_text::redact::redact;
use engine_text::stamp::Stamp;

use super::corpus::STATE;
use super::note;
use crate::time;

/// How the page of a plan says that it is over: `FEATURE, feature. Closed 2026-11-15T11:30:00.123Z.`
const CLOSED: &str = " Closed ";
/// The length of the moment behind it.
const STAMP: usize = 24;

/// A file to cut.
pub(super) struct Uncut<'a> {
    pub(super) kind: Kind,
    pub(super) key: &'a str,
    pub(super) text: &'a str,
    /// When the file was changed, as far as that is known.
    pub(super) changed: Option<String>,
}

/// The chunks of a file. None: nothing in it is to be found. A bug that one file brings up must not take all answers with it.
pub(super) fn chunks(file: &Uncut<'_>) -> Vec<Chunk> {
    catch_unwind(|| chunks_of(file)).unwrap_or_default()
}

fn chunks_of(file: &Uncut<'_>) -> Vec<Chunk> {
    let text = without_secrets(file.text);
    let file = Uncut { text: &text, changed: file.changed.clone(), ..*file };
    let mut chunks = match file.kind {
        Kind::Sessions => of_session(&file),
        Kind::Learnings => of_learnings(&file),
        Kind::Queue => of_item(&file),
        Kind::Notes => note::chunks(&file),
        Kind::Plans => of_plan(&file),
        Kind::Docs => file.cut(),
        Kind::Decisions => file.cut_as("decision"),
    };
    let tags = tag::bare(&text);
    for chunk in &mut chunks {
        chunk.facts.tags = tags_of(chunk, &tags);
        if chunk.facts.at.is_none() {
            chunk.facts.at.clone_from(&file.changed);
        }
        chunk.line += above_named(chunk);
    }
    chunks
}

/// How many lines of a chunk are above the heading that its title ends with: bare headings begin the section below them.
fn above_named(chunk: &Chunk) -> u32 {
    let is_head = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    let heads = chunk.body.lines().take_while(is_head).zip(0..);
    let Some((last, above)) = heads.filter(|(line, _)| line.starts_with('#')).last() else { return 0 };
    let name = last.trim_start_matches('#').trim();
    let is_named = !name.is_empty() && chunk.title.ends_with(&format!(" > {name}"));
    if is_named { above } else { 0 }
}

/// The name of a file as its titles begin: without what all of its kind have, and without its end.
pub(super) fn head(kind: Kind, key: &str) -> &str {
    let short = match kind {
        Kind::Sessions => key.rsplit_once(&format!("{}/", name::FOLDER)).map_or(key, |(_, below)| below),
        Kind::Queue | Kind::Notes => key.rsplit('/').next().unwrap_or(key),
        Kind::Docs | Kind::Learnings | Kind::Decisions | Kind::Plans => key,
    };
    let short = short.strip_suffix(&format!("/{STATE}")).unwrap_or(short);
    match short.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && !end.contains('/') => stem,
        _ => short,
    }
}

impl Uncut<'_> {
    pub(super) fn head(&self) -> &str {
        head(self.kind, self.key)
    }

    fn cut(&self) -> Vec<Chunk> {
        markdown::cut(self.text, self.head())
    }

    pub(super) fn cut_as(&self, what: &str) -> Vec<Chunk> {
        let mut chunks = self.cut();
        for chunk in &mut chunks {
            chunk.facts.what = Some(what.to_owned());
        }
        chunks
    }

    /// The lines from `start` to `end`, counted from 0, that belong to no entry. A bare heading that says no more than the name of the
    /// file is left out, as every title has that name.
    fn between(&self, start: usize, end: usize) -> Vec<Chunk> {
        let lines = self.text.split_inclusive('\n').skip(start).take(end.saturating_sub(start));
        let text: String = lines.collect();
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        let named = words(self.head());
        let is_told = |line: &str| {
            line.trim().is_empty()
                || (line.starts_with('#') && words(line).iter().all(|word| named.contains(word)))
        };
        let is_all_told = text.trim_start_matches(BYTE_ORDER_MARK).lines().all(is_told);
        let chunks = if is_all_told { Vec::new() } else { markdown::cut(&text, self.head()) };
        below(chunks, start)
    }

    /// A part of the text under a title of its own, in pieces if it is long. `line`: of its first one, counted from 1.
    fn part(&self, title: &str, text: &str, line: usize) -> Vec<Chunk> {
        let before = u32::try_from(line.saturating_sub(1)).unwrap_or(u32::MAX);
        let lines = u32::try_from(text.lines().count().max(1)).unwrap_or(u32::MAX);
        let title =
            [self.head(), title].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" > ");
        if text.len() <= markdown::LARGEST {
            let (line, end_line) = (before.saturating_add(1), before.saturating_add(lines));
            return vec![Chunk { title, body: text.to_owned(), line, end_line, facts: Facts::default() }];
        }
        below(markdown::cut(text, &title), line.saturating_sub(1))
    }
}

/// The chunks of a part of a file, at their places in the whole: so many lines are above the part.
pub(super) fn below(mut chunks: Vec<Chunk>, above: usize) -> Vec<Chunk> {
    let above = u32::try_from(above).unwrap_or(u32::MAX);
    for chunk in &mut chunks {
        chunk.line = chunk.line.saturating_add(above);
        chunk.end_line = chunk.end_line.saturating_add(above);
    }
    chunks
}

fn tags_of(chunk: &Chunk, found: &[FoundTag<'_>]) -> Vec<String> {
    let is_in =
        |line: usize| u32::try_from(line).is_ok_and(|line| (chunk.line..=chunk.end_line).contains(&line));
    let tags = found.iter().filter(|found| found.of_file || is_in(found.line));
    let mut tags: Vec<String> = tags.map(|found| found.tag.trim_start_matches('#').to_lowercase()).collect();
    tags.sort();
    tags.dedup();
    tags
}

fn of_session(file: &Uncut<'_>) -> Vec<Chunk> {
    let name = file.key.rsplit('/').next().unwrap_or(file.key);
    // What is deeper in a session has any name.
    if file.head().matches('/').count() > usize::from(name != STATE) {
        return file.cut();
    }
    if name == STATE {
        return of_state(file);
    }
    let what = if name == dialogue::FILE {
        Some("dialogue")
    } else if is_request(name) {
        Some("request")
    } else if name.contains("_RESPONSE_") {
        Some("response")
    } else if name.ends_with("_PLAN.md") {
        Some("plan")
    } else {
        // What bears only the name of its skill.
        skill_of(name).filter(|skill| name.len() == skill.len() + 3).map(|_| "debrief")
    };
    let is_log = name.ends_with("_LOG.md");
    let mut chunks = if is_log || name == dialogue::FILE { entries(file) } else { file.cut() };
    for chunk in &mut chunks {
        chunk.facts.skill = skill_of(name);
        chunk.facts.what = chunk.facts.what.take().or(what.map(str::to_owned));
    }
    chunks
}

/// The entries of a log, one each, and what is between them.
fn entries(file: &Uncut<'_>) -> Vec<Chunk> {
    let entries = log::parse(file.text);
    let mut chunks = Vec::new();
    let mut end = 0;
    for entry in &entries {
        chunks.extend(file.between(end, entry.line - 1));
        end = entry.line - 1 + entry.text.lines().count();
        let facts = Facts {
            what: entry.kind.map(|kind| kind.as_str().to_owned()),
            phase: entry.phase.map(str::to_owned),
            at: entry.at.and_then(time::of_local).map(Stamp::rfc3339),
            ..Facts::default()
        };
        let mut found = file.part(entry.title, body_of(entry), entry.line);
        for (chunk, number) in found.iter_mut().zip(0..) {
            // The place of an entry is its heading, whatever of it is shown.
            let below = above(entry);
            chunk.line = chunk.line.saturating_add(if number == 0 { 0 } else { below });
            chunk.end_line = chunk.end_line.saturating_add(below);
        }
        chunks.extend(found.into_iter().map(|chunk| Chunk { facts: facts.clone(), ..chunk }));
    }
    chunks.extend(file.between(end, usize::MAX));
    chunks
}

/// An entry without its heading and its phase, which are told beside it.
fn body_of<'a>(entry: &log::Entry<'a>) -> &'a str {
    let phase =
        entry.body.strip_prefix(log::PHASE).map(|rest| rest.split_once('\n').map_or("", |(_, rest)| rest));
    phase.unwrap_or(entry.body).trim()
}

/// How many lines of an entry are above its body.
fn above(entry: &log::Entry<'_>) -> u32 {
    let lines = entry.text.lines().count().saturating_sub(body_of(entry).lines().count().max(1));
    u32::try_from(lines).unwrap_or_default()
}

/// Between what a work session was about and the words by which it is found.
pub(super) const KEYWORDS: &str = "Keywords: ";

/// The parameter with which a work session began that says what it is about.
const SUMMARY: &str = "taskSummary";

/// What the state of a work session says of the work: one chunk.
fn of_state(file: &Uncut<'_>) -> Vec<Chunk> {
    let Ok(state) = WorkState::parse(file.text) else { return Vec::new() };
    let mut body = Vec::new();
    body.extend(state.description.clone());
    body.extend(state.params.get(SUMMARY).and_then(|summary| summary.as_str()).map(str::to_owned));
    let keywords = state.keywords.join(", ");
    body.extend((!keywords.is_empty()).then(|| format!("{KEYWORDS}{keywords}")));
    for run in &state.runs {
        body.extend(run.goal.as_ref().map(|goal| format!("Goal: {goal}")));
        body.extend(run.request.as_ref().map(|request| format!("Asked: {request}")));
    }
    let mut skills: Vec<&str> = state.runs.iter().map(|run| run.skill.as_str()).collect();
    skills.dedup();
    body.extend((!skills.is_empty()).then(|| format!("Skills: {}", skills.join(", "))));
    body.push(format!("State: {}", state.shown()));
    let run = state.run();
    let facts = Facts {
        what: Some("session".to_owned()),
        skill: run.map(|run| engine_core::search::skill_named(&run.skill)),
        phase: run.and_then(|run| run.current_phase.as_ref()).map(ToString::to_string),
        at: run.and_then(|run| Stamp::parse(&run.started_at)).map(Stamp::rfc3339),
        ..Facts::default()
    };
    let mut chunks = file.part("", &body.join("\n"), 1);
    for chunk in &mut chunks {
        (chunk.line, chunk.end_line) = (1, 1);
        chunk.facts = facts.clone();
    }
    chunks
}

fn of_learnings(file: &Uncut<'_>) -> Vec<Chunk> {
    let learnings = learning::parse(file.text);
    let above = learnings.first().map_or(usize::MAX, |first| first.line - 1);
    let lines: Vec<&str> = file.text.split_inclusive('\n').collect();
    let ends = learnings.iter().skip(1).map(|next| next.line - 1).chain([lines.len()]);
    let part = |(learning, end): (&learning::Learning, usize)| {
        let text = lines.get(learning.line - 1..end).unwrap_or_default().concat();
        file.part(&learning.title, text.trim_end(), learning.line)
    };
    let parts = learnings.iter().zip(ends).flat_map(part);
    file.between(0, above).into_iter().chain(parts).collect()
}

/// An item of the queue: its sections, without the front matter.
fn of_item(file: &Uncut<'_>) -> Vec<Chunk> {
    let Ok(item) = queue::Item::read(file.head(), file.text) else { return file.cut() };
    let body = queue::body(file.text);
    let above = file.text.len() - body.len();
    let chunks = markdown::cut(body, &format!("{} > {}", file.head(), item.title));
    let mut chunks = below(chunks, file.text[..above].matches('\n').count());
    for chunk in &mut chunks {
        chunk.facts.what = Some(item.state.as_str().to_owned());
        chunk.facts.at = Stamp::parse(&item.created).map(Stamp::rfc3339);
    }
    chunks
}

/// The page of a plan, or a file beside it. The page of a plan that is open is left out: it changes with every step.
fn of_plan(file: &Uncut<'_>) -> Vec<Chunk> {
    let mut chunks = file.cut();
    if !engine_core::plan::is_page(file.text) {
        return chunks;
    }
    let standing = file.text.lines().nth(2).unwrap_or_default();
    let Some((_, closed)) = standing.split_once(CLOSED) else { return Vec::new() };
    let at = closed.get(..STAMP).and_then(Stamp::parse);
    for chunk in &mut chunks {
        let section = chunk.title.rsplit(" > ").next().unwrap_or_default();
        let what = match section {
            "Acceptance criteria" => "criterion",
            "Steps" => "step",
            "Halts" => "halt",
            _ => "plan",
        };
        chunk.facts.what = Some(what.to_owned());
        chunk.facts.at = at.map(Stamp::rfc3339);
    }
    chunks
}

/// A text without secrets, with the same lines: places in it must stay right.
fn without_secrets(text: &str) -> String {
    let lines = |text: &str| text.matches('\n').count();
    let whole = redact(text);
    if lines(&whole) == lines(text) {
        return whole.into_owned();
    }
    // A key has many lines.
    let mut is_key = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let begins = line.contains("-----BEGIN ") && line.contains("PRIVATE KEY");
        is_key |= begins;
        if is_key {
            kept.push_str(if begins { "[redacted]" } else { "" });
            kept.push_str(if line.ends_with('\n') { "\n" } else { "" });
            is_key = !line.contains("-----END ");
        } else {
            kept.push_str(line);
        }
    }
    let again = redact(&kept);
    // Whatever else it was: rather a wrong line than a secret.
    if lines(&again) == lines(text) { again.into_owned() } else { whole.into_owned() }
}

#[cfg(test)]
mod tests;
