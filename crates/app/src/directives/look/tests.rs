use super::*;
use crate::directives::tests::package;
use crate::stage::{AGENT, Stage, refusal};
use engine_core::work::BoundWork;

/// Those of the project; the person who runs the tests may have some of their own.
fn shown(stage: &Stage, found: Result<Vec<FoundDirective>, CommandError>) -> Vec<String> {
    let found = found.map_err(|error| error.message).unwrap();
    found.iter().filter(|one| one.path.starts_with(stage.root())).map(|one| stage.shown(&one.path)).collect()
}

fn with_directives() -> Stage {
    let stage = package();
    for file in [
        "packages/a/.directives/TESTING.md",
        "packages/a/.directives/AGENTS.md",
        ".directives/PITFALLS.md",
        ".directives/AGENTS.md",
    ] {
        stage.write(file, "text");
    }
    stage
}

#[test]
fn from_the_folder_up_in_the_order_of_the_types() {
    let stage = with_directives();
    let project = stage.project();
    let dir = stage.root().join("packages/a");
    let of = |wanted: Wanted<'_>| shown(&stage, discover(Some(&project), &dir, None, wanted));
    let all = [
        "packages/a/.directives/AGENTS.md",
        "packages/a/.directives/TESTING.md",
        ".directives/AGENTS.md",
        ".directives/PITFALLS.md",
    ];
    assert_eq!(of(Wanted::Types(&[])), all);
    assert_eq!(of(Wanted::Types(&["TESTING".to_owned(), "PITFALLS".to_owned()])), [all[1], all[3]]);
    assert_eq!(of(Wanted::Types(&["NOSUCH".to_owned()])), Vec::<String>::new());
    stage.write(
        ".claude/skills/build/SKILL.md",
        "---\nname: build\ndescription: x\nengine:\n  phases:\n    - {label: \"1\", name: Do}\n  directives: [TESTING.md]\n---\n",
    );
    assert_eq!(of(Wanted::Skill("build")), [all[0], all[1], all[2]], "core ones, and what it declares");
    let below = shown(&stage, discover(None, &dir, Some(&dir), Wanted::Types(&[])));
    assert_eq!(below, all[..2], "the way up ends at the root that is named");
}

#[test]
fn what_cannot_be_looked_up_is_refused() {
    let stage = with_directives();
    let (project, root) = (stage.project(), stage.root());
    let of = |dir: &str, base: Option<&str>, wanted| {
        refusal(discover(
            Some(&project),
            &root.join(dir),
            base.map(|base| root.join(base)).as_deref(),
            wanted,
        ))
    };
    let all = Wanted::Types(&[]);
    assert_eq!(
        of("nosuch", None, all),
        format!("Refused: {}: No such file or directory (os error 2)", root.join("nosuch").display())
    );
    assert_eq!(
        of(".", Some("nosuch"), all),
        format!("Refused: {}: No such file or directory (os error 2)", root.join("nosuch").display())
    );
    assert_eq!(
        of(".engine", Some("packages"), all),
        format!(
            "Refused: {} is not below {}\n→ --root DIR names where the way up ends",
            root.join(".engine").display(),
            root.join("packages").display()
        )
    );
    assert_eq!(
        of(".", None, Wanted::Skill("nosuch")),
        "Refused: there is no skill nosuch\n→ engine skill list shows all"
    );
    assert_eq!(
        refusal(discover(None, &root, Some(&root), Wanted::Skill("build"))),
        "Refused: skills are looked up in a project; there is none here"
    );
}

#[test]
fn what_was_told_is_unread_or_not_met_yet() {
    let stage = with_directives();
    stage.write("packages/a/.directives/CHECKLIST.md", "- [ ] x");
    let set = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect();
    let refers = format!("{REFERS}NAME");
    let told = ContextDirectives {
        delivered: set(&[".directives/AGENTS.md", "gone/.directives/TESTING.md", &refers]),
        pending: set(&["packages/a/.directives/AGENTS.md"]),
        ..ContextDirectives::default()
    };
    let sub =
        ContextDirectives { delivered: set(&[".directives/AGENTS.md"]), ..ContextDirectives::default() };
    stage
        .session(AGENT)
        .update(|state| {
            state.directives = BTreeMap::from([(String::new(), told), ("agent-1".to_owned(), sub.clone())]);
            state.work =
                Some(BoundWork { directives: vec!["CHECKLIST.md".to_owned()], ..BoundWork::default() });
        })
        .unwrap();
    let status = status(&stage.project(), &stage.root().join("packages/a"), Some(AGENT)).unwrap();
    let own = places::user_directives();
    let is_projects = |row: &&Row| own.as_ref().is_none_or(|own| !Path::new(&row.path).starts_with(own));
    let rows: Vec<_> =
        status.rows.iter().filter(is_projects).map(|row| (row.state, row.bytes, row.path.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("unread", 4, "packages/a/.directives/AGENTS.md"),
            ("for other skills", 4, "packages/a/.directives/TESTING.md"),
            ("not met yet", 7, "packages/a/.directives/CHECKLIST.md"),
            ("told", 4, ".directives/AGENTS.md"),
            ("for other skills", 4, ".directives/PITFALLS.md"),
            ("told", 0, "gone/.directives/TESTING.md"),
        ]
    );
    assert_eq!(status.session.as_deref(), Some(AGENT));
    assert_eq!(status.subagents, BTreeMap::from([("agent-1".to_owned(), sub)]));
    assert_eq!(
        refusal(super::status(&stage.project(), &stage.root(), Some("zzz"))),
        "Refused: no living session begins with zzz"
    );
}
