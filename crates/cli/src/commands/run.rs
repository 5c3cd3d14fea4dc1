//! `engine run`: starts the client, and again when a session asks to go on in a new one.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use clap::Args;
use engine_app::error::CommandError;
use engine_app::here;
use engine_app::supervisor::{Supervisor, restart};
use engine_claude::{launch, reach};
use engine_rules::RUN_AGENT;
use engine_store::project::Project;
use engine_store::restart_file::RUN;
use engine_store::{clock, config_file};
use engine_text::line::{one_line, shell_word};

use crate::ui::Ui;

/// Start the coding agent, and again when its session asks to go on in a new one
///
/// Everything behind the command is the agent's. Its input, output, signals and exit code are passed through. A new
/// start has the same options without those that name a conversation, and begins with the prompt that was left.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine run\n  engine run --model opus 'fix the login page'\n  engine run -- --help"
)]
pub(crate) struct RunArgs {
    /// Arguments of the agent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) args: Vec<OsString>,
}

/// A client that ends so soon after it was started again did no work.
const AT_ONCE: Duration = Duration::from_secs(2);
/// So often in a row it may.
const PATIENCE: u32 = 2;
/// What a shell adds to the number of the signal that ended a program.
const BY_SIGNAL: i32 = 128;

pub(super) fn run(args: &RunArgs, ui: &Ui) -> Result<ExitCode, CommandError> {
    let cwd = here::folder()?;
    let project = Project::open(None, &cwd);
    let config = project.as_ref().map_or_else(config_file::load_user, config_file::load);
    let client = Client {
        program: config.text(&RUN_AGENT),
        run: clock::decision_id(clock::now()).as_str().to_owned(),
        project: project.as_ref(),
    };
    if let Some(unreached) = project.as_ref().and_then(|project| reach::unreached(project.root(), &cwd)) {
        ui.talk(format!("engine: {unreached}"));
    }
    let supervisor = Supervisor::new()?;
    let mut ended = client.run(&supervisor, &args.args, ui)?;
    let mut at_once = 0;
    loop {
        let asked = if supervisor.is_told_to_end() { None } else { client.request(ui) };
        let Some(prompt) = asked else { return Ok(exit_code(ended)) };
        if at_once == PATIENCE {
            ui.talk(format!(
                "engine: the client ended within {} s of its start {PATIENCE} times in a row and is not started again; to go on: {} {}",
                AT_ONCE.as_secs(),
                client.program,
                shell_word(&prompt)
            ));
            return Ok(exit_code(ended));
        }
        ui.talk(format!("engine: starting again with: {}", one_line(&prompt, 200)));
        let started = Instant::now();
        ended = client.run(&supervisor, &launch::restarted(&args.args, &prompt), ui)?;
        at_once = if started.elapsed() < AT_ONCE { at_once + 1 } else { 0 };
    }
}

struct Client<'c> {
    program: &'c str,
    /// The name of this run.
    run: String,
    project: Option<&'c Project>,
}

impl Client<'_> {
    fn run(&self, supervisor: &Supervisor, args: &[OsString], ui: &Ui) -> Result<ExitStatus, CommandError> {
        let is_due = || self.project.is_some_and(|project| restart::is_due(project, &self.run));
        let mut command = Command::new(self.program);
        let ended = supervisor.run(command.args(args).env(RUN, &self.run), is_due).map_err(|error| {
            CommandError::refused(format!("{} cannot be started: {error}", self.program))
                .hint("is it on PATH? Another program: engine config set run.agent PROGRAM")
        })?;
        if ended.1 {
            ui.talk("engine: its session asked for a new client, so this one was ended after the turn");
        }
        Ok(ended.0)
    }

    /// The prompt that its session left. One that cannot be read is told and left.
    fn request(&self, ui: &Ui) -> Option<String> {
        restart::asked(self.project?, &self.run).unwrap_or_else(|error| {
            ui.talk(format!("engine: the request to start again cannot be read: {error}"));
            None
        })
    }
}

/// The client's own, or what a shell makes of a signal.
fn exit_code(ended: ExitStatus) -> ExitCode {
    let code = ended.code().or_else(|| Some(BY_SIGNAL + ended.signal()?)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
