//! How far a long index is, for whoever looks.

/// Is told after each file.
pub trait Progress {
    fn at(&mut self, done: usize, total: usize);
}

/// Nobody looks.
pub struct Unwatched;

impl Progress for Unwatched {
    fn at(&mut self, _: usize, _: usize) {}
}

impl<F: FnMut(usize, usize)> Progress for F {
    fn at(&mut self, done: usize, total: usize) {
        self(done, total);
    }
}
