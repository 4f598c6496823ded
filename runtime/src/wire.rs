//! How generated types read and write JSON.
//!
//! Types are for reading payloads as their schema means them, where serde's derive would not: `1.0` is an integer, an
//! absent property is not `null`, an object is never read from an array, and a name that stands twice is refused.
//! Generated code uses what is here; a program seldom does.

mod error;
mod fields;
mod member;
mod object;
mod read;
mod union;

pub use error::Error;
pub use fields::Fields;
pub use member::{find_name, read_member, read_name, write_member};
pub use object::Object;
pub use read::{Read, deserialize};
pub use union::{branch, tag, tag_json, to_value};
