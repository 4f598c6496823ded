//! Reading, checking and writing JSON in one pass, with the semantics of JSON Schema. Generated code uses this module.
//! A program uses [`Payload`](crate::Payload).
//!
//! It differs from serde's derive: `1.0` is an integer, `null` is not a missing property, duplicate names in an object
//! are rejected, an array is never read as a struct, and the assertions of the schema are checked while a value is
//! read.

mod branch;
mod codec;
mod constraint;
mod locate;
mod member;
mod multiple;
mod names;
mod number;
mod object;
mod read_write;
mod reader;
mod schema;
mod serde_bridge;
mod stack;
mod tuple;
mod value;
mod writer;

pub use branch::{branch, to_value};
pub use capgen_schema::Format;
pub use codec::Codec;
pub use constraint::{
    Any, Bounded, Boxed, Constraint, Interpreted, Items, Length, Nullable, Text, Unique, Values, Within,
};
pub use member::{NotInEnum, find_name};
pub use multiple::{Divisible, MultipleOf};
pub use names::{Names, Spelling};
pub use object::{ObjectReader, Rest};
pub use read_write::{read_payload, write_payload};
pub use reader::{Reader, ValueKind};
pub use schema::PayloadSchema;
pub use serde_bridge::{deserialize, deserialize_payload, serialize};
pub use tuple::Tuple;
pub use writer::Writer;

pub(crate) use stack::{with_room, with_room_to_validate};

#[cfg(feature = "derive")]
pub(crate) use read_write::settle;
#[cfg(feature = "derive")]
pub(crate) use reader::Unrepresentable;
