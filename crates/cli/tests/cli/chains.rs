//! Chains through the hook and the commands: one test per case of their list, numbered as there.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{Output, Stage, run};

const TO_THE_END: &str = "[\"/handoff --commit\", \"/commit\"]";

pub(crate) fn skill(stage: &Stage, path: &str, continuation: &str) {
    let name = path.rsplit('/').next().unwrap();
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n{continuation}\n---\nBody.\n");
    let path = stage.root().join(path).join("SKILL.md");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The registry of the cases: six skills of the project and one of a plugin.
pub(crate) fn stage() -> Stage {
    let stage = Stage::new();
    for name in ["design", "plan-adhoc", "plan-tdd", "orchestrate"] {
        let exits = format!("continuation: {{cooperative: true, default-exit: {TO_THE_END}}}");
        skill(&stage, &format!(".claude/skills/{name}"), &exits);
    }
    let by_flag = "continuation: {cooperative: true, default-exit-when: {\"--commit\": [\"/commit\"]}}";
    skill(&stage, ".claude/skills/handoff", by_flag);
    skill(&stage, ".claude/skills/commit", "continuation: {cooperative: true, default-exit: []}");
    skill(&stage, ".claude/skills/lint", "");
    skill(&stage, "../market/tools/skills/review", "continuation: {cooperative: true}");
    let market = stage.root().join("../market").canonicalize().unwrap();
    stage.write(
        "../market/.claude-plugin/marketplace.json",
        r#"{"name":"m","plugins":[{"name":"tools","source":"./tools"}]}"#,
    );
    stage.write("../market/tools/.claude-plugin/plugin.json", r#"{"name":"tools"}"#);
    let known = json!({"m": {"source": {"source": "directory", "path": market}, "installLocation": market}});
    stage.write("../home/.claude/plugins/known_marketplaces.json", &known.to_string());
    stage.write("../home/.claude/settings.json", r#"{"enabledPlugins":{"tools@m":true}}"#);
    stage
}

pub(crate) fn parse(stage: &Stage, prompt: &str, args: &[&str]) -> Output {
    run(stage.command(&[&["chain", "parse"], args].concat()), Some(prompt.as_bytes()))
}

/// `a(x) → b(y)`, unknown names behind `?`.
pub(crate) fn parsed(stage: &Stage, prompt: &str) -> String {
    let value = parse(stage, prompt, &["--json"]).json();
    if value.is_null() {
        return "none".into();
    }
    let shown =
        |entry: &Value| format!("{}({})", entry["skill"].as_str().unwrap(), entry["args"].as_str().unwrap());
    let mut all = vec![shown(&value["current"])];
    all.extend(value["continuation"].as_array().unwrap().iter().map(shown));
    let unknown: String = value["unknown"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| format!(" ?{}", name.as_str().unwrap()))
        .collect();
    all.join(" → ") + &unknown
}

#[test]
fn cases_01_to_12_are_parsed_as_listed() {
    let stage = stage();
    let cases = [
        ("/design plans/foo", "design(plans/foo) → handoff(--commit) → commit()"),
        (
            "/design plans/foo, /plan-adhoc and /orchestrate",
            "design(plans/foo) → plan-adhoc() → orchestrate() → handoff(--commit) → commit()",
        ),
        (
            "/design a, /plan-adhoc b then /orchestrate c",
            "design(a) → plan-adhoc(b) → orchestrate(c) → handoff(--commit) → commit()",
        ),
        ("/handoff and /commit", "handoff() → commit()"),
        ("/handoff, then /commit", "handoff() → commit()"),
        ("/handoff,/commit", "handoff() → commit()"),
        ("/handoff", "handoff()"),
        ("/handoff --commit", "handoff(--commit) → commit()"),
        ("/commit", "commit()"),
        ("I'll go with the second option.\n/handoff\n/commit", "handoff() → commit()"),
        (
            "/design plans/foo and\n- /plan-adhoc design.md\n- /orchestrate foo",
            "design(plans/foo) → plan-adhoc(design.md) → orchestrate(foo) → handoff(--commit) → commit()",
        ),
        (
            "/design plans/foo and\n    - /plan-adhoc design.md\n    - /orchestrate foo",
            "design(plans/foo) → plan-adhoc(design.md) → orchestrate(foo) → handoff(--commit) → commit()",
        ),
        ("/tools:review x, /commit", "tools:review(x) → commit()"),
        ("/design see /plan-adhoc/notes.md then /commit", "design(see /plan-adhoc/notes.md) → commit()"),
        ("compare /design to /orchestrate", "none"),
        ("update /design and the /commit skill", "none"),
        ("Remember to use /commit", "none"),
        ("run `/handoff` then `/commit`", "none"),
        ("```\n/design x\n/commit\n```", "none"),
        ("> /handoff\n> /commit", "none"),
        ("(/handoff) and (/commit)", "none"),
        ("note: use /handoff then /commit", "none"),
        ("<bash-stdout>Running /handoff</bash-stdout>", "none"),
        ("Review /orchestrate-redesign/design.md", "none"),
        ("https://x.y/design and /commit", "none"),
        ("/commit with message \"see /handoff, /design\"", "commit(with message \"see /handoff, /design\")"),
        ("design and implement", "none"),
        ("/design foo, /unknown bar and /commit", "design(foo, /unknown bar) → commit() ?unknown"),
        ("/design foo, /lint x", "design(foo, /lint x) → handoff(--commit) → commit()"),
        ("/lint foo, /commit", "none"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(parsed(&stage, prompt), expected, "{prompt:?}");
    }
}

#[test]
fn parse_tells_what_and_why() {
    let stage = stage();
    insta::assert_snapshot!(parse(&stage, "/design foo, /unknown bar and /commit\n", &["--explain"]).stdout, @r#"
    /design "foo, /unknown bar"
    /commit
    unknown: /unknown
    1:1 /design: entry: the prompt starts with it
    1:14 /unknown: text: no skill has this name
    1:31 /commit: entry: after a delimiter
    "#);
    insta::assert_snapshot!(parse(&stage, "/design x", &[]).stdout, @r"
    /design x
    /handoff --commit   (exit)
    /commit   (exit)
    ");
    assert_eq!(
        parse(&stage, "/design x", &["--json"]).stdout,
        "{\"continuation\":[{\"args\":\"--commit\",\"skill\":\"handoff\"},{\"args\":\"\",\"skill\":\"commit\"}],\"current\":{\"args\":\"x\",\"skill\":\"design\"},\"leftOut\":[],\"offered\":[],\"unknown\":[]}\n"
    );
    assert_eq!(parse(&stage, "hello", &["--json"]).stdout, "null\n");
    assert_eq!(
        parse(&stage, "We have:\n/handoff\n/commit", &["--explain"]).stdout,
        "no chain\n2:1 /handoff: text: the line above talks about the lines\n3:1 /commit: text: the line above talks about the lines\n"
    );
}

#[test]
fn case_13_and_14_peeling() {
    let stage = Stage::bare();
    let peel = |text: &str| run(stage.command(&["chain", "peel"]), Some(text.as_bytes()));
    assert_eq!(peel("[CONTINUATION: /a x, /b]").stdout, "/a x\n[CONTINUATION: /b]\n");
    assert_eq!(peel("[CONTINUATION: /b]").stdout, "/b\n");
    for end in ["[CONTINUATION: ]", "x", "[CONTINUATION: /a"] {
        let out = peel(end);
        assert_eq!(
            (out.code, out.stderr.as_str()),
            (Some(3), "engine: no continuation: the end of the chain\n")
        );
    }
    // An argument with everything in it survives every step.
    let nasty = "a, [b] \"c\" \\ , /d\nend";
    let mut text = format!("y [CONTINUATION: /one, /two {}, /three]", serde_json::to_string(nasty).unwrap());
    let mut seen = Vec::new();
    loop {
        let mut command = stage.command(&["chain", "peel", "--json"]);
        command.env("NONE", "");
        let value = run(command, Some(text.as_bytes())).json();
        seen.push(value["next"]["args"].as_str().unwrap().to_owned());
        let Some(rest) = value["rest"].as_str() else { break };
        text = rest.to_owned();
    }
    assert_eq!(seen, ["", nasty, ""]);
}

#[test]
fn case_22_transcripts_are_read_and_judged_by_the_reader() {
    let stage = stage();
    let line = |text: &str| {
        json!({"type": "user", "isSidechain": false, "origin": {"kind": "human"}, "message": {"role": "user", "content": text}}).to_string()
    };
    let prompts = [
        "/handoff\n/commit",
        "fix the parser",
        "look at /etc/hosts",
        "Fine.\n/commit",
        "/design foo, /nope bar",
    ];
    let mut lines: Vec<String> = prompts.iter().map(|prompt| line(prompt)).collect();
    lines.push(
        json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "/handoff\n/commit"}})
            .to_string(),
    );
    stage.write("../transcripts/p/one.jsonl", &lines.join("\n"));
    insta::assert_snapshot!(stage.ok(&["chain", "validate", "../transcripts"]), @r#"
    5 prompts in 1 transcript, 4 with a slash: 2 chains, 0 possible misses, 1 doubtful
    chain p/one.jsonl:1 /handoff /commit
        /handoff, /commit
    chain p/one.jsonl:5 /design foo, /nope bar
        /design "foo, /nope bar"; exits /handoff --commit, /commit
        /nope: text: no skill has this name
    doubtful p/one.jsonl:4 Fine. /commit
        /commit: text: one line alone after other text
    "#);
    let json = stage.engine(&["chain", "validate", "../transcripts", "--json"]).json();
    assert_eq!(
        json["chains"][0]["entries"],
        json!([{"skill": "handoff", "args": ""}, {"skill": "commit", "args": ""}])
    );
    let none = stage.engine(&["chain", "validate", "nowhere"]);
    assert_eq!(
        (none.code, none.stderr.as_str()),
        (Some(1), "engine: nowhere: No such file or directory (os error 2)\n")
    );
}

/// The labelled prompts through the built binary, with the exits that follow the last entry.
#[test]
fn the_corpus_through_the_front_door() {
    let stage = stage();
    // As the corpus has it: a skill that only a person can start, and a short name for the plugin's.
    skill(
        &stage,
        ".claude/skills/deploy",
        "disable-model-invocation: true\ncontinuation: {cooperative: true}",
    );
    let corpus = include_str!("../../../core/tests/corpus/prompts.jsonl");
    let exits = |skill: &str, args: &str| match skill {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" => " → handoff(--commit) → commit()",
        "handoff" if args.split_whitespace().any(|word| word == "--commit") => " → commit()",
        _ => "",
    };
    let mut seen = 0;
    for line in corpus.lines() {
        let label: Value = serde_json::from_str(line).unwrap();
        let prompt = label["prompt"].as_str().unwrap();
        let expected = match label["chain"].as_array() {
            None => "none".to_owned(),
            Some(entries) => {
                let words: Vec<(&str, &str)> = entries
                    .iter()
                    .map(|entry| (entry[0].as_str().unwrap(), entry[1].as_str().unwrap()))
                    .collect();
                let all: Vec<String> = words.iter().map(|(skill, args)| format!("{skill}({args})")).collect();
                let (skill, args) = words[words.len() - 1];
                let unknown = label["unknown"].as_array().unwrap().iter();
                let unknown: String = unknown.map(|name| format!(" ?{}", name.as_str().unwrap())).collect();
                format!("{}{}{unknown}", all.join(" → "), exits(skill, args))
            }
        };
        // The command takes the last line end off, as a shell's echo puts one there.
        assert_eq!(parsed(&stage, &format!("{prompt}\n")), expected, "{prompt:?}");
        seen += 1;
    }
    assert!(seen >= 700);
}
