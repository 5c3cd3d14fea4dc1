//! A throw-away project set up by the shipped `engine init`, and the one with years of history.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use engine_text::stamp::Stamp;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::process::Process;
use crate::cargo;

const SESSIONS: usize = 10_000;
const SKILLS: usize = 1_000;
const LINES_TODAY: usize = 20_000;
const EARLIER_DAYS: u64 = 40;
const LINES_A_DAY: usize = 2_000;

/// So few of the skills that people have know chains.
const COOPERATIVE_EVERY: usize = 10;
const OUR_SKILLS: [&str; 6] = ["design", "plan-adhoc", "plan-tdd", "orchestrate", "handoff", "commit"];

pub(crate) struct BenchProject {
    /// Removes everything when dropped.
    _folder: TempDir,
    home: PathBuf,
    root: PathBuf,
    engine: PathBuf,
}

impl BenchProject {
    pub(crate) fn new(engine: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("engine-bench-").tempdir()?;
        let real = folder.path().canonicalize()?;
        let project = Self {
            _folder: folder,
            home: real.join("home"),
            root: real.join("project"),
            engine: engine.to_owned(),
        };
        fs::create_dir(&project.home)?;
        fs::create_dir(&project.root)?;
        project.run(Path::new("git"), &["init", "-q"])?;
        project.run(engine, &["init"])?;
        Ok(project)
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn git(&self, args: &[&str]) -> Result<()> {
        self.run(Path::new("git"), args)
    }

    /// `engine hook`, given this event.
    pub(crate) fn hook(&self, event: &Value) -> Process {
        Process::new(&self.engine, &["hook"], self).fed(event.to_string().into_bytes())
    }

    pub(crate) fn state_file(&self, session: &str) -> PathBuf {
        self.root.join(format!(".engine/state/sessions/{session}.json"))
    }

    /// Binds a session to a work session, so that its calls are counted; it is never held.
    pub(crate) fn bind(&self, session: &str) {
        let state = r#"{"version":1,"turn":1,"work":{"name":"2026_01_01_TOPIC_00001","skill":"implement","phase":"3: Build"}}"#;
        let file = self.state_file(session);
        let written = file
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&file, state))
            .and_then(|()| fs::write(file.with_extension("work"), ""))
            .and_then(|()| {
                fs::write(self.root.join(".engine/config.toml"), "[heartbeat]\nwarn = 0\nblock = 0\n")
            })
            .and_then(|()| self.accept_heartbeat());
        let written = written.map_err(Into::into).and_then(|()| self.run(&self.engine, &["init"]));
        if let Err(error) = written {
            eprintln!("bench: no work session: {error}");
        }
    }

    /// Writes the values into the accepted copy, as a person's `engine config set` would.
    fn accept_heartbeat(&self) -> io::Result<()> {
        for file in fs::read_dir(self.home.join(".local/state/engine/accepted"))? {
            let path = file?.path();
            let text = fs::read_to_string(&path).unwrap_or_default();
            let Ok(mut record) = serde_json::from_str::<Value>(&text) else { continue };
            if record["root"] == self.root.to_string_lossy().as_ref() {
                record["config"] = json!({"heartbeat.warn": {"number": 0}, "heartbeat.block": {"number": 0}});
                fs::write(&path, record.to_string())?;
            }
        }
        Ok(())
    }

    /// Runs `engine` as a command.
    pub(crate) fn engine(&self, args: &[&str]) -> Result<()> {
        self.run(&self.engine, args)
    }

    /// How many turns the session's state counts.
    pub(crate) fn turns(&self, session: &str) -> Result<u64> {
        let text = fs::read_to_string(self.state_file(session)).context("the session has no state")?;
        let state: Value = serde_json::from_str(&text).context("the session's state is damaged")?;
        state["turn"].as_u64().context("the session's state counts no turns")
    }

    /// All journal lines, of all days.
    pub(crate) fn journal(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for file in fs::read_dir(self.journal_folder()).context("there is no journal")? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                lines.extend(fs::read_to_string(path)?.lines().map(str::to_owned));
            }
        }
        Ok(lines)
    }

    /// The newest file of the journal.
    pub(crate) fn journal_today(&self) -> Result<PathBuf> {
        let files = fs::read_dir(self.journal_folder()).context("there is no journal")?;
        let days = files.flatten().map(|file| file.path());
        let days = days.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        days.max().context("there is no journal")
    }

    /// Gives the project its history: sessions, their states, skills, and a journal of lines as `event` makes.
    pub(crate) fn fill(&self, event: &Value) -> Result<()> {
        self.hook(event).prove()?;
        let line = self.journal()?.pop().context("the hook wrote no journal line")? + "\n";
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let today = Stamp(u64::try_from(now.as_millis())?);
        self.extend_day(today, &line.repeat(LINES_TODAY))?;
        let earlier = line.repeat(LINES_A_DAY);
        for days in 1..=EARLIER_DAYS {
            self.extend_day(today.minus_days(days), &earlier)?;
        }
        let states = self.root.join(".engine/state/sessions");
        fs::create_dir_all(&states)?;
        for number in 1..=SESSIONS {
            fs::create_dir_all(self.root.join(format!("sessions/2026_01_01_TOPIC_{number:05}")))?;
            let state = states.join(format!("00000000-0000-4000-8000-{number:012}.json"));
            fs::write(state, r#"{"version":1,"turn":3}"#)?;
        }
        self.add_skills()
    }

    /// A thousand skills, of which some know chains, and those of ours that make one.
    pub(crate) fn add_skills(&self) -> Result<()> {
        let skills = self.root.join(".claude/skills");
        let add = |name: &str, text: &str| -> Result<()> {
            fs::create_dir_all(skills.join(name))?;
            Ok(fs::write(skills.join(name).join("SKILL.md"), text)?)
        };
        for number in 1..=SKILLS {
            let name = format!("skill-{number:04}");
            add(&name, &skill_text(&name, number % COOPERATIVE_EVERY == 0))?;
        }
        for name in OUR_SKILLS {
            let shipped = cargo::root().join("plugin/skills").join(name).join("SKILL.md");
            let text = fs::read_to_string(&shipped).with_context(|| format!("no {}", shipped.display()))?;
            add(name, &text)?;
        }
        Ok(())
    }

    fn journal_folder(&self) -> PathBuf {
        self.root.join(".engine/journal")
    }

    fn extend_day(&self, day: Stamp, lines: &str) -> Result<()> {
        let path = self.journal_folder().join(format!("{}.jsonl", day.day()));
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(file.write_all(lines.as_bytes())?)
    }

    fn run(&self, program: &Path, args: &[&str]) -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root).env_clear().env("PATH", path).env("HOME", &self.home);
        let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
        let complained = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} {}: {complained}", program.display(), args.join(" "));
        Ok(())
    }
}

fn skill_text(name: &str, cooperative: bool) -> String {
    let continuation = if cooperative {
        "continuation:\n  cooperative: true\n  default-exit: [\"/handoff --commit\", \"/commit\"]\n"
    } else {
        ""
    };
    format!(
        "---\n\
         name: {name}\n\
         description: Checks and explains one kind of file. Use when the user asks for {name} or changes such a file.\n\
         allowed-tools: Read, Glob, Grep, Bash(git diff:*)\n\
         {continuation}---\n\n\
         # {name}\n\n\
         1. Read the file and what it refers to.\n\
         2. Tell what is wrong with it, and where.\n"
    )
}
