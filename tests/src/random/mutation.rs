//! Schemas that differ from another one in a single place, as two versions of a contract do.

use capgen_schema::{Json, Object};

use super::Random;
use super::pools::{NAMES, PATTERNS};

impl Random {
    /// The schema with one change somewhere. The result may be outside the subset, and it may be equal to the schema.
    pub fn mutated(&mut self, schema: &Json) -> Json {
        let target = self.below(count(schema).max(1));
        let mut visited = 0;
        self.mutate(schema, target, &mut visited)
    }

    fn mutate(&mut self, schema: &Json, target: usize, visited: &mut usize) -> Json {
        let is_target = *visited == target;
        *visited += 1;
        if is_target {
            return self.with_other_keywords(schema);
        }
        let Some(members) = schema.as_object() else { return schema.clone() };
        let member = |(name, value): &(String, Json)| {
            let value = match (name.as_str(), value) {
                ("properties" | "definitions", Json::Object(schemas)) => {
                    let schema = |(name, schema): &(String, Json)| (name.clone(), self.mutate(schema, target, visited));
                    Json::Object(schemas.iter().map(schema).collect())
                }
                ("allOf" | "anyOf" | "oneOf", Json::Array(schemas)) => {
                    Json::Array(schemas.iter().map(|schema| self.mutate(schema, target, visited)).collect())
                }
                ("items" | "additionalProperties" | "not", schema) => self.mutate(schema, target, visited),
                _ => value.clone(),
            };
            (name.clone(), value)
        };
        Json::Object(members.iter().map(member).collect())
    }

    /// The schema with one change of its own keywords.
    fn with_other_keywords(&mut self, schema: &Json) -> Json {
        let Some(members) = schema.as_object() else { return Json::Bool(*schema != Json::Bool(true)) };
        let mut members: Vec<(String, Json)> = members.iter().cloned().collect();
        match self.below(10) {
            0 if !members.is_empty() => {
                members.remove(self.below(members.len()));
            }
            1 => set(&mut members, "additionalProperties", Json::Bool(self.one_in(2))),
            2 => {
                let name = self.pick(&NAMES);
                set(&mut members, "required", Json::Array(vec![name.into()]));
            }
            3 => {
                let (name, schema) = (self.pick(&NAMES), self.schema());
                let properties = members.iter().find(|(name, _)| name == "properties").map(|(_, value)| value.clone());
                let mut properties: Vec<(String, Json)> =
                    properties.iter().filter_map(Json::as_object).flatten().cloned().collect();
                set(&mut properties, name, schema);
                set(&mut members, "properties", object(properties));
            }
            4 => set(&mut members, "type", self.pick(&["integer", "number", "string", "object"]).into()),
            5 => set(&mut members, "pattern", self.pick(&PATTERNS).0.into()),
            6 => return object(vec![("anyOf".to_owned(), Json::Array(vec![schema.clone(), self.schema()]))]),
            7 => set(&mut members, "not", self.schema()),
            _ => {
                let numbers = members.iter_mut().filter(|(_, value)| value.as_number().is_some());
                match numbers.last() {
                    Some((_, value)) => *value = Json::Number(i64::try_from(self.below(5)).unwrap_or(0).into()),
                    None => set(&mut members, "minLength", Json::Number(1_i64.into())),
                }
            }
        }
        object(members)
    }
}

fn object(members: Vec<(String, Json)>) -> Json {
    Json::Object(members.into_iter().collect::<Object>())
}

fn set(members: &mut Vec<(String, Json)>, name: &str, value: Json) {
    members.retain(|(other, _)| other != name);
    members.push((name.to_owned(), value));
}

/// The number of subschemas.
fn count(schema: &Json) -> usize {
    let below = |(name, value): &(String, Json)| match (name.as_str(), value) {
        ("properties" | "definitions", Json::Object(schemas)) => schemas.iter().map(|(_, schema)| count(schema)).sum(),
        ("allOf" | "anyOf" | "oneOf", Json::Array(schemas)) => schemas.iter().map(count).sum(),
        ("items" | "additionalProperties" | "not", schema) => count(schema),
        _ => 0,
    };
    1 + schema.as_object().into_iter().flatten().map(below).sum::<usize>()
}
