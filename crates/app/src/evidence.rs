//! Looks up what somebody claims: in the journal, on the disk, in git. Nothing is asked over the network.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine_core::evidence::ledger::{self, Line, Red, is_at_or_below};
use engine_core::evidence::proof::{Command, Proof};
use engine_core::evidence::{
    EditScope, Evidence, Pass, checks_of, definition, failure, find, folder_of, known,
};
use engine_core::journal::Entry;
use engine_core::plan::{Run, Start};
use engine_store::content::{Changed, ChangedKind};
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::{clock, config_file, content, git, journal_file, places};
use engine_text::line::{fingerprint, printable, seal, shell_word};
use fs_err as fs;

pub mod learn;

/// How far before the work the journal is read for what was red or passed already.
const A_DAY: u64 = 1;
/// How long a command may look at the content. The hook has less.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Files that one line names.
const NAMED: usize = 5;
/// Said where two contents differ, and one of them is not kept any more.
pub(crate) const NOT_KNOWN: &str = "which files is not known any more";

/// What is looked at.
pub struct EvidenceQuery<'a> {
    pub project: &'a Project,
    /// From when on, in RFC 3339.
    pub since: &'a str,
    /// What began then, and how long it has been since, for messages: `the lock of plan x`, `since the lock`.
    pub what: String,
    pub within: &'static str,
    /// Whose doings count; nothing: everybody's.
    pub sessions: Option<Vec<&'a str>>,
    /// Commands that count as checks here, besides those that are known: the proofs of a plan that is locked.
    pub checks: Vec<String>,
    /// Paths are named from the project's root, or from here.
    pub folder: Option<&'a Path>,
    /// An event that the journal is about to get.
    pub pending: Option<&'a Entry>,
    /// How long a look at the content may take.
    pub patience: Duration,
    /// The content as it is now, where several look-ups are to share it.
    pub now: Option<&'a OnceCell<Result<String, String>>>,
}

/// Who has changed a file: an agent session and, of a subagent, its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    pub session: String,
    pub agent: Option<String>,
    /// From the root.
    pub file: String,
}

/// The journal of a query, read once, and the content as it is now.
pub struct Lookup<'a> {
    query: &'a EvidenceQuery<'a>,
    entries: Vec<Entry>,
    checks: Vec<String>,
    now: OnceCell<Result<String, String>>,
}

impl<'a> EvidenceQuery<'a> {
    /// For what messages say nothing of: the known checks alone count.
    pub fn new(project: &'a Project, since: &'a str, sessions: Option<Vec<&'a str>>) -> Self {
        Self {
            project,
            since,
            what: String::new(),
            within: "",
            sessions,
            checks: Vec::new(),
            folder: None,
            pending: None,
            patience: PATIENCE,
            now: None,
        }
    }

    pub fn look(&'a self) -> std::io::Result<Lookup<'a>> {
        let config = config_file::load(self.project);
        let configured = config.commands(&known::CHECKS).into_iter().map(str::to_owned);
        let checks = configured.chain(self.checks.iter().cloned()).collect();
        let mut entries = self.entries(self.since, None)?;
        entries.extend(self.pending.cloned());
        Ok(Lookup { query: self, entries, checks, now: OnceCell::new() })
    }

    /// The checks that ran, and the edits between them.
    pub fn ledger(&self) -> std::io::Result<Vec<Line>> {
        Ok(self.look()?.ledger())
    }

    /// The journal of these sessions from a moment on, up to another.
    fn entries(&self, since: &str, until: Option<&str>) -> std::io::Result<Vec<Entry>> {
        let first_day = since.get(..10).unwrap_or_default();
        let last_day = until.and_then(|until| until.get(..10));
        let mut entries = Vec::new();
        for (day, path) in journal_file::days(&self.project.journal_folder()) {
            if day.as_str() < first_day || last_day.is_some_and(|last| day.as_str() > last) {
                continue;
            }
            journal_file::read_day(&path, |entry| {
                let is_ours =
                    self.sessions.as_ref().is_none_or(|ours| ours.contains(&entry.session.as_str()));
                let at = entry.at.as_str();
                if is_ours && at >= since && until.is_none_or(|until| at < until) {
                    entries.push(entry);
                }
            })?;
        }
        Ok(entries)
    }

    /// The checks that were red when it began.
    pub fn red_before(&self) -> std::io::Result<Vec<Red>> {
        let Some(began) = crate::time::parse(self.since) else { return Ok(Vec::new()) };
        let before = began.minus_days(A_DAY).rfc3339();
        let lookup = Lookup { entries: self.entries(&before, Some(self.since))?, ..self.look()? };
        Ok(lookup.reds(&Start::default()))
    }

    /// How many calls of tools the agent of a step has made in a try. One that is a client of its own has none beside it.
    pub fn calls_of(&self, run: &Run) -> std::io::Result<usize> {
        let is_its = |entry: &&Entry| {
            entry.event == engine_claude::DIALECT.post_tool
                && !entry.forged
                && entry.at >= run.at
                && match &run.agent {
                    Some(agent) => entry.agent.as_ref() == Some(agent),
                    None => run.call.is_empty() && entry.session == run.session,
                }
        };
        Ok(self.entries(self.since, None)?.iter().filter(is_its).count())
    }

    /// Whether an agent session was heard of at all.
    pub fn is_heard(&self, session: &str) -> std::io::Result<bool> {
        Ok(self.entries(self.since, None)?.iter().any(|entry| entry.session == session))
    }

    /// Who changed which files, by the events.
    pub fn editors(&self) -> std::io::Result<Vec<Editor>> {
        let lookup = self.look()?;
        let of_entry = |entry: &Entry, scope: &EditScope<'_>| -> Vec<Editor> {
            let lines = ledger::read_one(entry, scope).into_iter().filter_map(edited);
            let editor = |file| Editor { session: entry.session.clone(), agent: entry.agent.clone(), file };
            lines.map(editor).collect()
        };
        let entries = lookup.entries.iter().filter(|entry| entry.event != engine_claude::DIALECT.pre_tool);
        Ok(lookup.in_scope(|scope| entries.flat_map(|entry| of_entry(entry, scope)).collect()))
    }

    /// Calls of the shell that have begun and not ended.
    pub fn open_calls(&self) -> std::io::Result<Vec<Entry>> {
        let dialect = &engine_claude::DIALECT;
        let mut open: Vec<Entry> = Vec::new();
        for entry in self.entries(self.since, None)? {
            let is_shell = dialect.shell_tools.contains(&entry.tool.as_deref().unwrap_or_default());
            if is_shell && entry.event == dialect.pre_tool {
                open.push(entry);
            } else if is_shell {
                open.retain(|call| call.tool_use != entry.tool_use);
            }
        }
        Ok(open)
    }

    /// What is wrong with a claim that a file was written.
    pub fn file(&self, path: &str) -> Option<String> {
        let folders: Vec<&Path> = std::iter::once(self.project.root()).chain(self.folder).collect();
        let inside: Vec<PathBuf> = folders.iter().map(|folder| resolve(folder)).collect();
        let is_inside = |place: &PathBuf| inside.iter().any(|folder| resolve(place).starts_with(folder));
        let mut places = folders.iter().map(|folder| folder.join(path)).filter(is_inside);
        let found = places.find_map(|place| fs::metadata(place).ok());
        match found {
            None => Some(format!("there is no file {path} in this project")),
            Some(data) if !data.is_file() => Some(format!("{path} is no file")),
            Some(data) if data.len() == 0 => Some(format!("{path} is empty")),
            Some(_) => None,
        }
    }

    /// What is wrong with a claim that something was committed.
    pub fn commit(&self, name: &str) -> Option<String> {
        let root = self.project.root();
        let spec = format!("{name}^{{commit}}");
        let Some(hash) = git::text(root, &["rev-parse", "--verify", "--quiet", &spec]) else {
            return Some(format!("there is no commit {name}"));
        };
        let hash = hash.trim();
        let is_ours = git::git(root, &["merge-base", "--is-ancestor", hash, "HEAD"]);
        if is_ours.and_then(|done| done.code) != Some(0) {
            return Some(format!("commit {name} is not on the branch that is checked out"));
        }
        let at = git::text(root, &["log", "-1", "--format=%cI", hash]).unwrap_or_default();
        let (made, started) = (crate::time::parse(at.trim()), crate::time::parse(self.since));
        // Commits know seconds only.
        let is_older = made.zip(started).is_some_and(|(made, started)| made.0 / 1000 < started.0 / 1000);
        is_older.then(|| format!("commit {name} is older than {}", self.what))
    }

    /// What is wrong with a claim that something was pushed, by what git knows of the other side: nothing is fetched.
    pub fn push(&self, name: &str) -> Option<String> {
        let name = if matches!(name, "" | "true") { "HEAD" } else { name };
        if let Some(why) = self.commit(name) {
            return Some(why);
        }
        let remotes = git::text(self.project.root(), &["remote"]).unwrap_or_default();
        let names: Vec<String> = remotes.lines().map(|name| format!("{name}/")).collect();
        // A ref of a remote that does not exist says nothing.
        let is_of_remote = |line: &&str| names.iter().any(|name| line.trim().starts_with(name.as_str()));
        let contains = git::text(self.project.root(), &["branch", "--remotes", "--contains", name])
            .map(|branches| branches.lines().filter(is_of_remote).map(str::to_owned).collect::<String>());
        match contains {
            None => Some(format!("there is no commit {name}")),
            Some(branches) if branches.trim().is_empty() => Some(format!("{name} is on no remote branch")),
            Some(_) => None,
        }
    }
}

impl Lookup<'_> {
    pub fn in_scope<T>(&self, look: impl FnOnce(&EditScope<'_>) -> T) -> T {
        let root = self.query.project.root().to_string_lossy();
        let home = places::home().map(|home| home.to_string_lossy().into_owned());
        let checks: Vec<&str> = self.checks.iter().map(String::as_str).collect();
        let scope = EditScope::new(&root, &engine_claude::DIALECT);
        look(&EditScope { home: home.as_deref(), checks: &checks, ..scope })
    }

    pub fn ledger(&self) -> Vec<Line> {
        self.in_scope(|scope| ledger::read(&self.entries, scope))
    }

    /// The checks that are red now, but for those that were when the work began and have not passed since.
    pub fn reds(&self, start: &Start) -> Vec<Red> {
        ledger::reds(&self.ledger(), &start.red)
    }

    /// The checks that a command runs; nothing if one of its programs is none.
    pub fn checks(&self, command: &Command) -> Option<Vec<known::Check>> {
        self.in_scope(|scope| checks_of(command, scope))
    }

    /// Whether the journal knows a run of a command.
    pub fn has_run(&self, command: &Command) -> bool {
        !matches!(self.in_scope(|scope| find(&self.entries, command, scope)), Evidence::Never { .. })
    }

    /// Whether a check is one that the project adds.
    pub fn is_configured(&self, check: &known::Check) -> bool {
        self.checks.iter().any(|words| words.split_whitespace().collect::<Vec<_>>().join(" ") == check.name)
    }

    /// What was changed since the start and no check that passed covers: a run in `tests/` says nothing about `packages/api`. Texts need
    /// no check.
    pub fn uncovered(&self, commands: &[Command], start: &Start) -> Option<String> {
        let folders: Vec<String> =
            commands.iter().filter_map(|command| self.in_scope(|scope| folder_of(command, scope))).collect();
        let is_covered = |path: &str| folders.iter().any(|folder| is_at_or_below(path, folder));
        if is_covered("") {
            return None;
        }
        let shown = commands.iter().map(|one| format!("`{}`", one.line)).collect::<Vec<_>>().join(", ");
        let changed: Vec<String> = match (start.content.as_ref(), self.now()) {
            (Some(then), Ok(now)) if then == now => return None,
            (Some(then), Ok(now)) => match content::changed(self.query.project, then, now) {
                Some(changed) => changed.into_iter().map(|one| one.path).collect(),
                None => {
                    let within = self.query.within;
                    return Some(format!(
                        "the content has changed {within}; {NOT_KNOWN}, and {shown} did not run in the root"
                    ));
                }
            },
            _ => self.ledger().into_iter().filter_map(edited).collect(),
        };
        let left: Vec<&str> =
            changed.iter().map(String::as_str).filter(|path| !is_covered(path) && !is_text(path)).collect();
        (!left.is_empty()).then(|| format!("{} changed, and {shown} ran elsewhere", named(&left)))
    }

    fn now(&self) -> &Result<String, String> {
        let take = || content::take(self.query.project, self.query.patience).map_err(|why| why.to_string());
        self.query.now.unwrap_or(&self.now).get_or_init(take)
    }

    /// Whether what defines the check of a command is another than `then`, and no person has accepted it. `is_meant`: whether a file was
    /// to be changed, as a person knew.
    pub fn redefined(
        &self,
        command: &Command,
        then: &BTreeMap<String, String>,
        accepted: &[String],
        is_meant: impl Fn(&str) -> bool,
    ) -> Option<Redefined> {
        let now = self.definition(command, &|path| text_now(self.query.project, path));
        let definition = fingerprint(&serde_json::to_string(&now).unwrap_or_default());
        if now == *then || accepted.contains(&definition) {
            return None;
        }
        let is_other = |file: &&String| then.get(*file) != now.get(*file) && !is_meant(file);
        let files: BTreeSet<&str> =
            then.keys().chain(now.keys()).filter(is_other).map(String::as_str).collect();
        if files.is_empty() {
            return None;
        }
        let files = files.into_iter().collect::<Vec<_>>().join(", ");
        let text = format!("what {} does was changed {}: {files}", command.shown(), self.query.within);
        Some(Redefined { text, definition })
    }

    /// What a proof comes to: what was found, or why it does not hold. A judgement is looked up nowhere.
    pub fn prove(&self, proof: &Proof, start: &Start) -> Result<String, String> {
        match proof {
            Proof::Passes(command) => self.passes(command, start),
            Proof::Fails(command) => self.failed(command),
            Proof::File(path) => self.changed(path, start),
            Proof::Commit => self.committed(start),
            Proof::Push => self.committed(start).and_then(|found| match self.query.push("HEAD") {
                None => Ok(format!("{found}, pushed")),
                Some(why) => Err(format!("{why}: git push")),
            }),
            Proof::Steps(_) => Err("its steps show it, and the plan knows them".to_owned()),
            Proof::Judge(_) => Err("it is judged, and no command shows it".to_owned()),
        }
    }

    /// A check that passed, and whose content is that of now.
    fn passes(&self, command: &Command, start: &Start) -> Result<String, String> {
        let (shown, again) = (command.shown(), again(command));
        let checks = self.checks(command).unwrap_or_default();
        let folder = self.in_scope(|scope| folder_of(command, scope)).unwrap_or_default();
        let is_other = |red: &&Red| red.is_in(&folder) && red.checks != checks;
        match self.in_scope(|scope| find(&self.entries, command, scope)) {
            Evidence::Passed(pass) => {
                let note = self
                    .holds(&pass, &folder, &shown)
                    .map_err(|why| format!("{why}. Run it again: {again}"))?;
                if let Some(red) = self.reds(start).iter().find(is_other) {
                    return Err(format!("{} failed, and no run of it has passed since", red.shown()));
                }
                Ok(format!("{shown} passed{note}"))
            }
            Evidence::Failed { exit } => Err(format!("{shown} ended with {exit} when it ran last")),
            Evidence::Never { elsewhere: None } => {
                Err(format!("{shown} was not run {}: {again}", self.query.within))
            }
            Evidence::Never { elsewhere: Some(folder) } => {
                let root = self.query.project.root().to_string_lossy();
                let other =
                    folder.strip_prefix(&*root).map_or(folder.as_str(), |rest| rest.trim_start_matches('/'));
                let other = if other.is_empty() { "the root" } else { other };
                let here = if command.folder.is_empty() { "the root" } else { &command.folder };
                let (line, within) = (&command.line, self.query.within);
                // A phase names its command when it is left, so it may name the folder, too.
                let meant = match self.query.folder {
                    Some(_) if other != "the root" => {
                        format!("; if that is meant: cd {} && {line}", shell_word(other))
                    }
                    _ => String::new(),
                };
                Err(format!("`{line}` ran in {other}, and in {here} it was not run {within}: {again}{meant}"))
            }
            Evidence::Stale { edited } => {
                let happened = ledger::happened(&edited, "changed meanwhile");
                Err(format!("{shown} passed, but {happened}: {again}"))
            }
            Evidence::Unknown { why } => {
                Err(format!("whether {shown} passed cannot be told ({why}): {again}"))
            }
        }
    }

    /// Whether the content that a check passed on is that of now, at or below its folder; else the files that differ. What is left to
    /// say comes back.
    fn holds(&self, pass: &Pass, folder: &str, shown: &str) -> Result<String, String> {
        let since = |files: &str| format!("changed since {shown} passed: {files}");
        let Some(then) = &pass.content else {
            return match &pass.edited {
                Some(edited) => Err(since(&printable(edited))),
                None => Ok(" (its content was not compared: it was not kept)".to_owned()),
            };
        };
        if let Some(before) = pass.before.as_ref().filter(|before| *before != then) {
            let Some(made) = content::changed(self.query.project, before, then) else {
                return Err(format!("the content changed while {shown} ran; {NOT_KNOWN}"));
            };
            let is_changed =
                |one: &&Changed| one.kind != ChangedKind::Added && is_at_or_below(&one.path, folder);
            let changed: Vec<&str> = made.iter().filter(is_changed).map(|one| one.path.as_str()).collect();
            if !changed.is_empty() {
                return Err(format!("changed while {shown} ran: {}", named(&changed)));
            }
        }
        let now = match self.now() {
            Ok(now) => now,
            // The content is known, and who could not compare it tries again.
            Err(why) => return Err(format!("the content that {shown} passed on cannot be compared ({why})")),
        };
        if now == then || pass.earlier.contains(now) {
            return Ok(String::new());
        }
        let Some(changed) = content::changed(self.query.project, then, now) else {
            return Err(format!("the content has changed since {shown} passed; {NOT_KNOWN}"));
        };
        let changed: Vec<&str> =
            changed.iter().map(|one| one.path.as_str()).filter(|path| is_at_or_below(path, folder)).collect();
        if changed.is_empty() {
            return Ok(String::new());
        }
        Err(since(&named(&changed)))
    }

    /// A check that failed once.
    fn failed(&self, command: &Command) -> Result<String, String> {
        let shown = command.shown();
        match self.in_scope(|scope| failure(&self.entries, command, scope)) {
            Some(exit) => Ok(format!("{shown} failed with {exit}")),
            None => Err(match self.in_scope(|scope| find(&self.entries, command, scope)) {
                Evidence::Passed(_) | Evidence::Stale { .. } => {
                    format!("{shown} passed, and has not failed {}", self.query.within)
                }
                Evidence::Unknown { why } => {
                    format!("whether {shown} failed cannot be told ({why}): {}", again(command))
                }
                _ => format!("{shown} was not run {}: {}", self.query.within, again(command)),
            }),
        }
    }

    /// A file that is not as it was.
    fn changed(&self, path: &str, start: &Start) -> Result<String, String> {
        if let Some(why) = self.query.file(path) {
            return Err(why);
        }
        let now = file_seal(self.query.project, path);
        if start.files.get(path).is_some_and(|then| *then == now) {
            return Err(format!("{path} has not changed {}", self.query.within));
        }
        let lines = start.content.as_ref().and_then(|then| {
            let changed = content::changed(self.query.project, then, self.now().as_ref().ok()?)?;
            changed.into_iter().find(|one| one.path == path)?.lines
        });
        Ok(match lines {
            Some((added, removed)) => format!("changed: {path} (+{added} −{removed})"),
            None => format!("changed: {path}"),
        })
    }

    /// A commit since the start that changes something.
    fn committed(&self, start: &Start) -> Result<String, String> {
        let root = self.query.project.root();
        let Some(head) = head(self.query.project) else { return Err("there is no commit".to_owned()) };
        if start.head.as_ref() == Some(&head) {
            return Err(format!("nothing was committed {}", self.query.within));
        }
        if let Some(old) = &start.head {
            let is_ours = git::git(root, &["merge-base", "--is-ancestor", old, "HEAD"]);
            if is_ours.and_then(|done| done.code) != Some(0) {
                return Err(format!(
                    "HEAD does not come after {}, at which the work began",
                    &old[..old.len().min(9)]
                ));
            }
            let same = git::git(root, &["diff", "--quiet", old, "HEAD"]);
            if same.and_then(|done| done.code) == Some(0) {
                return Err(format!("what was committed {} changes nothing", self.query.within));
            }
        }
        let shown = git::text(root, &["log", "-1", "--format=%h %s"]).unwrap_or_default();
        Ok(format!("commit {}", shown.trim()))
    }

    /// What defines the check of a command now, or as `read` has it: a fingerprint by file.
    pub fn definition(
        &self,
        command: &Command,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> BTreeMap<String, String> {
        self.in_scope(|scope| {
            let checks = checks_of(command, scope).unwrap_or_default();
            let pieces = checks.iter().flat_map(|check| definition::pieces(check, scope.root, read));
            let mut texts: BTreeMap<String, String> = BTreeMap::new();
            for piece in pieces {
                texts.entry(piece.file).or_default().push_str(&piece.text);
            }
            texts.into_iter().map(|(file, text)| (file, fingerprint(&text))).collect()
        })
    }
}

/// A check that does something else than it did.
pub struct Redefined {
    pub text: String,
    /// What it does now, for a person who accepts it.
    pub definition: String,
}

/// The first of some files, and how many more there are.
fn named(files: &[&str]) -> String {
    let more = files.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", files.iter().take(NAMED).map(|file| printable(file)).collect::<Vec<_>>().join(", "))
}

/// The file or command of an edit.
pub(crate) fn edited(line: Line) -> Option<String> {
    match line {
        Line::Edit { file, .. } => Some(file),
        Line::Check(_) => None,
    }
}

/// A file that people read and no program runs.
fn is_text(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|end| ["md", "txt", "rst", "adoc"].iter().any(|text| end == *text))
}

/// The command that gives a run which counts.
pub(crate) fn again(command: &Command) -> String {
    let is_plain = !command.line.contains(['&', ';', '|', '(', '<', '>', '$', '`', '\n'])
        && !command.line.split_whitespace().next().is_some_and(|word| word.contains('='));
    let line = if is_plain { command.line.clone() } else { format!("bash -c {}", shell_word(&command.line)) };
    match command.folder.as_str() {
        "" => format!("engine check -- {line}"),
        folder => format!("engine check --in {} -- {line}", shell_word(folder)),
    }
}

/// The commit that is checked out.
pub fn head(project: &Project) -> Option<String> {
    git::head(project.root())
}

/// A fingerprint of a file's bytes.
fn file_seal(project: &Project, path: &str) -> Option<String> {
    fs::read(project.root().join(path)).ok().map(|bytes| seal(&bytes))
}

/// A file of the project as it is now. A folder has no text.
fn text_now(project: &Project, path: &str) -> Option<String> {
    let path = project.root().join(path);
    if path.is_dir() { Some(String::new()) } else { engine_store::read::read_string(&path).ok() }
}

/// How things are now, for proofs that are looked up later.
pub fn start(project: &Project, sessions: Option<Vec<&str>>, proofs: &[&Proof]) -> std::io::Result<Start> {
    let now = clock::now();
    let since = now.minus_days(A_DAY).rfc3339();
    let query = EvidenceQuery::new(project, &since, sessions);
    let lookup = query.look()?;
    let commands: Vec<&Command> = proofs.iter().filter_map(|proof| proof.command()).collect();
    let is_passed = |command: &&&Command| {
        matches!(lookup.in_scope(|scope| find(&lookup.entries, command, scope)), Evidence::Passed(_))
    };
    let read = |path: &str| text_now(project, path);
    let files = proofs.iter().filter_map(|proof| match proof {
        Proof::File(path) => Some((path.clone(), file_seal(project, path))),
        _ => None,
    });
    Ok(Start {
        head: head(project),
        content: content::take(project, content::PATIENCE).ok(),
        red: lookup.reds(&Start::default()),
        passed: commands.iter().filter(is_passed).map(|command| command.shown()).collect(),
        definitions: commands.iter().map(|one| (one.shown(), lookup.definition(one, &read))).collect(),
        files: files.collect(),
    })
}

#[cfg(test)]
mod tests;
