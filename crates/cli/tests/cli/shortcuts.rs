//! Shortcuts through the hook: one test per case of their list, numbered as there.

use std::fs;

use serde_json::json;

use crate::queue::timeless;
use crate::stage::{SESSION, Stage};

const FILE: &str = "# Session\n\n## Status\nGoing well.\n\n## Pending Tasks\n\n- [ ] **Fix the parser** — `/fix parser` | opus | restart\n  - seen on nested lists\n- [ ] **Tidy docs** — | sonnet\n\n## Notes\nMine.\n";

fn with_tasks() -> Stage {
    let stage = Stage::new();
    stage.write("session.md", FILE);
    stage
}

fn context(stage: &Stage, prompt: &str) -> String {
    let out = stage.hook(&stage.prompt(prompt));
    assert_eq!(out.code, Some(0));
    if out.stdout.is_empty() { String::new() } else { out.context() }
}

#[test]
fn case_01_status_matches_the_whole_message_only() {
    let stage = with_tasks();
    for prompt in ["s", " s ", "s\n"] {
        assert_eq!(
            context(&stage, prompt),
            "[SHORTCUT: #status] The user typed s, which asks for STATUS and nothing else. Rendered by engine from session.md:\n\nNext: Fix the parser\n  `/fix parser`\n  Model: opus | Restart: yes\n\nPending:\n- Tidy docs"
        );
    }
    for prompt in [
        "S",
        "s.",
        "s please",
        "ss",
        "s\nx",
        "```\nx\n```",
        "- [ ] s",
        "x y",
        "an ordinary prompt",
        "p:",
        "p:fix",
        "note p: x",
        "http: //x",
        "do you think d: x",
    ] {
        stage.hook(&stage.prompt(prompt)).assert_silent();
    }
    assert_eq!(stage.read("session.md"), FILE);
}

#[test]
fn case_01_status_is_instant_where_a_person_sits() {
    let mut stage = with_tasks();
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let out = stage.hook(&stage.prompt("s"));
    insta::assert_snapshot!(out.stdout, @r#"{"continue":false,"stopReason":"Next: Fix the parser\n  `/fix parser`\n  Model: opus | Restart: yes\n\nPending:\n- Tidy docs"}"#);
    assert_eq!(stage.journal()[0]["verdict"], "answer");
    stage.write(".engine/config.toml", "[shortcuts]\nstatus = \"agent\"\n");
    assert!(context(&stage, "s").starts_with("[SHORTCUT: #status]"));
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "0");
    stage.write(".engine/config.toml", "[shortcuts]\nstatus = \"instant\"  # always\n");
    assert_eq!(stage.hook(&stage.prompt("s")).json()["continue"], false);
}

#[test]
fn an_idea_is_kept_without_a_model_where_a_person_sits() {
    let mut stage = with_tasks();
    stage.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
    let out = stage.hook(&stage.prompt("q: dark mode\nwith `switch`"));
    insta::assert_snapshot!(out.stdout, @r#"{"continue":false,"stopReason":"engine: kept: dark mode, in the queue; engine q list"}"#);
    let list = stage.engine(&["q", "list", "--json"]).json();
    let id = list["items"][0]["id"].as_str().unwrap().to_owned();
    let shown = stage.engine(&["q", "show", &id, "--json"]).json();
    assert_eq!(shown["sections"]["Original fragment"], "dark mode\nwith `switch`");
    assert_eq!(stage.journal()[0]["verdict"], "answer");
    // One that cannot be kept reaches the model, with the words.
    fs::rename(stage.root().join(".engine/queue"), stage.root().join("aside")).unwrap();
    stage.write(".engine/queue", "a file in the way");
    let answer = stage.hook(&stage.prompt("q: light mode")).json();
    let told = "engine: it was not put into the queue: failed to create file `[TOP]/project/.engine/queue/[TIME]-light-mode.md`: Not a directory (os error 20). It was: light mode";
    let masked = |text: &str| timeless(&stage.masked(text));
    assert_eq!(answer["continue"], serde_json::Value::Null);
    assert_eq!(masked(answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap()), told);
    assert_eq!(masked(answer["systemMessage"].as_str().unwrap()), told);
    fs::remove_file(stage.root().join(".engine/queue")).unwrap();
    stage.write(".engine/config.toml", "[shortcuts]\ncapture = \"agent\"\n");
    assert!(
        context(&stage, "q: third")
            .starts_with("[DIRECTIVE: QUEUE] Kept by engine in the queue, for later: third.")
    );
}

#[test]
fn case_02_x_resumes_or_starts_and_says_which() {
    let stage = with_tasks();
    insta::assert_snapshot!(context(&stage, "x"), @r#"
    [SHORTCUT: #execute] The user typed x. Task: Fix the parser (pending, now marked as in progress)
    Command: `/fix parser`
    Model: opus | Restart: yes
      - seen on nested lists
    When it is done: engine task done 'Fix the parser'. The user expects this one task to be carried to its end, and no other to be started.
    "#);
    assert_eq!(stage.read("session.md"), FILE.replace("- [ ] **Fix", "- [>] **Fix"));
    insta::assert_snapshot!(context(&stage, "x").lines().next().unwrap(), @"[SHORTCUT: #execute] The user typed x. Task: Fix the parser (in progress, resumed)");
    stage.write("session.md", "## Pending Tasks\n");
    assert_eq!(context(&stage, "x"), "[SHORTCUT: #execute] No pending tasks.");
    stage.write("session.md", "## Pending Tasks\n- [ ] **B** — | needs: A\n- [!] **A** —\n");
    assert_eq!(context(&stage, "x"), "[SHORTCUT: #execute] No task is free to start: B waits for A.");
}

#[test]
fn case_03_r_resumes_and_never_starts() {
    let stage = with_tasks();
    assert_eq!(
        context(&stage, "r"),
        "[SHORTCUT: #resume] Nothing in progress. The user typed r, which resumes a task in progress and starts no other."
    );
    assert_eq!(stage.read("session.md"), FILE);
    stage.write("session.md", &FILE.replace("- [ ] **Tidy", "- [>] **Tidy"));
    assert!(
        context(&stage, "r")
            .starts_with("[SHORTCUT: #resume] The user typed r. Task: Tidy docs (in progress, resumed)\n")
    );
}

#[test]
fn case_03_a_task_of_another_live_session_is_not_resumed() {
    let stage = with_tasks();
    let other = stage.event_with("UserPromptSubmit", &json!({"session_id": "other-session", "prompt": "x"}));
    assert!(stage.hook(&other).context().contains("Task: Fix the parser"));
    assert!(context(&stage, "r").starts_with(
        "[SHORTCUT: #resume] Nothing in progress here; elsewhere: Fix the parser (session other-se). "
    ));
    assert!(context(&stage, "x").contains("Task: Tidy docs (pending"));
    // When that session ends, its task is free.
    stage.hook(&stage.event_with("SessionEnd", &json!({"session_id": "other-session"}))).assert_silent();
    stage.ok(&["task", "done", "Tidy docs"]);
    assert!(context(&stage, "r").contains("Task: Fix the parser (in progress, resumed)"));
}

#[test]
fn case_04_the_others_name_their_expansion() {
    let stage = with_tasks();
    for name in ["handoff", "commit"] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), "---\ndescription: x\n---\n");
    }
    assert!(
        context(&stage, "xc")
            .ends_with("Then the user expects /handoff --commit, which ends in a commit and STATUS.")
    );
    for (key, expansion, about) in [
        ("h", "/handoff", "Write the handoff, then status"),
        ("hc", "/handoff --commit", "Handoff, commit, status"),
        ("ci", "/commit", "Commit, then status"),
    ] {
        assert_eq!(
            context(&stage, key),
            format!("[SHORTCUT: {expansion}] The user typed {key}, which stands for {expansion} ({about}).")
        );
    }
}

#[test]
fn case_05_discussion() {
    let stage = with_tasks();
    let expected = "[DIRECTIVE: DISCUSS] The user wants to discuss the topic in their message: analysis and discussion. Execution, implementation and workflow skills are not part of this turn.";
    assert_eq!(context(&stage, "d: trade-offs of A vs B"), expected);
    assert_eq!(context(&stage, "discuss: t"), expected);
}

#[test]
fn case_06_to_08_pending_is_recorded_at_once() {
    let stage = with_tasks();
    assert_eq!(
        context(&stage, "p: fix login bug"),
        "[DIRECTIVE: PENDING] Recorded by engine in session.md as a pending task: Fix login bug (sonnet). It is not to be executed now, and needs no edit of the file."
    );
    let after = FILE.replace(
        "- [ ] **Tidy docs** — | sonnet\n",
        "- [ ] **Tidy docs** — | sonnet\n- [ ] **Fix login bug** — | sonnet\n",
    );
    assert_eq!(stage.read("session.md"), after);
    assert_eq!(
        context(&stage, "p: Fix LOGIN bug"),
        "[DIRECTIVE: PENDING] Fix login bug is in session.md already, pending. Nothing was added, and nothing is to be executed."
    );
    assert_eq!(stage.read("session.md"), after);
    context(&stage, "pending: port the lexer | opus | restart");
    context(&stage, "p: fix logout with `/fix logout`");
    context(&stage, "p: two\nlines | urgent");
    let added = "- [ ] **Port the lexer** — | opus | restart\n- [ ] **Fix logout** — `/fix logout` | sonnet\n- [ ] **Two** — | sonnet\n  - lines | urgent\n";
    assert_eq!(
        stage.read("session.md"),
        after.replace("**Fix login bug** — | sonnet\n", &format!("**Fix login bug** — | sonnet\n{added}"))
    );
}

#[test]
fn case_09_without_a_file_it_is_made_and_what_cannot_be_written_is_not_lost() {
    let stage = Stage::new();
    context(&stage, "p: first thing");
    assert_eq!(
        stage.read("session.md"),
        "# Session\n\n## Pending Tasks\n\n- [ ] **First thing** — | sonnet\n"
    );
    let stage = Stage::new();
    // A folder in its place cannot be written, whoever we are.
    fs::create_dir(stage.root().join("session.md")).unwrap();
    stage.write(".engine/config.toml", "[tasks]\nfile = \"session.md\"\n");
    let out = stage.hook(&stage.prompt("p: call Ada | opus"));
    let file = stage.root().join("session.md");
    let told = format!(
        "engine: the task was not recorded: failed to read file `{}`: not a file. It was: call Ada | opus",
        file.display()
    );
    assert_eq!(out.json()["systemMessage"], told);
    assert_eq!(out.context(), told);
}

#[test]
fn case_10_any_name_comes_back() {
    let stage = Stage::new();
    let name = "**bold** `tick` — dash | pipe [x] 日本語";
    context(&stage, &format!("p: {name}"));
    let tasks = stage.engine(&["task", "list", "--json"]).json();
    assert_eq!(tasks["tasks"][0]["name"], name);
    assert_eq!(stage.engine(&["task", "validate"]).code, Some(0));
}

#[test]
fn case_11_help_lists_what_is_in_force() {
    let stage = Stage::new();
    stage.ok(&["config", "set", "shortcuts.commands.t", "run the tests"]);
    stage.ok(&["config", "set", "shortcuts.directives.e", "explain it"]);
    insta::assert_snapshot!(stage.ok(&["help", "shortcuts"]), @r#"
    The whole message
      s   #status            List the tasks, wait
      x   #execute           Resume the task in progress, else start the first pending one
      xc  #execute --commit  As x, then handoff, commit, status
      r   #resume            Resume the task in progress, and only that
      h   /handoff           Write the handoff, then status
      hc  /handoff --commit  Handoff, commit, status
      ci  /commit            Commit, then status
      t   yours              run the tests
    The beginning of the message
      d: … or discuss: …           DISCUSS   Talk about it, nothing else
      p: … or pending: …           PENDING   Record it as a task, nothing else
      q: … or queue: …             QUEUE     Keep it in the queue, nothing else
      m: … or remember: … or M: …  REMEMBER  Keep it as a note, nothing else
      e: …                         yours     explain it
    Your own: engine config set shortcuts.commands.KEY "what it stands for"
    "#);
    assert_eq!(context(&stage, "t"), "[SHORTCUT: t] The user typed t, which stands for: run the tests");
    assert_eq!(
        context(&stage, "e: the lexer"),
        "[SHORTCUT: e] The user typed e, which stands for: explain it (the topic follows in their message)"
    );
    stage.hook(&stage.prompt("tt")).assert_silent();
}

#[test]
fn case_12_a_key_of_ours_cannot_be_taken() {
    let stage = Stage::new();
    stage.write(".engine/config.toml", "[shortcuts.commands]\nx = \"explode\"\n");
    let out = stage.hook(&stage.prompt("x"));
    assert_eq!(
        out.json()["systemMessage"],
        "engine: project config, line 2: shortcuts.commands.x repeats the built-in shortcut x, which stays; the default counts. See: engine doctor"
    );
    assert_eq!(out.context(), "[SHORTCUT: #execute] No pending tasks.");
    let bad = stage.engine(&["config", "set", "shortcuts.commands.s", "no"]);
    assert_eq!(
        (bad.code, bad.stderr.as_str()),
        (
            Some(2),
            "engine: shortcuts.commands.s repeats the built-in shortcut s, which stays\n  list them: engine config show\n"
        )
    );
}

#[test]
fn questions_where_the_work_stands_get_status() {
    let stage = with_tasks();
    for prompt in ["next?", "What's next?", " NEXT? "] {
        assert!(context(&stage, prompt).starts_with("The user asks where the work stands. STATUS, rendered by engine from session.md:\n\nNext: Fix the parser\n"));
    }
    for prompt in ["next", "what is next?", "and next?"] {
        stage.hook(&stage.prompt(prompt)).assert_silent();
    }
}

#[test]
fn a_new_session_is_told_the_handoff() {
    let stage = with_tasks();
    let start =
        |source: &str| stage.event_with("SessionStart", &json!({"source": source, "session_id": SESSION}));
    let expected = "Left by the last session in session.md:\n\n## Status\n\nGoing well.\n\n## Notes\n\nMine.";
    assert_eq!(stage.hook(&start("startup")).context(), expected);
    assert_eq!(stage.hook(&start("clear")).context(), expected);
    for source in ["compact", "resume", "fork"] {
        stage.hook(&start(source)).assert_silent();
    }
    stage.write("session.md", &FILE.replace("Mine.", &"Mine. ".repeat(400)));
    assert_eq!(
        stage.hook(&start("startup")).context(),
        format!(
            "The last session left its status, done and notes in session.md ({} bytes).",
            FILE.len() - 5 + 2400
        )
    );
}

#[test]
fn two_sessions_that_ask_at_once_get_two_tasks() {
    for _ in 0..5 {
        let stage = with_tasks();
        let ask = |session: &str| {
            stage.hook(&stage.event_with("UserPromptSubmit", &json!({"session_id": session, "prompt": "x"})))
        };
        let (one, two) = std::thread::scope(|scope| {
            let one = scope.spawn(|| ask("one").context());
            let two = scope.spawn(|| ask("two").context());
            (one.join().unwrap(), two.join().unwrap())
        });
        let got = |text: &str, name: &str| text.contains(&format!("Task: {name} (pending, now marked"));
        let both = |name: &str| got(&one, name) && got(&two, name);
        assert!(!both("Fix the parser") && !both("Tidy docs"), "{one}\n{two}");
    }
}

#[test]
fn x_marks_the_very_task_that_it_named() {
    let stage = Stage::new();
    let text = "## Pending Tasks\n- [!] **A** — `/a`\n  Blocked: x\n- [ ] **A** — `/b` | opus\n";
    stage.write("session.md", text);
    assert!(context(&stage, "x").contains("Command: `/b`"));
    assert_eq!(stage.read("session.md"), text.replace("- [ ] **A** — `/b`", "- [>] **A** — `/b`"));
}

#[test]
fn a_name_is_quoted_for_the_shell_and_secrets_stay_out_of_the_journal() {
    let stage = Stage::new();
    context(&stage, "p: it's \"$(touch x)\" password=hunter2");
    let told = context(&stage, "x");
    assert!(told.contains("engine task done 'It'\\''s \"$(touch x)\" password=hunter2'."), "{told}");
    context(&stage, "p: | opus");
    assert!(stage.read("session.md").contains("- [ ] **\\| opus** — | sonnet\n"));
    let journal = serde_json::to_string(&stage.journal()).unwrap();
    assert!(!journal.contains("hunter2"), "{journal}");
}

/// Prompts as people type them, none of them a shortcut: by a small generator, so that every run sees the same.
fn ordinary_prompts(count: usize) -> Vec<String> {
    const WORDS: &[&str] = &[
        "s",
        "x",
        "xc",
        "r",
        "h",
        "hc",
        "ci",
        "d:",
        "p:",
        "next?",
        "what's",
        "next",
        "fix",
        "the",
        "login",
        "Bug",
        "/design",
        "`x`",
        "- [ ]",
        "|",
        "https://x.y/z",
        "please",
        "12",
        "日本",
        "é",
        "?",
        "pending:",
        "discuss:",
        "\n",
        "\n\n",
        "```",
        "#status",
        "and",
        "then",
        "...",
    ];
    let mut seed = 42_u64;
    let mut roll = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    (0..count)
        .map(|_| {
            // The first word makes it ordinary, whatever follows.
            let first =
                ["fix", "The", "/design", "why", "12", "- [ ]", "do", "S", "x,", "(s)", "日本"][roll(11)];
            let rest: Vec<&str> = (0..roll(9)).map(|_| WORDS[roll(WORDS.len())]).collect();
            format!("{first} {}", rest.join([" ", "", "  "][roll(3)]))
        })
        .collect()
}

#[test]
fn five_thousand_ordinary_prompts_are_silent() {
    let prompts = ordinary_prompts(5000);
    std::thread::scope(|scope| {
        for part in prompts.chunks(1250) {
            scope.spawn(move || {
                // Each has a project of its own, and so no lock to wait for.
                let stage = with_tasks();
                for prompt in part {
                    let out = stage.hook(&stage.prompt(prompt));
                    assert_eq!((out.code, out.stdout.as_str()), (Some(0), ""), "{prompt:?}");
                }
                assert_eq!(stage.read("session.md"), FILE);
                assert_eq!(stage.state()["turn"], 1250);
            });
        }
    });
}
