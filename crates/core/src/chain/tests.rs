use proptest::prelude::*;

use super::*;

/// The registry of `cases/chains.md`.
fn standing(name: &str) -> Standing {
    match name {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" | "handoff" | "commit" | "tools:review" => {
            Standing::Entry
        }
        "q" | "do" => Standing::FreeText { callable: true },
        "deploy" => Standing::OnlyTyped,
        "lint" => Standing::NotCooperative,
        _ => Standing::Unknown,
    }
}

fn shown(prompt: &str) -> String {
    let Some(chain) = read(prompt, &standing).chain else { return "none".into() };
    let entries: Vec<String> =
        chain.entries.iter().map(|entry| format!("{}({})", entry.skill, entry.args)).collect();
    let unknown = chain.unknown.iter().map(|name| format!(" ?{name}"));
    entries.join(" → ") + &unknown.collect::<String>()
}

#[test]
fn chains_are_read_by_the_grammar() {
    let cases = [
        ("/design plans/foo", "design(plans/foo)"),
        (
            "/design plans/foo, /plan-adhoc and /orchestrate",
            "design(plans/foo) → plan-adhoc() → orchestrate()",
        ),
        ("/design a, /plan-adhoc b then /orchestrate c", "design(a) → plan-adhoc(b) → orchestrate(c)"),
        ("/handoff and /commit", "handoff() → commit()"),
        ("/handoff, then /commit", "handoff() → commit()"),
        ("/handoff,/commit", "handoff() → commit()"),
        ("/handoff --commit", "handoff(--commit)"),
        ("I'll go with the second option.\n/handoff\n/commit", "handoff() → commit()"),
        (
            "/design plans/foo and\n- /plan-adhoc design.md\n- /orchestrate foo",
            "design(plans/foo) → plan-adhoc(design.md) → orchestrate(foo)",
        ),
        (
            "/design plans/foo, then:\r\n  * /plan-adhoc design.md\r\n  * /orchestrate foo\r\n",
            "design(plans/foo) → plan-adhoc(design.md) → orchestrate(foo)",
        ),
        ("/tools:review x, /commit", "tools:review(x) → commit()"),
        ("/design see /plan-adhoc/notes.md then /commit", "design(see /plan-adhoc/notes.md) → commit()"),
        ("/design foo, /unknown bar and /commit", "design(foo, /unknown bar) → commit() ?unknown"),
        ("/design foo, /lint x and /commit", "design(foo, /lint x) → commit()"),
        ("/deploy now, /commit", "deploy(now) → commit()"),
        ("/design foo, /deploy", "design(foo, /deploy)"),
        ("/commit with message \"see /handoff, /design\"", "commit(with message \"see /handoff, /design\")"),
        ("/design compare /plan-adhoc and /orchestrate", "design(compare /plan-adhoc and /orchestrate)"),
        ("/design x\n\nthen /commit.", "design(x) → commit()"),
        (
            "/design fix this:\n```\n/handoff\n```\n/commit",
            "design(fix this:\n```\n/handoff\n```) → commit()",
        ),
        (
            "/design foo [CONTINUATION: /handoff --commit, /commit]",
            "design(foo) → handoff(--commit) → commit()",
        ),
        ("/design foo and\n- write it\n- /commit", "design(foo and\n- write it\n- /commit)"),
        ("/design foo\n    /commit", "design(foo\n    /commit)"),
        ("/design foo and", "design(foo and)"),
        ("  \n/handoff\n\n/commit fix it\n", "handoff() → commit(fix it)"),
        ("/design, make it short", "design(make it short)"),
        (
            "/commit fix: /design is broken and /orchestrate too",
            "commit(fix: /design is broken and /orchestrate too)",
        ),
        (
            "/commit docs: explain that /handoff writes session.md and /commit runs the checks",
            "commit(docs: explain that /handoff writes session.md and /commit runs the checks)",
        ),
        (
            "/commit rename /design to /draft, and /handoff to /transfer",
            "commit(rename /design to /draft, and /handoff to /transfer)",
        ),
        (
            "/design improve these skills, /commit and /handoff in particular",
            "design(improve these skills, /commit and /handoff in particular)",
        ),
        (
            "/design the user types /design foo, /commit and the parser must cope",
            "design(the user types /design foo, /commit and the parser must cope)",
        ),
        (
            "/design use sed s,/handoff,/commit,g in all docs",
            "design(use sed s,/handoff,/commit,g in all docs)",
        ),
        ("/design foo <!-- , /commit --> bar", "design(foo <!-- , /commit --> bar)"),
        (
            "/design Rename\n/handoff -> /transfer\n/commit -> /save",
            "design(Rename\n/handoff -> /transfer\n/commit -> /save)",
        ),
        (
            "/design see the log\n\n[12:01] /handoff failed\n/commit failed",
            "design(see the log\n\n[12:01] /handoff failed\n/commit failed)",
        ),
        ("/design see how /handoff works. Then /commit", "design(see how /handoff works.) → commit()"),
        (
            "/design explain [CONTINUATION: foo] in transport.rs and arr[0]",
            "design(explain [CONTINUATION: foo] in transport.rs and arr[0])",
        ),
        (
            "/design why is `[CONTINUATION: /commit]` lost in list[0]",
            "design(why is `[CONTINUATION: /commit]` lost in list[0])",
        ),
        (
            "/design fix \"[CONTINUATION: /a, /b]\", see [issue 5]",
            "design(fix \"[CONTINUATION: /a, /b]\", see [issue 5])",
        ),
        (
            "/design x and\n- /plan-adhoc a\n  - /commit sub\n- /commit",
            "design(x) → plan-adhoc(a\n  - /commit sub) → commit()",
        ),
        ("/design in /tmp, /var and /commit", "design(in /tmp, /var and /commit)"),
        (
            "/design use /orchestrate style steps, then /commit",
            "design(use /orchestrate style steps, then /commit)",
        ),
        ("/deploy, /commit", "none"),
        ("do not run these\n/handoff\n/commit", "none"),
        ("explain the difference between\n/plan-adhoc\n/plan-tdd", "none"),
        ("Here is the output of /help\n/design Work out\n/commit Commit the work", "none"),
        ("## Commands\n\n/design\n/commit", "none"),
        ("$ ls -d /*\n/design\n/commit", "none"),
        ("| skill | what |\n/design | x\n/commit | y", "none"),
        ("/design foo, /handoff and /commit skills", "design(foo, /handoff and /commit skills)"),
        ("/design compare `/plan-adhoc` and /orchestrate", "design(compare `/plan-adhoc` and /orchestrate)"),
        (
            "/design a page for these routes:\n/handoff\n/commit",
            "design(a page for these routes:\n/handoff\n/commit)",
        ),
        (
            "/design a and\n- /plan-adhoc\n  - be quick\n- /commit",
            "design(a) → plan-adhoc(- be quick) → commit()",
        ),
        ("Good.\n/handoff and\n/commit x, y", "handoff() → commit(x, y)"),
        ("Good.\n/design a, /plan-adhoc\n/commit", "design(a) → plan-adhoc() → commit()"),
        ("we use /design,\n/handoff\n/commit", "none"),
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
        ("design and implement", "none"),
        ("We have:\n/handoff\n/commit", "none"),
        ("Fine.\n/handoff\n/commit\nor what do you think", "none"),
        ("Fine.\n/commit", "none"),
        ("/lint x, /commit", "none"),
        ("/", "none"),
        ("", "none"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(shown(prompt), expected, "{prompt:?}");
    }
}

/// Prompts that were cut where no reader would cut them, and those that were missed.
#[test]
fn findings_stay_mended() {
    let whole = [
        "/design the help prints ```\n/design NAME\n/commit\n``` and it should not",
        "/design fix: ```sh\n$ claude\n/commit\n```",
        "/design   ```sh\n/commit\n```",
        "/design ~~~\n/commit\n~~~",
        "/design a CLI where the user types\n/commit\nand the tool asks for a message",
        "/design why does typing\n/commit\nnot work?",
        "/design a menu with\n/handoff\n/commit\nas items",
        "/design REST routes /users, /commit, /handoff",
        "/design endpoints /a, /b and /commit",
        "/design cleanup of /tmp, /var and /commit",
        "/design a parser for the prompts\n/design x, /plan-adhoc\n/handoff --commit",
        "/design flow design -> plan, then /commit prints STATUS",
        "/design (see notes), /commit hooks should run",
        "/commit everything except plans/, and /handoff notes stay out",
        "/handoff note: next session runs /design foo, then /plan-adhoc",
        "/q idea with a comma, /commit it later",
    ];
    for prompt in whole {
        let (name, args) = prompt[1..].split_once(' ').unwrap();
        assert_eq!(shown(prompt), format!("{name}({})", args.trim()), "{prompt:?}");
    }
    let cases = [
        ("/design foo → /plan-adhoc", "design(foo) → plan-adhoc()"),
        ("/design→/plan-adhoc→/commit", "design() → plan-adhoc() → commit()"),
        ("/design foo; /commit", "design(foo) → commit()"),
        ("/design foo; then /plan-adhoc", "design(foo) → plan-adhoc()"),
        ("/design foo – then /commit", "design(foo) → commit()"),
        ("/design foo，/commit", "design(foo) → commit()"),
        ("/design，/commit", "design() → commit()"),
        ("/design foo followed by /commit", "design(foo) → commit()"),
        ("/design foo Followed  By: /commit", "design(foo Followed  By: /commit)"),
        ("/design foo -> /commit", "design(foo -> /commit)"),
        ("/design foo && /commit", "design(foo && /commit)"),
        ("/design foo + /commit", "design(foo + /commit)"),
        ("/design foo next /commit", "design(foo next /commit)"),
        ("/design foo. /commit.", "design(foo. /commit.)"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(shown(prompt), expected, "{prompt:?}");
    }
}

#[test]
fn what_the_page_decides() {
    let cases = [
        // An argument of a line ends with it; in the leading form free text takes all.
        ("Ok go.\n/do fix the tests\n/commit", "do(fix the tests) → commit()"),
        ("/orchestrate x\n/do tidy up\n/commit", "orchestrate(x) → do(tidy up\n/commit)"),
        ("/q, what is this, /commit", "q(what is this, /commit)"),
        ("/q x [CONTINUATION: /commit]", "q(x [CONTINUATION: /commit])"),
        // A word delimits on any line, a bare line end only before lines that are all entries.
        ("/design foo\nthen /commit\nthanks a lot", "design(foo) → commit(thanks a lot)"),
        ("/design foo\n/commit\nthanks a lot", "design(foo\n/commit\nthanks a lot)"),
        ("/design foo,\n/commit", "design(foo) → commit()"),
        ("/design foo and\n/commit", "design(foo) → commit()"),
        ("/design foo\nmore detail\n/commit", "design(foo\nmore detail) → commit()"),
        // The line above.
        (
            "/design login must not store the token\n/commit",
            "design(login must not store the token) → commit()",
        ),
        ("/design which colour\n/commit", "design(which colour) → commit()"),
        ("/design these lines\n/commit", "design(these lines\n/commit)"),
        ("/design foo:\n\n/handoff\n/commit", "design(foo:\n\n/handoff\n/commit)"),
        ("The following skills exist\n\n\n/handoff\n/commit", "none"),
        ("Ok.\n/handoff\nthen /commit", "handoff() → commit()"),
        ("Fix it\nthen /handoff\n/commit", "none"),
        // Talk by a table of verbs; a plural noun is an argument.
        ("/design foo, /commit fixes", "design(foo) → commit(fixes)"),
        ("/design foo, /handoff tests are red", "design(foo, /handoff tests are red)"),
        ("/design foo, /commit what is staged", "design(foo) → commit(what is staged)"),
        ("/design foo, /commit. Is that fine", "design(foo) → commit(Is that fine)"),
        ("/design foo, /commit isn’t there", "design(foo, /commit isn’t there)"),
        ("/design foo, /commit is broken, /handoff", "design(foo, /commit is broken, /handoff)"),
        ("/design foo, /commit is broken. Then /handoff", "design(foo, /commit is broken.) → handoff()"),
        // A quotation that is one name is a mention.
        ("/design rename `/commit` to x, then /handoff", "design(rename `/commit` to x, then /handoff)"),
        (
            "/design the flow \"run /commit now\", then /handoff",
            "design(the flow \"run /commit now\") → handoff()",
        ),
        // What is forbidden covers what is joined to it; an order counts again.
        ("/design foo, do not /commit, then /handoff", "design(foo, do not /commit) → handoff()"),
        ("/design foo, not /commit and /handoff", "design(foo, not /commit and /handoff)"),
        (
            "/design foo, not /commit or /handoff; /plan-adhoc",
            "design(foo, not /commit or /handoff) → plan-adhoc()",
        ),
        ("/design foo, without using the /commit", "design(foo, without using the /commit)"),
        ("/design foo rather than /commit", "design(foo rather than /commit)"),
        ("/design foo, no, /commit", "design(foo, no) → commit()"),
        // Known, but not an entry.
        ("/design foo, /lint and /commit", "design(foo, /lint) → commit()"),
        // Commas without white space, and patterns.
        ("/design foo,/commit", "design(foo) → commit()"),
        ("/design a,/plan-adhoc,/commit", "design(a) → plan-adhoc() → commit()"),
        ("/design use s,/handoff,/commit,g", "design(use s,/handoff,/commit,g)"),
        // Unknown names and paths.
        ("/design foo, /unknown, /commit", "design(foo, /unknown) → commit() ?unknown"),
        ("/design read /etc/hosts and /commit", "design(read /etc/hosts and /commit)"),
        ("/design read /etc/hosts, then /commit", "design(read /etc/hosts) → commit()"),
        ("/design read /etc/hosts; /commit", "design(read /etc/hosts) → commit()"),
        ("/design read /etc/hosts\n/commit", "design(read /etc/hosts) → commit()"),
        ("/design routes\n/users\n/commit", "design(routes\n/users\n/commit)"),
        // White space before the first skill.
        ("    /design foo", "design(foo)"),
        ("\t/design foo, /commit", "design(foo) → commit()"),
        // Code wherever it opens; what is indented like code.
        ("/design a ``` b, /commit", "design(a ``` b, /commit)"),
        ("/design a ``` b ```, /commit", "design(a ``` b ```) → commit()"),
        ("```\nx ``` y\n/commit\n```\n/handoff\n/commit", "handoff() → commit()"),
        ("/design see\n    at load, /commit", "design(see\n    at load, /commit)"),
        // Lists.
        ("/design a and\n- then /plan-adhoc\n- finally /commit", "design(a) → plan-adhoc() → commit()"),
        (
            "/design a and\n- /plan-adhoc\n- /commit is broken",
            "design(a and\n- /plan-adhoc\n- /commit is broken)",
        ),
        ("/design a:\n- x, /commit\n- y, /commit", "design(a:\n- x, /commit\n- y, /commit)"),
        ("/design a\n- x\n- y, then /commit", "design(a\n- x\n- y) → commit()"),
        // `--no-exit` is taken out.
        ("/design x --no-exit bar", "design(x bar)"),
        ("/design `--no-exit` (--no-exit)", "design(`--no-exit` (--no-exit))"),
        ("/q what does --no-exit do", "q(what does --no-exit do)"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(shown(prompt), expected, "{prompt:?}");
    }
}

/// The exits that follow, and those that are left out with the words that forbid them.
fn exits(prompt: &str) -> String {
    let Some(typed) = read(prompt, &standing).chain else { return "no chain".into() };
    let declared = vec![entry("handoff", "--commit"), entry("commit", "")];
    let Exits { follow, left_out, .. } = Exits::of(&typed, declared, ExitMode::Always);
    let left_out = left_out.iter().map(|(exit, words)| format!("; no {} ({words})", written(exit)));
    listed(&follow) + &left_out.collect::<String>()
}

#[test]
fn exits_follow_unless_they_are_forbidden() {
    let both = "/handoff --commit, /commit";
    let cases = [
        ("/design plans/a", both),
        ("/design plans/a, but do not commit anything", "/handoff; no /commit (do not commit anything)"),
        ("/design foo, but not /commit", "/handoff; no /commit (not /commit)"),
        ("/design foo and don’t /commit", "/handoff; no /commit (don’t /commit)"),
        ("/design foo and dont commit", "/handoff; no /commit (dont commit)"),
        ("/design foo, it doesn't need committing", "/handoff; no /commit (doesn't need committing)"),
        ("/design foo without /commit", "/handoff; no /commit (without /commit)"),
        ("/design foo instead of committing", "/handoff; no /commit (instead of committing)"),
        ("/design foo then do not /commit", "/handoff; no /commit (do not /commit)"),
        ("/design x. No handing off.", "/commit; no /handoff --commit (No handing off)"),
        ("/design x, don't hand it off", "/commit; no /handoff --commit (don't hand it off)"),
        ("/design x, no hand-off", "/commit; no /handoff --commit (no hand-off)"),
        (
            "/design x. Do not hand off. Do not commit.",
            "; no /handoff --commit (Do not hand off); no /commit (Do not commit)",
        ),
        ("/design x, leave it all uncommitted", "/handoff; no /commit (leave it all uncommitted)"),
        ("/design x, commit nothing", "/handoff; no /commit (commit nothing)"),
        ("/design x, I'll commit it myself", "/handoff; no /commit (I'll commit it myself)"),
        (
            "/design x. I do not want you to make any commit.",
            "/handoff; no /commit (do not want you to make any commit)",
        ),
        ("/design x; nothing gets committed", "/handoff; no /commit (nothing gets committed)"),
        ("/design x but hold off on committing", "/handoff; no /commit (hold off on committing)"),
        ("/design x, wait with the commit", "/handoff; no /commit (wait with the commit)"),
        ("/design x, show me the diff before you commit", "/handoff; no /commit (before you commit)"),
        ("/design x, run the tests before committing", both),
        ("Do not commit yet.\n/plan-adhoc x\n/design y", "no chain"),
        ("No commit yet.\nFine.\n/plan-adhoc x\n/design y", "/handoff; no /commit (No commit yet)"),
        // Without apostrophes, misspelt, with a prefix, over the end of a line.
        ("/design x, cant commit rn", "/handoff; no /commit (cant commit rn)"),
        ("/design x, we wont be comitting", "/handoff; no /commit (wont be comitting)"),
        ("/design x, no auto-commit", "/handoff; no /commit (no auto-commit)"),
        ("/design x, please do not make any\ncommits", "/handoff; no /commit (do not make any\ncommits)"),
        // Later, by the person, when the person says so.
        ("/design x and commit later", "/handoff; no /commit (x and commit later)"),
        ("/design x, we'll commit later on", "/handoff; no /commit (we'll commit later on)"),
        ("/design x, commit by hand", "/handoff; no /commit (commit by hand)"),
        ("/design x, I'll do the commit", "/handoff; no /commit (I'll do the commit)"),
        (
            "/design x, i will commit when ci is green",
            "/handoff; no /commit (i will commit when ci is green)",
        ),
        ("/design x, leave committing to me", "/handoff; no /commit (leave committing to me)"),
        ("/design x, commits are mine", "/handoff; no /commit (commits are mine)"),
        ("/design x, commit only after I approve", "/handoff; no /commit (commit only after I approve)"),
        ("/design x, only commit once i've seen it", "/handoff; no /commit (only commit once i've seen it)"),
        ("/design x, stop before the commit", "/handoff; no /commit (before the commit)"),
        ("/design x, leave out the commit", "/handoff; no /commit (leave out the commit)"),
        // The last words end it.
        ("/design x and then stop.", "; no /handoff --commit (stop); no /commit (stop)"),
        ("/design x, nothing else", "; no /handoff --commit (nothing else); no /commit (nothing else)"),
        (
            "/design x, stop there please",
            "; no /handoff --commit (stop there please); no /commit (stop there please)",
        ),
        // Not forbidden.
        ("/design x, don't forget to commit", both),
        ("/design x, do not skip the commit", both),
        ("/design x, never omit committing", both),
        ("/design x, I'll review the commit", both),
        ("/design x, we'll commit at the end", both),
        ("/design what becomes of commits when I rebase", both),
        ("/design x and commit when done", both),
        ("/design x, commit to a later date format", both),
        ("/design a button for start and stop", both),
        ("/design how it drains, stops and then stops the timer", both),
        ("/design stop there, then go on with the parser", both),
        ("/design leave the commit message short", both),
        ("/design x, no comments\ncommit per step", both),
        ("/design x, do not hesitate to commit", both),
        ("/design menu, no new deps, commit per step", both),
        ("/design no new deps\ncommit per step", both),
        ("/design skip the pre-commit check", both),
        ("/design no commitment to a date", both),
        ("/design the `do not commit` banner, \"never commit\"", both),
        ("/design the banner (no commit)", "/handoff; no /commit (no commit)"),
        ("/design the banner (in red), commit messages too", both),
        ("/design one two never three four five six seven eight nine ten commit", both),
        ("/design x --no-exit", ""),
        ("/design x [CONTINUATION: ]", ""),
    ];
    for (prompt, expected) in cases {
        assert_eq!(exits(prompt), expected, "{prompt:?}");
    }
}

#[test]
fn exits_are_offered_or_not_at_all() {
    let typed = read("/design x, no handoff", &standing).chain.unwrap();
    let declared = vec![entry("handoff", "--commit"), entry("tools:review", "src"), entry("commit", "")];
    let left_out = vec![(entry("handoff", "--commit"), "no handoff".to_owned())];
    let wanted = vec![entry("tools:review", "src"), entry("commit", "")];
    assert_eq!(
        Exits::of(&typed, declared.clone(), ExitMode::Ask),
        Exits { follow: Vec::new(), left_out: left_out.clone(), offered: wanted.clone() }
    );
    assert_eq!(
        Exits::of(&typed, declared.clone(), ExitMode::Always),
        Exits { follow: wanted, left_out, offered: Vec::new() }
    );
    assert_eq!(Exits::of(&typed, declared, ExitMode::Never), Exits::default());
}

#[test]
fn every_name_has_its_reason() {
    let why = |prompt: &str| {
        let notes = explain(prompt, &standing).notes;
        let shown = |note: &Note| format!("{}:{} {:?}", note.at, note.name, note.why);
        notes.iter().map(shown).collect::<Vec<_>>().join(", ")
    };
    let cases = [
        (
            "/design `/commit` \"x, /handoff\" /plan-adhoc",
            "0:design First, 9:commit InCode, 22:handoff Quoted, 32:plan-adhoc Mention",
        ),
        (
            "/design x, not /commit or /handoff",
            "0:design First, 15:commit Forbidden, 26:handoff JoinedToForbidden",
        ),
        (
            "/design x, /commit is red and /handoff",
            "0:design First, 11:commit Talk, 30:handoff JoinedToMention",
        ),
        ("/design GET /users, /commit", "0:design First, 20:commit Path"),
        ("/design x, /commit: y", "0:design First, 11:commit Glued"),
        ("/design x\n/commit\ny", "0:design First, 10:commit TextAfter"),
        ("/design x:\n/commit", "0:design First, 11:commit Introduced"),
        ("/design x\n- /commit", "0:design First, 12:commit NoChainList"),
        ("/design x\n    /commit", "0:design First, 14:commit CodeLine"),
        (
            "/design x, /lint, /deploy, /nope",
            "0:design First, 11:lint NotCooperative, 18:deploy OnlyTyped, 27:nope Unknown",
        ),
        ("/q x, /commit", "0:q First, 6:commit FreeText"),
        ("go\n/commit", "3:commit OneLine"),
        ("run /design, /commit", "4:design NotAtStart, 13:commit NotAtStart"),
    ];
    for (prompt, expected) in cases {
        assert_eq!(why(prompt), expected, "{prompt:?}");
    }
}

fn entry(skill: &str, args: &str) -> Entry {
    Entry { skill: skill.into(), args: args.into() }
}

#[test]
fn markers_are_split_from_arguments() {
    let some = |args: &str, entries: &[Entry]| Some((args.to_owned(), entries.to_vec()));
    let cases = [
        ("[CONTINUATION: /a x, /b]", some("", &[entry("a", "x"), entry("b", "")])),
        ("y [CONTINUATION: /b]", some("y", &[entry("b", "")])),
        ("[CONTINUATION: ]", some("", &[])),
        ("[CONTINUATION:]", some("", &[])),
        ("x", None),
        ("[CONTINUATION: /a", None),
        // The form without quotes, as it was written before.
        ("[CONTINUATION: /a see [1], and 2, /b]", some("", &[entry("a", "see [1], and 2"), entry("b", "")])),
        (r#"[CONTINUATION: /a "x, /b", /c]"#, some("", &[entry("a", "x, /b"), entry("c", "")])),
    ];
    for (text, expected) in cases {
        assert_eq!(split(text), expected, "{text}");
    }
}

#[test]
fn continuations_are_taken_out_of_prompts() {
    let cases = [
        ("Review src/main.rs [CONTINUATION: /b, /c]", Some("Review src/main.rs")),
        (r#"a [CONTINUATION: /b "x ] y"] c"#, Some("a c")),
        ("a [CONTINUATION: /b\nc", Some("a\nc")),
        (
            "Look.\n[CONTINUATION-PASSING]\nCurrent: /a\nContinuation: /b\n\nThe first entry is called with the Skill tool:\n  Skill(skill: \"b\", args: \"\")\nThe continuation belongs in Skill calls only.\n\nBe short.",
            Some("Look.\n\nBe short."),
        ),
        (
            "Measure [CONTINUATION: /a 5\" pipe] then mend the \"lexer\". See [notes.md] and report.",
            Some("Measure then mend the \"lexer\". See [notes.md] and report."),
        ),
        ("Look. [CONTINUATION-PASSING] Continuation: /b", Some("Look.")),
        ("Look.\nContinuation: /b\nBe short.", Some("Look.\nBe short.")),
        ("Look.\n- continuation: /b x\nBe short.", Some("Look.\nBe short.")),
        ("Look. [continuation: /b, /c] Be short.", Some("Look. Be short.")),
        ("Look.\n[continuation-passing]\nContinuation: /b\nBe short.", Some("Look.\nBe short.")),
        (
            "Look, then Skill(skill: \"b\", args: \"x) [CONTINUATION: /c]\") ends it.",
            Some("Look, then ends it."),
        ),
        ("Look.\n  Skill(skill: \"b\")\nBe short.", Some("Look.\nBe short.")),
        (
            "Look.\nThe chain has entries left (/b). The next one is called with the Skill tool:\n  Skill(skill: \"b\", args: \"\")\nIf the current skill waits for the user, ending the turn is right.\nBe short.",
            Some("Look.\nBe short."),
        ),
        (
            "Look.\n[CONTINUATION-PASSING]\nContinuation: none. It replaces an earlier chain.\nBe short.",
            Some("Look.\nBe short."),
        ),
        ("Look.\nIt replaces an earlier chain, of which /b was left.\nBe short.", Some("Look.\nBe short.")),
        ("the marker `[CONTINUATION: /b]` is text", None),
        ("the call `Skill(skill: \"b\")` and `continuation: /b` are text", None),
        ("```\n[CONTINUATION: /b]\nContinuation: /b\nSkill(skill: \"b\")\n```", None),
        ("see [continuations] and Skill(skill: \"other\")", None),
        ("Continuation: the parser goes on", None),
        ("nothing", None),
    ];
    for (prompt, expected) in cases {
        assert_eq!(without_continuation(prompt, "Skill", &["b"]).as_deref(), expected, "{prompt}");
        assert!(expected.is_none() || may_carry(prompt, "Skill"), "{prompt}");
    }
    assert!(!may_carry("Review the parser of src/main.rs", "Skill"));
}

/// The word and a skill after it, or a call, however somebody writes it. Of what is around it nothing is lost.
#[test]
fn a_continuation_is_known_in_any_spelling() {
    let inline = [
        "[ CONTINUATION: /commit ]",
        "[CONTINUATION : /commit]",
        "[CONTINUATION]: /commit.",
        "[[CONTINUATION: /commit]]",
        "[CONTINUATION: /handoff [CONTINUATION: /commit]]",
        "[CONTINUATIONS: /commit]",
        "[CONTINUATION：/commit]",
        "[ＣＯＮＴＩＮＵＡＴＩＯＮ: /commit]",
        "[CONTINU\u{200b}ATION: /commit]",
        "[CONT[CONTINUATION: /commit]INUATION: /commit]",
        "(CONTINUATION: /commit)",
        "{Continuation: /handoff --commit, /commit}",
        "<continuation>/commit</continuation>",
        "<continuation> /handoff, /commit </continuation>",
        "\"continuation\": \"/commit\".",
        "CONTINUATION = /commit.",
        "continuation -> /handoff → /commit.",
        "The continuation is /commit.",
        "Your continuation: /handoff --commit, /commit.",
        "**Continuation:** /commit.",
        "Continuations are /handoff and /commit.",
        "Skill(skill: 'commit')",
        "Skill(\"commit\")",
        "Skill(commit)",
        "Skill( skill : \"commit\" )",
        "skill(skill: \"/commit\")",
        "SKILL(skill=\"commit\", args=\"x\")",
        "Skill(args: \"a ) b\", skill: \"commit\")",
        "Skill(\n  skill: \"commit\"\n)",
        "Skill {\"skill\": \"commit\"}",
        "{\"name\": \"Skill\", \"input\": {\"skill\": \"commit\", \"args\": \"\"}}",
        "skill=commit",
        "\"skill\": \"commit\"",
    ];
    for spelling in inline {
        let clean =
            without_continuation(&format!("Look. {spelling} Be short."), "Skill", &["handoff", "commit"]);
        assert_eq!(clean.as_deref(), Some("Look. Be short."), "{spelling}");
        assert!(may_carry(spelling, "Skill"), "{spelling}");
    }
    let lines = [
        "Continuation : /commit",
        "> Continuation: /commit",
        "# Continuation\n/commit",
        "Continuation:\n/handoff --commit\n/commit",
        "- continuation:\n  - /handoff\n  - /commit",
        "1. Continuation → /commit",
        "[CONTINUATION:\n/commit]",
        "[CONTINUATION: /handoff,\n/commit]",
    ];
    for spelling in lines {
        let clean = without_continuation(&format!("Look.\n{spelling}\nBe short."), "Skill", &["commit"]);
        assert_eq!(clean.as_deref(), Some("Look.\nBe short."), "{spelling}");
    }
    let text = [
        "Is the continuation of /src/main.rs read?",
        "the continuation, see notes",
        "a continuation line ends with a slash /",
        "the skill file of commit",
        "the handoff skill, then the commit",
        "skill = committed",
    ];
    for prompt in text {
        assert_eq!(without_continuation(prompt, "Skill", &["commit"]), None, "{prompt}");
    }
}

#[test]
fn names_of_one_skill() {
    assert!(same_skill("review", "tools:review"));
    assert!(same_skill("/commit", "commit"));
    assert!(!same_skill("other:review", "tools:review"));
    assert!(!same_skill("review", "preview"));
}

/// Arguments that try the quoting.
fn args() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ a,/\\[\\]\"\\\\\n]{0,12}",
        Just("x [CONTINUATION: /z]".to_owned()),
        Just("[CONTINUATION: /z \"".to_owned()),
        Just(", /b".to_owned()),
        Just(" spaced ".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn chains_peel_back_to_what_was_encoded(
        entries in prop::collection::vec(("[a-z][a-z0-9-]{0,8}(:[a-z][a-z-]{0,4})?", args()), 0..=8)
    ) {
        let entries: Vec<Entry> = entries.iter().map(|(skill, args)| entry(skill, args)).collect();
        let (args, mut left) = split(&marker(&entries)).unwrap();
        prop_assert_eq!(args, "");
        prop_assert_eq!(&left, &entries);
        // As it travels: each call carries its own arguments and the rest.
        while !left.is_empty() {
            let first = left.remove(0);
            let call = with_suffix(&first.args, &left);
            let (args, rest) = split(&call).unwrap_or((call.clone(), Vec::new()));
            prop_assert_eq!(&args, &first.args);
            prop_assert_eq!(&rest, &left);
        }
    }

    #[test]
    fn any_text_is_read(prompt in any::<String>()) {
        let _ = explain(&prompt, &standing);
        let _ = split(&prompt);
        let _ = without_continuation(&prompt, "Skill", &["a"]);
    }

    #[test]
    fn arguments_are_parts_of_the_prompt(
        prompt in "(/design|/handoff|/q|x)(( |, | and |; |→|，| – | followed by | or | not |\n|\n- |`|\"|\\(|\\)|<a>|</a>|:|\\.|```\n| ~~~|\n> )(/commit|/plan-adhoc|/do|/lint|/nope|/a/b|a|then|and|is)){0,8}"
    ) {
        let reading = explain(&prompt, &standing);
        let mut from = 0;
        for entry in reading.chain.iter().flat_map(|chain| &chain.entries) {
            let found = prompt[from..].find(&format!("/{}", entry.skill));
            prop_assert!(found.is_some());
            from += found.unwrap_or_default() + 1 + entry.skill.len();
            let found = prompt[from..].find(&entry.args);
            prop_assert!(found.is_some());
            from += found.unwrap_or_default() + entry.args.len();
        }
    }
}
