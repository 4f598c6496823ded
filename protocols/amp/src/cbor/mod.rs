//! Deterministic CBOR ([RFC 8949, section 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1)).

mod decode;
mod diagnostic;
mod encode;
mod from_json;
mod half;
mod map;
mod to_json;
mod token;
mod value;

#[cfg(feature = "carrier")]
pub(crate) use decode::decode_unsorted;
pub use decode::{DecodeError, DecodeErrorKind, Limits, MAX_DEPTH, decode};
pub use encode::encode;
pub(crate) use encode::{write_array_head, write_bytes, write_map, write_map_head, write_text, write_unsigned};
pub use map::Map;
pub use to_json::NotJson;
pub use value::{Float, Value};
