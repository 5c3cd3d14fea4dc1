//! Tasks out of what a person typed behind `p:`.
//!
//! ```text
//! fix login bug | opus                         a name, a model
//! **Port it** — `/design plans/x` | restart    a line of the task file
//! /design foo, /plan-adhoc                     a command; its name is "Design foo"
//! - one⏎- two                                  two tasks
//! fix login⏎seen on mobile⏎only on Tuesdays    a task, and two lines below it
//! ```
//!
//! No word is lost: what a name is too short for is kept below the task.

use engine_text::markdown::is_indented;

use super::line::{flat, is_model, meta, restart, unescaped};
use super::{Meta, State};

/// A task as it was typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTask {
    pub meta: Meta,
    /// Lines below it.
    pub notes: Vec<String>,
}

/// A skill and its arguments.
pub type Call = (String, String);

/// The first call of a text that is a chain of known skills.
pub type Calls<'a> = &'a dyn Fn(&str) -> Option<Call>;

/// A name is typed again, in commands.
const LONGEST_NAME: usize = 80;
/// A longer list is a text, not a list of tasks.
const MOST_TASKS: usize = 50;
/// Fewer characters say too little to be a name.
const SHORTEST_NAME: usize = 12;

/// Several lines that all look like tasks or list items are a task each, with what is indented below them. Otherwise the first line is
/// the task, and the others stand below it.
pub fn from_prompt(typed: &str, calls: Calls<'_>) -> Vec<NewTask> {
    let lines = dedented(typed);
    let own: Vec<&str> = lines.iter().copied().filter(|line| !is_indented(line)).collect();
    let first_is_own = lines.first().is_some_and(|line| !is_indented(line));
    if own.len() < 2
        || own.len() > MOST_TASKS
        || !first_is_own
        || !own.iter().all(|line| is_item(line, calls))
    {
        return block(&lines, calls).into_iter().collect();
    }
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for line in lines {
        match blocks.last_mut() {
            Some(block) if is_indented(line) => block.push(line),
            _ => blocks.push(vec![line]),
        }
    }
    blocks.iter().filter_map(|lines| block(lines, calls)).collect()
}

/// The lines that say something, without the indentation that all of them have.
fn dedented(typed: &str) -> Vec<&str> {
    let lines: Vec<&str> = typed.lines().filter(|line| !line.trim().is_empty()).collect();
    let indent = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines.iter().map(indent).min().unwrap_or(0);
    lines.into_iter().map(|line| &line[common..]).collect()
}

/// Whether a line begins as a list item, as a task, or with a command.
fn is_item(line: &str, calls: Calls<'_>) -> bool {
    let text = line.trim();
    let bare = unlisted(text);
    bare != text || bare.starts_with("`/") || notation(bare).is_some() || calls(bare).is_some()
}

/// A task and what stands below it.
fn block(lines: &[&str], calls: Calls<'_>) -> Option<NewTask> {
    let (first, below) = lines.split_first()?;
    let mut task = of_line(unlisted(first.trim()), calls);
    task.notes.extend(below.iter().map(|line| flat(unlisted(line.trim()))).filter(|note| !note.is_empty()));
    Some(task)
}

/// The text behind a list mark and a box.
fn unlisted(text: &str) -> &str {
    let text = text
        .strip_prefix(['-', '*', '+', '•'])
        .filter(|rest| rest.starts_with([' ', '\t']))
        .unwrap_or_else(|| {
            let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let marked = rest.strip_prefix(['.', ')']).filter(|rest| rest.starts_with([' ', '\t']));
            marked.filter(|_| (1..4).contains(&(text.len() - rest.len()))).unwrap_or(text)
        });
    let text = text.trim_start();
    let boxed = || {
        let (mark, rest) = text.strip_prefix('[')?.split_once(']')?;
        let mut marks = mark.chars();
        let is_state = State::from_mark(marks.next()?).is_some() && marks.next().is_none();
        (is_state && rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
    };
    boxed().filter(|rest| !rest.is_empty()).unwrap_or(text)
}

fn of_line(typed: &str, calls: Calls<'_>) -> NewTask {
    if let Some(meta) = notation(typed) {
        return shortened(meta);
    }
    let (text, mut meta) = without_fields(&flat(typed));
    if text.is_empty() {
        // Only fields were typed; then they are the name.
        return shortened(Meta { name: flat(typed), ..Meta::default() });
    }
    let (name, command) = without_command(&text, calls);
    meta.name = name.unwrap_or_else(|| called(command.as_deref().unwrap_or(&text), calls));
    meta.command = command;
    shortened(meta)
}

/// A line as the task file has it: a name in bold, and behind it nothing, a token, a dash or a field.
fn notation(text: &str) -> Option<Meta> {
    let inside = text.strip_prefix("**")?;
    let end = unescaped(inside, "**")?;
    let (name, behind) = (&inside[..end], inside[end + 2..].trim_start());
    let behind = match behind.strip_prefix('#') {
        Some(token) => token.split_once(' ').map_or("", |(_, rest)| rest.trim_start()),
        None => behind,
    };
    let is_ours = !name.trim().is_empty() && (behind.is_empty() || behind.starts_with(['—', '–', '-', '|']));
    is_ours.then(|| meta(&flat(text)).ok()).flatten()
}

/// The text without the fields at its end.
fn without_fields(text: &str) -> (String, Meta) {
    let (mut text, mut meta) = (text.to_owned(), Meta::default());
    while let Some((before, field)) = text.rsplit_once('|') {
        let field = field.trim();
        if let Some(restart) = restart(field) {
            meta.restart = restart;
        } else if meta.model.is_none() && is_model(field) {
            meta.model = Some(field.to_ascii_lowercase());
        } else if let (Some(needs), true) = (field.strip_prefix("needs:"), meta.needs.is_empty()) {
            meta.needs = needs.split(',').map(|name| name.trim().to_owned()).collect();
            meta.needs.retain(|name| !name.is_empty());
        } else {
            break;
        }
        text = before.trim_end().to_owned();
    }
    (text, meta)
}

/// The name and the command of a text; the name is missing where the command is all of it.
fn without_command(text: &str, calls: Calls<'_>) -> (Option<String>, Option<String>) {
    if let Some((from, to)) = command_span(text) {
        let command = text[from + 1..to - 1].trim().to_owned();
        let left = format!("{} {}", undashed(&text[..from]), text[to..].trim_start());
        // "fix login bug with `/fix login`": the word that led to the command says nothing any more.
        let left = undashed(&left).trim_end_matches(" with").trim_end_matches(" via").trim().to_owned();
        return (Some(left).filter(|left| !left.is_empty()), Some(command));
    }
    if calls(text).is_some() {
        return (None, Some(text.to_owned()));
    }
    for dash in [" — ", " – ", " - "] {
        if let Some((name, command)) = text.rsplit_once(dash)
            && calls(command.trim()).is_some()
        {
            return (Some(undashed(name).to_owned()), Some(command.trim().to_owned()));
        }
    }
    (Some(undashed(text).to_owned()).filter(|name| !name.is_empty()).or(Some(text.to_owned())), None)
}

/// The text without blanks around it and a dash at its end.
fn undashed(text: &str) -> &str {
    let text = text.trim();
    let bare = text.trim_end_matches(['—', '–', '-']);
    if bare.is_empty() || bare.ends_with([' ', '\t']) { bare.trim_end() } else { text }
}

/// Where a span in ticks that begins with a slash stands, ticks included.
fn command_span(text: &str) -> Option<(usize, usize)> {
    // One in ticks that is all of the text is a command, whatever it begins with.
    let is_all = text.len() > 2 && text.starts_with('`') && text[1..].find('`') == Some(text.len() - 2);
    if is_all && !text[1..text.len() - 1].trim().is_empty() {
        return Some((0, text.len()));
    }
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

/// The name of a task that is its command: `/design foo, /plan-adhoc` is "Design foo".
fn called(command: &str, calls: Calls<'_>) -> String {
    let (skill, args) = calls(command).unwrap_or_else(|| {
        let words = command.trim_start_matches('/');
        let (skill, args) = words.split_once(' ').unwrap_or((words, ""));
        (skill.to_owned(), args.to_owned())
    });
    let skill = skill.rsplit(':').next().unwrap_or_default();
    flat(&format!("{skill} {args}"))
}

/// The task with a capital at its start, and with a name that is short enough; the words that it loses are its first note.
fn shortened(meta: Meta) -> NewTask {
    let (name, rest) = cut(&meta.name);
    let notes = rest.map(str::to_owned).into_iter().collect();
    NewTask { notes, meta: Meta { name: capitalised(name), ..meta } }
}

/// A name out of a text, and what is to be kept besides: what follows its first sentence, or the whole text if that is too long.
fn cut(text: &str) -> (&str, Option<&str>) {
    if text.chars().count() <= LONGEST_NAME {
        return (text, None);
    }
    let end = text.char_indices().nth(LONGEST_NAME).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    let least = head.char_indices().nth(SHORTEST_NAME).map_or(0, |(at, _)| at);
    let ends = [". ", "! ", "? ", "; ", ": ", " — ", " – ", " - "];
    let sentence = ends.iter().filter_map(|mark| Some((head[least..].find(mark)? + least, mark.len()))).min();
    if let Some((at, length)) = sentence {
        return (text[..at].trim_end(), Some(text[at + length..].trim_start()));
    }
    let name = head.rfind(' ').filter(|at| *at > least).map_or(head, |at| &head[..at]);
    (name.trim_end_matches([',', ' ']), Some(text))
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
    use proptest::prelude::*;

    use super::*;

    /// Knows these, and reads no more than the first entry.
    fn calls(text: &str) -> Option<Call> {
        let (skill, args) = text.strip_prefix('/')?.split_once(' ').unwrap_or((text.strip_prefix('/')?, ""));
        let args = args.split(", /").next()?.split(" and /").next()?;
        ["design", "plan-adhoc"].contains(&skill).then(|| (skill.to_owned(), args.to_owned()))
    }

    fn shown(typed: &str) -> String {
        let show = |task: &NewTask| {
            let Meta { name, command, model, restart, needs, token, others, .. } = &task.meta;
            let mut text = format!("{name:?}");
            text.extend(token.as_ref().map(|token| format!(" #{token}")));
            text.extend(command.as_ref().map(|command| format!(" `{command}`")));
            text.extend(model.as_ref().map(|model| format!(" {model}")));
            text.push_str(if *restart { " restart" } else { "" });
            text.extend(needs.iter().chain(others).map(|need| format!(" +{need}")));
            text.extend(task.notes.iter().map(|note| format!(" / {note}")));
            text
        };
        from_prompt(typed, &calls).iter().map(show).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn one_line() {
        let cases = [
            ("fix login bug", r#""Fix login bug""#),
            ("fix login bug | opus | restart", r#""Fix login bug" opus restart"#),
            ("fix login bug with `/fix login`", r#""Fix login bug" `/fix login`"#),
            ("fix `Parser::new` | Haiku", r#""Fix `Parser::new`" haiku"#),
            ("a | b | opus", r#""A | b" opus"#),
            ("| opus", r#""| opus""#),
            ("—", r#""—""#),
            ("b | needs: A, C", r#""B" +A +C"#),
            ("🚀 ship it", r#""🚀 ship it""#),
            ("it's \"quoted\" 'twice'", r#""It's \"quoted\" 'twice'""#),
            ("- fix login", r#""Fix login""#),
            ("- [ ] fix login | opus", r#""Fix login" opus"#),
            ("1. fix login", r#""Fix login""#),
            ("2026. a year", r#""2026. a year""#),
            ("-5 degrees", r#""-5 degrees""#),
            ("[draft] text", r#""[draft] text""#),
            // The notation of the task file.
            (
                "Refactor the parser — `/plan-adhoc plans/p` | haiku | restart",
                r#""Refactor the parser" `/plan-adhoc plans/p` haiku restart"#,
            ),
            (
                "**Refactor the parser** — `/plan-adhoc plans/p` | haiku | restart",
                r#""Refactor the parser" `/plan-adhoc plans/p` haiku restart"#,
            ),
            (
                "- [ ] **Port \\*it\\*** #t12 — `/go` | needs: A | urgent",
                r#""Port *it*" #t12 `/go` +A +urgent"#,
            ),
            ("**Fix it**", r#""Fix it""#),
            ("**Fix it** | opus", r#""Fix it" opus"#),
            (
                "Refactor the parser — /plan-adhoc plans/p | opus",
                r#""Refactor the parser" `/plan-adhoc plans/p` opus"#,
            ),
            ("Refactor the parser —", r#""Refactor the parser""#),
            ("Refactor — the parser", r#""Refactor — the parser""#),
            // A command alone.
            ("`/go`", r#""Go" `/go`"#),
            ("`/design plans/x` | opus", r#""Design plans/x" `/design plans/x` opus"#),
            ("`make all` | opus", r#""Make all" `make all` opus"#),
            ("`make` and `test`", r#""`make` and `test`""#),
            ("/design foo", r#""Design foo" `/design foo`"#),
            (
                "/design foo, /plan-adhoc and /orchestrate",
                r#""Design foo" `/design foo, /plan-adhoc and /orchestrate`"#,
            ),
            ("/users returns 500", r#""/users returns 500""#),
            ("/etc/hosts is wrong", r#""/etc/hosts is wrong""#),
            ("**bold** `tick` — dash | pipe [x] 日本語", r#""**bold** `tick` — dash | pipe [x] 日本語""#),
        ];
        for (typed, expected) in cases {
            assert_eq!(shown(typed), expected, "{typed}");
        }
    }

    #[test]
    fn several_lines() {
        let cases = [
            ("two\n  lines", r#""Two" / lines"#),
            ("Line1\nline2\n\nline3", r#""Line1" / line2 / line3"#),
            ("- a\n- b | opus", "\"A\"\n\"B\" opus"),
            ("- a\n  seen on mobile\n  - and here\n- b", "\"A\" / seen on mobile / and here\n\"B\""),
            ("  - a\n  - b", "\"A\"\n\"B\""),
            ("1. a\n2) b\n* c\n- [x] d", "\"A\"\n\"B\"\n\"C\"\n\"D\""),
            ("**A** — `/a` | opus\n**B** — `/b`", "\"A\" `/a` opus\n\"B\" `/b`"),
            ("/design a\n/plan-adhoc b", "\"Design a\" `/design a`\n\"Plan-adhoc b\" `/plan-adhoc b`"),
            ("the release:\n- a\n- b", r#""The release:" / a / b"#),
            ("- a\nand more", r#""A" / and more"#),
            ("fix it:\n```\n<!-- x\n```", r#""Fix it:" / ``` / <!-- x / ```"#),
        ];
        for (typed, expected) in cases {
            assert_eq!(shown(typed), expected, "{typed}");
        }
    }

    #[test]
    fn a_long_text_becomes_a_name_and_a_note() {
        let cases = [
            (
                "The login page is broken on mobile. When the keyboard opens, the button is hidden behind it and nobody can press it | opus",
                r#""The login page is broken on mobile" opus / When the keyboard opens, the button is hidden behind it and nobody can press it"#,
            ),
            (
                "the button of the login page is hidden behind the keyboard on mobile phones and nobody can press it any more",
                r#""The button of the login page is hidden behind the keyboard on mobile phones and" / the button of the login page is hidden behind the keyboard on mobile phones and nobody can press it any more"#,
            ),
        ];
        for (typed, expected) in cases {
            assert_eq!(shown(typed), expected, "{typed}");
        }
        let one_word = "x".repeat(900);
        let tasks = from_prompt(&one_word, &calls);
        assert_eq!((tasks[0].meta.name.len(), &tasks[0].notes), (LONGEST_NAME, &vec![one_word]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn a_task_has_a_name_and_no_word_is_lost(typed in "[-a-zA-Z0-9*#`/|—.:\\[\\] \n\tä日🚀]{1,200}") {
            let tasks = from_prompt(&typed, &calls);
            prop_assert_eq!(tasks.is_empty(), typed.trim().is_empty());
            let all = format!("{tasks:?}").to_lowercase();
            for task in &tasks {
                prop_assert!(!task.meta.name.trim().is_empty(), "{:?} {:?}", typed, tasks);
                prop_assert!(task.meta.name.chars().count() <= LONGEST_NAME + 2);
            }
            for word in typed.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let is_number = word.chars().all(|c| c.is_ascii_digit());
                let is_field = ["x", "restart"].contains(&word);
                prop_assert!(is_number || is_field || all.contains(word), "{:?} is lost: {:?} {:?}", word, typed, tasks);
            }
        }
    }
}
