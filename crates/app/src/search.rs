//! Searching what the project has written down: work sessions, documentation, notes, learnings, decisions, the queue and plans.
//!
//! ```text
//! corpus    which files there are, of which kind
//! cut       a file as the pieces that are found
//! mirror    what the index has, to be compared with the disk
//! refresh   the index follows the disk, within 50 ms of a query
//! ask       the query
//! meaning   vectors of the chunks and of the query
//! model     installs the language model that makes them
//! ```
//!
//! The index is a cache in the local state. The hook never opens it.

use std::error::Error;

use engine_core::file_link::Protocol;
use engine_search::{Index, IndexError, Opened};
use engine_store::project::Project;

use crate::error::CommandError;
use crate::here;

mod ask;
mod branch;
mod corpus;
mod cut;
mod meaning;
mod mirror;
pub mod model;
mod note;
mod progress;
mod recall;
mod refresh;
mod related;
mod status;

pub use ask::{Answer, Branches, Found, Mode, Question, Until, ask};
pub use corpus::Corpus;
pub use engine_search::Part;
pub use note::untold;
pub use progress::{Progress, Unwatched};
pub use recall::{Fact, recall};
pub use refresh::{Behind, Refreshed};
pub use related::{AllRelated, Related, earlier, related};
pub use status::{Indexed, Skipped, Status, index, status};

impl Corpus {
    /// The project around the current folder.
    pub fn here() -> Result<Self, CommandError> {
        Self::open(here::project()?)
    }

    /// How files are linked.
    pub fn links(&self) -> Protocol {
        Protocol::of(&self.config)
    }
}

/// An index, and what a person should know of it.
struct OpenIndex {
    index: Index,
    place: Place,
    note: Option<String>,
}

/// Where an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    /// In a file that is not to be written.
    ReadOnly,
    /// Nowhere; it ends with the process.
    Memory,
}

/// The index of a project. Where nothing can be written, the one that is there is read, or one is made that ends with the process.
fn open(corpus: &Corpus) -> Result<OpenIndex, CommandError> {
    let folder = corpus.folder();
    let why = match Project::make_local(&folder) {
        Err(error) => CommandError::at(folder.display(), error),
        // Who comes while another process makes the index finds it made the second time.
        Ok(()) => match Index::open(&folder).or_else(|error| match error {
            IndexError::Busy => Err(error),
            _ => Index::open(&folder),
        }) {
            Ok(Opened { index, note }) => return Ok(OpenIndex { index, place: Place::File, note }),
            Err(IndexError::Busy) => return Err(busy()),
            Err(error) => failed(error),
        },
    };
    let note = |what: &str| Some(format!("{what}: {}", why.message));
    if let Ok(Some(index)) = Index::open_to_read(&folder) {
        return Ok(OpenIndex { index, place: Place::ReadOnly, note: note("the index is read as it is") });
    }
    let index = Index::in_memory().map_err(failed)?;
    Ok(OpenIndex { index, place: Place::Memory, note: note("the index is not kept") })
}

/// Does something with the index. One that turns out to be damaged is made anew, once: the disk has all that was in it. True: that
/// was so.
fn mended<T>(
    corpus: &Corpus,
    mut work: impl FnMut() -> Result<T, CommandError>,
) -> Result<(T, bool), CommandError> {
    let is_damaged = |error: &CommandError| {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<IndexError>());
        matches!(cause, Some(IndexError::Damaged(..)))
    };
    match work() {
        Err(error) if is_damaged(&error) && matches!(Index::discard(&corpus.folder()), Ok(true)) => {
            work().map(|done| (done, true))
        }
        done => done.map(|done| (done, false)),
    }
}

/// Who needs what another process is making.
fn busy() -> CommandError {
    CommandError::refused("another process writes the search index").hint("try again when it has ended")
}

/// What is said of an index that was damaged.
const MADE_ANEW: &str = "the search index was damaged and is made anew";

/// What the index says, for a person.
fn failed(error: IndexError) -> CommandError {
    match error {
        IndexError::Busy => busy(),
        IndexError::NoWord => CommandError::usage(error.to_string()),
        IndexError::Damaged(..) => CommandError::from_error(error).hint("engine search index --rebuild"),
        error => CommandError::from_error(error),
    }
}

#[cfg(test)]
mod tests;
