//! Verdicts of agents that judge a plan or its work, and the content that they judged.

use std::io;
use std::time::Duration;

use engine_core::plan::{Review, Reviewer};
use engine_text::stamp::Stamp;

use crate::content;
use crate::plan_file::PlanFile;
use crate::project::Project;
use crate::session_file::SessionFile;

/// How long the content may take, within a hook.
const PATIENCE: Duration = Duration::from_secs(3);

/// The content of the project; where it takes too long to find, how many edits were seen in the session that owns the plan.
pub fn content(project: &Project, session: &SessionFile) -> String {
    content::take(project, PATIENCE).unwrap_or_else(|_| {
        let edits = session.peek().plan.map_or(0, |plan| plan.edits);
        format!("edits:{edits}")
    })
}

/// An agent that judges is about to call its first tool.
pub(crate) fn began(project: &Project, session: &SessionFile, agent: &str, by: Reviewer) -> io::Result<()> {
    let content = (by == Reviewer::Qa).then(|| content(project, session));
    session.update(|state| {
        if let Some(plan) = &mut state.plan {
            plan.begin_review(agent, by, content);
        }
    })?;
    Ok(())
}

/// Keeps what it said in the plan.
pub(crate) fn keep(
    project: &Project,
    session: &SessionFile,
    name: &str,
    agent: &str,
    review: &Review,
    now: Stamp,
) -> io::Result<()> {
    let content = (review.by == Reviewer::Qa).then(|| content(project, session));
    let began = session.peek().plan.and_then(|mut plan| plan.reviewing.remove(agent)?.content);
    let review = Review { at: now.rfc3339(), content, ..review.clone() };
    PlanFile::new(project, name).update(|plan| {
        plan.keep_review(review, began.as_deref());
        Ok::<(), io::Error>(())
    })?;
    Ok(())
}
