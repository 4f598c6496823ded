//! The traits that `#[derive(Capability)]` implements. A program uses [`Capability`](crate::Capability),
//! [`Payload`](crate::Payload) and [`Checked`](crate::Checked); this module may change with any release.
#![doc(hidden)]

mod checked;
mod declared;
mod errors;
mod map_schema;
mod names;
mod per_type;
mod root_type;
mod rust_path;
mod schema_source;
mod serde_payload;
mod serializer;
mod tidy;

pub use checked::Checked;
pub use declared::Declare;
pub use errors::{DeclareErrors, ErrorSource, declared_errors};
pub use map_schema::MapSchema;
pub use schema_source::{DerivedPayload, Described, SchemaSource};
pub use serde::{Serialize, de::DeserializeOwned};
