//! Which tag may follow which: the feeds, and what a project adds to them.

use super::is_tag;
use crate::config::{Config, Names};

/// More swaps than the table allows.
pub const TRANSITIONS: Names = Names {
    name: "tags.transitions",
    about: "More swaps of tags that are legal, each \"#from > #to\"; a star at the end of both stands for the same word.",
    of: "swaps like \"#needs-x > #done-x\" or \"#needs-* > #parked-*\"",
    fits: |text| step(text).is_some(),
};

/// Tags that follow each other. A star at the end stands for one word.
pub struct Feed {
    pub name: &'static str,
    /// Stages of work; the others are marks.
    pub is_lifecycle: bool,
    pub steps: &'static [(&'static str, &'static str)],
}

/// The first feed that knows a tag is the tag's.
pub const FEEDS: &[Feed] = &[
    Feed {
        name: "review",
        is_lifecycle: true,
        steps: &[
            ("#needs-review", "#done-review"),
            ("#needs-review", "#needs-rework"),
            ("#needs-rework", "#needs-review"),
        ],
    },
    Feed { name: "alert", is_lifecycle: true, steps: &[("#active-alert", "#done-alert")] },
    Feed {
        name: "generic",
        is_lifecycle: true,
        steps: &[
            ("#needs-*", "#delegated-*"),
            ("#needs-*", "#next-*"),
            ("#needs-*", "#done-*"),
            ("#delegated-*", "#claimed-*"),
            ("#next-*", "#claimed-*"),
            ("#claimed-*", "#done-*"),
            ("#claimed-*", "#needs-*"),
        ],
    },
    Feed {
        name: "priority",
        is_lifecycle: false,
        steps: &[
            ("#P0", "#P1"),
            ("#P0", "#P2"),
            ("#P1", "#P0"),
            ("#P1", "#P2"),
            ("#P2", "#P0"),
            ("#P2", "#P1"),
        ],
    },
    Feed {
        name: "size",
        is_lifecycle: false,
        steps: &[("#S", "#M"), ("#S", "#L"), ("#M", "#S"), ("#M", "#L"), ("#L", "#S"), ("#L", "#M")],
    },
];

/// Stages into which a person puts work, and nobody else.
const PERSONS: &[&str] = &["#delegated-*", "#next-*"];

/// Whether a person decides that a file gets this tag.
pub fn is_persons(tag: &str) -> bool {
    PERSONS.iter().any(|pattern| word(pattern, tag).is_some())
}

/// The feeds in force.
#[derive(Debug, Clone, Default)]
pub struct Feeds<'a> {
    own: Vec<(&'a str, &'a str)>,
}

impl<'a> Feeds<'a> {
    pub fn new(config: &'a Config) -> Self {
        Self { own: config.names(&TRANSITIONS).into_iter().filter_map(step).collect() }
    }

    /// The tags that may take the place of this one.
    pub fn legal_from(&self, tag: &str) -> Vec<String> {
        let of_feed = feed_of(tag).map_or(&[][..], |feed| feed.steps);
        let mut legal: Vec<String> = Vec::new();
        for (from, to) in of_feed.iter().chain(&self.own) {
            if let Some(word) = word(from, tag) {
                let next = to.replace('*', word);
                if !legal.contains(&next) {
                    legal.push(next);
                }
            }
        }
        legal
    }

    /// Whether one tag may take the place of another. Tags outside of all feeds may change as they like.
    pub fn is_legal(&self, from: &str, to: &str) -> bool {
        self.legal_from(from).iter().any(|legal| legal == to) || (!self.knows(from) && !self.knows(to))
    }

    /// Whether the tag is a stage of work.
    pub fn is_lifecycle(&self, tag: &str) -> bool {
        feed_of(tag).map_or_else(|| self.is_own(tag), |feed| feed.is_lifecycle)
    }

    fn knows(&self, tag: &str) -> bool {
        feed_of(tag).is_some() || self.is_own(tag)
    }

    fn is_own(&self, tag: &str) -> bool {
        self.own.iter().any(|step| is_in(*step, tag))
    }
}

fn feed_of(tag: &str) -> Option<&'static Feed> {
    FEEDS.iter().find(|feed| feed.steps.iter().any(|step| is_in(*step, tag)))
}

fn is_in((from, to): (&str, &str), tag: &str) -> bool {
    word(from, tag).is_some() || word(to, tag).is_some()
}

/// What the star of a pattern stands for in a tag; nothing in it for one without a star.
fn word<'a>(pattern: &str, tag: &'a str) -> Option<&'a str> {
    match pattern.strip_suffix('*') {
        Some(lead) => tag.strip_prefix(lead).filter(|word| !word.is_empty()),
        None => (pattern == tag).then_some(""),
    }
}

/// `#from > #to`.
fn step(text: &str) -> Option<(&str, &str)> {
    let (from, to) = text.split_once('>')?;
    let (from, to) = (from.trim(), to.trim());
    let is_side = |side: &str| is_tag(side.strip_suffix('*').unwrap_or(side));
    (is_side(from) && is_side(to) && (from.ends_with('*') || !to.ends_with('*'))).then_some((from, to))
}
