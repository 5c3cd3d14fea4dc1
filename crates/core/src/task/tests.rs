use proptest::prelude::*;

use super::*;

fn summary(text: &str) -> Vec<String> {
    TaskFile::parse(text)
        .items()
        .iter()
        .map(|item| match item {
            Item::Task(task) => {
                let Meta { name, token, command, detail, model, restart, needs, id, others } = &task.meta;
                format!(
                    "{}: {} {name:?} {token:?} {command:?} {detail:?} {model:?} {restart} {needs:?} {id:?} {others:?} {:?}",
                    task.line,
                    task.state.as_str(),
                    task.reason
                )
            }
            Item::Damaged(damaged) => format!("{}: damaged {:?} {}", damaged.line, damaged.text, damaged.why),
        })
        .collect()
}

#[test]
fn reads_every_form_of_a_line() {
    let text = "\u{feff}# Session\r\n\r\n- [ ] not in a section\r\n## Pending Tasks\r\n\
        - [ ] **Implement ambient awareness** — `/plan-adhoc plans/a.md` | sonnet | no restart\r\n\
        - [>] **T** - `/x` | OPUS | Restart | urgent\r\n\
        * [x] Fix the build\r\n\
        - [!] **Publish crate** — | haiku | needs: A, B \\| C | id: t-7\r\n  Blocked: waiting for the key\r\n  - a note\r\n\
        - [†] **Gone \\*wild\\* \\— really** — ``a `b` c``\r\n\
        - [-] **Old** —\r\n\
        ```\r\n- [ ] in a fence\r\n```\r\n\
        - [ ] **unclosed name\r\n- [✗] **Odd mark**\r\n- [ ] **** — x\r\n- [link](x) no box\r\n\
        - [ ] **Seed 5** #PNDNG — some words | opus | more\r\n\
        ### Later\r\n- [ ] Old style — `/go` | opus\r\n\
        ## Notes\r\n- [ ] not a task\r\n### Worktree tasks\n\t- [ ] too deep\n- [ ] last";
    insta::assert_snapshot!(summary(text).join("\n"), @r#"
    5: pending "Implement ambient awareness" None Some("/plan-adhoc plans/a.md") None Some("sonnet") false [] None [] None
    6: in progress "T" None Some("/x") None Some("opus") true [] None ["urgent"] None
    7: done "Fix the build" None None None None false [] None [] None
    8: blocked "Publish crate" None None None Some("haiku") false ["A", "B | C"] Some("t-7") [] Some("waiting for the key")
    11: failed "Gone *wild* — really" None Some("a `b` c") None None false [] None [] None
    12: cancelled "Old" None None None None false [] None [] None
    16: damaged "[ ] **unclosed name" the name's ** is not closed
    17: damaged "[✗] **Odd mark**" unknown state in the box
    18: damaged "[ ] **** — x" the task has no name
    20: pending "Seed 5" Some("PNDNG") None Some("some words") Some("opus") false [] None ["more"] None
    22: pending "Old style" None Some("/go") None Some("opus") false [] None [] None
    27: pending "last" None None None None false [] None [] None
    "#);
}

const FILE: &str = "# Session\n\n## Pending Tasks\n\n- [ ] **A** — `/a` | opus\n- [!] **B** — | sonnet\n  Blocked: no key\n  - note\n\n## Notes\nmine\n";

fn on(text: &str, name: &str, edit: impl Fn(&TaskFile<'_>, &Task) -> String) -> String {
    let file = TaskFile::parse(text);
    let FoundTask::One(task) = file.find(name) else { panic!("{name} is not in {text}") };
    edit(&file, task)
}

#[test]
fn an_edit_changes_only_its_own_lines() {
    let state = |state, reason| move |file: &TaskFile<'_>, task: &Task| file.with_state(task, state, reason);
    assert_eq!(on(FILE, "A", state(State::InProgress, None)), FILE.replace("- [ ] **A**", "- [>] **A**"));
    assert_eq!(
        on(FILE, "A", state(State::Failed, Some("two\nlines"))),
        FILE.replace("- [ ] **A** — `/a` | opus\n", "- [†] **A** — `/a` | opus\n  Failed: two lines\n")
    );
    assert_eq!(
        on(FILE, "B", state(State::Pending, None)),
        FILE.replace("[!]", "[ ]").replace("  Blocked: no key\n", "")
    );
    assert_eq!(
        on(FILE, "B", state(State::Blocked, Some("other"))),
        FILE.replace("  Blocked: no key\n", "  Blocked: other\n")
    );
    assert_eq!(
        on(FILE, "B", |file, task| file.with_note(task, "more")),
        FILE.replace("  - note\n", "  - note\n  - more\n")
    );
    let renamed = |file: &TaskFile<'_>, task: &Task| {
        file.with_meta(task, &Meta { model: Some("haiku".into()), ..task.meta.clone() })
    };
    assert_eq!(on(FILE, "A", renamed), FILE.replace("| opus", "| haiku"));
}

#[test]
fn a_new_task_goes_where_it_belongs() {
    let meta = Meta { name: "New\n one".into(), ..Meta::default() };
    let add = |text: &str, place| TaskFile::parse(text).with_new(&meta, None, place);
    let line = "- [ ] **New one** — | sonnet";
    assert_eq!(add(FILE, Place::Last), FILE.replace("  - note\n", &format!("  - note\n{line}\n")));
    assert_eq!(add(FILE, Place::First), FILE.replace("- [ ] **A**", &format!("{line}\n- [ ] **A**")));
    assert_eq!(add("", Place::Last), format!("# Session\n\n## Pending Tasks\n\n{line}\n"));
    assert_eq!(
        add("# Mine\r\ntext", Place::Last),
        format!("# Mine\r\ntext\r\n\r\n## Pending Tasks\r\n\r\n{line}\r\n")
    );
    assert_eq!(add("## Pending Tasks", Place::Last), format!("## Pending Tasks\n{line}"));
    assert_eq!(
        add("## Worktree Tasks\n- [ ] x\n", Place::Last),
        format!("## Worktree Tasks\n- [ ] x\n{line}\n")
    );
    let named = TaskFile::parse(FILE).with_new(&meta, Some("In-tree Tasks"), Place::Last);
    assert_eq!(named, format!("{FILE}\n## In-tree Tasks\n\n{line}\n"));
}

#[test]
fn a_task_moves_with_its_lines() {
    let file = TaskFile::parse(FILE);
    let (FoundTask::One(a), FoundTask::One(b)) = (file.find("A"), file.find("B")) else { panic!() };
    let b_first = "# Session\n\n## Pending Tasks\n\n- [!] **B** — | sonnet\n  Blocked: no key\n  - note\n- [ ] **A** — `/a` | opus\n\n## Notes\nmine\n";
    assert_eq!(file.with_moved(b, None, Place::First), b_first);
    assert_eq!(file.with_moved(b, None, Place::Before(a)), b_first);
    assert_eq!(file.with_moved(a, None, Place::After(b)), b_first);
    assert_eq!(file.with_moved(a, None, Place::Last), b_first);
    assert_eq!(file.with_moved(a, None, Place::First), FILE);
    let unended = TaskFile::parse("## Pending Tasks\n- [ ] a\n- [ ] b");
    let FoundTask::One(b) = unended.find("b") else { panic!() };
    assert_eq!(unended.with_moved(b, None, Place::First), "## Pending Tasks\n- [ ] b\n- [ ] a");
}

#[test]
fn finds_by_name_beginning_and_words() {
    let text = "## Pending Tasks\n- [ ] **Fix login** —\n- [ ] **Fix logout** — | id: t2\n- [x] **Fix login page** —\n- [ ] **Write docs** —\n";
    let file = TaskFile::parse(text);
    let found = |wanted: &str| match file.find(wanted) {
        FoundTask::One(task) => task.meta.name.clone(),
        FoundTask::Several(names) => format!("several: {}", names.join(", ")),
        FoundTask::None => "none".to_owned(),
    };
    let cases = [
        ("Fix login", "Fix login"),
        ("t2", "Fix logout"),
        ("write", "Write docs"),
        ("docs", "Write docs"),
        ("login page", "Fix login page"),
        ("Fix log", "several: Fix login, Fix logout, Fix login page"),
        ("nothing", "none"),
        ("", "none"),
    ];
    for (wanted, expected) in cases {
        assert_eq!(found(wanted), expected, "{wanted}");
    }
}

#[test]
fn only_closed_front_matter_hides_text() {
    let names =
        |text: &str| TaskFile::parse(text).tasks().map(|task| task.meta.name.clone()).collect::<Vec<_>>();
    assert_eq!(names("---\n## Pending Tasks\n- [ ] x\n---\n## Pending Tasks\n- [ ] a\n"), ["a"]);
    for rule in ["---\n", "----\n", "--- note\n", "---\r\n"] {
        assert_eq!(names(&format!("{rule}## Pending Tasks\n- [ ] a\n")), ["a"], "{rule:?}");
    }
}

#[test]
fn needs_hold_a_task_back() {
    let text = "## Pending Tasks\n- [ ] **B** — | needs: A, Gone\n- [ ] **A** —\n";
    let file = TaskFile::parse(text);
    assert_eq!(file.next(|_| true).map(|task| task.meta.name.as_str()), Some("A"));
    let done = text.replace("- [ ] **A**", "- [x] **A**");
    assert_eq!(TaskFile::parse(&done).next(|_| true).map(|task| task.meta.name.as_str()), Some("B"));
}

fn any_text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "## Pending Tasks",
        "### In-tree Tasks",
        "# Title",
        "- [ ] **A** — `/a` | opus",
        "- [>] B",
        "- [x] **C** —",
        "  Blocked: x",
        "  - [ ] sub",
        "```",
        "~~~~",
        "- [ ] **broken",
        "- [✗] x",
        "",
        "text",
        "\t- [ ] tab",
        "- [!] **D** — | id: d | odd",
    ]);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec((line, end), 0..14), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [*line, *end]).collect();
        if !ended {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

proptest! {
    #[test]
    fn names_come_back_as_they_were(name in "\\PC{1,40}") {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assume!(!name.is_empty());
        let meta = Meta { name: name.clone(), model: Some("opus".into()), ..Meta::default() };
        let text = TaskFile::parse("").with_new(&meta, None, Place::Last);
        let file = TaskFile::parse(&text);
        let tasks: Vec<&Task> = file.tasks().collect();
        prop_assert_eq!(tasks.len(), 1, "{}", text);
        prop_assert_eq!(&tasks[0].meta, &meta);
    }

    #[test]
    fn reading_any_text_never_fails_and_the_lines_are_the_text(text in "(?s).{0,200}") {
        let file = TaskFile::parse(&text);
        let lines: String = file.lines.all.iter().map(|line| &text[line.start..line.end]).collect();
        prop_assert_eq!(lines, text.clone());
    }

    #[test]
    fn edits_keep_all_other_lines(text in any_text(), picks in prop::collection::vec((0usize..20, 0usize..6), 1..6)) {
        let mut text = text;
        for (pick, kind) in picks {
            let file = TaskFile::parse(&text);
            let tasks: Vec<&Task> = file.tasks().collect();
            let Some(task) = tasks.get(pick % tasks.len().max(1)) else { continue };
            let own: Vec<&str> = file.lines_of(task);
            let edited = match kind {
                0 => file.with_state(task, State::Done, None),
                1 => file.with_state(task, State::Blocked, Some("why")),
                2 => file.with_note(task, "n"),
                3 => file.with_moved(task, None, Place::First),
                4 => file.with_meta(task, &task.meta),
                _ => file.with_new(&task.meta, None, Place::Last),
            };
            let mut others: Vec<&str> = text.lines().collect();
            for line in &own {
                let at = others.iter().position(|other| other == line).unwrap();
                others.remove(at);
            }
            let mut left: Vec<&str> = edited.lines().collect();
            for line in others {
                let at = left.iter().position(|other| *other == line);
                prop_assert!(at.is_some(), "{:?} is lost in {:?}", line, edited);
                left.remove(at.unwrap());
            }
            let count = |text: &str| TaskFile::parse(text).tasks().count();
            prop_assert_eq!(count(&edited), count(&text) + usize::from(kind == 5));
            text = edited;
        }
    }

    #[test]
    fn an_edit_leaves_every_byte_before_and_behind_the_task(text in any_text(), pick in 0usize..20, kind in 0usize..4) {
        let file = TaskFile::parse(&text);
        let tasks: Vec<&Task> = file.tasks().collect();
        if let Some(task) = tasks.get(pick % tasks.len().max(1)) {
            let edited = match kind {
                0 => file.with_state(task, State::Done, None),
                1 => file.with_state(task, State::Failed, Some("why")),
                2 => file.with_note(task, "n"),
                _ => file.with_meta(task, &Meta { model: Some("haiku".into()), ..task.meta.clone() }),
            };
            let start = file.lines.all[task.first].start;
            let end = file.lines.all[task.first + task.count - 1].end;
            prop_assert!(edited.starts_with(&text[..start]), "{:?} {:?}", text, edited);
            prop_assert!(edited.ends_with(&text[end..]), "{:?} {:?}", text, edited);
            if text.contains("\r\n") && !text.replace("\r\n", "").contains('\n') {
                prop_assert!(!edited.replace("\r\n", "").contains('\n'), "a line end changed: {:?}", edited);
            }
        }
    }
}
