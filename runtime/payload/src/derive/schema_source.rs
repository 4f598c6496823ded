//! The schema of a Rust type, as the request or the response of a capability.

use std::any::TypeId;

use capgen_schema::{Json, Problem, Schema};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::per_type::PerType;
use super::root_type::RootType;
use super::{names, rust_path, serde_payload, tidy};
use crate::wire::PayloadSchema;
use crate::{InvalidPayload, Options, Payload, UnsupportedSchema};

/// [`JsonSchema`] with an error message that states what to write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "requests and responses of a capability need a schema",
    note = "write `#[derive(schemars::JsonSchema)]` on `{Self}`, with version 1 of schemars",
    note = "the derive of schemars 0.8 implements a different trait: `cargo tree -i schemars` lists the versions in use"
)]
pub trait Described: JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Described for T {}

/// A request or a response whose schema is derived. With serde's traits, it is a [`Payload`].
pub trait DerivedPayload {
    /// The type that the schema is made from.
    const SCHEMA: SchemaSource;
}

impl<T: DerivedPayload + Serialize + DeserializeOwned> Payload for T {
    fn schema() -> &'static PayloadSchema {
        <T as DerivedPayload>::SCHEMA.get()
    }

    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload> {
        serde_payload::read(json, options)
    }

    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        serde_payload::write(self, options)
    }
}

/// A Rust type, as the source of the schema of requests or responses.
///
/// It is data, so that the code that makes the schema is compiled once and not for each type.
#[derive(Clone, Copy)]
pub struct SchemaSource {
    contract: fn(SchemaSettings) -> SchemaSettings,
    schemas: &'static PerType<PayloadSchema>,
    id: fn() -> TypeId,
    root: RootType,
}

static REQUESTS: PerType<PayloadSchema> = PerType::new();
static RESPONSES: PerType<PayloadSchema> = PerType::new();

impl SchemaSource {
    /// The schema of requests, which the provider deserializes.
    pub const fn request<T: Described + 'static>() -> Self {
        let (id, root) = (TypeId::of::<T>, RootType::of::<T>());
        Self { contract: SchemaSettings::for_deserialize, schemas: &REQUESTS, id, root }
    }

    /// The schema of responses, which the provider serializes.
    pub const fn response<T: Described + 'static>() -> Self {
        let (id, root) = (TypeId::of::<T>, RootType::of::<T>());
        Self { contract: SchemaSettings::for_serialize, schemas: &RESPONSES, id, root }
    }

    pub(super) fn get(self) -> &'static PayloadSchema {
        self.schemas
            .get((self.id)(), &|| PayloadSchema::from_declaration(schema(&(self.contract)(settings()), self.root)))
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft07().with(|settings| settings.meta_schema = None)
}

fn schema(settings: &SchemaSettings, root: RootType) -> Result<Schema, Vec<UnsupportedSchema>> {
    let name = root.name();
    let generate = |taken: &[String]| {
        let mut generator = settings.clone().into_generator();
        names::reserve(&mut generator, taken);
        // A schemars schema has only numbers of `serde_json`, which always convert.
        Json::try_from(root.generate(generator).as_value()).unwrap_or(Json::Bool(false))
    };
    load(&names::stable(&generate), &name)
}

/// Normalises and parses a schema of schemars.
fn load(foreign: &Json, name: &str) -> Result<Schema, Vec<UnsupportedSchema>> {
    let unsupported = |source: &Json, problems: Vec<Problem>| -> Vec<UnsupportedSchema> {
        problems.iter().map(|problem| rust_path::unsupported(name, source, problem)).collect()
    };
    let normal = capgen_schema::normalise(foreign).map_err(|problems| unsupported(foreign, problems))?;
    let normal = tidy::tidy(&normal, name);
    Schema::parse(&normal).map_err(|problems| unsupported(&normal, problems))
}
