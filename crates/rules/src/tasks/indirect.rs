//! Effects that reach the task file without its name: copies of all that is in a folder, the patterns of git, hard links.
//!
//! ```text
//! cp sub/* .              sub/session.md comes over session.md
//! git restore '*.md'      git expands the pattern, not the shell
//! ln session.md copy.md   whoever writes copy.md writes session.md
//! ```

use std::path::{Path, PathBuf};

use engine_core::view::Files;
use engine_shell::{Effect, Options, Run};
use engine_text::path::join;

/// The programs that are looked at here.
pub(super) const PROGRAMS: &[&str] =
    &["git", "cp", "gcp", "mv", "gmv", "install", "rsync", "ln", "gln", "link"];

/// Programs that give what they copy its own name in a folder.
const COPIERS: &[&str] = &["cp", "gcp", "mv", "gmv", "install", "rsync"];

/// Whether a run copies another file over `file`, by putting all that is in a folder into one above it.
pub(super) fn comes_over(run: &Run, effect: &Effect, file: &Path, view: &(impl Files + ?Sized)) -> bool {
    let target = view.resolve("/", effect.path());
    let (Ok(below), true) = (file.strip_prefix(&target), run.is(COPIERS)) else { return false };
    let Some(cwd) = run.cwd.as_deref().filter(|_| !below.as_os_str().is_empty()) else { return false };
    let options = Options::read(&run.args, &["-t", "-m", "-o", "-g", "-e", "-S", "-f"], false);
    let name = below.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
    options.operands.iter().filter_map(|source| source.literal()).any(|source| {
        let whole = source.ends_with("/.") || source == "." || (run.is(&["rsync"]) && source.ends_with('/'));
        let (folder, last) = match source.rsplit_once('/') {
            _ if whole => (source, "*"),
            Some((folder, last)) => (folder, last),
            None => (".", source),
        };
        let other = PathBuf::from(join(cwd, folder)).join(below);
        last.contains(['*', '?', '[']) && is_like(last, name) && other != *file && view.exists(&other)
    })
}

/// Whether git takes what it is given for a pattern that fits `file`: it expands the stars itself, and a colon begins a magic word.
pub(super) fn is_pathspec_of(run: &Run, effect: &Effect, file: &Path) -> bool {
    let Some(cwd) = run.cwd.as_deref().filter(|_| run.is(&["git"])) else { return false };
    let Ok(spec) = Path::new(effect.path()).strip_prefix(cwd) else { return false };
    let spec = spec.to_str().unwrap_or_default();
    let bare = match spec.strip_prefix(":(").and_then(|magic| magic.split_once(')')) {
        Some((_, bare)) => bare,
        None => spec.strip_prefix(":/").or(spec.strip_prefix(':')).unwrap_or(spec),
    };
    if bare.len() == spec.len() && !spec.contains(['*', '?', '[']) {
        return false;
    }
    let below = file.strip_prefix(cwd).unwrap_or(file).to_str().unwrap_or_default();
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // From the top of the tree, which may be above this folder.
    is_like(bare, below) || is_like(bare, name) || is_like(&format!("*/{bare}"), &file.to_string_lossy())
}

/// Whether a run gives `file` another name, by which nobody knows it again.
pub(super) fn is_hard_link_to(run: &Run, file: &Path, view: &(impl Files + ?Sized)) -> bool {
    let options = Options::read(&run.args, &[], false);
    let is_hard = match run.program.as_deref() {
        Some("ln" | "gln" | "link") => !options.has(&["-s", "--symbolic"]),
        Some("cp" | "gcp") => options.has(&["-l", "--link"]),
        _ => false,
    };
    let Some(cwd) = run.cwd.as_deref().filter(|_| is_hard) else { return false };
    let mut sources = options.operands.iter().filter_map(|word| word.literal());
    sources.any(|source| view.resolve(cwd, source) == *file)
}

/// Whether a pattern fits all of a text; a star stands for slashes, too.
fn is_like(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Where the pattern may have got to.
    let mut at = vec![false; pattern.len() + 1];
    let stars = |at: &mut Vec<bool>| {
        for index in 0..pattern.len() {
            at[index + 1] |= at[index] && pattern[index] == '*';
        }
    };
    at[0] = true;
    stars(&mut at);
    for c in text {
        let mut next = vec![false; at.len()];
        for index in (0..pattern.len()).filter(|index| at[*index]) {
            match pattern[index] {
                '*' => next[index] = true,
                '?' => next[index + 1] = true,
                // Which characters it holds is not looked at.
                '[' => {
                    let close = pattern[index..].iter().position(|c| *c == ']').unwrap_or(0);
                    next[index + close + 1] = true;
                }
                own => next[index + 1] |= own == c,
            }
        }
        stars(&mut next);
        at = next;
    }
    at.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("*", "a.md", true),
            ("*.md", "agents/a.md", true),
            ("**/*.md", "x/a.md", true),
            ("a?m[cd]", "a.md", true),
            ("*.txt", "a.md", false),
            ("", "", true),
            ("a", "ab", false),
            ("*b", "ab", true),
        ] {
            assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
        }
    }
}
