//! Building and measuring JSON.

use std::fmt::{self, Write as _};

use capgen_schema::{Json, Number, Object};

/// An object of members whose names differ.
pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A string.
pub(crate) fn string(text: impl Into<String>) -> Json {
    Json::String(text.into())
}

/// An object without members.
pub(crate) fn empty() -> Json {
    Json::Object(Object::new())
}

/// An integer.
pub(crate) fn integer(number: i64) -> Json {
    Json::Number(Number::from(number))
}

/// The length of the text of a value on one line, in bytes.
pub(crate) fn length(value: &Json) -> usize {
    let mut length = Length(0);
    // Counting does not fail.
    let _ = write!(length, "{value}");
    length.0
}

/// Counts bytes.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_texts() {
        for source in ["null", "[true,false]", r#"{"b":1.5,"a":[{},"\"\n\u0001é"]}"#, "123456789012345678901234567890"]
        {
            let value: Json = source.parse().unwrap();
            assert_eq!((length(&value), value.to_string().as_str()), (source.len(), source));
        }
    }
}
