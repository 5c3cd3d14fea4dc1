use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    match Protocol::of_skill(text) {
        Ok(protocol) => serde_json::to_string(&protocol).unwrap(),
        Err(problems) => {
            let lines: Vec<String> =
                problems.iter().map(|problem| format!("{}: {}", problem.line, problem.text)).collect();
            lines.join("\n")
        }
    }
}

const JSON: &str = r#"---
name: build
description: Builds.
---
# Build

```json
{
	"taskType": "IMPLEMENTATION",
	"phases": [
		{"label": "4.10", "name": "Late"},
		{"label": 1, "name": "Setup: first", "steps": ["§CMD_LOG"], "commands": ["engine log"],
		 "proof": ["mode", {"name": "testsPass", "type": "string", "evidence": "command"}], "gate": true}
	],
	"nextSkills": ["/commit"],
	"directives": ["TESTING.md"],
	"logTemplate": "templates/log.md",
	"modes": {"tdd": {"label": "TDD", "description": "Tests first", "file": "modes/tdd.md"}}
}
```
"#;

#[test]
fn a_json_block_is_read() {
    insta::assert_snapshot!(shown(JSON), @r#"{"taskType":"IMPLEMENTATION","phases":[{"label":"1","name":"Setup: first","steps":["§CMD_LOG"],"commands":["engine log"],"proof":[{"name":"mode"},{"name":"testsPass","type":"string","evidence":"command"}],"gate":true},{"label":"4.10","name":"Late","gate":false}],"nextSkills":["/commit"],"directives":["TESTING.md"],"logTemplate":"templates/log.md","planTemplate":null,"debriefTemplate":null,"requestTemplate":null,"responseTemplate":null,"modes":{"tdd":{"label":"TDD","description":"Tests first","file":"modes/tdd.md"}},"small":[]}"#);
}

#[test]
fn front_matter_counts_before_a_json_block() {
    let text = "---\nname: x\nengine:\n  taskType: FIX\n  phases:\n    - label: 4.10\n      name: A\n      proof: [a]\n    - {label: 4.2, name: B}\n---\n```json\n{\"phases\": []}\n```\n";
    insta::assert_snapshot!(shown(text), @r#"{"taskType":"FIX","phases":[{"label":"4.2","name":"B","gate":false},{"label":"4.10","name":"A","proof":[{"name":"a"}],"gate":false}],"nextSkills":[],"directives":[],"logTemplate":null,"planTemplate":null,"debriefTemplate":null,"requestTemplate":null,"responseTemplate":null,"modes":{},"small":[]}"#);
}

#[test]
fn without_a_block_there_is_no_protocol() {
    let cases = [
        "",
        "# Skill\n\ntext",
        "---\nname: x\n---\n```json\n{\"an\": \"example\"}\n```\n",
        "````md\n```json\n{\"phases\": 1}\n```\n````\n",
        "```json\n{\"phases\": [\n",
        "```\n{\"phases\": 1}\n```\n",
    ];
    for text in cases {
        assert_eq!(shown(text), "null", "{text}");
    }
}

#[test]
fn everything_wrong_is_told_at_once_with_its_line() {
    let text = r#"# Skill
```json
{
  "taskType": "",
  "phases": [
    {"label": "1a", "name": "A"},
    {"label": "2", "name": "B", "prof": ["x"], "gate": "maybe"},
    {"label": "3", "name": "C", "steps": ["CMD_X", "§CMD_Y"]},
    {"label": "3", "name": "D"},
    {"name": "E"},
    {"label": "4", "name": "F", "proof": ["a", "a", {"name": "b", "evidence": "word"}, {"type": "text"}, {}]},
    7
  ],
  "phases": [],
  "nextSkills": ["commit"],
  "directives": ["../TESTING.md"],
  "logTemplate": "../x.md",
  "modes": {"a": {"label": "A", "file": "/a.md"}, "b": {}},
  "colour": 1
}
```
"#;
    insta::assert_snapshot!(shown(text), @r#"
    4: taskType is empty
    6: "1a" is no label of a phase: 2, 2.1, 2.1A and 2.A are
    7: a phase: prof is not known; known: label, name, steps, commands, proof, gate
    7: gate is neither true nor false
    8: steps: CMD_X is not written §CMD_NAME
    9: the label 3 stands twice
    10: a phase has a label and a name
    11: proof: a stands twice
    11: proof: evidence: word is not one of command, tests, failed, fixed, file, plan, steps, debrief, checklists, mode, commit, push
    11: proof: type: text is not one of string, number, integer, boolean, array, object
    11: proof: a field has a name
    12: a phase is no mapping
    14: engine: phases stands twice
    15: nextSkills: commit is not written /skill
    16: directives: ../TESTING.md is not the name of a Markdown file
    17: logTemplate: ../x.md is not in the skill's folder
    18: file: /a.md is not in the skill's folder
    18: the mode b has a label, a description and a file
    19: engine: colour is not known; known: taskType, phases, nextSkills, directives, logTemplate, planTemplate, debriefTemplate, requestTemplate, responseTemplate, modes, small
    "#);
}

#[test]
fn broken_json_is_told_with_its_line() {
    let cases = [
        "x\n```json\n{\n  \"phases\": [,]\n}\n```\n",
        "```json\n[\"phases\"]\n```\n",
        "```json\n{\"phases\": []}\n```\n",
        "---\nname: x\nengine: yes\n---\n",
    ];
    let all: Vec<String> = cases.map(shown).to_vec();
    insta::assert_snapshot!(all.join("\n"), @"
    4: the JSON block with the phases is not valid: expected value
    2: not a mapping
    2: a protocol has phases
    3: engine is no mapping
    ");
}

#[test]
fn what_is_stored_is_read_again() {
    let protocol = Protocol::of_skill(JSON).unwrap().unwrap();
    let text = serde_json::to_string(&protocol).unwrap();
    assert_eq!(serde_json::from_str::<Protocol>(&text).unwrap(), protocol);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(?s)(---\nengine:\n.{0,60}\n---\n)?(```json\n[{\"phases\": \\[\\]}a,]{0,40}\n```)?.{0,40}") {
        let _ = Protocol::of_skill(&text);
    }
}
