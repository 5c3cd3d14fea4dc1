//! Judges tool calls by the policy: every command line by what it does, files by their paths, any tool by rules of the project. So are the
//! command lines that the client runs out of a skill.
//!
//! Blocks and asks name the rule, what was matched, why, and what to do instead. Subagents are judged alike. Silent otherwise.

use std::collections::HashMap;

use crate::skill_lines::{self, SkillLine};
use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Actor, Edit, Event, EventName, Kind, ToolCall};
use engine_core::policy::{
    self, CallFacts, Context, FileUse, Holds, Level, Match, PROTECTED, Places, over_long,
};
use engine_core::verdict::{Broken, Decision, Finding};
use engine_core::view::{Files, Git, Policy, Project, Session, Shell, Skills, Work};
use engine_shell::Effect;
use engine_text::field;
use engine_text::path::join;

looks_at!(Files + Git + Policy + Project + Session + Shell + Skills + Work);

pub(crate) const RULE: Rule = Rule {
    id: "policy",
    about: "Refuses or asks about commands and edits by the policy packs and .engine/policy.toml.",
    events: &[EventName::PreTool, EventName::PromptExpansion],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

/// What the ids of the policy's rules follow in what a finding rests on.
pub(crate) const MATCHED: &str = "matched: ";

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let mut found = match &event.kind {
        Kind::PreTool(call) => of_call(event, call, view),
        _ => Vec::new(),
    };
    found.extend(skill_lines::of_event(event, view).lines.iter().flat_map(|line| of_line(event, line, view)));
    found.sort_by_key(|found| std::cmp::Reverse(found.verdict));
    Ok(skill_lines::as_typed(event, finding(&found)))
}

fn of_call(event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) -> Vec<Match> {
    let mut found: Vec<Match> = Vec::new();
    for mut facts in facts(event, call, view) {
        complete(&mut facts, event, call, view);
        for one in judged(&facts, view) {
            // A rule about the tool itself matches every part of the call.
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

fn of_line(event: &Event<'_>, line: &SkillLine, view: &(impl View + ?Sized)) -> Vec<Match> {
    let places = places(event, view);
    let analysis = view.analysis(&line.command, &places.cwd);
    let mut facts = CallFacts::of_command("", &line.command, analysis, places);
    surround(&mut facts, event, view);
    let mut found = judged(&facts, view);
    for one in &mut found {
        one.what = format!("{} ({})", one.what, line.place);
    }
    found
}

fn judged(facts: &CallFacts, view: &(impl View + ?Sized)) -> Vec<Match> {
    let found = policy::judge(facts, view.policy(), &|rule| rule.verdict(view.config()));
    found.into_iter().map(|found| view.policy().told(found)).collect()
}

fn finding(found: &[Match]) -> Finding {
    let mut finding = Finding::default();
    let acting: Vec<&Match> = found.iter().filter(|found| found.verdict > Level::Shadow).collect();
    let strictest = acting.iter().map(|found| found.verdict).max();
    let messages = |verdict: Level| {
        let of_it = acting.iter().filter(|found| found.verdict == verdict);
        of_it.map(|found| found.message()).collect::<Vec<_>>().join("\n")
    };
    match strictest {
        Some(Level::Block) => finding.decision = Some(Decision::Deny(messages(Level::Block))),
        Some(Level::Ask) => finding.decision = Some(Decision::Ask(messages(Level::Ask))),
        Some(Level::Warn) => finding.context = Some(format!("engine policy: {}", messages(Level::Warn))),
        _ => {}
    }
    if !found.is_empty() {
        let ids: Vec<String> =
            found.iter().map(|found| format!("{} ({})", found.rule, found.verdict.as_str())).collect();
        finding.because = Some(format!("{MATCHED}{}", ids.join(", ")));
    }
    finding
}

/// The call taken apart: each command line, and all files that it names; nothing for calls that no rule looks at.
fn facts(event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) -> Vec<CallFacts> {
    let places = places(event, view);
    let of_command = |command: &str| {
        let analysis = view.analysis(command, &places.cwd);
        let mut facts = CallFacts::of_command(&call.name, command, analysis, places.clone());
        facts.skills = skills_as_programs(&facts, view);
        facts
    };
    let mut all: Vec<CallFacts> = call.commands().map(of_command).collect();
    let read = call.reads().map(|path| FileUse::Read(path.to_owned()));
    let written = call.writes().map(|path| FileUse::Write(path.to_owned()));
    let deleted = call.deletes().map(|path| FileUse::Delete(path.to_owned()));
    let mut files = read.chain(written).chain(deleted).peekable();
    if files.peek().is_some() {
        let mut facts = CallFacts::of_files(&call.name, files, places.clone());
        let first = call.reads().count();
        let mut edits = call.edits();
        facts.over_long =
            edits.position(|(path, edit)| is_over_long(edit, path, event, view)).map(|at| first + at);
        all.push(facts);
    }
    // Rules of the project look at the tool and its fields, whatever it does.
    if all.is_empty() && !view.policy().rules.is_empty() {
        all.push(CallFacts::of_tool(&call.name, places));
    }
    all
}

/// Adds what rules of the project ask of a call, besides what every rule asks.
fn complete(facts: &mut CallFacts, event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) {
    surround(facts, event, view);
    if !view.policy().rules.is_empty() {
        facts.fields = field::all(&call.input)
            .into_iter()
            .flatten()
            .map(|(name, raw)| {
                (name, field::text(raw).map_or_else(|| raw.get().to_owned(), std::borrow::Cow::into_owned))
            })
            .collect();
    }
}

/// Adds in what a call happens.
fn surround(facts: &mut CallFacts, event: &Event<'_>, view: &(impl View + ?Sized)) {
    let dialect = view.dialect();
    facts.dialect = dialect;
    let named = facts.runs().filter_map(|(index, run)| {
        let file = (dialect.settings_file)(dialect, run)?;
        Some((index, view.read(&view.resolve(run.cwd.as_deref()?, file)).ok()?))
    });
    facts.settings = named.collect();
    if is_on("git.discard-paths", view) {
        facts.unsaved =
            policy::unsaved(facts, &|path| view.exists(path.as_ref()), &|asked| view.unsaved(asked));
    }
    if is_on("git.branch-force", view) {
        facts.new_branches = policy::new_branches(facts, &|asked| view.has_branch(asked));
    }
    let root = facts.places.root.clone();
    facts.protected =
        view.config().names(&PROTECTED).into_iter().map(|pattern| join(&root, pattern)).collect();
    follow_links(facts, view);
    look_for_keys(facts, view);
    let branch_matters = wants_branch(view);
    let branch = if branch_matters { view.branch() } else { None };
    let protected = policy::branches(view.config());
    facts.on_protected_branch = branch.as_deref().is_some_and(|branch| protected.contains(&branch));
    if !view.policy().rules.is_empty() {
        let agent_type = match &event.actor {
            Actor::Subagent { agent_type, .. } => Some(agent_type.to_string()),
            Actor::Main => None,
        };
        let chain = view.session().chain().and_then(|chain| chain.current.as_ref());
        let work = view.work();
        facts.context = Context {
            skill: chain.map(|current| current.skill.clone()).or_else(|| work.map(|work| work.skill.clone())),
            phase: work.and_then(|work| work.phase.clone()),
            agent_type,
            mode: event.permission_mode.as_deref().map(str::to_owned),
            branch,
        };
    }
}

/// Puts the real paths in place of those that lead through symbolic links, where it matters: it costs a dozen system calls
/// each. A delete takes the link itself, so only the folder that it is in is followed.
fn follow_links(facts: &mut CallFacts, view: &(impl View + ?Sized)) {
    add_linked_secrets(facts, view);
    let paths_matter = !facts.protected.is_empty() || !view.policy().rules.is_empty();
    let matters = |effect: &Effect| {
        paths_matter || !matches!(effect, Effect::Read { .. } | Effect::Write { .. } | Effect::Folder { .. })
    };
    if !facts.effects.iter().any(matters) {
        return;
    }
    // Compared with real paths, the root must be one too.
    let root = facts.places.root.clone();
    facts.places.root = view.resolve("/", &root).to_string_lossy().into_owned();
    let real_root = facts.places.root.clone();
    for pattern in &mut facts.protected {
        if let Some(rest) = pattern.strip_prefix(&root) {
            *pattern = format!("{real_root}{rest}");
        }
    }
    let mut known: HashMap<String, String> = HashMap::new();
    let mut real = |path: &str| {
        let resolved = || view.resolve("/", path).to_string_lossy().into_owned();
        known.entry(path.to_owned()).or_insert_with(resolved).clone()
    };
    let is_placed = |effect: &Effect| effect.tail().is_none();
    for effect in facts.effects.iter_mut().filter(|effect| matters(effect) && is_placed(effect)) {
        match effect {
            Effect::Read { path, pattern: false, .. }
            | Effect::Write { path, pattern: false, .. }
            | Effect::Folder { path, pattern: false, .. } => {
                *path = real(path);
            }
            Effect::Delete { path, pattern: false, .. } | Effect::Attributes { path, pattern: false, .. } => {
                if let Some((folder, name)) = path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) {
                    *path = join(&real(folder), name);
                }
            }
            // The folder that a pattern is in.
            Effect::Read { path, .. }
            | Effect::Write { path, .. }
            | Effect::Folder { path, .. }
            | Effect::Delete { path, .. }
            | Effect::Attributes { path, .. } => {
                let at = path.find(['*', '?', '[']).and_then(|star| path[..star].rfind('/'));
                if let Some(at) = at.filter(|at| *at > 0) {
                    *path = format!("{}{}", real(&path[..at]), &path[at..]);
                }
            }
        }
    }
}

/// Reads that are looked at for links: a call that names more is no glance at a key.
const MOST_READS: usize = 32;

/// What is read through a link is what it leads to. Of a secret both names count.
fn add_linked_secrets(facts: &mut CallFacts, view: &(impl View + ?Sized)) {
    let home = facts.places.home.as_deref();
    let linked = |effect: &Effect| match effect {
        Effect::Read { run, path, pattern: false } if effect.tail().is_none() => {
            let real = |path: &str| view.resolve("/", path).to_string_lossy().into_owned();
            let led = real(path);
            let is_linked = led != *path && policy::is_secret(&led, home.map(real).as_deref());
            // Below a linked home it has its name for the rules already.
            let is_seen = || policy::is_secret(path, home);
            (is_linked && !is_seen())
                .then(|| match home.zip(home.map(real)) {
                    Some((home, real_home)) if led.starts_with(&format!("{real_home}/")) => {
                        format!("{home}{}", &led[real_home.len()..])
                    }
                    _ => led,
                })
                .map(|path| Effect::Read { run: *run, path, pattern: false })
        }
        _ => None,
    };
    let is_read = |effect: &&Effect| matches!(effect, Effect::Read { .. });
    let found: Vec<Effect> =
        facts.effects.iter().filter(is_read).take(MOST_READS).filter_map(linked).collect();
    facts.effects.extend(found);
}

/// Looks into files that are read and may hold a private key, by their name: only the text tells a key from a certificate.
fn look_for_keys(facts: &mut CallFacts, view: &(impl View + ?Sized)) {
    let read = facts.effects.iter().filter_map(|effect| match effect {
        Effect::Read { path, pattern: false, .. } if effect.tail().is_none() => Some(path),
        _ => None,
    });
    let held = read.take(MOST_READS).filter_map(|path| {
        let bytes = policy::telling_bytes(path)?;
        let text = view.beginning(&view.resolve("/", path), bytes)?;
        Some((path.clone(), Holds::of(&text)))
    });
    facts.held = held.collect();
}

fn wants_branch(view: &(impl View + ?Sized)) -> bool {
    is_on("git.protected-branch", view) || view.policy().rules.iter().any(|rule| !rule.when.branch.is_empty())
}

/// Whether a built-in rule counts at all, so that what it looks at is worth looking up.
fn is_on(id: &str, view: &(impl View + ?Sized)) -> bool {
    policy::built_in().any(|rule| rule.id == id && rule.verdict(view.config()) != Level::Off)
}

fn places(event: &Event<'_>, view: &(impl View + ?Sized)) -> Places {
    let root = view.root().to_string_lossy().into_owned();
    let cwd = if event.cwd.starts_with('/') { event.cwd.to_string() } else { root.clone() };
    Places { root, cwd, home: view.variable("HOME"), temporary: view.variable("TMPDIR") }
}

/// Programs like `/commit` that are skills, and no files.
fn skills_as_programs(facts: &CallFacts, view: &(impl View + ?Sized)) -> Vec<String> {
    let names = facts.runs().filter_map(|(_, run)| run.path.literal()?.strip_prefix('/'));
    let names = names.filter(|name| !name.is_empty() && !name.contains('/'));
    let is_skill =
        |name: &&str| !view.exists(&std::path::Path::new("/").join(name)) && view.skill(name).is_some();
    names.filter(is_skill).map(str::to_owned).collect()
}

/// Whether the file would be too long after the call.
fn is_over_long(edit: &Edit<'_>, path: &str, event: &Event<'_>, view: &(impl View + ?Sized)) -> bool {
    let is_markdown = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if !is_markdown || !is_on("docs.long-file", view) {
        return false;
    }
    if let Edit::Whole { text } = edit {
        return text.get().is_some_and(|text| over_long(&text));
    }
    let Ok(before) = view.read(&view.resolve(&event.cwd, path)) else { return false };
    edit.result(&before).is_some_and(|after| over_long(&after))
}
