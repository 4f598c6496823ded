//! The identity of a finding.

use std::fmt;

use capgen_schema::Hash;

/// The identity of a finding: 20 hexadecimal digits. It depends on the rule, the capability, the side, the place in the
/// schema, and the old and the new content of what changed there, with the definitions that it refers to. It does not
/// depend on the file, on lines, on the order of capabilities, properties and branches of unions, on descriptions, or
/// on the level. So a change can be accepted once, and no other change with it. A branch is known by its tag, by the
/// name of its definition, or by its content. The fingerprint of a version that was not raised depends on the changes
/// that require a greater one. That of a breaking change depends on changes of the same place that reduce it, such as a
/// `const` that replaces a `type`, and on the whole schemas if the breaking changes do not explain every payload that
/// is rejected, or if this was not decided.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The number of hexadecimal digits: 80 bits, so that no one finds another change with the same fingerprint by
    /// chance. The earlier form had 16 digits, and the length distinguishes both.
    pub const LEN: usize = 20;

    /// The number of digits of fingerprints that covered only the message of a finding, and so accepted other changes
    /// with the same message. They match no finding.
    pub const OLD_LEN: usize = 16;

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
