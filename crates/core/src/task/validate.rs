//! What is wrong with a task file, as far as its text tells.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use engine_text::undecoded;

use super::{NEW_TOKEN, TaskFile, conflict, line};

/// One thing to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    pub line: usize,
    pub text: String,
    /// A flaw makes `validate` fail; a remark does not.
    pub serious: bool,
}

impl TaskFile<'_> {
    pub fn flaws(&self) -> Vec<Flaw> {
        // Both sides of a conflict are in the file: what else is wrong shows when it is resolved.
        let conflicts = conflict::of_lines(&self.lines);
        if !conflicts.is_empty() {
            let flaw = |range: RangeInclusive<usize>| {
                let text = format!("conflict markers in {}; {}", conflict::lines(&range), conflict::REMEDY);
                Flaw { line: *range.start(), text, serious: true }
            };
            return conflicts.into_iter().map(flaw).collect();
        }
        let mut flaws: Vec<Flaw> = self
            .damaged()
            .map(|damaged| Flaw {
                line: damaged.line,
                text: format!("{}: {}", damaged.why, damaged.text),
                serious: true,
            })
            .collect();
        if let Some(at) = self.lines.open_fence {
            let line = self.lines.text[..at].matches('\n').count() + 1;
            let text =
                "a code fence or comment begins here and is never closed; tasks behind it are not seen"
                    .into();
            flaws.push(Flaw { line, text, serious: true });
        }
        let undecoded = self.lines.all.iter().enumerate().filter(|(_, line)| undecoded::has_kept(line.text));
        flaws.extend(undecoded.map(|(index, _)| Flaw {
            line: index + 1,
            text: "the line has bytes that are not UTF-8, which are kept as they are".into(),
            serious: false,
        }));
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for task in self.tasks() {
            let name = &task.meta.name;
            let key = name.to_lowercase();
            if let Some(line) = first.get(&key) {
                let text = format!("the name {name} stands in line {line} too");
                flaws.push(Flaw { line: task.line, text, serious: true });
            }
            first.entry(key).or_insert(task.line);
            if task.meta.token.as_deref() == Some(NEW_TOKEN) {
                let text = format!("#{NEW_TOKEN} is not replaced yet: engine task validate --fix");
                flaws.push(Flaw { line: task.line, text, serious: true });
            }
            if task.meta.command.is_none() && task.is_open() {
                flaws.push(Flaw {
                    line: task.line,
                    text: format!("{name} names no command"),
                    serious: false,
                });
            }
            if let Some(circle) = self.circle(task).filter(|_| task.is_open()) {
                let text = format!("{name} waits for itself: {circle}");
                flaws.push(Flaw { line: task.line, text, serious: true });
            }
            for need in &task.meta.needs {
                if !self.tasks().any(|other| other.meta.name == *need) {
                    let text = format!("{name} needs {need}, which is not in the file");
                    flaws.push(Flaw { line: task.line, text, serious: false });
                }
            }
        }
        flaws.sort_by_key(|flaw| flaw.line);
        flaws
    }

    /// The text with each new token replaced by one that `make` gives, until it is not in the text yet.
    pub fn with_tokens(&self, mut make: impl FnMut() -> String) -> String {
        let mut text = self.lines.text.to_owned();
        for task in self
            .tasks()
            .filter(|task| task.meta.token.as_deref() == Some(NEW_TOKEN))
            .collect::<Vec<_>>()
            .iter()
            .rev()
        {
            let own = &self.lines.all[task.first];
            let token = loop {
                let token = make();
                if !text.contains(&format!("#{token}")) {
                    break token;
                }
            };
            if let Some(range) = line::token_range(own.text) {
                text.replace_range(own.start + range.start..own.start + range.end, &token);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_wrong_and_where() {
        let text = "## Pending Tasks\n- [ ] **A** — `/a` | opus\n- [?] **B** —\n- [x] **a** —\n- [ ] **C** #PNDNG — `/c` | needs: Z\n- [ ] **D** —\n";
        let flaws: Vec<String> = TaskFile::parse(text)
            .flaws()
            .iter()
            .map(|flaw| format!("{} {}{}", flaw.line, if flaw.serious { "" } else { "(remark) " }, flaw.text))
            .collect();
        insta::assert_snapshot!(flaws.join("\n"), @r"
        3 unknown state in the box: [?] **B** —
        4 the name a stands in line 2 too
        5 #PNDNG is not replaced yet: engine task validate --fix
        5 (remark) C needs Z, which is not in the file
        6 (remark) D names no command
        ");
    }

    #[test]
    fn names_tasks_that_wait_for_themselves() {
        let text = "## Pending Tasks\n- [ ] **A** — `/a` | needs: A\n- [ ] **B** — `/b` | needs: D, C\n- [ ] **C** — `/c` | needs: B\n- [ ] **D** — `/d` | needs: C\n- [ ] **E** — `/e` | needs: B\n";
        let flaws: Vec<String> = TaskFile::parse(text).flaws().into_iter().map(|flaw| flaw.text).collect();
        insta::assert_snapshot!(flaws.join("\n"), @r"
        A waits for itself: A → A
        B waits for itself: B → C → B
        C waits for itself: C → B → C
        D waits for itself: D → C → B → D
        ");
    }

    #[test]
    fn tokens_are_unique_and_nothing_else_changes() {
        let text = "## Pending Tasks\n- [ ] **About #PNDNG** #PNDNG — x\n- [x] **Old** #t1 —\n- [ ] **B**  #PNDNG —\n#PNDNG\n";
        let mut numbers = 0..9;
        let fixed = TaskFile::parse(text).with_tokens(|| format!("t{}", numbers.next().unwrap_or(9)));
        assert_eq!(
            fixed,
            "## Pending Tasks\n- [ ] **About #PNDNG** #t2 — x\n- [x] **Old** #t1 —\n- [ ] **B**  #t0 —\n#PNDNG\n"
        );
    }
}
