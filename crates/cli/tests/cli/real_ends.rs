//! How work sessions end with the real client: not from Build, and not by a subagent; and the way back when a test is red.

use engine_testkit::{Kind, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, WAIT, accept, ask, bench, engine, engine_command};
use crate::real_sessions::{BEGIN, PLAN, SKILL, WORK, bash, log, received, session, state};
use crate::stage::at_terminal;

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn an_agent_that_closes_from_build_is_refused_and_finds_its_way_back() {
    let bench = bench(&["--with", "skills=all"]);
    bench.write(".engine/config.toml", "[rules]\nheartbeat = \"off\"\n").unwrap();
    accept(&bench);
    bench.write("app.txt", "off\n").unwrap();
    bench.write("test.sh", "grep -q on app.txt\n").unwrap();
    engine(&bench, &["config", "set", "evidence.checks", "sh test.sh"]);
    let build = session(&format!("phase \"3: Build\" --proof planFile={WORK}/IMPLEMENT_PLAN.md"));
    let verified = session("phase \"5: Debrief\" --proof testsPass=\"sh test.sh\"");
    let before_gate = [
        session("activate implement"),
        session("phase \"2: Plan\" --proof mode=direct"),
        log("--overwrite S/IMPLEMENT_PLAN.md", PLAN),
        build.clone(),
    ];
    let after_gate = [
        build,
        "sh test.sh".to_owned(),
        log("--overwrite S/IMPLEMENT.md", "x"),
        session("deactivate --description done --proof stepsDone=\"2 of 2\""),
        log("--overwrite S/IMPLEMENT_PLAN.md", &PLAN.replace("[ ]", "[x]")),
        session("phase \"4: Verify\""),
        verified.clone(),
        session("phase \"3: Build\""),
        "sed -i s/off/on/ app.txt".to_owned(),
        session("phase \"4: Verify\""),
        "sh test.sh".to_owned(),
        verified,
    ];
    let mut scenario = Scenario::new();
    for (index, command) in before_gate.iter().enumerate() {
        let turn = bash(command);
        scenario =
            scenario.turn(if index == 0 { turn.prompt_contains("go") } else { turn.tool_result_of("Bash") });
    }
    scenario = scenario.turn(Turn::new("gate").tool_result_of("Bash").text("May I build it?"));
    for (index, command) in after_gate.iter().enumerate() {
        let turn = bash(command);
        scenario = scenario.turn(if index == 0 {
            turn.prompt_contains("build it")
        } else {
            turn.tool_result_of("Bash")
        });
    }
    let scenario = scenario.turn(Turn::new("end").tool_result_of("Bash").text("Verified."));
    let mut live = bench.live(scenario, BYPASS).unwrap();
    live.prompt("go").unwrap();
    live.wait_for_result(WAIT).unwrap();
    assert_eq!(at_terminal(&engine_command(&bench, &["approval", "grant", "1"])).code, Some(0));
    live.prompt("build it").unwrap();
    live.wait_for_result(WAIT).unwrap();
    let run = live.finish().unwrap();
    assert_eq!(run.result_text().as_deref(), Some("Verified."));
    let requests = run.record.of(Kind::Main);
    insta::assert_snapshot!(received(&bench, &requests[before_gate.len() + 1..]), @r#"
    $ engine session phase sessions/2026_02_07_AUTH "3: Build" --proof planFile=sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md
    sessions/2026_02_07_AUTH: implement, phase 3: Build (3 of 6)
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    proof to leave it: stepsDone (steps, looked up without a value)
    then: engine session phase sessions/2026_02_07_AUTH "4: Verify"
    $ sh test.sh
    refused: Exit code 1
    $ engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT.md <<'EOF'
    x
    EOF
    wrote sessions/2026_02_07_AUTH/IMPLEMENT.md
    $ engine session deactivate sessions/2026_02_07_AUTH --description done --proof stepsDone="2 of 2"
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: 4: Verify, 5: Debrief, 6: Close were not passed
    debrief: IMPLEMENT.md is not filled in: it has no heading "Result", "Evidence", "Changes", "Decisions", "Open", "For the next one"; write sessions/2026_02_07_AUTH/IMPLEMENT.md from [PROJECT]/.claude/skills/implement/templates/debrief.md
    proof: 3: Build: stepsDone: sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md: 1 of 1 boxes are open: line 10 `1. Check: `sh test.sh``; tick each, or drop it with a reason: - [x] ~~text~~: reason
    proof: 4: Verify: testsPass is missing
    proof: 5: Debrief: debriefFile is missing
    red: `sh test.sh` failed, and no run of it has passed since
      engine session phase sessions/2026_02_07_AUTH "4: Verify"
      engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT.md
      engine session deactivate sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
      to stop here all the same: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    $ engine log --overwrite sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md <<'EOF'
    # Plan: AUTH

    ## Goal
    It is on: `sh test.sh`

    ## Limits
    none

    ## Steps
    - [x] 1. Check: `sh test.sh`

    ## Risks
    none
    EOF
    wrote sessions/2026_02_07_AUTH/IMPLEMENT_PLAN.md
    $ engine session phase sessions/2026_02_07_AUTH "4: Verify"
    sessions/2026_02_07_AUTH: implement, phase 4: Verify (4 of 6)
    §CMD_CHECKLISTS Every CHECKLIST.md that was met: a JSON object, absolute path → the whole file with only boxes changed, written to `S/checklists.json`; then `engine session check S < S/checklists.json` (no heredoc). It names bare tags, too: decide them.
    proof to leave it: testsPass (tests), checklists (checklists, looked up without a value)
    then: engine session phase sessions/2026_02_07_AUTH "5: Debrief"
    $ engine session phase sessions/2026_02_07_AUTH "5: Debrief" --proof testsPass="sh test.sh"
    refused: Exit code 1
    engine: evidence: testsPass: `sh test.sh` ended with 1 when it ran last
      engine session phase sessions/2026_02_07_AUTH "5: Debrief" --proof testsPass=…
    $ engine session phase sessions/2026_02_07_AUTH "3: Build"
    sessions/2026_02_07_AUTH: implement, phase 3: Build (3 of 6)
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    proof to leave it: stepsDone (steps, looked up without a value)
    then: engine session phase sessions/2026_02_07_AUTH "4: Verify"
    $ sed -i s/off/on/ app.txt
    (Bash completed with no output)
    $ engine session phase sessions/2026_02_07_AUTH "4: Verify"
    sessions/2026_02_07_AUTH: implement, phase 4: Verify (4 of 6)
    §CMD_CHECKLISTS Every CHECKLIST.md that was met: a JSON object, absolute path → the whole file with only boxes changed, written to `S/checklists.json`; then `engine session check S < S/checklists.json` (no heredoc). It names bare tags, too: decide them.
    proof to leave it: testsPass (tests), checklists (checklists, looked up without a value)
    then: engine session phase sessions/2026_02_07_AUTH "5: Debrief"
    $ sh test.sh
    (Bash completed with no output)
    $ engine session phase sessions/2026_02_07_AUTH "5: Debrief" --proof testsPass="sh test.sh"
    sessions/2026_02_07_AUTH: implement, phase 5: Debrief (5 of 6)
    §CMD_DEBRIEF `engine session debrief S --write` drafts `S/SKILL.md`; without `--write` it lists what is open. Each line with `DRAFT:` is written or taken out, each open end decided: done, tagged for later (`engine tag add FILE '#needs-X'`), or dropped with the reason.
    §CMD_DIRECTIVES (CMD_MANAGE_DIRECTIVES) `engine directives review S` proposes what the next agents should know. The user is asked which (§CMD_ASK); `engine directives mention DIR` and `engine directives add INVARIANTS DIR --text '…'` (or PITFALLS) write those.
    proof to leave it: debriefFile (debrief)
    then: engine session phase sessions/2026_02_07_AUTH "6: Close"
    "#);
    let state = state(&bench);
    let left: Vec<_> = state["runs"][0]["history"].as_array().unwrap().iter().collect();
    let left: Vec<_> = left.iter().map(|passed| json!([passed["phase"], passed["unproved"]])).collect();
    assert_eq!(
        left,
        [
            json!(["1: Setup", null]),
            json!(["2: Plan", null]),
            json!(["3: Build", null]),
            json!(["4: Verify", true]),
            json!(["3: Build", null]),
            json!(["4: Verify", null]),
        ]
    );
    assert_eq!(
        (&state["lifecycle"], &state["runs"][0]["currentPhase"]["label"]),
        (&json!("active"), &json!("5"))
    );
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_subagent_leaves_the_work_where_it_is() {
    let bench = bench(&[]);
    bench.write(".claude/skills/build/SKILL.md", SKILL).unwrap();
    let agent = json!({"description": "Look", "prompt": "Look around.", "subagent_type": "general-purpose", "run_in_background": false});
    let idle = session("idle --description over");
    let scenario = Scenario::new()
        .turn(bash(BEGIN).prompt_contains("go"))
        .turn(Turn::new("delegate").tool_result_of("Bash").kind(Kind::Main).tool_use("Agent", agent))
        .turn(bash(&idle).kind(Kind::Subagent))
        .turn(Turn::new("sub end").kind(Kind::Subagent).tool_result_of("Bash").text("Refused."))
        .turn(
            Turn::new(&format!("{idle}, by the main agent"))
                .tool_result_of("Agent")
                .tool_use("Bash", json!({"command": idle})),
        )
        .turn(Turn::new("end").tool_result_of("Bash").text("Done."));
    let run = ask(&bench, scenario, "go", BYPASS);
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Subagent)), @"
    $ engine session idle sessions/2026_02_07_AUTH --description over
    refused: Exit code 1
    engine: session idle is for the main agent; this call came from a subagent (general-purpose)
      report what was done; the main agent moves the work on
    ");
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)[2..]), @"
    $ engine session idle sessions/2026_02_07_AUTH --description over, by the main agent
    sessions/2026_02_07_AUTH is idle
    ");
    assert_eq!(state(&bench)["lifecycle"], "idle");
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn neither_git_nor_another_skill_ends_the_work() {
    let bench = bench(&[]);
    let skill = |name: &str, last: &str| {
        format!(
            "---\nname: {name}\ndescription: x\nengine:\n  phases:\n    - {{label: \"1\", name: Work}}\n    - {{label: \"2\", name: Verify{last}}}\n---\n"
        )
    };
    bench.write(".claude/skills/short/SKILL.md", &skill("short", "")).unwrap();
    let proof = ", gate: true, proof: [{name: testsPass, evidence: tests}]";
    bench.write(".claude/skills/last/SKILL.md", &skill("last", proof)).unwrap();
    let end = session("deactivate --description done");
    let commands = [
        "git init -q && git add .claude && git -c user.name=a -c user.email=a@example.org commit -qm first"
            .to_owned(),
        session("activate last"),
        session("phase \"2: Verify\""),
        "git -c user.name=a -c user.email=a@example.org stash push -u -q -- sessions".to_owned(),
        session("activate short"),
        "git stash pop > /dev/null".to_owned(),
        session("activate short"),
        session("phase \"2: Verify\""),
        end,
    ];
    let mut scenario = Scenario::new();
    for (index, command) in commands.iter().enumerate() {
        let turn = bash(command);
        scenario =
            scenario.turn(if index == 0 { turn.prompt_contains("go") } else { turn.tool_result_of("Bash") });
    }
    let run = ask(&bench, scenario.turn(Turn::new("end").tool_result_of("Bash").text("Done.")), "go", BYPASS);
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)[4..]), @r#"
    $ engine session activate sessions/2026_02_07_AUTH short
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH/state.json is gone, and engine did not remove it
      put it back: git stash pop, git restore or git checkout, by what was done before
      to begin anew: engine session activate sessions/2026_02_07_AUTH SKILL --user-approved "why"; engine asks the user
    $ git stash pop > /dev/null
    (Bash completed with no output)
    $ engine session activate sessions/2026_02_07_AUTH short
    sessions/2026_02_07_AUTH: short started, phase 1: Work (1 of 2)
    log: engine log sessions/2026_02_07_AUTH/SHORT_LOG.md
    then: engine session phase sessions/2026_02_07_AUTH "2: Verify"
    $ engine session phase sessions/2026_02_07_AUTH "2: Verify"
    sessions/2026_02_07_AUTH: short, phase 2: Verify (2 of 2)
    then: engine session idle sessions/2026_02_07_AUTH --description "…"
    $ engine session deactivate sessions/2026_02_07_AUTH --description done
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    phase: last: 2: Verify was not passed
      engine session activate sessions/2026_02_07_AUTH last --fast-track
      to stop here all the same: engine session deactivate sessions/2026_02_07_AUTH --description "…" --user-approved "why"; engine asks the user
    "#);
    assert_eq!(state(&bench)["lifecycle"], "active");
}
