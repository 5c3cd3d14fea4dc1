use super::add::{Idea, add};
use super::edit::{Edit, edit};
use super::pull::pull;
use super::*;
use crate::stage::{Stage, agent};

fn context(stage: &Stage, session: &str) -> CommandContext {
    engine_store::session_file::SessionFile::new(&stage.project().sessions_folder(), session)
        .update(|_| ())
        .unwrap();
    CommandContext { project: stage.project(), caller: agent(session) }
}

fn keep(context: &CommandContext, fragment: &str, after: &[String]) -> String {
    add(context, &Idea { fragment, title: None, after }).unwrap().item.id
}

fn error<T>(result: Result<T, CommandError>) -> String {
    result.err().map(|error| error.message).unwrap_or_default()
}

#[test]
fn an_item_is_pulled_once_the_oldest_that_waits_for_nothing_first() {
    let stage = Stage::new();
    let (one, two) = (context(&stage, "one"), context(&stage, "two"));
    let first = keep(&one, "first", &[]);
    let second = keep(&one, "second", std::slice::from_ref(&first));
    let third = keep(&one, "third", &[]);
    assert_eq!(pull(&one, None).unwrap().item.id, first);
    assert_eq!(pull(&two, None).unwrap().item.id, third);
    assert_eq!(error(pull(&two, None)), "nothing is free; open items: 1");
    assert_eq!(error(pull(&two, Some(&first))), format!("{first} is pulled by one"));
    assert_eq!(error(to(&two, &first, State::Done, None)), format!("the agent session one works on {first}"));
    to(&one, &first, State::Done, None).unwrap();
    let pulled = pull(&two, None).unwrap();
    assert_eq!(pulled.item.id, second);
    assert!(pulled.prompt.starts_with(&format!("Queue item {second}: second\n\n")), "{}", pulled.prompt);
}

#[test]
fn what_waits_in_vain_is_kept_and_warned_about() {
    let stage = Stage::new();
    let context = context(&stage, "one");
    let captured =
        add(&context, &Idea { fragment: "document it", title: None, after: &["nosuch".to_owned()] }).unwrap();
    assert_eq!(captured.warnings.len(), 2, "{:?}", captured.warnings);
    assert_eq!(
        captured.warnings[1],
        format!("  set it right: engine q edit {} --after ID", captured.item.id)
    );
    assert_eq!(
        error(add(&context, &Idea { fragment: " \n", title: None, after: &[] })),
        "there is nothing to keep: the text is empty"
    );
}

#[test]
fn an_edit_changes_sections_and_fields_and_refuses_what_would_be_stuck() {
    let stage = Stage::new();
    let context = context(&stage, "one");
    let id = keep(&context, "dark mode", &[]);
    let goal =
        Edit { section: Some("Goal"), text: Some("A switch."), title: Some("Dark"), ..Edit::default() };
    assert_eq!(edit(&context, &id, &goal).unwrap().title, "Dark");
    assert!(context.text(&id).unwrap().contains("## Goal\n\nA switch."), "{}", context.text(&id).unwrap());
    let own = Edit { after: Some(&id), ..Edit::default() };
    assert!(error(edit(&context, &id, &own)).starts_with(&format!("{id} would be ")));
}
