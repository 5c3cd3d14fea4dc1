use engine_core::journal::Entry;
use engine_store::clock;
use serde_json::{Value, json};

use super::*;
use crate::session::activate::{self, activate};
use crate::stage::{AGENT, Stage, agent};

const WORK: &str = "sessions/2026_02_07_AUTH";

/// A skill of a project, without templates and modes.
const SKILL: &str = r#"---
name: build
description: Builds something.
engine:
  phases:
    - {label: "1", name: Look, proof: [{name: seen, evidence: failed}, {name: list, evidence: plan}]}
    - {label: "2", name: Build, proof: [{name: fixed, evidence: fixed}, {name: done, evidence: steps}]}
---
Build it.
"#;

struct Begun {
    stage: Stage,
    context: CommandContext,
}

impl Begun {
    fn new() -> Self {
        let stage = Stage::new();
        stage.write(".claude/skills/build/SKILL.md", SKILL);
        let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
        let request = activate::Request {
            path: WORK,
            skill: "build",
            mode: None,
            params: &[],
            proof: &[],
            small: None,
            fast_track: false,
            approved: None,
        };
        activate(&context, &request, &|| Ok(None), &mut Vec::new()).unwrap();
        Self { stage, context }
    }

    fn ran(&self, command: &str, exit: i32) {
        let entry = Entry {
            event: "PostToolUse".to_owned(),
            tool: Some("Bash".to_owned()),
            session: AGENT.to_owned(),
            command: Some(command.to_owned()),
            exit: Some(exit),
            ..Entry::default()
        };
        self.stage.journal(clock::now(), entry);
    }

    /// What is wrong with a claim, after phase 1 was left with this proof.
    fn wrong(&self, proof: &Value, evidence: Evidence, values: &[&str]) -> Vec<String> {
        let work = self.context.existing(WORK).unwrap();
        let mut state = work.peek().unwrap();
        let run = state.run_mut().unwrap();
        let passed = Passed { phase: "1: Look".to_owned(), proof: Some(proof.clone()), ..Passed::default() };
        run.history.push(passed);
        let skill = SkillFile::find(&self.context.project, "build").unwrap();
        let query = ProofQuery {
            redefined: std::cell::RefCell::default(),
            run: state.run().unwrap(),
            checklists: &state.checklists,
            skill: &skill,
            work: &work,
            context: &self.context,
        };
        let values = values.iter().map(|&value| value.to_owned()).collect();
        query.wrong(&Claim { field: "f".to_owned(), evidence, values })
    }
}

#[test]
fn without_a_template_a_plan_has_boxes_and_a_debrief_has_text() {
    let begun = Begun::new();
    begun.stage.write("title.md", "# Title\n");
    begun.stage.write("text.md", "# Title\n\nText.\n");
    begun.stage.write(&format!("{WORK}/boxes.md"), "- [ ] a\n");
    let cases: [(Evidence, &str, Option<&str>); 7] = [
        (Evidence::Debrief, "text.md", None),
        (Evidence::Debrief, "title.md", Some("f: title.md: it has no text of its own; write S/BUILD.md")),
        (
            Evidence::Debrief,
            "../text.md",
            Some("f: there is no file ../text.md in this project; write S/BUILD.md"),
        ),
        (Evidence::Plan, "boxes.md", None),
        (Evidence::Plan, "text.md", Some("f: text.md: no box is in it; each step is a line - [ ] text")),
        (Evidence::Mode, "custom", None),
        (Evidence::Mode, "x", Some("f: build has no mode x; its modes: custom")),
    ];
    for (evidence, value, expected) in cases {
        let wrong = begun.wrong(&Value::Null, evidence, &[value]);
        let wrong: Vec<String> = wrong.iter().map(|why| why.replace(WORK, "S")).collect();
        assert_eq!(wrong.first().map(String::as_str), expected, "{evidence:?} {value}");
    }
}

#[test]
fn steps_are_those_of_the_plan_that_was_proved() {
    let begun = Begun::new();
    let steps = |proof: &Value| begun.wrong(proof, Evidence::Steps, &[]);
    assert_eq!(steps(&Value::Null), [format!("f: there is no plan {WORK}/BUILD_PLAN.md")]);
    begun.stage.write(&format!("{WORK}/BUILD_PLAN.md"), "- [x] a\n");
    assert_eq!(steps(&Value::Null), Vec::<String>::new());
    begun.stage.write("plans/real.md", "- [ ] b\n");
    assert_eq!(
        steps(&json!({"list": "plans/real.md"})),
        [
            "f: plans/real.md: 1 of 1 boxes are open: line 1 `b`; tick each, or drop it with a reason: - [x] ~~text~~: reason"
        ]
    );
}

#[test]
fn everything_that_failed_must_pass() {
    let begun = Begun::new();
    let fixed = |proof: &Value, values: &[&str]| begun.wrong(proof, Evidence::Fixed, values);
    assert_eq!(fixed(&Value::Null, &[]), ["f: no command was proved as failed in this run"]);
    begun.ran("cargo test a", 0);
    let both = json!({"seen": ["cargo test a", "cargo test b"]});
    assert_eq!(
        fixed(&both, &[]),
        ["f: `cargo test b` was not run in this session: engine check -- cargo test b"]
    );
    begun.ran("cargo test b", 0);
    assert_eq!(fixed(&both, &["cargo test b"]), Vec::<String>::new());
    assert_eq!(
        fixed(&both, &["ls"]),
        ["f: `ls` is not the command that failed: `cargo test a`, `cargo test b`"]
    );
}
