//! The task file as the engine saw it last, so that tasks which go by a way that no rule foresees can be brought back.
//!
//! Kept is one copy for each task file, from when a session begins, and what was missing of it since:
//!
//! ```text
//! .engine/state/tasks/%work%p%session.md        the copy
//! .engine/state/tasks/%work%p%session.md.json   {"told":true,"tasks":[{"name":"Fix login","lines":["- [ ] **Fix login** — | sonnet"]}]}
//! ```
//!
//! It is read at the end of a turn and when a command changes the file, never for a tool call. Trouble with it holds nobody up.

use std::io;
use std::path::{Path, PathBuf};

use engine_core::task::{LossKind, TaskFile, losses};
use engine_text::line::one_line;
use engine_text::undecoded;
use serde::{Deserialize, Serialize};

use crate::atomic::{self, Durability};
use crate::project::Project;
use crate::read::read_bytes;
use crate::told;

/// Names that the line for the person shows.
const NAMED: usize = 5;
/// The most tasks that are kept.
const MOST: usize = 1_000;

/// A task that is not in the file any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostTask {
    pub name: String,
    /// Its own line first.
    pub lines: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Lost {
    /// The person has seen the line.
    told: bool,
    tasks: Vec<LostTask>,
}

/// Where the copy of a task file is.
struct Kept {
    copy: PathBuf,
    lost: PathBuf,
}

impl Kept {
    fn of(project: &Project, path: &Path) -> Self {
        let folder = project.state_folder().join("tasks");
        let name = path.to_string_lossy().replace('%', "%%").replace('/', "%");
        Self { copy: folder.join(&name), lost: folder.join(name + ".json") }
    }

    fn text(&self) -> Option<String> {
        read_bytes(&self.copy).ok().map(undecoded::decode)
    }

    fn lost(&self) -> Lost {
        let text = read_bytes(&self.lost).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn keep(&self, text: &str) -> io::Result<()> {
        Project::make_local(self.copy.parent().unwrap_or(&self.copy))?;
        atomic::replace(&self.copy, &undecoded::encode(text), Durability::Process)
    }

    fn keep_lost(&self, lost: &Lost) -> io::Result<()> {
        atomic::replace(&self.lost, serde_json::to_string(lost)?.as_bytes(), Durability::Process)
    }

    /// Adds what is missing in a text to what was lost.
    fn note(&self, now: &str) -> io::Result<Lost> {
        let mut lost = self.without_back(now)?;
        let Some(before) = self.text().filter(|before| before != now) else { return Ok(lost) };
        let file = TaskFile::parse(&before);
        let gone = losses(&before, now).into_iter().filter(|loss| {
            matches!(
                loss.kind,
                LossKind::Gone { .. } | LossKind::Replaced { .. } | LossKind::Unreadable { .. }
            )
        });
        let lines: Vec<usize> = gone.map(|loss| loss.line).collect();
        for task in file.tasks().filter(|task| lines.contains(&task.line)).take(MOST) {
            let lines = file.lines_of(task).into_iter().map(str::to_owned).collect();
            lost.tasks.retain(|known| known.name != task.meta.name);
            lost.tasks.push(LostTask { name: task.meta.name.clone(), lines });
        }
        if !lines.is_empty() {
            lost.told = false;
            self.keep_lost(&lost)?;
        }
        self.keep(now)?;
        Ok(lost)
    }

    /// What was lost, without what somebody has put back.
    fn without_back(&self, now: &str) -> io::Result<Lost> {
        let mut lost = self.lost();
        let known = lost.tasks.len();
        if known > 0 {
            let there = TaskFile::parse(now);
            lost.tasks.retain(|task| !there.tasks().any(|one| one.meta.name == task.name));
        }
        if lost.tasks.len() < known {
            self.keep_lost(&lost)?;
        }
        Ok(lost)
    }
}

fn read(project: &Project, path: &Path) -> io::Result<String> {
    Ok(told::read_kept_if_there(project.root(), path)?.unwrap_or_default())
}

/// A session begins: what the file says now is what there is.
pub fn begin(project: &Project, path: &Path) -> io::Result<()> {
    let now = read(project, path)?;
    let kept = Kept::of(project, path);
    if now.is_empty() || kept.text().as_ref() == Some(&now) { Ok(()) } else { kept.keep(&now) }
}

/// A command changes the file from one text to another.
pub(crate) fn edited(project: &Project, path: &Path, before: &str, after: &str) -> io::Result<()> {
    let kept = Kept::of(project, path);
    if kept.copy.is_file() {
        kept.note(before)?;
        kept.without_back(after)?;
        kept.keep(after)?;
    }
    Ok(())
}

/// `session.md has lost 2 open tasks in this turn: A, B; to get them back: engine task recover`, once.
pub fn report(project: &Project, path: &Path, name: &str) -> io::Result<Option<String>> {
    let kept = Kept::of(project, path);
    if !kept.copy.is_file() {
        return Ok(None);
    }
    let lost = kept.note(&read(project, path)?)?;
    if lost.told || lost.tasks.is_empty() {
        return Ok(None);
    }
    kept.keep_lost(&Lost { told: true, ..lost.clone() })?;
    let all: Vec<String> =
        lost.tasks.iter().map(|task| one_line(&undecoded::shown(&task.name), 60)).collect();
    let (named, others) = all.split_at(all.len().min(NAMED));
    let more = if others.is_empty() { "" } else { ", …" };
    let word = if all.len() == 1 { "task" } else { "tasks" };
    Ok(Some(format!(
        "{name} has lost {} open {word}: {}{more}; to get them back: engine task recover",
        all.len(),
        named.join(", ")
    )))
}

/// What was lost and is not back.
pub fn lost(project: &Project, path: &Path) -> io::Result<Vec<LostTask>> {
    let kept = Kept::of(project, path);
    Ok(kept.note(&read(project, path)?)?.tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_is_told_once_and_can_be_brought_back() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let path = folder.path().join("session.md");
        let text = "## Pending Tasks\n- [ ] **A** — | sonnet\n  - note\n- [x] **B** —\n- [ ] **C** —\n";
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let told = || report(&project, &path, "session.md").unwrap();
        write("");
        assert_eq!(told(), None);
        write(text);
        begin(&project, &path).unwrap();
        assert_eq!(told(), None);
        // A command that ends a task, and then the line goes.
        let done = text.replace("[ ] **C", "[x] **C");
        edited(&project, &path, text, &done).unwrap();
        write("## Pending Tasks\n- [ ] **A** — | sonnet\n  - note\n");
        assert_eq!(told(), None);
        write("");
        assert_eq!(
            told().as_deref(),
            Some("session.md has lost 1 open task: A; to get them back: engine task recover")
        );
        assert_eq!(told(), None);
        let task =
            LostTask { name: "A".into(), lines: vec!["- [ ] **A** — | sonnet".into(), "  - note".into()] };
        assert_eq!(lost(&project, &path).unwrap(), [task]);
        write(text);
        assert_eq!(lost(&project, &path).unwrap(), []);
    }
}
