//! What the rules found, and the one answer made of it.

use crate::change::Change;
use crate::journal::NO_VERDICT;

mod line;

/// Whether a rule acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    On,
    /// Judged and written down, without effect.
    Shadow,
    Off,
}

impl Mode {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "on" => Some(Self::On),
            "shadow" => Some(Self::Shadow),
            "off" => Some(Self::Off),
            _ => None,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Shadow => "shadow",
            Self::Off => "off",
        }
    }
}

/// What one rule says about one event. The default is silence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finding {
    pub decision: Option<Decision>,
    /// Text for the model. At Stop it makes the turn go on.
    pub context: Option<String>,
    /// Lines for the person.
    pub lines: Vec<UserLine>,
    /// Another input for the tool: the whole object as JSON.
    pub updated_input: Option<String>,
    /// A title for the session and its terminal.
    pub title: Option<String>,
    /// An answer to the person that makes a model turn needless.
    pub stop: Option<String>,
    /// The caller asked for a failing exit (strict injection); the reason goes to stderr.
    pub failure: Option<String>,
    pub changes: Vec<Change>,
    /// The work has moved on since the rule last made the turn go on, so it may do so again.
    pub moved: bool,
    /// What the finding rests on, for `engine why`.
    pub because: Option<String>,
}

impl Finding {
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Deny(reason.into())), ..Self::default() }
    }

    pub fn ask(reason: impl Into<String>) -> Self {
        Self { decision: Some(Decision::Ask(reason.into())), ..Self::default() }
    }

    pub fn note(context: impl Into<String>) -> Self {
        Self { context: Some(context.into()), ..Self::default() }
    }

    pub fn because(mut self, facts: impl Into<String>) -> Self {
        self.because = Some(facts.into());
        self
    }

    pub fn is_silent(&self) -> bool {
        self.decision.is_none()
            && self.context.is_none()
            && self.lines.is_empty()
            && self.updated_input.is_none()
            && self.title.is_none()
            && self.stop.is_none()
            && self.failure.is_none()
    }
}

/// The engine narrows or informs. There is no variant that approves: saying "allow" would widen what the user
/// permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Ask(String),
    Deny(String),
}

impl Decision {
    pub fn reason(&self) -> &str {
        match self {
            Self::Ask(reason) | Self::Deny(reason) => reason,
        }
    }

    fn is_deny(&self) -> bool {
        matches!(self, Self::Deny(_))
    }
}

/// A line that the person sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserLine {
    pub text: String,
    /// Told once per session and cause; without a cause, every time.
    pub cause: Option<String>,
}

impl UserLine {
    pub fn once(cause: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), cause: Some(cause.into()) }
    }
}

/// One rule's part in an event, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub rule: &'static str,
    pub mode: Mode,
    pub outcome: Result<Finding, Broken>,
}

/// A rule that could not do its work. The others still count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(pub String);

/// The one answer to an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Option<Decision>,
    pub context: Option<String>,
    pub lines: Vec<UserLine>,
    pub updated_input: Option<String>,
    pub title: Option<String>,
    pub stop: Option<String>,
    pub failure: Option<String>,
    pub changes: Vec<Change>,
}

impl Verdict {
    /// Deny before ask before nothing; every text is kept, in the order of the registry. Rules in shadow mode
    /// are judged and written down, but have no part in the answer.
    pub fn merge(judged: &[Judged]) -> Self {
        let mut verdict = Self::default();
        let mut decisions: Vec<(&'static str, &Decision)> = Vec::new();
        let mut contexts: Vec<&str> = Vec::new();
        let mut input_from = None;
        for part in judged {
            let finding = match &part.outcome {
                Ok(finding) if part.mode == Mode::On => finding,
                Ok(_) => continue,
                Err(Broken(why)) => {
                    verdict.lines.push(UserLine::once(
                        format!("broken:{}", part.rule),
                        format!(
                            "engine: rule {} failed and was skipped: {why}. See: engine doctor",
                            part.rule
                        ),
                    ));
                    continue;
                }
            };
            decisions.extend(finding.decision.as_ref().map(|decision| (part.rule, decision)));
            contexts.extend(finding.context.as_deref());
            verdict.lines.extend(finding.lines.iter().cloned());
            verdict.changes.extend(finding.changes.iter().cloned());
            verdict.title = verdict.title.or_else(|| finding.title.clone());
            verdict.stop = verdict.stop.or_else(|| finding.stop.clone());
            verdict.failure = verdict.failure.or_else(|| finding.failure.clone());
            match (&finding.updated_input, input_from) {
                (Some(input), None) => {
                    verdict.updated_input = Some(input.clone());
                    input_from = Some(part.rule);
                }
                (Some(_), Some(first)) => verdict.lines.push(UserLine::once(
                    format!("input:{first}:{}", part.rule),
                    format!("engine: rules {first} and {} both changed the input; {first} counts", part.rule),
                )),
                (None, _) => {}
            }
        }
        verdict.decision = strictest(&decisions);
        if !contexts.is_empty() {
            verdict.context = Some(contexts.join("\n\n"));
        }
        verdict
    }

    pub fn word(&self) -> &'static str {
        match (&self.decision, &self.context, &self.stop) {
            (Some(Decision::Deny(_)), ..) => "deny",
            (Some(Decision::Ask(_)), ..) => "ask",
            (None, _, Some(_)) => "answer",
            (None, Some(_), None) => "note",
            (None, None, None) => NO_VERDICT,
        }
    }
}

/// The reasons of all deciding rules, the strictest first, under the strictest decision.
fn strictest(decisions: &[(&'static str, &Decision)]) -> Option<Decision> {
    let deny = decisions.iter().any(|(_, decision)| decision.is_deny());
    let mut reasons: Vec<String> = Vec::with_capacity(decisions.len());
    for strict in [true, false] {
        let of_strength = decisions.iter().filter(|(_, decision)| decision.is_deny() == strict);
        reasons
            .extend(of_strength.map(|(rule, decision)| format!("engine rule {rule}: {}", decision.reason())));
    }
    if reasons.is_empty() {
        return None;
    }
    let reason = reasons.join("\n\n");
    Some(if deny { Decision::Deny(reason) } else { Decision::Ask(reason) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(rule: &'static str, finding: Finding) -> Judged {
        Judged { rule, mode: Mode::On, outcome: Ok(finding) }
    }

    #[test]
    fn deny_wins_and_no_text_is_lost() {
        let verdict = Verdict::merge(&[
            on("a", Finding::ask("sure?")),
            on("b", Finding::note("a fact")),
            on("c", Finding::deny("no")),
        ]);
        assert_eq!(
            verdict.decision,
            Some(Decision::Deny("engine rule c: no\n\nengine rule a: sure?".into()))
        );
        assert_eq!(verdict.context.as_deref(), Some("a fact"));
    }

    #[test]
    fn a_broken_rule_is_named_and_the_others_count() {
        let broken = Judged { rule: "b", mode: Mode::On, outcome: Err(Broken("index out of bounds".into())) };
        let verdict = Verdict::merge(&[broken, on("c", Finding::deny("no"))]);
        assert_eq!(verdict.decision, Some(Decision::Deny("engine rule c: no".into())));
        assert_eq!(
            verdict.lines,
            [UserLine::once(
                "broken:b",
                "engine: rule b failed and was skipped: index out of bounds. See: engine doctor"
            )]
        );
    }

    #[test]
    fn shadow_is_only_counted() {
        let shadow = Judged { rule: "a", mode: Mode::Shadow, outcome: Ok(Finding::deny("no")) };
        assert_eq!(Verdict::merge(&[shadow]), Verdict::default());
    }

    #[test]
    fn the_first_changed_input_wins_and_the_conflict_is_told() {
        let change = |json: &str| Finding { updated_input: Some(json.into()), ..Finding::default() };
        let verdict = Verdict::merge(&[on("a", change("{\"x\":1}")), on("b", change("{\"x\":2}"))]);
        assert_eq!(verdict.updated_input.as_deref(), Some("{\"x\":1}"));
        assert_eq!(verdict.lines.len(), 1);
    }
}
