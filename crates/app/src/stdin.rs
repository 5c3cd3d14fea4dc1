//! Reading stdin without trusting it: bounded in size, and never waiting for a writer that does not come.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Larger than any event of a client, smaller than what would hurt.
const LIMIT: usize = 32 << 20;
/// So much of a larger one is looked at: what kind of event it is stands at its beginning.
const HEAD: usize = 64 << 10;
/// A client writes its event at once.
pub const FOR_A_CLIENT: Duration = Duration::from_millis(1500);
/// What an agent pipes into a command is there at once too, and it does not wait two seconds for nothing.
const FOR_AN_AGENT: Duration = Duration::from_secs(1);
/// A person's pipeline may take its time.
pub const FOR_A_COMMAND: Duration = Duration::from_mins(1);

#[derive(Debug, thiserror::Error)]
pub enum NoInput {
    #[error("no input came within {} ms", .0.as_millis())]
    Silent(Duration),
    #[error("nothing is piped in: stdin is a terminal")]
    Terminal,
    #[error("the input is larger than {} MB", LIMIT >> 20)]
    TooLarge {
        /// How it begins.
        head: String,
    },
    #[error("the input is not UTF-8")]
    NotText,
    #[error("the input could not be read: {0}")]
    Failed(Errno),
}

/// Everything up to the end of the input. If the writer holds it open after its last byte, what came counts.
pub fn read(patience: Duration) -> Result<String, NoInput> {
    read_from(rustix::stdio::stdin(), patience)
}

fn read_from(stdin: BorrowedFd<'_>, patience: Duration) -> Result<String, NoInput> {
    if rustix::termios::isatty(stdin) {
        return Err(NoInput::Terminal);
    }
    let deadline = Instant::now() + patience;
    let mut bytes: Vec<u8> = Vec::with_capacity(16 << 10);
    loop {
        let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
        // The end of all patience, not of each wait: a writer that drips would hold the agent up for ever.
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(0),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match poll(&mut waiting, Some(&left)) {
            Ok(0) if bytes.is_empty() => return Err(NoInput::Silent(patience)),
            Ok(0) => break,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(NoInput::Failed(error)),
        }
        if bytes.capacity() - bytes.len() < 4 << 10 {
            bytes.reserve(bytes.len().max(64 << 10));
        }
        match rustix::io::read(stdin, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) if bytes.len() > LIMIT => {
                let head = String::from_utf8_lossy(&bytes[..HEAD]).into_owned();
                drop(bytes);
                return Err(rest_of(stdin, deadline, head));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(NoInput::Failed(error)),
        }
    }
    String::from_utf8(bytes).map_err(|_| NoInput::NotText)
}

/// Lets the writer end, as far as patience goes: one that is cut off may count the hook as failed, whatever it answers.
fn rest_of(stdin: BorrowedFd<'_>, deadline: Instant, head: String) -> NoInput {
    let mut scratch: Vec<u8> = Vec::with_capacity(1 << 20);
    let is_there = || {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left)).is_ok_and(|ready| ready > 0)
    };
    while Instant::now() < deadline && is_there() {
        scratch.clear();
        match rustix::io::read(stdin, rustix::buffer::spare_capacity(&mut scratch)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => break,
        }
    }
    NoInput::TooLarge { head }
}

/// Reads what is piped in when it is asked for: a use case that needs nothing must not wait for it. In production [`piped`].
pub type Piped<'a> = &'a dyn Fn() -> Result<Option<String>, NoInput>;

/// What is piped in, for commands that do without: an agent's shell may hold its stdin open and say nothing.
pub fn piped() -> Result<Option<String>, NoInput> {
    unless_silent(read(FOR_AN_AGENT))
}

fn unless_silent(read: Result<String, NoInput>) -> Result<Option<String>, NoInput> {
    match read {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Err(NoInput::Silent(_) | NoInput::Terminal) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
