//! Commands that code in other languages runs: `python3 -c "os.system('rm x')"`, `awk '{system("rm x")}'`, `sed 1e…`.

use super::Walk;
use crate::analysis::Problem;
use crate::calls::{Calls, Form, GAP};
use crate::code::{self, Language, editor, sed};
use crate::run::Run;
use crate::scope::{Scope, Variable};
use crate::word::Word;

/// Commands of one script of an editor that are looked at.
const MOST: usize = 32;

impl Walk {
    /// What the code of a run does, if it has any that is literal.
    pub(super) fn calls(&mut self, run: &Run, own: &Scope) -> Option<Calls> {
        let environment = |name: &str| {
            let given = run.env.iter().rev().find(|(given, _)| given == name || given == "*");
            match given {
                // Without its environment a program finds a home folder all the same.
                Some((_, None)) if name == "HOME" => own.home.as_deref().map(str::to_owned),
                Some((_, value)) => value.as_ref()?.literal().map(str::to_owned),
                None => match own.variable(name) {
                    Variable::Known(word) => word.literal().map(str::to_owned),
                    Variable::Unknown | Variable::Unset => None,
                },
            }
        };
        let calls = code::of(run, &environment, &self.budget)?;
        if calls.more {
            self.bound("more code than is looked at");
        }
        Some(calls)
    }

    /// Walks through the commands that the code of a run runs.
    pub(super) fn embedded(&mut self, run: &Run, own: &Scope) {
        let Some(program) = run.program.as_deref() else { return };
        if let Some((file, args)) = file(program, run)
            && let Some(text) = self.text_of(file, own)
        {
            return self.run_text(&text, program, file, args, own);
        }
        if let Some(calls) = &run.calls {
            return self.called(program, calls, own);
        }
        let lines = if matches!(program, "sed" | "gsed") {
            sed::Script::of(run).runs
        } else {
            editor::Script::of(run).map(|script| script.runs).unwrap_or_default()
        };
        if lines.len() > MOST {
            self.bound("more commands in code than are looked at");
        }
        if lines.is_empty() {
            return;
        }
        let mut inner = own.within(program);
        inner.input = None;
        for line in lines.into_iter().take(MOST) {
            self.script(&line, &inner);
        }
    }

    fn called(&mut self, program: &str, calls: &Calls, own: &Scope) {
        for command in &calls.commands {
            let mut inner = own.within(program);
            inner.input.clone_from(&command.input);
            inner.fed_by.clear();
            inner.env.extend(command.env.iter().cloned());
            if let Some(folder) = &command.folder {
                inner.cwd = folder.literal().and_then(|folder| own.at(folder));
            }
            match &command.form {
                Form::Line(line) => {
                    let before = self.problem.clone();
                    self.script(line, &inner);
                    // With the value in its place it may well be right.
                    if line.contains(GAP) && matches!(self.problem, Some(Problem::Syntax(_))) {
                        self.problem = before;
                    }
                }
                Form::Words(words) => self.words(words.clone(), &mut inner.clone(), &inner),
            }
        }
    }
}

/// The file that an interpreter is given, and the arguments behind it.
fn file<'r>(program: &str, run: &'r Run) -> Option<(&'r Word, &'r [Word])> {
    Language::of(program)?;
    let is_flag = |arg: &Word| arg.text.starts_with('-');
    // With an option that may hold code or take a value, only `-f FILE` names a file.
    let at = match run.args.first() {
        Some(flag) if matches!(flag.text.as_str(), "-f" | "--file" | "run") => 1,
        _ => run
            .args
            .iter()
            .take_while(|arg| is_flag(arg) && matches!(arg.text.as_str(), "-u" | "-B" | "-I" | "-s" | "-w"))
            .count(),
    };
    let file = run.args.get(at).filter(|arg| !is_flag(arg))?;
    Some((file, &run.args[at + 1..]))
}
