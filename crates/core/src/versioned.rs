//! Files of state carry a version. This says why one cannot be used.

/// Why a state file cannot be used. It is set aside, not deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    Damaged(String),
    /// A newer engine wrote it.
    Newer {
        found: u32,
        known: u32,
    },
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged(why) => write!(out, "damaged ({why})"),
            Self::Newer { found, known } => {
                write!(out, "written by a newer engine (format {found}, this one knows {known})")
            }
        }
    }
}

/// Whether a file of this version can be read by an engine that knows `known`.
pub fn readable(found: u32, known: u32) -> Result<(), Unusable> {
    if found > known { Err(Unusable::Newer { found, known }) } else { Ok(()) }
}
