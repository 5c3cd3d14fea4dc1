use std::fs;
use std::os::unix::fs::symlink;

use super::*;

const WORK: &str = "sessions/2026_02_07_AUTH";

fn write(root: &Path, paths: &[&str]) {
    for path in paths {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "text").unwrap();
    }
}

fn project(paths: &[&str]) -> (tempfile::TempDir, Corpus) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir_all(root.join(".engine")).unwrap();
    write(&root, paths);
    let corpus = Corpus::open(Project::at(&root)).unwrap();
    (folder, corpus)
}

fn kinds_and_keys(listing: &Listing) -> Vec<String> {
    let line = |source: &Source| format!("{} {}", source.kind.as_str(), source.key);
    let mut lines: Vec<String> = listing.sources.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn all_markdown_has_a_kind() {
    let log = format!("{WORK}/X_LOG.md");
    let deep = format!("{WORK}/sub/E.mdx");
    let paths = [
        "a.md",
        "sessions/loose.md",
        "sessions/not-a-session/X.md",
        "plans/p/x.markdown",
        "plans/p/PLAN.md",
        &log,
        &deep,
    ];
    let (_folder, corpus) = project(&paths);
    let expected = [
        "docs a.md",
        "docs sessions/loose.md",
        "docs sessions/not-a-session/X.md",
        "plans plans/p/PLAN.md",
        "plans plans/p/x.markdown",
        "sessions sessions/2026_02_07_AUTH/X_LOG.md",
        "sessions sessions/2026_02_07_AUTH/sub/E.mdx",
    ];
    assert_eq!(kinds_and_keys(&corpus.list(&Kind::ALL, &|| false)), expected);
    assert_eq!(corpus.session_of(&log), Some(WORK));
    assert_eq!(corpus.session_of("sessions/not-a-session/X.md"), None);
    assert_eq!(corpus.session_of("sessions/loose.md"), None);
}

#[test]
fn what_is_left_out_is_told_with_its_kind() {
    let token = ["ghp", "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"].join("_");
    let secret = format!("docs/{token}.md");
    let log = format!("{WORK}/X_LOG.md");
    let (folder, corpus) = project(&["docs/a.md", "docs/decisions/1.md", &secret, &log]);
    let root = fs::canonicalize(folder.path()).unwrap();
    for link in ["docs/link.md", "docs/decisions/link.md", "sessions/2026_02_07_AUTH/L.md", "learnings.md"] {
        symlink("a.md", root.join(link)).unwrap();
    }
    let listing = corpus.list(&Kind::ALL, &|| false);
    let line = |Skipped { kind, path, why }: &Skipped| format!("{} {path}: {why}", kind.as_str());
    let mut lines: Vec<String> = listing.left_out.iter().map(line).collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            format!("decisions docs/decisions/link.md: {LINK}"),
            "docs docs/[redacted]: its name has the form of a secret".to_owned(),
            format!("docs docs/link.md: {LINK}"),
            format!("learnings learnings.md: {LINK}"),
            format!("sessions sessions/2026_02_07_AUTH/L.md: {LINK}"),
        ]
    );
    assert_eq!(listing.sources.len(), 3);
}

#[test]
fn patterns_are_taken_as_people_write_them() {
    for (pattern, expected) in [
        ("other", &["**/other", "other"][..]),
        ("other/", &["**/other", "other"]),
        ("./other/", &["other"]),
        ("./other/**", &["other/**"]),
        ("a/other/", &["a/other"]),
        ("./", &[]),
    ] {
        assert_eq!(skipping(pattern), expected, "{pattern}");
    }
    for (pattern, is_one) in
        [("[", false), ("docs/{a", false), ("a]", false), ("app/[slug]/*.md", true), ("{a,b}/*.md", true)]
    {
        assert_eq!(patterns([pattern].into_iter()).is_ok(), is_one, "{pattern}");
    }
}

#[test]
fn what_git_tracks_is_found_although_a_pattern_ignores_it() {
    let (folder, corpus) = project(&["made/a.md", "made/b.md", "made/deep/c.md", "d.md"]);
    let git = |args: &[&str]| git::text(folder.path(), args).unwrap();
    git(&["init", "-q"]);
    git(&["add", "-f", "made/a.md", "made/deep/c.md"]);
    fs::write(folder.path().join(".gitignore"), "made/\n").unwrap();
    let found = || kinds_and_keys(&corpus.list(&[Kind::Docs], &|| false));
    assert_eq!(found(), ["docs d.md"], "a query does not ask git");
    fs::create_dir_all(corpus.folder()).unwrap();
    corpus.keep_tracked();
    assert_eq!(found(), ["docs d.md", "docs made/a.md", "docs made/deep/c.md"]);
    fs::remove_file(folder.path().join("made/a.md")).unwrap();
    assert_eq!(found(), ["docs d.md", "docs made/deep/c.md"]);
    git(&["rm", "-q", "--cached", "made/a.md", "made/deep/c.md"]);
    corpus.keep_tracked();
    assert_eq!(found(), ["docs d.md"]);
}
