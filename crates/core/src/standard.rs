//! The texts that say what the protocol skills take for granted: commands, rules of conduct, sigils and tags.
//!
//! They are part of the plugin folder and of the binary; a project that wants them told at session start lists them in
//! `inject.standards`.

use crate::sigil::{Document, Home};

#[derive(Debug, Clone, Copy)]
pub struct Standard {
    pub name: &'static str,
    pub about: &'static str,
    pub text: &'static str,
}

macro_rules! standard {
    ($name:literal, $about:literal) => {
        Standard {
            name: $name,
            about: $about,
            text: include_str!(concat!("../../../plugin/standards/", $name, ".md")),
        }
    };
}

pub const STANDARDS: [Standard; 3] = [
    standard!("COMMANDS", "what the steps of a skill mean (¶CMD_)"),
    standard!("INVARIANTS", "rules of conduct (¶INV_)"),
    standard!("SIGILS", "definitions, references, tags and feeds"),
];

/// By its name, in any case, with or without `.md`.
pub fn find(name: &str) -> Option<&'static Standard> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    STANDARDS.iter().find(|standard| standard.name.eq_ignore_ascii_case(name))
}

/// All of them, for whoever looks up what they define. Their paths are what `engine show` takes.
pub fn documents() -> Vec<Document> {
    let of_standard = |standard: &Standard| Document {
        path: standard.name.to_owned(),
        text: standard.text.to_owned(),
        homes: vec![Home::Standard],
        asked: true,
    };
    STANDARDS.iter().map(of_standard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sigil::Index;
    use crate::skill::protocol::Evidence;

    #[test]
    fn they_are_small() {
        for Standard { name, text, .. } in STANDARDS {
            assert!(text.len() <= 4096, "{name}: {} bytes", text.len());
        }
    }

    #[test]
    fn every_reference_has_one_definition() {
        let documents = documents();
        let index = Index::new(&documents);
        let open: Vec<&str> = index.unresolved().map(|reference| reference.name).collect();
        assert!(open.is_empty() && index.duplicates().is_empty(), "{open:?} {:?}", index.duplicates());
        assert!(index.definitions().count() > 30);
    }

    #[test]
    fn proofs_are_schemas() {
        let text = STANDARDS[0].text;
        let lines = engine_text::markdown::Lines::new(text);
        let schemas: Vec<_> = lines.blocks.iter().filter(|block| block.info == "json").collect();
        assert_eq!(schemas.len(), text.matches("## PROOF FOR §CMD_").count());
        for block in schemas {
            let json = &text[lines.all[block.lines.start].start..lines.all[block.lines.end].start];
            let schema: serde_json::Value = serde_json::from_str(json).unwrap();
            let properties = schema["properties"].as_object().unwrap();
            let is_looked_up = |declared: &serde_json::Value| {
                declared["evidence"].as_str().is_some_and(|word| Evidence::of(word).is_some())
            };
            assert!(!properties.is_empty() && properties.values().all(is_looked_up), "{json}");
        }
    }
}
