//! The interactive client on a pty.
//!
//! Text is what was drawn since the start, escape codes removed; it is not an image of the screen.
//! The client draws with cursor moves, so blanks are ignored when a text is looked for.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

use crate::output::Output;
use crate::process::{LEFT_BEHIND, kill_descendants, last_lines};
use crate::{Record, Run, ScriptedModel};

const CTRL_C: &str = "\x03";
/// Clears the line.
const CTRL_U: &str = "\x15";
/// After so long without its answer, a key was lost.
const ANSWER: Duration = Duration::from_secs(10);
/// So long without anything new, and what was drawn is all.
const QUIET: Duration = Duration::from_secs(2);
const TRIES: usize = 6;
const SIZE: PtySize = PtySize { rows: 50, cols: 160, pixel_width: 0, pixel_height: 0 };

pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    /// Held open: the client gets a hang-up when it goes.
    _pty: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Output,
    /// Where the text begins that [`Self::wait_for`] looks at.
    from: usize,
    model: ScriptedModel,
    limit: Duration,
    started: Instant,
    ended: Option<ExitStatus>,
}

impl Terminal {
    /// Starts the client and waits for its input box.
    pub(crate) fn start(command: CommandBuilder, model: ScriptedModel, limit: Duration) -> Result<Self> {
        let pty = native_pty_system().openpty(SIZE)?;
        let child = pty.slave.spawn_command(command)?;
        // Else the master would never see the end.
        drop(pty.slave);
        let output = Output::follow(pty.master.try_clone_reader()?);
        let keys = pty.master.take_writer()?;
        let terminal = Self {
            child,
            keys,
            _pty: pty.master,
            output,
            from: 0,
            model,
            limit,
            started: Instant::now(),
            ended: None,
        };
        if !terminal.wait_for("❯", limit) {
            bail!("the client shows no input box\n{}", terminal.story());
        }
        terminal.settle();
        Ok(terminal)
    }

    /// Lets the client finish drawing: keys that come while it sets up its input are lost.
    fn settle(&self) {
        self.output.wait_quiet(Duration::from_millis(300), Duration::from_secs(5));
    }

    /// Sends keys as they are.
    pub fn send(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush().context("the client is gone")
    }

    /// Answers a dialog that is on the screen. The client ignores keys for about 200 ms after it has
    /// opened one, against answers by accident; the pause is counted from a moment later than that
    /// opening, so it is enough on a slow machine too.
    pub fn choose(&mut self, keys: &str) -> Result<()> {
        thread::sleep(Duration::from_millis(500));
        self.send(keys)
    }

    /// Types a line and presses Enter. Enter is a key press of its own, after the text is on the
    /// screen: in one piece with it, it would be taken for a pasted line break.
    pub fn type_line(&mut self, line: &str) -> Result<()> {
        for _ in 0..TRIES {
            let before = self.output.bytes().len();
            self.send(line)?;
            let echoed = |bytes: &[u8]| shows(bytes.get(before..)?, line).then_some(());
            if self.output.wait(ANSWER, echoed).is_some() {
                return self.send("\r");
            }
            // The keys were lost, or the client drew the changed cells only. On an empty line it draws all.
            self.send(CTRL_U)?;
            self.settle();
        }
        bail!("the client does not show {line:?}, which was typed\n{}", self.story());
    }

    /// Waits until a text has been drawn (since the last [`Self::forget`]), blanks ignored.
    pub fn wait_for(&self, text: &str, limit: Duration) -> bool {
        self.output.wait(limit, |bytes| shows(&bytes[self.from..], text).then_some(())).is_some()
    }

    /// Makes [`Self::wait_for`] and [`Self::screen_text`] look only at what is drawn from now on.
    pub fn forget(&mut self) {
        self.from = self.output.bytes().len();
    }

    /// What was drawn, escape codes removed.
    pub fn screen_text(&self) -> String {
        plain(&self.output.bytes()[self.from..])
    }

    /// Everything the client has written since its start.
    pub fn raw(&self) -> Vec<u8> {
        self.output.bytes()
    }

    /// What the model was asked so far.
    pub fn record(&self) -> Record {
        self.model.record()
    }

    /// Leaves the client as a user does, with Ctrl-C twice.
    pub fn finish(mut self) -> Result<Run> {
        self.leave(|terminal, limit| Ok(terminal.wait(limit)?.is_some()))?;
        let Some(status) = self.wait(self.limit)? else {
            bail!("the client did not end within {} s\n{}", self.limit.as_secs(), self.story());
        };
        self.output.wait_closed(LEFT_BEHIND);
        Ok(Run {
            code: i32::try_from(status.exit_code()).ok(),
            stdout: plain(&self.output.bytes()),
            stderr: String::new(),
            record: self.record(),
            wall: self.started.elapsed(),
        })
    }

    /// Presses Ctrl-C twice, and again while `is_gone`, which may wait so long, says that the client is still there.
    pub fn leave(&mut self, mut is_gone: impl FnMut(&mut Self, Duration) -> Result<bool>) -> Result<()> {
        for _ in 0..TRIES {
            self.forget();
            self.send(CTRL_C)?;
            // No key is sent blindly: one that comes while the client leaves would kill its SessionEnd hooks. A second
            // one that comes late, on a busy machine, is a first one again.
            let asks_again = self.asks_again();
            if asks_again {
                self.send(CTRL_C)?;
            }
            if is_gone(self, if asks_again { ANSWER } else { Duration::ZERO })? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the client, after a Ctrl-C, asks for another. It may interrupt a turn or clear the input instead: then
    /// something else was drawn, and nothing more comes.
    fn asks_again(&self) -> bool {
        let end = Instant::now() + ANSWER;
        let mut drawn = self.from;
        while Instant::now() < end {
            if self.wait_for("again to exit", QUIET) {
                return true;
            }
            let now_drawn = self.output.bytes().len();
            if now_drawn > self.from && now_drawn == drawn {
                return false;
            }
            drawn = now_drawn;
        }
        false
    }

    fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            if self.ended.is_none() {
                self.ended = self.child.try_wait()?;
            }
            if self.ended.is_some() || Instant::now() >= end {
                return Ok(self.ended.clone());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn story(&self) -> String {
        format!("turns: {:?}\nthe screen ends:\n{}", self.record().turns(), last_lines(&plain(&self.raw())))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.child.process_id().into_iter().for_each(kill_descendants);
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}

fn shows(bytes: &[u8], text: &str) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    dense(&plain(bytes)).contains(&dense(text))
}

/// The text without its escape sequences; a move to the right becomes a blank.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {}
            '\x1b' => match chars.next() {
                // CSI: parameters, then one letter (or `~`, `@`) that says what to do.
                Some('[') => {
                    let what = chars.by_ref().find(|c| ('\x40'..='\x7e').contains(c));
                    out.extend((what == Some('C')).then_some(' '));
                }
                // OSC, DCS and their like: up to BEL or ESC \.
                Some(']' | 'P' | '_' | '^') => {
                    while let Some(c) = chars.next() {
                        if c == '\x07' || (c == '\x1b' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                Some('(' | ')') => drop(chars.next()),
                _ => {}
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_codes_are_removed() {
        let drawn = "\x1b]0;title\x07\x1b[2J\x1b[1;31mDo\x1b[1Cyou\x1b[0m\x1b(B\r\n\x1b7want\x1bP+q\x1b\\ it";
        assert_eq!(plain(drawn.as_bytes()), "Do you\nwant it");
        assert!(shows(drawn.as_bytes(), "you want"));
        assert!(!shows(drawn.as_bytes(), "title"));
    }
}
