//! Tells the person what of the project's files does not count: those of a project that is not trusted, and changes that the engine's own
//! commands did not make. Each content is told once. That the policy or the protection of the engine's files is off is told with
//! every start of a session.
//!
//! Silent where everything is accepted. It decides nothing: what is held is not in the configuration that the rules see.

use crate::approval::is_foreign;
use crate::{Judge, Mode, Rule, always, looks_at, policy, protect};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind};
use engine_core::trust::{change_lines, untrusted_line};
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Project, Session, Trust};

looks_at!(Project + Session + Trust);

pub(crate) const RULE: Rule = Rule {
    id: "trust",
    about: "Tells you what of the project's files does not count until you accept it: engine trust, engine config accept.",
    events: &[EventName::SessionStart, EventName::Prompt, EventName::Stop],
    default: Mode::On,
    fixed: true,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let (is_start, is_end) = match &event.kind {
        Kind::SessionStart { .. } => (true, false),
        Kind::Prompt { .. } if event.real_prompt().is_some() => (false, false),
        Kind::Stop(_) if event.actor == Actor::Main => (false, true),
        _ => return Ok(Finding::default()),
    };
    let mut finding = Finding::default();
    if is_start {
        finding.lines.extend(weakened(view));
    }
    let mut news = match (view.is_trusted(), is_end) {
        // The person is told of that, and there is no file to look at.
        (true, _) if view.is_gone() => Vec::new(),
        (true, _) => changes(view),
        (false, false) => untrusted(view),
        (false, true) => Vec::new(),
    };
    if is_start && view.is_trusted() {
        context(&mut finding, view);
    }
    // Nobody but the session's client uses up what the person is to be shown.
    if !news.is_empty() && is_foreign(view) {
        news.clear();
    }
    for (news, text) in news {
        // Where it cannot be kept for all sessions it is told once in this one.
        finding.lines.push(UserLine::once(news.clone(), text));
        finding.changes.push(Change::NewsTold { news });
    }
    Ok(finding)
}

/// The two rules that everything else rests on.
fn weakened(view: &(impl View + ?Sized)) -> Vec<UserLine> {
    let config = view.config();
    let weak = [&policy::RULE, &protect::RULE].into_iter().filter_map(|rule| {
        let how = match rule.mode(config) {
            Mode::On => return None,
            Mode::Shadow => "in shadow: it refuses nothing",
            Mode::Off => "off",
        };
        let name = rule.knob();
        let from = config.last(&name).map_or("default", |last| last.layer.as_str());
        let text = format!(
            "engine: the rule {} is {how} ({from}). Switch it on: engine config set {name} on",
            rule.id
        );
        Some(UserLine { text, cause: None })
    });
    weak.collect()
}

/// By what each is remembered, and the line.
type News = Vec<(String, String)>;

fn untrusted(view: &(impl View + ?Sized)) -> News {
    let content = view.content();
    if view.knows(&content) {
        return Vec::new();
    }
    let line = untrusted_line(view.config(), &view.untold_texts());
    line.map(|line| (content, line)).into_iter().collect()
}

fn changes(view: &(impl View + ?Sized)) -> News {
    let lines = change_lines(view.config(), &view.rule_changes());
    lines.into_iter().filter(|line| !view.knows(line)).map(|line| (line.clone(), line)).collect()
}

/// Names the context files that are told otherwise than to the last session.
fn context(finding: &mut Finding, view: &(impl View + ?Sized)) {
    let Some(changed) = view.changed_context() else { return };
    if is_foreign(view) {
        return;
    }
    finding.changes.push(Change::ContextSeen);
    if !changed.is_empty() {
        let text = format!("engine: changed since the last session: {}", changed.join(", "));
        finding.lines.push(UserLine { text, cause: None });
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use engine_core::client::{ClientProcess, Snapshot};
    use engine_core::config::{Acceptance, Assignment, Config, Difference, Layer, Value};
    use engine_core::event::{Source, Stop};
    use engine_core::session::SessionState;
    use engine_core::trust::{RuleChange, UntoldTexts};

    use super::*;

    #[derive(Default)]
    struct Scene {
        config: Config,
        state: SessionState,
        sender: Option<ClientProcess>,
        known: Option<&'static str>,
        context: Option<Vec<String>>,
    }

    impl Project for Scene {
        fn config(&self) -> &Config {
            &self.config
        }

        fn root(&self) -> &Path {
            Path::new("/p")
        }

        fn variable(&self, _: &str) -> Option<String> {
            None
        }
    }

    impl Session for Scene {
        fn session(&self) -> &SessionState {
            &self.state
        }

        fn wiring(&self) -> Vec<(String, Snapshot)> {
            Vec::new()
        }

        fn sender(&self) -> Option<ClientProcess> {
            self.sender
        }

        fn runs(&self, _: ClientProcess) -> bool {
            true
        }
    }

    impl Trust for Scene {
        fn rule_changes(&self) -> Vec<RuleChange> {
            Vec::new()
        }

        fn content(&self) -> String {
            "content".to_owned()
        }

        fn untold_texts(&self) -> UntoldTexts {
            UntoldTexts { directives: 1, ..UntoldTexts::default() }
        }

        fn knows(&self, news: &str) -> bool {
            self.known == Some(news)
        }

        fn changed_context(&self) -> Option<Vec<String>> {
            self.context.clone()
        }
    }

    fn untrusted() -> Scene {
        let acceptance = Acceptance { is_untrusted: true, ..Acceptance::default() };
        Scene { config: Config::default().with_acceptance(acceptance), ..Scene::default() }
    }

    fn judged(scene: &Scene, kind: Kind<'_>) -> Finding {
        let event = Event {
            name: Cow::Borrowed(""),
            session: Cow::Borrowed("s1"),
            actor: Actor::Main,
            cwd: Cow::Borrowed("/p"),
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            kind,
        };
        judge(&event, scene).unwrap()
    }

    fn start() -> Kind<'static> {
        Kind::SessionStart { source: Source::Startup, model: None }
    }

    fn lines(finding: &Finding) -> Vec<&str> {
        finding.lines.iter().map(|line| line.text.as_str()).collect()
    }

    const UNTRUSTED: &str = "engine: this project is not trusted. Not told to the model: 1 directive. Look: engine trust --show. \
                             Trust it: engine trust";

    #[test]
    fn an_untrusted_project_is_told_at_the_start_unless_the_person_knows() {
        let finding = judged(&untrusted(), start());
        assert_eq!(lines(&finding), [UNTRUSTED]);
        assert_eq!(finding.changes, [Change::NewsTold { news: "content".into() }]);
        assert_eq!(judged(&untrusted(), Kind::Stop(Stop::default())), Finding::default());
        assert_eq!(judged(&Scene { known: Some("content"), ..untrusted() }, start()), Finding::default());
        assert_eq!(judged(&Scene::default(), start()), Finding::default());
    }

    #[test]
    fn nobody_else_uses_up_what_the_person_is_to_be_shown() {
        let client = ClientProcess { pid: 5, started: 6, table: None };
        let mut scene = untrusted();
        scene.state.client = Some(client);
        assert_eq!(judged(&scene, start()), Finding::default());
        scene.sender = Some(client);
        assert_eq!(lines(&judged(&scene, start())), [UNTRUSTED]);
    }

    #[test]
    fn a_change_is_told_with_the_end_of_a_turn_too() {
        let word = |word: &str| Some(Value::Text(word.into()));
        let change = Difference {
            layer: Layer::Project,
            name: "rules.policy".into(),
            now: word("off"),
            accepted: word("on"),
            held: true,
        };
        let acceptance = Acceptance { differences: vec![change], ..Acceptance::default() };
        let scene = Scene { config: Config::default().with_acceptance(acceptance), ..Scene::default() };
        let line = "engine: .engine/config.toml was changed, and not by engine. Held: rules.policy = \"off\" (accepted: \"on\"). \
                    Look: engine config diff. Accept: engine config accept";
        let finding = judged(&scene, Kind::Stop(Stop::default()));
        assert_eq!(lines(&finding), [line]);
        assert_eq!(finding.changes, [Change::NewsTold { news: line.into() }]);
    }

    #[test]
    fn weakened_rules_and_changed_context_are_told_with_a_start() {
        let set = |name: &str, word: &str| Assignment {
            name: name.into(),
            value: Value::Text(word.into()),
            layer: Layer::Project,
            line: 1,
        };
        let config =
            Config::new(vec![set("rules.policy", "off"), set("rules.protect", "shadow")], Vec::new());
        let scene = Scene { config, context: Some(vec!["a.md".into(), "b.md".into()]), ..Scene::default() };
        let finding = judged(&scene, start());
        assert_eq!(
            lines(&finding),
            [
                "engine: the rule policy is off (project). Switch it on: engine config set rules.policy on",
                "engine: the rule protect is in shadow: it refuses nothing (project). Switch it on: engine config set rules.protect on",
                "engine: changed since the last session: a.md, b.md",
            ]
        );
        assert_eq!(finding.changes, [Change::ContextSeen]);
        assert_eq!(judged(&scene, Kind::Stop(Stop::default())), Finding::default());
        let first = Scene { context: Some(Vec::new()), ..Scene::default() };
        let finding = judged(&first, start());
        assert_eq!((finding.lines.len(), finding.changes), (0, vec![Change::ContextSeen]));
    }
}
