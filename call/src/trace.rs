//! `traceparent` of [W3C Trace Context](https://www.w3.org/TR/trace-context/), version 00.

use uuid::Uuid;

/// A new `traceparent`: in the trace of the parent if that is valid, otherwise in a new one.
pub(crate) fn child(parent: Option<&str>) -> String {
    let random = Uuid::new_v4();
    let (_, span) = random.as_u64_pair();
    match parent.and_then(parse) {
        Some((trace, flags)) => format!("00-{trace}-{span:016x}-{flags}"),
        None => format!("00-{:032x}-{span:016x}-01", Uuid::new_v4().as_u128()),
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
        let child = child(Some(parent));
        assert!(child.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-") && child.ends_with("-00"), "{child}");
        assert_ne!(child, parent);
    }

    #[test]
    fn an_invalid_parent_starts_a_new_trace() {
        for parent in ["", "00-0-0-0", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "é-"] {
            let child = child(Some(parent));
            assert!(parse(&child).is_some(), "{child}");
        }
    }
}
