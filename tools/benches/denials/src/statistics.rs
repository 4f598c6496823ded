//! Distributions, and whether two of them differ.

use std::time::Duration;

/// Prints the rows of both kinds of calls, and returns the row that compares them.
pub(crate) fn rows(protocol: &str, samples: &[Vec<Duration>; 2], instructions: [Option<u64>; 2]) -> String {
    for ((kind, values), count) in ["forbidden", "unknown"].iter().zip(sorted(samples)).zip(instructions) {
        let [median, p90, p99] = [0.5, 0.9, 0.99].map(|share| at(&values, share));
        let count = count.map_or_else(String::new, |count| count.to_string());
        println!("| {protocol} | {kind} | {median:.2} | {p90:.2} | {p99:.2} | {count} |");
    }
    comparison(protocol, samples)
}

/// The row that compares two kinds of calls.
pub(crate) fn comparison(title: &str, samples: &[Vec<Duration>; 2]) -> String {
    let [one, other] = sorted(samples);
    let difference = at(&one, 0.5) - at(&other, 0.5);
    let (z, share) = mann_whitney(&one, &other);
    let relative = difference / at(&other, 0.5) * 100.0;
    format!("| {title} | {difference:+.3} µs, {relative:+.2}% | {z:+.2} | {:.1}% of the pairs |", share * 100.0)
}

/// The times in µs, in order.
fn sorted(samples: &[Vec<Duration>; 2]) -> [Vec<f64>; 2] {
    samples.each_ref().map(|samples| {
        let mut micros: Vec<f64> = samples.iter().map(|sample| sample.as_secs_f64() * 1e6).collect();
        micros.sort_by(f64::total_cmp);
        micros
    })
}

fn at(values: &[f64], share: f64) -> f64 {
    values[((values.len() - 1) as f64 * share).round() as usize]
}

/// The test of Mann and Whitney: how far the sum of ranks is from that of equal distributions, in standard deviations,
/// and the share of pairs in which the value of the first one is larger. Equal values count as half.
fn mann_whitney(one: &[f64], other: &[f64]) -> (f64, f64) {
    let mut all: Vec<(f64, bool)> =
        one.iter().map(|value| (*value, true)).chain(other.iter().map(|value| (*value, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks, mut ties, mut start) = (0.0, 0.0, 0);
    while start < all.len() {
        let same = all[start..].iter().take_while(|(value, _)| *value == all[start].0).count();
        let rank = start as f64 + (same as f64 + 1.0) / 2.0;
        ranks += rank * all[start..start + same].iter().filter(|(_, is_first)| *is_first).count() as f64;
        ties += (same as f64).powi(3) - same as f64;
        start += same;
    }
    let (n, m) = (one.len() as f64, other.len() as f64);
    let (u, total) = (ranks - n * (n + 1.0) / 2.0, n + m);
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    ((u - n * m / 2.0) / variance.sqrt(), u / (n * m))
}
