//! The payload of a registration as text that shares equal schemas.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::canonical::{write, write_object};

/// The members that contain schemas, in the order of the canonical form.
const SCHEMAS: [&str; 2] = ["input_schema", "output_schema"];

/// The canonical text of a payload. Agents that offer the same contract with other properties share its schemas, which
/// are most of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PayloadText {
    /// The text without the schemas.
    rest: Box<str>,
    /// The texts of [`SCHEMAS`], each with its place in `rest`.
    schemas: [Option<(u32, Arc<str>)>; 2],
}

/// Texts of schemas, each of them once.
#[derive(Default, Debug)]
pub(crate) struct SchemaTexts {
    texts: HashSet<Arc<str>>,
    bytes: usize,
}

/// The limit of the texts that are kept for sharing, in bytes. Registries with more share those that come close to each
/// other; the limit is only for the memory of texts that no registration uses any more. The schemas of at least 128
/// registrations fit, each of at most 256 KiB.
const MAX_SCHEMAS: usize = 32 << 20;

impl SchemaTexts {
    /// Replaces a text by the equal one that is known.
    fn share(&mut self, text: &mut Arc<str>) {
        if let Some(known) = self.texts.get(text) {
            *text = known.clone();
            return;
        }
        if self.bytes > MAX_SCHEMAS {
            *self = Self::default();
        }
        self.bytes += text.len();
        self.texts.insert(text.clone());
    }
}

impl PayloadText {
    pub(super) fn new(payload: &Map<String, Value>) -> Self {
        let (mut rest, mut schemas) = (String::new(), [None, None]);
        write_object(&mut rest, payload.iter().map(|(name, value)| (name, (name, value))), |rest, (name, value)| {
            let place = SCHEMAS.iter().position(|schema| schema == name).and_then(|index| schemas.get_mut(index));
            match (place, u32::try_from(rest.len())) {
                (Some(schema), Ok(at)) => {
                    let mut text = String::new();
                    write(&mut text, value);
                    *schema = Some((at, text.into()));
                }
                _ => write(rest, value),
            }
        });
        Self { rest: rest.into(), schemas }
    }

    /// Shares the schemas with those of other payloads.
    pub(super) fn share(&mut self, known: &mut SchemaTexts) {
        self.schemas.iter_mut().flatten().for_each(|(_, text)| known.share(text));
    }

    /// The parts of the text in their order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let mut from = 0;
        let schemas = self.schemas.iter().flatten().flat_map(move |(at, schema)| {
            let at = usize::try_from(*at).unwrap_or(usize::MAX);
            let before = self.rest.get(from..at).unwrap_or_default();
            from = at;
            [before, &**schema]
        });
        let last = self.schemas.iter().flatten().last().map_or(0, |(at, _)| usize::try_from(*at).unwrap_or(usize::MAX));
        schemas.chain([self.rest.get(last..).unwrap_or_default()])
    }

    /// The canonical text of a schema; none if the payload has none.
    pub(super) fn schema(&self, name: &str) -> Option<&str> {
        let index = SCHEMAS.iter().position(|schema| *schema == name)?;
        self.schemas.get(index)?.as_ref().map(|(_, text)| &**text)
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.parts().collect()
    }

    /// Whether this is the whole text.
    pub(super) fn is(&self, mut text: &str) -> bool {
        for part in self.parts() {
            match text.strip_prefix(part) {
                Some(rest) => text = rest,
                None => return false,
            }
        }
        text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::canonical::canonical;

    #[test]
    fn a_payload_is_written_as_it_was_read() {
        for payload in [
            json!({}),
            json!({"a": 1, "z": [null]}),
            json!({"input_schema": {"type": "string"}, "version": "1.0.0"}),
            json!({"output_schema": true, "b": {"input_schema": 1}}),
            json!({"agent_id": "é", "input_schema": {"minimum": 0.5}, "metadata": {}, "output_schema": {"type": "string"}, "x": 1}),
            json!({"input_schema": {}, "output_schema": {}}),
        ] {
            let text = PayloadText::new(payload.as_object().unwrap());
            let expected = canonical(&payload);
            assert_eq!(text.text(), expected);
            assert!(
                text.is(&expected) && !text.is(&format!("{expected} ")) && !text.is(expected.trim_start_matches('{'))
            );
            assert_eq!(text.schema("input_schema").map(str::to_owned), payload.get("input_schema").map(canonical));
            assert_eq!(text.schema("output_schema").map(str::to_owned), payload.get("output_schema").map(canonical));
        }
    }

    #[test]
    fn equal_schemas_are_shared() {
        let mut known = SchemaTexts::default();
        let mut with = |n: u32| {
            let payload = json!({"input_schema": {"type": "string"}, "metadata": {"priority": n}});
            let mut text = PayloadText::new(payload.as_object().unwrap());
            text.share(&mut known);
            text
        };
        let (one, other) = (with(1), with(2));
        let [Some((_, one)), None] = one.schemas else { panic!("one schema") };
        let [Some((_, other)), None] = other.schemas else { panic!("one schema") };
        assert!(Arc::ptr_eq(&one, &other));
    }
}
