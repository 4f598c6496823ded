//! JSON as schemas mean it, read, checked and written in one pass. Generated code is written against this module; a
//! program uses [`Payload`](crate::Payload).
//!
//! It differs from what serde derives: `1.0` is an integer, an optional property is not `null`, a name never stands twice
//! in an object, an object is never an array, and what the schema says of a value is checked while it is read.

mod json;
mod locate;
mod member;
mod number;
mod object;
mod payload;
mod reader;
mod rule;
mod scan;
mod schema;
mod shim;
mod stack;
mod union;
mod value;
mod writer;

pub use capgen_schema::Format;
pub use json::Json;
pub use member::{NoMember, find_name};
pub use object::{Object, Rest};
pub use payload::{read_payload, write_payload};
pub use reader::{Kind, Reader};
pub use rule::{Any, Items, Length, Nullable, Rule, Text, Unique, Values, Whole, Within};
pub use schema::Schema;
pub use shim::{deserialize, deserialize_payload, serialize};
pub use union::{branch, to_value};
pub use writer::Writer;

#[cfg(feature = "derive")]
pub(crate) use payload::settle;
#[cfg(feature = "derive")]
pub(crate) use reader::Unheld;
