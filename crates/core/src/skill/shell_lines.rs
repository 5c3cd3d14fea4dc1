//! The command lines in the text of a skill that the client runs before the model reads it: ``!`git status` `` and fences that begin
//! with ```` ```! ````.
//!
//! By experiment: in the line a `!` counts at the beginning or behind a blank, wherever it stands (also in comments, quotes and other
//! fences), and the command may go over several lines. What the caller gives is put in as it is, before the shell reads it.

/// A command in the text of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellLine {
    /// The line on which it begins, from 1.
    pub line: usize,
    pub command: String,
}

/// Every command, in the order of the text.
pub fn shell_lines(text: &str) -> Vec<ShellLine> {
    let mut found: Vec<(usize, &str)> = in_fences(text).into_iter().chain(in_lines(text)).collect();
    found.sort_unstable();
    let (mut line, mut counted) = (1, 0);
    found
        .into_iter()
        .map(|(at, command)| (at, command.trim()))
        .filter(|(_, command)| !command.is_empty())
        .map(|(at, command)| {
            line += text[counted..at].matches('\n').count();
            counted = at;
            ShellLine { line, command: command.to_owned() }
        })
        .collect()
}

const FENCE: &str = "```";

fn in_fences(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(opening) = text[from..].find("```!").map(|at| from + at) {
        let begin = opening + FENCE.len() + 1;
        let Some(length) = text[begin..].find(FENCE) else { break };
        found.push((opening, &text[begin..begin + length]));
        from = begin + length + FENCE.len();
    }
    found
}

fn in_lines(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("!`").map(|at| from + at) {
        let begin = at + 2;
        from = begin;
        let is_free = text[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '\u{feff}');
        if let Some(length) = text[begin..].find('`').filter(|length| is_free && *length > 0) {
            found.push((at, &text[begin..begin + length]));
            from = begin + length + 1;
        }
    }
    found
}

/// A command with what the caller gives: `$ARGUMENTS` is all of it, `$ARGUMENTS[1]` and `$1` its second word, `$who` the word of that name.
pub fn with_arguments(command: &str, arguments: &str, names: &[String]) -> String {
    let words = words(arguments);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let mut out = String::with_capacity(command.len());
    let mut rest = command;
    while let Some(at) = rest.find('$') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        out.push_str(before);
        rest = behind;
        let name: &str =
            &behind[..behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len())];
        let digits = &name[..name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len())];
        if out.ends_with('\\') {
            out.push('$');
        } else if let Some(behind) = behind.strip_prefix("ARGUMENTS[")
            && let Some((index, behind)) = behind.split_once(']')
            && let Ok(index) = index.parse()
        {
            out.push_str(word(index));
            rest = behind;
        } else if let Some(behind) = behind.strip_prefix("ARGUMENTS") {
            out.push_str(arguments);
            rest = behind;
        } else if let Ok(index) = digits.parse() {
            out.push_str(word(index));
            rest = &behind[digits.len()..];
        } else if let Some(index) = names.iter().position(|known| known == name) {
            out.push_str(word(index));
            rest = &behind[name.len()..];
        } else {
            out.push('$');
        }
    }
    out.push_str(rest);
    out
}

/// The words of what the caller gives: quotes hold them together and are not part of them.
fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None::<char>);
    let mut chars = arguments.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(chars.next()),
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_that_the_client_runs() {
        let text = "\
---
name: forms
---
line !`a inline`
!`b linestart`
text!`c after letter`
\t!`d tab`
- !`e list`
(!`g paren`)
!`h
h2`
```!
i fence
j fence
```
``` !
k blank
```
```bash!
l bash
```
```sh
!`n in fence`
```
~~~!
o tilde
~~~
  ```!
  p indented
  ```
`` !`q in code` ``
<!-- !`s comment` -->
\\!`t backslash`
!!`u double`
! `v blank`
!``w empty``
````!
y four
````
!`z unterminated
";
        let found: Vec<String> = shell_lines(text)
            .into_iter()
            .map(|found| format!("{}: {}", found.line, found.command.replace('\n', "/")))
            .collect();
        let expected = [
            "4: a inline",
            "5: b linestart",
            "7: d tab",
            "8: e list",
            "10: h/h2",
            "12: i fence/j fence",
            "23: n in fence",
            "28: p indented",
            "31: q in code",
            "32: s comment",
            "37: y four",
        ];
        assert_eq!(found, expected);
        assert_eq!(shell_lines("\u{feff}!`x`").len(), 1);
        assert_eq!(shell_lines("").len(), 0);
    }

    #[test]
    fn what_the_caller_gives_is_put_in_as_it_is() {
        let names = ["who".to_owned(), "what".to_owned()];
        for (command, arguments, expected) in [
            ("echo $ARGUMENTS", "Bob; rm x", "echo Bob; rm x"),
            ("echo $0/$1/$2/$3", "Bob 'Smith X' three", "echo Bob/Smith X/three/"),
            ("echo $ARGUMENTS[1] $ARGUMENTS[x]", "a b", "echo b a b[x]"),
            ("echo $who $what ${who} $whoever", "a \"b c\"", "echo a b c ${who} $whoever"),
            (r"echo \$1 $HOME $", "a b", r"echo \$1 $HOME $"),
            ("echo $1x", r"a b\ c", "echo b cx"),
            ("echo é$0é", "ü", "echo éüé"),
        ] {
            assert_eq!(with_arguments(command, arguments, &names), expected, "{command} with {arguments}");
        }
    }
}
