//! Any CBOR value as JSON that humans and scripts can read.

use serde_json::{Map as Object, Value as Json, json};

use super::{Float, Map, Value};

impl Value {
    /// A view of any value as JSON. Values that JSON cannot represent are objects with one key:
    ///
    /// | value | view |
    /// |---|---|
    /// | byte string | `{"$hex": "00ff"}` |
    /// | integer outside -2^63 to 2^64 - 1 | `{"$int": "-18446744073709551616"}` |
    /// | NaN, infinities | `{"$float": "NaN"}`, `"Infinity"`, `"-Infinity"` |
    /// | undefined | `{"$undefined": true}` |
    /// | simple value | `{"$simple": 32}` |
    /// | tag | `{"$tag": [0, "2026-02-07T00:00:00Z"]}` |
    /// | map with a key that is not text, or begins with `$` | `{"$map": [[1, "one"]]}` |
    ///
    /// The keys of objects are sorted. No other map looks like one of these views (decision 21). The view is for
    /// reading; no value is read back from it.
    #[must_use]
    pub fn to_diagnostic(&self) -> Json {
        match self {
            Self::Bytes(bytes) => json!({ "$hex": hex::encode(bytes) }),
            Self::Array(elements) => Json::Array(elements.iter().map(Self::to_diagnostic).collect()),
            Self::Map(map) => view_of_map(map),
            Self::Tag(tag, content) => json!({ "$tag": [tag, content.to_diagnostic()] }),
            Self::Undefined => json!({ "$undefined": true }),
            Self::Simple(number) => json!({ "$simple": number }),
            Self::Unsigned(_) | Self::Text(_) | Self::Bool(_) | Self::Null => self.to_json().unwrap_or_default(),
            Self::Negative(number) => {
                self.to_json().unwrap_or_else(|_| json!({ "$int": (-1 - i128::from(*number)).to_string() }))
            }
            Self::Float(number) => self.to_json().unwrap_or_else(|_| json!({ "$float": name(*number) })),
        }
    }
}

fn view_of_map(map: &Map) -> Json {
    let is_plain = |key: &&str| !key.starts_with('$');
    let members = map.iter();
    let members = members.map(|(key, value)| Some((key.as_text().filter(is_plain)?.to_owned(), value.to_diagnostic())));
    let entries = || map.iter().map(|(key, value)| json!([key.to_diagnostic(), value.to_diagnostic()])).collect();
    match members.collect::<Option<Object<_, _>>>() {
        Some(mut members) => {
            // `serde_json` sorts keys anyway, unless some crate of the build enables its feature `preserve_order`.
            members.sort_keys();
            Json::Object(members)
        }
        None => json!({ "$map": Json::Array(entries()) }),
    }
}

/// The name of a number that JSON does not have.
fn name(number: Float) -> &'static str {
    match number.get() {
        number if number.is_nan() => "NaN",
        number if number > 0.0 => "Infinity",
        _ => "-Infinity",
    }
}
