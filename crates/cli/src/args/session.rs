//! The words of `engine session`.

use clap::{Args, Subcommand};
use engine_app::since::Since;

#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    /// Make the folder of a work session
    #[command(after_long_help = "Example:\n  engine session init sessions/2026_02_07_AUTH")]
    Init { path: String },
    /// Start a skill in a work session, and bind this agent session to it
    ///
    /// Made if need be. Parameters come from options, or as a JSON object on stdin with taskSummary, scope, directoriesOfInterest,
    /// contextPaths, requestFiles and extraInfo.
    #[command(
        after_long_help = "Examples:\n  engine session activate sessions/2026_02_07_AUTH implement\n  engine session activate sessions/2026_02_07_AUTH implement --param taskSummary='Log in with a key'"
    )]
    Activate(ActivateArgs),
    /// Go on to the next phase, with proof of the one that is left
    #[command(
        after_long_help = "Examples:\n  engine session phase sessions/2026_02_07_AUTH '2: Plan'\n  engine session phase sessions/2026_02_07_AUTH '4: Verify' --proof testsPass='cargo test'"
    )]
    Phase(PhaseArgs),
    /// Go on with a work session after a restart, clear or compaction
    #[command(after_long_help = "Example:\n  engine session continue sessions/2026_02_07_AUTH")]
    Continue(ContinueArgs),
    /// Let the work rest: everything in order, nobody bound
    #[command(
        after_long_help = "Example:\n  engine session idle sessions/2026_02_07_AUTH --description 'The key login works' --keywords auth,login"
    )]
    Idle(CloseArgs),
    /// End the work: everything in order, completed
    #[command(
        after_long_help = "Example:\n  engine session deactivate sessions/2026_02_07_AUTH --description 'The key login works'"
    )]
    Deactivate(CloseArgs),
    /// Hand in checklists and look for bare tags
    ///
    /// Checklists come as a JSON object on stdin: the absolute path of each, and its whole text with only boxes ticked. Those that pass
    /// are recorded. Then every tag in the text of the session's files that nobody has decided is named.
    #[command(
        after_long_help = "Examples:\n  engine session check sessions/2026_02_07_AUTH < sessions/2026_02_07_AUTH/checklists.json\n  engine session check sessions/2026_02_07_AUTH < /dev/null"
    )]
    Check { path: String },
    /// List what a debrief must not forget: open tags, blocks, unticked plan items, debt, side discoveries
    #[command(after_long_help = "Example:\n  engine session debrief sessions/2026_02_07_AUTH")]
    Debrief { path: String },
    /// Save what the next agent session must know, before the context runs out
    ///
    /// From options, or as JSON on stdin.
    #[command(
        after_long_help = "Example:\n  engine session dehydrate sessions/2026_02_07_AUTH --summary 'Parser done' --last-action 'cargo test passed' --next 'write the docs' --file src/parser.rs"
    )]
    Dehydrate(DehydrateArgs),
    /// Save, and print the prompt with which a new client goes on; engine run starts it
    #[command(after_long_help = "Example:\n  engine session restart")]
    Restart { path: Option<String> },
    /// Save, and print the prompt with which to go on after /clear
    #[command(after_long_help = "Example:\n  engine session clear")]
    Clear { path: Option<String> },
    /// Name the file that the work is about
    #[command(after_long_help = "Example:\n  engine session target sessions/2026_02_07_AUTH src/auth.rs")]
    Target { path: String, file: String },
    /// Set a parameter: JSON if it reads as JSON, else text
    #[command(
        after_long_help = "Example:\n  engine session update sessions/2026_02_07_AUTH scope '\"small\"'"
    )]
    Update { path: String, key: String, value: String },
    /// Show the work session that this agent session is bound to
    #[command(after_long_help = "Example:\n  engine session find")]
    Find,
    /// List work sessions, newest first
    #[command(
        after_long_help = "Examples:\n  engine session list --active\n  engine session list --since 7d --topic auth"
    )]
    List(SessionListArgs),
    /// Show a work session
    #[command(after_long_help = "Example:\n  engine session show sessions/2026_02_07_AUTH")]
    Show { path: String },
    /// Print the template of a request for work: that of the skill which answers a tag
    ///
    /// A skill can be asked if it has both templates, of request and response; the Tags line of the first tells its tags. The request
    /// is written as `SKILL_REQUEST_TOPIC.md` into the session that asks; `session activate` of that skill lists those that are open.
    #[command(
        after_long_help = "Examples:\n  engine session request-template '#needs-fix'\n  engine session request-template needs-research --json"
    )]
    RequestTemplate {
        #[arg(value_parser = super::tag::tag)]
        tag: String,
        /// Which skill, where several answer the tag
        #[arg(long)]
        skill: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct ActivateArgs {
    /// The folder, as `sessions/2026_02_07_AUTH`
    pub path: String,
    pub skill: String,
    /// The skill's mode
    #[arg(long)]
    pub mode: Option<String>,
    /// A parameter, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<String>,
    /// Start a skill again that is done here
    #[arg(long)]
    pub fast_track: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct ContinueArgs {
    /// Nothing: the one that this agent session is bound to
    pub path: Option<String>,
    /// For an agent: why a person wants it taken from another agent session; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct PhaseArgs {
    pub path: String,
    /// LABEL: NAME
    pub phase: String,
    /// Proof of the phase that is left, as NAME=VALUE; or a JSON object on stdin
    #[arg(long, value_name = "NAME=VALUE")]
    pub proof: Vec<String>,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct CloseArgs {
    pub path: String,
    /// What was done; or on stdin
    #[arg(long, value_name = "TEXT")]
    pub description: Option<String>,
    /// Words by which it is found, with commas between
    #[arg(long, value_delimiter = ',')]
    pub keywords: Vec<String>,
    /// Proof of the last phase, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub proof: Vec<String>,
    /// For an agent: why a person wants this in spite of open gates; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct DehydrateArgs {
    pub path: String,
    #[arg(long)]
    pub summary: Option<String>,
    #[arg(long)]
    pub last_action: Option<String>,
    /// A step that comes next; again for more
    #[arg(long)]
    pub next: Vec<String>,
    /// A file to read first; again for more, eight at most
    #[arg(long)]
    pub file: Vec<String>,
    #[arg(long)]
    pub instructions: Option<String>,
    /// What the user said that still counts
    #[arg(long)]
    pub user_history: Option<String>,
}

#[derive(Debug, Args)]
pub struct SessionListArgs {
    #[arg(long)]
    pub today: bool,
    #[arg(long)]
    pub yesterday: bool,
    /// From when on: 3d, 1w, a day
    #[arg(long)]
    pub since: Option<Since>,
    /// Of these days: 2026-02-01..2026-02-07
    #[arg(long, value_name = "DAY..DAY")]
    pub range: Option<String>,
    /// With this in the topic or the keywords
    #[arg(long)]
    pub topic: Option<String>,
    /// With this tag in one of its files
    #[arg(long)]
    pub tag: Option<String>,
    /// Only those that an agent session works on
    #[arg(long)]
    pub active: bool,
}
