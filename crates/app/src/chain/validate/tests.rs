use serde_json::json;

use super::*;
use crate::chain::tests::{shown, with_skills};
use crate::stage::{Stage, refusal};

fn prompts(texts: &[&str]) -> String {
    let line =
        |text: &&str| json!({"type": "user", "message": {"role": "user", "content": text}}).to_string();
    let lines: Vec<String> = texts.iter().map(line).collect();
    lines.join("\n") + "\n"
}

fn all(stage: &Stage, seen: &[ChainPrompt]) -> Vec<String> {
    seen.iter()
        .map(|seen| {
            format!("{}:{} {}", stage.shown(&seen.file), seen.prompt.line, shown(seen.parsed.as_ref()))
        })
        .collect()
}

#[test]
fn prompts_are_counted_and_chains_kept_in_the_order_of_the_files() {
    let stage = with_skills();
    stage.write("t/b.jsonl", &prompts(&["/two a, /three b"]));
    stage.write(
        "t/deep/a.jsonl",
        &format!("{{broken\n{}", prompts(&["hello", "see /tmp/x", "Fine.\n/two", "/three, /one"])),
    );
    stage.write("t/notes.txt", &prompts(&["/two, /three"]));
    let found = validate(&stage.root().join("t"), &Skills::around(&stage.root())).unwrap();
    assert_eq!((found.transcripts, found.prompts, found.with_slash), (2, 5, 4));
    assert_eq!(
        all(&stage, &found.chains),
        [
            "t/b.jsonl:1 /two a, /three b | exits 0 | unknown []",
            "t/deep/a.jsonl:5 /three, /one, /two, /three x | exits 2 | unknown []"
        ]
    );
    assert_eq!(all(&stage, &found.doubtful), ["t/deep/a.jsonl:4 no chain"]);
    assert_eq!(found.unread, Vec::<String>::new());
}

#[test]
fn one_file_may_be_named_and_a_folder_that_is_not_there_is_refused() {
    let stage = with_skills();
    stage.write("one.log", &prompts(&["/two, /three"]));
    let skills = Skills::around(&stage.root());
    let of = |path: &str| validate(&stage.root().join(path), &skills);
    assert_eq!(
        all(&stage, &of("one.log").unwrap().chains),
        ["one.log:1 /two, /three | exits 0 | unknown []"]
    );
    assert_eq!(
        refusal(of("nosuch")),
        format!("Refused: {}: No such file or directory (os error 2)", stage.root().join("nosuch").display())
    );
    stage.write("empty/x.txt", "");
    let found = of("empty").unwrap();
    assert_eq!((found.transcripts, found.prompts, found.chains.len()), (0, 0, 0));
}
