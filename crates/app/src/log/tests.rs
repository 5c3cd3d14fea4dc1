use super::*;
use crate::stage::{AGENT, Stage, agent, refusal};
use engine_core::work::BoundWork;

const WORK: &str = "sessions/2026_02_07_AUTH";
const LOG: &str = "sessions/2026_02_07_AUTH/BUILD_LOG.md";

fn with_session() -> Stage {
    let stage = Stage::new();
    stage.work(WORK);
    stage
}

fn of(stage: &Stage, caller: Caller) -> CommandContext {
    CommandContext { project: Some(stage.project()), caller }
}

fn written(context: &CommandContext, file: &Path, text: &str) -> Result<Logged, CommandError> {
    write(context, file, false, || Ok(text.to_owned()))
}

#[test]
fn refusals_come_in_order_and_leave_nothing() {
    let stage = with_session();
    let context = of(&stage, agent(AGENT));
    let never = || -> Result<String, NoInput> { panic!("stdin is not read for a refusal") };
    let path = |name: &str| stage.root().join(name);
    let before = stage.files();
    assert_eq!(
        refusal(write(&context, &path("x.txt"), false, never)),
        format!("Refused: {} is no log: its name ends in .md", path("x.txt").display())
    );
    assert_eq!(
        refusal(write(&context, &path("x.md"), true, never)),
        format!(
            "Refused: {} is in no work session; an agent logs only there\n→ the Write tool writes other files",
            path("x.md").display()
        )
    );
    let log = path(LOG);
    let large = format!("## {}", "x".repeat(LARGEST));
    for (text, expected) in [
        (" \n", "Refused: the text on stdin is empty"),
        (large.as_str(), "Refused: the text is larger than 1 MB"),
        ("no heading", "Refused: the text has no heading: a log entry begins with a line ## TITLE"),
    ] {
        assert_eq!(refusal(written(&context, &log, text)), expected);
    }
    let silent = || Err(NoInput::Terminal);
    assert_eq!(
        refusal(write(&context, &log, false, silent)),
        "Refused: nothing is piped in: stdin is a terminal"
    );
    let folder = path("sessions/nosuch");
    assert_eq!(
        refusal(written(&context, &folder.join("A_LOG.md"), "## T")),
        format!("Refused: the folder {0} is not there\n→ make it: mkdir -p {0}", folder.display())
    );
    assert_eq!(stage.files(), before);
}

#[test]
fn an_entry_is_stamped_and_an_overwrite_is_not() {
    let stage = with_session();
    let context = of(&stage, Caller::Person);
    let first = written(&context, &stage.root().join(LOG), "## One\ntext").unwrap();
    let second = written(&context, &stage.root().join(LOG), "## Two\n").unwrap();
    assert_eq!(first.file, stage.root().join(LOG));
    assert_eq!(stage.read(LOG), format!("## [{}] One\ntext\n\n## [{}] Two\n", first.at, second.at));
    write(&context, &stage.root().join(LOG), true, || Ok("anything".to_owned())).unwrap();
    assert_eq!(stage.read(LOG), "anything");
    let outside = CommandContext { project: None, caller: agent(AGENT) };
    let entry = written(&outside, &stage.root().join("x.md"), "## T").unwrap();
    assert_eq!(stage.read("x.md"), format!("## [{}] T\n", entry.at), "outside of a project nobody is held");
}

#[test]
fn a_log_is_named_from_the_root_where_here_is_no_such_folder() {
    let stage = with_session();
    let context = of(&stage, agent(AGENT));
    assert_eq!(from_root(&context, Path::new(LOG)), stage.root().join(LOG));
    for stays in ["plain.md", "nosuch/x.md", "/nosuch/x.md"] {
        assert_eq!(from_root(&context, Path::new(stays)), Path::new(stays));
    }
}

#[test]
fn only_a_log_of_the_bound_work_is_counted() {
    let stage = with_session();
    let context = of(&stage, agent(AGENT));
    let other = "sessions/2026_02_08_DOCS/A_LOG.md";
    stage.write(other, "");
    let logged = |file: &str| {
        written(&context, &stage.root().join(file), "## T").unwrap();
        stage.session(AGENT).peek().logs
    };
    assert_eq!(logged(LOG), 0, "none is bound");
    let bound = BoundWork { name: "2026_02_07_AUTH".to_owned(), ..BoundWork::default() };
    stage.session(AGENT).update(|state| state.work = Some(bound)).unwrap();
    assert_eq!(logged(other), 0);
    assert_eq!(logged(LOG), 1);
    assert_eq!(logged(LOG), 2);
}

#[test]
fn entries_are_chosen_by_type_phase_and_time() {
    let text = "## [2026-02-07 10:00:00] Decision: JSON\n**Phase**: 3: Build\n\n## [2026-02-07 11:00:00] PTF: trap\n\n## no time\n";
    let entries = log::parse(text);
    let titles = |filter: Filter<'_>| -> Vec<&str> {
        entries.iter().filter(|entry| filter.fits(entry)).map(|entry| entry.title).collect()
    };
    assert_eq!(titles(Filter::default()).len(), 3);
    let of_kind = |index: usize| Filter { kind: entries[index].kind, ..Filter::default() };
    assert_eq!(titles(of_kind(0)), [entries[0].title]);
    assert_eq!(titles(of_kind(1)), [entries[1].title]);
    assert_eq!(titles(Filter { phase: Some("3"), ..Filter::default() }), [entries[0].title]);
    assert_eq!(titles(Filter { phase: Some("4"), ..Filter::default() }), Vec::<&str>::new());
    let since = |since| Filter { since: Some(since), ..Filter::default() };
    assert_eq!(
        titles(since("2026-02-07 11:00:00")),
        [entries[1].title],
        "that moment counts, no moment does not"
    );
    assert_eq!(titles(since("2026-02-07 11:00:01")), Vec::<&str>::new());
}

#[test]
fn the_logs_of_a_session_are_sorted_and_a_missing_one_is_named() {
    let stage = with_session();
    for name in ["B_LOG.md", "A_LOG.md", "PLAN.md"] {
        stage.write(&format!("{WORK}/{name}"), "");
    }
    let folder = stage.root().join(WORK);
    assert_eq!(logs_of(&folder).unwrap(), [folder.join("A_LOG.md"), folder.join("B_LOG.md")]);
    let missing = stage.root().join("sessions/nosuch");
    assert_eq!(refusal(logs_of(&missing)), format!("Refused: there is no session {}", missing.display()));
    assert_eq!(
        refusal(read(&missing)),
        format!("Refused: {}: No such file or directory (os error 2)", missing.display())
    );
}
