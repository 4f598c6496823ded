//! The known defects of oracles, each with the sentence of the specification that proves it. `docs/agreement.md` has
//! the same list.

use std::collections::BTreeSet;

use capgen_schema::{Assertions, Format, Json, Kind, Number, Schema};
use capgen_tests::agreement::{Answer, domain};

/// A deviation of an oracle from the specification.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// The name of the defect in the documentation.
    pub id: &'static str,
    /// The oracles with this defect.
    pub oracles: &'static [&'static str],
    /// The behaviour of these oracles.
    pub does: &'static str,
    /// The sentence of the specification, with its source.
    pub sentence: &'static str,
    /// Whether the defect can be the reason for a wrong answer.
    applies: fn(&Case) -> bool,
}

/// A wrong answer of an oracle.
struct Case<'a> {
    schema: &'a Schema,
    payload: &'a str,
    answer: &'a Answer,
}

/// Every known defect.
pub const DEFECTS: &[Defect] = &[
    Defect {
        id: "no-look-around",
        oracles: &["boon"],
        does: "rejects a schema whose `pattern` has look-around",
        sentence: "\"This string SHOULD be a valid regular expression, according to the ECMA 262 regular expression dialect.\" (validation, 6.3.3)",
        applies: |case| case.rejects_schema("look-around, including look-ahead and look-behind, is not supported"),
    },
    Defect {
        id: "rounded-numbers",
        oracles: &["boon", "jsonschema", "ajv", "hyperjump"],
        does: "compares numbers as binary64, so that different numbers can become equal",
        sentence: "\"If the instance is a number, then this keyword validates only if the instance is less than or exactly equal to 'maximum'.\" (validation, 6.2.2)",
        applies: |case| case.has_numbers_that_round_to_one(),
    },
    Defect {
        id: "rounded-quotients",
        oracles: &["boon", "jsonschema", "ajv", "hyperjump"],
        does: "divides binary64s for `multipleOf`, and the quotient is rounded or compared with a tolerance",
        sentence: "\"A numeric instance is valid only if division by this keyword's value results in an integer.\" (validation, 6.2.1)",
        applies: |case| case.has_rounded_quotient(),
    },
    Defect {
        id: "quoted-local-part",
        oracles: &["ajv"],
        does: "rejects an email address whose local part is a quoted string",
        sentence: "\"Local-part = Dot-string / Quoted-string\" (RFC 5321, 4.1.2)",
        applies: |case| case.has_text(Format::Email, |text| text.starts_with('"')),
    },
    Defect {
        id: "address-literal",
        oracles: &["ajv"],
        does: "rejects an email address with an address literal, such as `[127.0.0.1]`",
        sentence: "\"Mailbox = Local-part \"@\" ( Domain / address-literal )\" (RFC 5321, 4.1.2)",
        applies: |case| case.has_text(Format::Email, |text| text.contains("@[")),
    },
    Defect {
        id: "domain-of-one-label",
        oracles: &["ajv"],
        does: "rejects an email address whose domain has no dot, such as `a@localhost`",
        sentence: "\"Domain = sub-domain *(\".\" sub-domain)\" (RFC 5321, 4.1.2)",
        applies: |case| {
            let has_one_label = |text: &str| text.rsplit_once('@').is_some_and(|(_, domain)| !domain.contains('.'));
            case.has_text(Format::Email, has_one_label)
        },
    },
    Defect {
        id: "leading-zeros-in-address",
        oracles: &["boon", "jsonschema", "hyperjump"],
        does: "rejects an email address with leading zeros in its address literal, such as `[127.0.01.1]`",
        sentence: "\"Snum = 1*3DIGIT\" (RFC 5321, 4.1.3)",
        applies: |case| {
            case.has_text(Format::Email, |text| {
                let address = text.rsplit_once("@[").map_or("", |(_, address)| address);
                let parts = address.split(['.', ':', ']']);
                address.contains('.') && parts.into_iter().any(|part| part.len() > 1 && part.starts_with('0'))
            })
        },
    },
    Defect {
        id: "control-characters-in-quotes",
        oracles: &["boon"],
        does: "accepts control characters and characters beyond ASCII in the quoted local part of an email address",
        sentence: "\"qtextSMTP = %d32-33 / %d35-91 / %d93-126\" (RFC 5321, 4.1.2)",
        applies: |case| {
            case.has_text(Format::Email, |text| {
                text.starts_with('"') && text.contains(|c: char| c.is_ascii_control() || !c.is_ascii())
            })
        },
    },
    Defect {
        id: "year-without-digits",
        oracles: &["jsonschema"],
        does: "accepts a date-time whose year contains a character that is not a digit, such as `/998`",
        sentence: "\"date-fullyear = 4DIGIT\" (RFC 3339, 5.6)",
        applies: |case| case.has_text(Format::DateTime, |text| text.bytes().take(4).any(|byte| !byte.is_ascii_digit())),
    },
    Defect {
        id: "offset-without-colon",
        oracles: &["ajv"],
        does: "accepts a date-time whose offset has no colon, such as `+2359`",
        sentence: "\"time-numoffset = (\"+\" / \"-\") time-hour \":\" time-minute\" (RFC 3339, 5.6)",
        applies: |case| {
            case.has_text(Format::DateTime, |text| {
                let offset = text.rsplit_once(['+', '-']).map_or("", |(_, offset)| offset);
                offset.len() == 4 && offset.bytes().all(|byte| byte.is_ascii_digit())
            })
        },
    },
    Defect {
        id: "space-instead-of-t",
        oracles: &["ajv"],
        does: "accepts a date-time with white space instead of `T`",
        sentence: "\"date-time = full-date \"T\" full-time\" (RFC 3339, 5.6)",
        applies: |case| case.has_text(Format::DateTime, |text| text.chars().nth(10).is_some_and(char::is_whitespace)),
    },
    Defect {
        id: "colon-in-first-segment",
        oracles: &["ajv"],
        does: "accepts a relative reference with a colon in its first segment",
        sentence: "\"A path segment that contains a colon character (e.g., \"this:that\") cannot be used as the first segment of a relative-path reference\" (RFC 3986, 4.2)",
        applies: |case| {
            case.has_text(Format::UriReference, |text| {
                let first = text.split(['/', '?', '#']).next().unwrap_or_default();
                first.split_once(':').is_some_and(|(scheme, _)| !is_scheme(scheme))
            })
        },
    },
    Defect {
        id: "empty-path",
        oracles: &["ajv"],
        does: "rejects a URI that ends after the colon of its scheme",
        sentence: "\"hier-part = \"//\" authority path-abempty / path-absolute / path-rootless / path-empty\" (RFC 3986, 3)",
        applies: |case| {
            let ends = |text: &str| {
                text.split_once(':').is_some_and(|(scheme, rest)| {
                    is_scheme(scheme) && (rest.is_empty() || rest.starts_with(['?', '#']))
                })
            };
            case.has_text(Format::Uri, ends) || case.has_text(Format::UriReference, ends)
        },
    },
    Defect {
        id: "port-of-letters",
        oracles: &["ajv"],
        does: "accepts a URI whose port is not a number",
        sentence: "\"port = *DIGIT\" (RFC 3986, 3.2.3)",
        applies: |case| {
            case.has_text(Format::Uri, has_invalid_port) || case.has_text(Format::UriReference, has_invalid_port)
        },
    },
    Defect {
        id: "authority-after-one-slash",
        oracles: &["ajv"],
        does: "reads the text after one slash as an authority, so that brackets are accepted there",
        sentence: "\"path-absolute = \"/\" [ segment-nz *( \"/\" segment ) ]\" (RFC 3986, 3.3)",
        applies: |case| {
            let has_brackets = |text: &str| {
                let rest = text.split_once(':').filter(|(scheme, _)| is_scheme(scheme)).map_or(text, |(_, rest)| rest);
                let path = rest.strip_prefix('/').filter(|path| !path.starts_with('/'));
                path.is_some_and(|path| path.contains(['[', ']']))
            };
            case.has_text(Format::Uri, has_brackets) || case.has_text(Format::UriReference, has_brackets)
        },
    },
    Defect {
        id: "two-at-signs",
        oracles: &["ajv"],
        does: "accepts a URI whose user information contains `@`",
        sentence: "\"userinfo = *( unreserved / pct-encoded / sub-delims / \":\" )\" (RFC 3986, 3.2.1)",
        applies: |case| {
            let has_two = |text: &str| authority(text).is_some_and(|authority| authority.matches('@').count() > 1);
            case.has_text(Format::Uri, has_two) || case.has_text(Format::UriReference, has_two)
        },
    },
    Defect {
        id: "domain-with-a-final-dot",
        oracles: &["boon"],
        does: "accepts an email address whose domain ends with a dot",
        sentence: "\"Domain = sub-domain *(\".\" sub-domain)\" (RFC 5321, 4.1.2)",
        applies: |case| case.has_text(Format::Email, |text| text.ends_with('.')),
    },
    Defect {
        id: "other-formats",
        oracles: &["boon", "jsonschema", "ajv", "hyperjump"],
        does: "checks the formats other than `uuid`, `email`, `uri`, `uri-reference` and `date-time` by rules of its own, or not at all",
        sentence: "\"Implementations MAY support the \"format\" keyword.\" (validation, 7.2)",
        applies: |case| {
            use Format::{DateTime, Email, Uri, UriReference, Uuid};
            let is_compared = |format: &Format| matches!(format, Uuid | Email | Uri | UriReference | DateTime);
            Format::ALL.iter().filter(|format| !is_compared(format)).any(|format| case.has_text(*format, |_| true))
        },
    },
    Defect {
        id: "unicode-word-boundary",
        oracles: &["boon", "jsonschema"],
        does: "treats letters beyond ASCII as word characters for `\\b`",
        sentence: "\"Let basicWordChars be the CharSet containing every character in the ASCII word characters.\" (ECMA-262, 22.2.2.9.3)",
        applies: |case| {
            let is_beyond = |text: &String| text.chars().any(|c| c.is_alphanumeric() && !c.is_ascii());
            let has_boundary = |pattern: &str| pattern.contains(r"\b") || pattern.contains(r"\B");
            case.patterns().any(has_boundary) && case.texts().iter().any(is_beyond)
        },
    },
    Defect {
        id: "line-separators-are-space",
        oracles: &["boon"],
        does: "does not treat line separators as white space for `\\s`",
        sentence: "\"Return the CharSet containing all characters corresponding to a code point on the right-hand side of the WhiteSpace or LineTerminator productions.\" (ECMA-262, 22.2.2.9)",
        applies: |case| {
            let has_space = |pattern: &str| pattern.contains(r"\s") || pattern.contains(r"\S");
            case.patterns().any(has_space) && case.texts().iter().any(|text| text.contains(['\u{2028}', '\u{2029}']))
        },
    },
    Defect {
        id: "dot-at-line-ends",
        oracles: &["boon", "jsonschema"],
        does: "lets `.` match line terminators other than a line feed",
        sentence: "\"LineTerminator :: <LF> <CR> <LS> <PS>\" (ECMA-262, 12.3), none of which is in the set of `.` (22.2.2.7)",
        applies: |case| {
            let is_end = |text: &String| text.contains(['\r', '\u{2028}', '\u{2029}']);
            case.patterns().any(|pattern| pattern.contains('.')) && case.texts().iter().any(is_end)
        },
    },
    Defect {
        id: "empty-name-not-required",
        oracles: &["ajv"],
        does: "does not require a property whose name is empty",
        sentence: "\"An object instance is valid against this keyword if every item in the array is the name of a property in the instance.\" (validation, 6.5.3)",
        applies: |case| case.groups().any(|group| group.required.iter().any(String::is_empty)),
    },
    Defect {
        id: "unencoded-references",
        oracles: &["boon", "jsonschema", "hyperjump"],
        does: "rejects a `$ref` that is not percent-encoded, which capgen accepts",
        sentence: "\"The value of the \"$ref\" property MUST be a URI Reference.\" (core, 8.3): here the oracles are correct, and capgen is lenient",
        applies: |case| {
            let rejects = ["uri-reference", "Invalid Schema"].iter().any(|words| case.rejects_schema(words));
            rejects && case.has_unencoded_reference()
        },
    },
    Defect {
        id: "ignored-proto",
        oracles: &["ajv"],
        does: "ignores a declared property `__proto__`",
        sentence: "\"Validation succeeds if, for each name that appears in both the instance and as a name within this keyword's value, the child instance for that name successfully validates against the corresponding schema.\" (validation, 6.5.4)",
        applies: |case| {
            let declares = |group: &Assertions| group.properties.iter().any(|(name, _)| name == "__proto__");
            case.payload.contains("\"__proto__\":") && case.groups().any(declares)
        },
    },
    Defect {
        id: "proto-among-items",
        oracles: &["ajv"],
        does: "does not see that the string `__proto__` occurs twice in an array of strings with `uniqueItems`",
        sentence: "\"If it has boolean value true, the instance validates successfully if all of its elements are unique.\" (validation, 6.4.3)",
        applies: |case| {
            case.groups().any(|group| group.unique_items) && case.payload.matches("\"__proto__\"").count() > 1
        },
    },
    Defect {
        id: "members-taken-for-methods",
        oracles: &["ajv"],
        does: "compares objects with a member `constructor`, `toString` or `valueOf` by calling that member, or by reference",
        sentence: "\"both are objects, and each property in one has exactly one property with a key equal to the other's, and that other property has an equal value\" (core, 4.2.3)",
        applies: |case| {
            let names = ["\"constructor\":", "\"toString\":", "\"valueOf\":"];
            let compares =
                |group: &Assertions| group.unique_items || group.const_value.is_some() || group.enum_values.is_some();
            case.groups().any(compares)
                && names.iter().any(|name| case.payload.contains(name) || case.values().contains(name))
        },
    },
    Defect {
        id: "references-in-latin-1",
        oracles: &["hyperjump"],
        does: "does not find a definition with characters beyond ASCII in its name, if the reference is percent-encoded",
        sentence: "\"A JSON Pointer can be represented in a URI fragment identifier by encoding it into octets using the UTF-8 encoding\" (RFC 6901, 6)",
        applies: |case| {
            case.rejects_schema("No schema found at")
                && case.schema.definitions().iter().any(|(name, _)| !name.is_ascii())
        },
    },
    Defect {
        id: "references-in-values",
        oracles: &["hyperjump"],
        does: "treats a member `$ref` of an object in `const` or `enum` as a reference",
        sentence: "\"The value of this keyword MAY be of any type, including null.\" (validation, 6.1.3)",
        applies: |case| case.values().contains("\"$ref\":"),
    },
];

/// The defect that explains a wrong answer.
pub fn excuse(oracle: &str, schema: &Schema, payload: &str, answer: &Answer) -> Option<&'static str> {
    let case = Case { schema, payload, answer };
    DEFECTS.iter().find(|d| d.oracles.contains(&oracle) && (d.applies)(&case)).map(|defect| defect.id)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The authority of a URI reference.
fn authority(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("//")?;
    rest.split(['/', '?', '#']).next()
}

/// Whether the text after the colon of the host is not a port.
fn has_invalid_port(text: &str) -> bool {
    let Some(authority) = authority(text) else { return false };
    let host = authority.rsplit('@').next().unwrap_or_default();
    // The colons of an address in brackets are not before a port.
    let host = host.rsplit(']').next().unwrap_or_default();
    host.split_once(':').is_some_and(|(_, port)| !port.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Case<'_> {
    /// Whether the oracle rejected the schema with an error that contains these words.
    fn rejects_schema(&self, words: &str) -> bool {
        self.answer.trouble.as_ref().is_some_and(|error| error.contains(words))
    }

    /// Whether the payload contains such a text and the schema the format. The oracle's verdict may be either, because
    /// a format can occur below `not`.
    fn has_text(&self, format: Format, is_such: impl Fn(&str) -> bool) -> bool {
        self.answer.trouble.is_none()
            && self.groups().any(|group| group.format == Some(format))
            && self.texts().iter().any(|text| is_such(text))
    }

    /// Whether the payload has a number that binary64 cannot represent, or two numbers of the payload and the schema
    /// round to one.
    fn has_numbers_that_round_to_one(&self) -> bool {
        let payload: Vec<Number> = domain::numbers(self.payload).iter().filter_map(|n| n.parse().ok()).collect();
        let source = self.schema.source().canonical();
        let schema: Vec<Number> = domain::numbers(&source).iter().filter_map(|n| n.parse().ok()).collect();
        let meets = |n: &Number, other: &Number| n != other && n.as_f64() == other.as_f64();
        let is_rounded = domain::numbers(self.payload).iter().any(|text| Number::is_rounded_text(text));
        self.answer.trouble.is_none()
            && (is_rounded || payload.iter().any(|n| schema.iter().chain(&payload).any(|other| meets(n, other))))
    }

    /// Whether the schema has a divisor, and either it or a number of the payload is not an integer below 2^52: of two
    /// such integers, the quotient is an integer in binary64 only if it is one.
    fn has_rounded_quotient(&self) -> bool {
        let is_exact = |number: &Number| number.is_integer() && 2.0 * number.as_f64().abs() < Number::MAX_EXACT_INTEGER;
        let divisors: Vec<&Number> = self.groups().filter_map(|group| group.multiple_of.as_ref()).collect();
        let numbers = domain::numbers(self.payload);
        let mut numbers = numbers.iter().filter_map(|text| text.parse::<Number>().ok());
        self.answer.trouble.is_none()
            && !divisors.is_empty()
            && (!divisors.into_iter().all(is_exact) || !numbers.all(|number| is_exact(&number)))
    }

    fn groups(&self) -> impl Iterator<Item = &Assertions> {
        let groups = self.schema.nodes().filter_map(|(_, node)| match &node.kind {
            Kind::Assertions(group) => Some(group.as_ref()),
            _ => None,
        });
        groups.flat_map(|group| std::iter::once(group).chain(group.property_names.as_deref()))
    }

    fn patterns(&self) -> impl Iterator<Item = &str> {
        self.groups().filter_map(|group| Some(group.pattern.as_ref()?.source()))
    }

    fn has_unencoded_reference(&self) -> bool {
        let is_unencoded = |text: &str| text.contains(|c: char| !c.is_ascii() || " <>\"{}|\\^`".contains(c));
        let mut stack = vec![self.schema.source()];
        while let Some(value) = stack.pop() {
            match value {
                Json::Array(items) => stack.extend(items),
                Json::Object(members) => stack.extend(members.iter().map(|(_, value)| value)),
                Json::String(text) if text.starts_with("#/definitions/") && is_unencoded(text) => return true,
                _ => {}
            }
        }
        false
    }

    /// The values of `const` and `enum`, as canonical texts.
    fn values(&self) -> String {
        let values = self.groups().flat_map(|group| group.const_value.iter().chain(group.enum_values.iter().flatten()));
        values.map(|value| value.canonical() + "\n").collect()
    }

    /// The strings of the payload, and the names of properties if the schema has assertions about them.
    fn texts(&self) -> BTreeSet<String> {
        let has_names = self.groups().any(|group| group.property_names.is_some());
        let mut texts = BTreeSet::new();
        let value: Option<serde_json::Value> = serde_json::from_str(self.payload).ok();
        let mut stack: Vec<Json> = value.iter().filter_map(|value| Json::try_from(value).ok()).collect();
        while let Some(value) = stack.pop() {
            match value {
                Json::String(text) => drop(texts.insert(text)),
                Json::Array(items) => stack.extend(items),
                Json::Object(members) => {
                    texts.extend(members.iter().filter(|_| has_names).map(|(name, _)| name.clone()));
                    stack.extend(members.iter().map(|(_, value)| value.clone()));
                }
                _ => {}
            }
        }
        texts
    }
}
