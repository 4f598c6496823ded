//! What generated code says of every type of a kind.

/// Implements `serde::Deserialize` through [`Read`](crate::wire::Read).
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Count(u64);
/// impl capgen::wire::Read for Count {
///     fn read(value: serde_json::Value) -> Result<Self, capgen::wire::Error> {
///         capgen::wire::Read::read(value).map(Count)
///     }
/// }
/// capgen::deserialize!(Count);
/// assert_eq!(serde_json::from_str::<Count>("3.0")?, Count(3));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! deserialize {
    ($name:ident) => {
        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::wire::deserialize(deserializer)
            }
        }
    };
}

/// Implements reading and writing of a tuple struct with one field, as its field.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Tree(Vec<Tree>);
/// capgen::newtype!(Tree);
/// assert_eq!(serde_json::from_str::<Tree>("[[]]")?, Tree(vec![Tree(vec![])]));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! newtype {
    ($name:ident) => {
        impl $crate::wire::Read for $name {
            fn read(value: ::serde_json::Value) -> ::core::result::Result<Self, $crate::wire::Error> {
                $crate::wire::Read::read(value).map(Self)
            }
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.0, serializer)
            }
        }
        $crate::deserialize!($name);
    };
}

/// Implements reading and writing of an enum of strings, `Display` and `FromStr`, by its `all` and `as_str`.
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
    ($name:ident) => {
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.as_str())
            }
        }
        impl ::core::str::FromStr for $name {
            type Err = $crate::wire::Error;
            fn from_str(text: &str) -> ::core::result::Result<Self, $crate::wire::Error> {
                $crate::wire::find_name(text, Self::all(), Self::as_str)
            }
        }
        impl $crate::wire::Read for $name {
            fn read(value: ::serde_json::Value) -> ::core::result::Result<Self, $crate::wire::Error> {
                $crate::wire::read_name(value, Self::all(), Self::as_str)
            }
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        $crate::deserialize!($name);
    };
}

/// Implements reading and writing of an enum of any JSON values, by its `all` and `as_json`.
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
    ($name:ident) => {
        impl $crate::wire::Read for $name {
            fn read(value: ::serde_json::Value) -> ::core::result::Result<Self, $crate::wire::Error> {
                $crate::wire::read_member(value, Self::all(), Self::as_json)
            }
        }
        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::wire::write_member(self.as_json(), serializer)
            }
        }
        $crate::deserialize!($name);
    };
}
