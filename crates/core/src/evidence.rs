//! Whether a command really passed, by the journal: it ran, its own status was 0, and nothing was edited since.
//!
//! A claim of an agent is not believed where the journal can tell. Where it cannot (a pipe, `||`, the background), the answer is unknown,
//! and `engine check -- CMD` gives one that counts.

use std::collections::HashMap;
use std::rc::Rc;

pub mod known;
pub mod ledger;
pub mod touch;

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::host::surroundings;
use crate::journal::{CHECK, Entry};
use engine_shell::{Analyser, Analysis, Effect, Options, Run, Says, Status, Surroundings, analyse, statuses};
use engine_text::path::join;
use engine_text::redact::redact;
pub use touch::Touch;

/// What the journal or the disk must confirm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Command,
    File,
    Commit,
    Push,
}

/// What the journal says of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// It ended with 0, and nothing was edited since.
    Passed,
    /// When it ran last, it ended with this.
    Failed { exit: i32 },
    /// It was not run.
    Never,
    /// It passed, and then this was edited.
    Stale { edited: String },
    /// It ran, but whether it passed cannot be told.
    Unknown { why: String },
}

/// Where edits count.
#[derive(Debug, Clone, Copy)]
pub struct EditScope<'a> {
    /// The project's folder, absolute.
    pub root: &'a str,
    pub home: Option<&'a str>,
    /// What `TMPDIR` says.
    pub temporary: Option<&'a str>,
    /// Files whose edits do not count, absolute: the log.
    pub free: &'a [&'a str],
    /// The names that the client gives to tools and events in the journal.
    pub dialect: &'a Dialect,
}

impl<'a> EditScope<'a> {
    /// A project in which every edit counts, and nothing is known of the person's folders.
    pub fn new(root: &'a str, dialect: &'a Dialect) -> Self {
        Self { root, home: None, temporary: None, free: &[], dialect }
    }
}

/// Folders of a project that hold what is written about the work, not the work.
pub const FREE: &[&str] = &["sessions", ".engine"];

/// Folders of a project that hold what builds and tests make, and can make again.
const MADE: &[&str] = &["target", "__pycache__", ".pytest_cache"];

/// A session's shell keeps its folder, and the journal does not know which below the root it is. So relative paths start far below it:
/// then one that climbs is not taken for one outside.
const SOMEWHERE: &str = "/_/_/_/_/_/_/_/_";

/// Looks through the entries of one agent session, the oldest first.
pub fn find<'e>(
    entries: impl IntoIterator<Item = &'e Entry>,
    wanted: &str,
    scope: &EditScope<'_>,
) -> Evidence {
    let reader = Reader::new(scope);
    let wanted = match Wanted::read(wanted, &reader.around) {
        Ok(wanted) => wanted,
        Err(why) => return Evidence::Unknown { why },
    };
    let mut search =
        Search { wanted, reader, found: Evidence::Never, edits: 0, last: None, started: HashMap::new() };
    for entry in entries {
        search.see(entry);
    }
    search.found
}

/// Programs that end well whatever the work is like.
const IDLE: &[&str] = &["true", ":", "echo", "printf", "sleep", "pwd", "date", "cd", "exit", "wait"];

/// Whether a command would pass without any work.
pub fn shows_nothing(command: &str) -> bool {
    let runs = &analyse(command.trim(), &surroundings("", None, None, &Dialect::NONE)).runs;
    !runs.is_empty() && runs.iter().all(|run| run.is(IDLE) || (run.is(&["engine"]) && !run.args.is_empty()))
}

/// What kind of evidence a text names: `file:PATH`, `commit:NAME`, `push` or `push:NAME`; everything else is a command.
pub fn named(text: &str) -> (Kind, &str) {
    let text = text.trim();
    if text == "push" {
        return (Kind::Push, "HEAD");
    }
    let kinds = [Kind::Command, Kind::File, Kind::Commit, Kind::Push];
    let named = kinds.into_iter().find_map(|kind| {
        let value = text.strip_prefix(kind.as_str())?.strip_prefix(':')?;
        Some((kind, value.trim()))
    });
    named.unwrap_or((Kind::Command, text))
}

/// The commands that a line must have run.
struct Wanted {
    text: String,
    runs: Vec<Run>,
}

impl Wanted {
    fn read(text: &str, around: &Surroundings) -> Result<Self, String> {
        // The journal's commands are redacted too.
        let text = redact(text.trim()).into_owned();
        let all = statuses(&text, around);
        let hidden = all.iter().find_map(|status| match status.says {
            Says::Nothing(why) if !status.is_aside() => Some(why),
            _ => None,
        });
        if let Some(why) = hidden {
            return Err(format!("no run of this line can prove it: {why}"));
        }
        let leaf = |status: &Status| status.runs.last().cloned();
        let mut runs: Vec<Run> = all.iter().filter(|status| !status.is_aside()).filter_map(leaf).collect();
        if runs.is_empty() {
            runs = all.iter().filter_map(leaf).collect();
        }
        if runs.is_empty() {
            return Err("this line could not be read as a command".to_owned());
        }
        Ok(Self { text, runs })
    }

    fn is_any(&self, run: &Run) -> bool {
        self.runs.iter().any(|wanted| is_same(wanted, run))
    }
}

/// The same program with the same words; what is set for the wanted one is set for it too.
fn is_same(wanted: &Run, run: &Run) -> bool {
    let place = |run: &Run| run.cwd.as_deref().map(|cwd| join(cwd, &run.path.text));
    let program = if wanted.path.text.contains('/') {
        run.path.text == wanted.path.text || place(run) == place(wanted)
    } else {
        // A program in a folder that somebody names may be any program.
        let usual =
            ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().any(|folder| run.path.text.starts_with(folder));
        (!run.path.text.contains('/') || usual) && run.program == wanted.program
    };
    // So may one that is looked up in other folders, or by a shell that reads something first.
    let disguised = run.env.iter().any(|(name, _)| matches!(name.as_str(), "PATH" | "BASH_ENV" | "ENV"));
    let known = |run: &Run| !run.path.unknown && run.args.iter().all(|arg| !arg.unknown);
    let texts = |run: &Run| run.args.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>();
    program
        && !disguised
        && known(run)
        && !run.remote
        && texts(run) == texts(wanted)
        && wanted.env.iter().all(|variable| run.env.contains(variable))
}

struct Search<'a> {
    wanted: Wanted,
    reader: Reader<'a>,
    found: Evidence,
    /// How many edits were seen, and the last of them.
    edits: usize,
    last: Option<String>,
    /// How many there were when a call began, by its id: a subagent may edit while it runs.
    started: HashMap<String, usize>,
}

impl Search<'_> {
    fn see(&mut self, entry: &Entry) {
        match Seen::of(entry, self.reader.scope.dialect) {
            Seen::Begun(call) => {
                self.started.insert(call.to_owned(), self.edits);
            }
            Seen::Ran(command) => self.line(command, entry),
            Seen::Edited(path) => self.edited(self.reader.counts(path)),
            Seen::Nothing => {}
        }
    }

    /// A line may edit, run the command, and edit again.
    fn line(&mut self, command: &str, entry: &Entry) {
        let analysis = self.reader.analysis(command);
        let ran = analysis.runs.iter().rposition(|run| self.wanted.is_any(run));
        let (before, after) = self.reader.edits(&analysis, ran);
        let started = entry.tool_use.as_ref().and_then(|call| self.started.remove(call));
        let meanwhile = self.last.clone().filter(|_| started.is_some_and(|edits| edits < self.edits));
        self.edited(before.last().cloned());
        match self.reader.told(&self.wanted, command, entry, &analysis) {
            // What is proven stays so while nothing is edited.
            Some(Evidence::Unknown { .. }) if self.found == Evidence::Passed => {}
            Some(told) => self.found = told,
            None => {}
        }
        self.edited(meanwhile);
        self.edited(after.last().cloned());
    }

    fn edited(&mut self, name: Option<String>) {
        let Some(edited) = name else { return };
        self.edits += 1;
        self.last = Some(edited.clone());
        if self.found == Evidence::Passed {
            self.found = Evidence::Stale { edited };
        }
    }
}

/// What an entry of the journal is about, as far as evidence goes.
enum Seen<'e> {
    /// The id of a call of the shell.
    Begun(&'e str),
    Ran(&'e str),
    Edited(&'e str),
    Nothing,
}

impl<'e> Seen<'e> {
    fn of(entry: &'e Entry, dialect: &Dialect) -> Self {
        let (event, tool) = (entry.event.as_str(), entry.tool.as_deref().unwrap_or_default());
        let is_shell = dialect.shell_tools.contains(&tool);
        let ended = event == dialect.post_tool || event == dialect.post_tool_failure;
        match &entry.command {
            Some(command) if event == CHECK || (is_shell && ended) => Self::Ran(command),
            _ if is_shell && event == dialect.pre_tool => {
                entry.tool_use.as_deref().map_or(Self::Nothing, Self::Begun)
            }
            _ if event == dialect.post_tool && dialect.edit_tools.contains(&tool) => {
                Self::Edited(entry.input.as_deref().unwrap_or_default())
            }
            _ => Self::Nothing,
        }
    }
}

/// Reads command lines and paths of the journal.
struct Reader<'a> {
    scope: &'a EditScope<'a>,
    around: Surroundings,
    analyser: Analyser,
}

impl<'a> Reader<'a> {
    fn new(scope: &'a EditScope<'a>) -> Self {
        let around = surroundings(
            format!("{}{SOMEWHERE}", scope.root),
            scope.home.map(str::to_owned),
            scope.temporary.map(str::to_owned),
            scope.dialect,
        );
        Self { scope, around, analyser: Analyser::default() }
    }

    fn analysis(&self, command: &str) -> Rc<Analysis> {
        self.analyser.analyse(command, &self.around)
    }

    /// What a line and its status say of the wanted commands; nothing if it does not run all of them.
    fn told(&self, wanted: &Wanted, command: &str, entry: &Entry, analysis: &Analysis) -> Option<Evidence> {
        let unknown = |why: &str| Some(Evidence::Unknown { why: why.to_owned() });
        // Most lines have nothing to do with it.
        if analysis.problem.is_none() && !analysis.runs.iter().any(|run| wanted.is_any(run)) {
            return None;
        }
        let statuses = self.analyser.statuses(command, &self.around);
        let mut says = Says::All;
        for one in &wanted.runs {
            let runs = |status: &&Status| status.runs.iter().any(|run| is_same(one, run));
            let elsewhere = || {
                if analysis.runs.iter().any(|run| is_same(one, run)) {
                    Some(Says::Nothing("its status is not the line's"))
                } else {
                    let unread = analysis.problem.is_some() && command.contains(&wanted.text);
                    unread.then_some(Says::Nothing("the line it stands in could not be read"))
                }
            };
            let told = statuses.iter().filter(runs).map(|status| status.says).max();
            says = says.min(told.or_else(elsewhere)?);
        }
        let is_wanted = |status: &Status| status.runs.iter().any(|run| wanted.is_any(run));
        match (says, entry.exit) {
            // The check itself has a line of its own.
            (Says::Nothing(_), _)
                if analysis.runs.iter().any(|run| is_checked(run) && wanted.is_any(run)) =>
            {
                None
            }
            _ if entry.background => unknown("it ran in the background"),
            (Says::Nothing(why), _) => unknown(why),
            (_, None) => unknown("its exit status is not known"),
            (_, Some(0)) => Some(Evidence::Passed),
            (Says::All, Some(exit)) => Some(Evidence::Failed { exit }),
            // Whichever of them failed, all were wanted.
            (Says::Success, Some(exit)) if statuses.iter().all(|one| one.is_aside() || is_wanted(one)) => {
                Some(Evidence::Failed { exit })
            }
            (Says::Success, Some(_)) => unknown("another command of its line may have failed"),
        }
    }

    /// The edits before and behind a run, in their order; all are before if it is not there.
    fn edits(&self, analysis: &Analysis, ran: Option<usize>) -> (Vec<String>, Vec<String>) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let is_of =
            |run: usize, ran: usize| run == ran || is_inside(&analysis.runs[ran], &analysis.runs[run]);
        let mut note = |run: usize, name: String| match ran {
            // What it is piped into keeps its output, and so does a wrapper.
            Some(ran) if is_of(run, ran) || analysis.runs[run].fed_by.iter().any(|fed| is_of(*fed, ran)) => {}
            Some(ran) if run > ran => after.push(name),
            _ => before.push(name),
        };
        for effect in &analysis.effects {
            if let Effect::Write { run, path, .. } | Effect::Delete { run, path, .. } = effect
                && let Some(name) = self.counts(path)
            {
                note(*run, name);
            }
        }
        for (index, run) in analysis.runs.iter().enumerate().filter(|(_, run)| changes_tree(run)) {
            note(index, run.shown());
        }
        (before, after)
    }

    /// The name of a path whose edits count, from the root.
    fn counts(&self, path: &str) -> Option<String> {
        let path = join(self.scope.root, path);
        let mut inside = path.strip_prefix(self.scope.root)?;
        while let Some(rest) =
            inside.strip_prefix("/_").filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            inside = rest;
        }
        let name = inside.strip_prefix('/').or(inside.is_empty().then_some("."))?;
        let top = name.split('/').next().unwrap_or_default();
        let is_free = is_aside(top) || self.scope.free.contains(&join(self.scope.root, name).as_str());
        (!is_free).then(|| name.to_owned())
    }
}

/// Whether a folder at the root of a project holds none of the work.
fn is_aside(top: &str) -> bool {
    FREE.contains(&top) || MADE.contains(&top)
}

/// Whether a run is what another one wraps.
fn is_inside(run: &Run, outer: &Run) -> bool {
    let wrapper = run.via.strip_prefix(outer.via.as_slice()).and_then(|inner| inner.first());
    wrapper.is_some_and(|wrapper| outer.program.as_deref() == wrapper.split(' ').next())
}

/// Run by `engine check`.
fn is_checked(run: &Run) -> bool {
    run.via.last().is_some_and(|wrapper| wrapper == "engine check")
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
mod tests {
    use super::*;

    fn bash(command: &str, exit: Option<i32>) -> Entry {
        let event = if exit == Some(0) { "PostToolUse" } else { "PostToolUseFailure" };
        Entry {
            event: event.into(),
            tool: Some("Bash".into()),
            command: Some(command.into()),
            exit,
            ..Entry::default()
        }
    }

    pub(super) fn edit(path: &str) -> Entry {
        Entry {
            event: "PostToolUse".into(),
            tool: Some("Edit".into()),
            input: Some(path.into()),
            ..Entry::default()
        }
    }

    pub(super) fn check(command: &str, exit: i32) -> Entry {
        Entry { event: CHECK.into(), command: Some(command.into()), exit: Some(exit), ..Entry::default() }
    }

    fn shown(entries: &[Entry], wanted: &str) -> String {
        let scope = EditScope {
            root: "/tmp/p",
            home: Some("/home/dev"),
            free: &["/tmp/p/notes/LOG.md"],
            ..EditScope::new("", &crate::dialect::TEST)
        };
        match find(entries, wanted, &scope) {
            Evidence::Passed => "passed".into(),
            Evidence::Failed { exit } => format!("failed {exit}"),
            Evidence::Never => "never".into(),
            Evidence::Stale { edited } => format!("stale {edited}"),
            Evidence::Unknown { why } => format!("unknown: {why}"),
        }
    }

    #[test]
    fn a_line_counts_by_its_own_status() {
        let cases = [
            ("cargo test", 0, "passed"),
            ("cargo test", 101, "failed 101"),
            ("  cargo   'test' 2>&1", 0, "passed"),
            ("RUST_BACKTRACE=1 cargo test > out.txt", 0, "passed"),
            ("/usr/bin/cargo test", 0, "passed"),
            ("./fake/cargo test", 0, "never"),
            ("cargo test --all", 0, "never"),
            ("cargo test | tail", 0, "unknown: a pipe hides its status"),
            ("set -o pipefail; cargo test | tail", 0, "passed"),
            ("set -o pipefail; cargo test | tail", 101, "failed 101"),
            ("set -o pipefail; cargo test | tee out.txt", 0, "passed"),
            ("cargo test || true", 0, "unknown: || hides its status"),
            ("cargo test; echo done", 0, "unknown: other commands run after it"),
            ("cargo test\necho done", 0, "unknown: other commands run after it"),
            ("cargo fmt && cargo test", 0, "passed"),
            ("cargo fmt && cargo test", 1, "unknown: another command of its line may have failed"),
            ("cd x && cargo test", 0, "passed"),
            ("cd x && cargo test", 101, "failed 101"),
            ("(cd x && cargo test)", 0, "passed"),
            ("cargo test && git commit -m x", 0, "passed"),
            ("cargo test && git commit -m x", 1, "unknown: another command of its line may have failed"),
            ("cargo test &", 0, "unknown: it runs in the background"),
            ("timeout 60 cargo test", 0, "passed"),
            ("timeout 60 cargo test", 124, "failed 124"),
            ("bash -c 'cargo test'", 0, "passed"),
            ("bash -c 'cargo test; true'", 0, "unknown: other commands run after it"),
            ("echo cargo test", 0, "never"),
            ("echo $(cargo test)", 0, "unknown: its status is not the line's"),
            ("if cargo test; then echo ok; fi", 0, "unknown: its status is not the line's"),
            ("exit 0; cargo test", 0, "unknown: the line may end before it"),
            ("cargo() { true; }; cargo test", 0, "never"),
            ("ssh host cargo test", 0, "never"),
            ("engine check -- cargo test", 0, "passed"),
            ("cargo test '", 0, "unknown: the line it stands in could not be read"),
            ("sed -i s/a/b/ src/x.rs && cargo test", 0, "passed"),
            ("cargo test && sed -i s/a/b/ src/x.rs", 0, "stale src/x.rs"),
        ];
        for (command, exit, expected) in cases {
            assert_eq!(shown(&[bash(command, Some(exit))], "cargo test"), expected, "{command:?} {exit}");
        }
        let background = Entry { background: true, ..bash("cargo test", None) };
        assert_eq!(shown(&[background], "cargo test"), "unknown: it ran in the background");
        assert_eq!(shown(&[bash("cargo test", None)], "cargo test"), "unknown: its exit status is not known");
        assert_eq!(shown(&[], "cargo test"), "never");
    }

    #[test]
    fn an_edit_makes_it_stale() {
        let cases = [
            (bash("sed -i s/a/b/ src/x.rs", Some(0)), "stale src/x.rs"),
            (bash("sed -i s/a/b/ ../src/x.rs", Some(1)), "stale src/x.rs"),
            (bash("cd /tmp/p/sub && echo x > y", Some(0)), "stale sub/y"),
            (bash("rm src/x.rs", Some(0)), "stale src/x.rs"),
            (bash("git checkout -- src/x.rs", Some(0)), "stale git checkout -- src/x.rs"),
            (bash("git -C . checkout -- src/x.rs", Some(0)), "stale git -C . checkout -- src/x.rs"),
            (bash("git checkout -b new", Some(0)), "passed"),
            (bash("rg -l a | xargs sed -i s/a/b/", Some(0)), "stale sed -i s/a/b/ {}"),
            (bash("find . -name '*.rs' -exec sed -i s/a/b/ {} +", Some(0)), "stale sed -i s/a/b/ {}"),
            (bash("perl -pi -e s/a/b/ $(git ls-files)", Some(0)), "stale perl -pi -e s/a/b/ $(git ls-files)"),
            (bash("sed -n s/i/b/p $(git ls-files)", Some(0)), "passed"),
            (bash("git commit -am x && git push", Some(0)), "passed"),
            (bash("cat src/x.rs > /tmp/out", Some(0)), "passed"),
            (bash("echo x >> sessions/A/X_LOG.md; touch .engine/notes/x", Some(0)), "passed"),
            (bash("echo x >> notes/LOG.md", Some(0)), "passed"),
            (bash("mkdir target/x; rm -rf target/tmp", Some(0)), "passed"),
            (edit("/tmp/p/src/x.rs"), "stale src/x.rs"),
            (edit("/tmp/p/sessions/A/X_LOG.md"), "passed"),
            (edit("/tmp/p/notes/LOG.md"), "passed"),
            (edit("/tmp/pother/x.rs"), "passed"),
            (Entry { tool: Some("Read".into()), ..edit("/tmp/p/src/x.rs") }, "passed"),
            (Entry { event: "PostToolUseFailure".into(), ..edit("/tmp/p/src/x.rs") }, "passed"),
        ];
        for (entry, expected) in cases {
            let what = format!("{:?} {:?}", entry.command, entry.input);
            assert_eq!(
                shown(&[bash("cargo test", Some(0)), entry.clone()], "cargo test"),
                expected,
                "{what}"
            );
            let again = [bash("cargo test", Some(0)), entry, bash("cargo test", Some(0))];
            assert_eq!(shown(&again, "cargo test"), "passed", "{what}");
        }
    }

    #[test]
    fn some_commands_show_nothing() {
        for (command, expected) in [
            ("true", true),
            ("cd x && echo all tests pass", true),
            ("bash -c 'exit 0'", false),
            ("test -f x", false),
            ("cargo test", false),
            ("engine plan show", true),
            ("engine check -- cargo test", false),
            ("", false),
        ] {
            assert_eq!(shows_nothing(command), expected, "{command}");
        }
    }

    #[test]
    fn the_last_word_counts() {
        let piped = || bash("cargo test | tail", Some(0));
        let cases: [(&[Entry], &str); 6] = [
            (&[bash("cargo test", Some(0)), bash("cargo test", Some(1))], "failed 1"),
            (&[bash("cargo test", Some(0)), piped()], "passed"),
            (&[bash("cargo test", Some(1)), piped()], "unknown: a pipe hides its status"),
            (&[check("cargo test", 0), bash("engine check -- cargo test | tail", Some(0))], "passed"),
            (&[check("cargo test", 1), bash("engine check -- cargo test | tail", Some(0))], "failed 1"),
            (&[check("true", 0)], "never"),
        ];
        for (entries, expected) in cases {
            assert_eq!(shown(entries, "cargo test"), expected);
        }
    }

    #[test]
    fn an_edit_while_it_runs_counts() {
        let call = |entry: Entry| Entry { tool_use: Some("t1".into()), ..entry };
        let begun = call(Entry { event: "PreToolUse".into(), ..bash("cargo test", None) });
        let ended = || call(bash("cargo test", Some(0)));
        assert_eq!(shown(&[begun.clone(), edit("/tmp/p/a.rs"), ended()], "cargo test"), "stale a.rs");
        assert_eq!(shown(&[edit("/tmp/p/a.rs"), begun, ended()], "cargo test"), "passed");
    }

    #[test]
    fn wanted_may_be_more_than_one_command() {
        let wanted = "cd x && cargo fmt --check && timeout 9 cargo test";
        assert_eq!(shown(&[bash("cargo fmt --check && cargo test", Some(0))], wanted), "passed");
        assert_eq!(shown(&[bash("cargo fmt --check && cargo test", Some(1))], wanted), "failed 1");
        assert_eq!(shown(&[bash("cargo test", Some(0))], wanted), "never");
        assert_eq!(shown(&[bash("FULL=1 ./run.sh", Some(0))], "FULL=1 ./run.sh"), "passed");
        assert_eq!(shown(&[bash("./run.sh", Some(0))], "FULL=1 ./run.sh"), "never");
        assert_eq!(shown(&[bash("cd scripts && ./run.sh", Some(0))], "scripts/run.sh"), "passed");
        assert_eq!(
            shown(&[], "cargo test | tail"),
            "unknown: no run of this line can prove it: a pipe hides its status"
        );
        assert_eq!(shown(&[], ""), "unknown: this line could not be read as a command");
        assert_eq!(shown(&[bash("deploy --token=[redacted]", Some(0))], "nothing"), "never");
    }
}
