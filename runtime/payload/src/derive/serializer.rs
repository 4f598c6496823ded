//! A serializer that records numbers that are not finite, and stops at the depth limit of payloads.
//!
//! `serde_json` writes infinities and NaN as `null`, and has no limit on depth when it writes.

use std::cell::{Cell, RefCell};
use std::io;

use capgen_schema::{MAX_PAYLOAD_DEPTH, Violation};
use serde::ser::{
    Error, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::wire::Unrepresentable;

/// The text so far, and the places where it has `null` for a number that is not finite.
#[derive(Default)]
struct Output {
    text: RefCell<Vec<u8>>,
    nulls: RefCell<Vec<Unrepresentable>>,
    /// The number of open arrays and objects; `usize::MAX` after the limit was exceeded.
    depth: Cell<usize>,
}

impl Output {
    fn open<E: Error>(&self) -> Result<(), E> {
        if self.depth.get() == MAX_PAYLOAD_DEPTH {
            self.depth.set(usize::MAX);
            return Err(E::custom(Violation::too_deep(MAX_PAYLOAD_DEPTH).message));
        }
        self.depth.set(self.depth.get() + 1);
        Ok(())
    }

    fn close(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }
}

impl io::Write for &Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A wrapper around a serializer of `serde_json`, around its serializers of arrays and objects, and around the values
/// that are passed to them.
pub(super) struct Finite<'p, S> {
    inner: S,
    output: &'p Output,
}

/// Why a value was not written.
pub(super) enum NotWritten {
    /// It is nested deeper than a payload may be.
    TooDeep,
    /// The error of serde.
    Failed(serde_json::Error),
}

impl Finite<'_, ()> {
    /// Writes a value as JSON. Also returns the places of numbers that are not finite, which are written as `null`.
    pub(super) fn write<T: Serialize>(value: &T) -> Result<(Vec<u8>, Vec<Unrepresentable>), NotWritten> {
        let output = Output::default();
        match value.serialize(Finite { inner: &mut serde_json::Serializer::new(&output), output: &output }) {
            Ok(()) => Ok((output.text.into_inner(), output.nulls.into_inner())),
            Err(_) if output.depth.get() == usize::MAX => Err(NotWritten::TooDeep),
            Err(error) => Err(NotWritten::Failed(error)),
        }
    }
}

impl<'p, S> Finite<'p, S> {
    fn like<U>(&self, inner: U) -> Finite<'p, U> {
        Finite { inner, output: self.output }
    }
}

impl<T: Serialize + ?Sized> Serialize for Finite<'_, &T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.inner.serialize(self.like(serializer))
    }
}

impl<S: Serializer> Finite<'_, S> {
    fn float(self, is_finite: bool, write: impl FnOnce(S) -> Result<S::Ok, S::Error>) -> Result<S::Ok, S::Error> {
        if !is_finite {
            let offset = self.output.text.borrow().len();
            let message = "JSON cannot represent a number that is not finite";
            self.output.nulls.borrow_mut().push(Unrepresentable { offset, message });
        }
        write(self.inner)
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $ty:ty),*);)*) => {
        $(fn $name(self $(, $argument: $ty)*) -> Result<S::Ok, S::Error> {
            self.inner.$name($($argument),*)
        })*
    };
}

macro_rules! open {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $opened:ident;)*) => {
        $(fn $name(self $(, $argument: $ty)*) -> Result<Self::$opened, S::Error> {
            self.output.open()?;
            Ok(Finite { inner: self.inner.$name($($argument),*)?, output: self.output })
        })*
    };
}

impl<'p, S: Serializer> Serializer for Finite<'p, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Finite<'p, S::SerializeSeq>;
    type SerializeTuple = Finite<'p, S::SerializeTuple>;
    type SerializeTupleStruct = Finite<'p, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Finite<'p, S::SerializeTupleVariant>;
    type SerializeMap = Finite<'p, S::SerializeMap>;
    type SerializeStruct = Finite<'p, S::SerializeStruct>;
    type SerializeStructVariant = Finite<'p, S::SerializeStructVariant>;

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), |inner| inner.serialize_f32(value))
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        self.float(value.is_finite(), |inner| inner.serialize_f64(value))
    }

    forward! {
        serialize_bool(value: bool);
        serialize_i8(value: i8);
        serialize_i16(value: i16);
        serialize_i32(value: i32);
        serialize_i64(value: i64);
        serialize_i128(value: i128);
        serialize_u8(value: u8);
        serialize_u16(value: u16);
        serialize_u32(value: u32);
        serialize_u64(value: u64);
        serialize_u128(value: u128);
        serialize_char(value: char);
        serialize_str(value: &str);
        serialize_bytes(value: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    open! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.like(value);
        self.inner.serialize_some(&value)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.like(value);
        self.inner.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = self.like(value);
        self.inner.serialize_newtype_variant(name, index, variant, &value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! items {
    ($($kind:ident, $name:ident;)*) => {
        $(impl<S: $kind> $kind for Finite<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
                let value = self.like(value);
                self.inner.$name(&value)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.output.close();
                self.inner.end()
            }
        })*
    };
}

items! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

macro_rules! fields {
    ($($kind:ident;)*) => {
        $(impl<S: $kind> $kind for Finite<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), S::Error> {
                let value = self.like(value);
                self.inner.serialize_field(name, &value)
            }

            fn skip_field(&mut self, name: &'static str) -> Result<(), S::Error> {
                self.inner.skip_field(name)
            }

            fn end(self) -> Result<S::Ok, S::Error> {
                self.output.close();
                self.inner.end()
            }
        })*
    };
}

fields! {
    SerializeStruct;
    SerializeStructVariant;
}

impl<S: SerializeMap> SerializeMap for Finite<'_, S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.inner.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = self.like(value);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.output.close();
        self.inner.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn numbers_that_are_not_finite_are_distinguished_from_null() -> Result<(), &'static str> {
        let value = BTreeMap::from([("a", vec![Some(1.5), Some(f64::NAN), None]), ("b", vec![Some(f64::INFINITY)])]);
        let (text, nulls) = Finite::write(&value).map_err(|_| "not written")?;
        assert_eq!(String::from_utf8_lossy(&text), r#"{"a":[1.5,null,null],"b":[null]}"#);
        assert_eq!(nulls.iter().map(|null| null.offset).collect::<Vec<_>>(), [10, 26]);
        Ok(())
    }

    #[test]
    fn deeply_nested_values_are_rejected_without_a_crash() {
        #[derive(serde::Serialize)]
        struct List(Vec<List>);
        let nested = |levels| (1..levels).fold(List(Vec::new()), |list, _| List(vec![list]));
        assert!(Finite::write(&nested(MAX_PAYLOAD_DEPTH)).is_ok());
        let deep = nested(2000);
        assert!(matches!(Finite::write(&deep), Err(NotWritten::TooDeep)));
    }
}
