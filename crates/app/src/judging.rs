//! One event judged: what the live hook and `engine explain` have in common.

use std::path::{Path, PathBuf};

use engine_claude::skills::Claude;
use engine_core::config::{Config, Layer};
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

impl Judgement<'_> {
    /// The rules that listen to the event and were not asked.
    pub fn not_asked<'r>(&self, rules: &'r [Rule], event: &Event<'_>) -> Vec<&'r str> {
        let name = event.kind.name();
        let listens = |rule: &&Rule| name.is_some_and(|name| rule.events.contains(&name));
        let was_asked = |rule: &&Rule| self.judged.iter().any(|judged| judged.rule == rule.id);
        rules.iter().filter(listens).filter(|rule| !was_asked(rule)).map(|rule| rule.id).collect()
    }
}

/// The folder in which the client was started.
pub fn client_project() -> Option<PathBuf> {
    std::env::var_os("CLAUDE_PROJECT_DIR").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The project of an event; nothing where no one asked for the engine.
pub fn project_of(event: &Event<'_>, client_project: Option<&Path>) -> Option<Project> {
    let cwd = Path::new(&*event.cwd);
    if cwd.is_absolute() {
        return Project::open_accepted(client_project, cwd);
    }
    Project::open_accepted(client_project, &std::env::current_dir().ok()?)
}

/// Judges an event without taking part in it.
pub fn judge<'p>(rules: &[Rule], event: &Event<'_>, project: &'p Project, config: Config) -> Judgement<'p> {
    judge_in(rules, event, project, view(event, project, config))
}

/// The world as it is for an event.
pub(crate) fn view<'p>(event: &Event<'_>, project: &'p Project, config: Config) -> LiveView<'p> {
    LiveView::new(project, config, &event.session, Box::new(Claude::new(project)))
}

pub(crate) fn judge_in<'p>(
    rules: &[Rule],
    event: &Event<'_>,
    project: &'p Project,
    view: LiveView<'p>,
) -> Judgement<'p> {
    let judged = engine_rules::judge(rules, event, &view);
    let mut verdict = Verdict::merge(&judged);
    verdict.lines.extend(project.is_gone().then(|| gone_line(project)));
    if matches!(event.kind, Kind::SessionStart { .. }) {
        verdict.lines.extend(policy_line(project, &view));
    }
    // Told where a person looks; on every tool call it would open the session's state each time.
    if matches!(event.kind, Kind::SessionStart { .. }) || event.real_prompt().is_some() {
        verdict.lines.extend(config_line(&view));
    }
    Judgement { view, judged, verdict }
}

/// Nothing else tells that the project's own rules, texts and state are away.
fn gone_line(project: &Project) -> UserLine {
    let root = project.main_root().display();
    let text = format!(
        "engine: .engine/ is gone from {root}; what you accepted counts. Put it back, or remove engine: engine uninstall"
    );
    UserLine::once("gone", text)
}

/// A rule of the project that cannot be used protects nothing; somebody must know.
fn policy_line(project: &Project, view: &LiveView<'_>) -> Option<UserLine> {
    let problems = policy_file::load(project, view.config().acceptance()).problems;
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    let (line, unused) = match first.line {
        0 => (String::new(), "no rule of it is used"),
        line => (format!(":{line}"), "the rule is not used"),
    };
    let text =
        format!("engine: .engine/policy.toml{line}: {}{more}; {unused}. See: engine policy test", first.text);
    Some(UserLine::once(format!("policy:{}", first.text), text))
}

fn config_line(view: &LiveView<'_>) -> Option<UserLine> {
    let problems = view.config().problems();
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    let layer = first.layer.as_str();
    let place = match (first.layer, first.line) {
        (Layer::User | Layer::Project, 0) => format!("{layer} config"),
        (_, 0) => layer.to_owned(),
        (_, line) => format!("{layer} config, line {line}"),
    };
    let is_kept = first.is_of_whole_file() && view.is_trusted();
    let counts = if is_kept { "what you accepted counts" } else { "the default counts" };
    let text = format!("engine: {place}: {}{more}; {counts}. See: engine doctor", first.text);
    Some(UserLine::once(format!("config:{}", first.text), text))
}

#[cfg(test)]
mod tests {
    use engine_rules::RULES;
    use engine_store::config_file;

    use super::*;
    use crate::stage::Stage;

    #[test]
    fn a_rule_that_is_off_is_not_asked() {
        let event =
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}"#;
        let event = engine_claude::decode(event).unwrap();
        for (config, expected) in [("", false), ("[rules]\nprotect = \"off\"\n", true)] {
            let stage = Stage::new();
            stage.write(".engine/config.toml", config);
            let project = stage.project();
            let judgement = judge(RULES, &event, &project, config_file::load_fresh(&project));
            assert_eq!(judgement.not_asked(RULES, &event).contains(&"protect"), expected, "{config}");
        }
    }
}
