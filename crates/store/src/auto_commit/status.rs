//! How files differ from the last commit, by git, and whether one of them was touched since. Names are bytes, as git has them: from the
//! top of the repository.
//!
//! It is kept from the beginning of a call to its end, one entry as `XY stamp name` with a NUL behind it:
//!
//! ```text
//! ?? 4711.12.1763302022.0.1763302022.0.33188 data/person.md␀
//! ```

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use fs_err as fs;

use crate::git;

/// The files that differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status(pub(super) BTreeMap<Vec<u8>, Entry>);

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What git calls it: in the index, in the folder.
    code: [u8; 2],
    /// Tells apart the states of a file.
    pub(super) stamp: String,
}

/// Taken out of git, and still there: git has two entries for it.
const DROPPED: [u8; 2] = *b"D?";

impl Entry {
    pub(super) fn is_new(&self) -> bool {
        self.code == *b"??"
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.code == DROPPED
    }

    pub(super) fn is_staged(&self) -> bool {
        !matches!(self.code[0], b' ' | b'?')
    }

    pub(super) fn is_unmerged(&self) -> bool {
        self.code.contains(&b'U') || matches!(&self.code, b"AA" | b"DD")
    }
}

impl Status {
    /// As git tells it. `top`: the folder from which its names start.
    pub(super) fn now(
        root: &Path,
        top: &Path,
        pathspecs: &[String],
        patience: Duration,
    ) -> Result<Self, String> {
        let mut args = vec!["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"];
        args.extend(pathspecs.iter().map(String::as_str));
        let raw = git::Call::new(root, &args).within(patience).raw(&[0]).map_err(|why| why.to_string())?;
        let stamped = |name: &[u8]| stamp(&top.join(OsStr::from_bytes(name)));
        Ok(Self::parse(&raw.stdout, stamped))
    }

    /// The entries of git are `XY name`.
    fn parse(bytes: &[u8], stamp: impl Fn(&[u8]) -> String) -> Self {
        let mut entries: BTreeMap<Vec<u8>, Entry> = BTreeMap::new();
        for entry in bytes.split(|byte| *byte == 0) {
            let [x, y, b' ', name @ ..] = entry else { continue };
            let code = if entries.contains_key(name) { DROPPED } else { [*x, *y] };
            entries.insert(name.to_owned(), Entry { code, stamp: stamp(name) });
        }
        Self(entries)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, entry) in &self.0 {
            bytes.extend(entry.code);
            bytes.extend(format!(" {} ", entry.stamp).into_bytes());
            bytes.extend(name);
            bytes.push(0);
        }
        bytes
    }

    pub(super) fn read(bytes: &[u8]) -> Self {
        let read = |entry: &[u8]| {
            let [x, y, b' ', rest @ ..] = entry else { return None };
            let mut parts = rest.splitn(2, |byte| *byte == b' ');
            let stamp = String::from_utf8(parts.next()?.to_owned()).ok()?;
            Some((parts.next()?.to_owned(), Entry { code: [*x, *y], stamp }))
        };
        Self(bytes.split(|byte| *byte == 0).filter_map(read).collect())
    }
}

/// Whatever is done to a file changes the time at which the system says that it changed.
fn stamp(path: &Path) -> String {
    match fs::symlink_metadata(path) {
        Ok(data) => [
            i128::from(data.ino()),
            i128::from(data.size()),
            i128::from(data.mtime()),
            i128::from(data.mtime_nsec()),
            i128::from(data.ctime()),
            i128::from(data.ctime_nsec()),
            i128::from(data.mode()),
        ]
        .map(|number| number.to_string())
        .join("."),
        Err(_) => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let git = b" M a b.txt\0?? \xff\nodd\0D  gone\0?? gone\0UU both\0A  staged\0";
        let status = Status::parse(git, |name| name.len().to_string());
        assert_eq!(Status::read(&status.write()), status);
        let shown = |(name, entry): (&Vec<u8>, &Entry)| {
            let flags = [entry.is_new(), entry.is_dropped(), entry.is_staged(), entry.is_unmerged()];
            (name.escape_ascii().to_string(), flags.map(u8::from), entry.stamp.clone())
        };
        let told: Vec<_> = status.0.iter().map(shown).collect();
        let expected = [
            ("a b.txt", [0, 0, 0, 0], "7"),
            ("both", [0, 0, 1, 1], "4"),
            ("gone", [0, 1, 1, 0], "4"),
            ("staged", [0, 0, 1, 0], "6"),
            ("\\xff\\nodd", [1, 0, 0, 0], "5"),
        ];
        assert_eq!(told, expected.map(|(name, flags, stamp)| (name.to_owned(), flags, stamp.to_owned())));
        for torn in [&b""[..], b"\0\0", b"M", b" M 12", b" M \xff x\0"] {
            assert_eq!(Status::read(torn), Status::default());
        }
    }

    #[test]
    fn every_change_of_a_file_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let mut seen = vec![stamp(&path)];
        fs::write(&path, "a").unwrap();
        seen.push(stamp(&path));
        fs::write(&path, "bb").unwrap();
        seen.push(stamp(&path));
        std::os::unix::fs::symlink("f", folder.path().join("g")).unwrap();
        seen.push(stamp(&folder.path().join("g")));
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 4);
        assert_eq!(stamp(&path), stamp(&path));
    }
}
