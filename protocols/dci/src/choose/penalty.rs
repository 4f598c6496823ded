//! Penalties (sections "Capability Token Validation and Normalization" and "Manipulation Resistance").

use crate::Score;
use crate::inputs::Profile;

/// `min(0.20, 0.02 * count)`.
pub(crate) fn invalid_tokens(count: usize) -> Score {
    capped(count, 20, 200)
}

/// `min(0.20, 0.05 * count)`.
pub(crate) fn unknown_clauses(count: usize) -> Score {
    capped(count, 50, 200)
}

/// `min(0.25, 0.05 * count)`.
pub(crate) fn conflicts(count: usize) -> Score {
    capped(count, 50, 250)
}

/// `inflation_penalty` (section "Manipulation Resistance").
pub(crate) const INFLATION: Score = Score::thousandths(150);

fn capped(count: usize, thousandths: i64, most: i64) -> Score {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    Score::thousandths(count.saturating_mul(thousandths).min(most))
}

/// Penalizes candidates that claim far more capabilities than the others.
pub(crate) struct Overclaim {
    /// Twice `max(20, 3 * median)`, which is an integer although the median of an even count may not be.
    twice_most: usize,
}

impl Overclaim {
    /// From the number of capabilities of each candidate.
    pub(crate) fn new(mut counts: Vec<usize>) -> Self {
        counts.sort_unstable();
        // The two middle counts, which are the same one if the number of counts is odd.
        let at = |index: usize| counts.get(index).copied().unwrap_or(0);
        let twice_median = at(counts.len() / 2) + at(counts.len().saturating_sub(1) / 2);
        Self { twice_most: twice_median.saturating_mul(3).max(40) }
    }

    /// `min(0.25, 0.05 * ceil((count - most) / 5))`.
    pub(crate) fn penalty(&self, count: usize) -> Score {
        let twice_excess = (2 * count).saturating_sub(self.twice_most);
        capped(twice_excess.div_ceil(10), 50, 250)
    }
}

/// Which candidates claim far more in their contracts than their descriptions suggest: `contract-inflated`.
///
/// `deltas` has `S_contract - S_skill` of every candidate of a resolution (decision 18). The comparisons are exact. In
/// the practical profile (decision 41), the rule for few candidates must apply too, whatever their number.
pub(crate) fn inflated(deltas: &[Score], profile: Profile) -> Vec<bool> {
    let large = i128::from(Score::thousandths(350).units());
    let (count, units) = (deltas.len() as i128, || deltas.iter().map(|delta| i128::from(delta.units())));
    let sum: i128 = units().sum();
    // n^2 times the variance.
    let spread = count * units().map(|delta| delta * delta).sum::<i128>() - sum * sum;
    let by_number = |delta: i128| match count {
        0 | 1 => false,
        2..5 => delta > large,
        _ if spread == 0 => count * delta > sum + count * i128::from(Score::thousandths(150).units()),
        _ => {
            let distance = count * delta - sum;
            distance > 0 && distance * distance > 4 * spread
        }
    };
    units().map(|delta| by_number(delta) && (profile == Profile::Rfc || delta > large)).collect()
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_is_the_mean_of_the_middle_two() {
        // Median 7.5: the limit is 22.5.
        let overclaim = Overclaim::new(vec![1, 8, 7, 100]);
        assert_eq!(overclaim.penalty(22), Score::ZERO);
        assert_eq!(overclaim.penalty(23), Score::thousandths(50));
        assert_eq!(overclaim.penalty(27), Score::thousandths(50));
        assert_eq!(overclaim.penalty(28), Score::thousandths(100));
        assert_eq!(overclaim.penalty(1000), Score::thousandths(250));
        assert_eq!(Overclaim::new(vec![]).penalty(20), Score::ZERO);
        assert_eq!(Overclaim::new(vec![0]).penalty(21), Score::thousandths(50));
    }

    #[test]
    fn few_candidates_have_an_absolute_limit() {
        let flags = |thousandths: &[i64]| {
            inflated(&thousandths.iter().map(|n| Score::thousandths(*n)).collect::<Vec<_>>(), Profile::Rfc)
        };
        assert_eq!(flags(&[1000]), [false]);
        assert_eq!(flags(&[350, 351]), [false, true]);
        assert_eq!(flags(&[500, 500, 500, 500, 500]), [false; 5]);
        // 1 among n - 1 zeros is above two standard deviations from n = 6 on; at n = 5 it is exactly two.
        assert_eq!(flags(&[1000, 0, 0, 0, 0]), [false; 5]);
        assert!(flags(&[1000, 0, 0, 0, 0, 0])[0]);
        assert_eq!(flags(&[-1000, 0, 0, 0, 0, 0]), [false; 6]);
    }

    #[test]
    fn the_practical_profile_needs_a_large_difference_for_every_number_of_candidates() {
        let flags = |first: i64, count: usize, profile| {
            let mut deltas = vec![Score::ZERO; count];
            deltas[0] = Score::thousandths(first);
            inflated(&deltas, profile)[0]
        };
        for count in 2..40 {
            assert!(!flags(350, count, Profile::Practical), "{count}");
            assert_eq!(flags(351, count, Profile::Practical), flags(351, count, Profile::Rfc), "{count}");
        }
        // One of six is above two standard deviations, whatever the difference is.
        assert!(flags(1, 6, Profile::Rfc) && !flags(1, 6, Profile::Practical));
        assert!(!flags(1000, 1, Profile::Practical) && flags(1000, 6, Profile::Practical));
    }
}
