//! What a change of a task file would lose: open tasks, and states that the engine's commands have given.
//!
//! A line may move, be reworded and get notes; a task that is over may go. `engine task` ends tasks and changes their states:
//!
//! ```text
//! line 5: Alpha (in progress) would be lost; to end it: engine task done 'Alpha' or engine task cancel 'Alpha'
//! ```
//!
//! A task is the same one by its id, else its token, else its name. One whose name changed is the same one if the rest says so, see
//! [`is_reworded`]. While a conflict of a merge is in the file, each task of both sides has to stay, in a state that one of them gave it.

use std::collections::{HashMap, HashSet, VecDeque};

use engine_text::line::{one_line, operand, shell_word};

use super::{Damaged, State, Task, TaskFile, conflict};

/// What would be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Of the old text, counted from 1.
    pub line: usize,
    pub kind: LossKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LossKind {
    /// The task is not in the new text, or not where tasks are read.
    Gone {
        name: String,
        state: State,
    },
    /// Another one is in its place.
    Replaced {
        name: String,
        new: String,
    },
    /// Its line would not be read as a task.
    Unreadable {
        name: String,
        why: &'static str,
    },
    State {
        name: String,
        from: State,
        to: State,
    },
    /// A line that was meant to be a task and cannot be read.
    Damaged {
        text: String,
    },
}

/// Characters of a name that are shown. A command finds a task by the beginning of its name.
const SHOWN: usize = 80;

impl Loss {
    /// What would happen, and the command for what may be meant.
    pub fn told(&self) -> String {
        let what = match &self.kind {
            LossKind::Gone { name, state } => {
                format!("{} ({}) would be lost; {}", shown(name), state.as_str(), to_end(name))
            }
            LossKind::Replaced { name, new } => format!(
                "{} would be lost, with {} in its place; to rename it: engine task edit --rename={} {}; {}",
                shown(name),
                shown(new),
                shell_word(new),
                word(name),
                to_end(name)
            ),
            LossKind::Unreadable { name, why } => {
                let states = State::ALL.iter().map(|state| format!("[{}]", state.mark()));
                let states = states.collect::<Vec<_>>().join(" ");
                format!(
                    "{} would not be read as a task any more: {why}; the states are {states}",
                    shown(name)
                )
            }
            LossKind::State { name, from, to } => {
                let (from_word, to_word) = (from.as_str(), to.as_str());
                format!(
                    "{} would go from {from_word} to {to_word}; instead: {}",
                    shown(name),
                    command(name, *from, *to)
                )
            }
            LossKind::Damaged { text } => {
                format!("{} would be lost, which was meant to be a task; mend the line first", shown(text))
            }
        };
        format!("line {}: {what}", self.line)
    }
}

fn shown(name: &str) -> String {
    one_line(name, SHOWN)
}

/// The name as an operand.
fn word(name: &str) -> String {
    let beginning = name.char_indices().nth(SHOWN).map_or(name, |(end, _)| name[..end].trim_end());
    operand(beginning)
}

fn to_end(name: &str) -> String {
    let word = word(name);
    format!("to end it: engine task done {word} or engine task cancel {word}")
}

/// The command that brings a task into a state.
fn command(name: &str, from: State, to: State) -> String {
    let word = word(name);
    let then = match to {
        State::Pending => return format!("engine task reopen {word}"),
        State::InProgress => format!("engine task start {word}"),
        State::Done => format!("engine task done {word}"),
        State::Blocked => format!("engine task block {word} 'REASON'"),
        State::Failed => format!("engine task fail {word} 'REASON'"),
        State::Cancelled => format!("engine task cancel {word}"),
    };
    match from {
        State::Done | State::Cancelled => format!("engine task reopen {word} && {then}"),
        _ => then,
    }
}

/// What of the text before is not in the text after, in the order of the file.
pub fn losses(before: &str, after: &str) -> Vec<Loss> {
    let (old, new) = (TaskFile::parse(before), TaskFile::parse(after));
    let mut found =
        if conflict::ranges(before).is_empty() { lost(&old, &new) } else { lost_of_sides(&old, &new) };
    found.extend(lost_damaged(&old, &new));
    found.sort_by_key(|loss| loss.line);
    found
}

fn lost(old: &TaskFile<'_>, new: &TaskFile<'_>) -> Vec<Loss> {
    let mut pairs = Pairs { old: old.tasks().collect(), new: new.tasks().collect(), found: Vec::new() };
    // Of twins the one in the same state is meant.
    for key in [id, token, name] {
        pairs.pair(|task| key(task).map(|key| (key.to_owned(), Some(task.state))));
        pairs.pair(|task| key(task).map(|key| (key.to_owned(), None)));
    }
    let is_changed = |(task, other): &&(&Task, &Task)| task.state != other.state;
    let mut found: Vec<Loss> =
        pairs.found.iter().filter(is_changed).map(|(task, other)| changed(task, other.state)).collect();
    // Its session knows a task in progress by its name.
    let is_renamed = |(task, other): &&(&Task, &Task)| {
        task.state == State::InProgress && task.state == other.state && task.meta.name != other.meta.name
    };
    found.extend(pairs.found.iter().filter(is_renamed).map(|(task, other)| Loss {
        line: task.line,
        kind: LossKind::Replaced { name: task.meta.name.clone(), new: other.meta.name.clone() },
    }));
    pairs.old.retain(|task| task.is_open());
    pairs.reword();
    // One that goes and one that comes: the second is in the place of the first.
    let replacement = match (pairs.old.as_slice(), pairs.new.as_slice()) {
        ([_], [new]) => Some(new.meta.name.clone()),
        _ => None,
    };
    found.extend(pairs.old.iter().map(|task| gone(task, new, replacement.clone())));
    found
}

/// The same while both sides of a merge are in the old text.
fn lost_of_sides(old: &TaskFile<'_>, new: &TaskFile<'_>) -> Vec<Loss> {
    let states = |file: &TaskFile<'_>| {
        let mut states: HashMap<String, Vec<State>> = HashMap::new();
        for task in file.tasks() {
            for key in keys(task) {
                states.entry(key).or_default().push(task.state);
            }
        }
        states
    };
    let (sides, kept) = (states(old), states(new));
    let of = |all: &HashMap<String, Vec<State>>, task: &Task| -> Vec<State> {
        keys(task).find_map(|key| all.get(&key)).cloned().unwrap_or_default()
    };
    let mut told = HashSet::new();
    let mut found = Vec::new();
    for task in old.tasks().filter(|task| told.insert(task.meta.name.as_str())) {
        let (sides, kept) = (of(&sides, task), of(&kept, task));
        match kept.first() {
            Some(state) if !kept.iter().any(|state| sides.contains(state)) => {
                found.push(changed(task, *state));
            }
            None if task.is_open()
                && !new.tasks().take(MOST_COMPARED).any(|other| is_reworded(task, other)) =>
            {
                found.push(gone(task, new, None));
            }
            _ => {}
        }
    }
    found
}

/// Lines that were meant to be tasks. What was damaged and is a task now was mended.
fn lost_damaged(old: &TaskFile<'_>, new: &TaskFile<'_>) -> Vec<Loss> {
    let texts = |file: &TaskFile<'_>| file.damaged().map(|line| line.text.clone()).collect::<HashSet<_>>();
    let (before, after) = (texts(old), texts(new));
    let names = old.tasks().map(|task| task.meta.name.as_str()).collect::<HashSet<_>>();
    let added = new.tasks().filter(|task| !names.contains(task.meta.name.as_str())).count();
    let mended = added + after.difference(&before).count();
    let lost = old.damaged().filter(|line| !after.contains(&line.text)).skip(mended);
    lost.map(|Damaged { text, line, .. }| Loss {
        line: *line,
        kind: LossKind::Damaged { text: text.clone() },
    })
    .collect()
}

fn changed(task: &Task, to: State) -> Loss {
    let name = task.meta.name.clone();
    Loss { line: task.line, kind: LossKind::State { name, from: task.state, to } }
}

fn gone(task: &Task, new: &TaskFile<'_>, replacement: Option<String>) -> Loss {
    let name = task.meta.name.clone();
    let unreadable =
        new.damaged().find(|line| Task::spellings(&name).iter().any(|spelling| line.text.contains(spelling)));
    let kind = match (unreadable, replacement) {
        (Some(line), _) => LossKind::Unreadable { name, why: line.why },
        (None, Some(new)) => LossKind::Replaced { name, new },
        (None, None) => LossKind::Gone { name, state: task.state },
    };
    Loss { line: task.line, kind }
}

fn id(task: &Task) -> Option<&str> {
    task.meta.id.as_deref()
}

fn token(task: &Task) -> Option<&str> {
    task.meta.token.as_deref().filter(|token| *token != super::NEW_TOKEN)
}

fn name(task: &Task) -> Option<&str> {
    Some(&task.meta.name)
}

/// By what a task may be known again, the surest first.
fn keys(task: &Task) -> impl Iterator<Item = String> {
    let keys = [("id", id(task)), ("#", token(task)), ("", name(task))];
    keys.into_iter().filter_map(|(kind, key)| Some(format!("{kind} {}", key?)))
}

/// The tasks of two versions of a file, until each is found in the other.
struct Pairs<'t> {
    old: Vec<&'t Task>,
    new: Vec<&'t Task>,
    found: Vec<(&'t Task, &'t Task)>,
}

/// Of more tasks that stand elsewhere, too, nobody finds out which became which.
const MOST_COMPARED: usize = 100;

impl Pairs<'_> {
    /// Pairs what has the same key, in the order of the files.
    fn pair(&mut self, key: impl Fn(&Task) -> Option<(String, Option<State>)>) {
        let mut by_key: HashMap<(String, Option<State>), VecDeque<usize>> = HashMap::new();
        for (at, task) in self.new.iter().enumerate() {
            if let Some(key) = key(task) {
                by_key.entry(key).or_default().push_back(at);
            }
        }
        let mut is_taken = vec![false; self.new.len()];
        let (new, found) = (&self.new, &mut self.found);
        self.old.retain(|task| {
            let at = key(task).and_then(|key| by_key.get_mut(&key)?.pop_front());
            if let Some(at) = at {
                is_taken[at] = true;
                found.push((task, new[at]));
            }
            at.is_none()
        });
        let mut is_taken = is_taken.into_iter();
        self.new.retain(|_| !is_taken.next().unwrap_or_default());
    }

    /// Pairs tasks with those that they were reworded to.
    fn reword(&mut self) {
        // Of many, each with the one that stands where it stood.
        let (open, over): (Vec<&Task>, Vec<&Task>) =
            self.new.iter().copied().partition(|task| task.is_open());
        if self.old.len() == open.len() {
            let pairs: Vec<(&Task, &Task)> = self.old.drain(..).zip(open).collect();
            let (same, other): (Vec<_>, Vec<_>) =
                pairs.into_iter().partition(|(old, new)| is_reworded(old, new));
            self.found.extend(same);
            (self.old, self.new) = other.into_iter().unzip();
            self.new.extend(over);
        }
        if self.old.len().max(self.new.len()) > MOST_COMPARED {
            return;
        }
        let (new, found) = (&mut self.new, &mut self.found);
        self.old.retain(|task| match new.iter().position(|other| is_reworded(task, other)) {
            Some(at) => {
                found.push((task, new.remove(at)));
                false
            }
            None => true,
        });
    }
}

/// Whether one task is another with a new name: in the same state, with the same command or a similar name. A session that works on
/// a task knows it by its name, so a task in progress is renamed by the engine's command.
fn is_reworded(task: &Task, other: &Task) -> bool {
    let numbers = |name: &str| {
        let words = name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.contains(|c: char| c.is_ascii_digit()));
        words.map(str::to_lowercase).collect::<Vec<_>>()
    };
    let (old, new) = (&task.meta.name, &other.meta.name);
    let is_similar = || {
        let [old, new] = [old, new].map(|name| name.chars().take(SHOWN).collect::<String>().to_lowercase());
        strsim::normalized_levenshtein(&old, &new) >= 0.6
    };
    let has_command = || task.meta.command.is_some() && task.meta.command == other.meta.command;
    task.state == other.state
        && task.state != State::InProgress
        && (has_command() || (numbers(old) == numbers(new) && is_similar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# S\n\n## Pending Tasks\n\n- [ ] **Fix the parser** — `/a` | opus\n  - note\n- [>] **Bee** — | id: b1\n- [!] **Ask Ada** #t1 —\n  Blocked: x\n- [x] **Design** —\n- [✗] **odd**\n\n## Notes\nmine\n";

    fn told(before: &str, after: &str) -> String {
        losses(before, after).iter().map(Loss::told).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_stays_possible() {
        let a = "- [ ] **Fix the parser** — `/a` | opus\n  - note\n";
        for (what, after) in [
            ("nothing", FILE.to_owned()),
            ("moved", format!("{}\n## Worktree Tasks\n{a}", FILE.replace(a, ""))),
            (
                "other fields",
                FILE.replace("`/a` | opus", "`/other` | haiku").replace("  - note", "  - another\n  - two"),
            ),
            ("a similar name", FILE.replace("Fix the parser", "Fix the JSON parser")),
            ("another name, the same command", FILE.replace("Fix the parser", "Alpha")),
            (
                "two reworded",
                FILE.replace("Fix the parser", "Mend the parser").replace("Ask Ada** #t1", "Ask Ada now**"),
            ),
            ("renamed with its token", FILE.replace("**Ask Ada**", "**Completely other**")),
            ("another id", FILE.replace("id: b1", "id: b2")),
            ("an id more", FILE.replace("| opus", "| opus | id: a1")),
            ("added", FILE.replace("- [x]", "- [ ] **New** —\n- [x]")),
            ("the one that is over is gone", FILE.replace("- [x] **Design** —\n", "")),
            ("mended", FILE.replace("[✗]", "[-]")),
            ("another section", FILE.replace("mine", "yours")),
            ("CRLF", FILE.replace('\n', "\r\n")),
        ] {
            assert_eq!(told(FILE, &after), "", "{what}");
        }
        assert_eq!(losses("", FILE), []);
        let waiting = FILE.replace("[>]", "[!]");
        assert_eq!(
            told(&waiting, &waiting.replace("**Bee**", "**Completely other**")),
            "",
            "renamed with its id"
        );
    }

    #[test]
    fn what_is_lost() {
        insta::assert_snapshot!(told(FILE, "## Pending Tasks\n"), @r"
        line 5: Fix the parser (pending) would be lost; to end it: engine task done 'Fix the parser' or engine task cancel 'Fix the parser'
        line 7: Bee (in progress) would be lost; to end it: engine task done 'Bee' or engine task cancel 'Bee'
        line 8: Ask Ada (blocked) would be lost; to end it: engine task done 'Ask Ada' or engine task cancel 'Ask Ada'
        line 11: [✗] **odd** would be lost, which was meant to be a task; mend the line first
        ");
        let states = FILE.replace("[ ] **Fix", "[x] **Fix").replace("[!]", "[ ]").replace("[>]", "[!]");
        insta::assert_snapshot!(told(FILE, &states.replace("[x] **Design**", "[-] **Design**")), @r"
        line 5: Fix the parser would go from pending to done; instead: engine task done 'Fix the parser'
        line 7: Bee would go from in progress to blocked; instead: engine task block 'Bee' 'REASON'
        line 8: Ask Ada would go from blocked to pending; instead: engine task reopen 'Ask Ada'
        line 10: Design would go from done to cancelled; instead: engine task reopen 'Design' && engine task cancel 'Design'
        ");
        insta::assert_snapshot!(told(FILE, &FILE.replace("Fix the parser** — `/a`", "Write docs** —")), @"line 5: Fix the parser would be lost, with Write docs in its place; to rename it: engine task edit --rename='Write docs' 'Fix the parser'; to end it: engine task done 'Fix the parser' or engine task cancel 'Fix the parser'");
        insta::assert_snapshot!(told(FILE, &FILE.replace("Bee** — | id: b1", "Bees** —")), @"line 7: Bee would be lost, with Bees in its place; to rename it: engine task edit --rename='Bees' 'Bee'; to end it: engine task done 'Bee' or engine task cancel 'Bee'");
        // By its id it is the same one, and its session knows it by its name.
        insta::assert_snapshot!(told(FILE, &FILE.replace("**Bee**", "**Bees**")), @"line 7: Bee would be lost, with Bees in its place; to rename it: engine task edit --rename='Bees' 'Bee'; to end it: engine task done 'Bee' or engine task cancel 'Bee'");
        insta::assert_snapshot!(told(FILE, &FILE.replace("[ ] **Fix", "[~] **Fix")), @"line 5: Fix the parser would not be read as a task any more: unknown state in the box; the states are [ ] [>] [x] [!] [†] [-]");
        let hidden = FILE.replace("- [ ] **Fix", "```\n- [ ] **Fix").replace("- [>]", "```\n- [>]");
        insta::assert_snapshot!(told(FILE, &hidden), @"line 5: Fix the parser (pending) would be lost; to end it: engine task done 'Fix the parser' or engine task cancel 'Fix the parser'");
        let elsewhere = FILE.replace("## Pending Tasks", "## Pending").replace("- [✗] **odd**\n", "");
        assert_eq!(losses(FILE, &elsewhere).len(), 4);
    }

    #[test]
    fn numbers_tell_tasks_apart() {
        let one = "## Pending Tasks\n- [ ] **Step 1 of the plan** —\n";
        assert_ne!(told(one, &one.replace("Step 1", "Step 2")), "");
        assert_eq!(told(one, &one.replace("Step 1", "step 1")), "");
        let many = (0..500).map(|n| format!("- [ ] **Task {n}** — `/do {n}`\n")).collect::<Vec<_>>();
        let file = |tasks: &[String]| format!("## Pending Tasks\n{}", tasks.concat());
        let renamed = many
            .iter()
            .map(|task| task.replace("Task ", "A task ").replace("/do", "/redo"))
            .collect::<Vec<_>>();
        assert_eq!(losses(&file(&many), &file(&renamed)), [], "each stands where it stood");
        let other = many.iter().map(|task| task.replace("Task ", "Other ")).collect::<Vec<_>>();
        assert_eq!(losses(&file(&many), &file(&other)), [], "the same commands");
        let over = |tasks: &[String]| file(tasks) + "- [x] **Over** —\n";
        assert_eq!(losses(&over(&many), &over(&renamed).replace("Over", "Gone")), [], "what is over may go");
        assert_eq!(losses(&file(&many), &file(&many[..499])).len(), 1);
    }

    #[test]
    fn names_are_operands_of_commands() {
        let named = |name: &str| format!("## Pending Tasks\n- [ ] **{name}**\n");
        insta::assert_snapshot!(told(&named("it's `-x`"), ""), @r"line 2: it's `-x` (pending) would be lost; to end it: engine task done 'it'\''s `-x`' or engine task cancel 'it'\''s `-x`'");
        insta::assert_snapshot!(told(&named("-x"), ""), @"line 2: -x (pending) would be lost; to end it: engine task done -- '-x' or engine task cancel -- '-x'");
        insta::assert_snapshot!(told(&named(&"long ".repeat(30)), ""), @"line 2: long long long long long long long long long long long long long long long long … (pending) would be lost; to end it: engine task done 'long long long long long long long long long long long long long long long long' or engine task cancel 'long long long long long long long long long long long long long long long long'");
    }

    #[test]
    fn a_conflict_may_be_resolved_either_way_but_no_task_goes() {
        let both = "## Pending Tasks\n<<<<<<< HEAD\n- [x] **A** —\n- [ ] **B** —\n- [ ] **Fix it** —\n=======\n- [ ] **A** —\n- [ ] **C** —\n- [ ] **Fix it now** —\n>>>>>>> x\n";
        for (state, fix) in [('x', "Fix it"), (' ', "Fix it now")] {
            let resolved = format!(
                "## Pending Tasks\n- [{state}] **A** —\n- [ ] **B** —\n- [ ] **C** —\n- [ ] **{fix}** —\n"
            );
            assert_eq!(told(both, &resolved), "", "{state}");
        }
        // Half of the markers are gone.
        assert_eq!(told(both, &both.replace("<<<<<<< HEAD\n", "")), "");
        insta::assert_snapshot!(told(both, "## Pending Tasks\n- [-] **A** —\n- [ ] **C** —\n- [ ] **Fix it** —\n"), @r"
        line 3: A would go from done to cancelled; instead: engine task reopen 'A' && engine task cancel 'A'
        line 4: B (pending) would be lost; to end it: engine task done 'B' or engine task cancel 'B'
        ");
    }

    #[test]
    fn many_tasks_take_no_long() {
        let tasks = (0..30_000).map(|n| format!("- [ ] **Task {n}** —\n")).collect::<Vec<_>>().concat();
        let file = format!("## Pending Tasks\n{tasks}");
        assert_eq!(losses(&file, &file.replace("[ ] **Task 7**", "[x] **Task 7**")).len(), 1);
        assert_eq!(losses(&file, "").len(), 30_000);
    }
}
