use engine_core::search::Kind;

use super::*;

/// The day on which all files were changed.
const CHANGED: &str = "2026-11-01T00:00:00.000Z";

fn cut(kind: Kind, key: &str, text: &str) -> Vec<Chunk> {
    chunks(&Uncut { kind, key, text, changed: Some(CHANGED.to_owned()) })
}

/// `3-4 TITLE | BODY`, a chunk in each line.
fn shown(chunks: &[Chunk]) -> String {
    let line = |chunk: &Chunk| {
        let Chunk { title, body, line, end_line, .. } = chunk;
        format!("{line}-{end_line} {title} | {}\n", body.replace('\n', "/"))
    };
    chunks.iter().map(line).collect()
}

fn of_log(text: &str) -> String {
    shown(&cut(Kind::Sessions, "sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md", text))
}

#[test]
fn what_is_between_the_entries_of_a_log_is_found() {
    let text = "# Log\n\nAbove all.\n\n## Start: Go\n**Phase**: 1: Setup\nBegan.\n\n# Apart\nBeside.\n### Deep\nDown.\n## End\nOver.\n";
    let expected = "1-3 2026_02_07_AUTH/IMPLEMENT_LOG > Log | # Log//Above all.
5-7 2026_02_07_AUTH/IMPLEMENT_LOG > Go | Began.
9-10 2026_02_07_AUTH/IMPLEMENT_LOG > Apart | # Apart/Beside.
11-12 2026_02_07_AUTH/IMPLEMENT_LOG > Apart > Deep | ### Deep/Down.
13-14 2026_02_07_AUTH/IMPLEMENT_LOG > End | Over.
";
    assert_eq!(of_log(text), expected);
    for (text, expected) in [
        ("# Implement log\n\n## A\nb\n", "3-4 2026_02_07_AUTH/IMPLEMENT_LOG > A | b\n"),
        ("# Implement log\n", ""),
        ("\u{feff}# LOG\n", ""),
        ("# Log of keys\n", "1-1 2026_02_07_AUTH/IMPLEMENT_LOG > Log of keys | # Log of keys\n"),
        ("only text", "1-1 2026_02_07_AUTH/IMPLEMENT_LOG | only text\n"),
        ("", ""),
    ] {
        assert_eq!(of_log(text), expected, "{text}");
    }
}

#[test]
fn what_is_above_the_learnings_is_found() {
    let learnings = |text: &str| shown(&cut(Kind::Learnings, ".claude/learnings.md", text));
    let text = "# Learnings\n\nRead these.\n\n## Compare\n- Reason: x\n# Apart\ny\n";
    let expected = "1-3 .claude/learnings > Learnings | # Learnings//Read these.
5-8 .claude/learnings > Compare | ## Compare/- Reason: x/# Apart/y
";
    assert_eq!(learnings(text), expected);
    assert_eq!(learnings("# Learnings\n\n## A\n"), "3-3 .claude/learnings > A | ## A\n");
    assert_eq!(learnings("no heading\n"), "1-1 .claude/learnings | no heading\n");
}

/// Every text of four of these lines.
#[test]
fn no_line_is_lost() {
    let lines = [
        "",
        "# ONE",
        "## TWO",
        "### THREE",
        "text WORD",
        "**Phase**: P",
        "```",
        "## [2026-11-15 12:30:01] ⚖️ X",
    ];
    let long = "A long LINE. ".repeat(200);
    let files = [
        (Kind::Sessions, "sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md"),
        (Kind::Sessions, "sessions/2026_02_07_AUTH/DIALOGUE.md"),
        (Kind::Learnings, "learnings.md"),
    ];
    for number in 0..8_usize.pow(4) {
        let digits = (0..4).map(|place| number / 8_usize.pow(place) % 8);
        let mut text = String::new();
        for (digit, place) in digits.zip(0..) {
            // A word of its own for each line.
            let line = if number % 97 == 0 && digit == 4 { long.as_str() } else { lines[digit] };
            text.push_str(&if line.is_empty() || line == "```" {
                line.to_owned()
            } else {
                format!("{line} w{place}")
            });
            text.push('\n');
        }
        for (kind, key) in files {
            let chunks = cut(kind, key, &text);
            for (line, place) in text.lines().zip(1_u32..) {
                let word = format!("w{}", place - 1);
                if !line.contains(&word) {
                    continue;
                }
                let has_it = |chunk: &Chunk| {
                    let texts = [Some(&chunk.title), Some(&chunk.body), chunk.facts.phase.as_ref()];
                    texts.into_iter().flatten().any(|text| text.contains(&word))
                };
                let is_there = |chunk: &&Chunk| (chunk.line..=chunk.end_line).contains(&place);
                // Of several lines with a phase, the first one counts.
                let is_phase = line.starts_with("**Phase**") && chunks.iter().any(|chunk| is_there(&chunk));
                assert!(
                    chunks.iter().any(has_it) || is_phase,
                    "{key}: {word} of {text:?}\n{}",
                    shown(&chunks)
                );
                assert!(
                    line.starts_with('#') || chunks.iter().any(|chunk| is_there(&chunk)),
                    "{key}: {place} of {text:?}\n{}",
                    shown(&chunks)
                );
            }
        }
    }
}

#[test]
fn type_and_skill_are_those_of_the_name() {
    for (file, what, skill) in [
        ("IMPLEMENT.md", Some("debrief"), Some("implement")),
        ("IMPLEMENT_PLAN.md", Some("plan"), Some("implement")),
        ("IMPLEMENT_LOG.md", None, Some("implement")),
        ("DIALOGUE.md", Some("dialogue"), None),
        ("FIX_REQUEST_KEYS.md", Some("request"), Some("fix")),
        ("FIX_RESPONSE_KEYS.md", Some("response"), Some("fix")),
        ("IMPLEMENT_RESEARCH_REQUEST_TOPIC.md", Some("request"), Some("implement-research")),
        ("NOTES.md", None, None),
        ("notes.md", None, None),
        ("sub/deep/NOTES.md", None, None),
        ("sub/IMPLEMENT.md", None, None),
        ("attach/E.md", None, None),
        ("attach/E_PLAN.md", None, None),
        ("attach/state.json", None, None),
        ("NOTES.mdx", None, None),
    ] {
        let chunks = cut(Kind::Sessions, &format!("sessions/2026_02_07_AUTH/{file}"), "words");
        let found: Vec<_> =
            chunks.iter().map(|chunk| (chunk.facts.what.as_deref(), chunk.facts.skill.as_deref())).collect();
        assert_eq!(found, [(what, skill)], "{file}");
    }
}

#[test]
fn an_entry_has_its_facts() {
    let log = "**Tags**: #auth\n## [2026-11-15 12:30:01] ⚖️ Use JWT\n**Phase**: 3.A: Build\nBecause. #keys\n";
    let chunks = cut(Kind::Sessions, "sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md", log);
    let [_, entry] = chunks.as_slice() else { panic!("{chunks:?}") };
    let facts = &entry.facts;
    assert_eq!((facts.what.as_deref(), facts.phase.as_deref()), (Some("decision"), Some("3.A: Build")));
    assert!(facts.at.as_deref().is_some_and(|at| at != CHANGED));
    assert!(facts.tags.contains(&"auth".to_owned()), "{:?}", facts.tags);
    assert_eq!(chunks[0].facts.at.as_deref(), Some(CHANGED));
}

#[test]
fn secrets_are_removed_and_lines_stay() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----";
    let chunks = cut(Kind::Docs, "docs/a.md", &format!("# A\nx\n{key}\n## B\ny\n"));
    assert!(chunks.iter().all(|chunk| !chunk.body.contains("abc")), "{chunks:?}");
    assert_eq!(chunks.last().map(|chunk| (chunk.line, chunk.title.as_str())), Some((7, "docs/a > A > B")));
}

#[test]
fn pages_of_open_plans_are_left_out() {
    for (key, text, expected) in [
        ("plans/x/notes.md", "# N\nwords", Some("1-2 plans/x/notes > N | # N/words\n")),
        ("docs/decisions/1.md", "# D\nwords", None),
    ] {
        let kind = if expected.is_some() { Kind::Plans } else { Kind::Decisions };
        let chunks = cut(kind, key, text);
        match expected {
            Some(expected) => assert_eq!(shown(&chunks), expected),
            None => assert_eq!(chunks[0].facts.what.as_deref(), Some("decision")),
        }
    }
}

#[test]
fn a_session_is_found_by_what_it_is_about() {
    let state = r#"{"description":"Keys for the door","params":{"taskSummary":"Log in with a key","scope":{}},
        "keywords":["token"],"runs":[{"skill":"implement","startedAt":"2026-02-07T10:00:00.000Z","goal":"No cookie"}]}"#;
    let chunks = cut(Kind::Sessions, "sessions/2026_02_07_AUTH/state.json", state);
    assert_eq!(
        shown(&chunks),
        "1-1 2026_02_07_AUTH | Keys for the door/Log in with a key/Keywords: token/Goal: No cookie/Skills: implement/State: active\n"
    );
    assert_eq!(chunks[0].facts.at.as_deref(), Some("2026-02-07T10:00:00.000Z"));
}

#[test]
fn a_hit_is_at_the_heading_that_names_it() {
    let docs = |text: &str| {
        let line = |chunk: &Chunk| format!("{}-{} {}", chunk.line, chunk.end_line, chunk.title);
        cut(Kind::Docs, "a.md", text).iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        docs("# Guide\n\n## Locks\n\nwords\n\n## Keys\nmore\n"),
        ["3-5 a > Guide > Locks", "7-8 a > Guide > Keys"]
    );
    assert_eq!(docs("# Guide\nwords\n"), ["1-2 a > Guide"]);
    assert_eq!(docs("#nothing\n# Guide\n"), ["1-1 a", "2-2 a > Guide"]);
}
