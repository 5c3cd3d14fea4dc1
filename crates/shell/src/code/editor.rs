//! Commands that an editor gets on its command line: `vim -es -c 'w FILE'`, `emacs --batch --eval '(delete-file "FILE")'`.

use crate::option::Options;
use crate::run::Run;
use crate::word::Word;

/// What the commands of an editor do.
#[derive(Debug, Default)]
pub(crate) struct Script {
    /// It saves the files that it is given.
    pub(crate) saves: bool,
    pub(crate) files: Vec<Word>,
    pub(crate) writes: Vec<String>,
    pub(crate) deletes: Vec<String>,
    pub(crate) runs: Vec<String>,
}

impl Script {
    pub(crate) fn of(run: &Run) -> Option<Self> {
        match run.program.as_deref()? {
            "vim" | "vi" | "nvim" | "view" | "gvim" | "ex" => Some(vim(run)),
            "emacs" => Some(emacs(run)),
            _ => None,
        }
    }
}

fn vim(run: &Run) -> Script {
    // `+COMMAND` is an option without a dash.
    let (plus, args): (Vec<Word>, Vec<Word>) =
        run.args.iter().cloned().partition(|arg| arg.text.len() > 1 && arg.text.starts_with('+'));
    let options = Options::read(&args, &["-c", "--cmd", "-S", "-u", "-i", "-T", "-W", "-w"], false);
    let mut script =
        Script { files: options.operands.iter().map(|word| (*word).clone()).collect(), ..Script::default() };
    let by_option = options.all(&["-c", "--cmd"]).filter_map(|given| given.value.as_deref());
    let by_plus = plus.iter().map(|arg| &arg.text[1..]);
    let reads_input = run.is(&["ex"]) || options.has(&["-e", "-E", "-s"]);
    let by_input = run.input.as_deref().filter(|_| reads_input).unwrap_or_default().lines();
    for command in by_option.chain(by_plus).chain(by_input) {
        script.command(command);
    }
    script
}

impl Script {
    /// A command line of vim. What a bar separates is looked at apart, but for what a shell gets.
    fn command(&mut self, line: &str) {
        let mut rest = line;
        while !rest.is_empty() {
            let bare = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
            let bare = bare.strip_prefix("silent").map_or(bare, |bare| bare.trim_start_matches(['!', ' ']));
            if let Some(code) = bare.strip_prefix('!') {
                self.runs.push(code.to_owned());
                return;
            }
            let (command, behind) = bare.split_once('|').unwrap_or((bare, ""));
            rest = behind;
            let command = command.trim_start_matches(|c: char| {
                c.is_ascii_digit() || matches!(c, '%' | ',' | '$' | '.' | '\'' | '<' | '>')
            });
            let end = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
            let (name, behind) = command.split_at(end);
            if !matches!(
                name,
                "w" | "write"
                    | "wq"
                    | "x"
                    | "xit"
                    | "up"
                    | "update"
                    | "sav"
                    | "saveas"
                    | "wa"
                    | "wqa"
                    | "xa"
                    | "wall"
            ) {
                continue;
            }
            let operand = behind.trim_start_matches(['!', ' ', '>']);
            let code = behind.trim_start().strip_prefix('!').filter(|_| behind.starts_with(' '));
            match code {
                Some(code) => self.runs.push(code.to_owned()),
                None if operand.is_empty() => self.saves = true,
                None => self.writes.push(operand.trim().to_owned()),
            }
        }
    }
}

/// Functions of Lisp, and which of the texts that they are given is the file.
const DELETING: &[&str] = &["delete-file", "delete-directory", "rename-file"];
const WRITING: &[&str] =
    &["write-file", "write-region", "append-to-file", "copy-file", "rename-file", "set-file-modes"];
const RUNNING: &[&str] = &["shell-command", "shell-command-to-string", "call-process-shell-command"];

fn emacs(run: &Run) -> Script {
    let options =
        Options::read(&run.args, &["--eval", "--execute", "-eval", "-l", "--load", "-f", "--funcall"], false);
    let is_file = |word: &&&Word| !word.text.trim_start().starts_with('(');
    let files = options.operands.iter().filter(is_file).map(|word| (*word).clone()).collect();
    let mut script = Script { files, ..Script::default() };
    // `-f save-buffer`, `-batch`: Emacs takes long options with one dash too, which reads as letters here.
    let names_saving =
        |word: &Word| word.text.contains("save-buffer") || word.text.contains("save-some-buffers");
    script.saves = run.args.iter().any(names_saving);
    for code in run.args.iter().filter(|arg| arg.text.trim_start().starts_with('(')) {
        let texts = |name: &str| {
            let calls = code.text.match_indices(name);
            let whole = calls.filter(|(at, _)| code.text[..*at].ends_with('('));
            whole.map(|(at, _)| strings(&code.text[at + name.len()..])).collect::<Vec<_>>()
        };
        let first = |name: &&str| texts(name).into_iter().filter_map(|texts| texts.into_iter().next());
        let last = |name: &&str| texts(name).into_iter().filter_map(|texts| texts.into_iter().next_back());
        script.deletes.extend(DELETING.iter().flat_map(first));
        script.writes.extend(WRITING.iter().flat_map(last));
        script.runs.extend(RUNNING.iter().flat_map(first));
        if script.saves {
            script.writes.extend(["find-file"].iter().flat_map(first));
        }
    }
    script
}

/// The texts in quotation marks up to the parenthesis that closes the call.
fn strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = 1;
    let mut inside: Option<String> = None;
    for c in text.chars() {
        match (&mut inside, c) {
            (Some(_), '"') => found.extend(inside.take()),
            (Some(text), c) => text.push(c),
            (None, '"') => inside = Some(String::new()),
            (None, '(') => open += 1,
            (None, ')') => open -= 1,
            _ => {}
        }
        if open == 0 {
            break;
        }
    }
    found
}
