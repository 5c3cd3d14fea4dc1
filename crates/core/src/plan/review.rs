//! Agents with a role of their own, and the verdicts of those that judge: `critic` a plan before its lock, `qa` the work after it.
//!
//! A verdict is the first word of such an agent's answer. One of an agent that looked at nothing, or that judged another plan than there
//! is now, is kept as void, with the reason.

use serde::{Deserialize, Serialize};

use super::{Plan, ROUTER, Refusal, is_named};
use crate::evidence::proof::QA;
use engine_text::line::{fingerprint, one_line};
use engine_text::redact::redact;

/// The agents that read, plan and judge, as their files are named. They change nothing.
pub const ROLES: &[&str] = &[ROUTER, "planner", CRITIC, QA, PROMPT_WRITER];
/// Writes the prompts of the queue.
pub const PROMPT_WRITER: &str = "prompt-writer";
const CRITIC: &str = "critic";

/// Why the judgement of an agent without a brief does not count.
pub const UNBRIEFED: &str = "its prompt was not the engine's";

/// Verdicts that are kept.
const MOST: usize = 20;
/// Characters of an answer that are kept.
const SAID: usize = 300;

/// What may stand around the word of a verdict.
const EMPHASIS: [char; 3] = ['*', '_', '`'];

/// The role of an agent, by its type.
pub fn role(agent_type: &str) -> Option<&'static str> {
    ROLES.iter().copied().find(|role| is_named(agent_type, role))
}

/// An agent that judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reviewer {
    Critic,
    Qa,
}

impl Reviewer {
    pub fn of(agent_type: &str) -> Option<Self> {
        match role(agent_type)? {
            CRITIC => Some(Self::Critic),
            QA => Some(Self::Qa),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critic => CRITIC,
            Self::Qa => QA,
        }
    }

    /// The words for yes and no.
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::Critic => ["APPROVE", "REVISE"],
            Self::Qa => ["APPROVED", "REJECTED"],
        }
    }

    /// What an answer says: the first word of its first line, whatever emphasis is around it. The word is alone, and a yes does not
    /// have the no behind it.
    fn reads(self, answer: &str) -> Opinion {
        let line = answer.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches(EMPHASIS);
        let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        let [yes, no] = self.words();
        if word == no && ends_word(rest) {
            Opinion::Refused
        } else if word == yes && ends_word(rest) && !rest.contains(no) {
            Opinion::Approved
        } else {
            Opinion::Void(format!("its first line gives neither {yes} nor {no} alone"))
        }
    }
}

/// Whether what follows a word leaves it alone: nothing, a blank, or a mark and then one of these.
fn ends_word(rest: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let rest = rest.trim_start_matches(EMPHASIS);
    let behind = rest.strip_prefix([':', '.', ',', ';', '!']);
    is_end(rest) || behind.is_some_and(|behind| is_end(behind.trim_start_matches(EMPHASIS)))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    Approved,
    Refused,
    /// It does not count, and why.
    Void(String),
}

/// What an agent said that judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub by: Reviewer,
    pub opinion: Opinion,
    /// The beginning of its answer.
    pub said: String,
    #[serde(default)]
    pub at: String,
    /// The plan that it judged, see [`Plan::digest`].
    pub plan: String,
    /// The content of the project that `qa` judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Review {
    /// `critic APPROVE 2026-01-01: the beginning of its answer`.
    pub(super) fn shown(&self, when: fn(&str) -> String) -> String {
        let [yes, no] = self.by.words();
        let word = match &self.opinion {
            Opinion::Approved => yes.to_owned(),
            Opinion::Refused => no.to_owned(),
            Opinion::Void(why) => format!("no verdict ({why})"),
        };
        format!("{} {}: {word}; its answer: {}", when(&self.at), self.by.as_str(), self.said)
    }
}

/// An agent that judges, while it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reviewing {
    pub by: Reviewer,
    /// The plan in its brief.
    pub plan: String,
    /// The content of the project at its first call of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A call of a tool has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looked: bool,
    /// It has answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

impl Reviewing {
    /// What its answer comes to. When, and on which content, is added by whoever keeps it.
    pub fn review(&self, answer: &str) -> Review {
        let opinion = if self.looked {
            self.by.reads(answer)
        } else {
            Opinion::Void("it made no tool call".to_owned())
        };
        // Of a long answer only the beginning is looked at for secrets.
        let start = &answer[..answer.floor_char_boundary(20 * SAID)];
        Review {
            by: self.by,
            opinion,
            said: one_line(&redact(start), SAID),
            at: String::new(),
            plan: self.plan.clone(),
            content: None,
        }
    }
}

/// Whether two contents differ; nothing where they were found in different ways.
pub fn differ(one: &str, other: &str) -> Option<bool> {
    let way = |content: &str| content.split(':').next().map(str::to_owned);
    (way(one) == way(other)).then(|| one != other)
}

impl Plan {
    /// A name for what agents judge: what must not change after the lock, and the steps.
    pub fn digest(&self) -> String {
        let steps: Vec<_> = self.steps.iter().map(|step| (step.number, &step.text, &step.files)).collect();
        fingerprint(&serde_json::json!([self.fixed(), steps]).to_string())
    }

    /// Keeps what an agent said that judges. `began`: the content at its first call of a tool.
    pub fn keep_review(&mut self, mut review: Review, began: Option<&str>) {
        let void = if review.plan.is_empty() {
            Some(UNBRIEFED)
        } else if review.plan != self.digest() {
            Some("the plan was changed while it judged")
        } else if began.zip(review.content.as_deref()).and_then(|(one, other)| differ(one, other))
            == Some(true)
        {
            Some("files were changed while it judged")
        } else if review.opinion == Opinion::Approved && self.is_rejected(review.content.as_deref()) {
            Some("nothing has changed since qa rejected the work")
        } else {
            None
        };
        if let Some(why) = void.filter(|_| !matches!(review.opinion, Opinion::Void(_))) {
            review.opinion = Opinion::Void(why.to_owned());
        }
        self.reviews.push(review);
        if self.reviews.len() > MOST {
            // What does not count makes room for what does: many empty answers do not bury a rejection.
            let is_void = |review: &Review| matches!(review.opinion, Opinion::Void(_));
            self.reviews.remove(self.reviews.iter().position(is_void).unwrap_or(0));
        }
    }

    /// Whether `qa` rejected the work, on this very content.
    fn is_rejected(&self, content: Option<&str>) -> bool {
        let rejected = self.verdict_of(Reviewer::Qa).filter(|review| review.opinion == Opinion::Refused);
        let before = rejected.and_then(|review| review.content.as_deref());
        before.zip(content).and_then(|(one, other)| differ(one, other)) == Some(false)
    }

    /// The last verdict that counts.
    pub fn verdict_of(&self, by: Reviewer) -> Option<&Review> {
        let counts = |review: &&Review| review.by == by && !matches!(review.opinion, Opinion::Void(_));
        self.reviews.iter().rev().find(counts)
    }

    /// Why the last answer is no verdict.
    fn void_of(&self, by: Reviewer) -> Option<&str> {
        match &self.reviews.iter().rev().find(|review| review.by == by)?.opinion {
            Opinion::Void(why) => Some(why),
            _ => None,
        }
    }

    /// Why a supervised plan is not to be locked yet.
    pub fn unreviewed(&self) -> Option<Refusal> {
        if !self.supervise {
            return None;
        }
        let name = &self.name;
        let verdict = self.verdict_of(Reviewer::Critic);
        let is_same = verdict.is_some_and(|review| review.plan == self.digest());
        let start = "start the agent critic; engine writes its prompt";
        Some(match (verdict.map(|review| (&review.opinion, &review.said)), is_same) {
            (Some((Opinion::Approved, _)), true) => return None,
            (Some((Opinion::Approved, _)), false) => {
                Refusal::new(format!("plan {name} was changed after the critic approved it")).fix(start)
            }
            (Some((_, said)), true) => {
                Refusal::new(format!("the critic does not approve plan {name}: {said}"))
                    .fix("revise it: engine plan new --from - takes the whole plan again")
                    .fix("after that start the agent critic again; engine writes its prompt")
            }
            (Some(_), false) => {
                Refusal::new(format!("no critic has approved plan {name} as it is now")).fix(start)
            }
            (None, _) => {
                let void = self.void_of(Reviewer::Critic);
                let void = void.map(|why| format!("; the last one gave no verdict: {why}"));
                let void = void.unwrap_or_default();
                Refusal::new(format!("plan {name} is supervised, and no critic has approved it{void}"))
                    .fix(start)
            }
        })
    }

    /// Why the work does not count as approved, as far as the plan knows. Only a supervised plan needs the approval of `qa`; its rejection
    /// holds any plan open.
    pub fn unapproved(&self) -> Option<String> {
        let void = self.void_of(Reviewer::Qa).map(|why| format!("; its last answer is no verdict: {why}"));
        let void = void.unwrap_or_default();
        match self.verdict_of(Reviewer::Qa).map(|review| (&review.opinion, review)) {
            Some((Opinion::Refused, review)) => Some(format!("qa rejected the work ({}){void}", review.said)),
            _ if !self.supervise => None,
            Some((_, review)) if review.plan == self.digest() => None,
            Some(_) => Some(format!("the plan was changed after qa approved the work{void}")),
            None => Some(format!("qa has not approved the work{void}")),
        }
    }

    /// Takes up a plan in place of this one, which a critic did not approve: what the user asked for, guardrails and supervision stay. Or
    /// in place of a quick one that grew too large.
    pub fn revise(&mut self, new: Self, now: &str) -> Result<(), Refusal> {
        if self.is_outgrown() {
            return self.give_way(new, now);
        }
        self.moves()?;
        *self = Self {
            task_type: new.task_type,
            workflow: new.workflow,
            skills_to_invoke: new.skills_to_invoke,
            enriched_context: new.enriched_context,
            steps: new.steps,
            criteria: new.criteria,
            scope: new.scope,
            warnings: new.warnings,
            version: new.version,
            ..std::mem::take(self)
        };
        Ok(())
    }

    /// Whether another plan may take its place: a critic wants that, and it is not locked; or it is a quick one that grew too large.
    pub fn is_to_be_revised(&self) -> bool {
        if self.is_outgrown() {
            return true;
        }
        let is_refused = |review: &Review| review.opinion == Opinion::Refused;
        self.supervise && self.lock.is_none() && self.verdict_of(Reviewer::Critic).is_some_and(is_refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_an_answer_is_the_verdict() {
        let neither = |words: &str| Opinion::Void(format!("its first line gives neither {words} alone"));
        for (by, answer, expected) in [
            (Reviewer::Critic, "APPROVE", Opinion::Approved),
            (Reviewer::Critic, "\n  **APPROVE**\nfine", Opinion::Approved),
            (Reviewer::Critic, "`REVISE`: 1. no test", Opinion::Refused),
            (Reviewer::Critic, "APPROVED", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "I would APPROVE", neither("APPROVE nor REVISE")),
            (Reviewer::Qa, "APPROVED\n1: met", Opinion::Approved),
            (Reviewer::Qa, "_REJECTED_", Opinion::Refused),
            (Reviewer::Qa, "approved", neither("APPROVED nor REJECTED")),
            (Reviewer::Qa, "APPROVEDLY", neither("APPROVED nor REJECTED")),
            (Reviewer::Qa, "> APPROVED", neither("APPROVED nor REJECTED")),
            (Reviewer::Critic, "**APPROVE:** it is enough", Opinion::Approved),
            (Reviewer::Critic, "APPROVE. Fine!", Opinion::Approved),
            (Reviewer::Critic, "APPROVE-with-changes", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "APPROVE/REVISE", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "APPROVE? No. REVISE", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "APPROVE. No, REVISE", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "APPROVE\u{2028}REVISE", neither("APPROVE nor REVISE")),
            (Reviewer::Critic, "APPROVE\rREVISE", neither("APPROVE nor REVISE")),
            (Reviewer::Qa, "REJECTED: 2 is not APPROVED", Opinion::Refused),
            (Reviewer::Qa, "APPROVED, not REJECTED", neither("APPROVED nor REJECTED")),
            (Reviewer::Qa, "", neither("APPROVED nor REJECTED")),
        ] {
            assert_eq!(by.reads(answer), expected, "{answer}");
        }
    }

    #[test]
    fn roles_are_known_with_and_without_the_plugin() {
        assert_eq!(role("qa"), Some("qa"));
        assert_eq!(role("engine:planner"), Some("planner"));
        assert_eq!((role("other:qa"), role("general-purpose"), role("")), (None, None, None));
        assert_eq!(Reviewer::of("engine:critic"), Some(Reviewer::Critic));
        assert_eq!(Reviewer::of("planner"), None);
    }

    fn supervised() -> Plan {
        Plan { name: "lexer".to_owned(), supervise: true, version: super::super::VERSION, ..Plan::default() }
    }

    fn says(plan: &mut Plan, by: Reviewer, answer: &str, content: Option<&str>) {
        let agent = Reviewing { by, plan: plan.digest(), content: None, looked: true, ended: false };
        let review = Review { content: content.map(str::to_owned), ..agent.review(answer) };
        plan.keep_review(review, None);
    }

    fn refusal(plan: &Plan) -> String {
        plan.unreviewed().map_or_else(|| "-".to_owned(), |refusal| refusal.text)
    }

    #[test]
    fn a_lock_needs_the_approval_of_this_very_plan() {
        let mut plan = supervised();
        assert_eq!(refusal(&plan), "plan lexer is supervised, and no critic has approved it");
        says(&mut plan, Reviewer::Critic, "REVISE\n1. no test", None);
        assert_eq!(refusal(&plan), "the critic does not approve plan lexer: REVISE 1. no test");
        plan.scope.push("src".to_owned());
        assert_eq!(refusal(&plan), "no critic has approved plan lexer as it is now");
        says(&mut plan, Reviewer::Critic, "APPROVE", None);
        assert_eq!(refusal(&plan), "-");
        plan.scope.clear();
        assert_eq!(refusal(&plan), "plan lexer was changed after the critic approved it");
    }

    #[test]
    fn a_rejection_falls_with_another_content_only() {
        let mut plan = supervised();
        let end = |plan: &Plan| plan.unapproved().unwrap_or_else(|| "-".to_owned());
        assert_eq!(end(&plan), "qa has not approved the work");
        says(&mut plan, Reviewer::Qa, "REJECTED\nit is empty", Some("git:1"));
        assert_eq!(end(&plan), "qa rejected the work (REJECTED it is empty)");
        says(&mut plan, Reviewer::Qa, "APPROVED", Some("git:1"));
        assert_eq!(
            end(&plan),
            "qa rejected the work (REJECTED it is empty); its last answer is no verdict: nothing has changed since qa rejected the work"
        );
        says(&mut plan, Reviewer::Qa, "APPROVED", Some("git:2"));
        assert_eq!(end(&plan), "-");
        plan.supervise = false;
        assert_eq!(end(&plan), "-");
        says(&mut plan, Reviewer::Qa, "REJECTED", Some("git:2"));
        assert_eq!(end(&plan), "qa rejected the work (REJECTED)");
    }

    #[test]
    fn what_changed_meanwhile_makes_a_verdict_void() {
        let mut plan = supervised();
        let agent = |plan: &Plan| Reviewing {
            by: Reviewer::Qa,
            plan: plan.digest(),
            content: None,
            looked: true,
            ended: false,
        };
        let before = agent(&plan).review("APPROVED");
        plan.scope.push("src".to_owned());
        plan.keep_review(before, None);
        let review = Review { content: Some("git:2".to_owned()), ..agent(&plan).review("APPROVED") };
        plan.keep_review(review.clone(), Some("git:1"));
        plan.keep_review(Reviewing { looked: false, ..agent(&plan) }.review("APPROVED"), None);
        plan.keep_review(review, Some("edits:1"));
        let opinions: Vec<_> = plan.reviews.iter().map(|review| &review.opinion).collect();
        let void = |why: &str| Opinion::Void(why.to_owned());
        assert_eq!(
            opinions,
            [
                &void("the plan was changed while it judged"),
                &void("files were changed while it judged"),
                &void("it made no tool call"),
                &Opinion::Approved
            ]
        );
        says(&mut plan, Reviewer::Qa, "REJECTED", None);
        (0..30).for_each(|_| says(&mut plan, Reviewer::Critic, "hm", None));
        assert_eq!(plan.reviews.len(), MOST);
        assert_eq!(plan.verdict_of(Reviewer::Qa).map(|review| &review.opinion), Some(&Opinion::Refused));
    }
}
