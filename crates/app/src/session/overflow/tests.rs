use engine_core::work::Holder;
use serde_json::json;

use super::*;
use crate::stage::{AGENT, Stage, agent, refusal};
use crate::stdin::NoInput;
use engine_core::work::WorkState;

const WORK: &str = "sessions/2026_02_07_AUTH";

fn with_work() -> (Stage, CommandContext) {
    let stage = Stage::new();
    stage.work(WORK);
    let context = CommandContext { project: stage.project(), caller: agent(AGENT) };
    (stage, context)
}

fn held_by(context: &CommandContext, agent: &str) {
    let holder = Holder { id: agent.to_owned(), bound_at: String::new() };
    let hold = |state: &mut WorkState| {
        state.agent_session = Some(holder);
        Ok::<(), CommandError>(())
    };
    context.existing(WORK).unwrap().update(hold).unwrap();
}

fn payload(context: &CommandContext) -> Option<Payload> {
    context.existing(WORK).unwrap().peek().unwrap().overflow.payload
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn never() -> Result<Option<String>, NoInput> {
    panic!("stdin is not read where options are given")
}

#[test]
fn what_is_given_counts_before_what_is_piped_in() {
    let (_stage, context) = with_work();
    let given = json!({"summary": " half ", "lastAction": "wrote", "nextSteps": ["test", " "], "requiredFiles": vec!["a.md"; 10]});
    let (work, dropped) = dehydrate(&context, WORK, object(&given), &never).unwrap();
    assert_eq!((work.shown().as_str(), dropped), (WORK, 2));
    let expected = Payload {
        summary: "half".to_owned(),
        last_action: "wrote".to_owned(),
        next_steps: vec!["test".to_owned()],
        required_files: vec!["a.md".to_owned(); 8],
        ..Payload::default()
    };
    assert_eq!(payload(&context), Some(expected.clone()));
    let piped = json!({"summary": "newer", "lastAction": "wrote", "nextSteps": ["test"]}).to_string();
    dehydrate(&context, WORK, Map::new(), &|| Ok(Some(piped.clone()))).unwrap();
    assert_eq!(
        payload(&context),
        Some(Payload { summary: "newer".to_owned(), required_files: vec![], ..expected })
    );
}

#[test]
fn a_payload_that_is_wrong_is_refused_whole() {
    let (stage, context) = with_work();
    let before = stage.files();
    let of = |text: Option<&str>| {
        let text = text.map(str::to_owned);
        refusal(dehydrate(&context, WORK, Map::new(), &|| Ok(text.clone())))
    };
    let missing = format!(
        "Refused: payload: summary is missing or empty; lastAction is missing or empty; nextSteps is missing or empty\n→ {SHAPE}"
    );
    assert_eq!(of(None), missing);
    assert_eq!(of(Some("{}")), missing);
    assert_eq!(of(Some("[]")), "Refused: stdin holds no JSON object");
    assert_eq!(of(Some("{")), "Refused: stdin is not JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(
        of(Some(r#"{"summary": 1, "lastAction": "x", "nextSteps": ["y"], "extra": 2}"#)),
        format!("Refused: payload: unknown key extra; summary takes a text\n→ {SHAPE}")
    );
    assert_eq!(
        refusal(dehydrate(&context, "sessions/2026_02_08_NONE", Map::new(), &never)),
        "Refused: sessions/2026_02_08_NONE: there is no such work session\n→ the newest is sessions/2026_02_07_AUTH; engine session list shows all"
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn what_another_living_agent_holds_is_left_to_it() {
    let (stage, context) = with_work();
    held_by(&context, "another");
    stage.session("another").update(|_| ()).unwrap();
    let given = json!({"summary": "s", "lastAction": "l", "nextSteps": ["n"]});
    let save = || refusal(dehydrate(&context, WORK, object(&given), &never));
    assert_eq!(save(), format!("Refused: session: {WORK} is held by the agent session another"));
    assert_eq!(
        refusal(restart(&context, Some(WORK))),
        format!("Refused: session: {WORK} is held by the agent session another")
    );
    assert_eq!(payload(&context), None);
    stage.ends("another");
    assert_eq!(save(), "not refused");
}

#[test]
fn a_new_client_saves_nothing_and_leaves_what_is_saved() {
    let (stage, context) = with_work();
    assert_eq!(
        refusal(restart(&context, None)),
        "Refused: no work session is bound to this agent session\n→ name it: engine session list shows all"
    );
    let prompt = format!("Go on with the work session {WORK}: run engine session continue {WORK} first.");
    let saved = restart(&context, Some(WORK)).unwrap();
    assert_eq!(
        (saved.work.shown().as_str(), saved.prompt.as_str(), saved.next),
        (WORK, prompt.as_str(), Next::ByHand)
    );
    assert_eq!(payload(&context), None, "it is put together when the new context begins");
    let given = json!({"summary": "my own", "lastAction": "l", "nextSteps": ["n"]});
    dehydrate(&context, WORK, object(&given), &never).unwrap();
    let own = payload(&context);
    let bound = BoundWork { name: "2026_02_07_AUTH".to_owned(), ..BoundWork::default() };
    stage.session(AGENT).update(|state| state.work = Some(bound)).unwrap();
    held_by(&context, AGENT);
    let saved = restart(&context, None).unwrap();
    assert_eq!(saved.prompt, prompt);
    assert_eq!(payload(&context), own, "what the agent wrote stays");
}
