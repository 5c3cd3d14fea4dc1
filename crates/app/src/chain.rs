//! Chains of skills: what a prompt reads as, and what a session has left of one.

use std::path::PathBuf;

use engine_core::approval::{Deed, Kind};
use engine_core::chain::{Entry, Exits, Failure, Reading, State, Stored, marker, split};
use engine_store::approve::Caller;
use engine_store::project::Project;
use engine_store::session_file::SessionFile;
use engine_store::{chain_end, config_file, task_file};

use crate::agent_session;
use crate::approval;
use crate::error::CommandError;
use crate::registry::Skills;

pub mod labels;
mod returned;
pub mod validate;

/// A prompt as it was read, with the exits that follow it.
pub struct Parsed {
    pub entries: Vec<Entry>,
    /// How many of them are exits.
    pub exits: usize,
    /// Exits that the prompt forbids, each with the words that do so.
    pub left_out: Vec<(Entry, String)>,
    /// Exits that are offered when the chain is done.
    pub offered: Vec<Entry>,
    pub unknown: Vec<String>,
}

pub fn with_exits(reading: &Reading, skills: &Skills) -> Option<Parsed> {
    let typed = reading.chain.as_ref()?;
    let Exits { follow, left_out, offered } = skills.exits_of(typed);
    let exits = follow.len();
    let entries = typed.entries.iter().cloned().chain(follow).collect();
    Some(Parsed { entries, exits, left_out, offered, unknown: typed.unknown.clone() })
}

/// Line and column of a byte of a prompt, both from 1.
pub fn place(prompt: &str, at: usize) -> (usize, usize) {
    let before = &prompt[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// Arguments without the first entry of their continuation.
#[derive(Debug, PartialEq, Eq)]
pub struct Peeled {
    pub args: String,
    pub next: Option<Entry>,
    /// The suffix that remains.
    pub rest: Option<String>,
}

/// Takes the first entry off the suffix of arguments.
pub fn peel(text: &str) -> Peeled {
    let Some((args, entries)) = split(text) else {
        return Peeled { args: text.to_owned(), next: None, rest: None };
    };
    let mut entries = entries.into_iter();
    let next = entries.next();
    let rest: Vec<Entry> = entries.collect();
    Peeled { args, next, rest: (!rest.is_empty()).then(|| marker(&rest)) }
}

/// The chain of an agent session.
pub struct Running {
    pub session: String,
    pub chain: Option<Stored>,
    file: SessionFile,
}

impl Running {
    /// Of the session that is meant.
    pub fn find(project: &Project, session: Option<&str>) -> Result<Self, CommandError> {
        let session = agent_session::find(project, session, |state| state.chain().is_some())?;
        let file = SessionFile::new(&project.sessions_folder(), &session);
        let chain = file.peek().chain().cloned();
        Ok(Self { session, chain, file })
    }

    /// An agent changes the chain of its own session only.
    pub fn of(self, caller: &Caller) -> Result<Self, CommandError> {
        if let Caller::Agent { session } = caller
            && *session != self.session
        {
            return Err(CommandError::refused(format!("the chain belongs to session {}", self.session))
                .hint("the user changes it in a terminal: engine chain --help"));
        }
        Ok(self)
    }

    /// Ends it. What was left comes back. The person is told if an agent did it, which needs their word where something of the chain
    /// must be shown to be done.
    pub fn end(&self, project: &Project, caller: &Caller) -> Result<Vec<Entry>, CommandError> {
        let Some(chain) = &self.chain else { return Err(CommandError::nothing("no chain to drop")) };
        if chain.is_gated() {
            self.ask(project, caller, &format!("drop the chain {}", chain.line()), chain)?;
        }
        let is_agent = matches!(caller, Caller::Agent { .. });
        self.file.update(|state| {
            state.drop_chain();
            if is_agent {
                state.untold.push(format!("engine: the agent dropped the chain: {}", chain.line()));
            }
        })?;
        Ok(chain.rest())
    }

    /// The current entry failed, and why. What was left is kept; the task that carries the chain is blocked.
    pub fn fail(&self, project: &Project, why: &str, caller: &Caller) -> Result<Stored, CommandError> {
        if why.trim().is_empty() {
            return Err(CommandError::usage("say why it failed: engine chain fail WHY"));
        }
        let chain = self.chain()?;
        if let Some(failure) = &chain.failure {
            let skill = &failure.failed.entry.skill;
            return Err(
                CommandError::refused(format!("/{skill} has failed already: {}", failure.why)).hint(HOW)
            );
        }
        if chain.current.is_none() {
            return Err(CommandError::refused(
                "no entry of the chain was called yet, so none can have failed",
            )
            .hint("engine chain drop ends the chain"));
        }
        let failed = self.change(|chain| chain.fail(why))?;
        if let Some(failure) = &failed.failure {
            if matches!(caller, Caller::Agent { .. }) {
                let skill = &failure.failed.entry.skill;
                let line = format!(
                    "engine: the agent stopped the chain at /{skill}: {}; engine chain retry, skip or drop",
                    failure.why
                );
                self.file.update(|state| state.untold.push(line))?;
            }
            task_file::block_own(project, &task_path(project), &self.session, &failure.reason())?;
        }
        Ok(failed)
    }

    /// The entry that failed is called again.
    pub fn retry(&self, project: &Project) -> Result<Stored, CommandError> {
        if self.chain()?.failure.is_none() {
            return Err(CommandError::nothing("no entry of the chain has failed"));
        }
        self.go_on(project)
    }

    /// Goes on with what waits: a question was answered, an entry failed, or exits are offered, which are the person's to call.
    pub fn resume(&self, project: &Project, caller: &Caller) -> Result<Stored, CommandError> {
        let chain = self.chain()?;
        if chain.state() == State::Offers {
            self.ask(project, caller, &format!("call the exits of the chain {}", chain.line()), chain)?;
        }
        self.go_on(project)
    }

    /// A person's word for what an agent may not do with the chain by itself.
    fn ask(
        &self,
        project: &Project,
        caller: &Caller,
        what: &str,
        chain: &Stored,
    ) -> Result<(), CommandError> {
        let deed = Deed::new(what, &[&self.session, &chain.line()]).of(Kind::Close);
        approval::require(project, caller, &deed, None).map(drop)
    }

    fn go_on(&self, project: &Project) -> Result<Stored, CommandError> {
        let failure = self.chain()?.failure.clone();
        let (turn, _) = self.file.update(|state| state.turn)?;
        let resumed = self.change(|chain| {
            chain.resume(turn);
            true
        })?;
        self.unblock(project, failure.as_ref())?;
        Ok(resumed)
    }

    /// The task that a failure blocked is at work again.
    fn unblock(&self, project: &Project, failure: Option<&Failure>) -> Result<(), CommandError> {
        let Some(failure) = failure else { return Ok(()) };
        Ok(task_file::unblock(project, &task_path(project), &self.session, &failure.reason())?)
    }

    /// Goes on without the entry that failed, else without the next one. An agent needs a person's word for it.
    pub fn skip(&self, project: &Project, caller: &Caller) -> Result<(Entry, Stored), CommandError> {
        let chain = self.chain()?;
        let skipped = match (&chain.failure, chain.next()) {
            (Some(failure), _) => failure.failed.entry.clone(),
            (None, Some(next)) => next.entry.clone(),
            (None, None) => return Err(CommandError::nothing("no entry of the chain is left")),
        };
        self.ask(project, caller, &format!("skip /{} of the chain {}", skipped.skill, chain.line()), chain)?;
        let after = self.change(|chain| chain.skip().is_some())?;
        self.unblock(project, chain.failure.as_ref())?;
        Ok((skipped, after))
    }

    /// Takes over the chain of a session whose client is gone, and the task that it carries out.
    pub fn take(
        project: &Project,
        from: &str,
        own: Option<&str>,
        caller: &Caller,
    ) -> Result<(String, Stored), CommandError> {
        let matching: Vec<String> =
            chain_end::sessions(project).into_iter().filter(|id| id.starts_with(from)).collect();
        let id = match matching.as_slice() {
            [only] => only.clone(),
            [] => return Err(CommandError::refused(format!("no session with a chain begins with {from}"))),
            several => {
                let error = CommandError::refused(format!("several sessions with a chain begin with {from}"));
                return Err(several.iter().fold(error, |error, id| error.hint(id.clone())));
            }
        };
        let own = Self::find(project, own)?.of(caller)?;
        if own.session == id {
            return Err(CommandError::nothing("the chain is this session's already"));
        }
        let other = SessionFile::new(&project.sessions_folder(), &id);
        if other.is_alive() {
            return Err(CommandError::refused(format!("session {id} is alive and has its chain itself"))
                .hint("end its client first, or drop the chain there: engine chain drop"));
        }
        if let Some(chain) = own.chain.filter(|chain| !chain.is_over()) {
            return Err(CommandError::refused(format!("this session has a chain: {}", chain.line()))
                .hint("engine chain drop ends it"));
        }
        // Taken from the one before it is given to the other: two who take it at once do not both get it.
        let (taken, _) = other.update(|state| state.chain.take())?;
        let Some(mut chain) = taken else {
            return Err(CommandError::refused("another session was quicker"));
        };
        let (chain, _) = own.file.update(|state| {
            chain.arm(state.turn);
            chain.began.iter_mut().for_each(|began| began.sessions.push(id.clone()));
            state.chain_dropped = false;
            state.chain.insert(chain).clone()
        })?;
        if let Some(task) = chain.carried_task() {
            task_file::hand_over(project, &task_path(project), task, &id, &own.session)?;
        }
        Ok((id, chain))
    }

    fn chain(&self) -> Result<&Stored, CommandError> {
        self.chain.as_ref().ok_or_else(|| CommandError::nothing("no chain"))
    }

    /// Changes it under the lock, if it is still there.
    fn change(&self, change: impl FnOnce(&mut Stored) -> bool) -> Result<Stored, CommandError> {
        let (changed, _) = self.file.update(|state| {
            let chain = state.chain.as_mut().filter(|_| state.ended.is_none())?;
            let chain = change(chain).then(|| chain.clone())?;
            if chain.is_over() && chain.left.is_empty() && chain.current.is_none() {
                state.chain = None;
            }
            Some(chain)
        })?;
        changed
            .ok_or_else(|| CommandError::refused("the chain has changed meanwhile").hint("engine chain show"))
    }
}

fn task_path(project: &Project) -> PathBuf {
    task_file::path(project, &config_file::load_fresh(project))
}

/// How a chain goes on whose entry failed.
const HOW: &str = "engine chain retry calls it again, engine chain skip goes on without it, engine chain drop ends the chain";

/// The chain of a session, in a line for a person; nothing without one.
pub fn line_of(project: &Project, session: &str) -> Option<String> {
    let state = SessionFile::new(&project.sessions_folder(), session).peek();
    state.chain().filter(|chain| !chain.unbegun).map(Stored::standing)
}

/// The chains of the project in lines for a person: those that are under way, and those whose client is gone.
pub fn lines(project: &Project) -> Vec<String> {
    let orphans = chain_end::orphaned(project);
    let live =
        chain_end::sessions(project).into_iter().filter(|id| !orphans.iter().any(|(orphan, _)| orphan == id));
    let live: Vec<(String, String)> = live.filter_map(|id| Some((line_of(project, &id)?, id))).collect();
    // One chain is that of the session at hand.
    let is_one = live.len() == 1;
    let shown = |(line, id): (String, String)| {
        if is_one { line } else { format!("{line}; session {}", short(&id)) }
    };
    let mut lines: Vec<String> = live.into_iter().map(shown).collect();
    lines.extend(orphans.iter().map(|(id, chain)| {
        format!("{}; its client is gone: engine chain take {}", chain.standing(), short(id))
    }));
    lines
}

/// As much of a session's id as names it.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

#[cfg(test)]
mod tests;
