use super::*;
use crate::stage::{Stage, refusal};

const COOPERATIVE: &str = "---\nname: build\ndescription: Builds.\nallowed-tools: Skill\ncontinuation: {cooperative: true}\n---\nBuild it.\n";

fn file(stage: &Stage, name: &str) -> PathBuf {
    stage.root().join(format!(".claude/skills/{name}/SKILL.md"))
}

#[test]
fn a_skill_is_made_once_and_a_name_that_is_taken_makes_nothing() {
    let stage = Stage::new();
    let new = |name: &str| refusal(make(&stage.root(), name));
    let before = stage.files();
    for name in ["a b", "a:b", "../x", ""] {
        assert_eq!(new(name), format!("Usage: {name} is no name for a skill: letters, digits, - and _"));
    }
    assert_eq!(new("clear"), "Refused: /clear is a command of the client; the skill would take its place");
    assert_eq!(stage.files(), before);
    assert_eq!(make(&stage.root(), "one").unwrap(), Path::new(".claude/skills/one/SKILL.md"));
    assert_eq!(stage.read(".claude/skills/one/SKILL.md"), template("one"));
    stage.write(".claude/skills/one/SKILL.md", "mine");
    assert_eq!(new("one"), format!("Refused: /one is there already: {}", file(&stage, "one").display()));
    assert_eq!(stage.read(".claude/skills/one/SKILL.md"), "mine");
    stage.write(".claude/commands/two.md", "Do it.\n");
    let twin = stage.root().join(".claude/commands/two.md");
    assert_eq!(new("two"), format!("Refused: /two is there already: {}", twin.display()));
    assert!(!stage.exists(".claude/skills/two"));
}

#[test]
fn files_are_named_by_file_folder_or_folder_of_folders() {
    let stage = Stage::new();
    for name in ["b", "a"] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), COOPERATIVE);
    }
    stage.write(".claude/skills/notes/README.md", "");
    let all = stage.root().join(".claude/skills");
    let (a, b) = (file(&stage, "a"), file(&stage, "b"));
    let of = |paths: &[&Path]| files(&paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>());
    assert_eq!(of(&[&all]).unwrap(), [a.clone(), b.clone()]);
    assert_eq!(of(&[&b, &all.join("a")]).unwrap(), [b.clone(), a.clone()], "as they are named");
    let notes = all.join("notes");
    assert_eq!(refusal(of(&[&b, &notes])), format!("Refused: {}: no SKILL.md in it", notes.display()));
    let missing = all.join("nosuch");
    assert_eq!(
        refusal(of(&[&missing])),
        format!(
            "Refused: {} is neither a path nor the name of a skill with a SKILL.md\n→ the names: engine skill list",
            missing.display()
        )
    );
}

#[test]
fn why_a_skill_is_no_entry() {
    let stage = Stage::new();
    for (name, text) in [
        ("good", COOPERATIVE),
        ("plain", "---\ndescription: x\n---\n"),
        (
            "typed",
            "---\ndescription: x\ndisable-model-invocation: true\ncontinuation: {cooperative: true}\n---\n",
        ),
        ("open", "---\ndescription: x\n"),
        ("dot.ted", COOPERATIVE),
    ] {
        stage.write(&format!(".claude/skills/{name}/SKILL.md"), text);
    }
    stage.write(".claude/commands/good.md", COOPERATIVE);
    let skills = Skills::around(&stage.root());
    let own = skills::all(&stage.root())
        .into_iter()
        .filter(|found| found.path.as_ref().is_some_and(|path| path.starts_with(stage.root())));
    let mut shown: Vec<String> = own
        .map(|found| format!("{}: {}", found.name, why_not(&found, &skills).unwrap_or_default()))
        .collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            "dot.ted: its name cannot be typed in a chain",
            "good: ",
            &format!("good: hidden by project ({})", file(&stage, "good").display()),
            "open: line 1: the front matter is not closed by ---",
            "plain: not cooperative",
            "typed: the model cannot call it",
        ]
    );
}

#[test]
fn skills_that_are_checked_together_know_each_other() {
    let stage = Stage::bare();
    let exit = |to: &str| {
        COOPERATIVE.replace("cooperative: true}", &format!("cooperative: true, default-exit: [/{to}]}}"))
    };
    stage.write("b/SKILL.md", &exit("zz-unknown"));
    stage.write("a/SKILL.md", &exit("b"));
    let (a, b) = (stage.root().join("a/SKILL.md"), stage.root().join("b/SKILL.md"));
    let shown = |paths: &[PathBuf]| -> Vec<String> {
        let report = check_all(paths).unwrap();
        assert_eq!(report.unread, Vec::<String>::new());
        let exits = report.found.iter().filter(|(_, checked)| checked.text.starts_with("the exit"));
        exits.map(|(file, checked)| format!("{}: {}", stage.shown(file), checked.text)).collect()
    };
    let b_wrong = "b/SKILL.md: the exit /zz-unknown is no skill here";
    assert_eq!(shown(&[a.clone(), b.clone()]), [b_wrong]);
    assert_eq!(shown(std::slice::from_ref(&a)), ["a/SKILL.md: the exit /b is no skill here"]);
    let missing = stage.root().join("c/SKILL.md");
    assert_eq!(
        refusal(check_all(&[a, missing.clone()])),
        format!("Refused: {}: No such file or directory (os error 2)", stage.root().join("c").display())
    );
    assert_eq!(
        refusal(matrix(std::slice::from_ref(&missing))),
        format!("Refused: {}: No such file or directory (os error 2)", missing.display())
    );
}

#[test]
fn a_follow_up_counts_unless_it_is_only_talked_about() {
    for (text, expected) in [
        ("", false),
        ("#needs-implementation", true),
        ("`#needs-implementation`", false),
        ("`#needs-implementation` and #needs-implementation", true),
    ] {
        assert_eq!(is_tagged(text), expected, "{text}");
    }
    let stage = Stage::bare();
    stage.write("a/SKILL.md", "# A\n\n#needs-implementation\n");
    stage.write("b/SKILL.md", "`#needs-implementation`\n");
    let rows = matrix(&[stage.root().join("b/SKILL.md"), stage.root().join("a/SKILL.md")]).unwrap();
    let shown: Vec<_> = rows.iter().map(|row| (row.skill.as_str(), row.has.len(), row.follow_up)).collect();
    assert_eq!(
        shown,
        [("b", FEATURES.len(), false), ("a", FEATURES.len(), true)],
        "in the order of the files"
    );
}

#[test]
fn errors_and_warnings_are_counted_apart() {
    let checked = |severity| (PathBuf::from("SKILL.md"), Checked { severity, line: 1, text: String::new() });
    let found = vec![checked(Severity::Warning), checked(Severity::Error), checked(Severity::Warning)];
    let report = Report { found, ..Report::default() };
    assert_eq!((report.count(Severity::Error), report.count(Severity::Warning)), (1, 2));
}
