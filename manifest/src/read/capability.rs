//! One element of `capabilities`.

use capgen_diagnostic::nearest;
use semver::Version;

use super::Names;
use super::reader::{Map, Place, Reader, did_you_mean, listed, quoted};
use super::schema;
use crate::version::{check_range, completed};
use crate::{Capability, Data, Determinism, Node, Side, SideEffects, codes};

const KEYS: [&str; 19] = [
    "name",
    "id",
    "description",
    "version",
    "inputSchema",
    "outputSchema",
    "timeoutMs",
    "idempotent",
    "since",
    "skill",
    "supportedVersions",
    "deprecatedVersions",
    "minSchemaVersion",
    "tags",
    "sideEffects",
    "determinism",
    "latency",
    "requiredRoles",
    "requiredScopes",
];

/// Reads one capability; `None` if it has no valid name, which is reported.
pub(crate) fn read(reader: &mut Reader<'_>, node: &Node, place: Place, names: &mut Names) -> Option<Capability> {
    let mut map = reader.map(node, place, "a capability")?;
    let name =
        map.get("name").and_then(|m| if let Data::String(text) = &m.value.data { Some(text.as_str()) } else { None });
    let valid = name.filter(|name| Capability::is_name(name));
    map.place.at = Some(match valid {
        Some(name) => format!("capability {}", quoted(name)),
        None => format!("capability {}", 1 + map.place.pointer.rsplit('/').next()?.parse::<usize>().ok()?),
    });
    reader.only(&map, &KEYS);
    check_name(reader, &map, names);
    let mut capability = descriptive(reader, &map, valid.unwrap_or_default().to_owned());
    versions(reader, &map, &mut capability);
    classes(reader, &map, &mut capability);
    valid.map(|_| capability)
}

fn check_name(reader: &mut Reader<'_>, map: &Map<'_>, names: &mut Names) {
    let Some(member) = reader.required(map, "name") else { return };
    let Some(name) = reader.text(map, "name") else { return };
    let (span, place) = (&member.value.span, map.below("name"));
    if Capability::is_name(name) {
        names.enter(reader, name, span, &place);
    } else {
        let message = "not a valid capability name";
        let finding = reader.finding(codes::CAPABILITY_NAME, message, (span.clone(), ""), &place);
        reader.report(finding.help(Capability::NAME_RULE));
    }
}

fn descriptive(reader: &mut Reader<'_>, map: &Map<'_>, name: String) -> Capability {
    let owned = str::to_owned;
    Capability {
        id: id(reader, map),
        description: reader.text(map, "description").map(owned),
        input: schema::read(reader, map, Side::Request),
        output: schema::read(reader, map, Side::Response),
        timeout_ms: timeout(reader, map),
        idempotent: reader.boolean(map, "idempotent"),
        since: reader.text(map, "since").map(owned),
        skill: reader.filled(map, "skill").map(owned),
        tags: reader.texts(map, "tags"),
        latency: reader.filled(map, "latency").map(owned),
        required_roles: reader.texts(map, "requiredRoles"),
        required_scopes: reader.texts(map, "requiredScopes"),
        ..Capability::new(name)
    }
}

fn id(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<String> {
    let member = map.get("id")?;
    let text = reader.text(map, "id")?;
    if Capability::is_id(text) {
        return Some(text.to_owned());
    }
    let help = match text.split_once(':') {
        Some((_, version)) if Version::parse(version).is_ok() => "move the version to `version`",
        _ => Capability::ID_RULE,
    };
    let at = (member.value.span.clone(), "");
    let finding = reader.finding(codes::CAPABILITY_ID, "`id` must be a reverse-domain name", at, &map.below("id"));
    reader.report(finding.help(help));
    None
}

fn timeout(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<u64> {
    let member = map.get("timeoutMs")?;
    let place = map.below("timeoutMs");
    let Data::Number(number, _) = &member.value.data else {
        reader.wrong_type(&member.value, &place, "`timeoutMs`", "a number");
        return None;
    };
    let value = number.as_u64().filter(|&ms| ms > 0);
    if value.is_none() {
        let message = "`timeoutMs` must be a whole number of milliseconds, at least 1";
        reader.report(reader.finding(codes::TIMEOUT, message, (member.value.span.clone(), ""), &place));
    }
    value
}

fn versions(reader: &mut Reader<'_>, map: &Map<'_>, capability: &mut Capability) {
    capability.version = version(reader, map, "version");
    capability.min_schema_version = version(reader, map, "minSchemaVersion");
    capability.supported_versions = ranges(reader, map, "supportedVersions");
    capability.deprecated_versions = ranges(reader, map, "deprecatedVersions");
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
    if let Some(version) = completed(text) {
        finding = reader.suggest(finding, &member.value.span, text, &format!("\"{version}\""));
    }
    reader.report(finding.help(version_help(text)));
    None
}

fn version_help(text: &str) -> String {
    match completed(text) {
        Some(version) => format!("write `\"{version}\"`: three numbers, in quotes"),
        None => "write three numbers, separated by dots, in quotes, such as `\"1.2.0\"`".to_owned(),
    }
}

fn ranges(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Vec<String> {
    let mut ranges = Vec::new();
    for (node, place) in reader.elements(map, key) {
        let (text, reason) = match &node.data {
            Data::String(text) => match check_range(text) {
                Ok(()) => {
                    ranges.push(text.clone());
                    continue;
                }
                Err(reason) => (text, reason),
            },
            Data::Number(_, text) => (text, "a number"),
            _ => {
                reader.wrong_type(node, &place, &format!("{key}[]"), "a string");
                continue;
            }
        };
        let help = match completed(text) {
            Some(_) => version_help(text),
            None => "write a version, such as `\"1.2.0\"`, or a range, such as `\">=1.2.0 <2.0.0\"`".to_owned(),
        };
        let message = format!("an element of `{key}` is neither a version nor a range");
        let mut finding = reader.finding(codes::VERSION_RANGE, message, (node.span.clone(), reason), &place);
        if let Some(version) = completed(text) {
            finding = reader.suggest(finding, &node.span, text, &format!("\"{version}\""));
        }
        reader.report(finding.help(help));
    }
    ranges
}

fn classes(reader: &mut Reader<'_>, map: &Map<'_>, capability: &mut Capability) {
    let effects = SideEffects::ALL.map(|value| (value.name(), value));
    capability.side_effects = class(reader, map, "sideEffects", effects);
    let classes = Determinism::ALL.map(|value| (value.name(), value));
    capability.determinism = class(reader, map, "determinism", classes);
}

fn class<T: Copy, const N: usize>(
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
        reader.report(match nearest(text, names) {
            Some(near) => reader.suggest_text(finding, &member.value.span, text, near).help(did_you_mean(near)),
            None => finding.help(format!("the values are {}", listed(&names))),
        });
    }
    found
}
