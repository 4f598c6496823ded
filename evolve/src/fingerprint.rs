//! The identity of a finding.

use std::fmt;

use capgen_schema::Hash;

/// The identity of a finding: 16 hexadecimal digits. It depends on the rule, the capability, the side, the place in the schema and the
/// change itself, but not on the file, on lines, on the order of capabilities, properties and branches of unions, or on the level. So
/// it can be accepted once. A branch is known by its tag, by the name of its definition, or by its content.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The number of hexadecimal digits.
    pub const LEN: usize = 16;

    /// The first digits of the SHA-256 hash of the parts.
    pub(crate) fn of(parts: &[&str]) -> Self {
        // A separator that is in no part keeps the parts apart.
        let text: String = parts.iter().map(|part| format!("{}:{part},", part.len())).collect();
        let digits = Hash::of(text).to_string();
        let hexadecimal = digits.rsplit(':').next().unwrap_or_default();
        Self(hexadecimal.chars().take(Self::LEN).collect())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
