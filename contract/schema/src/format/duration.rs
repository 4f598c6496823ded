//! `duration` of [RFC 3339 appendix A](https://www.rfc-editor.org/rfc/rfc3339#appendix-A): whole numbers of units in
//! their order, without a gap, as in `P1Y2M3DT4H5M6S`, or weeks alone.
//!
//! The letters are upper-case. The grammar of that appendix would also allow lower-case ones, but the standard that it
//! describes (ISO 8601) and other validators do not.

pub(super) fn is_duration(text: &str) -> bool {
    let Some(text) = text.strip_prefix('P') else { return false };
    match text.split_once('T') {
        None => is_weeks(text) || is_sequence(text, "YMD"),
        Some((date, time)) => (date.is_empty() || is_sequence(date, "YMD")) && is_sequence(time, "HMS"),
    }
}

fn is_weeks(text: &str) -> bool {
    text.strip_suffix('W').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// At least one number, each with its unit. The units are in the order of `units`, and none between two is left out.
fn is_sequence(text: &str, units: &str) -> bool {
    let mut rest = text;
    let mut units = units.chars();
    let mut is_first = true;
    while !rest.is_empty() {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let mut after = number.chars();
        let unit = after.next();
        let is_next = if is_first { units.any(|known| Some(known) == unit) } else { units.next() == unit };
        if unit.is_none() || number.len() == rest.len() || !is_next {
            return false;
        }
        is_first = false;
        rest = after.as_str();
    }
    !is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_in_their_order_and_without_gaps() {
        for text in [
            "P4DT12H30M5S",
            "P4Y",
            "PT0S",
            "P0D",
            "P1M",
            "PT1M",
            "PT36H",
            "P1DT12H",
            "P2W",
            "P1Y2M3DT4H5M6S",
            "P1Y2M",
            "P1YT1S",
            "P00012345678901234567890D",
        ] {
            assert!(is_duration(text), "{text}");
        }
        for text in [
            "",
            "P",
            "PT",
            "P1",
            "PT1D",
            "4DT12H30M5S",
            "P1YT",
            "P2D1Y",
            "P1D2H",
            "P2S",
            "P1Y2W",
            "P1W2D",
            "P২Y",
            "P1Y2D",
            "PT1H2S",
            "p1d",
            "P1d",
            "P-1D",
            "-P1D",
            "P1.5D",
            "P1,5D",
            "PT1S ",
            "P 1D",
            "PW",
            "PTW",
            "P1WT1H",
            "PT1HT1M",
            "P1DT1W",
            "P1M1Y",
            "P1D\n",
        ] {
            assert!(!is_duration(text), "{text}");
        }
    }
}
