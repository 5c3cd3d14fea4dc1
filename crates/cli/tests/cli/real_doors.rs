//! The doors beside the shell, with the real client: what was refused did not run, and the model read why.

use engine_testkit::{Bench, Kind, Scenario, Turn};
use serde_json::{Value, json};

use crate::real_client::{BYPASS, ask, bench, last};

const RESET: &str = "is refused: uncommitted work in the tree would be lost. Instead: git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files.";

/// A server over stdio that really runs and writes. Its input holds no escapes.
const SERVER: &str = r#"
field() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')" "$1"; }
while IFS= read -r line; do
    case $line in
    *'"method":"initialize"'*)
        answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"box","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        answer '{"tools":[{"name":"run","description":"Runs a command.","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}}},{"name":"write_file","description":"Writes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}}}}]}' ;;
    *'"name":"run"'*)
        answer "{\"content\":[{\"type\":\"text\",\"text\":\"$(sh -c "$(field command)")\"}]}" ;;
    *'"name":"write_file"'*)
        printf '%s' "$(field content)" > "$(field path)"
        answer '{"content":[{"type":"text","text":"written"}]}' ;;
    esac
done
"#;

/// A project with work that a reset would take away.
fn unsaved() -> Bench {
    let bench = bench(&[]);
    bench.write("work.txt", "committed\n").unwrap();
    bench.commit_all("start").unwrap();
    bench.write("work.txt", "not committed\n").unwrap();
    bench
}

fn is_kept(bench: &Bench) {
    assert_eq!(bench.read("work.txt").unwrap(), "not committed\n");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_monitor_is_a_shell() {
    let bench = unsaved();
    let monitor = json!({"command": "git reset --hard", "description": "watch", "timeout_ms": 1000, "persistent": false});
    let scenario = Scenario::new()
        .turn(Turn::new("watch").prompt_contains("go").tool_use("Monitor", monitor))
        .turn(Turn::new("end").tool_result_of("Monitor").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(
        last(&run).tool_results()[0].text,
        format!("engine rule policy: git.reset-hard: `git reset --hard` {RESET}")
    );
    is_kept(&bench);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_server_is_judged_by_what_its_tools_are_given() {
    let bench = unsaved();
    bench.write("server.sh", SERVER).unwrap();
    let before = bench.read(".engine/config.toml").unwrap();
    let (run, write) = ("mcp__box__run", "mcp__box__write_file");
    let call = |name: &str, tool: &str, input: Value| Turn::new(name).tool_use(tool, input);
    let scenario = Scenario::new()
        .turn(call("hello", run, json!({"command": "echo hello"})).prompt_contains("go"))
        .turn(call("note", write, json!({"path": "note.txt", "content": "mine"})).last_contains("hello"))
        .turn(call("reset", run, json!({"command": "git reset --hard"})).last_contains("written"))
        .turn(
            call("own", write, json!({"path": ".engine/config.toml", "content": "[rules]"}))
                .last_contains("git.reset-hard"),
        )
        .turn(Turn::new("end").last_contains("belongs to engine").text("I may not."));
    let server =
        json!({"mcpServers": {"box": {"command": "sh", "args": [bench.project().join("server.sh")]}}});
    let server = server.to_string();
    let run = ask(&bench, scenario, "go", &[BYPASS, &["--mcp-config", &server]].concat());
    let requests = run.record.of(Kind::Main);
    let results: Vec<String> =
        requests[1..].iter().map(|request| request.tool_results().pop().unwrap().text).collect();
    let path = bench.project().join(".engine/config.toml");
    assert_eq!(
        results,
        [
            "hello".to_owned(),
            "written".to_owned(),
            format!(
                "PreToolUse:mcp__box__run hook error: engine rule policy: git.reset-hard: `git reset --hard` {RESET}"
            ),
            format!(
                "PreToolUse:mcp__box__write_file hook error: engine rule protect: {} belongs to engine and is changed by its commands only (configuration: engine config set KEY VALUE, which a person confirms). Free to write: .engine/context/, .engine/queue/, .engine/notes/.",
                path.display()
            ),
        ]
    );
    assert_eq!(bench.read("note.txt").unwrap(), "mine");
    assert_eq!(bench.read(".engine/config.toml").unwrap(), before);
    is_kept(&bench);
}

const CLEAN: &str = "---\nname: clean\ndescription: Cleans.\n---\n\nNow: !`git reset --hard`\n";
const PLACE: &str = "(line 6 of .claude/skills/clean/SKILL.md, run by the skill clean)";

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_skill_with_a_reset_is_not_run_for_the_model() {
    let bench = unsaved();
    bench.write(".claude/skills/clean/SKILL.md", CLEAN).unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("call").prompt_contains("go").tool_use("Skill", json!({"skill": "clean"})))
        .turn(Turn::new("end").tool_result_of("Skill").tool_result_error(true).text("I may not."));
    let run = ask(&bench, scenario, "go", BYPASS);
    assert_eq!(
        last(&run).tool_results()[0].text,
        format!(
            "PreToolUse:Skill hook error: engine rule policy: git.reset-hard: `git reset --hard` {PLACE} {RESET}"
        )
    );
    is_kept(&bench);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_skill_with_a_reset_is_not_run_when_it_is_typed() {
    let bench = unsaved();
    bench.write(".claude/skills/clean/SKILL.md", CLEAN).unwrap();
    let run = ask(&bench, Scenario::new(), "/clean now", BYPASS);
    assert_eq!(run.record.requests.len(), 0);
    assert_eq!(
        run.result_text().as_deref(),
        Some(&*format!(
            "UserPromptExpansion operation blocked by hook:\nengine rule policy: git.reset-hard: `git reset --hard` {PLACE} {RESET}\n\nOriginal prompt: /clean now"
        ))
    );
    is_kept(&bench);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn what_a_rule_asks_about_is_told_to_the_person_who_typed_it() {
    let bench = bench(&[]);
    bench.write(".env", "NAME=value\n").unwrap();
    bench.write(".claude/skills/look/SKILL.md", "Settings: !`cat .env`\n").unwrap();
    let scenario = Scenario::new().turn(Turn::new("end").any_contains("NAME=value").text("Seen."));
    let run = ask(&bench, scenario, "/look", BYPASS);
    assert_eq!(run.result_text().as_deref(), Some("Seen."));
    let lines = run.lines();
    let told = lines.iter().filter(|line| line["subtype"] == "informational");
    let told: Vec<&str> = told.filter_map(|line| line["content"].as_str()).collect();
    assert_eq!(
        told,
        [
            "UserPromptExpansion says: engine: /look runs what a rule asks about: secrets.read-env-file: `cat .env` (line 1 of .claude/skills/look/SKILL.md, run by the skill look) needs the user's word: its content would reach the model and the transcript. Instead: the names alone: .env.example, or asking the person."
        ]
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_skill_that_the_client_meets_in_a_subfolder_is_judged() {
    let bench = unsaved();
    bench.write("src/f.txt", "text\n").unwrap();
    let text = "---\nname: n\ndescription: Cleans.\n---\n!`git reset --hard`\n";
    // That the client knows the folder's skills, a harmless one shows.
    bench.write("src/.claude/skills/m/SKILL.md", "---\nname: m\n---\n!`echo met-$((20+3))`\n").unwrap();
    let make = format!("mkdir -p src/.claude/skills/n && cat > src/.claude/skills/n/SKILL.md <<'E'\n{text}E");
    let scenario = Scenario::new()
        .turn(
            Turn::new("make")
                .prompt_contains("go")
                .tool_use("Bash", json!({"command": make, "description": "Write it"})),
        )
        .turn(
            Turn::new("read")
                .tool_result_of("Bash")
                .tool_use("Read", json!({"file_path": bench.project().join("src/f.txt")})),
        )
        .turn(Turn::new("harmless").tool_result_of("Read").tool_use("Skill", json!({"skill": "m"})))
        .turn(Turn::new("call").any_contains("met-23").tool_use("Skill", json!({"skill": "n"})))
        .turn(Turn::new("end").last_contains("git.reset-hard").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let told = &last(&run).tool_results()[0].text;
    assert!(
        told.contains("git.reset-hard")
            && told.contains("(line 5 of src/.claude/skills/n/SKILL.md, run by the skill n)"),
        "{told}"
    );
    is_kept(&bench);
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_skill_whose_hooks_reset_is_not_run_for_the_model() {
    let bench = unsaved();
    let text = "---\nname: clean\ndescription: Cleans.\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: git reset --hard\n---\nWork.\n";
    bench.write(".claude/skills/clean/SKILL.md", text).unwrap();
    let scenario = Scenario::new()
        .turn(Turn::new("call").prompt_contains("go").tool_use("Skill", json!({"skill": "clean"})))
        .turn(
            Turn::new("shell")
                .tool_result_of("Skill")
                .tool_use("Bash", json!({"command": "true", "description": "Look"})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    let requests = run.record.of(Kind::Main);
    let told = requests[1].tool_results().pop().unwrap().text;
    assert_eq!(
        told,
        format!(
            "PreToolUse:Skill hook error: engine rule policy: git.reset-hard: `git reset --hard` (line 8 of .claude/skills/clean/SKILL.md, a hook of the skill clean) {RESET}"
        )
    );
    is_kept(&bench);
}
