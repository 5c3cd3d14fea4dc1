//! Code of other languages: where a run has it from, and what its literal calls do.
//!
//! `python3 -c "f='a'; open(f, 'w')"` writes `a`, `node -e "execSync('rm a')"` runs `rm a`. A value is known if it is quoted, if a name
//! holds it that the same code sets, if it is an argument of the program, or if it is joined from such parts. What is computed
//! otherwise is unknown, and a call with it does nothing that is known.
//!
//! `token` cuts the code into tokens, `reader` with `operator`, `member` and `import` reads its expressions,
//! `table` has the calls, and `call` says what one does.

mod call;
mod cursor;
pub(crate) mod editor;
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
