//! The merge of task files in git: the driver in a repository's configuration, the attribute that names the file, and what git does
//! without a driver.
//!
//! ```text
//! .gitattributes   /session.md merge=engine
//! .git/config      [merge "engine"] driver = if [ -x '/usr/bin/engine' ]; then exec '/usr/bin/engine' merge-driver …
//! ```
//!
//! A clone has the attribute and not the configuration, which runs programs and so is never shared. Git merges the file as text then, as
//! it does where the program is gone: a driver that cannot be started would leave a conflict without markers.

use std::io;
use std::path::{Path, PathBuf};

use engine_text::line::shell_word;

use crate::atomic::{self, Durability};
use crate::git::{self, Call};
use crate::read::read_bytes;

/// The name of the driver.
pub const NAME: &str = "engine";
const NAME_KEY: &str = "merge.engine.name";
const DRIVER_KEY: &str = "merge.engine.driver";
/// Set where the configuration ended without a newline before: git adds one.
const UNENDED_KEY: &str = "merge.engine.wasUnended";
const ABOUT: &str = "engine: tasks by what they are";

/// The most conflicts that git counts.
const MOST_CONFLICTS: i32 = 127;

/// What git makes of three versions, without a driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsText {
    pub bytes: Vec<u8>,
    pub has_conflict: bool,
}

/// Merges three files as git merges texts. Git refuses what is no text.
pub fn as_text(
    [base, ours, theirs]: [&Path; 3],
    size: usize,
    [our_label, their_label]: [&str; 2],
) -> io::Result<AsText> {
    let named = |path: &Path| -> io::Result<String> {
        let absolute = std::path::absolute(path)?;
        let name = absolute.to_str().ok_or_else(|| io::Error::other("the name of the file is not UTF-8"))?;
        Ok(name.to_owned())
    };
    let (base, ours, theirs) = (named(base)?, named(ours)?, named(theirs)?);
    let size = format!("--marker-size={size}");
    let labels = ["-L", our_label, "-L", "base", "-L", their_label];
    let args = [&["merge-file", "-p", &size][..], &labels, &[&ours, &base, &theirs]].concat();
    let answers: Vec<i32> = (0..=MOST_CONFLICTS).collect();
    let raw = Call::new(Path::new("."), &args).raw(&answers).map_err(io::Error::other)?;
    Ok(AsText { bytes: raw.stdout, has_conflict: raw.code != Some(0) })
}

/// Whether a folder is in a git repository.
pub fn has_repository(folder: &Path) -> bool {
    git::text(folder, &["rev-parse", "--git-dir"]).is_some()
}

/// The driver as git runs it, by a shell.
pub fn command(program: &Path) -> String {
    // Git replaces what stands behind a percent sign.
    let program = shell_word(&program.to_string_lossy()).replace('%', "%%");
    format!(
        "if [ -x {program} ]; then exec {program} merge-driver %O %A %B %L %P %X %Y; \
         else exec git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B; fi"
    )
}

/// The program that a driver runs; nothing if it is not one of [`command`].
pub fn program_of(driver: &str) -> Option<PathBuf> {
    let (program, _) = driver.strip_prefix("if [ -x ")?.split_once(" ]; then exec ")?;
    let program = program.strip_prefix('\'')?.strip_suffix('\'')?;
    let program = PathBuf::from(program.replace("%%", "%").replace(r"'\''", "'"));
    (command(&program) == driver).then_some(program)
}

/// The driver in the configuration of the repository around a folder.
pub fn configured(folder: &Path) -> Option<String> {
    let driver = git::text(folder, &["config", "--local", "--get", DRIVER_KEY])?;
    Some(driver.trim_end_matches('\n').to_owned())
}

/// Puts the driver into the configuration of the repository around a folder: all its worktrees share it.
pub fn configure(folder: &Path, program: &Path) -> io::Result<()> {
    let is_unended =
        configured(folder).is_none() && read_bytes(&file(folder)?)?.last().is_some_and(|last| *last != b'\n');
    // Whoever is killed in between leaves what is known as ours.
    set(folder, DRIVER_KEY, &command(program))?;
    if is_unended {
        set(folder, UNENDED_KEY, "true")?;
    }
    set(folder, NAME_KEY, ABOUT)
}

/// Whether what the configuration of the repository has under our name is ours, and not somebody's own driver.
pub fn is_ours(folder: &Path) -> bool {
    match configured(folder) {
        Some(driver) => program_of(&driver).is_some(),
        None => is_named(folder),
    }
}

fn is_named(folder: &Path) -> bool {
    let name = git::text(folder, &["config", "--local", "--get", NAME_KEY]);
    name.is_some_and(|name| name.trim() == ABOUT)
}

/// The configuration of the repository around a folder.
fn file(folder: &Path) -> io::Result<PathBuf> {
    let said = Call::new(folder, &["rev-parse", "--git-path", "config"]).text().map_err(io::Error::other)?;
    Ok(folder.join(said.trim_end_matches('\n')))
}

/// Takes the newline out again that git has added, unless something follows what is ours.
fn without_newline(folder: &Path) -> io::Result<()> {
    let file = file(folder)?;
    let text = read_bytes(&file)?;
    match text.strip_suffix(b"\n") {
        Some(bare) => atomic::replace(&file, bare, Durability::Disk),
        None => Ok(()),
    }
}

/// Whether our section is the last of the configuration.
fn is_last(folder: &Path) -> io::Result<bool> {
    let text = read_bytes(&file(folder)?)?;
    let text = String::from_utf8_lossy(&text);
    let section = format!("[merge \"{NAME}\"]");
    Ok(text
        .rsplit_once(&section)
        .is_some_and(|(_, rest)| !rest.lines().any(|line| line.trim_start().starts_with('['))))
}

fn set(folder: &Path, key: &str, value: &str) -> io::Result<()> {
    let done = Call::new(folder, &["config", "--local", key, value]).text();
    done.map(drop).map_err(io::Error::other)
}

/// Takes it out again, if it is one of ours.
pub fn unconfigure(folder: &Path) -> io::Result<()> {
    if !is_ours(folder) {
        return Ok(());
    }
    let has = |key: &str| git::text(folder, &["config", "--local", "--get", key]).is_some();
    let has_flag = has(UNENDED_KEY);
    let is_unended = has_flag && is_last(folder)?;
    let keys =
        [(NAME_KEY, is_named(folder)), (UNENDED_KEY, has_flag), (DRIVER_KEY, configured(folder).is_some())];
    for (key, _) in keys.into_iter().filter(|(_, is_there)| *is_there) {
        let done = Call::new(folder, &["config", "--local", "--unset-all", key]).text();
        done.map(drop).map_err(io::Error::other)?;
    }
    if is_unended { without_newline(folder) } else { Ok(()) }
}

/// What the attributes of a repository say of the merge of a file; nothing outside of one, or if they say nothing.
pub fn attribute(root: &Path, file: &str) -> Option<String> {
    let said = git::text(root, &["check-attr", "-z", "merge", "--", file])?;
    // File, attribute, value.
    let value = said.split('\0').nth(2)?.to_owned();
    (value != "unspecified").then_some(value)
}

/// The line of `.gitattributes` for a file, from the folder of that.
pub fn attribute_line(file: &str) -> String {
    let mut pattern = String::from("/");
    for c in file.chars() {
        // Signs of a pattern.
        if matches!(c, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    let is_plain = !pattern.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"');
    let pattern = if is_plain { pattern } else { quoted(&pattern) };
    format!("{pattern} merge={NAME}")
}

/// As git quotes a name.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use fs_err as fs;

    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        Call::new(folder.path(), &["init", "-q", "-b", "main"]).text().unwrap();
        folder
    }

    #[test]
    fn a_driver_names_its_program() {
        for program in ["/usr/bin/engine", "/home/it's mine/100%/engine", "/a b/engine"] {
            assert_eq!(program_of(&command(Path::new(program))).as_deref(), Some(Path::new(program)));
        }
        let ours = command(Path::new("/usr/bin/engine"));
        for other in
            ["engine merge-driver %O %A %B", "", "if [ -x '/x' ]; then exec rm; fi", &format!("{ours}; rm x")]
        {
            assert_eq!(program_of(other), None, "{other}");
        }
    }

    #[test]
    fn the_configuration_is_restored_to_the_byte() {
        let folder = repository();
        let file = folder.path().join(".git/config");
        let before = fs::read(&file).unwrap();
        assert_eq!(configured(folder.path()), None);
        configure(folder.path(), Path::new("/old/engine")).unwrap();
        configure(folder.path(), Path::new("/new/engine")).unwrap();
        assert_eq!(configured(folder.path()), Some(command(Path::new("/new/engine"))));
        unconfigure(folder.path()).unwrap();
        assert_eq!(fs::read(&file).unwrap(), before);
        unconfigure(folder.path()).unwrap();
        // What an earlier version left when it was killed in between.
        set(folder.path(), NAME_KEY, ABOUT).unwrap();
        assert!(is_ours(folder.path()));
        unconfigure(folder.path()).unwrap();
        assert_eq!(fs::read(&file).unwrap(), before);
        for (before, added, after) in [
            ("[a]\n\tx = y", "", "[a]\n\tx = y"),
            ("[a]\n\tx = y", "[b]\n\tz = 1\n", "[a]\n\tx = y\n[b]\n\tz = 1\n"),
        ] {
            fs::write(&file, before).unwrap();
            configure(folder.path(), Path::new("/old/engine")).unwrap();
            configure(folder.path(), Path::new("/new/engine")).unwrap();
            fs::write(&file, fs::read_to_string(&file).unwrap() + added).unwrap();
            unconfigure(folder.path()).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), after);
        }
        set(folder.path(), DRIVER_KEY, "mine %A").unwrap();
        unconfigure(folder.path()).unwrap();
        assert_eq!(configured(folder.path()).as_deref(), Some("mine %A"));
    }

    #[test]
    fn a_line_names_just_the_file() {
        let folder = repository();
        for file in
            ["session.md", "agents/session.md", "my tasks [1]*.md", "a\"b\\c.md", "#x.md", "!x.md", "ä.md"]
        {
            fs::write(folder.path().join(".gitattributes"), attribute_line(file) + "\n").unwrap();
            assert_eq!(attribute(folder.path(), file).as_deref(), Some(NAME), "{}", attribute_line(file));
            assert_eq!(attribute(folder.path(), &format!("sub/{file}")), None, "{file}");
        }
        assert_eq!(attribute_line("session.md"), "/session.md merge=engine");
        assert!(has_repository(folder.path()));
    }

    #[test]
    fn git_merges_texts() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["base", "ours", "theirs"].map(|name| folder.path().join(name));
        let merged = |texts: [&str; 3]| {
            files.iter().zip(texts).for_each(|(file, text)| fs::write(file, text).unwrap());
            as_text([&files[0], &files[1], &files[2]], 9, ["HEAD", "topic"])
        };
        let clean = merged(["a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n"]).unwrap();
        assert_eq!(clean, AsText { bytes: b"A\nb\nc\nD\n".to_vec(), has_conflict: false });
        let both = merged(["a\n", "b\n", "c\n"]).unwrap();
        let expected = b"<<<<<<<<< HEAD\nb\n=========\nc\n>>>>>>>>> topic\n".to_vec();
        assert_eq!(both, AsText { bytes: expected, has_conflict: true });
        let refused = merged(["a\0", "b\0", "c\0"]).unwrap_err().to_string();
        assert!(refused.contains("binary"), "{refused}");
        assert_eq!(fs::read(&files[1]).unwrap(), b"b\0");
    }
}
