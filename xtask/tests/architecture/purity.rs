//! The pure crates cannot touch the world. Clippy checks the calls (`disallowed-methods` in their `clippy.toml`); this checks that
//! the list is in force for each of them, that no code is exempt or hidden from it, and that clippy catches what a list of words
//! would not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use proc_macro2::TokenTree;

use crate::map::crates;
use crate::sources::{code, each, is, shipped, word};
use crate::{fixture, workspace};

const PURE: &[&str] = &["text", "shell", "core", "rules"];

/// Lints that the list and the ban on printing depend on, and groups that hold them.
const LINTS: &[&str] =
    &["disallowed_", "print_std", "dbg_macro", "clippy :: all", "clippy :: style", "clippy :: restriction"];

/// Code of the pure crates that clippy is told to ignore, or that it sees on some systems only.
fn exempt(root: &Path, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in shipped(&root.join("crates").join(name).join("src")) {
        let place = file.strip_prefix(root).unwrap().display().to_string();
        each(&code(&file), &mut |trees| {
            let TokenTree::Group(group) = &trees[0] else {
                if word(&trees[0]).is_some_and(|name| name == "cfg")
                    && trees.get(1).is_some_and(|next| is(next, '!'))
                {
                    found.push(format!("{place}: cfg!"));
                }
                return;
            };
            let text = group.stream().to_string();
            let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(&format!("{word} (")));
            let is_exempt = begins(&["allow", "expect"]) && LINTS.iter().any(|lint| text.contains(lint));
            if is_exempt || begins(&["cfg", "cfg_attr"]) {
                found.push(format!("{place}: #[{text}]"));
            }
        });
    }
    found
}

/// The crate with unsafe code, which the workspace's lints forbid; see decision 047.
const UNSAFE: &str = "crates/alarm";

/// The crate that may have one function with unsafe code. It has all other lints of the workspace, written out: cargo lets no
/// crate take them and change one.
const ONE_UNSAFE: &str = "crates/search";

/// The lines of a manifest that are lints, by their tables.
fn lints(manifest: &str) -> BTreeSet<String> {
    let mut table = String::new();
    let mut lints = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            table = line.replace("[workspace.", "[");
        } else if table.starts_with("[lints.") && line.contains('=') && !line.starts_with('#') {
            lints.insert(format!("{table} {line}"));
        }
    }
    lints
}

/// Where the lints of the crate with one unsafe function are not those of the workspace, and where it has more of such code.
fn more_unsafe(root: &Path) -> Vec<String> {
    let manifest = |folder: &str| fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
    let wanted = manifest(".").replace("unsafe_code = \"forbid\"", "unsafe_code = \"deny\"");
    let (wanted, own) = (lints(&wanted), lints(&manifest(ONE_UNSAFE)));
    let mut found: Vec<String> = Vec::new();
    found.extend(wanted.difference(&own).map(|lint| format!("{ONE_UNSAFE}/Cargo.toml lacks {lint}")));
    found.extend(own.difference(&wanted).map(|lint| format!("{ONE_UNSAFE}/Cargo.toml has {lint}")));
    let mut allowed = Vec::new();
    for file in shipped(&root.join(ONE_UNSAFE).join("src")) {
        let place = file.strip_prefix(root).unwrap().display().to_string();
        each(&code(&file), &mut |trees| {
            if let TokenTree::Group(group) = &trees[0] {
                let text = group.stream().to_string();
                let lifts = ["allow", "expect"].iter().any(|word| text.starts_with(&format!("{word} (")));
                if lifts && text.contains("unsafe_code") {
                    allowed.push(format!("{place}: #[{text}]"));
                }
            }
        });
    }
    found.extend(allowed.into_iter().skip(1));
    found
}

/// Manifests that do not take the lints of the workspace, or change those that purity depends on.
fn without_lints(root: &Path) -> Vec<String> {
    let manifest = |folder: &str| fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap();
    let mut found: Vec<String> = crates(root)
        .into_iter()
        .filter(|folder| {
            folder != UNSAFE
                && folder != ONE_UNSAFE
                && !manifest(folder).contains("\n[lints]\nworkspace = true\n")
        })
        .map(|folder| format!("{folder}/Cargo.toml does not inherit the lints"))
        .collect();
    let root = manifest(".");
    found.extend(
        root.lines().filter(|line| line.starts_with("disallowed_")).map(|line| format!("Cargo.toml: {line}")),
    );
    if !root.contains("\nunsafe_code = \"forbid\"\n") {
        found.push("Cargo.toml: unsafe_code is not \"forbid\"".to_owned());
    }
    for lint in ["print_stdout", "print_stderr", "dbg_macro"] {
        if !root.contains(&format!("\n{lint} = \"warn\"\n")) {
            found.push(format!("Cargo.toml: {lint} is not \"warn\""));
        }
    }
    found
}

#[test]
fn every_pure_crate_has_the_same_list() {
    let lists: BTreeSet<String> = PURE
        .iter()
        .map(|name| {
            fs::read_to_string(workspace().join("crates").join(name).join("clippy.toml")).unwrap_or_default()
        })
        .collect();
    assert_eq!(lists.len(), 1, "the clippy.toml of {} differ, or one is missing", PURE.join(", "));
}

#[test]
fn no_pure_code_is_exempt() {
    let root = workspace();
    let mut found: Vec<String> = PURE.iter().flat_map(|name| exempt(&root, name)).collect();
    found.extend(without_lints(&root));
    found.extend(more_unsafe(&root));
    assert!(found.is_empty(), "clippy would not see that this code is pure\n{}", found.join("\n"));
}

#[test]
fn exempt_code_is_found() {
    let root = fixture("exempt");
    assert_eq!(
        exempt(&root, "core"),
        [
            "crates/core/src/lib.rs: #[allow (clippy :: disallowed_methods)]",
            "crates/core/src/lib.rs: #[expect (clippy :: print_stderr , reason = \"once\")]",
            "crates/core/src/lib.rs: #[allow (clippy :: all)]",
            "crates/core/src/lib.rs: #[cfg_attr (unix , allow (clippy :: disallowed_types))]",
            "crates/core/src/lib.rs: #[cfg (target_os = \"macos\")]",
            "crates/core/src/lib.rs: cfg!",
        ]
    );
    assert_eq!(
        without_lints(&root),
        [
            "crates/core/Cargo.toml does not inherit the lints",
            "Cargo.toml: disallowed_methods = \"allow\"",
            "Cargo.toml: unsafe_code is not \"forbid\"",
            "Cargo.toml: print_stdout is not \"warn\"",
            "Cargo.toml: dbg_macro is not \"warn\"",
        ]
    );
    assert_eq!(
        more_unsafe(&root),
        [
            "crates/search/Cargo.toml lacks [lints.clippy] disallowed_methods = \"allow\"",
            "crates/search/Cargo.toml has [lints.rust] unsafe_code = \"allow\"",
            "crates/search/src/lib.rs: #[allow (unsafe_code)]",
        ]
    );
}

/// Impure calls that need no `std::fs` or `std::env` in the text: methods of `Path`, a braced import, an alias, a constant, a
/// method of a trait, a function as a value, a macro. Each line of the fixture that ends with `// impure` must be caught, and no other.
#[test]
fn clippy_catches_what_words_do_not_show() {
    let target = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["clippy", "--quiet", "--offline", "--message-format=short", "--target-dir"])
        .arg(target.path())
        .args([
            "--",
            "-D",
            "clippy::disallowed_methods",
            "-D",
            "clippy::disallowed_types",
            "-D",
            "clippy::disallowed_macros",
        ])
        .current_dir(fixture("impure"))
        .env("CLIPPY_CONF_DIR", workspace().join("crates/core"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let caught: BTreeSet<usize> = said
        .lines()
        .filter(|line| line.contains("use of a disallowed"))
        .filter_map(|line| line.strip_prefix("src/lib.rs:")?.split(':').next()?.parse().ok())
        .collect();
    let text = fs::read_to_string(fixture("impure/src/lib.rs")).unwrap();
    for (at, line) in text.lines().enumerate() {
        assert_eq!(caught.contains(&(at + 1)), line.ends_with("// impure"), "{}: {line}\n{said}", at + 1);
    }
    assert!(!output.status.success());
}
