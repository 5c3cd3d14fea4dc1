//! How a run begins: its first phase, its mode, what its steps mean, and when its calls are counted. And how its state is written.

use serde_json::{Value, json};

use crate::session_claims::at_work;
use crate::session_rules::word;
use crate::session_small::ready;
use crate::sessions::{WORK, ran, session, stage, state, told};
use crate::stage::{SESSION, Stage, run};

fn begin(stage: &Stage, skill: &str, more: &[&str]) -> String {
    stage.masked(&told(&session(stage, &[&["activate", WORK, skill], more].concat())))
}

#[test]
fn with_its_proof_the_first_phase_is_left_at_once() {
    let stage = ready();
    insta::assert_snapshot!(begin(&stage, "implement", &["--proof", "mode=direct"]), @r#"
    exit 0
    sessions/2026_02_07_AUTH: implement started, phase 2: Plan (2 of 6)
    §CMD_PLAN The plan, from the skill's template, on stdin of `engine log --overwrite S/SKILL_PLAN.md`. Each heading is filled. Steps are `- [ ]` lines, ticked as they are done; dropped: `- [x] ~~text~~: reason`. Steps that come up are added, not hidden.
    mode: direct
    proof to leave it: planFile (plan)
    gate: a person decides whether it goes on; the call below asks them
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    files in it: IMPLEMENT_PLAN.md (as [TOP]/project/.claude/skills/implement/templates/plan.md), IMPLEMENT.md (as [TOP]/project/.claude/skills/implement/templates/debrief.md)
    then: engine session phase sessions/2026_02_07_AUTH "3: Build"
    "#);
    let begun = &state(&stage)["runs"][0];
    assert_eq!(
        (&begun["mode"], &begun["history"][0]["proof"]),
        (&json!("direct"), &json!({"mode": "direct"}))
    );
    // The same call again changes nothing.
    insta::assert_snapshot!(begin(&stage, "implement", &["--proof", "mode=direct"]), @r#"
    exit 0
    sessions/2026_02_07_AUTH: implement is active, phase 2: Plan (2 of 6)
    §CMD_PLAN The plan, from the skill's template, on stdin of `engine log --overwrite S/SKILL_PLAN.md`. Each heading is filled. Steps are `- [ ]` lines, ticked as they are done; dropped: `- [x] ~~text~~: reason`. Steps that come up are added, not hidden.
    mode: direct
    proof to leave it: planFile (plan)
    gate: a person decides whether it goes on; the call below asks them
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    files in it: IMPLEMENT_PLAN.md (as [TOP]/project/.claude/skills/implement/templates/plan.md), IMPLEMENT.md (as [TOP]/project/.claude/skills/implement/templates/debrief.md)
    then: engine session phase sessions/2026_02_07_AUTH "3: Build"
    --proof is for the first phase; the work is in 2: Plan
    "#);
    assert_eq!(state(&stage)["runs"][0]["history"].as_array().unwrap().len(), 1);
}

#[test]
fn a_proof_that_does_not_hold_leaves_it_where_it_is() {
    let stage = ready();
    insta::assert_snapshot!(begin(&stage, "implement", &["--proof", "mode=banana"]), @r#"
    exit 1
    sessions/2026_02_07_AUTH: implement started, phase 1: Setup (1 of 6)
    §CMD_MODE If none is set, one question (§CMD_ASK): the skill's three modes and custom. The file of the chosen one is read. Custom: all three are read, then mixed by what the user says.
    mode: none is set, so the user is asked: direct, spike, tests-first, custom
    proof to leave it: mode (mode)
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    files in it: IMPLEMENT_PLAN.md (as [TOP]/project/.claude/skills/implement/templates/plan.md), IMPLEMENT.md (as [TOP]/project/.claude/skills/implement/templates/debrief.md)
    then: engine session phase sessions/2026_02_07_AUTH "2: Plan"
    engine: evidence: mode: implement has no mode banana; its modes: direct, spike, tests-first, custom
      engine session phase sessions/2026_02_07_AUTH "2: Plan" --proof mode=…
    "#);
    assert_eq!(state(&stage)["runs"][0]["currentPhase"]["label"], "1");
    insta::assert_snapshot!(begin(&stage, "implement", &["--proof", "mode"]), @"
    exit 2
    engine: --proof takes NAME=VALUE, not mode
    ");
    // Of two fields one is given.
    let stage = ready();
    let partly = begin(&stage, "test", &["--proof", "mode=gaps"]);
    assert!(
        partly.starts_with("exit 1\n") && partly.contains("engine: proof: suiteRuns is missing"),
        "{partly}"
    );
    ran(&stage, "pytest -q", 0);
    stage.ok(&[
        "session",
        "phase",
        WORK,
        "2: Plan",
        "--proof",
        "mode=gaps",
        "--proof",
        "suiteRuns=pytest -q",
    ]);
}

#[test]
fn a_project_sets_the_mode_of_a_skill() {
    let stage = ready();
    let line =
        |text: &str| text.lines().find(|line| line.starts_with("mode:")).unwrap_or_default().to_owned();
    insta::assert_snapshot!(line(&begin(&stage, "implement", &[])), @"mode: none is set, so the user is asked: direct, spike, tests-first, custom");
    let stage = ready();
    let set =
        |stage: &Stage, value: &str| stage.at_terminal(&["config", "set", "session.modes", value]).stderr;
    set(&stage, "[\"fix=trace\", \"implement=spike\", \"test=gaps\"]");
    let begun = begin(&stage, "implement", &[]);
    assert!(begun.contains("implement started, phase 2: Plan (2 of 6)\n"), "{begun}");
    assert_eq!((line(&begun).as_str(), &state(&stage)["runs"][0]["mode"]), ("mode: spike", &json!("spike")));
    // What is named counts before what is set.
    let stage = ready();
    set(&stage, "[\"implement=spike\"]");
    assert_eq!(line(&begin(&stage, "implement", &["--proof", "mode=direct"])), "mode: direct");
    // What else the phase asks for is not waived.
    let stage = ready();
    set(&stage, "[\"test=gaps\"]");
    let begun = begin(&stage, "test", &[]);
    assert!(begun.contains("test started, phase 1: Survey (1 of 6)\n"), "{begun}");
    assert_eq!(line(&begun), "mode: gaps, by session.modes");
    ran(&stage, "pytest -q", 0);
    stage.ok(&["session", "phase", WORK, "2: Plan", "--proof", "suiteRuns=pytest -q"]);
    // A mode that the skill does not have.
    let stage = ready();
    set(&stage, "[\"implement=banana\"]");
    insta::assert_snapshot!(line(&begin(&stage, "implement", &[])), @"mode: banana of session.modes is not one of direct, spike, tests-first, custom; the user is asked");
    insta::assert_snapshot!(set(&stage, "[\"implement\"]"), @r#"engine: session.modes takes a list of skills with their modes like "implement=direct", not ["implement"]"#);
}

#[test]
fn a_phase_tells_what_its_steps_mean() {
    let stage = at_work("analyze", "1: Scope");
    insta::assert_snapshot!(stage.ok(&["session", "phase", WORK, "2: Study", "--proof", "mode=audit"]), @r#"
    sessions/2026_02_07_AUTH: analyze, phase 2: Study (2 of 4)
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    then: engine session phase sessions/2026_02_07_AUTH "3: Synthesis"
    "#);
    let told = |args: &[&str]| -> Vec<String> {
        let lines = stage.ok(args);
        lines.lines().filter(|line| line.starts_with('§')).map(str::to_owned).collect()
    };
    let of_phase = told(&["session", "phase", WORK, "2: Study"]);
    assert_eq!(told(&["session", "continue"]), of_phase);
    assert_eq!(told(&["session", "activate", WORK, "analyze"]), of_phase);
}

#[test]
fn the_first_calls_are_the_reading_of_the_skill() {
    let read = |stage: &Stage, count: usize| -> String {
        (0..count)
            .map(|at| word(&stage.hook(&stage.bash(&format!("cat {at}.txt")))))
            .collect::<Vec<_>>()
            .join(" ")
    };
    // An agent that names no phase and changes nothing is held all the same.
    let stage = stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    assert_eq!(read(&stage, 15), "- - - - - - - note - - - - - - deny");
    // The first change ends it.
    for changes in [true, false] {
        let stage = crate::sessions::stage();
        stage.ok(&["session", "activate", WORK, "build"]);
        let first = if changes { stage.write_tool("a.py", "1\n") } else { stage.bash("sed -i s/a/b/ a.py") };
        assert_eq!(word(&stage.hook(&first)), "-");
        assert_eq!(read(&stage, 3), "- note -");
    }
    // So does the name of a phase.
    let stage = crate::sessions::stage();
    stage.ok(&["session", "activate", WORK, "build"]);
    stage.ok(&["session", "phase", WORK, "2: Plan"]);
    assert_eq!(read(&stage, 3), "- - note");
}

#[test]
fn a_checklist_is_armed_by_the_first_change_of_a_run_without_phases_named() {
    let stage = ready();
    stage.write("src/.directives/CHECKLIST.md", "# Checklist\n\n## All\n- [ ] tests\n");
    stage.ok(&["session", "activate", WORK, "implement"]);
    stage.write("src/a.py", "1\n");
    let mut event = stage.write_tool("src/a.py", "1\n");
    event["hook_event_name"] = json!("PostToolUse");
    event["tool_response"] = json!({"filePath": stage.root().join("src/a.py")});
    stage.hook(&event);
    let armed = state(&stage)["checklists"][0]["path"].as_str().unwrap_or_default().to_owned();
    assert!(armed.ends_with("src/.directives/CHECKLIST.md"), "{armed}");
}

#[test]
fn a_state_is_one_short_line_and_the_longer_form_is_read() {
    let stage = at_work("implement", "1: Setup");
    let path = format!("{WORK}/state.json");
    let text = stage.read(&path);
    assert_eq!((text.lines().count(), text.ends_with("}\n")), (1, true), "{text}");
    let phases = state(&stage)["runs"][0]["phases"].to_string();
    assert!(phases.len() < 420, "{} bytes: {phases}", phases.len());
    let shown = stage.engine(&["session", "show", WORK, "--json"]).json();
    insta::assert_snapshot!(shown["state"]["runs"][0]["phases"][2], @r#"{"gate":false,"label":"3","name":"Build","proof":[{"evidence":"steps","name":"stepsDone"}],"steps":["§CMD_LOG"]}"#);
    // As the release before wrote it.
    let mut long = state(&stage);
    long["runs"][0]["phases"] = shown["state"]["runs"][0]["phases"].clone();
    long["runs"][0]["loading"] = json!(true);
    stage.write_state(WORK, &format!("{}\n", serde_json::to_string_pretty(&long).unwrap()));
    stage.ok(&["session", "phase", WORK, "2: Plan", "--proof", "mode=direct"]);
    let kept = state(&stage);
    assert_eq!(kept["runs"][0]["phases"].to_string(), phases);
    assert_eq!(
        (&kept["runs"][0]["loading"], kept["runs"][0]["currentPhase"]["label"].as_str()),
        (&json!(null), Some("2"))
    );
}

#[test]
fn what_a_killed_writer_left_goes_with_the_next_write() {
    let stage = at_work("implement", "1: Setup");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(90);
    for (name, is_old) in [
        ("4194305", true),
        ("4194305-abcdef", true),
        ("4194305-ghijkl", false),
        (&format!("{}-abcdef", std::process::id()), true),
    ] {
        let path = stage.root().join(format!("{WORK}/state.json.{name}.tmp"));
        let file = std::fs::File::create(path).unwrap();
        if is_old {
            file.set_modified(old).unwrap();
        }
    }
    let doctor = stage.engine(&["doctor"]).stdout;
    assert!(doctor.contains("has 2 temporary files of a running or killed process"), "{doctor}");
    stage.ok(&["session", "target", WORK, "a.rs"]);
    let mut left: Vec<String> = stage.tree().into_iter().filter(|path| path.contains(".tmp ")).collect();
    left.sort();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn entries_are_found_by_their_phase_also_when_the_work_is_over() {
    let stage = ready();
    let log = format!("{WORK}/IMPLEMENT_LOG.md");
    stage.ok(&["session", "activate", WORK, "implement", "--small", "x1"]);
    let mut command = stage.command(&["log", &log]);
    command.env("CLAUDE_CODE_SESSION_ID", SESSION);
    run(command, Some(b"## Decision: one file\nWhy.\n"));
    ran(&stage, "pytest -q", 0);
    stage.ok(&["session", "finish", WORK]);
    for phase in ["3", "Build", "build", "3: Build"] {
        let found = stage.ok(&["log", "show", "--session", WORK, "--phase", phase]);
        assert!(found.contains("Decision: one file"), "{phase}: {found}");
    }
    assert_eq!(stage.ok(&["log", "show", "--session", WORK, "--phase", "4"]), "");
}

#[test]
fn the_overview_and_the_doctor_name_open_work() {
    let stage = ready();
    stage.ok(&["session", "activate", WORK, "implement", "--small", "x1"]);
    let work =
        |text: &str| text.lines().find(|line| line.contains(WORK)).unwrap_or_default().trim().to_owned();
    insta::assert_snapshot!(work(&stage.ok(&[])), @"Work     sessions/2026_02_07_AUTH, implement in 3: Build");
    insta::assert_snapshot!(work(&stage.engine(&["doctor"]).stdout), @"ok    work session                 sessions/2026_02_07_AUTH, implement in 3: Build");
    stage.hook(&stage.event("SessionEnd"));
    insta::assert_snapshot!(work(&stage.ok(&[])), @"Work     sessions/2026_02_07_AUTH, implement in 3: Build; its agent session has ended: engine session continue sessions/2026_02_07_AUTH");
    insta::assert_snapshot!(work(&stage.engine(&["doctor"]).stdout), @"note  work session                 sessions/2026_02_07_AUTH, implement in 3: Build; its agent session has ended: engine session continue sessions/2026_02_07_AUTH");
}

/// The words of a command, double quotes taken off.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// A template with text in each of its lines, and its steps done.
fn filled(template: &str) -> String {
    let line = |line: &str| match line {
        line if line.is_empty() || line.starts_with('#') => format!("{line}\n"),
        line => format!("{}: written\n", line.replace("[ ]", "[x]")),
    };
    template.lines().map(line).collect()
}

/// Whoever follows the text of a skill that we ship, command by command, gets through its phases.
#[test]
fn the_texts_of_the_shipped_skills_lead_through_their_phases() {
    let stage = stage();
    stage.ok(&["init", "--with", "skills=all"]);
    for (number, skill) in ["implement", "fix", "analyze", "test", "brainstorm"].into_iter().enumerate() {
        let work = format!("sessions/2026_02_1{number}_TEXT");
        let text = stage.read(&format!(".claude/skills/{skill}/SKILL.md"));
        // Small work is another way to begin and to end.
        let text = match text.split_once("## Small work") {
            Some((before, rest)) => before.to_owned() + rest.split_once("\n## ").unwrap().1,
            None => text,
        };
        let commands: Vec<&str> =
            text.split('`').filter(|part| part.starts_with("engine session ")).collect();
        for command in &commands {
            let command = command.replace(" S ", &format!(" {work} ")).replace("=S/", &format!("={work}/"));
            let command =
                command.strip_suffix(" S").map_or(command.clone(), |start| format!("{start} {work}"));
            // What the text tells to do before it: the file is written, the command was run.
            let words = words(&command);
            for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
                if value.starts_with(&work) {
                    let template = if name == "planFile" { "plan" } else { "debrief" };
                    let template = stage.read(&format!(".claude/skills/{skill}/templates/{template}.md"));
                    run(stage.command(&["log", "--overwrite", value]), Some(filled(&template).as_bytes()));
                } else if value.starts_with("cargo ") {
                    ran(&stage, value, if name == "reproduction" { 101 } else { 0 });
                }
            }
            let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let done = stage.engine(&args);
            if let Some((what, number)) =
                done.stderr.lines().next().and_then(|line| line.split_once(": approval "))
            {
                assert!(what.starts_with("engine: pass the gate from phase "), "{what}");
                stage.answer(&format!("ok {number}"));
                stage.ok(&args);
            } else {
                assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
            }
            // And after it: what was drafted is decided, what failed is mended.
            if words.contains(&"--write".to_owned()) {
                let file = format!("{work}/{}.md", skill.to_uppercase());
                assert!(stage.read(&file).contains("DRAFT:"), "{skill}");
                stage.write(
                    &file,
                    &filled(&stage.read(&format!(".claude/skills/{skill}/templates/debrief.md"))),
                );
            }
            if let Some(failed) = words.iter().find_map(|word| word.strip_prefix("reproduction=")) {
                ran(&stage, failed, 0);
            }
        }
        let kept: Value = serde_json::from_str(&stage.read(&format!("{work}/state.json"))).unwrap();
        let run = &kept["runs"][0];
        assert_eq!(kept["lifecycle"], "idle", "{skill}");
        assert_eq!(
            run["phases"].as_array().unwrap().len(),
            run["history"].as_array().unwrap().len() + 1,
            "{skill}"
        );
    }
}
