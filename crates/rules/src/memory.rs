//! Keeps notes out of the client's built-in memory, where nobody reviews them and no other agent finds them: notes, directives and
//! learnings are the place for that.
//!
//! Only with `directives.memory = "deny"`. Reading is free, and so is deleting: who moves old notes to their place does both. The work on a
//! command is shared with the other rules, so nothing is guessed from its letters first, and a link into the folder is seen.

use crate::{Judge, Mode, Rule, looks_at};
use engine_core::config::{Choice, Config};
use engine_core::event::{Event, EventName, Kind};
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Project, Shell, Skills, client_projects};
use engine_shell::Effect;
use engine_text::glob;
use engine_text::line::one_line;

looks_at!(Files + Project + Shell + Skills);

pub(crate) const RULE: Rule = Rule {
    id: "memory",
    about: "With directives.memory = \"deny\": denies writing into the client's built-in memory.",
    events: &[EventName::PreTool],
    default: Mode::On,
    fixed: false,
    wanted: is_denied,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const MEMORY: Choice = Choice {
    name: "directives.memory",
    default: "allow",
    of: &["allow", "deny"],
    about: "Whether agents may write into the client's built-in memory (projects/*/memory/); deny sends them to notes, directives and learnings.",
};

/// Below the client's folder: of each project, its transcripts and its memory.
const PROJECTS: &str = "projects";
const FOLDER: &str = "memory";

/// Whether nothing is to be written there.
pub fn is_denied(config: &Config) -> bool {
    config.choice(&MEMORY) == "deny"
}

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreTool(call) = &event.kind else { return Ok(Finding::default()) };
    if !is_denied(view.config()) {
        return Ok(Finding::default());
    }
    let by_itself = call.writes().find_map(|path| file(path, event, view));
    let written = by_itself.or_else(|| call.commands().find_map(|command| shell(command, event, view)));
    Ok(written.map_or_else(Finding::default, |written| refused(&written)))
}

fn refused(written: &str) -> Finding {
    Finding::deny(format!(
        "{written} the client's built-in memory, which this project does not use. A fact, decision or preference: engine remember TEXT. \
         What holds in a folder goes into its directives: engine directives new AGENTS DIR. What was learnt: engine learn add. Reading the \
         memory stays free."
    ))
    .because("directives.memory is deny and the path lies in projects/*/memory/")
}

fn file(path: &str, event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<String> {
    let path = view.resolve(&event.cwd, path);
    let path = path.to_string_lossy();
    is_memory(&path, &projects(event, view), &|part, name| part == name).then(|| format!("{path} is in"))
}

/// The first write into it.
fn shell(command: &str, event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<String> {
    let analysis = view.analysis(command, &event.cwd);
    let projects = projects(event, view);
    let written = analysis.effects.iter().find(|effect| is_write(effect, &projects, view))?;
    let shown = one_line(&analysis.runs[written.run()].shown(), 200);
    Some(format!("`{shown}` would write {}, which is in", written.path()))
}

fn is_write(effect: &Effect, projects: &str, view: &(impl View + ?Sized)) -> bool {
    let Effect::Write { path, pattern, .. } = effect else { return false };
    if let Some(tail) = effect.tail() {
        // Only the shell knows where that begins: its end tells.
        let parts: Vec<&str> = tail.split('/').collect();
        return parts.windows(3).any(|part| part[0] == PROJECTS && part[2] == FOLDER);
    }
    let real = view.resolve("/", path);
    let real = real.to_string_lossy();
    if !pattern {
        return is_memory(&real, projects, &|part, name| part == name);
    }
    // Over any folders, as `find` goes.
    (real.contains("/**/") && glob::expands_to(&real, &format!("{projects}/-/{FOLDER}/MEMORY.md")))
        || is_memory(&real, projects, &glob::expands_to)
}

/// Whether a path is `projects/ANY/memory` or below that.
fn is_memory(path: &str, projects: &str, fits: &dyn Fn(&str, &str) -> bool) -> bool {
    let mut parts = path.split('/');
    projects.split('/').all(|name| parts.next().is_some_and(|part| fits(part, name)))
        && parts.next().is_some()
        && parts.next().is_some_and(|part| fits(part, FOLDER))
}

/// Where the client keeps what belongs to projects, without links.
fn projects(event: &Event<'_>, view: &(impl View + ?Sized)) -> String {
    client_projects(&event.cwd, view).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_memory_of_a_project() {
        let projects = "/home/dev/.claude/projects";
        for (path, expected) in [
            ("/home/dev/.claude/projects/-p/memory/MEMORY.md", true),
            ("/home/dev/.claude/projects/-p/memory/team/x.md", true),
            ("/home/dev/.claude/projects/-p/memory", true),
            ("/home/dev/.claude/projects/-p/x.jsonl", false),
            ("/home/dev/.claude/projects/-p/memory-x/y", false),
            ("/home/dev/.claude/projects/memory", false),
            ("/home/dev/.claude/settings.json", false),
            ("/home/dev/projects/p/memory/x.md", false),
        ] {
            assert_eq!(is_memory(path, projects, &|part, name| part == name), expected, "{path}");
        }
        assert!(is_memory("/home/dev/.cla*/projects/*/mem*/x", projects, &glob::expands_to));
    }
}
