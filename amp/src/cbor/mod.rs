//! Deterministic CBOR ([RFC 8949, section 4.2.1](https://www.rfc-editor.org/rfc/rfc8949#section-4.2.1)).

mod encode;
mod map;
mod value;

pub use encode::encode;
pub use map::Map;
pub use value::{Float, Value};
