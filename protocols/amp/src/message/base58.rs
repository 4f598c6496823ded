//! base58btc, of the keys in `did:key`.

const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// The most digits of 34 bytes: 58^47 exceeds 256^34.
const MAX_DIGITS: usize = 47;

/// The number of 34 bytes that a text of at most 47 digits encodes. `None` for any other text.
///
/// Zeros at the start (`1`) are not counted. No number that starts with 0xed has fewer than 47 digits, so a key has one
/// text.
pub(super) fn decode(text: &str) -> Option<[u8; 34]> {
    if text.len() > MAX_DIGITS {
        return None;
    }
    let mut number = [0_u8; 34];
    for digit in text.bytes() {
        let mut carry = DIGITS.iter().position(|known| *known == digit)?;
        for byte in number.iter_mut().rev() {
            let sum = usize::from(*byte) * 58 + carry;
            #[expect(clippy::cast_possible_truncation, reason = "the rest is the carry")]
            let low = sum as u8;
            (*byte, carry) = (low, sum >> 8);
        }
        if carry > 0 {
            return None;
        }
    }
    Some(number)
}
