//! Commits what tools change below configured paths, each change by itself, so that nothing of it is ever lost. Only those paths, only
//! here, never in the middle of a merge.

use crate::{Judge, Mode, Rule, looks_at};
use engine_core::change::Change;
use engine_core::config::Names;
use engine_core::event::{Event, EventName, Kind, Tool, ToolCall};
use engine_core::policy::is_below;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Project, below_root};
use engine_text::glob;
use engine_text::line::one_line;
use engine_text::path::join;
use engine_text::redact::redact;

looks_at!(Files + Project);

pub(crate) const RULE: Rule = Rule {
    id: "autocommit",
    about: "Commits what tools change below autocommit.paths, and nothing else.",
    events: &[EventName::PostTool],
    default: Mode::On,
    fixed: false,
    wanted: |config| !config.names(&PATHS).is_empty(),
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const PATHS: Names = Names {
    name: "autocommit.paths",
    about: "Files and folders whose changes by tools are committed at once: patterns from the project's root, * and **.",
    of: "patterns below the project",
    fits: is_below,
};

/// The longest subject of a commit.
const SUBJECT: usize = 72;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PostTool { call, .. } = &event.kind else { return Ok(Finding::default()) };
    let wanted = view.config().names(&PATHS);
    if wanted.is_empty() {
        return Ok(Finding::default());
    }
    let Some((paths, what)) = changed(call, event, &wanted, view) else { return Ok(Finding::default()) };
    let message = one_line(&format!("{}: {what}", call.name), SUBJECT);
    let because = format!("{message} may have changed what autocommit.paths names");
    Ok(Finding { changes: vec![Change::AutoCommit { paths, message }], ..Finding::default() }
        .because(because))
}

/// The pathspecs of what the call may have changed, and words for the commit. A file tool says which file; what a command changes is
/// seen afterwards only.
fn changed(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    wanted: &[&str],
    view: &(impl View + ?Sized),
) -> Option<(Vec<String>, String)> {
    if let Some(path) = call.writes().next() {
        let below = below_root(&join(&event.cwd, path), view)?;
        let below = below.to_str()?;
        let is_it = |pattern: &&str| {
            let pattern = pattern.trim_end_matches('/');
            glob::matches(pattern, below) || glob::matches(&format!("{pattern}/**"), below)
        };
        let is_wanted = wanted.iter().any(is_it);
        return is_wanted.then(|| (vec![format!(":(literal){below}")], below.to_owned()));
    }
    let both = |pattern: &&str| {
        let pattern = pattern.trim_end_matches('/');
        [format!(":(glob){pattern}"), format!(":(glob){pattern}/**")]
    };
    let everything = || wanted.iter().flat_map(both).collect();
    match &call.tool {
        Tool::Shell { command, .. } => Some((everything(), redact(command).into_owned())),
        Tool::Connected { .. } => Some((everything(), wanted.join(", "))),
        _ => None,
    }
}
