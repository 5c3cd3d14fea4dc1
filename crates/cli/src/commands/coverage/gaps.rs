//! The tool calls that did not pass the hook, for a person.

use engine_app::coverage::{Gap, Measured};
use engine_app::time;
use engine_app::wording::counted;
use engine_text::line::one_line;

use crate::table::aligned;

/// How many a person is shown.
const SHOWN: usize = 20;
/// How much of a command is shown.
const WHAT: usize = 60;

/// The last of them, and how many are older than the journal.
pub(super) fn table(measured: &Measured) -> String {
    let gaps = &measured.coverage.gaps;
    if gaps.is_empty() {
        return String::new();
    }
    let hidden = gaps.len().saturating_sub(SHOWN);
    let more = match hidden {
        0 => String::new(),
        hidden => format!(", the last {SHOWN} of them; {hidden} more with --json"),
    };
    let row = |gap: &Gap| {
        let at = time::parse(&gap.at).map_or_else(|| gap.at.clone(), time::local);
        let agent = gap.agent.clone().unwrap_or_else(|| "main".to_owned());
        let mut what = one_line(&gap.what, WHAT);
        if let Some(ran) = &gap.ran {
            what.push_str(&format!(" (another hook changed it; ran: {})", one_line(ran, WHAT)));
        }
        vec![at, short(&gap.session), agent, gap.tool.clone(), what]
    };
    let rows: Vec<Vec<String>> = gaps[hidden..].iter().map(row).collect();
    let count = counted(gaps.len() as u64, "gap");
    let mut out = format!("{count}{more}\n{}", aligned(&rows, "  "));
    let older = measured.gaps_before_the_journal();
    match measured.first.as_deref() {
        None => out.push_str("the journal is empty\n"),
        Some(first) if older > 0 => {
            let first = time::parse(first).map_or_else(|| first.to_owned(), time::local);
            out.push_str(&format!("{older} of them before the journal begins ({first})\n"));
        }
        Some(_) => {}
    }
    out
}

pub(super) fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
