//! The recorder of an agent session on disk: the functions that its shells source, and the log that they append to.
//!
//! Beside the state of a session are `*.sh` (the functions), `*.ran` (the log) and `*.read` (how much of the log was claimed). The
//! client's environment file sources the functions while a mark says that a plan or a work session is open ([`crate::mark`]), so
//! nothing is written here when one is opened or closed, and a repair of the marks repairs this too.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::evidence::known::CHECKS;
use engine_core::evidence::recorder::{Ran, names, parse, script};
use engine_text::line::shell_word;
use fs_err as fs;
use fs_err::OpenOptions;

use crate::atomic::{self, Durability, own_only};
use crate::lock;
use crate::mark::Mark;
use crate::project::Project;
use crate::read;
use crate::regular;
use crate::session_file::SessionFile;

/// How the names of the files end; the rest is that of the state file.
const FUNCTIONS: &str = "sh";
const LOG: &str = "ran";
const CLAIMED: &str = "read";
pub(crate) const EXTENSIONS: [&str; 3] = [FUNCTIONS, LOG, CLAIMED];

/// A log of which everything was claimed begins anew at this size. It is also the most that is read at once.
const LOG_LIMIT: u64 = 1 << 20;

/// Writes the functions for a session, and returns the line with which its shells source them. The line does nothing and ends with 0
/// while nothing is open.
pub fn open(project: &Project, session: &str, config: &Config) -> io::Result<String> {
    let files = Files::of(project, session);
    let text = script(&names(&config.commands(&CHECKS)), &files.path(LOG).to_string_lossy());
    let functions = files.path(FUNCTIONS);
    if read::read_bytes(&functions).ok().as_deref() != Some(text.as_bytes()) {
        Project::make_local(&project.sessions_folder())?;
        atomic::replace(&functions, text.as_bytes(), Durability::Process)?;
    }
    files.make_log()?;
    let quoted = |path: &Path| shell_word(&path.to_string_lossy());
    let is_there = |mark: Mark| format!("[ -e {} ]", quoted(&files.path(mark.extension())));
    let functions = quoted(&functions);
    let (plan, work) = (is_there(Mark::Plan), is_there(Mark::Work));
    Ok(format!("if {{ {plan} || {work}; }} && [ -s {functions} ]; then . {functions}; fi"))
}

/// Removes the functions and the log of a session that has ended.
pub fn close(project: &Project, session: &str) {
    let files = Files::of(project, session);
    for extension in EXTENSIONS {
        let _ = fs::remove_file(files.path(extension));
    }
}

/// Claims the runs that nobody has claimed yet. Shells go on appending meanwhile. A log that cannot be read has none.
pub fn take(project: &Project, session: &str) -> Vec<Ran> {
    Files::of(project, session).take().unwrap_or_default()
}

/// The same runs, which stay unclaimed: for a command that only shows what an event would come to.
pub fn peek(project: &Project, session: &str) -> Vec<Ran> {
    let files = Files::of(project, session);
    files.unclaimed(files.claimed()).map(|part| part.runs()).unwrap_or_default()
}

/// The files of one session.
struct Files {
    state: PathBuf,
}

/// A part of the log that ends with a whole line.
struct Part {
    bytes: Vec<u8>,
    end: u64,
}

impl Part {
    fn runs(&self) -> Vec<Ran> {
        parse(&String::from_utf8_lossy(&self.bytes))
    }
}

impl Files {
    fn of(project: &Project, session: &str) -> Self {
        let state = SessionFile::new(&project.sessions_folder(), session).path().to_owned();
        Self { state }
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.state.with_extension(extension)
    }

    fn take(&self) -> io::Result<Vec<Ran>> {
        // Most calls of a shell run no check.
        if self.len()? == self.claimed() {
            return Ok(Vec::new());
        }
        let _lock = lock::hold(&self.path("lock"))?;
        let part = self.unclaimed(self.claimed())?;
        if part.end > LOG_LIMIT && part.end == self.len()? {
            fs::remove_file(self.path(LOG))?;
            let _ = fs::remove_file(self.path(CLAIMED));
            self.make_log()?;
        } else {
            atomic::replace(&self.path(CLAIMED), part.end.to_string().as_bytes(), Durability::Process)?;
        }
        Ok(part.runs())
    }

    /// By us and not by a shell: it is for its owner only, and in zsh `>>` makes no file under `noclobber`.
    fn make_log(&self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        own_only(options.create(true).append(true));
        regular::open(&mut options, &self.path(LOG)).map(drop)
    }

    fn len(&self) -> io::Result<u64> {
        // The plain call: that there is no log needs no words.
        Ok(std::fs::metadata(self.path(LOG))?.len())
    }

    fn claimed(&self) -> u64 {
        let text = read::read_bytes(&self.path(CLAIMED)).unwrap_or_default();
        str::from_utf8(&text).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// The whole lines behind what was claimed, or the end of them. A log that is shorter than what was claimed is a new one.
    fn unclaimed(&self, claimed: u64) -> io::Result<Part> {
        let mut log = read::open(&self.path(LOG))?;
        let len = log.metadata()?.len();
        let claimed = if claimed > len { 0 } else { claimed };
        let from = claimed.max(len.saturating_sub(LOG_LIMIT));
        log.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        log.take(len - from).read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        bytes.truncate(whole);
        Ok(Part { end: if whole == 0 { claimed } else { from + whole as u64 }, bytes })
    }
}

#[cfg(test)]
mod tests;
