//! The files that a patch names: a unified diff, or the form with `*** Update File:`.

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Patched<'a> {
    Written(&'a str),
    Deleted(&'a str),
}

/// A patch with more files is not read to its end by anybody.
const MOST: usize = 1001;

/// The files of a patch; nothing if the text is none.
pub(super) fn files(text: &str) -> Vec<Patched<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim_end).peekable();
    let mut last = None;
    while let Some(line) = lines.next().filter(|_| found.len() < MOST) {
        let named = |words: &str| line.strip_prefix(words).map(str::trim).filter(|path| !path.is_empty());
        if let Some(path) = named("*** Update File:") {
            last = Some(path);
            found.push(Patched::Written(path));
        } else if let Some(path) = named("*** Add File:") {
            found.push(Patched::Written(path));
        } else if let Some(path) = named("*** Delete File:").or_else(|| named("rename from ")) {
            found.push(Patched::Deleted(path));
        } else if let Some(path) = named("*** Move to:") {
            found.extend(last.take().map(Patched::Deleted));
            found.push(Patched::Written(path));
        } else if let Some(path) = named("rename to ") {
            found.push(Patched::Written(path));
        } else if let Some(before) = named("--- ")
            && let Some(after) = lines.peek().and_then(|next| next.strip_prefix("+++ "))
        {
            found.push(of_pair(before, after.trim()));
        }
    }
    found
}

/// `--- a/x` and `+++ b/x`, behind which a time may stand.
fn of_pair<'a>(before: &'a str, after: &'a str) -> Patched<'a> {
    let name = |path: &'a str| path.split('\t').next().unwrap_or_default();
    let (before, after) = (name(before), name(after));
    let bare = |path: &'a str, letter: &str| path.strip_prefix(letter).unwrap_or(path);
    if after == "/dev/null" {
        Patched::Deleted(bare(before, "a/"))
    } else if before.starts_with("a/") || before == "/dev/null" {
        Patched::Written(bare(after, "b/"))
    } else {
        Patched::Written(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        for (text, expected) in [
            (
                "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** Delete File: c\n",
                ">a >b -c",
            ),
            ("*** Update File: a\n*** Move to: b\n", ">a -a >b"),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n", ">x"),
            ("--- x\t2026-01-01\n+++ b/x\t2026-01-01\n", ">b/x"),
            ("--- a/x\n+++ /dev/null\n", "-x"),
            ("--- /dev/null\n+++ b/x\n", ">x"),
            ("rename from a\nrename to b\n", "-a >b"),
            ("--- \nno patch\n+++ x\n", ""),
            ("plain", ""),
        ] {
            let told: Vec<String> = files(text)
                .iter()
                .map(|file| match file {
                    Patched::Written(path) => format!(">{path}"),
                    Patched::Deleted(path) => format!("-{path}"),
                })
                .collect();
            assert_eq!(told.join(" "), expected, "{text}");
        }
    }
}
