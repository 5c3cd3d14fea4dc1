use proptest::prelude::*;

use super::*;

/// The registry of `cases/chains.md`.
fn standing(name: &str) -> Standing {
    match name {
        "design" | "plan-adhoc" | "plan-tdd" | "orchestrate" | "handoff" | "commit" | "tools:review" => {
            Standing::Entry
        }
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
        ("/design in /tmp, /var and /commit", "design(in /tmp, /var) → commit() ?var"),
        (
            "/design use /orchestrate style steps, then /commit",
            "design(use /orchestrate style steps) → commit()",
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
fn markers_are_taken_out_of_prompts() {
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
        ("the marker `[CONTINUATION: /b]` is text", None),
        ("```\n[CONTINUATION: /b]\n```", None),
        ("nothing", None),
    ];
    for (prompt, expected) in cases {
        assert_eq!(without_markers(prompt).as_deref(), expected, "{prompt}");
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
        let _ = without_markers(&prompt);
    }

    #[test]
    fn arguments_are_parts_of_the_prompt(
        prompt in "(/design|/handoff|x)(( |, | and |\n|\n- |`|\"|\\(|\\)|<a>|</a>|:|\\.|```\n|> )(/commit|/plan-adhoc|/lint|/nope|a|then|and)){0,8}"
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
