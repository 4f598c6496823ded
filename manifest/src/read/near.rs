//! Near misses: "did you mean".

/// Longer texts are no near miss of anything, and comparing them costs.
const LONGEST: usize = 64;

/// The candidate that `text` was probably meant to be; the first of equals. Case, `-` and `_` do not count.
pub fn nearest<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if text.len() > LONGEST {
        return None;
    }
    let text = plain(text);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|c| c.len() <= LONGEST) {
        let other = plain(candidate);
        let distance = strsim::damerau_levenshtein(&text, &other);
        let near = distance <= (text.chars().count().max(other.chars().count()) / 3).max(1) && distance < other.len();
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_near_and_other_words_are_not() {
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
    fn a_long_text_is_not_compared() {
        assert_eq!(nearest(&"n".repeat(1_000_000), ["name"]), None);
    }
}
