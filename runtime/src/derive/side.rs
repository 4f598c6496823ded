//! The schema of a Rust type, as one side of a capability.

use std::any::TypeId;

use capgen_schema::{Json, Problem, Schema, Validator};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::once::PerType;
use super::path::UnsupportedSchema;
use super::root::Root;
use super::{codec, names, tidy};
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
    const SIDE: Option<Side> = Some(<T as Sided>::SIDE);

    fn schema() -> &'static wire::PayloadSchema {
        &<T as Sided>::SIDE.get().wire
    }

    fn read(json: &str, options: Options) -> Result<Self, InvalidPayload> {
        codec::read(json, options)
    }

    fn write(&self, options: Options) -> Result<Vec<u8>, InvalidPayload> {
        codec::write(self, options)
    }
}

/// A side of a capability.
///
/// It is data: what schemars' derive has made of the type, without anything generic that would be compiled for each type.
#[derive(Clone, Copy)]
pub struct Side {
    contract: fn(SchemaSettings) -> SchemaSettings,
    types: &'static PerType<TypeSchema>,
    id: fn() -> TypeId,
    root: Root,
}

static REQUESTS: PerType<TypeSchema> = PerType::new();
static RESPONSES: PerType<TypeSchema> = PerType::new();

/// What schemars says of a type, in the subset.
pub(crate) struct TypeSchema {
    pub(crate) schema: Result<Schema, Vec<UnsupportedSchema>>,
    pub(crate) wire: wire::PayloadSchema,
}

impl Side {
    /// What a provider reads.
    pub const fn request<T: Described + 'static>() -> Self {
        Self { contract: SchemaSettings::for_deserialize, types: &REQUESTS, id: TypeId::of::<T>, root: Root::of::<T>() }
    }

    /// What a provider writes.
    pub const fn response<T: Described + 'static>() -> Self {
        Self { contract: SchemaSettings::for_serialize, types: &RESPONSES, id: TypeId::of::<T>, root: Root::of::<T>() }
    }

    pub(super) fn get(self) -> &'static TypeSchema {
        self.types.get((self.id)(), &|| TypeSchema::new(&(self.contract)(settings()), self.root))
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft07().with(|settings| settings.meta_schema = None)
}

impl TypeSchema {
    fn new(settings: &SchemaSettings, root: Root) -> Self {
        let name = root.name();
        let generate = |taken: &[String]| {
            let mut generator = settings.clone().into_generator();
            names::take(&mut generator, taken);
            foreign(&root.generate(generator))
        };
        let schema = load(&names::settled(&generate), &name);
        let wire = match &schema {
            Ok(schema) => wire::PayloadSchema::compiled(Validator::new(schema)),
            Err(unsupported) => wire::PayloadSchema::unusable(
                unsupported.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            ),
        };
        Self { schema, wire }
    }
}

fn foreign(schema: &schemars::Schema) -> Json {
    // Its numbers are those of `serde_json`, which this cannot refuse.
    Json::try_from(schema.as_value()).unwrap_or(Json::Bool(false))
}

fn load(foreign: &Json, name: &str) -> Result<Schema, Vec<UnsupportedSchema>> {
    let told = |source: &Json, problems: Vec<Problem>| -> Vec<UnsupportedSchema> {
        problems.iter().map(|problem| UnsupportedSchema::new(name, source, problem)).collect()
    };
    let normal = capgen_schema::normalise(foreign).map_err(|problems| told(foreign, problems))?;
    let normal = tidy::tidy(&normal, name);
    Schema::parse(&normal).map_err(|problems| told(&normal, problems))
}
