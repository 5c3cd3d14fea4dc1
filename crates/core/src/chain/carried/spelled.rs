//! Continuations in words and signs of somebody's own: the word in any brackets or none with a skill after it, and calls of an entry.
//!
//! `{Continuation: /commit}`, `<continuation>/commit</continuation>`, `The continuation is /commit.`, `Skill('commit')`,
//! `{"name": "Skill", "input": {"skill": "commit"}}`. Letters of full width and signs that nobody sees change nothing.

use super::Part;

pub(super) const WORD: &str = "continuation";

/// A prompt in small letters of usual width, without the signs that nobody sees.
pub(super) struct Folded {
    pub(super) text: String,
    /// Where each of its bytes is in the prompt, and the end.
    places: Vec<usize>,
}

/// How much may stand between the word and the skill that it names.
const GAP: usize = 32;
/// How far a call reaches.
const CALL: usize = 2_000;

/// Closing signs by their opening ones.
const BRACKETS: [(char, char); 4] = [('[', ']'), ('(', ')'), ('{', '}'), ('<', '>')];

impl Folded {
    pub(super) fn of(prompt: &str) -> Self {
        let mut text = String::with_capacity(prompt.len());
        let mut places = Vec::with_capacity(prompt.len() + 1);
        for (at, c) in prompt.char_indices() {
            let plain = match c {
                '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => continue,
                '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
                _ => c,
            };
            text.push(plain.to_ascii_lowercase());
            places.resize(text.len(), at);
        }
        places.push(prompt.len());
        Self { text, places }
    }

    fn part(&self, start: usize, end: usize) -> Part {
        Part { start: self.places[start], end: self.places[end], is_line: true }
    }

    /// The word, and a skill after nothing but signs and `is`.
    pub(super) fn continuations(&self) -> Vec<Part> {
        let named = |(at, word): (usize, &str)| {
            let skill = self.skill_after(at + word.len())?;
            let start = self.opening(at);
            Some(self.part(start, self.list_end(start, skill)))
        };
        self.text
            .match_indices(WORD)
            .filter(|(at, _)| starts_word(&self.text, *at))
            .filter_map(named)
            .collect()
    }

    /// Where the skill is that the word before names.
    fn skill_after(&self, from: usize) -> Option<usize> {
        let text = &self.text[from..];
        let text = text.strip_prefix('s').or_else(|| text.strip_prefix("-passing")).unwrap_or(text);
        let is_sign = |c: char| !c.is_alphanumeric() && c != '/';
        let mut rest = text.trim_start_matches(is_sign);
        for verb in ["is", "are"] {
            rest = rest.strip_prefix(verb).map_or(rest, |after| after.trim_start_matches(is_sign));
        }
        let is_named = rest.strip_prefix('/')?.starts_with(|c: char| c.is_ascii_alphanumeric());
        let gap = text.len() - rest.len();
        // A blank line ends what the word is about.
        let is_near = gap <= GAP && gap > 0 && !text[..gap].contains("\n\n");
        (is_named && is_near).then(|| self.text.len() - rest.len())
    }

    /// Where the marks, the article and the sign of a list begin that stand before the word.
    fn opening(&self, word: usize) -> usize {
        let is_mark = |c: char| {
            !c.is_alphanumeric() && !matches!(c, '\n' | '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}')
        };
        let mut start = self.text[..word].trim_end_matches(is_mark).len();
        for article in ["the", "your", "my"] {
            let before = self.text[..start].strip_suffix(article);
            if let Some(before) = before.filter(|before| !before.ends_with(char::is_alphanumeric)) {
                start = before.len();
                break;
            }
        }
        // `1.` at the start of the line is the mark of a list.
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        if self.text[line..start].chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ')) {
            return line;
        }
        // The blank before it stays where it is.
        start + (self.text[start..word].len() - self.text[start..word].trim_start().len())
    }

    /// After the list of skills that begins here: its closing sign, else the end of the sentence or line, and lines of skills below.
    fn list_end(&self, start: usize, skill: usize) -> usize {
        let line_end = |from: usize| self.text[from..].find('\n').map_or(self.text.len(), |at| from + at);
        let last = line_end(skill);
        let line = &self.text[skill..last];
        let opened = self.text[start..skill].chars().find(|c| BRACKETS.iter().any(|(open, _)| open == c));
        if let Some('<') = opened
            && let Some(at) = line.find("</")
        {
            return skill + line[at..].find('>').map_or(line.len(), |end| at + end + 1);
        }
        if let Some(end) = opened.and_then(|open| self.closing(start, last, open)).filter(|end| *end > skill)
        {
            return end;
        }
        if let Some(at) = line.find(". ") {
            return skill + at + 1;
        }
        let mut end = last;
        // Skills in lines of their own.
        while end < self.text.len() {
            let next = line_end(end + 1);
            let line = self.text[end + 1..next].trim_start_matches(|c: char| {
                c.is_whitespace() || "-*+>.)".contains(c) || c.is_ascii_digit()
            });
            if !line
                .strip_prefix('/')
                .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphanumeric()))
            {
                break;
            }
            end = next;
        }
        end
    }

    /// After the sign that closes the first of these, on the same line.
    fn closing(&self, start: usize, last: usize, open: char) -> Option<usize> {
        let (_, close) = BRACKETS.iter().find(|(one, _)| *one == open)?;
        let mut depth = 0_usize;
        for (at, c) in self.text[start..last].char_indices() {
            depth += usize::from(c == open);
            if c == *close {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(start + at + 1);
                }
            }
        }
        None
    }

    /// Calls of these skills by the tool of this name, and other ways to write them.
    pub(super) fn calls(&self, tool: &str, skills: &[&str]) -> Vec<Part> {
        let mut found = Vec::new();
        for (at, _) in self.text.match_indices(tool).filter(|(at, _)| starts_word(&self.text, *at)) {
            let after = &self.text[at + tool.len()..];
            let gap = after.len() - after.trim_start().len();
            if let Some(length) = after[gap..].starts_with(['(', '{']).then(|| call_end(&after[gap..])) {
                let call = &after[gap..gap + length];
                if skills.iter().any(|skill| names(call, &skill.to_lowercase())) {
                    found.push(self.part(at, at + tool.len() + gap + length));
                    continue;
                }
            }
            // `skill=commit`, `"skill": "commit"`.
            let value = after.trim_start_matches(['"', '\'']).trim_start();
            let Some(value) = value.strip_prefix([':', '=']) else { continue };
            let quoted =
                value.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/'));
            let is_it = |skill: &&&str| {
                quoted.starts_with(&skill.to_lowercase())
                    && names(&quoted[..skill.len()], &skill.to_lowercase())
                    && ends_word(quoted, skill.len())
            };
            if let Some(skill) = skills.iter().find(is_it) {
                let end = self.text.len() - quoted.len() + skill.len();
                let (start, end) = self.enclosing(at, end);
                found.push(self.part(start, end));
            }
        }
        found
    }

    /// The outermost braces around a part of a line, else the part with its quotation marks.
    fn enclosing(&self, start: usize, end: usize) -> (usize, usize) {
        let (mut depth, mut open) = (0_i32, None);
        for (at, c) in self.text[..start].char_indices().rev().take(CALL) {
            match c {
                '}' => depth += 1,
                '{' if depth == 0 => open = Some(at),
                '{' => depth -= 1,
                _ => {}
            }
        }
        match open {
            Some(open) => (open, open + call_end(&self.text[open..])),
            None => {
                let quotes = |c: char| matches!(c, '"' | '\'');
                let rest = &self.text[end..];
                (
                    self.text[..start].trim_end_matches(quotes).len(),
                    end + rest.len() - rest.trim_start_matches(quotes).len(),
                )
            }
        }
    }
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn ends_word(text: &str, at: usize) -> bool {
    !text[at..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Whether a text holds a name as a word of its own.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'))
            && ends_word(text, at + name.len())
    })
}

/// The length of a call from its bracket to the one that closes it, outside of quotation marks; without that, to the end of its line.
fn call_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().take(CALL) {
        match (quote, c) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (None, '"') => quote = Some(c),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') if depth == 1 => return at + 1,
            (None, ')' | '}' | ']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.find('\n').unwrap_or(text.len())
}
