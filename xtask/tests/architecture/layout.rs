//! A module is the file that its name says, so that the other checks see all code.

use std::path::Path;

use proc_macro2::TokenTree;

use crate::map::crates;
use crate::sources::{code, each, is, shipped, word};
use crate::workspace;

/// Every way in which code comes from a file that the other checks would not look at, or would look at as another module.
fn hidden(root: &Path, folder: &str) -> Vec<String> {
    let src = root.join(folder).join("src");
    let mut found = Vec::new();
    for file in shipped(&src) {
        let place = file.strip_prefix(root).unwrap().display().to_string();
        each(&code(&file), &mut |trees| {
            let first = word(&trees[0]);
            let next = trees.get(1);
            match first.as_deref() {
                Some("include") if next.is_some_and(|next| is(next, '!')) => {
                    found.push(format!("{place}: include!"));
                }
                Some("mod") if next.and_then(word).is_some_and(|name| name == "tests") => {
                    found.push(format!("{place}: `mod tests` without #[cfg(test)]"));
                }
                _ => {}
            }
            if let (true, Some(TokenTree::Group(group))) = (is(&trees[0], '#'), next)
                && group.stream().to_string().contains("path =")
            {
                found.push(format!("{place}: #[{}]", group.stream()));
            }
        });
    }
    found
}

#[test]
fn every_module_is_in_its_own_file() {
    let root = workspace();
    let found: Vec<String> = crates(&root).iter().flat_map(|folder| hidden(&root, folder)).collect();
    assert!(found.is_empty(), "code that the checks of this folder cannot place\n{}", found.join("\n"));
}

#[test]
fn code_from_elsewhere_is_found() {
    let root = tempfile::tempdir().unwrap();
    let src = root.path().join("crates/core/src");
    std::fs::create_dir_all(&src).unwrap();
    let text = "#[path = \"../../store/src/clock.rs\"]\nmod clock;\n#[cfg_attr(unix, path = \"a.rs\")]\nmod a;\ninclude!(\"b.in\");\n\
                pub mod tests;\nmod c { include! { \"d.in\" } }\n#[cfg(test)]\n#[path = \"e.rs\"]\nmod e;\nlet path = include_str!(\"f\");\n";
    std::fs::write(src.join("lib.rs"), text).unwrap();
    assert_eq!(
        hidden(root.path(), "crates/core"),
        [
            "crates/core/src/lib.rs: #[path = \"../../store/src/clock.rs\"]",
            "crates/core/src/lib.rs: #[cfg_attr (unix , path = \"a.rs\")]",
            "crates/core/src/lib.rs: include!",
            "crates/core/src/lib.rs: `mod tests` without #[cfg(test)]",
            "crates/core/src/lib.rs: include!",
        ]
    );
}
