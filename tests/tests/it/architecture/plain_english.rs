//! Prose and identifiers are plain English: no phrase that a native reader has to decode.
//!
//! The list is a net and not a style guide. Each phrase was once used in this repository in a sense that readers had to
//! guess; the comment next to it names the plain replacement.

use regex::{Regex, RegexBuilder};

use super::repository::{files, text};

/// Phrases as regular expressions. They are matched without regard to case, after `_` in identifiers is replaced by a
/// space.
const PHRASES: &[&str] = &[
    // fix; wrong and fixed
    r"\bmend(s|ed|ing)?\b",
    r"\berroneous",
    // is, appears, occurs; duplicate
    r"\bstands? (twice|in|beside|there|for|before|behind|alone|at|on|where|between|inside|outside|by|after)\b",
    r"\bthat stand\b",
    r"\b(given|give) out twice\b",
    // not a valid ..., missing, without
    r"\b(is|are) none\b",
    r"\bis no [a-z]",
    r"\bare no (names|numbers|json|payload)",
    r"\bmakes no name\b",
    r"\b(is|are|as|of|for) no payload\b",
    r"\bgot no json\b",
    // report, explain, show, distinguish
    r"\btells?\b",
    r"\btold\b",
    r"\btelling\b",
    // state, specify, express, describe
    r"\bsays? (what|so|nothing|of|which|that|all|how|why|it|everything|more|less|the|not|where)\b",
    r"\b(is|are|be) said\b",
    r"\bsaid of\b",
    r"\bunsayable\b",
    r"\bas the contracts say\b",
    // usually
    r"\bat most times\b",
    // empty files may be overwritten; no one, any
    r"\bnobody'?s?\b",
    r"\bsomebody'?s?\b",
    // human-readable
    r"\b(words )?for people\b",
    // validate, check, compare; oracle
    r"\bjudg(e|es|ed|ing|ement)s?\b",
    // name the noun
    r"\bwhat (is|was|are|were|stands|it|a|an|the|has|they|we|you|each|one|every|of|for|else|does|do|did|becomes|comes|goes|follows|leads|makes|there|this|that|no|other|both|either|callers|users|generated|rust|serde)\b",
    // entry point; is reachable
    r"\bthe way in\b",
    r"\ba way leads\b",
    // exists and is not a regular file
    r"\bin the way\b",
    // numbers that underflow
    r"\btoo close to zero\b",
    // contain, store; compare with, check against; is true for
    r"\bunheld\b",
    r"\bheld (against|to)\b",
    r"\bholds? (against|for|true)\b",
    // code that ..., a caller
    r"\bwhoever\b",
    // of serde
    r"\bof serde's\b",
    // and its siblings
    r"\band its kin\b",
    // equal, except
    r"\bthe same, (with|but|to)\b",
    // always
    r"\bfrom the start on\b",
    // skipped
    r"\bread past\b",
    // `$ref` must point into `definitions`
    r"\bout of `definitions`",
    // not longer than
    r"\bno longer than it\b",
];

/// Sentences in which a phrase has its usual sense: the file, a part of the line, and the reason.
const ALLOWED: &[(&str, &str, &str)] =
    &[("contract/schema/src/pattern/scripts.rs", "Mende_Kikakui", "the abbreviation of a script in Unicode")];

/// The endings of files that contain prose.
const ENDINGS: [&str; 9] = [".rs", ".md", ".ts", ".mjs", ".toml", ".yaml", ".sh", ".stderr", ".ci/run"];

/// Whether the test reads a file: not its own list, licences, or data for tests.
fn is_checked(path: &str) -> bool {
    let is_exempt = path.ends_with("architecture/plain_english.rs")
        || path.starts_with("tests/fixtures/")
        || path.starts_with("LICENSE");
    !is_exempt && ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// A text without Rust's `is_none`, with the words of identifiers separated. The lines remain the same.
fn prose(text: &str) -> String {
    let text = text.replace("is_none", "");
    // These phrases are plain English.
    let plain = ["there is no ", "There is no ", "here is none", "here are none", "is no longer ", "no matter what "];
    plain.iter().fold(text, |text, phrase| text.replace(phrase, "")).replace('_', " ")
}

#[test]
fn prose_and_identifiers_are_plain_english() {
    assert!(PHRASES.len() >= 30);
    let phrases = RegexBuilder::new(&PHRASES.join("|")).case_insensitive(true).unicode(false).build().unwrap();
    let mut found = Vec::new();
    for path in files().iter().filter(|path| is_checked(path)) {
        let Some(text) = text(path) else { continue };
        if !text.lines().next().is_some_and(|line| line.contains("@generated")) {
            found.extend(unclear(&phrases, path, &text));
        }
    }
    assert!(found.is_empty(), "{} phrases are not plain English:\n{}", found.len(), found.join("\n"));
}

/// The places in a text that contain a phrase of the list, each with its line.
fn unclear(phrases: &Regex, path: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let prose = prose(text);
    let describe = |found: regex::Match<'_>| {
        let index = prose[..found.start()].matches('\n').count();
        let line = lines.get(index)?;
        let is_allowed = ALLOWED.iter().any(|(file, part, _)| path == *file && line.contains(part));
        (!is_allowed).then(|| format!("{path}:{}: [{}] {}", index + 1, found.as_str(), line.trim()))
    };
    phrases.find_iter(&prose).filter_map(describe).collect()
}

#[test]
fn every_allowed_sentence_exists() {
    for (path, part, reason) in ALLOWED {
        let found = text(path).is_some_and(|text| text.lines().any(|line| line.contains(part)));
        assert!(found, "{path} no longer contains `{part}` ({reason})");
    }
}
