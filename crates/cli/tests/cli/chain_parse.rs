//! How prompts are read, through the built binary: what is an entry, which exits follow, and what the person is told.

use serde_json::json;

use crate::chains::{parse, parsed, skill, stage};
use crate::stage::{SESSION, Stage, run};

/// With the two skills that take free text.
fn with_free_text() -> Stage {
    let stage = stage();
    for name in ["q", "do"] {
        let text = "continuation: {cooperative: true, args: rest, default-exit: []}";
        skill(&stage, &format!(".claude/skills/{name}"), text);
    }
    stage
}

/// What the person and the model are told about a prompt.
fn told(stage: &Stage, prompt: &str) -> (String, String) {
    let out = stage.hook(&stage.prompt(prompt));
    if out.stdout.is_empty() {
        return (String::new(), String::new());
    }
    let value = out.json();
    let context = value["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    (value["systemMessage"].as_str().unwrap_or_default().to_owned(), context.to_owned())
}

#[test]
fn a_forbidden_exit_is_left_out_and_quoted() {
    let stage = with_free_text();
    let (person, model) = told(&stage, "/design plans/a, but do not commit anything");
    assert_eq!(
        person,
        "engine: chain: /handoff; left out: /commit (you wrote \"do not commit anything\"); engine chain drop cancels"
    );
    insta::assert_snapshot!(model, @r#"
    [CONTINUATION-PASSING]
    Current: /design "plans/a, but do not commit anything"
    Continuation: /handoff

    When the work of the current skill is done, the next entry is called with the Skill tool:
      Skill(skill: "handoff", args: "")
    The continuation belongs in Skill calls only, not in a subagent's prompt.
    "#);
    let shown = stage.ok(&["chain", "show", "--session", SESSION]);
    assert_eq!(shown, "current  /design \"plans/a, but do not commit anything\"\nnext     /handoff\n");
    // The name itself is forbidden, and not named a second time.
    for (prompt, words) in [
        ("/design foo, but not /commit", "not /commit"),
        ("/design foo and don't /commit", "don't /commit"),
        ("/design foo without /commit", "without /commit"),
        ("/design foo then do not /commit", "do not /commit"),
    ] {
        let (person, model) = told(&stage, prompt);
        let first = person.lines().next().unwrap_or_default();
        assert_eq!(
            first,
            format!(
                "engine: chain: /handoff; left out: /commit (you wrote \"{words}\"); engine chain drop cancels"
            ),
            "{prompt}"
        );
        assert!(!model.contains("Continuation: /commit") && !model.contains("\"commit\""), "{model}");
        assert!(!person.contains("read as text"), "{person}");
    }
    let (person, model) = told(&stage, "/orchestrate x. Do not hand off. Do not commit.");
    assert_eq!(
        person.lines().next(),
        Some(
            "engine: left out: /handoff --commit (you wrote \"Do not hand off\"), /commit (you wrote \"Do not commit\")"
        )
    );
    assert!(!model.contains("Skill("), "{model}");
}

#[test]
fn exits_can_be_switched_off_or_offered() {
    let stage = stage();
    let fresh = |prompt: &str| {
        stage.engine(&["chain", "drop", "--session", SESSION]);
        told(&stage, prompt)
    };
    assert_eq!(fresh("/design x --no-exit"), (String::new(), String::new()));
    stage.write(".engine/config.toml", "[chain]\nexits = \"never\"\n");
    assert_eq!(fresh("/design x").0, "");
    // A flag that was typed is an order.
    assert_eq!(fresh("/handoff --commit").0, "engine: chain: /commit; engine chain drop cancels");
    stage.write(".engine/config.toml", "[chain]\nexits = \"ask\"\n");
    let (person, model) = fresh("/design x, no handoff");
    assert_eq!(
        person,
        "engine: left out: /handoff --commit (you wrote \"no handoff\")\nengine: exits offered when the chain is done: /commit"
    );
    assert!(!model.contains("commit"), "{model}");
    insta::assert_snapshot!(stage.ok(&["chain", "parse", "/design x, no handoff"]), @r#"
    /design "x, no handoff"
    left out: /handoff --commit (the prompt says "no handoff")
    offered when the chain is done: /commit
    "#);
    assert_eq!(
        stage.engine(&["chain", "parse", "--json", "/design x, no handoff"]).json(),
        json!({"current": {"skill": "design", "args": "x, no handoff"}, "continuation": [], "unknown": [],
            "leftOut": [{"skill": "handoff", "args": "--commit", "words": "no handoff"}],
            "offered": [{"skill": "commit", "args": ""}]})
    );
    stage.write(".engine/config.toml", "[chain]\nexits = \"sometimes\"\n");
    let check = stage.engine(&["config", "get", "chain.exits"]);
    assert_eq!(check.stdout, "always\n");
}

#[test]
fn skills_that_were_read_as_text_are_named_to_the_person() {
    let stage = with_free_text();
    let line = |prompt: &str| {
        stage.engine(&["chain", "drop", "--session", SESSION]);
        let (person, model) = told(&stage, prompt);
        assert!(!model.contains("read as text"), "the model is not told: {model}");
        let mut lines = person.lines().filter(|line| line.contains("read as text"));
        lines.next().unwrap_or_default().to_owned()
    };
    let text = |names: &str| format!("engine: read as text: {names}; engine chain parse --explain");
    for (prompt, expected) in [
        ("/handoff compare /plan-adhoc and /orchestrate", text("/plan-adhoc, /orchestrate")),
        ("/handoff foo -> /commit", text("/commit")),
        ("/handoff foo, /commit is red", text("/commit")),
        ("/handoff foo, /commit: fix it", text("/commit")),
        ("/handoff foo, never /commit", text("/commit")),
        ("/handoff routes /users, /commit", text("/commit")),
        ("/handoff the user types\n/commit\nand waits", text("/commit")),
        ("/handoff see /handoff", String::new()),
        ("/handoff see `/commit` and \"x, /commit\"", String::new()),
        ("/q idea with a comma, /commit it later", String::new()),
        ("compare /design to /orchestrate", String::new()),
        (
            "/handoff a /design b /plan-adhoc c /plan-tdd d /orchestrate e /commit f /q",
            text("/design, /plan-adhoc, /plan-tdd, /orchestrate, /commit, 1 more"),
        ),
    ] {
        assert_eq!(line(prompt), expected, "{prompt}");
    }
    assert_eq!(told(&stage, "/q idea with a comma, /commit it later"), (String::new(), String::new()));
}

/// The prompts of the findings: what they were cut into, and what they are.
#[test]
fn findings_through_the_front_door() {
    let stage = with_free_text();
    let exits = " → handoff(--commit) → commit()";
    for args in [
        "the help prints ```\n/design NAME\n/commit\n``` and it should not",
        "fix: ```sh\n$ claude\n/commit\n```",
        "~~~\n/commit\n~~~",
        "a CLI where the user types\n/commit\nand the tool asks for a message",
        "why does typing\n/commit\nnot work?",
        "a menu with\n/handoff\n/commit\nas items",
        "REST routes /users, /commit, /handoff",
        "a parser for the prompts\n/design x, /plan-adhoc\n/handoff --commit",
        "flow design -> plan, then /commit prints STATUS",
        "(see notes), /commit hooks should run",
    ] {
        assert_eq!(parsed(&stage, &format!("/design {args}")), format!("design({args}){exits}"));
    }
    for (prompt, expected) in [
        (
            "/commit everything except plans/, and /handoff notes stay out",
            "commit(everything except plans/, and /handoff notes stay out)",
        ),
        (
            "/handoff note: next session runs /design foo, then /plan-adhoc",
            "handoff(note: next session runs /design foo, then /plan-adhoc)",
        ),
        ("/q idea with a comma, /commit it later", "q(idea with a comma, /commit it later)"),
        ("/design foo → /plan-adhoc", "design(foo) → plan-adhoc() → handoff(--commit) → commit()"),
        ("/design foo; then /commit", "design(foo) → commit()"),
        ("/design foo – then /commit", "design(foo) → commit()"),
        ("/design foo，/commit", "design(foo) → commit()"),
        ("/design foo followed by /commit", "design(foo) → commit()"),
    ] {
        assert_eq!(parsed(&stage, prompt), expected, "{prompt}");
    }
    let prompt = "/design x, not /commit or `/q`\n- /handoff\n/users, /plan-adhoc: y\n";
    insta::assert_snapshot!(parse(&stage, prompt, &["--explain"]).stdout, @r#"
    /design "x, not /commit or `/q`\n- /handoff\n/users, /plan-adhoc: y"
    /handoff   (exit)
    left out: /commit (the prompt says "not /commit or `/q`")
    1:1 /design: entry: the prompt starts with it
    1:16 /commit: text: the words before it forbid it
    1:28 /q: text: in code
    2:3 /handoff: text: in an item of a list that is not a chain
    3:9 /plan-adhoc: text: a mark is glued to the name
    "#);
}

#[test]
fn peel_takes_an_argument() {
    let stage = Stage::bare();
    assert_eq!(stage.ok(&["chain", "peel", "--x [CONTINUATION: /a y, /b]"]), "/a y\n[CONTINUATION: /b]\n");
    let none = stage.engine(&["chain", "peel", "x"]);
    assert_eq!(
        (none.code, none.stderr.as_str()),
        (Some(3), "engine: no continuation: the end of the chain\n")
    );
}

#[test]
fn validate_lists_misses_and_counts_verdicts() {
    let stage = with_free_text();
    let line = |text: &str| {
        json!({"type": "user", "isSidechain": false, "origin": {"kind": "human"}, "message": {"role": "user", "content": text}}).to_string()
    };
    let prompts = [
        "/handoff\n/commit",
        "/design foo → /plan-adhoc",
        "/design foo -> /plan-adhoc",
        "do /design foo, then /commit",
        "```\n/design x\n/commit\n```",
        "/q what do /design and /commit do",
        "Fine.\n/commit",
    ];
    let lines: Vec<String> = prompts.iter().map(|prompt| line(prompt)).collect();
    stage.write("../transcripts/one.jsonl", &lines.join("\n"));
    insta::assert_snapshot!(stage.ok(&["chain", "validate", "../transcripts"]), @r"
    7 prompts in 1 transcript, 7 with a slash: 4 chains, 2 possible misses, 1 doubtful
    chain one.jsonl:1 /handoff /commit
        /handoff, /commit
    chain one.jsonl:2 /design foo → /plan-adhoc
        /design foo, /plan-adhoc; exits /handoff --commit, /commit
    chain one.jsonl:6 /q what do /design and /commit do
        /q what do /design and /commit do
    miss? one.jsonl:3 /design foo -> /plan-adhoc
        /design foo -> /plan-adhoc; exits /handoff --commit, /commit
        /plan-adhoc: text: no delimiter before it
    miss? one.jsonl:4 do /design foo, then /commit
        /design: text: the prompt does not start with a skill
        /commit: text: the prompt does not start with a skill
    doubtful one.jsonl:7 Fine. /commit
        /commit: text: one line alone after other text
    ");
    let label = |stage: &Stage| {
        let args = ["chain", "validate", "../transcripts", "--label", "verdicts.jsonl"];
        let out = stage.ok(&args);
        let rates: Vec<&str> = out.lines().rev().take(3).collect();
        rates.into_iter().rev().collect::<Vec<_>>().join("\n")
    };
    assert_eq!(label(&stage), "false positives: 0 of 0 judged\nmisses: 0 of 0 judged\nnot judged: 5");
    let verdicts = stage.read("verdicts.jsonl");
    assert_eq!(
        verdicts.lines().next(),
        Some(
            "{\"verdict\":\"\",\"read\":\"/handoff, /commit\",\"prompt\":\"/handoff /commit\",\"fingerprint\":\"2f1cafb44e3f771a\"}"
        )
    );
    // The person judges: the first three right, the fourth a miss.
    let judge = |(index, line): (usize, &str)| {
        let verdict = match index {
            0..=2 => "yes",
            3 => "no",
            _ => "",
        };
        line.replace("\"verdict\":\"\"", &format!("\"verdict\":\"{verdict}\""))
    };
    let judged: Vec<String> = verdicts.lines().enumerate().map(judge).collect();
    stage.write("verdicts.jsonl", &judged.join("\n"));
    assert_eq!(label(&stage), "false positives: 0 of 3 judged\nmisses: 1 of 1 judged\nnot judged: 1");
    assert_eq!(stage.read("verdicts.jsonl"), judged.join("\n"), "nothing to add, nothing written");
    let json = run(
        stage.command(&["chain", "validate", "../transcripts", "--label", "verdicts.jsonl", "--json"]),
        None,
    )
    .json();
    assert_eq!(
        json["rates"],
        json!({"falsePositives": {"wrong": 0, "judged": 3}, "misses": {"wrong": 1, "judged": 1}, "unjudged": 1})
    );
    stage.write("verdicts.jsonl", &judged.join("\n").replacen("yes", "maybe", 1));
    let refused = stage.engine(&["chain", "validate", "../transcripts", "--label", "verdicts.jsonl"]);
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (Some(1), "engine: verdicts.jsonl, line 1: the verdict is yes, no or empty, not \"maybe\"\n")
    );
}

#[test]
fn no_spelling_of_a_continuation_reaches_a_subagent() {
    let stage = stage();
    stage.hook(&stage.prompt("/design plans/foo, /commit"));
    let agent = |prompt: &str| {
        let input = json!({"description": "Review", "prompt": prompt, "subagent_type": "general-purpose"});
        let fields = json!({"tool_name": "Agent", "tool_input": input, "session_id": SESSION});
        let out = stage.hook(&stage.event_with("PreToolUse.Agent", &fields));
        if out.stdout.is_empty() {
            return "passes".to_owned();
        }
        let reason = out.json()["hookSpecificOutput"]["permissionDecisionReason"].clone();
        let reason = reason.as_str().unwrap_or_default().to_owned();
        reason.split_once("without it:\n\n").map(|(_, clean)| clean.to_owned()).unwrap_or(reason)
    };
    for (prompt, expected) in [
        ("Look. [CONTINUATION-PASSING] Continuation: /commit", "Look."),
        ("Look.\nContinuation: /commit", "Look."),
        ("Look. [continuation: /commit]", "Look."),
        ("Look. Then Skill(skill: \"commit\", args: \"\").", "Look. Then."),
        ("Look.\nIt replaces an earlier chain, of which /plan-adhoc was left.", "Look."),
        ("Look at `Skill(skill: \"commit\")` and `Continuation: /commit`.", "passes"),
        ("Look at Skill(skill: \"handoff\").", "passes"),
    ] {
        assert_eq!(agent(prompt), expected, "{prompt}");
    }
}
