//! The limits of strict schemas in OpenAI's API.

use capgen_schema::{Json, Object};

/// The properties of all objects of a schema, as the guide to structured outputs limits them; so are the next limits.
/// The API rejects a schema beyond one.
const MAX_PROPERTIES: usize = 5_000;
const MAX_LEVELS: usize = 10;
const MAX_VALUES: usize = 1_000;
const MAX_CHARACTERS: usize = 120_000;
/// An `enum` with more values than this may have fewer characters.
const MANY_VALUES: usize = 250;
const MAX_CHARACTERS_OF_MANY: usize = 15_000;

/// The first limit that a schema exceeds, as a phrase.
pub(super) fn exceeded(schema: &Json) -> Option<&'static str> {
    let mut size = Size::default();
    size.add(schema, 0);
    [
        (size.properties > MAX_PROPERTIES, "5,000 properties"),
        (size.levels > MAX_LEVELS, "10 levels of objects"),
        (size.values > MAX_VALUES, "1,000 values in `enum`"),
        (size.characters > MAX_CHARACTERS, "120,000 characters in names and values"),
        (size.has_long_enum, "15,000 characters in an `enum` with more than 250 values"),
    ]
    .into_iter()
    .find_map(|(is_exceeded, limit)| is_exceeded.then_some(limit))
}

#[derive(Default)]
struct Size {
    properties: usize,
    levels: usize,
    values: usize,
    characters: usize,
    has_long_enum: bool,
}

impl Size {
    /// Adds a schema inside `level` objects. The recursion is bounded, because schemas of contracts have at most 64
    /// levels.
    fn add(&mut self, schema: &Json, level: usize) {
        let Some(members) = schema.as_object() else { return };
        let level = level + usize::from(members.get("properties").is_some());
        self.levels = self.levels.max(level);
        for (key, value) in members {
            match (key.as_str(), value) {
                ("properties", Json::Object(properties)) => {
                    self.properties += properties.len();
                    self.names(properties);
                    properties.iter().for_each(|(_, schema)| self.add(schema, level));
                }
                ("$defs", Json::Object(definitions)) => {
                    self.names(definitions);
                    definitions.iter().for_each(|(_, schema)| self.add(schema, 0));
                }
                ("enum", Json::Array(values)) => self.enumeration(values),
                ("const", value) => self.characters += value.as_str().map_or(0, length),
                ("items", schema) => self.add(schema, level),
                ("anyOf", Json::Array(branches)) => branches.iter().for_each(|schema| self.add(schema, level)),
                _ => {}
            }
        }
    }

    fn names(&mut self, members: &Object) {
        self.characters += members.iter().map(|(name, _)| length(name)).sum::<usize>();
    }

    fn enumeration(&mut self, values: &[Json]) {
        let characters = values.iter().filter_map(Json::as_str).map(length).sum::<usize>();
        self.values += values.len();
        self.characters += characters;
        self.has_long_enum |= values.len() > MANY_VALUES && characters > MAX_CHARACTERS_OF_MANY;
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}
