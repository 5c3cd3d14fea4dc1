//! Literal paths in one-line programs of other languages.

use super::{Effect, Effects, Word};
use crate::code::{Code, Language};

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
    /// The first path gets a second name, by which it can be changed.
    Link,
    /// Owner or mode.
    Attributes,
    /// A folder is made.
    Folder,
}

/// Calls that name a file first.
const CALLS: &[(&str, Call)] = &[
    ("open", Call::Open),
    ("os.remove", Call::Remove),
    ("os.unlink", Call::Remove),
    ("os.rmdir", Call::Remove),
    ("os.truncate", Call::Write),
    ("os.mkfifo", Call::Write),
    ("os.mknod", Call::Write),
    ("os.mkdir", Call::Folder),
    ("os.makedirs", Call::Folder),
    ("os.link", Call::Link),
    ("os.symlink", Call::Link),
    ("os.chmod", Call::Attributes),
    ("os.chown", Call::Attributes),
    ("os.rename", Call::Move),
    ("os.renames", Call::Move),
    ("os.replace", Call::Move),
    ("shutil.rmtree", Call::RemoveTree),
    ("shutil.move", Call::Move),
    ("shutil.copy", Call::Copy),
    ("shutil.copy2", Call::Copy),
    ("shutil.copyfile", Call::Copy),
    ("shutil.copytree", Call::Copy),
    ("openSync", Call::Open),
    ("readFileSync", Call::Read),
    ("readFile", Call::Read),
    ("writeFileSync", Call::Write),
    ("writeFile", Call::Write),
    ("appendFileSync", Call::Write),
    ("appendFile", Call::Write),
    ("createWriteStream", Call::Write),
    ("Bun.write", Call::Write),
    ("Deno.writeTextFile", Call::Write),
    ("Deno.writeTextFileSync", Call::Write),
    ("Deno.remove", Call::RemoveTree),
    ("Deno.removeSync", Call::RemoveTree),
    ("mkdirSync", Call::Folder),
    ("linkSync", Call::Link),
    ("symlinkSync", Call::Link),
    ("chmodSync", Call::Attributes),
    ("chownSync", Call::Attributes),
    ("cpSync", Call::Copy),
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
    ("IO.write", Call::Write),
    ("File.truncate", Call::Write),
    ("File.link", Call::Link),
    ("File.symlink", Call::Link),
    ("FileUtils.ln", Call::Link),
    ("FileUtils.ln_s", Call::Link),
    ("FileUtils.ln_sf", Call::Link),
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

/// Functions of Perl, PHP and Lua.
const PERL: &[(&str, Call)] = &[
    ("unlink", Call::Remove),
    ("rmdir", Call::Remove),
    ("rename", Call::Move),
    ("truncate", Call::Write),
    ("link", Call::Link),
    ("symlink", Call::Link),
];
const PHP: &[(&str, Call)] = &[
    ("fopen", Call::Open),
    ("file_put_contents", Call::Write),
    ("touch", Call::Write),
    ("unlink", Call::Remove),
    ("rmdir", Call::Remove),
    ("rename", Call::Move),
    ("copy", Call::Copy),
    ("link", Call::Link),
    ("symlink", Call::Link),
    ("chmod", Call::Attributes),
    ("chown", Call::Attributes),
];
const LUA: &[(&str, Call)] = &[("os.remove", Call::Remove), ("os.rename", Call::Move)];

impl Effects<'_> {
    pub(super) fn script(&mut self) {
        let Some(mut code) = Code::of(self.run) else { return };
        // Looked through for each of the calls.
        if !self.budget.spend(code.text.len() / 8) {
            return;
        }
        if code.language == Language::JavaScript {
            code.text = MODULES.iter().fold(code.text, |text, module| text.replace(module, "fs"));
        }
        let own = match code.language {
            Language::Perl => PERL,
            Language::Php => PHP,
            Language::Lua => LUA,
            Language::Awk => return self.awk_output(&code),
            _ => &[],
        };
        for (name, call) in CALLS.iter().chain(own) {
            for args in code.calls(name) {
                if !self.budget.spend(8) {
                    return;
                }
                self.call(*call, args, &code);
            }
        }
        for expression in code.starting("Path") {
            if let Some((path, behind)) = code.literal(expression) {
                self.path_call(&path, behind.trim_start().trim_start_matches(')'), &code);
            }
        }
        for (path, behind) in code.uses() {
            self.path_call(path, behind, &code);
        }
    }

    /// `print > "FILE"`. A comparison with a text reads the same, and names no file that is there.
    fn awk_output(&mut self, code: &Code) {
        for (at, _) in code.text.match_indices('>') {
            let behind = code.text[at + 1..].trim_start_matches('>');
            if let Some((path, _)) = code.literal(behind) {
                self.code_writes(&path);
            }
        }
    }

    fn call(&mut self, call: Call, args: &str, code: &Code) {
        if matches!(call, Call::Open) && self.open_with_mode_first(args, code) {
            return;
        }
        let Some((path, rest)) = code.literal(args) else { return };
        let path = path.as_str();
        match call {
            Call::Open => {
                let mode = second(rest.replace("mode=", "").as_str(), code);
                let flags = rest.split([')', ';']).next().unwrap_or_default();
                let is_written =
                    ["O_WRONLY", "O_RDWR", "O_TRUNC", "O_APPEND"].iter().any(|flag| flags.contains(flag));
                if is_written || mode.is_some_and(|mode| mode.contains(['w', 'a', 'x', '+', '>'])) {
                    self.code_writes(path);
                } else {
                    self.code_reads(path);
                }
            }
            Call::Read => self.code_reads(path),
            Call::Write => self.code_writes(path),
            Call::Remove => self.code_deletes(path, false),
            Call::RemoveTree => self.code_deletes(path, true),
            Call::Move | Call::Copy | Call::Link => {
                match call {
                    Call::Move => self.code_deletes(path, true),
                    Call::Link => self.code_writes(path),
                    _ => {}
                }
                if let Some(target) = second(rest, code) {
                    self.code_writes(&target);
                }
            }
            Call::Attributes => self.attributes_of(&code_word(path), false),
            Call::Folder => self.make_folder(&code_word(path)),
        }
    }

    /// What is done with `Path('…')`.
    fn path_call(&mut self, path: &str, rest: &str, code: &Code) {
        let starts = |names: &[&str]| names.iter().any(|name| rest.starts_with(name));
        if starts(&[".write_", ".touch", ".open('w", ".open(\"w", ".open('a", ".open(\"a"]) {
            self.code_writes(path);
        } else if starts(&[".unlink", ".rmdir"]) {
            self.code_deletes(path, false);
        } else if starts(&[".rename(", ".replace("]) {
            let target = rest.split_once('(').and_then(|(_, args)| code.literal(args));
            // `.replace(a, b)` of a text is no path's.
            if let Some((target, _)) = target.filter(|(_, rest)| !rest.trim_start().starts_with(',')) {
                self.code_deletes(path, true);
                self.code_writes(&target);
            }
        } else if starts(&[".hardlink_to(", ".symlink_to("]) {
            self.code_writes(path);
            let target = rest.split_once('(').and_then(|(_, args)| code.literal(args));
            if let Some((target, _)) = target {
                self.code_writes(&target);
            }
        } else if starts(&[".chmod("]) {
            self.attributes_of(&code_word(path), false);
        } else if starts(&[".read_"]) {
            self.code_reads(path);
        }
    }

    /// `open(my $f, '>', 'path')`, `open(F, '>path')`: as Perl has it. Whether it was that.
    fn open_with_mode_first(&mut self, args: &str, code: &Code) -> bool {
        if code.language != Language::Perl {
            return false;
        }
        let Some((handle, rest)) = args.split_once(',') else { return false };
        if handle.contains(['\'', '"']) {
            return false;
        }
        let Some((mode, rest)) = code.literal(rest) else { return false };
        let glued = mode.trim_start_matches(['+', '<', '>', ' ']);
        let path = if glued.is_empty() { second(rest, code) } else { Some(glued.to_owned()) };
        match path {
            Some(path) if mode.contains('>') => self.code_writes(&path),
            Some(path) if glued.is_empty() || mode.starts_with('<') => self.code_reads(&path),
            _ => {}
        }
        true
    }

    fn code_reads(&mut self, path: &str) {
        if let Some(path) = self.of(&code_word(path)) {
            self.note(Effect::Read { run: self.index, path, pattern: false });
        }
    }

    pub(super) fn code_writes(&mut self, path: &str) {
        if let Some(path) = self.of(&code_word(path)) {
            self.write_at(path);
        }
    }

    pub(super) fn code_deletes(&mut self, path: &str, recursive: bool) {
        self.delete(&code_word(path), recursive);
    }
}

/// A path in code. Where the home folder is, only the running program knows.
fn code_word(path: &str) -> Word {
    Word { unknown: path.starts_with("~/"), ..Word::known(path) }
}

/// The next argument, if it is a literal text.
fn second(rest: &str, code: &Code) -> Option<String> {
    let rest = rest.trim_start().strip_prefix(',')?;
    code.literal(rest).map(|(text, _)| text)
}
