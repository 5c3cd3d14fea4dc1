//! Histories in which somebody edits headings and writes text anywhere, so that what is a task for one side is text for the other.

use super::*;

fn said(base: &str, ours: &str, theirs: &str) -> (bool, String) {
    match merge(base, ours, theirs, Markers::default()) {
        Merged::Clean(text) => (true, text),
        Merged::Conflict(text) => (false, text),
        Merged::Unmergeable(why) => panic!("{why}"),
    }
}

#[test]
fn a_heading_above_a_group_takes_no_task() {
    let base = "## Pending Tasks\n\n- [ ] **P** — | sonnet\n\n### Y\n\n- [ ] **A** — | sonnet\n";
    let ours = base.replace("**P** — | sonnet\n", "**P** — | sonnet\n- [ ] **P2** — | sonnet\n");
    let theirs = base.replace("### Y", "## Ideas\n\n### Y");
    let both = ours.replace("### Y", "## Ideas\n\n### Y");
    assert_eq!(said(base, &ours, &theirs), (true, both.clone()));
    assert_eq!(said(base, &theirs, &ours), (true, both));

    // A new task would stand below a heading that the other side has renamed.
    let base = "# S\n\n## Pending Tasks\n\n### Later\n\n- [ ] **A** —\n- [ ] **B** —\n";
    let ours = base.replace("### Later", "- [ ] **New** —\n\n### Later");
    let theirs = base.replace("Pending Tasks", "Backlog");
    insta::assert_snapshot!(said(base, &ours, &theirs).1, @r"
    # S

    <<<<<<< ours
    ## Pending Tasks

    - [ ] **New** —
    =======
    ## Backlog
    >>>>>>> theirs

    ### Later

    - [ ] **A** —
    - [ ] **B** —
    ");
    // One heading is all that changed.
    let theirs = base.replace("## Pending Tasks\n\n", "");
    let ours = base.replace("[ ] **A**", "[x] **A**");
    insta::assert_snapshot!(said(base, &ours, &theirs).1, @r"
    # S

    ### Later

    - [x] **A** —
    - [ ] **B** —
    ");
    let (base, ours, theirs) = (
        "## Pending Tasks\n- [!] **D**\n",
        "## Pending Tasks\n### Sub\n- [!] **D**\n",
        "### Sub\n- [!] **D**\n",
    );
    insta::assert_snapshot!(said(base, ours, theirs).1, @r"
    <<<<<<< ours
    ## Pending Tasks
    ### Sub
    =======
    ### Sub
    >>>>>>> theirs
    - [!] **D**
    ");
    let base = "# Pending Tasks\n\n## X\n\n- [ ] **A** —\n\ntext\n";
    let (ours, theirs) =
        (base.replace("**A** —\n", "**A** —\n- [ ] **B** —\n"), base.replace("Pending Tasks", "Todo"));
    insta::assert_snapshot!(said(base, &ours, &theirs).1, @r"
    <<<<<<< ours
    # Pending Tasks

    ## X

    - [ ] **A** —
    - [ ] **B** —
    =======
    # Todo

    ## X

    - [ ] **A** —
    >>>>>>> theirs

    text
    ");
}

#[test]
fn both_versions_of_a_task_have_the_merged_state() {
    let task =
        |state: char, model: &str| format!("## Pending Tasks\n- [{state}] **T** — | {model}\n  - note\n");
    let (is_clean, text) = said(&task(' ', "haiku"), &task(' ', "opus"), &task('x', "sonnet"));
    assert!(!is_clean);
    insta::assert_snapshot!(text, @r"
    ## Pending Tasks
    <<<<<<< ours
    - [x] **T** — | opus
      - note
    =======
    - [x] **T** — | sonnet
      - note
    >>>>>>> theirs
    ");
}

const NAMES: [&str; 7] =
    ["Pending Tasks", "Worktree Tasks", "Backlog", "Notes", "Later", "Status", "Session"];

/// What somebody does to the shape of a file.
#[derive(Debug, Clone)]
enum Shape {
    Task(Step),
    Rename(usize, usize),
    Insert(usize, usize, usize),
    Delete(usize),
    Level(usize, usize),
    /// A heading with all below it, to before another.
    Move(usize, usize),
    Text(usize, usize),
    Hide(usize),
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    let one = prop_oneof![
        4 => step().prop_map(Shape::Task),
        1 => (0..8_usize, 0..NAMES.len()).prop_map(|(heading, name)| Shape::Rename(heading, name)),
        1 => (0..40_usize, 1..5_usize, 0..NAMES.len()).prop_map(|(line, level, name)| Shape::Insert(line, level, name)),
        1 => (0..8_usize).prop_map(Shape::Delete),
        1 => (0..8_usize, 1..5_usize).prop_map(|(heading, level)| Shape::Level(heading, level)),
        1 => (0..8_usize, 0..8_usize).prop_map(|(heading, to)| Shape::Move(heading, to)),
        1 => (0..40_usize, 0..6_usize).prop_map(|(line, text)| Shape::Text(line, text)),
        1 => (0..40_usize).prop_map(Shape::Hide),
    ];
    prop::collection::vec(one, 0..6)
}

fn shaped(text: &str, shapes: &[Shape]) -> String {
    shapes.iter().fold(text.to_owned(), |text, shape| shaped_once(&text, shape).unwrap_or(text))
}

fn shaped_once(text: &str, shape: &Shape) -> Option<String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let headings: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with('#')).collect();
    let heading = |nth: usize| headings.get(nth % headings.len().max(1)).copied();
    let level = |line: &str| line.len() - line.trim_start_matches('#').len();
    match shape {
        Shape::Task(step) => return stepped(text, step),
        Shape::Rename(nth, name) => {
            let at = heading(*nth)?;
            lines[at] = format!("{} {}\n", "#".repeat(level(&lines[at])), NAMES[*name]);
        }
        Shape::Insert(at, level, name) => {
            lines.insert(at % (lines.len() + 1), format!("{} {}\n", "#".repeat(*level), NAMES[*name]));
        }
        Shape::Delete(nth) => drop(lines.remove(heading(*nth)?)),
        Shape::Level(nth, to) => {
            let at = heading(*nth)?;
            lines[at] = format!("{}{}", "#".repeat(*to), lines[at].trim_start_matches('#'));
        }
        Shape::Move(nth, to) => {
            let from = heading(*nth)?;
            let own = level(&lines[from]);
            let end = headings.iter().copied().find(|at| *at > from && level(&lines[*at]) <= own);
            let group: Vec<String> = lines.drain(from..end.unwrap_or(text.lines().count())).collect();
            let headings: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with('#')).collect();
            let at = headings.get(to % headings.len().max(1)).copied().unwrap_or(lines.len());
            lines.splice(at..at, group);
        }
        Shape::Text(at, text) => lines.insert(at % (lines.len() + 1), TEXTS[*text].to_owned()),
        Shape::Hide(at) => {
            let at = at % lines.len().max(1);
            lines.insert(at, "<!-- away\n".to_owned());
            lines.insert((at + 3).min(lines.len()), "-->\n".to_owned());
        }
    }
    let text = lines.concat();
    let file = TaskFile::parse(&text);
    // What cannot be taken apart is another test.
    file.lines.open_fence.is_none().then_some(text.clone())
}

const TEXTS: [&str; 6] =
    ["some text\n", "\n", "- item\n", "  indented\n", "- [ ] **Loose** —\n", "other text\n"];

/// How often the name of a task stands anywhere in a text.
fn mentions(text: &str, name: &str) -> usize {
    text.matches(&format!("**{name}**")).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn histories_with_other_headings_lose_nothing(start in shapes(), ours in shapes(), theirs in shapes()) {
        let base = shaped(BASE, &start);
        let (ours, theirs) = (shaped(&base, &ours), shaped(&base, &theirs));
        let (is_clean, text) = said(&base, &ours, &theirs);

        let read = |text: &str| {
            let file = TaskFile::parse(text);
            file.tasks().map(|task| (known(task), task.state, task.meta.name.clone(), file.lines_of(task).join("\n"))).collect::<Vec<_>>()
        };
        let [was, mine, other, kept] = [&base, &ours, &theirs, &text].map(|text| read(text));
        let of = |tasks: &[(String, State, String, String)], key: &str| tasks.iter().filter(|task| task.0 == key).cloned().collect::<Vec<_>>();
        for (key, _, name, _) in mine.iter().chain(&other) {
            let [was, mine, other, kept] = [&was, &mine, &other, &kept].map(|tasks| of(tasks, key));
            let names = [name.as_str(), was.first().map_or(name.as_str(), |was| was.2.as_str())];
            let is_gone = |text: &str| names.iter().all(|name| mentions(text, name) == 0);
            // Between markers a heading of one side may stand above the tasks of the other; they are seen there.
            let is_shown = !is_clean && !is_gone(&text);
            match (was.as_slice(), mine.as_slice(), other.as_slice()) {
                ([] | [_], [one], [two]) => {
                    let state = match was.first().map(|was| was.1) {
                        Some(was) if was == one.1 => two.1,
                        Some(was) if was == two.1 => one.1,
                        _ => winner(one.1, two.1),
                    };
                    prop_assert!(is_shown || kept.iter().any(|task| task.1 == state), "{} in {}", key, text);
                    prop_assert!(!is_clean || kept.len() == 1, "{} in {}", key, text);
                }
                ([was], [one], []) if is_gone(&theirs) => prop_assert!(is_shown || !kept.is_empty() || one == was, "{} in {}", key, text),
                ([was], [], [one]) if is_gone(&ours) => prop_assert!(is_shown || !kept.is_empty() || one == was, "{} in {}", key, text),
                ([], [_], []) | ([], [], [_]) => prop_assert!(is_shown || !kept.is_empty(), "{} in {}", key, text),
                ([_], _, _) => prop_assert!(!is_gone(&text), "{} in {}", key, text),
                _ => prop_assert!(kept.len().max(mentions(&text, name)) >= mine.len().max(other.len()), "{} in {}", key, text),
            }
        }

        let lines = |text: &str| {
            let own = text.lines().filter(|line| !line.contains("] **")).map(|line| line.trim_end().to_owned());
            own.filter(|line| !line.is_empty()).collect::<HashSet<_>>()
        };
        let [was, mine, other, kept] = [&base, &ours, &theirs, &text].map(|text| lines(text));
        let wanted = mine.intersection(&other).chain(mine.difference(&was)).chain(other.difference(&was));
        // Of two lines that are alike each side may have deleted another one.
        for line in wanted.filter(|line| base.lines().filter(|other| other.trim_end() == *line).count() < 2) {
            prop_assert!(kept.contains(line), "{} in {}", line, text);
        }

        // Whoever merges, and what needs no merge.
        let turned = said(&base, &theirs, &ours);
        prop_assert_eq!(is_clean, turned.0, "{}\n---\n{}", text, turned.1);
        // Between markers a comment of one side may hide the other.
        if is_clean {
            prop_assert_eq!(tasks_of(&text), tasks_of(&turned.1));
        }
        prop_assert_eq!(sorted_lines(&text), sorted_lines(&turned.1));
        prop_assert_eq!(said(&base, &ours, &ours), (true, ours.clone()));
        prop_assert_eq!(said(&ours, &ours, &theirs), (true, theirs.clone()));
        prop_assert_eq!(said(&theirs, &ours, &theirs), (true, ours.clone()));
    }
}

/// At least so many; `PROPTEST_CASES` for more.
fn cases() -> u32 {
    ProptestConfig::default().cases.max(1_500)
}
