//! The forms of the strings of an envelope, for the fast paths of reading and writing.
//!
//! They accept a part of the strings that the contract accepts. For a string that they do not accept, the generated
//! code decides.

use capgen_schema::plain_end;

/// Whether a string is written between quotes as it is.
pub(super) fn is_plain(text: &[u8]) -> bool {
    plain_end(text, 0) == text.len()
}

/// An id of a message, a call or a key.
pub(super) fn is_id(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= 128
}

pub(super) fn is_tenant(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= 256
}

/// The id in the URI of an agent.
pub(super) fn is_agent(text: &[u8]) -> bool {
    is_name_of(text, |byte| matches!(byte, b'.' | b'_' | b'-'))
}

pub(super) fn is_capability(text: &[u8]) -> bool {
    is_name_of(text, |byte| matches!(byte, b'_' | b'-'))
}

fn is_name_of(text: &[u8], mark: impl Fn(u8) -> bool) -> bool {
    text.len() <= 128
        && text.first().is_some_and(u8::is_ascii_alphanumeric)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || mark(*byte))
}

/// The address of the response, without its scheme.
pub(super) fn is_address(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= 480 && !text.contains(&b' ')
}

/// The scheme of an address: the kind of a transport.
pub(super) fn is_scheme(text: &[u8]) -> bool {
    text.len() <= 16
        && text.first().is_some_and(u8::is_ascii_lowercase)
        && text.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// The signature of an envelope.
pub(super) fn is_signature(text: &[u8]) -> bool {
    text.len() == 64 && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The largest deadline, 2^53 - 1. Up to it, every integer is exact in JSON of every language (RFC 8259, section 6).
pub(super) const MAX_DEADLINE: u64 = 9_007_199_254_740_991;
