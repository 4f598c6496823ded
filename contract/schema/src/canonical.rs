//! The canonical form of JSON values and schemas ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)).

use crate::canonical_text::compare_names;
use crate::write::{Order, text};
use crate::{Hash, Json, NodeId, Schema, Subschemas};

/// Keywords without effect on validation. They are not part of a schema's hash, so a changed description is not a
/// changed contract.
pub const ANNOTATIONS: [&str; 9] =
    ["title", "description", "x-format", "deprecated", "readOnly", "writeOnly", "default", "examples", "$comment"];

impl Json {
    /// The canonical text of [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785), except that numbers keep all their
    /// digits even if binary64 cannot represent them, and that integers have no exponent. Two values are equal if and
    /// only if their texts are. [`canonical_text`](crate::canonical_text) compares this rule for numbers with that of
    /// the events of a registry.
    ///
    /// ```
    /// use capgen_schema::Json;
    /// let json = Json::try_from(&serde_json::json!({"b": 1.0, "a": "\u{7}"}))?;
    /// assert_eq!(json.canonical(), r#"{"a":"\u0007","b":1}"#);
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn canonical(&self) -> String {
        text(self, Order::Canonical)
    }
}

impl Schema {
    /// The canonical text of the schema without its annotations, those in [`ANNOTATIONS`]. Schemas that differ only in
    /// annotations have the same text. Properties and values with these names are kept.
    pub fn canonical(&self) -> String {
        strip(&self.source).canonical()
    }

    /// The schema whose text is the [canonical text](Self::canonical): without annotations, and with sorted properties.
    ///
    /// ```
    /// let schema = capgen_schema::Schema::parse_text(r#"{"type": "string", "title": "Id", "maxLength": 9}"#)
    ///     .map_err(|error| error.to_string())?;
    /// let names: Vec<_> = schema.canonical_json().as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    /// assert_eq!(names, ["maxLength", "type"]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn canonical_json(&self) -> Json {
        sorted(&strip(&self.source))
    }

    /// The canonical text, without annotations, of the member of [`definitions`](Self::definitions) at an index.
    ///
    /// ```
    /// use capgen_schema::Schema;
    /// let text = r##"{"$ref": "#/definitions/a", "definitions": {"a": {"title": "A", "type": "null"}}}"##;
    /// let schema = Schema::parse_text(text)?;
    /// assert_eq!(schema.canonical_definition(0).as_deref(), Some(r#"{"type":"null"}"#));
    /// # Ok::<(), capgen_schema::SchemaTextError>(())
    /// ```
    pub fn canonical_definition(&self, index: usize) -> Option<String> {
        let members = self.source.get("definitions")?.as_object()?;
        members.iter().nth(index).map(|(_, schema)| strip(schema).canonical())
    }

    /// The canonical text, without annotations, of a subschema. References stay as they are.
    ///
    /// ```
    /// use capgen_schema::Schema;
    /// let schema = Schema::parse_text(r#"{"items": {"title": "A", "type": "null"}}"#)?;
    /// let items = schema.assertions(schema.root()).and_then(|group| group.items).ok_or("no items")?;
    /// assert_eq!(schema.canonical_subschema(items).as_deref(), Some(r#"{"type":"null"}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn canonical_subschema(&self, id: NodeId) -> Option<String> {
        self.source.pointer(&self.node(id).pointer).map(|schema| strip(schema).canonical())
    }

    /// The SHA-256 hash of the [canonical text](Self::canonical).
    pub fn hash(&self) -> Hash {
        Hash::of(self.canonical())
    }
}

/// A schema without annotations. The recursion is bounded, because the loader limits the nesting of subschemas.
fn strip(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let asserting = members.iter().filter(|(name, _)| !ANNOTATIONS.contains(&name.as_str()));
    Json::Object(
        asserting
            .map(|(name, value)| (name.clone(), Subschemas::map(name, value, |_, schema| strip(schema))))
            .collect(),
    )
}

/// The value with the members of its objects in canonical order.
fn sorted(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| compare_names(a, b));
            Json::Object(members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect())
        }
        scalar => scalar.clone(),
    }
}
