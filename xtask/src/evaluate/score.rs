//! Figures of a ranking, and how sure a difference between two is.

/// So many answers count.
pub(super) const DEPTH: usize = 10;
const DRAWS: usize = 10_000;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// How good the answers to one question are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Score {
    pub(super) ndcg: f64,
    pub(super) mrr: f64,
    pub(super) recall: f64,
}

#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn float(count: usize) -> f64 {
    count as f64
}

impl Score {
    /// Of answers in their order, each right or not, and the number of right ones that there are.
    pub(super) fn new(right: &[bool], wanted: usize) -> Self {
        let right = &right[..right.len().min(DEPTH)];
        let worth = |place: usize| 1.0 / (float(place) + 2.0).log2();
        let places = || right.iter().enumerate().filter(|(_, right)| **right).map(|(place, _)| place);
        let most: f64 = (0..wanted.min(DEPTH)).map(worth).sum();
        Self {
            // The sum of nothing is -0.
            ndcg: (places().map(worth).sum::<f64>() / most).abs(),
            mrr: places().next().map_or(0.0, |place| 1.0 / (float(place) + 1.0)),
            recall: float(places().count()) / float(wanted.min(DEPTH)),
        }
    }

    pub(super) fn mean(all: &[Self]) -> Self {
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / float(all.len().max(1));
        Self {
            ndcg: mean(|score| score.ndcg),
            mrr: mean(|score| score.mrr),
            recall: mean(|score| score.recall),
        }
    }
}

/// A difference of means, and the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Difference {
    /// Paired bootstrap: the questions are drawn again and again, with the difference that each made.
    pub(super) fn new(differences: &[f64]) -> Self {
        let count = differences.len().max(1);
        let mean = |sum: f64| sum / float(count);
        let mut dice = SEED;
        let mut below = |limit: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            usize::try_from(dice % limit.max(1) as u64).unwrap_or_default()
        };
        let mut draw = || (0..differences.len()).map(|_| differences[below(differences.len())]).sum::<f64>();
        let mut means: Vec<f64> = (0..DRAWS).map(|_| mean(draw())).collect();
        means.sort_by(f64::total_cmp);
        let (low, high) = (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40]);
        Self { mean: mean(differences.iter().sum()), low, high }
    }

    /// Whether the interval leaves out zero.
    pub(super) fn is_sure(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_has_its_figures() {
        let score = |right: &[bool], wanted| {
            let Score { ndcg, mrr, recall } = Score::new(right, wanted);
            format!("{ndcg:.3} {mrr:.3} {recall:.3}")
        };
        assert_eq!(score(&[true], 1), "1.000 1.000 1.000");
        assert_eq!(score(&[false, true], 1), "0.631 0.500 1.000");
        assert_eq!(score(&[false, true, true], 4), "0.441 0.500 0.500");
        assert_eq!(score(&[], 3), "0.000 0.000 0.000");
        assert_eq!(score(&[vec![false; 10], vec![true]].concat(), 1), "0.000 0.000 0.000");
    }

    #[test]
    fn an_interval_is_the_same_each_time_and_holds_the_mean() {
        let differences: Vec<f64> = (0..100).map(|n| f64::from(n % 7) - 2.0).collect();
        let difference = Difference::new(&differences);
        assert_eq!(difference, Difference::new(&differences));
        assert!(
            difference.low < difference.mean && difference.mean < difference.high && difference.is_sure()
        );
        assert_eq!(Difference::new(&[0.0; 20]), Difference { mean: 0.0, low: 0.0, high: 0.0 });
    }
}
