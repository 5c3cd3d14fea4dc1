//! An index of git, without what makes git overlook a file.
//!
//! A copy of the person's index saves hashing every file once more. But its entries can be marked `assume-unchanged` or
//! `skip-worktree`, and git compares times by the second: a file that is edited in the second in which git looked at it, and that
//! gets its old size and time back, looks as before. So the marks are taken away, and what was looked at in its own second is looked
//! at again. Entries keep their length; nothing else in the file moves.

use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use fs_err as fs;

use crate::read::read_bytes;
use crate::regular;

const MAGIC: &[u8; 4] = b"DIRC";
const HEADER: usize = 12;
/// Times, numbers and size of the file; the mode is among them.
const STAT: usize = 40;
const MODE: Range<usize> = 24..28;
const SIZE: usize = 36;
/// Bits of the first byte of the flags.
const ASSUME_UNCHANGED: u8 = 0x80;
const HAS_MORE_FLAGS: u8 = 0x40;
/// A bit of the first byte of the further flags.
const SKIP_WORKTREE: u8 = 0x40;
/// Entries are as long as a multiple of this, except in version 4.
const ALIGNED: usize = 8;

/// What else an index needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// The name of the file that holds the rest of a split index.
    pub(super) shared: Option<String>,
    /// It holds folders in the place of their files.
    pub(super) is_sparse: bool,
}

impl Needs {
    /// Whether git has to write it out before all entries are in it.
    pub(super) fn whole(&self) -> bool {
        self.shared.is_none() && !self.is_sparse
    }
}

/// What was found in an index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) needs: Needs,
    /// The size of all files that were changed of late: their content may be new to the objects.
    pub(super) new: u64,
}

/// Which bytes are in a file, as far as the file system tells: to notice that it was replaced.
pub(super) fn stamp(path: &Path) -> String {
    fs::symlink_metadata(path).map_or_else(
        |_| String::new(),
        |data| format!("{}.{:09}-{}-{}", data.mtime(), data.mtime_nsec(), data.size(), data.ino()),
    )
}

/// The second of a moment, as files have it.
pub(super) fn second(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Seconds from which on files count as changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Since {
    /// These are compared by content next time.
    pub(super) unsure: u64,
    /// The sizes of these are told.
    pub(super) new: u64,
}

/// Cleans an index file.
pub(super) fn clean(path: &Path, hash: usize, since: Since) -> io::Result<Found> {
    let mut bytes = read_bytes(path)?;
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the index is damaged");
    let (found, changed) = cleaned(&mut bytes, hash, since).ok_or_else(damaged)?;
    if let Some(changed) = changed {
        // No sum: git takes zeros for "not known". The old sum would be wrong.
        let end = bytes.len() - hash;
        let has_sum = bytes[end..].iter().any(|byte| *byte != 0);
        bytes[end..].fill(0);
        // In place: whoever holds the lock is alone, and half of it leaves an index that is as good. A file that replaces another is
        // waited for by some file systems.
        let file = regular::open(fs::OpenOptions::new().write(true), path)?;
        let time = file.metadata()?.modified()?;
        file.file().write_all_at(&bytes[changed.clone()], changed.start as u64)?;
        if has_sum {
            file.file().write_all_at(&bytes[end..], end as u64)?;
        }
        // Git compares the time of the index with those of the files.
        file.file().set_modified(time)?;
    }
    Ok(found)
}

/// What is in it, and where its bytes were changed, if they were. `None` if the bytes are no index.
fn cleaned(bytes: &mut [u8], hash: usize, since: Since) -> Option<(Found, Option<Range<usize>>)> {
    let number = |bytes: &[u8], at: usize| {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(four))
    };
    let version = number(bytes, 4).filter(|version| bytes.starts_with(MAGIC) && (2..=4).contains(version))?;
    let end = bytes.len().checked_sub(hash)?;
    let mut at = HEADER;
    let mut changed: Option<Range<usize>> = None;
    let mut change = |entry: Range<usize>| {
        let start = changed.as_ref().map_or(entry.start, |changed| changed.start);
        changed = Some(start..entry.end);
    };
    let mut found = Found::default();
    for _ in 0..number(bytes, 8)? {
        let flags = at + STAT + hash;
        let touched = u64::from(number(bytes, at)?);
        if touched >= since.new {
            found.new += u64::from(number(bytes, at + SIZE)?);
        }
        let stat = bytes.get_mut(at..at + STAT)?;
        if touched >= since.unsure {
            let mode: [u8; 4] = stat[MODE].try_into().ok()?;
            stat.fill(0);
            stat[MODE].copy_from_slice(&mode);
            change(at..at + STAT);
        }
        let first = bytes.get_mut(flags)?;
        let has_more = *first & HAS_MORE_FLAGS != 0;
        if *first & ASSUME_UNCHANGED != 0 {
            *first &= !ASSUME_UNCHANGED;
            change(flags..flags + 1);
        }
        let mut name = flags + 2;
        if has_more {
            let more = bytes.get_mut(name)?;
            if *more & SKIP_WORKTREE != 0 {
                *more &= !SKIP_WORKTREE;
                change(name..name + 1);
            }
            name += 2;
        }
        if version == 4 {
            // How much of the last name is dropped: seven bits a byte.
            name += bytes.get(name..)?.iter().position(|byte| byte & 0x80 == 0)? + 1;
        }
        let length = memchr::memchr(0, bytes.get(name..end)?)?;
        let after = name + length + 1;
        at = if version == 4 { after } else { at + (after - at).next_multiple_of(ALIGNED) };
    }
    while at < end {
        let (kind, length) = (bytes.get(at..at + 4)?, usize::try_from(number(bytes, at + 4)?).ok()?);
        let content = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        match kind {
            b"link" => found.needs.shared = shared_name(content.get(..hash)?),
            b"sdir" => found.needs.is_sparse = true,
            _ => {}
        }
        at += 8 + length;
    }
    Some((found, changed))
}

/// The file with the rest of a split index; a name of zeros is none.
fn shared_name(hash: &[u8]) -> Option<String> {
    let name = hash.iter().fold("sharedindex.".to_owned(), |name, byte| format!("{name}{byte:02x}"));
    hash.iter().any(|byte| *byte != 0).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: usize = 20;
    /// The second in which all files were changed.
    const CHANGED: u32 = 1000;
    const NEVER: Since = Since { unsure: u64::MAX, new: u64::MAX };

    /// One entry: times, mode, flags, name. Only version 3 and 4 have further flags.
    fn entry(version: u32, flags: u16, more: Option<u16>, name: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [CHANGED, 1, CHANGED, 1, 2, 3, 0o100_644, 4, 5, 6] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend([7; HASH]);
        bytes.extend((flags | if more.is_some() { 0x4000 } else { 0 }).to_be_bytes());
        bytes.extend(more.into_iter().flat_map(u16::to_be_bytes));
        if version == 4 {
            // Of a long name two bytes tell what is dropped.
            bytes.extend([0x81, 0x00]);
        }
        bytes.extend(name.bytes());
        bytes.push(0);
        let padded = if version == 4 { bytes.len() } else { bytes.len().next_multiple_of(8) };
        bytes.resize(padded, 0);
        bytes
    }

    fn index(version: u32, entries: &[Vec<u8>], extensions: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        bytes.extend(entries.concat());
        for (name, content) in extensions {
            bytes.extend(*name);
            bytes.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
            bytes.extend(*content);
        }
        bytes.extend([9; HASH]);
        bytes
    }

    #[test]
    fn marks_are_taken_away_and_nothing_else() {
        for version in [2, 3, 4] {
            let more = (version > 2).then_some(0x6000);
            let all = |flags: u16, more: Option<u16>| {
                let names = ["a", "src/b.txt", "1234567", "12345678"];
                let entries = names.map(|name| entry(version, flags, more, name));
                index(version, &entries, &[(b"TREE", b"x"), (b"EOIE", b"")])
            };
            let mut bytes = all(0x8007, more);
            let found = cleaned(&mut bytes, HASH, NEVER).map(|(found, _)| found);
            assert_eq!(found, Some(Found::default()), "version {version}");
            let kept = more.map(|_| 0x2000);
            assert_eq!(bytes, all(0x0007, kept), "version {version}: files to be added stay so");
        }
    }

    #[test]
    fn a_file_of_that_second_is_looked_at_again() {
        let before = index(2, &[entry(2, 1, None, "a")], &[]);
        for (since, is_forgotten) in [(1001, false), (1000, true), (999, true)] {
            let mut bytes = before.clone();
            cleaned(&mut bytes, HASH, Since { unsure: since, ..NEVER }).unwrap();
            let mut expected = before.clone();
            if is_forgotten {
                expected[HEADER..HEADER + STAT].fill(0);
                expected[HEADER + 24..HEADER + 28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            }
            assert_eq!(bytes, expected, "{since}");
        }
    }

    #[test]
    fn the_sizes_of_new_files_are_told() {
        let entries = ["a", "b"].map(|name| entry(2, 1, None, name));
        for (since, expected) in [(1001, 0), (1000, 12), (999, 12)] {
            let mut bytes = index(2, &entries, &[]);
            let found = cleaned(&mut bytes, HASH, Since { new: since, ..NEVER });
            assert_eq!(found, Some((Found { new: expected, ..Found::default() }, None)), "{since}");
        }
    }

    #[test]
    fn what_an_index_needs_is_told() {
        let (one, none) = ([0xab; HASH], [0; HASH]);
        let name = format!("sharedindex.{}", "ab".repeat(HASH));
        for (extensions, expected) in [
            (vec![], Needs::default()),
            (vec![(b"link", &one[..])], Needs { shared: Some(name), is_sparse: false }),
            (vec![(b"link", &none[..])], Needs::default()),
            (vec![(b"TREE", b"x"), (b"sdir", b"")], Needs { shared: None, is_sparse: true }),
        ] {
            let mut bytes = index(2, &[], &extensions);
            assert_eq!(
                cleaned(&mut bytes, HASH, NEVER).map(|(found, _)| found.needs),
                Some(expected),
                "{extensions:?}"
            );
        }
    }

    #[test]
    fn half_an_index_is_none() {
        for version in [2, 3, 4] {
            let entries = [entry(version, 1, (version > 2).then_some(0), "a/long/name")];
            let whole = index(version, &entries, &[(b"TREE", b"xyz")]);
            for length in 0..whole.len() {
                let mut bytes = whole[..length].to_vec();
                // Between the parts it may look like an index without the rest.
                if let Some((found, _)) = cleaned(&mut bytes, HASH, NEVER) {
                    assert_eq!(found, Found::default());
                }
            }
            for other in [1_u32, 5] {
                let mut bytes = whole.clone();
                bytes[4..8].copy_from_slice(&other.to_be_bytes());
                assert_eq!(cleaned(&mut bytes, HASH, NEVER), None, "version {other}");
            }
        }
        assert_eq!(cleaned(&mut b"DIRC nonsense".to_vec(), HASH, NEVER), None);
    }
}
