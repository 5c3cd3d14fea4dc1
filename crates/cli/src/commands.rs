//! One file per command. Each takes its arguments and the printer, and returns how it ended.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::Subcommand;
use clap_complete::Shell;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_rules::Rule;

use crate::ui::{Tone, Ui, toned};

mod chain;
mod check;
mod commit_check;
mod completions;
mod config;
mod coverage;
mod demo;
mod directives;
mod doctor;
mod evidence;
mod explain;
mod glob;
mod handoff;
mod help;
pub(crate) mod hook;
mod init;
mod journal;
mod learn;
mod log;
mod overview;
mod plan;
mod policy;
mod queue;
mod replay;
mod rules;
mod run;
mod session;
mod show;
mod sigil;
mod skill;
mod status;
mod statusline;
mod tag;
mod task;
mod uninstall;
mod why;

/// The workflow engine between you and your coding agent
///
/// Without a command: where you stand in this project.
#[derive(Debug, Parser)]
#[command(name = "engine", version, propagate_version = false, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing to do, 4 ask (policy check), 70 internal error.\n\
                        Start with: engine init"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put engine into this project
    #[command(
        after_long_help = "Examples:\n  engine init\n  engine init --dry-run\n  engine init --scope local --with skills\n  engine init --with skills=all,fragment"
    )]
    Init(init::InitArgs),
    /// Take engine out of this project
    #[command(after_long_help = "Examples:\n  engine uninstall\n  engine uninstall --purge")]
    Uninstall(uninstall::UninstallArgs),
    /// Check that engine is wired, fires and has what it needs
    ///
    /// Starts each wired hook command with a made-up event and reports what it did. Exits 1 if something is
    /// broken.
    #[command(after_long_help = "Examples:\n  engine doctor\n  engine doctor --json")]
    Doctor,
    /// Show what each rule says about an event, without any effect
    #[command(after_long_help = "Examples:\n  engine explain event.json\n  engine explain < event.json")]
    Explain(explain::ExplainArgs),
    /// Tell why a decision was made
    #[command(after_long_help = "Examples:\n  engine why\n  engine why 01kb2q3m9xyz")]
    Why(why::WhyArgs),
    /// List the rules: events, modes, how often they spoke
    #[command(after_long_help = "Examples:\n  engine rules\n  engine rules --json")]
    Rules,
    /// Show what happened
    #[command(
        after_long_help = "Examples:\n  engine journal --since 2h\n  engine journal --denied --since 7d\n  engine journal --follow"
    )]
    Journal(journal::JournalArgs),
    /// Show and set the configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Show where the work stands: tasks in progress, next, pending, blocked
    #[command(after_long_help = "Examples:\n  engine status\n  engine status --json")]
    Status,
    /// List and change the tasks of session.md
    #[command(subcommand)]
    Task(task::TaskCommand),
    /// Write the handoff for the next session: status, done and notes of session.md
    ///
    /// From options, or from JSON on stdin. Done is rewritten each time; task lines stay as they are.
    #[command(
        after_long_help = "Examples:\n  engine handoff --status 'The lexer works.' --done lexer --note 'ask Ada'\n  echo '{\"status\": \"The lexer works.\", \"done\": [\"lexer\"], \"notes\": [\"ask Ada\"]}' | engine handoff"
    )]
    Handoff(handoff::HandoffArgs),
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
    Learn(learn::LearnCommand),
    /// Keep ideas for later: a queue of prompts, one file each in .engine/queue/
    #[command(subcommand, name = "q")]
    Queue(queue::QueueCommand),
    /// Append an entry to a log: text on stdin, its first `## ` heading gets the time
    ///
    /// The file is a Markdown file in a folder that is there. Entries of many agents at once stay whole.
    #[command(
        after_long_help = "Examples:\n  engine log sessions/2026_11_15_AUTH/IMPLEMENT_LOG.md <<'EOF'\n  ## Decision: JSON\n  Because every tool reads it.\n  EOF\n  engine log --overwrite sessions/2026_11_15_AUTH/IMPLEMENT_PLAN.md < plan.md"
    )]
    Log(log::LogArgs),
    /// Read, show and end chains of skills
    #[command(subcommand)]
    Chain(chain::ChainCommand),
    /// List, check and make skills
    #[command(subcommand)]
    Skill(skill::SkillCommand),
    /// Work sessions: folders of work with skills, phases, proof and logs
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// List work sessions: the same as session list
    #[command(
        name = "find-sessions",
        after_long_help = "Examples:\n  engine find-sessions --today\n  engine find-sessions --topic auth"
    )]
    FindSessions(session::look::SessionListArgs),
    /// Plans: steps, locked acceptance criteria, guardrails, verdicts with evidence
    ///
    /// An agent session has one open plan. A person names one with --plan where several are open.
    Plan(plan::PlanArgs),
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
        since: Option<evidence::SinceOrPlan>,
    },
    /// Change and find tags: `**Tags**: #needs-fix #P1` below a file's title, or bare in its text
    ///
    /// A tag in code is a mention and does not count. Feeds and which tag may follow which: engine show SIGILS.
    #[command(subcommand)]
    Tag(tag::TagCommand),
    /// Look up definitions and references: `¶NAME` defines, `§NAME` refers
    ///
    /// In directives (.directives/*.md at any level, and yours in `$XDG_CONFIG_HOME/engine/directives`), .engine/context, the Markdown
    /// files of the project's and plugins' skills, and the standards. What stands in code is only talked about.
    #[command(subcommand)]
    Sigil(sigil::SigilCommand),
    /// List files by a pattern, newest first; links are followed
    ///
    /// `*` and `?` within a name, `**` over folders, `{a,b}` for either. Each file once, by its own path where it has one.
    /// Files that git ignores, .git and `node_modules` are left out, unless the pattern or ROOT names them:
    /// `engine glob 'target/**'` lists target/, `engine glob '**'` does not.
    #[command(
        after_long_help = "Examples:\n  engine glob '**/*.md' sessions\n  engine glob '{src,tests}/**/*.rs' --limit 20"
    )]
    Glob(glob::GlobArgs),
    /// Directives: what agents are told about the folders they work in
    ///
    /// Files in .directives/ at any level: AGENTS.md, INVARIANTS.md and ARCHITECTURE.md for everybody; TESTING.md, PITFALLS.md,
    /// CONTRIBUTING.md, TEMPLATE.md and CHECKLIST.md for skills that declare them, with the first change to a folder.
    #[command(subcommand)]
    Directives(directives::DirectivesCommand),
    /// List the directives that count in a folder: from there up to the project's root, then your own
    ///
    /// Exit 1 if there are none. Folders that never count: directives.skip of the configuration.
    #[command(
        after_long_help = "Examples:\n  engine discover-directives packages/api\n  engine discover-directives src --type TESTING,PITFALLS\n  engine discover-directives . --skill fix --json"
    )]
    DiscoverDirectives(directives::look::DiscoverArgs),
    /// Ask the policy about a command
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Judge recorded sessions again: what the rules would have done
    ///
    /// Rebuilds the events from the client's transcripts and runs the rules over them in memory. Nothing is written.
    #[command(
        after_long_help = "Examples:\n  engine replay --since 30d\n  engine replay transcript.jsonl\n  engine replay --config new.toml --diff"
    )]
    Replay(replay::ReplayArgs),
    /// Check that every tool call of the recorded sessions passed the hook
    ///
    /// Matches the tool calls in the transcripts with the journal. Exits 1 below --min.
    #[command(after_long_help = "Examples:\n  engine coverage\n  engine coverage --since 7d --min 100")]
    Coverage(coverage::CoverageArgs),
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
    Help { topic: help::Topic },
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
    Run(run::RunArgs),
    /// Print the status line of a coding agent: its JSON on stdin, one line on stdout
    ///
    /// Called by the agent, see `engine init --with statusline`. Shows the work session, skill, phase and task, how full
    /// the context is, the cost, and a lamp that is red when hooks do not fire. Which of them, and in which order:
    /// `engine config set statusline.parts`.
    #[command(
        after_long_help = "Examples:\n  engine statusline < status.json\n  engine statusline --part context --plain < status.json"
    )]
    Statusline(statusline::StatuslineArgs),
    /// Answer one event of a coding agent: JSON on stdin, JSON or nothing on stdout
    ///
    /// Called by the agent, not by people. With `ENGINE_OFF=1` it does nothing.
    #[command(after_long_help = "Example:\n  engine hook < event.json")]
    Hook,
}

pub(crate) fn run(table: &'static [Rule]) -> ExitCode {
    let cli = Cli::parse();
    let ui = Ui::new(cli.json);
    // The client waits for these two.
    if !matches!(cli.command, Some(Command::Hook | Command::Statusline(_))) {
        engine_store::lock::wait_as_a_command();
    }
    let outcome = match cli.command {
        None => overview::run(&ui),
        Some(Command::Init(args)) => init::run(&args, table, &ui),
        Some(Command::Uninstall(args)) => uninstall::run(&args, &ui),
        Some(Command::Doctor) => doctor::run(table, &ui),
        Some(Command::Explain(args)) => explain::run(&args, table, &ui),
        Some(Command::Why(args)) => why::run(&args, &ui),
        Some(Command::Rules) => rules::run(table, &ui),
        Some(Command::Journal(args)) => journal::run(&args, &ui),
        Some(Command::Config(command)) => config::run(&command, table, &ui),
        Some(Command::Status) => status::run(&ui),
        Some(Command::Task(command)) => task::run(&command, &ui),
        Some(Command::Handoff(args)) => handoff::run(&args, &ui),
        Some(Command::CommitCheck) => commit_check::run(&ui),
        Some(Command::Check { command }) => return check::run(&command, &ui),
        Some(Command::Learn(command)) => learn::run(&command, &ui),
        Some(Command::Queue(command)) => queue::run(&command, &ui),
        Some(Command::Log(args)) => log::run(&args, &ui),
        Some(Command::Chain(command)) => chain::run(&command, &ui),
        Some(Command::Skill(command)) => skill::run(&command, &ui),
        Some(Command::Session(command)) => session::run(&command, &ui),
        Some(Command::FindSessions(args)) => session::find_sessions(&args, &ui),
        Some(Command::Plan(args)) => plan::run(&args, &ui),
        Some(Command::Evidence { since }) => evidence::run(since, &ui),
        Some(Command::Tag(command)) => tag::run(&command, &ui),
        Some(Command::Sigil(command)) => sigil::run(&command, &ui),
        Some(Command::Glob(args)) => glob::run(&args, &ui),
        Some(Command::Directives(command)) => directives::run(&command, &ui),
        Some(Command::DiscoverDirectives(args)) => directives::look::discover(&args, &ui),
        Some(Command::Policy(command)) => policy::run(&command, &ui),
        Some(Command::Replay(args)) => replay::run(&args, table, &ui),
        Some(Command::Coverage(args)) => coverage::run(&args, &ui),
        Some(Command::Show { name }) => show::run(name.as_deref(), &ui),
        Some(Command::Help { topic }) => help::run(topic, &ui),
        Some(Command::Demo) => demo::run(&ui),
        Some(Command::Completions { shell }) => completions::run(shell, &ui),
        // Its exit code is the client's.
        Some(Command::Run(args)) => match run::run(&args, &ui) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Some(Command::Statusline(args)) => statusline::run(&args, &ui),
        // `engine --json hook` and the like; the plain form never comes here.
        Some(Command::Hook) => return hook::run(table, std::time::Instant::now()),
    };
    end(&ui, outcome)
}

/// `engine status` without options, without building the argument parser.
pub(crate) fn status_alone() -> ExitCode {
    let ui = Ui::new(false);
    end(&ui, status::run(&ui))
}

/// `engine statusline` without options, as the client calls it after each message.
pub(crate) fn statusline_alone() -> ExitCode {
    let ui = Ui::new(false);
    end(&ui, statusline::run(&statusline::StatuslineArgs::default(), &ui))
}

fn end(ui: &Ui, outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report(ui, &error);
            exit_code(error.failure)
        }
    }
}

/// The documented exit code of each kind of failure.
pub(crate) fn exit_code(failure: Failure) -> ExitCode {
    ExitCode::from(match failure {
        Failure::Refused => 1,
        Failure::Usage => 2,
        Failure::Nothing => 3,
        Failure::Ask => 4,
        Failure::Internal => 70,
    })
}

fn report(ui: &Ui, error: &CommandError) {
    if error.message.is_empty() {
        return;
    }
    if ui.is_json() {
        ui.object(&serde_json::json!({"version": 1, "error": error.message, "hints": error.hints}));
        return;
    }
    ui.talk(format!("{} {}", toned(Tone::Bad, "engine:"), error.message));
    for hint in &error.hints {
        ui.talk(format!("  {hint}"));
    }
}
