//! New directive files, and changes to those that are there: as splices, every other byte stays.

use super::{CHECKLIST, FOLDER, Type};
use engine_text::BYTE_ORDER_MARK;
use engine_text::markdown::{Lines, is_indented};

/// What stands for the folder in a template.
const PLACEHOLDER: &str = "FOLDER";

/// The item of AGENTS.md that names the files beside it.
const OTHERS: &str = "**Other directives of this folder**:";

/// A new file: the template, or its title above a text of one's own.
pub fn made(kind: &Type, folder: &str, text: Option<&str>) -> String {
    let template = kind.template.replacen(PLACEHOLDER, folder, 1);
    let Some(text) = text.map(str::trim) else { return template };
    if text.starts_with("# ") {
        return format!("{text}\n");
    }
    let title = template.lines().next().unwrap_or_default();
    format!("{title}\n\n{text}\n")
}

/// Whether a text is the template of its type as it was made: a form that nobody filled in. A checklist has no blanks, so it is none.
pub fn is_form(kind: &Type, text: &str) -> bool {
    let Some((before, after)) = kind.template.trim().split_once(PLACEHOLDER) else { return false };
    let folder = text.trim().strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    kind.name != CHECKLIST && folder.is_some_and(|folder| !folder.contains('\n'))
}

/// What a file has above its entries: the template up to its first list or section.
pub fn header(kind: &Type, folder: &str) -> String {
    let begins = |line: &&str| line.starts_with("- ") || line.starts_with("1. ") || line.starts_with("## ");
    let lines: Vec<&str> = kind.template.lines().take_while(|line| !begins(line)).collect();
    format!("{}\n", lines.join("\n").trim_end().replacen(PLACEHOLDER, folder, 1))
}

/// Why an entry was not added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAdded {
    /// It stands in this line.
    There(usize),
    /// A fence or comment that begins in this line is never closed, and would swallow it.
    Open(usize),
}

/// An entry as it is kept: one line, without a list mark of its own.
pub fn entry(text: &str) -> String {
    let text = one_line(text);
    text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(&text).to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with one entry more at its end.
pub fn added(text: &str, entry: &str) -> Result<String, NotAdded> {
    if let Some((line, _)) = items(text).into_iter().find(|(_, item)| item == entry) {
        return Err(NotAdded::There(line));
    }
    let lines = Lines::new(text);
    if let Some(open) = lines.open_fence {
        return Err(NotAdded::Open(text[..open].matches('\n').count() + 1));
    }
    let newline = lines.newline();
    let last = lines.all.iter().rfind(|line| !line.text.trim().is_empty());
    let goes_on =
        last.is_none_or(|line| !line.fenced && (mark(line.text).is_some() || is_indented(line.text)));
    let is_apart =
        lines.all.last().is_none_or(|line| line.text.trim_matches(BYTE_ORDER_MARK).trim().is_empty());
    let is_ended = text.is_empty() || text.ends_with(['\n', BYTE_ORDER_MARK]);
    let end = if is_ended { "" } else { newline };
    let gap = if goes_on || is_apart { "" } else { newline };
    Ok(format!("{text}{end}{gap}- {entry}{newline}"))
}

/// The entries of a list, each as one line with the number of its first.
pub(super) fn items(text: &str) -> Vec<(usize, String)> {
    let lines = Lines::new(text);
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in lines.all.iter().enumerate() {
        if let Some(item) = mark(line.text).filter(|_| !line.fenced) {
            found.push((index + 1, one_line(item)));
            goes_on = true;
            continue;
        }
        goes_on &= !line.fenced && is_indented(line.text) && !line.text.trim().is_empty();
        if let Some((_, item)) = found.last_mut().filter(|_| goes_on) {
            item.push(' ');
            item.push_str(&one_line(line.text));
        }
    }
    found
}

/// What stands behind the mark of a list's item.
fn mark(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix(['-', '*', '+'])?.strip_prefix([' ', '\t'])
}

/// Whether AGENTS.md names the file of a type beside it. `folder`: where it lies, from the root; empty for the root itself.
pub fn mentions(agents: &str, folder: &str, kind: &Type) -> bool {
    let name = kind.file();
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_of_path = |c: char| is_of_word(c) || matches!(c, '/' | '.');
    agents.match_indices(&name).any(|(at, _)| {
        let before = &agents[..at];
        let path = &before[before.trim_end_matches(is_of_path).len()..];
        let own = path.strip_suffix('/').and_then(|path| path.strip_suffix(FOLDER));
        let is_beside = matches!(path, "" | "./")
            || own.is_some_and(|above| above.is_empty() || above.trim_end_matches('/') == folder);
        is_beside && !agents[at + name.len()..].starts_with(is_of_word)
    })
}

/// AGENTS.md with the files of these types named in it.
pub fn mentioned(agents: &str, kinds: &[&Type]) -> Result<String, NotAdded> {
    let named: Vec<String> = kinds.iter().map(|kind| format!("`{}` ({})", kind.file(), kind.about)).collect();
    let named = named.join(", ");
    let lines = Lines::new(agents);
    let is_theirs = |text: &str| mark(text).unwrap_or(text).trim_start().starts_with(OTHERS);
    match lines.all.iter().find(|line| !line.fenced && is_theirs(line.text)) {
        Some(line) => {
            let text = line.text.trim_end();
            let gap = if text.ends_with(OTHERS) { " " } else { ", " };
            let at = line.start + text.len();
            Ok(format!("{}{gap}{named}{}", &agents[..at], &agents[at..]))
        }
        None => added(agents, &format!("{OTHERS} {named}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(name: &str) -> &'static Type {
        Type::find(name).unwrap()
    }

    #[test]
    fn new_files_are_about_their_folder() {
        assert!(
            made(kind("AGENTS"), "crates/core", None).starts_with("# crates/core\n\nWhat an agent must know")
        );
        assert_eq!(made(kind("PITFALLS"), "a", Some(" - x\n")), "# Pitfalls of a\n\n- x\n");
        assert_eq!(made(kind("PITFALLS"), "a", Some("# Mine\n\ny")), "# Mine\n\ny\n");
        assert_eq!(
            header(kind("PITFALLS"), "a"),
            "# Pitfalls of a\n\nWhat looks right and is wrong. Newest last.\n"
        );
        for kind in super::super::TYPES {
            let made = made(kind, "NAME", None);
            assert!(
                made.contains("NAME") && !made.contains(PLACEHOLDER) && made.ends_with('\n'),
                "{}",
                kind.name
            );
            assert!(made.starts_with(header(kind, "NAME").trim_end()), "{}", kind.name);
        }
        assert!(kind("AGENTS").template.contains(OTHERS));
    }

    #[test]
    fn a_form_is_what_nobody_filled_in() {
        for kind in super::super::TYPES {
            let made = made(kind, "crates/core", None);
            assert_eq!(is_form(kind, &made), kind.name != CHECKLIST, "{}", kind.name);
            assert!(!is_form(kind, &format!("{made}\n- one\n")), "{}", kind.name);
            assert!(!is_form(kind, &made.replacen("crates", "a\nb", 1)), "{}", kind.name);
        }
        let agents = kind("AGENTS");
        assert!(!is_form(agents, &made(agents, "a", None).replace("here**:", "here**: a lexer")));
        assert!(!is_form(agents, ""));
    }

    #[test]
    fn an_entry_goes_to_the_end() {
        let cases = [
            ("", "- x\n"),
            ("\u{feff}", "\u{feff}- x\n"),
            ("# T\n", "# T\n\n- x\n"),
            ("# T", "# T\n\n- x\n"),
            ("# T\n\n", "# T\n\n- x\n"),
            ("# T\n\n- a", "# T\n\n- a\n- x\n"),
            ("- a\r\n  more\r\n", "- a\r\n  more\r\n- x\r\n"),
            ("- a\n\n", "- a\n\n- x\n"),
            ("- a\n\ntext\n", "- a\n\ntext\n\n- x\n"),
            ("```\n- x\n```\n", "```\n- x\n```\n\n- x\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(added(text, "x").as_deref(), Ok(expected), "{text:?}");
        }
        assert_eq!(added("# T\n\n* a\n- x\n", "x"), Err(NotAdded::There(4)));
        assert_eq!(added("- a  b\n  c\n", "a b c"), Err(NotAdded::There(1)));
        assert_eq!(added("# T\n```\n- a\n", "x"), Err(NotAdded::Open(2)));
        assert_eq!(entry(" - a\n  b "), "a b");
    }

    #[test]
    fn a_mention_is_of_the_file_beside() {
        let cases = [
            ("see PITFALLS.md.", "a", true),
            ("`PITFALLS.md`", "a", true),
            ("[x](./PITFALLS.md)", "a", true),
            (".directives/PITFALLS.md", "a", true),
            ("a/.directives/PITFALLS.md", "a", true),
            ("a/.directives/PITFALLS.md", "", false),
            ("../PITFALLS.md", "a", false),
            ("docs/PITFALLS.md", "a", false),
            ("MY_PITFALLS.md", "a", false),
            ("PITFALLS.mdx", "a", false),
            ("pitfalls", "a", false),
        ];
        for (text, folder, expected) in cases {
            assert_eq!(mentions(text, folder, kind("PITFALLS")), expected, "{text:?} in {folder:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named_in_one_line() {
        let pitfalls = "`PITFALLS.md` (what looks right and is wrong)";
        let cases = [
            (format!("# A\r\n- {OTHERS}\r\nend"), format!("# A\r\n- {OTHERS} {pitfalls}\r\nend")),
            (format!("- {OTHERS} x \n"), format!("- {OTHERS} x, {pitfalls} \n")),
            ("# A\n".to_owned(), format!("# A\n\n- {OTHERS} {pitfalls}\n")),
        ];
        for (text, expected) in cases {
            let new = mentioned(&text, &[kind("PITFALLS")]).unwrap();
            assert_eq!(new, expected, "{text:?}");
            assert!(mentions(&new, "a", kind("PITFALLS")));
        }
    }

    proptest! {
        #[test]
        fn no_other_byte_changes_and_what_was_added_is_there(text in "([ -~]|\n|\r\n|- |```|# ){0,30}", entry in "[a-z]{1,5}") {
            if let Ok(new) = added(&text, &entry) {
                prop_assert!(new.starts_with(&text));
                prop_assert!(matches!(added(&new, &entry), Err(NotAdded::There(_))), "{:?}", new);
            }
            if let Ok(new) = mentioned(&text, &[kind("TESTING")]) {
                prop_assert!(mentions(&new, "a", kind("TESTING")));
            }
        }
    }
}
