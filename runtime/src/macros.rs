//! Macros that keep generated code short.

/// Implements `serde::Serialize` and `serde::Deserialize` through [`wire::Codec`](crate::wire::Codec).
///
/// See [`wire::Codec`](crate::wire::Codec) for an example. With `impl_serde!(T, payload)`, where `T` is a
/// [`Payload`](crate::Payload), errors of deserialization report every violation.
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

/// Implements reading and writing, `Display` and `FromStr` for an enum of strings. The enum has functions `all` and `as_str`.
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
/// assert_eq!("left".parse(), Ok(Side::Left));
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
        impl ::core::str::FromStr for $name {
            type Err = $crate::wire::NotInEnum;
            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::wire::NotInEnum> {
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
        $crate::impl_serde!($name);
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
        $crate::impl_serde!($name);
    };
}

/// Implements [`Payload`](crate::Payload) for the request or the response of a capability. The schema is `input_schema` or
/// `output_schema` of the capability's constant `DESCRIPTOR`.
///
/// ```
/// use capgen::{Capability, Descriptor, Payload};
/// use capgen::wire::{Codec, Reader, Writer};
/// #[derive(Debug, PartialEq)]
/// struct SayRequest(String);
/// impl Codec for SayRequest {
///     fn read(reader: &mut Reader<'_>) -> Option<Self> {
///         reader.read().map(Self)
///     }
///     fn write(&self, writer: &mut Writer) -> Option<()> {
///         writer.write(&self.0)
///     }
/// }
/// capgen::impl_serde!(SayRequest, payload);
/// capgen::payload!(SayRequest, Say, input_schema);
/// struct Say;
/// impl Capability for Say {
///     type Request = SayRequest;
///     type Response = capgen::Loose;
///     const NAME: &'static str = "say";
///     fn descriptor() -> &'static Descriptor {
///         &Self::DESCRIPTOR
///     }
/// }
/// impl Say {
///     const DESCRIPTOR: Descriptor = Descriptor::new("echo", "say", "6f1d").with_input_schema(r#"{"type":"string"}"#);
/// }
/// assert_eq!(SayRequest::from_json(b"\"hello\"")?, SayRequest("hello".to_owned()));
/// assert_eq!(SayRequest::from_json(b"1").unwrap_err().violations()[0].message, "expected string, got integer");
/// # Ok::<(), capgen::InvalidPayload>(())
/// ```
#[macro_export]
macro_rules! payload {
    ($name:ident, $capability:ident, $side:ident) => {
        impl $crate::Payload for $name {
            fn schema() -> &'static $crate::wire::PayloadSchema {
                static SCHEMA: $crate::wire::PayloadSchema =
                    $crate::wire::PayloadSchema::of($capability::DESCRIPTOR.$side);
                &SCHEMA
            }
            fn read(json: &str, options: $crate::Options) -> ::core::result::Result<Self, $crate::InvalidPayload> {
                $crate::wire::read_payload(json, options, <Self as $crate::Payload>::schema())
            }
            fn write(
                &self,
                options: $crate::Options,
            ) -> ::core::result::Result<::std::vec::Vec<u8>, $crate::InvalidPayload> {
                $crate::wire::write_payload(self, options, <Self as $crate::Payload>::schema())
            }
        }
    };
}
