//! What events tell of the agents of a delegated plan's steps, written into the plan.

use std::io;

use engine_core::plan::{AgentNews, Claim, Plan};
use engine_text::stamp::Stamp;

use crate::plan_file::PlanFile;
use crate::project::Project;
use crate::{content, git};

/// Gives a step to the agent that a call is about to start, unless the plan refuses: of two calls of one message one gets it.
pub fn claim(project: &Project, name: &str, claim: &Claim, now: Stamp) -> io::Result<bool> {
    let head = git::head(project.root());
    let content = content::take(project, content::PATIENCE).ok();
    let kept = PlanFile::new(project, name)
        .update(|plan| Ok::<_, io::Error>(plan.claim(claim, head, content, &now.rfc3339()).is_ok()))?;
    Ok(kept.answer)
}

/// Takes in what became of an agent.
pub fn heard(project: &Project, session: &str, name: &str, news: &AgentNews, now: Stamp) -> io::Result<()> {
    if matches!(news, AgentNews::Claimed(_) | AgentNews::Worked { .. }) {
        return Ok(());
    }
    let ended = match news {
        AgentNews::Ended { agent } => Some((agent, content::take(project, content::PATIENCE).ok())),
        _ => None,
    };
    let change = |plan: &mut Plan| {
        plan.heard(news, session, &now.rfc3339());
        if let Some((agent, content)) = ended {
            plan.left(agent, content.as_deref());
        }
        Ok::<_, io::Error>(())
    };
    PlanFile::new(project, name).update(change).map(drop)
}
