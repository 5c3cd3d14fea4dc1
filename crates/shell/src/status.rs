//! What the exit status of a command line says of the commands in it.
//!
//! `cargo fmt && cargo test` ended with 0: both passed. `cargo test | tail`, `cargo test || true` and `cargo test; echo done` end with 0
//! whatever the tests did. Compound commands other than `( … )` and `{ …; }` are not looked into: of theirs nothing is said.

use crate::lex::TokenKind;
use crate::option::Options;
use crate::parse::{Parser, parse};
use crate::syntax::{Command, Compound, List};
use crate::wrapper::SHELLS;
use crate::{Run, Surroundings, Word, analyse};
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
}

/// Built-ins that prepare and filters that pass on.
const ASIDE: &[&str] =
    &["cd", "pushd", "popd", "set", "export", "source", ".", "true", "echo", "tail", "head", "cat", "tee"];

/// Wrappers that end with the status of what they run.
const TRANSPARENT: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "nice",
    "ionice",
    "nohup",
    "time",
    "stdbuf",
    "command",
    "exec",
    "timeout",
    "taskset",
    "chrt",
    "unbuffer",
    "chronic",
    "caffeinate",
    "strace",
    "xvfb-run",
    "uv",
    "poetry",
    "pipenv",
    "pdm",
    "hatch",
    "rye",
    "pixi",
    "engine check",
];

/// They end the line before its end, or change what its words mean.
const ENDING: &[&str] = &["exit", "return", "exec", "logout", "trap", "alias", "break", "continue"];

/// Code within code that a person writes.
const DEEPEST: usize = 4;

/// What the status of a line says of its commands. What stands elsewhere than in them (in substitutions, loops, strings of code that
/// other programs run) is not listed.
pub fn statuses(command: &str, around: &Surroundings) -> Vec<Status> {
    let command = command.replace("\r\n", "\n");
    Line { around: around.clone(), depth: 0 }.statuses(&command, false)
}

/// A line that is being read: `cd` changes what is around the commands behind it.
struct Line {
    around: Surroundings,
    depth: usize,
}

/// A list of pipelines up to `;`, `&` or a line's end.
#[derive(Default)]
struct Item<'s> {
    pipelines: Vec<Vec<&'s str>>,
    /// Some of them are joined by `||`.
    or: bool,
    /// `!` turns a status around.
    negated: bool,
    background: bool,
}

impl Line {
    fn statuses(mut self, code: &str, pipefail: bool) -> Vec<Status> {
        let Some(items) =
            parse(code).ok().and_then(|list| items(code).filter(|items| is_plain(&list, items)))
        else {
            return Vec::new();
        };
        let ended = self.ends_early(&items);
        let mut pipefail = pipefail;
        let mut found = Vec::new();
        let last = items.len().saturating_sub(1);
        for (index, item) in items.iter().enumerate() {
            let hidden = match item {
                _ if ended => Some("the line may end before it"),
                Item { background: true, .. } => Some("it runs in the background"),
                Item { or: true, .. } => Some("|| hides its status"),
                Item { negated: true, .. } => Some("! turns its status around"),
                _ if index < last => Some("other commands run after it"),
                _ => None,
            };
            let mut kept = pipefail;
            for (nth, pipeline) in item.pipelines.iter().enumerate() {
                for (place, step) in pipeline.iter().enumerate() {
                    let piped = place + 1 < pipeline.len() && !pipefail;
                    let hidden = hidden.or(piped.then_some("a pipe hides its status"));
                    let own = self.step(step, pipefail);
                    let bounded = |status: Status| match hidden {
                        Some(why) => Status { says: status.says.min(Says::Nothing(why)), ..status },
                        None => status,
                    };
                    found.extend(own.into_iter().map(bounded));
                    let here = pipeline.len() == 1 && !item.or && !item.background;
                    if let Some(set) = self.prepare(step).filter(|set| here || !set) {
                        pipefail = set;
                        // What is set behind `&&` may not be set when the next item runs.
                        kept = if nth == 0 || !set { set } else { kept };
                    }
                }
            }
            pipefail = kept;
        }
        // With several commands that can fail, a failure is nobody's in particular.
        let stops = found.iter().any(|status| status.runs.first().is_some_and(stops_at_failure));
        let counts = |status: &&Status| (stops || status.says >= Says::Success) && !status.is_aside();
        if found.iter().filter(counts).count() > 1 {
            for status in &mut found {
                status.says = status.says.min(Says::Success);
            }
        }
        found
    }

    /// Whether something other than the last command can end the line.
    fn ends_early(&self, items: &[Item<'_>]) -> bool {
        let steps: Vec<&str> = items.iter().flat_map(|item| item.pipelines.concat()).collect();
        let before = steps.iter().take(steps.len().saturating_sub(1));
        before.into_iter().any(|step| analyse(step, &self.around).runs.iter().any(|run| run.is(ENDING)))
    }

    /// What a built-in changes for the commands behind it: the folder, and whether a pipe fails with any of its commands.
    fn prepare(&mut self, step: &str) -> Option<bool> {
        let analysis = analyse(step, &self.around);
        let run = analysis.runs.last().filter(|run| run.via.is_empty() && inside(step).is_none())?;
        let folder = run.args.first().and_then(Word::literal).filter(|folder| !folder.starts_with('-'));
        if let Some(folder) = folder.filter(|_| run.is(&["cd"])) {
            self.around.cwd = join(&self.around.cwd, folder);
        }
        sets_pipefail(run)
    }

    /// One command: itself, or the commands of its parentheses or its string of code.
    fn step(&self, step: &str, pipefail: bool) -> Vec<Status> {
        let deeper = |code: &str, pipefail: bool| match self.depth {
            DEEPEST.. => Vec::new(),
            depth => Line { around: self.around.clone(), depth: depth + 1 }.statuses(code, pipefail),
        };
        if let Some(inside) = inside(step) {
            return deeper(inside, pipefail);
        }
        let analysis = analyse(step, &self.around);
        // Substitutions in its words run before it.
        let Some(first) = analysis.runs.iter().rposition(|run| run.via.is_empty()) else { return Vec::new() };
        let mut runs = vec![analysis.runs[first].clone()];
        let behind = &analysis.runs[first + 1..];
        for run in behind {
            let passes = |wrapper: &String| TRANSPARENT.contains(&wrapper.as_str());
            let is_only = behind.iter().filter(|other| other.via.len() == run.via.len()).count() == 1;
            if run.remote || !is_only || run.via.len() != runs.len() || !run.via.iter().all(passes) {
                break;
            }
            runs.push(run.clone());
        }
        match runs.last().and_then(code_of) {
            Some((code, own_pipefail)) => deeper(&code, own_pipefail),
            None => vec![Status { runs, says: Says::All }],
        }
    }
}

/// Simple commands and groups of them, found alike in the tree and by the tokens; of other commands the tokens alone do not tell
/// where they end.
fn is_plain(list: &List<'_>, items: &[Item<'_>]) -> bool {
    let tree = list.iter().map(|item| item.pipelines.iter().map(Vec::len).collect::<Vec<_>>());
    let tokens = items.iter().map(|item| item.pipelines.iter().map(Vec::len).collect::<Vec<_>>());
    tree.eq(tokens) && groups_only(list)
}

fn groups_only(list: &List<'_>) -> bool {
    list.iter().flat_map(|item| &item.pipelines).flatten().all(|command| match command {
        Command::Simple(_) => true,
        Command::Compound(Compound::Subshell(list), _) => groups_only(list),
        Command::Compound(Compound::Lists(lists), _) => {
            matches!(lists.as_slice(), [list] if groups_only(list))
        }
        Command::Compound(..) | Command::Function { .. } => false,
    })
}

/// The items of a script by its tokens: the tree does not keep how pipelines are joined.
fn items(code: &str) -> Option<Vec<Item<'_>>> {
    let mut parser = Parser::new(code);
    let mut items = Vec::new();
    let mut item = Item::default();
    let mut pipeline: Vec<&str> = Vec::new();
    let mut step: Option<(usize, usize)> = None;
    let mut depth = 0_usize;
    // A command can begin here.
    let mut fresh = true;
    // The next word ends a here-document; with tabs or without.
    let mut document = None;
    loop {
        let token = parser.take_token().ok()?;
        let ends = token.kind == TokenKind::End;
        let operator = if token.kind == TokenKind::Operator { token.text } else { "" };
        let separates = ends || depth == 0 && matches!(operator, ";" | "&" | "\n" | "&&" | "||" | "|" | "|&");
        if !separates {
            match token.text {
                "!" if fresh && depth == 0 => {
                    item.negated = true;
                    continue;
                }
                "(" if operator == "(" => depth += 1,
                ")" if operator == ")" => depth = depth.checked_sub(1)?,
                "{" if fresh => depth += 1,
                "}" if fresh => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if let Some(tabs) = document.take().filter(|_| token.kind == TokenKind::Word) {
                parser.open_document(token.text, tabs);
            }
            if matches!(operator, "<<" | "<<-") {
                document = Some(operator == "<<-");
            }
            fresh = matches!(operator, ";" | "&" | "\n" | "&&" | "||" | "|" | "|&" | "(")
                || fresh && matches!(token.text, "{" | "time" | "-p");
            step = Some((step.map_or(token.start, |(start, _)| start), token.end));
            continue;
        }
        fresh = true;
        let had_step = step.take().map(|(start, end)| pipeline.push(&code[start..end])).is_some();
        match operator {
            // The line goes on behind an operator.
            "\n" if !(had_step || pipeline.is_empty() && item.pipelines.is_empty()) => continue,
            "|" | "|&" => continue,
            _ => {}
        }
        if !pipeline.is_empty() {
            item.pipelines.push(std::mem::take(&mut pipeline));
        }
        item.or |= operator == "||";
        if matches!(operator, "&&" | "||") {
            continue;
        }
        item.background = operator == "&";
        if !item.pipelines.is_empty() {
            items.push(std::mem::take(&mut item));
        }
        if ends {
            return Some(items);
        }
    }
}

/// What stands in the parentheses or braces of a group.
fn inside(step: &str) -> Option<&str> {
    let closing = match step.as_bytes().first()? {
        b'(' => ')',
        b'{' if step[1..].starts_with([' ', '\t', '\n']) => '}',
        _ => return None,
    };
    // Redirections of the group may follow.
    Some(&step[1..step.rfind(closing)?])
}

/// The code that a run gives to a shell, and whether that shell has pipefail set.
fn code_of(run: &Run) -> Option<(String, bool)> {
    if run.is(&["eval"]) {
        let words: Option<Vec<&str>> = run.args.iter().map(Word::literal).collect();
        return Some((words?.join(" "), false));
    }
    let options = Options::read(&run.args, &["-o", "-O", "--rcfile", "--init-file"], true);
    let pipefail =
        options.given.iter().any(|given| given.name == "-o" && given.value.as_deref() == Some("pipefail"));
    let code = options.operands.first().filter(|_| run.is(SHELLS) && options.has(&["-c"]))?;
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
            ("[[ -f x && y ]] && t", &[]),
            ("'", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(says(line), *expected, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read(line in "((t|a|cd|set -o pipefail|bash -c|'|\"|<<E\n|E\n|;|&&|\\|\\||\\||&|!|\\{|\\}|\\(|\\)|=)( |\n)?){0,14}") {
            says(&line);
        }
    }
}
