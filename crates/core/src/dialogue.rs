//! `DIALOGUE.md`: what was asked, what was answered, what was typed, one entry each.
//!
//! ```markdown
//! ## [2026-11-15 12:30:01]
//!
//! > Two ways lead on.
//!
//! **A**: Which colour? — Red / Blue
//! **U**: Red
//! ```
//!
//! Tags that move work (`#needs-review`) stand in code spans here, or a sentence about them would move it. Everything is redacted first and
//! then cut: half a secret is not recognised.

use engine_text::line::one_line;
use engine_text::markdown::Lines;
use engine_text::redact::redact;

/// The file, in the folder of a work session.
pub const FILE: &str = "DIALOGUE.md";
/// Nobody types or says more; what is behind it is not even looked at.
const LARGEST: usize = 64 << 10;
/// Preambles, answers and prompts, in characters.
const TEXT_LIMIT: usize = 2000;
const QUESTION_LIMIT: usize = 500;
const OPTION_LIMIT: usize = 120;
const MOST_QUESTIONS: usize = 8;
const MOST_OPTIONS: usize = 8;

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub question: String,
    pub options: Vec<String>,
    /// Nothing if it was not answered; empty if the person left it to the agent.
    pub answer: Option<String>,
}

/// An entry for questions, with what the agent said before them. `stamp` is local time: `2026-11-15 12:30:01`.
pub fn asked(stamp: &str, preamble: &str, questions: &[Question]) -> String {
    let preamble = cut(preamble);
    let mut blocks = vec![format!("## [{stamp}]")];
    if !preamble.is_empty() {
        blocks.push(quoted(&shielded(&preamble)));
    }
    for one in questions.iter().take(MOST_QUESTIONS) {
        let mut line = short(&one.question, QUESTION_LIMIT);
        let options: Vec<String> =
            one.options.iter().take(MOST_OPTIONS).map(|option| short(option, OPTION_LIMIT)).collect();
        if !options.is_empty() {
            line = format!("{line} — {}", options.join(" / "));
        }
        let answer = match &one.answer {
            None => "*(no answer)*".to_owned(),
            Some(answer) => said(answer),
        };
        blocks.push(format!("**A**: {}\n**U**:{}", shielded(&line), spaced(&answer)));
    }
    format!("{}\n", blocks.join("\n\n"))
}

/// An entry for a prompt.
pub fn prompted(stamp: &str, prompt: &str) -> String {
    format!("## [{stamp}]\n\n**U**:{}\n", spaced(&said(prompt)))
}

/// What was asked and answered, by the text of the file: `Which colour? — Red / Blue → Red`, the newest first. What was left to the
/// agent is no answer.
pub fn answers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut asked = None;
    for line in text.lines() {
        if let Some(question) = line.strip_prefix("**A**: ") {
            asked = Some(question);
        } else if let Some(answer) = line.strip_prefix("**U**:") {
            let answer = answer.trim();
            if let Some(question) = asked.take().filter(|_| !answer.is_empty() && !answer.starts_with("*(")) {
                found.push(format!("{question} → {answer}"));
            }
        }
    }
    found.reverse();
    found
}

/// What of a prompt stands in its entry: an entry for this is the same.
pub fn kept(prompt: &str) -> String {
    cut(prompt)
}

/// What a person said: one line stands in the line, more are quoted, so that nothing in them opens a heading or a fence here.
fn said(text: &str) -> String {
    let text = shielded(&cut(text));
    match text.lines().count() {
        0 => "*(empty)*".to_owned(),
        1 => text,
        _ => quoted(&text),
    }
}

fn spaced(text: &str) -> String {
    if text.starts_with("> ") && text.contains('\n') { format!("\n\n{text}") } else { format!(" {text}") }
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Redacted, without control characters and spare blank lines, within the limit.
fn cut(text: &str) -> String {
    let text = redact(&text[..text.floor_char_boundary(LARGEST)]).replace("\r\n", "\n");
    let mut clean = String::new();
    let mut blank = true;
    for line in text.lines() {
        let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
        let line = line.trim_end();
        if blank && line.is_empty() {
            continue;
        }
        blank = line.is_empty();
        clean.push_str(line);
        clean.push('\n');
    }
    let clean = clean.trim_end();
    match clean.char_indices().nth(TEXT_LIMIT) {
        // The mark is one of the characters.
        Some(_) => {
            let end = clean.char_indices().nth(TEXT_LIMIT - 1).map_or(clean.len(), |(end, _)| end);
            format!("{}…", clean[..end].trim_end())
        }
        None => clean.to_owned(),
    }
}

fn short(text: &str, limit: usize) -> String {
    let text = redact(&text[..text.floor_char_boundary(LARGEST)]);
    one_line(&text.split_whitespace().collect::<Vec<_>>().join(" "), limit)
}

/// What tags that move work begin with.
const LIFECYCLE: &[&str] = &["#needs-", "#claimed-", "#done-", "#active-", "#delegated-", "#next-"];

/// The text with lifecycle tags in code spans; what is code already stays.
fn shielded(text: &str) -> String {
    let lines = Lines::new(text);
    let shown = |line: &engine_text::markdown::Line<'_>| {
        let end = &text[line.start + line.text.len()..line.end];
        let shown = if line.fenced { line.text.to_owned() } else { shielded_line(line.text) };
        format!("{shown}{end}")
    };
    lines.all.iter().map(shown).collect()
}

fn shielded_line(line: &str) -> String {
    let (spans, mark) = spans(line);
    let mut out = String::new();
    let mut at = 0;
    while at < line.len() {
        if let Some((_, end)) = spans.iter().find(|(start, _)| *start == at) {
            out.push_str(&line[at..*end]);
            at = *end;
        } else if let Some(tag) = tag_behind(&out, &line[at..]) {
            // Ticks that touch would become one mark.
            let before = if out.ends_with('`') { " " } else { "" };
            let after = if line[at + tag.len()..].starts_with('`') { " " } else { "" };
            out.push_str(&format!("{before}{mark}{tag}{mark}{after}"));
            at += tag.len();
        } else {
            let next = line[at..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&line[at..at + next]);
            at += next;
        }
    }
    out
}

/// The code spans of a line, and ticks that are not among those that open none: a span made of them would end there.
fn spans(line: &str) -> (Vec<(usize, usize)>, String) {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
    }
    let mut spans = Vec::new();
    let mut loose = Vec::new();
    let mut index = 0;
    while let Some((start, end)) = runs.get(index).copied() {
        let length = end - start;
        let closing = (index + 1..runs.len()).find(|other| runs[*other].1 - runs[*other].0 == length);
        match closing {
            Some(closing) => {
                spans.push((start, runs[closing].1));
                index = closing + 1;
            }
            None => {
                loose.push(length);
                index += 1;
            }
        }
    }
    let length = (1..=loose.len() + 1).find(|length| !loose.contains(length)).unwrap_or(1);
    (spans, "`".repeat(length))
}

/// The lifecycle tag that a text begins with, unless it goes on with a word.
fn tag_behind<'t>(before: &str, rest: &'t str) -> Option<&'t str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if before.ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let begins =
        |prefix: &&&str| rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let prefix = LIFECYCLE.iter().find(begins)?;
    let length = rest[1..].find(|c| !is_part(c)).map_or(rest.len(), |end| end + 1);
    (length > prefix.len()).then(|| &rest[..length])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: &str = "2026-11-15 12:30:01";

    #[test]
    fn questions_stay_within_their_entry() {
        let question = |question: &str, options: &[&str], answer: Option<&str>| Question {
            question: question.into(),
            options: options.iter().map(|&option| option.into()).collect(),
            answer: answer.map(str::to_owned),
        };
        let questions = [
            question("Which color?", &["Red", "Blue"], Some("Red")),
            question("Else?", &[], None),
            question("Other", &[], Some("")),
        ];
        assert_eq!(
            asked(NOW, "\n\nTwo ways lead on.\n\n\n\nOne is #needs-review.\n", &questions),
            "## [2026-11-15 12:30:01]\n\n> Two ways lead on.\n>\n> One is `#needs-review`.\n\n\
             **A**: Which color? — Red / Blue\n**U**: Red\n\n\
             **A**: Else?\n**U**: *(no answer)*\n\n**A**: Other\n**U**: *(empty)*\n"
        );
    }

    #[test]
    fn prompts_stay_within_their_entry() {
        let cases = [
            ("go on", "**U**: go on\n"),
            ("", "**U**: *(empty)*\n"),
            ("# A\r\n## B\n```\n#needs-fix", "**U**:\n\n> # A\n> ## B\n> ```\n> #needs-fix\n"),
            ("token=ghp_0123456789abcdefghijABCDEFGHIJ012345", "**U**: token=[redacted]\n"),
            ("a \u{1b}[31mred", "**U**: a [31mred\n"),
        ];
        for (prompt, expected) in cases {
            assert_eq!(prompted(NOW, prompt), format!("## [{NOW}]\n\n{expected}"), "{prompt:?}");
        }
        let long = prompted(NOW, &"é".repeat(100_000));
        assert_eq!(long.matches('é').count(), TEXT_LIMIT - 1);
        assert!(long.ends_with("é…\n"));
    }

    #[test]
    fn tags_that_move_work_become_mentions() {
        let cases = [
            ("#needs-review", "`#needs-review`"),
            ("(#done-fix), #P1 #needs", "(`#done-fix`), #P1 #needs"),
            ("`#needs-x` and ``a ` #needs-x``", "`#needs-x` and ``a ` #needs-x``"),
            ("a ` b #next-x", "a ` b ``#next-x``"),
            ("`#active-alert", "` ``#active-alert``"),
            ("#claimed-x`y`", "`#claimed-x` `y`"),
            ("x#needs-y #Delegated-Z", "x#needs-y `#Delegated-Z`"),
            ("```\n#needs-x\n```\n#needs-x", "```\n#needs-x\n```\n`#needs-x`"),
            ("é#needs-x é #needs-é", "é#needs-x é #needs-é"),
        ];
        for (text, expected) in cases {
            assert_eq!(shielded(text), expected, "{text}");
        }
    }

    proptest! {
        /// A shielded text has nothing left to shield.
        #[test]
        fn shielding_is_done_once(text in "([ -~]|`|#needs-a|\n|é){0,40}") {
            let once = shielded(&text);
            prop_assert_eq!(shielded(&once), once);
        }

        #[test]
        fn an_entry_has_one_heading(preamble in "(?s).{0,60}", text in "(# |## |```|\n|a|~~~|<!--|> ){0,20}") {
            let question = Question { question: text.clone(), options: vec![text.clone()], answer: Some(text.clone()) };
            let entry = asked(NOW, &preamble, &[question]) + "\n## B\n";
            prop_assert_eq!(crate::log::parse(&entry).len(), 2);
            prop_assert_eq!(crate::log::parse(&(prompted(NOW, &text) + "\n## B\n")).len(), 2);
        }
    }
}
