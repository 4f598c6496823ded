//! `format`: the assertions of the supported formats.

#[macro_use]
mod parts;

mod duration;
mod email;
mod equivalent;
mod hostname;
pub(crate) mod pattern;
mod template;
mod usual;

pub(crate) use equivalent::{Equivalent, equivalent};
pub(crate) use hostname::MAX_HOSTNAME;
pub(crate) use usual::usual;

use crate::Format;
use email::Charset;

impl Format {
    /// Whether `text` conforms to this format. Takes time linear in its length.
    ///
    /// ```
    /// use capgen_schema::Format;
    /// assert!(Format::DateTime.accepts("1998-12-31T23:59:60Z"));
    /// assert!(!Format::Uri.accepts("/relative"));
    /// ```
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Format::Uuid => is_uuid(text),
            Format::Email => email::is_mailbox(text, Charset::Ascii),
            Format::Uri => fluent_uri::Uri::parse(text).is_ok(),
            Format::UriReference => fluent_uri::UriRef::parse(text).is_ok(),
            Format::DateTime => text.parse::<capgen_time::Timestamp>().is_ok(),
            Format::Date => text.parse::<capgen_time::Date>().is_ok(),
            Format::Time => capgen_time::is_time(text),
            Format::Duration => duration::is_duration(text),
            Format::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
            Format::Hostname => hostname::is_hostname(text),
            Format::IdnEmail => email::is_mailbox(text, Charset::Unicode),
            Format::Iri => fluent_uri::Iri::parse(text).is_ok(),
            Format::UriTemplate => template::is_uri_template(text),
            Format::JsonPointer => is_json_pointer(text),
            Format::Regex => crate::pattern::is_syntax(text),
        }
    }
}

/// The formats that a draft of JSON Schema defines.
const STANDARD: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Whether a draft of JSON Schema defines a format, so that validators may check it.
///
/// An `x-format` with such a name stays as it is in exports: as `format` it would reject values that the contract
/// accepts.
///
/// ```
/// assert!(capgen_schema::is_standard_format("time") && !capgen_schema::is_standard_format("snowflake"));
/// ```
pub fn is_standard_format(name: &str) -> bool {
    STANDARD.contains(&name)
}

/// 8-4-4-4-12 hexadecimal digits in upper or lower case. JSON Schema asks for the syntax only, so every version and
/// variant is accepted.
fn is_uuid(text: &str) -> bool {
    let is_valid = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.bytes().enumerate().all(is_valid)
}

/// Empty, or a `/` before each token, in which `~` is escaped: [RFC 6901 section
/// 3](https://www.rfc-editor.org/rfc/rfc6901#section-3).
fn is_json_pointer(text: &str) -> bool {
    let is_escape = |after: &str| after.starts_with(['0', '1']);
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(is_escape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, accepted: &[&str], rejected: &[&str]) {
        for text in accepted {
            assert!(format.accepts(text), "{text:?} is a valid {}", format.name());
        }
        for text in rejected {
            assert!(!format.accepts(text), "{text:?} is not a valid {}", format.name());
        }
    }

    #[test]
    fn uuids_have_32_hex_digits_and_4_hyphens() {
        check(
            Format::Uuid,
            &[
                "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
                "00000000-0000-0000-0000-000000000000",
                "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
            ],
            &[
                "",
                "2eb8aa08aa9811eab4aa73b441d16380",
                "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                "2eb8aa08-aa98-11ea-b4aa73b441d16380-",
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638é",
                "2eb8aa08-aa98-11ea-b4aa-73b441d16380\n",
            ],
        );
    }

    #[test]
    fn uris_have_a_scheme_and_are_ascii() {
        check(
            Format::Uri,
            &["http://a/b?c#d", "urn:x:y", "mailto:a@b", "http://[::1]:80/", "a:", "http://a/%7E"],
            &[
                "",
                "a",
                "//a/b",
                "http://a/ b",
                "http://a/%zz",
                "http://é/",
                "http://[::1",
                "http://a:x/",
                "1a:b",
                "\n",
                "http://a/\u{0}",
            ],
        );
    }

    #[test]
    fn uri_references_may_be_relative() {
        check(
            Format::UriReference,
            &["", "a", "/a/b", "//a/b", "?x", "#f", "http://a", "./a:b"],
            &["\\\\a\\b", "a b", "#a#b", "1a:b", "%", "é"],
        );
    }
}
