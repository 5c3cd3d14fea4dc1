//! A new item, out of what was typed and what is known at that moment. No model is asked.

use super::{FRAGMENT, SECTIONS};
use crate::front_matter::{list, scalar, visible};
use engine_text::line::one_line;
use engine_text::stamp::Stamp;

/// More files would be no hint any more.
const FILES: usize = 10;
const TITLE: usize = 80;
const SLUG: usize = 40;

/// What there is to write down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture<'a> {
    /// Verbatim.
    pub fragment: &'a str,
    pub title: Option<&'a str>,
    pub after: &'a [String],
    pub created: Stamp,
    pub branch: Option<String>,
    /// The agent session in which it was typed.
    pub session: Option<&'a str>,
    /// The task in progress.
    pub task: Option<String>,
    /// Files changed of late, the newest first.
    pub files: Vec<String>,
}

impl Capture<'_> {
    fn title(&self) -> String {
        self.title.map(title_of).filter(|title| !title.is_empty()).unwrap_or_else(|| title_of(self.fragment))
    }

    /// The id, which is the file's name: `20261115-203441-implement-dark-mode`. Where it is
    /// taken, a number tells the next one apart.
    pub fn id(&self, taken: usize) -> String {
        let at = self.created.rfc3339();
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let (day, time) = at.split_once('T').unwrap_or_default();
        let time = time.split('.').next().unwrap_or_default();
        let again = if taken == 0 { String::new() } else { format!("-{}", taken + 1) };
        format!("{}-{}-{}{again}", digits(day), digits(time), slug(&self.title()))
    }

    /// The whole file.
    pub fn text(&self) -> String {
        let mut head = format!("---\ntitle: {}\nstate: open\n", scalar(&self.title()));
        head.push_str(&format!("created: {}\n", self.created.rfc3339()));
        if let Some(branch) = &self.branch {
            head.push_str(&format!("branch: {}\n", scalar(branch)));
        }
        if let Some(session) = self.session {
            head.push_str(&format!("session: {}\n", scalar(session)));
        }
        if !self.after.is_empty() {
            head.push_str(&format!("after: {}\n", list(self.after)));
        }
        let texts = [
            self.context(),
            "What the original fragment asks for; nothing of it is worked out yet.\n".to_owned(),
            "Not worked out yet.\n".to_owned(),
            self.relevant(),
        ];
        let mut out = format!("{head}---\n\n");
        for (name, text) in SECTIONS.iter().zip(texts) {
            out.push_str(&format!("## {name}\n\n{text}\n"));
        }
        let fence = "`".repeat(longest_run(self.fragment).max(2) + 1);
        out.push_str(&format!("## {FRAGMENT}\n\n{fence}text\n{}\n{fence}\n", self.fragment));
        out
    }

    fn context(&self) -> String {
        let mut out = format!("- Captured: {}\n", self.created.rfc3339());
        if let Some(branch) = &self.branch {
            out.push_str(&format!("- Branch: {}\n", span(branch)));
        }
        if let Some(task) = &self.task {
            out.push_str(&format!("- Task in progress: {}\n", one_line(task, 200)));
        }
        out
    }

    fn relevant(&self) -> String {
        if self.files.is_empty() {
            return "None known yet.\n".to_owned();
        }
        let mut out = "Changed of late, when this was captured:\n\n".to_owned();
        for file in self.files.iter().take(FILES) {
            out.push_str(&format!("- {}\n", span(file)));
        }
        if self.files.len() > FILES {
            out.push_str(&format!("- and {} more\n", self.files.len() - FILES));
        }
        out
    }
}

/// The first line that says something, as a title.
pub fn title_of(text: &str) -> String {
    let line = text.lines().find(|line| !visible(line).is_empty()).unwrap_or_default();
    one_line(&visible(line), TITLE)
}

/// Letters and digits that every file system and shell takes.
fn slug(title: &str) -> String {
    let words: String =
        title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    let mut out = String::new();
    for word in words.split_whitespace() {
        if out.len() + word.len() >= SLUG {
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(word);
    }
    if out.is_empty() {
        words.split_whitespace().next().map_or("item", |word| &word[..SLUG]).to_owned()
    } else {
        out
    }
}

/// Text as code, whatever it holds.
fn span(text: &str) -> String {
    let text = visible(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{gap}{text}{gap}{ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
