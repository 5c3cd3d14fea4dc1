//! The journal on disk: a file per day (UTC), a line per event, appended whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use engine_core::journal::Entry;
use engine_core::stamp::{DecisionId, Stamp};

use crate::atomic::own_only;
use crate::lock;
use crate::project::Project;

/// The end of the name of a day's file.
const EXTENSION: &str = "jsonl";

/// Adds one line. A line that a killed process left half-written is cut off first, so every line parses.
pub fn append(folder: &Path, at: Stamp, entry: &Entry) -> io::Result<()> {
    let path = folder.join(at.day()).with_extension(EXTENSION);
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    own_only(&mut options);
    let open = || options.open(&path);
    let mut file = match open() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Project::make_local(folder)?;
            open()?
        }
        file => file?,
    };
    lock::acquire(&file)?;
    let length = mend(&mut file)?;
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    let written = file.write_all(&line);
    if written.is_err() {
        // A full disk must not leave a part of a line behind.
        let _ = file.set_len(length);
    }
    written
}

/// Cuts off a last line without an end; the length that is whole.
fn mend(file: &mut File) -> io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    if length == 0 || byte_at(file, length - 1)? == b'\n' {
        return Ok(length);
    }
    let mut whole = length;
    let mut chunk = vec![0; 64 << 10];
    while whole > 0 {
        let start = whole.saturating_sub(chunk.len() as u64);
        let part = &mut chunk[..usize::try_from(whole - start).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(newline) = part.iter().rposition(|&byte| byte == b'\n') {
            whole = start + newline as u64 + 1;
            break;
        }
        whole = start;
    }
    file.set_len(whole)?;
    Ok(whole)
}

fn byte_at(file: &mut File, at: u64) -> io::Result<u8> {
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// The days' files, the oldest first, with the day in their name.
pub fn days(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut days: Vec<(String, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let day = path.file_stem()?.to_str()?.to_owned();
            (path.extension()? == EXTENSION && day.len() == 10).then_some((day, path))
        })
        .collect();
    days.sort();
    days
}

/// Reads one day's entries. A damaged line is counted and passed over.
pub fn read_day(path: &Path, mut each: impl FnMut(Entry)) -> io::Result<Damage> {
    read_from(path, 0, &mut each).map(|(_, damage)| damage)
}

/// Lines that could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Damage {
    pub lines: usize,
}

/// Reads the whole lines from `offset` on; also returns where the next read should start.
pub fn read_from(path: &Path, offset: u64, each: &mut impl FnMut(Entry)) -> io::Result<(u64, Damage)> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut line = Vec::new();
    let mut next = offset;
    let mut damage = Damage::default();
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok((next, damage));
        }
        next += length as u64;
        match serde_json::from_slice(&line) {
            Ok(entry) => each(entry),
            Err(_) => damage.lines += 1,
        }
    }
}

/// The decision with this id, or the only one that begins so. The id tells the day, so one file is read.
pub fn find(folder: &Path, id: &str) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    let days = match DecisionId::time_of(id) {
        Some(at) => {
            let day = at.day();
            vec![(day.clone(), folder.join(day).with_extension(EXTENSION))]
        }
        None => days(folder),
    };
    for (_, path) in days {
        let read = read_day(&path, |entry| {
            if entry.id.starts_with(id) {
                found.push(entry);
            }
        });
        match read {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_cut_off_before_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |id: &str| Entry { id: id.into(), ..Entry::default() };
        append(folder.path(), Stamp(0), &entry("a")).unwrap();
        let path = folder.path().join("1970-01-01.jsonl");
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"id\":\"torn").unwrap();
        append(folder.path(), Stamp(1), &entry("b")).unwrap();
        let mut ids = Vec::new();
        let damage = read_day(&path, |entry| ids.push(entry.id)).unwrap();
        assert_eq!((ids, damage.lines), (vec!["a".to_owned(), "b".to_owned()], 0));
    }
}
