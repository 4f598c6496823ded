//! The trait of types with a JSON form.

use serde_json::Value;

use super::stack::with_room;
use super::{Constraint as _, Interpreted, Reader, Writer};

/// A type that is read from JSON and written as JSON in one pass. Generated code implements it. A program uses
/// [`Payload`](crate::Payload) or serde instead.
///
/// ```
/// use capgen::wire::{Codec, Reader, Writer};
/// #[derive(Debug, PartialEq)]
/// struct Count(u64);
/// impl Codec for Count {
///     fn read(reader: &mut Reader<'_>) -> Option<Self> {
///         reader.read().map(Count)
///     }
///     fn write(&self, writer: &mut Writer) -> Option<()> {
///         writer.write(&self.0)
///     }
/// }
/// capgen::impl_serde!(Count);
/// assert_eq!(serde_json::from_str::<Count>("3.0")?, Count(3));
/// assert_eq!(serde_json::to_string(&Count(3))?, "3");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Codec: Sized {
    /// The subschemas that only the interpreter checks, if [`read`](Self::read) does not check the whole schema.
    const INTERPRETED: Option<&'static Interpreted> = None;

    /// Reads a value; `None` if it is not valid. Recurses as deep as the value is nested, at most 128 levels.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// Writes the value; `None` if its schema does not allow it.
    fn write(&self, writer: &mut Writer) -> Option<()>;
}

impl Codec for Value {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.value()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.value(self)
    }
}

impl Codec for () {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.null()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Codec for bool {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.boolean()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Codec for String {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.owned()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.string(self)
    }
}

impl Codec for i64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.integer()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Codec for u64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.unsigned()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Codec for f64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.number()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.float(*self)
    }
}

impl<T: Codec> Codec for Option<T> {
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        super::Nullable(super::Any).read(reader)
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        super::Nullable(super::Any).write(writer, self)
    }
}

impl<T: Codec> Codec for Box<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        with_room(|| reader.read().map(Box::new))
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        with_room(|| writer.write(self.as_ref()))
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        super::Items::new(0, u64::MAX, super::Any).read(reader)
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        super::Items::new(0, u64::MAX, super::Any).write(writer, self)
    }
}
