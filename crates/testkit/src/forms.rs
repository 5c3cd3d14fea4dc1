//! Forms of a command line: other lines that run the same command, and lines that only hold its text.
//!
//! A guard that reads what a line does answers a form that [`RUNNING`] makes at least as strictly as the command itself, and a harmless
//! command stays free in all of them. A form that [`QUOTING`] makes runs nothing, whatever the command is.
//!
//! `RUNNING[…].line("git reset --hard")` is `f() { git reset --hard; }; f`.

mod command;

use command::Command;

/// A way to write a command.
pub struct Form {
    pub name: &'static str,
    /// The line, with `{…}` for the command: see [`Form::line`].
    pattern: &'static str,
    of: Of,
}

/// The commands that a form can be made of, and mean the same in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Everything that bash parses and that runs something.
    Code,
    /// The same, unless it names what code of another language must not name, whatever it does with the name.
    OtherLanguage,
    /// Something may follow on the same line: no here-document, no comment, no `&` at the end.
    Line,
    /// It begins with the name of a program or a builtin.
    Call,
    /// The same, with a name that a function can have.
    Named,
    /// One command, without an assignment before it.
    Simple,
    /// The same, of a program that is no builtin.
    Program,
    /// The same, but not of engine, which does not run where the environment is dropped.
    Foreign,
    /// The same, in words that need no quotes.
    Words,
    /// Any text.
    Text,
    /// Any text of one line.
    TextLine,
}

const fn form(name: &'static str, of: Of, pattern: &'static str) -> Form {
    Form { name, pattern, of }
}

/// Lines that run the command.
pub const RUNNING: &[Form] = &[
    form("function", Of::Code, "form() { {code}; }; form"),
    form("function of its own name", Of::Named, "{program}() { command {program} \"$@\"; }; {code}"),
    form("command", Of::Simple, "command {code}"),
    form("env", Of::Program, "env {code}"),
    form("eval", Of::Code, "eval {quoted}"),
    form("subshell", Of::Code, "({code})"),
    form("command substitution", Of::Code, ": $({code})"),
    form("process substitution", Of::Code, ": <({code})"),
    form("pipe to sh", Of::Code, "echo {quoted} | sh"),
    form("here-document", Of::Code, "bash <<'FORM'\n{code}\nFORM"),
    form("xargs", Of::Words, "echo {arguments} | xargs {program}"),
    form("if", Of::Code, "if true; then {code}; fi"),
    form("for", Of::Code, "for once in 1; do {code}; done"),
    form("case", Of::Code, "case x in x) {code};; esac"),
    form("trap", Of::Code, "trap {quoted} EXIT"),
    form("coproc", Of::Simple, "coproc {code}"),
    form("variable", Of::Call, "v={program}; $v{after program}"),
    form("alias", Of::Line, "alias form={quoted}; form"),
    form("bash -c", Of::Code, "bash -c {quoted}"),
    form("python", Of::OtherLanguage, "python3 -c {python}"),
    form("node", Of::OtherLanguage, "node -e {node}"),
    form("python by here-document", Of::OtherLanguage, PYTHON_DOCUMENT),
    form("perl", Of::OtherLanguage, "perl -e {perl}"),
    form("ruby", Of::OtherLanguage, "ruby -e {ruby}"),
    form("php", Of::OtherLanguage, "php -r {php}"),
    form("lua", Of::OtherLanguage, "lua -e {lua}"),
    form("awk", Of::OtherLanguage, "awk {awk}"),
    form("file", Of::Code, "echo {quoted} > form.sh && bash form.sh"),
    form("timeout", Of::Program, "timeout 5 {code}"),
    form("sudo", Of::Foreign, "sudo {code}"),
    form("sudo -E", Of::Program, "sudo -E {code}"),
    form("pipe", Of::Line, "{code} | cat"),
    form("and", Of::Code, "true && {code}"),
    form("background", Of::Line, "{code} &"),
    form("group", Of::Code, "{ {code}; }"),
    form("not", Of::Simple, "! {code}"),
    form("time", Of::Code, "time {code}"),
    form("while", Of::Code, "while true; do {code}; break; done"),
    form("here-string", Of::Code, "bash <<< {quoted}"),
    form("bash of a substitution", Of::Code, "bash <(echo {quoted})"),
    form("source of a substitution", Of::Code, "source <(echo {quoted})"),
    form("eval of output", Of::Code, "eval \"$(echo {quoted})\""),
    form("eval of a variable", Of::Code, "c={quoted}; eval \"$c\""),
    form("value substitution", Of::Code, ": ${ {code}; }"),
    form("program by output", Of::Call, "$(echo {program}){after program}"),
    form("function of arguments", Of::Simple, "form() { \"$@\"; }; form {code}"),
    form("positional parameters", Of::Words, "set -- {program} {arguments}; \"$@\""),
];

const PYTHON_DOCUMENT: &str =
    "python3 - <<'FORM'\nimport subprocess\nsubprocess.run({literal}, shell=True)\nFORM";

/// Lines in which the command is a text.
pub const QUOTING: &[Form] = &[
    form("echo", Of::Text, "echo {quoted}"),
    form("double quotes", Of::Text, "echo \"{escaped}\""),
    form("comment", Of::TextLine, "true # {code}"),
    form("commit message", Of::Text, "git commit -m {quoted}"),
    form("here-document to cat", Of::Text, "cat <<'FORM'\n{code}\nFORM"),
    form("pattern of grep", Of::Text, "grep -rn -e {quoted} src"),
    form("Markdown by echo", Of::Text, "echo {quoted} > notes.md"),
    form("Markdown by cat", Of::Text, "cat > notes.md <<'FORM'\n{code}\nFORM"),
];

impl Form {
    /// The command in this form, if it has one.
    pub fn line(&self, command: &str) -> Option<String> {
        let command = Command::new(command);
        if !self.is_of(&command) {
            return None;
        }
        let mut line = String::new();
        let mut rest = self.pattern;
        while let Some((before, name, after)) = next_part(rest) {
            line.push_str(before);
            rest = after;
            match name {
                "code" => {
                    line.push_str(command.text);
                    // A here-document and a comment end with their line.
                    if !rest.is_empty() && !rest.starts_with('\n') && !command.is_line() {
                        line.push('\n');
                        rest = rest.strip_prefix("; ").unwrap_or(rest);
                    }
                }
                "program" => line.push_str(command.program()?),
                "after program" => line.push_str(command.after_program()),
                "arguments" => line.push_str(command.after_program().trim()),
                "quoted" => line.push_str(&quoted(command.text)),
                "escaped" => line.push_str(&escaped(command.text, &['\\', '"', '$', '`'])),
                "literal" => line.push_str(&literal(command.text)),
                "awk" => {
                    line.push_str(&quoted(&format!("BEGIN {{ system({}) }}", literal(command.text))));
                }
                language => line.push_str(&one_liner(language, command.text)?),
            }
        }
        line.push_str(rest);
        Some(line)
    }

    fn is_of(&self, command: &Command<'_>) -> bool {
        // `((` begins arithmetic, and the last backslash would join what follows.
        let is_arithmetic = self.pattern.contains("({code}") && command.text.starts_with('(');
        let nests = !is_arithmetic && !command.text.ends_with('\\');
        let runs = !command.only_sets_a_variable();
        match self.of {
            Of::Code => runs && nests,
            Of::OtherLanguage => runs && nests && !command.text.contains(SECRET_VARIABLES),
            Of::Line => runs && command.is_line(),
            Of::Call => command.program().is_some(),
            Of::Named => command.program().is_some_and(command::names_a_function),
            Of::Simple => command.is_simple(),
            Of::Program => command.is_simple() && !command.is_builtin(),
            Of::Foreign => command.is_simple() && !command.is_builtin() && !command.text.contains("engine"),
            Of::Words => command.is_simple() && !command.is_builtin() && command.has_plain_arguments(),
            Of::Text => true,
            Of::TextLine => !command.text.contains(['\n', '\r']),
        }
    }
}

/// How the variables begin by which a program could speak as the person.
const SECRET_VARIABLES: &str = "CLAUDE_CODE_MESSAGING_";

/// Splits a pattern at its next part: what is before it, its name, what is after it.
fn next_part(pattern: &str) -> Option<(&str, &str, &str)> {
    const PARTS: [&str; 8] =
        ["code", "program", "after program", "arguments", "quoted", "escaped", "literal", "awk"];
    let is_part = |name: &str| PARTS.contains(&name) || ONE_LINERS.iter().any(|(known, ..)| *known == name);
    let found = pattern.match_indices('{').find_map(|(at, _)| {
        let (name, after) = pattern[at + 1..].split_once('}')?;
        is_part(name).then_some((&pattern[..at], name, after))
    })?;
    Some(found)
}

/// As one word of the shell, in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if special.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text in double quotes, as Python, JavaScript, Lua and awk read it.
fn literal(text: &str) -> String {
    format!("\"{}\"", escaped(text, &['\\', '"']).replace('\n', "\\n").replace('\r', "\\r"))
}

/// A text in single quotes, in which Perl, Ruby and PHP replace nothing.
fn raw_literal(text: &str) -> String {
    format!("'{}'", escaped(text, &['\\', '\'']))
}

type Literal = fn(&str) -> String;

/// A language, the call that runs a command, its end, and how the language writes a text.
const ONE_LINERS: [(&str, &str, &str, Literal); 6] = [
    ("python", "import os; os.system(", ")", literal),
    ("node", "require('child_process').execSync(", ")", literal),
    ("perl", "system(", ");", raw_literal),
    ("ruby", "system(", ")", raw_literal),
    ("php", "system(", ");", raw_literal),
    ("lua", "os.execute(", ")", literal),
];

/// Code that runs the command, as one word of the shell: in the quotes that people use if the command needs none.
fn one_liner(language: &str, command: &str) -> Option<String> {
    let (_, call, end, literal) = ONE_LINERS.iter().find(|(known, ..)| *known == language)?;
    Some(if command.contains(['\'', '"', '\\', '$', '`', '!', '\n', '\r']) {
        quoted(&format!("{call}{}{end}", literal(command)))
    } else {
        format!("\"{call}'{command}'{end}\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(forms: &[Form], command: &str) -> Vec<String> {
        forms.iter().map(|form| form.line(command).unwrap_or_else(|| format!("no {}", form.name))).collect()
    }

    #[test]
    fn a_command_of_plain_words_has_every_form() {
        assert_eq!(
            lines(RUNNING, "git reset --hard"),
            [
                "form() { git reset --hard; }; form",
                "git() { command git \"$@\"; }; git reset --hard",
                "command git reset --hard",
                "env git reset --hard",
                "eval 'git reset --hard'",
                "(git reset --hard)",
                ": $(git reset --hard)",
                ": <(git reset --hard)",
                "echo 'git reset --hard' | sh",
                "bash <<'FORM'\ngit reset --hard\nFORM",
                "echo reset --hard | xargs git",
                "if true; then git reset --hard; fi",
                "for once in 1; do git reset --hard; done",
                "case x in x) git reset --hard;; esac",
                "trap 'git reset --hard' EXIT",
                "coproc git reset --hard",
                "v=git; $v reset --hard",
                "alias form='git reset --hard'; form",
                "bash -c 'git reset --hard'",
                "python3 -c \"import os; os.system('git reset --hard')\"",
                "node -e \"require('child_process').execSync('git reset --hard')\"",
                "python3 - <<'FORM'\nimport subprocess\nsubprocess.run(\"git reset --hard\", shell=True)\nFORM",
                "perl -e \"system('git reset --hard');\"",
                "ruby -e \"system('git reset --hard')\"",
                "php -r \"system('git reset --hard');\"",
                "lua -e \"os.execute('git reset --hard')\"",
                "awk 'BEGIN { system(\"git reset --hard\") }'",
                "echo 'git reset --hard' > form.sh && bash form.sh",
                "timeout 5 git reset --hard",
                "sudo git reset --hard",
                "sudo -E git reset --hard",
                "git reset --hard | cat",
                "true && git reset --hard",
                "git reset --hard &",
                "{ git reset --hard; }",
                "! git reset --hard",
                "time git reset --hard",
                "while true; do git reset --hard; break; done",
                "bash <<< 'git reset --hard'",
                "bash <(echo 'git reset --hard')",
                "source <(echo 'git reset --hard')",
                "eval \"$(echo 'git reset --hard')\"",
                "c='git reset --hard'; eval \"$c\"",
                ": ${ git reset --hard; }",
                "$(echo git) reset --hard",
                "form() { \"$@\"; }; form git reset --hard",
                "set -- git reset --hard; \"$@\"",
            ]
        );
        assert_eq!(
            lines(QUOTING, "git reset --hard"),
            [
                "echo 'git reset --hard'",
                "echo \"git reset --hard\"",
                "true # git reset --hard",
                "git commit -m 'git reset --hard'",
                "cat <<'FORM'\ngit reset --hard\nFORM",
                "grep -rn -e 'git reset --hard' src",
                "echo 'git reset --hard' > notes.md",
                "cat > notes.md <<'FORM'\ngit reset --hard\nFORM",
            ]
        );
    }

    /// Command, form, line.
    const CASES: &[(&str, &str, Option<&str>)] = &[
        ("rm 'a b'", "eval", Some(r"eval 'rm '\''a b'\'''")),
        ("rm 'a b'", "double quotes", Some(r#"echo "rm 'a b'""#)),
        ("rm \"$X\" `y` \\", "double quotes", Some(r#"echo "rm \"\$X\" \`y\` \\""#)),
        ("rm 'a b'", "python", Some(r#"python3 -c 'import os; os.system("rm '\''a b'\''")'"#)),
        ("rm \"$X\"", "node", Some(r#"node -e 'require('\''child_process'\'').execSync("rm \"$X\"")'"#)),
        ("rm 'b'", "ruby", Some(r"ruby -e 'system('\''rm \'\''b\'\'''\'')'")),
        ("rm \"$X\"", "awk", Some(r#"awk 'BEGIN { system("rm \"$X\"") }'"#)),
        ("rm a\nrm b", "python", Some(r#"python3 -c 'import os; os.system("rm a\nrm b")'"#)),
        // What follows a here-document, a comment or `&` needs a line of its own.
        ("cat <<E\na\nE", "function", Some("form() { cat <<E\na\nE\n}; form")),
        ("rm a # b", "subshell", Some("(rm a # b\n)")),
        ("rm a &", "if", Some("if true; then rm a &\nfi")),
        ("rm a &", "case", Some("case x in x) rm a &\n;; esac")),
        ("rm a &", "pipe", None),
        ("rm a # b", "alias", None),
        ("rm a\nrm b", "comment", None),
        ("bash <<< 'rm a'", "pipe", Some("bash <<< 'rm a' | cat")),
        ("(rm a)", "subshell", None),
        ("rm a \\", "function", None),
        // A program that stands before a list would run its first command only.
        ("cd a && rm b", "env", None),
        ("cd a && rm b", "not", None),
        ("rm a; rm b", "coproc", None),
        ("rm a | cat", "sudo", None),
        ("rm $(ls | head) 2>&1", "sudo", Some("sudo rm $(ls | head) 2>&1")),
        ("rm 'a;b' \"c|d\" e\\;", "timeout", Some("timeout 5 rm 'a;b' \"c|d\" e\\;")),
        ("cd a", "env", None),
        ("cd a", "command", Some("command cd a")),
        ("X=1 rm a", "command", None),
        ("if a; then b; fi", "command", None),
        ("{ rm a; }", "variable", None),
        ("cd a && rm b", "variable", Some("v=cd; $v a && rm b")),
        ("cd a && rm b", "function of its own name", Some("cd() { command cd \"$@\"; }; cd a && rm b")),
        ("/bin/rm a", "function of its own name", None),
        ("/bin/rm a", "variable", Some("v=/bin/rm; $v a")),
        ("set a b; \"$@\"", "function of its own name", None),
        ("rm -rf *", "xargs", None),
        ("sed -n p a", "xargs", None),
        ("sed -i s/a/b/ c", "xargs", Some("echo -i s/a/b/ c | xargs sed")),
        ("ls", "xargs", None),
        // What would be judged otherwise for a reason of its own.
        ("X=$Y", "eval", None),
        ("X=$Y rm a", "eval", Some("eval 'X=$Y rm a'")),
        ("engine status", "sudo", None),
        ("engine status", "sudo -E", Some("sudo -E engine status")),
        ("grep CLAUDE_CODE_MESSAGING_SOCKET a", "python", None),
    ];

    #[test]
    fn a_form_quotes_and_leaves_out_what_would_mean_something_else() {
        for (command, name, expected) in CASES {
            let form = RUNNING.iter().chain(QUOTING).find(|form| form.name == *name).unwrap();
            assert_eq!(form.line(command).as_deref(), *expected, "{name}: {command}");
        }
    }
}
