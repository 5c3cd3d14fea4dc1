use engine_core::config::Difference;

use super::*;

fn parsed(text: &str) -> Config {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    parse(text, Layer::Project, &mut found, &mut problems);
    config::layered(found, problems)
}

#[test]
fn problems_name_their_line() {
    let config =
        parsed("# top\n[inject]\nbudget = 600\nbugdet = 1\nstrict = \"yes\"\n\n[rules]\nprotect = \"of\"\n");
    let problems: Vec<String> =
        config.problems().iter().map(|problem| format!("{}: {}", problem.line, problem.text)).collect();
    assert_eq!(
        problems,
        [
            "4: unknown key inject.bugdet; did you mean inject.budget?",
            "5: inject.strict takes true or false, not \"yes\"",
            "8: rules.protect takes \"on\", \"shadow\" or \"off\", not \"of\"",
        ]
    );
    assert_eq!(config::show(&config, "inject.budget"), Some(("600".into(), Layer::Project, 3)));
}

#[test]
fn broken_toml_is_one_problem() {
    let config = parsed("[inject]\nbudget = = 3\n");
    assert_eq!(config.problems().len(), 1);
    assert_eq!(config.problems()[0].line, 2);
}

#[test]
fn the_template_is_valid_and_sets_nothing() {
    let config = parsed(&config::template());
    assert_eq!(config, Config::default());
}

#[test]
fn set_keeps_every_other_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    let check = |before: &str, name: &str, word: &str, after: &str| {
        fs::write(&path, before).unwrap();
        set(&path, name, word).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), after, "{before:?}");
    };
    let mine = "# mine\n[inject]\n  budget = 600   # small\n\n[journal]\n# keep\nkeep_days = 3\n";
    check(mine, "inject.budget", "700", &mine.replace("600", "700"));
    check(mine, "inject.strict", "true", &mine.replace("[inject]\n", "[inject]\nstrict = true\n"));
    check(mine, "rules.title", "on", &format!("{mine}\n[rules]\ntitle = \"on\"\n"));
    let crlf = mine.replace('\n', "\r\n");
    check(&crlf, "inject.budget", "700", &crlf.replace("600", "700"));
    check(&crlf, "rules.title", "on", &format!("{crlf}\r\n[rules]\r\ntitle = \"on\"\r\n"));
    check("[inject]\nbudget = 600", "inject.budget", "700", "[inject]\nbudget = 700");
    check("inject.budget = 600 # dotted\n", "inject.budget", "700", "inject.budget = 700 # dotted\n");
    check("", "reminder.text", "say \"hi\"", "[reminder]\ntext = \"say \\\"hi\\\"\"\n");
    check("\u{feff}[inject]\nbudget = 600\n", "inject.budget", "700", "\u{feff}[inject]\nbudget = 700\n");
}

#[test]
fn what_cannot_be_set_is_refused_and_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    for (before, name, word, expected) in [
        ("", "inject.budget", "lots", "inject.budget takes a number from 500 to 9500, not \"lots\""),
        ("inject = { strict = true }\n", "inject.budget", "700", "without changing its layout"),
        ("[inject\n", "inject.budget", "700", ":1: not valid TOML"),
    ] {
        fs::write(&path, before).unwrap();
        let refused = set(&path, name, word).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
}

/// Two files of which everything counts.
fn files(folder: &Path) -> Files<'static> {
    Files {
        state: Some(folder.join("state").into()),
        user: Some(folder.join("user.toml")),
        file: folder.join("project.toml"),
        project: None,
    }
}

/// What is in force, and the problems.
fn read(files: &Files<'_>) -> (Vec<Assignment>, Vec<Problem>) {
    let config = with_environment(files.read(&mut Stamps::default()), None);
    (config.assignments().to_vec(), config.problems().to_vec())
}

#[test]
fn files_are_read_in_the_order_of_their_layers() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    assert_eq!(read(&files), (Vec::new(), Vec::new()));
    fs::write(folder.path().join("project.toml"), "[rules]\nprotect = \"on\"\n").unwrap();
    fs::write(folder.path().join("user.toml"), "[inject]\nbudget = 600\n[rules]\nprotect = \"off\"\n")
        .unwrap();
    let set = |name: &str, value, layer, line| Assignment { name: name.into(), value, layer, line };
    let text = |word: &str| Value::Text(word.into());
    let expected = vec![
        set("inject.budget", Value::Number(600), Layer::User, 2),
        set("rules.protect", text("off"), Layer::User, 4),
        set("rules.protect", text("on"), Layer::Project, 2),
    ];
    assert_eq!(read(&files), (expected.clone(), Vec::new()));
    // A file that cannot be read is told; the other one counts.
    fs::remove_file(folder.path().join("project.toml")).unwrap();
    fs::create_dir(folder.path().join("project.toml")).unwrap();
    let problem = |line, text: &str| Problem { layer: Layer::Project, line, text: text.into() };
    assert_eq!(read(&files), (expected[..2].to_vec(), vec![problem(0, "not a file")]));
    fs::remove_dir(folder.path().join("project.toml")).unwrap();
    fs::write(folder.path().join("project.toml"), "[rules]\nprotect = \n").unwrap();
    let (set, problems) = read(&files);
    assert_eq!(set, expected[..2]);
    assert_eq!(
        problems,
        [problem(
            2,
            "not valid TOML: string values must be quoted, expected literal string; the whole file is ignored"
        )]
    );
    fs::write(folder.path().join("project.toml"), b"\xff").unwrap();
    assert_eq!(read(&files).1, [problem(0, "stream did not contain valid UTF-8")]);
    let nobody = Files { state: None, user: None, file: PathBuf::new(), project: None };
    assert_eq!(read(&nobody), (Vec::new(), Vec::new()));
}

#[test]
fn the_first_file_of_the_person_is_accepted_and_its_changes_are_held() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let user = folder.path().join("user.toml");
    let told = |files: &Files<'_>| -> Vec<String> {
        let config = with_environment(files.read(&mut Stamps::default()), None);
        config.acceptance().differences.iter().map(|one| format!("{} {}", one.change(), one.held)).collect()
    };
    fs::write(&user, "[rules]\nprotect = \"off\"\n").unwrap();
    assert_eq!(told(&files), [""; 0]);
    fs::write(&user, "[rules]\nprotect = \"off\"\npolicy = \"off\"\n").unwrap();
    assert_eq!(told(&files), ["rules.policy = \"off\" (accepted: \"on\") true"]);
    fs::remove_file(&user).unwrap();
    assert_eq!(told(&files), ["rules.protect removed (accepted: \"off\") false"]);
    // One that is not valid says nothing: what was accepted counts.
    fs::write(&user, "[rules\n").unwrap();
    assert_eq!(told(&files), [""; 0]);
    assert_eq!(read(&files).0.len(), 1);
    // Without a folder that can be written nothing is accepted.
    fs::write(folder.path().join("file"), "").unwrap();
    fs::write(&user, "[rules]\npolicy = \"off\"\n").unwrap();
    let strict = Files { state: Some(folder.path().join("file/state").into()), ..self::files(folder.path()) };
    let (set, problems) = read(&strict);
    assert_eq!((set, problems.len()), (Vec::new(), 1));
    assert_eq!(problems[0].text, "the accepted configuration was not used: Not a directory (os error 20)");
}

#[test]
fn values_are_of_the_kinds_that_knobs_take() {
    let mut found = Vec::new();
    let text = "top = 1\n[a]\nflag = true\nnumber = -3\ntext = 'x'\nlist = ['a', \"b\"]\nnone = []\nmixed = ['a', 1]\nfloat = 1.5\n[a.b]\nc.d = 2\ninline = { e = 'f' }\n[[rule]]\nid = 'x'\n";
    parse(text, Layer::User, &mut found, &mut Vec::new());
    let shown: Vec<String> =
        found.iter().map(|set| format!("{} {} = {:?}", set.line, set.name, set.value)).collect();
    assert_eq!(
        shown,
        [
            "1 top = Number(1)",
            "3 a.flag = Flag(true)",
            "4 a.number = Number(-3)",
            "5 a.text = Text(\"x\")",
            "6 a.list = List([\"a\", \"b\"])",
            "7 a.none = List([])",
            "8 a.mixed = Other(\"[\\\"a\\\", 1]\")",
            "9 a.float = Other(\"1.5\")",
            "11 a.b.c.d = Number(2)",
            "12 a.b.inline.e = Text(\"f\")",
            "13 rule = Other(\"[{ id = \\\"x\\\" }]\")",
        ]
    );
}

/// A project with the person's state in a folder of its own.
fn project(folder: &Path) -> Project {
    let project = Project::at(&folder.join("p")).with_user_state(&folder.join("state"));
    fs::create_dir_all(project.folder()).unwrap();
    project
}

#[test]
fn the_cache_is_valid_while_the_files_are_what_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    let files = files(folder.path());
    let is_cached = |files: &Files<'_>| cached(&project, &files.stamps()).is_some();
    assert_eq!(files.stamps(), Stamps::default(), "without files there is nothing to keep");
    let path = folder.path().join("project.toml");
    let write = |text: &str, seconds: u64| {
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
    };
    write("[inject]\nbudget = 600\n", 10);
    let mut stamps = files.stamps();
    let read = files.read(&mut stamps);
    assert_eq!((stamps.user, stamps.project), (None, Some((22, 10_000_000_000))));
    assert!(!is_cached(&files));
    keep(&project, &stamps, &read);
    assert_eq!(format!("{:?}", cached(&project, &stamps)), format!("{:?}", Some(&read)));
    assert!(is_cached(&files));
    write("[inject]\nbudget = 700\n", 11);
    assert!(!is_cached(&files), "another time");
    write("[inject]\nbudget = 7000\n", 10);
    assert!(!is_cached(&files), "another size");
    write("[inject]\nbudget = 600\n", 10);
    fs::write(folder.path().join("user.toml"), "").unwrap();
    assert!(!is_cached(&files), "a file of the user's");
    fs::remove_file(folder.path().join("user.toml")).unwrap();
    let elsewhere = Files { file: folder.path().join("other.toml"), ..self::files(folder.path()) };
    fs::copy(&path, folder.path().join("other.toml")).unwrap();
    let file = fs::File::options().write(true).open(folder.path().join("other.toml")).unwrap();
    file.set_modified(UNIX_EPOCH + std::time::Duration::from_secs(10)).unwrap();
    assert!(!is_cached(&elsewhere), "another worktree");
    assert!(is_cached(&files));
    accepted::change(files.whose_user().unwrap(), |_| ()).unwrap();
    assert!(!is_cached(&files), "another accepted copy");
    keep(&project, &files.stamps(), &read);
    assert!(is_cached(&files));
    fs::write(cache(&project, "config").unwrap(), "{").unwrap();
    assert!(!is_cached(&files), "damaged");
}

#[test]
fn what_was_accepted_of_a_projects_file_is_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path());
    // The user's own file, if there is one, cannot win over the project's.
    for budget in ["600", "7000"] {
        fs::write(project.config_file(), format!("[inject]\nbudget = {budget}\n")).unwrap();
        let held: Vec<String> = load(&project).held().map(Difference::entry).collect();
        assert_eq!(held, [format!("inject.budget = {budget}")]);
        let entries = entries(&fs::read_to_string(project.config_file()).unwrap());
        let whose = Whose::Project(&project);
        accepted::change(whose, |accepted| accepted.files_mut(whose).config = entries).unwrap();
        let expected = Some((budget.to_owned(), Layer::Project, 2));
        for _ in 0..2 {
            assert_eq!(config::show(&load(&project), "inject.budget"), expected);
        }
        assert_eq!(config::show(&load_fresh(&project), "inject.budget"), expected);
        assert_eq!(config::show(&load_with(&project.config_file()), "inject.budget"), expected);
    }
    assert!(load(&project).acceptance().is_untrusted, "entries alone are no trust");
    assert_ne!(config::show(&load_user(), "inject.budget").map(|(_, layer, _)| layer), Some(Layer::Project));
}

#[test]
fn a_cache_that_cannot_be_kept_costs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("state"), "a file in the folder's place").unwrap();
    let project = project(folder.path());
    keep(&project, &Stamps::default(), &Read::default());
    assert_eq!(fs::read_to_string(folder.path().join("state")).unwrap(), "a file in the folder's place");
    fs::write(project.config_file(), "[rules]\nprotect = \"off\"\n").unwrap();
    let config = load(&project);
    assert_eq!(config.held().map(Difference::entry).collect::<Vec<_>>(), ["rules.protect = \"off\""]);
}

#[test]
fn set_makes_its_file_and_keeps_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/config.toml");
    assert_eq!(set(&path, "inject.budget", "700").unwrap(), Value::Number(700));
    assert_eq!(fs::read_to_string(&path).unwrap(), "[inject]\nbudget = 700\n");
    fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    for (name, word, value, text) in [
        (
            "inject.files",
            "A.md, B.md",
            Value::List(vec!["A.md".into(), "B.md".into()]),
            "[inject]\nfiles = [\"A.md\", \"B.md\"]\nbudget = 700\n",
        ),
        (
            "inject.strict",
            "on",
            Value::Flag(true),
            "[inject]\nstrict = true\nfiles = [\"A.md\", \"B.md\"]\nbudget = 700\n",
        ),
    ] {
        assert_eq!(set(&path, name, word).unwrap(), value);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    // Sections of sections, with and without a heading of their own.
    fs::write(&path, "[policy.files]\ndevice = \"off\"\n").unwrap();
    set(&path, "policy.git.reset-hard", "ask").unwrap();
    set(&path, "policy.files.device", "ask").unwrap();
    set(&path, "policy.files.protected", "warn").unwrap();
    set(&path, "policy.fail", "closed").unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "[policy.files]\nprotected = \"warn\"\ndevice = \"ask\"\n\n[policy.git]\nreset-hard = \"ask\"\n\n[policy]\nfail = \"closed\"\n"
    );
    // A heading at the very end, and text without an end of its line.
    fs::write(&path, "[inject]").unwrap();
    set(&path, "inject.budget", "700").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "[inject]\nbudget = 700\n");
    fs::write(&path, "# mine").unwrap();
    set(&path, "inject.budget", "700").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n\n[inject]\nbudget = 700\n");
}

#[test]
fn a_file_that_cannot_be_read_or_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    fs::create_dir(&path).unwrap();
    let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
    assert_eq!(refused, format!("{}: Is a directory (os error 21)", path.display()));
    fs::write(folder.path().join("file"), "").unwrap();
    let path = folder.path().join("file/config.toml");
    let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
    assert_eq!(refused, format!("{}: Not a directory (os error 20)", path.display()));
    fs::write(folder.path().join("broken.toml"), "a = 1\n\n[b\n").unwrap();
    let path = folder.path().join("broken.toml");
    let refused = set(&path, "inject.budget", "700").unwrap_err().to_string();
    assert_eq!(refused, format!("{}:3: not valid TOML: unclosed table, expected `]`", path.display()));
}
