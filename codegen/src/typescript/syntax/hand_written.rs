//! Declarations whose text is written by hand, in TypeScript.

use std::borrow::Cow;

/// The lines of a function or constant. Their types are between `«` and `»`.
pub(in crate::typescript) struct HandWritten(pub(in crate::typescript) Vec<Cow<'static, str>>);
