//! Paths as texts. Symbolic links are the caller's concern.

/// The system takes no longer path.
pub const LONGEST: usize = 4096;

/// A path without `.`, `..` and doubled slashes, from a folder.
pub fn join(cwd: &str, path: &str) -> String {
    // Most paths are tidy, and stand in a folder that is.
    let is_tidy = |path: &str| path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if cwd.len() > 1 && cwd.starts_with('/') && is_tidy(&cwd[1..]) && is_tidy(path) {
        return format!("{cwd}/{path}");
    }
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        for (cwd, path, joined) in [
            ("/p", "a/b", "/p/a/b"),
            ("/p", "./a", "/p/a"),
            ("/p/x", "../a//b/", "/p/a/b"),
            ("/p", "/etc", "/etc"),
            ("/", "a", "/a"),
            ("/p/../q", "a", "/q/a"),
            ("/p", "", "/p"),
            ("/p", "../../..", "/"),
        ] {
            assert_eq!(join(cwd, path), joined, "{cwd} {path}");
        }
    }
}
