//! The throw-away project of the demo, with an empty home.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use engine_app::error::CommandError;
use engine_store::project::Project;
use fs_err as fs;
use serde_json::Value;

pub(super) struct Stage {
    engine: PathBuf,
    home: PathBuf,
    pub(super) project: PathBuf,
}

impl Stage {
    pub(super) fn new(folder: &Path) -> Result<Self, CommandError> {
        let stage = Self {
            engine: std::env::current_exe()?,
            home: folder.join("home"),
            project: folder.join("parser"),
        };
        fs::create_dir_all(&stage.home)?;
        fs::create_dir_all(&stage.project)?;
        Ok(stage)
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), CommandError> {
        let path = self.project.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&self.project))?;
        Ok(fs::write(path, text)?)
    }

    /// The project, with its state in the home of the demo.
    pub(super) fn opened(&self) -> Project {
        Project::at(&self.project).with_user_state(&self.home.join(".local/state/engine"))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.engine);
        command
            .args(args)
            .current_dir(&self.project)
            .env_clear()
            .env("HOME", &self.home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn engine(&self, args: &[&str]) -> Result<String, CommandError> {
        let output = self.command(args).stdin(Stdio::null()).output()?;
        if !output.status.success() {
            return Err(CommandError::refused(format!(
                "engine {}: {}",
                args.join(" "),
                String::from_utf8_lossy(&output.stderr).trim()
            )));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub(super) fn hook(&self, event: &Value) -> Result<(String, Duration), CommandError> {
        let started = Instant::now();
        let mut command = self.command(&["hook"]);
        let mut child = command.env("CLAUDE_PROJECT_DIR", &self.project).stdin(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            writeln!(stdin, "{event}")?;
        }
        let output = child.wait_with_output()?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), started.elapsed()))
    }
}
