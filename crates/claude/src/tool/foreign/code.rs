//! In what a code is written that a tool runs, by the words of the tool's name, and what a notebook gives to a shell.

use std::borrow::Cow;

use engine_text::line::shell_word;

/// Words of a tool's or a server's name that say what its code is written in.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("python", &["python", "python3", "py", "ipython", "jupyter", "notebook", "ide", "kernel"]),
    ("javascript", &["javascript", "js", "node", "nodejs", "deno", "browser", "playwright", "puppeteer"]),
    ("ruby", &["ruby"]),
    ("perl", &["perl"]),
];

/// The language that the words of a name say.
pub(super) fn language(words: &[String]) -> Option<&'static str> {
    let is_said = |(_, known): &&(&str, &[&str])| words.iter().any(|word| known.contains(&word.as_str()));
    LANGUAGES.iter().find(is_said).map(|(language, _)| *language)
}

/// How code in another language is run.
fn interpreter(language: &str) -> Option<&'static str> {
    Some(match language.to_lowercase().as_str() {
        "python" | "python3" | "py" | "ipython" => "python3 -c",
        "javascript" | "js" | "node" | "nodejs" => "node -e",
        "ruby" => "ruby -e",
        "perl" => "perl -e",
        _ => return None,
    })
}

/// A code as command lines.
pub(super) fn lines<'a>(code: &Cow<'a, str>, language: Option<&str>) -> Vec<Cow<'a, str>> {
    let Some(interpreter) = language.and_then(interpreter) else { return vec![code.clone()] };
    let run = |code: &str| Cow::Owned(format!("{interpreter} {}", shell_word(code)));
    if interpreter != "python3 -c" || !code.contains(['!', '%']) {
        return vec![run(code)];
    }
    if let Some(script) = cell(code) {
        return vec![Cow::Owned(script.to_owned())];
    }
    let (shell, python): (Vec<&str>, Vec<&str>) = code.lines().partition(|line| escaped(line).is_some());
    let mut found: Vec<Cow<'_, str>> = Vec::new();
    if !shell.is_empty() {
        let shell: Vec<&str> = shell.into_iter().filter_map(escaped).collect();
        found.push(Cow::Owned(shell.join("\n")));
    }
    let python = python.join("\n");
    found.extend((!python.trim().is_empty()).then(|| run(&python)));
    found
}

/// A cell of a notebook that is a shell's: `%%bash` in its first line.
fn cell(code: &str) -> Option<&str> {
    let (first, rest) = code.trim_start().split_once('\n')?;
    let mut words = first.split_whitespace();
    let is_shell = match words.next()? {
        "%%bash" | "%%sh" | "%%!" | "%%sx" | "%%system" => true,
        "%%script" => words.any(|word| matches!(word, "bash" | "sh" | "zsh" | "/bin/bash" | "/bin/sh")),
        _ => false,
    };
    is_shell.then_some(rest)
}

/// A line of a notebook that is a shell's: `!ls`, `x = !ls`, `%sx ls`, `%cd a`.
fn escaped(line: &str) -> Option<&str> {
    let line = line.trim();
    let behind = |line: &'_ str| line.find('!').map(|at| at + 1);
    if line.starts_with('!') {
        return Some(line.trim_start_matches('!'));
    }
    if let Some(rest) = line.strip_prefix("%sx ").or_else(|| line.strip_prefix("%system ")) {
        return Some(rest);
    }
    if line.starts_with("%cd ") {
        return Some(&line[1..]);
    }
    let (name, value) = line.split_once('=')?;
    let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
    let value = value.trim_start();
    (is_name && value.starts_with('!')).then(|| &value[behind(value).unwrap_or(0)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notebook_gives_lines_to_a_shell() {
        for (code, expected) in [
            ("print(1)", "python3 -c 'print(1)'"),
            ("a != b", "python3 -c 'a != b'"),
            ("!git reset --hard", "git reset --hard"),
            ("  !ls\nx = !pwd\nprint(x)", "ls\npwd | python3 -c 'print(x)'"),
            ("%%bash\ngit reset --hard\n", "git reset --hard\n"),
            ("%%script bash -e\nls", "ls"),
            ("%cd a\n!rm x", "cd a\nrm x"),
            ("%matplotlib inline", "python3 -c '%matplotlib inline'"),
        ] {
            assert_eq!(lines(&Cow::Borrowed(code), Some("Python")).join(" | "), expected, "{code}");
        }
        assert_eq!(lines(&Cow::Borrowed("ls"), Some("bash")), ["ls"]);
    }
}
