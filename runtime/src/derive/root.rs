//! Schemas of types that are known at run time alone.

use std::borrow::Cow;
use std::cell::Cell;

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// What schemars' derive has made of a type. Its generator takes types, and what it does would be compiled again for each:
/// so there is one type, [`Stand`], that stands for all of them.
#[derive(Clone, Copy)]
pub(super) struct Root {
    name: fn() -> Cow<'static, str>,
    id: fn() -> Cow<'static, str>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

thread_local! {
    /// The type that `Stand` stands for.
    static CURRENT: Cell<Root> = const { Cell::new(Root::of::<bool>()) };
}

impl Root {
    pub(super) const fn of<T: JsonSchema>() -> Self {
        Self { name: T::schema_name, id: T::schema_id, schema: T::json_schema }
    }

    pub(super) fn name(self) -> Cow<'static, str> {
        (self.name)()
    }

    /// The schema of the type, with its definitions.
    pub(super) fn generate(self, generator: SchemaGenerator) -> Schema {
        let outer = CURRENT.replace(self);
        let schema = generator.into_root_schema_for::<Stand>();
        CURRENT.set(outer);
        schema
    }
}

struct Stand;

impl JsonSchema for Stand {
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
