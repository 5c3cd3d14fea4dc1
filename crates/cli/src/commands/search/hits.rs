//! How hits are printed: few bytes, for an agent reads them.

use engine_app::search::{Answer, Corpus, Found};
use engine_app::time;
use engine_core::file_link::Protocol;
use engine_core::search::Kind;
use engine_text::line::printable;

use super::standing::mode;
use crate::ui::{Tone, linked_at, toned};

pub(super) fn text(answer: &Answer, corpus: &Corpus, explain: bool) -> String {
    let links = corpus.links();
    let mut out = String::new();
    if explain && !answer.hits.is_empty() {
        out.push_str(&format!("{}\n", mode(answer.mode)));
    }
    for found in &answer.hits {
        out.push_str(&head(found, answer, links));
        let shown: String = found.hit.snippet.iter().map(|piece| shown(&piece.text, piece.is_hit)).collect();
        if !shown.trim().is_empty() {
            out.push_str(&format!("  {shown}\n"));
        }
        if explain {
            out.push_str(&format!("  {}\n", toned(Tone::Quiet, &ranks(found))));
        }
    }
    out
}

/// Where it is, what it is called, how old it is.
fn head(found: &Found, answer: &Answer, links: Protocol) -> String {
    let hit = &found.hit;
    let place = match hit.path.strip_suffix("/state.json") {
        Some(session) => session.to_owned(),
        None => format!("{}:{}", hit.path, hit.line),
    };
    let place = if found.branches.is_empty() {
        linked_at(&printable(&place), &found.file, Some(hit.line.into()), links)
    } else {
        format!("{} [{}]", printable(&place), printable(&found.branches.join(", ")))
    };
    let what = hit.facts.what.as_deref().filter(|_| hit.kind != Kind::Decisions.as_str());
    let slug = found.file.file_stem().and_then(|stem| stem.to_str());
    let slug = slug.filter(|_| hit.kind == Kind::Notes.as_str());
    let title = [slug, Some(found.breadcrumb.as_str()).filter(|title| !title.is_empty())];
    let title = printable(&title.into_iter().flatten().collect::<Vec<_>>().join(" > "));
    let title = match what {
        Some(what) if title.is_empty() => what.to_owned(),
        Some(what) => format!("{what}: {title}"),
        None => title,
    };
    let age =
        hit.facts.at.as_deref().and_then(time::parse).map(|at| format!("{} ago", at.before(answer.now)));
    let age = age.map(|age| toned(Tone::Quiet, &age));
    let parts = [Some(place), Some(title).filter(|title| !title.is_empty()), age];
    format!("{}\n", parts.into_iter().flatten().collect::<Vec<_>>().join("  "))
}

fn shown(text: &str, is_hit: bool) -> String {
    let text = printable(text);
    if is_hit { toned(Tone::Strong, &text) } else { text }
}

/// `lexical 1 (12.3), semantic 4 (0.61); matched: lock, waits`.
fn ranks(found: &Found) -> String {
    let sides = [("lexical", &found.hit.lexical), ("semantic", &found.hit.semantic)];
    let side = sides.iter().filter_map(|(name, side)| {
        let side = side.as_ref()?;
        Some(format!("{name} {} ({:.2})", side.rank, side.score))
    });
    let side = side.collect::<Vec<_>>().join(", ");
    format!("{side}; matched: {}", found.matched.join(", "))
}
