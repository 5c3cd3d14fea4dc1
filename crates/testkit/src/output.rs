//! What a process has written so far, and waiting for more of it without sleeping.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone)]
pub(crate) struct Output {
    shared: Arc<(Mutex<Written>, Condvar)>,
}

struct Written {
    bytes: Vec<u8>,
    closed: bool,
}

impl Output {
    /// Reads in a thread of its own until the other end closes.
    pub(crate) fn follow(mut from: impl Read + Send + 'static) -> Self {
        let written = Written { bytes: Vec::new(), closed: false };
        let output = Self { shared: Arc::new((Mutex::new(written), Condvar::new())) };
        let writer = output.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                // A pty whose process has gone answers with an error instead of an end.
                let n = from.read(&mut buffer).unwrap_or(0);
                let mut written = writer.lock();
                written.bytes.extend_from_slice(&buffer[..n]);
                written.closed = n == 0;
                writer.shared.1.notify_all();
                if n == 0 {
                    return;
                }
            }
        });
        output
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().bytes.clone()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.lock().bytes).into_owned()
    }

    /// Looks at the bytes whenever more have come, until `find` finds, nothing more can come or the
    /// limit has passed.
    pub(crate) fn wait<T>(&self, limit: Duration, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut written = self.lock();
        loop {
            let found = find(&written.bytes);
            let left = end.saturating_duration_since(Instant::now());
            if found.is_some() || written.closed || left.is_zero() {
                return found;
            }
            written = self.shared.1.wait_timeout(written, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the other end has closed.
    pub(crate) fn wait_closed(&self, limit: Duration) {
        self.wait(limit, |_| None::<()>);
    }

    /// Waits until nothing has come for a while.
    pub(crate) fn wait_quiet(&self, quiet: Duration, limit: Duration) {
        let end = Instant::now() + limit;
        let mut length = self.lock().bytes.len();
        while Instant::now() < end {
            let more = self.wait(quiet, |bytes| (bytes.len() > length).then_some(bytes.len()));
            match more {
                Some(longer) => length = longer,
                None => return,
            }
        }
    }
}
