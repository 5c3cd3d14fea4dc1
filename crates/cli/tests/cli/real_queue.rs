//! The queue with the real client: `q:` without the model's help, `/q` and `/pull` played to their end.

use std::fs;

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{ask, bench, engine, last};

/// Not everything is allowed: the commands must pass the client's own check.
const MANUAL: &[&str] = &["--permission-mode", "manual"];

fn items(bench: &Bench) -> Vec<Value> {
    let list: Value = serde_json::from_str(&engine(bench, &["q", "list", "--all", "--json"])).unwrap();
    list["items"].as_array().unwrap().clone()
}

fn fragment(bench: &Bench, id: &Value) -> Value {
    let shown: Value =
        serde_json::from_str(&engine(bench, &["q", "show", id.as_str().unwrap(), "--json"])).unwrap();
    shown["sections"]["Original fragment"].clone()
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn q_is_on_disk_and_the_model_need_not_act() {
    let bench = bench(&[]);
    let typed = "q: dark mode,\nwith `switch`";
    let scenario = Scenario::new().turn(Turn::new("answer").prompt_contains("dark mode").text("Kept."));
    let run = ask(&bench, scenario, typed, &[]);
    assert_eq!(
        last(&run).contexts("UserPromptSubmit"),
        [
            "[DIRECTIVE: QUEUE] Kept by engine in the queue, for later: dark mode,. It is not to be executed now, and needs no other record. engine q list shows the queue."
        ]
    );
    let items = items(&bench);
    assert_eq!(items.len(), 1);
    assert_eq!((&items[0]["state"], &items[0]["branch"]), (&json!("open"), &json!("main")));
    assert_eq!(fragment(&bench, &items[0]["id"]), "dark mode,\nwith `switch`");
    assert!(bench.project().join(format!(".engine/queue/{}.md", items[0]["id"].as_str().unwrap())).is_file());
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn slash_q_keeps_the_words_and_a_background_agent_enriches_them() {
    let bench = bench(&["--with", "skills"]);
    let add = r"engine q add -- 'it'\''s time for {dark: mode} & `switch` $5'";
    let edit = "engine q edit 20 --title 'Add a dark mode' --text - <<'EOF'\n## Goal\nIt's dark; `cargo test` passes.\n\n## Approach\nDirect change.\nEOF";
    let agent = json!({"description": "Write the prompt", "prompt": "Queue item 20. The user looked at the theme.",
        "subagent_type": "prompt-writer", "run_in_background": true});
    let scenario =
        Scenario::new()
            .turn(
                Turn::new("keep")
                    .kind(Kind::Main)
                    .any_contains("nothing added and nothing left out")
                    .tool_use("Bash", json!({"command": add})),
            )
            .turn(
                Turn::new("enrich")
                    .kind(Kind::Main)
                    .last_contains("kept as ")
                    .tool_result_error(false)
                    .tool_use("Agent", agent),
            )
            .turn(
                Turn::new("show")
                    .kind(Kind::Subagent)
                    .prompt_contains("Queue item 20.")
                    .tool_use("Bash", json!({"command": "engine q show 20"})),
            )
            .turn(
                Turn::new("write")
                    .kind(Kind::Subagent)
                    .last_contains("## Original fragment")
                    .tool_use("Bash", json!({"command": edit})),
            )
            .turn(Turn::new("chain").kind(Kind::Subagent).last_contains("changed ").tool_use(
                "Bash",
                json!({"command": "engine q add --title 'Test it' --after 20 -- 'switch'"}),
            ))
            .turn(
                Turn::new("written")
                    .kind(Kind::Subagent)
                    .last_contains("kept as ")
                    .after("kept")
                    .text("done: both"),
            )
            .turn(Turn::new("kept").kind(Kind::Main).tool_result_of("Agent").text("Kept."))
            .turn(
                Turn::new("notified")
                    .kind(Kind::Main)
                    .last_contains("<task-notification>")
                    .text("It is written."),
            );
    let run = ask(&bench, scenario, "/q it's time for {dark: mode} & `switch` $5", MANUAL);
    assert_eq!(run.result_text().as_deref(), Some("It is written."));
    let items = items(&bench);
    assert_eq!(items.len(), 2, "{items:?}");
    assert_eq!((&items[0]["title"], &items[1]["title"]), (&json!("Add a dark mode"), &json!("Test it")));
    assert_eq!(items[1]["after"], json!([items[0]["id"]]));
    assert_eq!(fragment(&bench, &items[0]["id"]), "it's time for {dark: mode} & `switch` $5");
    let text = engine(&bench, &["q", "show", items[0]["id"].as_str().unwrap()]);
    assert!(
        text.contains("\n## Goal\n\nIt's dark; `cargo test` passes.\n\n## Approach\n\nDirect change.\n"),
        "{text}"
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn pull_has_a_fresh_agent_carry_it_out() {
    let bench = bench(&["--with", "skills"]);
    engine(&bench, &["q", "add", "write theme.txt"]);
    let id = items(&bench)[0]["id"].as_str().unwrap().to_owned();
    let prompt = format!("Queue item {id}: write theme.txt\n\nCarry this out.");
    let agent = json!({"description": "Carry it out", "prompt": prompt, "subagent_type": "general-purpose",
        "run_in_background": false});
    let write = json!({"file_path": "${PROJECT}/theme.txt", "content": "dark\n"});
    let scenario = Scenario::new()
        .turn(
            Turn::new("claim")
                .kind(Kind::Main)
                .any_contains("One item, from the claim to its end.")
                .tool_use("Bash", json!({"command": "engine q pull"})),
        )
        .turn(
            Turn::new("delegate")
                .kind(Kind::Main)
                .last_contains("## Original fragment")
                .tool_result_error(false)
                .tool_use("Agent", agent),
        )
        .turn(
            Turn::new("work")
                .kind(Kind::Subagent)
                .prompt_contains("Carry this out.")
                .tool_use("Write", write),
        )
        .turn(Turn::new("worked").kind(Kind::Subagent).tool_result_of("Write").text("Wrote theme.txt."))
        .turn(
            Turn::new("check")
                .kind(Kind::Main)
                .tool_result_of("Agent")
                .tool_use("Bash", json!({"command": "git status --short"})),
        )
        .turn(
            Turn::new("done")
                .kind(Kind::Main)
                .last_contains("?? theme.txt")
                .tool_use("Bash", json!({"command": format!("engine q done {id}")})),
        )
        .turn(Turn::new("end").kind(Kind::Main).last_contains(": done").text("Carried out."));
    let run = ask(&bench, scenario, "/pull", &["--permission-mode", "acceptEdits"]);
    assert_eq!(run.result_text().as_deref(), Some("Carried out."));
    assert_eq!(fs::read_to_string(bench.project().join("theme.txt")).unwrap(), "dark\n");
    let items = items(&bench);
    assert_eq!(items[0]["state"], "done");
    assert!(items[0]["pulledBy"].as_str().is_some_and(|by| by.len() == 36), "{items:?}");
}

/// Words that were typed as `q:` are worked out when they are pulled.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn pull_has_raw_words_worked_out_first() {
    let bench = bench(&["--with", "skills"]);
    engine(&bench, &["q", "add", "dark mode"]);
    let id = items(&bench)[0]["id"].as_str().unwrap().to_owned();
    let agent = json!({"description": "Write the prompt", "prompt": format!("Queue item {id}."),
        "subagent_type": "prompt-writer", "run_in_background": false});
    let edit = format!(
        "engine q edit {id} --title 'Add a dark mode' --text - <<'EOF'\n## Goal\nIt is dark.\n\n## Approach\nDirect change.\nEOF"
    );
    let command = |name: &str, command: &str| {
        Turn::new(name).kind(Kind::Main).tool_use("Bash", json!({"command": command}))
    };
    let scenario = Scenario::new()
        .turn(command("claim", "engine q pull").any_contains("Where its approach says `Not worked out yet.`"))
        .turn(command("back", &format!("engine q release {id}")).last_contains("Not worked out yet."))
        .turn(Turn::new("have it written").kind(Kind::Main).last_contains(": open").tool_use("Agent", agent))
        .turn(
            Turn::new("write")
                .kind(Kind::Subagent)
                .prompt_contains("Queue item")
                .tool_use("Bash", json!({"command": edit})),
        )
        .turn(Turn::new("written").kind(Kind::Subagent).tool_result_of("Bash").text(&format!("done: {id}")))
        .turn(command("claim again", &format!("engine q pull {id}")).tool_result_of("Agent"))
        .turn(Turn::new("end").kind(Kind::Main).last_contains("Direct change.").text("Claimed."));
    let run = ask(&bench, scenario, "/pull", MANUAL);
    assert_eq!(run.result_text().as_deref(), Some("Claimed."));
    let items = items(&bench);
    assert_eq!((&items[0]["state"], &items[0]["title"]), (&json!("pulled"), &json!("Add a dark mode")));
    assert_eq!(fragment(&bench, &items[0]["id"]), "dark mode");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn pull_puts_back_what_failed_and_ends_where_there_is_nothing() {
    let bench = bench(&["--with", "skills"]);
    let empty = Scenario::new()
        .turn(
            Turn::new("claim")
                .any_contains("One item, from the claim to its end.")
                .tool_use("Bash", json!({"command": "engine q pull"})),
        )
        .turn(
            Turn::new("end")
                .tool_result_of("Bash")
                .tool_result_error(true)
                .last_contains("engine: the queue is empty")
                .text("The queue is empty."),
        );
    let run = ask(&bench, empty, "/pull", MANUAL);
    assert_eq!(run.result_text().as_deref(), Some("The queue is empty."));
    engine(&bench, &["q", "add", "ask the user"]);
    let id = items(&bench)[0]["id"].as_str().unwrap().to_owned();
    let agent = json!({"description": "Carry it out", "prompt": "Carry this out.", "subagent_type": "general-purpose",
        "run_in_background": false});
    let scenario = Scenario::new()
        .turn(
            Turn::new("claim")
                .kind(Kind::Main)
                .any_contains("One item, from the claim to its end.")
                .tool_use("Bash", json!({"command": format!("engine q pull {id}")})),
        )
        .turn(
            Turn::new("delegate")
                .kind(Kind::Main)
                .last_contains("## Original fragment")
                .tool_use("Agent", agent),
        )
        .turn(
            Turn::new("stopped")
                .kind(Kind::Subagent)
                .prompt_contains("Carry this out.")
                .text("Which colour?"),
        )
        .turn(
            Turn::new("back")
                .kind(Kind::Main)
                .tool_result_of("Agent")
                .tool_use("Bash", json!({"command": format!("engine q release {id}")})),
        )
        .turn(Turn::new("end").kind(Kind::Main).last_contains(": open").text("Which colour?"));
    let run = ask(&bench, scenario, &format!("/pull {id}"), MANUAL);
    assert_eq!(run.result_text().as_deref(), Some("Which colour?"));
    let items = items(&bench);
    assert_eq!((&items[0]["state"], &items[0]["pulledBy"]), (&json!("open"), &Value::Null));
}

/// As the skills and the agent write them, with what people put in: quotes, brackets, several lines.
const COMMANDS: &[&str] = &[
    "engine q add -- 'two\nlines: it'\\''s {a: \"b\"}, $HOME, `x` & | > y; - [ ] done'",
    "engine q add - <<'EOF'\n# Heading\nIt's {\"a\": [1]} and `x`.\nEOF",
    "engine q add --title 'Test it' --after 2031 -- 'switch'",
    "engine q edit 20 --title 'It'\\''s dark' --text - <<'EOF'\n## Goal\n- [ ] `cargo test` says \"ok\"\n\n## Relevant files\n- `src/{a,b}.rs`: it's there\nEOF",
    "engine q edit 20 --section Goal --text 'A switch.'",
    "engine q list --all",
];

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn the_commands_of_the_queue_open_no_dialog() {
    let bench = bench(&["--with", "skills"]);
    let mut scenario = Scenario::new();
    for (index, command) in COMMANDS.iter().enumerate() {
        let turn = Turn::new(command).tool_use("Bash", json!({"command": command}));
        scenario = scenario.turn(match index {
            0 => turn.prompt_contains("go"),
            _ => turn.tool_result_of("Bash"),
        });
    }
    let scenario = scenario.turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let run = ask(&bench, scenario, "go", MANUAL);
    let requests = run.record.of(Kind::Main);
    for (command, request) in COMMANDS.iter().zip(&requests[1..]) {
        let answer = request.tool_results().pop().unwrap().text;
        let refused = ["requires approval", "been denied", "was blocked", "obfuscation"];
        assert!(!refused.iter().any(|word| answer.contains(word)), "{command}\n{answer}");
    }
    let typed: Vec<Value> = items(&bench).iter().map(|item| fragment(&bench, &item["id"])).collect();
    assert_eq!(
        typed,
        [
            "two\nlines: it's {a: \"b\"}, $HOME, `x` & | > y; - [ ] done",
            "# Heading\nIt's {\"a\": [1]} and `x`.\n",
            "switch"
        ]
    );
}
