use capgen_schema::{Assertions, Json, Kind, NodeId, Object, Schema, Type, TypeSet};

use super::{NAMES, NUMBERS, Random, TEXTS};

impl Random {
    /// A payload near the edge of what a schema accepts.
    pub fn payload(&mut self, schema: &Schema) -> Json {
        let mut payload = self.follow(schema, schema.root(), 6);
        for _ in 0..self.below(3) {
            self.step(&mut payload);
        }
        payload
    }

    /// A value that a subschema likely accepts.
    fn follow(&mut self, schema: &Schema, id: NodeId, depth: usize) -> Json {
        if depth == 0 {
            return self.value(0);
        }
        let a = match &schema.node(id).kind {
            Kind::Bool(_) => return self.value(1),
            Kind::Ref(target) => return self.follow(schema, *target, depth - 1),
            Kind::Assertions(a) => a,
        };
        let branches: Vec<NodeId> =
            [&a.all_of, &a.any_of, &a.one_of].into_iter().flatten().flatten().copied().collect();
        if !branches.is_empty() && (a.types.is_none() || self.one_in(4)) {
            let branch = self.pick(&branches);
            return self.follow(schema, branch, depth - 1);
        }
        if let Some(values) = a.enum_values.as_ref().filter(|values| !values.is_empty())
            && !self.one_in(8)
        {
            return exact(&values[self.below(values.len())]);
        }
        if let (Some(value), false) = (&a.const_value, self.one_in(8)) {
            return exact(value);
        }
        let types: Vec<Type> = a.types.unwrap_or(TypeSet::ALL).iter().collect();
        match self.pick(&types) {
            Type::Object => self.object(schema, a, depth),
            Type::Array => {
                let count = a.min_items.unwrap_or(0).min(5) as usize + self.below(3);
                let item = |random: &mut Self| match a.items {
                    Some(items) => random.follow(schema, items, depth - 1),
                    None => random.value(1),
                };
                Json::Array((0..count).map(|_| item(self)).collect())
            }
            Type::String => Json::String(self.pick(&TEXTS).to_owned()),
            Type::Integer | Type::Number => self.near(a),
            Type::Boolean => Json::Bool(self.one_in(2)),
            Type::Null => Json::Null,
        }
    }

    fn object(&mut self, schema: &Schema, a: &Assertions, depth: usize) -> Json {
        let mut members = Object::new();
        for (name, id) in &a.properties {
            if a.required.contains(name) && !self.one_in(10) || self.one_in(2) {
                members.push(name.clone(), self.follow(schema, *id, depth - 1));
            }
        }
        for name in &a.required {
            if members.get(name).is_none() && !self.one_in(8) {
                members.push(name.clone(), self.value(1));
            }
        }
        if let (Some(id), true) = (a.additional_properties, self.one_in(2)) {
            let name = self.pick(&NAMES);
            if members.get(name).is_none() {
                members.push(name.to_owned(), self.follow(schema, id, depth - 1));
            }
        }
        Json::Object(members)
    }

    /// A number at one of the bounds, or any.
    fn near(&mut self, a: &Assertions) -> Json {
        let bounds: Vec<_> =
            [&a.minimum, &a.maximum, &a.exclusive_minimum, &a.exclusive_maximum].into_iter().flatten().collect();
        if bounds.is_empty() || self.one_in(3) {
            return Json::Number(self.pick(&NUMBERS).parse().expect("a number"));
        }
        exact(&Json::Number(self.pick(&bounds).clone()))
    }

    /// Changes one thing.
    fn step(&mut self, value: &mut Json) {
        match value {
            Json::Array(items) if !items.is_empty() && !self.one_in(3) => {
                let at = self.below(items.len());
                match self.below(4) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => self.step(&mut items[at]),
                }
            }
            Json::Object(members) if !self.one_in(4) => {
                let mut list: Vec<(String, Json)> = members.iter().cloned().collect();
                match self.below(4) {
                    0 if !list.is_empty() => drop(list.remove(self.below(list.len()))),
                    1 => {
                        let name = self.pick(&NAMES);
                        if members.get(name).is_none() {
                            list.push((name.to_owned(), self.value(1)));
                        }
                    }
                    _ if !list.is_empty() => {
                        let at = self.below(list.len());
                        self.step(&mut list[at].1);
                    }
                    _ => {}
                }
                *members = list.into_iter().collect();
            }
            _ => *value = self.value(2),
        }
    }
}

/// The value with its numbers as binary64 has them, in the domain on which the languages agree.
fn exact(value: &Json) -> Json {
    match value {
        Json::Number(number) => {
            let safe = number.as_f64();
            let safe = if safe.abs() > 9_007_199_254_740_991.0 && safe.abs() < 1e21 { 1e21 } else { safe };
            capgen_schema::Number::from_f64(safe).map_or(Json::Null, Json::Number)
        }
        Json::Array(items) => Json::Array(items.iter().map(exact).collect()),
        Json::Object(members) => Json::Object(members.iter().map(|(n, v)| (n.clone(), exact(v))).collect()),
        other => other.clone(),
    }
}
