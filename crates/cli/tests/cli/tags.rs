//! `engine tag`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::stage::{Output, SESSION, Stage, at_once, input, run};

const FILE: &str = "sessions/2026_11_15_AUTH/REQUEST.md";

fn with_file(text: &str) -> Stage {
    let stage = Stage::new();
    stage.write(FILE, text);
    stage
}

fn shown(out: &Output) -> String {
    format!("{} {}{}", out.code.unwrap(), out.stdout, out.stderr)
}

#[test]
fn add_and_remove_are_idempotent() {
    let stage = with_file("\u{feff}# Request: x\r\n\r\ntext #needs-fix\r\nend");
    insta::assert_snapshot!(stage.ok(&["tag", "add", FILE, "#needs-fix"]), @"sessions/2026_11_15_AUTH/REQUEST.md: added #needs-fix");
    insta::assert_snapshot!(stage.ok(&["tag", "add", FILE, "needs-fix"]), @"sessions/2026_11_15_AUTH/REQUEST.md: was there already: #needs-fix");
    insta::assert_snapshot!(stage.ok(&["tag", "add", FILE, "#P1", "--json"]), @r#"{"changed":true,"file":"sessions/2026_11_15_AUTH/REQUEST.md","version":1}"#);
    assert_eq!(
        stage.read(FILE),
        "\u{feff}# Request: x\r\n**Tags**: #needs-fix #P1\r\n\r\ntext #needs-fix\r\nend"
    );
    insta::assert_snapshot!(stage.ok(&["tag", "remove", FILE, "#needs-fix"]), @"sessions/2026_11_15_AUTH/REQUEST.md: removed #needs-fix");
    insta::assert_snapshot!(stage.ok(&["tag", "remove", FILE, "#needs-fix"]), @"sessions/2026_11_15_AUTH/REQUEST.md: was not there: #needs-fix");
    insta::assert_snapshot!(stage.ok(&["tag", "remove", FILE, "#needs-fix", "--line", "4"]), @"sessions/2026_11_15_AUTH/REQUEST.md: removed #needs-fix");
    assert_eq!(stage.read(FILE), "\u{feff}# Request: x\r\n**Tags**: #P1\r\n\r\ntext\r\nend");
    stage.write("empty.md", "");
    stage.ok(&["tag", "add", "empty.md", "#S"]);
    assert_eq!(stage.read("empty.md"), "**Tags**: #S\n");
}

#[test]
fn a_tag_in_indented_code_is_a_mention() {
    let stage =
        with_file("# T\n\n    #needs-fix\n\n#needs-text\n\n- item\n\n    #needs-item\n\n      #needs-deep\n");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*"]), @"
    sessions/2026_11_15_AUTH/REQUEST.md:5 #needs-text
    sessions/2026_11_15_AUTH/REQUEST.md:9 #needs-item
    ");
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "swap", FILE, "#needs-fix", "#done-fix"])), @"
    1 engine: sessions/2026_11_15_AUTH/REQUEST.md has no #needs-fix
      it may have been swapped by somebody else; a tag in code is a mention
    ");
}

#[test]
fn swap_is_for_whole_tags_and_legal_ones() {
    let stage = with_file("# T\n**Tags**: #needs-review-later #needs-review\n\n`#needs-review`\n");
    let swap = |old: &str, new: &str| shown(&stage.engine(&["tag", "swap", FILE, old, new]));
    insta::assert_snapshot!(swap("#needs-review", "#claimed-review"), @"
    1 engine: #claimed-review cannot follow #needs-review; legal: #done-review, #needs-rework
      engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal
    ");
    insta::assert_snapshot!(swap("#done-review", "#needs-review"), @"
    1 engine: #needs-review cannot follow #done-review; legal: nothing
      engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal
    ");
    insta::assert_snapshot!(swap("#needs-review", "#foo"), @"
    1 engine: #foo cannot follow #needs-review; legal: #done-review, #needs-rework
      engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal
    ");
    insta::assert_snapshot!(swap("#needs-review", "#done-review"), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #needs-review → #done-review");
    insta::assert_snapshot!(swap("#needs-review", "#done-review"), @"
    1 engine: sessions/2026_11_15_AUTH/REQUEST.md has no #needs-review
      it may have been swapped by somebody else; a tag in code is a mention
    ");
    assert_eq!(stage.read(FILE), "# T\n**Tags**: #needs-review-later #done-review\n\n`#needs-review`\n");
    assert!(stage.journal().is_empty());
    let forced = ["tag", "swap", FILE, "#done-review", "#needs-review", "--force"];
    insta::assert_snapshot!(shown(&stage.engine(&forced)), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #done-review → #needs-review");
    assert_eq!(stage.engine(&forced).code, Some(1));
    let journal = stage.journal();
    assert_eq!(journal.len(), 1, "what was not done is not logged");
    insta::assert_snapshot!(format!("{} {} {}", journal[0]["event"], journal[0]["input"], journal[0]["findings"]), @r#""TagSwap" "sessions/2026_11_15_AUTH/REQUEST.md: #done-review → #needs-review" [{"because":"forced; legal: nothing","rule":"tags"}]"#);
    stage.write(".engine/config.toml", "[tags]\ntransitions = [\"#done-* > #needs-*\"]\n");
    stage.write(FILE, "**Tags**: #done-review\n");
    insta::assert_snapshot!(swap("#done-review", "#needs-review"), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #done-review → #needs-review");
}

#[test]
fn a_tag_in_the_text_is_swapped_where_it_is_clear_which() {
    let stage = with_file("# T\nfix #needs-fix\n\nand #needs-fix\n");
    let swap = |more: &[&str]| {
        shown(&stage.engine(&[&["tag", "swap", FILE, "#needs-fix", "#done-fix"], more].concat()))
    };
    insta::assert_snapshot!(swap(&[]), @"
    1 engine: sessions/2026_11_15_AUTH/REQUEST.md has #needs-fix several times in its text, in lines 2, 4
      say which: --line N
    ");
    insta::assert_snapshot!(swap(&["--line", "1"]), @"
    1 engine: sessions/2026_11_15_AUTH/REQUEST.md:1 has no #needs-fix
      it may have been swapped by somebody else; a tag in code is a mention
    ");
    insta::assert_snapshot!(swap(&["--line", "4"]), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #needs-fix → #done-fix");
    insta::assert_snapshot!(swap(&[]), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #needs-fix → #done-fix");
    assert_eq!(stage.read(FILE), "# T\nfix #done-fix\n\nand #done-fix\n");
}

#[test]
fn what_cannot_be_tagged_is_refused_and_stays() {
    let stage = with_file("# T\n");
    fs::write(stage.root().join("latin.md"), b"# T\xff\n").unwrap();
    symlink(stage.root().join(".engine/config.toml"), stage.root().join("link.md")).unwrap();
    fs::create_dir(stage.root().join("folder.md")).unwrap();
    let add = |file: &str| shown(&stage.engine(&["tag", "add", file, "#x"]));
    insta::assert_snapshot!(add("none.md"), @"1 engine: none.md: there is no such file");
    insta::assert_snapshot!(add("latin.md"), @"1 engine: latin.md: stream did not contain valid UTF-8");
    insta::assert_snapshot!(add(".engine/config.toml"), @"1 engine: .engine/config.toml is no Markdown file: its name ends in .md");
    insta::assert_snapshot!(add("link.md"), @"1 engine: link.md is no Markdown file: its name ends in .md");
    insta::assert_snapshot!(add("folder.md"), @"1 engine: folder.md is not a file");
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "add", FILE, "#1"])), @"
    2 error: invalid value '#1' for '<TAG>': a tag is #, a letter, then letters, digits and -: '#needs-fix', in quotes

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "find", "#a b"])), @"
    2 error: invalid value '#a b' for '<PATTERN>': a tag, with stars for any letters: '#needs-fix', in quotes

    For more information, try '--help'.
    ");
    assert!(!stage.exists("none.md"));
    assert_eq!(fs::read(stage.root().join("latin.md")).unwrap(), b"# T\xff\n");
    assert_eq!((stage.read(FILE).as_str(), stage.read(".engine/config.toml").as_str()), ("# T\n", ""));
    let outside = Stage::bare();
    outside.write("x.md", "");
    assert_eq!(outside.engine(&["tag", "add", "x.md", "#x"]).code, Some(1));
    assert_eq!(outside.ok(&["tag", "find", "#x", "."]), "");
}

/// Delegating and taking up next are a person's decisions.
#[test]
fn an_agent_delegates_only_after_a_persons_word() {
    let mut stage = with_file("**Tags**: #needs-fix\n");
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    stage.hook(&stage.prompt("please work")).assert_silent();
    let swap = |more: &[&str]| {
        shown(&stage.engine(&[&["tag", "swap", FILE, "#needs-fix", "#delegated-fix"], more].concat()))
    };
    insta::assert_snapshot!(swap(&[]), @"
    1 engine: tag swap sessions/2026_11_15_AUTH/REQUEST.md '#needs-fix' '#delegated-fix' needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    insta::assert_snapshot!(swap(&["--force", "--user-approved", "yes"]), @"
    1 engine: tag swap sessions/2026_11_15_AUTH/REQUEST.md '#needs-fix' '#delegated-fix' needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
    assert_eq!(stage.engine(&["tag", "add", FILE, "#next-fix"]).code, Some(1));
    assert_eq!(stage.read(FILE), "**Tags**: #needs-fix\n");
    stage.answer("ok 1");
    insta::assert_snapshot!(swap(&["--user-approved", "they said yes"]), @"0 sessions/2026_11_15_AUTH/REQUEST.md: #needs-fix → #delegated-fix");
    assert_eq!(stage.read(FILE), "**Tags**: #delegated-fix\n");
    let waiver = stage.journal().into_iter().find(|entry| entry["event"] == "Approval").unwrap();
    assert_eq!(waiver["input"], json!(format!("tag swap {FILE} '#needs-fix' '#delegated-fix'")));
    // The rest is the agent's own work; what cannot be done is not asked about.
    stage.ok(&["tag", "swap", FILE, "#delegated-fix", "#claimed-fix"]);
    insta::assert_snapshot!(swap(&[]), @"
    1 engine: sessions/2026_11_15_AUTH/REQUEST.md has no #needs-fix
      it may have been swapped by somebody else; a tag in code is a mention
    ");
}

fn with_tree() -> Stage {
    let stage = with_file(
        "# T\n**Tags**: #needs-fix #P1\n\n> ```\n> #needs-x\n> ```\nsee `#needs-y`, #needs-review\n",
    );
    stage.write("elsewhere/A B/log one.md", "#needs-fix\r\n\r\n#needs-fix `\n");
    stage.write("elsewhere/A B/notes.txt", "#needs-fix\n");
    stage.write("sessions/ignored/x.md", "#needs-fix-later #done-fix\n");
    stage.write(".gitignore", "sessions/\n");
    stage.write("sessions/.gitignore", "*\n");
    let root = stage.root();
    symlink(root.join("elsewhere"), root.join("sessions/linked")).unwrap();
    symlink(root.join("elsewhere"), root.join("sessions/twice")).unwrap();
    symlink(root.join("sessions"), root.join("sessions/ignored/loop")).unwrap();
    stage
}

#[test]
fn find_follows_links_and_names_each_place_once() {
    let stage = with_tree();
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*"]), @"
    sessions/2026_11_15_AUTH/REQUEST.md:2 #needs-fix
    sessions/2026_11_15_AUTH/REQUEST.md:7 #needs-review
    sessions/ignored/x.md:1 #needs-fix-later
    sessions/linked/A B/log one.md:1 #needs-fix
    sessions/linked/A B/log one.md:3 #needs-fix
    ");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-fix", "sessions/twice", "sessions", "elsewhere/A B/notes.txt"]), @"
    elsewhere/A B/notes.txt:1 #needs-fix
    sessions/2026_11_15_AUTH/REQUEST.md:2 #needs-fix
    sessions/twice/A B/log one.md:1 #needs-fix
    sessions/twice/A B/log one.md:3 #needs-fix
    ");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#P1", "--json"]), @r##"{"found":[{"file":"sessions/2026_11_15_AUTH/REQUEST.md","inTagsLine":true,"line":2,"tag":"#P1"}],"pattern":"#P1","version":1}"##);
    let none = stage.engine(&["tag", "find", "#needs"]);
    assert_eq!(shown(&none), "0 no #needs in 3 files\n");
    assert_eq!(
        shown(&stage.engine(&["tag", "find", "#x", "nowhere"])),
        "0 nowhere is not there\nno #x in 0 files\n"
    );
    // From another folder the paths are whole.
    let out = run(stage.command_in(&stage.root().join("elsewhere"), &["tag", "find", "#P1"]), None);
    assert_eq!(stage.masked(&out.stdout), format!("[TOP]/project/{FILE}:2 #P1\n"));
    let empty = Stage::new();
    assert_eq!(shown(&empty.engine(&["tag", "find", "#x"])), "0 no #x in 0 files\n");
}

#[test]
fn find_leaves_out_what_git_ignores_but_for_places_that_are_named() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    for path in ["sessions/S/a.md", "target/b.md", "docs/c.md", ".directives/d.md"] {
        stage.write(path, "# X\n**Tags**: #needs-fix\n");
    }
    stage.write(".gitignore", "/sessions/*\ntarget/\n");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*"]), @"sessions/S/a.md:2 #needs-fix");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*", "."]), @"
    ./.directives/d.md:2 #needs-fix
    ./docs/c.md:2 #needs-fix
    ");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*", "sessions", "target", "docs/c.md"]), @"
    docs/c.md:2 #needs-fix
    sessions/S/a.md:2 #needs-fix
    target/b.md:2 #needs-fix
    ");
}

#[test]
fn list_counts() {
    let stage = with_tree();
    insta::assert_snapshot!(stage.ok(&["tag", "list"]), @"
    #needs-fix        3  in 2 files
    #P1               1  in 1 file
    #done-fix         1  in 1 file
    #needs-fix-later  1  in 1 file
    #needs-review     1  in 1 file
    ");
    insta::assert_snapshot!(stage.ok(&["tag", "list", "sessions/ignored/x.md", "--json"]), @r##"{"tags":[{"count":1,"files":1,"tag":"#done-fix"},{"count":1,"files":1,"tag":"#needs-fix-later"}],"version":1}"##);
    assert_eq!(shown(&Stage::new().engine(&["tag", "list"])), "0 no tags in 0 files\n");
}

#[test]
fn escape_shows_first_and_writes_on_request() {
    let text =
        "# T\n**Tags**: #needs-fix\n\nTalk of #needs-fix, #P1 and `#done-x`.\r\n- a ` tick #claimed-fix";
    let stage = with_file(text);
    let preview = stage.engine(&["tag", "escape", FILE]);
    insta::assert_snapshot!(preview.stdout, @"
    --- sessions/2026_11_15_AUTH/REQUEST.md
    +++ sessions/2026_11_15_AUTH/REQUEST.md
    @@ -4 +4 @@
    -Talk of #needs-fix, #P1 and `#done-x`.
    +Talk of `#needs-fix`, #P1 and `#done-x`.
    @@ -5 +5 @@
    -- a ` tick #claimed-fix
    +- a ` tick ``#claimed-fix``
    ");
    insta::assert_snapshot!(preview.stderr, @"2 lines would change; to change: engine tag escape sessions/2026_11_15_AUTH/REQUEST.md --write");
    assert_eq!(stage.read(FILE), text);
    insta::assert_snapshot!(stage.ok(&["tag", "escape", FILE, "--json"]), @r#"{"file":"sessions/2026_11_15_AUTH/REQUEST.md","lines":[{"after":"Talk of `#needs-fix`, #P1 and `#done-x`.","before":"Talk of #needs-fix, #P1 and `#done-x`.","line":4},{"after":"- a ` tick ``#claimed-fix``","before":"- a ` tick #claimed-fix","line":5}],"version":1,"written":false}"#);
    insta::assert_snapshot!(stage.ok(&["tag", "escape", FILE, "--write"]), @"sessions/2026_11_15_AUTH/REQUEST.md: escaped tags in 2 lines");
    assert_eq!(
        stage.read(FILE),
        "# T\n**Tags**: #needs-fix\n\nTalk of `#needs-fix`, #P1 and `#done-x`.\r\n- a ` tick ``#claimed-fix``"
    );
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "escape", FILE])), @"0 sessions/2026_11_15_AUTH/REQUEST.md: no bare stages of work in the text");
}

/// Of twenty who claim, one wins, and each of the others is told. A hundred rounds are run by `cargo xtask bench`.
#[test]
fn one_of_many_swaps_wins() {
    let stage = Stage::new();
    let args = ["tag", "swap", FILE, "#next-fix", "#claimed-fix"];
    for round in 0..10 {
        stage.write(FILE, "# T\n**Tags**: #next-fix\n");
        let outputs = at_once(20, |_| stage.command(&args));
        let codes: Vec<_> = outputs.iter().map(|output| output.code).collect();
        let count = |code| codes.iter().filter(|one| **one == Some(code)).count();
        assert_eq!((count(0), count(1)), (1, 19), "round {round}: {codes:?}");
        assert_eq!(stage.read(FILE), "# T\n**Tags**: #claimed-fix\n");
    }
}

/// A task file that is tagged meanwhile loses no task.
#[test]
fn tagging_and_adding_tasks_at_once_lose_nothing() {
    let stage = Stage::new();
    stage.write("session.md", "# Session\n\n## Pending Tasks\n");
    let outputs = at_once(20, |number| {
        let (task, tag) = (format!("Task {number}"), format!("#tag-{number}"));
        let add = if number % 2 == 0 {
            ["task", "add", &task, "--first"]
        } else {
            ["tag", "add", "session.md", &tag]
        };
        stage.command(&add)
    });
    for output in outputs {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    let text = stage.read("session.md");
    assert_eq!((text.matches("#tag-").count(), text.matches("**Task ").count()), (10, 10), "{text}");
}

/// A log that is tagged meanwhile loses no entry.
#[test]
fn tagging_and_logging_at_once_lose_nothing() {
    let stage = with_file("# Log\n");
    let outputs = at_once(20, |number| {
        if number % 2 == 0 {
            return stage.command(&["tag", "add", FILE, &format!("#tag-{number}")]);
        }
        let mut command = stage.command(&["log", FILE]);
        command.stdin(input(format!("## entry {number}\n").as_bytes()));
        command
    });
    for output in outputs {
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }
    let text = stage.read(FILE);
    assert_eq!((text.matches("#tag-").count(), text.matches("] entry ").count()), (10, 10), "{text}");
}

/// The explicit form of the default finds what the default finds.
#[test]
fn sessions_are_searched_whole_also_where_they_are_named() {
    let stage = Stage::new();
    stage.write(".git/HEAD", "ref: refs/heads/main\n");
    stage.write(".gitignore", "*.md\n");
    for path in ["sessions/S/a.md", "docs/c.md"] {
        stage.write(path, "# X\n**Tags**: #needs-fix\n");
    }
    for args in [
        &["tag", "find", "#needs-*"][..],
        &["tag", "find", "#needs-*", "sessions"],
        &["tag", "find", "#needs-*", ".", "sessions"],
    ] {
        assert_eq!(stage.ok(args), "sessions/S/a.md:2 #needs-fix\n", "{args:?}");
    }
    assert_eq!(stage.ok(&["tag", "list"]), stage.ok(&["tag", "list", "sessions"]));
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "find", "#needs-*", "docs"])), @"0 no #needs-* in 0 files; git ignores 1 file with it. To name one: engine tag find '#needs-*' 'docs/c.md'");
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "list", "docs"])), @"0 no tags in 0 files; git ignores 1 file with some. To name one: engine tag list 'docs/c.md'");
    insta::assert_snapshot!(shown(&stage.engine(&["tag", "find", "#other", "docs"])), @"0 no #other in 0 files");
    insta::assert_snapshot!(stage.ok(&["tag", "find", "#needs-*", "docs/c.md"]), @"docs/c.md:2 #needs-fix");
}
