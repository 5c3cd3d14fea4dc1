use engine_core::client::NoClient;
use engine_core::view::{Handover, Work};

use super::*;

#[test]
fn what_was_recorded_is_claimed_by_one_event_while_something_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path());
    let client = || Box::new(NoClient::new(&Dialect::NONE));
    let view = || LiveView::new(&project, Config::default(), "s1", client());
    let exits = |view: &LiveView<'_>| view.recorded().iter().map(|ran| ran.exit).collect::<Vec<_>>();
    let set_open = |is_open: bool| {
        view().session_file().update(|state| state.work = is_open.then(Default::default)).unwrap()
    };
    recorder::open(&project, "s1", &Config::default()).unwrap();
    let log = project.sessions_folder().join("s1.ran");
    std::fs::write(log, "1\t7\t/p\tpytest\t1\n").unwrap();
    assert_eq!(exits(&view().claiming()), [0; 0], "nothing is open");
    set_open(true);
    assert_eq!(exits(&view()), [1], "it only looks");
    let first = view().claiming();
    assert_eq!((exits(&first), exits(&first)), (vec![1], vec![1]));
    assert_eq!(exits(&view().claiming()), [0; 0], "the first has it");
    let again = view().claiming().with_recorded(first.into_recorded());
    assert_eq!(exits(&again), [1], "judged again");
}

#[test]
fn work_is_for_whoever_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path());
    let work = WorkFile::new(&project, "2026_02_07_AUTH");
    work.make().unwrap();
    for (holder, asks, is_given) in
        [(None, "s1", true), (Some("s1"), "s1", true), (Some("s2"), "s1", false), (Some("s2"), "", false)]
    {
        work.begin(|state| {
            state.agent_session = holder
                .map(|id: &str| engine_core::work::Holder { id: id.to_owned(), bound_at: String::new() });
            Ok::<(), std::io::Error>(())
        })
        .unwrap();
        let view = LiveView::new(&project, Config::default(), asks, Box::new(NoClient::new(&Dialect::NONE)));
        match view.work_state("2026_02_07_AUTH") {
            Found::Ours(_) => assert!(is_given, "{holder:?} holds it, {asks:?} asks"),
            Found::Others(id) => assert_eq!((is_given, Some(&*id)), (false, holder)),
            Found::Unusable(why) => panic!("{why}"),
        }
        let none = Found::Unusable("sessions/2026_02_07_OTHER/state.json is missing".to_owned());
        assert_eq!(view.work_state("2026_02_07_OTHER"), none);
    }
}
