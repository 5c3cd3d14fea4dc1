//! The texts that say what the protocol skills take for granted: commands, rules of conduct, sigils and tags.
//!
//! They are part of the plugin folder and of the binary; a project that wants them told at session start lists them in
//! `inject.standards`.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::units;

    #[test]
    fn they_are_small_and_fit_into_the_budget_together() {
        for standard in STANDARDS {
            let Standard { name, text, .. } = standard;
            assert!(text.len() <= 4096, "{name}: {} bytes", text.len());
        }
        let all: usize = STANDARDS.iter().map(|standard| units(standard.text) + 100).sum();
        let budget = usize::try_from(crate::rules::inject::BUDGET.default).unwrap();
        assert!(all <= budget, "{all} units");
    }

    /// Names behind a sigil; `CMD_X` stands for any.
    fn sigils(mark: char) -> Vec<String> {
        let mut names = Vec::new();
        for standard in STANDARDS {
            for part in standard.text.split(mark).skip(1) {
                let is_part = |c: &char| c.is_ascii_uppercase() || *c == '_';
                let name: String = part.chars().take_while(is_part).collect();
                if name.starts_with("CMD_") && name != "CMD_X" || name.starts_with("INV_") {
                    names.push(name);
                }
            }
        }
        names
    }

    #[test]
    fn every_reference_has_one_definition() {
        let mut defined = sigils('¶');
        defined.retain(|name| !name.ends_with('_'));
        let count = defined.len();
        defined.sort();
        defined.dedup();
        assert_eq!(defined.len(), count, "defined twice");
        for name in sigils('§') {
            assert!(defined.contains(&name), "§{name}");
        }
    }

    #[test]
    fn proofs_are_schemas() {
        let text = STANDARDS[0].text;
        let lines = crate::markdown::Lines::new(text);
        let schemas: Vec<_> = lines.blocks.iter().filter(|block| block.info == "json").collect();
        assert_eq!(schemas.len(), text.matches("## PROOF FOR §CMD_").count());
        for block in schemas {
            let json = &text[lines.all[block.lines.start].start..lines.all[block.lines.end].start];
            let schema: serde_json::Value = serde_json::from_str(json).unwrap();
            let required = schema["required"].as_array().unwrap();
            assert!(required.iter().all(|name| schema["properties"][name.as_str().unwrap()].is_object()));
        }
    }
}
