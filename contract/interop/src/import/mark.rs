//! The parts of a contract that another format cannot express, as an export of capgen writes them next to the entry.

use std::collections::BTreeSet;

use capgen_descriptor::{OwnedDescriptor, capability_keys};
use capgen_diagnostic::quoted;
use capgen_manifest::{Capability, DeclaredError, Http, Side};
use capgen_schema::{Json, Number, Schema, pointer};

use super::{Entry, Importer};
use crate::codes;

/// How an entry represents the schema of a side.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Form {
    /// The schema is that of the contract.
    #[default]
    Plain,
    /// The side has no schema. The entry has one only because its format requires it.
    Loose,
    /// The schema is that of an object with one member, whose schema is that of the contract.
    Wrapped,
}

/// Where the key `http` of a capability is.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) enum Kept {
    /// The capability has no `http`.
    #[default]
    Nothing,
    /// The entry is an operation of HTTP, from which the key follows.
    Operation,
    /// In the mark.
    Value(Http),
}

/// The parts of a capability that an export wrote.
#[derive(Clone, Default, Debug)]
pub(crate) struct Mark {
    /// The name of the capability, if the entry has another one.
    pub(crate) name: Option<String>,
    request: Form,
    response: Form,
    /// The optional keys.
    properties: Option<Capability>,
    errors: Vec<DeclaredError>,
    pub(crate) http: Kept,
}

impl Mark {
    /// How the entry represents the schema of a side.
    pub(crate) fn form(&self, side: Side) -> Form {
        match side {
            Side::Request => self.request,
            Side::Response => self.response,
        }
    }

    /// A capability with the optional keys of the mark, and without a name and schemas.
    pub(crate) fn capability(&self) -> Capability {
        let properties = self.properties.clone().unwrap_or_else(|| Capability::new(""));
        let http = if let Kept::Value(http) = &self.http { Some(http.clone()) } else { None };
        Capability { errors: self.errors.clone(), http, ..properties }
    }
}

impl Importer {
    /// Reads the mark at `pointer`. Every key that is unknown or invalid is an error of the entry.
    pub(crate) fn mark(&mut self, entry: &mut Entry, value: &Json, pointer: &str) -> Mark {
        let mut mark = Mark::default();
        entry.is_contract = true;
        let Some(members) = value.as_object() else {
            self.invalid_mark(entry, pointer.to_owned(), "the contract of capgen must be an object".to_owned());
            return mark;
        };
        let mut descriptor = OwnedDescriptor::new("capability");
        for (key, value) in members {
            let at = pointer::join(pointer, key);
            let taken = match key.as_str() {
                "name" => take(&mut mark.name, value.as_str().filter(|name| Capability::is_name(name))),
                key if key == Side::Request.name() => form(&mut mark.request, value),
                key if key == Side::Response.name() => form(&mut mark.response, value),
                // Differences between the schemas of the contract and those of the entry, which the reader of schemas
                // undoes.
                "restore" | "definitions" => value.as_object().is_some(),
                "schemas" => are_schemas(value),
                "errors" => errors(&mut mark.errors, value),
                Http::KEY => http(&mut mark.http, value),
                key => property(&mut descriptor, key, value),
            };
            if !taken {
                self.invalid_mark(
                    entry,
                    at,
                    format!("{} is not a valid key of a contract, or has an invalid value", quoted(key)),
                );
            }
        }
        match Capability::from_descriptor(&descriptor) {
            Ok(capability) => mark.properties = Some(capability),
            Err(problems) => {
                for problem in problems {
                    self.invalid_mark(entry, pointer::join(pointer, problem.key), problem.to_string());
                }
            }
        }
        mark
    }

    /// Reports an invalid part of a mark.
    pub(crate) fn invalid_mark(&mut self, entry: &mut Entry, pointer: String, message: String) {
        let help = "capgen writes this value when it exports a contract: export it again, or remove the value";
        self.error(entry, codes::INVALID_MARK, pointer, message, help);
    }
}

/// Stores a value, if there is one.
fn take(place: &mut Option<String>, text: Option<&str>) -> bool {
    *place = text.map(str::to_owned);
    place.is_some()
}

/// Stores declared errors, each of which has a code of its own.
fn errors(place: &mut Vec<DeclaredError>, value: &Json) -> bool {
    let errors = value.as_array().and_then(|errors| errors.iter().map(DeclaredError::from_definition).collect());
    *place = errors.unwrap_or_default();
    let codes: BTreeSet<&str> = place.iter().map(|error| error.code.as_str()).collect();
    !place.is_empty() && codes.len() == place.len()
}

/// Stores the operation of HTTP, or that the entry is the operation.
fn http(place: &mut Kept, value: &Json) -> bool {
    *place = match value.as_str() {
        Some(Kept::OPERATION) => Kept::Operation,
        _ => Http::from_definition(value).map_or(Kept::Nothing, Kept::Value),
    };
    *place != Kept::Nothing
}

impl Kept {
    /// The text of [`Kept::Operation`].
    pub(crate) const OPERATION: &str = "operation";
}

/// Whether the value has schemas of the subset for sides.
fn are_schemas(value: &Json) -> bool {
    let is_side = |name: &str| Side::ALL.iter().any(|side| side.name() == name);
    let is_schema = |(name, schema): &(String, Json)| is_side(name) && Schema::parse(schema).is_ok();
    value.as_object().is_some_and(|members| members.iter().all(is_schema))
}

fn form(place: &mut Form, value: &Json) -> bool {
    *place = match value.as_str() {
        Some("loose") => Form::Loose,
        Some("wrapped") => Form::Wrapped,
        _ => return false,
    };
    true
}

/// A value of JSON as one of a descriptor; `None` if it has another type.
trait FromJson: Sized {
    fn from_json(value: &Json) -> Option<Self>;
}

impl FromJson for Option<String> {
    fn from_json(value: &Json) -> Option<Self> {
        Some(Some(value.as_str()?.to_owned()))
    }
}

impl FromJson for Option<u64> {
    fn from_json(value: &Json) -> Option<Self> {
        Some(Some(value.as_number().and_then(Number::as_u64)?))
    }
}

impl FromJson for Option<bool> {
    fn from_json(value: &Json) -> Option<Self> {
        if let Json::Bool(value) = value { Some(Some(*value)) } else { None }
    }
}

impl FromJson for Vec<String> {
    fn from_json(value: &Json) -> Option<Self> {
        value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    }
}

macro_rules! properties {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// Stores the value of an optional key; `false` if there is no such key, or if the value has another type.
        fn property(descriptor: &mut OwnedDescriptor, key: &str, value: &Json) -> bool {
            match key {
                $($name => FromJson::from_json(value).map(|value| descriptor.$field = value).is_some(),)*
                _ => false,
            }
        }
    };
}

capability_keys!(properties);
