//! Requests between work sessions: their templates, and which are open.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engine_claude::skills;
use engine_core::skill::protocol::Protocol;
use engine_core::work::WorkState;
use engine_core::work::request::{self, Request, SHOWN};
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::reason::reason;
use engine_store::{walk, work_file};
use fs_err as fs;
use serde_json::Value;

use super::{CommandContext, SkillFile};
use crate::error::CommandError;

/// A skill that can be asked for work.
pub struct Delegable {
    pub skill: String,
    tags: Vec<String>,
    pub file: PathBuf,
    pub text: String,
}

/// The request template of a skill that has both templates, with the tags that it answers.
fn template(protocol: &Protocol, folder: &Path) -> Option<(PathBuf, String)> {
    let response = folder.join(protocol.response_template.as_deref()?);
    let request = folder.join(protocol.request_template.as_deref()?);
    let text = read_string(&request).ok()?;
    response.is_file().then_some((request, text))
}

/// All of them, in the order of the skills. One that another hides is never asked.
fn delegable(project: &Project) -> Vec<Delegable> {
    let of_skill = |found: skills::SkillEntry| {
        let path = found.path.filter(|_| found.hidden_by.is_none())?;
        let protocol = Protocol::of_skill(&read_string(&path).ok()?).ok().flatten()?;
        let (file, text) = template(&protocol, path.parent()?)?;
        let tags = request::tags(&text);
        (!tags.is_empty()).then_some(Delegable { skill: found.name, tags, file, text })
    };
    skills::all(project.root()).into_iter().filter_map(of_skill).collect()
}

/// The request template of the skill that answers a tag.
pub fn request_template(
    context: &CommandContext,
    tag: &str,
    skill: Option<&str>,
) -> Result<Delegable, CommandError> {
    let mut all = delegable(&context.project);
    let skill = skill.map(|skill| skill.trim_start_matches('/'));
    let fits = |one: &Delegable| {
        one.tags.iter().any(|of_it| of_it == tag) && skill.is_none_or(|skill| one.skill == skill)
    };
    let found: Vec<usize> = (0..all.len()).filter(|&index| fits(&all[index])).collect();
    match found.as_slice() {
        [] => Err(unknown(tag, skill, &all)),
        [one] => Ok(all.swap_remove(*one)),
        several => Err(ambiguous(tag, &several.iter().map(|&index| &all[index]).collect::<Vec<_>>())),
    }
}

fn unknown(tag: &str, skill: Option<&str>, all: &[Delegable]) -> CommandError {
    let whose = skill.map_or_else(|| "no skill".to_owned(), |skill| format!("{skill} is no skill that"));
    let mut error = CommandError::refused(format!("{whose} answers {tag}"));
    for one in all {
        error = error.hint(format!("{}: {}", one.tags.join(" "), one.skill));
    }
    if all.is_empty() {
        error = error.hint("none can be asked: a skill needs requestTemplate and responseTemplate, the first with a Tags line");
    }
    error
}

fn ambiguous(tag: &str, several: &[&Delegable]) -> CommandError {
    let names: Vec<&str> = several.iter().map(|one| one.skill.as_str()).collect();
    let mut error = CommandError::refused(format!(
        "{tag} is answered by {}; say which: --skill NAME",
        names.join(" and ")
    ));
    for one in several {
        error = error.hint(format!("{}: {}", one.skill, one.file.display()));
    }
    error
}

/// Requests that are open: the first of them, and how many more there are.
#[derive(Default)]
pub struct Requests {
    /// By their paths from the root.
    pub shown: Vec<(String, Request)>,
    pub more: usize,
    /// The tags that the skill answers.
    pub tags: Vec<String>,
    /// The template of an answer.
    pub response: Option<PathBuf>,
    /// Files that could not be read, each with the reason.
    pub unread: Vec<String>,
}

/// What other sessions ask of a skill, the most urgent first, then the newest. Not those that this session was started with.
pub(super) fn open_requests(skill: &SkillFile, state: &WorkState, project: &Project) -> Requests {
    let none = Requests::default();
    let Some(folder) = skill.folder.as_deref() else { return none };
    let Some((_, text)) = template(&skill.protocol, folder) else { return none };
    let tags = request::tags(&text);
    if tags.is_empty() {
        return none;
    }
    let is_request =
        |path: &Path| path.file_name().is_some_and(|name| request::is_request(&name.to_string_lossy()));
    let walked = walk::files(&[work_file::folder(project)], usize::MAX, is_request);
    let taken = state.params.get("requestFiles").and_then(Value::as_array).cloned().unwrap_or_default();
    let (mut open, mut unread) = (Vec::new(), Vec::new());
    for (path, read) in walk::read_all(&walked.files, |text| request::read(text, &tags)) {
        let file = path.strip_prefix(project.root()).unwrap_or(path).to_string_lossy().into_owned();
        match read {
            Ok(Some(request)) if taken.iter().all(|taken| taken.as_str() != Some(&file)) => {
                open.push((Reverse(changed(path)), file, request));
            }
            Ok(_) => {}
            Err(error) => unread.push(format!("{file} was not read: {}", reason(&error))),
        }
    }
    open.sort_by(|a, b| (a.2.priority, a.0, &a.1).cmp(&(b.2.priority, b.0, &b.1)));
    let more = open.len().saturating_sub(SHOWN);
    let shown = open.into_iter().take(SHOWN).map(|(_, file, request)| (file, request)).collect();
    let response = skill.protocol.response_template.as_ref().map(|file| folder.join(file));
    Requests { shown, more, tags, response, unread }
}

fn changed(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests;
