//! Generating schemas without generic code for each type.

use std::borrow::Cow;
use std::cell::Cell;

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// The functions of schemars' derive for a type.
///
/// schemars' generator is generic over the root type, so it would be compiled again for each type. Instead, it is
/// called with one type, [`Placeholder`], which calls these functions.
#[derive(Clone, Copy)]
pub(super) struct RootType {
    name: fn() -> Cow<'static, str>,
    id: fn() -> Cow<'static, str>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

thread_local! {
    /// The type that `Placeholder` represents at the moment.
    static CURRENT: Cell<RootType> = const { Cell::new(RootType::of::<bool>()) };
}

impl RootType {
    pub(super) const fn of<T: JsonSchema>() -> Self {
        Self { name: T::schema_name, id: T::schema_id, schema: T::json_schema }
    }

    pub(super) fn name(self) -> Cow<'static, str> {
        (self.name)()
    }

    /// The schema of the type, with its definitions.
    pub(super) fn generate(self, generator: SchemaGenerator) -> Schema {
        let outer = CURRENT.replace(self);
        let schema = generator.into_root_schema_for::<Placeholder>();
        CURRENT.set(outer);
        schema
    }
}

struct Placeholder;

impl JsonSchema for Placeholder {
    fn schema_name() -> Cow<'static, str> {
        CURRENT.get().name()
    }

    fn schema_id() -> Cow<'static, str> {
        (CURRENT.get().id)()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        (CURRENT.get().schema)(generator)
    }
}
