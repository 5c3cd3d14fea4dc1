//! The journal on disk: a file per day (UTC), a line per event, appended whole.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use engine_core::journal::Entry;
use engine_core::ran::JudgedCall;
use engine_text::field;
use engine_text::stamp::{DecisionId, Stamp};
use fs_err as fs;
use fs_err::{File, OpenOptions};

use crate::atomic::own_only;
use crate::inside;
use crate::lock;
use crate::project::Project;
use crate::read::open;
use crate::regular;
use crate::tail::Tail;

/// The end of the name of a day's file.
const EXTENSION: &str = "jsonl";

/// The file of a day.
fn day_file(folder: &Path, day: Stamp) -> PathBuf {
    let mut name = day.day();
    name.push('.');
    name.push_str(EXTENSION);
    folder.join(name)
}

/// Adds one line. A line that a killed process left half-written is cut off first, so every line parses.
pub fn append(folder: &Path, at: Stamp, entry: &Entry) -> io::Result<()> {
    let path = day_file(folder, at);
    inside::keeps(folder)?;
    let mut options = OpenOptions::new();
    // A link in the place of a day's file is not followed.
    options.read(true).append(true).create(true);
    own_only(&mut options);
    let mut file = match regular::open_itself(&mut options, &path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Project::make_local(folder)?;
            regular::open_itself(&mut options, &path)?
        }
        file => file?,
    };
    lock::acquire(&file, lock::HOOK)?;
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

/// How much of the end of a journal is looked through for the beginning of a call.
const RECENT: u64 = 1 << 20;

/// The folder in which a call of a shell began, if that was not long ago.
pub fn began_in(folder: &Path, now: Stamp, pre_tool: &str, call: &str) -> Option<String> {
    let days = [now, now.minus_days(1)];
    days.iter().find_map(|day| {
        let tail = Tail::read(&day_file(folder, *day), RECENT).ok()?;
        let entries =
            tail.lines_with(call).into_iter().filter_map(|line| serde_json::from_str::<Entry>(line).ok());
        let is_it = |entry: &Entry| entry.event == pre_tool && entry.tool_use.as_deref() == Some(call);
        entries.filter(is_it).find_map(|entry| entry.cwd)
    })
}

/// How much of the end of a journal is looked through for one entry: most often a little is enough.
const LOOKED_THROUGH: [u64; 3] = [8 << 10, 64 << 10, RECENT];

/// A call as it was judged last before it ran, today or yesterday. Nothing where the end of the journal has no such line.
pub fn judged(folder: &Path, now: Stamp, pre_tool: &str, call: &str) -> Option<JudgedCall> {
    for day in [now, now.minus_days(1)] {
        let path = day_file(folder, day);
        for limit in LOOKED_THROUGH {
            let Ok(tail) = Tail::read(&path, limit) else { break };
            let of_call = tail.lines_back().filter(|line| line.contains(call) && line.contains(pre_tool));
            let mut entries = of_call.filter_map(|line| serde_json::from_str::<Entry>(line).ok());
            let is_it = |entry: &Entry| entry.event == pre_tool && entry.tool_use.as_deref() == Some(call);
            if let Some(mut entry) = entries.find(|entry| is_it(entry) && entry.judged.is_some()) {
                let sum = entry.judged.take().unwrap_or_default();
                return Some(JudgedCall { sum, shown: entry.shown_call() });
            }
            if tail.whole {
                break;
            }
        }
    }
    None
}

/// The tool of the main agent's last event in a session, today or yesterday; none where that event was no call of a tool.
pub fn last_tool(folder: &Path, now: Stamp, session: &str) -> Option<String> {
    for day in [now, now.minus_days(1)] {
        let path = day_file(folder, day);
        for limit in LOOKED_THROUGH {
            let Ok(tail) = Tail::read(&path, limit) else { break };
            let of_session = tail.lines_back().filter(|line| line.contains(session));
            let entries = of_session.filter_map(|line| serde_json::from_str::<Entry>(line).ok());
            let mut of_main = entries.filter(|entry| entry.session == session && entry.agent.is_none());
            if let Some(last) = of_main.next() {
                return last.tool;
            }
            if tail.whole {
                break;
            }
        }
    }
    None
}

/// Whether some entry of a session since a moment is one of these, today or yesterday; also where the end of the journal does not reach
/// back so far.
pub fn any_since(
    folder: &Path,
    since: Stamp,
    now: Stamp,
    session: &str,
    is_one: &dyn Fn(&Entry) -> bool,
) -> bool {
    let is_before = |entry: &Entry| DecisionId::time_of(&entry.id).is_some_and(|at| at < since);
    'days: for day in [now, now.minus_days(1)] {
        let path = day_file(folder, day);
        for limit in LOOKED_THROUGH {
            let Ok(tail) = Tail::read(&path, limit) else { continue 'days };
            let of_session = tail.lines_back().filter(|line| line.contains(session));
            let entries = of_session.filter_map(|line| serde_json::from_str::<Entry>(line).ok());
            for entry in entries.filter(|entry| entry.session == session) {
                if is_before(&entry) {
                    return false;
                }
                if is_one(&entry) {
                    return true;
                }
            }
            if tail.whole {
                continue 'days;
            }
        }
        return true;
    }
    false
}

/// Lines that could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Damage {
    pub lines: usize,
}

/// Reads the whole lines from `offset` on; also returns where the next read should start.
pub fn read_from(path: &Path, offset: u64, each: &mut impl FnMut(Entry)) -> io::Result<(u64, Damage)> {
    let mut file = open(path)?;
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

/// When a session was last heard of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    At(Stamp),
    /// Not from then on; what was before is not known.
    NotSince(Stamp),
}

/// How much of a day's end is read: most often a little is enough.
const ENDS: [u64; 2] = [8 << 10, 64 << 10];

/// When the last event of a session came, as far as the end of the journal tells: of today, and of yesterday for those
/// who work at midnight.
pub fn heard(folder: &Path, now: Stamp, session: &str) -> Heard {
    let time = |line: &str| DecisionId::time_of(&field::string(line, "id")?);
    let is_its =
        |line: &&str| line.contains(session) && field::string(line, "session").as_deref() == Some(session);
    for day in [now, now.minus_days(1)] {
        let path = day_file(folder, day);
        for limit in ENDS {
            let Ok(tail) = Tail::read(&path, limit) else { break };
            if let Some(at) = tail.lines_back().find(is_its).and_then(time) {
                return Heard::At(at);
            }
            if tail.whole {
                break;
            }
            if limit == ENDS[1] {
                return Heard::NotSince(tail.lines_back().last().and_then(time).unwrap_or(now));
            }
        }
    }
    Heard::NotSince(Stamp(0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_last_event_of_a_session_is_found_in_the_end_of_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let now = Stamp(10 * 86_400_000 + 5_000);
        let add = |at: Stamp, session: &str, command: &str| {
            let id = DecisionId::new(at, 0).as_str().to_owned();
            let command = Some(command.to_owned());
            let entry = Entry { id, session: session.into(), command, ..Entry::default() };
            append(folder.path(), at, &entry).unwrap();
        };
        assert_eq!(heard(folder.path(), now, "s1"), Heard::NotSince(Stamp(0)));
        let yesterday = Stamp(now.0 - 6_000);
        add(yesterday, "s1", "true");
        assert_eq!(heard(folder.path(), now, "s1"), Heard::At(yesterday));
        add(now, "s2", "echo s1");
        assert_eq!(heard(folder.path(), now, "s1"), Heard::At(yesterday));
        assert_eq!(heard(folder.path(), now, "s3"), Heard::NotSince(Stamp(0)));
        add(now, "s1", "true");
        let later = Stamp(now.0 + 1);
        add(later, "s2", &"x".repeat(20_000));
        assert_eq!(heard(folder.path(), now, "s1"), Heard::At(now));
        for _ in 0..4 {
            add(later, "s2", &"x".repeat(20_000));
        }
        assert_eq!(heard(folder.path(), now, "s1"), Heard::NotSince(later));
    }

    #[test]
    fn entries_since_a_moment_are_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        let now = Stamp(10 * 86_400_000 + 5_000);
        let add = |at: Stamp, session: &str, tool: &str, command: &str| {
            let id = DecisionId::new(at, 0).as_str().to_owned();
            let (tool, command) = (Some(tool.to_owned()), Some(command.to_owned()));
            append(
                folder.path(),
                at,
                &Entry { id, session: session.into(), tool, command, ..Entry::default() },
            )
            .unwrap();
        };
        let any = |since: Stamp| {
            any_since(folder.path(), since, now, "s1", &|entry| entry.tool.as_deref() == Some("Edit"))
        };
        assert!(!any(Stamp(0)), "there is no journal");
        let yesterday = Stamp(now.0 - 6_000);
        add(yesterday, "s1", "Edit", "");
        add(Stamp(now.0 - 10), "s2", "Edit", "s1");
        add(Stamp(now.0 - 5), "s1", "Read", "");
        assert_eq!((any(yesterday), any(Stamp(yesterday.0 + 1))), (true, false));
        for _ in 0..3 {
            add(Stamp(now.0 - 4), "s1", "Read", &"x".repeat(60_000));
        }
        assert_eq!((any(yesterday), any(Stamp(yesterday.0 + 1))), (true, false), "far back");
        for _ in 0..20 {
            add(Stamp(now.0 - 4), "s1", "Read", &"x".repeat(60_000));
        }
        assert_eq!(
            (any(yesterday), any(Stamp(now.0 - 3))),
            (true, false),
            "where it does not reach it may be"
        );
    }

    #[test]
    fn a_call_is_found_as_it_was_judged() {
        let folder = tempfile::tempdir().unwrap();
        let now = Stamp(10 * 86_400_000 + 5_000);
        let find = |call: &str| judged(folder.path(), now, "Pre", call);
        let add = |at: Stamp, event: &str, call: &str, sum: Option<&str>, command: &str| {
            let entry = Entry {
                event: event.into(),
                tool_use: Some(call.into()),
                judged: sum.map(str::to_owned),
                command: Some(command.into()),
                ..Entry::default()
            };
            append(folder.path(), at, &entry).unwrap();
        };
        let is = |sum: &str, shown: &str| Some(JudgedCall { sum: sum.to_owned(), shown: shown.to_owned() });
        assert_eq!(find("t1"), None);
        add(Stamp(now.0 - 6_000), "Pre", "t1", Some("a"), "ls");
        assert_eq!(find("t1"), is("a", "ls"), "yesterday");
        add(now, "Pre", "t2", Some("b"), "echo t3");
        add(now, "Post", "t2", Some("x"), "echo t3");
        add(now, "Pre", "t2", Some("c"), "echo t3");
        add(now, "Pre", "t2", None, "an earlier release");
        assert_eq!(find("t2"), is("c", "echo t3"), "the last that has a sum");
        assert_eq!(find("t3"), None, "it only stands in a command");
        add(now, "Pre", "t4", None, "an earlier release");
        assert_eq!(find("t4"), None);
        assert_eq!(find("t1"), is("a", "ls"));
        for _ in 0..3 {
            add(now, "Pre", "t5", None, &"x".repeat(60_000));
        }
        assert_eq!(find("t2"), is("c", "echo t3"), "far back");
        for _ in 0..20 {
            add(now, "Pre", "t5", None, &"x".repeat(60_000));
        }
        assert_eq!(find("t2"), None, "too far back");
    }

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

    fn entry(id: &str) -> Entry {
        Entry { id: id.into(), ..Entry::default() }
    }

    fn ids(path: &Path) -> (Vec<String>, usize) {
        let mut ids = Vec::new();
        let damage = read_day(path, |entry| ids.push(entry.id)).unwrap();
        (ids, damage.lines)
    }

    #[test]
    fn a_new_journal_is_private_and_git_does_not_show_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join(".engine/journal");
        append(&journal, Stamp(0), &entry("a")).unwrap();
        append(&journal, Stamp(86_400_000), &entry("b")).unwrap();
        let path = journal.join("1970-01-01.jsonl");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(fs::read_to_string(journal.join(".gitignore")).unwrap(), "*\n");
        assert_eq!(ids(&path), (vec!["a".to_owned()], 0));
        let line = serde_json::to_string(&entry("a")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{line}\n"));
        assert_eq!(ids(&journal.join("1970-01-02.jsonl")), (vec!["b".to_owned()], 0));
        fs::write(folder.path().join("file"), "").unwrap();
        let taken = append(&folder.path().join("file"), Stamp(0), &entry("a")).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::NotADirectory);
    }

    #[test]
    fn what_is_torn_is_cut_off_wherever_its_line_begins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1970-01-01.jsonl");
        let added = format!("{}\n", serde_json::to_string(&entry("new")).unwrap());
        let chunk = 64 << 10;
        for (there, kept) in [
            (String::new(), String::new()),
            ("one\n".into(), "one\n".into()),
            ("x".into(), String::new()),
            ("\nx".into(), "\n".into()),
            ("one\ntwo\ntorn".into(), "one\ntwo\n".into()),
            ("x".repeat(chunk - 1), String::new()),
            ("x".repeat(chunk), String::new()),
            ("x".repeat(chunk + 1), String::new()),
            (format!("one\n{}", "x".repeat(chunk - 1)), "one\n".into()),
            (format!("one\n{}", "x".repeat(chunk)), "one\n".into()),
            (format!("one\n{}", "x".repeat(3 * chunk + 5)), "one\n".into()),
        ] {
            fs::write(&path, &there).unwrap();
            append(folder.path(), Stamp(0), &entry("new")).unwrap();
            let text = fs::read_to_string(&path).unwrap();
            assert!(text == format!("{kept}{added}"), "{} bytes, then {}", there.len(), text.len());
        }
    }

    #[test]
    fn days_are_the_files_that_are_named_like_one() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(days(&folder.path().join("none")), []);
        for name in [
            "2026-02-01.jsonl",
            "2025-12-31.jsonl",
            "2026-02-01.txt",
            "notes.jsonl",
            ".gitignore",
            "2026-02-01",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let named = |day: &str| (day.to_owned(), folder.path().join(format!("{day}.jsonl")));
        assert_eq!(days(folder.path()), [named("2025-12-31"), named("2026-02-01")]);
    }

    #[test]
    fn a_damaged_line_is_counted_and_half_a_line_waits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d");
        let line = |id: &str| format!("{}\n", serde_json::to_string(&entry(id)).unwrap());
        let (a, b, c) = (line("a"), line("b"), line("c"));
        fs::write(&path, format!("{a}broken\n{b}\u{0}\n{}", &c[..9])).unwrap();
        assert_eq!(ids(&path), (vec!["a".to_owned(), "b".to_owned()], 2));
        let from = |offset: usize| {
            let mut ids = Vec::new();
            let (next, damage) = read_from(&path, offset as u64, &mut |entry| ids.push(entry.id)).unwrap();
            (ids.concat(), usize::try_from(next).unwrap(), damage)
        };
        let whole = a.len() + 7 + b.len() + 2;
        assert_eq!(from(0), ("ab".to_owned(), whole, Damage { lines: 2 }));
        assert_eq!(from(a.len()), ("b".to_owned(), whole, Damage { lines: 2 }));
        assert_eq!(from(whole), (String::new(), whole, Damage { lines: 0 }));
        // The rest of the line came.
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&c.as_bytes()[9..]).unwrap();
        assert_eq!(from(whole), ("c".to_owned(), whole + c.len(), Damage { lines: 0 }));
        assert_eq!(
            read_day(&folder.path().join("none"), |_| ()).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn a_decision_is_found_by_its_id_or_the_beginning_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let day = 86_400_000;
        let id = |at: u64, salt: u64| DecisionId::new(Stamp(at), salt).as_str().to_owned();
        let (early, late, twin) = (id(5, 1), id(day + 5, 1), id(day + 5, 2));
        for (at, id) in [(5, &early), (day + 5, &late), (day + 5, &twin)] {
            append(folder.path(), Stamp(at), &entry(id)).unwrap();
        }
        let found = |id: &str| {
            let found = find(folder.path(), id).unwrap();
            found.into_iter().map(|entry| entry.id).collect::<Vec<_>>()
        };
        assert_eq!(found(&early), [early.as_str()]);
        assert_eq!(found(&twin), [twin.as_str()]);
        assert_eq!(found(&late[..9]), [late.as_str(), twin.as_str()]);
        assert_eq!(found("000"), [early.as_str(), late.as_str(), twin.as_str()], "too short to tell the day");
        assert_eq!(found(&id(9 * day, 1)), [""; 0], "a day without a journal");
        assert_eq!(found("zz"), [""; 0]);
        // A day that cannot be read is no day without the decision.
        fs::create_dir(folder.path().join("1970-01-10.jsonl")).unwrap();
        assert_eq!(find(folder.path(), &id(9 * day, 1)).unwrap_err().kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn many_at_once_write_whole_lines() {
        // Nobody knows when a thread gets its turn.
        lock::wait_at_least(Duration::from_mins(10));
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        std::thread::scope(|scope| {
            for writer in 0..6 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..10 {
                        append(journal, Stamp(0), &entry(&format!("{writer}-{number}"))).unwrap();
                    }
                });
            }
        });
        let (mut ids, damaged) = ids(&journal.join("1970-01-01.jsonl"));
        ids.sort();
        let expected: Vec<String> =
            (0..6).flat_map(|writer| (0..10).map(move |number| format!("{writer}-{number}"))).collect();
        assert_eq!((ids, damaged), (expected, 0));
    }
}
