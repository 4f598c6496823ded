//! `traceparent` of [W3C Trace Context](https://www.w3.org/TR/trace-context/), version 00.

use uuid::Uuid;

/// A `traceparent`.
#[derive(Clone, Copy)]
pub(crate) struct Traceparent([u8; LENGTH]);

/// The length of a `traceparent` of version 00: 2 + 32 + 16 + 2 digits and three hyphens (W3C Trace Context, section
/// 3.2).
const LENGTH: usize = 55;

impl Traceparent {
    /// A new one: in the trace of the parent if that is valid, otherwise in a new one.
    pub(crate) fn child(parent: Option<&str>) -> Self {
        let (trace, span) = (Uuid::new_v4(), Uuid::new_v4());
        // The first half of a UUID has its version.
        let (_, span) = span.as_u64_pair();
        let mut text = *b"00-00000000000000000000000000000000-0000000000000000-01";
        let mut put = |at: usize, part: &[u8]| {
            if let Some(place) = text.get_mut(at..at + part.len()) {
                place.copy_from_slice(part);
            }
        };
        match parent.and_then(parse) {
            Some((trace, flags)) => {
                put(3, trace.as_bytes());
                put(LENGTH - 2, flags.as_bytes());
            }
            None => put(3, trace.simple().encode_lower(&mut [0; 32]).as_bytes()),
        }
        let mut digits = [0; 16];
        // The length fits.
        let _ = hex::encode_to_slice(span.to_be_bytes(), &mut digits);
        put(36, &digits);
        Self(text)
    }

    /// The one of a span: the bytes of its ids, and its flags.
    #[cfg(feature = "otel")]
    pub(crate) fn of(trace: [u8; 16], span: [u8; 8], flags: u8) -> Self {
        let mut text = *b"00-00000000000000000000000000000000-0000000000000000-00";
        let mut put = |at: usize, bytes: &[u8]| {
            let place = text.get_mut(at..at + 2 * bytes.len());
            // The places have these lengths.
            let _ = place.map(|place| hex::encode_to_slice(bytes, place));
        };
        put(3, &trace);
        put(36, &span);
        put(LENGTH - 2, &[flags]);
        Self(text)
    }

    /// The ids and the flags of a text, if it is valid.
    #[cfg(feature = "otel")]
    pub(crate) fn parts(text: &str) -> Option<(&str, &str, &str)> {
        let (trace, flags) = parse(text)?;
        Some((trace, text.get(36..52)?, flags))
    }

    pub(crate) fn as_str(&self) -> &str {
        // Its bytes are ASCII.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The trace id and the flags. An invalid `traceparent` is ignored, as the specification requires.
fn parse(text: &str) -> Option<(&str, &str)> {
    let mut parts = text.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    // Later versions may have more parts.
    let has_end = version != "00" || parts.next().is_none();
    let valid = is_hex(version, 2) && version != "ff" && is_hex(trace, 32) && is_hex(span, 16) && is_hex(flags, 2);
    let zero = |text: &str| text.bytes().all(|byte| byte == b'0');
    (valid && has_end && !zero(trace) && !zero(span)).then_some((trace, flags))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_stays_in_the_trace_of_its_parent() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
        let child = Traceparent::child(Some(parent));
        let child = child.as_str();
        assert!(child.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-") && child.ends_with("-00"), "{child}");
        assert_ne!(child, parent);
    }

    #[test]
    fn an_invalid_parent_starts_a_new_trace() {
        for parent in ["", "00-0-0-0", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "é-"] {
            let child = Traceparent::child(Some(parent));
            let child = child.as_str();
            assert!(parse(child).is_some(), "{child}");
        }
    }
}
