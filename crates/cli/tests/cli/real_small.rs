//! A small run with the real client: what a fix of one line costs, and that nothing ends it but a test run that passed.

use engine_testkit::{Bench, Kind, Run, Scenario, Turn};
use serde_json::json;

use crate::real_client::{BYPASS, ask, bench, engine};
use crate::real_sessions::{WORK, bash, received, session, state};

/// How many calls of the engine's commands a fix of one line may cost.
const MOST_CALLS: usize = 3;

fn ready() -> Bench {
    let bench = bench(&["--with", "skills=all"]);
    bench.write("greet.txt", "Helo\n").unwrap();
    bench.write("test.sh", "grep -qx Hello greet.txt\n").unwrap();
    engine(&bench, &["config", "set", "evidence.checks", "sh test.sh"]);
    bench
}

/// `/implement --small`, then these calls one after the other.
fn play(bench: &Bench, calls: Vec<Turn>) -> Run {
    let mut scenario = Scenario::new();
    for (index, call) in calls.into_iter().enumerate() {
        scenario = scenario.turn(match index {
            0 => call.any_contains("engine session activate S implement --small"),
            _ => call.last_contains(""),
        });
    }
    ask(bench, scenario, "/implement --small greet.txt says Hello", BYPASS)
}

fn begin() -> Turn {
    bash(&format!("engine session activate {WORK} implement --small \"greet.txt says Hello\""))
}

fn read() -> Turn {
    Turn::new("read").tool_use("Read", json!({"file_path": "${PROJECT}/greet.txt"}))
}

fn edit(old: &str, new: &str) -> Turn {
    let input = json!({"file_path": "${PROJECT}/greet.txt", "old_string": old, "new_string": new});
    Turn::new(&format!("{old} to {new}")).tool_use("Edit", input)
}

fn end() -> Turn {
    Turn::new("end").text("Done.")
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_fix_of_one_line_costs_two_calls_of_the_engine() {
    let bench = ready();
    let calls =
        vec![begin(), read(), edit("Helo", "Hello"), bash("sh test.sh"), bash(&session("finish")), end()];
    let run = play(&bench, calls);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    let requests = run.record.of(Kind::Main);
    let ours = requests.iter().filter(|request| request.turn.starts_with("engine ")).count();
    assert!(ours <= MOST_CALLS, "{ours} calls");
    assert_eq!((requests.len(), ours), (6, 2));
    insta::assert_snapshot!(received(&bench, &requests), @r#"
    $ engine session activate sessions/2026_02_07_AUTH implement --small "greet.txt says Hello"
    sessions/2026_02_07_AUTH: implement started, phase 3: Build (1 of 3)
    goal: greet.txt says Hello
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    then: engine session finish sessions/2026_02_07_AUTH
    $ read
    1	Helo
    2
    $ Helo to Hello
    The file [PROJECT]/greet.txt has been updated successfully. (file state is current in your context — no need to Read it back)
    $ sh test.sh
    (Bash completed with no output)
    $ engine session finish sessions/2026_02_07_AUTH
    debrief: sessions/2026_02_07_AUTH/IMPLEMENT.md, drafted by engine
    sessions/2026_02_07_AUTH is completed
    next: /test, /commit
    "#);
    assert_eq!(state(&bench)["lifecycle"], "completed");
    let debrief = bench.read(&format!("{WORK}/IMPLEMENT.md")).unwrap();
    for part in ["## Result\ngreet.txt says Hello\n", "- `sh test.sh`: passed, ", "- `greet.txt` (+1 −1)\n"]
    {
        assert!(debrief.contains(part), "{part}: {debrief}");
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask test"]
fn a_hasty_agent_does_not_end_it() {
    let bench = ready();
    let finish = session("finish");
    let claims = |proof: &str| bash(&format!("{finish} --proof testsPass='{proof}'"));
    let calls = vec![
        begin(),
        bash(&finish),
        read(),
        edit("Helo", "Hallo"),
        bash("ls"),
        claims("ls"),
        claims("sh test.sh"),
        bash("sh test.sh"),
        claims("sh test.sh"),
        edit("Hallo", "Hello"),
        bash(&finish),
        bash("sh test.sh"),
        bash(&finish),
        bash(&finish),
        end(),
    ];
    let run = play(&bench, calls);
    assert_eq!(run.result_text().as_deref(), Some("Done."));
    insta::assert_snapshot!(received(&bench, &run.record.of(Kind::Main)), @r#"
    $ engine session activate sessions/2026_02_07_AUTH implement --small "greet.txt says Hello"
    sessions/2026_02_07_AUTH: implement started, phase 3: Build (1 of 3)
    goal: greet.txt says Hello
    §CMD_LOG An entry when something is decided, found, tried or done; thinking goes here, not into the chat:

        engine log S/SKILL_LOG.md <<'EOF'
        ## Decision: one parser for both forms
        Two would drift apart.
        EOF
    log: engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md
    then: engine session finish sessions/2026_02_07_AUTH
    $ engine session finish sessions/2026_02_07_AUTH
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: no run of tests was found that passed on the content as it is
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    $ read
    1	Helo
    2
    $ Helo to Hallo
    The file [PROJECT]/greet.txt has been updated successfully. (file state is current in your context — no need to Read it back)
    $ ls
    greet.txt
    sessions
    test.sh
    $ engine session finish sessions/2026_02_07_AUTH --proof testsPass='ls'
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: `ls` is not a known check; known checks that ran in this session: none; a person adds others with engine config set evidence.checks
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    $ engine session finish sessions/2026_02_07_AUTH --proof testsPass='sh test.sh'
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: `sh test.sh` was not run in this session: engine check -- sh test.sh
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
    $ sh test.sh
    refused: Exit code 1
    PreToolUse:Bash: engine: 3 calls without a log entry; at 10 calls are held. engine log sessions/2026_02_07_AUTH/IMPLEMENT_LOG.md takes one on stdin, beginning with ##.
    $ engine session finish sessions/2026_02_07_AUTH --proof testsPass='sh test.sh'
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: `sh test.sh` ended with 1 when it ran last
    red: `sh test.sh` failed, and no run of it has passed since
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
    $ Hallo to Hello
    The file [PROJECT]/greet.txt has been updated successfully. (file state is current in your context — no need to Read it back)
    $ engine session finish sessions/2026_02_07_AUTH
    refused: Exit code 1
    engine: sessions/2026_02_07_AUTH stays active
    proof: 4: Verify: testsPass: no run of tests was found that passed on the content as it is
    red: `sh test.sh` failed, and no run of it has passed since
      engine session finish sessions/2026_02_07_AUTH --proof NAME=VALUE
      engine evidence lists what ran
    $ sh test.sh
    (Bash completed with no output)
    $ engine session finish sessions/2026_02_07_AUTH
    debrief: sessions/2026_02_07_AUTH/IMPLEMENT.md, drafted by engine
    sessions/2026_02_07_AUTH is completed
    next: /test, /commit
    $ engine session finish sessions/2026_02_07_AUTH
    refused: Exit code 3
    engine: sessions/2026_02_07_AUTH is completed already
    "#);
    assert_eq!(state(&bench)["lifecycle"], "completed");
}
