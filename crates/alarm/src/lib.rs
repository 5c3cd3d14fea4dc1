//! A deadline kept by the kernel: when it passes, the process becomes another program.
//!
//! The hook must answer even if a file, a lock or a fault of ours never returns. A thread that waits for that costs every hook
//! 50 µs; a timer costs two system calls. A signal handler may do next to nothing, so this one does one thing: it calls `execv`. The
//! program that follows has the same process id, the same standard streams and no locks, and can take its time.
//!
//! This is the only crate with unsafe code. It knows nothing of the product.

use std::ffi::{CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

/// What the process becomes: a program and the lists of arguments of which one is chosen. It is leaked, so that it lives as long as the
/// handler may run.
struct Successor {
    program: CString,
    /// Each ends in a null pointer, and points into `_words`.
    lists: Vec<Vec<*const c_char>>,
    _words: Vec<Vec<CString>>,
}

static SUCCESSOR: AtomicPtr<Successor> = AtomicPtr::new(ptr::null_mut());
static CHOSEN: AtomicUsize = AtomicUsize::new(0);
/// Set by whoever comes first: the handler, or the program that is done in time.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Has the process become `program` after `delay`, with the first of the lists of arguments, unless [`finish`] is called before.
///
/// A process has one deadline. Each list begins with the program's own name.
pub fn replace_after(delay: Duration, program: CString, lists: Vec<Vec<CString>>) -> io::Result<()> {
    let pointers = |list: &Vec<CString>| list.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
    let successor = Successor { program, lists: lists.iter().map(pointers).collect(), _words: lists };
    if successor.lists.is_empty() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    SUCCESSOR.store(Box::into_raw(Box::new(successor)), Ordering::Release);
    on_alarm()?;
    set_timer(delay)
}

/// Chooses another list of arguments. One that does not exist changes nothing.
pub fn choose(list: usize) {
    CHOSEN.store(list, Ordering::Release);
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
    let list = successor.lists.get(CHOSEN.load(Ordering::Acquire)).or(successor.lists.first());
    let Some(list) = list else { return };
    // SAFETY: both are strings that end in a null byte and a list that ends in a null pointer, which live for ever.
    unsafe { libc::execv(successor.program.as_ptr(), list.as_ptr()) };
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
    let value = libc::timeval {
        tv_sec: delay.as_secs().try_into().unwrap_or(libc::time_t::MAX),
        tv_usec: delay.subsec_micros().try_into().unwrap_or(0),
    };
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let timer = libc::itimerval { it_interval: never, it_value: value };
    // SAFETY: the pointer is to a value of this function.
    unsafe { checked(libc::setitimer(libc::ITIMER_REAL, &raw const timer, ptr::null_mut())) }
}

fn checked(result: c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
