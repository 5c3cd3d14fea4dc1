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

    /// The whole lines of a file in parts of about this size, the last part first, as far back as somebody wants to look.
    pub fn parts(path: &Path, size: u64) -> io::Result<Parts> {
        let file = open(path)?;
        let end = file.metadata()?.len();
        Ok(Parts { file, end, size, most: size })
    }

    /// The whole lines, the last one first. What is no text is passed over.
    pub fn lines_back(&self) -> impl Iterator<Item = &str> {
        let lines = self.lines().rsplit(|&byte| byte == b'\n');
        lines.filter(|line| !line.is_empty()).filter_map(|line| std::str::from_utf8(line).ok())
    }

    /// The whole lines that hold a text, the first one first, without a look at the others.
    pub fn lines_with(&self, text: &str) -> Vec<&str> {
        let bytes = self.lines();
        let mut lines = Vec::new();
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&bytes[from..], text.as_bytes()).map(|at| from + at) {
            let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
            lines.extend(std::str::from_utf8(&bytes[start..end]).ok());
            from = end;
        }
        lines
    }

    /// The first whole line.
    pub fn first_line(&self) -> Option<&str> {
        let line = self.lines().split(|&byte| byte == b'\n').next()?;
        std::str::from_utf8(line).ok().filter(|line| !line.is_empty())
    }

    /// What is read, without half a line at its start.
    fn lines(&self) -> &[u8] {
        if self.whole {
            return &self.bytes;
        }
        memchr::memchr(b'\n', &self.bytes).map_or(&[], |end| &self.bytes[end + 1..])
    }
}

/// See [`Tail::parts`].
pub struct Parts {
    file: fs_err::File,
    /// What is before it has not been read.
    end: u64,
    size: u64,
    /// A line may be longer than a part.
    most: u64,
}

impl Parts {
    fn read(&mut self) -> io::Result<Tail> {
        let start = self.end.saturating_sub(self.most);
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.end - start).unwrap_or(0));
        (&mut self.file).take(self.end - start).read_to_end(&mut bytes)?;
        Ok(Tail { bytes, whole: start == 0 })
    }
}

impl Iterator for Parts {
    type Item = io::Result<Tail>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.end > 0 {
            let tail = match self.read() {
                Ok(tail) => tail,
                Err(error) => return Some(Err(error)),
            };
            let lines = tail.lines().len() as u64;
            if lines == 0 && !tail.whole {
                self.most *= 2;
                continue;
            }
            self.most = self.size;
            self.end = if tail.whole { 0 } else { self.end - lines };
            return Some(Ok(tail));
        }
        None
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
    fn lines_are_found_by_a_text_of_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, b"an ok\nno\nok ok\nok \xff\n\nlast ok").unwrap();
        let cases: [(u64, &[&str], Option<&str>); 4] = [
            (100, &["an ok", "ok ok", "last ok"], Some("an ok")),
            (25, &["ok ok", "last ok"], Some("no")),
            (10, &["last ok"], None),
            (3, &[], None),
        ];
        for (limit, expected, first) in cases {
            let tail = Tail::read(&path, limit).unwrap();
            assert_eq!((tail.lines_with("ok").as_slice(), tail.first_line()), (expected, first), "{limit}");
        }
        assert_eq!(Tail::read(&path, 100).unwrap().lines_with("none"), [""; 0]);
    }

    #[test]
    fn parts_hold_every_line_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let lines: Vec<String> =
            (0..40).map(|number| format!("{number}{}", "x".repeat(number % 7 * 3))).collect();
        for text in [lines.join("\n"), lines.join("\n") + "\n", String::new()] {
            std::fs::write(&path, &text).unwrap();
            for size in [1, 7, 16, 64, 10_000] {
                let parts: Vec<Tail> = Tail::parts(&path, size).unwrap().map(Result::unwrap).collect();
                let back: Vec<&str> = parts.iter().flat_map(Tail::lines_back).collect();
                let expected: Vec<&str> = text.lines().rev().collect();
                assert_eq!(back, expected, "{size}");
            }
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
