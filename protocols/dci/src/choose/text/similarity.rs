//! Jaro-Winkler similarity.

/// A text with the numbers that rule most comparisons out.
pub(crate) struct Shape {
    characters: Vec<char>,
    /// A bit for each class of characters that the text contains.
    classes: u64,
}

impl Shape {
    pub(crate) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let classes = characters.iter().fold(0, |classes, c| classes | 1 << (u32::from(*c) % 64));
        Self { characters, classes }
    }

    /// An upper bound of the number of characters that have a counterpart in another text.
    fn most_matches(&self, other: &Self) -> usize {
        let missing = (self.classes & !other.classes).count_ones() as usize;
        self.characters.len().saturating_sub(missing).min(other.characters.len())
    }
}

/// Whether the texts of two lists correspond one to one, each pair with a similarity of at least 0.90 (decision 40).
/// Empty lists have no pair that could show a likeness, and do not correspond.
pub(crate) fn correspond(ones: &[Shape], others: &[Shape]) -> bool {
    if ones.is_empty() || ones.len() != others.len() {
        return false;
    }
    let similar: Vec<Vec<usize>> = ones
        .iter()
        .map(|one| others.iter().enumerate().filter(|(_, other)| is_similar(one, other)).map(|(at, _)| at).collect())
        .collect();
    let mut pairs = Pairs { similar: &similar, partners: vec![None; others.len()] };
    (0..ones.len()).all(|one| pairs.add(one, &mut vec![false; others.len()]))
}

/// Pairs of texts, in a matching that grows by one text at a time.
struct Pairs<'s> {
    /// The texts of the second list that are similar to each of the first.
    similar: &'s [Vec<usize>],
    /// The partner of each text of the second list.
    partners: Vec<Option<usize>>,
}

impl Pairs<'_> {
    /// Finds a partner for a text of the first list. Others may get another partner for that. The depth is at most the
    /// number of texts.
    fn add(&mut self, one: usize, tried: &mut Vec<bool>) -> bool {
        for &other in self.similar.get(one).map_or(&[][..], Vec::as_slice) {
            match tried.get_mut(other) {
                Some(tried) if !*tried => *tried = true,
                _ => continue,
            }
            let partner = self.partners.get(other).copied().flatten();
            if partner.is_none_or(|partner| self.add(partner, tried)) {
                if let Some(place) = self.partners.get_mut(other) {
                    *place = Some(one);
                }
                return true;
            }
        }
        false
    }
}

/// The numbers of decision 14, in tenths: similarity 0.90, scale of the prefix 1/10, prefix of at most 4 characters.
const MIN_TENTHS: u128 = 9;
/// The longest common prefix that raises the similarity (decision 14).
const MAX_PREFIX: usize = 4;

/// Whether the Jaro-Winkler similarity of two texts is at least 0.90, computed as an exact fraction of integers.
pub(crate) fn is_similar(one: &Shape, other: &Shape) -> bool {
    let most = one.most_matches(other).min(other.most_matches(one));
    let prefix = one.characters.iter().zip(&other.characters).take(MAX_PREFIX).take_while(|(a, b)| a == b).count();
    let lengths = (one.characters.len(), other.characters.len());
    // With more matches and without transpositions, the similarity is never lower. The length of both texts together is
    // small whenever this passes: the shorter one has at least half the length of the longer one.
    if !is_enough(lengths, most, 0, prefix) {
        return false;
    }
    let (matches, transpositions) = matches(&one.characters, &other.characters);
    is_enough(lengths, matches, transpositions, prefix)
}

/// Whether `jaro + prefix / 10 * (1 - jaro)` is at least 9/10, where `jaro` is the mean of `m / a`, `m / b` and `(m -
/// t) / m`.
fn is_enough((a, b): (usize, usize), matches: usize, transpositions: usize, prefix: usize) -> bool {
    if matches == 0 {
        return false;
    }
    let [a, b, m, t, prefix] = [a, b, matches, transpositions, prefix].map(|n| n as u128);
    let denominator = 3 * a * b * m;
    let numerator = m * m * b + m * m * a + (m - t) * a * b;
    10 * numerator + prefix * (denominator - numerator) >= MIN_TENTHS * denominator
}

/// The number of matching characters, and half the number of those that are transposed, rounded down.
fn matches(one: &[char], other: &[char]) -> (usize, usize) {
    let window = (one.len().max(other.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; other.len()];
    let mut matched = Vec::new();
    for (position, character) in one.iter().enumerate() {
        let (from, to) = (position.saturating_sub(window), (position + window + 1).min(other.len()));
        let free = (from..to).find(|&index| other.get(index) == Some(character) && taken.get(index) == Some(&false));
        if let Some(taken) = free.and_then(|index| taken.get_mut(index)) {
            *taken = true;
            matched.push(character);
        }
    }
    let counterparts = other.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(character, _)| character);
    let transposed = matched.iter().zip(counterparts).filter(|(a, b)| **a != *b).count();
    (matched.len(), transposed / 2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn similar(one: &str, other: &str) -> bool {
        is_similar(&Shape::new(one), &Shape::new(other))
    }

    #[test]
    fn exactly_nine_tenths_is_similar() {
        // jaro = (8/10 + 8/8 + 8/8) / 3 = 14/15; with a prefix of 0 it stays below only if m is smaller.
        assert!(similar("web-search", "web-searc"));
        assert!(similar("abcdefgh", "abcdefghij"));
        assert!(similar("martha", "marhta"));
        assert!(!similar("dixon", "dicksonx"));
        assert!(!similar("dwayne", "duane"));
        assert!(!similar("", ""));
        assert!(!similar("a", "b"));
        // 7 of 10 characters without a common prefix: (7/10 + 1 + 1) / 3 = 0.9 exactly.
        assert!(similar("bcdefgh", "abcdefghij"));
        assert!(!similar("bcdefg", "abcdefghi"));
    }

    #[test]
    fn lists_correspond_if_every_text_has_a_partner_of_its_own() {
        let lists = |one: &[&str], other: &[&str]| {
            let shapes = |list: &[&str]| list.iter().map(|text| Shape::new(text)).collect::<Vec<_>>();
            correspond(&shapes(one), &shapes(other))
        };
        assert!(lists(&["web", "search"], &["searchs", "web"]));
        assert!(!lists(&["allow", "read"], &["allow", "write"]));
        assert!(!lists(&["web"], &["web", "web"]));
        assert!(!lists(&["web", "web"], &["web", "search"]));
        assert!(!lists(&[], &[]));
        // The first text must leave the only partner of the second one.
        assert!(lists(&["martha", "marhtaxy"], &["marhtax", "martha"]));
        let many = vec!["same"; 64];
        assert!(lists(&many, &many));
    }

    proptest! {
        #[test]
        fn filters_never_change_the_answer(one in "[a-d]{0,12}", other in "[a-d]{0,12}") {
            let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
            let (m, t) = matches(&a, &b);
            let prefix = a.iter().zip(&b).take(MAX_PREFIX).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(similar(&one, &other), is_enough((a.len(), b.len()), m, t, prefix));
        }

        #[test]
        fn similarity_of_long_texts_is_decided_from_their_lengths(length in 1_000_usize..100_000) {
            prop_assert!(!similar("capability", &"capability".repeat(length)));
        }
    }
}
