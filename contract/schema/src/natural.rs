//! Natural numbers of any size, for divisions that have to be exact.
//!
//! The base is a power of ten, because the numbers come from decimal digits and become decimal digits again.

use std::cmp::Ordering;

/// The greatest power of ten for which the product of two digits, with carries, fits into 64 bits.
const BASE: u64 = 1_000_000_000;
/// The decimal digits of one digit of [`BASE`].
const DIGITS: usize = 9;

/// A natural number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Natural {
    /// Digits to the base [`BASE`], the least significant first; the last one is not zero.
    limbs: Vec<u32>,
}

impl Natural {
    pub(crate) const ZERO: Natural = Natural { limbs: Vec::new() };

    /// The number with these decimal digits, followed by some zeros. Other characters count as zero.
    pub(crate) fn new(digits: &str, zeros: usize) -> Self {
        let mut bytes: Vec<u8> = digits.bytes().collect();
        bytes.resize(bytes.len() + zeros, b'0');
        let limb =
            |chunk: &[u8]| chunk.iter().fold(0, |limb, byte| limb * 10 + u32::from(byte.wrapping_sub(b'0')).min(9));
        Self::of(bytes.rchunks(DIGITS).map(limb).collect())
    }

    fn of(mut limbs: Vec<u32>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self { limbs }
    }

    /// Ten to a power.
    pub(crate) fn power_of_ten(exponent: usize) -> Self {
        Self::new("1", exponent)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// The decimal digits, without leading zeros; empty for zero.
    pub(crate) fn digits(&self) -> String {
        let text: String = self.limbs.iter().rev().map(|limb| format!("{limb:09}")).collect();
        text.trim_start_matches('0').to_owned()
    }

    /// The length of [`digits`](Self::digits), rounded up to a multiple of nine.
    pub(crate) fn length(&self) -> usize {
        self.limbs.len() * DIGITS
    }

    fn at(&self, index: Option<usize>) -> u64 {
        index.and_then(|index| self.limbs.get(index)).map_or(0, |limb| u64::from(*limb))
    }

    pub(crate) fn plus(&self, other: u64) -> Self {
        let mut carry = other;
        let mut limbs = self.limbs.clone();
        for limb in &mut limbs {
            carry += u64::from(*limb);
            *limb = low(carry);
            carry /= BASE;
        }
        while carry > 0 {
            limbs.push(low(carry));
            carry /= BASE;
        }
        Self::of(limbs)
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut limbs: Vec<u32> = vec![0; self.limbs.len() + other.limbs.len()];
        for (shift, factor) in self.limbs.iter().enumerate() {
            let mut carry = 0;
            let mut places = limbs.iter_mut().skip(shift);
            for limb in other.limbs.iter().chain(std::iter::repeat(&0)) {
                let Some(place) = places.next() else { break };
                carry += u64::from(*place) + u64::from(*factor) * u64::from(*limb);
                *place = low(carry);
                carry /= BASE;
            }
        }
        Self::of(limbs)
    }

    /// The quotient and the remainder; both are zero if the divisor is. Takes time proportional to the product of the
    /// lengths.
    pub(crate) fn divide(&self, divisor: &Self) -> (Self, Self) {
        if divisor.is_zero() {
            return (Self::ZERO, Self::ZERO);
        }
        let mut quotient: Vec<u32> = Vec::with_capacity(self.limbs.len());
        let mut rest = Self::ZERO;
        // As in division by hand: one digit after the other is brought down.
        for limb in self.limbs.iter().rev() {
            rest.limbs.insert(0, *limb);
            rest = Self::of(rest.limbs);
            quotient.push(low(rest.reduce(divisor)));
        }
        quotient.reverse();
        (Self::of(quotient), rest)
    }

    /// Subtracts the divisor as often as possible, which is less than [`BASE`] times, and returns how often.
    fn reduce(&mut self, divisor: &Self) -> u64 {
        let length = divisor.limbs.len();
        let digit = |number: &Self, offset: usize| u128::from(number.at(length.checked_sub(offset)));
        let base = u128::from(BASE);
        // The first two digits of the divisor, rounded up, so that the estimate is too small rather than too large, by
        // at most two.
        let divisor_top = digit(divisor, 1) * base + digit(divisor, 2) + 1;
        let top = (digit(self, 0) * base + digit(self, 1)) * base + digit(self, 2);
        let mut count = u64::try_from(top / divisor_top).unwrap_or(0);
        self.subtract(divisor, count);
        while (*self).cmp(divisor).is_ge() {
            self.subtract(divisor, 1);
            count += 1;
        }
        count
    }

    /// Subtracts a number several times. The result is not negative.
    fn subtract(&mut self, other: &Self, times: u64) {
        let mut borrow = 0;
        for (limb, other) in self.limbs.iter_mut().zip(other.limbs.iter().chain(std::iter::repeat(&0))) {
            let wanted = borrow + u64::from(*other) * times;
            borrow = wanted.saturating_sub(u64::from(*limb)).div_ceil(BASE);
            *limb = low(u64::from(*limb) + borrow * BASE - wanted);
        }
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }

    /// The greatest common divisor.
    pub(crate) fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let (_, rest) = a.divide(&b);
            (a, b) = (b, rest);
        }
        a
    }

    /// The least common multiple.
    pub(crate) fn common_multiple(&self, other: &Self) -> Self {
        self.divide(&self.common_divisor(other)).0.times(other)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let lengths = self.limbs.len().cmp(&other.limbs.len());
        lengths.then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The least significant digit to the base.
fn low(number: u64) -> u32 {
    u32::try_from(number % BASE).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn natural(number: u128) -> Natural {
        Natural::new(&number.to_string(), 0)
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_that_of_machine_numbers(
            a in (any::<u128>(), 0..128_u32), b in (any::<u128>(), 0..128_u32), c in any::<u64>(),
        ) {
            let (a, b) = (a.0 >> a.1, b.0 >> b.1);
            prop_assert_eq!(natural(a).cmp(&natural(b)), a.cmp(&b));
            prop_assert_eq!(natural(a >> 1).plus(c), natural((a >> 1) + u128::from(c)));
            if let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) {
                prop_assert_eq!(natural(a).divide(&natural(b)), (natural(quotient), natural(rest)));
            }
            if let Some(product) = a.checked_mul(b) {
                prop_assert_eq!(natural(a).times(&natural(b)), natural(product));
            }
        }

        #[test]
        fn quotient_and_remainder_add_up(a in "[0-9]{0,200}", b in "(9{0,30}0{0,20})?[0-9]{1,60}", zeros in 0..40_usize) {
            let (a, b) = (Natural::new(&a, zeros), Natural::new(&b, 0));
            let (quotient, rest) = a.divide(&b);
            if !b.is_zero() {
                prop_assert!(rest < b);
                let sum = add(&quotient.times(&b), &rest);
                prop_assert_eq!(sum, a.clone());
                let divisor = a.common_divisor(&b);
                prop_assert!(a.divide(&divisor).1.is_zero() && b.divide(&divisor).1.is_zero());
                prop_assert_eq!(a.common_multiple(&b).times(&divisor), a.times(&b));
            }
        }
    }

    fn add(a: &Natural, b: &Natural) -> Natural {
        let limbs = a.limbs.len().max(b.limbs.len()) + 1;
        let mut carry = 0;
        let sum = (0..limbs).map(|index| {
            carry += a.at(Some(index)) + b.at(Some(index));
            let limb = low(carry);
            carry /= BASE;
            limb
        });
        Natural::of(sum.collect())
    }

    #[test]
    fn digits_are_kept() {
        for digits in ["", "1", "999999999", "1000000000", "1000000000000000000000000000000000000001"] {
            assert_eq!(Natural::new(digits, 0).digits(), digits);
        }
        assert_eq!(Natural::power_of_ten(12), Natural::new("0001000000000000", 0));
    }
}
