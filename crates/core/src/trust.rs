//! What of a project's files counts only after the person has accepted it, in lines for the person.

use engine_text::line::{one_line, visible};
use serde::{Deserialize, Serialize};

use crate::config::{Config, Difference, Layer};

/// The person's own configuration in a line.
const OWN_CONFIG: &str = "your own config.toml";
/// Entries that a line names at most; `engine trust --show` names all.
const MOST_NAMED: usize = 8;
/// Of one entry, in characters.
const LONGEST: usize = 120;

/// How a rule of `.engine/policy.toml` differs from what was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleChange {
    pub id: String,
    pub kind: RuleChangeKind,
    /// What differs in a rule that is changed: `verdict: "block" → "off"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub how: Vec<String>,
}

impl RuleChange {
    /// `new`, or `changed: verdict: "block" → "off"`.
    pub fn words(&self) -> String {
        let kind = self.kind.as_str();
        if self.how.is_empty() { kind.to_owned() } else { format!("{kind}: {}", self.how.join(", ")) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleChangeKind {
    /// It counts.
    New,
    /// It counts, and so does what was accepted.
    Changed,
    /// What was accepted still counts.
    Removed,
}

impl RuleChangeKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Texts that are not told to a model while the project is not trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UntoldTexts {
    /// Files of `.engine/context/`, from the project's root.
    pub context: Vec<String>,
    pub directives: usize,
    /// The task file, if it has a handoff.
    pub handoff: Option<String>,
    /// Lines of the task file that are tasks, or should be.
    pub tasks: usize,
    /// Items of the queue.
    pub queue: usize,
    /// Files of `.engine/workflows/`.
    pub workflows: usize,
    /// Files of `.engine/memory/`.
    pub notes: usize,
}

/// What a model is told in place of a file's text, and the person where a model would have been told it.
pub fn untold_line(what: &str) -> String {
    format!(
        "{what} of this project is not told to a model: the project is not trusted. Look: engine trust --show. Trust it: engine trust"
    )
}

impl UntoldTexts {
    fn named(&self) -> Vec<String> {
        let counted = |count: usize, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            count => Some(format!("{count} {word}s")),
        };
        let handoff = self.handoff.as_ref().map(|file| format!("the handoff in {file}"));
        let counts = [
            counted(self.directives, "directive"),
            handoff,
            counted(self.tasks, "task"),
            counted(self.queue, "queue item"),
            counted(self.workflows, "workflow"),
            counted(self.notes, "note"),
        ];
        self.context.iter().cloned().chain(counts.into_iter().flatten()).collect()
    }
}

/// The line about a project that is not trusted; nothing if it holds nothing that trust would put in force.
pub fn untrusted_line(config: &Config, texts: &UntoldTexts) -> Option<String> {
    let variables = config.acceptance().variables.iter();
    let variables = variables.map(|one| format!("{}={} ({})", one.name, one.value, one.file));
    let held: Vec<String> = config.held().map(Difference::entry).chain(variables).collect();
    let texts = texts.named();
    if held.is_empty() && texts.is_empty() {
        return None;
    }
    let held = part(" Held: ", &held);
    let texts = part(" Not told to the model: ", &texts);
    Some(format!(
        "engine: this project is not trusted.{held}{texts} Look: engine trust --show. Trust it: engine trust"
    ))
}

/// The lines about files that were changed since they were accepted, one for each file.
pub fn change_lines(config: &Config, rules: &[RuleChange]) -> Vec<String> {
    let mut lines = Vec::new();
    for (layer, file) in [(Layer::Project, ".engine/config.toml"), (Layer::User, OWN_CONFIG)] {
        let all = config.acceptance().differences.iter().filter(|one| one.layer == layer);
        let (held, counting): (Vec<_>, Vec<_>) = all.partition(|one| one.held);
        let said = |all: Vec<&Difference>| all.into_iter().map(Difference::change).collect::<Vec<_>>();
        lines.extend(changed(file, &[(" Held: ", said(held)), (" In force: ", said(counting))]));
    }
    let of = |kinds: &[RuleChangeKind]| {
        let named = rules.iter().filter(|rule| kinds.contains(&rule.kind));
        named.map(|rule| format!("{} ({})", rule.id, rule.words())).collect()
    };
    let still = of(&[RuleChangeKind::Changed, RuleChangeKind::Removed]);
    let parts =
        [(" These rules count as accepted, too: ", still), (" In force: ", of(&[RuleChangeKind::New]))];
    lines.extend(changed(".engine/policy.toml", &parts));
    lines
}

fn changed(file: &str, parts: &[(&str, Vec<String>)]) -> Option<String> {
    let parts: String = parts.iter().map(|(words, all)| part(words, all)).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "engine: {file} was changed, and not by engine.{parts} Look: engine config diff. Accept: engine config accept"
        )
    })
}

/// Some words and a list; nothing without a list.
fn part(words: &str, all: &[String]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut shown: Vec<String> =
        all.iter().take(MOST_NAMED).map(|one| one_line(&visible(one), LONGEST)).collect();
    if all.len() > MOST_NAMED {
        shown.push(format!("and {} more", all.len() - MOST_NAMED));
    }
    format!("{words}{}.", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Acceptance, ProjectVariable, Value};

    fn difference(layer: Layer, name: &str, held: bool) -> Difference {
        let text = |word: &str| Some(Value::Text(word.to_owned()));
        Difference { layer, name: name.to_owned(), now: text("off"), accepted: text("on"), held }
    }

    fn config(differences: Vec<Difference>, variables: Vec<ProjectVariable>) -> Config {
        Config::default().with_acceptance(Acceptance { differences, variables, ..Acceptance::default() })
    }

    #[test]
    fn an_untrusted_project_is_told_with_what_it_holds() {
        let file = ".claude/settings.json".to_owned();
        let variable = ProjectVariable { name: "ENGINE_OFF".into(), value: "1".into(), file };
        let held = || {
            vec![
                difference(Layer::Project, "rules.policy", true),
                difference(Layer::Project, "rules.title", false),
            ]
        };
        let texts = UntoldTexts {
            context: vec![".engine/context/CORE.md".into()],
            directives: 3,
            handoff: Some("session.md".into()),
            tasks: 2,
            queue: 1,
            workflows: 1,
            notes: 2,
        };
        let line = |config: &Config, texts: &UntoldTexts| untrusted_line(config, texts);
        assert_eq!(line(&config(Vec::new(), Vec::new()), &UntoldTexts::default()), None);
        assert_eq!(
            line(&config(held(), vec![variable]), &texts).unwrap(),
            "engine: this project is not trusted. Held: rules.policy = \"off\", ENGINE_OFF=1 (.claude/settings.json). \
             Not told to the model: .engine/context/CORE.md, 3 directives, the handoff in session.md, 2 tasks, 1 queue item, 1 workflow, 2 notes. Look: engine trust --show. \
             Trust it: engine trust"
        );
        assert_eq!(
            line(&config(Vec::new(), Vec::new()), &UntoldTexts { directives: 1, ..UntoldTexts::default() })
                .unwrap(),
            "engine: this project is not trusted. Not told to the model: 1 directive. Look: engine trust --show. Trust it: engine trust"
        );
    }

    #[test]
    fn each_changed_file_has_a_line() {
        let config = config(
            vec![
                difference(Layer::User, "rules.policy", true),
                difference(Layer::Project, "rules.policy", true),
                difference(Layer::Project, "rules.title", false),
            ],
            Vec::new(),
        );
        let rule = |id: &str, kind| RuleChange { id: id.into(), kind, how: Vec::new() };
        let rules = [
            rule("a", RuleChangeKind::New),
            rule("b", RuleChangeKind::Changed),
            rule("c", RuleChangeKind::Removed),
        ];
        let end = "Look: engine config diff. Accept: engine config accept";
        assert_eq!(
            change_lines(&config, &rules),
            [
                format!(
                    "engine: .engine/config.toml was changed, and not by engine. Held: rules.policy = \"off\" (accepted: \"on\"). In force: rules.title = \"off\" (accepted: \"on\"). {end}"
                ),
                format!(
                    "engine: your own config.toml was changed, and not by engine. Held: rules.policy = \"off\" (accepted: \"on\"). {end}"
                ),
                format!(
                    "engine: .engine/policy.toml was changed, and not by engine. These rules count as accepted, too: b (changed), c (removed). In force: a (new). {end}"
                ),
            ]
        );
        assert_eq!(change_lines(&Config::default(), &[]), [""; 0]);
    }

    #[test]
    fn a_long_list_is_cut() {
        let many = (0..10).map(|at| difference(Layer::Project, &format!("x{at}"), true)).collect();
        let line = untrusted_line(&config(many, Vec::new()), &UntoldTexts::default()).unwrap();
        assert!(line.contains("x7 = \"off\", and 2 more. Look:"), "{line}");
    }
}
