//! Timings of a program, and the interleaved way to take them.

use anyhow::Result;

use super::process::Process;

/// Microseconds, in order.
#[derive(Debug, Clone)]
pub(super) struct Samples(Vec<u64>);

impl Samples {
    pub(super) fn new(mut microseconds: Vec<u64>) -> Self {
        microseconds.sort_unstable();
        Self(microseconds)
    }

    pub(super) fn median(&self) -> u64 {
        self.percentile(50)
    }

    pub(super) fn p95(&self) -> u64 {
        self.percentile(95)
    }

    pub(super) fn p99(&self) -> u64 {
        self.percentile(99)
    }

    /// The smallest sample that so many percent of all do not exceed.
    fn percentile(&self, percent: usize) -> u64 {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }

    /// How many times the median of `other` this median is.
    #[allow(clippy::cast_precision_loss, reason = "microseconds of one process")]
    pub(super) fn times(&self, other: &Self) -> f64 {
        self.median() as f64 / other.median().max(1) as f64
    }
}

/// Times all processes in rounds, each round in another order, so that neither a busy minute nor a neighbour
/// that leaves the caches cold falls on one of them alone.
pub(super) fn interleave(processes: &[Process], rounds: usize) -> Result<Vec<Samples>> {
    let mut taken: Vec<Vec<u64>> = vec![Vec::new(); processes.len()];
    let mut order: Vec<usize> = (0..processes.len()).collect();
    let mut dice = Dice::default();
    for round in 0..rounds {
        for place in (1..order.len()).rev() {
            order.swap(place, dice.below(place + 1));
        }
        for &index in order.iter().filter(|&&index| round % processes[index].every == 0) {
            let time = processes[index].time()?;
            taken[index].push(u64::try_from(time.as_micros())?);
        }
    }
    Ok(taken.into_iter().map(Samples::new).collect())
}

/// Xorshift: the same orders in every run of the benchmark.
pub(super) struct Dice(u64);

impl Default for Dice {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl Dice {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let cases = [
            (vec![7], 7, 7),
            (vec![3, 1, 2], 2, 3),
            ((1..=100).collect(), 50, 99),
            ((1..=300).collect(), 150, 297),
        ];
        for (samples, median, p99) in cases {
            let samples = Samples::new(samples);
            assert_eq!((samples.median(), samples.p99()), (median, p99), "{samples:?}");
        }
    }
}
