use engine_text::stamp::Stamp;
use proptest::prelude::*;

use super::*;
use crate::handoff::{self, Handoff, Writer};
use crate::task::{Meta, Place, Task};

mod headings;

const BASE: &str = "# Session\n\n## Status\n\nGoing.\n\n## Pending Tasks\n\n- [ ] **A** — `/a` | opus\n- [ ] **B** — | id: b1\n  - note\n\n## Notes\n\n- one\n\n## Other\n\nfree\ntext\n";

fn merged(ours: &str, theirs: &str) -> Merged {
    merge(BASE, ours, theirs, Markers::default())
}

fn clean(ours: &str, theirs: &str) -> String {
    match merged(ours, theirs) {
        Merged::Clean(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_tasks_of_both_sides_are_kept_in_order_and_done_wins() {
    let ours =
        BASE.replace("- [ ] **A**", "- [x] **A**").replace("  - note\n", "  - note\n- [ ] **Mine** —\n");
    let theirs =
        BASE.replace("- [ ] **A**", "- [>] **A**").replace("  - note\n", "  - note\n- [ ] **Theirs** —\n");
    let expected = BASE
        .replace("- [ ] **A**", "- [x] **A**")
        .replace("  - note\n", "  - note\n- [ ] **Mine** —\n- [ ] **Theirs** —\n");
    assert_eq!(clean(&ours, &theirs), expected);
    // What one side reopens is open, if the other left it alone.
    let done = BASE.replace("- [ ] **A**", "- [x] **A**");
    let other = format!("{done}more\n");
    assert_eq!(merge(&done, BASE, &other, Markers::default()), Merged::Clean(format!("{BASE}more\n")));
}

#[test]
fn a_deletion_counts_if_the_other_side_left_the_task_alone() {
    let a = "- [ ] **A** — `/a` | opus\n";
    let without = BASE.replace(a, "");
    let noted = BASE.replace("- one\n", "- one\n- two\n");
    assert_eq!(clean(&without, &noted), noted.replace(a, ""));
    let changed = BASE.replace("| opus", "| haiku");
    assert_eq!(clean(&without, &changed), changed);
}

/// Ours deletes A, and theirs ends it and plans another of the same name.
#[test]
fn a_name_that_is_used_again_is_not_taken_for_the_one_that_was_deleted() {
    let a = "- [ ] **A** — `/a` | opus\n";
    let ours = BASE.replace(a, "");
    let again = format!("{a}{}", a.replace("[ ]", "[x]"));
    let theirs = BASE.replace(a, &again);
    assert_eq!(clean(&ours, &theirs), theirs);
    assert_eq!(clean(&theirs, &ours), theirs);
}

#[test]
fn handoff_sections_keep_what_both_wrote() {
    let ours = BASE.replace("Going.", "Ours is done.").replace("- one\n", "- one\n- from us\n");
    let theirs = BASE.replace("Going.", "Theirs is done.").replace("- one\n", "- one\n- from them\n");
    let expected = BASE
        .replace("Going.\n", "Ours is done.\n\nTheirs is done.\n")
        .replace("- one\n", "- one\n- from us\n- from them\n");
    assert_eq!(clean(&ours, &theirs), expected);
}

#[test]
fn notes_reasons_and_moves_of_both_sides() {
    let ours = BASE
        .replace("- [ ] **B**", "- [!] **B**")
        .replace("  - note\n", "  Blocked: no key\n  - note\n  - ours\n");
    let theirs = BASE.replace("- [ ] **B**", "- [>] **B**").replace("  - note\n", "  - note\n  - theirs\n");
    let expected = BASE
        .replace("- [ ] **B**", "- [!] **B**")
        .replace("  - note\n", "  Blocked: no key\n  - note\n  - ours\n  - theirs\n");
    assert_eq!(clean(&ours, &theirs), expected);
    // Renamed by its id and marked by the other side, moved to another section by it.
    let renamed = BASE.replace("**B**", "**Bee**");
    let b = "- [ ] **B** — | id: b1\n  - note\n";
    let moved = BASE
        .replace(b, "")
        .replace("## Notes", &format!("## Worktree Tasks\n\n{}\n## Notes", b.replace("[ ]", "[>]")));
    let text = clean(&renamed, &moved);
    assert_eq!(text, moved.replace("**B**", "**Bee**"));
}

#[test]
fn words_that_both_changed_are_shown_once_each() {
    let ours = BASE.replace("`/a` | opus", "`/ours` | opus");
    let theirs = BASE.replace("`/a` | opus", "`/theirs` | opus").replace("[ ] **B**", "[x] **B**");
    let a = "- [ ] **A** — `/a` | opus\n";
    let both = format!(
        "<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n",
        a.replace("/a`", "/ours`"),
        a.replace("/a`", "/theirs`")
    );
    let expected = BASE.replace(a, &both).replace("[ ] **B**", "[x] **B**");
    assert_eq!(merged(&ours, &theirs), Merged::Conflict(expected));
    let lines = merged(&BASE.replace("free", "mine"), &BASE.replace("free", "yours"));
    let expected = BASE.replace("free\n", "<<<<<<< ours\nmine\n=======\nyours\n>>>>>>> theirs\n");
    assert_eq!(lines, Merged::Conflict(expected));
}

#[test]
fn the_form_of_the_file_stays() {
    let ours = BASE.replace("[ ] **A**", "[x] **A**");
    let theirs = BASE.replace("[ ] **B**", "[>] **B**");
    let both = ours.replace("[ ] **B**", "[>] **B**");
    let forms: [fn(&str) -> String; 4] = [
        |text| text.replace('\n', "\r\n"),
        |text| format!("\u{feff}{text}"),
        |text| text.trim_end().to_owned(),
        |text| format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n")),
    ];
    for form in forms {
        let text = merge(&form(BASE), &form(&ours), &form(&theirs), Markers::default());
        assert_eq!(text, Merged::Clean(form(&both)));
        // One side gave the file another form.
        let text = merge(BASE, &form(&ours), &theirs, Markers::default());
        assert_eq!(text, Merged::Clean(form(&both)));
    }
}

#[test]
fn what_cannot_be_taken_apart_is_left_to_git() {
    let open = BASE.replace("free", "```\nfree");
    assert!(matches!(merged(&open, &BASE.replace("[ ] **A**", "[x] **A**")), Merged::Unmergeable(_)));
    let marked = BASE.replace("free", "<<<<<<< a\n=======\n>>>>>>> b");
    assert!(matches!(merged(&marked, &BASE.replace("[ ] **A**", "[x] **A**")), Merged::Unmergeable(_)));
}

/// One thing that somebody does to a task file.
#[derive(Debug, Clone)]
enum Step {
    State(usize, usize),
    Add(usize, bool),
    Remove(usize),
    Move(usize, usize),
    /// Into a section that may not be there yet.
    Away(usize),
    Note(usize, usize),
    Words(usize, usize),
    Rename(usize, usize),
    Handoff(usize, usize),
    Line(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..8_usize, 0..6_usize).prop_map(|(task, state)| Step::State(task, state)),
        (0..30_usize, any::<bool>()).prop_map(|(name, first)| Step::Add(name, first)),
        (0..8_usize).prop_map(Step::Remove),
        (0..8_usize, 0..8_usize).prop_map(|(task, to)| Step::Move(task, to)),
        (0..8_usize).prop_map(Step::Away),
        (0..8_usize, 0..4_usize).prop_map(|(task, note)| Step::Note(task, note)),
        (0..8_usize, 0..4_usize).prop_map(|(task, words)| Step::Words(task, words)),
        (0..8_usize, 0..4_usize).prop_map(|(task, name)| Step::Rename(task, name)),
        (0..4_usize, 0..4_usize).prop_map(|(done, note)| Step::Handoff(done, note)),
        (0..4_usize).prop_map(Step::Line),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 0..7)
}

fn after(text: &str, steps: &[Step]) -> String {
    steps.iter().fold(text.to_owned(), |text, step| stepped(&text, step).unwrap_or(text))
}

fn stepped(text: &str, step: &Step) -> Option<String> {
    let file = TaskFile::parse(text);
    let tasks: Vec<&Task> = file.tasks().collect();
    let pick = |nth: usize| tasks.get(nth % tasks.len().max(1)).copied();
    let renamed = |task: &Task, name: String| {
        file.twin(&name).is_none().then(|| file.with_meta(task, &Meta { name, ..task.meta.clone() }))
    };
    match step {
        Step::State(task, state) => Some(file.with_state(pick(*task)?, State::ALL[*state], None)),
        Step::Add(name, is_first) => {
            let meta = Meta { name: format!("New {name}"), ..Meta::default() };
            let place = if *is_first { Place::First } else { Place::Last };
            file.twin(&meta.name).is_none().then(|| file.with_new(&meta, None, place))
        }
        Step::Remove(task) => {
            let task = pick(*task)?;
            let (first, last) = (file.lines.all[task.first], file.lines.all[task.first + task.count - 1]);
            Some(format!("{}{}", &text[..first.start], &text[last.end..]))
        }
        Step::Move(task, to) => Some(file.with_moved(pick(*task)?, None, Place::After(pick(*to)?))),
        Step::Away(task) if file.has_section("Worktree Tasks") => {
            Some(file.with_moved(pick(*task)?, Some("Worktree Tasks"), Place::Last))
        }
        Step::Away(_) => Some(format!("{text}\n## Worktree Tasks\n\n")),
        Step::Note(task, note) => Some(file.with_note(pick(*task)?, &format!("note {note}"))),
        Step::Words(task, words) => {
            let task = pick(*task)?;
            let meta = Meta { command: Some(format!("/do {words}")), ..task.meta.clone() };
            Some(file.with_meta(task, &meta))
        }
        Step::Rename(task, name) => {
            let task = pick(*task).filter(|task| task.meta.id.is_some())?;
            renamed(task, format!("Other {name}"))
        }
        Step::Handoff(done, note) => {
            let notes = Some(vec![format!("handed over {note}")]);
            let status = Some(format!("Status {done}."));
            let handoff = Handoff { status, done: vec![format!("did {done}")], notes };
            let writer = Writer { session: None, now: Stamp::default(), since: Stamp::default() };
            handoff::with(text, &handoff, &writer).ok().map(|written| written.text)
        }
        Step::Line(line) => Some(format!("{text}line {line}\n")),
    }
}

fn text_of(merged: &Merged) -> &str {
    match merged {
        Merged::Clean(text) | Merged::Conflict(text) => text,
        Merged::Unmergeable(why) => panic!("{why}"),
    }
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.sort_unstable();
    lines
}

/// A line without the state in its box.
fn stateless(line: &str) -> String {
    match (line.strip_prefix("- ["), line.find(']')) {
        (Some(_), Some(close)) => format!("- [{}", &line[close..]),
        _ => line.to_owned(),
    }
}

/// By id, else by name: how a person knows a task again.
fn known(task: &Task) -> String {
    task.meta.id.clone().unwrap_or_else(|| task.meta.name.clone())
}

/// How often each task is there.
fn counts(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for task in TaskFile::parse(text).tasks() {
        *counts.entry(known(task)).or_default() += 1;
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn histories_keep_every_task(start in steps(), ours in steps(), theirs in steps()) {
        let base = after(BASE, &start);
        let (ours, theirs) = (after(&base, &ours), after(&base, &theirs));
        let merge = |base: &str, ours: &str, theirs: &str| super::merge(base, ours, theirs, Markers::default());
        let merged = merge(&base, &ours, &theirs);
        let text = text_of(&merged);
        let is_clean = matches!(merged, Merged::Clean(_));

        // Every task of both sides is there, unless one deleted it and the other left it alone.
        let [was, mine, other, kept] = [&base, &ours, &theirs, text].map(counts);
        let body = |text: &str, key: &str| {
            let file = TaskFile::parse(text);
            file.tasks().find(|task| known(task) == key).map(|task| (task.state, file.lines_of(task).join("\n")))
        };
        for key in mine.keys().chain(other.keys()) {
            let times = [&was, &mine, &other].map(|counts| counts.get(key).copied().unwrap_or_default());
            let there = kept.get(key).copied().unwrap_or_default();
            if is_clean {
                prop_assert!(there <= times[1].max(times[2]), "{key} {there} times in {text}");
            }
            let bodies = [&base, &ours, &theirs].map(|text| body(text, key));
            if times.iter().any(|times| *times > 1) {
                // A name was used again when its first task was over: which is which is told by their order alone, so none goes.
                prop_assert!(there >= times[1].max(times[2]), "{key} in {text}");
                continue;
            }
            let notes = |body: &Option<(State, String)>| {
                body.iter().flat_map(|body| body.1.lines().skip(1)).map(str::to_owned).collect::<HashSet<_>>()
            };
            if let ([was, mine @ Some(_), other @ Some(_)], true) = (&bodies, there > 0) {
                let [was, mine, other, kept] = [was, mine, other, &body(text, key)].map(notes);
                let is_kept = |line: &&String| kept.contains(*line) || !is_clean;
                let wanted = mine.union(&other).filter(|line| !was.contains(*line)).chain(mine.intersection(&other));
                prop_assert!(wanted.clone().all(|line| is_kept(&line)), "{key} in {text}");
            }
            let [was, mine, other] = &bodies;
            let is_deleted = was.is_some() && ((mine.is_none() && other == was) || (other.is_none() && mine == was));
            // Between markers it is shown all the same.
            prop_assert!((there > 0) != is_deleted || (is_deleted && !is_clean), "{} in {}", key, text);
            if let ([was, Some(mine), Some(other)], true) = (&bodies, is_clean) {
                let expected = if was.as_ref().is_some_and(|was| was.0 == other.0) { mine.0 }
                    else if was.as_ref().is_some_and(|was| was.0 == mine.0) { other.0 }
                    else { winner(mine.0, other.0) };
                prop_assert_eq!(body(text, key).map(|kept| kept.0), Some(expected), "{} in {}", key, text);
            }
        }

        // Nothing comes from nowhere, and what both have or one has added is there.
        let lines = |text: &str| text.lines().map(stateless).collect::<HashSet<_>>();
        let [was, mine, other, kept] = [&base, &ours, &theirs, text].map(lines);
        let markers = ["<<<<<<< ours", "=======", ">>>>>>> theirs"];
        for line in kept.iter().filter(|line| !line.is_empty()) {
            prop_assert!(mine.contains(line) || other.contains(line) || markers.contains(&line.as_str()), "{line}");
        }
        for line in mine.union(&other) {
            // The lines of tasks are told of above: a task may be deleted, or reworded.
            let is_wanted = !line.starts_with("- [") && !line.starts_with("  ") && (!was.contains(line) || (mine.contains(line) && other.contains(line)));
            prop_assert!(!is_wanted || kept.contains(line), "{line} in {text}");
        }

        // Whoever merges, the same comes of it, up to the order.
        let turned = merge(&base, &theirs, &ours);
        prop_assert_eq!(is_clean, matches!(&turned, Merged::Clean(_)));
        prop_assert_eq!(tasks_of(text), tasks_of(text_of(&turned)));
        prop_assert_eq!(sorted_lines(text), sorted_lines(text_of(&turned)));

        // What is the same, or was changed by one side only, needs no merge.
        prop_assert_eq!(merge(&base, &ours, &ours), Merged::Clean(ours.clone()));
        prop_assert_eq!(merge(&ours, &ours, &theirs), Merged::Clean(theirs.clone()));
        prop_assert_eq!(merge(&theirs, &ours, &theirs), Merged::Clean(ours.clone()));

        // Merging a side again changes nothing. Of a line that is there twice, one may be taken for the one that a side deleted.
        let repeats = |text: &str| sorted_lines(text).windows(2).any(|pair| pair[0] == pair[1]);
        if is_clean && ![text, &ours, &theirs].into_iter().any(repeats) {
            for side in [&ours, &theirs] {
                let again = merge(&base, text, side);
                prop_assert_eq!(counts(text_of(&again)), counts(text), "again with {}", side);
                if !counts(text).values().chain(counts(side).values()).any(|times| *times > 1) {
                    prop_assert_eq!(tasks_of(text_of(&again)), tasks_of(text), "again with {}", side);
                }
                prop_assert_eq!(lines(text_of(&again)), lines(text), "again with {}", side);
                prop_assert_eq!(merge(side, text, side), Merged::Clean(text.to_owned()));
            }
        }
    }

    #[test]
    fn any_texts_never_panic(base in "(?s).{0,120}", ours in "(?s).{0,120}", theirs in "(?s).{0,120}") {
        let _ = merge(&base, &ours, &theirs, Markers::default());
    }

    /// Of lines that matter to the reader, in any order.
    #[test]
    fn any_lines_never_panic_and_lose_no_task(all in prop::array::uniform3(prop::collection::vec(0..LINES.len(), 0..9))) {
        let [base, ours, theirs] = all.map(|lines| lines.iter().map(|line| LINES[*line]).collect::<String>());
        let merged = merge(&base, &ours, &theirs, Markers::default());
        let (Merged::Clean(text) | Merged::Conflict(text)) = &merged else { return Ok(()) };
        let [was, mine, other, kept] = [&base, &ours, &theirs, text].map(|text| counts(text));
        for key in mine.keys().filter(|key| other.contains_key(*key)).chain(mine.keys().chain(other.keys()).filter(|key| !was.contains_key(*key))) {
            // Between markers a heading of one side may stand above the task of the other.
            let is_shown = kept.contains_key(key) || matches!(merged, Merged::Conflict(_));
            prop_assert!(is_shown, "{key} in {text}");
        }
        let lines = |text: &str| text.lines().map(|line| stateless(line.trim())).filter(|line| !line.is_empty()).collect::<HashSet<_>>();
        let [was, mine, other, kept] = [&base, &ours, &theirs, text].map(|text| lines(text));
        for line in mine.intersection(&other).chain(mine.difference(&was)).chain(other.difference(&was)) {
            prop_assert!(kept.contains(line), "{line} in {text}");
        }
    }
}

const LINES: [&str; 22] = [
    "# Session\n",
    "## Pending Tasks\n",
    "## Worktree Tasks\r\n",
    "### Deeper\n",
    "## Notes\n",
    "## Other\n",
    "- [ ] **A** —\n",
    "- [x] **A** —\r\n",
    "- [>] **B** — | id: 1\n",
    "* [!] **C** #t1 —\n",
    "- [?] **D**\n",
    "  Blocked: x\n",
    "  - note\n",
    "    deep\n",
    "text\n",
    "- item\n",
    "\n",
    "\r\n",
    "```\n",
    "<!-- x\n",
    "---\n",
    "- [ ] **E** — no end",
];
