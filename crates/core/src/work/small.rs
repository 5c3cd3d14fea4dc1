//! Small runs: one goal in the place of a plan, and only those phases that the skill names as `small`.
//!
//! Nothing is softened: a phase keeps its proof and its gate. Only what rests on a phase that is left out falls away with it, as the
//! boxes of a plan that nobody wrote.

use engine_text::line::one_line;

use crate::skill::protocol::{Evidence, Label, Phase};

/// Of a goal, in characters.
const LONGEST: usize = 300;

/// The phases of a small run. `asks`: whether leaving a phase asks for a kind of evidence, by itself or by one of its steps.
pub fn phases(declared: &[Phase], labels: &[Label], asks: impl Fn(&Phase, Evidence) -> bool) -> Vec<Phase> {
    let mut phases: Vec<Phase> =
        declared.iter().filter(|phase| labels.contains(&phase.label)).cloned().collect();
    let asked = |evidence| phases.iter().any(|phase| asks(phase, evidence));
    let (plans, fails) = (asked(Evidence::Plan), asked(Evidence::Failed));
    for phase in &mut phases {
        phase.proof.retain(|field| match field.evidence {
            Some(Evidence::Steps) => plans,
            Some(Evidence::Fixed) => fails,
            _ => true,
        });
    }
    phases
}

/// A goal as it is kept: on one line.
pub fn goal(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    if length > LONGEST {
        return Err(format!("the goal has {length} characters; {LONGEST} fit, on one line"));
    }
    let words: Vec<&str> =
        text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let goal = one_line(&words.join(" "), LONGEST);
    if goal.chars().any(char::is_alphanumeric) {
        Ok(goal)
    } else {
        Err("the goal says nothing: --small \"what is to be so in the end\"".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::protocol::ProofField;

    fn phase(label: &str, evidence: &[Evidence]) -> Phase {
        let field = |evidence: &Evidence| ProofField {
            name: evidence.as_str().to_owned(),
            evidence: Some(*evidence),
            ..ProofField::default()
        };
        let label = Label::parse(label).unwrap();
        Phase { label, proof: evidence.iter().map(field).collect(), ..Phase::default() }
    }

    #[test]
    fn what_rests_on_a_phase_that_is_left_out_falls_away() {
        let declared = [
            phase("1", &[Evidence::Mode]),
            phase("2", &[Evidence::Failed]),
            phase("3", &[Evidence::Plan]),
            phase("4", &[Evidence::Steps, Evidence::Fixed, Evidence::File]),
            phase("5", &[Evidence::Tests, Evidence::Checklists]),
        ];
        let cases = [
            ("4 5", "4 file, 5 tests checklists"),
            ("3 4 5", "3 plan, 4 steps file, 5 tests checklists"),
            ("2 4 5", "2 failed, 4 fixed file, 5 tests checklists"),
            ("5 4", "4 file, 5 tests checklists"),
            ("9", ""),
        ];
        let asks = |phase: &Phase, evidence| phase.proof.iter().any(|field| field.evidence == Some(evidence));
        for (labels, expected) in cases {
            let labels: Vec<Label> = labels.split(' ').filter_map(Label::parse).collect();
            let shown = |phase: &Phase| {
                let names = phase.proof.iter().map(|field| format!(" {}", field.name));
                format!("{}{}", phase.label, names.collect::<String>())
            };
            let found: Vec<String> = phases(&declared, &labels, asks).iter().map(shown).collect();
            assert_eq!(found.join(", "), expected);
        }
    }

    #[test]
    fn a_goal_is_one_line() {
        let cases = [
            ("say \"Hello\"", Ok("say \"Hello\"")),
            (" a\n\n  b\u{1b}[2Jc\t", Ok("a b [2Jc")),
            ("", Err("the goal says nothing: --small \"what is to be so in the end\"")),
            ("…", Err("the goal says nothing: --small \"what is to be so in the end\"")),
        ];
        for (text, expected) in cases {
            assert_eq!(goal(text).as_deref().map_err(String::as_str), expected, "{text:?}");
        }
        assert_eq!(
            goal(&"x".repeat(10_000)).unwrap_err(),
            "the goal has 10000 characters; 300 fit, on one line"
        );
    }
}
