//! One event judged: what the live hook and `engine explain` have in common.

use std::path::{Path, PathBuf};

use engine_claude::skills::Claude;
use engine_core::config::Config;
use engine_core::event::{Event, Kind};
use engine_core::verdict::{Judged, UserLine, Verdict};
use engine_core::view::Project as _;
use engine_rules::Rule;
use engine_store::live_view::LiveView;
use engine_store::policy_file;
use engine_store::project::Project;

pub struct Judgement<'p> {
    pub view: LiveView<'p>,
    pub judged: Vec<Judged>,
    pub verdict: Verdict,
}

/// The folder in which the client was started.
pub fn client_project() -> Option<PathBuf> {
    std::env::var_os("CLAUDE_PROJECT_DIR").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The project of an event; nothing where no one asked for the engine.
pub fn project_of(event: &Event<'_>, client_project: Option<&Path>) -> Option<Project> {
    let cwd = Path::new(&*event.cwd);
    if cwd.is_absolute() {
        return Project::open(client_project, cwd);
    }
    Project::open(client_project, &std::env::current_dir().ok()?)
}

pub fn judge<'p>(rules: &[Rule], event: &Event<'_>, project: &'p Project, config: Config) -> Judgement<'p> {
    let view = LiveView::new(project, config, &event.session, Box::new(Claude::new(project)));
    let judged = engine_rules::judge(rules, event, &view);
    let mut verdict = Verdict::merge(&judged);
    if matches!(event.kind, Kind::SessionStart { .. }) {
        verdict.lines.extend(policy_line(project));
    }
    // Told where a person looks; on every tool call it would open the session's state each time.
    if matches!(event.kind, Kind::SessionStart { .. }) || event.real_prompt().is_some() {
        verdict.lines.extend(config_line(&view));
    }
    Judgement { view, judged, verdict }
}

/// A rule of the project that cannot be used protects nothing; somebody must know.
fn policy_line(project: &Project) -> Option<UserLine> {
    let problems = policy_file::load(project).problems;
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    let text = format!(
        "engine: .engine/policy.toml:{}: {}{more}; the rule is not used. See: engine policy test",
        first.line, first.text
    );
    Some(UserLine::once(format!("policy:{}", first.text), text))
}

fn config_line(view: &LiveView<'_>) -> Option<UserLine> {
    let problems = view.config().problems();
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    let place = match first.line {
        0 => first.layer.as_str().to_owned(),
        line => format!("{} config, line {line}", first.layer.as_str()),
    };
    let text = format!("engine: {place}: {}{more}; the default counts. See: engine doctor", first.text);
    Some(UserLine::once(format!("config:{}", first.text), text))
}
