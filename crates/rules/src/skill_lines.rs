//! The command lines that the client runs out of the text of a skill, a command or an agent, without asking as for a tool: its `!` lines
//! and the hooks of its front matter. They are judged when an agent or a person runs the skill, when an agent is started, and when a call
//! writes such a text.
//!
//! Nothing is opened for other events. A text is judged as it is now; one that only a command writes is judged when it is run.

use std::collections::HashSet;
use std::path::Path;

use engine_core::event::{Event, Kind, Tool, ToolCall};
use engine_core::skill::{Declared, Found, FrontHook, FrontRuns, ShellLine, shell_lines, with_arguments};
use engine_core::verdict::{Decision, Finding, UserLine};
use engine_core::view::{Files, Project, Skills, Unread};

/// How many skills of an agent are looked at: more than one starts with.
const MOST_SKILLS: usize = 50;

/// A command line of a skill.
pub(crate) struct SkillLine {
    pub(crate) command: String,
    /// `line 3 of skills/x/SKILL.md, run by the skill x`.
    pub(crate) place: String,
}

/// What the client runs if an event goes on.
#[derive(Default)]
pub(crate) struct SkillLines {
    pub(crate) lines: Vec<SkillLine>,
    /// Why there may be more.
    pub(crate) unjudged: Option<String>,
}

/// The lines that the client runs if this event goes on, and those that it would write.
pub(crate) fn of_event(event: &Event<'_>, view: &(impl Files + Project + Skills + ?Sized)) -> SkillLines {
    let mut found = SkillLines::default();
    match &event.kind {
        Kind::PreTool(call) => match &call.tool {
            Tool::Skill { name, args } => found.run(name, args, true, view),
            Tool::Agent { agent_type, .. } => found.start(agent_type, view),
            _ => found.write(call, &event.cwd, view),
        },
        Kind::PromptExpansion { command, arguments, .. } => found.run(command, arguments, true, view),
        _ => {}
    }
    found
}

impl SkillLines {
    /// What a skill runs, and the agent that it runs in.
    fn run(
        &mut self,
        name: &str,
        arguments: &str,
        with_agent: bool,
        view: &(impl Files + Project + Skills + ?Sized),
    ) {
        let Found { files, is_cut } = view.skill_files(name);
        if is_cut {
            self.unjudged = Some(format!(
                "the file of the skill {name} was not found among so many files, so its command lines were not judged"
            ));
        }
        for path in files {
            let Some(text) = self.text(&path, "skill", view) else { continue };
            let shown = shown(&path, view);
            let lines = shell_lines(&text);
            if !lines.is_empty() {
                let names = Declared::read(&text).arguments;
                let folder = path.parent().unwrap_or(Path::new("/")).to_string_lossy();
                let variable = format!("${{{}}}", view.dialect().skill_folder_variable);
                self.lines.extend(lines.into_iter().map(|ShellLine { line, command }| SkillLine {
                    command: with_arguments(&command.replace(&variable, &folder), arguments, &names),
                    place: format!("line {line} of {shown}, run by the skill {name}"),
                }));
            }
            let front = self.hooks(&text, &shown, &format!("a hook of the skill {name}"));
            if let Some(agent) = front.agent.filter(|_| with_agent) {
                self.start(&agent, view);
            }
        }
    }

    /// What the client runs for an agent: its hooks, and the lines of the skills that it starts with.
    fn start(&mut self, name: &str, view: &(impl Files + Project + Skills + ?Sized)) {
        let Found { files, is_cut } = view.agent_files(name);
        if is_cut {
            self.unjudged = Some(format!(
                "the file of the agent {name} was not found among so many, so its hooks were not judged"
            ));
        }
        for path in files {
            let Some(text) = self.text(&path, "agent", view) else { continue };
            let shown = shown(&path, view);
            let front = self.hooks(&text, &shown, &format!("a hook of the agent {name}"));
            if front.skills.len() > MOST_SKILLS {
                self.unjudged = Some(format!("{shown} names too many skills to be judged"));
            }
            for skill in front.skills.iter().take(MOST_SKILLS) {
                self.run(skill, "", false, view);
            }
        }
    }

    fn text(
        &mut self,
        path: &Path,
        what: &str,
        view: &(impl Files + Project + Skills + ?Sized),
    ) -> Option<String> {
        match view.read(path) {
            Ok(text) => Some(text),
            Err(Unread::Missing) => None,
            Err(Unread::Unreadable(why)) => {
                let shown = shown(path, view);
                self.unjudged = Some(format!("the file of the {what} cannot be judged: {shown}: {why}"));
                None
            }
        }
    }

    /// The commands of a front matter's hooks.
    fn hooks(&mut self, text: &str, shown: &str, what: &str) -> FrontRuns {
        let front = FrontRuns::read(text);
        if let Some(why) = &front.unread {
            self.unjudged = Some(format!("the hooks of {shown} cannot be judged: {why}"));
        }
        self.lines.extend(front.hooks.iter().map(|FrontHook { line, command, .. }| SkillLine {
            command: command.clone(),
            place: format!("line {line} of {shown}, {what}"),
        }));
        front
    }

    /// What a call adds to the text of a skill, a command or an agent.
    fn write(&mut self, call: &ToolCall<'_>, cwd: &str, view: &(impl Files + Project + Skills + ?Sized)) {
        let dialect = view.dialect();
        for (path, edit) in call.edits() {
            let is_skill = (dialect.is_skill_file)(path);
            if !is_skill && !dialect.is_agent_file(path) {
                continue;
            }
            let path = view.resolve(cwd, path);
            let before = view.read(&path).unwrap_or_default();
            let Some(after) = edit.result(&before) else { continue };
            let shown = shown(&path, view);
            if is_skill {
                let old = shell_lines(&before);
                let old: HashSet<&str> = old.iter().map(|old| old.command.as_str()).collect();
                let lines = shell_lines(&after).into_iter();
                let new = lines.filter(|line| !old.contains(line.command.as_str()));
                self.lines.extend(new.map(|ShellLine { line, command }| SkillLine {
                    command,
                    place: format!("line {line} of {shown}, run when the skill is called"),
                }));
            }
            let (old, new) = (FrontRuns::read(&before), FrontRuns::read(&after));
            if let Some(why) = new.unread.filter(|_| old.unread.is_none()) {
                self.unjudged = Some(format!("the hooks of {shown} cannot be judged: {why}"));
            }
            let is_old = |hook: &FrontHook| old.hooks.iter().any(|old| old.command == hook.command);
            let what =
                if is_skill { "a hook that the skill sets up" } else { "a hook that the agent sets up" };
            self.lines.extend(new.hooks.into_iter().filter(|hook| !is_old(hook)).map(|hook| SkillLine {
                place: format!("line {} of {shown}, {what}", hook.line),
                command: hook.command,
            }));
        }
    }
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
