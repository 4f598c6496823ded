//! Payloads near the boundary between valid and invalid.

use capgen_schema::{Assertions, Json, Kind, NodeId, Number, Object, Schema, Type, TypeSet, Validator};

use super::Random;
use super::pools::{DIVISORS, NAMES, NUMBERS, ODD_NAMES, PATTERNS, TEXTS, texts_of};

/// The number of attempts to find a value that the schema accepts.
const TRIES: usize = 6;

/// The most values of a payload that are generated from a schema: recursion through `minItems` would make millions.
const MAX_VALUES: usize = 2_000;

impl Random {
    /// `count` payloads near the boundary between valid and invalid, each a JSON text on one line.
    pub fn payloads(&mut self, schema: &Schema, count: usize) -> Vec<String> {
        let validator = Validator::new(schema);
        let bases: Vec<Json> = (0..count.div_ceil(3)).map(|_| self.accepted(schema, &validator)).collect();
        let payload = |index: usize| {
            let mut payload = bases[index % bases.len()].clone();
            if index >= bases.len() {
                self.steps(&mut payload);
            }
            self.write(&payload).to_string()
        };
        (0..count).map(payload).collect()
    }

    /// `count` payloads, each one or two changes away from one of the given texts.
    pub fn near(&mut self, payloads: &[String], count: usize) -> Vec<String> {
        let bases: Vec<Json> = payloads.iter().filter_map(|payload| payload.parse().ok()).collect();
        let payload = |_| {
            let mut payload = self.pick(&bases.iter().collect::<Vec<_>>()).clone();
            self.steps(&mut payload);
            self.write(&payload).to_string()
        };
        (0..count).map(payload).collect()
    }

    /// A value that the schema accepts or, if the attempts fail, one that is likely close.
    fn accepted(&mut self, schema: &Schema, validator: &Validator) -> Json {
        let mut value = self.following(schema);
        for _ in 1..TRIES {
            if validator.is_valid(&value.to_value()) {
                break;
            }
            value = self.following(schema);
        }
        value
    }

    fn following(&mut self, schema: &Schema) -> Json {
        self.room = MAX_VALUES;
        self.follow(schema, &[schema.root()], 8)
    }

    /// A value that all of these subschemas are likely to accept. `not` and unions under `allOf` are only followed by
    /// chance.
    fn follow(&mut self, schema: &Schema, ids: &[NodeId], depth: usize) -> Json {
        if depth == 0 || self.room == 0 {
            return self.value(0);
        }
        self.room -= 1;
        let mut groups = Vec::new();
        for id in ids {
            self.flatten(schema, *id, &mut groups, 24);
        }
        let value = groups.iter().find_map(|group| group.const_value.as_ref());
        if let Some(value) = value {
            return value.clone();
        }
        let values = groups.iter().find_map(|group| group.enum_values.as_ref().filter(|values| !values.is_empty()));
        if let Some(values) = values {
            return values[self.below(values.len())].clone();
        }
        let sets = || groups.iter().filter_map(|group| group.types);
        let may_be = |ty: &Type| {
            sets().all(|set: TypeSet| set.contains(*ty) || (*ty == Type::Integer && set.contains(Type::Number)))
        };
        let types: Vec<Type> = Type::ALL.into_iter().filter(may_be).collect();
        let scalars: Vec<Type> = types.iter().copied().filter(|ty| !matches!(ty, Type::Object | Type::Array)).collect();
        let types = if depth < 3 && !scalars.is_empty() { scalars } else { types };
        match if types.is_empty() { self.pick(&Type::ALL) } else { self.pick(&types) } {
            Type::Object => self.object(schema, &groups, depth),
            Type::Array => self.array(schema, &groups, depth),
            Type::String => Json::String(self.text(&groups)),
            Type::Integer => self.number(&groups, true),
            Type::Number => self.number(&groups, false),
            Type::Boolean => Json::Bool(self.one_in(2)),
            Type::Null => Json::Null,
        }
    }

    /// Collects the assertions of a subschema, of its `$ref`, of all branches of `allOf` and of one branch of each
    /// union. `fuel` bounds cycles and branching.
    fn flatten<'s>(&mut self, schema: &'s Schema, id: NodeId, groups: &mut Vec<&'s Assertions>, fuel: usize) {
        if fuel == 0 {
            return;
        }
        match &schema.node(id).kind {
            Kind::Bool(_) => {}
            Kind::Ref(target) => self.flatten(schema, *target, groups, fuel - 1),
            Kind::Assertions(group) => {
                groups.push(group);
                for branch in group.all_of.iter().flatten() {
                    self.flatten(schema, *branch, groups, fuel / 2);
                }
                for union in [&group.any_of, &group.one_of].into_iter().flatten() {
                    let branch = self.pick(union);
                    self.flatten(schema, branch, groups, fuel / 2);
                }
                if let Some(condition) = group.if_ {
                    let is_met = self.one_in(2);
                    let parts = if is_met { [Some(condition), group.then] } else { [None, group.else_] };
                    for part in parts.into_iter().flatten() {
                        self.flatten(schema, part, groups, fuel / 2);
                    }
                }
            }
        }
    }

    fn object(&mut self, schema: &Schema, groups: &[&Assertions], depth: usize) -> Json {
        let mut members = Object::new();
        let required = |name: &str| groups.iter().any(|group| group.required.iter().any(|r| r == name));
        let declared = groups.iter().flat_map(|group| group.properties.iter().map(|(name, _)| name.as_str()));
        let mut names: Vec<&str> =
            declared.chain(groups.iter().flat_map(|g| g.required.iter().map(String::as_str))).collect();
        if groups.iter().all(|group| group.properties.is_empty() || group.additional_properties.is_some())
            && self.one_in(2)
        {
            names.push(if self.one_in(4) { self.pick(&ODD_NAMES) } else { self.pick(&NAMES) });
        }
        let dependent = groups.iter().flat_map(|group| &group.dependent_required);
        names.extend(dependent.flat_map(|(name, others)| std::iter::once(name).chain(others)).map(String::as_str));
        let least = groups.iter().filter_map(|group| group.min_properties).max().unwrap_or(0).min(6) as usize;
        let most = groups.iter().filter_map(|group| group.max_properties).min().unwrap_or(u64::MAX);
        names.extend((names.len()..least + 1).filter(|_| least > 0).map(|_| self.pick(&NAMES)).collect::<Vec<_>>());
        let of_names: Vec<&Assertions> = groups.iter().filter_map(|group| group.property_names.as_deref()).collect();
        let texts: Vec<String> =
            (0..if of_names.is_empty() { 0 } else { self.below(3) }).map(|_| self.text(&of_names)).collect();
        names.extend(texts.iter().map(String::as_str));
        for name in names {
            let is_wanted = members.len() < least || depth > 3 && self.one_in(2);
            if members.get(name).is_some() || !(required(name) || is_wanted) {
                continue;
            }
            if !required(name) && members.len() as u64 >= most && !self.one_in(4) {
                continue;
            }
            // Few names of the pools have the form that the schema asks for.
            if !groups.iter().all(|group| group.allows_name(name)) && !self.one_in(6) {
                continue;
            }
            let ids: Vec<NodeId> = groups.iter().flat_map(|group| of_property(group, name)).collect();
            if !required(name) && ids.iter().any(|id| matches!(schema.node(*id).kind, Kind::Bool(false))) {
                continue;
            }
            let value = if ids.is_empty() { self.value(1) } else { self.follow(schema, &ids, depth - 1) };
            members.push(name.to_owned(), value);
        }
        Json::Object(members)
    }

    fn array(&mut self, schema: &Schema, groups: &[&Assertions], depth: usize) -> Json {
        let least = groups.iter().filter_map(|group| group.min_items).max().unwrap_or(0).min(6) as usize;
        let contained: Vec<NodeId> = groups.iter().filter_map(|group| group.contains).collect();
        let least = if contained.is_empty() || self.one_in(4) { least } else { least.max(1) };
        let most = groups.iter().filter_map(|group| group.max_items).min().unwrap_or(6).min(6) as usize;
        let count = if depth < 3 { least } else { (least + self.below(3)).min(most.max(least)) };
        let unique = groups.iter().any(|group| group.unique_items);
        let mut list: Vec<Json> = Vec::new();
        for _ in 0..count * 3 {
            if list.len() == count {
                break;
            }
            let mut items: Vec<NodeId> = groups.iter().filter_map(|group| group.item_at(list.len())).collect();
            if list.is_empty() || self.one_in(4) {
                items.extend(&contained);
            }
            let is_closed = |id: &NodeId| matches!(schema.node(*id).kind, Kind::Bool(false));
            if list.len() >= least && items.iter().any(is_closed) && !self.one_in(4) {
                break;
            }
            let item = if items.is_empty() { self.value(1) } else { self.follow(schema, &items, depth - 1) };
            if !unique || !list.contains(&item) {
                list.push(item);
            }
        }
        Json::Array(list)
    }

    fn text(&mut self, groups: &[&Assertions]) -> String {
        let least = groups.iter().filter_map(|group| group.min_length).max().unwrap_or(0).min(40) as usize;
        let most = groups.iter().filter_map(|group| group.max_length).min().unwrap_or(40).min(40) as usize;
        let pattern = groups.iter().find_map(|group| group.pattern.as_ref());
        if let Some((_, samples)) = pattern.and_then(|p| PATTERNS.iter().find(|(text, _)| *text == p.source())) {
            let fits: Vec<&str> =
                samples.iter().copied().filter(|text| (least..=most).contains(&text.chars().count())).collect();
            return if fits.is_empty() { self.pick(samples) } else { self.pick(&fits) }.to_owned();
        }
        if let Some(format) = groups.iter().find_map(|group| group.format) {
            let (valid, near) = texts_of(format);
            return if self.one_in(8) { self.pick(near) } else { self.pick(valid) }.to_owned();
        }
        let text = self.pick(&TEXTS);
        let length = text.chars().count();
        if (least..=most).contains(&length) {
            return text.to_owned();
        }
        let length = if self.one_in(2) { least } else { most.max(least).min(least + 2) };
        (0..length).map(|_| self.pick(&['a', 'b', '😀', 'é', '1'])).collect()
    }

    /// A number near a multiple, or at or next to one of the bounds; without such assertions, any number.
    fn number(&mut self, groups: &[&Assertions], integer: bool) -> Json {
        let divisor = groups.iter().find_map(|group| group.multiple_of.as_ref());
        let is_divisor = |text: &str| text.parse().ok().as_ref() == divisor;
        if let Some((_, samples)) = DIVISORS.iter().find(|(text, _)| is_divisor(text))
            && !self.one_in(4)
        {
            return Json::Number(self.pick(samples).parse().expect("a number"));
        }
        let bounds = |of: fn(&Assertions) -> [&Option<Number>; 2]| {
            groups.iter().flat_map(move |group| of(group)).flatten().cloned().collect::<Vec<_>>()
        };
        let lower = bounds(|g| [&g.minimum, &g.exclusive_minimum]).into_iter().max();
        let upper = bounds(|g| [&g.maximum, &g.exclusive_maximum]).into_iter().min();
        let (bound, up) = match (lower, upper) {
            (Some(lower), Some(upper)) => {
                if self.one_in(2) {
                    (lower, true)
                } else {
                    (upper, false)
                }
            }
            (Some(lower), None) => (lower, true),
            (None, Some(upper)) => (upper, false),
            (None, None) => {
                let any = if integer {
                    self.pick(&["0", "1", "-1", "7", "100", "9007199254740991"])
                } else {
                    self.pick(&NUMBERS)
                };
                return Json::Number(any.parse().expect("a number"));
            }
        };
        if let Some(n) = bound.as_i64() {
            let inside = if self.one_in(2) { n } else { n.saturating_add(if up { 1 } else { -1 }) };
            return Json::Number(inside.into());
        }
        let float = bound.as_f64();
        let float = match (integer, up) {
            (true, true) => float.ceil(),
            (true, false) => float.floor(),
            (false, _) if self.one_in(2) => float,
            (false, true) => float.next_up(),
            (false, false) => float.next_down(),
        };
        Number::from_f64(float).map_or(Json::Null, Json::Number)
    }
}

/// The subschemas for a property.
fn of_property(group: &Assertions, name: &str) -> Vec<NodeId> {
    let declared = group.properties.iter().find(|(n, _)| n == name).map(|(_, id)| *id);
    let mut all: Vec<NodeId> = declared.into_iter().chain(group.patterns_of(name)).collect();
    if all.is_empty() {
        all.extend(group.additional_properties);
    }
    all
}
