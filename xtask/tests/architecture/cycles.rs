//! No modules of a crate use each other in a circle.
//!
//! Looked at are the modules directly below the crate's root, with everything inside them: a module and its submodules are one
//! thing to a reader. What the root defines itself belongs to no module; what it re-exports belongs to the module it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::TokenTree;

use crate::map::crates;
use crate::sources::{body, code, is, shipped, word};
use crate::{fixture, workspace};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// A path from the crate's root, and the name under which it is known afterwards.
type Named = (Vec<String>, String);

/// Everything of a module or of the root, which hides what is used of it.
const ALL: &str = "*";

/// Which module names which. An import of the whole root is an edge to [`ALL`].
fn graph(src: &Path, own: &str) -> Graph {
    let mut graph = Graph::new();
    let mut root = Vec::new();
    let mut named = Vec::new();
    for file in shipped(src) {
        let mut here: Vec<String> = file
            .strip_prefix(src)
            .unwrap()
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if here.last().is_some_and(|last| last == "mod") {
            here.pop();
        }
        if matches!(here[0].as_str(), "lib" | "main") {
            root.extend(code(&file));
            continue;
        }
        graph.entry(here[0].clone()).or_default();
        let mut found = Vec::new();
        paths(&code(&file), &here, own, &mut found);
        named.extend(found.into_iter().map(|(path, _)| (here[0].clone(), path)));
    }
    let root = Root::read(&root, graph.keys().cloned().collect());
    for (module, path) in named {
        let others = root.modules_of(&path).into_iter().filter(|other| *other != module);
        graph.get_mut(&module).unwrap().extend(others.collect::<Vec<_>>());
    }
    graph
}

/// What the names of the root stand for.
struct Root {
    modules: BTreeSet<String>,
    defined: BTreeSet<String>,
    exported: BTreeMap<String, String>,
    exported_whole: BTreeSet<String>,
}

impl Root {
    fn read(trees: &[TokenTree], modules: BTreeSet<String>) -> Self {
        let mut root = Self {
            modules,
            defined: BTreeSet::new(),
            exported: BTreeMap::new(),
            exported_whole: BTreeSet::new(),
        };
        for (at, tree) in trees.iter().enumerate() {
            let next = trees.get(at + 1).and_then(word);
            match (word(tree).as_deref(), next) {
                (Some("use"), Some(_)) => {
                    let mut uses = Vec::new();
                    follow(&trees[at + 1..], Vec::new(), &mut uses);
                    for (path, name) in uses.into_iter().filter(|(path, _)| root.modules.contains(&path[0])) {
                        if name == ALL {
                            root.exported_whole.insert(path[0].clone());
                        } else {
                            root.exported.insert(name, path[0].clone());
                        }
                    }
                }
                (
                    Some("fn" | "struct" | "enum" | "const" | "static" | "type" | "trait" | "union"),
                    Some(name),
                ) => {
                    root.defined.insert(name);
                }
                _ => {}
            }
        }
        root
    }

    /// The modules that a path from the root may lead into.
    fn modules_of(&self, path: &[String]) -> Vec<String> {
        match path.first() {
            Some(name) if name == ALL || self.modules.contains(name) => vec![name.clone()],
            Some(name) => match self.exported.get(name) {
                Some(module) => vec![module.clone()],
                None if self.defined.contains(name) => Vec::new(),
                None => self.exported_whole.iter().cloned().collect(),
            },
            None => Vec::new(),
        }
    }
}

/// Every path that begins with `crate`, `self`, `super` or the crate's own name, in imports and in code.
fn paths(trees: &[TokenTree], here: &[String], own: &str, found: &mut Vec<Named>) {
    let mut at = 0;
    while at < trees.len() {
        let rest = &trees[at..];
        let first = word(&rest[0]);
        let inline =
            (first.as_deref() == Some("mod")).then(|| Some((word(rest.get(1)?)?, body(rest.get(2)?)?)));
        if let Some((name, inner)) = inline.flatten() {
            paths(&inner, &[here, &[name]].concat(), own, found);
            at += 3;
            continue;
        }
        match first.as_deref() {
            Some("crate" | "self" | "super") => at += follow(rest, here.to_vec(), found),
            Some(name) if name == own => at += 1 + follow_after(&rest[1..], found),
            _ => {
                if let TokenTree::Group(group) = &rest[0] {
                    paths(&group.stream().into_iter().collect::<Vec<_>>(), here, own, found);
                }
                at += 1;
            }
        }
    }
}

/// The rest of a path that began with the crate's own name.
fn follow_after(trees: &[TokenTree], found: &mut Vec<Named>) -> usize {
    if is_separator(trees) { 2 + follow(&trees[2..], Vec::new(), found) } else { 0 }
}

fn is_separator(trees: &[TokenTree]) -> bool {
    trees.len() > 2 && is(&trees[0], ':') && is(&trees[1], ':')
}

/// Reads one path, with the lists in braces that an import may have. Returns how many tokens it took.
fn follow(trees: &[TokenTree], mut path: Vec<String>, found: &mut Vec<Named>) -> usize {
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        if let Some(list) = body(tree) {
            for part in list.split(|tree| is(tree, ',')) {
                follow(part, path.clone(), found);
            }
            return at + 1;
        }
        match word(tree).as_deref() {
            Some("crate") => path.clear(),
            Some("self") => {}
            Some("super") => drop(path.pop()),
            Some(name) => path.push(name.to_owned()),
            None if is(tree, '*') => path.push(ALL.to_owned()),
            None => break,
        }
        at += 1;
        if !is_separator(&trees[at..]) {
            break;
        }
        at += 2;
    }
    let alias = trees
        .get(at)
        .and_then(word)
        .filter(|next| next == "as")
        .and_then(|_| trees.get(at + 1).and_then(word));
    if path.is_empty() && alias.is_some() {
        path.push(ALL.to_owned());
    }
    if let Some(last) = path.last().cloned() {
        found.push((path, alias.unwrap_or(last)));
    }
    at.max(1)
}

/// The modules that can reach themselves, or that import the whole root.
fn in_cycles(graph: &Graph) -> Vec<String> {
    let reaches_itself = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = graph[start].iter().collect();
        while let Some(next) = open.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                open.extend(graph.get(next).into_iter().flatten());
            }
        }
        false
    };
    let found = |module: &String| {
        let edges = graph[module].iter().cloned().collect::<Vec<_>>().join(", ");
        if graph[module].contains(ALL) {
            Some(format!("{module} imports the whole root, which hides what it uses: {edges}"))
        } else {
            reaches_itself(module).then(|| format!("{module} → {edges}"))
        }
    };
    graph.keys().filter_map(found).collect()
}

#[test]
fn no_crate_has_a_cycle_of_modules() {
    let root = workspace();
    let mut found = Vec::new();
    for folder in crates(&root) {
        let own = format!("engine_{}", folder.trim_start_matches("crates/"));
        let cycles = in_cycles(&graph(&root.join(&folder).join("src"), &own));
        found.extend(cycles.into_iter().map(|cycle| format!("{folder}: {cycle}")));
    }
    assert!(
        found.is_empty(),
        "modules use each other in a circle; each line has what a module uses\n{}",
        found.join("\n")
    );
}

#[test]
fn a_cycle_is_found_also_through_braces_submodules_and_paths_in_code() {
    assert_eq!(
        in_cycles(&graph(&fixture("cycle/src"), "engine_cycle")),
        ["chain → plan, status", "plan → task", "task → chain, status"],
        "status uses none and is in no circle; the test module of log does not count"
    );
}

/// `low` is used by `high`. Each text is a `low` that uses `high` in turn.
#[test]
fn a_cycle_is_found_in_every_form_of_a_path() {
    let uses = [
        "use super::high;",
        "use self::super::high::top;",
        "use crate::r#high::top;",
        "use crate::{self as root};",
        "use crate as root;",
        "use crate::*;",
        "use super::*;",
        "use crate::top;",
        "use super::{Summit as S};",
        "use engine_form::high::top;",
        "fn f() { super::high::top(); }",
        "fn f() { crate::top(); }",
        "fn f() { crate::peak::top(); }",
        "fn f() { crate::from_a_glob(); }",
        "mod inner { use super::super::high::top; }",
        "mod inner { fn f() { super::super::high::top(); } }",
        "macro_rules! m { () => { $crate::high::top() } }",
        "fn f() { let quote = '\"'; crate::high::top(); let end = '\"'; }",
        "fn f() { assert!(matches!(crate::high::top(), 1)); }",
        "#[cfg(not(test))]\nuse crate::high::top;",
        "#[cfg(test)]\nmod tests;\n\nuse crate::high::top;",
        "impl From<crate::Summit> for Low {}",
    ];
    let uses_not = [
        "//! crate::high::top\n/// See [`crate::high`].\nfn f() { /* crate::high */ }",
        "const TEXT: &str = \"crate::high::top\";",
        "#[cfg(test)]\nmod tests {\n    use crate::high::top;\n    use super::super::*;\n}",
        "use super::Defined;\nfn f() { crate::defined(); }",
        "mod inner { use super::*; }",
        "pub(super) fn high() { self.high() }",
    ];
    for (form, expected) in
        uses.map(|form| (form, true)).into_iter().chain(uses_not.map(|form| (form, false)))
    {
        let src = tempfile::tempdir().unwrap();
        let root = "mod high;\nmod low;\nmod wide;\npub use high::{Summit, top};\nuse high as peak;\npub use high::more::*;\n\
                    pub struct Defined;\npub fn defined() {}\n";
        for (name, text) in [("lib.rs", root), ("high.rs", "use crate::low::Low;"), ("low.rs", form)] {
            std::fs::write(src.path().join(name), text).unwrap();
        }
        let found = in_cycles(&graph(src.path(), "engine_form"));
        assert_eq!(!found.is_empty(), expected, "{form}: {found:?}");
    }
}
