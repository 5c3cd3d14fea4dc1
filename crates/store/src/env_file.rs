//! Lines for the agent's shell, in the file that the client names in `CLAUDE_ENV_FILE` and sources before each call.

use std::io::{self, Write};
use std::path::Path;

use engine_text::line::shell_word;
use fs_err::OpenOptions;

use crate::read::read_string;
use crate::regular;

/// `export NAME='value'`.
pub fn export((name, value): &(&str, String)) -> String {
    format!("export {name}={}", shell_word(value))
}

/// Adds each line once, also if the event comes twice.
pub fn add(file: &Path, lines: &[String]) -> io::Result<()> {
    let present = match read_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let mut added = String::new();
    if !present.is_empty() && !present.ends_with('\n') {
        added.push('\n');
    }
    let mut any = false;
    for line in lines {
        if !present.lines().any(|old| old == line) {
            added.push_str(line);
            added.push('\n');
            any = true;
        }
    }
    if !any {
        return Ok(());
    }
    regular::open(OpenOptions::new().create(true).append(true), file)?.write_all(added.as_bytes())
}

#[cfg(test)]
mod tests {
    use fs_err as fs;

    use super::*;

    #[test]
    fn each_variable_once_and_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("env.sh");
        fs::write(&file, "export OTHER=1").unwrap();
        let lines = [export(&("ENGINE_PROJECT", "/tmp/it's $HOME".to_owned()))];
        add(&file, &lines).unwrap();
        add(&file, &lines).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "export OTHER=1\nexport ENGINE_PROJECT='/tmp/it'\\''s $HOME'\n");
        let shell = std::process::Command::new("sh")
            .args(["-c", ". \"$0\"; printf %s \"$ENGINE_PROJECT\""])
            .arg(&file)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(shell.stdout).unwrap(), "/tmp/it's $HOME");
    }
}
