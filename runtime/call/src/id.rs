//! Random ids of messages and calls.

use std::fmt;

use uuid::Uuid;

/// A random id: the 122 random bits of a UUID in base64url ([RFC 4648 section
/// 5](https://www.rfc-editor.org/rfc/rfc4648#section-5)). It is shorter than the usual form of a UUID, because messages
/// have several ids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id([u8; LENGTH]);

/// The digits of 6 bits that the 16 bytes of a UUID take in base64url.
const LENGTH: usize = 22;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Id {
    pub(crate) fn random() -> Self {
        let bits = Uuid::new_v4().as_u128();
        // The last digit has the last two bits.
        let digit = |index: usize| {
            let six = if index + 1 < LENGTH { bits >> (122 - 6 * index) } else { bits << 4 };
            DIGITS.get((six & 63) as usize).copied().unwrap_or(b'A')
        };
        Self(std::array::from_fn(digit))
    }

    pub(crate) fn as_str(&self) -> &str {
        // Its bytes are ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Takes less time than a comparison of strings, because the id does not become one.
impl PartialEq<str> for Id {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_base64url_and_differ() {
        let (a, b) = (Id::random(), Id::random());
        assert_ne!(a, b);
        assert!(a.as_str().len() == LENGTH && a.as_str().bytes().all(|byte| DIGITS.contains(&byte)), "{a:?}");
    }
}
