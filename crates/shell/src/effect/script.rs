//! Literal paths in one-line programs of Python, Node, Ruby and Perl.

use super::{Effect, Effects, Options};

#[derive(Clone, Copy)]
enum Call {
    /// A mode behind the path tells.
    Open,
    Read,
    Write,
    Remove,
    RemoveTree,
    /// The first path goes, the second comes.
    Move,
    /// The second path is written.
    Copy,
    /// What is called on it tells.
    Path,
}

/// Calls that name a file first.
const CALLS: &[(&str, Call)] = &[
    ("open", Call::Open),
    ("Path", Call::Path),
    ("os.remove", Call::Remove),
    ("os.unlink", Call::Remove),
    ("os.rmdir", Call::Remove),
    ("os.truncate", Call::Write),
    ("os.rename", Call::Move),
    ("os.renames", Call::Move),
    ("os.replace", Call::Move),
    ("shutil.rmtree", Call::RemoveTree),
    ("shutil.move", Call::Move),
    ("shutil.copy", Call::Copy),
    ("shutil.copy2", Call::Copy),
    ("shutil.copyfile", Call::Copy),
    ("readFileSync", Call::Read),
    ("readFile", Call::Read),
    ("writeFileSync", Call::Write),
    ("writeFile", Call::Write),
    ("appendFileSync", Call::Write),
    ("appendFile", Call::Write),
    ("createWriteStream", Call::Write),
    ("truncateSync", Call::Write),
    ("unlinkSync", Call::Remove),
    ("fs.unlink", Call::Remove),
    ("promises.unlink", Call::Remove),
    ("rmSync", Call::RemoveTree),
    ("fs.rm", Call::RemoveTree),
    ("promises.rm", Call::RemoveTree),
    ("rmdirSync", Call::RemoveTree),
    ("fs.rmdir", Call::RemoveTree),
    ("promises.rmdir", Call::RemoveTree),
    ("renameSync", Call::Move),
    ("fs.rename", Call::Move),
    ("promises.rename", Call::Move),
    ("copyFileSync", Call::Copy),
    ("fs.copyFile", Call::Copy),
    ("promises.copyFile", Call::Copy),
    ("File.read", Call::Read),
    ("File.write", Call::Write),
    ("File.delete", Call::Remove),
    ("File.unlink", Call::Remove),
    ("File.rename", Call::Move),
    ("FileUtils.rm", Call::Remove),
    ("FileUtils.rm_f", Call::Remove),
    ("FileUtils.rm_r", Call::RemoveTree),
    ("FileUtils.rm_rf", Call::RemoveTree),
    ("FileUtils.remove_dir", Call::RemoveTree),
    ("FileUtils.mv", Call::Move),
    ("FileUtils.cp", Call::Copy),
];

/// The module for files of Node, under the names by which it is called for.
const MODULES: &[&str] = &[
    "require('fs')",
    "require(\"fs\")",
    "require('node:fs')",
    "require(\"node:fs\")",
    "require('fs/promises')",
    "require(\"fs/promises\")",
];

/// Paths are shorter.
const LONGEST_CALL: usize = 8192;

/// Functions of Perl.
const PERL: &[(&str, Call)] = &[("unlink", Call::Remove), ("rename", Call::Move)];

impl Effects<'_> {
    pub(super) fn script(&mut self, program: &str) {
        let (valued, code): (&[&str], &[&str]) = match program {
            "node" => {
                (&["-e", "--eval", "-p", "--print", "-r", "--require"], &["-e", "--eval", "-p", "--print"])
            }
            "perl" => (&["-e", "-E", "-I", "-M?", "-m?", "-i?"], &["-e", "-E"]),
            "ruby" => (&["-e", "-I", "-r", "-C", "-i?"], &["-e"]),
            _ => (&["-c", "-W", "-X", "-m"], &["-c"]),
        };
        let options = Options::read(&self.run.args, valued, true);
        let Some(code) = options.value(code).or(self.run.input.as_deref()) else { return };
        // Looked through for each of the calls.
        if !self.budget.spend(code.len() / 16) {
            return;
        }
        let code = MODULES.iter().fold(code.to_owned(), |code, module| code.replace(module, "fs"));
        // Perl and Ruby call without parentheses too.
        let bare = matches!(program, "perl" | "ruby");
        let own = if program == "perl" { PERL } else { &[] };
        for (name, call) in CALLS.iter().chain(own) {
            for (at, _) in code.match_indices(name) {
                let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                let behind = start(&code[at + name.len()..]);
                if let Some(args) = arguments(behind, bare).filter(|_| is_whole && self.budget.spend(8)) {
                    self.call(*call, args);
                }
            }
        }
    }

    fn call(&mut self, call: Call, args: &str) {
        if matches!(call, Call::Open) && self.open_with_mode_first(args) {
            return;
        }
        let Some((path, rest)) = quoted(args) else { return };
        match call {
            Call::Open => {
                let mode = second(rest.replace("mode=", "").as_str()).map(str::to_owned);
                if mode.is_some_and(|mode| mode.contains(['w', 'a', 'x', '+', '>'])) {
                    self.code_writes(path);
                } else {
                    self.code_reads(path);
                }
            }
            Call::Read => self.code_reads(path),
            Call::Write => self.code_writes(path),
            Call::Remove => self.code_deletes(path, false),
            Call::RemoveTree => self.code_deletes(path, true),
            Call::Move | Call::Copy => {
                if matches!(call, Call::Move) {
                    self.code_deletes(path, false);
                }
                if let Some(target) = second(rest) {
                    self.code_writes(target);
                }
            }
            Call::Path => self.path_call(path, rest.trim_start().trim_start_matches(')')),
        }
    }

    /// What is done with `Path('…')`.
    fn path_call(&mut self, path: &str, rest: &str) {
        let starts = |names: &[&str]| names.iter().any(|name| rest.starts_with(name));
        if starts(&[".write_", ".touch", ".open('w", ".open(\"w", ".open('a", ".open(\"a"]) {
            self.code_writes(path);
        } else if starts(&[".unlink", ".rmdir"]) {
            self.code_deletes(path, false);
        } else if starts(&[".rename(", ".replace("]) {
            self.code_deletes(path, false);
            let target = rest.split_once('(').and_then(|(_, args)| quoted(args));
            if let Some((target, _)) = target {
                self.code_writes(target);
            }
        } else if starts(&[".read_"]) {
            self.code_reads(path);
        }
    }

    /// `open(my $f, '>', 'path')`, `open(F, '>path')`: as Perl has it. Whether it was that.
    fn open_with_mode_first(&mut self, args: &str) -> bool {
        let Some((handle, rest)) = args.split_once(',') else { return false };
        if handle.contains(['\'', '"']) {
            return false;
        }
        let Some((mode, rest)) = quoted(rest) else { return false };
        let glued = mode.trim_start_matches(['+', '<', '>', ' ']);
        let path = if glued.is_empty() { second(rest) } else { Some(glued) };
        match path {
            Some(path) if mode.contains('>') => self.code_writes(path),
            Some(path) if glued.is_empty() || mode.starts_with('<') => self.code_reads(path),
            _ => {}
        }
        true
    }

    fn code_reads(&mut self, path: &str) {
        if let Some(path) = self.place(path) {
            self.note(Effect::Read { run: self.index, path, pattern: false });
        }
    }

    fn code_writes(&mut self, path: &str) {
        if let Some(path) = self.place(path) {
            self.write_at(path);
        }
    }

    fn code_deletes(&mut self, path: &str, recursive: bool) {
        if let Some(path) = self.place(path) {
            self.note(Effect::Delete { run: self.index, path, recursive, pattern: false });
        }
    }
}

/// The part of a text that the arguments of a call are looked for in.
fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_CALL)]
}

/// What stands behind the name of a function: its arguments, if it is called.
fn arguments(behind: &str, bare: bool) -> Option<&str> {
    let text = behind.trim_start();
    text.strip_prefix('(').or_else(|| (bare && behind.starts_with(char::is_whitespace)).then_some(text))
}

/// The next argument, if it is a text in quotation marks.
fn second(rest: &str) -> Option<&str> {
    let rest = rest.trim_start().strip_prefix(',')?;
    quoted(rest).map(|(text, _)| text)
}

/// A text in quotation marks at the start, and what is behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mark = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inside = &text[1..];
    let end = inside.find(mark)?;
    Some((&inside[..end], &inside[end + 1..]))
}
