//! `engine directives review`: what a work session could leave for the next agents. Proposes, and writes nothing.

use std::path::{Path, PathBuf};

use engine_app::error::{CommandError, Outcome};
use engine_app::session::Desk;
use engine_core::config::Config;
use engine_core::directive::candidate::{Candidate, candidates, stands_in};
use engine_core::directive::{FOLDER, Type};
use engine_store::links::resolve;
use engine_store::project::Project;
use engine_store::work_file::{self, WorkFile};
use engine_store::{config_file, directive_file, log_file};
use engine_text::line::one_line;
use serde_json::{Value, json};

use super::{AGENTS, Place};
use crate::ui::Ui;

/// A person is asked about each: more are not read.
const MOST: usize = 5;
/// Longer texts are whole in the log, and with `--json`.
const WIDEST: usize = 300;

pub(super) fn run(session: Option<&str>, ui: &Ui) -> Outcome {
    let desk = Desk::open()?;
    let work = desk.named_or_bound(session)?;
    let desk = Bench { config: config_file::load(&desk.project), project: desk.project };
    let mentions = First::of(desk.mentions(ui));
    let (invariants, pitfalls): (Vec<_>, Vec<_>) =
        desk.candidates(&work, ui)?.into_iter().partition(|found| found.candidate.kind.name == "INVARIANTS");
    let (invariants, pitfalls) = (First::of(invariants), First::of(pitfalls));
    if ui.is_json() {
        ui.object(&json!({"version": 1, "path": work.shown(), "mentions": mentions.json(Mention::row),
            "invariants": invariants.json(Proposed::row), "pitfalls": pitfalls.json(Proposed::row)}));
        return Ok(());
    }
    if mentions.is_empty() && invariants.is_empty() && pitfalls.is_empty() {
        ui.line(format!("{}: nothing to propose", work.shown()));
        return Ok(());
    }
    ui.line(format!("{}: proposals for {FOLDER}/; the user decides which are taken", work.shown()));
    mentions.tell(
        "not mentioned in the AGENTS.md beside it (engine directives mention DIR):",
        Mention::line,
        ui,
    );
    invariants.tell("invariants (engine directives add INVARIANTS DIR --text '…'):", Proposed::line, ui);
    pitfalls.tell("pitfalls (engine directives add PITFALLS DIR --text '…'):", Proposed::line, ui);
    Ok(())
}

/// The first of what was found, and how many more there are.
struct First<T> {
    found: Vec<T>,
    more: usize,
}

impl<T> First<T> {
    fn of(mut found: Vec<T>) -> Self {
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        Self { found, more }
    }

    fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn json(&self, row: impl Fn(&T) -> Value) -> Value {
        json!({"found": self.found.iter().map(row).collect::<Vec<_>>(), "more": self.more})
    }

    fn tell(&self, lead: &str, line: impl Fn(&T) -> String, ui: &Ui) {
        if self.is_empty() {
            return;
        }
        ui.line(lead);
        for found in &self.found {
            ui.line(format!("  {}", line(found)));
        }
        if self.more > 0 {
            ui.line(format!("  and {} more", self.more));
        }
    }
}

/// A file that AGENTS.md does not mention.
struct Mention {
    place: Place,
    kind: &'static Type,
}

impl Mention {
    fn line(&self) -> String {
        self.place.shown_file(self.kind)
    }

    fn row(&self) -> Value {
        let agents = Type::find(AGENTS).map(|agents| self.place.shown_file(agents));
        json!({"file": self.line(), "dir": self.place.dir(), "agents": agents})
    }
}

/// An entry that a log offers.
struct Proposed {
    /// From the root.
    log: String,
    candidate: Candidate,
    place: Place,
}

impl Proposed {
    fn line(&self) -> String {
        let Candidate { line, kind, text, .. } = &self.candidate;
        format!("{}:{line} for {}: {}", self.log, self.place.shown_file(kind), one_line(text, WIDEST))
    }

    fn row(&self) -> Value {
        let Candidate { line, kind, text, .. } = &self.candidate;
        json!({"file": self.log, "line": line, "text": text, "type": kind.name, "dir": self.place.dir(),
            "target": self.place.shown_file(kind)})
    }
}

struct Bench {
    project: Project,
    config: Config,
}

impl Bench {
    fn place(&self, folder: &Path) -> Result<Place, CommandError> {
        Place::at(self.project.clone(), &self.config, folder)
    }

    /// All directive files of the project that are not mentioned beside them.
    fn mentions(&self, ui: &Ui) -> Vec<Mention> {
        let walked = directive_file::folders(self.project.root(), |path| self.place(path).is_err());
        for (path, error) in &walked.unread {
            ui.talk(format!("{} was not read: {error}", path.display()));
        }
        let mut found = Vec::new();
        // Directives in folders that are skipped are nobody's.
        for place in walked.files.iter().filter_map(|folder| self.place(folder).ok()) {
            match place.unmentioned() {
                Ok(kinds) => {
                    found.extend(kinds.into_iter().map(|kind| Mention { place: place.clone(), kind }));
                }
                // One that cannot be read keeps nothing else back.
                Err(error) => ui.talk(error.message),
            }
        }
        found
    }

    /// What the logs of a session offer and no directive says yet.
    fn candidates(&self, work: &WorkFile, ui: &Ui) -> Result<Vec<Proposed>, CommandError> {
        let mut found: Vec<Proposed> = Vec::new();
        for log in log_file::all(work.folder())? {
            let name = log.file_name().unwrap_or_default().to_string_lossy();
            let log_name = format!("{}/{name}", work.shown());
            let text = match directive_file::read(&log) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    ui.talk(format!("{log_name} was not read: {error}"));
                    continue;
                }
            };
            for candidate in candidates(&text) {
                let place = self.target(&candidate)?;
                let file = place.file(candidate.kind);
                let twin = |other: &Proposed| {
                    other.candidate.text == candidate.text && other.place.file(other.candidate.kind) == file
                };
                let standing = directive_file::read(&file).ok().flatten().unwrap_or_default();
                if !stands_in(&standing, &candidate) && !found.iter().any(twin) {
                    found.push(Proposed { log: log_name.clone(), candidate, place });
                }
            }
        }
        Ok(found)
    }

    /// The folder that a candidate is about: the first that it names; for a file the nearest above it that has directives; else
    /// the root.
    fn target(&self, candidate: &Candidate) -> Result<Place, CommandError> {
        let root = self.project.root();
        let sessions = resolve(&work_file::folder(&self.project));
        let folder_of = |path: &String| -> Option<PathBuf> {
            let path = root.join(path);
            if !path.exists() || resolve(&path).starts_with(&sessions) {
                return None;
            }
            if path.is_dir() {
                return Some(path);
            }
            let has_own = |folder: &&Path| folder.starts_with(root) && folder.join(FOLDER).is_dir();
            Some(path.ancestors().skip(1).find(has_own).unwrap_or(root).to_owned())
        };
        let mut named = candidate.paths.iter().filter_map(folder_of);
        named.find_map(|folder| self.place(&folder).ok()).map_or_else(|| self.place(root), Ok)
    }
}
