//! What the exit status of a command line says of the commands in it.
//!
//! If `cargo fmt && cargo test` ends with 0, both passed. `cargo test | tail`, `cargo test || true` and `cargo test; echo done` can end
//! with 0 although the tests failed.
//!
//! The module walks the tree of [`crate::grammar::syntax`]. It handles simple commands, `( … )` and `{ …; }`. If a line contains any other
//! compound command or a function, nothing is said of the whole line.

use std::rc::Rc;

use crate::analyser::Analyser;
use crate::analysis::Analysis;
use crate::budget::Budget;
use crate::grammar::parse;
use crate::grammar::syntax::{AndOr, Command, Compound, Form, Join, List, Pipeline};
use crate::option::Options;
use crate::run::Run;
use crate::surroundings::Surroundings;
use crate::word::Word;
use crate::wrapper::{self, Runs, Special};
use engine_text::path::join;

/// What a line's status says of one command; the less, the smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Says {
    /// Nothing, and why.
    Nothing(&'static str),
    /// Success is the command's too; a failure may be another's.
    Success,
    /// The status is the command's own.
    All,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The command with what it runs in its turn, outermost first: `timeout 60 cargo test`, `cargo test`.
    pub runs: Vec<Run>,
    pub says: Says,
}

impl Status {
    /// It prepares or filters, and hardly ever fails by itself.
    pub fn is_aside(&self) -> bool {
        self.runs.first().is_some_and(|run| run.is(ASIDE))
    }

    /// It goes on while the commands behind it run.
    pub fn is_background(&self) -> bool {
        self.says == Says::Nothing(BACKGROUND)
    }
}

const BACKGROUND: &str = "it runs in the background";

/// Built-ins that prepare and filters that pass on.
const ASIDE: &[&str] =
    &["cd", "pushd", "popd", "set", "export", "source", ".", "true", "echo", "tail", "head", "cat", "tee"];

/// They end the line before its end, or change what its words mean.
const ENDING: &[&str] = &["exit", "return", "exec", "logout", "trap", "alias", "break", "continue"];

/// Code within code that a person writes.
const DEEPEST: usize = 4;

/// What the status of a line says of its commands. What stands elsewhere than in them (in substitutions, loops, strings of code that
/// other programs run) is not listed.
pub fn statuses(command: &str, around: &Surroundings) -> Vec<Status> {
    Analyser::default().statuses(command, around)
}

impl Analyser {
    /// [`statuses`]. A line of one command that was just analysed is not analysed again.
    pub fn statuses(&self, command: &str, around: &Surroundings) -> Vec<Status> {
        let command = command.replace("\r\n", "\n");
        let line = Line { analyser: self, around: around.clone(), depth: 0, budget: self.budget() };
        let budget = Rc::clone(&line.budget);
        let statuses = line.code(&command, false);
        // Of a line that was not read to its end nothing is known.
        if budget.is_spent() { Vec::new() } else { statuses }
    }
}

/// A line that is being read: `cd` changes what is around the commands behind it.
struct Line<'a> {
    analyser: &'a Analyser,
    around: Surroundings,
    depth: usize,
    budget: Rc<Budget>,
}

/// What one command of a list adds.
struct Step {
    statuses: Vec<Status>,
    /// Why the list's status says nothing of it.
    hidden: Option<&'static str>,
    /// It can end the list.
    ends: bool,
}

impl Line<'_> {
    fn code(mut self, code: &str, pipefail: bool) -> Vec<Status> {
        let budget = Rc::clone(&self.budget);
        match parse(code, &budget) {
            Ok(list) if is_plain(&list) => self.list(&list, pipefail),
            _ => Vec::new(),
        }
    }

    fn list(&mut self, list: &List<'_>, mut pipefail: bool) -> Vec<Status> {
        let mut steps = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let has_or = item.rest.iter().any(|(join, _)| *join == Join::Or);
            let hidden = if item.background {
                Some(BACKGROUND)
            } else if has_or {
                Some("|| hides its status")
            } else if item.pipelines().any(|pipeline| pipeline.negated) {
                Some("! turns its status around")
            } else if index + 1 < list.len() {
                Some("other commands run after it")
            } else {
                None
            };
            let mut kept = pipefail;
            for (nth, Pipeline { commands, .. }) in item.pipelines().enumerate() {
                let here = commands.len() == 1 && !has_or && !item.background;
                for (place, command) in commands.iter().enumerate() {
                    let piped = place + 1 < commands.len() && !pipefail;
                    self.budget.spend_bytes(self.around.cwd.len());
                    let analysis = self.analyser.analyse_within(command.text, &self.around, &self.budget);
                    steps.push(Step {
                        statuses: self.step(command, &analysis, pipefail, here),
                        hidden: hidden.or(piped.then_some("a pipe hides its status")),
                        ends: analysis.runs.iter().any(|run| run.is(ENDING)),
                    });
                    if let Some(set) = self.prepare(command, &analysis).filter(|set| here || !set) {
                        pipefail = set;
                        // What is set behind `&&` may not be set when the next item runs.
                        kept = if nth == 0 || !set { set } else { kept };
                    }
                }
            }
            pipefail = kept;
        }
        found(steps)
    }

    /// What a built-in changes for the commands behind it: the folder, and whether a pipe fails with any of its commands.
    fn prepare(&mut self, command: &Command<'_>, analysis: &Analysis) -> Option<bool> {
        let is_simple = matches!(command.form, Form::Simple(_));
        let run = analysis.runs.last().filter(|run| is_simple && run.via.is_empty())?;
        let folder = run.args.first().and_then(Word::literal).filter(|folder| !folder.starts_with('-'));
        if let Some(folder) = folder.filter(|_| run.is(&["cd"])) {
            self.around.cwd = join(&self.around.cwd, folder);
        }
        sets_pipefail(run)
    }

    /// One command: itself, or the commands of its parentheses or its string of code.
    /// `here`: no pipe, `||` or `&` makes a shell of its own for it, or skips it.
    fn step(
        &mut self,
        command: &Command<'_>,
        analysis: &Analysis,
        pipefail: bool,
        here: bool,
    ) -> Vec<Status> {
        let Form::Compound(Compound::Subshell(list) | Compound::Group(list), _) = &command.form else {
            return self.program(analysis);
        };
        let Some(mut inner) = self.deeper() else { return Vec::new() };
        let statuses = inner.list(list, pipefail);
        if here && matches!(command.form, Form::Compound(Compound::Group(_), _)) {
            self.around = inner.around;
        }
        statuses
    }

    fn deeper(&self) -> Option<Self> {
        (self.depth < DEEPEST).then(|| Self {
            analyser: self.analyser,
            around: self.around.clone(),
            depth: self.depth + 1,
            budget: Rc::clone(&self.budget),
        })
    }

    /// A program with what it runs in its turn, or the commands of the code that it gives to a shell.
    fn program(&self, analysis: &Analysis) -> Vec<Status> {
        // Substitutions in its words run before it.
        let Some(first) = analysis.runs.iter().rposition(|run| run.via.is_empty()) else { return Vec::new() };
        let mut runs = vec![analysis.runs[first].clone()];
        let behind = &analysis.runs[first + 1..];
        for run in behind {
            let is_only = behind.iter().filter(|other| other.via.len() == run.via.len()).count() == 1;
            if run.remote
                || !is_only
                || run.via.len() != runs.len()
                || !run.via.iter().all(|wrapper| self.passes_status(wrapper))
            {
                break;
            }
            runs.push(run.clone());
        }
        match runs.last().and_then(code_of) {
            Some((code, own_pipefail)) => {
                self.deeper().map(|inner| inner.code(&code, own_pipefail)).unwrap_or_default()
            }
            None => vec![Status { runs, says: Says::All }],
        }
    }

    /// Whether a wrapper ends with the status of what it runs.
    fn passes_status(&self, wrapper: &str) -> bool {
        self.around.host.is_runner(wrapper) || wrapper::of(wrapper).is_some_and(|row| row.passes_status)
    }
}

/// What the status of a list says of its steps.
fn found(steps: Vec<Step>) -> Vec<Status> {
    let ends_early = steps.iter().rev().skip(1).any(|step| step.ends);
    let mut found = Vec::new();
    for step in steps {
        let hidden = if ends_early { Some("the line may end before it") } else { step.hidden };
        let bounded = |status: Status| match hidden {
            Some(why) => Status { says: status.says.min(Says::Nothing(why)), ..status },
            None => status,
        };
        found.extend(step.statuses.into_iter().map(bounded));
    }
    // With several commands that can fail, a failure is nobody's in particular.
    let errexit = found.iter().any(|status| status.runs.first().is_some_and(stops_at_failure));
    let counts = |status: &&Status| (errexit || status.says >= Says::Success) && !status.is_aside();
    if found.iter().filter(counts).count() > 1 {
        for status in &mut found {
            status.says = status.says.min(Says::Success);
        }
    }
    found
}

/// It holds simple commands and groups of them, and nothing else.
fn is_plain(list: &List<'_>) -> bool {
    let mut commands = list.iter().flat_map(AndOr::pipelines).flat_map(|pipeline| &pipeline.commands);
    commands.all(|command| match &command.form {
        Form::Simple(_) => true,
        Form::Compound(Compound::Subshell(list) | Compound::Group(list), _) => is_plain(list),
        Form::Compound(..) | Form::Function { .. } => false,
    })
}

/// The code that a run gives to a shell, and whether that shell has pipefail set.
fn code_of(run: &Run) -> Option<(String, bool)> {
    if run.is(&["eval"]) {
        let words: Option<Vec<&str>> = run.args.iter().map(Word::literal).collect();
        return Some((words?.join(" "), false));
    }
    let shell =
        wrapper::of(run.program.as_deref()?).filter(|row| row.runs == Runs::Special(Special::Shell))?;
    let options = Options::read(&run.args, shell.valued, true);
    let pipefail =
        options.given.iter().any(|given| given.name == "-o" && given.value.as_deref() == Some("pipefail"));
    let code = options.operands.first().filter(|_| options.has(&["-c"]))?;
    Some((code.literal()?.to_owned(), pipefail))
}

/// `set -o pipefail`, `set -euo pipefail`, `set +o pipefail`.
fn sets_pipefail(run: &Run) -> Option<bool> {
    let at = run.args.iter().position(|arg| arg.text == "pipefail").filter(|_| run.is(&["set"]))?;
    let option = run.args.get(at.checked_sub(1)?)?.text.as_str();
    option.ends_with('o').then(|| option.starts_with('-'))
}

/// `set -e`: any command may end the line.
fn stops_at_failure(run: &Run) -> bool {
    let is_short = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('e');
    run.is(&["set"]) && run.args.iter().any(|arg| is_short(&arg.text) || arg.text == "errexit")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn says(line: &str) -> Vec<String> {
        let around = Surroundings { cwd: "/p".into(), ..Surroundings::default() };
        let shown = |status: Status| {
            let runs: Vec<String> = status.runs.iter().map(Run::shown).collect();
            let says = match status.says {
                Says::All => "all".to_owned(),
                Says::Success => "success".to_owned(),
                Says::Nothing(why) => why.to_owned(),
            };
            format!("{}: {says}", runs.join(" > "))
        };
        statuses(line, &around).into_iter().map(shown).collect()
    }

    #[test]
    fn a_status_is_whose_it_is() {
        let piped = "t: a pipe hides its status";
        let cases: &[(&str, &[&str])] = &[
            ("t", &["t: all"]),
            ("t # x", &["t: all"]),
            ("X=1 t > out 2>&1", &["t: all"]),
            ("\n\nt\n", &["t: all"]),
            ("time t", &["t: all"]),
            ("a && t", &["a: success", "t: success"]),
            ("cd x && t", &["cd x: all", "t: all"]),
            ("a &&\n  t", &["a: success", "t: success"]),
            ("a; t", &["a: other commands run after it", "t: all"]),
            ("t\na", &["t: other commands run after it", "a: all"]),
            ("t | tail", &[piped, "tail: all"]),
            ("a | t", &["a: a pipe hides its status", "t: all"]),
            (
                "set -o pipefail; t |\n tail",
                &["set -o pipefail: other commands run after it", "t: all", "tail: all"],
            ),
            ("set -euo pipefail && t | tail", &["set -euo pipefail: all", "t: all", "tail: all"]),
            (
                "set -o pipefail; set +o pipefail; t | tail",
                &[
                    "set -o pipefail: other commands run after it",
                    "set +o pipefail: other commands run after it",
                    piped,
                    "tail: all",
                ],
            ),
            ("t || true", &["t: || hides its status", "true: || hides its status"]),
            ("! t", &["t: ! turns its status around"]),
            ("t &", &["t: it runs in the background"]),
            ("timeout 60 nice t", &["timeout 60 nice t > nice t > t: all"]),
            ("xargs t", &["xargs t: all"]),
            ("bash -c 't | tail'", &[piped, "tail: all"]),
            ("bash -o pipefail -c 't | tail'", &["t: all", "tail: all"]),
            ("sudo sh -c t", &["t: all"]),
            ("eval 'a; t'", &["a: other commands run after it", "t: all"]),
            ("(cd x; t) 2>&1", &["cd x: other commands run after it", "t: all"]),
            ("{ t; } && a", &["t: success", "a: success"]),
            ("(t; a)", &["t: other commands run after it", "a: all"]),
            ("(t) | tail", &[piped, "tail: all"]),
            ("exit 0; t", &["exit 0: the line may end before it", "t: the line may end before it"]),
            ("t && exit 0", &["t: success", "exit 0: success"]),
            ("echo $(t)", &["echo $(t): all"]),
            ("if t; then a; fi", &[]),
            ("t() { true; }; t", &[]),
            ("a=(1 2); t", &["t: all"]),
            ("cat <<E\nx; y\nE\nt", &["cat: other commands run after it", "t: all"]),
            ("(set -o pipefail); t | a", &["set -o pipefail: other commands run after it", piped, "a: all"]),
            (
                "bash -c 'set -o pipefail'; t | a",
                &["set -o pipefail: other commands run after it", piped, "a: all"],
            ),
            (
                "b && set -o pipefail; t | a",
                &[
                    "b: other commands run after it",
                    "set -o pipefail: other commands run after it",
                    piped,
                    "a: all",
                ],
            ),
            (
                "set -e; b; t",
                &["set -e: other commands run after it", "b: other commands run after it", "t: success"],
            ),
            ("eval 'a && b' && t", &["a: success", "b: success", "t: success"]),
            ("flock x -c 't &'", &["flock x -c 't &': all"]),
            ("cat <<E\nt", &["cat: all"]),
            ("(cat <<-E | a\n\tt\n\tE\n)", &["cat: a pipe hides its status", "a: all"]),
            ("time -p ! t", &["t: ! turns its status around"]),
            ("time (a; t)", &["a: other commands run after it", "t: all"]),
            ("time { a | t; }", &["a: a pipe hides its status", "t: all"]),
            ("time; t", &["t: all"]),
            ("t && time", &["t: all"]),
            ("t; !", &["t: other commands run after it"]),
            ("a |& t", &["a: a pipe hides its status", "t: all"]),
            ("a && ! t", &["a: ! turns its status around", "t: ! turns its status around"]),
            ("a | ! t", &["a: ! turns its status around", "t: ! turns its status around"]),
            ("-p ! t", &["-p '!' t: all"]),
            ("a || b && t", &["a: || hides its status", "b: || hides its status", "t: || hides its status"]),
            ("a || b; t", &["a: || hides its status", "b: || hides its status", "t: all"]),
            ("a & t", &["a: it runs in the background", "t: all"]),
            ("(t) > ')'", &["t: all"]),
            ("cat <<E | (t\nx\nE\n)", &["cat: a pipe hides its status", "t: all"]),
            ("{ ! { t; }; }", &["t: ! turns its status around"]),
            ("( ( ( ( t ) ) ) )", &["t: all"]),
            ("( ( ( ( ( t ) ) ) ) )", &[]),
            ("(if a; then t; fi); t", &[]),
            ("[[ -f x && y ]] && t", &[]),
            ("'", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(says(line), *expected, "{line:?}");
        }
    }

    #[test]
    fn a_folder_is_entered_where_cd_runs() {
        let cases = [
            ("cd x && t", "/p/x"),
            ("cd x; cd y; t", "/p/x/y"),
            ("(cd x); t", "/p"),
            ("{ cd x; }; t", "/p/x"),
            ("time { cd x; } && t", "/p/x"),
            ("{ cd x; } | a; t", "/p"),
            ("bash -c 'cd x'; t", "/p"),
        ];
        for (line, expected) in cases {
            let around = Surroundings { cwd: "/p".into(), ..Surroundings::default() };
            let last = statuses(line, &around).pop().expect("t is listed");
            assert_eq!(last.runs[0].cwd.as_deref(), Some(expected), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "((t|a|cd|set -o pipefail|bash -c|'|\"|<<E\n|E\n|;|&&|\\|\\||\\||&|!|\\{|\\}|\\(|\\)|=)( |\n)?){0,14}") {
            says(&line);
        }
    }
}
