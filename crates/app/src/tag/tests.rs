use super::*;
use crate::stage::{AGENT, Stage, agent, refusal, wanted};
use std::path::PathBuf;

const FILE: &str = "REQUEST.md";

fn with_file(text: &str) -> (Stage, PathBuf) {
    let stage = Stage::new();
    stage.write(FILE, text);
    let path = stage.root().join(FILE);
    (stage, path)
}

fn said(reading: &str) -> Consent<'_> {
    Consent { reading: Some(reading), yes: false }
}

fn context<'f>(stage: &Stage, caller: Caller, file: &'f Path) -> CommandContext<'f> {
    let project = stage.project();
    CommandContext { config: config_file::load(&project), project, caller, file }
}

fn swap_of<'a>(old: &'a str, new: &'a str) -> Swap<'a> {
    Swap { old, new, line: None, force: false, consent: Consent::default() }
}

#[test]
fn only_markdown_has_tags_and_the_project_is_not_looked_for_otherwise() {
    let (stage, _) = with_file("");
    stage.write("folder.md/x", "");
    let of = |name: &str| {
        let path = stage.root().join(name);
        let no_project = || Err(CommandError::refused("no project"));
        refusal(CommandContext::of(&path, no_project)).replace(&path.display().to_string(), name)
    };
    assert_eq!(
        of(".engine/config.toml"),
        "Refused: .engine/config.toml is no Markdown file: its name ends in .md"
    );
    assert_eq!(of("folder.md"), "Refused: folder.md is not a file");
    assert_eq!(of("REQUEST.md"), "Refused: no project");
}

#[test]
fn a_change_that_changes_nothing_leaves_the_bytes() {
    let text = "\u{feff}# T\r\n**Tags**: #a  #b\r\n\r\n`#c` #d";
    let (stage, path) = with_file(text);
    let context = context(&stage, Caller::Person, &path);
    assert!(!context.add("#a", Consent::default()).unwrap());
    assert!(!context.remove("#c", None).unwrap());
    assert!(!context.remove("#d", Some(1)).unwrap());
    assert_eq!(stage.read(FILE), text);
    assert!(context.remove("#d", Some(4)).unwrap());
    assert_eq!(stage.read(FILE), "\u{feff}# T\r\n**Tags**: #a  #b\r\n\r\n`#c`");
}

#[test]
fn a_file_that_is_not_there_is_not_made() {
    let stage = Stage::new();
    let path = stage.root().join("none.md");
    let context = context(&stage, agent(AGENT), &path);
    let before = stage.files();
    let none = format!("Refused: {}: there is no such file", path.display());
    assert_eq!(refusal(context.add("#a", Consent::default())), none);
    assert_eq!(refusal(context.add("#next-fix", Consent::default())), none, "and nobody is asked about it");
    assert_eq!(refusal(context.remove("#a", None)), none);
    assert_eq!(refusal(context.swap(&swap_of("#a", "#b"))), none);
    assert_eq!(refusal(context.escape(false)), none);
    assert_eq!(refusal(context.escape(true)), none);
    assert_eq!(stage.files(), before);
}

#[test]
fn a_persons_tag_is_asked_about_unless_it_is_there_or_cannot_be_swapped() {
    let (stage, path) = with_file("**Tags**: #needs-fix #next-docs\n");
    let agents = context(&stage, agent(AGENT), &path);
    let before = stage.files();
    assert!(!agents.add("#next-docs", Consent::default()).unwrap(), "what is there needs no word");
    assert_eq!(
        refusal(agents.swap(&swap_of("#needs-docs", "#next-docs"))),
        format!(
            "Refused: {} has no #needs-docs\n→ it may have been swapped by somebody else; a tag in code is a mention",
            path.display()
        )
    );
    assert_eq!(
        refusal(agents.swap(&swap_of("#needs-fix", "#next-docs"))),
        "Refused: #next-docs cannot follow #needs-fix; legal: #delegated-fix, #next-fix, #done-fix\n→ engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal"
    );
    assert_eq!(stage.files(), before, "nothing was asked, so nothing is remembered");
    let swap = swap_of("#needs-fix", "#next-fix");
    let what = format!("tag swap {} '#needs-fix' '#next-fix'", path.display());
    assert_eq!(refusal(agents.swap(&swap)), wanted(&what, 1));
    stage.answers(AGENT, true);
    agents.swap(&Swap { consent: said("they said yes"), ..swap }).unwrap();
    assert_eq!(stage.read(FILE), "**Tags**: #next-fix #next-docs\n");
    let persons = context(&stage, Caller::Person, &path);
    assert!(persons.add("#delegated-fix", Consent::default()).unwrap());
}

#[test]
fn a_forced_swap_is_written_down_once_with_who_did_it() {
    let (stage, path) = with_file("# T\n#done-review one\n\n#done-review two\n");
    let agents = context(&stage, agent(AGENT), &path);
    let forced = Swap { force: true, ..swap_of("#done-review", "#needs-review") };
    assert_eq!(
        refusal(agents.swap(&forced)),
        format!(
            "Refused: {} has #done-review several times in its text, in lines 2, 4\n→ say which: --line N",
            path.display()
        )
    );
    assert_eq!(
        refusal(agents.swap(&Swap { line: Some(3), ..forced })),
        format!(
            "Refused: {}:3 has no #done-review\n→ it may have been swapped by somebody else; a tag in code is a mention",
            path.display()
        )
    );
    let journal = || {
        let mut entries = Vec::new();
        for (_, day) in journal_file::days(&stage.project().journal_folder()) {
            journal_file::read_day(&day, |entry| entries.push(entry)).unwrap();
        }
        entries
    };
    assert_eq!(journal(), [], "what was not done is not written down");
    agents.swap(&Swap { line: Some(4), ..forced }).unwrap();
    context(&stage, Caller::Person, &path).swap(&forced).unwrap();
    let written: Vec<_> = journal()
        .into_iter()
        .map(|entry| (entry.session, entry.event, entry.input, entry.findings[0].because.clone()))
        .collect();
    let line = |session: &str| {
        let input = format!("{}: #done-review → #needs-review", path.display());
        (session.to_owned(), "TagSwap".to_owned(), Some(input), Some("forced; legal: nothing".to_owned()))
    };
    assert_eq!(written, [line(AGENT), line("")]);
    assert_eq!(stage.read(FILE), "# T\n#needs-review one\n\n#needs-review two\n");
}

#[test]
fn the_projects_own_transitions_count() {
    let (stage, path) = with_file("**Tags**: #done-review\n");
    stage.write(".engine/config.toml", "[tags]\ntransitions = [\"#done-* > #parked-*\"]\n");
    let persons = context(&stage, Caller::Person, &path);
    persons.swap(&swap_of("#done-review", "#parked-review")).unwrap();
    assert_eq!(
        refusal(persons.swap(&swap_of("#parked-review", "#foo"))),
        "Refused: #foo cannot follow #parked-review; legal: nothing\n→ engine show SIGILS tells the feeds; --force swaps all the same and is written into the journal"
    );
    assert!(!stage.exists(".engine/state/journal"), "a legal swap is not written down");
}

#[test]
fn escape_shows_what_it_would_write_and_a_second_one_nothing() {
    let text = "**Tags**: #needs-fix\n\nsee #needs-fix and #P1, `#needs-x`\n";
    let (stage, path) = with_file(text);
    let context = context(&stage, Caller::Person, &path);
    let shown = context.escape(false).unwrap();
    assert_eq!(stage.read(FILE), text);
    assert_eq!(shown.len(), 1);
    assert_eq!(context.escape(true).unwrap(), shown);
    assert_eq!(stage.read(FILE), "**Tags**: #needs-fix\n\nsee `#needs-fix` and #P1, `#needs-x`\n");
    assert_eq!(context.escape(true).unwrap(), []);
}
