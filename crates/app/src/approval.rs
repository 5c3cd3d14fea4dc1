//! Lets a person do what an agent may do only with a person's word, and asks for the word.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{io, thread};

use engine_claude::DIALECT;
use engine_claude::author::{Author, author};
use engine_claude::skills::Claude;
use engine_core::approval::{Answer, By, Deed, Request, Script, Standing, standing};
use engine_core::client::Client as _;
use engine_core::journal::{Entry, FindingLine};
use engine_core::session::{SessionState, kept_words};
use engine_store::approve::{self, Caller};
use engine_store::project::Project;
use engine_store::{clock, journal_file, process};
use engine_text::stamp::Stamp;

use crate::error::CommandError;
use crate::time::local;

pub mod answer;

/// How far a transcript may be behind an event, at most, and how often it is looked at meanwhile.
const BEHIND: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(50);

/// What the journal calls it when a person's word was used.
pub(crate) const EVENT: &str = "Approval";

/// A person may take it for a terminal of their own.
const IN_CLIENT: &str = "`! command` in the client counts as the agent's";

/// What a command says of the person behind it. It approves nothing by itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Consent<'a> {
    /// What an agent makes of a person's words.
    pub reading: Option<&'a str>,
    /// A script means it.
    pub yes: bool,
}

/// Passes, or ends the command with what to do. What stands behind it comes back, for the record: the person's words, and beside them what
/// the agent makes of them (`reading`), which approves nothing.
pub fn require(
    project: &Project,
    caller: &Caller,
    deed: &Deed,
    reading: Option<&str>,
) -> Result<String, CommandError> {
    let session = match caller {
        Caller::Person => return at_terminal(project, deed, reading),
        Caller::Program => return by_script(Some(project), deed),
        Caller::Agent { session } if session.is_empty() => return Err(below_agent(deed)),
        Caller::Agent { session } => session,
    };
    let state = approve::state(project, session);
    let (request, answer) = match standing(&state.approvals, deed) {
        Standing::New => {
            let request = approve::ask(project, session, deed).map_err(|error| {
                CommandError::refused(format!("{} needs a person, who was not asked: {error}", deed.what))
                    .caused_by(error)
            })?;
            return Err(wanted(project, &state, &request));
        }
        Standing::Waiting(request) => return Err(wanted(project, &state, request)),
        Standing::Denied(request, answer) => return Err(denied(request, answer)),
        Standing::Given(request, answer) => (request, answer),
    };
    if let Some(why) = elsewhere(&state).or_else(|| doubt(request, answer)) {
        return Err(uncounted(request, answer, &why));
    }
    let record = record(request, answer, reading);
    let line = format!("engine: approval {} was used: {}; {record}", request.number, request.what);
    if !approve::spend(project, session, request, &line)? {
        return Err(CommandError::refused(format!("approval {} was used already", request.number)));
    }
    journal(project, session, deed, record.clone())?;
    Ok(record)
}

/// The same where there is no project: no session could show a request, so a person does it themselves.
pub(crate) fn require_without_project(caller: &Caller, deed: &Deed) -> Result<(), CommandError> {
    match caller {
        Caller::Person => Ok(()),
        Caller::Program => by_script(None, deed).map(drop),
        Caller::Agent { .. } => Err(below_agent(deed)),
    }
}

/// A person does it themselves. A program can make a terminal of its own, so whoever works here is shown what was done.
fn at_terminal(project: &Project, deed: &Deed, reading: Option<&str>) -> Result<String, CommandError> {
    if approve::is_below_client(project) {
        return Err(below_agent(deed));
    }
    if let Some(path) = approve::led_out(project) {
        let path = path.display();
        return Err(CommandError::refused(format!("{}: {path} leads out of the project", deed.what))
            .hint("whoever works there would not be shown it; run it in that project"));
    }
    let record = reading.map_or_else(|| "a person typed it".to_owned(), kept_words);
    let now = clock::now();
    let line = format!("engine: typed in a terminal: {} ({})", deed.what, local(now));
    approve::tell_all(project, "", &line)?;
    journal(project, "", deed, format!("in a terminal: {record}"))?;
    Ok(record)
}

/// A program without a terminal does it: a timer, a build, a set-up script. Where an agent session is open it may be one that the agent
/// has set adrift.
pub(crate) fn by_script(project: Option<&Project>, deed: &Deed) -> Result<String, CommandError> {
    let refused = |why: &str| {
        CommandError::refused(format!("{} needs a person, and {why}", deed.what))
            .hint("the person runs it in a terminal of their own")
    };
    match deed.script() {
        Script::Never => Err(refused("this command has no terminal")),
        Script::WithYes => {
            Err(refused("this command has no terminal").hint("a script may do it, too: the same with --yes"))
        }
        Script::Yes if project.is_some_and(approve::is_anybody_here) => Err(refused(
            "this command has no terminal, and an agent session is open here that may have started it",
        )),
        Script::Yes => {
            if let Some(project) = project {
                journal(project, "", deed, "a script with --yes".to_owned())?;
            }
            Ok("a script did it, with --yes".to_owned())
        }
    }
}

fn below_agent(deed: &Deed) -> CommandError {
    CommandError::refused(format!("{} needs a person, and this command runs below a coding agent", deed.what))
        .hint(IN_CLIENT)
        .hint("the person runs it in a terminal of their own")
}

/// The same for what is refused for reasons of its own. A person is bothered only if the agent asks for it, with its reason; else the
/// refusal stands.
pub fn waive(
    project: &Project,
    caller: &Caller,
    deed: &Deed,
    reading: Option<&str>,
    refused: impl FnOnce() -> CommandError,
) -> Result<String, CommandError> {
    let Some(reading) = reading else { return Err(refused()) };
    require(project, caller, deed, Some(reading)).map_err(|why| {
        let mut refused = refused();
        // It has done so.
        refused.hints.retain(|hint| !hint.contains("--user-approved"));
        why.hints.into_iter().fold(refused.hint(why.message), CommandError::hint)
    })
}

fn wanted(project: &Project, state: &SessionState, request: &Request) -> CommandError {
    let Request { number, what, .. } = request;
    let mut error = CommandError::refused(format!("{what} needs a person: approval {number}"));
    let attended = std::env::var(DIALECT.attended_variable).unwrap_or_default();
    if attended == "0" {
        return error
            .hint(format!("nobody attends this session; a person in a terminal of their own: engine approval grant {number}"))
            .hint("after that the same command counts once, until that turn ends");
    }
    error = error.hint(format!("engine asks the person, who types ok {number} or no {number}; wait for it"));
    let question = (attended == "1").then(|| question(project, state, request)).flatten();
    if let Some(question) = question {
        error = error.hint(format!("or ask them by {}, exactly: {question}", DIALECT.ask_tool));
    }
    error
        .hint("after a yes the same command counts once, until that turn ends")
        .hint(format!("or the person runs it in a terminal of their own; {IN_CLIENT}"))
}

/// How the agent may ask, where a dialog can carry a person's word.
fn question(project: &Project, state: &SessionState, request: &Request) -> Option<String> {
    if state.settings_held {
        return None;
    }
    let client = Claude::new(project);
    let is_free = client.other_answerer(state.started?, clock::now()).is_none();
    is_free.then(|| client.question(&request.dialog()))
}

fn denied(request: &Request, answer: &Answer) -> CommandError {
    let Request { number, what, .. } = request;
    let said = format!("their words: {} ({})", answer.words, local(answer.at));
    CommandError::refused(format!("the person refused approval {number}: {what}")).hint(said)
}

fn uncounted(request: &Request, answer: &Answer, why: &str) -> CommandError {
    let Request { number, what, .. } = request;
    let words = &answer.words;
    CommandError::refused(format!("{what} needs a person: {words} does not count, because {why}"))
        .hint(format!("a person in a terminal of their own: engine approval grant {number}"))
}

/// Who wrote an answer. The client writes its transcript a little after it sends the event.
fn written(transcript: &Path, request: &Request, answer: &Answer, behind: Duration) -> io::Result<Author> {
    let end = Stamp(answer.at.0.saturating_add(behind.as_millis().try_into().unwrap_or(u64::MAX)));
    let started = Instant::now();
    loop {
        let found = author(transcript, &answer.words, request.at);
        // What is typed while a tool runs is written when the tool has ended, just before this command.
        let may_come = started.elapsed() < if clock::now() < end { behind } else { behind / 4 };
        if !may_come || !matches!(found, Ok(Author::Nobody)) {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// Why an answer is not one to the client that runs this command: another one may have resumed the session.
fn elsewhere(state: &SessionState) -> Option<String> {
    let client = state.client.filter(|client| !process::is_above(*client) && process::runs(*client))?;
    Some(format!("it was given to another client of this session (process {})", client.pid))
}

/// Why an answer is not known to be a person's.
fn doubt(request: &Request, answer: &Answer) -> Option<String> {
    let By::Message { transcript, attended } = &answer.by else { return None };
    match written(Path::new(transcript), request, answer, BEHIND) {
        Ok(Author::Person) => None,
        Ok(Author::Host) if *attended => None,
        Ok(Author::Host) => Some("a program sent it and nobody attends the session".to_owned()),
        Ok(Author::Program) => Some("it did not come from a person".to_owned()),
        Ok(Author::Nobody) => Some("the transcript has no such message".to_owned()),
        Err(error) => Some(format!("the transcript cannot be read: {error}")),
    }
}

/// The person's words with their time, and beside them what the agent makes of them.
fn record(request: &Request, answer: &Answer, reading: Option<&str>) -> String {
    let place = match answer.by {
        By::Message { .. } => "",
        By::Dialog => " in a dialog",
        By::Terminal => " in a terminal",
    };
    let words = format!(
        "the person's words: {}{place} ({}, approval {})",
        answer.words,
        local(answer.at),
        request.number
    );
    match reading {
        Some(reading) => format!("{words}; the agent's reading: {}", kept_words(reading)),
        None => words,
    }
}

fn journal(project: &Project, session: &str, deed: &Deed, record: String) -> Result<(), CommandError> {
    let now = clock::now();
    let waiver = FindingLine { rule: "approval".to_owned(), because: Some(record), ..FindingLine::default() };
    let entry = Entry {
        id: clock::decision_id(now).as_str().to_owned(),
        at: now.rfc3339(),
        session: session.to_owned(),
        event: EVENT.to_owned(),
        input: Some(deed.what.clone()),
        findings: vec![waiver],
        verdict: "none".to_owned(),
        ..Entry::default()
    };
    journal_file::append(&project.journal_folder(), now, &entry)?;
    Ok(())
}

#[cfg(test)]
mod tests;
