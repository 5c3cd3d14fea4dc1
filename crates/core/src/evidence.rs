//! Whether a command really passed, by the journal: it ran in the folder that is meant, its own status was 0, and the content that it
//! passed on is known.
//!
//! A claim of an agent is not believed where the journal can tell. Where it cannot (`timeout`, a script, the background), the answer is
//! unknown, and `engine check -- CMD` gives one that counts.

use std::collections::HashMap;

pub mod claim;
pub mod definition;
pub mod known;
pub mod ledger;
pub mod output;
pub mod proof;
pub mod propose;
mod reader;
pub mod reading;
pub mod recorder;
pub mod standing;
pub mod touch;
mod trick;

use crate::dialect::Dialect;
use crate::journal::{CHECK, Entry};
use engine_shell::{Analysis, Options, Run};
use proof::Command;
use reader::{Line, Reader, Told, Wanted, is_checked};
pub use touch::Touch;

/// What the journal says of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// When it ran last, it ended with 0.
    Passed(Pass),
    /// When it ran last, it ended with this.
    Failed { exit: i32 },
    /// It was not run; or only in this folder.
    Never { elsewhere: Option<String> },
    /// It passed, and this was edited while it ran, or later on its line.
    Stale { edited: String },
    /// It ran, but whether it passed cannot be told.
    Unknown { why: String },
}

/// A run that passed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pass {
    /// When, in RFC 3339.
    pub at: String,
    /// The content that it passed on, where that was kept.
    pub content: Option<String>,
    /// The contents of earlier passes with no failure since: who goes back to one of them has what passed.
    pub earlier: Vec<String>,
    /// The content when it began, where that was kept and nothing on its line came before it: what differs was changed while it ran.
    pub before: Option<String>,
    /// What was edited last since then, as far as the journal tells.
    pub edited: Option<String>,
}

/// Where edits count, and what checks are known there.
#[derive(Debug, Clone, Copy)]
pub struct EditScope<'a> {
    /// The project's folder, absolute.
    pub root: &'a str,
    pub home: Option<&'a str>,
    /// What `TMPDIR` says.
    pub temporary: Option<&'a str>,
    /// Files whose edits do not count, absolute: the log.
    pub free: &'a [&'a str],
    /// What counts as a check besides the table: [`known::CHECKS`].
    pub checks: &'a [&'a str],
    /// The names that the client gives to tools and events in the journal.
    pub dialect: &'a Dialect,
}

impl<'a> EditScope<'a> {
    /// A project in which every edit counts, and nothing is known of the person's folders.
    pub fn new(root: &'a str, dialect: &'a Dialect) -> Self {
        Self { root, home: None, temporary: None, free: &[], checks: &[], dialect }
    }
}

/// Folders of a project that hold what is written about the work, not the work.
pub const FREE: &[&str] = &["sessions", ".engine"];

/// Folders of a project that hold what builds and tests make, and can make again.
const MADE: &[&str] = &["target", "__pycache__", ".pytest_cache"];

/// Looks through the entries of one agent session, the oldest first.
pub fn find<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    wanted: &Command,
    scope: &EditScope<'_>,
) -> Evidence {
    match Search::new(wanted, scope) {
        Ok(mut search) => {
            entries.into_iter().for_each(|entry| search.see(entry));
            search.found()
        }
        Err(why) => Evidence::Unknown { why },
    }
}

/// The exit status with which a command failed, if it did at any time.
pub fn failure<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    wanted: &Command,
    scope: &EditScope<'_>,
) -> Option<i32> {
    let mut search = Search::new(wanted, scope).ok()?;
    entries.into_iter().find_map(|entry| {
        search.see(entry);
        match search.found {
            Evidence::Failed { exit } => Some(exit),
            _ => None,
        }
    })
}

/// Why no run of a line could ever prove anything.
pub fn unprovable(wanted: &Command, scope: &EditScope<'_>) -> Option<String> {
    Search::new(wanted, scope).err()
}

/// The checks that a line runs, by the table or the configuration; nothing if one of its commands is none.
pub fn checks_of(wanted: &Command, scope: &EditScope<'_>) -> Option<Vec<known::Check>> {
    let search = Search::new(wanted, scope).ok()?;
    search.wanted.runs.iter().map(|run| known::check_of(run, scope.checks)).collect()
}

/// Whether a line can pass whatever fails.
pub fn is_steered(wanted: &Command, scope: &EditScope<'_>) -> bool {
    Search::new(wanted, scope).is_ok_and(|search| search.wanted.runs.iter().any(known::is_steered))
}

/// The folder whose content a passing run of a line covers, from the root; nothing if that cannot be told.
pub fn folder_of(wanted: &Command, scope: &EditScope<'_>) -> Option<String> {
    let search = Search::new(wanted, scope).ok()?;
    let run = search.wanted.runs.last()?;
    let folder = known::check_of(run, scope.checks).map_or_else(|| run.cwd.clone(), |check| check.folder)?;
    ledger::below(&folder, scope.root)
}

struct Search<'a> {
    wanted: Wanted,
    reader: Reader<'a>,
    found: Evidence,
    elsewhere: Option<String>,
    /// How many edits were seen, and the last of them.
    edits: usize,
    last: Option<String>,
    open: OpenCalls,
}

/// Calls of the shell that have begun and not ended.
#[derive(Default)]
struct OpenCalls(HashMap<String, OpenCall>);

struct OpenCall {
    /// Whose it is: the agent session, and the subagent.
    by: (String, Option<String>),
    /// Its agent has begun another one: it was denied, or interrupted. The client tells of neither.
    is_over: bool,
    command: String,
    cwd: String,
    /// The content when it began, where that was kept.
    content: Option<String>,
    /// How many edits, or lines of the ledger, there were when it began: a subagent may edit while it runs.
    at: usize,
}

impl OpenCalls {
    fn begin(&mut self, entry: &Entry, reader: &Reader<'_>, at: usize) {
        let by = (entry.session.clone(), entry.agent.clone());
        for call in self.0.values_mut().filter(|call| call.by == by) {
            call.is_over = true;
        }
        if let Some(call) = &entry.tool_use {
            let (command, cwd) = (entry.command.clone().unwrap_or_default(), reader.cwd(entry));
            let is_over = entry.verdict == "deny";
            self.0.insert(
                call.clone(),
                OpenCall { by, is_over, command, cwd, content: entry.content.clone(), at },
            );
        }
    }

    fn end(&mut self, entry: &Entry) -> Option<OpenCall> {
        self.0.remove(entry.tool_use.as_ref()?)
    }

    /// The line that an entry of the journal is about. What `engine check` ran is known by the open line that calls it.
    fn line<'e>(&self, entry: &'e Entry, ended: Option<&OpenCall>, reader: &Reader<'_>) -> Line<'e> {
        let cwd = ended.map_or_else(|| reader.cwd(entry), |call| call.cwd.clone());
        let mut line = reader.line(entry, &cwd);
        line.before = ended.and_then(|call| call.content.clone());
        if entry.event == CHECK && !entry.session.is_empty() {
            line.doubt = entry.doubt.clone().or_else(|| self.doubt(&line.analysis, reader));
        }
        line
    }

    /// Why a run of `engine check` may be another program than its words say.
    fn doubt(&self, checked: &Analysis, reader: &Reader<'_>) -> Option<String> {
        let ran = checked.runs.last()?;
        let mut doubt = Some("no line of the agent calls engine check for it".to_owned());
        for call in self.0.values().filter(|call| !call.is_over) {
            let analysis = reader.analysis(&call.command, &call.cwd);
            let is_it = |run: &&Run| is_checked(run) && run.shown() == ran.shown();
            if let Some(run) = analysis.runs.iter().find(is_it) {
                // Which of them ran it is not known.
                doubt = reader.doubtful(run, &call.command, &call.cwd, &analysis);
                if doubt.is_some() {
                    return doubt;
                }
            }
        }
        doubt
    }
}

impl<'a> Search<'a> {
    fn new(wanted: &Command, scope: &'a EditScope<'a>) -> Result<Self, String> {
        let reader = Reader::new(scope);
        let wanted = Wanted::read(wanted, &reader)?;
        let found = Evidence::Never { elsewhere: None };
        let open = OpenCalls::default();
        Ok(Self { wanted, reader, found, elsewhere: None, edits: 0, last: None, open })
    }

    fn found(self) -> Evidence {
        match self.found {
            Evidence::Never { .. } => Evidence::Never { elsewhere: self.elsewhere },
            found => found,
        }
    }

    fn see(&mut self, entry: &Entry) {
        match Seen::of(entry, self.reader.scope.dialect) {
            Seen::Begun => self.open.begin(entry, &self.reader, self.edits),
            Seen::Ran => self.line(entry),
            Seen::Edited(path) => self.edited(self.reader.counts(path)),
            Seen::Nothing => {}
        }
    }

    /// A line may edit, run the command, and edit again.
    fn line(&mut self, entry: &Entry) {
        let ended = self.open.end(entry);
        let line = self.open.line(entry, ended.as_ref(), &self.reader);
        let ran = line.analysis.runs.iter().rposition(|run| self.wanted.is_any(run, &self.reader));
        let (before, after) = self.reader.edits(&line.analysis, ran);
        let meanwhile = self.last.clone().filter(|_| ended.is_some_and(|call| call.at < self.edits));
        self.edited(before.last().cloned());
        self.elsewhere = self.elsewhere.take().or_else(|| self.wanted.elsewhere(&line.analysis));
        match self.reader.told(&self.wanted, &line) {
            // What is proven stays so.
            Some(Told::Unknown(_)) if matches!(self.found, Evidence::Passed(_)) => {}
            Some(Told::Unknown(why)) => self.found = Evidence::Unknown { why },
            Some(Told::Idle(why)) => self.found = Evidence::Unknown { why: why.to_owned() },
            Some(Told::Failed(exit)) => self.found = Evidence::Failed { exit },
            Some(Told::Passed) => {
                let (at, content) = (entry.at.clone(), entry.content.clone());
                let earlier = match std::mem::replace(&mut self.found, Evidence::Never { elsewhere: None }) {
                    Evidence::Passed(Pass { content, mut earlier, .. }) => {
                        earlier.extend(content);
                        earlier
                    }
                    _ => Vec::new(),
                };
                self.found = match meanwhile.clone().or_else(|| after.last().cloned()) {
                    // Taken at the end, the content has these edits in it; the run had not.
                    Some(edited) => Evidence::Stale { edited },
                    None => {
                        let before =
                            line.before.clone().filter(|_| !self.reader.is_prepared(&self.wanted, &line));
                        Evidence::Passed(Pass { at, content, earlier, before, edited: None })
                    }
                };
            }
            None => {}
        }
        self.edited(meanwhile);
        self.edited(after.last().cloned());
    }

    fn edited(&mut self, name: Option<String>) {
        let Some(edited) = name else { return };
        self.edits += 1;
        self.last = Some(edited.clone());
        if let Evidence::Passed(pass) = &mut self.found {
            pass.edited = Some(edited);
        }
    }
}

/// What an entry of the journal is about, as far as evidence goes.
enum Seen<'e> {
    /// A call of the shell.
    Begun,
    Ran,
    Edited(&'e str),
    Nothing,
}

impl<'e> Seen<'e> {
    fn of(entry: &'e Entry, dialect: &Dialect) -> Self {
        let (event, tool) = (entry.event.as_str(), entry.tool.as_deref().unwrap_or_default());
        let is_shell = dialect.shell_tools.contains(&tool);
        let ended = event == dialect.post_tool || event == dialect.post_tool_failure;
        match &entry.command {
            _ if entry.forged => Self::Nothing,
            Some(_) if event == CHECK || (is_shell && ended) => Self::Ran,
            _ if is_shell && event == dialect.pre_tool => Self::Begun,
            _ if event == dialect.post_tool && dialect.edit_tools.contains(&tool) => {
                Self::Edited(entry.input.as_deref().unwrap_or_default())
            }
            _ => Self::Nothing,
        }
    }
}

/// Whether a folder at the root of a project holds none of the work.
fn is_aside(top: &str) -> bool {
    FREE.contains(&top) || MADE.contains(&top)
}

/// Programs that change files which they do not name.
fn changes_tree(run: &Run) -> bool {
    if run.is(&["patch"]) || edits_unknown(run) {
        return true;
    }
    let Some((verb, words)) = git_words(run) else { return false };
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    match verb {
        "apply" | "am" | "pull" | "merge" | "rebase" | "cherry-pick" | "revert" => true,
        "restore" => !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "checkout" | "switch" => !has(&["-b", "-B", "-c", "-C"]),
        "stash" => !has(&["list", "show", "drop", "create", "store"]),
        _ => false,
    }
}

/// What git is to do, and the words behind that; options of git itself may stand before it.
/// Verbs of git that make commits, or hand them on.
const COMMITS: &[&str] =
    &["commit", "commit-tree", "cherry-pick", "revert", "merge", "rebase", "am", "pull", "push"];

/// Whether a run commits something.
pub fn is_commit(run: &Run) -> bool {
    git_words(run).is_some_and(|(verb, _)| COMMITS.contains(&verb))
}

fn git_words(run: &Run) -> Option<(&str, Vec<&str>)> {
    let valued = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
    let verb = Options::read(&run.args, &valued, true).first_operand.filter(|_| run.is(&["git"]))?;
    let mut words = run.args.get(verb..)?.iter().map(|arg| arg.text.as_str());
    Some((words.next()?, words.collect()))
}

/// An editor of streams that works in place on files which only the running shell knows: `xargs sed -i`.
fn edits_unknown(run: &Run) -> bool {
    let is_handed = run.via.last().is_some_and(|by| by == "xargs" || by.starts_with("find"));
    let letters = |text: &str| text.chars().skip(1).take_while(char::is_ascii_alphabetic).any(|c| c == 'i');
    let in_place = |text: &str| {
        text.starts_with("--in-place")
            || (text.starts_with('-') && !text.starts_with("--") && !text.starts_with("-M") && letters(text))
    };
    run.is(&["sed", "gsed", "perl"])
        && (is_handed || run.args.iter().any(|arg| arg.unknown))
        && run.args.iter().any(|arg| in_place(&arg.text))
}

#[cfg(test)]
mod tests;
