//! One element of `capabilities`.

use capgen_descriptor::{
    Determinism, LARGE_NUMBER, SideEffects, Skew, VersionRange, capability_keys, complete_version, has_large_number,
};
use capgen_diagnostic::{Applicability, quoted, similar};
use semver::Version;

use super::advice;
use super::http::Inherited;
use super::names::Names;
use super::reader::{Map, Place, Reader, did_you_mean, listed};
use super::{errors, http, schema};
use crate::keys::{CAPABILITY_NAME, ERRORS, HTTP, SIDES};
use crate::{Capability, Data, Node, Side, codes};

/// Reads the value of a row of the table by its type.
macro_rules! value {
    (Id, $reader:ident, $map:ident, $key:literal) => {
        id($reader, $map, $key)
    };
    (Text, $reader:ident, $map:ident, $key:literal) => {
        $reader.text($map, $key).map(str::to_owned)
    };
    (NonEmptyText, $reader:ident, $map:ident, $key:literal) => {
        $reader.filled($map, $key).map(str::to_owned)
    };
    (Version, $reader:ident, $map:ident, $key:literal) => {
        version($reader, $map, $key)
    };
    (VersionRanges, $reader:ident, $map:ident, $key:literal) => {
        ranges($reader, $map, $key)
    };
    (Words, $reader:ident, $map:ident, $key:literal) => {
        $reader.texts($map, $key)
    };
    (Milliseconds, $reader:ident, $map:ident, $key:literal) => {
        milliseconds($reader, $map, $key)
    };
    (Flag, $reader:ident, $map:ident, $key:literal) => {
        $reader.boolean($map, $key)
    };
    ($class:ident, $reader:ident, $map:ident, $key:literal) => {
        class($reader, $map, $key, $class::ALL.map(|value| (value.name(), value)))
    };
}

macro_rules! read_keys {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        const KEYS: &[&str] = &[CAPABILITY_NAME.name, $($name,)* ERRORS.name, HTTP.name, SIDES[0].name, SIDES[1].name];

        /// Reads every key except the name.
        fn properties(
            reader: &mut Reader<'_>,
            map: &Map<'_>,
            name: String,
            inherited: &mut Inherited,
        ) -> Capability {
            Capability {
                name,
                $($field: value!($type, reader, map, $name),)*
                errors: errors::read(reader, map, ERRORS.name),
                http: http::read(reader, map, HTTP.name, inherited),
                input: schema::read(reader, map, Side::Request.schema_key()),
                output: schema::read(reader, map, Side::Response.schema_key()),
            }
        }
    };
}

capability_keys!(read_keys);

/// Reads one capability; `None` if it has no valid name, which is reported.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    node: &Node,
    place: Place,
    names: &mut Names,
    inherited: &mut Inherited,
) -> Option<Capability> {
    let mut map = reader.map(node, place, advice::CAPABILITY)?;
    let name =
        map.get("name").and_then(|m| if let Data::String(text) = &m.value.data { Some(text.as_str()) } else { None });
    let valid = name.filter(|name| Capability::is_name(name));
    map.place.at = Some(match valid {
        Some(name) => format!("capability {}", quoted(name)),
        None => format!("capability {}", 1 + map.place.pointer.rsplit('/').next()?.parse::<usize>().ok()?),
    });
    reader.only(&mut map, KEYS);
    check_name(reader, &map);
    let capability = properties(reader, &map, valid.unwrap_or_default().to_owned(), inherited);
    valid?;
    let span = &map.get("name")?.value.span;
    let is_reported = capability.version.is_none() && map.get("version").is_some();
    names.enter(reader, &capability, is_reported, (span, &map.below("name")));
    Some(capability)
}

fn check_name(reader: &mut Reader<'_>, map: &Map<'_>) {
    let Some(member) = reader.required(map, "name") else { return };
    let Some(name) = reader.text(map, "name") else { return };
    if !Capability::is_name(name) {
        let at = (member.value.span.clone(), "");
        let finding = reader.finding(codes::CAPABILITY_NAME, "not a valid capability name", at, &map.below("name"));
        // Callers use the name.
        let like = advice::like_capability_name(name);
        let finding = like.iter().fold(finding, |f, like| reader.suggest_text(f, &member.value.span, name, like));
        reader.report(finding.for_review().help(advice::capability_name(name)));
    }
}

fn id(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<String> {
    let member = map.get(key)?;
    let text = reader.text(map, key)?;
    if Capability::is_id(text) {
        return Some(text.to_owned());
    }
    let help = match text.split_once(':') {
        Some((_, version)) if Version::parse(version).is_ok() => "move the version to `version`",
        _ => Capability::ID_RULE,
    };
    let at = (member.value.span.clone(), "");
    let finding =
        reader.finding(codes::CAPABILITY_ID, format!("`{key}` must be a reverse-domain name"), at, &map.below(key));
    reader.report(finding.help(help));
    None
}

fn milliseconds(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<u64> {
    let member = map.get(key)?;
    let place = map.below(key);
    let Data::Number(number, _) = &member.value.data else {
        let subject = format!("`{key}`");
        let text = if let Data::String(text) = &member.value.data { text.as_str() } else { "" };
        if let Some(ms) = advice::milliseconds(text) {
            let at = (member.value.span.clone(), "a duration with a unit");
            let finding = reader.finding(codes::WRONG_TYPE, format!("{subject} must be a number"), at, &place);
            let finding = reader.suggest(finding, &member.value.span, text, &ms.to_string());
            reader.report(finding.help(format!("write `{ms}`: the unit is always milliseconds")));
        } else {
            let is_number = text.parse::<capgen_schema::Number>().is_ok();
            let help = "write a number of milliseconds, such as `5000` for five seconds";
            let help = (!is_number && !text.is_empty()).then(|| help.to_owned());
            reader.wrong_type_with_help(&member.value, &place, &subject, "a number", help);
        }
        return None;
    };
    let value = number.as_u64().filter(|&ms| ms > 0);
    if value.is_none() {
        let message = format!("`{key}` must be a whole number of milliseconds, at least 1");
        let finding = reader.finding(codes::TIMEOUT, message, (member.value.span.clone(), ""), &place);
        reader.report(finding.help(match number.is_integer() {
            true => format!("without a time limit, remove `{key}`"),
            false => "write a whole number, such as `5000` for five seconds".to_owned(),
        }));
    }
    value
}

fn version(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<Version> {
    let member = map.get(key)?;
    let place = map.below(key);
    let (text, label) = match &member.value.data {
        Data::String(text) => match Version::parse(text) {
            Ok(version) => return Some(version),
            Err(_) => (text, ""),
        },
        Data::Number(_, text) => (text, "a number"),
        _ => {
            reader.wrong_type(&member.value, &place, &format!("`{key}`"), "a string");
            return None;
        }
    };
    let message = format!("`{key}` must be a semantic version");
    let mut finding = reader.finding(codes::VERSION, message, (member.value.span.clone(), label), &place);
    if let Some(version) = complete_version(text) {
        finding = reader.suggest(finding, &member.value.span, text, &format!("\"{version}\""));
    }
    reader.report(finding.help(version_help(text)));
    None
}

fn version_help(text: &str) -> String {
    match complete_version(text) {
        Some(version) => format!("write `\"{version}\"`: three numbers, in quotes"),
        None if has_large_number(text) => format!("write smaller numbers: {LARGE_NUMBER}"),
        None => "write three numbers, separated by dots, in quotes, such as `\"1.2.0\"`".to_owned(),
    }
}

fn ranges(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Vec<VersionRange> {
    let mut ranges = Vec::new();
    for (node, place) in reader.elements(map, key) {
        let (text, reason) = match &node.data {
            Data::String(text) => match text.parse::<VersionRange>() {
                Ok(range) => {
                    ranges.push(range);
                    continue;
                }
                Err(reason) => (text, reason.to_string()),
            },
            Data::Number(_, text) => (text, "a number".to_owned()),
            _ => {
                reader.wrong_type(node, &place, &format!("{key}[]"), "a string");
                continue;
            }
        };
        let help = match complete_version(text) {
            Some(_) => version_help(text),
            None => "write a version, such as `\"1.2.0\"`, or a range, such as `\">=1.2.0 <2.0.0\"`".to_owned(),
        };
        let message = format!("an element of `{key}` is neither a version nor a range");
        let mut finding = reader.finding(codes::VERSION_RANGE, message, (node.span.clone(), &reason), &place);
        if let Some(version) = complete_version(text) {
            finding = reader.suggest(finding, &node.span, text, &format!("\"{version}\""));
        }
        reader.report(finding.help(help));
    }
    ranges
}

/// The value of a key that has one of these names. Reports any other one.
pub(crate) fn class<T: Copy, const N: usize>(
    reader: &mut Reader<'_>,
    map: &Map<'_>,
    key: &str,
    values: [(&'static str, T); N],
) -> Option<T> {
    let member = map.get(key)?;
    let text = reader.text(map, key)?;
    let found = values.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
    if found.is_none() {
        let names = values.map(|(name, _)| name);
        let message = format!("unknown value of `{key}`");
        let finding = reader.finding(codes::UNKNOWN_VALUE, message, (member.value.span.clone(), ""), &map.below(key));
        let span = &member.value.span;
        reader.report(match similar(text, names) {
            Some((near, Applicability::Certain)) => {
                reader.suggest_text(finding, span, text, near).help(did_you_mean(near))
            }
            // No edit: a similar value can mean the opposite, as `impure` does.
            Some((near, _)) => finding.help(did_you_mean(near)),
            None => finding.help(format!("the values are {}", listed(&names))),
        });
    }
    found
}
