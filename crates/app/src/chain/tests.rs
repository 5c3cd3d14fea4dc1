use engine_core::chain::{Link, explain, with_suffix};

use super::*;
use crate::stage::{AGENT, Stage, refusal};

pub(super) fn with_skills() -> Stage {
    let stage = Stage::new();
    for (name, more) in [("one", ", default-exit: [/two, /three x]"), ("two", ""), ("three", "")] {
        let text = format!(
            "---\ndescription: x\nallowed-tools: Skill\ncontinuation: {{cooperative: true{more}}}\n---\n"
        );
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), &text);
    }
    stage
}

pub(super) fn shown(parsed: Option<&Parsed>) -> String {
    let Some(parsed) = parsed else { return "no chain".to_owned() };
    let entries: Vec<String> = parsed
        .entries
        .iter()
        .map(|entry| format!("/{} {}", entry.skill, entry.args).trim_end().to_owned())
        .collect();
    format!("{} | exits {} | unknown {:?}", entries.join(", "), parsed.exits, parsed.unknown)
}

#[test]
fn the_exits_of_the_last_entry_follow_unless_the_chain_is_closed() {
    let stage = with_skills();
    let skills = Skills::around(&stage.root());
    let parsed = |prompt: &str| {
        let reading = explain(prompt, &|name: &str| skills.standing(name));
        shown(with_exits(&reading, &skills).as_ref())
    };
    for (prompt, expected) in [
        ("do it", "no chain"),
        ("/two a, /three b", "/two a, /three b | exits 0 | unknown []"),
        ("/two a, /one b", "/two a, /one b, /two, /three x | exits 2 | unknown []"),
        ("/one a, /two b", "/one a, /two b | exits 0 | unknown []"),
        ("/one a, /none b", "/one a, /none b, /two, /three x | exits 2 | unknown [\"none\"]"),
        ("/one", "/one, /two, /three x | exits 2 | unknown []"),
    ] {
        assert_eq!(parsed(prompt), expected, "{prompt}");
    }
    let rest = [Entry::parse("/one y").unwrap(), Entry::parse("/none").unwrap()];
    let closed = format!("/two {}", with_suffix("x", &rest));
    assert_eq!(
        parsed(&closed),
        "/two x, /one y | exits 0 | unknown [\"none\"]",
        "its rest is all that follows"
    );
}

#[test]
fn a_chain_is_ended_once_and_what_was_left_comes_back() {
    let stage = with_skills();
    let project = stage.project();
    assert_eq!(refusal(Running::find(&project, Some("zzz"))), "Refused: no living session begins with zzz");
    let link = |text: &str| Link::from(Entry::parse(text).unwrap());
    let chain = Stored { left: vec![link("/two a"), link("/three b")], ..Stored::default() };
    stage.session("aa-none").update(|_| ()).unwrap();
    stage.session("aa-runs").update(|state| state.chain = Some(chain.clone())).unwrap();
    let running = Running::find(&project, Some("aa")).unwrap();
    assert_eq!(
        (running.session.as_str(), running.chain.as_ref()),
        ("aa-runs", Some(&chain)),
        "the one that has a chain is meant"
    );
    assert_eq!(running.end(&project, &Caller::Person).unwrap(), chain.entries());
    let kept = stage.session("aa-runs").peek();
    assert_eq!((kept.chain, kept.chain_dropped), (None, true));
    stage.session(AGENT).update(|_| ()).unwrap();
    let none = Running::find(&project, Some(AGENT)).unwrap();
    let before = stage.files();
    assert_eq!(refusal(none.end(&project, &Caller::Person)), "Nothing: no chain to drop");
    assert_eq!(stage.files(), before);
    assert_eq!(
        refusal(Running::find(&project, Some("aa"))),
        "Refused: several sessions are alive; name one with --session\n→ aa-none\n→ aa-runs"
    );
}

#[test]
fn a_place_is_counted_in_lines_and_characters() {
    for (prompt, at, expected) in
        [("/a", 0, (1, 1)), ("go /a", 3, (1, 4)), ("ä /a", 3, (1, 3)), ("x\n\ny /a", 5, (3, 3))]
    {
        assert_eq!(place(prompt, at), expected, "{prompt:?}");
    }
}

#[test]
fn peeling_takes_one_entry_and_leaves_the_rest() {
    let entry = |skill: &str, args: &str| Entry { skill: skill.to_owned(), args: args.to_owned() };
    let cases = [
        ("x", "x", None, None),
        ("x [CONTINUATION: /a y]", "x", Some(entry("a", "y")), None),
        ("x [CONTINUATION: /a y, /b]", "x", Some(entry("a", "y")), Some("[CONTINUATION: /b]")),
    ];
    for (text, args, next, rest) in cases {
        let expected = Peeled { args: args.to_owned(), next, rest: rest.map(str::to_owned) };
        assert_eq!(peel(text), expected, "{text}");
    }
}
