//! The type without values.

use crate::wire::{Codec, Reader, Writer};

/// The type of the schema `false`, which allows no value. An array of it is always empty.
///
/// ```
/// let none: Vec<capgen::Never> = serde_json::from_str("[]")?;
/// assert!(none.is_empty());
/// assert!(serde_json::from_str::<capgen::Never>("null").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Codec for Never {
    fn read(_: &mut Reader<'_>) -> Option<Self> {
        None
    }

    fn write(&self, _: &mut Writer) -> Option<()> {
        match *self {}
    }
}

crate::impl_serde!(Never);
