//! What runs do to files.
//!
//! The words of a run tell which files the program reads, writes or deletes. A program that is not known here has no effects but those
//! of its redirections.

mod copy;
mod editor;
mod find;
mod git;
mod link;
mod listing;
mod make;
mod network;
mod output;
mod script;
mod search;

pub(crate) use find::{Find, executed};
pub use network::CURL_VALUES;

use crate::budget::Budget;
use crate::code::Language;
use crate::option::{Given, Options};
use crate::run::{Redirect, RedirectKind, Run};
use crate::surroundings::{Host, Writer};
use crate::word::Word;
use engine_text::glob;
use engine_text::path::{LONGEST, join};
use link::Links;

/// Something that a run does to a path. Paths are absolute and without `..`; a pattern stands as it was written, and `**` in it
/// for any folders. A path whose beginning only the running shell knows starts with `…/`: its end is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// `pattern`: the path is one, its stars are not part of a name.
    Read {
        run: usize,
        path: String,
        pattern: bool,
    },
    Write {
        run: usize,
        path: String,
        pattern: bool,
    },
    Delete {
        run: usize,
        path: String,
        recursive: bool,
        pattern: bool,
    },
    /// A folder is made, and nothing in it.
    Folder {
        run: usize,
        path: String,
        pattern: bool,
    },
    /// Owner or mode.
    Attributes {
        run: usize,
        path: String,
        recursive: bool,
        pattern: bool,
    },
}

impl Effect {
    pub fn run(&self) -> usize {
        match self {
            Self::Read { run, .. }
            | Self::Write { run, .. }
            | Self::Delete { run, .. }
            | Self::Folder { run, .. }
            | Self::Attributes { run, .. } => *run,
        }
    }

    pub fn path(&self) -> &str {
        match self {
            Self::Read { path, .. }
            | Self::Write { path, .. }
            | Self::Delete { path, .. }
            | Self::Folder { path, .. }
            | Self::Attributes { path, .. } => path,
        }
    }

    pub fn is_pattern(&self) -> bool {
        match self {
            Self::Read { pattern, .. }
            | Self::Write { pattern, .. }
            | Self::Delete { pattern, .. }
            | Self::Folder { pattern, .. }
            | Self::Attributes { pattern, .. } => *pattern,
        }
    }

    /// It takes everything below with it.
    pub fn is_recursive(&self) -> bool {
        matches!(self, Self::Delete { recursive: true, .. } | Self::Attributes { recursive: true, .. })
    }

    /// Whether it meets what a pattern names: the path itself, one that its own pattern expands to, or one below it that goes with it.
    pub fn meets(&self, wanted: &str) -> bool {
        if glob::matches(wanted, self.path()) {
            return true;
        }
        // Of a pattern, only the folders before its first star are sure.
        let sure = wanted.find(['*', '?']).map_or(wanted, |star| &wanted[..star]);
        let is_literal = sure.len() == wanted.len();
        let above = sure.match_indices('/').map(|(at, _)| &sure[..at]);
        let named = |path: &str| {
            if self.is_pattern() { glob::expands_to(self.path(), path) } else { self.path() == path }
        };
        let goes_with_it = || named("/") || above.clone().any(named);
        (is_literal && named(wanted)) || (self.is_recursive() && goes_with_it())
    }

    /// What is known of the path, where its beginning is not.
    pub fn tail(&self) -> Option<&str> {
        self.path().strip_prefix(SOMEWHERE)
    }

    /// It changes what is there.
    pub fn changes(&self) -> bool {
        !matches!(self, Self::Read { .. })
    }

    /// It changes a file or takes one away.
    pub fn changes_content(&self) -> bool {
        !matches!(self, Self::Read { .. } | Self::Folder { .. })
    }
}

/// In place of the beginning of a path that nobody knows yet.
const SOMEWHERE: &str = "…/";

/// The effects of all runs on this machine.
pub(crate) fn effects(runs: &[Run], host: Host, budget: &Budget) -> Vec<Effect> {
    let mut found = Vec::new();
    let mut links = Links::default();
    for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.remote) {
        if !budget.spend(1 + run.args.len() / 4) {
            break;
        }
        let mut effects =
            Effects { runs, run, index, cwd: run.cwd.clone(), links: &links, found: &mut found, budget };
        effects.redirects();
        if !run.changes_nothing {
            effects.program();
            effects.written_by(host.writers);
        }
        links.note(run);
    }
    found
}

struct Effects<'r> {
    runs: &'r [Run],
    run: &'r Run,
    index: usize,
    /// Where its paths start: the run's folder, unless an option names another.
    cwd: Option<String>,
    /// Links that runs before it have made.
    links: &'r Links,
    found: &'r mut Vec<Effect>,
    budget: &'r Budget,
}

/// Programs that print or copy what they read: all operands are files. Not `wc`, `ssh-add`: nothing of the text is seen.
const READERS: &[&str] = &[
    "cat",
    "less",
    "more",
    "head",
    "tail",
    "sort",
    "uniq",
    "cut",
    "xxd",
    "od",
    "hexdump",
    "base64",
    "base32",
    "strings",
    "diff",
    "cmp",
    "bat",
    "batcat",
    "nl",
    "tac",
    "rev",
    "paste",
    "join",
    "comm",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "zcat",
    "gzip",
    "bzip2",
    "xz",
    "source",
    ".",
    "nano",
    "code",
    "open",
    "xdg-open",
    "scp",
    "split",
    "fold",
    "expand",
    "iconv",
    "ssh-keygen",
    "pbcopy",
    "xclip",
];

impl<'r> Effects<'r> {
    /// The path that a text names, from the run's folder.
    fn place(&self, text: &str) -> Option<String> {
        self.budget.spend(self.links.cost());
        match &self.cwd {
            Some(cwd) => Some(self.links.follow(join(cwd, text))),
            None if text.starts_with('/') => Some(self.links.follow(join("/", text))),
            None => somewhere(text),
        }
    }

    fn of(&self, word: &Word) -> Option<String> {
        match word.literal() {
            Some("") => None,
            Some(text) => self.place(text),
            // Whose home it is the running shell knows; that it is none of ours is plain.
            None if is_other_home(&word.text) => Some(format!("{SOMEWHERE}{}", word.text)),
            None => somewhere(tail(&word.text)?),
        }
    }

    fn read(&mut self, word: &Word) {
        if let Some(path) = self.of(word) {
            self.note(Effect::Read { run: self.index, path, pattern: word.glob });
        }
        for path in self.found_for(word) {
            self.note(Effect::Read { run: self.index, path, pattern: true });
        }
    }

    fn write(&mut self, word: &Word) {
        if let Some(path) = self.of(word) {
            self.note(Effect::Write { run: self.index, path, pattern: word.glob });
        }
        for path in self.found_for(word) {
            self.note(Effect::Write { run: self.index, path, pattern: true });
        }
    }

    fn make_folder(&mut self, word: &Word) {
        if let Some(path) = self.of(word) {
            self.note(Effect::Folder { run: self.index, path, pattern: word.glob });
        }
    }

    fn write_at(&mut self, path: String) {
        self.note(Effect::Write { run: self.index, path, pattern: false });
    }

    fn delete(&mut self, word: &Word, recursive: bool) {
        if let Some(path) = self.without_last_link(word) {
            let path = if word.glob { plain_stars(path) } else { path };
            self.note(Effect::Delete { run: self.index, path, recursive, pattern: word.glob });
        }
    }

    fn note(&mut self, effect: Effect) {
        if self.budget.spend(1) && self.budget.spend_bytes(effect.path().len()) {
            self.found.push(effect);
        }
    }

    /// What is deleted is a link itself, unless a slash behind it leads through it.
    fn without_last_link(&self, word: &Word) -> Option<String> {
        let leads_through = word.text.ends_with('/') || word.text.ends_with("/.");
        match (word.literal(), &self.cwd) {
            (Some(text), Some(cwd)) if !text.is_empty() && !leads_through => {
                self.budget.spend(self.links.cost());
                Some(self.links.follow_folders(join(cwd, text)))
            }
            _ => self.of(word),
        }
    }

    /// Changes owner or mode.
    fn attributes_of(&mut self, word: &Word, recursive: bool) {
        if let Some(path) = self.of(word) {
            self.note(Effect::Attributes { run: self.index, path, recursive, pattern: word.glob });
        }
        self.attributes_found(word, recursive);
    }

    /// From here on, paths start in another folder.
    fn enter(&mut self, folder: &Word) {
        let is_folder = |path: &String| path.starts_with('/') && path.len() <= LONGEST;
        self.cwd = self.of(folder).filter(is_folder);
    }

    fn redirects(&mut self) {
        for Redirect { kind, target } in &self.run.files {
            match kind {
                RedirectKind::Read => self.read(target),
                RedirectKind::Write | RedirectKind::Append => self.write(target),
            }
        }
    }

    fn options(&self, valued: &[&str]) -> Options<'r> {
        Options::read(&self.run.args, valued, false)
    }

    fn program(&mut self) {
        let run = self.run;
        let Some(program) = run.program.as_deref() else { return };
        match program {
            "rm" | "grm" => {
                let options = self.options(&[]);
                let recursive = options.has(&["-r", "-R"]) || options.has_long("--recursive", 1);
                for word in options.operands {
                    self.delete(word, recursive);
                    self.delete_listed(word, recursive);
                }
            }
            "rmdir" | "unlink" | "rimraf" => {
                for word in self.options(&[]).operands {
                    self.delete(word, program == "rimraf");
                    self.delete_listed(word, program == "rimraf");
                }
            }
            "shred" => {
                for word in self.options(&["-n", "-s"]).operands {
                    self.delete(word, false);
                    self.delete_listed(word, false);
                }
            }
            "find" | "gfind" => self.find(),
            "fd" | "fdfind" => self.fd(),
            "git" | "hub" => self.git(),
            "mv" | "cp" | "install" | "rsync" | "ln" | "gmv" | "gcp" => self.copy(program),
            "tar" | "gtar" | "bsdtar" => self.tar(),
            "link" => self.copy("ln"),
            "unzip" => self.unzip(),
            "zip" | "7z" | "7za" | "7zr" | "rar" => self.pack(program),
            "curl" => self.curl(),
            "wget" => self.wget(),
            "openssl" => self.openssl(),
            "tee" | "sponge" => self.write_operands(&[]),
            "touch" | "mkdir" | "mkfifo" | "mknod" => self.make(program),
            "socat" => self.socat(),
            "nc" | "ncat" | "netcat" => self.netcat(),
            "truncate" => self.write_operands(&["-s", "--size", "-r", "--reference"]),
            "ed" => self.write_operands(&["-p", "--prompt"]),
            "ex" => {
                self.write_operands(&["-c"]);
                self.editor();
            }
            "patch" => self.patch(),
            "dd" => self.dd(),
            "chmod" | "chown" | "chgrp" => self.attributes(program),
            "ruby" | "perl" | "awk" | "gawk" | "mawk" | "nawk" => {
                self.script();
                self.search(program);
            }
            "sed" | "gsed" => {
                self.search(program);
                self.sed_output();
            }
            "vim" | "vi" | "nvim" | "gvim" | "view" | "emacs" => {
                self.options(&["-c", "--cmd"]).operands.iter().for_each(|word| self.read(word));
                self.editor();
            }
            _ if READERS.contains(&program) => {
                let options = self.options(reader_values(program));
                if program == "sort" {
                    self.write_values(&options, &["-o", "--output"]);
                }
                options.operands.iter().for_each(|word| self.read(word));
            }
            _ if search::SEARCHERS.contains(&program) => self.search(program),
            _ if Language::of(program).is_some() => self.script(),
            _ => {}
        }
        self.output(program);
    }

    /// The file that a subcommand of the host writes.
    fn written_by(&mut self, writers: &[Writer]) {
        // Options of the program may come first.
        let Some(at) = self.run.args.iter().position(|word| !word.text.starts_with('-')) else { return };
        let (subcommand, rest) = (&self.run.args[at], &self.run.args[at + 1..]);
        let is_it = |writer: &&Writer| self.run.is(&[writer.program]) && subcommand.text == writer.subcommand;
        let Some(writer) = writers.iter().find(is_it) else { return };
        let options = Options::read(rest, &[], false);
        if let Some(file) =
            options.operands.get(writer.operand).filter(|word| !writer.except.contains(&word.text.as_str()))
        {
            self.write(file);
        }
    }

    fn write_operands(&mut self, valued: &[&str]) {
        for word in self.options(valued).operands {
            self.write(word);
        }
    }

    /// Files that options name.
    fn write_values(&mut self, options: &Options<'_>, names: &[&str]) {
        for word in options.all(names).filter_map(Given::word).filter(|word| word.text != "-") {
            self.write(&word);
        }
    }

    fn dd(&mut self) {
        for arg in &self.run.args {
            let part = |text: &str| Word { text: text.to_owned(), ..arg.clone() };
            if let Some(path) = arg.text.strip_prefix("of=") {
                self.write(&part(path));
            } else if let Some(path) = arg.text.strip_prefix("if=") {
                self.read(&part(path));
            }
        }
    }

    fn attributes(&mut self, program: &str) {
        // `-x` is a mode, not an option.
        let is_mode = |word: &Word| {
            let letters = word.text.strip_prefix('-').unwrap_or_default();
            program == "chmod" && !letters.is_empty() && letters.chars().all(|c| "rwxXstugo".contains(c))
        };
        let modes = self.run.args.iter().filter(|word| is_mode(word)).count();
        let args: Vec<Word> = self.run.args.iter().filter(|word| !is_mode(word)).cloned().collect();
        let options = Options::read(&args, &[], false);
        let recursive = options.has(&["-R"]) || options.has_long("--recursive", 4);
        // The first operand is the mode or owner, unless a file gives it.
        let first = usize::from(modes == 0 && !options.has_long("--reference", 4));
        for word in options.operands.iter().skip(first) {
            self.attributes_of(word, recursive);
        }
    }

    /// What shows a key; what only uses one, or shows its public part, does not.
    fn openssl(&mut self) {
        let args = &self.run.args;
        let shows = args.first().is_some_and(|command| {
            matches!(
                command.text.as_str(),
                "rsa" | "pkey" | "ec" | "dsa" | "pkcs8" | "pkcs12" | "enc" | "base64" | "asn1parse"
            )
        });
        let hides = args.iter().any(|arg| matches!(arg.text.as_str(), "-pubout" | "-noout"));
        if shows && !hides {
            for pair in args.windows(2).filter(|pair| pair[0].text == "-in") {
                self.read(&pair[1]);
            }
        }
    }
}

/// `**`, `***` and `**/*` at the end are a star: with `globstar` they take what is below with them, which a delete does anyway.
fn plain_stars(path: String) -> String {
    let name_of = |path: &str| path.rfind('/').map_or(0, |slash| slash + 1);
    let is_stars = |name: &str| name.len() > 1 && name.bytes().all(|byte| byte == b'*');
    let folder = path.strip_suffix("/*").filter(|folder| is_stars(&folder[name_of(folder)..]));
    let whole = folder.unwrap_or(&path);
    let at = name_of(whole);
    if is_stars(&whole[at..]) { format!("{}*", &whole[..at]) } else { path }
}

/// What is known behind the last unknown part of a word; a name counts as a whole only.
fn tail(text: &str) -> Option<&str> {
    let home = text.starts_with('~').then_some(0);
    let unknown = text.rfind(['$', '`', ')', '}', '…']).or(home)?;
    let behind = &text[unknown..];
    Some(&behind[behind.find('/')? + 1..])
}

/// `~ann/x`, of which all but the place of that home is known.
fn is_other_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|name| {
        name.starts_with(char::is_alphabetic)
            && !name.contains(['$', '`', '(', '{', '…'])
            && !name.contains("..")
    })
}

/// A path of which only the end is known. It may climb out of its beginning.
fn somewhere(tail: &str) -> Option<String> {
    let (mut depth, mut climbs) = (0_usize, false);
    for part in tail.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => climbs = true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    let path = join("/", tail);
    let names = path.trim_start_matches('/');
    match (climbs, names) {
        (true, names) => Some(format!("{SOMEWHERE}../{names}")),
        (false, "") => None,
        (false, names) => Some(format!("{SOMEWHERE}{names}")),
    }
}

/// Options of a reader that take the next word.
fn reader_values(program: &str) -> &'static [&'static str] {
    match program {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "cut" => &["-d", "-f", "-c", "-b"],
        "sort" => &["-k", "-t", "-o", "-S", "-T", "--output"],
        "uniq" => &["-f", "-s", "-w"],
        "od" => &["-A", "-j", "-N", "-t", "-w"],
        "xxd" => &["-l", "-s", "-c", "-g"],
        "base64" | "base32" | "fold" => &["-w"],
        "split" => &["-b", "-l", "-n", "-a"],
        "paste" => &["-d"],
        "join" => &["-t", "-1", "-2", "-o"],
        "iconv" => &["-f", "-t"],
        "scp" => &["-i", "-P", "-o", "-F"],
        "ssh-keygen" => &["-f", "-t", "-b", "-C", "-N"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_meet_what_goes_with_them() {
        let delete = |path: &str, recursive, pattern| Effect::Delete {
            run: 0,
            path: path.to_owned(),
            recursive,
            pattern,
        };
        for (effect, wanted, expected) in [
            (delete("/p/dir", true, false), "/p/dir/locked", true),
            (delete("/p/dir", false, false), "/p/dir/locked", false),
            (delete("/p/di", true, false), "/p/dir/locked", false),
            (delete("/p/d*", true, true), "/p/dir/locked", true),
            (delete("/p/d*", false, true), "/p/dir/locked", false),
            (delete("/", true, false), "/p/dir/locked", true),
            (delete("/p/src", true, false), "/p/src/gen/**", true),
            (delete("/p/src/gen/x", true, false), "/p/src/gen/**", true),
            (delete("/p/src/lib", true, false), "/p/src/gen/**", false),
            (delete("/p/src", true, false), "/p/*/x", false),
        ] {
            assert_eq!(effect.meets(wanted), expected, "{effect:?} {wanted}");
        }
    }
}
