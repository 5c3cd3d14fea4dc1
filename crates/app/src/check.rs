//! A check that somebody ran, written into the journal, where it counts as evidence.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Instant;

use engine_core::client::Process;
use engine_core::evidence::ledger::Line;
use engine_core::evidence::output::{Said, said};
use engine_core::journal::Entry;
use engine_core::plan::Observation;
use engine_store::approve::Caller;
use engine_store::atomic::{self, Durability};
use engine_store::content::ChangedKind;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{clock, content, journal_file, plan_file, process};
use engine_text::line::{printable, shell_line};

use crate::evidence::{EvidenceQuery, NOT_KNOWN};
use crate::here;
use crate::hook::writes_journal;

/// What a shell says of a program that it cannot start.
const NOT_STARTED: u8 = 127;
/// How much of an output is kept, from its end.
const KEPT: usize = 16 << 20;
/// How much of an output is printed at most, whatever the number of lines.
const SHOWN: usize = 256 * 1024;

/// A command that is to be checked.
#[derive(Debug)]
pub struct Check<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// Where it runs, if not here.
    pub folder: Option<&'a Path>,
    /// How many lines of its output are to be shown at its end. Otherwise the output is the caller's own, and nobody reads it.
    pub tail: Option<usize>,
}

/// How a check ended.
#[derive(Debug, Default)]
pub struct Checked {
    /// As a shell tells it: 128 and the number of the signal, 127 if it could not be started.
    pub exit: u8,
    /// What its output says. Only an output that is read says something.
    pub said: Option<Said>,
    /// The last lines of its output.
    pub tail: Tail,
    /// What went wrong beside the command.
    pub trouble: Vec<String>,
}

/// The end of an output.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tail {
    pub text: Vec<u8>,
    /// How many lines are not in it, and the file with all of them, if there is a project to keep it.
    pub cut: Option<(usize, Option<PathBuf>)>,
}

/// Runs a command and writes how it ended into the journal.
pub fn run(check: &Check<'_>) -> Checked {
    let started = Instant::now();
    let mut checked = Checked::default();
    let project = project();
    let before = project.as_ref().and_then(|(session, project)| kept(project, session));
    match execute(check) {
        Ok((status, output)) => {
            checked.exit = code(status);
            if let (Some(lines), Some(output)) = (check.tail, output) {
                checked.said = said(&String::from_utf8_lossy(output.end()));
                checked.tail = output.tail(lines);
                if let (Some((_, file)), Some((_, project))) = (&mut checked.tail.cut, &project) {
                    match keep(project, output.end()) {
                        Ok(path) => *file = Some(path),
                        Err(error) => checked.trouble.push(format!("the output was not kept: {error}")),
                    }
                }
            }
        }
        Err(error) => {
            let program = check.words.first().map(|word| word.display().to_string()).unwrap_or_default();
            checked.trouble.push(format!("{program} could not be started: {error}"));
            checked.exit = NOT_STARTED;
        }
    }
    if let Some((session, project)) = project
        && let Err(error) = record(&project, &session, check, &checked, before.as_deref(), started)
    {
        checked.trouble.push(format!("the check was not written into the journal: {error}"));
    }
    checked
}

/// The project whose journal keeps the check, and the agent session. Outside of a project there is nobody who would ask. An agent's
/// check belongs to the project of its session, wherever its shell has wandered.
fn project() -> Option<(String, Project)> {
    let (session, home) = match here::caller() {
        Caller::Agent { session } => (session, std::env::var_os("ENGINE_PROJECT").map(PathBuf::from)),
        Caller::Person | Caller::Program => (String::new(), None),
    };
    Some((session, Project::open(home.as_deref(), &std::env::current_dir().ok()?)?))
}

fn execute(check: &Check<'_>) -> io::Result<(ExitStatus, Option<Output>)> {
    let (program, args) = check.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(args);
    if let Some(folder) = check.folder {
        command.current_dir(folder).env("PWD", folder);
    }
    if check.tail.is_none() {
        return Ok((command.status()?, None));
    }
    // One pipe for both, so that lines stay in the order in which they came.
    let (mut reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // It holds the writing end, too, and nothing would end.
    drop(command);
    let mut output = Output::default();
    let mut buffer = [0; 16 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => output.add(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok((child.wait()?, Some(output)))
}

/// As a shell tells it: 128 and the number of the signal.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// What a command printed, or the end of it.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    /// Lines that were let go.
    gone: usize,
}

impl Output {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Rarely, so that each byte is moved once.
        if self.bytes.len() > 2 * KEPT {
            let gone = self.bytes.drain(..self.bytes.len() - KEPT);
            self.gone += gone.filter(|byte| *byte == b'\n').count();
        }
    }

    fn end(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(KEPT)..]
    }

    fn tail(&self, lines: usize) -> Tail {
        let least = self.bytes.len().saturating_sub(SHOWN);
        // A newline at the end ends the last line and begins none.
        let body = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let mut starts = VecDeque::from([0]);
        let mut count = 1;
        for (at, _) in body.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            starts.push_back(at + 1);
            count += 1;
            if starts.len() > lines {
                starts.pop_front();
            }
        }
        let from = starts.front().copied().unwrap_or_default();
        let hidden = self.gone + count - starts.len();
        let is_cut = hidden > 0 || from < least || self.gone > 0;
        Tail { text: self.bytes[from.max(least)..].to_vec(), cut: is_cut.then_some((hidden, None)) }
    }
}

fn keep(project: &Project, output: &[u8]) -> io::Result<PathBuf> {
    let folder = project.full_text_folder();
    Project::make_local(&folder)?;
    let path = folder.join(format!("check-{}.txt", clock::decision_id(clock::now()).as_str()));
    atomic::replace(&path, output, Durability::Process)?;
    Ok(path)
}

fn record(
    project: &Project,
    session: &str,
    check: &Check<'_>,
    checked: &Checked,
    before: Option<&str>,
    started: Instant,
) -> io::Result<()> {
    if !writes_journal(project) {
        return Ok(());
    }
    let words: Vec<String> = check.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let (now, here) = (clock::now(), std::env::current_dir()?);
    let folder = check.folder.map_or_else(|| here.clone(), |folder| here.join(folder));
    let cwd = std::path::absolute(folder)?.to_string_lossy().into_owned();
    let id = clock::decision_id(now);
    let mut entry = Entry::check(&id, now, session, &shell_line(&words), &cwd, i32::from(checked.exit));
    entry.said.clone_from(&checked.said);
    entry.doubt = (!session.is_empty()).then(called_by_another).flatten();
    if checked.exit == 0 {
        entry.content = kept(project, session);
        let changed =
            before.zip(entry.content.as_deref()).and_then(|(before, after)| changed(project, before, after));
        entry.doubt = entry.doubt.or(changed);
    }
    entry.us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    journal_file::append(&project.journal_folder(), now, &entry)?;
    // The line that calls it is in the journal, and says whether it is what its words say.
    let since = now.minus_days(1).rfc3339();
    let query = EvidenceQuery::new(project, &since, Some(vec![session]));
    let lines: Vec<Line> = query.ledger()?.into_iter().filter(|line| line.at() == entry.at).collect();
    if !session.is_empty() && is_open(project, session) {
        SessionFile::new(&project.sessions_folder(), session).update(|state| state.saw(&lines, now))?;
    }
    let observations: Vec<Observation> = lines.into_iter().filter_map(Observation::of).collect();
    plan_file::saw(project, session, &observations)
}

/// Whether something between the agent's shell and this command called it: a script says nothing of the `PATH` that it sets. Copies that
/// a shell makes of itself have its words.
fn called_by_another() -> Option<String> {
    let mut between: Vec<Process> = process::above(std::process::id());
    let client = between.iter().position(engine_claude::agents::is_agent)?;
    between.truncate(client);
    let shell = between.pop()?;
    let other = between.into_iter().find(|process| process.arguments != shell.arguments)?;
    Some(format!("`{}` called it, and no line of the agent", other.name))
}

/// The content of the project, if somebody will ask for it.
fn kept(project: &Project, session: &str) -> Option<String> {
    is_open(project, session).then(|| content::take(project, content::PATIENCE).ok()).flatten()
}

/// Why a check is in doubt whose content was one when it began and another when it ended; files that it made do not matter.
fn changed(project: &Project, before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let Some(changed) = content::changed(project, before, after) else {
        return Some(format!("the content changed while it ran; {NOT_KNOWN}"));
    };
    let changed = changed.into_iter().find(|one| one.kind != ChangedKind::Added)?;
    Some(format!("{} was changed while it ran", printable(&changed.path)))
}

/// Whether somebody will ask what passed. A person's check may be for any plan.
fn is_open(project: &Project, session: &str) -> bool {
    if session.is_empty() {
        return plan_file::any_open(project);
    }
    let file = SessionFile::new(&project.sessions_folder(), session);
    file.has_plan() || file.is_bound() || std::env::var_os(engine_rules::STEP).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_and_how_many_are_missing() {
        for (output, lines, text, hidden) in [
            ("", 2, "", None),
            ("a\nb\n", 2, "a\nb\n", None),
            ("a\nb", 2, "a\nb", None),
            ("a\nb\nc\n", 2, "b\nc\n", Some(1)),
            ("a\nb\nc", 1, "c", Some(2)),
            ("\n\n\n", 1, "\n", Some(2)),
            ("a\n", 1, "a\n", None),
        ] {
            let mut read = Output::default();
            read.add(output.as_bytes());
            let expected = Tail { text: text.into(), cut: hidden.map(|hidden| (hidden, None)) };
            assert_eq!(read.tail(lines), expected, "{output:?} {lines}");
        }
    }

    #[test]
    fn a_long_output_keeps_its_end() {
        let mut output = Output::default();
        let line = format!("{}\n", "x".repeat(99));
        let block = line.repeat(10_000);
        for _ in 0..40 {
            output.add(block.as_bytes());
        }
        assert_eq!(output.end().len(), KEPT);
        let tail = output.tail(3);
        assert_eq!((tail.text.len(), tail.cut), (300, Some((400_000 - 3, None))));
        let mut one = Output::default();
        one.add(&vec![b'x'; SHOWN + 5]);
        let tail = one.tail(3);
        assert_eq!((tail.text.len(), tail.cut), (SHOWN, Some((0, None))));
    }
}
