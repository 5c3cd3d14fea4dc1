use super::*;

fn at(seconds: u64) -> Stamp {
    Stamp(seconds * 1000)
}

fn design(review: Option<(u64, Option<u32>)>) -> Option<Design> {
    let review = review.map(|(written, critical)| Review { written: at(written), critical });
    Some(Design { written: at(100), review, tests_first: false })
}

fn runbook(errors: usize, steps: Steps) -> Option<Runbook> {
    Some(Runbook { errors, steps })
}

fn run(done: usize, all: usize) -> Run {
    Run { done, all, ..Run::default() }
}

fn tiers() -> [String; 3] {
    ["haiku", "sonnet", "opus"].map(str::to_owned)
}

/// What the stage and the next command are, as `engine plans` prints them, with model and restart.
fn shown(facts: &Facts) -> String {
    let Some(standing) = Standing::of("foo", facts, &tiers()) else { return "no plan".to_owned() };
    let session = standing
        .next
        .as_ref()
        .map(|next| format!(" | {}{}", next.model, if next.restart { " | restart" } else { "" }));
    format!("{} → {}{}", standing.stage, standing.next_shown(), session.unwrap_or_default())
}

#[test]
fn the_stage_follows_from_what_is_there() {
    let designed = || Facts { design: design(Some((100, Some(0)))), ..Facts::default() };
    let first = Design { tests_first: true, ..designed().design.unwrap() };
    let planned = |errors, steps| Facts { runbook: runbook(errors, steps), ..designed() };
    let ran = |run: Run| Facts { run: Some(run), ..planned(0, Steps::Fresh) };
    let halted = Some("A or B?".to_owned());
    let unread =
        |runbook| Facts { runbook, unread: Some("design.md: not a file".to_owned()), ..Facts::default() };
    let cases = [
        (Facts::default(), "no plan"),
        (Facts { brief: true, ..Facts::default() }, "briefed → /design plans/foo | opus"),
        (
            Facts { brief: true, design: design(None), ..Facts::default() },
            "designed, not reviewed → /design plans/foo | opus",
        ),
        // A review that is older, that found something critical, or that does not say what it found.
        (
            Facts { design: design(Some((99, Some(0)))), ..Facts::default() },
            "designed, not reviewed → /design plans/foo | opus",
        ),
        (
            Facts { design: design(Some((200, Some(1)))), ..Facts::default() },
            "designed, not reviewed → /design plans/foo | opus",
        ),
        (
            Facts { design: design(Some((200, None))), ..Facts::default() },
            "designed, not reviewed → /design plans/foo | opus",
        ),
        // A checkout may write both at once.
        (designed(), "designed → /plan-adhoc plans/foo | sonnet"),
        (Facts { design: Some(first), ..Facts::default() }, "designed → /plan-tdd plans/foo | sonnet"),
        (planned(1, Steps::Missing), "planned (1 error) → engine runbook prepare foo | sonnet"),
        (planned(3, Steps::Fresh), "planned (3 errors) → engine runbook prepare foo | sonnet"),
        (planned(0, Steps::Missing), "planned → engine runbook prepare foo | sonnet"),
        (planned(0, Steps::Stale), "planned, stale → engine runbook prepare foo | sonnet"),
        // In another clone there are the files and no plan object.
        (planned(0, Steps::Fresh), "planned → engine runbook prepare foo | sonnet"),
        // A runbook needs no design.
        (
            Facts { runbook: runbook(0, Steps::Stale), ..Facts::default() },
            "planned, stale → engine runbook prepare foo | sonnet",
        ),
        (ran(run(0, 5)), "ready → /orchestrate plans/foo | haiku | restart"),
        (
            Facts { run: Some(run(0, 5)), ..planned(0, Steps::Stale) },
            "planned, stale → engine runbook prepare foo | sonnet",
        ),
        (ran(Run { begun: true, ..run(0, 5) }), "running 0/5 → /orchestrate plans/foo | haiku"),
        (ran(run(2, 5)), "running 2/5 → /orchestrate plans/foo | haiku"),
        (unread(None), "cannot be read: design.md: not a file → /design plans/foo | opus"),
        (
            unread(runbook(0, Steps::Fresh)),
            "cannot be read: design.md: not a file → engine runbook check foo | sonnet",
        ),
        (
            Facts { run: Some(run(2, 5)), ..unread(runbook(0, Steps::Fresh)) },
            "running 2/5 → /orchestrate plans/foo | haiku",
        ),
        // What runs counts more than what was changed since.
        (
            Facts { run: Some(run(2, 5)), ..planned(2, Steps::Stale) },
            "running 2/5 → /orchestrate plans/foo | haiku",
        ),
        (
            ran(Run { halted: halted.clone(), ..run(2, 5) }),
            "halted: A or B? → answer, then: engine runbook resume foo | haiku",
        ),
        (
            ran(Run { halted: halted.clone(), ..run(0, 5) }),
            "halted: A or B? → answer, then: engine runbook resume foo | haiku",
        ),
        (
            ran(Run { damaged: Some("damaged".to_owned()), ..Run::default() }),
            "halted: damaged → engine doctor | sonnet",
        ),
        (ran(run(5, 5)), "built → /handoff --commit | sonnet"),
        (ran(Run { has_reviews: true, ..run(5, 5) }), "reviewed → /handoff --commit | sonnet"),
        (
            ran(Run { has_reviews: true, committed: true, ..run(5, 5) }),
            "reviewed → engine plan close --plan foo | sonnet",
        ),
        (ran(Run { closed: true, ..run(5, 5) }), "built → /handoff --commit | sonnet"),
        (ran(Run { closed: true, committed: true, ..run(5, 5) }), "delivered → "),
        (ran(Run { closed: true, ..run(0, 5) }), "abandoned → "),
        (ran(Run { closed: true, committed: true, halted, ..run(2, 5) }), "abandoned → "),
    ];
    for (facts, expected) in cases {
        assert_eq!(shown(&facts), expected, "{facts:?}");
    }
}

#[test]
fn the_plan_that_a_command_names() {
    let cases = [
        ("/design plans/foo", Some("foo")),
        ("/engine:plan-adhoc plans/foo-bar/design.md", Some("foo-bar")),
        ("  /plan-tdd ./plans/foo, /orchestrate", Some("foo")),
        ("/orchestrate the steps of `plans/föö`", Some("föö")),
        ("/design foo, /plan-adhoc plans/foo", Some("foo")),
        ("engine runbook prepare foo", Some("foo")),
        ("engine runbook check --json plans/foo/runbook.md", Some("foo")),
        ("engine runbook next foo --copy", Some("foo")),
        ("engine runbook resume foo", Some("foo")),
        ("engine runbook status --json plans/foo", Some("foo")),
        ("engine runbook abandon foo", Some("foo")),
        ("engine runbook done 1.2 --plan foo", Some("foo")),
        ("engine runbook fail 1.2 --why broken --plan=foo", Some("foo")),
        ("engine runbook done 1.2", None),
        ("engine runbook done 12", None),
        ("engine runbook done 1.2 --planned foo", None),
        ("engine runbook list foo", None),
        ("engine runbook prepare", None),
        ("/design", None),
        ("/design plans", None),
        ("/design plans/", None),
        ("/design plans/../x", None),
        ("/design my-plans/foo", None),
        ("/design src/plans/foo", None),
        ("/fix plans/foo", None),
        ("read plans/foo", None),
        ("design plans/foo", None),
    ];
    for (command, expected) in cases {
        assert_eq!(plan_of(command).map(|named| named.plan), expected, "{command}");
    }
}

/// A project whose only plan is foo.
struct Only(Facts);

impl Stages for Only {
    fn standing(&self, plan: &str) -> Option<Standing> {
        Standing::of(plan, &self.0, &tiers()).filter(|_| plan == "foo")
    }

    fn unfinished(&self) -> Vec<String> {
        vec!["foo".to_owned()]
    }
}

#[test]
fn the_command_of_the_stage_wins_and_is_marked() {
    let briefed = || Facts { brief: true, ..Facts::default() };
    let designed = || Facts { design: design(Some((100, Some(0)))), ..Facts::default() };
    let first = || {
        let design = designed().design.unwrap();
        Facts { design: Some(Design { tests_first: true, ..design }), ..Facts::default() }
    };
    let planned = || Facts { runbook: runbook(2, Steps::Missing), ..designed() };
    let ran = |run: Run| Facts { run: Some(run), runbook: runbook(0, Steps::Fresh), ..Facts::default() };
    let chain = "/design plans/foo, /plan-tdd and /orchestrate, but do not commit";
    let halted = Run { halted: Some("A or B?".to_owned()), ..run(1, 5) };
    let cases = [
        (briefed(), "/design plans/foo/brief.md", "`/design plans/foo/brief.md` | opus | restart"),
        (
            briefed(),
            "/orchestrate plans/foo",
            "`/design plans/foo` (written: `/orchestrate plans/foo`) | opus, written follows",
        ),
        (designed(), "/design plans/foo", "`/plan-adhoc plans/foo` (written: `/design plans/foo`) | sonnet"),
        // How it is planned is as the task says, unless the design says it.
        (designed(), "/plan-tdd plans/foo", "`/plan-tdd plans/foo` | opus | restart"),
        (
            first(),
            "/plan-adhoc plans/foo",
            "`/plan-tdd plans/foo` (written: `/plan-adhoc plans/foo`) | sonnet",
        ),
        (
            briefed(),
            chain,
            "`/design plans/foo, /plan-tdd and /orchestrate, but do not commit` | opus | restart",
        ),
        (
            designed(),
            chain,
            "`/plan-tdd plans/foo and /orchestrate, but do not commit` (written: `/design plans/foo, /plan-tdd and /orchestrate, but do not commit`) | sonnet",
        ),
        (
            ran(run(0, 5)),
            chain,
            "`/orchestrate plans/foo, but do not commit` (written: `/design plans/foo, /plan-tdd and /orchestrate, but do not commit`) | haiku | restart",
        ),
        (
            planned(),
            "/plan-adhoc plans/foo",
            "`engine runbook prepare foo` (written: `/plan-adhoc plans/foo`) | sonnet",
        ),
        (planned(), "engine runbook check foo", "`engine runbook check foo` | opus | restart"),
        (
            ran(run(0, 5)),
            "/plan-adhoc plans/foo",
            "`/orchestrate plans/foo` (written: `/plan-adhoc plans/foo`) | haiku | restart",
        ),
        (ran(run(1, 5)), "/orchestrate plans/foo", "`/orchestrate plans/foo` | opus | restart"),
        (ran(run(1, 5)), "engine runbook run foo", "`engine runbook run foo` | opus | restart"),
        (ran(halted.clone()), "/orchestrate plans/foo", "`/orchestrate plans/foo` | opus | restart"),
        (
            ran(run(5, 5)),
            "/orchestrate plans/foo",
            "`/handoff --commit` (written: `/orchestrate plans/foo`) | sonnet",
        ),
        (
            ran(Run { closed: true, committed: true, ..run(5, 5) }),
            "/orchestrate plans/foo",
            "none is left (written: `/orchestrate plans/foo`) | opus",
        ),
        // A command that only comes before a part of the chain does not lose the rest.
        (
            planned(),
            "/design plans/foo, /plan-adhoc, /orchestrate, /handoff --commit and /commit",
            "`engine runbook prepare foo`, then `/orchestrate plans/foo, /handoff --commit and /commit` (written: `/design plans/foo, /plan-adhoc, /orchestrate, /handoff --commit and /commit`) | sonnet",
        ),
        (
            planned(),
            "/plan-adhoc plans/foo and /handoff --commit",
            "`engine runbook prepare foo`, then `/handoff --commit` (written: `/plan-adhoc plans/foo and /handoff --commit`) | sonnet",
        ),
        (
            planned(),
            "/orchestrate plans/foo, /handoff --commit and /commit",
            "`engine runbook prepare foo` (written: `/orchestrate plans/foo, /handoff --commit and /commit`) | sonnet, written follows",
        ),
        (
            first(),
            "/design plans/foo, /plan-adhoc and /orchestrate, but do not commit",
            "`/plan-tdd plans/foo, /orchestrate plans/foo, but do not commit` (written: `/design plans/foo, /plan-adhoc and /orchestrate, but do not commit`) | sonnet",
        ),
        (
            designed(),
            "/design plans/foo, /handoff --commit",
            "`/plan-adhoc plans/foo, /handoff --commit` (written: `/design plans/foo, /handoff --commit`) | sonnet",
        ),
        (
            ran(run(5, 5)),
            "/orchestrate plans/foo, /doc and /handoff --commit",
            "`/doc and /handoff --commit` (written: `/orchestrate plans/foo, /doc and /handoff --commit`) | sonnet",
        ),
        (
            ran(run(5, 5)),
            "/plan-adhoc plans/foo, /handoff",
            "`/handoff` (written: `/plan-adhoc plans/foo, /handoff`) | sonnet",
        ),
        // Neither does one that only mends something.
        (
            ran(Run { damaged: Some("damaged".to_owned()), ..Run::default() }),
            "/plan-adhoc plans/foo and /orchestrate",
            "`engine doctor` (written: `/plan-adhoc plans/foo and /orchestrate`) | sonnet, written follows",
        ),
        (
            Facts { unread: Some("runbook.md: not a file".to_owned()), ..planned() },
            "/plan-adhoc plans/foo",
            "`engine runbook check foo` (written: `/plan-adhoc plans/foo`) | sonnet, written follows",
        ),
        (ran(run(0, 5)), "engine runbook next foo", "`engine runbook next foo` | opus | restart"),
        (ran(halted.clone()), "engine runbook resume foo", "`engine runbook resume foo` | opus | restart"),
        (
            planned(),
            "engine runbook resume foo",
            "`engine runbook prepare foo` (written: `engine runbook resume foo`) | sonnet, written follows",
        ),
        (planned(), "engine runbook status foo", "`engine runbook status foo` | opus | restart"),
    ];
    for (facts, written, expected) in cases {
        let meta = Meta {
            command: Some(written.to_owned()),
            model: Some("opus".to_owned()),
            restart: true,
            ..Meta::default()
        };
        let guide = Guide::of(&meta, &Only(facts)).unwrap();
        let applied = guide.applied(&meta);
        let restart = if applied.restart { " | restart" } else { "" };
        let follows = if guide.then() == Some(written) { ", written follows" } else { "" };
        let shown = format!("{} | {}{restart}{follows}", guide.command(written), applied.model_or_default());
        assert_eq!(shown, expected, "{written}");
    }
    for written in ["/design plans/other", "/fix plans/foo", "make"] {
        let meta = Meta { command: Some(written.to_owned()), ..Meta::default() };
        assert_eq!(Guide::of(&meta, &Only(briefed())), None, "{written}");
    }
}

#[test]
fn plans_that_no_open_task_names() {
    let cases = [
        ("- [ ] **A** — `/plan-adhoc plans/foo/design.md`", 0),
        ("- [>] **A** — `engine runbook run foo`", 0),
        ("- [!] **A** —\n  - see plans/foo", 0),
        ("- [x] **A** — `/design plans/foo`", 1),
        ("- [ ] **A** — `/design plans/foo-bar`", 1),
        ("- [ ] **foo** — `/fix foo`", 1),
        ("", 1),
    ];
    for (tasks, expected) in cases {
        let text = format!("## Pending Tasks\n{tasks}\n");
        let file = TaskFile::parse(&text);
        let plans = Only(Facts { brief: true, ..Facts::default() });
        assert_eq!(without_task(&file, &plans).len(), expected, "{tasks}");
        assert_eq!(task_of(&file, "foo").is_none(), expected == 1, "{tasks}");
    }
    assert_eq!(without_task_line(&[]), None);
    let line = without_task_line(&["a".to_owned(), "b".to_owned()]);
    assert_eq!(line.as_deref(), Some("Plans without a task: 2; list them: engine plans"));
}

#[test]
fn only_front_matter_counts() {
    let reviews = [
        ("---\nCritical: 0\nMajor: 1\n---\n## Major\n", Some(0)),
        ("\u{feff}\r\n---\r\ncritical: \"1\" # two were mended\r\n---\r\n", Some(1)),
        ("---\nScope: all: of it\nCritical: 0 # none\n---\n", Some(0)),
        // What comes below the front matter is text.
        ("---\nCritical: 0\n---\nCritical: 2\n", Some(0)),
        ("---\nMajor: 0\n---\nCritical: 0\n", None),
        ("# Review\n\n```\nCritical: 0\n```\n", None),
        ("Critical: 0\n", None),
        ("---\nCritical: 0\n", None),
        // Two counts are none.
        ("---\nCritical: 0\nCritical: 2\n---\n", None),
        ("---\nCritical: 0\ncritical:\n---\n", None),
        ("---\nCritical: none\n---\n", None),
        ("---\nCritical: [0]\n---\n", None),
        ("", None),
    ];
    for (review, expected) in reviews {
        assert_eq!(critical(review), expected, "{review:?}");
    }
    let designs = [
        ("---\ntests: first\n---\n# Design\n", true),
        ("---\ntests: \"first\"\n---\n", true),
        ("---\ntests: 'first'\n---\n", true),
        ("---\ntests: first # c\n---\n", true),
        ("---\nTests: `first`\n---\n", true),
        ("---\ntitle: a: b\ntests: first # c\n---\n", true),
        ("---\ntests: after\n---\n", false),
        ("---\ntests: first#c\n---\n", false),
        ("---\ntests: first\ntests: last\n---\n", false),
        ("# Design\ntests: first\n", false),
    ];
    for (design, expected) in designs {
        assert_eq!(is_tests_first(design), expected, "{design:?}");
    }
}

#[test]
fn a_command_that_fits_keeps_its_own_model_and_gets_the_one_of_the_stage() {
    let ready = || Facts { run: Some(run(0, 5)), runbook: runbook(0, Steps::Fresh), ..Facts::default() };
    let cases = [
        ("/orchestrate plans/foo", None, "haiku | restart"),
        ("/orchestrate plans/foo", Some("opus"), "opus | restart"),
        // It opens its own sessions.
        ("engine runbook run foo", None, "sonnet"),
    ];
    for (written, model, expected) in cases {
        let meta =
            Meta { command: Some(written.to_owned()), model: model.map(str::to_owned), ..Meta::default() };
        let applied = Guide::of(&meta, &Only(ready())).unwrap().applied(&meta);
        let restart = if applied.restart { " | restart" } else { "" };
        assert_eq!(format!("{}{restart}", applied.model_or_default()), expected, "{written}");
    }
}

#[test]
fn models_come_from_the_tiers() {
    let brief = Facts { brief: true, ..Facts::default() };
    let designed = Facts { design: design(Some((100, Some(0)))), ..Facts::default() };
    let ready = Facts { run: Some(run(0, 5)), runbook: runbook(0, Steps::Fresh), ..Facts::default() };
    let cases: [(&[&str], [&str; 3]); 3] = [
        (&["mini", "mid", "large"], ["large", "mid", "mini"]),
        (&["mini", "large"], ["large", "large", "mini"]),
        (&["only"], ["only", "only", "only"]),
    ];
    for (tiers, expected) in cases {
        let tiers: Vec<String> = tiers.iter().map(|&tier| tier.to_owned()).collect();
        let model = |facts| Standing::of("foo", facts, &tiers).unwrap().next.unwrap().model;
        assert_eq!([&brief, &designed, &ready].map(model), expected);
    }
}
