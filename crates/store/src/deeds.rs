//! What the journal has of a piece of work, for a context that has lost it: edits, checks and how many calls there were.

use engine_core::evidence::EditScope;
use engine_core::evidence::ledger;
use engine_core::restored::Deeds;
use engine_core::session::UserInput;
use engine_text::stamp::Stamp;

use crate::clock;
use crate::journal_file;
use crate::project::Project;
use crate::session_file::SessionFile;

/// Work that has gone on for longer is told from its last days: a hook has little time.
const MOST_DAYS: u64 = 7;
/// So do the engine's own commands begin that save the work and go on with it: they are no work.
const OWN: &str = "engine session ";

/// What agent sessions did since a moment.
pub(crate) fn read(project: &Project, sessions: &[String], since: Stamp, scope: &EditScope<'_>) -> Deeds {
    let since = since.max(clock::now().minus_days(MOST_DAYS));
    let (day, since) = (since.day(), since.rfc3339());
    let is_ours = |session: &str| sessions.iter().any(|ours| ours == session);
    let mut entries = Vec::new();
    for (_, path) in journal_file::days(&project.journal_folder()).into_iter().filter(|(of, _)| *of >= day) {
        let _ = journal_file::read_day(&path, |entry| {
            if is_ours(&entry.session) && entry.at >= since {
                entries.push(entry);
            }
        });
    }
    let is_call = |entry: &&engine_core::journal::Entry| {
        let is_own = entry.command.as_ref().is_some_and(|command| command.trim_start().starts_with(OWN));
        entry.event == scope.dialect.pre_tool && entry.agent.is_none() && !is_own
    };
    let calls = entries.iter().filter(is_call).map(|entry| entry.at.clone()).collect();
    Deeds { lines: ledger::read(&entries, scope), calls }
}

/// What a person typed or answered last in one of these sessions, by the client's events alone.
pub(crate) fn last_input(project: &Project, sessions: &[String]) -> Option<UserInput> {
    let state = |session: &String| SessionFile::new(&project.sessions_folder(), session).peek();
    sessions.iter().filter_map(|session| state(session).user_input).max_by_key(|input| input.at)
}
