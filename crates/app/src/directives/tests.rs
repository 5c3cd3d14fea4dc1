use super::*;
use crate::stage::{AGENT, Stage, agent, refusal, wanted};

fn kind(name: &str) -> &'static Type {
    Type::find(name).unwrap()
}

/// A project with one package.
pub(super) fn package() -> Stage {
    let stage = Stage::new();
    stage.write("packages/a/lib.rs", "");
    stage
}

fn names(missing: &[&Type]) -> Vec<&'static str> {
    missing.iter().map(|kind| kind.name).collect()
}

fn make_new(stage: &Stage, name: &str, text: Option<&str>) -> Result<Written, CommandError> {
    new(stage.project(), kind(name), Some(Path::new("packages/a")), || Ok(text.map(str::to_owned)))
}

fn add_to(stage: &Stage, name: &str, text: &str) -> Result<(Written, String), CommandError> {
    add(stage.project(), kind(name), Some(Path::new("packages/a")), || Ok(text.to_owned()))
}

#[test]
fn a_new_file_names_what_is_not_mentioned_its_own_type_alone() {
    let stage = package();
    let made = make_new(&stage, "PITFALLS", Some("- a trap")).unwrap();
    assert_eq!((made.file.as_str(), made.made), ("packages/a/.directives/PITFALLS.md", true));
    assert_eq!(names(&made.missing), ["PITFALLS"]);
    let made = make_new(&stage, "TESTING", Some("run it")).unwrap();
    assert_eq!(names(&made.missing), ["TESTING"], "what others left is not told each time");
    assert_eq!(stage.read("packages/a/.directives/TESTING.md"), "# Testing packages/a\n\nrun it\n");
    let made = make_new(&stage, "AGENTS", None).unwrap();
    assert_eq!(names(&made.missing), ["TESTING", "PITFALLS"], "in the order of the types");
    let made = make_new(&stage, "CHECKLIST", None).unwrap();
    stage.write("packages/a/.directives/AGENTS.md", "See CHECKLIST.md, ./TESTING.md and PITFALLS.md.");
    assert_eq!(names(&made.place.unmentioned().unwrap()), Vec::<&str>::new());
}

#[test]
fn nothing_is_written_where_the_agents_file_beside_it_cannot_be_read() {
    let stage = package();
    stage.write("packages/a/.directives/x", "");
    std::fs::write(stage.root().join("packages/a/.directives/AGENTS.md"), b"# \xe9\n").unwrap();
    let before = stage.files();
    let unread = "Refused: packages/a/.directives/AGENTS.md: stream did not contain valid UTF-8";
    assert_eq!(refusal(make_new(&stage, "PITFALLS", None)), unread);
    assert_eq!(refusal(add_to(&stage, "PITFALLS", "a trap")), unread);
    assert_eq!(stage.files(), before);
    assert_eq!(
        refusal(make_new(&stage, "AGENTS", None)),
        "Refused: packages/a/.directives/AGENTS.md is there already"
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn a_refusal_comes_before_the_text_is_asked_for_and_leaves_nothing() {
    let stage = package();
    stage.write("a.txt", "");
    let never = || -> Result<Option<String>, CommandError> { panic!("stdin is not read for a refusal") };
    let of = |dir: &str| refusal(new(stage.project(), kind("TESTING"), Some(Path::new(dir)), never));
    let before = stage.files();
    assert_eq!(of("nosuch"), "Refused: there is no folder nosuch");
    assert_eq!(of("a.txt"), "Refused: there is no folder a.txt");
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    assert_eq!(
        of(&outside.display().to_string()),
        format!("Refused: {} is outside of the project {}", outside.display(), stage.root().display())
    );
    assert_eq!(
        of(".engine"),
        "Refused: .engine: directives in it do not count\n→ folders that are left out: engine config show directives.skip"
    );
    assert_eq!(stage.files(), before);
    let failed = new(stage.project(), kind("TESTING"), Some(Path::new("packages/a")), || {
        Err(CommandError::refused("no input"))
    });
    assert_eq!(refusal(failed), "Refused: no input");
    assert_eq!(stage.files(), before);
}

#[test]
fn an_entry_is_added_once_below_a_header_that_is_made() {
    let stage = package();
    let (written, entry) = add_to(&stage, "PITFALLS", "- a  trap\n  for all").unwrap();
    assert_eq!(
        (entry.as_str(), written.made, names(&written.missing)),
        ("a trap for all", true, vec!["PITFALLS"])
    );
    let file = "packages/a/.directives/PITFALLS.md";
    let text =
        "# Pitfalls of packages/a\n\nWhat looks right and is wrong. Newest last.\n\n- a trap for all\n";
    assert_eq!(stage.read(file), text);
    assert_eq!(
        refusal(add_to(&stage, "PITFALLS", "a trap for all")),
        format!("Nothing: {file}:5 says it already")
    );
    let (written, _) = add_to(&stage, "PITFALLS", "another").unwrap();
    assert_eq!((written.made, names(&written.missing)), (false, vec![]), "told once, when it was made");
    assert_eq!(stage.read(file), format!("{text}- another\n"));
    stage.write(file, "# P\n\n```\nopen");
    assert_eq!(
        refusal(add_to(&stage, "PITFALLS", "third")),
        format!(
            "Refused: {file}:3: the code or comment that begins here never ends\n→ close it first: an entry behind it would be part of it"
        )
    );
    assert_eq!(stage.read(file), "# P\n\n```\nopen");
}

#[test]
fn mention_names_each_file_once_also_with_two_at_once() {
    let stage = package();
    let dir = Some(Path::new("packages/a"));
    let agents = "packages/a/.directives/AGENTS.md";
    assert_eq!(refusal(mention(stage.project(), dir)), format!("Nothing: {agents} has nothing to mention"));
    assert!(!stage.exists("packages/a/.directives"), "and nothing is made");
    make_new(&stage, "CHECKLIST", None).unwrap();
    make_new(&stage, "TESTING", None).unwrap();
    engine_store::lock::wait_at_least(std::time::Duration::from_mins(10));
    let results: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(|| mention(stage.project(), dir))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let mut shown: Vec<String> = results
        .into_iter()
        .map(|result| {
            result
                .map_or_else(|error| error.message, |(file, missing)| format!("{file}: {}", files(&missing)))
        })
        .collect();
    shown.sort();
    assert_eq!(
        shown,
        [format!("{agents} has nothing to mention"), format!("{agents}: TESTING.md, CHECKLIST.md")]
    );
    assert_eq!(stage.read(agents).matches("TESTING.md").count(), 1);
}

#[test]
fn an_agent_makes_none_for_every_project_without_a_word() {
    let stage = Stage::new();
    let make = |text: &'static str| {
        let text = || Ok(Some(text.to_owned()));
        refusal(new_for_every_project(
            || Ok(stage.project()),
            &agent(AGENT),
            kind("PITFALLS"),
            text,
            Consent { reading: Some("yes"), yes: false },
        ))
    };
    let what = |text: &str| {
        let text = made(kind("PITFALLS"), "every project", Some(text));
        let line = text.trim_end().replace('\n', "⏎");
        format!("a directive for every project: PITFALLS: {line}")
    };
    assert_eq!(make("- Mind the gap."), wanted(&what("- Mind the gap."), 1));
    assert_eq!(make("- Mind the gap."), wanted(&what("- Mind the gap."), 1));
    assert_eq!(make("- Another."), wanted(&what("- Another."), 2), "a person agrees to a text");
    let no_project = || Err(CommandError::refused("no project"));
    let never = || -> Result<Option<String>, CommandError> { panic!("stdin is not read for a refusal") };
    let outside =
        new_for_every_project(no_project, &agent(AGENT), kind("PITFALLS"), never, Consent::default());
    assert_eq!(refusal(outside), "Refused: no project");
}
