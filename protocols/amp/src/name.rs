//! Names of capabilities.

use std::fmt;
use std::str::FromStr;

/// The maximum length of a name, in bytes (decision 5).
const MAX_LEN: usize = 255;

/// The fewest segments of a name (decision 5).
const MIN_SEGMENTS: usize = 3;

/// The name of a capability, such as `org.agentries.code-review`: a namespace in reverse-domain form and a slug
/// (section 4.1).
///
/// It consists of at least three segments separated by dots, each `[a-z0-9]+(-[a-z0-9]+)*`, and has at most 255 bytes
/// (decision 5). Names are compared as bytes.
///
/// ```
/// use capgen_amp::CapabilityName;
/// let name: CapabilityName = "org.agentries.code-review".parse()?;
/// assert_eq!(name.last_segment(), "code-review");
/// assert!("code-review".parse::<CapabilityName>().is_err());
/// # Ok::<(), capgen_amp::InvalidName>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CapabilityName(String);

/// Why a text is not a [`CapabilityName`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidName {
    /// It has more than 255 bytes.
    TooLong,
    /// It has fewer than three segments.
    TooFewSegments,
    /// A segment is not `[a-z0-9]+(-[a-z0-9]+)*`.
    Segment,
}

impl CapabilityName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The slug: the part after the last dot, to which a `type` may refer (decision 6).
    #[must_use]
    pub fn last_segment(&self) -> &str {
        self.0.rsplit('.').next().unwrap_or_default()
    }
}

impl FromStr for CapabilityName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        if text.len() > MAX_LEN {
            return Err(InvalidName::TooLong);
        }
        if !text.split('.').all(is_segment) {
            return Err(InvalidName::Segment);
        }
        if text.split('.').count() < MIN_SEGMENTS {
            return Err(InvalidName::TooFewSegments);
        }
        Ok(Self(text.to_owned()))
    }
}

/// Whether a text is `[a-z0-9]+(-[a-z0-9]+)*`.
fn is_segment(text: &str) -> bool {
    text.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

impl fmt::Display for CapabilityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for InvalidName {
    /// The expected form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "a name has at most 255 bytes",
            Self::TooFewSegments => "a name has at least three segments, as `org.agentries.code-review` has",
            Self::Segment => {
                "the segments of a name consist of words of lower-case letters and digits, separated by single hyphens"
            }
        })
    }
}

impl std::error::Error for InvalidName {}
