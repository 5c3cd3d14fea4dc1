//! What `find` deletes, and what it finds for programs that it runs or feeds.
//!
//! Its tests become patterns, over which [`may_find`](Find::may_find) decides for a single path: what a test leaves out is not met.

use super::listing::{listed, listed_by_fd};
use super::{Effect, Effects, Options, Run, Word};
use crate::wrapper;
use engine_text::glob;
use engine_text::path::join;

/// Tests that leave something of a folder over, in a way that no path tells.
const VAGUE: &[&str] = &[
    "-size",
    "-empty",
    "-newer",
    "-user",
    "-group",
    "-links",
    "-perm",
    "-xtype",
    "-lname",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newermt",
    "-inum",
    "-samefile",
    "-executable",
    "-writable",
];

/// Tests over the name or the path.
const TESTS: &[&str] =
    &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];

/// Tests and options without a say in this that take a value.
const VALUED: &[&str] = &["-type", "-maxdepth", "-mindepth", "-printf", "-fprint", "-regextype", "-fstype"];

/// Programs that only look at what was found: find goes on to the tests behind them.
const LOOKING: &[&str] =
    &["grep", "egrep", "fgrep", "rg", "test", "[", "file", "head", "cat", "ls", "stat", "echo", "printf"];

/// More alternatives than a person's find has.
const MOST_BRANCHES: usize = 64;

fn is_exec(word: &str) -> bool {
    matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// Whether a word ends the command of `-exec`: `;`, or `+` behind `{}`.
fn ends(word: &str, before: &str) -> bool {
    word == ";" || (word == "+" && before == "{}")
}

/// The commands of `-exec`. Between it and its end, another one is an argument.
pub(crate) fn executed(args: &[Word]) -> impl Iterator<Item = &[Word]> {
    let mut rest = args;
    std::iter::from_fn(move || {
        let at = rest.iter().position(|arg| is_exec(&arg.text))?;
        rest = &rest[at + 1..];
        let before = std::iter::once("").chain(rest.iter().map(|word| word.text.as_str()));
        let end = rest.iter().zip(before).position(|(word, before)| ends(&word.text, before));
        let (command, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(command)
    })
}

/// Runs before a word, of which one may be what lists.
const MOST_FILTERS: usize = 32;

/// A call of find.
pub(crate) struct Find<'r> {
    starts: Vec<Word>,
    args: &'r [Word],
    cwd: Option<&'r str>,
}

/// Tests that hold together, with those that must not hold.
#[derive(Default)]
struct Branch {
    wanted: Vec<Test>,
    unwanted: Vec<Test>,
    is_vague: bool,
    is_pruned: bool,
    /// It finds no folders.
    is_of_files: bool,
}

/// A pattern, over the whole path or the name alone.
#[derive(Clone)]
struct Test {
    pattern: String,
    is_path: bool,
}

impl Test {
    fn of(name: &str, value: &Word) -> Option<Self> {
        let text = value.literal()?;
        let either = |text: &str| -> String {
            let both = |c: char| match c {
                c if c.is_ascii_alphabetic() => {
                    format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase())
                }
                c => c.to_string(),
            };
            text.chars().map(both).collect()
        };
        let (pattern, is_path) = match name {
            "-name" => (text.to_owned(), false),
            "-iname" => (either(text), false),
            "-path" | "-wholename" => (text.to_owned(), true),
            "-ipath" | "-iwholename" => (either(text), true),
            "-regex" => (pattern_of_regex(text)?, true),
            "-iregex" => (either(&pattern_of_regex(text)?), true),
            _ => return None,
        };
        Some(Self { pattern, is_path })
    }

    /// The absolute patterns of what it holds for, from a start as it was written.
    fn patterns(&self, start: &str, folder: &str) -> Vec<String> {
        let below = if self.is_path {
            let written = start.trim_end_matches('/');
            match self.pattern.strip_prefix(written) {
                Some(rest) if rest.starts_with('/') => rest[1..].to_owned(),
                // A star in front stands for the start too.
                _ if self.pattern.starts_with('*') => self.pattern.clone(),
                _ => return Vec::new(),
            }
        } else {
            return vec![format!("{}/{}", join(folder, "**"), self.pattern)];
        };
        over_folders(&below)
            .into_iter()
            .map(|below| format!("{}/{below}", folder.trim_end_matches('/')))
            .collect()
    }
}

impl Test {
    /// What it holds for everything below of: `x` for `x/*`.
    fn folder(&self) -> Option<Self> {
        let folder = self.pattern.strip_suffix("/*").filter(|_| self.is_path)?;
        Some(Self { pattern: folder.to_owned(), is_path: true })
    }

    /// Whether it holds for a path below a start.
    fn holds(&self, start: &str, folder: &str, path: &str) -> bool {
        let name = || format!("/{}", path.rsplit('/').next().unwrap_or_default());
        // Below `**` a star stands for hidden names too, as with find.
        if self.is_path {
            let patterns = self.patterns(start, folder);
            patterns.iter().any(|pattern| glob::expands_to(&format!("/**{pattern}"), path))
        } else {
            glob::expands_to(&format!("/**/{}", self.pattern), &name())
        }
    }
}

/// A star of `-path` stands for slashes too; as patterns in which only `**` does.
fn over_folders(pattern: &str) -> Vec<String> {
    let mut made: Vec<Vec<String>> = vec![Vec::new()];
    for (index, part) in pattern.split('/').enumerate() {
        let mut pieces: Vec<String> = Vec::new();
        if part.starts_with('*') {
            pieces.push("**".to_owned());
        }
        // Alone in front it may stand for the start, and for no folder below it.
        if part != "*" || index > 0 {
            pieces.push(part.to_owned());
        }
        if part.ends_with('*') && part != "*" {
            pieces.push("**".to_owned());
        }
        // With a star in the middle, the halves may stand in two folders.
        let middle = part.trim_matches('*').split_once('*').filter(|_| made.len() < 8);
        let apart = middle.map(|(left, right)| [format!("{left}*"), "**".to_owned(), format!("*{right}")]);
        let mut others: Vec<Vec<String>> = Vec::new();
        for all in &mut made {
            if let Some(apart) = &apart {
                others.push(all.iter().chain(apart).cloned().collect());
            }
            all.extend(pieces.iter().cloned());
        }
        made.extend(others);
    }
    let whole = |mut parts: Vec<String>| {
        // Only a `**` inside finds hidden names.
        if parts.last().is_some_and(|last| last == "**") {
            parts.push("*".to_owned());
            let below = parts.join("/");
            let itself = parts[..parts.len() - 2].join("/");
            return vec![below, itself];
        }
        vec![parts.join("/")]
    };
    made.into_iter().flat_map(whole).filter(|pattern| !pattern.is_empty()).collect()
}

/// A regular expression of letters, dots and `.*` as a pattern.
fn pattern_of_regex(text: &str) -> Option<String> {
    let mut pattern = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '.' if chars.peek() == Some(&'*') => {
                chars.next();
                pattern.push('*');
            }
            '.' => pattern.push('?'),
            '\\' => pattern.push(chars.next().filter(|c| !c.is_alphanumeric() && !"(|){}".contains(*c))?),
            '*' | '+' | '[' | '(' | '|' | '^' | '$' | '{' | '?' => return None,
            c => pattern.push(c),
        }
    }
    Some(pattern)
}

/// Whether a group, from behind its bracket, is nothing but tests of which one must hold: negated, each of them leaves something out.
fn plain_group(mut args: &[Word]) -> Option<()> {
    loop {
        let [name, _, next, rest @ ..] = args else { return None };
        if !TESTS.contains(&name.text.as_str()) {
            return None;
        }
        match next.text.as_str() {
            ")" => return Some(()),
            "-o" | "-or" => args = rest,
            _ => return None,
        }
    }
}

/// How many words there are up to the end of a group and with it.
fn group_length(args: &[Word]) -> usize {
    let mut depth = 1usize;
    for (index, arg) in args.iter().enumerate() {
        match arg.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    args.len()
}

impl<'r> Find<'r> {
    /// The find of a run, if it is one.
    pub(crate) fn of(run: &'r Run) -> Option<Self> {
        if !run.is(&["find", "gfind"]) {
            return None;
        }
        let mut args = run.args.as_slice();
        while let [first, rest @ ..] = args
            && matches!(first.text.as_str(), "-L" | "-H" | "-P")
        {
            args = rest;
        }
        let is_start = |arg: &&Word| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "(" | "!");
        let mut starts: Vec<Word> = args.iter().take_while(is_start).cloned().collect();
        if starts.is_empty() {
            starts.push(Word::known("."));
        }
        Some(Self { starts, args, cwd: run.cwd.as_deref() })
    }

    /// Whether it deletes, and if so with everything below.
    fn deletes(&self) -> Option<bool> {
        let by_program = executed(self.args).filter_map(|command| {
            let program = command.first()?.text.rsplit('/').next();
            let options = Options::read(&command[1..], &[], false);
            matches!(program, Some("rm" | "unlink" | "shred"))
                .then(|| options.has(&["-r", "-R"]) || options.has_long("--recursive", 1))
        });
        self.deletes_itself().then_some(false).into_iter().chain(by_program).max()
    }

    /// `-delete`, unless it is a word of the command that `-exec` runs.
    fn deletes_itself(&self) -> bool {
        let (mut is_command, mut before) = (false, "");
        self.args.iter().any(|arg| {
            let text = arg.text.as_str();
            if is_command {
                is_command = !ends(text, std::mem::replace(&mut before, text));
                return false;
            }
            (is_command, before) = (is_exec(text), "");
            text == "-delete"
        })
    }

    /// Tests that hold together. Which of the branches an action belongs to is not asked.
    fn branches(&self) -> Vec<Branch> {
        let mut branches = vec![Branch::default()];
        let (mut is_negated, mut group_negated) = (false, false);
        // Once something was done in a branch, tests behind it take nothing of that back.
        let mut has_acted = false;
        let mut at = 0;
        while let Some(word) = self.args.get(at) {
            let name = word.text.as_str();
            at += 1;
            let Some(branch) = branches.last_mut() else { break };
            match name {
                "!" | "-not" => {
                    is_negated = !is_negated;
                    continue;
                }
                "(" if is_negated => match plain_group(&self.args[at..]) {
                    Some(()) => group_negated = true,
                    // What it leaves over is not known: nothing is taken for left out.
                    None => at += group_length(&self.args[at..]),
                },
                ")" => group_negated = false,
                "-o" | "-or" | "," if !group_negated => {
                    branches.push(Branch::default());
                    has_acted = false;
                    // An empty branch finds everything, and so more than the rest of them.
                    if branches.len() > MOST_BRANCHES {
                        return branches;
                    }
                }
                "-prune" => branch.is_pruned = true,
                "-delete" => {
                    branch.is_pruned = false;
                    has_acted = true;
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    // What is not entered is acted on.
                    branch.is_pruned = false;
                    let program = self.args.get(at).and_then(|word| word.text.rsplit('/').next());
                    has_acted |= !program.is_some_and(|program| LOOKING.contains(&program));
                    let mut before = "";
                    while let Some(word) = self.args.get(at).filter(|word| !ends(&word.text, before)) {
                        before = &word.text;
                        at += 1;
                    }
                }
                name if TESTS.contains(&name) => {
                    let Some(value) = self.args.get(at) else { break };
                    at += 1;
                    match Test::of(name, value) {
                        _ if has_acted => {}
                        Some(test) if is_negated || group_negated => branch.unwanted.push(test),
                        Some(test) => branch.wanted.push(test),
                        None => branch.is_vague = true,
                    }
                }
                name if VAGUE.contains(&name) => branch.is_vague |= !has_acted,
                name if VALUED.contains(&name) => {
                    let is_of_files =
                        name == "-type" && self.args.get(at).is_some_and(|kind| kind.text == "f");
                    branch.is_of_files |= is_of_files && !is_negated && !has_acted;
                    at += 1;
                }
                _ => {}
            }
            is_negated = false;
        }
        branches
    }

    /// The deepest level that it looks at.
    fn depth(&self) -> Option<usize> {
        let at = self.args.iter().position(|arg| arg.text == "-maxdepth")?;
        self.args.get(at + 1)?.text.parse().ok()
    }

    /// It finds no folders.
    fn is_of_files(&self) -> bool {
        self.args.windows(2).any(|pair| pair[0].text == "-type" && pair[1].text == "f")
    }

    fn is_typed(&self) -> bool {
        self.args.iter().any(|arg| arg.text == "-type")
    }

    /// Whether everything below its starts is found.
    fn finds_all(&self) -> bool {
        let is_plain = |branch: &Branch| {
            branch.wanted.is_empty() && branch.unwanted.is_empty() && !branch.is_vague && !branch.is_pruned
        };
        self.branches().iter().all(is_plain)
    }

    /// Patterns of what it may find.
    fn patterns(&self, folder_of: impl Fn(&Word) -> Option<String>) -> Vec<String> {
        let branches = self.branches();
        let depth = self.depth();
        let mut all = Vec::new();
        for start in &self.starts {
            let Some(folder) = folder_of(start).filter(|path| path.starts_with('/')) else { continue };
            let here = folder.trim_end_matches('/');
            for branch in branches.iter().filter(|branch| !branch.is_pruned) {
                match branch.wanted.first() {
                    Some(test) if depth == Some(1) && !test.is_path => {
                        all.push(format!("{here}/{}", test.pattern));
                        if test.pattern.starts_with(['*', '?']) {
                            all.push(format!("{here}/.{}", test.pattern));
                        }
                    }
                    Some(test) => all.extend(test.patterns(&start.text, &folder)),
                    // How much such a test leaves over is not known: hidden names are not counted in.
                    None if branch.is_vague => all.push(format!("{here}/**")),
                    None if depth == Some(1) => {
                        all.push(format!("{here}/*"));
                        all.extend((!self.is_of_files()).then(|| format!("{here}/.*")));
                    }
                    None => all.push(format!("{here}/**/*")),
                }
            }
        }
        all
    }

    /// Whether it may find a path: all tests of a branch hold for it.
    pub(crate) fn may_find(&self, path: &str) -> bool {
        let branches = self.branches();
        self.starts.iter().any(|start| {
            let Some(folder) = start.literal().and_then(|text| Some(join(self.cwd?, text))) else {
                return true;
            };
            let holds = |test: &Test, path: &str| test.holds(&start.text, &folder, path);
            // What is below a pruned folder is not found either.
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
            let is_pruned = above.any(|above| {
                let pruned = branches.iter().filter(|branch| branch.is_pruned && !branch.wanted.is_empty());
                above.len() > folder.len()
                    && pruned.into_iter().any(|branch| branch.wanted.iter().all(|test| holds(test, above)))
            });
            // How much a vague test leaves over is not known: a single file counts in a hidden folder only.
            let is_hidden = folder.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
            let is_counted = |branch: &Branch| is_hidden || !branch.is_vague || !branch.wanted.is_empty();
            // Who leaves out all that is below a path takes it for a folder.
            let is_folder = |branch: &Branch| {
                let mut below = branch.unwanted.iter().filter_map(Test::folder);
                branch.is_of_files && below.any(|test| holds(&test, path))
            };
            let found = |branch: &Branch| {
                !branch.is_pruned
                    && !is_folder(branch)
                    && is_counted(branch)
                    && branch.wanted.iter().all(|test| holds(test, path))
                    && !branch.unwanted.iter().any(|test| holds(test, path))
            };
            !is_pruned && branches.iter().any(found)
        })
    }
}

impl<'r> Effects<'r> {
    pub(super) fn find(&mut self) {
        let Some(find) = Find::of(self.run) else { return };
        let lists = ["-fprint", "-fprint0", "-fprintf", "-fls"];
        for pair in self.run.args.windows(2).filter(|pair| lists.contains(&pair[0].text.as_str())) {
            self.write(&pair[1]);
        }
        if let Some(recursive) = find.deletes() {
            self.delete_found(&find, recursive);
        }
    }

    fn delete_found(&mut self, find: &Find<'_>, recursive: bool) {
        if find.finds_all() {
            find.starts.iter().for_each(|start| self.delete(start, true));
            return;
        }
        for path in self.patterns_of(find) {
            self.note(Effect::Delete { run: self.index, path, recursive, pattern: true });
        }
    }

    /// The run that lists what a word stands for: `{}` of `-exec` and of `xargs`, `$(find …)`, a variable that was set to that.
    fn lister(&self, word: &Word) -> Option<&'r Run> {
        if word.from.len() > MOST_FILTERS {
            return None;
        }
        let from: Vec<usize> =
            word.from.iter().copied().filter(|run| !self.hands_on(*run, &word.from)).collect();
        let (lister, filters) = from.split_first()?;
        // Of what passes through another program some is left over, but through these.
        let keeps_all = |run: &usize| {
            self.runs.get(*run).is_some_and(|run| run.is(&["sort", "uniq", "cat", "tac", "shuf", "tr"]))
        };
        if !word.unknown || !is_one_value(&word.text) || !self.budget.spend(filters.len()) {
            return None;
        }
        self.runs.get(*lister).filter(|_| filters.iter().all(keeps_all))
    }

    /// Whether a run of these prints nothing by itself: it runs the next one, or its output is a word of another one.
    fn hands_on(&self, run: usize, among: &[usize]) -> bool {
        let Some(this) = self.runs.get(run) else { return false };
        let is_wrapper = among.contains(&(run + 1))
            && !this.is(&["find", "gfind", "fd", "fdfind", "git"])
            && this.program.as_deref().is_some_and(|program| wrapper::of(program).is_some())
            && self.runs.get(run + 1).is_some_and(|next| next.via.len() > this.via.len());
        let is_word = || {
            let later = among.iter().filter(|other| **other > run).filter_map(|other| self.runs.get(*other));
            let mut words = later.flat_map(|other| std::iter::once(&other.path).chain(&other.args));
            words.any(|word| word.from.contains(&run))
        };
        is_wrapper || is_word()
    }

    /// The find whose findings a word stands for.
    fn finder(&self, word: &Word) -> Option<Find<'r>> {
        // What it deletes itself nobody else gets.
        self.lister(word).and_then(Find::of).filter(|find| !find.deletes_itself())
    }

    /// Patterns of what `find` finds in place of a word.
    pub(super) fn found_for(&self, word: &Word) -> Vec<String> {
        self.finder(word).map(|find| self.patterns_of(&find)).unwrap_or_default()
    }

    /// Each pattern is compared with the tests of each branch later.
    fn patterns_of(&self, find: &Find<'_>) -> Vec<String> {
        let branches = find.branches().len();
        let patterns = find.starts.len() * branches;
        if !self.budget.spend(find.args.len() / 4 + patterns * (1 + branches / 8)) {
            return Vec::new();
        }
        find.patterns(|start| self.of(start))
    }

    /// `find . | xargs rm`, `ls | xargs rm`: everything that is listed is deleted.
    pub(super) fn delete_listed(&mut self, word: &Word, recursive: bool) {
        let placed = self.placed(word);
        let word = placed.as_ref().unwrap_or(word);
        let Some(lister) = self.lister(word) else { return };
        if let Some(find) = Find::of(lister) {
            if !find.deletes_itself() {
                self.delete_found(&find, recursive);
            }
            return;
        }
        for word in listed(lister) {
            // The files of a whole tree are the tree.
            let is_all = matches!(word.text.as_str(), "." | "*");
            self.delete(&word, recursive || is_all);
        }
    }

    /// `ls *.md | xargs sed -i`: files that are listed by a pattern are written. Of a list of everything, nobody knows which files of it
    /// change.
    pub(super) fn write_listed(&mut self, word: &Word) {
        let placed = self.placed(word);
        let Some(lister) = self.lister(placed.as_ref().unwrap_or(word)) else { return };
        if Find::of(lister).is_some() {
            return;
        }
        for word in listed(lister).into_iter().filter(|word| !matches!(word.text.as_str(), "." | "*")) {
            self.write(&word);
        }
    }

    /// `{}` in a line of shell: `find -exec sh -c 'rm {}'` and `xargs -I{} sh -c 'rm {}'` put the names in before the shell reads it.
    fn placed(&self, word: &Word) -> Option<Word> {
        if word.text != "{}" || word.unknown {
            return None;
        }
        let by = |wrapper: &str| self.run.via.iter().any(|via| via == wrapper);
        let programs: &[&str] = match (by("find -exec"), by("xargs") || by("parallel")) {
            (true, _) => &["find", "gfind"],
            (false, true) => &["xargs", "parallel"],
            (false, false) => return None,
        };
        let at = self.runs[..self.index].iter().rposition(|run| run.is(programs))?;
        self.budget.spend((self.index - at) / 8);
        let from = if by("find -exec") { vec![at] } else { self.runs[at].fed_by.clone() };
        Some(Word { unknown: true, from, ..word.clone() })
    }

    /// Changes owner or mode of what is found: of everything, that is the folder with all below.
    pub(super) fn attributes_found(&mut self, word: &Word, recursive: bool) {
        let Some(find) = self.finder(word) else { return };
        if find.finds_all() && (recursive || !find.is_typed()) {
            for start in &find.starts {
                if let Some(path) = self.of(start) {
                    let pattern = start.glob;
                    self.note(Effect::Attributes { run: self.index, path, recursive: true, pattern });
                }
            }
            return;
        }
        for path in self.patterns_of(&find) {
            self.note(Effect::Attributes { run: self.index, path, recursive, pattern: true });
        }
    }

    /// `fd . -X rm`: what it finds is everything unless something narrows it.
    pub(super) fn fd(&mut self) {
        let is_exec = |arg: &Word| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
        let Some(at) = self.run.args.iter().position(is_exec) else { return };
        let (own, command) = self.run.args.split_at(at);
        let program = command.get(1).and_then(|word| word.text.rsplit('/').next());
        let wrapped = || command.iter().skip(2).find(|word| !word.text.starts_with('-'));
        let program = match program {
            Some("sudo" | "doas" | "env" | "nice" | "command") => wrapped().map(|word| word.text.as_str()),
            other => other,
        };
        if !matches!(program, Some("rm" | "unlink" | "shred" | "rimraf")) {
            return;
        }
        for word in listed_by_fd(own) {
            self.delete(&word, true);
        }
    }
}

/// Whether a word is a single value that was not put together: `{}`, `$(cmd)`, `$name`, or that from the current folder: `./$name`.
fn is_one_value(text: &str) -> bool {
    let text = text.strip_prefix("./").unwrap_or(text);
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    text == "{}"
        || (text.starts_with("$(") && text.ends_with(')'))
        || text.strip_prefix('$').is_some_and(is_name)
}
