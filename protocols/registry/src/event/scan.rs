//! Canonical JSON text, read without building a tree.
//!
//! Logs store canonical text. Reading it again only has to find out that it is canonical, and where its members are.
//! Any other text is parsed and written anew, and everything that is unusual here is left to that way too: the result
//! is the same.

use std::ops::Range;

use capgen_schema::JsonCursor;

/// The maximum depth, as for all payloads.
const MAX_DEPTH: usize = capgen_schema::MAX_PAYLOAD_DEPTH;
/// Integers of up to this many digits are within the range of 64 bits. With 19 digits, some exceed 2^63 - 1.
const MAX_DIGITS: usize = 18;

/// The members of an object in the usual form: canonical, with names in ASCII without escapes, and with integers of at
/// most 18 digits as the only numbers, also inside the members. `None` does not mean that the text is not canonical.
pub(crate) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut members = Vec::with_capacity(16);
    let mut scanner = Scanner(JsonCursor::new(text, 0));
    scanner.object(1, &mut |name, value| {
        let part = |place: &Range<usize>| text.get(place.clone()).unwrap_or_default();
        // Before the name are a quotation mark, and a brace or comma.
        members.push(Member { name: part(&name), value: part(&value), start: name.start - 2, end: value.end });
    })?;
    (scanner.at() == text.len()).then_some(members)
}

/// A member of an object.
#[derive(Clone, Copy)]
pub(crate) struct Member<'t> {
    pub(crate) name: &'t str,
    /// The text of the value.
    pub(crate) value: &'t str,
    /// The place of the brace or comma before the member.
    pub(super) start: usize,
    /// The place after the value.
    pub(super) end: usize,
}

/// The content of a string in usual form that has no escapes.
pub(crate) fn plain(value: &str) -> Option<&str> {
    let content = value.strip_prefix('"')?.strip_suffix('"')?;
    (!content.contains('\\')).then_some(content)
}

struct Scanner<'t>(JsonCursor<'t>);

impl Scanner<'_> {
    #[inline]
    fn at(&self) -> usize {
        self.0.at()
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        self.0.eat(byte)
    }

    #[inline]
    fn require(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    fn bytes_from(&self, at: usize) -> Option<&[u8]> {
        self.0.text().as_bytes().get(at..)
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.0.peek()? {
            b'"' => self.string(),
            b'{' => self.object(depth + 1, &mut |_, _| ()),
            b'[' => self.array(depth + 1),
            b'-' | b'0'..=b'9' => self.integer(),
            b'n' => self.word("null"),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.0.literal(word).then_some(())
    }

    fn integer(&mut self) -> Option<()> {
        let is_negative = self.eat(b'-');
        let digits = self.0.digits();
        let is_canonical = match digits.as_bytes() {
            [] => false,
            [b'0', rest @ ..] => rest.is_empty() && !is_negative,
            digits => digits.len() <= MAX_DIGITS,
        };
        let is_integer = !matches!(self.0.peek(), Some(b'.' | b'e' | b'E'));
        (is_canonical && is_integer).then_some(())
    }

    /// A string with the escapes that the canonical form has.
    fn string(&mut self) -> Option<()> {
        self.require(b'"')?;
        loop {
            self.0.skip_plain();
            match self.0.peek()? {
                b'"' => {
                    self.0.advance(1);
                    return Some(());
                }
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let length = match self.bytes_from(self.at() + 1)? {
            [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 1,
            // The other control characters: those of the short escapes are not written like this.
            [b'u', b'0', b'0', high @ (b'0' | b'1'), low @ (b'0'..=b'9' | b'a'..=b'f'), ..] => {
                let has_short = *high == b'0' && matches!(low, b'8' | b'9' | b'a' | b'c' | b'd');
                (!has_short).then_some(5)?
            }
            _ => return None,
        };
        self.0.advance(1 + length);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        (depth <= MAX_DEPTH).then_some(())?;
        self.require(b'[')?;
        if self.eat(b']') {
            return Some(());
        }
        loop {
            self.value(depth)?;
            if self.eat(b']') {
                return Some(());
            }
            self.require(b',')?;
        }
    }

    /// An object, and the places of the names, without quotation marks, and of the values.
    fn object(&mut self, depth: usize, note: &mut dyn FnMut(Range<usize>, Range<usize>)) -> Option<()> {
        (depth <= MAX_DEPTH).then_some(())?;
        self.require(b'{')?;
        if self.eat(b'}') {
            return Some(());
        }
        let mut previous: &[u8] = &[];
        let mut is_first = true;
        loop {
            let start = self.at() + 1;
            self.string()?;
            let place = start..self.at() - 1;
            let name = self.0.text().as_bytes().get(place.clone())?;
            let is_plain = name.is_ascii() && !name.contains(&b'\\');
            (is_plain && (is_first || previous < name)).then_some(())?;
            (previous, is_first) = (name, false);
            self.require(b':')?;
            let value = self.at();
            self.value(depth)?;
            note(place, value..self.at());
            if self.eat(b'}') {
                return Some(());
            }
            self.require(b',')?;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::canonical::canonical;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-5_i64..5).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[ -~]{0,4}|\\PC{0,3}|[\u{0}-\u{20}\"\\\\]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-c]{0,2}|\\PC?|[\"\\\\\n]", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn usual_texts_are_canonical(value in values(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let text = canonical(&value);
            let mut changed = text.clone().into_bytes();
            let at = at.index(changed.len());
            changed[at] = byte;
            for text in [Some(text), String::from_utf8(changed).ok()].into_iter().flatten() {
                let text = format!("{{\"a\":{text}}}");
                if members(&text).is_some() {
                    let read = capgen_schema::ExactPayload::parse(text.as_bytes());
                    prop_assert_eq!(canonical(&read.unwrap().with_integers()), text);
                }
            }
        }

        #[test]
        fn members_are_those_of_the_tree(value in values()) {
            let text = canonical(&value);
            if let Some(members) = members(&text) {
                let members: Vec<(String, String)> =
                    members.iter().map(|member| (member.name.to_owned(), member.value.to_owned())).collect();
                let object = value.as_object().cloned().unwrap_or_default();
                let mut expected: Vec<_> = object.iter().map(|(name, value)| (name.clone(), canonical(value))).collect();
                expected.sort();
                prop_assert_eq!(members, expected);
            }
        }
    }

    #[test]
    fn texts_in_other_forms_are_not_usual() {
        assert!(members(r#"{"a":[1,-2,{"b":"é\n\u0001"}],"b":null,"c":{}}"#).is_some());
        for value in ["1.5", "-0", "01", r#""\u000a""#, "[1, 2]", "[1]]", "", r#"{"b":1,"a":2}"#, r#"{"a":1,"a":2}"#] {
            assert!(members(&format!("{{\"a\":{value}}}")).is_none(), "{value}");
        }
    }
}
