//! The memory of decoding: nothing is allocated for a length that the input only claims.

use allocation_counter::{AllocationInfo, measure};
use capgen_amp::cbor::{Limits, Value, decode};

fn decoded(bytes: &[u8]) -> (bool, AllocationInfo) {
    let mut is_accepted = false;
    let info = measure(|| is_accepted = decode(bytes, &Limits::default()).is_ok());
    (is_accepted, info)
}

/// The memory that open arrays, maps and tags need while they are checked.
const OPEN: u64 = 16 * 1024;

#[test]
fn a_value_has_32_bytes() {
    assert_eq!(size_of::<Value>(), 32);
}

#[test]
fn accepted_input_needs_at_most_32_times_its_length() {
    let length = |head: u8, length: u32| [vec![head], length.to_be_bytes().to_vec()].concat();
    let sorted_keys: Vec<u8> =
        (0..100_000_u32).flat_map(|key| [&length(0x1a, key + 65_536)[..], &[0xf6]].concat()).collect();
    let inputs = [
        vec![0xf6],
        [length(0x9a, 1_000_000), vec![0; 1_000_000]].concat(),
        [length(0x5a, 1_000_000), vec![0; 1_000_000]].concat(),
        [length(0x7a, 1_000_000), vec![b'a'; 1_000_000]].concat(),
        [length(0xba, 100_000), sorted_keys].concat(),
        // Short arrays, strings and tags, for which an allocator is likely to reserve more than they need.
        [length(0x9a, 300_000), [0x81, 0xf6].repeat(300_000)].concat(),
        [length(0x9a, 300_000), [0xc0, 0xf6].repeat(300_000)].concat(),
        [length(0x9a, 300_000), [0x61, b'a'].repeat(300_000)].concat(),
        [length(0x9a, 300_000), [0xa1, 0xf6, 0xf6].repeat(300_000)].concat(),
        [vec![0x81; 128], vec![0xf6]].concat(),
    ];
    for input in inputs {
        let (is_accepted, info) = decoded(&input);
        assert!(is_accepted, "{:02x?}", input.first_chunk::<5>());
        let most = 32 * input.len() as u64 + OPEN;
        assert!(info.bytes_max <= most, "{} bytes of {:02x?}", info.bytes_max, input.first_chunk::<5>());
        assert!(info.bytes_total <= most, "{} bytes of {:02x?}", info.bytes_total, input.first_chunk::<5>());
    }
}

#[test]
fn rejected_input_needs_memory_only_for_its_depth() {
    let length = |head: u8, length: u32| [vec![head], length.to_be_bytes().to_vec()].concat();
    // An error at the end of much input.
    let late = [length(0x9a, 500_000), [0x61, b'a'].repeat(499_999), vec![0x61, 0xff]].concat();
    // Each array claims the whole rest of the input, which has enough bytes for one of them alone.
    let claims: Vec<u8> = (0..128).flat_map(|_| length(0x9a, 900_000)).chain(vec![0; 1_000_000]).collect();
    let beyond = [length(0x9a, u32::MAX), vec![0; 100]].concat();
    for input in [late, claims, beyond, vec![0x81; 1_000_000], vec![0xff], vec![]] {
        let (is_accepted, info) = decoded(&input);
        assert!(!is_accepted);
        assert!(info.bytes_total <= OPEN, "{} bytes", info.bytes_total);
    }
    assert_eq!(decoded(&[0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).1.count_total, 0);
}

#[test]
fn large_maps_are_built_in_one_allocation() {
    let bytes =
        [vec![0xb9, 0x10, 0x00], (0x1000..0x2000_u16).flat_map(|key| [0x19, (key >> 8) as u8, key as u8, 0]).collect()]
            .concat();
    let (is_accepted, info) = decoded(&bytes);
    assert!(is_accepted);
    assert_eq!(decode(&bytes, &Limits::default()).unwrap().as_map().unwrap().len(), 4096);
    // The open map, and its entries.
    assert_eq!(info.count_total, 2);
}
