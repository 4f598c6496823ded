//! Random CBOR values and messages.

use capgen_amp::cbor::{Map, Value, encode};
use capgen_amp::message::{Did, Message, MessageId, MessageType, Recipients, SigningKey};

use super::Random;

/// Numbers at the limits of the formats.
const NUMBERS: [u64; 16] = [
    0,
    1,
    23,
    24,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
    1_707_055_200_000,
    2,
    0x22,
];

const TEXTS: [&str; 16] =
    ["", "v", "id", "to", "ts", "sig", "ttl", "typ", "enc", "ext", "body", "from", "did:key:z6Mk", "a/~b", "é", "😀"];

impl Random {
    /// A value with at most `depth` levels of arrays, maps and tags.
    pub fn cbor(&mut self, depth: usize) -> Value {
        let kinds = if depth == 0 { 9 } else { 14 };
        match self.below(kinds) {
            0 | 1 => Value::Unsigned(self.argument()),
            2 => Value::Negative(self.argument()),
            3 => Value::Bytes((0..self.below(40)).map(|_| self.bits() as u8).collect()),
            4 | 5 => Value::from(self.pick(&TEXTS)),
            6 => Value::Float(self.float().into()),
            7 => self.pick_clone(&[Value::Null, Value::Undefined, Value::Bool(true), Value::Bool(false)]),
            8 => Value::Simple([0, 19, 32, 255][self.below(4)]),
            9 | 10 => Value::Array((0..self.below(5)).map(|_| self.cbor(depth - 1)).collect()),
            11 => Value::Tag(self.argument(), Box::new(self.cbor(depth - 1))),
            12 => (0..self.below(5)).map(|_| (self.cbor(depth - 1), self.cbor(depth - 1))).collect::<Map>().into(),
            _ => (0..self.below(5)).map(|_| (self.pick(&TEXTS), self.cbor(depth - 1))).collect::<Map>().into(),
        }
    }

    /// A number whose encoding has a random length.
    fn argument(&mut self) -> u64 {
        if self.one_in(2) { self.pick(&NUMBERS) } else { self.bits() >> self.below(64) }
    }

    fn float(&mut self) -> f64 {
        match self.below(4) {
            0 => self.pick(&[0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 65504.0, 65520.0, 5.9e-8]),
            1 => f64::from(f32::from_bits(self.bits() as u32)),
            2 => self.below(4096) as f64 / 1024.0 - 2.0,
            _ => f64::from_bits(self.bits()),
        }
    }

    pub(super) fn pick_clone(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len())].clone()
    }

    /// The bytes of a signed message. Half of them have a random value in the place of one or two fields.
    pub fn message(&mut self) -> Vec<u8> {
        let bytes = self.valid_message().sign(&SigningKey::from_seed(&[1; 32]));
        if self.one_in(2) {
            return bytes;
        }
        let value = capgen_amp::cbor::decode(&bytes, &Default::default()).expect("a signed message is deterministic");
        let Value::Map(mut map) = value else { panic!("a message is a map") };
        for _ in 0..1 + self.below(2) {
            let name = self.pick(&TEXTS);
            if self.one_in(4) {
                map.remove(name);
            } else {
                map.insert(name, self.cbor(3));
            }
        }
        encode(&map.into())
    }

    fn valid_message(&mut self) -> Message {
        let ts = self.pick(&NUMBERS);
        let did = |random: &mut Self| -> Did {
            random.pick(&["did:web:a", "did:web:b#key-1", "did:key:z6Mk", "did:"]).parse().expect("a DID")
        };
        Message {
            id: MessageId::new(ts, self.bits().to_be_bytes()),
            kind: self.pick(MessageType::ALL),
            ts,
            ttl: self.argument(),
            from: did(self),
            to: if self.one_in(2) {
                Recipients::One(did(self))
            } else {
                Recipients::Many((0..1 + self.below(3)).map(|_| did(self)).collect())
            },
            reply_to: self.one_in(2).then(|| MessageId::from([7; 16])),
            thread_id: self.one_in(3).then(|| vec![1; self.below(40)]),
            body: self.cbor(4),
            ext: self.one_in(4).then(|| [("a", self.cbor(2))].into_iter().collect()),
        }
    }
}
