//! Errors of the file system name the file and what was tried, in the words of `fs-err`:
//!
//! ```text
//! failed to open file `/p/sessions/a/state.json`: Permission denied (os error 13)
//! ```
//!
//! A message that names the file itself takes only the [`reason`]: `Permission denied (os error 13)`.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What stands between the file and the reason.
const BETWEEN: &str = "`: ";

/// Why something failed, without the file, for a message that names it already.
pub fn reason(error: &io::Error) -> String {
    let whole = error.to_string();
    let is_ours = whole.starts_with("failed to ");
    match whole.rsplit_once(BETWEEN).filter(|_| is_ours) {
        Some((_, reason)) => reason.to_owned(),
        None => whole,
    }
}

/// Adds what was tried, `replace file` for example, and on which file.
pub(crate) fn at(tried: &'static str, path: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |source| io::Error::new(source.kind(), At { tried, path: path.to_owned(), source })
}

#[derive(Debug)]
struct At {
    tried: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for At {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "failed to {} `{}`: {}", self.tried, self.path.display(), self.source)
    }
}

impl std::error::Error for At {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_the_system_said() {
        let missing = "No such file or directory (os error 2)";
        let opened = fs_err::read("/nowhere/f").unwrap_err();
        assert_eq!(opened.to_string(), format!("failed to open file `/nowhere/f`: {missing}"));
        assert_eq!(reason(&opened), missing);
        assert_eq!(reason(&fs_err::rename("/nowhere/f", "/nowhere/g").unwrap_err()), missing);
        let system = io::Error::from_raw_os_error(2);
        assert_eq!(reason(&system), missing);
        let own = at("replace file", Path::new("/p/`: f"))(system);
        assert_eq!(own.to_string(), format!("failed to replace file `/p/`: f`: {missing}"));
        assert_eq!((reason(&own).as_str(), own.kind()), (missing, io::ErrorKind::NotFound));
        assert_eq!(reason(&io::Error::other("the text `x`: is too large")), "the text `x`: is too large");
    }
}
