//! The ids in a message that need not be valid otherwise.

use crate::message::MessageId;

/// The ids at the top level of a message, as far as they can be read. Nothing is allocated.
#[cfg_attr(not(feature = "tcp"), allow(dead_code, reason = "only frames have errors with the id of a message"))]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Ids {
    /// The `id`.
    pub(super) id: Option<MessageId>,
    /// The `reply_to`.
    pub(super) reply_to: Option<MessageId>,
}

impl Ids {
    /// Reads the ids. The cost is that of reading the heads of all items before the last one of them.
    pub(super) fn read(message: &[u8]) -> Self {
        let mut ids = Self::default();
        let mut rest = Items(message);
        // If the rest cannot be read, the ids before it count.
        let _ = ids.read_map(&mut rest);
        ids
    }

    fn read_map(&mut self, rest: &mut Items<'_>) -> Option<()> {
        let (5, entries) = rest.head()? else { return None };
        for _ in 0..entries {
            let (key, value) = (rest.item()?, rest.item()?);
            // The heads of texts of 2 and 8 bytes, and of a byte string of 16 bytes.
            let id = || <[u8; 16]>::try_from(value.strip_prefix(&[0x50])?).ok().map(MessageId::from);
            match key {
                b"\x62id" => self.id = id(),
                b"\x68reply_to" => self.reply_to = id(),
                _ => {}
            }
        }
        Some(())
    }
}

/// The rest of a sequence of CBOR data items with definite lengths.
pub(super) struct Items<'a>(&'a [u8]);

impl<'a> Items<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The number of items at all levels, and the bytes by which the texts among them grow in JSON, as far as the bytes
    /// can be read.
    pub(super) fn count(mut self) -> (usize, usize) {
        let (mut count, mut growth) = (0, 0);
        while let Some((major, argument)) = self.head() {
            count += 1;
            if matches!(major, 2 | 3) {
                let rest = usize::try_from(argument).ok().and_then(|length| self.0.split_at_checked(length));
                let Some((string, rest)) = rest else { break };
                self.0 = rest;
                if major == 3 {
                    growth += string.iter().map(|byte| escape_growth(*byte)).sum::<usize>();
                }
            }
        }
        (count, growth)
    }

    /// The major type and the argument of the next head.
    fn head(&mut self) -> Option<(u8, u64)> {
        let (first, rest) = self.0.split_first()?;
        let (major, information) = (first >> 5, first & 31);
        let size = match information {
            0..24 => 0,
            24 => 1,
            25 => 2,
            26 => 4,
            27 => 8,
            _ => return None,
        };
        let (argument, rest) = rest.split_at_checked(size)?;
        let number = argument.iter().fold(0, |number: u64, byte| (number << 8) | u64::from(*byte));
        self.0 = rest;
        Some((major, if size == 0 { u64::from(information) } else { number }))
    }

    /// The bytes of the next item, with all items in it. Without recursion.
    fn item(&mut self) -> Option<&'a [u8]> {
        let start = self.0;
        let mut missing: u64 = 1;
        while missing > 0 {
            missing -= 1;
            let (major, argument) = self.head()?;
            match major {
                2 | 3 => self.0 = self.0.split_at_checked(usize::try_from(argument).ok()?)?.1,
                4 => missing = missing.checked_add(argument)?,
                5 => missing = missing.checked_add(argument.checked_mul(2)?)?,
                6 => missing = missing.checked_add(1)?,
                _ => {}
            }
        }
        start.get(..start.len() - self.0.len())
    }
}

/// The bytes by which the escape of a byte of a text is longer than the byte: `\"`, `\\`, `\u0000`.
const fn escape_growth(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 1,
        0..=0x1f => 5,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbor::{Map, Value, encode};
    use proptest::prelude::*;

    fn message() -> Vec<u8> {
        let body: Map = [("a", Value::from(vec![Value::Null, Value::from(1000)]))].into_iter().collect();
        let mut map = Map::new();
        map.insert("v", 1);
        map.insert("id", vec![1; 16]);
        map.insert("to", "did:x:y");
        map.insert("body", Value::Tag(1, Box::new(body.into())));
        map.insert("reply_to", vec![2; 16]);
        encode(&map.into())
    }

    #[test]
    fn the_ids_of_a_message_are_found() {
        let both = Ids { id: Some([1; 16].into()), reply_to: Some([2; 16].into()) };
        assert_eq!(Ids::read(&message()), both);
    }

    #[test]
    fn the_ids_before_the_end_of_a_truncated_message_are_found() {
        let message = message();
        let truncated = message.get(..message.len() - 1).unwrap();
        assert_eq!(Ids::read(truncated), Ids { id: Some([1; 16].into()), reply_to: None });
    }

    #[test]
    fn other_values_are_no_ids() {
        for value in [Value::from(vec![1; 15]), Value::from("0123456789abcdef"), Value::Null] {
            let map: Map = [("id", value)].into_iter().collect();
            assert_eq!(Ids::read(&encode(&map.into())), Ids::default());
        }
        // Lengths of 2^64-1.
        for byte in [0x5b, 0x7b, 0x9b, 0xbb] {
            let bytes = [&[0xa1, 0x62, b'i', b'd', byte][..], &[0xff; 8]].concat();
            assert_eq!(Ids::read(&bytes), Ids::default());
        }
    }

    proptest! {
        #[test]
        fn random_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            Ids::read(&bytes);
        }
    }
}
