//! Patterns of texts that most programs accept for a format.
//!
//! A format often allows more than the types of libraries do: the year 0000, a lower-case `t`, a host without a dot,
//! leap seconds. Examples therefore have such a text if the schema allows one.

use crate::Format;

macro_rules! year {
    () => {
        "(?:19[7-9]|20[0-3])[0-9]"
    };
}
/// Without leap seconds.
macro_rules! seconds {
    () => {
        "[0-9]{2}:[0-9]{2}:[0-5][0-9](?:\\.[0-9]{1,6})?"
    };
}

/// A pattern of texts that most programs accept. A text that matches need not conform to the format.
///
/// Times are UTC from 1970 to 2039, because some programs count seconds in 32 bits. Names of hosts and addresses are
/// those reserved for documentation ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606), [RFC
/// 5737](https://www.rfc-editor.org/rfc/rfc5737), [RFC 3849](https://www.rfc-editor.org/rfc/rfc3849)), so that an
/// example reaches no one. A UUID has the bits of version 4, which strict parsers check.
pub(crate) const fn usual(format: Format) -> &'static str {
    match format {
        Format::Uuid => "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$",
        Format::Email | Format::IdnEmail => "^[a-z0-9]+(?:\\.[a-z0-9]+)*@example\\.com$",
        Format::Uri | Format::UriReference | Format::Iri => "^https://example\\.com/[a-z0-9/]*$",
        Format::DateTime => concat!("^", year!(), "-[0-9]{2}-[0-9]{2}T", seconds!(), "Z$"),
        Format::Date => concat!("^", year!(), "-[0-9]{2}-[0-9]{2}$"),
        Format::Time => concat!("^", seconds!(), "Z$"),
        Format::Duration => "^P(?:[0-9]+D)?(?:T(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?$",
        Format::Ipv4 => "^192\\.0\\.2\\.[1-9][0-9]{0,2}$",
        Format::Ipv6 => "^2001:db8::[1-9][0-9a-f]{0,3}$",
        Format::Hostname => "^(?:[a-z0-9]+\\.)*example\\.com$",
        Format::UriTemplate => "^/[a-z/]*\\{[a-z]+\\}$",
        Format::JsonPointer => "^(?:/[a-z0-9]+)+$",
        Format::Regex => "^[a-z]+$",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExampleSettings, Schema, examples};

    fn first(schema: &str) -> String {
        let schema = Schema::parse_text(schema).unwrap();
        let found = examples(&schema, ExampleSettings { count: Some(1), ..ExampleSettings::default() }).unwrap();
        found.first().unwrap().canonical()
    }

    #[test]
    fn examples_of_formats_are_texts_that_programs_accept() {
        let found = Format::ALL.map(|format| {
            let text = first(&format!(r#"{{"type": "string", "format": "{}"}}"#, format.name()));
            (format.name(), text)
        });
        let expected = [
            ("uuid", "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"),
            ("email", "a@example.com"),
            ("uri", "https://example.com/"),
            ("uri-reference", "https://example.com/"),
            ("date-time", "1970-01-01T00:00:00Z"),
            ("date", "1970-01-01"),
            ("time", "00:00:00Z"),
            ("duration", "P0D"),
            ("ipv4", "192.0.2.1"),
            ("ipv6", "2001:db8::1"),
            ("hostname", "example.com"),
            ("idn-email", "a@example.com"),
            ("iri", "https://example.com/"),
            ("uri-template", "/{a}"),
            ("json-pointer", "/a"),
            ("regex", "a"),
        ];
        assert_eq!(found.each_ref().map(|(name, text)| (*name, text.trim_matches('"'))), expected);
    }

    #[test]
    fn other_texts_are_found_if_the_schema_allows_no_usual_one() {
        let long_ago = r#"{"type": "string", "format": "date", "pattern": "^18"}"#;
        assert_eq!(first(long_ago), "\"1800-01-01\"");
        assert_eq!(first(r#"{"type": "string", "format": "email", "maxLength": 5}"#), "\"a@a\"");
        let two =
            r#"{"type": "array", "items": {"format": "ipv4", "type": "string"}, "minItems": 2, "uniqueItems": true}"#;
        assert_eq!(first(two), "[\"192.0.2.1\",\"192.0.2.2\"]");
    }
}
