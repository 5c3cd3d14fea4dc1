//! Whether git ignores a folder that a person names. Whoever names it wants what is in it: `target/`, or a `sessions/` that is
//! kept out of git.

use std::path::Path;

use ignore::gitignore::GitignoreBuilder;

/// Any file, in the eyes of the patterns.
const ANY: &str = "any";

/// Whether git ignores a folder, by its real path, or everything that is in it.
pub(super) fn is_ignored(folder: &Path) -> bool {
    let Some(top) = folder.ancestors().find(|folder| folder.join(".git").exists()) else { return false };
    let probe = folder.join(ANY);
    let files = folder.ancestors().take_while(|above| above.starts_with(top));
    let places = files.map(|above| (above, above.join(".gitignore")));
    // The nearest file that has an opinion decides.
    places
        .chain([(top, top.join(".git/info/exclude"))])
        .find_map(|(root, file)| {
            let mut patterns = GitignoreBuilder::new(root);
            let unread = file.is_file().then(|| patterns.add(file));
            unread.as_ref()?;
            let matched = patterns.build().ok()?.matched_path_or_any_parents(&probe, false).map(|_| ());
            if matched.is_none() { None } else { Some(matched.is_ignore()) }
        })
        .unwrap_or(false)
}
