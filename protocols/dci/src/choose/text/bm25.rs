//! BM25 (section "`S_desc`", decision 16).

use crate::Score;

/// The parameters of the specification, which are usual ones for BM25 (decision 16 has the formula).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A text as its terms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Document {
    /// The number of tokens that are not stopwords.
    pub(crate) length: u32,
    /// The terms with their numbers of occurrences, by number of the term.
    pub(crate) terms: Vec<(u32, u32)>,
}

impl Document {
    pub(crate) fn new(mut terms: Vec<u32>) -> Self {
        terms.sort_unstable();
        let length = u32::try_from(terms.len()).unwrap_or(u32::MAX);
        let mut counted: Vec<(u32, u32)> = Vec::new();
        for term in terms {
            match counted.last_mut() {
                Some((last, count)) if *last == term => *count += 1,
                _ => counted.push((term, 1)),
            }
        }
        Self { length, terms: counted }
    }
}

/// The relevance of each document: its BM25 score divided by the highest score, or 0 if all scores are 0.
///
/// `postings` has an item for each distinct term of the query, in bytewise order of the terms: the documents that
/// contain it, with the number of occurrences and the length of the document. Of `documents` numbers, `count` belong to
/// documents; `total_length` is the sum of their lengths. The cost is that of the postings.
///
/// Logarithms come from `libm`, because those of the platform may differ in the last bit.
pub(crate) fn relevance<'p>(
    (documents, count): (usize, usize),
    total_length: u64,
    postings: impl Iterator<Item = &'p [(usize, u32, u32)]>,
) -> Vec<Score> {
    let mut scores = vec![0.0; documents];
    #[expect(clippy::cast_precision_loss, reason = "the numbers of documents and tokens are far below 2^53")]
    let (count, average) = (count as f64, total_length as f64 / count as f64);
    for containing in postings {
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let frequency = containing.len() as f64;
        let idf = libm::log(1.0 + (count - frequency + 0.5) / (frequency + 0.5));
        for &(document, occurrences, length) in containing {
            let tf = f64::from(occurrences);
            let part = tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * f64::from(length) / average));
            if let Some(score) = scores.get_mut(document) {
                *score += idf * part;
            }
        }
    }
    let highest = scores.iter().copied().fold(0.0, f64::max);
    scores.into_iter().map(|score| Score::quotient(score, highest)).collect()
}
