//! The Rust files of a crate, and their code without tests and comments.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// All Rust files below a folder, in a fixed order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    found.sort();
    found
}

/// All files below a folder.
pub(crate) fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The Rust files below `src` that are not for tests only.
pub(crate) fn shipped(src: &Path) -> Vec<PathBuf> {
    files(src).into_iter().filter(|file| !is_test(src, file)).collect()
}

/// Whether a file below `src` holds tests only. `layout` checks that such a file is declared for tests only.
fn is_test(src: &Path, file: &Path) -> bool {
    let inside = file.strip_prefix(src).unwrap();
    inside.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
}

/// The code of a file as tokens: without what is compiled for tests only, and without comments.
pub(crate) fn code(path: &Path) -> Vec<TokenTree> {
    let text = fs::read_to_string(path).unwrap();
    tokens(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tokens(text: &str) -> Result<Vec<TokenTree>, proc_macro2::LexError> {
    Ok(without_tests(text.parse()?))
}

/// An item behind `#[cfg(test)]` reaches to its body, or to its semicolon if that comes first. A doc comment is the
/// attribute `#[doc = "…"]`.
fn without_tests(stream: TokenStream) -> Vec<TokenTree> {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut trees = stream.into_iter();
    while let Some(tree) = trees.next() {
        let TokenTree::Group(group) = tree else {
            out.push(tree);
            continue;
        };
        let attribute =
            if group.delimiter() == Delimiter::Bracket { group.stream().to_string() } else { String::new() };
        if attribute == "cfg (test)" || attribute.starts_with("doc =") {
            while out.last().is_some_and(|last| is(last, '#') || is(last, '!')) {
                out.pop();
            }
            if attribute == "cfg (test)" {
                trees.by_ref().find(|tree| is(tree, ';') || body(tree).is_some());
            }
            continue;
        }
        let inner = without_tests(group.stream()).into_iter().collect();
        out.push(Group::new(group.delimiter(), inner).into());
    }
    out
}

pub(crate) fn is(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// The name, without `r#`.
pub(crate) fn word(tree: &TokenTree) -> Option<String> {
    match tree {
        TokenTree::Ident(ident) => Some(ident.to_string().trim_start_matches("r#").to_owned()),
        _ => None,
    }
}

/// What is in braces.
pub(crate) fn body(tree: &TokenTree) -> Option<Vec<TokenTree>> {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            Some(group.stream().into_iter().collect())
        }
        _ => None,
    }
}

/// Calls `look` with every run of neighbours, at every depth.
pub(crate) fn each(trees: &[TokenTree], look: &mut impl FnMut(&[TokenTree])) {
    for at in 0..trees.len() {
        look(&trees[at..]);
        if let TokenTree::Group(group) = &trees[at] {
            each(&group.stream().into_iter().collect::<Vec<_>>(), look);
        }
    }
}

#[test]
fn tests_and_comments_are_left_out_and_what_follows_them_is_not() {
    let text = "//! crate::a\nuse crate::b;\n#[cfg(test)]\nmod tests {\n    use crate::c;\n}\n\n#[cfg(test)]\nmod more;\n\
                #[cfg(not(test))]\nfn d() { /* crate::e */ f('\"', r#\"\"\"#) }\n/// g\nfn h() {}\n";
    let code: TokenStream = tokens(text).unwrap().into_iter().collect();
    assert_eq!(
        code.to_string(),
        "use crate :: b ; # [cfg (not (test))] fn d () { f ('\"' , r#\"\"\"#) } fn h () { }"
    );
}

/// The text of a file with its comments, without what is compiled for tests only. Formatted code is assumed: an item behind
/// `#[cfg(test)]` ends at a brace or a semicolon as far to the left.
pub(crate) fn without_test_lines(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let indent = line.len() - line.trim_start().len();
            lines.by_ref().find(|inner| {
                let depth = inner.len() - inner.trim_start().len();
                depth == indent && (inner.trim() == "}" || inner.trim_end().ends_with(';'))
            });
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}
