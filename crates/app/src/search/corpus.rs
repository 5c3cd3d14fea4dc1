//! What there is to search: the files of each kind with what a stat says of them, as they are now.

use std::path::{Path, PathBuf};

use engine_core::config::Config;
use engine_core::note::Place;
use engine_core::search::{DOCS, Kind, SKIP, is_decision};
use engine_core::work::name;
use engine_search::Seen;
use engine_store::atomic::{self, Durability};
use engine_store::project::{FOLDER, Project};
use engine_store::walk::{LINK, Pattern, Stated, StatedBounds, Statement, stated, stated_file};
use engine_store::{config_file, git, note_file, read, task_file, work_file};
use engine_text::line::fingerprint;
use engine_text::redact::redact;

use crate::error::CommandError;

/// The folder of the notes in a project's `.engine/`.
const NOTES: &str = "memory";
/// The folder of the plans' pages, from the root.
const PLANS: &str = "plans";
/// The client's folder: what is in it tells an agent how to work, and nothing of the project.
const CLIENT: &str = ".claude";
/// What of `.engine/` is no documentation: state, and what other kinds have.
const OWN: [&str; 5] = ["state", "journal", "queue", PLANS, NOTES];

/// A project as search sees it.
pub struct Corpus {
    pub(super) project: Project,
    pub(super) config: Config,
    docs: Vec<Pattern>,
    skip: Vec<Pattern>,
    /// The file of the learnings, from the root: its entries are a kind of their own.
    learnings: Option<String>,
}

/// One file that is searched.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) kind: Kind,
    /// From the root, or absolute where it is elsewhere.
    pub(super) key: String,
    pub(super) path: PathBuf,
    pub(super) seen: Seen,
    pub(super) is_file: bool,
}

/// A file of which nothing is found, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub kind: Kind,
    pub path: String,
    pub why: String,
}

/// What was found by looking at the disk.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) sources: Vec<Source>,
    /// The kinds that were looked at as a whole: what is known of them and was not found is gone.
    pub(super) kinds: Vec<Kind>,
    /// Folders that could not be read: what is known of them stays.
    pub(super) unread: Vec<String>,
    /// What has no key, or is not followed.
    pub(super) left_out: Vec<Skipped>,
}

impl Corpus {
    pub fn open(project: Project) -> Result<Self, CommandError> {
        let config = config_file::load(&project);
        let docs = patterns(config.list(&DOCS).0.into_iter().map(|docs| docs.trim_start_matches("./")))?;
        let skipped = config.names(&SKIP);
        let skipped: Vec<String> = skipped.iter().flat_map(|pattern| skipping(pattern)).collect();
        let skip = patterns(skipped.iter().map(String::as_str))?;
        let learnings = task_file::learnings(&project, &config);
        let learnings = learnings.strip_prefix(project.tree()).ok().and_then(Path::to_str).map(str::to_owned);
        Ok(Self { project, config, docs, skip, learnings })
    }

    /// Which files of the index belong to the checkout at hand: worktrees share one index.
    pub(super) fn space(&self) -> String {
        let tree = self.project.tree();
        if tree == self.project.main_root() { String::new() } else { tree.display().to_string() }
    }

    /// The folder of the index.
    pub(super) fn folder(&self) -> PathBuf {
        self.project.state_folder().join("search")
    }

    /// The file of a key.
    pub fn file(&self, key: &str) -> PathBuf {
        self.project.tree().join(key)
    }

    /// Whether a key is that of the task file.
    pub(super) fn is_tasks(&self, key: &str) -> bool {
        self.file(key) == task_file::path(&self.project, &self.config)
    }

    /// The folder of the work session that a file belongs to.
    pub(super) fn session_of<'a>(&self, key: &'a str) -> Option<&'a str> {
        let (above, below) = key.split_once(&format!("{}/", name::FOLDER))?;
        let name = below.split('/').next().filter(|name| is_session(name))?;
        key.get(..above.len() + name::FOLDER.len() + 1 + name.len())
    }

    /// The folder that a file, which may be a link or have other names, must not lead out of.
    pub(super) fn root_of<'a>(&'a self, path: &'a Path) -> &'a Path {
        let roots = [self.project.tree(), self.project.root(), self.project.main_root()];
        let own = || path.parent().unwrap_or(path);
        roots.into_iter().find(|root| path.starts_with(root)).unwrap_or_else(own)
    }

    /// Whether a path from the root is documentation, and of which kind.
    pub(super) fn doc(&self, below: &str) -> Option<Kind> {
        let path = Path::new(below);
        let is_wanted = self.docs.iter().any(|docs| docs.matches(path)) && !self.is_left_out(path);
        let is_inside = path.parent().is_none_or(|folder| folder.ancestors().all(|up| self.enters(up)));
        let kind = if is_decision(below) { Kind::Decisions } else { Kind::Docs };
        (is_wanted && is_inside).then_some(kind)
    }

    fn is_left_out(&self, path: &Path) -> bool {
        self.skip.iter().any(|skip| skip.matches(path))
            || self.learnings.as_deref().is_some_and(|file| path == Path::new(file))
    }

    /// Whether a folder, from the root, may hold documentation.
    fn enters(&self, path: &Path) -> bool {
        let is_own =
            || path.strip_prefix(FOLDER).is_ok_and(|below| OWN.iter().any(|own| below == Path::new(own)));
        let is_others = [PLANS, CLIENT].iter().any(|folder| path == Path::new(folder)) || is_own();
        let in_sessions = || path.strip_prefix(name::FOLDER).ok().and_then(Path::to_str);
        let is_others = is_others || in_sessions().is_some_and(is_session);
        !is_others && !self.is_left_out(path)
    }

    /// All sources of some kinds. What changes most often comes first; a kind that takes too long is not looked at.
    pub(super) fn list(&self, kinds: &[Kind], stops: &dyn Fn() -> bool) -> Listing {
        let mut listing = Listing::default();
        for kind in [Kind::Learnings, Kind::Queue, Kind::Notes, Kind::Plans, Kind::Sessions, Kind::Docs] {
            let is_wanted = kinds.contains(&kind) || (kind == Kind::Docs && kinds.contains(&Kind::Decisions));
            if is_wanted && let Some(found) = self.list_kind(kind, stops) {
                listing.kinds.push(kind);
                listing.kinds.extend((kind == Kind::Docs).then_some(Kind::Decisions));
                self.take(kind, found, &mut listing);
            }
        }
        listing
    }

    fn take(&self, kind: Kind, found: Statement, listing: &mut Listing) {
        listing.unread.extend(found.unread.iter().filter_map(|folder| self.key(folder)));
        let mut leave_out = |path: &Path, why: String| {
            let path = path.strip_prefix(self.project.tree()).unwrap_or(path).to_string_lossy();
            let kind = if kind == Kind::Docs { self.doc(&path).unwrap_or(kind) } else { kind };
            listing.left_out.push(Skipped { kind, path: redact(&path).into_owned(), why });
        };
        for (path, why) in found.left_out {
            leave_out(&path, why);
        }
        for file in found.files {
            let Some(key) = self.key(&file.path) else { continue };
            if has_secret(&key) {
                leave_out(&file.path, "its name has the form of a secret".to_owned());
            } else if let Some(source) = self.source(kind, key, file) {
                listing.sources.push(source);
            }
        }
    }

    /// A path as the index has it; nothing if it is not UTF-8.
    fn key(&self, path: &Path) -> Option<String> {
        path.strip_prefix(self.project.tree()).unwrap_or(path).to_str().map(str::to_owned)
    }

    fn list_kind(&self, kind: Kind, stops: &dyn Fn() -> bool) -> Option<Statement> {
        let markdown = |path: &Path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
        let flat = |folders: &[PathBuf]| {
            let bounds = StatedBounds { unignored: false, enters: &|_| false, wanted: &markdown, stops };
            all_of(folders, &bounds)
        };
        match kind {
            Kind::Learnings => {
                let file = task_file::learnings(&self.project, &self.config);
                let mut found =
                    Statement { files: stated_file(&file).into_iter().collect(), ..Statement::default() };
                found.left_out.extend(file.is_symlink().then(|| (file, LINK.to_owned())));
                Some(found)
            }
            Kind::Queue => flat(&[self.project.queue_folder()]),
            Kind::Notes => {
                let folders =
                    [Place::Project, Place::Person].map(|place| note_file::folder(&self.project, place));
                flat(&folders.into_iter().flatten().collect::<Vec<_>>())
            }
            Kind::Plans => {
                let bounds =
                    StatedBounds { unignored: false, enters: &|_| true, wanted: &is_markdown, stops };
                let root = self.project.root();
                all_of(&[root.join(PLANS), root.join(FOLDER).join(PLANS)], &bounds)
            }
            Kind::Sessions => self.list_sessions(stops),
            Kind::Docs | Kind::Decisions => {
                let enters = |path: &Path| self.enters(path);
                let wanted = |path: &Path| path.to_str().is_some_and(|path| self.doc(path).is_some());
                let bounds = StatedBounds { unignored: true, enters: &enters, wanted: &wanted, stops };
                let mut found = stated(self.project.tree(), &bounds)?;
                let mut tracked = self.tracked();
                if !tracked.is_empty() {
                    tracked.retain(|path| found.files.iter().all(|file| file.path != *path));
                    found.files.extend(tracked.iter().filter_map(|path| stated_file(path)));
                }
                Some(found)
            }
        }
    }

    /// Keeps what git tracks although a pattern ignores it: to ask git takes longer than a query may.
    pub(super) fn keep_tracked(&self) {
        let args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
        let listed = git::text(self.project.tree(), &args).unwrap_or_default();
        let docs: Vec<&str> = listed.split('\0').filter(|path| self.doc(path).is_some()).collect();
        let file = self.file_of_tracked();
        if !docs.is_empty() || file.exists() {
            // Without it, those files are left out.
            let _ = atomic::replace(&file, docs.join("\0").as_bytes(), Durability::Process);
        }
    }

    fn tracked(&self) -> Vec<PathBuf> {
        let text =
            read::read_bytes(&self.file_of_tracked()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let text = text.unwrap_or_default();
        text.split('\0').filter(|path| !path.is_empty()).map(|path| self.file(path)).collect()
    }

    fn file_of_tracked(&self) -> PathBuf {
        self.folder().join(self.named("tracked"))
    }

    /// The name of a file in the folder of the index that each checkout has for itself.
    pub(super) fn named(&self, name: &str) -> String {
        let space = self.space();
        if space.is_empty() { name.to_owned() } else { format!("{name}-{}", fingerprint(&space)) }
    }

    /// What is in the folders of work sessions, whether git keeps it or not. `sessions/` may be a link to another disk.
    fn list_sessions(&self, stops: &dyn Fn() -> bool) -> Option<Statement> {
        let in_session = |path: &Path| {
            let work = path.components().next().and_then(|work| work.as_os_str().to_str());
            work.is_some_and(is_session)
        };
        let wanted = |path: &Path| {
            let mut parts = path.components();
            in_session(path) && parts.next().is_some() && is_of_session(parts.as_path())
        };
        let bounds = StatedBounds { unignored: false, enters: &in_session, wanted: &wanted, stops };
        stated(&work_file::folder(&self.project), &bounds)
    }

    /// The same of one work session.
    pub(super) fn list_session(&self, name: &str, stops: &dyn Fn() -> bool) -> Option<Listing> {
        let bounds = StatedBounds { unignored: false, enters: &|_| true, wanted: &is_of_session, stops };
        let found = stated(&work_file::folder(&self.project).join(name), &bounds)?;
        let mut listing = Listing::default();
        self.take(Kind::Sessions, found, &mut listing);
        Some(listing)
    }

    fn source(&self, kind: Kind, key: String, file: Stated) -> Option<Source> {
        let kind = if kind == Kind::Docs { self.doc(&key)? } else { kind };
        let seen = Seen { size: file.size, modified: file.modified };
        Some(Source { kind, key, path: file.path, seen, is_file: file.is_file })
    }
}

/// The patterns that are configured, each of its alternatives.
fn patterns<'p>(patterns: impl Iterator<Item = &'p str>) -> Result<Vec<Pattern>, CommandError> {
    let mut compiled = Vec::new();
    for pattern in patterns {
        let wrong = |why: &str| CommandError::usage(format!("{pattern} is not a pattern: {why}"));
        if ['[', '{']
            .iter()
            .zip([']', '}'])
            .any(|(open, close)| pattern.matches(*open).count() != pattern.matches(close).count())
        {
            return Err(wrong("a bracket has no other one")
                .hint("search.docs and search.skip are shown by engine config show"));
        }
        for pattern in engine_text::glob::alternatives(pattern) {
            compiled.push(Pattern::new(&pattern).map_err(|error| wrong(&error.to_string()))?);
        }
    }
    Ok(compiled)
}

/// What a pattern of `search.skip` leaves out. A bare name means every file and folder of this name, also with a slash behind it.
fn skipping(pattern: &str) -> Vec<String> {
    let from_root = pattern.trim_start_matches("./");
    let whole = from_root.trim_end_matches('/');
    match (whole.is_empty(), whole.contains('/') || from_root.len() < pattern.len()) {
        (true, _) => Vec::new(),
        (false, true) => vec![whole.to_owned()],
        (false, false) => vec![format!("**/{whole}"), whole.to_owned()],
    }
}

const MARKDOWN: [&str; 3] = ["md", "mdx", "markdown"];

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|end| MARKDOWN.iter().any(|markdown| end.eq_ignore_ascii_case(markdown)))
}

/// Whether a file is searched, by its path in the folder of its work session.
fn is_of_session(path: &Path) -> bool {
    path == Path::new(STATE) || is_markdown(path)
}

fn is_session(name: &str) -> bool {
    name::check(name).is_ok()
}

/// Whether a path must not be in the index.
pub(super) fn has_secret(key: &str) -> bool {
    redact(key) != key
}

impl Listing {
    /// Whether a key is below a folder that could not be read.
    pub(super) fn is_hidden(&self, key: &str) -> bool {
        let is_below =
            |folder: &String| key.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.unread.iter().any(is_below)
    }
}

/// The state of a work session, in its folder.
pub(super) const STATE: &str = "state.json";

fn all_of(folders: &[PathBuf], bounds: &StatedBounds<'_>) -> Option<Statement> {
    let mut all = Statement::default();
    for folder in folders {
        let found = stated(folder, bounds)?;
        all.files.extend(found.files);
        all.unread.extend(found.unread);
        all.left_out.extend(found.left_out);
    }
    Some(all)
}

#[cfg(test)]
mod tests;
