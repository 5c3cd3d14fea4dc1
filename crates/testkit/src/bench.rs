//! A throw-away HOME and git project for the client, and the three ways to run it there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use portable_pty::CommandBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Process;
use crate::{Live, Record, Run, Scenario, ScriptedModel, Terminal, client};

/// Not a secret: the scripted model accepts any.
const API_KEY: &str = "sk-test-fake";

/// Bounds a hang, and nothing else: the machine may be busy.
const LIMIT: Duration = Duration::from_mins(5);

pub struct Bench {
    /// Removes everything when dropped.
    _root: TempDir,
    home: PathBuf,
    project: PathBuf,
    temp: PathBuf,
    env: Vec<(OsString, OsString)>,
    path_first: Vec<PathBuf>,
    /// What is started in the client's place, with its own words in front of the client's.
    through: Option<(PathBuf, Vec<OsString>)>,
    limit: Duration,
}

impl Bench {
    /// A folder with an empty `home/` and a git `project/` with one empty commit on `main`.
    pub fn new() -> Result<Self> {
        let root = tempfile::Builder::new().prefix("bench-").tempdir()?;
        // The client keys what it knows of a project by its real path.
        let real = root.path().canonicalize()?;
        let bench = Self {
            _root: root,
            home: real.join("home"),
            project: real.join("project"),
            temp: real.join("temp"),
            env: Vec::new(),
            path_first: Vec::new(),
            through: None,
            limit: LIMIT,
        };
        for dir in [&bench.home, &bench.project, &bench.temp] {
            fs::create_dir(dir)?;
        }
        bench.git(&["init", "-q", "-b", "main"])?;
        bench.git(&["config", "user.name", "dev"])?;
        bench.git(&["config", "user.email", "dev@example.com"])?;
        bench.git(&["commit", "-q", "--allow-empty", "-m", "start"])?;
        Ok(bench)
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Writes a file of the project, with the folders it needs.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.project.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    pub fn read(&self, path: &str) -> Result<String> {
        let path = self.project.join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Runs git in the project and returns what it printed, trimmed.
    pub fn git(&self, args: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        command.args(args).current_dir(&self.project).env_clear().envs(self.client_env(None)?);
        let output = command.output().context("cannot run git")?;
        if !output.status.success() {
            bail!("git {} failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    pub fn commit_all(&self, message: &str) -> Result<()> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", message]).map(drop)
    }

    /// Answers the first-run dialogs and trusts the project, in what the client knows already.
    pub fn trust(&self) -> Result<()> {
        let path = self.home.join(".claude.json");
        let mut known: Value = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).context("~/.claude.json of the bench is not JSON")?,
            Err(_) => json!({}),
        };
        known["hasCompletedOnboarding"] = json!(true);
        known["theme"] = json!("dark");
        known["numStartups"] = json!(5);
        known["bypassPermissionsModeAccepted"] = json!(true);
        // The client remembers a key by its last twenty characters.
        known["customApiKeyResponses"] = json!({"approved": [API_KEY], "rejected": []});
        let project = &mut known["projects"][self.project.to_string_lossy().as_ref()];
        project["hasTrustDialogAccepted"] = json!(true);
        project["hasCompletedProjectOnboarding"] = json!(true);
        fs::write(&path, known.to_string()).context("cannot write ~/.claude.json of the bench")
    }

    /// Gives the client one more environment variable, or another value for one.
    pub fn env(&mut self, name: &str, value: &str) {
        self.env.push((name.into(), value.into()));
    }

    /// Puts a folder first on the client's PATH: the one of the binary under test.
    pub fn path_first(&mut self, dir: &Path) {
        self.path_first.insert(0, dir.to_owned());
    }

    /// Starts a program that starts the client: `PROGRAM WORDS… ARGS…`. It must find the client by itself.
    pub fn through(&mut self, program: &Path, words: &[&str]) {
        self.through = Some((program.to_owned(), words.iter().map(OsString::from).collect()));
    }

    /// How long a run may take, five minutes unless told.
    pub fn time_limit(&mut self, limit: Duration) {
        self.limit = limit;
    }

    /// `claude ARGS…` in the project, to its end.
    pub fn run(&self, scenario: Scenario, args: &[&str]) -> Result<Run> {
        self.run_in(&self.project, scenario, args)
    }

    /// `claude ARGS…` in another folder.
    pub fn run_in(&self, dir: &Path, scenario: Scenario, args: &[&str]) -> Result<Run> {
        let model = self.model(scenario)?;
        let process = Process::spawn(self.command(dir, &model, args)?, Stdio::null())?;
        process
            .finish(self.limit, || model.record())
            .with_context(|| format!("claude {} in {}", args.join(" "), dir.display()))
    }

    /// The same, started by somebody else: in a terminal of its own, say. What that gives comes back, and what the model was asked.
    pub fn run_by<T>(
        &self,
        scenario: Scenario,
        args: &[&str],
        start: impl FnOnce(&Command) -> T,
    ) -> Result<(T, Record)> {
        let model = self.model(scenario)?;
        let started = start(&self.command(&self.project, &model, args)?);
        Ok((started, model.record()))
    }

    /// One client that is fed prompt by prompt: `claude -p --input-format stream-json` with
    /// [`STREAM`](crate::STREAM) and `args`.
    pub fn live(&self, scenario: Scenario, args: &[&str]) -> Result<Live> {
        let model = self.model(scenario)?;
        let args = [&["-p", "--input-format", "stream-json"], crate::STREAM, args].concat();
        let process = Process::spawn(self.command(&self.project, &model, &args)?, Stdio::piped())?;
        Ok(Live::new(process, model, self.limit))
    }

    /// The interactive client on a screen of 50 × 160, in a trusted project.
    pub fn terminal(&self, scenario: Scenario, args: &[&str]) -> Result<Terminal> {
        self.trust()?;
        let model = self.model(scenario)?;
        let (program, words) = self.program()?;
        let mut command = CommandBuilder::new(program);
        command.args(words);
        command.args(args);
        command.cwd(&self.project);
        command.env_clear();
        for (name, value) in self.client_env(Some(&model.url()))? {
            command.env(name, value);
        }
        Terminal::start(command, model, self.limit)
    }

    fn model(&self, scenario: Scenario) -> Result<ScriptedModel> {
        let (home, project) = (self.home.to_string_lossy(), self.project.to_string_lossy());
        ScriptedModel::start(scenario, &[("HOME", &home), ("PROJECT", &project)])
    }

    fn command(&self, dir: &Path, model: &ScriptedModel, args: &[&str]) -> Result<Command> {
        let (program, words) = self.program()?;
        let mut command = Command::new(program);
        command
            .args(words)
            .args(args)
            .current_dir(dir)
            .env_clear()
            .envs(self.client_env(Some(&model.url()))?);
        Ok(command)
    }

    /// What to start, and its first words.
    fn program(&self) -> Result<(PathBuf, Vec<OsString>)> {
        match &self.through {
            Some(through) => Ok(through.clone()),
            None => Ok((client::find().with_context(client::missing)?, Vec::new())),
        }
    }

    /// The client's whole environment: nothing of the caller's but PATH.
    fn client_env(&self, url: Option<&str>) -> Result<Vec<(OsString, OsString)>> {
        let callers = env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let path = env::join_paths(self.path_first.iter().cloned().chain(env::split_paths(&callers)))?;
        let mut all: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            ("HOME".into(), self.home.clone().into()),
            // Background tasks write their output there, by default in the /tmp of all.
            ("TMPDIR".into(), self.temp.clone().into()),
        ];
        let fixed = [
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("SHELL", "/bin/bash"),
            ("ANTHROPIC_API_KEY", API_KEY),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_BUG_COMMAND", "1"),
            // Lets root use bypassPermissions, as in a container.
            ("IS_SANDBOX", "1"),
            ("NO_PROXY", "127.0.0.1,localhost"),
        ];
        all.extend(fixed.map(|(name, value)| (name.into(), value.into())));
        all.extend(url.map(|url| ("ANTHROPIC_BASE_URL".into(), url.into())));
        all.extend(self.env.iter().cloned());
        Ok(all)
    }
}
