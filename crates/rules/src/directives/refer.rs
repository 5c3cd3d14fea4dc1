//! What directives refer to by `§NAME`: told with them, from the directives above, then from the standards.

use super::{Met, News, View};
use crate::inject;
use engine_core::session::ContextDirectives;
use engine_core::sigil::{REFERS, Resolution, Texts, resolve};
use engine_core::standard::{self, STANDARDS};
use engine_text::line::units;

/// More than an agent follows up.
const MOST: usize = 50;

/// The definitions that texts refer to and that are not in the context yet: those that fit into what is left of the budget, then the
/// names of the others with the command that shows them.
pub(super) fn tell(
    texts: &str,
    mut left: usize,
    met: &Met,
    told: Option<&ContextDirectives>,
    news: &mut News,
    view: &(impl View + ?Sized),
) -> Option<String> {
    if !texts.contains(REFERS) {
        return None;
    }
    let documents = documents(met, view);
    let is_in_context = |path: &str| {
        let path = path.to_owned();
        told.is_some_and(|told| told.delivered.contains(&path)) || news.delivered.contains(&path)
    };
    let mut defining = Texts::new(documents.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let Resolution { resolved, .. } = resolve(texts, &mut |name| defining.find(name));
    let mut sections = String::new();
    let mut named = Vec::new();
    let mut delivered = Vec::new();
    for (name, definition) in resolved {
        let source = definition.place.rsplit_once(':').map_or(definition.place.as_str(), |(path, _)| path);
        let mark = format!("{REFERS}{name}");
        if is_in_context(source) || is_in_context(&mark) {
            continue;
        }
        // What is beyond it comes with the next text that refers to it.
        if delivered.len() == MOST {
            break;
        }
        let section = format!("\n\n### {mark} ({})\n\n{}", definition.place, definition.text.trim());
        let size = units(&section);
        if size <= left {
            left -= size;
            sections.push_str(&section);
        } else {
            named.push(name);
        }
        delivered.push(mark);
    }
    news.delivered.extend(delivered);
    let mut parts = Vec::new();
    if !sections.is_empty() {
        parts.push(format!("Referred to there:{sections}"));
    }
    if !named.is_empty() {
        let commands: Vec<String> = named.iter().map(|name| format!("engine sigil show {name}")).collect();
        parts.push(format!("Also referred to, and did not fit: {}", commands.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The texts that may define a name, nearest first. Standards that were told at the session's start come with no text: what they
/// define is known.
fn documents(met: &Met, view: &(impl View + ?Sized)) -> Vec<(String, String)> {
    let mut documents: Vec<(String, String)> = Vec::new();
    for path in &met.paths {
        for found in super::found_at(path, &|_| true, view) {
            let name = super::identity(&found.real, view);
            if documents.iter().all(|(other, _)| *other != name)
                && let Ok(told) = view.told(&found.path)
            {
                documents.push((name, told.text));
            }
        }
    }
    let injected: Vec<&str> = view
        .config()
        .names(&inject::STANDARDS)
        .into_iter()
        .filter_map(standard::find)
        .map(|known| known.name)
        .collect();
    let left = STANDARDS.iter().filter(|standard| !injected.contains(&standard.name));
    documents.extend(left.map(|standard| (standard.name.to_owned(), standard.text.to_owned())));
    documents
}
