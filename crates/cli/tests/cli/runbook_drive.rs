//! A runbook carried out: what is refused on the way, what ends a step, and how it ends.

use serde_json::json;

use crate::orchestra::Orchestra;

const STEP_1: &str = "plans/greet/steps/step-1-1.md";
const STEP_2: &str = "plans/greet/steps/step-1-2.md";
const STEP_3: &str = "plans/greet/steps/step-1-3.md";

#[test]
fn three_steps_on_three_models_and_a_review() {
    let play = Orchestra::new();
    let task = play.agent("task");
    insta::assert_snapshot!(play.told(&["next", "plans/greet"]), @r#"
    exit 0
    plan greet, running 0/4. Step 1.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    when its result has come: engine runbook done 1.1
    "#);
    for (step, model, prompt, file) in [
        ("1.1", "haiku", STEP_1, "hello.py"),
        ("1.2", "sonnet", STEP_2, "bye.py"),
        ("1.3", "opus", STEP_3, "both.py"),
    ] {
        let player = play.starts(&task, model, prompt);
        assert_eq!(play.stops(), "-", "the main agent waits");
        play.does(&player, &format!("step-{}", step.replace('.', "-")), file);
        let done = play.told(&["done", step]);
        if step == "1.3" {
            insta::assert_snapshot!(done, @r#"
            exit 0
            - [x] 1.3. say both (both.py; `pytest` passed)
            plan greet, running 3/4. Step 1-vet: make this call exactly
            Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md, plans/greet/steps/step-1-2.md, plans/greet/steps/step-1-3.md\nCheck: pytest")
            when its result has come: engine runbook done 1-vet
            "#);
        } else {
            assert!(done.starts_with("exit 0\n"), "{done}");
        }
    }
    let review = "Review of phase 1, report: plans/greet/reports/phase-1.md";
    let vet = play.starts("vet-agent", "sonnet", review);
    play.writes(&vet, "plans/greet/reports/phase-1.md", "---\nCritical: 0\nMajor: 0\nMinor: 1\n---\nFine.\n");
    play.ends(&vet);
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 0
    - [x] 1-vet. Review of phase 1: Words (`pytest` passed)
    plan greet is done and closed: every step, every criterion
    Run greet: done
    ");
    insta::assert_snapshot!(play.told(&["status", "greet"]), @"
    exit 0
    plan greet: closed
    1.1    done  say hello                 claude-haiku-5
    1.2    done  say goodbye               claude-sonnet-5
    1.3    done  say both                  claude-opus-5
    1-vet  done  Review of phase 1: Words  claude-sonnet-5
    ");
    insta::assert_snapshot!(play.stage.ok(&["status"]), @"
    No pending tasks.

    1 done
    ");
    // The commit is free now.
    assert_eq!(play.shell("git commit -qam done"), "-");
}

#[test]
fn a_call_that_is_not_the_next_is_refused_with_the_right_one() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let cases = [
        play.refused(&task, "opus", STEP_1),
        play.refused(&task, "", STEP_1),
        play.refused(&task, "sonnet", STEP_2),
        play.refused("general-purpose", "haiku", STEP_1),
        play.refused("quiet-task", "haiku", "write hello.py"),
        play.refused("fork", "haiku", "go on"),
        play.refused("vet-agent", "sonnet", "review it"),
        play.main("Workflow", &json!({"script": "agents"})),
        play.edits("a.txt"),
        play.shell("echo x > a.txt"),
        play.shell("git commit -am x"),
        play.shell("claude -p 'do step 1.1'"),
    ];
    insta::assert_snapshot!(cases.join("\n\n"), @r#"
    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 is for model haiku, and the call names opus. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 is for model haiku, and the call names no model. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 comes before step 1.2. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 is for the agent greet-[SUM]-task, and the call starts general-purpose. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: the call starts quiet-task and its prompt names no step. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: a fork takes the whole conversation along, and a step gets its own file. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: the call starts vet-agent and its prompt names no step. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: Workflow starts agents that no step names. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet gives its steps to agents: this session delegates and changes no files itself. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")

    denied: engine rule plan: plan greet is not built yet: its steps make no commits, and neither does who delegates them. After the last step the commit comes as usual; engine runbook next

    denied: engine rule plan: plan greet gives its steps to agents: a client that a shell starts is the agent of no step. The right call:
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md")
    "#);
    // What only looks, and agents that do no step, are free.
    assert_eq!(play.refused("Explore", "haiku", "where is hello"), "-");
    assert_eq!(play.shell("git status --short"), "-");
    assert_eq!(play.edits("plans/greet/notes.md"), "-");
    // The right one passes, and gets the words of the step and no others.
    let (_, answer) = play.asks(
        &json!({"description": "x", "subagent_type": task, "model": "haiku", "prompt": format!("Do {STEP_1}, quickly")}),
    );
    assert_eq!(answer, format!("input: {STEP_1}"));
    insta::assert_snapshot!(play.refused(&task, "haiku", STEP_1), @"
    denied: engine rule plan: plan greet gives its steps to agents: step 1.1 runs already. The right call:
    none until a running step has ended; its result comes by itself
    ");
}

#[test]
fn what_an_agent_says_of_itself_ends_no_step() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let liar = play.starts(&task, "haiku", STEP_1);
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 1
    engine: step 1.1 still runs
      end the turn, its result comes by itself
    ");
    insta::assert_snapshot!(play.ends(&liar), @"told: engine: step 1.1 of plan greet: no tool was called, so nothing is done. Read the step's file, do what it says, write its report, then answer.");
    assert_eq!(play.ends(&liar), "-");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    its agent called no tool
    there is no report plans/greet/reports/step-1-1.md
    no file of it was changed, and its report has no line `No change: why`
    `pytest` was not run since the step began: engine check -- pytest
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
    // Once more by the same tier, then by the next one.
    insta::assert_snapshot!(play.told(&["fail", "1.1", "--why", "nothing was done"]), @r#"
    exit 0
    plan greet, running 0/4. Step 1.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "haiku", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: nothing was done")
    when its result has come: engine runbook done 1.1
    "#);
    let second = play.starts(&task, "haiku", STEP_1);
    play.writes(&second, "hello.py", "print('.')\n");
    play.writes(&second, "stray.py", "print('.')\n");
    play.reports(&second, "step-1-1", "Quality: none\n");
    play.ends(&second);
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    changed besides its files (hello.py): stray.py
    `pytest` was not run since the step began: engine check -- pytest
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
    insta::assert_snapshot!(play.told(&["fail", "1.1", "--why", "a stray file"]), @r#"
    exit 0
    plan greet, running 0/4. Step 1.1: make this call exactly
    Agent(subagent_type: "greet-[SUM]-task", model: "sonnet", description: "Step 1.1", run_in_background: false, prompt: "plans/greet/steps/step-1-1.md\nThe earlier attempt was refused: a stray file\nReport of the earlier run: plans/greet/reports/step-1-1.md")
    when its result has come: engine runbook done 1.1
    "#);
    // Tiers end with the user.
    for (model, why) in [("sonnet", "a"), ("sonnet", "b"), ("opus", "c")] {
        let player = play.starts(&task, model, STEP_1);
        play.ends(&player);
        play.ends(&player);
        play.told(&["fail", "1.1", "--why", why]);
    }
    let player = play.starts(&task, "opus", STEP_1);
    play.ends(&player);
    play.ends(&player);
    insta::assert_snapshot!(play.told(&["fail", "1.1", "--why", "d"]), @"
    exit 1
    engine: plan greet is halted: step 1.1 was tried 6 times, up to the last tier of models: say hello; the last time: d
      tell the user what happened and how you would go on; reading and asking stay free
      engine plan resume: engine asks the user, and after their ok the same command goes on
    ");
    insta::assert_snapshot!(play.told(&["next"]), @"
    exit 0
    plan greet is halted: step 1.1 was tried 6 times, up to the last tier of models: say hello; the last time: d
    then: engine runbook resume; engine asks the user
    ");
    insta::assert_snapshot!(play.refused(&task, "opus", STEP_1), @"
    denied: engine rule plan: plan greet gives its steps to agents: plan greet is halted: step 1.1 was tried 6 times, up to the last tier of models: say hello; the last time: d. The right call:
    engine plan resume (engine asks the user)
    ");
}

#[test]
fn the_check_passes_after_the_last_change() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let player = play.starts(&task, "haiku", STEP_1);
    assert_eq!(play.runs(&player, "pytest"), Some(0));
    play.writes(&player, "hello.py", "print('.')\n");
    play.reports(&player, "step-1-1", "Quality: hello has no docstring\n");
    play.ends(&player);
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    changed since `pytest` passed: hello.py. Run it again: engine check -- pytest
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
    // A message wakes the same agent, and it is the same try.
    let message = json!({"to": player.id, "message": "run the check"});
    assert_eq!(play.main("SendMessage", &message), "-");
    insta::assert_snapshot!(play.told(&["done"]), @"
    exit 1
    engine: step 1.1 still runs
      end the turn, its result comes by itself
    ");
    assert_eq!(play.runs(&player, "pytest"), Some(0));
    play.ends(&player);
    // Warnings are somebody else's work, once.
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 0
    - [x] 1.1. say hello (hello.py; `pytest` passed)
    plan greet, running 1/5. Step 1.1-refactor: make this call exactly
    Agent(subagent_type: "refactor", model: "sonnet", description: "Step 1.1-refactor", run_in_background: false, prompt: "Quality warnings: plans/greet/reports/step-1-1.md\nReport: plans/greet/reports/step-1-1-refactor.md\nFiles: hello.py\nCheck: `pytest`")
    when its result has come: engine runbook done 1.1-refactor
    "#);
    insta::assert_snapshot!(play.main("SendMessage", &message), @r#"
    denied: engine rule plan: plan greet gives its steps to agents: the try of agent a1 at step 1.1 is over. The right call:
    Agent(subagent_type: "refactor", model: "sonnet", description: "Step 1.1-refactor", run_in_background: false, prompt: "Quality warnings: plans/greet/reports/step-1-1.md\nReport: plans/greet/reports/step-1-1-refactor.md\nFiles: hello.py\nCheck: `pytest`")
    "#);
}

#[test]
fn a_critical_finding_is_mended_and_reviewed_again() {
    let play = Orchestra::of(
        "---\nname: greet\nmodel: haiku\ncheck: pytest\n---\n# Common context\nx\n## Stop conditions\nx\n# Phase 1: Words\n## Step 1.1: say hello\nFiles: hello.py (new)\nWrite it.\n",
    );
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let player = play.starts(&task, "haiku", STEP_1);
    play.does(&player, "step-1-1", "hello.py");
    play.told(&["done"]);
    let review = "Review of phase 1, report: plans/greet/reports/phase-1.md";
    let vets = |text: &str| {
        let vet = play.starts("vet-agent", "sonnet", review);
        play.writes(&vet, "plans/greet/reports/phase-1.md", text);
        play.ends(&vet);
        play.told(&["done"])
    };
    insta::assert_snapshot!(vets("Fine, all of it.\n"), @r#"
    exit 1
    engine: step 1-vet is not done
    its report has no line `Critical: N` between its first two `---`
      let it be tried again: engine runbook fail 1-vet --why "…"; then engine runbook next
    "#);
    play.told(&["fail", "1-vet", "--why", "no counts"]);
    insta::assert_snapshot!(vets("---\nCritical: 2\nMajor: 0\n---\n"), @r#"
    exit 0
    step 1-vet was looked at; what it found comes first
    plan greet, running 1/3. Step 1-mend: make this call exactly
    Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1-mend", run_in_background: false, prompt: "Mend the critical and major findings of plans/greet/reports/phase-1.md\nReport: plans/greet/reports/1-mend.md\nFiles: hello.py\nCheck: `pytest`")
    when its result has come: engine runbook done 1-mend
    "#);
    let mend = play.starts(
        "quiet-task",
        "sonnet",
        "Mend the critical and major findings of plans/greet/reports/phase-1.md",
    );
    play.does(&mend, "1-mend", "hello.py");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 0
    - [x] 1-mend. mend the findings of plans/greet/reports/phase-1.md (hello.py; `pytest` passed)
    plan greet, running 2/3. Step 1-vet: make this call exactly
    Agent(subagent_type: "vet-agent", model: "sonnet", description: "Step 1-vet", run_in_background: false, prompt: "Review of phase 1, report: plans/greet/reports/phase-1.md\nRunbook: plans/greet/runbook*.md. Design, if there is one: plans/greet/design.md. Steps: plans/greet/steps/step-1-1.md\nCheck: pytest")
    when its result has come: engine runbook done 1-vet
    "#);
    insta::assert_snapshot!(vets("---\nCritical: 1\nMajor: 0\n---\n"), @"
    exit 0
    step 1-vet was looked at; what it found comes first
    plan greet is halted: the second review of phase 1 still has 1 critical: plans/greet/reports/phase-1.md
    then: engine runbook resume; engine asks the user
    ");
}

/// What others did, what came later and what nobody said is no work of the step's agent.
#[test]
fn only_the_agent_of_a_step_does_its_work() {
    let case = |name: &str, act: &dyn Fn(&Orchestra, &crate::orchestra::Player)| {
        let play = Orchestra::new();
        let task = play.agent("task");
        play.told(&["next", "greet"]);
        let player = play.starts(&task, "haiku", STEP_1);
        act(&play, &player);
        let told = play.told(&["done"]);
        let reasons =
            told.lines().skip(2).filter(|line| !line.starts_with("  ")).collect::<Vec<_>>().join("; ");
        format!("{name}: {reasons}")
    };
    let does =
        |play: &Orchestra, player: &crate::orchestra::Player| play.does(player, "step-1-1", "hello.py");
    let cases = [
        case("a script changes it later", &|play, player| {
            does(play, player);
            play.stage.write("hello.py", "print('mine')\n");
            assert_eq!(crate::plan_proofs::shell(&play.stage, "pytest").code, Some(0));
        }),
        case("a script writes the report", &|play, player| {
            play.writes(player, "hello.py", "print('.')\n");
            assert_eq!(play.runs(player, "pytest"), Some(0));
            play.stage.write("plans/greet/reports/step-1-1.md", "---\nStatus: done\n---\n");
            play.ends(player);
        }),
        case("another agent does it", &|play, player| {
            let other = play.player("Explore", "x");
            play.writes(player, "note.txt", "x");
            std::fs::remove_file(play.stage.root().join("note.txt")).unwrap();
            play.stage.write("hello.py", "print('.')\n");
            let mut event = play.stage.event_with(
                "PostToolUse.Write",
                &json!({
                    "session_id": crate::stage::SESSION, "tool_name": "Write",
                    "tool_input": {"file_path": play.stage.root().join("hello.py"), "content": "x"}
                }),
            );
            event["agent_id"] = json!(other.id);
            event["agent_type"] = json!("Explore");
            play.stage.hook(&event);
            assert_eq!(play.runs(player, "pytest"), Some(0));
            play.reports(player, "step-1-1", "");
            play.ends(player);
        }),
        case("the step file says less", &|play, player| {
            play.stage.write(STEP_1, "Nothing to do.\n");
            does(play, player);
        }),
        case("nothing is changed, and it says why", &|play, player| {
            assert_eq!(play.runs(player, "pytest"), Some(0));
            play.reports(player, "step-1-1", "No change: it is there\n");
            play.ends(player);
        }),
    ];
    insta::assert_snapshot!(cases.join("\n"), @r#"
    a script changes it later: changed after its agent had ended: hello.py
    a script writes the report: its agent was not seen writing plans/greet/reports/step-1-1.md
    another agent does it: changed by another than its agent: hello.py
    the step file says less: plans/greet/steps/step-1-1.md is not what was prepared
    nothing is changed, and it says why: plan greet, running 1/4. Step 1.2: make this call exactly; Agent(subagent_type: "greet-[SUM]-task", model: "sonnet", description: "Step 1.2", run_in_background: false, prompt: "plans/greet/steps/step-1-2.md"); when its result has come: engine runbook done 1.2
    "#);
}

/// A call that waits for its agent is answered only after that has ended.
#[test]
fn the_model_counts_also_where_the_call_waits() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let input = json!({"description": "x", "subagent_type": task, "model": "haiku", "prompt": STEP_1});
    let (call, _) = play.asks(&input);
    let player = play.player(&task, &call);
    play.begins(&player);
    play.does(&player, "step-1-1", "hello.py");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    the client has not said which model it ran on; haiku was asked for
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
    play.answered(&player, "claude-opus-5");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    it ran on claude-opus-5, and haiku was asked for
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
}

#[test]
fn the_common_context_reaches_a_shipped_agent_in_either_order() {
    for background in [false, true] {
        let play = Orchestra::new();
        play.told(&["next", "greet"]);
        let input =
            json!({"description": "x", "subagent_type": "quiet-task", "model": "haiku", "prompt": STEP_1});
        let (call, _) = play.asks(&input);
        let player = play.player("quiet-task", &call);
        if background {
            play.launched(&player, "claude-haiku-5");
        }
        insta::allow_duplicates! {
            insta::assert_snapshot!(play.begins(&player), @"
            told: engine: what all steps of plan greet have in common:

            All greetings end with a dot.
            ### Stop conditions
            A decision is missing.
            ");
        }
    }
}

#[test]
fn the_task_of_a_run_is_not_done_by_a_word() {
    let play = Orchestra::new();
    play.told(&["next", "greet"]);
    let done = play.stage.engine(&["task", "done", "Run greet"]);
    insta::assert_snapshot!(crate::plan::told(&done), @"
    exit 1
    engine: Run greet is done when every step of plan greet is
      engine runbook next
    ");
}

/// Where two contents cannot be compared, the edits count that were seen: nothing passes because something is not known.
#[test]
fn without_the_contents_the_edits_decide() {
    let forget = |play: &Orchestra| {
        let _ = std::fs::remove_dir_all(play.stage.root().join(".engine/state/content"));
    };
    let case = |files: &[&str]| {
        let play = Orchestra::new();
        let task = play.agent("task");
        play.told(&["next", "greet"]);
        let player = play.starts(&task, "haiku", STEP_1);
        for file in files {
            play.writes(&player, file, "print('.')\n");
        }
        forget(&play);
        assert_eq!(play.runs(&player, "pytest"), Some(0));
        play.reports(&player, "step-1-1", "");
        play.ends(&player);
        play.told(&["done"]).lines().take(3).collect::<Vec<_>>().join("; ")
    };
    let cases = [case(&[]), case(&["hello.py", "stray.py"]), case(&["hello.py"])];
    insta::assert_snapshot!(cases.join("\n"), @"
    exit 1; engine: step 1.1 is not done; no file of it was changed, and its report has no line `No change: why`
    exit 1; engine: step 1.1 is not done; changed besides its files (hello.py): stray.py
    exit 0; - [x] 1.1. say hello (hello.py; `pytest` passed); plan greet, running 1/4. Step 1.2: make this call exactly
    ");
}

#[test]
fn a_commit_of_an_earlier_try_is_one_of_the_step() {
    let play = Orchestra::new();
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let first = play.starts(&task, "haiku", STEP_1);
    play.does(&first, "step-1-1", "hello.py");
    play.stage.git(&["add", "hello.py"]);
    play.stage.git(&["commit", "-qm", "hidden"]);
    play.told(&["fail", "1.1", "--why", "a commit"]);
    let second = play.starts(&task, "haiku", STEP_1);
    play.does(&second, "step-1-1", "hello.py");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1.1 is not done
    a commit was made meanwhile; steps make none
      let it be tried again: engine runbook fail 1.1 --why "…"; then engine runbook next
    "#);
}

#[test]
fn a_review_that_was_not_made_and_edits_after_the_last_step_close_nothing() {
    let play = Orchestra::of(
        "---\nname: greet\nmodel: haiku\ncheck: pytest\n---\n# Common context\nx\n## Stop conditions\nx\n# Phase 1: Words\n## Step 1.1: say hello\nFiles: hello.py (new)\nWrite it.\n",
    );
    let task = play.agent("task");
    play.told(&["next", "greet"]);
    let player = play.starts(&task, "haiku", STEP_1);
    play.does(&player, "step-1-1", "hello.py");
    play.told(&["done"]);
    let review = "Review of phase 1, report: plans/greet/reports/phase-1.md";
    let vets = |text: &str| {
        let vet = play.starts("vet-agent", "sonnet", review);
        play.writes(&vet, "plans/greet/reports/phase-1.md", text);
        play.ends(&vet);
        play.told(&["done"])
    };
    insta::assert_snapshot!(vets("---\nStatus: error\nCritical: 0\n---\n"), @r#"
    exit 1
    engine: step 1-vet is not done
    plans/greet/reports/phase-1.md does not say that the review was made
      let it be tried again: engine runbook fail 1-vet --why "…"; then engine runbook next
    "#);
    play.told(&["fail", "1-vet", "--why", "no review"]);
    // The worse of two counts.
    insta::assert_snapshot!(vets("---\nCritical: 1\nCritical: 0\n---\n"), @r#"
    exit 0
    step 1-vet was looked at; what it found comes first
    plan greet, running 1/3. Step 1-mend: make this call exactly
    Agent(subagent_type: "quiet-task", model: "sonnet", description: "Step 1-mend", run_in_background: false, prompt: "Mend the critical and major findings of plans/greet/reports/phase-1.md\nReport: plans/greet/reports/1-mend.md\nFiles: hello.py\nCheck: `pytest`")
    when its result has come: engine runbook done 1-mend
    "#);
    // Somebody changes the content, so the plan cannot close; the session still changes nothing.
    let mend = play.starts(
        "quiet-task",
        "sonnet",
        "Mend the critical and major findings of plans/greet/reports/phase-1.md",
    );
    play.does(&mend, "1-mend", "hello.py");
    play.told(&["done"]);
    let vet = play.starts("vet-agent", "sonnet", review);
    play.writes(&vet, "plans/greet/reports/phase-1.md", "---\nCritical: 0\n---\n");
    play.ends(&vet);
    play.stage.write("other.py", "print('.')\n");
    insta::assert_snapshot!(play.told(&["done"]), @r#"
    exit 1
    engine: step 1-vet is not done
    files were changed during the review: other.py
    changed since `pytest` passed: other.py. Run it again: engine check -- pytest
      let it be tried again: engine runbook fail 1-vet --why "…"; then engine runbook next
    "#);
    assert!(play.edits("hello.py").starts_with("denied"));
}
