//! Reading the notations of RFC 3339.

/// The rest of a text.
pub(crate) struct Digits<'t>(pub(crate) &'t [u8]);

impl Digits<'_> {
    pub(crate) fn byte(&mut self, expected: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[expected])?;
        Some(())
    }

    /// An ASCII letter in upper or lower case.
    pub(crate) fn letter(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        first.eq_ignore_ascii_case(&expected).then_some(())
    }

    /// A number of exactly so many digits, at most nine.
    pub(crate) fn number(&mut self, digits: usize) -> Option<i32> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i32::from(b - b'0')))
    }

    /// One or more digits after a decimal point, in units of 10^-9. Further digits are dropped.
    pub(crate) fn fraction(&mut self) -> Option<u32> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at_checked(count).filter(|_| count > 0)?;
        self.0 = rest;
        let padded = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
        Some(padded.fold(0, |n, b| n * 10 + u32::from(b - b'0')))
    }

    /// The offset from UTC in minutes.
    pub(crate) fn offset(&mut self) -> Option<i32> {
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return self.letter(b'Z').map(|()| 0),
        };
        self.0 = self.0.get(1..)?;
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.byte(b':')?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        Some(sign * (hours * 60 + minutes))
    }
}
