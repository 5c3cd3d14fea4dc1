//! Code of other languages: where a run has it from, and what its literal calls do.
//!
//! `python3 -c "f='a'; open(f, 'w')"` writes `a`, `node -e "execSync('rm a')"` runs `rm a`. A value is known if it is quoted, if a name
//! holds it that the same code sets, if it is an argument of the program, or if it is joined from such parts. What is computed
//! otherwise is unknown, and a call with it does nothing that is known.
//!
//! `token` cuts the code into tokens, `reader` with `operator`, `member`, `function` and `import` reads its expressions,
//! `table` has the calls, and `call` says what one does.

mod call;
mod cursor;
pub(crate) mod editor;
mod function;
mod import;
mod language;
mod member;
mod operator;
mod quote;
mod reader;
pub(crate) mod sed;
mod table;
mod token;
mod value;

pub(crate) use language::Language;

use crate::budget::Budget;
use crate::calls::Calls;
use crate::option::Options;
use crate::run::Run;
use crate::word::Word;
use reader::Reader;

/// Code is looked at up to here.
const LONGEST: usize = 256 << 10;

/// The code that a run is given on its command line or by a literal input, and what it does.
pub(crate) fn of(run: &Run, environment: &dyn Fn(&str) -> Option<String>, budget: &Budget) -> Option<Calls> {
    let given = Given::of(run)?;
    let arguments: Vec<Word> = given.arguments.iter().map(|word| (*word).clone()).collect();
    Some(calls(given.language, &given.text, &given.start, &arguments, environment, budget))
}

/// What code does. `start` are names that it is given with a value, `arguments` those of its program.
pub(crate) fn calls(
    language: Language,
    code: &str,
    start: &[(String, String)],
    arguments: &[Word],
    environment: &dyn Fn(&str) -> Option<String>,
    budget: &Budget,
) -> Calls {
    let mut reader = Reader::new(language, arguments, environment, budget);
    for (name, text) in start {
        reader.bind(name, value::Value::text(text.as_str()));
    }
    let looked_at = &code[..code.floor_char_boundary(LONGEST)];
    reader.read(looked_at);
    reader.calls.more |= looked_at.len() < code.len();
    reader.calls
}

struct Given<'r> {
    language: Language,
    text: String,
    arguments: Vec<&'r Word>,
    /// `awk -v NAME=value`
    start: Vec<(String, String)>,
}

impl<'r> Given<'r> {
    fn of(run: &'r Run) -> Option<Self> {
        let language = Language::of(run.program.as_deref()?)?;
        let (valued, holding) = language.options();
        let first = run.args.first().map_or("", |arg| arg.text.as_str());
        let is_script = language == Language::JavaScript;
        // `deno eval CODE`, `deno run -`, `bun run -`
        let is_eval = is_script && first == "eval" && run.is(&["deno"]);
        let is_run = is_script && first == "run" && run.is(&["deno", "bun"]);
        let mut args = if is_eval || is_run { run.args[1..].to_vec() } else { Vec::new() };
        // `node -pe CODE` is not `-p` with the value `e`.
        if is_script && run.args.iter().any(|arg| arg.text == "-pe") {
            args = run
                .args
                .iter()
                .map(|arg| if arg.text == "-pe" { Word::known("-e") } else { arg.clone() })
                .collect();
        }
        let args = if args.is_empty() { &run.args[..] } else { &args[..] };
        let options = Options::read(args, valued, true);
        let by_option: Vec<&str> = options.all(holding).filter_map(|given| given.value.as_deref()).collect();
        // The same words, as those of the run.
        let behind = |count: usize| {
            let operands = options.operands.len().saturating_sub(count);
            run.args[run.args.len() - operands.min(run.args.len())..].iter().collect::<Vec<_>>()
        };
        let operand = options.operands.first();
        let (text, arguments) = if !by_option.is_empty() {
            (by_option.join("\n"), behind(0))
        } else if is_eval || (language == Language::Awk && !options.has(&["-f", "--file"])) {
            (operand?.text.clone(), behind(1))
        } else {
            // With a file as its script, or with a module, what it reads is data.
            let is_stdin = operand.is_none_or(|word| matches!(word.text.as_str(), "-" | "/dev/stdin"));
            let has_module = language == Language::Python && options.has(&["-m"]);
            let input =
                run.input.as_deref().filter(|_| is_stdin && !has_module && language != Language::Awk)?;
            let text = if language == Language::Php { tagged(input) } else { input.to_owned() };
            (text, behind(1))
        };
        let mut start = Vec::new();
        if language == Language::Awk {
            let given =
                options.all(&["-v", "--assign"]).filter_map(|given| given.value.as_deref()?.split_once('='));
            start.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        Some(Self { language, text, arguments, start })
    }
}

/// The code in a page of PHP.
fn tagged(page: &str) -> String {
    let mut code = String::new();
    let mut rest = page;
    while let Some((_, behind)) = rest.split_once("<?") {
        let behind = behind.strip_prefix("php").or_else(|| behind.strip_prefix('=')).unwrap_or(behind);
        let (inside, next) = behind.split_once("?>").unwrap_or((behind, ""));
        code.push_str(inside);
        code.push(';');
        rest = next;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{Command, FileAct, Form};
    use crate::surroundings::Surroundings;
    use crate::walk::analyse;

    fn calls_of(language: Language, code: &str) -> Calls {
        let environment = |name: &str| (name == "HOME").then(|| "/home/dev".to_owned());
        calls(language, code, &[], &[Word::known("first")], &environment, &Budget::new(None))
    }

    fn shown(calls: &Calls) -> Vec<String> {
        let words = |words: &[Word]| words.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
        let command = |command: &Command| {
            let folder =
                command.folder.as_ref().map(|folder| format!("{}: ", folder.text)).unwrap_or_default();
            match &command.form {
                Form::Line(line) => format!("{folder}$ {line}"),
                Form::Words(given) => format!("{folder}{}", words(given)),
            }
        };
        let files = calls.files.iter().map(|file| {
            let does = match file.does {
                FileAct::Read => "read",
                FileAct::Write => "write",
                FileAct::Delete => "delete",
                FileAct::DeleteTree => "delete all of",
                FileAct::Attributes => "change",
                FileAct::Folder => "make",
            };
            format!("{does} {}", file.path.text)
        });
        calls.commands.iter().map(command).chain(files).collect()
    }

    #[test]
    fn calls_with_known_arguments_are_found() {
        use Language::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let cases: &[(Language, &str, &[&str])] = &[
            // What is computed is unknown; what is known around it is seen.
            (Python, "os.system(x)", &[]),
            (Python, "os.system('rm ' + x)", &["$ rm ${_gap_}"]),
            (Python, "os.system(f'rm {x}/a')", &["$ rm ${_gap_}/a"]),
            (Python, "subprocess.run(['rm', x])", &["rm …"]),
            (Python, "subprocess.run(x)", &[]),
            (Python, "open(os.path.join(d, '.env'))", &["read …/.env"]),
            (Python, "p = 'a'; p = g(); os.remove(p)", &[]),
            (Python, "p = 'a'; q = p; os.remove(q)", &["delete a"]),
            (Python, "if f == 'a': os.remove(f)", &[]),
            (Python, "os.remove('a' if x else 'b')", &["delete a", "delete b"]),
            (Python, "os.remove(sys.argv[1])", &["delete first"]),
            (Python, "os.remove(sys.argv[2])", &[]),
            (Python, "(Path('a') / 'b').unlink()", &["delete a/b"]),
            (Python, "Path.home().joinpath('a').touch()", &["write /home/dev/a"]),
            (Python, "x.replace('a', 'b'); 'c'.replace('d', 'e')", &[]),
            (Python, "subprocess.run('a b')", &["'a b'"]),
            (Python, "subprocess.run('a b', shell=True, cwd='c')", &["c: $ a b"]),
            (Python, "os.chdir('a'); os.chdir('b'); os.system('c'); open('d')", &["a/b: $ c", "read a/b/d"]),
            (Python, "import os as o, sys\no.system('a')", &["$ a"]),
            (Python, "from subprocess import (run,\n  call as c)\nc(['a'])", &["a"]),
            (Python, "def f(system): system('a')", &[]),
            (Python, "s = \"os.system('a')\"; print(s)", &[]),
            (JavaScript, "exec('a'); /b/.exec('a')", &[]),
            (JavaScript, "child_process.exec('a')", &["$ a"]),
            (JavaScript, "cp = require('child_process')\n  .spawn('a', ['b', c])", &["a b …"]),
            (
                JavaScript,
                "fs.rmSync('a'); fs.rmSync('b', {recursive: true})",
                &["delete a", "delete all of b"],
            ),
            (JavaScript, "fs.writeFileSync(`${d}/a`, '')", &["write …/a"]),
            (JavaScript, "const {a, execSync: b} = require('child_process'); b('c')", &["$ c"]),
            (JavaScript, "require('fs').readFile(path.join(__dirname, 'a'))", &["read ./a"]),
            (Ruby, "system 'a', 'b' if x", &["a b"]),
            (Ruby, "puts 'system \"a\"'", &[]),
            (Ruby, "Dir['*'].each { |f| File.delete(f) }", &["delete *"]),
            (Perl, "my $f = 'a'; open F, \">$f\" or die 'b'", &["write a"]),
            (Python, "os.system('a '\n'b')", &["$ a b"]),
            (Perl, "my @a = ('b', 'c'); system(@a); exec $x", &["b c"]),
            (Perl, "open(F, '<', 'a'); open(G, '>b'); open(H, 'c|')", &["$ c", "read a", "write b"]),
            (Php, "$a = 'b'; system(\"c $a {$a}\");", &["$ c b b"]),
            (Lua, "os.execute('a' .. 'b')", &["$ ab"]),
            (Awk, "{ print $1, $2 > \"a\"; if ($1 > \"b\") print | \"c\" }", &["$ c", "write a"]),
            (Awk, "BEGIN { \"a\" | getline x; system(\"b \" x) }", &["$ a", "$ b ${_gap_}"]),
        ];
        for (language, code, expected) in cases {
            assert_eq!(shown(&calls_of(*language, code)), *expected, "{language:?} {code}");
        }
    }

    #[test]
    fn names_are_told_in_full() {
        let code = "import socket as s, os\nfrom pty import spawn\nwhile 1: os.fork()\ns.socket()";
        assert_eq!(
            calls_of(Language::Python, code).names,
            ["socket", "os", "pty.spawn", "while", "os.fork", "socket.socket"]
        );
        assert_eq!(calls_of(Language::Perl, "fork while 1").names, ["fork", "while"]);
    }

    #[test]
    fn a_script_in_a_file_is_no_code() {
        for command in
            ["python3 a.py <<< x", "awk -f a.awk f", "node a.js", "bash -c x", "python3 -m x <<< y"]
        {
            assert_eq!(analyse(command, &Surroundings::default()).runs[0].calls, None, "{command}");
        }
    }

    /// A long here-document costs what its bytes cost.
    #[test]
    fn long_code_keeps_the_budget() {
        let lines =
            "def f(a, b):\n    return {'x': [a, 'y'], 'z': g(a + 'c', b[1:2])}  # text\n".repeat(3000);
        let code = format!("{lines}os.system('rm x')\n");
        assert!(code.len() > 200_000);
        let analysis = analyse(&format!("python3 - <<'E'\n{code}E"), &Surroundings::default());
        assert_eq!(analysis.problem, None, "{} steps", analysis.steps);
        assert_eq!(analysis.runs.last().map(Run::shown).as_deref(), Some("rm x"));
    }
}
