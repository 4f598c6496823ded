//! The schema of a map whose keys have a type of their own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The schema of a map from `K` to `V`, in which the names of properties have the schema of `K`.
///
/// schemars describes a map by the type of its values. Of the type of its keys, it keeps a pattern, the variants of an
/// enum and integers, but no length, no format, and no reference to another type, so that the schema accepts names that
/// serde rejects. Write this type as the schema of the field:
///
/// ```
/// use std::collections::BTreeMap;
///
/// use capgen::{Capability, MapSchema};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
/// struct TravellerId(#[schemars(length(min = 1, max = 8))] String);
///
/// /// Assign seats.
/// #[derive(Serialize, Deserialize, JsonSchema, Capability)]
/// struct AssignSeats {
///     #[schemars(with = "MapSchema<TravellerId, u16>")]
///     seats: BTreeMap<TravellerId, u16>,
/// }
/// let schema = AssignSeats::descriptor().input_schema.unwrap_or_default();
/// assert!(schema.contains(r#""propertyNames":{"maxLength":8,"minLength":1"#), "{schema}");
/// ```
///
/// If the keys are not strings that the subset of schemas can express, the export of the contract reports the field.
pub struct MapSchema<K, V>(PhantomData<(K, V)>);

impl<K: JsonSchema, V: JsonSchema> JsonSchema for MapSchema<K, V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Map_from_{}_to_{}", K::schema_name(), V::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::MapSchema<{}, {}>", module_path!(), K::schema_id(), V::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let key = K::json_schema(generator);
        // Keys that are written as other texts than the values: schemars describes integers, and nothing describes
        // `bool`.
        let names = match key.get("type").and_then(Value::as_str) {
            Some("integer") => return BTreeMap::<K, V>::json_schema(generator),
            Some("boolean") => json!({"enum": ["true", "false"]}),
            _ => names(key),
        };
        let values = generator.subschema_for::<V>();
        json_schema!({"type": "object", "propertyNames": names, "additionalProperties": values})
    }
}

/// The schema of keys. The variants of an enum with documentation are constants, of which names have only the values.
fn names(key: Schema) -> Value {
    let variants = key.get("oneOf").and_then(Value::as_array);
    let texts = |variant: &Value| match (variant.get("const"), variant.get("enum").and_then(Value::as_array)) {
        (Some(text), _) => Some(vec![text.clone()]),
        (None, Some(texts)) => Some(texts.clone()),
        (None, None) => None,
    };
    match variants.and_then(|variants| variants.iter().map(texts).collect::<Option<Vec<_>>>()) {
        Some(texts) => json!({"enum": texts.concat()}),
        None => key.to_value(),
    }
}
