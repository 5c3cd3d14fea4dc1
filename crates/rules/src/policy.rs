//! Judges tool calls by the policy: shell commands by what they do, file tools by their path, any tool by rules of the project.
//!
//! Blocks and asks name the rule, what was matched, why, and what to do instead. Subagents are judged alike. Silent otherwise.

use std::collections::HashMap;

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::event::{Actor, Edit, Event, EventName, Kind, Tool, ToolCall};
use engine_core::policy::{
    self, BRANCHES, Built, CallFacts, Context, Level, Match, PROTECTED, Places, over_long,
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
    events: &[EventName::PreTool],
    default: Mode::On,
    fixed: false,
    wanted: always,
    judge: Judge::Replays(|event, view| judge(event, view)),
};

/// What the ids of the policy's rules follow in what a finding rests on.
pub(crate) const MATCHED: &str = "matched: ";

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    let Kind::PreTool(call) = &event.kind else { return Ok(Finding::default()) };
    let Some(facts) = facts(event, call, view) else { return Ok(Finding::default()) };
    let found = policy::judge(&facts, view.policy(), &|rule| rule.verdict(view.config()));
    Ok(finding(&found))
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

/// The call taken apart; nothing for tools that no rule looks at.
fn facts(event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) -> Option<CallFacts> {
    let places = places(event, view);
    let mut facts = match &call.tool {
        Tool::Shell { command, .. } => {
            let mut facts =
                CallFacts::of_command(&call.name, command, view.analysis(command, &places.cwd), places);
            facts.skills = skills_as_programs(&facts, view);
            facts
        }
        Tool::Edit { path, edit } => {
            let mut facts = CallFacts::of_file(&call.name, path, true, places);
            facts.over_long = is_over_long(edit, path, event, view);
            facts
        }
        Tool::Read { path } => CallFacts::of_file(&call.name, path, false, places),
        Tool::Connected { .. } => CallFacts::of_tool(&call.name, places),
        _ if !view.policy().rules.is_empty() => CallFacts::of_tool(&call.name, places),
        _ => return None,
    };
    facts.dialect = view.dialect();
    let dialect = facts.dialect;
    let named = facts.runs().filter_map(|(index, run)| {
        let file = (dialect.settings_file)(dialect, run)?;
        Some((index, view.read(&view.resolve(run.cwd.as_deref()?, file)).ok()?))
    });
    facts.settings = named.collect();
    let root = facts.places.root.clone();
    facts.protected =
        view.config().names(&PROTECTED).into_iter().map(|pattern| join(&root, pattern)).collect();
    follow_links(&mut facts, view);
    let branch_matters = wants_branch(view);
    let branch = if branch_matters { view.branch() } else { None };
    let protected = view.config().names(&BRANCHES);
    let protected = if protected.is_empty() { vec!["main", "master"] } else { protected };
    facts.on_protected_branch = branch.as_deref().is_some_and(|branch| protected.contains(&branch));
    if !view.policy().rules.is_empty() {
        facts.fields = field::all(&call.input)
            .into_iter()
            .flatten()
            .map(|(name, raw)| {
                (name, field::text(raw).map_or_else(|| raw.get().to_owned(), std::borrow::Cow::into_owned))
            })
            .collect();
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
    Some(facts)
}

/// Puts the real paths in place of those that lead through symbolic links, where it matters: it costs a dozen system calls
/// each. A delete takes the link itself, so only the folder that it is in is followed.
fn follow_links(facts: &mut CallFacts, view: &(impl View + ?Sized)) {
    let paths_matter = !facts.protected.is_empty() || !view.policy().rules.is_empty();
    let matters =
        |effect: &Effect| paths_matter || !matches!(effect, Effect::Read { .. } | Effect::Write { .. });
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
            Effect::Read { path, pattern: false, .. } | Effect::Write { path, pattern: false, .. } => {
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

fn wants_branch(view: &(impl View + ?Sized)) -> bool {
    let on = |rule: &Built| rule.id == "git.protected-branch" && rule.verdict(view.config()) != Level::Off;
    policy::built_in().any(on) || view.policy().rules.iter().any(|rule| !rule.when.branch.is_empty())
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
    let on = |rule: &Built| rule.id == "docs.long-file" && rule.verdict(view.config()) != Level::Off;
    let is_markdown = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if !is_markdown || !policy::built_in().any(on) {
        return false;
    }
    if let Edit::Whole { text } = edit {
        return text.get().is_some_and(|text| over_long(&text));
    }
    let Ok(before) = view.read(&view.resolve(&event.cwd, path)) else { return false };
    edit.result(&before).is_some_and(|after| over_long(&after))
}
