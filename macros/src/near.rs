//! Near misses: "did you mean".

/// Longer texts are no near miss of anything, and comparing them costs.
const LONGEST: usize = 64;

/// The candidate that `text` was probably meant to be; the first of equals. Case, `-` and `_` do not count.
pub(crate) fn nearest(text: &str, candidates: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    if text.len() > LONGEST {
        return None;
    }
    let text = plain(text);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
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
