//! Durations on the command line: a number and a unit.

/// The units, with their length in ms. `ms` comes before `m` and `s`, which end in the same letters.
pub(crate) const UNITS: [(&str, u64); 6] =
    [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000)];

/// The length in ms of a text such as `30s`, with one of `units`; `None` if it is not a number and a unit. A duration
/// that is too long is `u64::MAX`.
pub(crate) fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, ms) = units.iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, *ms)))?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| number.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        let known =
            [("500ms", 500), ("0s", 0), ("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("1w", 604_800_000)];
        for (text, ms) in known {
            assert_eq!(parse(text, &UNITS), Some(ms), "{text}");
        }
        for text in ["", "s", "ms", "-1s", "1.5s", "1", "1y", " 1s"] {
            assert_eq!(parse(text, &UNITS), None, "{text}");
        }
        assert_eq!(parse("99999999999999999999w", &UNITS), Some(u64::MAX));
        assert_eq!(parse("1ms", &UNITS[1..]), None, "without this unit");
    }
}
