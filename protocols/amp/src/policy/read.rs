//! Reads policies.

use capgen_diagnostic::shortened;
use capgen_schema::Json;

use super::{AdapterRule, Effect, Policy, Rule};
use crate::alias::Aliases;
use crate::cbor::{Map, Value};
use crate::negotiate::Mode;
use crate::reader::{BodyError, Reader};
use crate::version::parse_version;

/// A larger text is rejected before it is parsed, in bytes. A rule has about 100 bytes, so more than 100,000 of them
/// fit.
const MAX_BYTES: usize = 16 << 20;

/// The maximum length of an error message, in code points. The paths contain keys of the file. A key may be as long as
/// the file, and its start leads to the place.
const MAX_MESSAGE: usize = 400;

const EFFECTS: [(&str, Effect); 2] = [("allow", Effect::Allow), ("deny", Effect::Deny)];

/// Matches everything.
const ANY: &str = "*";

impl Policy {
    /// Reads a policy file:
    ///
    /// ```json
    /// {"default": "allow"|"deny", "rules": [{"caller", "capability", "version": RANGE|"*", "effect"}],
    ///  "mode": "strict"|"range"|"bridge", "aliases": {TYPE: NAME},
    ///  "adapters": [{"capability", "from", "to", "unchecked"?: true}]}
    /// ```
    ///
    /// Every key is optional, except `effect`, the keys of adapters, and `default` if there are rules. In rules, `*`
    /// matches everything, and so does an absent key. Without `default`, everything is allowed; the mode is `range` by
    /// default.
    ///
    /// # Errors
    ///
    /// All errors, each with its JSON Pointer; of more than 100, the first 100. Unknown and duplicate keys are errors:
    /// a file that controls access must not have two meanings.
    ///
    /// ```
    /// use capgen_amp::policy::Policy;
    /// let errors = Policy::from_json(r#"{"default": "deny", "rule": []}"#).unwrap_err();
    /// assert_eq!(errors, ["/rule: unknown key; did you mean `rules`?"]);
    /// ```
    pub fn from_json(text: &str) -> Result<Self, Vec<String>> {
        if text.len() > MAX_BYTES {
            return Err(vec![format!("a policy has at most {MAX_BYTES} bytes")]);
        }
        let json: Json = text.parse().map_err(|error: capgen_schema::JsonTextError| vec![error.to_string()])?;
        let value = Value::from_json(&json.to_value());
        let shown = |error: &BodyError| shortened(&error.to_string(), MAX_MESSAGE);
        Reader::read(&value, read).map_err(|errors| errors.iter().map(shown).collect())
    }
}

fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Policy> {
    let map = reader.map(value)?;
    reader.only(map, &["default", "rules", "mode", "aliases", "adapters"]);
    let default = reader.optional(map, "default", |reader, value| reader.one_of(value, &EFFECTS));
    let rules = reader.optional(map, "rules", |reader, value| reader.elements(value, read_rule)).unwrap_or_default();
    if map.get("default").is_none() && map.get("rules").is_some_and(has_elements) {
        reader.report_at("default", "missing; it is required if there are rules");
    }
    let modes = Mode::ALL.map(|mode| (mode.name(), mode));
    let mode = reader.optional(map, "mode", |reader, value| reader.one_of(value, &modes));
    let aliases = reader.optional(map, "aliases", read_aliases);
    let adapters = reader.optional(map, "adapters", |reader, value| reader.elements(value, read_adapter));
    Some(Policy {
        default,
        rules,
        mode: mode.unwrap_or_default(),
        aliases: aliases.unwrap_or_default(),
        adapters: adapters.unwrap_or_default(),
    })
}

fn has_elements(value: &Value) -> bool {
    value.as_array().is_some_and(|elements| !elements.is_empty())
}

fn read_rule<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Rule> {
    let map = reader.map(value)?;
    reader.only(map, &["caller", "capability", "version", "effect"]);
    let caller = read_condition(reader, map, "caller");
    let capability = read_condition(reader, map, "capability");
    let version = read_condition(reader, map, "version");
    let effect = reader.required(map, "effect", |reader, value| reader.one_of(value, &EFFECTS));
    Some(Rule { caller, capability, version, effect: effect? })
}

/// A condition of a rule; `None` if it matches everything.
fn read_condition<'v, T>(reader: &mut Reader<'v>, map: &'v Map, key: &'v str) -> Option<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let is_any = map.get(key).is_none_or(|value| value.as_text() == Some(ANY));
    if is_any { None } else { reader.required(map, key, Reader::parsed) }
}

fn read_aliases<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Aliases> {
    let map = reader.map(value)?;
    let keys = map.iter().filter_map(|(key, _)| key.as_text());
    let aliases = keys.filter_map(|key| Some((key.to_owned(), reader.required(map, key, Reader::parsed)?)));
    Some(aliases.collect())
}

fn read_adapter<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<AdapterRule> {
    let map = reader.map(value)?;
    reader.only(map, &["capability", "from", "to", "unchecked"]);
    let capability = reader.required(map, "capability", Reader::parsed);
    let [from, to] =
        ["from", "to"].map(|key| reader.required(map, key, |reader, value| reader.parsed_by(value, parse_version)));
    let unchecked = reader.optional(map, "unchecked", |reader, value| match value.as_bool() {
        Some(true) => Some(()),
        _ => reader.expected("`true`, or no such key"),
    });
    Some(AdapterRule { capability: capability?, from: from?, to: to?, unchecked: unchecked.is_some() })
}
