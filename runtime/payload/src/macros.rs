//! Macros that keep generated code short.

/// Implements `serde::Serialize` and `serde::Deserialize` through [`wire::Codec`](crate::wire::Codec).
///
/// See [`wire::Codec`](crate::wire::Codec) for an example. With `impl_serde!(T, payload)`, where `T` is a
/// [`Payload`](crate::Payload), errors of deserialization report the violations.
#[macro_export]
macro_rules! impl_serde {
    ($name:ident) => {
        $crate::impl_serde!($name, deserializer, $crate::wire::deserialize(deserializer));
    };
    ($name:ident, payload) => {
        $crate::impl_serde!(
            $name,
            deserializer,
            $crate::wire::deserialize_payload(deserializer, <$name as $crate::Payload>::schema())
        );
    };
    ($name:ident, $deserializer:ident, $deserialize:expr) => {
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::wire::serialize(self, serializer)
            }
        }
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>($deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $deserialize
            }
        }
    };
}

/// Implements reading and writing, and the conversions from and to strings, for an enum of strings. The enum has
/// functions `all` and `as_str`.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Side { Left, Right }
/// impl Side {
///     const fn all() -> &'static [Self] {
///         &[Self::Left, Self::Right]
///     }
///     const fn as_str(self) -> &'static str {
///         match self {
///             Self::Left => "left",
///             Self::Right => "right",
///         }
///     }
/// }
/// capgen::string_enum!(Side);
/// capgen::impl_serde!(Side);
/// assert_eq!("left".parse(), Ok(Side::Left));
/// assert_eq!(Side::try_from("Left").unwrap_err().to_string(), r#"value not in enum ["left","right"]"#);
/// assert_eq!((Side::Left.as_ref(), Side::Right.to_string()), ("left", "right".to_owned()));
/// assert_eq!(serde_json::to_string(&Side::Right)?, r#""right""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! string_enum {
    ($name:ident $(, $whole:ident)?) => {
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl ::core::convert::AsRef<str> for $name {
            #[inline]
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
        impl ::core::str::FromStr for $name {
            type Err = $crate::wire::NotInEnum;
            #[inline]
            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::wire::NotInEnum> {
                $crate::wire::find_name(text, Self::all(), Self::as_str)
            }
        }
        impl ::core::convert::TryFrom<&str> for $name {
            type Error = $crate::wire::NotInEnum;
            #[inline]
            fn try_from(text: &str) -> ::core::result::Result<Self, $crate::wire::NotInEnum> {
                $crate::wire::find_name(text, Self::all(), Self::as_str)
            }
        }
        impl $crate::wire::Codec for $name {
            $(const INTERPRETED: ::core::option::Option<&'static $crate::wire::Interpreted> = ::core::option::Option::Some(&$whole);)?
            fn read(reader: &mut $crate::wire::Reader<'_>) -> ::core::option::Option<Self> {
                reader.member(Self::all(), Self::as_str)
            }
            fn write(&self, writer: &mut $crate::wire::Writer) -> ::core::option::Option<()> {
                writer.string(self.as_str())
            }
        }
    };
}

/// Implements reading and writing for an enum of any JSON values. The enum has functions `all` and `as_json`.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Level { One, Top }
/// impl Level {
///     const fn all() -> &'static [Self] {
///         &[Self::One, Self::Top]
///     }
///     const fn as_json(self) -> &'static str {
///         match self {
///             Self::One => "1",
///             Self::Top => "\"top\"",
///         }
///     }
/// }
/// capgen::json_enum!(Level);
/// capgen::impl_serde!(Level);
/// assert_eq!(serde_json::from_str::<Level>("1.0")?, Level::One);
/// assert_eq!(serde_json::to_string(&Level::Top)?, r#""top""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! json_enum {
    ($name:ident $(, $whole:ident)?) => {
        impl $crate::wire::Codec for $name {
            $(const INTERPRETED: ::core::option::Option<&'static $crate::wire::Interpreted> = ::core::option::Option::Some(&$whole);)?
            fn read(reader: &mut $crate::wire::Reader<'_>) -> ::core::option::Option<Self> {
                reader.json_member(Self::all(), Self::as_json)
            }
            fn write(&self, writer: &mut $crate::wire::Writer) -> ::core::option::Option<()> {
                writer.json(self.as_json())
            }
        }
    };
}

/// Implements [`Payload`](crate::Payload) and serde's traits for a type with a schema: a `static`
/// [`PayloadSchema`](crate::wire::PayloadSchema) or, if there are JSON Pointers, its subschemas there. A value must
/// match all of them.
///
/// ```
/// use capgen::{Descriptor, Payload};
/// use capgen::wire::{Codec, PayloadSchema, Reader, Writer};
/// #[derive(Debug, PartialEq)]
/// struct Word(String);
/// impl Codec for Word {
///     fn read(reader: &mut Reader<'_>) -> Option<Self> {
///         reader.read().map(Self)
///     }
///     fn write(&self, writer: &mut Writer) -> Option<()> {
///         writer.write(&self.0)
///     }
/// }
/// static WORDS: PayloadSchema = PayloadSchema::new(r#"{"items":{"type":"string"}}"#);
/// capgen::payload!(Word, WORDS, "/items");
/// assert_eq!(Word::from_json(b"\"hello\"")?, Word("hello".to_owned()));
/// assert_eq!(Word::from_json(b"1").unwrap_err().violations()[0].message, "expected string, got integer");
/// assert_eq!(serde_json::from_str::<Word>("\"hello\"").ok(), Some(Word("hello".to_owned())));
/// # Ok::<(), capgen::InvalidPayload>(())
/// ```
#[macro_export]
macro_rules! payload {
    ($name:ident, $schema:ident) => {
        $crate::payload!(@ $name, &$schema);
    };
    ($name:ident, $schema:ident $(, $pointer:literal)+) => {
        $crate::payload!(@ $name, {
            static PART: $crate::wire::PayloadSchema = $crate::wire::PayloadSchema::part(&$schema, &[$($pointer),+]);
            &PART
        });
    };
    (@ $name:ident, $schema:expr) => {
        impl $crate::Payload for $name {
            // Inline, so that a crate compiles the methods only for the types that it uses as payloads.
            #[inline]
            fn schema() -> &'static $crate::wire::PayloadSchema {
                $schema
            }
            #[inline]
            fn read(json: &str, options: $crate::Options) -> ::core::result::Result<Self, $crate::InvalidPayload> {
                $crate::wire::read_payload(json, options, <Self as $crate::Payload>::schema())
            }
            #[inline]
            fn write(
                &self,
                options: $crate::Options,
            ) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::InvalidPayload> {
                $crate::wire::write_payload(self, options, <Self as $crate::Payload>::schema())
            }
        }
        $crate::impl_serde!($name, payload);
    };
}
