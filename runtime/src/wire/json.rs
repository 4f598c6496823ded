//! Types with a JSON form.

use serde_json::Value;

use super::stack::with_room;
use super::{Reader, Rule as _, Whole, Writer};

/// A type that is read from JSON and written as JSON. Generated code implements it; a program uses
/// [`Payload`](crate::Payload), or serde.
///
/// ```
/// use capgen::wire::{Json, Reader, Writer};
/// #[derive(Debug, PartialEq)]
/// struct Count(u64);
/// impl Json for Count {
///     fn read(reader: &mut Reader<'_>) -> Option<Self> {
///         reader.read().map(Count)
///     }
///     fn write(&self, writer: &mut Writer) -> Option<()> {
///         writer.write(&self.0)
///     }
/// }
/// capgen::json!(Count);
/// assert_eq!(serde_json::from_str::<Count>("3.0")?, Count(3));
/// assert_eq!(serde_json::to_string(&Count(3))?, "3");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Json: Sized {
    /// What the interpreter has to check before a value is one of the type: where the schema says more than
    /// [`read`](Self::read) looks at.
    const WHOLE: Option<&'static Whole> = None;

    /// Reads a value. Recurses as deep as the value is, at most 128 levels.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;

    /// Writes the value; `None` where it is none that the schema allows.
    fn write(&self, writer: &mut Writer) -> Option<()>;
}

impl Json for Value {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.value()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.value(self)
    }
}

impl Json for () {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.null()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Json for bool {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.boolean()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Json for String {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.owned()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self.as_str())
    }
}

impl Json for i64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.integer()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Json for u64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.unsigned()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.scalar(self)
    }
}

impl Json for f64 {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        reader.number()
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        writer.float(*self)
    }
}

impl<T: Json> Json for Option<T> {
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        super::Nullable(super::Any).read(reader)
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        super::Nullable(super::Any).write(writer, self)
    }
}

impl<T: Json> Json for Box<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        with_room(|| reader.read().map(Box::new))
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        with_room(|| writer.write(self.as_ref()))
    }
}

impl<T: Json> Json for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        super::Items::new(0, u64::MAX, super::Any).read(reader)
    }

    fn write(&self, writer: &mut Writer) -> Option<()> {
        super::Items::new(0, u64::MAX, super::Any).write(writer, self)
    }
}
