//! HMAC-SHA-256 with the keys of this crate.

use hmac::{Hmac, KeyInit as _};
use sha2::Sha256;

/// HMAC-SHA-256 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)) with a key of 32 bytes.
pub(crate) fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC fills a key with zeros up to the block of the hash, here 64 bytes. A key of that length cannot be rejected.
    let mut block = [0; 64];
    block.iter_mut().zip(key).for_each(|(byte, part)| *byte = *part);
    Hmac::new(&block.into())
}
