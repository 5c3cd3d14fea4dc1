//! Commands that one-line programs in other languages run: `python3 -c "os.system('rm x')"`, `awk '{system("rm x")}'`, `sed 1e…`.

use super::Walk;
use crate::code::{Code, Language, editor, sed};
use crate::run::Run;
use crate::scope::Scope;
use crate::word::Word;

/// Functions that run a command, and a word without which the code does not have them.
const RUNNING: &[(&str, &str, &[Language])] = &[
    ("os.system", "", &[Language::Python]),
    ("os.popen", "", &[Language::Python]),
    ("os.execvp", "", &[Language::Python]),
    ("os.execlp", "", &[Language::Python]),
    ("subprocess.run", "", &[Language::Python]),
    ("subprocess.call", "", &[Language::Python]),
    ("subprocess.check_call", "", &[Language::Python]),
    ("subprocess.check_output", "", &[Language::Python]),
    ("subprocess.getoutput", "", &[Language::Python]),
    ("subprocess.Popen", "", &[Language::Python]),
    ("run", "import run", &[Language::Python]),
    ("call", "import call", &[Language::Python]),
    ("check_output", "import check_output", &[Language::Python]),
    ("Popen", "import Popen", &[Language::Python]),
    ("system", "import system", &[Language::Python]),
    ("execSync", "", &[Language::JavaScript]),
    ("execFileSync", "", &[Language::JavaScript]),
    ("spawnSync", "", &[Language::JavaScript]),
    ("exec", "child_process", &[Language::JavaScript]),
    ("execFile", "child_process", &[Language::JavaScript]),
    ("spawn", "child_process", &[Language::JavaScript]),
    ("system", "", &[Language::Ruby, Language::Perl, Language::Php, Language::Awk]),
    ("exec", "", &[Language::Ruby, Language::Perl, Language::Php]),
    ("spawn", "", &[Language::Ruby]),
    ("shell_exec", "", &[Language::Php]),
    ("passthru", "", &[Language::Php]),
    ("popen", "", &[Language::Php]),
    ("os.execute", "", &[Language::Lua]),
    ("io.popen", "", &[Language::Lua]),
];

/// Marks around a command in Ruby and Perl.
const QUOTED: &[(&str, char)] = &[("%x(", ')'), ("%x{", '}'), ("qx(", ')'), ("qx{", '}'), ("qx/", '/')];

/// Commands of one program that are looked at.
const MOST: usize = 32;

impl Walk {
    pub(super) fn embedded(&mut self, run: &Run, own: &Scope) {
        let Some(program) = run.program.as_deref() else { return };
        let mut lines = Vec::new();
        if let Some((file, args)) = file(program, run)
            && let Some(text) = self.text_of(file, own)
        {
            return self.run_text(&text, program, file, args, own);
        }
        if let Some(code) = Code::of(run) {
            if !self.goes_on(1 + code.text.len() / 8) {
                return;
            }
            for (name, needed, _) in
                RUNNING.iter().filter(|(_, _, languages)| languages.contains(&code.language))
            {
                if code.text.contains(needed) {
                    lines.extend(code.calls(name).filter_map(|args| command(&code, name, args)));
                }
            }
            lines.extend(quoted(&code).map(Line::Code));
            if code.language == Language::Awk {
                lines.extend(piped(&code).map(Line::Code));
            }
        } else if matches!(program, "sed" | "gsed") {
            lines.extend(sed::Script::of(run).runs.into_iter().map(Line::Code));
        } else if let Some(script) = editor::Script::of(run) {
            lines.extend(script.runs.into_iter().map(Line::Code));
        }
        if lines.len() > MOST {
            self.bound("more commands in code than are looked at");
        }
        if lines.is_empty() {
            return;
        }
        let mut inner = own.within(program);
        inner.input = None;
        for line in lines.into_iter().take(MOST) {
            match line {
                Line::Code(code) => self.script(&code, &inner),
                Line::Words(words) => self.words(words, &mut inner.clone(), &inner),
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

enum Line {
    Code(String),
    Words(Vec<Word>),
}

/// The command that a call runs: a line of shell, a list of words, or a program with words behind it.
fn command(code: &Code, name: &str, args: &str) -> Option<Line> {
    if let Some(words) = code.list(args).filter(|_| args.trim_start().starts_with('[')) {
        return Some(Line::Words(words));
    }
    let (first, rest) = code.literal(args)?;
    let behind = rest.trim_start().strip_prefix(',').map(str::trim_start);
    let listed = behind.filter(|behind| behind.starts_with('[')).and_then(|behind| code.list(behind));
    // The first word of these lists is the name under which the program runs.
    let named = name.starts_with("os.exec");
    if let Some(words) = listed {
        let words = words.into_iter().skip(usize::from(named));
        return Some(Line::Words([Word::known(first)].into_iter().chain(words).collect()));
    }
    let mut words = vec![Word::known(first.clone())];
    let mut rest = behind;
    while let Some((word, next)) = rest.and_then(|rest| code.literal(rest)) {
        words.push(Word::known(word));
        rest = next.trim_start().strip_prefix(',');
    }
    let by_words = matches!(code.language, Language::Ruby | Language::Perl) || named;
    if by_words && words.len() > 1 {
        if named {
            words.remove(1);
        }
        return Some(Line::Words(words));
    }
    Some(Line::Code(first))
}

/// What stands in backquotes, `%x(…)`, `qx(…)`.
fn quoted(code: &Code) -> impl Iterator<Item = String> {
    let backquoted = code.text.split('`').skip(1).step_by(2).filter(|_| code.language.runs_backquotes());
    let marked = QUOTED.iter().filter(|_| matches!(code.language, Language::Ruby | Language::Perl));
    let marked = marked.flat_map(move |(mark, close)| {
        code.text.match_indices(mark).filter_map(move |(at, _)| {
            let inside = &code.text[at + mark.len()..];
            Some(&inside[..inside.find(*close)?])
        })
    });
    backquoted.chain(marked).map(str::to_owned)
}

/// `print | "COMMAND"` and `"COMMAND" | getline` of awk.
fn piped(code: &Code) -> impl Iterator<Item = String> {
    let is_or = |at: usize| code.text[at + 1..].starts_with('|') || code.text[..at].ends_with('|');
    code.text.match_indices('|').filter(move |(at, _)| !is_or(*at)).filter_map(|(at, _)| {
        let behind = code.text[at + 1..].trim_start_matches('&');
        if behind.trim_start().starts_with("getline") {
            let before = code.text[..at].trim_end().strip_suffix('"')?;
            return Some(before[before.rfind('"')? + 1..].to_owned());
        }
        code.literal(behind).map(|(text, _)| text)
    })
}
