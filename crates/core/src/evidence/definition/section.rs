//! Sections of TOML and INI, cut by their headings.

/// The lines of the sections with one of these names and of those below them, with their headings, without comments and blank lines.
pub(in crate::evidence) fn cut(text: &str, names: &[&str]) -> String {
    let is_wanted = |heading: &str| {
        names.iter().any(|name| {
            heading
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', ':']))
        })
    };
    let mut inside = false;
    let mut out: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let bare = line.trim_start();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some(heading) = heading(line) {
            inside = is_wanted(heading);
        }
        if inside {
            out.push(line);
        }
    }
    out.join("\n")
}

/// `[a.b]`, `[[a.b]]`. A line of an array that begins with a bracket is indented, or holds a quote or a comma.
pub(in crate::evidence) fn heading(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?;
    let inner = inner.strip_prefix('[').unwrap_or(inner);
    let (name, _) = inner.split_once(']')?;
    (!name.is_empty() && !name.contains(',')).then_some(name.trim())
}
