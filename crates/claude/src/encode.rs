//! From a [`Verdict`] to what the client reads: one JSON object, or nothing.
//!
//! A single stray byte makes the client drop a decision without a word, so nothing else may write to stdout.
//! Refusals go by `permissionDecision` on exit 0: exit 2 and `decision: block` show our command line to the
//! model. There is no way to say "allow" here.

use crate::event_name::EventName;
use engine_core::client::CONTEXT_LIMIT;
use engine_core::verdict::{Decision, Verdict};
use engine_text::line::{cut_at_line, units};
use engine_text::undecoded;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::capability::{self, Context, Refusal};

/// What goes to stdout, and what could not be said.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub stdout: String,
    /// Parts of the verdict that this event cannot carry.
    pub undelivered: Vec<&'static str>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    /// Only ever false: the turn ends here.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_title: Option<&'a str>,
}

/// `lines` are those that the person is to see now. Bytes of a file that are not UTF-8 are shown as the replacement character.
pub fn encode(event: &str, verdict: &Verdict, lines: &[String]) -> Answer {
    let mut answer = encoded(event, verdict, lines);
    if undecoded::has_kept(&answer.stdout) && verdict.updated_input.is_none() {
        answer.stdout = undecoded::shown(&answer.stdout).into_owned();
    }
    answer
}

fn encoded(event: &str, verdict: &Verdict, lines: &[String]) -> Answer {
    let can = capability::of_name(event);
    let mut answer = Answer::default();
    let mut wire = Wire::default();
    let known = EventName::parse(event);
    let mut specific =
        Specific { hook_event_name: known.map_or("", EventName::as_str), ..Specific::default() };
    match (&verdict.decision, can.refusal) {
        (None, _) => {}
        (Some(decision), Refusal::Permission) => {
            specific.permission_decision =
                Some(if matches!(decision, Decision::Deny(_)) { "deny" } else { "ask" });
            specific.permission_decision_reason = Some(decision.reason());
        }
        (Some(Decision::Deny(reason)), Refusal::Block) => {
            wire.decision = Some("block");
            wire.reason = Some(reason);
        }
        (Some(_), _) => answer.undelivered.push("decision"),
    }
    match (&verdict.context, can.context) {
        (None, _) => {}
        (Some(text), Context::Json) => specific.additional_context = Some(text),
        // A refused compaction needs no instructions, and the two cannot be said together.
        (Some(text), Context::Plain) if wire.decision.is_none() => {
            answer.stdout.clone_from(text);
            return answer;
        }
        (Some(_), _) => answer.undelivered.push("context"),
    }
    match &verdict.title {
        Some(title) if can.title => specific.session_title = Some(title),
        Some(_) => answer.undelivered.push("title"),
        None => {}
    }
    match &verdict.stop {
        Some(text) if can.stop => {
            wire.goes_on = Some(false);
            wire.stop_reason = Some(text);
        }
        Some(_) => answer.undelivered.push("answer"),
        None => {}
    }
    if let Some(input) = &verdict.updated_input {
        match serde_json::from_str::<&RawValue>(input) {
            Ok(raw) if known == Some(EventName::PreToolUse) => specific.updated_input = Some(raw),
            _ => answer.undelivered.push("input"),
        }
    }
    if !lines.is_empty() {
        if can.lines {
            wire.system_message = Some(lines.join("\n"));
        } else {
            answer.undelivered.push("lines");
        }
    }
    if specific.permission_decision.is_some()
        || specific.additional_context.is_some()
        || specific.session_title.is_some()
        || specific.updated_input.is_some()
    {
        wire.hook_specific_output = Some(specific);
    }
    if wire.goes_on.is_some()
        || wire.decision.is_some()
        || wire.system_message.is_some()
        || wire.hook_specific_output.is_some()
    {
        // Serialising strings into a string cannot fail.
        answer.stdout = serde_json::to_string(&wire).unwrap_or_default();
    }
    answer
}

/// A context that is longer than the client takes would be replaced by a preview of 2 KB. So it is cut here, at
/// a line, and ends with where the whole is. Returns the shorter text, if it had to be cut.
pub fn fit(context: &str, id: &str) -> Option<String> {
    if units(context) <= CONTEXT_LIMIT {
        return None;
    }
    let end = format!("\n\n(cut here; the whole text, {} bytes: engine why {id})", context.len());
    Some(format!("{}{end}", cut_at_line(context, CONTEXT_LIMIT - units(&end))))
}

#[cfg(test)]
mod tests {
    use engine_core::verdict::Finding;

    use super::*;

    fn deny() -> Verdict {
        Verdict { decision: Finding::deny("no").decision, ..Verdict::default() }
    }

    fn note() -> Verdict {
        Verdict { context: Some("a fact".into()), ..Verdict::default() }
    }

    fn stdout(event: EventName, verdict: &Verdict, lines: &[&str]) -> String {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        let answer = encode(event.as_str(), verdict, &lines);
        format!("{} {:?}", answer.stdout, answer.undelivered)
    }

    #[test]
    fn answers_by_event() {
        use EventName as E;
        insta::assert_snapshot!(stdout(E::PreToolUse, &Verdict::default(), &[]), @" []");
        insta::assert_snapshot!(stdout(E::PreToolUse, &deny(), &[]), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}} []"#);
        insta::assert_snapshot!(stdout(E::PreToolUse, &note(), &["told"]), @r#"{"systemMessage":"told","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"a fact"}} []"#);
        insta::assert_snapshot!(stdout(E::Stop, &note(), &[]), @r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"a fact"}} []"#);
        insta::assert_snapshot!(stdout(E::Stop, &deny(), &[]), @r#" ["decision"]"#);
        insta::assert_snapshot!(stdout(E::ConfigChange, &deny(), &["told"]), @r#"{"decision":"block","reason":"no"} ["lines"]"#);
        insta::assert_snapshot!(stdout(E::PreCompact, &note(), &[]), @"a fact []");
        insta::assert_snapshot!(stdout(E::PreCompact, &deny(), &[]), @r#"{"decision":"block","reason":"no"} []"#);
        insta::assert_snapshot!(stdout(E::SessionEnd, &note(), &["x"]), @r#" ["context", "lines"]"#);
        let titled = Verdict { title: Some("t".into()), ..Verdict::default() };
        insta::assert_snapshot!(stdout(E::SessionStart, &titled, &[]), @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"t"}} []"#);
        let changed = Verdict { updated_input: Some(r#"{"command":"ls"}"#.into()), ..Verdict::default() };
        insta::assert_snapshot!(stdout(E::PreToolUse, &changed, &[]), @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}} []"#);
        assert_eq!(encode("Unknown", &note(), &[]).stdout, "");
    }

    #[test]
    fn no_event_ever_says_allow_and_every_answer_is_one_object() {
        let everything = Verdict {
            decision: Finding::ask("sure?").decision,
            context: Some("a\nb".into()),
            title: Some("t".into()),
            updated_input: Some("{}".into()),
            ..Verdict::default()
        };
        for &event in EventName::ALL {
            for verdict in [&everything, &deny(), &note(), &Verdict::default()] {
                let out = encode(event.as_str(), verdict, &["line".to_owned()]).stdout;
                assert!(!out.contains("allow"), "{out}");
                if event == EventName::PreCompact || out.is_empty() {
                    continue;
                }
                let value: serde_json::Value = serde_json::from_str(&out).unwrap();
                if let Some(specific) = value.get("hookSpecificOutput") {
                    assert_eq!(specific["hookEventName"], event.as_str());
                    assert!(
                        specific.get("permissionDecision").is_none()
                            || capability::of(event).refusal == Refusal::Permission
                    );
                }
            }
        }
    }

    #[test]
    fn a_long_context_is_cut_within_the_limit_and_names_the_whole() {
        let long = "a line with é and 😀\n".repeat(900);
        let cut = fit(&long, "abc").unwrap();
        assert!(units(&cut) <= CONTEXT_LIMIT && units(&cut) > CONTEXT_LIMIT - 100);
        assert!(
            cut.ends_with("😀\n\n(cut here; the whole text, 21600 bytes: engine why abc)"),
            "{}",
            &cut[cut.len() - 90..]
        );
        assert_eq!(fit(&"x".repeat(CONTEXT_LIMIT), "abc"), None);
    }
}
