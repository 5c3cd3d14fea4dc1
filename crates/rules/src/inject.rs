//! Tells the model, when its context is empty, what the project wants it to know: the files FRAMEWORK, AXIOMS,
//! HEURISTICS and CORE of `.engine/context/`, the standards that it asks for, and `PROMPT.md` with every real prompt.
//!
//! Silent when there are no files; files of a project that is not trusted are not told. After a resume or fork the text is still in the context, so it is not said
//! again. It also gives the agent's shell the session's identity.

use std::path::Path;

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::change::Change;
use engine_core::config::{Flag, Names, Number, TextList};
use engine_core::event::{Event, EventName, Kind};
use engine_core::standard;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Project, Telling, Told, Unread};
use engine_text::line::{cut_at_line, units};

looks_at!(Project + Telling);

pub(crate) const RULE: Rule = Rule {
    id: "inject",
    about: "Gives the model the files of .engine/context/ when a session starts, and PROMPT.md with each prompt.",
    events: &[EventName::SessionStart, EventName::Prompt],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

pub const FILES: TextList = TextList {
    name: "inject.files",
    default: &["FRAMEWORK.md", "AXIOMS.md", "HEURISTICS.md", "CORE.md"],
    below: CONTEXT,
    about: "Files of .engine/context/ told when a session starts, in this order. Unset: those of the default that exist. Set: a missing one is named.",
};

pub const BUDGET: Number = Number {
    name: "inject.budget",
    default: 8000,
    range: (500, 9500),
    about: "How much of them is told, in UTF-16 units; the client takes 10,000 from all rules together.",
};

pub const STRICT: Flag = Flag {
    name: "inject.strict",
    default: false,
    about: "Whether a missing file makes the session-start hook exit 1. All files of inject.files are then required.",
};

pub const STANDARDS: Names = Names {
    name: "inject.standards",
    about: "Standards told when a session starts, behind the files and within the same budget: COMMANDS, INVARIANTS, SIGILS. `engine show` prints them.",
    of: "standards: COMMANDS, INVARIANTS, SIGILS",
    fits: |name| standard::find(name).is_some(),
};

const CONTEXT: &str = ".engine/context/";
const SHOW: &str = "engine show ";
const PROMPT_FILE: &str = ".engine/context/PROMPT.md";
const PROMPT_LIMIT: usize = 500;

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    Ok(match &event.kind {
        Kind::SessionStart { source, .. } => {
            let mut finding =
                if source.context_is_fresh() { context_files(view) } else { Finding::default() };
            finding.changes.push(Change::Export {
                variables: vec![
                    ("ENGINE_SESSION_ID", event.session.as_ref().to_owned()),
                    ("ENGINE_PROJECT", view.root().to_string_lossy().into_owned()),
                ],
            });
            finding
        }
        Kind::Prompt { .. } => prompt_file(view),
        _ => Finding::default(),
    })
}

fn prompt_file(view: &(impl View + ?Sized)) -> Finding {
    if !view.is_trusted() {
        return Finding::default();
    }
    match read(view, PROMPT_FILE) {
        Ok(Told { text, remark }) if !text.is_empty() => Finding {
            lines: remark.map(|remark| remarked(PROMPT_FILE, remark)).into_iter().collect(),
            ..Finding::note(cut_at_line(&text, PROMPT_LIMIT)).because(format!("{PROMPT_FILE} is there"))
        },
        Err(Unread::Unreadable(why)) => {
            Finding { lines: vec![refused(PROMPT_FILE, &why)], ..Finding::default() }
        }
        _ => Finding::default(),
    }
}

fn context_files(view: &(impl View + ?Sized)) -> Finding {
    let (mut names, listed) = view.config().list(&FILES);
    if !view.is_trusted() {
        names.clear();
    }
    let strict = view.config().flag(&STRICT);
    let mut finding = Finding::default();
    let mut files = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        let path = format!("{CONTEXT}{name}");
        match read(view, &path) {
            Ok(told) if told.text.is_empty() => {}
            Ok(Told { text, remark }) => {
                finding.lines.extend(remark.map(|remark| remarked(&path, remark)));
                files.push((path, text));
            }
            Err(Unread::Missing) if listed || strict => missing.push(path),
            Err(Unread::Missing) => {}
            Err(Unread::Unreadable(why)) => finding.lines.push(refused(&path, &why)),
        }
    }
    if !missing.is_empty() {
        let list = missing.join(", ");
        finding.lines.push(UserLine::once(
            format!("missing:{list}"),
            format!("engine: {list} is missing and was not told to the model (inject.files, inject.strict)"),
        ));
        finding.failure = strict.then(|| format!("inject.strict: missing {list}"));
    }
    files.extend(standards(view));
    if files.is_empty() {
        return finding;
    }
    let budget = usize::try_from(view.config().number(&BUDGET)).unwrap_or(usize::MAX);
    let told = compose(&files, budget);
    finding.context = Some(told.text);
    finding.because(format!("files loaded: {}", told.files))
}

fn read(view: &(impl View + ?Sized), path: &str) -> Result<Told, Unread> {
    let Told { text, remark } = view.told(&view.root().join(Path::new(path)))?;
    Ok(Told { text: text.trim_start_matches('\u{feff}').trim().replace("\r\n", "\n"), remark })
}

/// What the person reads of a file that did not come into the context.
pub(crate) fn refused(path: &str, why: &str) -> UserLine {
    UserLine::once(format!("unreadable:{path}"), format!("engine: {path} was not told to the model: {why}"))
}

/// What the person reads of a file that did.
pub(crate) fn remarked(path: &str, remark: &str) -> UserLine {
    UserLine::once(format!("remark:{path}"), format!("engine: {path} was told to the model, and {remark}"))
}

/// The standards that the configuration lists, each once, with the command that prints it in place of a path.
fn standards(view: &(impl View + ?Sized)) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for standard in view.config().names(&STANDARDS).into_iter().filter_map(standard::find) {
        let command = format!("{SHOW}{}", standard.name);
        if found.iter().all(|(other, _)| *other != command) {
            found.push((command, standard.text.trim().to_owned()));
        }
    }
    found
}

struct ContextDirectives {
    text: String,
    files: String,
}

/// One section per file, whole while the budget lasts; then the beginning of the next, and the paths of all
/// that is not whole.
fn compose(files: &[(String, String)], budget: usize) -> ContextDirectives {
    let all: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let head = format!("Files loaded at session start: {}", all.join(", "));
    let sections: Vec<String> = files
        .iter()
        .map(|(path, text)| {
            let title = path.trim_start_matches(CONTEXT).trim_start_matches(SHOW);
            format!("\n\n## {title}\n\n{text}")
        })
        .collect();
    if units(&head) + sections.iter().map(|section| units(section)).sum::<usize>() <= budget {
        return ContextDirectives { text: head + &sections.concat(), files: all.join(", ") };
    }
    let foot = |paths: &[&str]| {
        format!("\n\nNot whole here (budget {budget}); the whole text: {}", paths.join(", "))
    };
    let mut left = budget.saturating_sub(units(&head) + units(&foot(&all)));
    let mut body = String::new();
    let mut whole = Vec::new();
    let mut rest = Vec::new();
    for (section, path) in sections.iter().zip(&all) {
        if !rest.is_empty() {
            rest.push(*path);
        } else if units(section) <= left {
            left -= units(section);
            body.push_str(section);
            whole.push(*path);
        } else {
            // Two blank lines, heading, blank line: without any text below it a heading says nothing.
            let part = cut_at_line(section, left);
            if part.trim().lines().count() > 2 {
                body.push_str(part);
            }
            rest.push(*path);
        }
    }
    let head = if whole.is_empty() {
        "Files loaded at session start: none whole".to_owned()
    } else {
        format!("Files loaded at session start: {}", whole.join(", "))
    };
    let files = format!("{}; not whole: {}", whole.join(", "), rest.join(", "));
    ContextDirectives { text: head + &body + &foot(&rest), files }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(name: &str, text: &str) -> (String, String) {
        (format!("{CONTEXT}{name}"), text.to_owned())
    }

    #[test]
    fn the_standards_fit_into_the_default_budget_together() {
        let all: usize = standard::STANDARDS.iter().map(|standard| units(standard.text) + 100).sum();
        let budget = usize::try_from(BUDGET.default).unwrap();
        assert!(all <= budget, "{all} units");
    }

    #[test]
    fn within_the_budget_every_file_is_whole() {
        let told = compose(&[file("AXIOMS.md", "one\ntwo"), file("CORE.md", "me")], 500);
        insta::assert_snapshot!(told.text, @r"
        Files loaded at session start: .engine/context/AXIOMS.md, .engine/context/CORE.md

        ## AXIOMS.md

        one
        two

        ## CORE.md

        me
        ");
    }

    #[test]
    fn past_the_budget_the_part_that_fits_and_the_paths() {
        let long = "a line of twenty ch.\n".repeat(20);
        let told = compose(&[file("AXIOMS.md", "one"), file("CORE.md", long.trim()), file("Z.md", "z")], 380);
        insta::assert_snapshot!(told.text, @"
        Files loaded at session start: .engine/context/AXIOMS.md

        ## AXIOMS.md

        one

        ## CORE.md

        a line of twenty ch.
        a line of twenty ch.
        a line of twenty ch.
        a line of twenty ch.
        a line of twenty ch.
        a line of twenty ch.

        Not whole here (budget 380); the whole text: .engine/context/CORE.md, .engine/context/Z.md
        ");
    }

    proptest! {
        #[test]
        fn never_over_the_budget(texts in prop::collection::vec("(?s).{1,400}", 1..4), budget in 500usize..2000) {
            let files: Vec<_> = texts.iter().enumerate().map(|(n, text)| file(&format!("F{n}.md"), text)).collect();
            prop_assert!(units(&compose(&files, budget).text) <= budget);
        }
    }
}
