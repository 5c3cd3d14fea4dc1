//! The skills that work in sessions, with the real client: what the model reads of them, and that the commands they name
//! pass its permission check.

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{ask, bench, engine};

/// As the skills and COMMANDS.md write them, with what people put in: quotes, brackets, several lines.
const COMMANDS: &[&str] = &[
    "engine show COMMANDS",
    "engine session activate sessions/2026_11_15_AUTH implement",
    "engine session phase sessions/2026_11_15_AUTH \"2: Plan\" --proof mode=tests-first",
    "engine session phase sessions/2026_11_15_AUTH \"5: Debrief\" --proof testsPass=\"cargo test -- 'a b'\"",
    "engine log sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md <<'EOF'\n## Decision: one parser\nIt's `x`, - [ ] #needs-fix, {a: \"b\"}.\nINV: one parser for both.\nEOF",
    "engine log --overwrite sessions/2026_11_15_AUTH/IMPLEMENT_PLAN.md <<'EOF'\n# Plan: AUTH\n\n- [ ] 1. Check: `cargo test`\nEOF",
    "engine session dehydrate sessions/2026_11_15_AUTH --summary 'goal,\nstate' \\\n  --last-action 'x' \\\n  --next 'it'\\''s y' --next 'z'",
    "engine session check sessions/2026_11_15_AUTH < sessions/2026_11_15_AUTH/checklists.json",
    "engine session idle sessions/2026_11_15_AUTH --description \"what was built\" --keywords area,feature",
    "engine tag add sessions/2026_11_15_AUTH/IMPLEMENT.md '#needs-fix'",
    "engine directives review sessions/2026_11_15_AUTH",
    "engine directives add PITFALLS --text '**Symptom**: `x` fails. *Instead*: {a: \"b\"} (see src/), #2.'",
    "engine directives add INVARIANTS --text - <<'EOF'\n**¶INV_ONE** It's `one`, {a: \"b\"}.\nEOF",
    "engine directives mention",
    "engine session request-template '#needs-fix'",
];

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_commands_of_a_skill_open_no_dialog_and_its_phases_cost_no_context() {
    let bench = bench(&["--with", "skills=all"]);
    bench.write("sessions/2026_11_15_AUTH/checklists.json", "{}").unwrap();
    let mut scenario = Scenario::new();
    for (index, command) in COMMANDS.iter().enumerate() {
        let turn = Turn::new(command).tool_use("Bash", json!({"command": command}));
        scenario = scenario.turn(match index {
            0 => turn.any_contains("`engine session activate S implement`"),
            _ => turn.tool_result_of("Bash"),
        });
    }
    let mode = json!({"file_path": "${PROJECT}/.claude/skills/implement/modes/tests-first.md"});
    let scenario = scenario
        .turn(Turn::new("mode").tool_result_of("Bash").tool_use("Read", mode))
        .turn(Turn::new("end").last_contains("see it fail").text("Done."));
    let run = ask(&bench, scenario, "/implement the login", &["--permission-mode", "manual"]);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    let requests = run.record.of(Kind::Main);
    for (command, request) in COMMANDS.iter().zip(&requests[1..]) {
        let answer = request.tool_results().pop().unwrap().text;
        let refused =
            ["requires approval", "was blocked", "obfuscation"].iter().any(|word| answer.contains(word));
        assert!(!refused, "{command}\n{answer}");
    }
    assert_eq!(run.record.model_saw("taskType").len(), 0, "front matter is not for the model");
    // The review has told what the log marks, and what the commands added is there.
    let proposed = "IMPLEMENT_LOG.md:4 for .directives/INVARIANTS.md: one parser for both.";
    assert!(!run.record.model_saw(proposed).is_empty(), "{proposed}");
    assert!(bench.read(".directives/PITFALLS.md").unwrap().ends_with("(see src/), #2.\n"));
    let agents = bench.read(".directives/AGENTS.md").unwrap();
    assert!(agents.contains("`INVARIANTS.md` (what must hold), `PITFALLS.md` (what looks right"), "{agents}");
    assert!(!run.record.model_saw("**Tags**: #needs-fix #P2").is_empty(), "the template of fix");
}

const STEP: &str = "---\nname: plan-adhoc\nmodel: haiku\ncheck: make test\n---\n# Common context\nA file.\n### Stop conditions\nThe check fails twice.\n\
                    # Phase 1: a\n## Step 1.1: a\nFiles: a.txt (new)\nWrite a into it.\n";
const CYCLE: &str = "---\nname: plan-tdd\ntype: tdd\nmodel: haiku\ncheck: make test\n---\n# Common context\nA file.\n### Stop conditions\nRED passes at once.\n\
                     # Phase 1: a\n## Cycle 1.1: a\nFiles: b.txt (new)\n### RED\nA test of it.\n### GREEN\nWrite b into it.\n";

/// The mechanical steps of the planning skills and of the one that runs a plan, as their texts say them.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_planning_skills_do_their_mechanical_steps_unasked() {
    let bench = bench(&["--with", "skills"]);
    bench.write("Makefile", "test:\n\t@true\n").unwrap();
    for (skill, runbook) in [("plan-adhoc", STEP), ("plan-tdd", CYCLE)] {
        let path = format!("${{PROJECT}}/plans/{skill}/runbook.md");
        let run = |command: String| ("Bash", json!({"command": command}));
        let calls = [
            ("Write", json!({"file_path": path, "content": runbook})),
            ("Edit", json!({"file_path": path, "old_string": "model: haiku", "new_string": "model: sonnet"})),
            run(format!("engine runbook check {skill}")),
            run(format!("engine runbook prepare {skill}")),
            run("git status --short".to_owned()),
        ];
        unasked(
            &bench,
            &format!("/{skill} plans/{skill} [CONTINUATION: ]"),
            "names all that is wrong",
            &calls,
        );
    }
    let calls = ["engine runbook status plan-adhoc", "engine runbook next plans/plan-adhoc"];
    let calls = calls.map(|command| ("Bash", json!({"command": command})));
    let prompt = "/orchestrate plans/plan-adhoc [CONTINUATION: ]";
    unasked(&bench, prompt, "This session delegates", &calls);
    assert_eq!(engine(&bench, &["task", "list"]).lines().count(), 2);
}

/// The calls, one after the other, none of which a person is asked about.
fn unasked(bench: &Bench, prompt: &str, text: &str, calls: &[(&str, Value)]) {
    let mut scenario = Scenario::new();
    for (index, (tool, input)) in calls.iter().enumerate() {
        let turn = Turn::new(&format!("call {index}")).tool_use(tool, input.clone());
        scenario = scenario.turn(match index {
            0 => turn.any_contains(text),
            _ => turn.tool_result_of(calls[index - 1].0).tool_result_error(false),
        });
    }
    let last = calls.last().unwrap().0;
    let scenario =
        scenario.turn(Turn::new("end").tool_result_of(last).tool_result_error(false).text("Done."));
    // A run that has begun is named once at the end of the turn.
    let scenario = scenario.turn(Turn::new("end again").last_contains("engine runbook next").text("Done."));
    let run = ask(bench, scenario, prompt, &["--permission-mode", "manual"]);
    assert_eq!(run.result_text().as_deref(), Some("Done."), "{prompt}");
}
