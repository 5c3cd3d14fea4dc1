//! The files of a branch, read from git without checking it out.

use std::path::Path;
use std::time::Duration;

use super::{Call, Failure};

/// A file of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// From the folder that was asked about.
    pub path: String,
    /// The name of its content.
    pub id: String,
}

/// How long git may take for one answer. Only commands ask.
const PATIENCE: Duration = Duration::from_mins(2);

/// The local branches, by name.
pub fn branches(folder: &Path) -> Result<Vec<String>, String> {
    let text = asked(folder, &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"])?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The regular files of a local branch below a folder. Links and submodules are none; a path that is not UTF-8 is left out.
pub fn blobs(folder: &Path, branch: &str) -> Result<Vec<Blob>, String> {
    let name = format!("refs/heads/{branch}");
    let args = ["ls-tree", "-r", "-z", name.as_str()];
    let call = Call::new(folder, &args).offline().within(PATIENCE);
    let listed = call.raw(&[0]).map_err(|failure| failure.to_string())?.stdout;
    let blob = |line: &[u8]| {
        let line = std::str::from_utf8(line).ok()?;
        let (head, path) = line.split_once('\t')?;
        let mut words = head.split(' ');
        let (mode, kind, id) = (words.next()?, words.next()?, words.next()?);
        let is_file = kind == "blob" && mode.starts_with("100");
        is_file.then(|| Blob { path: path.to_owned(), id: id.to_owned() })
    };
    Ok(listed.split(|byte| *byte == 0).filter_map(blob).collect())
}

/// The contents of some blobs, in their order; nothing for one that is not there.
pub fn contents(folder: &Path, ids: &[&str]) -> Result<Vec<Option<Vec<u8>>>, String> {
    let input = ids.join("\n");
    let call = Call::new(folder, &["cat-file", "--batch"]).fed(input.as_bytes()).offline().within(PATIENCE);
    let all = call.raw(&[0]).map_err(|failure| failure.to_string())?.stdout;
    let mut rest = all.as_slice();
    let mut found = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        // `ID blob SIZE`, or `ID missing`.
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let size = head.rsplit_once("blob ").and_then(|(_, size)| size.parse::<usize>().ok());
        let content = size.filter(|size| *size < rest.len()).map(|size| rest[..size].to_vec());
        if let Some(content) = &content {
            rest = &rest[content.len() + 1..];
        }
        found.push(content);
    }
    found.resize(ids.len(), None);
    Ok(found)
}

fn asked(folder: &Path, args: &[&str]) -> Result<String, String> {
    let call = Call::new(folder, args).offline().within(PATIENCE);
    call.text().map_err(|failure: Failure| failure.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_files_of_a_branch_with_their_contents() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let git = |args: &[&str]| {
            let who = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
            Call::new(root, &[&who, args].concat()).text().unwrap()
        };
        git(&["init", "-q", "-b", "main"]);
        fs::create_dir_all(root.join("p/dä")).unwrap();
        for (path, text) in
            [("top.md", "top"), ("p/a.md", "one\n"), ("p/dä/b c.md", ""), ("p/same.md", "one\n")]
        {
            fs::write(root.join(path), text).unwrap();
        }
        symlink("a.md", root.join("p/link.md")).unwrap();
        git(&["add", "."]);
        git(&["commit", "-q", "-m", "x"]);
        git(&["branch", "feat/é"]);
        assert_eq!(branches(root).unwrap(), ["feat/é", "main"]);
        let blobs = blobs(&root.join("p"), "feat/é").unwrap();
        let paths: Vec<&str> = blobs.iter().map(|blob| blob.path.as_str()).collect();
        assert_eq!(paths, ["a.md", "dä/b c.md", "same.md"]);
        assert_eq!(blobs[0].id, blobs[2].id);
        let none = "0".repeat(40);
        let contents = contents(root, &[&blobs[0].id, &none, &blobs[1].id]).unwrap();
        assert_eq!(contents, [Some(b"one\n".to_vec()), None, Some(Vec::new())]);
        assert_eq!(
            super::blobs(root, "none").unwrap_err(),
            "git ls-tree: fatal: Not a valid object name refs/heads/none"
        );
        let outside = tempfile::tempdir().unwrap();
        assert!(
            branches(outside.path())
                .unwrap_err()
                .starts_with("git for-each-ref: fatal: not a git repository")
        );
    }
}
