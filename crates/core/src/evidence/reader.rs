//! Reads command lines of the journal: which of the wanted commands they ran, in which folder, and what their status says of them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::output::{Said, idle};
use super::proof::Command;
use super::recorder::Ran;
use super::trick::{self, trick};
use super::{EditScope, changes_tree, git_words, is_aside, known};
use crate::host::surroundings;
use crate::journal::{CHECK, Entry};
use engine_shell::{Analyser, Analysis, Effect, Host, Run, Says, Status, Surroundings, Word};
use engine_text::path::join;

/// Variables by which a line can make a program another one, or let it check less, also where they are set for the whole line.
const STEERING: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "HOME",
    "XDG_CONFIG_HOME",
    "LD_*",
    "DYLD_*",
    "PYTEST_*",
    "PYTHON*",
    "NODE_OPTIONS",
    "NODE_PATH",
    "RUSTC*",
    "RUSTFLAGS",
    "CARGO_*",
    "NEXTEST_*",
    "GOFLAGS",
    "MAKE*",
    "GNUMAKEFLAGS",
    "RUSTUP_*",
    "MFLAGS",
    "MAVEN_*",
    "GRADLE_OPTS",
    "JAVA_TOOL_OPTIONS",
    "NPM_CONFIG_*",
    "npm_config_*",
    "TOX_*",
    "RUBYOPT",
    "PERL5OPT",
    "ENGINE_*",
];

/// Variables that say where programs are, or what a shell reads before it runs anything.
const PLACES: &[&str] = &["PATH", "BASH_ENV", "ENV", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "*"];

/// Programs that change no file of the project but those that their effects name.
const HARMLESS: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ls",
    "wc",
    "true",
    "false",
    ":",
    "test",
    "[",
    "[[",
    "cd",
    "pushd",
    "popd",
    "pwd",
    "date",
    "sleep",
    "exit",
    "return",
    "set",
    "export",
    "unset",
    "sort",
    "uniq",
    "cut",
    "tr",
    "jq",
    "diff",
    "cmp",
    "comm",
    "column",
    "less",
    "more",
    "tee",
    "engine",
    "wait",
    "kill",
    "read",
    "type",
    "which",
    "env",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "stat",
    "file",
    "du",
    "df",
    "ps",
    "nl",
    "tac",
    "paste",
    "seq",
    "expr",
    "bc",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "xxd",
    "od",
    "strings",
    "time",
    "timeout",
    "nice",
    "nohup",
    "stdbuf",
    "local",
    "declare",
    "let",
    "shift",
    "command",
    "rm",
    "mkdir",
    "cp",
    "mv",
    "touch",
    "shopt",
];
const HARMLESS_GIT: &[&str] = &[
    "status",
    "diff",
    "log",
    "show",
    "add",
    "push",
    "fetch",
    "rev-parse",
    "branch",
    "tag",
    "describe",
    "blame",
    "ls-files",
    "remote",
    "config",
    "shortlog",
    "stash",
    "notes",
];

/// The commands that a line must have run.
pub(super) struct Wanted {
    text: String,
    pub(super) runs: Vec<Run>,
    checks: Vec<Option<known::Check>>,
}

impl Wanted {
    pub(super) fn read(wanted: &Command, reader: &Reader<'_>) -> Result<Self, String> {
        let text = wanted.line.clone();
        let around = reader.around(&join(reader.scope.root, &wanted.folder));
        let all = reader.analyser.statuses(&text, &around);
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
        Ok(Self::of(text, runs, reader))
    }

    pub(super) fn of(text: String, runs: Vec<Run>, reader: &Reader<'_>) -> Self {
        let checks = runs.iter().map(|run| known::check_of(run, reader.scope.checks)).collect();
        Self { text, runs, checks }
    }

    pub(super) fn is_any(&self, run: &Run, reader: &Reader<'_>) -> bool {
        (0..self.runs.len()).any(|at| self.is(at, run, reader))
    }

    /// Whether a run is this wanted one: the same words, or a check that checks at least as much.
    fn is(&self, at: usize, run: &Run, reader: &Reader<'_>) -> bool {
        let wanted = &self.runs[at];
        // One that is looked up elsewhere is meant to be taken for it: [`disguise`] says so.
        let mut plain = run.clone();
        plain.env.retain(|(name, _)| !PLACES.contains(&name.as_str()));
        let run = &plain;
        let covers = || {
            let check = known::check_of(run, reader.scope.checks);
            check.zip(self.checks[at].as_ref()).is_some_and(|(check, wanted)| check.covers(wanted))
        };
        is_same(wanted, run) || covers()
    }

    /// The folder in which a line ran the wanted words, if it is another.
    pub(super) fn elsewhere(&self, analysis: &Analysis) -> Option<String> {
        let is_moved =
            |run: &&Run| self.runs.iter().any(|wanted| same_words(wanted, run) && wanted.cwd != run.cwd);
        let run = analysis.runs.iter().find(is_moved)?;
        Some(run.cwd.clone().unwrap_or_else(|| "a folder that is not known".to_owned()))
    }
}

/// The same program with the same words in the same folder; what is set for the wanted one is set for it too, and nothing else.
fn is_same(wanted: &Run, run: &Run) -> bool {
    let names = |run: &Run| run.env.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    same_words(wanted, run)
        && run.cwd == wanted.cwd
        && wanted.env.iter().all(|variable| run.env.contains(variable))
        && names(run).difference(&names(wanted)).all(|name| known::is_harmless(name))
}

fn same_words(wanted: &Run, run: &Run) -> bool {
    let place = |run: &Run| run.cwd.as_deref().map(|cwd| join(cwd, &run.path.text));
    let program = if wanted.path.text.contains('/') {
        run.path.text == wanted.path.text || place(run) == place(wanted)
    } else {
        // A program in a folder that somebody names may be any program.
        let usual = known::is_system(&run.path.text);
        (!run.path.text.contains('/') || usual) && run.program == wanted.program
    };
    let known = |run: &Run| !run.path.unknown && run.args.iter().all(|arg| !arg.unknown);
    let texts = |run: &Run| run.args.iter().map(|arg| arg.text.clone()).collect::<Vec<_>>();
    program && known(run) && !run.remote && texts(run) == texts(wanted)
}

/// Why a run may be another program than its words say.
pub(super) fn disguise(run: &Run, analysis: &Analysis) -> Option<String> {
    let moved = run.env.iter().find(|(name, _)| PLACES.contains(&name.as_str()));
    if let Some((name, _)) = moved {
        return Some(format!("{name} was changed for it"));
    }
    let program = run.program.as_deref().unwrap_or_default();
    let is_alias = |other: &Run| {
        other.is(&["alias"]) && other.args.iter().any(|arg| arg.text.split('=').next() == Some(program))
    };
    analysis.runs.iter().any(is_alias).then(|| format!("the line defines an alias {program}"))
}

/// One line of the journal, taken apart.
pub(super) struct Line<'e> {
    pub(super) entry: &'e Entry,
    pub(super) command: &'e str,
    pub(super) around: Surroundings,
    pub(super) analysis: Rc<Analysis>,
    /// Why what it ran may be something else than its words say.
    pub(super) doubt: Option<String>,
    /// The content when the call began, where that was kept.
    pub(super) before: Option<String>,
}

/// What a line says of the wanted commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Passed,
    Failed(i32),
    Unknown(String),
    /// Its output says that it checked nothing; so it is put.
    Idle(&'static str),
}

pub(super) struct Reader<'a> {
    pub(super) scope: &'a EditScope<'a>,
    analyser: Analyser,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scope: &'a EditScope<'a>) -> Self {
        Self { scope, analyser: Analyser::default() }
    }

    fn around(&self, cwd: &str) -> Surroundings {
        let scope = self.scope;
        let mut around = surroundings(
            cwd,
            scope.home.map(str::to_owned),
            scope.temporary.map(str::to_owned),
            scope.dialect,
        );
        around.host = Host { exported: STEERING, ..around.host };
        around
    }

    pub(super) fn analysis(&self, command: &str, cwd: &str) -> Rc<Analysis> {
        self.analyser.analyse(command, &self.around(cwd))
    }

    /// Where the shell of an entry was. Journals of an earlier release do not say.
    pub(super) fn cwd(&self, entry: &Entry) -> String {
        entry.cwd.clone().unwrap_or_else(|| self.scope.root.to_owned())
    }

    pub(super) fn line<'e>(&self, entry: &'e Entry, cwd: &str) -> Line<'e> {
        let command = entry.command.as_deref().unwrap_or_default();
        let around = self.around(cwd);
        let analysis = self.analyser.analyse(command, &around);
        Line { entry, command, around, analysis, doubt: entry.doubt.clone(), before: None }
    }

    /// What a line says of the wanted commands; nothing if it does not run all of them.
    pub(super) fn told(&self, wanted: &Wanted, line: &Line<'_>) -> Option<Told> {
        let by_status = self.by_status(wanted, line);
        let idle = line.entry.said.as_ref().and_then(idle);
        Some(match (self.by_record(wanted, line).or(by_status)?, idle) {
            (Told::Passed | Told::Failed(_), Some(why)) | (Told::Idle(why), _) => Told::Idle(why),
            (Told::Passed, None) => match self.in_the_way(wanted, line) {
                Some(why) => Told::Unknown(why),
                None => Told::Passed,
            },
            (Told::Unknown(why), _) => match &line.entry.said {
                Some(Said::Failed(_)) => Told::Failed(line.entry.exit.filter(|exit| *exit != 0).unwrap_or(1)),
                _ => Told::Unknown(why),
            },
            (Told::Failed(exit), None) => failed(exit, wanted),
        })
    }

    /// By what the recorder noted: each command with its own status. A pass counts only if the line runs it as often.
    fn by_record(&self, wanted: &Wanted, line: &Line<'_>) -> Option<Told> {
        let (mut exits, mut is_clear, mut is_here) = (Vec::new(), true, true);
        for at in 0..wanted.runs.len() {
            let is_meant = |run: &&Run| wanted.is(at, run, self) && !is_checked(run);
            let runs: Vec<&Run> = line.analysis.runs.iter().filter(is_meant).collect();
            // `uv run pytest` is one run, and pytest in it is no other.
            let is_outer = |run: &&&Run| !runs.iter().any(|outer| is_inside(run, outer));
            let is_plain = |run: &&&Run| disguise(run, &line.analysis).is_none();
            let times = runs.iter().filter(is_outer).filter(is_plain).count();
            let records: Vec<i32> = line
                .entry
                .ran
                .iter()
                .filter(|ran| wanted.is(at, &run_of(ran), self))
                .map(|ran| ran.exit)
                .collect();
            if records.is_empty() {
                return None;
            }
            is_here &= times > 0;
            is_clear &= times == records.len() && !defines(line.command, &wanted.runs[at]);
            exits.extend(records);
        }
        Some(match exits.iter().find(|exit| **exit != 0) {
            Some(exit) => Told::Failed(*exit),
            None if !is_here || line.entry.background => {
                Told::Unknown("it ran in the background, or with other variables".to_owned())
            }
            None if is_clear => Told::Passed,
            None => Told::Unknown("the recorder saw other runs than the line shows".to_owned()),
        })
    }

    fn by_status(&self, wanted: &Wanted, line: &Line<'_>) -> Option<Told> {
        let Line { entry, command, analysis, .. } = line;
        let unknown = |why: &str| Some(Told::Unknown(why.to_owned()));
        // Most lines have nothing to do with it.
        let meant: Vec<&Run> = analysis.runs.iter().filter(|run| wanted.is_any(run, self)).collect();
        if analysis.problem.is_none() && meant.is_empty() {
            return None;
        }
        if let Some(why) = meant.iter().find_map(|run| disguise(run, analysis)) {
            return Some(Told::Unknown(why));
        }
        let statuses = self.analyser.statuses(command, &line.around);
        let mut says = Says::All;
        for at in 0..wanted.runs.len() {
            let runs = |status: &&Status| status.runs.iter().any(|run| wanted.is(at, run, self));
            let elsewhere = || {
                if analysis.runs.iter().any(|run| wanted.is(at, run, self)) {
                    Some(Says::Nothing("its status is not the line's"))
                } else {
                    let unread = analysis.problem.is_some() && command.contains(&wanted.text);
                    unread.then_some(Says::Nothing("the line it stands in could not be read"))
                }
            };
            let told = statuses.iter().filter(runs).map(|status| status.says).max();
            says = says.min(told.or_else(elsewhere)?);
        }
        let is_wanted = |status: &Status| status.runs.iter().any(|run| wanted.is_any(run, self));
        match (says, entry.exit) {
            // The check itself has a line of its own, but for what the client alone sees of it.
            _ if meant.iter().any(|run| is_checked(run)) => {
                entry.said.as_ref().and_then(idle).map(Told::Idle)
            }
            _ if entry.background => unknown("it ran in the background"),
            (Says::Nothing(why), _) => unknown(why),
            (_, None) => unknown("its exit status is not known"),
            (_, Some(0)) => Some(Told::Passed),
            (Says::All, Some(exit)) => Some(Told::Failed(exit)),
            // Whichever of them failed, all were wanted.
            (Says::Success, Some(exit)) if statuses.iter().all(|one| one.is_aside() || is_wanted(one)) => {
                Some(Told::Failed(exit))
            }
            (Says::Success, Some(_)) => unknown("another command of its line may have failed"),
        }
    }

    /// Known checks that the recorder saw fail and that the line does not run: they ran in the background, or in something that the
    /// line does not show.
    pub(super) fn strays(&self, line: &Line<'_>) -> Vec<(Run, i32)> {
        let is_shown = |ran: &Run| line.analysis.runs.iter().any(|run| is_same(ran, run));
        let failed = line.entry.ran.iter().filter(|ran| !matches!(ran.exit, 0 | 126 | 127 | 130));
        failed
            .map(|ran| (run_of(ran), ran.exit))
            .filter(|(run, _)| known::check_of(run, self.scope.checks).is_some() && !is_shown(run))
            .collect()
    }

    /// Why a pass proves nothing.
    fn in_the_way(&self, wanted: &Wanted, line: &Line<'_>) -> Option<String> {
        let statuses = self.analyser.statuses(line.command, &line.around);
        if let Some(why) = trick(line.command, &line.analysis, &statuses) {
            return Some(why);
        }
        if line.entry.event == CHECK {
            return line.doubt.clone();
        }
        // A target of make may ignore that it failed.
        if matches!(line.entry.said, Some(Said::Failed(_))) {
            return Some("its output says that it failed".to_owned());
        }
        // A commit is no edit. Where the content was kept, it shows what a hook of git changed.
        let is_kept = line.before.is_some() && line.entry.content.is_some();
        let followers = self.followers(wanted, line, &statuses);
        let follower = followers.into_iter().find(|run| is_kept || !is_commit(run))?;
        // What the line itself prepared could have been put back.
        let is_same =
            line.before.is_some() && line.before == line.entry.content && !self.is_prepared(wanted, line);
        (!is_same).then(|| format!("`{}` ran after it on its line", follower.shown()))
    }

    /// What may have changed anything while the command ran or later on the line: the content at the end is then not what passed.
    fn followers<'l>(&self, wanted: &Wanted, line: &'l Line<'_>, statuses: &[Status]) -> Vec<&'l Run> {
        let is_wanted = |run: &Run| wanted.is_any(run, self);
        let place = statuses.iter().rposition(|status| status.runs.iter().any(is_wanted));
        // What stands before it on the line has ended when it begins.
        let earlier: Vec<&Run> =
            statuses[..place.unwrap_or(0)].iter().flat_map(|status| &status.runs).collect();
        let is_earlier =
            |run: &Run| earlier.iter().any(|other| other.path == run.path && other.args == run.args);
        let runs = &line.analysis.runs;
        let is_of_it = |run: &Run| {
            is_wanted(run)
                || runs
                    .iter()
                    .any(|other| is_wanted(other) && (is_inside(run, other) || is_inside(other, run)))
        };
        let is_free = |run: &Run| is_free(run) || is_earlier(run) || is_of_it(run);
        runs.iter().filter(|run| !is_free(run)).collect()
    }

    /// Whether something that a line runs before the wanted commands may have changed a file.
    pub(super) fn is_prepared(&self, wanted: &Wanted, line: &Line<'_>) -> bool {
        let statuses = self.analyser.statuses(line.command, &line.around);
        let is_wanted = |run: &Run| wanted.is_any(run, self);
        let place = statuses.iter().position(|status| status.runs.iter().any(is_wanted)).unwrap_or(0);
        let earlier = statuses[..place].iter().flat_map(|status| &status.runs);
        let ran = line.analysis.runs.iter().position(is_wanted);
        earlier.into_iter().any(|run| !is_free(run)) || !self.edits(&line.analysis, ran).0.is_empty()
    }

    /// Why a run on a line may be another program than its words say.
    pub(super) fn doubtful(
        &self,
        run: &Run,
        command: &str,
        cwd: &str,
        analysis: &Analysis,
    ) -> Option<String> {
        let statuses = self.analyser.statuses(command, &self.around(cwd));
        disguise(run, analysis).or_else(|| trick(command, analysis, &statuses))
    }

    /// The edits before and behind a run, in their order; all are before if it is not there.
    pub(super) fn edits(&self, analysis: &Analysis, ran: Option<usize>) -> (Vec<String>, Vec<String>) {
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
    pub(super) fn counts(&self, path: &str) -> Option<String> {
        let path = join(self.scope.root, path);
        let inside = path.strip_prefix(self.scope.root)?;
        let name = inside.strip_prefix('/').or(inside.is_empty().then_some("."))?;
        let top = name.split('/').next().unwrap_or_default();
        let is_free = is_aside(top) || self.scope.free.contains(&path.as_str());
        (!is_free).then(|| name.to_owned())
    }
}

/// A status that says how the program was called, not what it found.
fn failed(exit: i32, wanted: &Wanted) -> Told {
    let is_pytest = wanted.checks.iter().flatten().any(|check| check.name == "pytest");
    match exit {
        126 | 127 => Told::Unknown("it could not be started".to_owned()),
        124 | 130 | 137 | 143 => Told::Unknown("it was stopped".to_owned()),
        4 if is_pytest => Told::Unknown("it was called with words that it does not know".to_owned()),
        5 if is_pytest => Told::Unknown("it found no tests".to_owned()),
        exit => Told::Failed(exit),
    }
}

/// What the recorder saw, as a run.
fn run_of(ran: &Ran) -> Run {
    let mut words = ran.words.iter().map(Word::known);
    let path = words.next().unwrap_or_default();
    let program = path.text.rsplit('/').next().map(str::to_owned);
    Run { program, path, args: words.collect(), cwd: Some(ran.folder.clone()), ..Run::default() }
}

/// Whether a line defines a function of a program's name.
fn defines(command: &str, run: &Run) -> bool {
    run.program.as_deref().is_none_or(|program| trick::defines(command, program))
}

/// Whether a run changes no file of the project but those that its effects name.
fn is_free(run: &Run) -> bool {
    let texts = || run.args.iter().map(|arg| arg.text.as_str());
    match run.program.as_deref() {
        Some("awk" | "gawk" | "mawk") => {
            !texts().any(|arg| arg.contains(['>', '|']) || arg.contains("system"))
        }
        Some("sed" | "gsed") => texts().filter(|arg| !arg.starts_with('-')).all(is_harmless_script),
        Some("git") => is_plain_git(run, HARMLESS_GIT),
        _ => run.is(HARMLESS),
    }
}

/// Whether git does one of these, without settings of its own on the line.
fn is_plain_git(run: &Run, verbs: &[&str]) -> bool {
    let is_setting =
        |arg: &str| arg == "-c" || arg.starts_with("--exec-path") || arg.starts_with("--config-env");
    !run.args.iter().any(|arg| is_setting(&arg.text))
        && git_words(run).is_some_and(|(verb, _)| verbs.contains(&verb))
}

/// A commit, whose editor nobody has set for it.
fn is_commit(run: &Run) -> bool {
    run.is(&["git"]) && run.env.is_empty() && is_plain_git(run, &["commit"])
}

/// A script of sed that neither writes a file nor runs a command: `s/a/b/g`, `1,20p`, `/x/d`.
fn is_harmless_script(script: &str) -> bool {
    match script.strip_prefix('s') {
        Some(rest) => {
            let mark = rest.chars().next().unwrap_or('/');
            !rest.rsplit(mark).next().unwrap_or_default().contains(['w', 'e', ';'])
        }
        None => !script.contains(['w', 'e']),
    }
}

/// Whether a run is what another one wraps.
pub(super) fn is_inside(run: &Run, outer: &Run) -> bool {
    let wrapper = run.via.strip_prefix(outer.via.as_slice()).and_then(|inner| inner.first());
    wrapper.is_some_and(|wrapper| outer.program.as_deref() == wrapper.split(' ').next())
}

/// Run by `engine check`.
pub(super) fn is_checked(run: &Run) -> bool {
    run.via.last().is_some_and(|wrapper| wrapper == "engine check")
}
