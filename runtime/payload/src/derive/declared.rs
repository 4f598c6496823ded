//! From the declaration of a capability in Rust to its descriptor and its entry in the manifest.

use std::any::TypeId;

use capgen_descriptor::{Descriptor, ErrorDescriptor};
use capgen_manifest::Capability as Entry;
use capgen_schema::{Json, Schema};

use super::errors::ErrorSource;
use super::per_type::PerType;
use crate::declared_capability::{DeclaredCapability, entry};
use crate::wire::PayloadSchema;
use crate::{Capability, Payload, UnsupportedSchema};

/// The declaration that `#[derive(Capability)]` expands to.
///
/// It has only constants and types. Everything else is computed at run time, by code that is compiled once and not for
/// each capability.
pub trait Declare {
    /// The type of requests.
    type Request: Payload;
    /// The type of responses.
    type Response: Payload;
    /// The name and the optional properties. The hash and the schemas follow from the types.
    const DESCRIPTOR: Descriptor;
    /// The path of the Rust type.
    const SOURCE: &'static str;
    /// The declared errors.
    const ERRORS: &'static [ErrorSource] = &[];
}

#[diagnostic::do_not_recommend]
impl<T: Declare + 'static> Capability for T {
    type Request = T::Request;
    type Response = T::Response;
    const NAME: &'static str = T::DESCRIPTOR.name;

    fn descriptor() -> &'static Descriptor {
        &derived::<T>().descriptor
    }

    fn declared() -> DeclaredCapability {
        derived::<T>().declared.clone()
    }
}

/// The descriptor and the entry of a declaration, computed on first use.
struct Derived {
    descriptor: Descriptor,
    declared: DeclaredCapability,
}

fn derived<T: Declare + 'static>() -> &'static Derived {
    static ALL: PerType<Derived> = PerType::new();
    ALL.get(TypeId::of::<T>(), &|| {
        Derived::new(T::DESCRIPTOR, T::SOURCE, [T::Request::schema(), T::Response::schema()], T::ERRORS)
    })
}

impl Derived {
    fn new(
        mut descriptor: Descriptor,
        source: &'static str,
        sides: [&'static PayloadSchema; 2],
        errors: &'static [ErrorSource],
    ) -> Self {
        // Documentation that a macro makes may turn out to be empty only here.
        descriptor.description = descriptor.description.filter(|description| !description.is_empty());
        let entry = with_schemas(&descriptor, sides, errors);
        if !errors.is_empty() {
            let completed: Vec<ErrorDescriptor> = errors.iter().map(ErrorSource::completed).collect();
            descriptor.errors = Box::leak(completed.into());
        }
        Self { descriptor: completed(descriptor, entry.as_ref().ok()), declared: DeclaredCapability { source, entry } }
    }
}

fn with_schemas(
    descriptor: &Descriptor,
    sides: [&'static PayloadSchema; 2],
    errors: &[ErrorSource],
) -> Result<Entry, Vec<UnsupportedSchema>> {
    let mut problems: Vec<UnsupportedSchema> = Vec::new();
    let mut schemas = sides.map(|side| match side.declared()? {
        Ok(schema) => Some(schema.clone()),
        Err(unsupported) => {
            for problem in unsupported {
                // A type that is on both sides is reported once.
                if !problems.contains(problem) {
                    problems.push(problem.clone());
                }
            }
            None
        }
    });
    let mut declared_errors = Vec::with_capacity(errors.len());
    for error in errors {
        match error.declared() {
            Ok(error) => declared_errors.push(error),
            Err(unsupported) => problems.extend(unsupported),
        }
    }
    let entry = entry(descriptor);
    if !problems.is_empty() {
        return Err(problems);
    }
    let [input, output] = schemas.each_mut().map(Option::take);
    let input = input.map(|schema| without_description(schema, descriptor.description));
    Ok(Entry { input, output, errors: declared_errors, ..entry? })
}

/// The schema of a request without the description that the capability has already: both come from the same doc
/// comment.
fn without_description(schema: Schema, description: Option<&str>) -> Schema {
    let Some(members) = schema.source().as_object() else { return schema };
    if description.is_none() || members.get("description").and_then(Json::as_str) != description {
        return schema;
    }
    let kept = members.iter().filter(|(key, _)| key != "description").cloned().collect();
    Schema::parse(&Json::Object(kept)).unwrap_or(schema)
}

/// The descriptor with its hash and schemas. Without an entry, it has no hash, and schemas that accept nothing.
fn completed(descriptor: Descriptor, entry: Option<&Entry>) -> Descriptor {
    let (hash, input, output) = match entry {
        Some(entry) => {
            let canonical = |schema: &Option<Schema>| schema.as_ref().map(|schema| leaked(schema.canonical()));
            (leaked(entry.hash().to_string()), canonical(&entry.input), canonical(&entry.output))
        }
        None => ("", Some("false"), Some("false")),
    };
    let mut completed = descriptor;
    (completed.hash, completed.input_schema, completed.output_schema) = (hash, input, output);
    completed
}

/// A text that lives as long as the program. There is one for each property of each type, so the memory is bounded.
pub(super) fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
