//! What git runs for somebody: aliases, the programs that its settings and variables name, `rebase --exec`.

use super::Walk;
use super::unwrap::owned;
use crate::git_command;
use crate::option::{Given, Options};
use crate::run::Run;
use crate::scope::{Scope, Variable};
use crate::word::Word;
use crate::wrapper::Wrapper;

/// Settings whose value is a line of shell. `*` stands for a name.
const SETTINGS: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "core.sshcommand",
    "core.askpass",
    "core.gitproxy",
    "diff.external",
    "sequence.editor",
    "gpg.program",
    "pager.*",
    "diff.*.command",
    "diff.*.textconv",
    "difftool.*.cmd",
    "mergetool.*.cmd",
    "merge.*.driver",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "credential.helper",
];

/// Variables with a line of shell for git.
const VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "PAGER",
    "EDITOR",
    "VISUAL",
];

/// Aliases that are remembered, and settings of `GIT_CONFIG_COUNT` that are looked at.
const MOST: usize = 16;

impl Walk {
    pub(super) fn git(&mut self, row: &Wrapper, run: &Run, own: &Scope) {
        let options = Options::read(&run.args, row.valued, true);
        let Some((command, rest)) = options.operands.split_first() else { return };
        for name in VARIABLES {
            if let Some(code) = variable(name, own) {
                self.setting_code(&code, own);
            }
        }
        let given = options.all(&["-c"]).filter_map(|given| given.value.as_deref()?.split_once('='));
        let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut aliases = self.git_aliases.clone();
        for (key, value) in given.chain(by_variables(own)) {
            match alias(&key) {
                Some(name) => aliases.push((name, value)),
                None => self.setting(&key, &value, own),
            }
        }
        // Git looks for no alias of a command that it has.
        aliases
            .retain(|(name, _)| name.eq_ignore_ascii_case(&command.text) && !git_command::is_built_in(name));
        for (_, code) in aliases {
            let rest: Vec<String> = rest.iter().map(|word| word.shown()).collect();
            let code = match code.strip_prefix('!') {
                Some(code) => code.to_owned(),
                None => format!("git {code}"),
            };
            // An alias does not call itself.
            if own.via.iter().filter(|wrapper| *wrapper == "git alias").count() < 4 {
                self.script(&format!("{code} {}", rest.join(" ")), &own.within("git alias"));
            }
        }
        match command.text.as_str() {
            "config" => self.configure(rest, own),
            "fetch" | "pull" | "clone" | "ls-remote" | "push" | "difftool" | "grep" => {
                let rest = owned(rest);
                let names: &[&str] = match command.text.as_str() {
                    "difftool" => &["-x", "--extcmd"],
                    "grep" => &["-O", "--open-files-in-pager"],
                    _ => &["--upload-pack", "--receive-pack", "--exec", "-u"],
                };
                // `-O` takes its value in the same word only, and `-u` is a program for `clone` alone.
                let valued: Vec<&str> =
                    names.iter().copied().filter(|name| *name != "-u" || command.text == "clone").collect();
                let options = Options::read(&rest, &valued, false);
                for code in options.all(&valued).filter_map(|given| given.value.clone()) {
                    self.setting_code(&code, own);
                }
            }
            "submodule" => {
                if let Some(at) = rest.iter().position(|word| word.text == "foreach") {
                    let words = &rest[at + 1..];
                    let options = words.iter().take_while(|word| word.text.starts_with('-')).count();
                    self.joined(&words[options..], &own.within("git submodule foreach"));
                }
            }
            "bisect" if rest.first().is_some_and(|word| word.text == "run") => {
                self.rest(&rest[1..], own.within("git bisect run"));
            }
            "rebase" => {
                let rest = owned(rest);
                let options = Options::read(&rest, &["-x", "--exec", "--onto", "-s", "-X", "-C"], false);
                for code in options.all(&["-x", "--exec"]).filter_map(Given::word) {
                    self.literal(&code, &own.within("git rebase --exec"));
                }
            }
            _ => {}
        }
    }

    /// `git config KEY VALUE`: git runs it later, and an alias may be called in this line.
    fn configure(&mut self, rest: &[&Word], own: &Scope) {
        let rest = owned(rest);
        let options =
            Options::read(&rest, &["-f", "--file", "--blob", "--type", "--default", "--comment"], false);
        let words = options.operands.as_slice();
        let words = if words.first().is_some_and(|word| word.text == "set") { &words[1..] } else { words };
        let [key, value, ..] = words else { return };
        let (Some(key), Some(value)) = (key.literal(), value.literal()) else { return };
        match alias(key) {
            Some(name) if self.git_aliases.len() < MOST => self.git_aliases.push((name, value.to_owned())),
            Some(_) => {}
            None => self.setting(key, value, own),
        }
    }

    fn setting(&mut self, key: &str, value: &str, own: &Scope) {
        let key = key.to_ascii_lowercase();
        let fits = |pattern: &str| match pattern.split_once('*') {
            Some((start, end)) => key.starts_with(start) && key.ends_with(end),
            None => key == pattern,
        };
        if SETTINGS.iter().any(|pattern| fits(pattern)) {
            // A helper without the mark is a name of git's own.
            let code = if key == "credential.helper" { value.strip_prefix('!') } else { Some(value) };
            if let Some(code) = code {
                self.setting_code(code, own);
            }
        }
    }

    /// A bare name such as `cat` or `true` does nothing that a rule names.
    fn setting_code(&mut self, code: &str, own: &Scope) {
        if code.contains(|c: char| !c.is_alphanumeric() && !"-_.".contains(c)) {
            self.script(code, &own.within("git"));
        }
    }
}

/// The name of an alias that a setting makes.
fn alias(key: &str) -> Option<String> {
    let is_alias = key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("alias."));
    is_alias.then(|| key[6..].to_owned())
}

/// A variable that a program sees: set for it, or before in the line.
fn variable(name: &str, own: &Scope) -> Option<String> {
    if let Some((_, value)) = own.env.iter().rev().find(|(set, _)| set == name) {
        return value.as_ref().and_then(|word| word.literal().map(str::to_owned));
    }
    match own.variable(name) {
        Variable::Known(value) => Some(value.text),
        Variable::Unknown | Variable::Unset => None,
    }
}

/// Settings by `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0`.
fn by_variables(own: &Scope) -> impl Iterator<Item = (String, String)> {
    let count =
        variable("GIT_CONFIG_COUNT", own).and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    (0..count.min(MOST)).filter_map(|index| {
        let key = variable(&format!("GIT_CONFIG_KEY_{index}"), own)?;
        Some((key, variable(&format!("GIT_CONFIG_VALUE_{index}"), own)?))
    })
}
