//! The engine's own commands, and which of them an agent runs that is to change nothing.
//!
//! A command that is not in the table is refused to such an agent. A test compares the table with the command line.

use engine_core::evidence::proof::QA;
use engine_core::plan::PROMPT_WRITER;
use engine_core::work::name::FOLDER;
use engine_shell::Run;

/// What a command does to the project and to the engine's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Reads,
    /// It changes something with this option.
    ReadsWithout(&'static str),
    /// A check, whose outcome is noted.
    Checks,
    /// It records what `qa` judges.
    Judges,
    /// The queue of prompts, which `prompt-writer` fills.
    Queues,
    /// An entry in a log. In a work session every agent is held to write them.
    Logs,
    Changes,
}

use Access::{Changes, Checks, Judges, Logs, Queues, Reads, ReadsWithout};

/// Every command that does something.
pub const COMMANDS: &[(&str, Access)] = &[
    ("init", Changes),
    ("uninstall", Changes),
    ("doctor", Reads),
    ("explain", Reads),
    ("why", Reads),
    ("rules", Reads),
    ("journal", Reads),
    ("approval list", Reads),
    ("approval show", Reads),
    ("approval grant", Changes),
    ("approval deny", Changes),
    ("trust", Changes),
    ("config show", Reads),
    ("config get", Reads),
    ("config set", Changes),
    ("config diff", Reads),
    ("config accept", Changes),
    ("status", Reads),
    ("task list", Reads),
    ("task add", Changes),
    ("task show", Reads),
    ("task start", Changes),
    ("task done", Changes),
    ("task block", Changes),
    ("task fail", Changes),
    ("task cancel", Changes),
    ("task recover", Changes),
    ("task reopen", Changes),
    ("task edit", Changes),
    ("task move", Changes),
    ("task note", Changes),
    ("task next", Reads),
    ("task validate", ReadsWithout("--fix")),
    ("task context", Reads),
    ("handoff", Changes),
    ("commit-check", Checks),
    ("check", Checks),
    ("learn add", Changes),
    ("learn list", Reads),
    ("remember", Changes),
    ("note add", Changes),
    ("note list", Reads),
    ("note show", Reads),
    ("note edit", Changes),
    ("note drop", Changes),
    ("note review", Reads),
    ("q add", Queues),
    ("q list", Reads),
    ("q show", Reads),
    ("q pull", Queues),
    ("q done", Queues),
    ("q drop", Queues),
    ("q release", Queues),
    ("q edit", Queues),
    ("log", Logs),
    ("log show", Reads),
    ("chain parse", Reads),
    ("chain peel", Reads),
    ("chain show", Reads),
    ("chain next", Reads),
    ("chain return", Changes),
    ("chain drop", Changes),
    ("chain fail", Changes),
    ("chain retry", Changes),
    ("chain skip", Changes),
    ("chain resume", Changes),
    ("chain take", Changes),
    ("chain validate", Reads),
    ("skill list", Reads),
    ("skill check", Reads),
    ("skill new", Changes),
    ("session init", Changes),
    ("session activate", Changes),
    ("session phase", Changes),
    ("session continue", Changes),
    ("session idle", Changes),
    ("session deactivate", Changes),
    ("session finish", Changes),
    ("session check", Changes),
    ("session debrief", ReadsWithout("--write")),
    ("session dehydrate", Changes),
    ("session restart", Changes),
    ("session clear", Changes),
    ("session target", Changes),
    ("session update", Changes),
    ("session find", Reads),
    ("session list", Reads),
    ("session show", Reads),
    ("session request-template", Reads),
    ("find-sessions", Reads),
    ("plan new", Changes),
    ("plan quick", Changes),
    ("plan presets", Reads),
    ("plan show", Reads),
    ("plan list", Reads),
    ("plan take", Changes),
    ("plan lock", Changes),
    ("plan step start", Changes),
    ("plan step done", Judges),
    ("plan step fail", Changes),
    ("plan add", Changes),
    ("plan criteria set", Changes),
    ("plan criteria add", Changes),
    ("plan criteria remove", Changes),
    ("plan verify", Judges),
    ("plan halt", Changes),
    ("plan resume", Changes),
    ("plan report", Reads),
    ("plan close", Changes),
    ("runbook new", Changes),
    ("runbook check", Reads),
    ("runbook prepare", Changes),
    ("runbook list", Reads),
    ("runbook start", Changes),
    ("runbook next", Changes),
    ("runbook done", Changes),
    ("runbook fail", Changes),
    ("runbook escalate", Changes),
    ("runbook skip", Changes),
    ("runbook resume", Changes),
    ("runbook status", Reads),
    ("runbook abandon", Changes),
    ("runbook run", Changes),
    ("plans", Reads),
    ("evidence", Reads),
    ("evidence learn", ReadsWithout("--set")),
    ("enrich index", Reads),
    ("enrich try", Reads),
    ("enrich report", Reads),
    ("tag add", Changes),
    ("tag remove", Changes),
    ("tag swap", Changes),
    ("tag find", Reads),
    ("tag list", Reads),
    ("tag escape", Changes),
    ("sigil list", Reads),
    ("sigil check", Reads),
    ("sigil show", Reads),
    ("glob", Reads),
    ("recall", Reads),
    ("search", Reads),
    ("search index", Reads),
    ("search status", Reads),
    ("search model install", Changes),
    ("search model remove", Changes),
    ("search model status", Reads),
    ("session-search query", Reads),
    ("session-search index", Reads),
    ("session-search status", Reads),
    ("doc-search query", Reads),
    ("doc-search index", Reads),
    ("doc-search status", Reads),
    ("directives status", Reads),
    ("directives new", Changes),
    ("directives review", Reads),
    ("directives add", Changes),
    ("directives mention", Changes),
    ("discover-directives", Reads),
    ("policy check", Reads),
    ("policy explain", Reads),
    ("policy list", Reads),
    ("policy test", Reads),
    ("replay", Reads),
    ("coverage", Reads),
    ("show", Reads),
    ("help", Reads),
    ("demo", Changes),
    ("completions", Reads),
    ("run", Changes),
    ("statusline", Changes),
    ("merge-driver", Changes),
    ("hook", Changes),
];

/// The engine's command that a run is and that an agent with this role does not run.
pub(crate) fn refused(run: &Run, role: &str) -> Option<String> {
    if !run.is(&["engine"]) {
        return None;
    }
    let before = |end: &str| run.args.iter().position(|arg| arg.text == end).unwrap_or(run.args.len());
    let options = &run.args[..before("--")];
    let words = words(run);
    let fits = |name: &str| name.split(' ').eq(words.iter().copied().take(name.split(' ').count()));
    let found = COMMANDS.iter().filter(|(name, _)| fits(name)).max_by_key(|(name, _)| name.len());
    let Some((name, access)) = found else {
        // Alone, or with a group of commands alone, it prints its help.
        let is_group =
            COMMANDS.iter().any(|(name, _)| name.split(' ').take(words.len()).eq(words.iter().copied()));
        return (!is_group).then(|| words.iter().take(2).copied().collect::<Vec<_>>().join(" "));
    };
    let has = |option: &str| {
        let is_it = |text: &str| {
            text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        options.iter().any(|arg| arg.unknown || is_it(&arg.text))
    };
    let is_free = match access {
        Reads | Checks => true,
        ReadsWithout(option) => !has(option),
        Logs => {
            let is_log = |file: &&str| file.split('/').next() == Some(FOLDER) && !file.contains("..");
            !has("--overwrite") && words.get(1).is_some_and(is_log)
        }
        Judges => role == QA,
        Queues => role == PROMPT_WRITER,
        Changes => false,
    };
    // What `run` is given belongs to the client that it starts.
    let is_help = *name != "run" && options.iter().any(|arg| arg.text == "--help" || arg.text == "-h");
    (!is_free && !is_help).then(|| (*name).to_owned())
}

/// The words of a call without options; a plan may be named between them.
fn words(run: &Run) -> Vec<&str> {
    let mut words = Vec::new();
    let mut args = run.args.iter().map(|arg| arg.text.as_str());
    while let Some(arg) = args.next() {
        if arg == "--plan" {
            args.next();
        } else if !arg.starts_with('-') {
            words.push(arg);
        }
    }
    words
}
