//! JSON as schemas mean it, read, checked and written in one pass. Generated code is written against this module; a
//! program uses [`Payload`](crate::Payload).
//!
//! It differs from what serde derives: `1.0` is an integer, an optional property is not `null`, a name never stands twice
//! in an object, an object is never an array, and what the schema says of a value is checked while it is read.

mod branch;
mod codec;
mod constraint;
mod locate;
mod member;
mod number;
mod object;
mod payload;
mod reader;
mod scan;
mod schema;
mod shim;
mod stack;
mod value;
mod writer;

pub use branch::{branch, to_value};
pub use capgen_schema::Format;
pub use codec::Codec;
pub use constraint::{Any, Constraint, Interpreted, Items, Length, Nullable, Text, Unique, Values, Within};
pub use member::{NotInEnum, find_name};
pub use object::{ObjectReader, Rest};
pub use payload::{read_payload, write_payload};
pub use reader::{Reader, ValueKind};
pub use schema::PayloadSchema;
pub use shim::{deserialize, deserialize_payload, serialize};
pub use writer::Writer;

#[cfg(feature = "derive")]
pub(crate) use payload::settle;
#[cfg(feature = "derive")]
pub(crate) use reader::Unrepresentable;
