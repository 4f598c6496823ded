//! The names, texts, numbers and patterns of random schemas and payloads.

use capgen_schema::Format;

/// Common names: few, so that the branches of a union often share them.
pub(super) const NAMES: [&str; 8] = ["a", "b", "c", "kind", "value", "next", "id", "x"];

/// Names that are hard for some language or format: inherited in JavaScript, keywords, escaped in JSON or in JSON
/// Pointers, colliding as identifiers, or not identifiers at all.
pub(super) const ODD_NAMES: [&str; 42] = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "prototype",
    "length",
    "then",
    "",
    " ",
    "a/b~c",
    "~1",
    "~01",
    "/",
    "é",
    "e\u{301}",
    "😀",
    "10",
    "2",
    "-1",
    "0",
    "a b",
    "a-b",
    "a_b",
    "aB",
    "A",
    "type",
    "fn",
    "self",
    "Self",
    "crate",
    "async",
    "class",
    "default",
    "enum",
    "$ref",
    "properties",
    "say \"hi\"",
    "it's `${x}`",
    "\\",
    "line\nbreak",
    "\u{2028}\u{0}",
];

/// Texts with lengths near typical bounds, and texts that look like other JSON values.
pub(super) const TEXTS: [&str; 28] = [
    "",
    "a",
    "b",
    "ab",
    "aaa",
    "abcd",
    "aab",
    "abc",
    "é",
    "😀",
    "a😀",
    "😀😀",
    "😀😀😀",
    "\u{0}",
    "\u{2028}",
    "a/b",
    "~",
    "1",
    "1.0",
    "true",
    "null",
    "constructor",
    "__proto__",
    "x\n",
    "\n",
    " ",
    "A",
    "x1",
];

/// Patterns, each with texts that match it. [`TEXTS`] provide the texts that do not.
pub(super) const PATTERNS: [(&str, &[&str]); 22] = [
    ("^a+$", &["a", "aaa"]),
    ("b", &["b", "abc", "😀b"]),
    ("^.$", &["a", "😀", "é"]),
    ("^[^a]*$", &["", "b😀", "\n"]),
    (r"\d", &["1", "a7"]),
    (r"^\d{3}-\d{4}$", &["123-4567"]),
    (r"^\p{L}*$", &["", "é", "abc"]),
    ("/", &["a/b"]),
    ("", &["", "x"]),
    (r"^(?:x|😀)+", &["x", "😀😀"]),
    (r"^(?!a)", &["", "b", "ba"]),
    (r"^(?=.*\d)(?=.*[a-z]).{2,}$", &["a1", "1a😀"]),
    (r"(?<=x)1", &["x1"]),
    (r"(?<!x)1$", &["1", "a1"]),
    (r"^\w+$", &["a_1", "Z"]),
    (r"^\S*$", &["", "a", "😀"]),
    (r"\bab\b", &["ab", "ab c"]),
    (r"^[\u{1F600}-\u{1F64F}]?$", &["", "😀"]),
    ("^[a-c]{2,3}$", &["ab", "abc"]),
    (r"^\$\{`\\$", &["${`\\"]),
    ("\"", &["\""]),
    (r"^\W|\D{2}$", &["-", "ab"]),
];

/// Texts that are valid in a format, and texts that are almost valid.
pub(super) fn texts_of(format: Format) -> (&'static [&'static str], &'static [&'static str]) {
    match format {
        Format::Uuid => (
            &["2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
            &[
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                "2eb8aa08aa9811eab4aa73b441d16380",
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
            ],
        ),
        Format::Email => (
            &["joe@example.com", "j.b+c@x-y.de", "\"a b\"@example.com", "joe@[127.0.0.1]"],
            &["@", "joe", "joe@", "joe..b@example.com", ".joe@example.com", "joe@[127.0.0.256]", "joe@-a.com"],
        ),
        Format::Uri => (
            &["http://a/b?c#d", "urn:x", "https://u@h:80/%7e", "ftp://[::1]/"],
            &["//[::1]:80/%7e", "http://[1::2::3]/", "1a:b", "http://a b", "%zz", "a\\b:c"],
        ),
        Format::UriReference => (
            &["", "/a/b", "?q", "#f", "//[::1]:80/%7e", "./a:b", "http://a/"],
            &["%zz", "http://[1::2::3]/", "a b", "\\"],
        ),
        Format::DateTime => (
            &["1998-12-31T23:59:59Z", "2020-02-29T00:00:00+23:59", "1985-04-12T23:20:50.52Z"],
            &[
                "1998-12-31T23:58:60Z",
                "2021-13-01T00:00:00Z",
                "2021-02-29T00:00:00Z",
                "2021-02-28 00:00:00Z",
                "2021-02-28",
            ],
        ),
        Format::Date => {
            (&["2020-02-29", "0000-01-31", "9999-12-31"], &["2021-02-29", "2021-13-01", "2021-1-01", "1900-02-29"])
        }
        Format::Time => (
            &["23:59:60Z", "12:00:00.5+23:59", "15:59:60-08:00", "00:00:00z"],
            &["23:58:60Z", "12:00:00", "24:00:00Z", "12:00:00.Z", "12:00Z"],
        ),
        Format::Duration => {
            (&["P1Y2M3DT4H5M6S", "PT0S", "P2W"], &["P", "P1YT", "P1Y2D", "PT1.5S", "-P1D", "P1W1D", "p1d"])
        }
        Format::Ipv4 => (&["0.0.0.0", "127.0.0.255"], &["127.0.0.256", "127.0.0.01", "127.0.0", "1.2.3.4.5"]),
        Format::Ipv6 => (
            &["::", "::1", "1:2:3:4:5:6:7::", "::ffff:1.2.3.4"],
            &["1::2::3", ":::", "12345::", "::1.2.3.04", "fe80::1%eth0", "1:2:3:4:5:6:7"],
        ),
        Format::Hostname => (&["a", "www.example.com", "1-2.xn--x"], &["", "a.", ".a", "-a", "a_b", "exämple"]),
        Format::IdnEmail => {
            (&["δ@ö.example", "\"é @\"@a", "joe@[127.0.0.1]"], &["é", "é@", "@é", "é b@c", "é@-é", "é@[1]"])
        }
        Format::Iri => (
            &["http://ö/é?\u{e000}#é", "urn:x", "a://[::1]/%7e"],
            &["é:b", "//ö/", "http://a/\u{e000}", "a://[é]/", "http://ö b", "a:%é"],
        ),
        Format::UriTemplate => {
            (&["", "a/{b}", "{+a,b:3,c*}", "é{?%41}"], &["{", "}", "{}", "{a", "{a:0}", "{a..b}", "a b"])
        }
        Format::JsonPointer => (&["", "/", "/a~0/~1", "/é//0"], &["a", "/~", "/~2", "#/a"]),
        Format::Regex => (
            &["", "^(a|b)*$", r"(?<n>a)\k<n>", r"[\d-]\p{L}", "a{2,3}?"],
            &["(", "[", "*", "a{3,2}", r"\a", r"(a)\2", "(?<n>)(?<n>)", "[z-a]", "(?=a)*"],
        ),
    }
}

/// Numbers in the domain on which all languages agree.
pub(super) const NUMBERS: [&str; 26] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "10",
    "100",
    "-1",
    "-5",
    "1.5",
    "0.5",
    "0.1",
    "-0.1",
    "2.5",
    "9007199254740991",
    "-9007199254740991",
    "9007199254740990",
    "1e21",
    "1.5e21",
    "1e300",
    "1e308",
    "-1.7976931348623157e308",
    "5e-324",
    "1e-7",
    "0.30000000000000004",
    "4503599627370495.5",
];

/// Values of `multipleOf`, each with numbers of which some are multiples. Division of binary64s is wrong about several.
pub(super) const DIVISORS: [(&str, &[&str]); 12] = [
    ("1", &["3", "2.5", "-0.0", "1e300"]),
    ("2", &["4", "-6", "7", "9007199254740990", "9007199254740991", "1e300"]),
    ("5", &["15", "-10", "7", "1e300", "9223372036854775805"]),
    ("7", &["0", "21.0", "-7", "1e300", "22"]),
    ("0.1", &["0.3", "0.7", "-1.1", "0.25", "1e300", "4"]),
    ("0.01", &["4.35", "19.99", "1.005", "1e21", "-3"]),
    ("2.5", &["7.5", "7", "-2.5", "10"]),
    ("1e-7", &["3e-7", "1", "1.5e-7", "1e21"]),
    ("1e300", &["3e300", "1e299", "0"]),
    ("0.123456789", &["0.246913578", "1e308", "123456789"]),
    ("9007199254740993", &["9007199254740993", "9007199254740992", "18014398509481986", "0"]),
    ("0.10000000000000000555", &["0.1", "0", "1"]),
];

/// Numbers for schemas that some parsers round. Random payloads are near them.
pub(super) const ODD_NUMBERS: [&str; 16] = [
    "0.10000000000000000555",
    "0.09999999999999999999999",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "9007199254740990.5",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    "-0.3000000000000000444",
    "1152921504606846976",
    "1152921504606847000",
];
