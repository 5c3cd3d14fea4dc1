use engine_rules::RULES;

use super::*;
use crate::stage::Stage;

const PROGRAM: &str = "/usr/local/bin/engine";

fn wish(dry_run: bool) -> Init<'static> {
    Init { scope: Some(Scope::Project), with: &[], permissions: false, force: false, dry_run }
}

fn files(stage: &Stage, installed: &Installed) -> Vec<String> {
    let root = stage.root();
    let shown =
        |change: &FileChange| change.path.strip_prefix(&root).unwrap_or(&change.path).display().to_string();
    installed.changes.iter().map(shown).collect()
}

#[test]
fn a_dry_run_plans_what_an_init_writes_and_the_next_one_nothing() {
    let stage = Stage::bare();
    let init = |dry_run| init(&stage.root(), RULES, Path::new(PROGRAM), &wish(dry_run)).unwrap();
    let planned = files(&stage, &init(true));
    assert_eq!(planned, [".engine/config.toml", ".claude/settings.json"]);
    assert!(!stage.exists(".engine") && !stage.exists(".claude"), "a dry run leaves no trace");
    assert_eq!(files(&stage, &init(false)), planned);
    assert!(stage.read(".claude/settings.json").contains("\"SessionStart\""));
    assert_eq!(files(&stage, &init(false)), Vec::<String>::new());
}

#[test]
fn the_skills_that_are_asked_for_come_with_their_agents() {
    let cases: [(&[Extra], usize); 4] = [
        (&[], 0),
        (&[Extra::Fragment], 0),
        (&[Extra::Skills], SKILLS.len()),
        (&[Extra::Skills, Extra::AllSkills], SKILLS.len() + SESSION_SKILLS.len()),
    ];
    for (with, expected) in cases {
        let stage = Stage::bare();
        let wanted = Init { with, ..wish(true) };
        let installed = init(&stage.root(), RULES, Path::new(PROGRAM), &wanted).unwrap();
        let files = files(&stage, &installed);
        assert_eq!(files.iter().filter(|file| file.ends_with("/SKILL.md")).count(), expected);
        let agents = if expected == 0 { 0 } else { AGENTS.len() };
        assert_eq!(files.iter().filter(|file| file.starts_with(".claude/agents/")).count(), agents);
    }
}

#[test]
fn a_second_wiring_and_a_settings_file_with_comments_are_refused_with_the_way_out() {
    let stage = Stage::bare();
    let run = |wanted: &Init<'_>| init(&stage.root(), RULES, Path::new(PROGRAM), wanted);
    run(&Init { scope: Some(Scope::Local), ..wish(false) }).unwrap();
    run(&wish(false)).unwrap();
    let earlier = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"engine","args":["hook"]}]}]}}"#;
    stage.write(".claude/settings.json", earlier);
    let error = run(&Init { scope: Some(Scope::Local), ..wish(false) }).unwrap_err();
    assert_eq!(
        error.hints.first().map(String::as_str),
        Some("two entries would run engine twice on each event")
    );
    let stage = Stage::bare();
    stage.write(".claude/settings.json", "{\n// mine\n}\n");
    let run = |wanted: &Init<'_>| init(&stage.root(), RULES, Path::new(PROGRAM), wanted);
    let error = run(&wish(false)).unwrap_err();
    assert_eq!(
        error.hints.last().map(String::as_str),
        Some("mend the file, or edit it all the same: engine init --force")
    );
    assert!(!stage.exists(".engine"), "a refusal leaves no trace");
    run(&Init { force: true, ..wish(false) }).unwrap();
}
