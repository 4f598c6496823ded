//! Reading values of any type, and skipping values.

use std::collections::HashSet;
use std::hash::Hash;

use capgen_schema::ExactPayload;
use serde_json::{Map, Value};

use super::reader::{Reader, ValueKind};
use super::stack::with_room;

/// Up to this number of items, comparing every pair is faster than a hash set.
const FEW: usize = 16;

impl Reader<'_> {
    /// Reads any value. Duplicate names in an object are rejected, as everywhere in this module.
    pub fn value(&mut self) -> Option<Value> {
        Some(match self.kind()? {
            ValueKind::Null => {
                self.null()?;
                Value::Null
            }
            ValueKind::Boolean => Value::Bool(self.boolean()?),
            ValueKind::Number => {
                let start = self.at();
                let numeral = self.numeral()?;
                if numeral.may_change(self.at() - start) {
                    self.has_changing_number = true;
                    return Some(numeral.or_integer(self.since(start)).to_value());
                }
                numeral.to_value()
            }
            ValueKind::String => Value::String(self.string()?.into_owned()),
            ValueKind::Array => {
                let mut items = Vec::new();
                self.items(|reader| {
                    items.push(reader.value()?);
                    Some(())
                })?;
                Value::Array(items)
            }
            ValueKind::Object => {
                let mut members = Map::new();
                self.open(b'{')?;
                with_room(|| {
                    while self.another(b'}', members.is_empty())? {
                        let name = self.name()?;
                        let value = self.value()?;
                        if members.insert(name.into_owned(), value).is_some() {
                            return None;
                        }
                    }
                    Some(())
                })?;
                Value::Object(members)
            }
        })
    }

    /// Reads any value with the digits of its numbers. Also returns whether a typed value may write one of them with
    /// another value.
    pub(super) fn exact_value(&mut self) -> Option<(ExactPayload, bool)> {
        self.peek()?;
        let start = self.at();
        let others = std::mem::take(&mut self.has_changing_number);
        let value = self.value()?;
        let may_change = std::mem::replace(&mut self.has_changing_number, others);
        Some((if may_change { ExactPayload::new(self.since(start), value) } else { value.into() }, may_change))
    }

    /// Skips a value, checking its syntax.
    pub(super) fn skip(&mut self) -> Option<()> {
        match self.kind()? {
            ValueKind::Null => self.null(),
            ValueKind::Boolean => self.boolean().map(drop),
            ValueKind::Number => self.numeral().map(drop),
            ValueKind::String => self.string().map(drop),
            ValueKind::Array => self.items(Self::skip),
            ValueKind::Object => {
                let mut names = Vec::new();
                self.open(b'{')?;
                with_room(|| {
                    while self.another(b'}', names.is_empty())? {
                        names.push(self.name()?);
                        self.skip()?;
                    }
                    are_unique(&names).then_some(())
                })
            }
        }
    }
}

/// Whether all items are different. Takes about linear time.
pub(super) fn are_unique<T: Eq + Hash>(items: &[T]) -> bool {
    if items.len() > FEW {
        let mut seen = HashSet::with_capacity(items.len());
        return items.iter().all(|item| seen.insert(item));
    }
    let mut rest = items;
    while let Some((item, others)) = rest.split_first() {
        if others.contains(item) {
            return false;
        }
        rest = others;
    }
    true
}

#[cfg(test)]
mod tests {
    use capgen_schema::parse_payload;
    use capgen_testkit::Random;

    use super::*;

    const SEEDS: [&str; 8] = [
        r#" {"a": [1, -2.5e3, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00", "": {}}} "#,
        r#"[0, -0, 10, 1.0, 1e400, 123456789012345678901234567890, -9223372036854775808, 5e-324]"#,
        r#""\"\\\/\b\f\n\r\t""#,
        r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"a":10}"#,
        "[[[[[[[[]]]]]]]]",
        "\u{feff}1",
        "{\"é€😀\": \"é€😀\", \"\u{7f}\": \"\u{2028}\"}\r\n\t ",
        r#"["\ud83d", "\ude00\ud83d", "\u00", "\x"]"#,
    ];

    const PARTS: [&str; 24] = [
        "\"", "\\", "\\u", "d83d", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e", "+", " ", "\n", "\u{1}", "é",
        "null", "true", "\"a\":", "1e5",
    ];

    fn mutate(text: &str, random: &mut Random) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(chars.len() + 1);
            let end = (at + random.below(3)).min(chars.len());
            let part = PARTS.get(random.below(PARTS.len() * 2)).copied().unwrap_or_default();
            chars.splice(at..end, part.chars());
        }
        chars.into_iter().collect()
    }

    #[test]
    fn the_reader_and_the_strict_parser_agree() {
        let mut random = Random::new(7);
        for round in 0..60_000 {
            let seed = SEEDS.get(round % SEEDS.len()).copied().unwrap_or_default();
            let text = if round < SEEDS.len() { seed.to_owned() } else { mutate(seed, &mut random) };
            let read: Option<Value> = Reader::new(&text).whole();
            assert_eq!(read, parse_payload(text.as_bytes()).ok(), "{text:?}");
            let mut reader = Reader::new(&text);
            let skips = reader.skip().is_some() && reader.ended();
            assert_eq!(skips, read.is_some(), "{text:?}");
            let mut reader = Reader::new(&text);
            let hops = reader.hop().is_some() && reader.ended();
            assert!(hops || read.is_none(), "{text:?}");
        }
    }

    #[test]
    fn the_depth_limit_of_128_levels_applies_to_skipped_values() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for (depth, is_read) in [(128, true), (129, false), (1_000_000, false)] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                assert_eq!(Reader::new(&text).value().is_some(), is_read, "{depth}");
                assert_eq!(Reader::new(&text).skip().is_some(), is_read, "{depth}");
            }
        }
    }
}
