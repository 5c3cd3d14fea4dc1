//! What the engine's ways of working cost with the real client: requests, calls of engine, questions, and characters in the model's
//! context, beside the same work in a plain client. `docs/ceremony.md` shows the same tables, and the budgets hold here.

use engine_testkit::{Bench, Kind, STREAM, Scenario, Turn, client};
use serde_json::{Value, json};

use crate::real_client::bench;
use crate::real_do::{Call, agent, bash, play};

/// What a person permits who works like this every day; `engine init` permits the engine's own commands.
const PERMITTED: &[&str] = &["--permission-mode", "acceptEdits", "--allowedTools", "Bash(make test)"];

/// By how much the characters of a row may differ from the page: names of folders and dates differ, and so do the client's own words.
const TOLERANCE: usize = 250;

/// What skills, agents and the fragment add to the first request of every session.
const CATALOGUE: usize = 3_000;

/// One way to do a piece of work, as the page shows it.
pub(crate) struct Way {
    pub(crate) work: Work,
    pub(crate) name: &'static str,
    pub(crate) requests: usize,
    /// Calls of the engine's commands among them.
    pub(crate) ours: usize,
    /// Characters in the last request, more than without the engine.
    pub(crate) added: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Fix,
    Feature,
}

impl Work {
    pub(crate) const ALL: [Self; 2] = [Self::Fix, Self::Feature];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fix => "A fix of one line",
            Self::Feature => "A feature of five steps",
        }
    }

    /// The requests that the work may take, by those of a plain client.
    pub(crate) fn most(self, plain: usize) -> usize {
        match self {
            Self::Fix => plain + 2,
            Self::Feature => plain * 3 / 2,
        }
    }

    fn calls(self) -> Vec<Call> {
        match self {
            Self::Fix => vec![read("src.txt"), edit("src.txt", "a", "b"), bash("make test")],
            Self::Feature => (0..PARTS.len()).flat_map(part).collect(),
        }
    }

    fn prompt(self) -> &'static str {
        match self {
            Self::Fix => "fix src.txt, it must say b",
            Self::Feature => "add the five parts",
        }
    }
}

pub(crate) const WITHOUT: &str = "without engine";
pub(crate) const WAYS: [Way; 8] = [
    Way { work: Work::Fix, name: WITHOUT, requests: 4, ours: 0, added: 0 },
    Way { work: Work::Fix, name: "a plain prompt", requests: 4, ours: 0, added: 1650 },
    Way { work: Work::Fix, name: "`engine plan quick`", requests: 5, ours: 1, added: 1900 },
    Way { work: Work::Fix, name: "`/do`", requests: 5, ours: 1, added: 5200 },
    Way { work: Work::Fix, name: "`/implement --small`", requests: 6, ours: 2, added: 7600 },
    Way { work: Work::Feature, name: WITHOUT, requests: 16, ours: 0, added: 0 },
    Way { work: Work::Feature, name: "a plain prompt", requests: 16, ours: 0, added: 1650 },
    Way { work: Work::Feature, name: "`/do`", requests: 20, ours: 2, added: 8000 },
];

const PARTS: [&str; 5] = ["two", "zebra", "zinc", "zip", "zone"];

/// One part of the feature: look, change, check.
fn part(index: usize) -> Vec<Call> {
    let before = if index == 0 { "one" } else { PARTS[index - 1] };
    let added = format!("{before}\n{}", PARTS[index]);
    vec![read("parts.txt"), edit("parts.txt", before, &added), bash("make test")]
}

fn read(path: &str) -> Call {
    ("Read", json!({"file_path": format!("${{PROJECT}}/{path}")}))
}

fn edit(path: &str, old: &str, new: &str) -> Call {
    let file = format!("${{PROJECT}}/{path}");
    ("Edit", json!({"file_path": file, "old_string": old, "new_string": new}))
}

fn prepared(bench: &Bench) {
    bench.write("Makefile", "test:\n\tsort -c parts.txt\n").unwrap();
    bench.write("src.txt", "a\n").unwrap();
    bench.write("parts.txt", "one\n").unwrap();
    bench.commit_all("begin").unwrap();
}

fn plain() -> Bench {
    client::require();
    Bench::new().unwrap()
}

/// The bench, the prompt, what marks its first request, the answers of subagents, and the calls.
fn played(way: &Way) -> (Bench, String, &'static str, Vec<Turn>, Vec<Call>) {
    let with = |skills: &str| bench(&["--with", skills]);
    let (work, prompt) = (way.work.calls(), way.work.prompt());
    let around = |before: Vec<Call>, after: Vec<Call>| [before, work.clone(), after].concat();
    match way.name {
        WITHOUT => (plain(), prompt.to_owned(), prompt, Vec::new(), work),
        "a plain prompt" => (with("skills"), prompt.to_owned(), prompt, Vec::new(), work),
        "`engine plan quick`" => {
            (with("skills"), prompt.to_owned(), prompt, Vec::new(), around(vec![quick()], Vec::new()))
        }
        "`/do`" if way.work == Work::Fix => {
            let calls = around(vec![quick()], Vec::new());
            (with("skills"), format!("/do {prompt}"), "The plan is the engine's", Vec::new(), calls)
        }
        "`/do`" => {
            let before = vec![
                agent("intent-router", &format!("User fragment: {prompt}")),
                bash("engine plan new --lock"),
            ];
            let calls = around(before, vec![bash("engine plan close")]);
            let router =
                Turn::new("router").kind(Kind::Subagent).prompt_contains("User fragment").text(&routed());
            (with("skills"), format!("/do {prompt}"), "The plan is the engine's", vec![router], calls)
        }
        _ => {
            let session = "sessions/2026_11_16_FIX";
            let before =
                bash(&format!("engine session activate {session} implement --small \"src.txt says b\""));
            let after = bash(&format!("engine session finish {session}"));
            let calls = around(vec![before], vec![after]);
            (
                with("skills=all"),
                format!("/implement --small {prompt}"),
                "engine session activate S",
                Vec::new(),
                calls,
            )
        }
    }
}

fn quick() -> Call {
    bash("engine plan quick \"src.txt says b\" --proof \"make test\"")
}

/// What the router answers: each part is a step with its proof.
fn routed() -> String {
    let steps: String = PARTS
        .iter()
        .map(|part| format!("  - {{text: \"Add {part}\", kind: work, proof: make test}}\n"))
        .collect();
    format!(
        "task_type: feature\nworkflow: direct\nskills_to_invoke: []\nguardrails:\n  plan_mode: false\n  answer_only: false\n  \
         require_skill: null\n  verify_before_complete: true\n  require_acceptance_test: true\n  quote_errors_exactly: false\n  \
         fix_within_design: true\nenriched_context: |\n  The Makefile has the check.\ntodo_items:\n{steps}  - {{text: \"CHECKPOINT: the test passes\", proof: make test}}\nacceptance_criteria:\n  \
         - {{text: the test passes, proof: make test}}\nscope: [\"*.txt\"]\nwarnings: []\noriginal_fragment: |\n  the request\n"
    )
}

/// Requests, calls of engine, and characters in the last request.
fn measured(way: &Way) -> (usize, usize, usize) {
    let (bench, prompt, marker, answers, calls) = played(way);
    prepared(&bench);
    let scenario = play(Scenario::new(), marker, &calls, "It is done.");
    let scenario = answers.into_iter().fold(scenario, Scenario::turn);
    let args = [&["-p", &prompt][..], STREAM, PERMITTED].concat();
    let run = bench.run(scenario, &args).unwrap();
    assert_eq!(run.result_text().as_deref(), Some("It is done."), "{}: {:?}", way.name, run.record.turns());
    let main = run.record.of(Kind::Main);
    for request in &main {
        for result in request.tool_results() {
            assert!(!result.is_error, "{}, before {}: {}", way.name, request.turn, result.text);
        }
    }
    let result = run.result().unwrap();
    assert_eq!(result["permission_denials"], json!([]), "{}: a dialog was opened", way.name);
    let is_ours =
        |input: &Value| input["command"].as_str().is_some_and(|command| command.starts_with("engine "));
    let requests = [Kind::Main, Kind::Subagent].iter().map(|&kind| run.record.of(kind).len()).sum();
    let last = main.last().unwrap();
    let ours = calls.iter().filter(|(_, input)| is_ours(input)).count();
    (requests, ours, last.system_text().len() + last.messages_text().len())
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_ways_cost_what_the_page_says() {
    let mut wrong = Vec::new();
    for work in Work::ALL {
        let mut plain = 0;
        for way in WAYS.iter().filter(|way| way.work == work) {
            let (requests, ours, context) = measured(way);
            if way.name == WITHOUT {
                plain = context;
            }
            let added = context.saturating_sub(plain);
            let is_as_said = (requests, ours) == (way.requests, way.ours);
            if !is_as_said || added.abs_diff(way.added) > TOLERANCE {
                wrong.push(format!(
                    "{work:?}, {}: {requests} requests, {ours} of engine, {added} characters",
                    way.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "the page says otherwise:\n{}", wrong.join("\n"));
}

/// All characters of the first request: system prompt, messages and tools.
fn first_request(bench: &Bench) -> usize {
    let scenario = Scenario::new().fallback(Turn::new("hello").text("Hello."));
    let run = bench.run(scenario, &[&["-p", "hello"][..], STREAM].concat()).unwrap();
    let first = run.record.of(Kind::Main)[0];
    first.system_text().len() + first.messages_text().len() + first.body["tools"].to_string().len()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_init_adds_to_every_session_is_small() {
    let with = bench(&[]);
    with.write("CLAUDE.md", "# A project\n").unwrap();
    let without = plain();
    without.write("CLAUDE.md", "# A project\n").unwrap();
    crate::real_client::engine(&with, &["init", "--with", "skills=all,fragment"]);
    let added = first_request(&with).saturating_sub(first_request(&without));
    assert!(added <= CATALOGUE, "{added} characters");
}
