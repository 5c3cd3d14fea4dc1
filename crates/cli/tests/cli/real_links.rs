//! Links in the place of files that the engine injects or writes, with the real client: the text of a key never reaches the model, and
//! the key file stays as it is.

use std::fs;
use std::os::unix::fs::symlink;

use engine_testkit::{Bench, Run, Scenario, Turn};

use crate::real_client::{BYPASS, WAIT, bench};

/// It would be injected as a handoff and shown as a task.
const KEY: &str = "## Status\nTOPSECRET\n\n## Pending Tasks\n- [ ] **TOPSECRET** —\n";

fn with_key() -> Bench {
    let bench = bench(&[]);
    fs::create_dir_all(bench.home().join(".ssh")).unwrap();
    fs::write(bench.home().join(".ssh/id_rsa"), KEY).unwrap();
    fs::create_dir_all(bench.project().join(".engine/context")).unwrap();
    bench
}

/// Three prompts in one session; the model answers each.
fn played(bench: &Bench) -> Run {
    let turn = |prompt: &str| Turn::new(prompt).prompt_contains(prompt).text("Yes.");
    let scenario = Scenario::new().turn(turn("hello")).turn(turn("p: mend it")).turn(turn("s"));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    for prompt in ["hello", "p: mend it", "s"] {
        live.prompt(prompt).unwrap();
        live.wait_for_result(WAIT).unwrap();
    }
    live.finish().unwrap()
}

/// What the person was shown, by event.
fn shown(bench: &Bench, run: &Run) -> String {
    let mut lines = String::new();
    for hook in run.hook_responses() {
        let answer: serde_json::Value = serde_json::from_str(&hook.stdout).unwrap_or_default();
        if let Some(line) = answer["systemMessage"].as_str() {
            lines.push_str(&format!("{}: {line}\n", hook.event));
        }
    }
    let lines = lines.replace(&bench.home().display().to_string(), "[HOME]");
    lines.replace(&bench.project().display().to_string(), "[PROJECT]")
}

const FILES: [&str; 3] = [".engine/context/CORE.md", ".engine/context/PROMPT.md", "session.md"];

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_key_behind_links_reaches_no_model_and_is_not_written() {
    let bench = with_key();
    for file in FILES {
        symlink(bench.home().join(".ssh/id_rsa"), bench.project().join(file)).unwrap();
    }
    let run = played(&bench);
    assert_eq!(run.record.model_saw("TOPSECRET").len(), 0);
    assert_eq!(fs::read_to_string(bench.home().join(".ssh/id_rsa")).unwrap(), KEY);
    insta::assert_snapshot!(shown(&bench, &run), @"
    SessionStart: engine: .engine/context/CORE.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    engine: session.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    UserPromptSubmit: engine: .engine/context/PROMPT.md was not told to the model: it is a link that leads out of the project; put a file of its own in its place
    UserPromptSubmit: engine: the task was not recorded: failed to read file `[PROJECT]/session.md`: it is a link that leads out of the project; put a file of its own in its place. It was: mend it
    UserPromptSubmit: engine: session.md cannot be read: it is a link that leads out of the project; put a file of its own in its place
    ");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_key_behind_hard_links_reaches_no_model_and_is_not_written() {
    let bench = with_key();
    for file in FILES {
        fs::hard_link(bench.home().join(".ssh/id_rsa"), bench.project().join(file)).unwrap();
    }
    let run = played(&bench);
    assert_eq!(run.record.model_saw("TOPSECRET").len(), 0);
    assert_eq!(fs::read_to_string(bench.home().join(".ssh/id_rsa")).unwrap(), KEY);
    insta::assert_snapshot!(shown(&bench, &run), @"
    SessionStart: engine: .engine/context/CORE.md was not told to the model: it is a hard link to [HOME]/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    engine: session.md was not told to the model: it is a hard link to [HOME]/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    UserPromptSubmit: engine: .engine/context/PROMPT.md was not told to the model: it is a hard link to [HOME]/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    UserPromptSubmit: engine: the task was not recorded: failed to read file `[PROJECT]/session.md`: it is a hard link to [HOME]/.ssh/id_rsa, a file with secrets; put a file of its own in its place. It was: mend it
    UserPromptSubmit: engine: session.md cannot be read: it is a hard link to [HOME]/.ssh/id_rsa, a file with secrets; put a file of its own in its place
    ");
}

/// The same files without links: the test above would see the key.
#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_link_within_the_project_is_followed() {
    let bench = with_key();
    bench.write("notes/mine.md", &KEY.replace("TOPSECRET", "my words")).unwrap();
    for file in FILES {
        symlink(bench.project().join("notes/mine.md"), bench.project().join(file)).unwrap();
    }
    let run = played(&bench);
    let saw = run.record.requests.first().unwrap().messages_text();
    assert!(saw.contains("my words"), "{saw}");
    assert_eq!(
        bench.read("notes/mine.md").unwrap(),
        format!("{}- [ ] **Mend it** — | sonnet\n", KEY.replace("TOPSECRET", "my words"))
    );
    assert_eq!(
        shown(&bench, &run),
        "UserPromptSubmit: engine: kept: Mend it, as a pending task in session.md\n"
    );
}
