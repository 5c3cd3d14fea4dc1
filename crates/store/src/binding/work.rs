//! The copy of a work session in the agent session that holds it.

use std::io;

use engine_core::work::{BoundWork, Holder, Lifecycle, WorkState};

use super::{agent_session, lose};
use crate::project::Project;
use crate::work_file::WorkFile;

/// How much of an agent session's earlier copy still holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The work goes on as it was.
    All,
    /// A new phase: calls are counted anew.
    Context,
    /// A new context.
    Nothing,
    /// A skill that has just begun: it is read first.
    Beginning,
}

/// Gives the agent session that holds a work session its copy. `state` is the work session as the caller wrote it.
pub fn bind(project: &Project, work: &WorkFile, state: &WorkState, kept: Kept) -> io::Result<()> {
    let (Some(holder), Some(run)) = (&state.agent_session, state.run()) else { return Ok(()) };
    agent_session(project, &holder.id).update(|agent| {
        let before = agent.work.take().filter(|before| before.name == work.name).unwrap_or_default();
        let mut bound = BoundWork::of(&work.name, run);
        bound.armed = before.armed;
        bound.standing = before.standing;
        if kept == Kept::Beginning && run.current_phase.is_some() {
            bound = bound.beginning();
        }
        if kept != Kept::Nothing {
            bound.overflow_told = before.overflow_told;
            bound.saved = before.saved;
        }
        if kept == Kept::All {
            bound.calls = before.calls;
        }
        agent.work = Some(bound);
    })?;
    // Another command may have closed the work meanwhile.
    if work.peek().is_some_and(|now| holds(&holder.id, &now)) {
        return Ok(());
    }
    unbind(project, &work.name, Some(holder))
}

/// Removes the copy from the agent session that held a work session.
pub fn unbind(project: &Project, name: &str, holder: Option<&Holder>) -> io::Result<()> {
    let Some(holder) = holder else { return Ok(()) };
    let file = agent_session(project, &holder.id);
    if file.peek().work.is_some_and(|work| work.name == name) {
        file.update(|state| {
            state.work.take_if(|work| work.name == name);
        })?;
    }
    Ok(())
}

/// The same where another agent session has taken the work: the one that lost it is told with its next event.
pub fn unbind_loser(
    project: &Project,
    work: &WorkFile,
    loser: &Holder,
    taker: Option<&str>,
) -> io::Result<()> {
    let taker = taker.map_or_else(|| "a person".to_owned(), |taker| format!("the agent session {taker}"));
    let line =
        format!("engine: {taker} has taken {}. This session has no part in it any more.", work.shown());
    lose(project, &loser.id, line)?;
    unbind(project, &work.name, Some(loser))
}

/// Hands the work of the session before a clear to the one that follows it in the same client. What another session has taken meanwhile
/// stays with it.
pub(crate) fn inherit(project: &Project, name: &str, from: &str, to: &str, now: &str) -> io::Result<()> {
    let work = WorkFile::new(project, name);
    let copy = agent_session(project, from).peek().work.filter(|copy| copy.name == name);
    let given = work.update(|state| {
        if !holds(from, state) {
            return Ok::<_, io::Error>(None);
        }
        state.give(to, now);
        Ok(Some(state.clone()))
    })?;
    let Some(state) = given else { return Ok(()) };
    // How checks stand and which checklists are armed goes on.
    if let Some(copy) = copy {
        agent_session(project, to).update(|agent| agent.work = Some(copy))?;
    }
    bind(project, &work, &state, Kept::Nothing)?;
    unbind_loser(project, &work, &Holder { id: from.to_owned(), bound_at: String::new() }, Some(to))
}

/// Notes in the holder's copy that checklists have passed: the next change asks for them again.
pub fn disarm(
    project: &Project,
    name: &str,
    holder: Option<&Holder>,
    checklists: &[String],
) -> io::Result<()> {
    let Some(holder) = holder else { return Ok(()) };
    change(project, name, &holder.id, |work| work.armed.retain(|path| !checklists.contains(path)))
}

/// Notes in an agent session's copy that what the next context needs is saved.
pub fn note_saved(project: &Project, name: &str, agent: &str) -> io::Result<()> {
    change(project, name, agent, |work| work.saved = true)
}

fn change(project: &Project, name: &str, agent: &str, change: impl FnOnce(&mut BoundWork)) -> io::Result<()> {
    agent_session(project, agent).update(|state| {
        if let Some(work) = state.work.as_mut().filter(|work| work.name == name) {
            change(work);
        }
    })?;
    Ok(())
}

/// Removes an agent session's copy of work that it does not hold any more, and makes the mark agree with the copy: a
/// process may have been killed before it wrote them.
pub fn repair(project: &Project, agent: &str) -> io::Result<()> {
    let file = agent_session(project, agent);
    let copy = file.peek().work;
    let is_stale = |copy: &BoundWork| {
        WorkFile::new(project, &copy.name).peek().is_some_and(|state| !holds(agent, &state))
    };
    if let Some(stale) = copy.as_ref().filter(|copy| is_stale(copy)) {
        file.update(|state| {
            state.work.take_if(|work| work.name == stale.name);
        })?;
    } else if copy.is_some() != file.is_bound() {
        file.update(|_| ())?;
    }
    Ok(())
}

/// Gives an agent session the copy of work that it holds, if it has none.
pub fn restore(project: &Project, work: &WorkFile, agent: &str) -> io::Result<()> {
    let Some(state) = work.peek().filter(|state| holds(agent, state)) else { return Ok(()) };
    if agent_session(project, agent).peek().work.is_some() {
        return Ok(());
    }
    bind(project, work, &state, Kept::All)
}

fn holds(agent: &str, state: &WorkState) -> bool {
    state.lifecycle == Lifecycle::Active && state.is_held_by(agent)
}

#[cfg(test)]
mod tests {
    use engine_core::work::{Activation, Calls};
    use tempfile::TempDir;

    use super::*;

    const NAME: &str = "2026_01_01_LEXER";

    fn project() -> (TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        WorkFile::new(&project, NAME).make().unwrap();
        (folder, project)
    }

    /// Writes the truth alone, as a process does that is killed before it writes the copy.
    fn given_to(project: &Project, agent: &str) -> (WorkFile, WorkState) {
        let work = WorkFile::new(project, NAME);
        let (state, _) = work
            .begin(|state| {
                let (skill, now) = ("implement", "2026-01-01T10:00:00Z");
                let (agent, params) = (Some(agent), None);
                let activation = Activation {
                    skill,
                    phases: &[],
                    directives: &[],
                    agent,
                    now,
                    params,
                    again: true,
                    small: None,
                };
                state.activate(&activation, |_| false).unwrap();
                Ok::<_, io::Error>(state.clone())
            })
            .unwrap();
        (work, state)
    }

    fn closed(work: &WorkFile) {
        let close = |state: &mut WorkState| {
            state.close(Lifecycle::Completed, "2026-01-01T11:00:00Z", None);
            Ok::<(), io::Error>(())
        };
        work.update(close).unwrap();
    }

    /// The name in the copy and whether the mark is there.
    fn copy(project: &Project, agent: &str) -> (Option<String>, bool) {
        let file = agent_session(project, agent);
        (file.peek().work.map(|work| work.name), file.is_bound())
    }

    fn bound() -> (Option<String>, bool) {
        (Some(NAME.to_owned()), true)
    }

    #[test]
    fn the_copy_and_its_mark_follow_the_holder() {
        let (_folder, project) = project();
        let (work, first) = given_to(&project, "a");
        bind(&project, &work, &first, Kept::All).unwrap();
        assert_eq!(copy(&project, "a"), bound());
        let (work, second) = given_to(&project, "b");
        unbind(&project, NAME, first.agent_session.as_ref()).unwrap();
        bind(&project, &work, &second, Kept::Nothing).unwrap();
        assert_eq!(copy(&project, "a"), (None, false));
        assert_eq!(copy(&project, "b"), bound());
        // Of other work nothing is taken away.
        unbind(&project, "2026_01_01_OTHER", second.agent_session.as_ref()).unwrap();
        assert_eq!(copy(&project, "b"), bound());
        closed(&work);
        unbind(&project, NAME, second.agent_session.as_ref()).unwrap();
        assert_eq!(copy(&project, "b"), (None, false));
    }

    #[test]
    fn a_kill_before_the_copy_is_written_is_repaired() {
        let (_folder, project) = project();
        let (work, _) = given_to(&project, "a");
        assert_eq!(copy(&project, "a"), (None, false));
        restore(&project, &work, "b").unwrap();
        assert_eq!(copy(&project, "b"), (None, false), "it holds nothing");
        restore(&project, &work, "a").unwrap();
        assert_eq!(copy(&project, "a"), bound());
    }

    #[test]
    fn a_kill_before_the_copy_is_removed_is_repaired() {
        let (_folder, project) = project();
        let (work, state) = given_to(&project, "a");
        bind(&project, &work, &state, Kept::All).unwrap();
        repair(&project, "a").unwrap();
        assert_eq!(copy(&project, "a"), bound(), "nothing is stale yet");
        let _ = given_to(&project, "b");
        repair(&project, "a").unwrap();
        assert_eq!(copy(&project, "a"), (None, false), "another took over");
        restore(&project, &work, "b").unwrap();
        closed(&work);
        repair(&project, "b").unwrap();
        assert_eq!(copy(&project, "b"), (None, false), "it was closed");
    }

    #[test]
    fn a_kill_between_the_copy_and_its_mark_is_repaired() {
        let (_folder, project) = project();
        let (work, state) = given_to(&project, "a");
        bind(&project, &work, &state, Kept::All).unwrap();
        std::fs::remove_file(project.sessions_folder().join("a.work")).unwrap();
        repair(&project, "a").unwrap();
        assert_eq!(copy(&project, "a"), bound());
    }

    #[test]
    fn what_is_closed_meanwhile_is_not_bound() {
        let (_folder, project) = project();
        let (work, state) = given_to(&project, "a");
        closed(&work);
        bind(&project, &work, &state, Kept::All).unwrap();
        assert_eq!(copy(&project, "a"), (None, false));
    }

    #[test]
    fn what_is_kept_of_the_earlier_copy() {
        let (_folder, project) = project();
        let (work, state) = given_to(&project, "a");
        for (kept, calls, context) in
            [(Kept::All, true, true), (Kept::Context, false, true), (Kept::Nothing, false, false)]
        {
            bind(&project, &work, &state, Kept::Nothing).unwrap();
            let file = agent_session(&project, "a");
            file.update(|state| {
                let work = state.work.as_mut().unwrap();
                work.calls.insert(String::new(), Calls { count: 4, ..Calls::default() });
                work.armed.insert("/p/CHECKLIST.md".to_owned());
                work.overflow_told = true;
            })
            .unwrap();
            note_saved(&project, NAME, "a").unwrap();
            bind(&project, &work, &state, kept).unwrap();
            let copy = file.peek().work.unwrap();
            assert_eq!(!copy.calls.is_empty(), calls, "{kept:?}");
            assert_eq!((copy.overflow_told, copy.saved), (context, context), "{kept:?}");
            assert!(copy.armed.contains("/p/CHECKLIST.md"), "{kept:?}");
        }
        let passed = ["/p/CHECKLIST.md".to_owned()];
        disarm(&project, NAME, state.agent_session.as_ref(), &passed).unwrap();
        assert!(agent_session(&project, "a").peek().work.unwrap().armed.is_empty());
    }
}
