//! The schema of a Rust type, as one side of a capability.

use std::borrow::Cow;

use capgen_schema::{Json, Problem, Schema, Validator};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::once::PerType;
use super::path::Unsayable;
use super::{codec, names};
use crate::{InvalidPayload, Options, Payload, wire};

/// A type with a schema. It stands for [`JsonSchema`] where the compiler should say what to write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "a side of a capability needs a schema",
    note = "write `#[derive(schemars::JsonSchema)]` on `{Self}`"
)]
pub trait Described: JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Described for T {}

/// A type that is one side of a capability: from this it follows that it is a [`Payload`].
pub trait Sided {
    /// Which side, and so which schema.
    const SIDE: Side;
}

impl<T: Sided + Serialize + DeserializeOwned> Payload for T {
    fn schema() -> &'static wire::Schema {
        &T::SIDE.get().wire
    }

    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload> {
        codec::read(json, options)
    }

    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        codec::write(self, options)
    }

    fn side() -> Option<Side> {
        Some(T::SIDE)
    }
}

/// A side of a capability.
#[derive(Clone, Copy)]
pub struct Side(fn() -> &'static TypeSchema);

/// What schemars says of a type, in the subset.
pub(crate) struct TypeSchema {
    pub(crate) schema: Result<Schema, Vec<Unsayable>>,
    pub(crate) wire: wire::Schema,
}

impl Side {
    /// What a provider reads.
    pub const fn request<T: Described + 'static>() -> Self {
        Self(of_request::<T>)
    }

    /// What a provider writes.
    pub const fn response<T: Described + 'static>() -> Self {
        Self(of_response::<T>)
    }

    pub(super) fn get(self) -> &'static TypeSchema {
        self.0()
    }
}

fn of_request<T: Described + 'static>() -> &'static TypeSchema {
    static REQUESTS: PerType<TypeSchema> = PerType::new();
    REQUESTS.get::<T>(|| TypeSchema::new(settings().for_deserialize(), &root::<T>, T::schema_name()))
}

fn of_response<T: Described + 'static>() -> &'static TypeSchema {
    static RESPONSES: PerType<TypeSchema> = PerType::new();
    RESPONSES.get::<T>(|| TypeSchema::new(settings().for_serialize(), &root::<T>, T::schema_name()))
}

fn root<T: JsonSchema>(generator: SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<T>()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft07().with(|settings| settings.meta_schema = None)
}

impl TypeSchema {
    fn new(
        settings: SchemaSettings,
        root: &dyn Fn(SchemaGenerator) -> schemars::Schema,
        name: Cow<'static, str>,
    ) -> Self {
        let generate = |taken: &[String]| {
            let mut generator = settings.clone().into_generator();
            names::take(&mut generator, taken);
            foreign(root(generator), &name)
        };
        let schema = load(&names::settled(&generate), &name);
        let wire = match &schema {
            Ok(schema) => wire::Schema::compiled(Validator::new(schema)),
            Err(unsayable) => {
                wire::Schema::unusable(unsayable.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
        };
        Self { schema, wire }
    }
}

/// What schemars made, without the name of the type where nobody wrote another title.
fn foreign(mut schema: schemars::Schema, name: &str) -> Json {
    if schema.get("title").and_then(|title| title.as_str()) == Some(name) {
        schema.remove("title");
    }
    // Its numbers are those of `serde_json`, which this cannot refuse.
    Json::try_from(schema.as_value()).unwrap_or(Json::Bool(false))
}

fn load(foreign: &Json, name: &str) -> Result<Schema, Vec<Unsayable>> {
    let told = |source: &Json, problems: Vec<Problem>| -> Vec<Unsayable> {
        problems.iter().map(|problem| Unsayable::new(name, source, problem)).collect()
    };
    let normal = capgen_schema::normalise(foreign).map_err(|problems| told(foreign, problems))?;
    Schema::parse(&normal).map_err(|problems| told(&normal, problems))
}
