//! The forms of the strings of an envelope, for the fast paths of reading and writing.
//!
//! They accept a part of the strings that the contract accepts. For a string that they do not accept, the generated
//! code decides.

/// An id of a message, a call or a key.
pub(super) fn is_id(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= 128
}

pub(super) fn is_tenant(text: &[u8]) -> bool {
    !text.is_empty() && text.len() <= 256
}

/// The id in the URI of an agent.
pub(super) fn is_agent(text: &[u8]) -> bool {
    is_name_of(text, IN_AGENTS)
}

pub(super) fn is_capability(text: &[u8]) -> bool {
    is_name_of(text, IN_CAPABILITIES)
}

/// The sets of bytes that [`BYTES`] has: those of ids of agents after the first one, and those of names of
/// capabilities.
const IN_AGENTS: u8 = 1;
const IN_CAPABILITIES: u8 = 2;

/// The sets that each byte belongs to. A message has six names, and looking up a byte takes a third of the time of
/// comparing it with ranges.
const BYTES: [u8; 256] = {
    let mut sets = [0; 256];
    let mut byte = 0;
    while byte < sets.len() {
        #[expect(clippy::cast_possible_truncation, reason = "the number of a byte")]
        let set = match byte as u8 {
            b'_' | b'-' => IN_AGENTS | IN_CAPABILITIES,
            b'.' => IN_AGENTS,
            other if other.is_ascii_alphanumeric() => IN_AGENTS | IN_CAPABILITIES,
            _ => 0,
        };
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        {
            sets[byte] = set;
        }
        byte += 1;
    }
    sets
};

fn is_name_of(text: &[u8], set: u8) -> bool {
    text.len() <= 128
        && text.first().is_some_and(u8::is_ascii_alphanumeric)
        && text.iter().all(|byte| BYTES.get(usize::from(*byte)).is_some_and(|sets| sets & set != 0))
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

/// A signature by HMAC-SHA-256.
pub(super) fn is_hmac(text: &[u8]) -> bool {
    text.len() == 64 && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A signature by Ed25519.
pub(super) fn is_ed25519(text: &[u8]) -> bool {
    text.len() == 86 && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// The largest deadline, 2^53 - 1. Up to it, every integer is exact in JSON of every language (RFC 8259, section 6).
pub(super) const MAX_DEADLINE: u64 = 9_007_199_254_740_991;
