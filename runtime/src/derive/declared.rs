//! What is declared in Rust as the manifest has it.

use std::any::TypeId;
use std::sync::OnceLock;

use capgen_manifest::{Capability as Entry, Determinism, SideEffects};
use capgen_schema::{Json, Schema};

use super::once::PerType;
use super::path::Unsayable;
use super::side::Side;
use crate::{Capability, Descriptor, Payload};

/// A capability as the manifest has it.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The path of the Rust type that declares it; empty where a contract does.
    pub source: &'static str,
    /// What the manifest says, or why it can't.
    pub entry: Result<Entry, Vec<Unsayable>>,
}

/// What the derive says of a capability, and what follows from it, made on first use.
///
/// It stands in a static, so that nothing of it is compiled for each capability.
pub struct Slot {
    declared: Descriptor,
    source: &'static str,
    sides: [Option<Side>; 2],
    derived: OnceLock<Derived>,
}

struct Derived {
    descriptor: Descriptor,
    contract: Contract,
}

impl Slot {
    /// What the attributes say, and the path of the type.
    pub const fn of<T: Capability>(declared: Descriptor, source: &'static str) -> Self {
        Self { declared, source, sides: [T::Request::SIDE, T::Response::SIDE], derived: OnceLock::new() }
    }

    /// With the hash and the schemas.
    pub fn descriptor(&'static self) -> &'static Descriptor {
        &self.derived().descriptor
    }

    /// As the manifest has it.
    pub fn contract(&self) -> Contract {
        self.derived().contract.clone()
    }

    fn derived(&self) -> &Derived {
        self.derived.get_or_init(|| self.derive())
    }

    fn derive(&self) -> Derived {
        let Self { declared, source, sides, .. } = *self;
        let mut entry = entry(&declared, sides.map(|side| Some(side?.get().schema.as_ref())));
        if let Ok(entry) = &mut entry {
            entry.input = entry.input.take().map(|schema| said_once(schema, declared.description));
        }
        Derived { descriptor: completed(declared, entry.as_ref().ok()), contract: Contract { source, entry } }
    }
}

/// The slot of an instance of a generic type, for which there is no static.
pub fn generic<T: Capability + 'static>(declared: Descriptor, source: &'static str) -> &'static Slot {
    static ALL: PerType<Slot> = PerType::new();
    ALL.get(TypeId::of::<T>(), &|| Slot::of::<T>(declared, source))
}

/// The schema without the description that the capability has already: both come from one comment.
fn said_once(schema: Schema, description: Option<&str>) -> Schema {
    let Some(members) = schema.source().as_object() else { return schema };
    if description.is_none() || members.get("description").and_then(Json::as_str) != description {
        return schema;
    }
    let kept = members.iter().filter(|(key, _)| key != "description").cloned().collect();
    Schema::parse(&Json::Object(kept)).unwrap_or(schema)
}

/// The descriptor of what can't be said has no hash, and schemas that allow nothing.
fn completed(declared: Descriptor, entry: Option<&Entry>) -> Descriptor {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    match entry {
        Some(entry) => Descriptor {
            hash: leaked(entry.hash().to_string()),
            input_schema: entry.input.as_ref().map(|schema| leaked(schema.canonical())),
            output_schema: entry.output.as_ref().map(|schema| leaked(schema.canonical())),
            ..declared
        },
        None => Descriptor { input_schema: Some("false"), output_schema: Some("false"), ..declared },
    }
}

/// A capability by its descriptor, as generated code has it: without annotations.
pub(crate) fn contract_of(descriptor: &Descriptor) -> Contract {
    let [input, output] = [descriptor.input_schema, descriptor.output_schema].map(|text| text.map(Schema::parse_text));
    let unsayable = |error: &capgen_schema::SchemaTextError| {
        vec![Unsayable { path: descriptor.name.to_owned(), message: error.to_string() }]
    };
    let [input, output] = [input, output].map(|side| side.map(|side| side.map_err(|error| unsayable(&error))));
    let entry = entry(descriptor, [input.as_ref().map(Result::as_ref), output.as_ref().map(Result::as_ref)]);
    Contract { source: "", entry }
}

fn entry(declared: &Descriptor, sides: [Option<Result<&Schema, &Vec<Unsayable>>>; 2]) -> Result<Entry, Vec<Unsayable>> {
    let unsayable: Vec<Unsayable> = sides.iter().flatten().filter_map(|side| side.err()).flatten().cloned().collect();
    if !unsayable.is_empty() {
        return Err(unsayable);
    }
    let [input, output] = sides.map(|side| side.and_then(Result::ok).cloned());
    let version = |key: &str, text: Option<&str>| match text.map(str::parse) {
        Some(Err(error)) => {
            let message = format!("`{key}` must be a semantic version: {error}");
            Err(vec![Unsayable { path: declared.name.to_owned(), message }])
        }
        Some(Ok(version)) => Ok(Some(version)),
        None => Ok(None),
    };
    let text = |text: Option<&str>| text.map(str::to_owned);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Ok(Entry {
        id: text(declared.id),
        description: text(declared.description),
        version: version("version", declared.version)?,
        input,
        output,
        timeout_ms: declared.timeout_ms,
        idempotent: declared.idempotent,
        since: text(declared.since),
        skill: text(declared.skill),
        supported_versions: texts(declared.supported_versions),
        deprecated_versions: texts(declared.deprecated_versions),
        min_schema_version: version("min_schema_version", declared.min_schema_version)?,
        tags: texts(declared.tags),
        side_effects: SideEffects::ALL.into_iter().find(|effects| Some(effects.name()) == declared.side_effects),
        determinism: Determinism::ALL.into_iter().find(|class| Some(class.name()) == declared.determinism),
        latency: text(declared.latency),
        required_roles: texts(declared.required_roles),
        required_scopes: texts(declared.required_scopes),
        ..Entry::new(declared.name)
    })
}
