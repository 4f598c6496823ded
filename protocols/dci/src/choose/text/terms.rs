//! The tokenizer, and numbers for the stems that it produces.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use snowball_stemmers_rs::{Algorithm, Stemmer};

/// The list that the specification names, included as published.
const STOPWORDS: &str = include_str!("../../../data/english-stopwords.v1.txt");

/// The stems of a corpus, each with a number, in the order in which they were first seen.
pub(crate) struct Terms {
    stemmer: Stemmer,
    stopwords: HashSet<&'static str>,
    stems: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The stem of each token that was seen, so that each is stemmed once; `None` for a stopword.
    tokens: HashMap<String, Option<u32>>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::Porter),
            stopwords: STOPWORDS.lines().map(str::trim).filter(|word| !word.is_empty()).collect(),
            stems: Vec::new(),
            numbers: HashMap::new(),
            tokens: HashMap::new(),
        }
    }
}

impl Terms {
    /// The numbers of the stems of a text, in order (section "`S_desc`", decision 15).
    pub(crate) fn of(&mut self, text: &str) -> Vec<u32> {
        let lower = text.to_lowercase();
        tokens(&lower).filter_map(|token| self.term(token)).collect()
    }

    /// The stems of a text that is not part of the corpus, in order.
    pub(crate) fn stems_in(&self, text: &str) -> Vec<String> {
        let lower = text.to_lowercase();
        let tokens = tokens(&lower).filter(|token| !self.stopwords.contains(token));
        tokens.map(|token| self.stemmed(token).into_owned()).collect()
    }

    /// The distinct stems of a text that is not part of the corpus, in bytewise order.
    pub(crate) fn stems_of(&self, text: &str) -> BTreeSet<String> {
        self.stems_in(text).into_iter().collect()
    }

    /// The number of a stem, if the corpus contains it.
    pub(crate) fn known(&self, stem: &str) -> Option<u32> {
        self.numbers.get(stem).copied()
    }

    /// The stem with a number of this table.
    pub(crate) fn stem(&self, number: u32) -> &str {
        self.stems.get(number as usize).map_or("", String::as_str)
    }

    /// The number of stems.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.stems.len()).unwrap_or(u32::MAX)
    }

    fn term(&mut self, token: &str) -> Option<u32> {
        if let Some(known) = self.tokens.get(token) {
            return *known;
        }
        let term = (!self.stopwords.contains(token)).then(|| self.number(token));
        self.tokens.insert(token.to_owned(), term);
        term
    }

    fn number(&mut self, token: &str) -> u32 {
        let stem = self.stemmed(token);
        if let Some(number) = self.numbers.get(stem.as_ref()) {
            return *number;
        }
        let number = self.len();
        let stem = stem.into_owned();
        self.stems.push(stem.clone());
        self.numbers.insert(stem, number);
        number
    }

    fn stemmed<'t>(&self, token: &'t str) -> Cow<'t, str> {
        // The algorithm is defined for English words. Other tokens are compared as they are.
        let is_word = token.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_word { self.stemmer.stem(token) } else { token.into() }
    }
}

fn tokens(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric()).filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        let mut terms = Terms::default();
        terms.of(text).into_iter().map(|term| terms.stem(term).to_owned()).collect()
    }

    #[test]
    fn text_is_split_at_every_character_that_is_not_alphanumeric() {
        assert_eq!(stems("web-search/Running_tests,v2"), ["web", "search", "run", "test", "v2"]);
        assert_eq!(stems("The options of AND"), ["option"]);
        assert_eq!(stems("Überprüfungen naïves"), ["überprüfungen", "naïves"]);
        assert_eq!(stems(" - _ / "), Vec::<String>::new());
    }

    #[test]
    fn alphabetic_signs_and_numbers_of_every_script_belong_to_words() {
        // U+093F and U+0940 are vowel signs, which are marks with the property Alphabetic. U+094D is a mark without it.
        assert_eq!(stems("\u{915}\u{93f}\u{924}\u{93e}\u{92c}"), ["\u{915}\u{93f}\u{924}\u{93e}\u{92c}"]);
        assert_eq!(stems("\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}"), ["\u{939}\u{93f}\u{928}", "\u{926}\u{940}"]);
        // Numbers of the categories Nd, Nl and No.
        assert_eq!(stems("\u{663} \u{2163}x \u{b2}"), ["\u{663}", "\u{2173}x", "\u{b2}"]);
    }

    #[test]
    fn stopwords_are_compared_before_stemming() {
        // `doing` is a stopword; its stem `do` is one too, but a token that is only stemmed to it stays.
        assert_eq!(stems("doing does"), Vec::<String>::new());
        assert_eq!(stems("abilities ability"), ["abil", "abil"]);
    }

    #[test]
    #[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
    fn every_word_of_the_corpora_has_the_published_stem() {
        let corpus = std::env::var("CAPGEN_CORPUS").unwrap();
        let read = |file| std::fs::read_to_string(format!("{corpus}/porter/{file}")).unwrap();
        let (words, expected) = (read("voc.txt"), read("output.txt"));
        let stemmer = Stemmer::create(Algorithm::Porter);
        assert!(words.lines().count() > 20_000);
        assert_eq!(words.lines().count(), expected.lines().count());
        for (word, expected) in words.lines().zip(expected.lines()) {
            assert_eq!(stemmer.stem(word), expected, "{word}");
        }
    }
}
