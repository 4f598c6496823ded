//! Schemas that differ from another one in a single place, as two versions of a contract do.

use capgen_schema::{Format, Json, Number, Object};

use super::Random;
use super::pools::{DIVISORS, NAMES, PATTERNS};

/// The keywords whose value is a schema.
const SINGLE: [&str; 8] = ["items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else"];

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
                ("definitions" | "patternProperties" | "properties", Json::Object(schemas)) => {
                    let schema = |(name, schema): &(String, Json)| (name.clone(), self.mutate(schema, target, visited));
                    Json::Object(schemas.iter().map(schema).collect())
                }
                ("allOf" | "anyOf" | "oneOf" | "items", Json::Array(schemas)) => {
                    Json::Array(schemas.iter().map(|schema| self.mutate(schema, target, visited)).collect())
                }
                (name, schema) if SINGLE.contains(&name) => self.mutate(schema, target, visited),
                _ => value.clone(),
            };
            (name.clone(), value)
        };
        Json::Object(members.iter().map(member).collect())
    }

    /// The schema with one change of its own keywords, or inside a union.
    fn with_other_keywords(&mut self, schema: &Json) -> Json {
        let Some(members) = schema.as_object() else { return Json::Bool(*schema != Json::Bool(true)) };
        let mut members: Vec<(String, Json)> = members.iter().cloned().collect();
        match self.below(24) {
            0 | 1 => {
                let keywords: Vec<usize> =
                    (0..members.len()).filter(|index| members[*index].0 != "definitions").collect();
                if !keywords.is_empty() {
                    members.remove(self.pick(&keywords));
                }
            }
            2 => set(&mut members, "additionalProperties", Json::Bool(self.one_in(2))),
            3 => set(&mut members, "additionalProperties", self.small_schema()),
            4 | 5 => self.change_required(&mut members),
            6 | 7 => self.change_properties(&mut members),
            8 => self.change_types(&mut members),
            9 => {
                let (name, text) = if self.one_in(2) {
                    ("pattern", self.pick(&PATTERNS).0)
                } else {
                    ("format", self.pick(&Format::ALL).name())
                };
                set(&mut members, name, text.into());
            }
            10 => return object(vec![("anyOf".to_owned(), Json::Array(vec![schema.clone(), self.small_schema()]))]),
            11 => set(&mut members, "not", self.small_schema()),
            12 => self.change_values(&mut members),
            13 | 14 => self.change_branches(&mut members),
            15 => self.change_exclusiveness(&mut members),
            16 => {
                let name = self.pick(&[
                    "minItems",
                    "maxItems",
                    "minLength",
                    "maxLength",
                    "minProperties",
                    "maxProperties",
                    "minimum",
                    "maximum",
                ]);
                set(&mut members, name, Json::Number(i64::try_from(self.below(4)).unwrap_or(0).into()));
            }
            17 => match self.one_in(2) {
                true => set(&mut members, "uniqueItems", Json::Bool(self.one_in(2))),
                false => set(&mut members, "items", self.small_schema()),
            },
            19 => set(&mut members, "propertyNames", self.property_names()),
            18 => set(&mut members, "multipleOf", Json::Number(self.pick(&DIVISORS).0.parse().expect("a number"))),
            20 => set(&mut members, "contains", self.small_schema()),
            21 => {
                members.retain(|(name, _)| !matches!(name.as_str(), "if" | "then" | "else"));
                let depth = self.below(2);
                self.condition(&mut |name, value| members.push((name.to_owned(), value)), depth, &[]);
            }
            _ => self.change_number(&mut members),
        }
        let has = |members: &[(String, Json)], name: &str| members.iter().any(|(other, _)| other == name);
        if !has(&members, "if") || !(has(&members, "then") || has(&members, "else")) {
            // They have a meaning only together.
            members.retain(|(name, _)| !matches!(name.as_str(), "if" | "then" | "else"));
        }
        if !members.iter().any(|(name, value)| name == "items" && value.as_array().is_some()) {
            // It has a meaning only next to a list.
            members.retain(|(name, _)| name != "additionalItems");
        }
        object(members)
    }

    fn small_schema(&mut self) -> Json {
        let depth = self.below(2);
        self.place(depth, &[])
    }

    /// Adds a name, or removes one.
    fn change_required(&mut self, members: &mut Vec<(String, Json)>) {
        let mut required = list(members, "required");
        if !required.is_empty() && self.one_in(2) {
            required.remove(self.below(required.len()));
        } else {
            let declared: Vec<String> = properties(members).into_iter().map(|(name, _)| name).collect();
            let name = if declared.is_empty() || self.one_in(3) {
                self.pick(&NAMES).to_owned()
            } else {
                declared[self.below(declared.len())].clone()
            };
            if !required.contains(&Json::String(name.clone())) {
                required.push(Json::String(name));
            }
        }
        set(members, "required", Json::Array(required));
    }

    /// Adds, replaces or removes a property.
    fn change_properties(&mut self, members: &mut Vec<(String, Json)>) {
        let mut properties = properties(members);
        if !properties.is_empty() && self.one_in(2) {
            properties.remove(self.below(properties.len()));
        } else {
            let (name, schema) = (self.pick(&NAMES), self.small_schema());
            set(&mut properties, name, schema);
        }
        set(members, "properties", object(properties));
    }

    fn change_types(&mut self, members: &mut Vec<(String, Json)>) {
        const NAMES: [&str; 7] = ["integer", "number", "string", "object", "array", "null", "boolean"];
        let mut types = match members.iter().find(|(name, _)| name == "type").map(|(_, value)| value) {
            Some(Json::Array(types)) => types.clone(),
            Some(name) => vec![name.clone()],
            None => Vec::new(),
        };
        let name: Json = self.pick(&NAMES).into();
        match self.below(3) {
            0 if types.len() > 1 => {
                types.remove(self.below(types.len()));
            }
            1 => types = vec![name],
            _ if !types.contains(&name) => types.push(name),
            _ => {}
        }
        set(members, "type", Json::Array(types));
    }

    /// Adds or removes a value of `enum`, or replaces `const`.
    fn change_values(&mut self, members: &mut Vec<(String, Json)>) {
        let mut values = list(members, "enum");
        if values.len() > 1 && self.one_in(2) {
            values.remove(self.below(values.len()));
        } else {
            let before = members.iter().find(|(name, _)| name == "const").map(|(_, value)| value.clone());
            members.retain(|(name, _)| name != "const");
            values.extend(before);
            let value = self.value(1);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        set(members, "enum", Json::Array(values));
    }

    /// Adds or removes a branch, or replaces the keyword of the union by another one.
    fn change_branches(&mut self, members: &mut Vec<(String, Json)>) {
        const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];
        let known = UNIONS.into_iter().find(|name| members.iter().any(|(other, _)| other == name));
        let name = known.unwrap_or(self.pick(&UNIONS));
        let mut branches = list(members, name);
        match self.below(3) {
            0 if branches.len() > 1 => {
                branches.remove(self.below(branches.len()));
            }
            1 if known.is_some() => {
                members.retain(|(other, _)| other != name);
                return set(members, self.pick(&UNIONS), Json::Array(branches));
            }
            _ => branches.push(self.small_schema()),
        }
        set(members, name, Json::Array(branches));
    }

    /// `minimum` becomes `exclusiveMinimum` or the reverse; the same for the maximum.
    fn change_exclusiveness(&mut self, members: &mut [(String, Json)]) {
        const PAIRS: [(&str, &str); 2] = [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")];
        let names: Vec<String> = members.iter().map(|(name, _)| name.clone()).collect();
        for (one, other) in PAIRS {
            for (from, to) in [(one, other), (other, one)] {
                let is_new = names.iter().all(|name| name != to);
                if let Some((name, _)) = members.iter_mut().find(|(name, _)| name == from && is_new) {
                    *name = to.to_owned();
                    return;
                }
            }
        }
    }

    /// Changes the number of a keyword, most often by one.
    fn change_number(&mut self, members: &mut Vec<(String, Json)>) {
        let keywords: Vec<usize> = (0..members.len()).filter(|index| members[*index].1.as_number().is_some()).collect();
        if keywords.is_empty() {
            return set(members, "minLength", Json::Number(1_i64.into()));
        }
        let value = &mut members[self.pick(&keywords)].1;
        let by = if self.one_in(2) { 1 } else { -1 };
        let near = value.as_number().and_then(Number::as_i64).and_then(|number| number.checked_add(by));
        let other = i64::try_from(self.below(5)).unwrap_or(0);
        *value = Json::Number(near.filter(|_| !self.one_in(4)).unwrap_or(other).into());
    }
}

fn object(members: Vec<(String, Json)>) -> Json {
    Json::Object(members.into_iter().collect::<Object>())
}

fn set(members: &mut Vec<(String, Json)>, name: &str, value: Json) {
    members.retain(|(other, _)| other != name);
    members.push((name.to_owned(), value));
}

fn list(members: &[(String, Json)], name: &str) -> Vec<Json> {
    let value = members.iter().find(|(other, _)| other == name);
    value.and_then(|(_, value)| value.as_array()).unwrap_or_default().to_vec()
}

fn properties(members: &[(String, Json)]) -> Vec<(String, Json)> {
    let properties = members.iter().find(|(name, _)| name == "properties").map(|(_, value)| value);
    properties.and_then(Json::as_object).into_iter().flatten().cloned().collect()
}

/// The number of subschemas.
fn count(schema: &Json) -> usize {
    let below = |(name, value): &(String, Json)| match (name.as_str(), value) {
        ("definitions" | "patternProperties" | "properties", Json::Object(schemas)) => {
            schemas.iter().map(|(_, schema)| count(schema)).sum()
        }
        ("allOf" | "anyOf" | "oneOf" | "items", Json::Array(schemas)) => schemas.iter().map(count).sum(),
        (name, schema) if SINGLE.contains(&name) => count(schema),
        _ => 0,
    };
    1 + schema.as_object().into_iter().flatten().map(below).sum::<usize>()
}
