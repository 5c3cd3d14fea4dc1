//! `engine policy check | explain | list | test`.

use engine_claude::DIALECT;
use engine_claude::skills::Claude;
use engine_core::host::surroundings;
use engine_core::policy::{self, Built, Context, Match, Places, Scene, Verdict};
use engine_core::verdict::Decision;
use engine_rules::{Mode, protect};
use engine_shell::analyse;
use engine_shell::{Effect, Problem};
use engine_store::live_view::LiveView;
use engine_store::project::Project;
use engine_store::{config_file, git, places, policy_file};
use serde_json::{Value, json};

use crate::args::PolicyCommand;
use crate::error::{CommandError, Failure, Outcome};
use crate::table::aligned;
use crate::ui::{Tone, Ui, counted, toned};

/// The rule that guards engine's own files; it is none of the policy's.
const GUARD: &str = "protect";

pub(super) fn run(command: &PolicyCommand, ui: &Ui) -> Outcome {
    match command {
        PolicyCommand::Check { subject, tool } => check(subject, tool.as_deref(), ui),
        PolicyCommand::Explain { command } => explain(command, ui),
        PolicyCommand::List => list(ui),
        PolicyCommand::Test => test(ui),
    }
}

/// The policy in force here: outside of a project only the built-in rules.
struct Court {
    config: engine_core::config::Config,
    loaded: policy_file::Loaded,
    root: String,
    project: Option<Project>,
}

impl Court {
    fn here() -> Result<Self, CommandError> {
        let cwd = std::env::current_dir()?;
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        Ok(match Project::open(None, &cwd) {
            Some(project) => Self {
                config: config_file::load(&project),
                loaded: policy_file::read(&project),
                root: text(project.root()),
                project: Some(project),
            },
            None => Self {
                config: engine_core::config::Config::default(),
                loaded: policy_file::Loaded::default(),
                root: text(&cwd),
                project: None,
            },
        })
    }

    fn places(&self) -> Result<Places, CommandError> {
        let cwd = std::env::current_dir()?.to_string_lossy().into_owned();
        let home = places::home().map(|home| home.to_string_lossy().into_owned());
        Ok(Places { root: self.root.clone(), cwd, home, temporary: std::env::var("TMPDIR").ok() })
    }

    fn scene(&self, subject: &str, tool: Option<&str>) -> Result<Scene, CommandError> {
        let places = self.places()?;
        let mut scene = match tool {
            None | Some("Bash") => {
                let (home, temporary) = (places.home.clone(), places.temporary.clone());
                let around = surroundings(&places.cwd, home, temporary, &DIALECT);
                Scene::of_command("Bash", subject, analyse(subject, &around), places)
            }
            Some(tool) if DIALECT.edit_tools.contains(&tool) => Scene::of_file(tool, subject, true, places),
            Some("Read") => Scene::of_file("Read", subject, false, places),
            Some(tool) => Scene::of_tool(tool, places),
        };
        let patterns = self.config.names(&policy::PROTECTED);
        scene.protected =
            patterns.iter().map(|pattern| engine_text::path::join(&self.root, pattern)).collect();
        let branch = self.project.as_ref().and_then(|project| git::branch(project.root()));
        let listed = self.config.names(&policy::BRANCHES);
        let listed = if listed.is_empty() { vec!["main", "master"] } else { listed };
        scene.on_protected_branch = branch.as_deref().is_some_and(|branch| listed.contains(&branch));
        scene.context = Context { branch, ..Context::default() };
        Ok(scene)
    }

    fn judge(&self, scene: &Scene) -> Vec<Match> {
        policy::judge(scene, &self.loaded.policy, &|rule: &Built| rule.verdict(&self.config))
    }

    /// The policy's answer, and before it what the rule that guards engine's own files says to a command.
    fn judge_all(&self, scene: &Scene) -> Vec<Match> {
        let mut found: Vec<Match> = self.guard(scene).into_iter().collect();
        found.extend(self.judge(scene));
        found.sort_by_key(|found| std::cmp::Reverse(found.verdict));
        found
    }

    fn knows(&self, rule: &str) -> bool {
        rule == policy::UNPARSED
            || policy::built_in().any(|built| built.id == rule)
            || self.loaded.policy.rules.iter().any(|own| own.id == rule)
    }

    fn guard(&self, scene: &Scene) -> Option<Match> {
        let project = self.project.as_ref()?;
        let rule = engine_rules::RULES.iter().find(|rule| rule.id == GUARD)?;
        let mode = rule.mode(&self.config);
        if scene.tool != "Bash" || mode == Mode::Off {
            return None;
        }
        let view = LiveView::new(project, self.config.clone(), "", Box::new(Claude::new(project)));
        let (verdict, reason) = match protect::shell(&scene.text, &scene.places.cwd, &view).decision? {
            Decision::Deny(reason) => (Verdict::Block, reason),
            Decision::Ask(reason) => (Verdict::Ask, reason),
        };
        let verdict = if mode == Mode::Shadow { Verdict::Shadow } else { verdict };
        Some(Match {
            rule: GUARD.to_owned(),
            verdict,
            what: "the command".to_owned(),
            reason,
            instead: String::new(),
        })
    }
}

/// A match as a line: the rule that guards engine says all in its reason.
fn message(found: &Match) -> String {
    if found.rule == GUARD { format!("{GUARD}: {}", found.reason) } else { found.message() }
}

fn strictest(found: &[Match]) -> Option<Verdict> {
    found.iter().map(|found| found.verdict).max()
}

fn match_json(found: &Match) -> Value {
    json!({"rule": found.rule, "verdict": found.verdict.as_str(), "what": found.what, "reason": found.reason,
        "instead": found.instead})
}

fn check(subject: &str, tool: Option<&str>, ui: &Ui) -> Outcome {
    let court = Court::here()?;
    let scene = court.scene(subject, tool)?;
    let found = court.judge_all(&scene);
    let verdict = strictest(&found);
    if ui.is_json() {
        let rows: Vec<Value> = found.iter().map(match_json).collect();
        let word = verdict.map_or("none", Verdict::as_str);
        ui.object(&json!({"version": 1, "verdict": word, "matches": rows}));
    } else if found.is_empty() {
        ui.line("nothing to say");
    } else {
        for found in &found {
            let tone = if found.verdict >= Verdict::Ask { Tone::Bad } else { Tone::Careful };
            ui.line(format!("{} {}", toned(tone, found.verdict.as_str()), message(found)));
        }
    }
    match verdict {
        Some(Verdict::Block) => Err(CommandError::already_told()),
        Some(Verdict::Ask) => Err(CommandError { failure: Failure::Ask, ..CommandError::already_told() }),
        _ => Ok(()),
    }
}

fn explain(command: &str, ui: &Ui) -> Outcome {
    let court = Court::here()?;
    let scene = court.scene(command, None)?;
    let found = court.judge_all(&scene);
    if ui.is_json() {
        let runs: Vec<Value> = scene
            .analysis
            .runs
            .iter()
            .map(|run| json!({"command": run.shown(), "program": run.program, "via": run.via, "cwd": run.cwd, "remote": run.remote}))
            .collect();
        let effects: Vec<Value> = scene
            .effects
            .iter()
            .map(|effect| json!({"run": effect.run(), "effect": effect_word(effect), "path": effect.path()}))
            .collect();
        let rows: Vec<Value> = found.iter().map(match_json).collect();
        let problem = scene.analysis.problem.as_ref().map(problem_text);
        ui.object(
            &json!({"version": 1, "runs": runs, "effects": effects, "problem": problem, "matches": rows}),
        );
        return Ok(());
    }
    ui.line(toned(Tone::Strong, "It runs"));
    for (index, run) in scene.analysis.runs.iter().enumerate() {
        let via = if run.via.is_empty() { String::new() } else { format!("   (by {})", run.via.join(", ")) };
        let remote = if run.remote { "   (elsewhere, not judged)" } else { "" };
        ui.line(format!("  {} {}{via}{remote}", index + 1, run.shown()));
        for effect in scene.effects.iter().filter(|effect| effect.run() == index) {
            ui.line(format!("      {} {}", effect_word(effect), effect.path()));
        }
    }
    if scene.analysis.runs.is_empty() {
        ui.line("  nothing");
    }
    if let Some(problem) = &scene.analysis.problem {
        ui.line(format!("  {} {}", toned(Tone::Careful, "not read to its end:"), problem_text(problem)));
    }
    ui.line(toned(Tone::Strong, "The rules say"));
    for found in &found {
        ui.line(format!("  {} {}", found.verdict.as_str(), message(found)));
    }
    if found.is_empty() {
        ui.line("  nothing");
    }
    Ok(())
}

fn effect_word(effect: &Effect) -> &'static str {
    match effect {
        Effect::Read { .. } => "reads",
        Effect::Write { .. } => "writes",
        Effect::Delete { recursive: true, .. } => "deletes with everything below",
        Effect::Delete { .. } => "deletes",
        Effect::Attributes { .. } => "changes owner or mode below",
    }
}

fn problem_text(problem: &Problem) -> String {
    match problem {
        Problem::Syntax(why) => why.clone(),
        Problem::Bound(what) => (*what).to_owned(),
    }
}

fn list(ui: &Ui) -> Outcome {
    let court = Court::here()?;
    let own = &court.loaded.policy.rules;
    if ui.is_json() {
        let built = policy::built_in().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict(&court.config).as_str(), "default": rule.verdict.as_str(),
                "about": rule.about, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "built in"})
        });
        let own = own.iter().map(|rule| {
            json!({"id": rule.id, "verdict": rule.verdict, "reason": rule.reason, "instead": rule.instead, "since": rule.since, "source": "project"})
        });
        let rows: Vec<Value> = built.chain(own).collect();
        let problems: Vec<Value> = court
            .loaded
            .problems
            .iter()
            .map(|problem| json!({"line": problem.line, "text": problem.text}))
            .collect();
        ui.object(&json!({"version": 1, "rules": rows, "problems": problems}));
        return Ok(());
    }
    let mut rows = vec![["RULE", "VERDICT", "MATCHES"].map(str::to_owned).to_vec()];
    for rule in policy::built_in() {
        rows.push(vec![
            rule.id.to_owned(),
            rule.verdict(&court.config).as_str().to_owned(),
            rule.about.to_owned(),
        ]);
    }
    for rule in own {
        rows.push(vec![
            rule.id.clone(),
            rule.verdict.clone(),
            format!("{} (.engine/policy.toml)", rule.reason),
        ]);
    }
    ui.text(&aligned(&rows, ""));
    for problem in &court.loaded.problems {
        ui.talk(format!(
            "{} .engine/policy.toml:{}: {}",
            toned(Tone::Bad, "not used:"),
            problem.line,
            problem.text
        ));
    }
    Ok(())
}

/// Runs the tests beside the rules. A rule without a test, and a problem in either file, counts as a failure.
fn test(ui: &Ui) -> Outcome {
    let court = Court::here()?;
    let Some(project) = &court.project else {
        return Err(CommandError::refused("no project: there is no .engine/ here or above")
            .hint("make one: engine init"));
    };
    let (tests, problems) = policy_file::tests(project);
    let mut failures: Vec<String> = Vec::new();
    failures.extend(
        court.loaded.problems.iter().map(|problem| format!("policy.toml:{}: {}", problem.line, problem.text)),
    );
    failures.extend(
        problems.iter().map(|problem| format!("policy.tests.toml:{}: {}", problem.line, problem.text)),
    );
    if tests.is_empty() && problems.is_empty() && policy_file::tests_path(project).exists() {
        failures.push("policy.tests.toml: there is no [[test]] in it".to_owned());
    }
    for (line, test) in &tests {
        if let Some(rule) = test.rule.as_deref().filter(|rule| !court.knows(rule)) {
            failures.push(format!("policy.tests.toml:{line}: there is no rule {rule}"));
            continue;
        }
        let subject = test.command.as_deref().or(test.path.as_deref()).unwrap_or_default();
        let mut scene = court.scene(subject, test.tool.as_deref())?;
        scene.fields = test.field.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in &test.when {
            let value = Some(value.clone());
            match name.as_str() {
                "skill" => scene.context.skill = value,
                "phase" => scene.context.phase = value,
                "agent_type" => scene.context.agent_type = value,
                "mode" => scene.context.mode = value,
                "branch" => scene.context.branch = value,
                _ => failures.push(format!("policy.tests.toml:{line}: when.{name} is not known")),
            }
        }
        let found = court.judge(&scene);
        let of_rule: Vec<Match> = found
            .into_iter()
            .filter(|found| test.rule.as_ref().is_none_or(|rule| found.rule == *rule))
            .collect();
        let is = strictest(&of_rule).map_or("none", Verdict::as_str);
        if is != test.verdict {
            let rule = test.rule.as_deref().unwrap_or("any rule");
            failures.push(format!(
                "policy.tests.toml:{line}: {subject}: {rule} says {is}, the test wants {}",
                test.verdict
            ));
        }
    }
    for rule in &court.loaded.policy.rules {
        if !tests.iter().any(|(_, test)| test.rule.as_deref() == Some(rule.id.as_str())) {
            failures.push(format!("policy.toml: {} has no test", rule.id));
        }
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "tests": tests.len(), "failures": failures}));
    } else {
        for failure in &failures {
            ui.line(failure);
        }
        ui.talk(format!(
            "{}, {}",
            counted(tests.len() as u64, "test"),
            counted(failures.len() as u64, "failure")
        ));
    }
    if failures.is_empty() { Ok(()) } else { Err(CommandError::already_told()) }
}
