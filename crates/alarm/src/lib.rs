//! What only the kernel can promise: a deadline, after which the process becomes another program, and a child that ends with its parent.
//!
//! The hook must answer even if a file, a lock or a fault of ours never returns. A thread that waits for that costs every hook
//! 50 µs; a timer costs two system calls. A signal handler may do next to nothing, so this one does one thing: it calls `execv`. The
//! program that follows has the same process id, the same standard streams and no locks, and can take its time.
//!
//! This is the only crate with unsafe code. It knows nothing of the product.

use std::ffi::{CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
#[cfg(target_os = "linux")]
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// What the process becomes: a program and its arguments. It is leaked, so that it lives as long as the handler may run.
struct Successor {
    program: CString,
    /// The words, without the last one and with it. Both end in a null pointer, and point into `_words`.
    short: Vec<*const c_char>,
    long: Vec<*const c_char>,
    _words: Vec<CString>,
}

static SUCCESSOR: AtomicPtr<Successor> = AtomicPtr::new(ptr::null_mut());
static IS_LONG: AtomicBool = AtomicBool::new(false);
/// Set by whoever comes first: the handler, or the program that is done in time.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Has the process become `program` after `delay`, unless [`finish`] is called before. The words begin with the program's own name; the
/// last one is given only after [`with_last_word`].
///
/// A process has one deadline.
pub fn replace_after(delay: Duration, program: CString, words: Vec<CString>) -> io::Result<()> {
    let pointers = |words: &[CString]| words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
    let Some((_, short)) = words.split_last() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let successor = Successor { program, short: pointers(short), long: pointers(&words), _words: words };
    SUCCESSOR.store(Box::into_raw(Box::new(successor)), Ordering::Release);
    on_alarm()?;
    set_timer(delay)
}

/// Whether the program is given the last word, too.
pub fn with_last_word(is_given: bool) {
    IS_LONG.store(is_given, Ordering::Release);
}

/// Whether the process is done before its deadline: the deadline no longer counts. The second call says no.
pub fn finish() -> bool {
    !IS_OVER.swap(true, Ordering::AcqRel)
}

/// Runs as the signal's handler: only what is safe there, which is atomics, `execv` and `_exit`.
extern "C" fn become_successor(_: c_int) {
    if IS_OVER.swap(true, Ordering::AcqRel) {
        return;
    }
    // SAFETY: the pointer is null or comes from `Box::into_raw` and is never freed or changed.
    let Some(successor) = (unsafe { SUCCESSOR.load(Ordering::Acquire).as_ref() }) else { return };
    let words = if IS_LONG.load(Ordering::Acquire) { &successor.long } else { &successor.short };
    // SAFETY: both are strings that end in a null byte and a list that ends in a null pointer, which live for ever.
    unsafe { libc::execv(successor.program.as_ptr(), words.as_ptr()) };
    // SAFETY: it does not return, and runs nothing of this process.
    unsafe { libc::_exit(1) };
}

fn on_alarm() -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sigaction` and a valid `sigset_t`, whose fields are set below by the library's own functions.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = become_successor as extern "C" fn(c_int) as libc::sighandler_t;
    // A syscall that waits is not begun anew; what it returns does not matter, as the handler does not return.
    action.sa_flags = 0;
    // SAFETY: the pointers are to values of this function, and the handler is safe in a signal.
    unsafe {
        checked(libc::sigemptyset(&raw mut action.sa_mask))?;
        checked(libc::sigaction(libc::SIGALRM, &raw const action, ptr::null_mut()))
    }
}

fn set_timer(delay: Duration) -> io::Result<()> {
    #[allow(clippy::unnecessary_fallible_conversions, reason = "the microseconds have 32 bits on macOS")]
    let value = libc::timeval {
        tv_sec: delay.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_usec: delay.subsec_micros().try_into().unwrap_or(0),
    };
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: never, it_value: value };
    // SAFETY: the pointer is to a value of this function.
    unsafe { checked(libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut())) }
}

/// Has the child that this command starts asked to end (SIGTERM) when the thread that starts it has ended, also by SIGKILL. Systems other
/// than Linux promise nothing of the kind; there the child goes on.
#[cfg(target_os = "linux")]
pub fn end_with_parent(command: &mut Command) -> &mut Command {
    let parent = std::process::id();
    let ask = move || {
        let never: libc::c_ulong = 0;
        // SAFETY: both are system calls, take no pointers and allocate nothing.
        let above = unsafe {
            checked(libc::prctl(
                libc::PR_SET_PDEATHSIG,
                libc::SIGTERM as libc::c_ulong,
                never,
                never,
                never,
            ))?;
            libc::getppid()
        };
        // It may have ended before the kernel was asked.
        if u32::try_from(above) == Ok(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec it makes two system calls and makes errors that allocate nothing.
    unsafe { command.pre_exec(ask) }
}

#[cfg(not(target_os = "linux"))]
pub fn end_with_parent(command: &mut Command) -> &mut Command {
    command
}

fn checked(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
