//! What a lock seals.

use super::*;

#[test]
fn a_state_whose_criteria_were_touched_is_no_plan() {
    let plan = locked(1);
    let json = serde_json::to_string(&plan).unwrap();
    assert_eq!(Plan::parse(&json), Ok(plan));
    for (from, to) in [
        ("it works", "it mostly works"),
        ("cargo test", "true"),
        ("\"supervise\":false", "\"supervise\":true"),
    ] {
        assert!(json.contains(from));
        assert_eq!(
            Plan::parse(&json.replace(from, to)),
            Err(Unusable::Damaged("its criteria are not those that were locked".into()))
        );
    }
    assert_eq!(
        Plan::parse(&json.replace("\"version\":2", "\"version\":5")),
        Err(Unusable::Newer { found: 5, known: VERSION })
    );
}
