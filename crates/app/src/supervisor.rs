//! A child that stands in our place: the same terminal, the same process group, and its end is ours.
//!
//! What the terminal sends (Ctrl-C, Ctrl-Z, a changed size) goes to the whole group, so the child has it already. What
//! somebody sends to this process alone is passed on. When the child stops itself, as the client does for Ctrl-Z, we stop
//! too, or the shell would wait for us for ever.

use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, kill_process, waitid};
use rustix::termios::tcgetpgrp;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH};
use signal_hook::iterator::Signals;

/// The signals that are passed on. Those that stop and continue are left to the system.
const PASSED_ON: [i32; 5] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH];

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

    /// Runs a command to its end.
    pub fn run(&self, command: &mut Command) -> io::Result<ExitStatus> {
        // Held until it has a number: a signal that comes meanwhile is for it.
        let mut known = self.child();
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        *known = Some(pid);
        drop(known);
        wait_for_end(pid)?;
        // It is dead, but its number is kept until it is waited for.
        *self.child() = None;
        child.wait()
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

#[cfg(test)]
mod tests;
