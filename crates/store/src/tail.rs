//! The end of a file that may be long: journal and transcripts grow for days, and what matters last stands last.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::read::open;

pub struct Tail {
    bytes: Vec<u8>,
    /// The whole file was read.
    pub whole: bool,
}

impl Tail {
    /// At most the last `limit` bytes.
    pub fn read(path: &Path, limit: u64) -> io::Result<Self> {
        let mut file = open(path)?;
        let length = file.metadata()?.len();
        let start = length.saturating_sub(limit);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::with_capacity(usize::try_from(length - start).unwrap_or(0));
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(Self { bytes, whole: start == 0 })
    }

    /// The whole lines, the last one first. What is no text is passed over.
    pub fn lines_back(&self) -> impl Iterator<Item = &str> {
        let from = if self.whole {
            0
        } else {
            self.bytes.iter().position(|&byte| byte == b'\n').map_or(self.bytes.len(), |end| end + 1)
        };
        let lines = self.bytes[from..].rsplit(|&byte| byte == b'\n');
        lines.filter(|line| !line.is_empty()).filter_map(|line| std::str::from_utf8(line).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"one\ntwo\nth\xffee\nfour\n").unwrap();
        let cases: [(u64, &[&str], bool); 5] = [
            (100, &["four", "two", "one"], true),
            (18, &["four", "two"], false),
            (6, &["four"], false),
            (5, &[], false),
            (0, &[], false),
        ];
        for (limit, expected, whole) in cases {
            let tail = Tail::read(&path, limit).unwrap();
            let lines: Vec<&str> = tail.lines_back().collect();
            assert_eq!((lines.as_slice(), tail.whole), (expected, whole), "{limit}");
        }
    }

    #[test]
    fn a_file_that_is_just_as_long_is_read_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for (text, limit, expected, whole) in [
            ("one\ntwo", 7, &["two", "one"][..], true),
            ("one\ntwo", 6, &["two"], false),
            ("one\ntwo\n\n", 9, &["two", "one"], true),
            ("one", 2, &[], false),
            ("", 0, &[], true),
            ("", 5, &[], true),
        ] {
            std::fs::write(&path, text).unwrap();
            let tail = Tail::read(&path, limit).unwrap();
            let lines: Vec<&str> = tail.lines_back().collect();
            assert_eq!((lines.as_slice(), tail.whole), (expected, whole), "{text:?} {limit}");
        }
        let missing = Tail::read(&folder.path().join("none"), 5).err().unwrap();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
