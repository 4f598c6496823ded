//! What `#[derive(Capability)]` is written against. A program uses [`Capability`](crate::Capability), [`Payload`](crate::Payload) and
//! [`Checked`](crate::Checked); this module may change with any release.
#![doc(hidden)]

mod checked;
mod codec;
mod declared;
mod finite;
mod names;
mod once;
mod path;
mod root;
mod side;
mod tidy;

pub use checked::Checked;
pub use declared::{Contract, Declare};
pub use path::UnsupportedSchema;
pub use serde::{Serialize, de::DeserializeOwned};
pub use side::{Described, Side, Sided};

pub(crate) use declared::contract_of;
