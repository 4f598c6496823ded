//! Numbers as text, without an allocation: each message has three, and `format!` takes several times as long.

/// The decimal digits of a number.
pub(crate) struct Decimal {
    /// The digits are at the end.
    digits: [u8; LENGTH],
    start: usize,
}

/// The digits of the largest number, 2^64 - 1.
const LENGTH: usize = 20;

impl Decimal {
    pub(crate) fn new(number: u64) -> Self {
        let (mut digits, mut start, mut rest) = ([b'0'; LENGTH], LENGTH, number);
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (rest % 10) as u8;
            (start, rest) = (place, rest / 10);
            if rest == 0 {
                break;
            }
        }
        Self { digits, start }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.digits.get(self.start..).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        // Digits are ASCII.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_by_format() {
        let powers = (0..LENGTH).map(|power| 10_u64.pow(u32::try_from(power).unwrap()));
        for number in powers.flat_map(|power| [power - 1, power, power + 1]).chain([u64::MAX - 1, u64::MAX]) {
            assert_eq!(Decimal::new(number).as_str(), number.to_string());
        }
    }
}
