//! The client as a child process on pipes. It never outlives its [`Process`].

use std::io::Write;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::output::Output;
use crate::{Record, Run};

/// How long to wait for the end of the output of a client that has ended.
pub(crate) const LEFT_BEHIND: Duration = Duration::from_secs(20);

pub(crate) struct Process {
    child: Child,
    /// Open only for a client that reads its prompts there.
    stdin: Option<ChildStdin>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    started: Instant,
    ended: bool,
}

impl Process {
    pub(crate) fn spawn(mut command: Command, stdin: Stdio) -> Result<Self> {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stdout = Output::follow(child.stdout.take().context("no stdout")?);
        let stderr = Output::follow(child.stderr.take().context("no stderr")?);
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, stdout, stderr, started: Instant::now(), ended: false })
    }

    pub(crate) fn write_line(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stdin is closed")?;
        stdin.write_all(format!("{line}\n").as_bytes()).context("the client does not read its stdin")
    }

    /// Closes stdin and waits for the end.
    pub(crate) fn finish(mut self, limit: Duration, record: impl Fn() -> Record) -> Result<Run> {
        drop(self.stdin.take());
        let Some(status) = self.wait(limit)? else {
            let story = self.story(&record());
            bail!("the client did not end within {} s\n{story}", limit.as_secs());
        };
        // What the client wrote is in the pipes by now. They close when it has been read, unless a process was left
        // behind that holds them open.
        self.stdout.wait_closed(LEFT_BEHIND);
        self.stderr.wait_closed(LEFT_BEHIND);
        Ok(Run {
            code: status.code(),
            stdout: self.stdout.text(),
            stderr: self.stderr.text(),
            record: record(),
            wall: self.started.elapsed(),
        })
    }

    pub(crate) fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.ended = true;
                return Ok(Some(status));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What a reader of a failed test wants to know first.
    pub(crate) fn story(&self, record: &Record) -> String {
        format!(
            "turns: {:?}\nstdout ends:\n{}\nstderr ends:\n{}",
            record.turns(),
            last_lines(&self.stdout.text()),
            last_lines(&self.stderr.text())
        )
    }
}

pub(crate) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let cut = |line: &&str| line.chars().take(400).collect::<String>();
    lines[lines.len().saturating_sub(12)..].iter().map(cut).collect::<Vec<_>>().join("\n")
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        kill_descendants(self.child.id());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Kills what a process has started, and what that has started. The client gives each command a
/// session of its own, so neither a signal to its group nor a hang-up would reach them.
pub(crate) fn kill_descendants(root: u32) {
    let Ok(listed) = Command::new("ps").args(["-A", "-o", "pid=", "-o", "ppid="]).output() else { return };
    let listed = String::from_utf8_lossy(&listed.stdout);
    let pairs: Vec<(u32, u32)> = listed
        .lines()
        .filter_map(|line| {
            let mut numbers = line.split_whitespace().map_while(|word| word.parse().ok());
            Some((numbers.next()?, numbers.next()?))
        })
        .collect();
    let mut family = vec![root];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(pairs.iter().filter(|(_, its_parent)| *its_parent == parent).map(|(pid, _)| pid));
        next += 1;
    }
    let descendants = family[1..].iter().map(u32::to_string);
    drop(Command::new("kill").args(["-s", "KILL"]).args(descendants).stderr(Stdio::null()).status());
}
