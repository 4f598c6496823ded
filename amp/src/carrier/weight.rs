//! The memory that a message needs while it is handled.

/// The bytes for a data item, in addition to those of the message: its value in CBOR and in JSON, both of which exist for a while, with
/// the tables of maps. A message of one byte for each item needs a hundred times its size.
const ITEM: usize = 104;

/// The memory that a message needs while it is handled, in bytes, by the heads of its data items. It need not be valid.
pub(super) fn weight(message: &[u8]) -> usize {
    super::ids::Items::new(message).count().saturating_mul(ITEM).saturating_add(message.len())
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
        // A length beyond the message.
        assert_eq!(weight(&[0x5b, 255, 255, 255, 255, 255, 255, 255, 255, 0]), 10 + ITEM);
    }
}
