//! Merging three versions of a task file, as git asks for it.
//!
//! It works on the files that it is given, in any folder: no project is opened and no configuration read. The result takes the place of
//! ours at once, or ours stays as it is.

use std::path::{Component, Path};

use engine_core::task::merge::{Markers, Merged, merge};
use engine_store::atomic::{self, Durability};
use engine_store::links::resolve;
use engine_store::merge_driver::{AsText, as_text};
use engine_store::project::FOLDER;
use engine_store::read::read_bytes;
use engine_text::undecoded;

use crate::error::CommandError;

/// The versions, by their files. The result is written to `ours`.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a> {
    pub base: &'a Path,
    pub ours: &'a Path,
    pub theirs: &'a Path,
}

/// How a merge ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    Clean,
    /// The file has markers.
    Conflict,
    /// Neither we nor git can merge the versions, and ours stays as it is.
    Unmerged(String),
}

/// Merges the versions. An error means that nothing was written.
pub fn merge_files(versions: &Versions<'_>, markers: Markers<'_>) -> Result<MergeOutcome, CommandError> {
    let Versions { base, ours, theirs } = versions;
    if resolve(ours).components().any(|part| part == Component::Normal(FOLDER.as_ref())) {
        return Err(CommandError::refused(format!("{} belongs to engine and is not merged", ours.display())));
    }
    let text = |path: &Path| {
        let bytes = read_bytes(path).map_err(|error| CommandError::at(path.display(), error))?;
        Ok::<_, CommandError>(undecoded::decode(bytes))
    };
    let (base_text, our_text, their_text) = (text(base)?, text(ours)?, text(theirs)?);
    let (bytes, outcome) = match merge(&base_text, &our_text, &their_text, markers) {
        Merged::Clean(text) => (undecoded::encode(&text).into_owned(), MergeOutcome::Clean),
        Merged::Conflict(text) => (undecoded::encode(&text).into_owned(), MergeOutcome::Conflict),
        Merged::Unmergeable(_) => {
            match as_text([base, ours, theirs], markers.size, [markers.ours, markers.theirs]) {
                Ok(AsText { bytes, has_conflict: false }) => (bytes, MergeOutcome::Clean),
                Ok(AsText { bytes, has_conflict: true }) => (bytes, MergeOutcome::Conflict),
                Err(error) => return Ok(MergeOutcome::Unmerged(error.to_string())),
            }
        }
    };
    if bytes != *undecoded::encode(&our_text) {
        atomic::replace(ours, &bytes, Durability::Disk)?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const BASE: &str = "## Pending Tasks\n- [ ] **A** —\n";

    fn merged(texts: [&[u8]; 3]) -> (MergeOutcome, Vec<u8>) {
        let folder = tempfile::tempdir().unwrap();
        let [base, ours, theirs] = ["base", "ours", "theirs"].map(|name| folder.path().join(name));
        for (file, text) in [&base, &ours, &theirs].into_iter().zip(texts) {
            fs::write(file, text).unwrap();
        }
        let versions = Versions { base: &base, ours: &ours, theirs: &theirs };
        let outcome = merge_files(&versions, Markers::default()).unwrap();
        (outcome, fs::read(ours).unwrap())
    }

    #[test]
    fn bytes_that_are_not_utf8_stay() {
        let base = b"## Pending Tasks\n- [ ] **caf\xe9** \xe2\x80\x94\n- [ ] **B** \xe2\x80\x94\n";
        let ours = b"## Pending Tasks\n- [x] **caf\xe9** \xe2\x80\x94\n- [ ] **B** \xe2\x80\x94\n";
        let theirs = b"## Pending Tasks\n- [ ] **caf\xe9** \xe2\x80\x94\n- [>] **B** \xe2\x80\x94\n";
        let both = b"## Pending Tasks\n- [x] **caf\xe9** \xe2\x80\x94\n- [>] **B** \xe2\x80\x94\n";
        assert_eq!(merged([base, ours, theirs]), (MergeOutcome::Clean, both.to_vec()));
    }

    #[test]
    fn what_cannot_be_taken_apart_is_merged_as_text() {
        let open = |text: &str| format!("```\n{text}");
        let (base, ours, theirs) =
            (open(BASE), open(&BASE.replace("[ ]", "[x]")), open(&BASE.replace("[ ]", "[>]")));
        let (outcome, text) = merged([base.as_bytes(), ours.as_bytes(), theirs.as_bytes()]);
        let expected =
            "```\n## Pending Tasks\n<<<<<<< ours\n- [x] **A** —\n=======\n- [>] **A** —\n>>>>>>> theirs\n";
        assert_eq!((outcome, String::from_utf8(text).unwrap().as_str()), (MergeOutcome::Conflict, expected));
        let (outcome, text) = merged([b"```\na\0", b"```\nb\0", b"```\nc\0"]);
        assert!(matches!(outcome, MergeOutcome::Unmerged(_)));
        assert_eq!(text, b"```\nb\0");
    }

    #[test]
    fn the_engines_own_files_are_not_merged() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(".engine/config.toml");
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        fs::write(&own, "a").unwrap();
        std::os::unix::fs::symlink(&own, folder.path().join("link")).unwrap();
        fs::write(folder.path().join("b"), "b").unwrap();
        for ours in [own.clone(), folder.path().join("link"), folder.path().join("x/../.engine/config.toml")]
        {
            let other = folder.path().join("b");
            let versions = Versions { base: &own, ours: &ours, theirs: &other };
            let refused = merge_files(&versions, Markers::default()).unwrap_err();
            assert!(refused.message.ends_with("belongs to engine and is not merged"), "{refused}");
        }
        assert_eq!(fs::read_to_string(own).unwrap(), "a");
    }
}
