//! The ids of events.

use std::fmt;
use std::str::FromStr;

use capgen_schema::Hash;
use serde_json::Value;
use uuid::{Uuid, Variant};

use crate::canonical::hash_of;

/// The id of an event: a UUIDv7 ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#section-5.7)), or a UUIDv8 that the
/// kernel derives (decision 2). The text has lower-case digits, so that the order of ids is the bytewise order of their
/// texts.
///
/// ```
/// let id: capgen_registry::EventId = "018f0000-0000-7000-8000-000000000001".parse()?;
/// assert_eq!((id.millis(), id.is_derived()), (Some(0x018f_0000_0000), false));
/// assert!("018F0000-0000-7000-8000-000000000001".parse::<capgen_registry::EventId>().is_err());
/// # Ok::<(), capgen_registry::InvalidEventId>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(Uuid);

/// A text that is neither a UUIDv7 nor a UUIDv8 in lower case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidEventId;

impl EventId {
    /// The time in a UUIDv7, as Unix time in ms; `None` for a derived id.
    #[must_use]
    pub fn millis(self) -> Option<u64> {
        let bytes = self.0.as_bytes();
        let time = bytes.iter().take(6).fold(0, |time, byte| time << 8 | u64::from(*byte));
        (!self.is_derived()).then_some(time)
    }

    /// Whether this is a UUIDv8, which only the kernel uses.
    #[must_use]
    pub fn is_derived(self) -> bool {
        self.0.get_version_num() == 8
    }

    /// A UUIDv7 of a time, in Unix ms, and of random bits, of which the lower 74 are used.
    ///
    /// ```
    /// use capgen_registry::EventId;
    /// assert_eq!(EventId::at(0x018f_0000_0000, 1).to_string(), "018f0000-0000-7000-8000-000000000001");
    /// ```
    #[must_use]
    pub fn at(millis: u64, random: u128) -> Self {
        let time = u128::from(millis & 0xffff_ffff_ffff) << 80;
        let (high, low) = (random >> 62 & 0xfff, random & 0x3fff_ffff_ffff_ffff);
        Self(Uuid::from_u128(time | 7 << 76 | high << 64 | 2 << 62 | low))
    }

    /// The id that the kernel derives from the cause of an event (decision 10): the first 16 bytes of the hash as a
    /// UUIDv8. `position` is 0 for outcomes, and the content hash of the cause for notices.
    pub(crate) fn derive(agent: Option<&str>, id: Option<&str>, kind: &str, position: Value) -> Self {
        let hash = hash_of(&Value::Array(vec![agent.into(), id.into(), kind.into(), position]));
        Self::from_hash(&hash)
    }

    fn from_hash(hash: &Hash) -> Self {
        let bytes = hash.as_bytes().iter().take(16).fold(0_u128, |bytes, byte| bytes << 8 | u128::from(*byte));
        let version = 0xf_u128 << 76;
        let variant = 0b11_u128 << 62;
        Self(Uuid::from_u128(bytes & !version & !variant | 8 << 76 | 2 << 62))
    }

    /// The first 16 hexadecimal digits of the text, without hyphens.
    pub(crate) fn span(self) -> String {
        self.0.simple().to_string().chars().take(16).collect()
    }
}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        // The crate accepts other notations, which have other lengths, and upper case.
        let is_plain = text.len() == 36 && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let id = Uuid::try_parse(text).ok().filter(|_| is_plain).ok_or(InvalidEventId)?;
        let is_known = matches!(id.get_version_num(), 7 | 8) && id.get_variant() == Variant::RFC4122;
        if is_known { Ok(Self(id)) } else { Err(InvalidEventId) }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventId({self})")
    }
}

impl fmt::Display for InvalidEventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a UUIDv7 in lower case, such as `018f0000-0000-7000-8000-000000000001`")
    }
}

impl std::error::Error for InvalidEventId {}
