//! An answer as a JSON object.

use engine_app::search::{Answer, Found};
use engine_core::search::Kind;
use serde_json::{Map, Value, json};

pub(super) fn object(answer: &Answer, explain: bool) -> Value {
    let hit = |found: &Found| {
        let hit = &found.hit;
        let snippet: String = hit.snippet.iter().map(|piece| piece.text.as_str()).collect();
        let mut row = json!({"kind": hit.kind, "path": hit.path, "line": hit.line, "end_line": hit.end_line,
            "title": hit.title, "snippet": snippet, "at": hit.facts.at, "score": rounded(hit.score), "type": hit.facts.what,
            "skill": hit.facts.skill, "phase": hit.facts.phase, "tags": hit.facts.tags, "branch": found.branches.first()});
        if found.branches.len() > 1 {
            row["branches"] = json!(found.branches);
        }
        if explain {
            let mut sides = Map::new();
            for (name, side) in [("lexical", &hit.lexical), ("semantic", &hit.semantic)] {
                let side = side.as_ref().map(|side| json!({"rank": side.rank, "score": rounded(side.score)}));
                sides.extend(side.map(|side| (name.to_owned(), side)));
            }
            sides.insert("matched".to_owned(), json!(found.matched));
            row["explain"] = Value::Object(sides);
        }
        row
    };
    let mut object = json!({"version": 1, "mode": answer.mode.as_str(), "behind": answer.behind.files,
        "hits": answer.hits.iter().map(hit).collect::<Vec<_>>()});
    if let Some(count) = answer.unembedded {
        object["unembedded"] = json!(count);
    }
    if !answer.behind.uncompared.is_empty() {
        object["uncompared"] = words(&answer.behind.uncompared);
    }
    object
}

/// Further digits mean nothing.
fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

fn words(kinds: &[Kind]) -> Value {
    kinds.iter().map(|kind| kind.as_str()).collect()
}
