//! A child that stands in our place: the same terminal, the same process group, and its end is ours.
//!
//! What the terminal sends (Ctrl-C, Ctrl-Z, a changed size) goes to the whole group, so the child has it already. What
//! somebody sends to this process alone is passed on. When the child stops itself, as the client does for Ctrl-Z, we stop
//! too, or the shell would wait for us for ever.

use std::fs::File;
use std::io::{self, Write};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, kill_process, waitid};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;

/// The signals that are passed on. Those that stop and continue are left to the system.
const PASSED_ON: [i32; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH];

/// How often it is looked whether the child is to be ended.
const LOOK: Duration = Duration::from_millis(200);
/// How long a child that was asked to end may take.
const GRACE: Duration = Duration::from_secs(3);

#[derive(Clone, Default)]
pub struct Supervisor {
    /// The child, as long as it is certain that its number is not another's.
    child: Arc<Mutex<Option<Pid>>>,
    told_to_end: Arc<AtomicBool>,
}

impl Supervisor {
    pub fn new() -> io::Result<Self> {
        let supervisor = Self::default();
        let mut signals = Signals::new(PASSED_ON)?;
        let relay = supervisor.clone();
        thread::spawn(move || signals.forever().for_each(|signal| relay.pass_on(signal)));
        Ok(supervisor)
    }

    /// Somebody wants us gone: nothing is to be started any more.
    pub fn is_told_to_end(&self) -> bool {
        self.told_to_end.load(Ordering::SeqCst)
    }

    /// Runs a command to its end, or until `is_due` says that it is to be ended. Whether it was comes back.
    pub fn run(
        &self,
        command: &mut Command,
        is_due: impl Fn() -> bool + Send,
    ) -> io::Result<(ExitStatus, bool)> {
        let terminal = Terminal::open();
        // Held until it has a number: a signal that comes meanwhile is for it.
        let mut known = self.child();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        *known = Some(pid);
        drop(known);
        let (end, ended) = mpsc::channel::<()>();
        let was_ended = thread::scope(|scope| {
            let watch = scope.spawn(move || self.watch(pid, is_due, &ended));
            let waited = wait_for_end(pid);
            // It is dead, but its number is kept until it is waited for.
            *self.child() = None;
            drop(end);
            waited.map(|()| watch.join().unwrap_or(false))
        })?;
        let status = child.wait()?;
        if was_ended && let Some(terminal) = terminal {
            terminal.restore();
        }
        Ok((status, was_ended))
    }

    /// Looks again and again whether the child is to be ended, until it has ended by itself. It is asked once, and killed if it does not
    /// follow.
    fn watch(&self, pid: Pid, is_due: impl Fn() -> bool, ended: &mpsc::Receiver<()>) -> bool {
        let has_ended = |after| ended.recv_timeout(after) == Err(RecvTimeoutError::Disconnected);
        while !has_ended(LOOK) {
            if self.is_told_to_end() || !is_due() {
                continue;
            }
            self.signal(pid, Signal::TERM);
            if !has_ended(GRACE) {
                self.signal(pid, Signal::KILL);
            }
            return true;
        }
        false
    }

    /// To the child, and to nobody who has its number after it.
    fn signal(&self, pid: Pid, signal: Signal) {
        let child = self.child();
        if *child == Some(pid) {
            let _ = kill_process(pid, signal);
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Pid>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass_on(&self, signal: i32) {
        if signal != SIGWINCH {
            self.told_to_end.store(true, Ordering::SeqCst);
        }
        let child = self.child();
        let had_it = matches!(signal, SIGINT | SIGQUIT | SIGWINCH) && is_in_foreground();
        if let (Some(pid), Some(signal), false) = (*child, Signal::from_named_raw(signal), had_it) {
            let _ = kill_process(pid, signal);
        }
    }
}

/// The terminal as it was before the child changed it.
struct Terminal {
    file: File,
    modes: Termios,
}

impl Terminal {
    /// What a client leaves switched on that had no time to switch it off: the hidden cursor, reports of the mouse, the focus and of pasted
    /// text, other forms of keys, colours.
    const OFF: &str = "\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[>4m\x1b[<u\x1b[0m\r\n";

    fn open() -> Option<Self> {
        let file = File::options().read(true).write(true).open("/dev/tty").ok()?;
        let modes = tcgetattr(&file).ok()?;
        Some(Self { file, modes })
    }

    fn restore(mut self) {
        // In the background the terminal would stop us.
        if is_in_foreground() {
            let _ = tcsetattr(&self.file, OptionalActions::Now, &self.modes);
            let _ = self.file.write_all(Self::OFF.as_bytes());
        }
    }
}

/// Whether the terminal's keys reach our group.
fn is_in_foreground() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(terminal) == Ok(getpgrp()))
}

/// Waits until the child is dead, but leaves it to be waited for.
fn wait_for_end(pid: Pid) -> io::Result<()> {
    let ends = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(pid), ends | WaitIdOptions::STOPPED) {
            Ok(Some(status)) if status.stopped() => {
                // Or it would be reported again at once.
                waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG)?;
                kill_process(getpid(), Signal::STOP)?;
                // The shell continues the whole group; anybody else may have continued us alone.
                let _ = kill_process(pid, Signal::CONT);
            }
            Ok(Some(_)) => return Ok(()),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

pub mod restart;

#[cfg(test)]
mod tests;
