//! `engine doctor`: everything that can fail without a word is looked at and named.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use engine_claude::EventName;
use engine_claude::KNOWN_VERSION;
use engine_claude::install::{self, Scope};
use engine_claude::json_edit::check_strict;
use engine_claude::skills::Origin;
use engine_claude::wiring::Settings;
use engine_core::chain::written;
use engine_core::config::Config;
use engine_core::directive;
use engine_core::evidence::known::CHECKS;
use engine_rules::KEEP_DAYS;
use engine_rules::Rule;
use engine_rules::memory::is_denied;
use engine_store::project::Project;
use engine_store::read::read_string;
use engine_store::reason::reason;
use engine_store::session_file::SessionFile;
use engine_store::work_file::{self, WorkFile};
use engine_store::{clock, config_file, journal_file, policy_file, retention};
use fs_err as fs;
use serde::Serialize;

use crate::chain;
use crate::coverage::not_understood;
use crate::enrich;
use crate::hook;
use crate::journal::DOCTOR_SESSION;
use crate::unfinished;
use crate::wording::counted;

mod hooks;
mod installed;
mod merge;
mod probe;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Ok,
    Note,
    Broken,
}

#[derive(Debug, Serialize)]
pub struct Check {
    pub name: String,
    pub health: Health,
    pub detail: String,
}

/// The findings of one run.
#[derive(Debug, Default)]
pub struct Report(Vec<Check>);

impl Report {
    fn add(&mut self, health: Health, name: &str, detail: impl Into<String>) {
        self.0.push(Check { name: name.to_owned(), health, detail: detail.into() });
    }
}

impl Report {
    pub fn checks(&self) -> &[Check] {
        &self.0
    }

    pub fn broken(&self) -> usize {
        self.0.iter().filter(|check| check.health == Health::Broken).count()
    }
}

/// Looks at everything. What is older than `journal.keep_days` goes first.
pub fn examine(project: &Project, rules: &[Rule]) -> Report {
    let config = config_file::load_fresh(project);
    retention::apply(project, clock::now(), config.number(&KEEP_DAYS));
    let mut report = Report::default();
    client(&mut report);
    switch(&mut report);
    settings_files(project, &mut report);
    hooks::folder(project, std::env::current_dir().ok().as_deref(), &mut report);
    hooks::wiring(project, rules, &config, &mut report);
    configuration(&config, &mut report);
    journal(project, &mut report);
    state(project, &mut report);
    open_work(project, &mut report);
    permissions(project, &mut report);
    skills(project, &mut report);
    installed::files(project, &mut report);
    policy(project, &mut report);
    memory(project, &config, &mut report);
    if let Some(fault) = enrich::fault(project, &config) {
        report.add(Health::Note, "enrich", fault);
    }
    merge::check(project, &config, &mut report);
    report
}

fn client(report: &mut Report) {
    match probe::client_version() {
        Some(version) if version == KNOWN_VERSION => report.add(
            Health::Ok,
            "client",
            format!("Claude Code {version}, the version engine is tested with"),
        ),
        Some(version) => report.add(
            Health::Note,
            "client",
            format!("Claude Code {version}; engine is tested with {KNOWN_VERSION}"),
        ),
        None => report.add(Health::Note, "client", "claude was not found on PATH"),
    }
}

fn switch(report: &mut Report) {
    if hook::is_off() {
        report.add(
            Health::Broken,
            "ENGINE_OFF",
            "is set in this environment: every hook is silent. Unset it",
        );
    }
}

fn settings_files(project: &Project, report: &mut Report) {
    for scope in Scope::ALL {
        let Some(path) = install::settings_file(project.root(), scope) else { continue };
        let Ok(text) = read_string(&path) else { continue };
        let name = shown(project, &path);
        if let Err(error) = check_strict(&text) {
            report.add(Health::Broken, &name, format!("{error}: the client ignores the whole file. Mend it"));
            continue;
        }
        let Some(settings) = Settings::read(&text) else { continue };
        let steered = settings.steering();
        if let Some(why) = settings.dropped() {
            report.add(Health::Broken, &name, format!("{why}. Mend it"));
        } else if settings.disables_hooks() {
            report.add(Health::Broken, &name, "disableAllHooks is set: no hook runs. Remove it");
        } else if !steered.is_empty() {
            let names: Vec<&str> = steered.keys().map(String::as_str).collect();
            report.add(Health::Note, &name, format!("sets {}", names.join(", ")));
        } else {
            report.add(Health::Ok, &name, format!("read by the client ({} scope)", scope.as_str()));
        }
    }
}

fn configuration(config: &Config, report: &mut Report) {
    if config.problems().is_empty() {
        report.add(Health::Ok, "config", "every key is known");
    }
    let is_untrusted = config.acceptance().is_untrusted;
    let how = if is_untrusted { "engine trust" } else { "engine config accept" };
    if is_untrusted {
        report.add(Health::Note, "trust", "this project is not trusted. Look: engine trust --show");
    }
    for held in config.held() {
        report.add(Health::Note, "config", format!("held: {}. Accept: {how}", held.change()));
    }
    for problem in config.problems() {
        report.add(
            Health::Broken,
            "config",
            format!("{} config, line {}: {}", problem.layer.as_str(), problem.line, problem.text),
        );
    }
}

fn journal(project: &Project, report: &mut Report) {
    let yesterday = clock::now().minus_days(1).rfc3339();
    let mut failed: BTreeMap<String, (u64, String, bool)> = BTreeMap::new();
    let mut trouble: BTreeMap<String, u64> = BTreeMap::new();
    let mut opaque: BTreeMap<String, u64> = BTreeMap::new();
    let (mut events, mut damaged) = (0u64, 0usize);
    for (_, path) in journal_file::days(&project.journal_folder()) {
        let read = journal_file::read_day(&path, |entry| {
            if entry.session.starts_with(DOCTOR_SESSION) {
                return;
            }
            events += 1;
            for finding in &entry.findings {
                if let Some(error) = &finding.error {
                    let failure = failed.entry(finding.rule.clone()).or_default();
                    *failure = (failure.0 + 1, error.clone(), entry.at >= yesterday);
                }
            }
            for text in entry.trouble {
                *trouble.entry(text).or_default() += 1;
            }
            if entry.opaque && entry.event == EventName::PreToolUse.as_str() {
                *opaque.entry(entry.tool.unwrap_or_default()).or_default() += 1;
            }
        });
        match read {
            Ok(damage) => damaged += damage.lines,
            Err(error) => {
                report.add(Health::Broken, "journal", format!("{}: {}", path.display(), reason(&error)));
            }
        }
    }
    report.add(Health::Ok, "journal", format!("{} kept", counted(events, "event")));
    if damaged > 0 {
        report.add(Health::Note, "journal", format!("{damaged} damaged lines are passed over"));
    }
    for (rule, (count, error, recently)) in failed {
        let health = if recently { Health::Broken } else { Health::Note };
        let text = format!(
            "failed {count} times, last: {error}. Switch it off until it is mended: engine config set rules.{rule} off"
        );
        report.add(health, &format!("rule {rule}"), text);
    }
    for (text, count) in trouble {
        report.add(Health::Note, "trouble", format!("{text} ({count} times)"));
    }
    if !opaque.is_empty() {
        report.add(Health::Note, "tools", not_understood(&opaque));
    }
}

/// A session of which nothing was heard for so long is not running any more.
const STALE: Duration = Duration::from_hours(7 * 24);

fn state(project: &Project, report: &mut Report) {
    let (mut sessions, mut stale, mut set_aside) = (0_u64, 0, Vec::new());
    for entry in fs::read_dir(project.sessions_folder()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.contains(".json.bad-") {
            set_aside.push(name);
        } else if let Some(session) = name.strip_suffix(".json") {
            sessions += 1;
            let heard =
                entry.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            let ended = SessionFile::new(&project.sessions_folder(), session).peek().ended.is_some();
            stale += usize::from(!ended && heard.is_some_and(|age| age > STALE));
        }
    }
    report.add(Health::Ok, "state", format!("{} kept", counted(sessions, "session")));
    if stale > 0 {
        let text = format!(
            "{stale} sessions never ended and were not heard of for a week; they go after journal.keep_days"
        );
        report.add(Health::Note, "state", text);
    }
    for name in work_file::names(project) {
        let work = WorkFile::new(project, &name);
        let left = work.temporaries() as u64;
        if left > 0 {
            let text = format!(
                "{} has {} of a running or killed process; those of a process that is gone are removed after a minute, by the next change of the work session or engine doctor",
                work.shown(),
                counted(left, "temporary file")
            );
            report.add(Health::Note, "state", text);
        }
    }
    if !set_aside.is_empty() {
        let names = set_aside.join(", ");
        let text = format!(
            "set aside because they could not be read: {names}. Delete them when you no longer need them"
        );
        report.add(Health::Note, "state", text);
    }
}

/// The work that is open, and what of it a client that was killed or closed has left so.
fn open_work(project: &Project, report: &mut Report) {
    let (left, works): (Vec<_>, Vec<_>) =
        unfinished::works(project).into_iter().partition(|work| work.orphaned);
    for (health, works) in [(Health::Ok, works), (Health::Note, left)] {
        for line in unfinished::work_lines(&works) {
            report.add(health, "work session", line);
        }
    }
    let (left, plans): (Vec<_>, Vec<_>) =
        unfinished::plans(project).into_iter().partition(|plan| plan.orphaned);
    for (health, plans) in [(Health::Ok, plans), (Health::Note, left)] {
        for line in unfinished::plan_lines(&plans) {
            report.add(health, "plan", line);
        }
    }
    for line in chain::lines(project) {
        report.add(Health::Ok, "chain", line);
    }
}

fn permissions(project: &Project, report: &mut Report) {
    let allowed = |scope| {
        let text = install::settings_file(project.root(), scope).and_then(|path| read_string(&path).ok());
        text.and_then(|text| engine_claude::settings::allowed(&text).ok()).unwrap_or_default()
    };
    let (in_project, effective) =
        (allowed(Scope::Project), [allowed(Scope::Local), allowed(Scope::User)].concat());
    let config = config_file::load(project);
    let wanted = install::permission_entries(&config.commands(&CHECKS));
    let missing: Vec<&String> = wanted.iter().filter(|entry| !effective.contains(entry)).collect();
    if missing.is_empty() {
        report.add(Health::Ok, "permissions", "engine's everyday commands need no dialog");
    } else if missing.iter().any(|entry| in_project.contains(entry)) {
        report.add(
            Health::Note,
            "permissions",
            "entries in .claude/settings.json are ignored until the workspace is trusted. Run: engine init",
        );
    } else {
        report.add(
            Health::Note,
            "permissions",
            format!("{} of engine's everyday commands open a dialog. Run: engine init", missing.len()),
        );
    }
}

fn shown(project: &Project, path: &Path) -> String {
    path.strip_prefix(project.root()).unwrap_or(path).display().to_string()
}

/// Rules of the project that cannot be used.
fn policy(project: &Project, report: &mut Report) {
    let loaded = policy_file::read(project);
    for problem in &loaded.problems {
        let text = format!(".engine/policy.toml:{}: {}; the rule is not used", problem.line, problem.text);
        report.add(Health::Broken, "policy", text);
    }
    if !loaded.policy.rules.is_empty() {
        let count = counted(loaded.policy.rules.len() as u64, "rule");
        report.add(
            Health::Ok,
            "policy",
            format!("{count} of the project; engine policy test runs their tests"),
        );
    }
}

/// A registry that comes back empty without a word was how earlier systems lost their chains.
fn skills(project: &Project, report: &mut Report) {
    let found = engine_claude::skills::all(project.root());
    let own: Vec<_> =
        found.iter().filter(|found| found.origin != Origin::BuiltIn && found.hidden_by.is_none()).collect();
    let entries = own.iter().filter(|found| found.declared.cooperative && found.declared.callable).count();
    let count = counted(own.len() as u64, "skill");
    report.add(Health::Ok, "skills", format!("{count} found, {entries} can be in a chain"));
    for broken in own.iter().filter(|found| !found.declared.problems.is_empty()) {
        let problem = &broken.declared.problems[0];
        let place = broken.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        report.add(Health::Note, "skills", format!("{place}:{}: {}", problem.line, problem.text));
    }
    let has = |name: &str| own.iter().any(|found| found.name == name || found.alias.as_deref() == Some(name));
    let missing: Vec<String> =
        SHORTCUT_SKILLS.iter().filter(|name| !has(name)).map(|name| format!("/{name}")).collect();
    if !missing.is_empty() {
        let text = format!(
            "h, hc, ci and xc stand for {}, which {} not installed. Run: engine init --with skills",
            missing.join(" and "),
            if missing.len() == 1 { "is" } else { "are" }
        );
        report.add(Health::Note, "shortcuts", text);
    }
    let is_entry = |name: &str| own.iter().any(|found| found.name == name && found.declared.callable);
    for found in &own {
        let unknown = found.declared.ending.on_failure.iter().find(|entry| !is_entry(&entry.skill));
        if let Some(entry) = unknown {
            let (name, entry) = (&found.name, written(entry));
            let text = format!("/{name}: on-failure names {entry}, which is no skill here; it is not used");
            report.add(Health::Note, "skills", text);
        }
    }
}

/// What `h`, `hc`, `ci` and the end of `xc` call.
const SHORTCUT_SKILLS: [&str; 2] = ["handoff", "commit"];

/// Notes in the client's built-in memory, where the project has another place for them.
fn memory(project: &Project, config: &Config, report: &mut Report) {
    if !is_denied(config) && !project.root().join(directive::FOLDER).is_dir() {
        return;
    }
    let Some(path) = engine_claude::memory::index(project.root()) else { return };
    let size = fs::metadata(&path).map(|data| data.len()).unwrap_or_default();
    if size > 0 {
        let text = format!(
            "{} holds {} of the client's own notes. Move what is still true to notes (engine remember TEXT), directives \
             (engine directives new AGENTS DIR) or learnings (engine learn add), then delete the file",
            path.display(),
            counted(size, "byte"),
        );
        report.add(Health::Note, "memory", text);
    }
}

#[cfg(test)]
mod tests;
