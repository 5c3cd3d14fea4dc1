//! The words of the command line. Each command's doc comment is its help.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use engine_app::since::Since;
use engine_core::statusline::Part;

mod directives;
mod log;
mod plan;
mod queue;
mod session;
mod sigil;
mod tag;
mod task;

pub use directives::{
    DirectivesAddArgs, DirectivesCommand, DirectivesNewArgs, DirectivesStatusArgs, DiscoverArgs,
};
pub use log::{LogArgs, LogCommand, LogShowArgs};
pub use plan::{
    CriteriaCommand, KindWord, PlanAddArgs, PlanArgs, PlanCloseArgs, PlanCommand, PlanNewArgs,
    PlanVerifyArgs, SinceOrPlan, StepCommand,
};
pub use queue::{QueueAddArgs, QueueCommand, QueueEditArgs};
pub use session::{
    ActivateArgs, CloseArgs, ContinueArgs, DehydrateArgs, PhaseArgs, SessionCommand, SessionListArgs,
};
pub use sigil::SigilCommand;
pub use tag::{GlobArgs, TagAddArgs, TagCommand, TagSwapArgs};
pub use task::{TaskAddArgs, TaskCommand, TaskEditArgs, TaskListArgs, TaskMoveArgs};

/// The workflow engine between you and your coding agent
///
/// Without a command: where you stand in this project.
#[derive(Debug, Parser)]
#[command(name = "engine", version, propagate_version = false, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing to do, 4 ask (policy check), 70 internal error.\n\
                        Start with: engine init"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Put engine into this project
    #[command(
        after_long_help = "Examples:\n  engine init\n  engine init --dry-run\n  engine init --scope local --with skills\n  engine init --with skills=all,fragment"
    )]
    Init(InitArgs),
    /// Take engine out of this project
    #[command(after_long_help = "Examples:\n  engine uninstall\n  engine uninstall --purge")]
    Uninstall(UninstallArgs),
    /// Check that engine is wired, fires and has what it needs
    ///
    /// Starts each wired hook command with a made-up event and reports what it did. Exits 1 if something is
    /// broken.
    #[command(after_long_help = "Examples:\n  engine doctor\n  engine doctor --json")]
    Doctor,
    /// Show what each rule says about an event, without any effect
    #[command(after_long_help = "Examples:\n  engine explain event.json\n  engine explain < event.json")]
    Explain(ExplainArgs),
    /// Tell why a decision was made
    #[command(after_long_help = "Examples:\n  engine why\n  engine why 01kb2q3m9xyz")]
    Why(WhyArgs),
    /// List the rules: events, modes, how often they spoke
    #[command(after_long_help = "Examples:\n  engine rules\n  engine rules --json")]
    Rules,
    /// Show what happened
    #[command(
        after_long_help = "Examples:\n  engine journal --since 2h\n  engine journal --denied --since 7d\n  engine journal --follow"
    )]
    Journal(JournalArgs),
    /// Show and set the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Show where the work stands: tasks in progress, next, pending, blocked
    #[command(after_long_help = "Examples:\n  engine status\n  engine status --json")]
    Status,
    /// List and change the tasks of session.md
    #[command(subcommand)]
    Task(TaskCommand),
    /// Write the handoff for the next session: status, done and notes of session.md
    ///
    /// From options, or from JSON on stdin. Done is rewritten each time; task lines stay as they are.
    #[command(
        after_long_help = "Examples:\n  engine handoff --status 'The lexer works.' --done lexer --note 'ask Ada'\n  echo '{\"status\": \"The lexer works.\", \"done\": [\"lexer\"], \"notes\": [\"ask Ada\"]}' | engine handoff"
    )]
    Handoff(HandoffArgs),
    /// Validate the tasks and run the checks of commit.checks
    #[command(after_long_help = "Example:\n  engine commit-check")]
    CommitCheck,
    /// Run a command and write its exit status into the journal, where it counts as evidence
    ///
    /// No shell is between: the words are the program and its arguments. Output and exit status are the command's own;
    /// 128 and its number for a signal, 127 if the program cannot be started.
    #[command(
        after_long_help = "Examples:\n  engine check -- cargo test\n  engine check -- cargo test 2>&1 | tail"
    )]
    Check {
        /// The program and its arguments
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
    /// Keep what was learnt: learnings.md
    #[command(subcommand)]
    Learn(LearnCommand),
    /// Keep ideas for later: a queue of prompts, one file each in .engine/queue/
    #[command(subcommand, name = "q")]
    Queue(QueueCommand),
    /// Append an entry to a log: text on stdin, its first `## ` heading gets the time
    ///
    /// The file is a Markdown file in a folder that is there. Entries of many agents at once stay whole.
    #[command(
        after_long_help = "Examples:\n  engine log sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md <<'EOF'\n  ## Decision: JSON\n  Because every tool reads it.\n  EOF\n  engine log --overwrite sessions/2026_11_15_AUTH/IMPLEMENT_PLAN.md < plan.md"
    )]
    Log(LogArgs),
    /// Read, show and end chains of skills
    #[command(subcommand)]
    Chain(ChainCommand),
    /// List, check and make skills
    #[command(subcommand)]
    Skill(SkillCommand),
    /// Work sessions: folders of work with skills, phases, proof and logs
    #[command(subcommand)]
    Session(SessionCommand),
    /// List work sessions: the same as session list
    #[command(
        name = "find-sessions",
        after_long_help = "Examples:\n  engine find-sessions --today\n  engine find-sessions --topic auth"
    )]
    FindSessions(SessionListArgs),
    /// Plans: steps, locked acceptance criteria, guardrails, verdicts with evidence
    ///
    /// An agent session has one open plan. A person names one with --plan where several are open.
    Plan(PlanArgs),
    /// List the checks that ran, what they came to, and the edits between them
    ///
    /// Test runners, builds and linters are known; `evidence.checks` adds others. A command whose status something hides
    /// (a pipe, `||`, the background) is unknown: engine check -- CMD gives a run that counts.
    #[command(
        after_long_help = "Examples:\n  engine evidence\n  engine evidence --since 2h\n  engine evidence --since plan --json"
    )]
    Evidence {
        /// From when on: 45s, 30m, 2h, 3d, 1w, a day, a moment, or plan: since the open plan was locked; nothing: that, or a day
        #[arg(long, value_name = "TIME|plan")]
        since: Option<SinceOrPlan>,
    },
    /// Change and find tags: `**Tags**: #needs-fix #P1` below a file's title, or bare in its text
    ///
    /// A tag in code is a mention and does not count. Feeds and which tag may follow which: engine show SIGILS.
    #[command(subcommand)]
    Tag(TagCommand),
    /// Look up definitions and references: `¶NAME` defines, `§NAME` refers
    ///
    /// In directives (.directives/*.md at any level, and yours in `$XDG_CONFIG_HOME/engine/directives`), .engine/context, the Markdown
    /// files of the project's and plugins' skills, and the standards. What stands in code is only talked about.
    #[command(subcommand)]
    Sigil(SigilCommand),
    /// List files by a pattern, newest first; links are followed
    ///
    /// `*` and `?` within a name, `**` over folders, `{a,b}` for either. Each file once, by its own path where it has one.
    /// .gitignore is not asked; .git and `node_modules` are left out unless the pattern or ROOT names them.
    #[command(
        after_long_help = "Examples:\n  engine glob '**/*.md' sessions\n  engine glob '{src,tests}/**/*.rs' --limit 20"
    )]
    Glob(GlobArgs),
    /// Directives: what agents are told about the folders they work in
    ///
    /// Files in .directives/ at any level: AGENTS.md, INVARIANTS.md and ARCHITECTURE.md for everybody; TESTING.md, PITFALLS.md,
    /// CONTRIBUTING.md, TEMPLATE.md and CHECKLIST.md for skills that declare them, with the first change to a folder.
    #[command(subcommand)]
    Directives(DirectivesCommand),
    /// List the directives that count in a folder: from there up to the project's root, then your own
    ///
    /// Exit 1 if there are none. Folders that never count: directives.skip of the configuration.
    #[command(
        after_long_help = "Examples:\n  engine discover-directives packages/api\n  engine discover-directives src --type TESTING,PITFALLS\n  engine discover-directives . --skill fix --json"
    )]
    DiscoverDirectives(DiscoverArgs),
    /// Ask the policy about a command
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Judge recorded sessions again: what the rules would have done
    ///
    /// Rebuilds the events from the client's transcripts and runs the rules over them in memory. Nothing is written.
    #[command(
        after_long_help = "Examples:\n  engine replay --since 30d\n  engine replay transcript.jsonl\n  engine replay --config new.toml --diff"
    )]
    Replay(ReplayArgs),
    /// Check that every tool call of the recorded sessions passed the hook
    ///
    /// Matches the tool calls in the transcripts with the journal. Exits 1 below --min.
    #[command(after_long_help = "Examples:\n  engine coverage\n  engine coverage --since 7d --min 100")]
    Coverage(CoverageArgs),
    /// Print a standard: commands, rules and tags that skills refer to
    ///
    /// Without a name: which there are.
    #[command(after_long_help = "Examples:\n  engine show\n  engine show COMMANDS")]
    Show {
        /// COMMANDS, INVARIANTS or SIGILS
        name: Option<String>,
    },
    /// Explain a topic
    #[command(after_long_help = "Examples:\n  engine help shortcuts\n  engine help chains")]
    Help { topic: Topic },
    /// Play a session through the real hook in a throw-away project
    #[command(after_long_help = "Example:\n  engine demo")]
    Demo,
    /// Print a completion script for a shell
    #[command(
        after_long_help = "Example:\n  engine completions bash > ~/.local/share/bash-completion/completions/engine"
    )]
    Completions { shell: Shell },
    /// Start the coding agent, and again when its session asks to go on in a new one
    ///
    /// Everything behind the command is the agent's. Its input, output, signals and exit code are passed through. A new
    /// start has the same options without those that name a conversation, and begins with the prompt that was left.
    #[command(
        after_long_help = "Examples:\n  engine run\n  engine run --model opus 'fix the login page'\n  engine run -- --help"
    )]
    Run(RunArgs),
    /// Print the status line of a coding agent: its JSON on stdin, one line on stdout
    ///
    /// Called by the agent, see `engine init --with statusline`. Shows the work session, skill, phase and task, how full
    /// the context is, the cost, and a lamp that is red when hooks do not fire. Which of them, and in which order:
    /// `engine config set statusline.parts`.
    #[command(
        after_long_help = "Examples:\n  engine statusline < status.json\n  engine statusline --part context --plain < status.json"
    )]
    Statusline(StatuslineArgs),
    /// Answer one event of a coding agent: JSON on stdin, JSON or nothing on stdout
    ///
    /// Called by the agent, not by people. With `ENGINE_OFF=1` it does nothing.
    #[command(after_long_help = "Example:\n  engine hook < event.json")]
    Hook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeWord {
    /// .claude/settings.json, committed: for the whole team
    Project,
    /// .claude/settings.local.json: for you, in this project
    Local,
    /// ~/.claude/settings.json: for you, in every project with an .engine/
    User,
}

/// What `engine help` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    /// What a prompt of one or two letters stands for
    Shortcuts,
    /// How a chain of skills is written
    Chains,
}

/// Parts that are installed on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extra {
    /// The skills that come with engine
    Skills,
    /// These, and those that work in sessions: implement, fix, analyze, test, brainstorm, work-session
    #[value(name = "skills=all")]
    AllSkills,
    /// The vocabulary of the shortcuts, imported into CLAUDE.md by one line
    Fragment,
    /// The status line, if you have none
    Statusline,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Which settings file gets the hook entries
    #[arg(long, value_enum, default_value = "project")]
    pub scope: ScopeWord,
    /// What else to install
    #[arg(long, value_enum, value_delimiter = ',')]
    pub with: Vec<Extra>,
    /// Add no permission entries for engine's own everyday commands
    #[arg(long)]
    pub no_permissions: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Edit a settings file also if the client ignores it (comments, trailing commas)
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct UninstallArgs {
    /// Remove .engine/ too: configuration, state and journal
    #[arg(long)]
    pub purge: bool,
    /// For an agent: why a person wants this; counts after they have spoken
    #[arg(long, value_name = "REASON")]
    pub user_approved: Option<String>,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A file with one event as JSON; - or nothing: stdin
    pub file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct WhyArgs {
    /// The decision's id, or the beginning of it; nothing: the last decision
    pub id: Option<String>,
}

#[derive(Debug, Args)]
pub struct JournalArgs {
    /// From when on: 45s, 30m, 2h, 3d, 1w, a day or a moment
    #[arg(long, default_value = "24h")]
    pub since: Since,
    /// Only this agent session (the beginning of its id is enough)
    #[arg(long)]
    pub session: Option<String>,
    /// Only this event
    #[arg(long)]
    pub event: Option<String>,
    /// Only what was denied
    #[arg(long)]
    pub denied: bool,
    /// Go on showing what comes
    #[arg(long)]
    pub follow: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every knob, its value and where that comes from
    #[command(after_long_help = "Examples:\n  engine config show\n  engine config show inject.budget")]
    Show { key: Option<String> },
    /// Print one value
    #[command(after_long_help = "Example:\n  engine config get inject.budget")]
    Get { key: String },
    /// Set one value; comments and layout of the file stay
    ///
    /// Wires an event that a rule now wants to hear.
    #[command(
        after_long_help = "Examples:\n  engine config set inject.budget 4000\n  engine config set rules.title on --user"
    )]
    Set {
        key: String,
        value: String,
        /// Set it for you in every project
        #[arg(long)]
        user: bool,
        /// For an agent: why a person wants this; counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// Where the work stands, in one or two sentences; without it the JSON on stdin is read
    #[arg(long)]
    pub status: Option<String>,
    /// What was finished (may be given several times)
    #[arg(long, requires = "status")]
    pub done: Vec<String>,
    /// What the next session should know (may be given several times); without any, the notes stay
    #[arg(long, requires = "status")]
    pub note: Vec<String>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Arguments of the agent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

#[derive(Debug, Default, Args)]
pub struct StatuslineArgs {
    /// Only this part, for a status line of your own: session, skill, phase, task, context, cost or lamp
    #[arg(long, value_name = "NAME", value_parser = part)]
    pub part: Option<Part>,
    /// Without colours and links; also with the variable `NO_COLOR`
    #[arg(long)]
    pub plain: bool,
}

#[derive(Debug, Subcommand)]
pub enum LearnCommand {
    /// Add a learning
    #[command(
        after_long_help = "Example:\n  engine learn add \"Compare whole outputs\" --anti \"assert on a substring\" --correct \"compare the whole output\" --reason \"wrong under green tests\""
    )]
    Add {
        title: String,
        /// What was done wrong
        #[arg(long)]
        anti: String,
        /// What is right
        #[arg(long)]
        correct: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// List the learnings
    #[command(after_long_help = "Example:\n  engine learn list")]
    List,
}

#[derive(Debug, Subcommand)]
pub enum ChainCommand {
    /// Read a prompt from stdin and show the chain that it is
    ///
    /// With --json: {"current", "continuation", "unknown"}, default exits included, or null.
    #[command(
        after_long_help = "Examples:\n  echo '/design plans/foo, /plan-adhoc and /orchestrate' | engine chain parse\n  engine chain parse --explain < prompt.txt"
    )]
    Parse {
        /// Tell what became of each name, and why
        #[arg(long)]
        explain: bool,
    },
    /// Take the first entry off the [CONTINUATION: …] suffix of arguments on stdin
    #[command(after_long_help = "Example:\n  echo 'x [CONTINUATION: /a y, /b]' | engine chain peel")]
    Peel,
    /// Show the chain of the session
    #[command(after_long_help = "Examples:\n  engine chain show\n  engine chain show --session 3f2a")]
    Show(ChainSession),
    /// Print the Skill call for the next entry
    #[command(after_long_help = "Example:\n  engine chain next")]
    Next(ChainSession),
    /// End the chain of the session
    #[command(after_long_help = "Example:\n  engine chain drop")]
    Drop(ChainSession),
    /// Run the parser over the prompts of recorded sessions
    ///
    /// Reads the transcripts (*.jsonl) in a folder and below it; without one, all that the client keeps.
    #[command(
        after_long_help = "Examples:\n  engine chain validate\n  engine chain validate transcripts/ --json"
    )]
    Validate { folder: Option<PathBuf> },
}

/// Whose chain.
#[derive(Debug, Args)]
pub struct ChainSession {
    /// The agent session (the beginning of its id is enough); nothing: this one, or the only one with a chain
    #[arg(long)]
    pub session: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Tell what the policy says: exit 0 for nothing, 1 blocked, 4 ask
    #[command(
        after_long_help = "Examples:\n  engine policy check 'git push --force'\n  engine policy check --tool Write src/main.rs"
    )]
    Check {
        /// A command line; with --tool a path
        subject: String,
        /// Another tool than Bash: Read, Write, Edit, or any name
        #[arg(long)]
        tool: Option<String>,
    },
    /// Show how a command is read, its effects, and each rule's answer
    #[command(after_long_help = "Example:\n  engine policy explain 'sudo bash -c \"rm -rf build\"'")]
    Explain { command: String },
    /// List the rules with their verdicts
    #[command(after_long_help = "Examples:\n  engine policy list\n  engine policy list --json")]
    List,
    /// Run the tests of .engine/policy.tests.toml
    #[command(after_long_help = "Example:\n  engine policy test")]
    Test,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Transcripts, or folders of them; nothing: those that the client keeps of this project
    pub paths: Vec<PathBuf>,
    /// Only events from then on: 2h, 30d, a day
    #[arg(long)]
    pub since: Option<Since>,
    /// Judge by this configuration instead of the one in force
    #[arg(long)]
    pub config: Option<PathBuf>,
    /// Show what differs from the configuration in force
    #[arg(long, requires = "config")]
    pub diff: bool,
}

#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// Transcripts, or folders of them; nothing: those that the client keeps of this project
    pub paths: Vec<PathBuf>,
    /// Only tool calls from then on: 2h, 30d, a day
    #[arg(long)]
    pub since: Option<Since>,
    /// Fail below this percentage
    #[arg(long, default_value_t = 0)]
    pub min: u8,
}

#[derive(Debug, Subcommand)]
pub enum SkillCommand {
    /// List the skills that the client has here: where they come from, whether chains can hold them
    #[command(after_long_help = "Examples:\n  engine skill list\n  engine skill list --json")]
    List,
    /// Check skills: front matter, names, tools, links, exits; without a path those of the project
    #[command(
        after_long_help = "Examples:\n  engine skill check\n  engine skill check .claude/skills/deploy\n  engine skill check --matrix"
    )]
    Check {
        /// A SKILL.md, its folder, or a folder of such folders
        paths: Vec<PathBuf>,
        /// Show which feature each skill has
        #[arg(long)]
        matrix: bool,
    },
    /// Make a new skill in the project, cooperative from the start
    #[command(after_long_help = "Example:\n  engine skill new deploy-docs")]
    New { name: String },
}

fn part(word: &str) -> Result<Part, String> {
    Part::parse(word).ok_or_else(|| format!("use {}", Part::ALL.map(Part::as_str).join(", ")))
}
