//! A task out of what a person typed behind `p:`.

use super::Meta;
use super::line::{flat, is_model, restart};

/// Several lines become one. Fields at the end count if they are a model or restart; a span in ticks is the command
/// if it begins with a slash. Everything else is the name, with a capital at its start.
pub fn from_prompt(typed: &str) -> Meta {
    let mut text = flat(typed);
    let mut meta = Meta::default();
    while let Some((before, field)) = text.rsplit_once('|') {
        let field = field.trim();
        if let Some(restart) = restart(field) {
            meta.restart = restart;
        } else if meta.model.is_none() && is_model(field) {
            meta.model = Some(field.to_ascii_lowercase());
        } else {
            break;
        }
        text = before.trim_end().to_owned();
    }
    if let Some((from, to)) = command_span(&text) {
        meta.command = Some(text[from + 1..to - 1].trim().to_owned());
        let left = format!("{} {}", text[..from].trim_end(), text[to..].trim_start());
        // "fix login bug with `/fix login`": the word that led to the command says nothing any more.
        let left = left.trim().trim_end_matches(" with").trim_end_matches(" via").trim().to_owned();
        text = if left.is_empty() { meta.command.clone().unwrap_or_default() } else { left };
    }
    if text.is_empty() {
        // Only fields were typed; then they are the name.
        return Meta { name: capitalised(&flat(typed)), ..Meta::default() };
    }
    meta.name = capitalised(&text);
    meta
}

/// Where a span in ticks that begins with a slash stands, ticks included.
fn command_span(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('`').map(|at| from + at) {
        let close = open + 1 + text[open + 1..].find('`')?;
        if text[open + 1..close].trim_start().starts_with('/') {
            return Some((open, close + 1));
        }
        from = close + 1;
    }
    None
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_was_typed() {
        let shown = |typed: &str| {
            let meta = from_prompt(typed);
            format!("{:?} {:?} {:?} {}", meta.name, meta.command, meta.model, meta.restart)
        };
        let cases = [
            ("fix login bug", r#""Fix login bug" None None false"#),
            ("fix login bug | opus | restart", r#""Fix login bug" None Some("opus") true"#),
            ("fix login bug with `/fix login`", r#""Fix login bug" Some("/fix login") None false"#),
            ("fix `Parser::new` | Haiku", r#""Fix `Parser::new`" None Some("haiku") false"#),
            ("a | b | opus", r#""A | b" None Some("opus") false"#),
            ("| opus", r#""| opus" None None false"#),
            ("two\n  lines", r#""Two lines" None None false"#),
            ("`/go`", r#""/go" Some("/go") None false"#),
            (
                "**bold** `tick` — dash | pipe [x] 日本語",
                r#""**bold** `tick` — dash | pipe [x] 日本語" None None false"#,
            ),
        ];
        for (typed, expected) in cases {
            assert_eq!(shown(typed), expected, "{typed}");
        }
    }
}
