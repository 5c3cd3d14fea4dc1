//! `docs/ceremony.md` shows what `real_ceremony` measures, and the budgets hold.

use std::fmt::Write as _;
use std::fs;

use crate::real_ceremony::{WAYS, WITHOUT, Work};

#[test]
fn the_page_shows_the_tables_and_the_budgets_hold() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ceremony.md")).unwrap();
    for work in Work::ALL {
        let plain = WAYS.iter().find(|way| way.work == work && way.name == WITHOUT).unwrap().requests;
        let mut table = format!(
            "| {} | requests | of them `engine` | characters added |\n| --- | --- | --- | --- |",
            work.name()
        );
        for way in WAYS.iter().filter(|way| way.work == work) {
            assert!(way.requests <= work.most(plain), "{}: {} requests", way.name, way.requests);
            let _ = write!(table, "\n| {} | {} | {} | {} |", way.name, way.requests, way.ours, way.added);
        }
        assert!(page.contains(&table), "docs/ceremony.md lacks this table:\n{table}");
    }
}
