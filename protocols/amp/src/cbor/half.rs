//! binary16, the shortest floating-point format. Rust has no stable type for it.

/// Unit of the exponents: 2^-24 is the smallest positive number.
const SMALLEST: f64 = 1.0 / 16_777_216.0;

/// The number in binary16; `None` if the format does not have it, and for NaN.
#[expect(clippy::cast_possible_truncation, reason = "the result is compared with the number")]
pub(super) fn from_f64(number: f64) -> Option<u16> {
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    let size = number.abs();
    if size == f64::INFINITY {
        return Some(sign | 0x7c00);
    }
    if size.is_nan() || size >= 65_536.0 {
        return None;
    }
    // 2^-14 is the smallest number with a full mantissa. The exponent of smaller ones is that of 2^-14.
    let exponent = if size < 1.0 / 16_384.0 { 0 } else { (size.to_bits() >> 52) as u16 - 1008 };
    // Scaling by a power of two is exact, so the mantissa is an integer if and only if the format has the number.
    let mantissa = size / unit(exponent);
    #[expect(clippy::cast_sign_loss, reason = "the size is not negative")]
    let integer = mantissa as u16;
    let hidden = if exponent == 0 { 0 } else { 1024 };
    (f64::from(integer) == mantissa).then(|| sign | (exponent << 10) | (integer - hidden))
}

/// The number that these bits represent.
pub(super) fn to_f64(bits: u16) -> f64 {
    let (exponent, mantissa) = ((bits >> 10) & 31, bits & 1023);
    let size = match (exponent, mantissa) {
        (31, 0) => f64::INFINITY,
        (31, _) => f64::NAN,
        (0, mantissa) => f64::from(mantissa) * SMALLEST,
        (exponent, mantissa) => f64::from(1024 + mantissa) * unit(exponent),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// The value of the last bit of the mantissa, of numbers with this exponent.
fn unit(exponent: u16) -> f64 {
    SMALLEST * f64::from(1_u32 << exponent.saturating_sub(1))
}
