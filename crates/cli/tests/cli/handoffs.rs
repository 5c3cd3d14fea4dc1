//! Several sessions hand off into one file: nothing of the others is lost, and nothing grows for ever.

use engine_store::clock;
use engine_store::session_file::SessionFile;
use engine_text::stamp::Stamp;
use serde_json::json;

use crate::stage::{Output, Stage, at_once, run};

const TASKS: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **Fix the parser** — | sonnet\n";

/// Sessions that have all begun.
fn begun(sessions: &[&str]) -> Stage {
    let stage = Stage::new();
    stage.write("session.md", TASKS);
    for session in sessions {
        stage.hook(&stage.event_with("SessionStart", &json!({"session_id": session})));
    }
    stage
}

fn by(stage: &Stage, session: &str, args: &[&str]) -> Output {
    let mut command = stage.command(args);
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    run(command, None)
}

fn handoff(stage: &Stage, session: &str, status: &str, done: &str, notes: &[&str]) -> Output {
    let mut args = vec!["handoff", "--status", status, "--done", done];
    for note in notes {
        args.extend(["--note", note]);
    }
    let out = by(stage, session, &args);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    out
}

const ONE: &str = "aaaaaaaa-1111";
const TWO: &str = "bbbbbbbb-2222";

#[test]
fn two_sessions_that_hand_off_keep_what_the_other_wrote() {
    let stage = begun(&[ONE, TWO]);
    handoff(&stage, ONE, "The lexer works.", "lexer", &["never touch lexer.rs", "ask Ada"]);
    let out = handoff(&stage, TWO, "The parser is half done.", "parser", &["the grammar is in docs"]);
    assert_eq!(
        out.stdout,
        "wrote the handoff into session.md\nkept: what session aaaaaaaa wrote since this session began\n"
    );
    let text = || stage.masked(&stage.read("session.md")).replace("[MINUTE]", "NOW");
    insta::assert_snapshot!(text(), @r"
    # Session

    ## Status

    The parser is half done. (session bbbbbbbb, NOW)

    The lexer works. (session aaaaaaaa, NOW)

    ## Done

    - parser (session bbbbbbbb, NOW)
    - lexer (session aaaaaaaa, NOW)

    ## Pending Tasks

    - [ ] **Fix the parser** — | sonnet

    ## Notes

    - never touch lexer.rs (session aaaaaaaa, NOW)
    - ask Ada (session aaaaaaaa, NOW)
    - the grammar is in docs (session bbbbbbbb, NOW)
    ");
    // Again: its own are replaced, and what it does not give stays.
    let out = by(&stage, ONE, &["handoff", "--status", "All done.", "--json"]).json();
    assert_eq!((&out["kept"], &out["old"]), (&json!(["session bbbbbbbb"]), &json!(0)));
    assert_eq!(text().matches("aaaaaaaa").count(), 3, "{}", text());
    assert!(
        text().contains(
            "All done. (session aaaaaaaa, NOW)\n\nThe parser is half done. (session bbbbbbbb, NOW)\n"
        )
    );
    // A session that begins now is told both, and replaces them.
    let start =
        stage.event_with("SessionStart", &json!({"session_id": "cccccccc-3333", "source": "startup"}));
    assert!(stage.hook(&start).context().contains("The parser is half done. (session bbbbbbbb, "));
    later(&stage, "cccccccc-3333");
    let out = handoff(&stage, "cccccccc-3333", "New.", "new", &[]);
    assert_eq!(out.stdout, "wrote the handoff into session.md\n");
    insta::assert_snapshot!(text(), @r"
    # Session

    ## Status

    New. (session cccccccc, NOW)

    ## Done

    - new (session cccccccc, NOW)

    ## Pending Tasks

    - [ ] **Fix the parser** — | sonnet

    ## Notes

    - never touch lexer.rs (session aaaaaaaa, NOW)
    - ask Ada (session aaaaaaaa, NOW)
    - the grammar is in docs (session bbbbbbbb, NOW)
    ");
}

/// The session began minutes after all that is in the file.
fn later(stage: &Stage, session: &str) {
    let file = SessionFile::new(&stage.root().join(".engine/state/sessions"), session);
    file.update(|state| state.started = Some(Stamp(clock::now().0 + 180_000))).unwrap();
}

#[test]
fn ten_that_hand_off_at_once_lose_nothing() {
    let sessions: Vec<String> = (0..10).map(|n| format!("{n:08}-x")).collect();
    let stage = begun(&sessions.iter().map(String::as_str).collect::<Vec<_>>());
    let outputs = at_once(10, |n| {
        let mut command = stage.command(&[
            "handoff",
            "--status",
            &format!("Status {n}."),
            "--done",
            &format!("done {n}"),
            "--note",
            &format!("note {n}"),
        ]);
        command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", &sessions[n]);
        command
    });
    assert!(outputs.iter().all(|out| out.code == Some(0)));
    let text = stage.read("session.md");
    for n in 0..10 {
        for part in [
            format!("Status {n}. (session {n:08}, "),
            format!("- done {n} (session {n:08}, "),
            format!("- note {n} (session {n:08}, "),
        ] {
            assert_eq!(text.matches(&part).count(), 1, "{part}: {text}");
        }
    }
    assert!(text.contains("- [ ] **Fix the parser** — | sonnet\n"));
}

#[test]
fn what_a_person_wrote_by_hand_stays_and_old_notes_go() {
    let stage = begun(&[ONE]);
    let notes = "## Notes\nMine, by hand.\n\n1. one\n\n- of long ago (session 00000000, 2026-01-02T03:04Z)\n- by hand, too\n";
    stage.write("session.md", &format!("{TASKS}\n{notes}"));
    let out = handoff(&stage, ONE, "s", "d", &["new"]);
    assert_eq!(out.stdout, "wrote the handoff into session.md\nremoved: 1 note older than 14 days\n");
    let kept = notes.replace("- of long ago (session 00000000, 2026-01-02T03:04Z)\n", "");
    let text = stage.masked(&stage.read("session.md"));
    assert!(text.ends_with(&format!("\n{kept}- new (session aaaaaaaa, [MINUTE])\n")), "{text}");
    // Over and over the section stays as it is.
    for _ in 0..3 {
        handoff(&stage, ONE, "s", "d", &["new"]);
        assert_eq!(stage.masked(&stage.read("session.md")), text);
    }
}

/// An agent that was told the notes writes them again.
#[test]
fn a_note_that_is_copied_is_not_there_twice() {
    let stage = begun(&[ONE, TWO]);
    handoff(&stage, ONE, "s", "d", &["never touch lexer.rs"]);
    let copied = stage.read("session.md").lines().last().unwrap().to_owned();
    handoff(&stage, TWO, "s", "d", &[&copied, "- never  touch lexer.rs"]);
    let text = stage.masked(&stage.read("session.md"));
    assert!(text.ends_with("## Notes\n\n- never touch lexer.rs (session bbbbbbbb, [MINUTE])\n"), "{text}");
}

/// Whatever a client calls its sessions, the mark is one word on one line.
#[test]
fn an_odd_session_makes_no_lines_of_its_own() {
    let stage = begun(&[]);
    for (session, shown) in
        [("x\n## Pending Tasks\n- [ ] **Evil** —", "xPending"), ("é**", "unnamed"), ("a (b, c)", "abc")]
    {
        stage.write("session.md", TASKS);
        handoff(&stage, session, "s", "d", &["n"]);
        let text = stage.masked(&stage.read("session.md"));
        assert!(text.ends_with(&format!("\n- n (session {shown}, [MINUTE])\n")), "{text}");
        assert_eq!(text.matches("## Pending Tasks").count(), 1, "{text}");
    }
}
