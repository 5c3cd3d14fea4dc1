//! Scripts of sed, as far as they name files and commands: `w FILE`, `s/a/b/w FILE`, `e COMMAND`, `s/a/b/e`.

use crate::option::Options;
use crate::run::Run;

/// What a script names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) writes: Vec<String>,
    pub(crate) runs: Vec<String>,
}

const VALUED: &[&str] = &["-e", "-f", "--expression", "--file", "-l", "-i?"];

impl Script {
    /// The scripts on the command line of a run.
    pub(crate) fn of(run: &Run) -> Self {
        let options = Options::read(&run.args, VALUED, false);
        let given: Vec<&str> =
            options.all(&["-e", "--expression"]).filter_map(|given| given.value.as_deref()).collect();
        let mut script = Self::default();
        if !given.is_empty() {
            given.iter().for_each(|text| script.read(text));
        } else if !options.has(&["-f", "--file"])
            && let Some(first) = options.operands.first()
        {
            script.read(&first.text);
        }
        script
    }

    fn read(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            rest = after_address(rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}', '!']));
            let Some(command) = rest.chars().next() else { return };
            let behind = &rest[command.len_utf8()..];
            rest = match command {
                'w' | 'W' => {
                    let (file, rest) = line(behind);
                    self.writes.push(file.to_owned());
                    rest
                }
                'e' => {
                    let (code, rest) = line(behind);
                    if !code.is_empty() {
                        self.runs.push(code.to_owned());
                    }
                    rest
                }
                's' => self.substitution(behind),
                'y' => delimited(behind, 2).map_or("", |(_, rest)| rest),
                // Text, labels and files up to the end of the line.
                'a' | 'i' | 'c' | 'r' | 'R' | '#' => line(behind).1,
                _ => behind,
            };
        }
    }

    fn substitution<'t>(&mut self, text: &'t str) -> &'t str {
        let Some((replacement, mut rest)) = delimited(text, 2) else { return "" };
        while let Some(flag) = rest.chars().next() {
            match flag {
                'w' => {
                    let (file, behind) = line(&rest[1..]);
                    self.writes.push(file.to_owned());
                    return behind;
                }
                'e' => self.runs.push(replacement.to_owned()),
                flag if flag.is_ascii_alphanumeric() => {}
                _ => break,
            }
            rest = &rest[flag.len_utf8()..];
        }
        rest
    }
}

/// What is behind `/a/,/b/`, `1,$`, `0~3`.
fn after_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || matches!(c, ',' | '$' | '~' | '+' | ' ' | '!' | '{')
        });
        let delimiter = match rest.strip_prefix('\\') {
            Some(rest) => rest,
            None if rest.starts_with('/') => rest,
            None => return rest,
        };
        match delimited(delimiter, 1) {
            Some((_, behind)) => rest = behind.trim_start_matches(['I', 'M']),
            None => return "",
        }
    }
}

/// The last of as many parts behind the first letter, which separates them, and what follows.
fn delimited(text: &str, parts: usize) -> Option<(&str, &str)> {
    let mark = text.chars().next()?;
    let mut start = mark.len_utf8();
    let mut last = "";
    for _ in 0..parts {
        let mut is_escaped = false;
        let end = text[start..].char_indices().find(|(_, c)| {
            let ends = *c == mark && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            ends
        })?;
        last = &text[start..start + end.0];
        start += end.0 + mark.len_utf8();
    }
    Some((last, &text[start..]))
}

/// The rest of the line, and the lines behind it.
fn line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_commands_of_scripts() {
        for (text, writes, runs) in [
            ("w out", vec!["out"], vec![]),
            ("/a/,/b/ w out", vec!["out"], vec![]),
            ("1,$!w out", vec!["out"], vec![]),
            ("s/w x/y/w out", vec!["out"], vec![]),
            ("s|a|b|gw out\np", vec!["out"], vec![]),
            ("s/a\\/w/b/g;w out", vec!["out"], vec![]),
            ("/x/{s/a/b/;w out\n}", vec!["out"], vec![]),
            ("s/.*/rm x/e", vec![], vec!["rm x"]),
            ("1e rm x", vec![], vec!["rm x"]),
            ("s/w out/x/g", vec![], vec![]),
            ("a w out", vec![], vec![]),
            ("y/w/e/;p", vec![], vec![]),
            ("/w out/d", vec![], vec![]),
            ("$d;=", vec![], vec![]),
            ("s/a", vec![], vec![]),
            ("\\,w x,d", vec![], vec![]),
        ] {
            let mut script = Script::default();
            script.read(text);
            assert_eq!(
                (script.writes, script.runs),
                (
                    writes.iter().map(|t: &&str| t.to_string()).collect(),
                    runs.iter().map(|t: &&str| t.to_string()).collect()
                ),
                "{text}"
            );
        }
    }
}
