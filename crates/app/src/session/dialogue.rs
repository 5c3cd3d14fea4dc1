//! The request that a work session begins with. The hook keeps what people type while a work session is bound; the prompt that led to
//! the activation came before that.

use std::io;

use engine_claude::author;
use engine_core::client::Words;
use engine_core::dialogue;
use engine_core::session::kept_words;
use engine_store::log_file;
use engine_store::read::read_string;
use engine_store::session_file::SessionFile;
use engine_store::work_file::WorkFile;

use super::CommandContext;
use crate::time;

/// Messages of the person that are looked through for the request.
const MOST: usize = 50;

/// What the person asked for last, in short. What another agent or a timer wrote is no request of theirs.
pub(super) fn asked(context: &CommandContext) -> Option<String> {
    let agent = context.agent()?;
    let request = SessionFile::new(&context.project.sessions_folder(), agent).peek().request?;
    let plain = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let is_it = |words: &Words| plain(&dialogue::kept(&words.text)) == plain(&request.text);
    let by_person = author::words(None, &[agent.to_owned()], MOST);
    by_person.is_none_or(|words| words.iter().any(is_it)).then(|| kept_words(&request.text))
}

/// Adds the last prompt of this agent session to the dialogue of a work session, unless it is there.
pub(super) fn add_request(context: &CommandContext, work: &WorkFile) -> io::Result<()> {
    let Some(agent) = context.agent() else { return Ok(()) };
    let Some(request) = SessionFile::new(&context.project.sessions_folder(), agent).peek().request else {
        return Ok(());
    };
    let entry = dialogue::prompted(&time::local(request.at), &request.text);
    let path = work.folder().join(dialogue::FILE);
    if read_string(&path).is_ok_and(|text| text.contains(&entry)) {
        return Ok(());
    }
    log_file::append(&path, &entry)
}
