//! Whether the test of a cycle failed before its code was written, by the ledger.

use super::Step;
use super::proof_command::ProofCommand;
use crate::evidence::ledger::{Line, Outcome};
use crate::evidence::proof::Command;

/// What of the order test, failure, code, pass is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedLacks {
    /// The check never failed after a file was edited.
    NeverRed,
    /// It failed, and nothing was edited before it passed.
    NoCode,
}

impl RedLacks {
    pub fn text(self, command: &Command) -> String {
        let shown = command.shown();
        match self {
            Self::NeverRed => {
                format!("{shown} was not seen failing after its test was written and before it passed")
            }
            Self::NoCode => format!("{shown} failed and passed with no change between"),
        }
    }
}

impl Step {
    /// What is missing: the lines since its first try are edit, failure, edit, pass. `checks`: commands that count besides the known.
    pub fn lacks_red(&self, command: &Command, ledger: &[Line], checks: &[String]) -> Option<RedLacks> {
        let wanted = ProofCommand::of_command(command, checks)?;
        let since = self.runs.first().map_or("", |run| run.at.as_str());
        let (mut edited, mut red, mut mended) = (false, false, false);
        for line in ledger.iter().filter(|line| line.at() >= since) {
            match line {
                Line::Edit { .. } => (edited, mended) = (true, red),
                Line::Check(check) if wanted.is_shown_by(check) => match check.outcome {
                    Outcome::Failed { .. } => red |= edited,
                    Outcome::Passed if mended => return None,
                    Outcome::Passed | Outcome::Unknown { .. } => {}
                },
                Line::Check(_) => {}
            }
        }
        Some(if red { RedLacks::NoCode } else { RedLacks::NeverRed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::known::check_of;
    use crate::evidence::ledger::Check;
    use crate::plan::Run;
    use engine_shell::{Surroundings, analyse};

    fn ledger(words: &str) -> Vec<Line> {
        let run = |line: &str, outcome| {
            let analysis = analyse(line, &Surroundings::default());
            let checks = analysis.runs.iter().filter_map(|run| check_of(run, &[])).collect();
            let command = line.to_owned();
            Line::Check(Check {
                at: "T2".to_owned(),
                command,
                outcome,
                known: true,
                folder: Some(String::new()),
                checks,
            })
        };
        let line = |word: char| match word {
            'e' => Line::Edit { at: "T2".to_owned(), file: "a.py".to_owned() },
            'o' => Line::Edit { at: "T0".to_owned(), file: "a.py".to_owned() },
            'f' => run("pytest tests/a.py", Outcome::Failed { exit: 1 }),
            'p' => run("pytest tests/a.py", Outcome::Passed),
            'F' => run("cargo test", Outcome::Failed { exit: 1 }),
            _ => run("pytest tests/a.py", Outcome::Unknown { why: String::new() }),
        };
        words.chars().map(line).collect()
    }

    #[test]
    fn the_test_fails_before_the_code_is_written() {
        let step = Step { runs: vec![Run { at: "T1".to_owned(), ..Run::default() }], ..Step::default() };
        let cases = [
            ("efep", None),
            ("pefep", None),
            ("efefeep", None),
            ("eefpep", None),
            ("", Some(RedLacks::NeverRed)),
            ("ep", Some(RedLacks::NeverRed)),
            ("fep", Some(RedLacks::NeverRed)),
            ("ofep", Some(RedLacks::NeverRed)),
            ("eFep", Some(RedLacks::NeverRed)),
            ("euep", Some(RedLacks::NeverRed)),
            ("efp", Some(RedLacks::NoCode)),
            ("efe", Some(RedLacks::NoCode)),
        ];
        let command = Command::new("pytest tests/a.py", "");
        for (words, expected) in cases {
            assert_eq!(step.lacks_red(&command, &ledger(words), &[]), expected, "{words}");
        }
    }
}
