//! When a client may be ended because its agent asked for a new one: after the turn, when nothing has begun since. The hook notes the end
//! of the turn; what began after it stands in the client's transcript.

use std::io;
use std::path::Path;

use engine_claude::{author, transcript};
use engine_core::restored::quoted;
use engine_store::clock;
use engine_store::project::Project;
use engine_store::restart_file::{self, Ready, Restart};

/// The client takes up what waits in its queue at once, and writes its transcript a tenth of a second late.
const QUIET: u64 = 700;
/// Of a message that came at the last moment, in bytes.
const LONGEST: usize = 2000;

/// Whether the client of a run may be ended now.
pub fn is_due(project: &Project, run: &str) -> bool {
    let ready = restart_file::peek(project, run).and_then(|restart| restart.ready);
    ready.is_some_and(|ready| {
        let has_rested = clock::now().0.saturating_sub(ready.at.0) >= QUIET;
        has_rested
            && ready
                .transcript
                .as_deref()
                .is_none_or(|path| transcript::rests_since(Path::new(path), ready.at))
    })
}

/// The prompt that the session of a run left for a new client. It is taken with that.
pub fn asked(project: &Project, run: &str) -> io::Result<Option<String>> {
    Ok(restart_file::take(project, run)?.as_ref().map(prompt))
}

/// The prompt for the new client, with what the person sent while the old one ended.
fn prompt(restart: &Restart) -> String {
    let Restart { prompt, session, ready, .. } = restart;
    let Some(Ready { at, transcript: Some(path) }) = ready else { return prompt.clone() };
    let words = author::words(Some(Path::new(path)), std::slice::from_ref(session), 3).unwrap_or_default();
    let ended = at.rfc3339();
    let late: Vec<String> = words
        .iter()
        .rev()
        .filter(|words| words.at > ended)
        .map(|words| quoted(&words.text, LONGEST))
        .collect();
    if late.is_empty() {
        return prompt.clone();
    }
    format!("{prompt} The user wrote while the client was started again: {}", late.join(" / "))
}
