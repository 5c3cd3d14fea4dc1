//! Commits what tools change below configured paths, each change by itself, so that nothing of it is ever lost. Only those paths, only
//! what the call itself changed, only here, never in the middle of a merge.
//!
//! What a command changed is the difference between the beginning and the end of its call, so both are told to the store. A line that
//! only looks is not asked about.

use crate::{Judge, Mode, Rule, looks_at};
use engine_core::change::Change;
use engine_core::config::Names;
use engine_core::event::{Event, EventName, Kind, ToolCall};
use engine_core::evidence::reading::only_reads;
use engine_core::policy::is_below;
use engine_core::verdict::{Broken, Finding};
use engine_core::view::{Files, Project, Shell, Skills, below_root};
use engine_text::glob;
use engine_text::line::one_line;
use engine_text::path::join;
use engine_text::redact::redact;

looks_at!(Files + Project + Shell + Skills);

pub(crate) const RULE: Rule = Rule {
    id: "autocommit",
    about: "Commits what a tool's call changes below autocommit.paths, and nothing else.",
    events: &[EventName::PreTool, EventName::PostTool, EventName::PostToolFailure],
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
    let (call, begins) = match &event.kind {
        Kind::PreTool(call) => (call, true),
        Kind::PostTool { call, .. } | Kind::PostToolFailure { call, .. } => (call, false),
        _ => return Ok(Finding::default()),
    };
    let wanted = view.config().names(&PATHS);
    if wanted.is_empty() {
        return Ok(Finding::default());
    }
    let Some(Reach { paths, file, words }) = reach(call, event, &wanted, view) else {
        return Ok(Finding::default());
    };
    let id = call.id.clone().into_owned();
    if begins {
        return Ok(Finding {
            changes: vec![Change::AutoCommitBegan { call: id, paths }],
            ..Finding::default()
        });
    }
    let message = one_line(&words, SUBJECT);
    let because = format!("{message} may have changed what autocommit.paths names");
    let changes = vec![Change::AutoCommit { call: id, paths, file, message }];
    Ok(Finding { changes, ..Finding::default() }.because(because))
}

/// What a call may change.
struct Reach {
    /// Pathspecs of git.
    paths: Vec<String>,
    /// The file that the tool itself names, from the root.
    file: Option<String>,
    /// For the commit.
    words: String,
}

/// A file tool says which file; what a command, or a tool that nobody sees into, changes is seen afterwards only.
fn reach(
    call: &ToolCall<'_>,
    event: &Event<'_>,
    wanted: &[&str],
    view: &(impl View + ?Sized),
) -> Option<Reach> {
    if let Some(path) = call.writes().next().filter(|_| call.is_edit()) {
        let below = below_root(&join(&event.cwd, path), view)?;
        let below = below.to_str()?;
        let is_it = |pattern: &&str| {
            let pattern = pattern.trim_end_matches('/');
            glob::matches(pattern, below) || glob::matches(&format!("{pattern}/**"), below)
        };
        let (paths, words) = (vec![format!(":(literal){below}")], format!("{}: {below}", call.name));
        return wanted.iter().any(is_it).then(|| Reach { paths, file: Some(below.to_owned()), words });
    }
    let both = |pattern: &&str| {
        let pattern = pattern.trim_end_matches('/');
        [format!(":(glob){pattern}"), format!(":(glob){pattern}/**")]
    };
    let tool = (view.dialect().tool_words)(&call.name);
    let words = match call.commands().next() {
        Some(command) if call.is_shell() && only_reads(&view.analysis(command, &event.cwd)) => return None,
        Some(command) => format!("{tool}: {}", redact(command)),
        None if call.changes_unseen() || call.writes().chain(call.deletes()).next().is_some() => tool,
        None => return None,
    };
    Some(Reach { paths: wanted.iter().flat_map(both).collect(), file: None, words })
}
