//! Two rankings of the same chunks become one: reciprocal rank fusion, which needs no scores that compare.

/// The usual constant; larger makes the first ranks weigh less.
const DAMPING: f64 = 60.0;

/// What one side says of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Counted from 1.
    pub rank: usize,
    pub score: f64,
}

/// What a hit is worth by the ranks that it has; one rank only is worth half at most.
pub fn fused(lexical: Option<Side>, semantic: Option<Side>) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a rank is a small number")]
    let worth = |side: Option<Side>| side.map_or(0.0, |side| 1.0 / (DAMPING + side.rank as f64));
    worth(lexical) + worth(semantic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_beat_one() {
        let side = |rank| Some(Side { rank, score: 0.0 });
        assert!(fused(side(20), side(20)) > fused(side(1), None));
        assert!(fused(side(1), None) > fused(side(2), None));
        assert!(fused(None, side(3)) > fused(None, None));
    }
}
