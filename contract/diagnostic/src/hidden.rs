//! The parts of a source that are never displayed.

use std::ops::Range;

/// Replaces a part that is not displayed. Its length does not depend on the part.
pub(crate) use crate::url::MASK;

/// Shorter words, in characters, are not searched for in messages: they are parts of other words, which would be masked
/// too.
const MIN_WORD: usize = 3;
/// Messages cut quoted text. A longer word, in characters, is recognised by its start, which is shorter than the
/// shortest text that a message cuts.
const MAX_START: usize = 20;

/// The parts of a source that are never displayed. Each crate that reads a notation decides which parts they are; see
/// [`Source::hide_with`](crate::Source::hide_with).
#[derive(Clone, Default)]
pub struct Hidden {
    /// In bytes, sorted, without overlaps. None contains a line end.
    spans: Vec<Range<usize>>,
    words: Vec<String>,
}

impl Hidden {
    /// `spans` are in bytes of the source, sorted and without overlaps; `words` are texts that messages must not quote.
    /// Line ends, and spaces at the ends of lines, remain visible.
    pub fn new(text: &str, spans: impl IntoIterator<Item = Range<usize>>, words: Vec<String>) -> Self {
        let spans = spans.into_iter().flat_map(|span| lines(text, span)).collect();
        let words = words.into_iter().filter(|word| word.chars().count() >= MIN_WORD).collect();
        Self { spans, words }
    }

    /// The hidden spans that overlap `range`.
    pub(crate) fn within(&self, range: &Range<usize>) -> &[Range<usize>] {
        let from = self.spans.partition_point(|span| span.end <= range.start);
        let to = self.spans.partition_point(|span| span.start < range.end);
        self.spans.get(from..to.max(from)).unwrap_or_default()
    }

    /// Whether messages may contain words that must not be displayed.
    pub(crate) fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// The text of a message, with a mask in place of every hidden word.
    pub(crate) fn mask_words(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, word| {
            // The forms in which messages quote: as it is, as part of a JSON Pointer, and as a literal.
            let pointer = word.replace('~', "~0").replace('/', "~1");
            let literal = word.escape_debug().to_string();
            [word.as_str(), &pointer, &literal].iter().fold(text, |text, form| mask_word(&text, form))
        })
    }
}

/// The parts of a span that are in one line, without the spaces around them.
fn lines(text: &str, span: Range<usize>) -> Vec<Range<usize>> {
    let mut at = span.start;
    let mut parts = Vec::new();
    for line in text.get(span).unwrap_or_default().split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        let end = start + line.trim().len();
        parts.extend((start < end).then_some(start..end));
        at += line.len();
    }
    parts
}

fn mask_word(text: &str, word: &str) -> String {
    let Some((end, _)) = word.char_indices().nth(MAX_START) else { return text.replace(word, MASK) };
    let start = word.get(..end).unwrap_or(word);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(start) {
        out.push_str(before);
        out.push_str(MASK);
        // The rest of the word, up to the place where the message cut it.
        let tail = word.get(end..).unwrap_or_default();
        let same = after.char_indices().zip(tail.chars()).take_while(|((_, a), b)| a == b);
        let length = same.last().map_or(0, |((at, c), _)| at + c.len_utf8());
        rest = after.get(length..).unwrap_or_default();
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_split_into_lines_without_the_spaces_around_them() {
        let text = "a: one\n  two \r\nb";
        let hidden = Hidden::new(text, std::iter::once(3..text.len()), Vec::new());
        assert_eq!(hidden.within(&(0..text.len())), [3..6, 9..12, 15..16]);
        assert!(hidden.within(&(6..9)).is_empty());
        assert_eq!(hidden.within(&(5..10)), [3..6, 9..12]);
    }

    #[test]
    fn messages_quote_no_hidden_word_in_any_form() {
        let long = "a/long~\"word\" of more than twenty characters";
        let hidden = Hidden::new("", [], vec!["hunter2".into(), long.into(), "x".into()]);
        assert_eq!(hidden.mask_words("unknown key `hunter2`, x"), "unknown key `***`, x");
        assert_eq!(hidden.mask_words(&format!("`{}…`", long.get(..30).unwrap())), "`***…`");
        assert_eq!(hidden.mask_words(&format!("{long:?}")), "\"***\"");
        assert_eq!(hidden.mask_words("/a~1long~0\"word\" of more than twenty characters/b"), "/***/b");
    }
}
