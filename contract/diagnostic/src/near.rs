//! "Did you mean": the one place that decides which names are close enough to suggest.

use crate::Applicability;

/// Longer texts, in bytes, are never a typo of a name, and the comparison takes time quadratic in their length.
const MAX_LENGTH: usize = 64;

/// The candidate that `text` was probably meant to be, or the first of several that are equally close. Case, `-` and
/// `_` are ignored, because the same name is written `timeoutMs` in a manifest and `timeout_ms` in Rust.
///
/// ```
/// use capgen_diagnostic::nearest;
/// assert_eq!(nearest("input_shema", ["name", "inputSchema"]), Some("inputSchema"));
/// assert_eq!(nearest("colour", ["name", "inputSchema"]), None);
/// ```
pub fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let text = plain(text);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|c| c.len() <= MAX_LENGTH) {
        let other = plain(candidate);
        // One edit in three characters, and never a candidate that shares nothing with the text.
        let distance = strsim::damerau_levenshtein(&text, &other);
        let near = distance <= (text.chars().count().max(other.chars().count()) / 3).max(1) && distance < other.len();
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether `text` and `name` differ by one typo: in case, or by one letter that is missing, added, replaced or in the
/// other order than its neighbour. Names that differ in a digit, such as `line1` and `line2`, and names of one or two
/// characters are not typos.
///
/// This is stricter than [`nearest`], for places where any name is valid.
///
/// ```
/// use capgen_diagnostic::is_typo;
/// assert!(is_typo("sky", "sku") && is_typo("userID", "userId"));
/// assert!(!is_typo("line1", "line2") && !is_typo("minPrice", "maxPrice"));
/// ```
pub fn is_typo(text: &str, name: &str) -> bool {
    if text == name || text.len().max(name.len()) > MAX_LENGTH || text.chars().count().min(name.chars().count()) < 3 {
        return false;
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    digits(text) == digits(name) && strsim::damerau_levenshtein(&plain(text), &plain(name)) <= 1
}

/// The name of a fixed vocabulary that `text` was probably meant to be, and whether an edit that writes it is certain:
/// one [typo](is_typo) away from exactly one of the names, the text can mean nothing else. Any other similar name is a
/// guess.
///
/// ```
/// use capgen_diagnostic::{Applicability, similar};
/// assert_eq!(similar("minimun", ["minimum", "maximum"]), Some(("minimum", Applicability::Certain)));
/// assert_eq!(similar("minItem", ["minItems", "maxItems"]), Some(("minItems", Applicability::Certain)));
/// assert_eq!(similar("mixItems", ["minItems", "maxItems"]), Some(("minItems", Applicability::NeedsReview)));
/// ```
pub fn similar<'c>(text: &str, names: impl IntoIterator<Item = &'c str> + Clone) -> Option<(&'c str, Applicability)> {
    let near = nearest(text, names.clone())?;
    let mut typos = names.into_iter().filter(|name| is_typo(text, name));
    let is_certain = typos.next() == Some(near) && typos.next().is_none();
    Some((near, if is_certain { Applicability::Certain } else { Applicability::NeedsReview }))
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_near_and_other_words_are_not() {
        let keys = ["name", "inputSchema", "outputSchema", "timeoutMs", "tags"];
        for (text, expected) in [
            ("inputShema", Some("inputSchema")),
            ("input_schema", Some("inputSchema")),
            ("timeout-ms", Some("timeoutMs")),
            ("Name", Some("name")),
            ("nmae", Some("name")),
            ("tag", Some("tags")),
            ("color", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, keys), expected, "{text}");
        }
    }

    #[test]
    fn long_texts_are_not_compared() {
        assert_eq!(nearest(&"n".repeat(1_000_000), ["name"]), None);
    }
}
