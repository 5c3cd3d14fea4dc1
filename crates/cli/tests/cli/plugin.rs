//! The plugin folder is made from the same tables as the binary.

use std::fs;
use std::path::PathBuf;

use engine_claude::entry::Starter;
use engine_claude::install::{ON_REQUEST, PLAIN};
use engine_core::config::Config;
use engine_core::skill::protocol::{Move, Phase, Protocol, transition};
use engine_core::standard::STANDARDS;
use engine_core::work::proof::{Demand, declared_in};
use engine_rules::{RULES, wanted_events};
use serde_json::{Value, json};

use crate::stage::Stage;

fn plugin(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugin").join(path)
}

#[test]
fn hooks_json_wires_what_init_wires() {
    let written: Value =
        serde_json::from_str(&fs::read_to_string(plugin("hooks/hooks.json")).unwrap()).unwrap();
    let events = engine_claude::event_names(wanted_events(RULES, &Config::default()));
    let group =
        |event: &str| -> Value { serde_json::from_str(&Starter::Plugin.group(event, false)).unwrap() };
    let hooks: serde_json::Map<String, Value> =
        events.iter().map(|event| (event.as_str().to_owned(), json!([group(event.as_str())]))).collect();
    assert_eq!(written["hooks"], Value::Object(hooks));
}

#[test]
fn skills_are_small_and_named_after_their_folder() {
    for skill in fs::read_dir(plugin("skills")).unwrap().flatten() {
        let text = fs::read_to_string(skill.path().join("SKILL.md")).unwrap();
        assert!(text.contains(&format!("\nname: {}\n", skill.file_name().display())));
        let is_protocol = text.contains("\nengine:\n");
        assert!(text.len() < if is_protocol { 6 << 10 } else { 3600 }, "{} bytes", text.len());
        assert!(!text.contains("$ARGUMENTS"));
    }
}

#[test]
fn nothing_is_wrong_with_any_skill() {
    let stage = Stage::new();
    let out = stage.engine(&["skill", "check", plugin("skills").to_str().unwrap()]);
    assert_eq!(
        (out.code, out.stdout.as_str(), out.stderr.as_str()),
        (Some(0), "", "18 skills checked: 0 errors, 0 warnings\n")
    );
}

const WITH_PHASES: [&str; 5] = ["implement", "fix", "analyze", "test", "brainstorm"];

#[test]
fn phases_can_be_gone_through_by_the_commands_that_the_text_names() {
    for skill in WITH_PHASES {
        let text = fs::read_to_string(plugin("skills").join(skill).join("SKILL.md")).unwrap();
        let protocol = Protocol::of_skill(&text).unwrap().unwrap();
        let named = |phase: &Phase| format!("engine session phase S \"{}: {}\"", phase.label, phase.name);
        // It enters the first phase.
        let start = format!("`engine session activate S {skill}`");
        assert!(text.contains(&start), "{start}");
        let ends = ["finish", "idle"].map(|end| format!("`engine session {end} S --description"));
        assert!(ends.iter().any(|end| text.contains(end)), "{skill}");
        for pair in protocol.phases.windows(2) {
            assert_eq!(transition(&protocol.phases, &pair[0].label, &pair[1].label), Ok(Move::Forward));
            let Some(command) = text.split('`').find(|span| span.starts_with(&named(&pair[1]))) else {
                // The last phase is entered by the command that ends the work.
                let is_last = protocol.phases.last() == Some(&pair[1]);
                assert!(is_last && text.contains(&ends[0]), "{skill}: {}", pair[1].name);
                continue;
            };
            let given: Vec<&str> =
                command.split("--proof ").skip(1).filter_map(|pair| pair.split('=').next()).collect();
            let demand = demand(&pair[0]);
            let wanted: Vec<String> = given.iter().map(|field| format!("--proof {field}=…")).collect();
            assert_eq!(wanted.join(" "), demand.options(), "{skill}: {command}");
            let unchecked: Vec<_> = demand.fields.iter().filter(|field| field.evidence.is_none()).collect();
            assert!(unchecked.is_empty(), "{skill}: nothing looks {unchecked:?} up");
        }
        assert!(demand(protocol.phases.last().unwrap()).is_empty(), "idle takes no proof");
        for mode in protocol.modes.values() {
            let size = fs::metadata(plugin("skills").join(skill).join(&mode.file)).unwrap().len();
            assert!(size <= 1 << 10, "{skill}/{}: {size} bytes", mode.file);
        }
    }
}

/// What leaving a phase takes: its own fields, and those of its steps.
fn demand(phase: &Phase) -> Demand {
    let commands = STANDARDS[0].text;
    for step in &phase.steps {
        let defined = format!("**¶{}**", step.trim_start_matches('§'));
        assert!(commands.contains(&defined), "{step} is not defined");
    }
    Demand::of(phase, |command| declared_in(commands, command))
}

#[test]
fn all_skills_are_installed_whole_and_removed_again() {
    let stage = Stage::bare();
    let before = stage.tree();
    stage.ok(&["init", "--with", "skills=all"]);
    let mut all = 0;
    for skill in fs::read_dir(plugin("skills")).unwrap().flatten() {
        let name = skill.file_name().into_string().unwrap();
        for folder in ["", "modes", "templates"] {
            let Ok(files) = fs::read_dir(skill.path().join(folder)) else { continue };
            for file in files.flatten().filter(|file| file.path().is_file()) {
                let path = format!(".claude/skills/{name}/{folder}/{}", file.file_name().display());
                assert_eq!(stage.read(&path), fs::read_to_string(file.path()).unwrap(), "{path}");
                all += 1;
            }
        }
    }
    assert_eq!(all, 18 + 3 * 7 + 2 * 6 + 4 * 2);
    let entries = stage.read(".claude/settings.local.json");
    assert!(entries.contains("\"Skill(implement)\"") && entries.contains("\"Skill(commit)\""), "{entries}");
    assert!(stage.ok(&["skill", "check"]).is_empty());
    stage.ok(&["uninstall", "--purge"]);
    assert_eq!(stage.tree(), before);
}

#[test]
fn skills_alone_is_the_small_set() {
    let stage = Stage::bare();
    stage.ok(&["init", "--with", "skills"]);
    assert!(stage.exists(".claude/skills/commit/SKILL.md"));
    for skill in WITH_PHASES {
        assert!(!stage.exists(&format!(".claude/skills/{skill}")), "{skill}");
    }
}

/// What the user types, and what a person is asked for: its plain form is permitted.
const ASKED: [&str; 2] = ["engine config set evidence.checks", "engine check --tail 20 -- CMD"];

/// What a skill's text tells the model to run is permitted by its own front matter or by init: else it opens a dialog, and nobody is there
/// to answer it in a chain that runs by itself.
#[test]
fn a_skill_may_run_what_it_tells_to_run() {
    let mut uncovered = Vec::new();
    for skill in fs::read_dir(plugin("skills")).unwrap().flatten() {
        let text = fs::read_to_string(skill.path().join("SKILL.md")).unwrap();
        let allowed = text.lines().find_map(|line| line.strip_prefix("allowed-tools: ")).unwrap_or_default();
        let own = allowed.split(", ").filter_map(|tool| tool.strip_prefix("Bash(")?.strip_suffix(":*)"));
        let everyday = PLAIN.iter().chain(ON_REQUEST).map(|command| format!("engine {command}"));
        // Of the checks, init permits exactly those of the project.
        let prefixes: Vec<String> =
            own.map(str::to_owned).chain(everyday).chain(["engine check --".to_owned()]).collect();
        let body = text.splitn(3, "---\n").nth(2).unwrap();
        let spans = body.split('`').skip(1).step_by(2).flat_map(str::lines).map(str::trim);
        let runs = spans.filter(|line| ["git ", "engine "].iter().any(|program| line.starts_with(program)));
        for line in runs {
            let fits = |prefix: &&String| line == prefix.as_str() || line.starts_with(&format!("{prefix} "));
            if !prefixes.iter().any(|prefix| fits(&prefix)) && !ASKED.contains(&line) {
                uncovered.push(format!("{}: {line}", skill.file_name().display()));
            }
        }
        let says = |word: &str| body.to_lowercase().contains(word);
        assert!(
            !says("with a short script"),
            "{}: a script is permitted to no skill",
            skill.file_name().display()
        );
    }
    assert_eq!(uncovered, Vec::<String>::new());
}
