//! Directives: what agents are told about a folder when they work there. Files in `.directives/` at any level of the project; what is
//! deeper adds to what is above, and shadows nothing.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::config::{Flag, Names};

pub mod candidate;
pub mod context;
pub mod edit;
pub mod touch;

/// The folder that holds the directives of the folder it is in.
pub const FOLDER: &str = ".directives";

pub const BARE: Flag = Flag {
    name: "directives.bare",
    default: false,
    about: "Whether AGENTS.md, ARCHITECTURE.md … count as directives also outside .directives/.",
};

/// Names of folders whose directives are not ours, unless the configuration names others.
const SKIPPED: [&str; 5] = ["node_modules", ".git", "dist", "target", "vendor"];

/// The names of folders whose directives do not count, by what the configuration says.
pub fn skipped<'a>(configured: &'a [&'a str]) -> &'a [&'a str] {
    if configured.is_empty() { &SKIPPED } else { configured }
}

pub const SKIP: Names = Names {
    name: "directives.skip",
    about: "Folders below the root whose directives do not count; set, it replaces node_modules, .git, dist, target and vendor.",
    of: "folders",
    fits: |name| !name.is_empty() && !name.contains('/'),
};

/// A kind of directive.
#[derive(Debug, PartialEq, Eq)]
pub struct Type {
    /// The file's name without `.md`.
    pub name: &'static str,
    /// Whether every agent gets it. Others come with the first change to a folder, to those whose skill declares them.
    pub core: bool,
    pub about: &'static str,
    /// What a new one begins with; `FOLDER` stands for the folder.
    pub template: &'static str,
}

macro_rules! types {
    ($($name:literal $core:literal $about:literal,)*) => {
        &[$(Type {
            name: $name,
            core: $core,
            about: $about,
            template: include_str!(concat!("../../../plugin/directives/", $name, ".md")),
        }),*]
    };
}

/// All of them, in the order in which they are told.
pub static TYPES: &[Type] = types![
    "AGENTS" true "what an agent must know before it works there",
    "INVARIANTS" true "what must hold",
    "ARCHITECTURE" true "the parts, and why they are as they are",
    "TESTING" false "how it is tested",
    "PITFALLS" false "what looks right and is wrong",
    "CONTRIBUTING" false "how it is changed",
    "TEMPLATE" false "what a new part looks like",
    "CHECKLIST" false "what is asked before the work may end",
];

/// The type whose file must be handed in with its boxes ticked.
pub const CHECKLIST: &str = "CHECKLIST";

impl Type {
    pub fn file(&self) -> String {
        format!("{}.md", self.name)
    }

    /// By its name, in any case, with or without `.md`.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = name.strip_suffix(".md").unwrap_or(name);
        TYPES.iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
    }
}

/// Where directives are looked for.
pub struct Places<'a> {
    pub root: &'a Path,
    /// The person's own, which hold for every project.
    pub user: Option<&'a Path>,
    /// Names of folders below the root that do not count; none: those that never do.
    pub skipped: &'a [&'a str],
    pub bare: bool,
    /// Where in the project the client puts the worktrees that it makes for agents.
    pub worktrees: &'a str,
}

/// What discovery asks of the disk.
pub trait Disk {
    fn exists(&self, path: &Path) -> bool;
    /// The path without links.
    fn real(&self, path: &Path) -> PathBuf;
}

/// A directive file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDirective {
    pub kind: &'static Type,
    pub path: PathBuf,
    /// The same without links: the file's identity.
    pub real: PathBuf,
}

/// The directives that count at a path, from there up to the root, then the person's own. The path may be a file. Nothing outside the root,
/// also not through a link: whoever wrote the project must not choose what of the person's files a model is told. For the same reason a
/// link leads to Markdown only, and not to settings with passwords. The person's own may lie anywhere.
pub fn discover(
    at: &Path,
    places: &Places<'_>,
    wanted: &dyn Fn(&Type) -> bool,
    disk: &dyn Disk,
) -> Vec<FoundDirective> {
    let mut found: Vec<FoundDirective> = Vec::new();
    // Looked up when something is there, which is seldom.
    let root = OnceCell::new();
    let mut take = |folder: &Path, is_theirs: bool| {
        for kind in TYPES.iter().filter(|kind| wanted(kind)) {
            let path = folder.join(kind.file());
            if disk.exists(&path) {
                let real = disk.real(&path);
                let stays = || {
                    real.starts_with(root.get_or_init(|| disk.real(places.root)))
                        && real.extension().is_some_and(|end| end == "md")
                };
                if (is_theirs || stays()) && found.iter().all(|other| other.real != real) {
                    found.push(FoundDirective { kind, path, real });
                }
            }
        }
    };
    if !at.starts_with(places.root) {
        return found;
    }
    let worktrees = places.root.join(places.worktrees);
    let worktree = at.ancestors().find(|level| level.parent() == Some(&worktrees));
    for level in levels(at, places) {
        // In a worktree the project's own are there once more, as they are on its branch.
        let is_there_twice = |folder: &Path| {
            let there = worktree.map(|worktree| worktree.join(folder)).filter(|_| level == places.root);
            there.is_some_and(|there| disk.exists(&there))
        };
        let folder = level.join(FOLDER);
        if disk.exists(&folder) && !is_there_twice(Path::new(FOLDER)) {
            take(&folder, false);
        }
        if places.bare && !is_there_twice(Path::new("")) {
            take(level, false);
        }
    }
    if let Some(user) = places.user.filter(|user| disk.exists(user)) {
        take(user, true);
    }
    found
}

/// Whether directives of this folder are looked for at all.
pub fn counts(folder: &Path, places: &Places<'_>) -> bool {
    levels(folder, places).first() == Some(&folder)
}

/// How a file is named to people, agents and in the state: from the root if it is below it.
pub fn shown(real: &Path, root: &Path) -> String {
    real.strip_prefix(root).unwrap_or(real).to_string_lossy().into_owned()
}

/// The folders from a path up to the root, without those at or below a skipped one. Only names below the root matter: a project may
/// well lie in a folder that is called like one.
fn levels<'p>(at: &'p Path, places: &Places<'_>) -> Vec<&'p Path> {
    let Ok(below) = at.strip_prefix(places.root) else { return Vec::new() };
    let is_skipped = |part: &OsStr| skipped(places.skipped).contains(&&*part.to_string_lossy());
    let depth = below.iter().count();
    let counted = below.iter().position(is_skipped).unwrap_or(depth);
    at.ancestors().take(depth + 1).skip(depth - counted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::TEST;

    /// Files, and links from one folder to another.
    struct Files(&'static [&'static str], &'static [(&'static str, &'static str)]);

    impl Disk for Files {
        fn exists(&self, path: &Path) -> bool {
            let real = self.real(path);
            self.0.iter().any(|file| Path::new(file).starts_with(&real))
        }

        fn real(&self, path: &Path) -> PathBuf {
            let followed = self
                .1
                .iter()
                .find_map(|(link, target)| Some(Path::new(target).join(path.strip_prefix(link).ok()?)));
            followed.unwrap_or_else(|| path.to_owned())
        }
    }

    const FILES: Files = Files(
        &[
            "/tmp/build/p/.directives/AGENTS.md",
            "/tmp/build/p/.directives/CHECKLIST.md",
            "/tmp/build/p/a/.directives/AGENTS.md",
            "/tmp/build/p/a/.directives/NOTES.md",
            "/tmp/build/p/a/ARCHITECTURE.md",
            "/tmp/build/p/a/node_modules/x/.directives/AGENTS.md",
            "/tmp/build/p/.claude/worktrees/w/.directives/AGENTS.md",
            "/tmp/build/p/.claude/worktrees/v/x.rs",
            "/tmp/build/.directives/AGENTS.md",
            "/me/directives/INVARIANTS.md",
        ],
        &[("/tmp/build/p/b", "/tmp/build/p/a")],
    );

    fn discovered(at: &str, bare: bool, core: bool) -> String {
        let root = Path::new("/tmp/build/p");
        let places = Places {
            root,
            user: Some(Path::new("/me/directives")),
            skipped: &[],
            bare,
            worktrees: TEST.worktrees,
        };
        let found = discover(Path::new(at), &places, &|kind| kind.core || !core, &FILES);
        let paths: Vec<String> = found.iter().map(|found| found.path.display().to_string()).collect();
        paths.join(" ").replace("/tmp/build/p/", "")
    }

    #[test]
    fn from_the_folder_up_to_the_root_then_the_persons_own() {
        let cases = [
            (
                "/tmp/build/p/a/src/x.rs",
                "a/.directives/AGENTS.md .directives/AGENTS.md /me/directives/INVARIANTS.md",
            ),
            ("/tmp/build/p/a", "a/.directives/AGENTS.md .directives/AGENTS.md /me/directives/INVARIANTS.md"),
            (
                "/tmp/build/p/b/x",
                "b/.directives/AGENTS.md .directives/AGENTS.md /me/directives/INVARIANTS.md",
            ),
            (
                "/tmp/build/p/a/node_modules/x/i.js",
                "a/.directives/AGENTS.md .directives/AGENTS.md /me/directives/INVARIANTS.md",
            ),
            ("/tmp/build/p", ".directives/AGENTS.md /me/directives/INVARIANTS.md"),
            ("/tmp/build/other", ""),
            (
                "/tmp/build/p/.claude/worktrees/w/a/x.rs",
                ".claude/worktrees/w/.directives/AGENTS.md /me/directives/INVARIANTS.md",
            ),
            // Not versioned, they are not there.
            ("/tmp/build/p/.claude/worktrees/v/x.rs", ".directives/AGENTS.md /me/directives/INVARIANTS.md"),
        ];
        for (at, expected) in cases {
            assert_eq!(discovered(at, false, true), expected, "{at}");
        }
        let bare =
            "a/.directives/AGENTS.md a/ARCHITECTURE.md .directives/AGENTS.md /me/directives/INVARIANTS.md";
        assert_eq!(discovered("/tmp/build/p/a", true, true), bare);
        let all = ".directives/AGENTS.md .directives/CHECKLIST.md /me/directives/INVARIANTS.md";
        assert_eq!(discovered("/tmp/build/p", false, false), all);
    }

    #[test]
    fn a_file_that_two_folders_share_is_found_once() {
        let places = Places {
            root: Path::new("/tmp/build/p"),
            user: Some(Path::new("/tmp/build/p/b/.directives")),
            skipped: &[],
            bare: false,
            worktrees: TEST.worktrees,
        };
        let found = discover(Path::new("/tmp/build/p/a"), &places, &|kind| kind.core, &FILES);
        let names: Vec<_> = found.iter().map(|found| found.path.display().to_string()).collect();
        assert_eq!(names, ["/tmp/build/p/a/.directives/AGENTS.md", "/tmp/build/p/.directives/AGENTS.md"]);
    }

    #[test]
    fn a_folder_counts_unless_it_is_skipped_or_elsewhere() {
        let root = Path::new("/tmp/build/p");
        let places = |skipped| Places { root, user: None, skipped, bare: false, worktrees: TEST.worktrees };
        let cases = [
            ("/tmp/build/p", true),
            ("/tmp/build/p/a", true),
            ("/tmp/build/p/dist/a", false),
            ("/tmp", false),
        ];
        for (folder, expected) in cases {
            assert_eq!(counts(Path::new(folder), &places(&[])), expected, "{folder}");
        }
        assert!(!counts(Path::new("/tmp/build/p/a"), &places(&["a"])));
    }

    #[test]
    fn templates_are_short_and_the_checklist_is_one() {
        for kind in TYPES {
            assert!(kind.template.starts_with("# ") && kind.template.len() < 600, "{}", kind.name);
            assert_eq!(Type::find(&kind.file().to_lowercase()), Some(kind));
        }
        let checklist = Type::find(CHECKLIST).unwrap().template;
        assert_eq!(crate::work::checklist::undecided(checklist).len(), 2);
    }
}
