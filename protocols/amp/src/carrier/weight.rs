//! The memory that a message needs while it is handled.

/// The bytes for a data item, in addition to those of the message: its value in CBOR and the one in the tree that is
/// checked, both of which exist for a while, with the tables of maps. The text for the handler is written when the tree
/// is dropped, and its numbers and punctuation need less. A message of one byte for each item needs a hundred times its
/// size.
const ITEM: usize = 104;

/// The memory that a message needs while it is handled, in bytes, by the heads of its data items. It need not be valid.
pub(super) fn weight(message: &[u8]) -> usize {
    let (items, growth) = super::ids::Items::new(message).count();
    items.saturating_mul(ITEM).saturating_add(growth).saturating_add(message.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_a_message_counts_its_items() {
        // {"a": [1, 2, h'030405']}
        let message = [0xa1, 0x61, b'a', 0x83, 1, 2, 0x43, 3, 4, 5];
        assert_eq!(weight(&message), message.len() + 6 * ITEM);
        assert_eq!(weight(&[]), 0);
        // A text becomes longer in JSON, a byte string is not JSON.
        assert_eq!(weight(b"\x64\x00\"\\a"), 5 + 7 + ITEM);
        assert_eq!(weight(b"\x44\x00\"\\a"), 5 + ITEM);
        // A length beyond the message.
        assert_eq!(weight(&[0x5b, 255, 255, 255, 255, 255, 255, 255, 255, 0]), 10 + ITEM);
    }

    #[test]
    fn the_weight_is_at_least_the_memory_of_the_values() {
        let length = |head: u8, length: u32| [vec![head], length.to_be_bytes().to_vec()].concat();
        let keys: Vec<u8> = (0..70_000).flat_map(|key| format!("\x65{key:05}\x01").into_bytes()).collect();
        for message in [
            [length(0x9a, 100_000), vec![1; 100_000]].concat(),
            [length(0x9a, 70_000), [0x81, 0x01].repeat(70_000)].concat(),
            [length(0x9a, 70_000), [0x61, b'a'].repeat(70_000)].concat(),
            [length(0xba, 70_000), keys].concat(),
            [length(0x7a, 100_000), vec![b'a'; 100_000]].concat(),
            [length(0x7a, 100_000), vec![0; 100_000]].concat(),
            // Numbers with long texts.
            [length(0x9a, 70_000), [&[0xfb][..], &(-1.0e300_f64 / 3.0).to_be_bytes()].concat().repeat(70_000)].concat(),
        ] {
            let (mut values, limits) = (None, crate::cbor::Limits::default());
            // The value and the tree exist for a while, then the value and the text; and the message.
            let used = allocation_counter::measure(|| {
                let value = crate::cbor::decode(&message, &limits).unwrap();
                drop(value.to_json().unwrap());
                values = Some((value.to_json_text().unwrap(), value));
            });
            let used = usize::try_from(used.bytes_max).unwrap() + message.len();
            // The texts of strings exist in each of the values.
            assert!(weight(&message) + 2 * message.len() >= used, "{}: {used}", weight(&message));
        }
    }
}
