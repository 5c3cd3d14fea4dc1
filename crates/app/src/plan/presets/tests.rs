use super::*;
use crate::stage::{Stage, refusal};

#[test]
fn the_projects_own_count_before_ours_and_only_toml_is_one() {
    let stage = Stage::new();
    let ours: BTreeMap<String, String> =
        PRESETS.iter().map(|preset| (preset.name.to_owned(), preset.text.to_owned())).collect();
    assert_eq!(presets(&stage.project(), None).unwrap(), ours);
    let taken = PRESETS[0].name;
    stage.write(&format!(".engine/workflows/{taken}.toml"), "mine");
    stage.write(".engine/workflows/zebra.toml", "");
    stage.write(".engine/workflows/notes.md", "no preset");
    let expected: BTreeMap<String, String> = ours
        .into_iter()
        .chain([(taken.to_owned(), "mine".to_owned()), ("zebra".to_owned(), String::new())])
        .collect();
    assert_eq!(presets(&stage.project(), None).unwrap(), expected);
    let one = presets(&stage.project(), Some(taken)).unwrap();
    assert_eq!(one, BTreeMap::from([(taken.to_owned(), "mine".to_owned())]));
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    assert_eq!(
        refusal(presets(&stage.project(), Some("notes"))),
        format!("Refused: there is no preset notes; there are {}", names.join(", "))
    );
}

#[test]
fn one_that_cannot_be_read_is_named() {
    let stage = Stage::new();
    stage.write(".engine/workflows/folder.toml/x", "");
    let path = stage.root().join(".engine/workflows/folder.toml");
    assert_eq!(refusal(presets(&stage.project(), None)), format!("Refused: {}: not a file", path.display()));
}
