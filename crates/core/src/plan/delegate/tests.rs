use super::*;
use crate::dialect::TEST;
use crate::evidence::proof::{Command, Proof};
use crate::plan::{Moved, Start};

const T: &str = "2026-01-01T10:00:00.000Z";
/// Half a minute later, and a little.
const LATER: &str = "2026-01-01T10:00:31.000Z";

fn id(text: &str) -> StepId {
    text.parse().unwrap()
}

fn step(number: &str, needs: &[&str]) -> Step {
    Step {
        number: id(number),
        text: format!("do {number}"),
        model: Some("haiku".into()),
        agent: Some("p-ab12cd-task".into()),
        prompt: Some(format!("plans/p/steps/step-{}.md", id(number).slug())),
        report: Some(format!("plans/p/reports/step-{}.md", id(number).slug())),
        proof: Some(Proof::Passes(Command::new("pytest", ""))),
        needs: needs.iter().map(|need| id(need)).collect(),
        ..Step::default()
    }
}

/// 1.1 → 1.2, and 1.3 beside them.
fn plan() -> Plan {
    let mut plan = Plan {
        name: "p".into(),
        conduct: Conduct::Delegate,
        tiers: ["haiku", "sonnet", "opus"].map(str::to_owned).to_vec(),
        steps: vec![step("1.1", &[]), step("1.2", &["1.1"]), step("1.3", &[])],
        ..Plan::default()
    };
    plan.lock(Start::default(), T).unwrap();
    plan
}

fn claim(number: &str, model: &str, call: &str) -> Claim {
    Claim {
        step: id(number),
        session: "s".into(),
        agent_type: "p-ab12cd-task".into(),
        model: model.into(),
        call: call.into(),
    }
}

fn started(agent: &str) -> AgentNews {
    AgentNews::Started { agent_type: "p-ab12cd-task".into(), agent: agent.into() }
}

fn resolved(call: &str, agent: &str) -> AgentNews {
    let model = Some("vendor-haiku-5".to_owned());
    AgentNews::Resolved { call: call.into(), agent: Some(agent.into()), model, tokens: None }
}

fn shown(turn: &Turn<'_>) -> String {
    let numbers =
        |steps: &[&Step]| steps.iter().map(|step| step.number.to_string()).collect::<Vec<_>>().join(" ");
    match turn {
        Turn::Halted => "halted".into(),
        Turn::Reports(step) => format!("reports {}", step.number),
        Turn::Starts(steps) => format!("starts {}", numbers(steps)),
        Turn::Waits(steps) => format!("waits {}", numbers(steps)),
        Turn::Inline(step) => format!("inline {}", step.number),
        Turn::Built => "built".into(),
    }
}

#[test]
fn a_claim_is_for_the_step_its_model_and_its_agent() {
    let mut plan = plan();
    let agent = |kind: &str| Claim { agent_type: kind.into(), ..claim("1.1", "haiku", "c") };
    let cases = [
        (claim("1.1", "Haiku", "c"), Ok(())),
        (agent("quiet-task"), Ok(())),
        (agent("engine:quiet-task"), Ok(())),
        (claim("1.1", "sonnet", "c"), Err("step 1.1 is for model haiku, and the call names sonnet")),
        (claim("1.1", "", "c"), Err("step 1.1 is for model haiku, and the call names no model")),
        (agent("tdd-task"), Err("step 1.1 is for the agent p-ab12cd-task, and the call starts tdd-task")),
        (agent("general"), Err("step 1.1 is for the agent p-ab12cd-task, and the call starts general")),
        (claim("1.2", "haiku", "c"), Err("step 1.1 comes before step 1.2")),
        (claim("9", "haiku", "c"), Err("plan p has no step 9")),
    ];
    for (claim, expected) in cases {
        let found = plan.refuses(&claim, T).map(|_| ()).map_err(|refusal| refusal.text);
        assert_eq!(found, expected.map_err(str::to_owned), "{claim:?}");
    }
    plan.claim(&claim("1.1", "haiku", "c1"), None, None, T).unwrap();
    let again = plan.claim(&claim("1.1", "haiku", "c2"), None, None, T).map_err(|refusal| refusal.text);
    assert_eq!(again, Err("step 1.1 runs already".to_owned()));
    // The same call is judged again where another event was quicker with something else.
    plan.claim(&claim("1.1", "haiku", "c1"), None, None, T).unwrap();
    assert_eq!((plan.steps[0].runs.len(), plan.steps[0].attempts), (1, 1));
    // One that never started may be claimed again after a while, and was no try.
    plan.claim(&claim("1.1", "haiku", "c3"), None, None, LATER).unwrap();
    let runs: Vec<_> = plan.steps[0].runs.iter().map(|run| (run.call.as_str(), run.came)).collect();
    assert_eq!(runs, [("c1", Some(Came::Lost)), ("c3", None)]);
}

#[test]
fn how_a_run_goes_on() {
    let mut plan = plan();
    let mut turns = vec![shown(&plan.turn(T))];
    plan.claim(&claim("1.1", "haiku", "c1"), None, None, T).unwrap();
    turns.push(shown(&plan.turn(T)));
    plan.claim(&claim("1.3", "haiku", "c3"), None, None, T).unwrap();
    turns.push(shown(&plan.turn(T)));
    // The second starts first; each gets its own when the client says which call it was.
    for news in [started("a3"), started("a1"), resolved("c3", "a3"), resolved("c1", "a1")] {
        assert!(plan.heard(&news, "s", T), "{news:?}");
    }
    let agents: Vec<_> =
        plan.live().map(|(step, run)| (step.number.to_string(), run.agent.clone())).collect();
    assert_eq!(agents, [("1.1".into(), Some("a1".into())), ("1.3".into(), Some("a3".into()))]);
    assert!(!plan.heard(&AgentNews::Ended { agent: "other".into() }, "s", T));
    assert!(plan.heard(&AgentNews::Ended { agent: "a1".into() }, "s", T));
    turns.push(shown(&plan.turn(T)));
    plan.finish(id("1.1"), None, T).unwrap();
    turns.push(shown(&plan.turn(T)));
    plan.heard(&AgentNews::Lost, "s", T);
    turns.push(shown(&plan.turn(T)));
    assert!(plan.steps[2].run().unwrap().is_cut_off());
    plan.fail_run(id("1.3"), Came::Lost, None, T).unwrap();
    turns.push(shown(&plan.turn(T)));
    for (number, call) in [("1.2", "c2"), ("1.3", "c4")] {
        plan.claim(&claim(number, "haiku", call), None, None, T).unwrap();
        plan.finish(id(number), None, T).unwrap();
    }
    turns.push(shown(&plan.turn(T)));
    let expected = "starts 1.1 1.3, starts 1.3, waits 1.1 1.3, reports 1.1, starts 1.2, reports 1.3, starts 1.2 1.3, built";
    assert_eq!(turns.join(", "), expected);
}

#[test]
fn tiers_go_up_and_end_with_a_person() {
    let mut plan = plan();
    let mut models = Vec::new();
    let tried = |plan: &mut Plan, came| {
        let model = plan.tier(&plan.steps[0]).unwrap();
        plan.claim(&claim("1.1", &model, "c"), None, None, T).unwrap();
        plan.heard(&started("a"), "s", T);
        plan.heard(&AgentNews::Ended { agent: "a".into() }, "s", T);
        (model, plan.fail_run(id("1.1"), came, Some("no"), T).unwrap())
    };
    for came in [Came::Failed, Came::Lost, Came::Failed, Came::Escalated, Came::Failed, Came::Failed] {
        models.push(tried(&mut plan, came));
    }
    let models: Vec<_> = models.iter().map(|(model, moved)| (model.as_str(), *moved)).collect();
    assert_eq!(
        models,
        [
            ("haiku", Moved::Done),
            ("haiku", Moved::Done),
            ("haiku", Moved::Done),
            ("sonnet", Moved::Done),
            ("opus", Moved::Done),
            ("opus", Moved::Halted),
        ]
    );
    let reason = plan.halted().unwrap().reason.clone();
    assert_eq!(
        reason,
        "step 1.1 was tried 5 times, up to the last tier of models: do 1.1; the last time: no"
    );
    assert_eq!(shown(&plan.turn(T)), "halted");
    // What a person saw is forgiven.
    plan.resume("again", T).unwrap();
    assert_eq!(plan.tier(&plan.steps[0]).as_deref(), Some("haiku"));
    // A model outside of the tiers has nothing above it.
    plan.steps[2].model = Some("fable".into());
    assert_eq!(plan.tier(&plan.steps[2]).as_deref(), Some("fable"));
}

#[test]
fn a_live_agent_cannot_be_failed_or_skipped() {
    let mut plan = plan();
    plan.claim(&claim("1.1", "haiku", "c"), None, None, T).unwrap();
    let refused = plan.fail_run(id("1.1"), Came::Failed, None, T).map_err(|refusal| refusal.text);
    assert_eq!(refused, Err("step 1.1 still runs".to_owned()));
    let refused = plan.skip(id("1.1"), "x", T).map_err(|refusal| refusal.text);
    assert_eq!(refused, Err("step 1.1 still runs".to_owned()));
    plan.heard(&AgentNews::Freed { call: "c".into(), why: "denied".into() }, "s", T);
    assert_eq!(shown(&plan.turn(T)), "starts 1.1 1.3");
    plan.skip(id("1.1"), "x", T).unwrap();
    assert_eq!(plan.steps[0].evidence, ["skipped by the user: x"]);
}

#[test]
fn steps_of_the_engine_come_first_and_are_no_growth() {
    let mut plan = plan();
    plan.claim(&claim("1.1", "haiku", "c"), None, None, T).unwrap();
    plan.finish(id("1.1"), None, T).unwrap();
    let new = Step {
        number: id("1.1").with(super::super::Part::Refactor),
        agent: Some(REFACTOR.into()),
        ..step("1.1", &["1.1"])
    };
    plan.insert(new, id("1.1"), true).unwrap();
    assert_eq!(shown(&plan.turn(T)), "starts 1.1-refactor");
    assert_eq!(plan.growth(), None);
    assert_eq!(Plan::parse(&serde_json::to_string(&plan).unwrap()).as_ref(), Ok(&plan));
}

#[test]
fn the_call_says_all_and_the_shipped_agent_stands_in() {
    let mut plan = plan();
    let shown = |plan: &Plan, shipped| (TEST.agent_call)(&plan.call(&plan.steps[0], shipped).unwrap());
    assert_eq!(shown(&plan, false), "p-ab12cd-task haiku: plans/p/steps/step-1-1.md");
    assert_eq!(shown(&plan, true), "quiet-task haiku: plans/p/steps/step-1-1.md");
    plan.claim(&claim("1.1", "haiku", "c"), None, None, T).unwrap();
    plan.heard(&started("a"), "s", T);
    plan.heard(&AgentNews::Ended { agent: "a".into() }, "s", T);
    plan.reported(id("1.1"));
    plan.fail_run(id("1.1"), Came::Failed, None, T).unwrap();
    assert_eq!(
        shown(&plan, false),
        "p-ab12cd-task haiku: plans/p/steps/step-1-1.md\nReport of the earlier run: plans/p/reports/step-1-1.md"
    );
}

#[test]
fn models_are_known_by_their_tier() {
    let cases = [
        ("vendor-haiku-4-5-20260101", "haiku", true),
        ("Haiku", "haiku", true),
        ("vendor/sonnet[1m]", "sonnet", true),
        ("vendor-haikus-4", "haiku", false),
        ("vendor-opus-5", "haiku", false),
        ("", "haiku", false),
    ];
    for (model, tier, expected) in cases {
        assert_eq!(is_of_tier(model, tier), expected, "{model}");
    }
}

#[test]
fn a_client_of_its_own_is_known_by_its_session() {
    let mut plan = plan();
    plan.claim(&claim("1.1", "haiku", ""), None, None, T).unwrap();
    // Nobody says that it has begun, and it is left alone all the same.
    assert_eq!(shown(&plan.turn(LATER)), "starts 1.3");
    let returned = |session: &str, cut: Option<&str>| AgentNews::Returned {
        session: session.into(),
        model: Some("vendor-haiku-5".into()),
        tokens: Some(120),
        cut: cut.map(str::to_owned),
    };
    assert!(!plan.heard(&returned("other", None), "", T));
    assert!(plan.heard(&returned("s", None), "", T));
    assert_eq!(shown(&plan.turn(LATER)), "reports 1.1");
    let run = plan.steps[0].run().unwrap();
    assert_eq!(
        (run.resolved.as_deref(), run.tokens, run.is_cut_off()),
        (Some("vendor-haiku-5"), Some(120), false)
    );
    plan.fail_run(id("1.1"), Came::Failed, None, T).unwrap();
    plan.claim(&claim("1.1", "haiku", ""), None, None, T).unwrap();
    assert!(plan.heard(&returned("s", Some("it was stopped")), "", T));
    assert!(plan.steps[0].run().unwrap().is_cut_off());
}

#[test]
fn a_call_is_about_the_step_that_its_prompt_names_first() {
    let named = |number: &str, prompt: &str| Step {
        number: number.parse().unwrap_or_default(),
        agent: Some(TASK.to_owned()),
        prompt: Some(prompt.to_owned()),
        ..Step::default()
    };
    let review = "Review of phase 1, report: r.md\nSteps: s/step-1-1.md, s/step-1-2.md";
    let steps = vec![named("1.1", "s/step-1-1.md"), named("1.2", "s/step-1-2.md"), named("1-vet", review)];
    let plan = Plan { steps, ..Plan::default() };
    let meant = |agent: &str, prompt: &str| match plan.meant(agent, prompt)? {
        Meant::Step(step) => Some(step.number.to_string()),
        Meant::None => Some("none".to_owned()),
    };
    let cases = [
        ("vet-agent", review, Some("1-vet")),
        ("quiet-task", "s/step-1-2.md\nAfter s/step-1-1.md.", Some("1.2")),
        ("general-purpose", "Do what s/step-1-1.md says", Some("1.1")),
        ("engine:quiet-task", "Mend it", Some("none")),
        ("general-purpose", "Mend it", None),
    ];
    for (agent, prompt, expected) in cases {
        assert_eq!(meant(agent, prompt).as_deref(), expected, "{prompt}");
    }
}
