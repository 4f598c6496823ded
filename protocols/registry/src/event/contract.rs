//! The contract and the properties of a registration.

use std::sync::Arc;

use capgen_schema::{Hash, ReportBudget, Schema, SchemaTextError, Severity, Validator, ValidatorCache};
use semver::Version;
use serde_json::{Number, Value, json};

use super::envelope::text;
use super::payload_text::PayloadText;
use crate::canonical::{canonical, hash_of};

/// The checked payload of a registration: a version of a capability, its contract, and the properties that select it.
///
/// Registrations with equal payloads share it.
#[derive(Debug)]
pub struct Offer {
    /// The payload in canonical form.
    pub(crate) payload: PayloadText,
    /// The id of the capability.
    pub capability: Box<str>,
    /// The version.
    pub version: Version,
    /// SHA-256 over id, version, schemas without annotations, classes, roles and scopes (decision 3).
    pub contract_hash: Hash,
    /// `side_effects`, if it is declared.
    pub side_effects: Option<&'static str>,
    /// `determinism_class`, if it is declared.
    pub determinism: Option<&'static str>,
    /// The roles that a caller must all have, sorted.
    pub required_roles: Box<[Box<str>]>,
    /// The scopes that a caller must all have, sorted.
    pub required_scopes: Box<[Box<str>]>,
    pub(crate) properties: Properties,
}

/// The properties that updates change: those of a registration, or of an update, which has no defaults.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Properties {
    pub(crate) priority: Option<i64>,
    pub(crate) weight: Option<Number>,
    pub(crate) tags: Option<Arc<[Box<str>]>>,
    pub(crate) latency_class: Option<Arc<str>>,
}

/// The values of `side_effects`.
const SIDE_EFFECTS: [&str; 3] = ["external", "idempotent", "pure"];
/// The values of `determinism_class`.
const DETERMINISM: [&str; 2] = ["deterministic", "nondeterministic"];

/// The name of a class that the schema of registrations lists.
fn known(classes: &[&'static str], class: &str) -> Option<&'static str> {
    classes.iter().copied().find(|known| *known == class)
}

/// Compiled schemas of requests and responses. Their number bounds the memory; a further one replaces another, which is
/// then compiled again when it is needed.
static VALIDATORS: ValidatorCache = ValidatorCache::new(1024);

impl Offer {
    /// Reads a payload that conforms to the schema of registrations.
    ///
    /// # Errors
    ///
    /// The JSON Pointers into the payload at which a schema is not part of the subset; none if a version is out of
    /// range.
    pub(crate) fn read(payload: &Value) -> Result<Self, Vec<String>> {
        let capability = text(payload, "capability_id").unwrap_or_default();
        let version = text(payload, "version").unwrap_or_default();
        let (input, output) = (schema(payload, "input_schema"), schema(payload, "output_schema"));
        let (input, output) = match (input, output) {
            (Ok(input), Ok(output)) => (input, output),
            (input, output) => return Err([input.err(), output.err()].into_iter().flatten().flatten().collect()),
        };
        let metadata = payload.get("metadata").unwrap_or(&Value::Null);
        let (side_effects, determinism) = (text(metadata, "side_effects"), text(metadata, "determinism_class"));
        let (roles, scopes) = (sorted(metadata.get("required_roles")), sorted(metadata.get("required_scopes")));
        let contract = json!({
            "capability_id": capability,
            "version": version,
            "input_schema": input,
            "output_schema": output,
            "side_effects": side_effects,
            "determinism_class": determinism,
            "required_roles": roles,
            "required_scopes": scopes,
        });
        Self::of(payload, hash_of(&contract)).ok_or_else(Vec::new)
    }

    /// Reads the canonical text of a payload that was checked before, with the hash of its contract.
    pub(crate) fn as_checked(text: &str, contract_hash: Hash) -> Option<Self> {
        Self::of(&crate::fact::parsed(text), contract_hash)
    }

    fn of(payload: &Value, contract_hash: Hash) -> Option<Self> {
        let metadata = payload.get("metadata").unwrap_or(&Value::Null);
        Some(Self {
            payload: PayloadText::new(payload.as_object()?),
            capability: text(payload, "capability_id")?.into(),
            version: Version::parse(text(payload, "version")?).ok()?,
            contract_hash,
            side_effects: text(metadata, "side_effects").and_then(|class| known(&SIDE_EFFECTS, class)),
            determinism: text(metadata, "determinism_class").and_then(|class| known(&DETERMINISM, class)),
            required_roles: sorted(metadata.get("required_roles")),
            required_scopes: sorted(metadata.get("required_scopes")),
            properties: Properties::read(metadata),
        })
    }

    /// The payload as a value.
    #[must_use]
    pub fn payload(&self) -> Value {
        crate::fact::parsed(&self.payload.text())
    }

    /// The schema of responses as registered; `true` if there is none.
    pub(crate) fn output_schema(&self) -> Value {
        self.payload.schema("output_schema").map_or(Value::Bool(true), crate::fact::parsed)
    }

    /// The paths at which an input violates its schema.
    pub(crate) fn input_violations(&self, input: &Value) -> Vec<String> {
        violations_of_text(self.payload.schema("input_schema").unwrap_or("true"), input)
    }
}

/// The JSON Pointers, into the payload of an invocation, at which the pinned schema is not part of the subset.
pub(crate) fn pinned_errors(payload: &Value) -> Vec<String> {
    schema(payload, "output_schema").err().unwrap_or_default()
}

/// The paths at which a value violates a schema. A schema outside of the subset, which no valid registration has,
/// accepts nothing.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<String> {
    violations_of_text(&canonical(schema), value)
}

/// The same for the canonical text of a schema.
fn violations_of_text(text: &str, value: &Value) -> Vec<String> {
    let compiled = VALIDATORS.get_or_compile(Hash::of(text), || Schema::parse_text(text));
    match compiled {
        Ok(validator) => paths(&validator, value),
        Err(_) => vec![String::new()],
    }
}

/// The paths of every violation. Of the paths of an event, the first 32 in the order of bytes count, so all of them are
/// needed.
pub(super) fn reported(validator: &Validator, value: &Value) -> Vec<String> {
    let violations = validator.clone().budget(EVERY_PATH).validate(value);
    violations.into_iter().map(|violation| violation.path).collect()
}

/// A path is later cut to its whole segments within 255 characters, which drops every segment that is cut here. The
/// bytes bound the memory for an event with a long name around many invalid values; no program that means well comes
/// near.
const EVERY_PATH: ReportBudget = ReportBudget { violations: usize::MAX, bytes: 64 << 20, name: 255 };

fn paths(validator: &Validator, value: &Value) -> Vec<String> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    reported(validator, value)
}

/// The schema of one side without annotations; `true` if there is none.
fn schema(payload: &Value, name: &str) -> Result<Value, Vec<String>> {
    let Some(schema) = payload.get(name).filter(|schema| **schema != Value::Bool(true)) else {
        return Ok(Value::Bool(true));
    };
    let at = |pointer: &str| format!("/{name}{pointer}");
    match Schema::parse_text(&canonical(schema)) {
        Ok(schema) => Ok(schema.canonical_json().to_value()),
        Err(SchemaTextError::Schema(problems)) => {
            let errors = problems.iter().filter(|problem| problem.code.severity() == Severity::Error);
            Err(errors.map(|problem| at(&problem.pointer)).collect())
        }
        Err(_) => Err(vec![at("")]),
    }
}

/// The strings of a list, sorted bytewise.
pub(crate) fn sorted(list: Option<&Value>) -> Box<[Box<str>]> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    let mut items: Vec<Box<str>> = items.filter_map(Value::as_str).map(Into::into).collect();
    items.sort_unstable();
    items.into_boxed_slice()
}

impl Properties {
    /// Reads metadata that conforms to its schema.
    pub(crate) fn read(metadata: &Value) -> Self {
        Self {
            priority: metadata.get("priority").and_then(Value::as_i64),
            weight: metadata.get("weight").and_then(Value::as_number).cloned(),
            tags: metadata.get("tags").map(|tags| sorted(Some(tags)).into()),
            latency_class: text(metadata, "latency_class").map(Into::into),
        }
    }
}
