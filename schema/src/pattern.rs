//! `pattern`: ECMA-262 regular expressions with the `u` flag, translated to linear-time engines.

/// A checked regular expression.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
}
impl Pattern {
    /// The ECMA-262 source text.
    pub fn source(&self) -> &str {
        &self.source
    }
}
