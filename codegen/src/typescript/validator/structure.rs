//! Arrays, objects, and schemas for the same place.

use std::collections::HashSet;

use capgen_schema::{Assertions, Kind, NodeId};

use super::body::Body;
use super::emit::{Depth, Emitter, is_covered, require};
use super::graph::follow;
use super::helpers::Helper;
use super::scalar::{self, Condition};
use super::union::{self, Tag};
use crate::typescript::literal;

/// An object with more properties is checked by several functions.
const MANY: usize = 100;
/// More names are looked up in a set.
const FEW: usize = 5;

impl<'s> Emitter<'s, '_> {
    /// What a schema says of the items of `v`, which is an array.
    pub(super) fn array(&mut self, body: &mut Body, a: &Assertions, v: &str, depth: Depth) {
        if let Some(limit) = a.min_items.filter(|limit| *limit > 0) {
            body.require(format!("{v}.length >= {}", scalar::size(limit)));
        }
        if let Some(limit) = a.max_items {
            body.require(format!("{v}.length <= {}", scalar::size(limit)));
        }
        match a.items {
            Some(items) => {
                let item = body.fresh("item");
                match self.simple(items, &item, depth.below()) {
                    Some(Condition::Always) => {}
                    Some(Condition::Never) => body.require(format!("{v}.length === 0")),
                    _ => {
                        let mark = body.mark();
                        body.open(&format!("for (const {item} of {v})"));
                        self.place(body, items, &item, depth.below());
                        body.close();
                        body.unless_used(mark, &item, &format!("const {item} of"), "const _ of");
                    }
                }
            }
            None if is_covered(a) && !a.unique_items => {}
            None => require(body, self.anything(v, depth)),
        }
        if a.unique_items {
            body.require(format!("{}({v})", Helper::Distinct.name()));
        }
    }

    /// What a schema says of the members of `v`, which is an object; `known` is a property that has been looked at.
    pub(super) fn object(&mut self, body: &mut Body, a: &Assertions, v: &str, depth: Depth, known: Option<&str>) {
        let rest = a.additional_properties.map(|id| (id, &self.schema.node(follow(self.schema, id)).kind));
        let is_closed = matches!(rest, Some((_, Kind::Bool(false))));
        let is_open = matches!(rest, None | Some((_, Kind::Bool(true))));
        let walks = is_open && self.plan.is_deep && !is_covered(a);
        let mark = body.mark();
        let declared: HashSet<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        for name in a.required.iter().filter(|name| !declared.contains(name.as_str())) {
            let access = self.access(v, name);
            body.require(format!("{access} !== undefined"));
        }
        if a.properties.len() > MANY {
            self.many(body, a, v, depth, is_closed);
            if walks {
                require(body, self.anything(v, depth));
            }
        } else {
            let size = self.properties(body, a, v, depth, known, is_closed || walks);
            if is_closed {
                body.require(format!("{}({v}, {size})", Helper::HasSize.name()));
            } else if let (true, Condition::When(walk)) = (walks, self.anything(v, depth)) {
                if a.properties.is_empty() {
                    body.require(walk);
                } else {
                    body.require(format!("({}({v}, {size}) || {walk})", Helper::HasSize.name()));
                }
            }
        }
        if let (Some((id, _)), false, false) = (rest, is_closed, is_open) {
            self.additional(body, a, id, v, depth);
        }
        body.collapse(mark);
    }

    /// Checks declared properties; gives how many there are as an expression, where they are counted.
    fn properties(
        &mut self,
        body: &mut Body,
        a: &Assertions,
        v: &str,
        depth: Depth,
        known: Option<&str>,
        counts: bool,
    ) -> String {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let is_required = |name: &str| required.contains(name);
        let certain = a.properties.iter().filter(|(name, _)| is_required(name)).count();
        let counter = (counts && certain < a.properties.len()).then(|| body.fresh("size"));
        if let Some(counter) = &counter {
            body.line(&format!("let {counter} = {certain};"));
        }
        for (name, id) in a.properties.iter().filter(|(name, _)| known != Some(name)) {
            let is_required = is_required(name);
            let counter = counter.as_deref().filter(|_| !is_required);
            self.property(body, name, *id, v, depth.below(), is_required, counter);
        }
        counter.unwrap_or_else(|| certain.to_string())
    }

    #[expect(clippy::too_many_arguments, reason = "each says another thing of the one property")]
    fn property(
        &mut self,
        body: &mut Body,
        name: &str,
        id: NodeId,
        v: &str,
        depth: Depth,
        is_required: bool,
        counter: Option<&str>,
    ) {
        let access = self.access(v, name);
        let var = body.fresh("value");
        let simple = self.simple(id, &var, depth);
        match (&simple, is_required, counter) {
            (Some(Condition::Always), true, _) => return body.require(format!("{access} !== undefined")),
            (Some(Condition::Always), false, None) => return,
            (Some(Condition::Always), false, Some(counter)) => {
                return body.line(&format!("if ({access} !== undefined) {counter}++;"));
            }
            (Some(Condition::Never), false, _) => return body.require(format!("{access} === undefined")),
            _ => {}
        }
        let mark = body.mark();
        let declaration = format!("const {var} = {access};");
        body.line(&declaration);
        if is_required {
            if self.admits_undefined(id) {
                body.require(format!("{var} !== undefined"));
            }
            self.place(body, id, &var, depth);
        } else if let (Some(Condition::When(condition)), None) = (&simple, counter) {
            body.require(format!("({var} === undefined || {condition})"));
        } else {
            body.open(&format!("if ({var} !== undefined)"));
            if let Some(counter) = counter {
                body.line(&format!("{counter}++;"));
            }
            self.place(body, id, &var, depth);
            body.close();
        }
        body.unless_used(mark, &var, &declaration, "");
    }

    /// Whether the check of a subschema may let an absent value pass.
    fn admits_undefined(&self, id: NodeId) -> bool {
        union::assertions(self.schema, id)
            .is_none_or(|a| a.types.is_none() && a.enum_values.is_none() && a.const_value.is_none())
    }

    /// An object with so many properties that compilers would give up on one function.
    fn many(&mut self, body: &mut Body, a: &Assertions, v: &str, depth: Depth, is_closed: bool) {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        for chunk in a.properties.chunks(MANY) {
            let name = self.output.fresh("check");
            let mut part = Body::new();
            let told = Depth { is_told: self.plan.is_deep, more: 0 };
            for (name, id) in chunk {
                self.property(&mut part, name, *id, "value", told.below(), required.contains(name.as_str()), None);
            }
            self.print_function(&name, "Dict", &part.finish());
            let call = self.call_named(&name, v, depth);
            body.require(call);
        }
        if is_closed {
            let names: Vec<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
            let names = self.output.names(&names);
            body.require(format!("{}({v}, {names})", Helper::HasOnly.name()));
        }
    }

    /// Checks what is not declared.
    fn additional(&mut self, body: &mut Body, a: &Assertions, id: NodeId, v: &str, depth: Depth) {
        let names: Vec<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            body.open(&format!("for (const name of Object.keys({v}))"));
        } else {
            body.open(&format!("for (const name of Object.keys({v}))"));
            let known = if names.len() > FEW {
                format!("{}.has(name)", self.output.names(&names))
            } else {
                let is_name = |name: &&str| format!("name === {}", literal::string(name));
                names.iter().map(is_name).collect::<Vec<_>>().join(" || ")
            };
            body.line(&format!("if ({known}) continue;"));
        }
        let var = body.fresh("value");
        body.line(&format!("const {var} = {v}[name];"));
        match self.simple(id, &var, depth.below()) {
            Some(Condition::When(condition)) => body.require(format!("({var} === undefined || {condition})")),
            _ => {
                body.open(&format!("if ({var} !== undefined)"));
                self.place(body, id, &var, depth.below());
                body.close();
            }
        }
        body.close();
    }

    fn access(&mut self, v: &str, name: &str) -> String {
        let key = literal::string(name);
        if union::is_inherited(name) { format!("{}({v}, {key})", Helper::Own.name()) } else { format!("{v}[{key}]") }
    }

    /// What other schemas say of the same place.
    pub(super) fn applicators(
        &mut self,
        body: &mut Body,
        a: &'s Assertions,
        v: &str,
        depth: Depth,
        is_pristine: bool,
        is_object: bool,
    ) {
        let is_alone = is_pristine && a.keywords().count() == 1;
        for (branches, keyword) in [(&a.all_of, "allOf"), (&a.any_of, "anyOf"), (&a.one_of, "oneOf")] {
            match branches.as_deref() {
                None => {}
                Some([only]) if is_alone => self.place(body, *only, v, depth),
                Some(branches) if keyword == "allOf" || branches.len() == 1 => {
                    for branch in branches {
                        let condition = self.ask(*branch, v, depth, false);
                        require(body, condition);
                    }
                }
                Some(branches) => match union::tag(self.schema, branches) {
                    Some(tag) => self.by_tag(body, branches, &tag, v, depth, is_object),
                    None => {
                        let condition = self.union(branches, v, depth, is_alone, keyword == "anyOf");
                        require(body, condition);
                    }
                },
            }
        }
        if let Some(not) = a.not {
            match self.ask(not, v, depth, false) {
                Condition::Always => body.refuse(),
                Condition::Never => {}
                Condition::When(condition) => body.require(format!("!({condition})")),
            }
        }
    }

    /// The verdict of a subschema in a condition; one that may narrow the variable only where nothing else does.
    fn ask(&mut self, id: NodeId, v: &str, depth: Depth, may_narrow: bool) -> Condition {
        let is_bool = matches!(self.schema.node(follow(self.schema, id)).kind, Kind::Bool(_));
        if (may_narrow || is_bool)
            && let Some(condition) = self.simple(id, v, depth)
        {
            return condition;
        }
        Condition::When(self.call(id, v, depth))
    }

    fn union(&mut self, branches: &[NodeId], v: &str, depth: Depth, is_alone: bool, is_any: bool) -> Condition {
        let is_distinct = union::has_distinct_types(self.schema, branches);
        let conditions: Vec<Condition> =
            branches.iter().map(|branch| self.ask(*branch, v, depth, is_alone && is_distinct)).collect();
        if is_any && conditions.iter().any(|condition| matches!(condition, Condition::Always)) {
            return Condition::Always;
        }
        let terms: Vec<String> = conditions
            .into_iter()
            .filter_map(|condition| match condition {
                Condition::When(text) => Some(text),
                Condition::Always => Some("true".to_owned()),
                Condition::Never => None,
            })
            .collect();
        if is_any || is_distinct || terms.len() < 2 {
            return scalar::any(terms);
        }
        let counts: Vec<String> = terms.iter().map(|term| format!("Number({term})")).collect();
        Condition::When(format!("{} === 1", counts.join(" + ")))
    }

    fn by_tag(&mut self, body: &mut Body, branches: &[NodeId], tag: &Tag<'s>, v: &str, depth: Depth, is_object: bool) {
        if !is_object {
            let test = self.is_object(v, Some(depth));
            body.require(test);
        }
        let access = self.access(v, tag.name);
        body.open(&format!("switch ({access})"));
        for (branch, values) in branches.iter().zip(&tag.values) {
            for (index, value) in values.iter().enumerate() {
                let label = format!("case {}:", literal::primitive(value).unwrap_or_default());
                if index + 1 == values.len() { body.open(&label) } else { body.line(&label) }
            }
            let kind = &self.schema.node(follow(self.schema, *branch)).kind;
            match kind {
                Kind::Assertions(a) if !self.plan.is_function(*branch) && body.nesting() < 8 => {
                    self.object(body, a, v, depth, Some(tag.name));
                    self.applicators(body, a, v, depth, false, true);
                }
                _ => {
                    let call = self.call(*branch, v, depth);
                    body.require(call);
                }
            }
            body.line("break;");
            body.close();
        }
        body.line("default:");
        body.line("  return false;");
        body.close();
    }
}
