//! The command lines that the client runs out of the text of a skill, without asking as for a tool: when an agent or a person runs the
//! skill, and when a call writes such a text.
//!
//! Nothing is opened for other events. A text is judged as it is now; one that only a command writes is judged when it is run.

use std::collections::HashSet;
use std::path::Path;

use engine_core::event::{Event, Kind, Tool, ToolCall};
use engine_core::skill::{Declared, ShellLine, shell_lines, with_arguments};
use engine_core::verdict::{Decision, Finding, UserLine};
use engine_core::view::{Files, Project, Skills};

/// A command line of a skill.
pub(crate) struct SkillLine {
    pub(crate) command: String,
    /// `line 3 of skills/x/SKILL.md, run by the skill x`.
    pub(crate) place: String,
}

/// The lines that the client runs if this event goes on, and those that it would write.
pub(crate) fn of_event(event: &Event<'_>, view: &(impl Files + Project + Skills + ?Sized)) -> Vec<SkillLine> {
    match &event.kind {
        Kind::PreTool(call) => match &call.tool {
            Tool::Skill { name, args } => run(name, args, view),
            _ => written(call, &event.cwd, view),
        },
        Kind::PromptExpansion { command, arguments, .. } => run(command, arguments, view),
        _ => Vec::new(),
    }
}

fn run(name: &str, arguments: &str, view: &(impl Files + Project + Skills + ?Sized)) -> Vec<SkillLine> {
    let Some(path) = view.skill_file(name) else { return Vec::new() };
    let Ok(text) = view.read(&path) else { return Vec::new() };
    let lines = shell_lines(&text);
    if lines.is_empty() {
        return Vec::new();
    }
    let names = Declared::read(&text).arguments;
    let folder = path.parent().unwrap_or(Path::new("/")).to_string_lossy();
    let variable = format!("${{{}}}", view.dialect().skill_folder_variable);
    let shown = shown(&path, view);
    let line = |ShellLine { line, command }: ShellLine| SkillLine {
        command: with_arguments(&command.replace(&variable, &folder), arguments, &names),
        place: format!("line {line} of {shown}, run by the skill {name}"),
    };
    lines.into_iter().map(line).collect()
}

/// What a call adds to the text of a skill.
fn written(
    call: &ToolCall<'_>,
    cwd: &str,
    view: &(impl Files + Project + Skills + ?Sized),
) -> Vec<SkillLine> {
    let is_skill = view.dialect().is_skill_file;
    let mut found = Vec::new();
    for (path, edit) in call.edits().filter(|(path, _)| is_skill(path)) {
        let path = view.resolve(cwd, path);
        let before = view.read(&path).unwrap_or_default();
        let Some(after) = edit.result(&before) else { continue };
        let old = shell_lines(&before);
        let old: HashSet<&str> = old.iter().map(|old| old.command.as_str()).collect();
        let is_new = |line: &ShellLine| !old.contains(line.command.as_str());
        let shown = shown(&path, view);
        found.extend(shell_lines(&after).into_iter().filter(is_new).map(|ShellLine { line, command }| {
            SkillLine { command, place: format!("line {line} of {shown}, run when the skill is called") }
        }));
    }
    found
}

fn shown(path: &Path, view: &(impl Project + ?Sized)) -> String {
    path.strip_prefix(view.root()).unwrap_or(path).display().to_string()
}

/// What is found about a skill that a person typed: a refusal stops it, a question is a line for them, because they asked for it.
pub(crate) fn as_typed(event: &Event<'_>, mut finding: Finding) -> Finding {
    if let Kind::PromptExpansion { command, .. } = &event.kind
        && let Some(Decision::Ask(what)) = &finding.decision
    {
        let text = format!("engine: /{command} runs what a rule asks about: {what}");
        finding.lines.push(UserLine { text, cause: None });
        finding.decision = None;
    }
    finding
}
