//! Objects of strict mode, whose properties are all required.

use std::collections::HashSet;

use capgen_schema::{Json, Object, pointer};

use super::schema::Strict;

impl Strict<'_> {
    /// Adds the keywords of an object.
    pub(super) fn object(&mut self, strict: &mut Object, members: &Object, at: &str) {
        let required: HashSet<&str> = members
            .get("required")
            .and_then(Json::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(Json::as_str)
            .collect();
        let mut properties = Object::new();
        let below = pointer::join(at, "properties");
        for (name, schema) in members.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let place = pointer::join(&below, name);
            let is_required = required.contains(name.as_str());
            if *schema == Json::Bool(false) && !is_required {
                // It never has a value, and no other property is allowed anyway.
                continue;
            }
            let mut rewritten = self.rewrite(schema, &place);
            if !is_required {
                if self.allows_null(schema, &place) {
                    self.lose(&place, "optional and nullable: `null` means both");
                }
                rewritten = nullable(rewritten);
            }
            properties.push(name.clone(), rewritten);
        }
        for name in members.get("required").and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str)
        {
            if properties.get(name).is_none() {
                let any = self.rewrite(&Json::Bool(true), &pointer::join(at, "required"));
                properties.push(name.to_owned(), any);
            }
        }
        if members.get("additionalProperties").is_some_and(|schema| *schema != Json::Bool(false)) {
            let place = pointer::join(at, "additionalProperties");
            self.lose(&place, "dropped: strict mode allows only properties that are listed");
        }
        let names = properties.iter().map(|(name, _)| Json::from(name.as_str())).collect();
        strict.set("properties", Some(Json::Object(properties)));
        strict.set("required", Some(Json::Array(names)));
        strict.set("additionalProperties", Some(Json::Bool(false)));
    }

    /// Whether a schema obviously accepts `null`.
    fn allows_null(&self, schema: &Json, at: &str) -> bool {
        let (schema, _) = self.resolved(schema, at);
        let Json::Object(members) = &schema else { return schema == Json::Bool(true) };
        let has_null = |key: &str| {
            let list = members.get(key).and_then(Json::as_array).unwrap_or_default();
            list.iter().any(|value| *value == Json::Null || is_null_type(value))
        };
        let is_null = members.get("type").is_some_and(is_null_name) || members.get("const") == Some(&Json::Null);
        let lists = members.get("type").and_then(Json::as_array).unwrap_or_default().iter().any(is_null_name);
        members.is_empty() || is_null || lists || ["enum", "anyOf", "oneOf"].into_iter().any(has_null)
    }
}

fn is_null_name(name: &Json) -> bool {
    name.as_str() == Some("null")
}

fn is_null_type(schema: &Json) -> bool {
    schema.get("type").is_some_and(is_null_name)
}

/// The schema, and `null`.
fn nullable(schema: Json) -> Json {
    let Json::Object(mut members) = schema else { return schema };
    let null = || Json::Object([("type".to_owned(), Json::from("null"))].into_iter().collect());
    if let Some(Json::Array(branches)) = members.get_mut("anyOf") {
        if !branches.iter().any(is_null_type) {
            branches.push(null());
        }
        return Json::Object(members);
    }
    if members.get("$ref").is_some() {
        return Json::Object(
            [("anyOf".to_owned(), Json::Array(vec![Json::Object(members), null()]))].into_iter().collect(),
        );
    }
    if let Some(ty) = members.get_mut("type") {
        let mut names = ty.as_array().map_or_else(|| vec![ty.clone()], <[Json]>::to_vec);
        if !names.iter().any(is_null_name) {
            names.push(Json::from("null"));
        }
        *ty = if let [name] = names.as_slice() { name.clone() } else { Json::Array(names) };
    }
    if let Some(Json::Array(values)) = members.get_mut("enum")
        && !values.contains(&Json::Null)
    {
        values.push(Json::Null);
    }
    Json::Object(members)
}
