use super::*;
use crate::stage::Stage;

fn with_files() -> Stage {
    let stage = Stage::bare();
    stage.write("b/two.MD", "# T\n**Tags**: #needs-fix\n\ntext #needs-fix and #P1\n");
    stage.write("a/one.md", "#needs-review\n\n`#needs-fix`\n");
    stage.write("a/no.txt", "#needs-fix\n");
    std::os::unix::fs::symlink("nowhere", stage.root().join("a/broken.md")).unwrap();
    stage
}

#[test]
fn places_come_file_by_file_and_what_is_not_there_is_told() {
    let stage = with_files();
    let root = stage.root();
    let place = |file: &str, tag: &str, line, of_file| Place {
        file: root.join(file),
        tag: tag.to_owned(),
        line,
        of_file,
    };
    let (found, looked) =
        find("#needs-*", &[root.join("b"), root.join("nosuch"), root.join("a"), root.join("b/two.MD")])
            .unwrap();
    assert_eq!(
        found,
        [
            place("a/one.md", "#needs-review", 1, false),
            place("b/two.MD", "#needs-fix", 2, true),
            place("b/two.MD", "#needs-fix", 4, false),
        ]
    );
    assert_eq!(
        looked,
        Looked {
            files: 2,
            unread: vec![format!("{} is not there", root.join("nosuch").display())],
            ignored: Vec::new()
        }
    );
}

#[test]
fn counts_are_by_frequency_then_by_name() {
    let stage = with_files();
    stage.write("c.md", "#zebra #zebra\n\n#needs-fix #alpha\n");
    let (rows, looked) = list(&[stage.root()]).unwrap();
    let count = |tag: &str, count, files| Count { tag: tag.to_owned(), count, files };
    assert_eq!(
        rows,
        [
            count("#needs-fix", 3, 2),
            count("#zebra", 2, 1),
            count("#P1", 1, 1),
            count("#alpha", 1, 1),
            count("#needs-review", 1, 1),
        ]
    );
    assert_eq!(looked.files, 3);
}

#[test]
fn an_empty_folder_is_nothing_and_no_mistake() {
    let stage = Stage::bare();
    assert_eq!(find("#a", &[stage.root()]).unwrap(), (vec![], Looked::default()));
    assert_eq!(list(&[stage.root()]).unwrap(), (vec![], Looked::default()));
}
