use super::*;
use crate::directives::tests::package;
use crate::stage::{Stage, refusal};

fn at(stage: &Stage, path: &str) -> Result<Place, CommandError> {
    Place::at(stage.project(), &Config::default(), &stage.root().join(path))
}

#[test]
fn the_folder_of_the_directives_stands_for_the_one_that_it_is_in() {
    let stage = package();
    stage.write("packages/a/.directives/deep/.directives/x", "");
    for path in ["packages/a", "packages/a/.directives", "packages/a/.directives/deep/.directives"] {
        let place = at(&stage, path).unwrap();
        assert_eq!(
            (place.dir().as_deref(), place.name().as_str()),
            (Some("packages/a"), "packages/a"),
            "{path}"
        );
    }
    let root = at(&stage, ".").unwrap();
    let name = stage.root().file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!((root.dir(), root.name()), (None, name));
    assert_eq!(root.shown_file(Type::find("TESTING").unwrap()), ".directives/TESTING.md");
}

#[test]
fn folders_that_are_left_out_and_ours_do_not_count() {
    let stage = package();
    for folder in ["node_modules/x", "packages/a/target", ".git", ".engine/state"] {
        stage.write(&format!("{folder}/file"), "");
        assert_eq!(
            refusal(at(&stage, folder)),
            format!(
                "Refused: {folder}: directives in it do not count\n→ folders that are left out: engine config show directives.skip"
            )
        );
    }
}

#[test]
fn a_link_out_of_the_project_or_to_what_is_no_markdown_is_not_written() {
    let stage = package();
    let outside = Stage::bare();
    outside.write("TESTING.md", "mine");
    outside.write("x", "");
    let kind = Type::find("TESTING").unwrap();
    stage.write("packages/a/.directives/x", "");
    let link = stage.root().join("packages/a/.directives/TESTING.md");
    let place = at(&stage, "packages/a").unwrap();
    assert_eq!(place.writable(kind).unwrap(), link);
    let linked = |to: &Path| {
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(to, &link).unwrap();
        refusal(place.writable(kind))
    };
    for to in [outside.root().join("TESTING.md"), stage.root().join(".engine/config.toml")] {
        assert_eq!(
            linked(&to),
            "Refused: packages/a/.directives/TESTING.md is a link to a file that is not ours to write"
        );
    }
    assert_eq!(
        linked(&stage.root().join("packages/a/lib.rs")),
        format!("Refused: {} is no directive: its name ends in .md", link.display())
    );
    std::os::unix::fs::symlink(outside.root(), stage.root().join("packages/out")).unwrap();
    assert_eq!(
        refusal(at(&stage, "packages/out")),
        format!("Refused: packages/out is outside of the project {}", stage.root().display())
    );
}

#[test]
fn the_line_about_what_is_missing_names_the_command_for_the_folder() {
    let stage = package();
    stage.write("my pkg/x", "");
    let missing = [Type::find("TESTING").unwrap(), Type::find("PITFALLS").unwrap()];
    let line = |path: &str| at(&stage, path).unwrap().unmentioned_line(&missing);
    assert_eq!(
        line(".").as_deref(),
        Some(".directives/AGENTS.md does not mention TESTING.md, PITFALLS.md: engine directives mention")
    );
    assert_eq!(
        line("my pkg").as_deref(),
        Some(
            "my pkg/.directives/AGENTS.md does not mention TESTING.md, PITFALLS.md: engine directives mention 'my pkg'"
        )
    );
    assert_eq!(at(&stage, ".").unwrap().unmentioned_line(&[]), None);
}
