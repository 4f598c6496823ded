//! Arrays, objects, and schemas for the same place.

use std::collections::HashSet;

use capgen_schema::analysis::branches;
use capgen_schema::{Assertions, Kind, NodeId};

use super::emit::{Emitter, Place, is_covered};
use super::expr::{Expr, all, any, atom, factor};
use super::helpers::Helper;
use super::scalar;
use super::union;
use crate::typescript::literal;

/// An object with more properties is checked by several functions.
const MANY: usize = 100;
/// More names are looked up in a set.
const FEW: usize = 5;

impl<'s> Emitter<'s, '_> {
    /// What a schema says of an array.
    pub(super) fn array(&mut self, a: &Assertions, place: &Place) -> Expr {
        let v = &place.v;
        let mut terms = Vec::new();
        if let Some(limit) = a.min_items.filter(|limit| *limit > 0) {
            terms.push(atom(format!("{v}.length >= {}", scalar::size(limit))));
        }
        if let Some(limit) = a.max_items {
            terms.push(atom(format!("{v}.length <= {}", scalar::size(limit))));
        }
        match a.items {
            Some(items) => terms.push(self.items(items, place)),
            None if is_covered(a) && !a.unique_items => {}
            None => terms.push(self.anything(place)),
        }
        if a.unique_items {
            terms.push(atom(format!("!{}({v})", Helper::Repeated.name())));
        }
        all(terms)
    }

    fn items(&mut self, items: NodeId, place: &Place) -> Expr {
        let item = Place::given("item", place.depth.below());
        match self.expr(items, &item) {
            Expr::True => Expr::True,
            Expr::False => atom(format!("{}.length === 0", place.v)),
            expr => {
                let statements = self.each("const item of value", "", &expr);
                let name = self.shared_function(place.depth, &statements);
                self.call_named(&name, place)
            }
        }
    }

    /// The test for an object, and what a schema says of its members.
    pub(super) fn object(&mut self, a: &Assertions, place: &Place) -> (Expr, Expr) {
        let rest = a.additional_properties.map(|id| (id, &self.schema.node(self.schema.resolve(id)).kind));
        let is_closed = matches!(rest, Some((_, Kind::Bool(false))));
        let is_open = matches!(rest, None | Some((_, Kind::Bool(true))));
        let walks = is_open && self.plan.is_deep && !is_covered(a);
        let declared: HashSet<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        let undeclared = a.required.iter().filter(|name| !declared.contains(name.as_str()));
        let mut terms: Vec<Expr> =
            undeclared.map(|name| atom(format!("{} !== undefined", access(&place.v, name)))).collect();
        let mut start = None;
        let is_many = a.properties.len() > MANY;
        if is_many {
            terms.push(self.many(a, place, is_closed));
        } else {
            let counts = (is_closed || walks) && !a.properties.is_empty();
            start = counts.then(|| self.properties(&mut terms, a, place, true)).flatten();
            if !counts {
                self.properties(&mut terms, a, place, false);
            }
        }
        let v = &place.v;
        let size = match start {
            Some(_) => format!("size{}", place.level + 1),
            None => a.properties.len().to_string(),
        };
        if is_closed && !is_many {
            terms.push(atom(format!("{}({v}, {size})", Helper::Sized.name())));
        } else if walks && (is_many || a.properties.is_empty()) {
            terms.push(self.anything(place));
        } else if walks {
            terms.push(atom(format!("{}({v}, {size}, {})", Helper::Sized.name(), place.depth.levels())));
        }
        if let (Some((id, _)), false, false) = (rest, is_closed, is_open) {
            terms.push(self.additional(a, id, place));
        }
        if let Some(start) = start {
            terms.insert(0, Expr::Count { size, start });
        }
        let test = format!("({v}?.constructor === Object || {}({v}))", Helper::IsDict.name());
        (atom(test), all(terms))
    }

    /// Checks declared properties, constants first; gives where to start counting those that may be absent.
    fn properties(&mut self, terms: &mut Vec<Expr>, a: &Assertions, place: &Place, counts: bool) -> Option<usize> {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let certain = a.properties.iter().filter(|(name, _)| required.contains(name.as_str())).count();
        let counter = (counts && certain < a.properties.len()).then(|| format!("size{}", place.level + 1));
        let is_constant = |id: NodeId| self.schema.assertions(id).is_some_and(|a| a.const_value.is_some());
        let (first, then): (Vec<_>, Vec<_>) = a.properties.iter().partition(|(_, id)| is_constant(*id));
        for (name, id) in first.into_iter().chain(then) {
            let is_required = required.contains(name.as_str());
            let counter = counter.as_deref().filter(|_| !is_required);
            terms.push(self.property(name, *id, place, is_required, counter));
        }
        counter.map(|_| certain)
    }

    fn property(&mut self, name: &str, id: NodeId, place: &Place, is_required: bool, counter: Option<&str>) -> Expr {
        let access = access(&place.v, name);
        let member = place.member();
        let expr = self.expr(id, &member);
        let v = &member.v;
        if is_required {
            let expr = match self.admits_undefined(id) && !refuses_undefined(&expr, v) {
                true => all([atom(format!("{v} !== undefined")), expr]),
                false => expr,
            };
            let is_single = expr.uses(v) == 1;
            return expr.replace_first(v, &if is_single { access } else { format!("({v} = {access})") });
        }
        let counted = all([counter.map_or(Expr::True, |counter| atom(format!("++{counter} > 0"))), expr]);
        let is_used = counted.uses(v) > 0;
        let held = if is_used { format!("({v} = {access})") } else { access };
        any([atom(format!("{held} === undefined")), counted])
    }

    /// Whether the check of a subschema may let an absent value pass.
    fn admits_undefined(&self, id: NodeId) -> bool {
        self.schema
            .assertions(id)
            .is_none_or(|a| a.types.is_none() && a.enum_values.is_none() && a.const_value.is_none())
    }

    /// An object with so many properties that compilers would give up on one function.
    fn many(&mut self, a: &Assertions, place: &Place, is_closed: bool) -> Expr {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let mut calls = Vec::new();
        for chunk in a.properties.chunks(MANY) {
            let given = Place::given("value", place.depth);
            let property = |(name, id): &(String, NodeId)| {
                self.property(name, *id, &given, required.contains(name.as_str()), None)
            };
            let expr = all(chunk.iter().map(property).collect::<Vec<_>>());
            let statements = self.body(&expr);
            let name = self.shared_function(place.depth, &statements);
            calls.push(self.call_named(&name, place));
        }
        if is_closed {
            let names: Vec<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
            let names = self.output.names(&names);
            calls.push(atom(format!("{}({}, {names})", Helper::HasOnly.name(), place.v)));
        }
        all(calls)
    }

    /// Checks what is not declared.
    fn additional(&mut self, a: &Assertions, id: NodeId, place: &Place) -> Expr {
        let names: Vec<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        let expr = self.expr(id, &Place::given("item", place.depth.below()));
        let known = if names.len() > FEW {
            vec![atom(format!("{}.has(name)", self.output.names(&names)))]
        } else {
            names.iter().map(|name| atom(format!("name === {}", literal::string(name)))).collect()
        };
        let expr = any(known.into_iter().chain([atom("item === undefined"), expr]));
        if matches!(expr, Expr::True) {
            return Expr::True;
        }
        let item = "\n    const item = value[name];";
        let statements = self.each("const name of Object.keys(value)", item, &expr);
        let name = self.shared_function(place.depth, &statements);
        self.call_named(&name, place)
    }

    /// What other schemas say of the same place.
    pub(super) fn applicators(&mut self, a: &'s Assertions, place: &Place) -> Vec<Expr> {
        let is_alone = a.keywords().count() == 1 && a.all_of.as_ref().is_none_or(|parts| parts.len() == 1);
        let mut terms: Vec<Expr> = a.all_of.iter().flatten().map(|id| self.applied(*id, place, is_alone)).collect();
        if let Some(branches) = &a.any_of {
            let verdicts = branches.iter().map(|id| self.applied(*id, place, is_alone)).collect();
            terms.push(self.any_of(branches, verdicts, place));
        }
        if let Some(branches) = &a.one_of {
            terms.push(self.one_of(branches, place, is_alone));
        }
        if let Some(not) = a.not {
            terms.push(match self.applied(not, place, is_alone) {
                Expr::True => Expr::False,
                Expr::False => Expr::True,
                expr => atom(expr.operand_of_not().replacen("", "!", 1)),
            });
        }
        terms
    }

    fn one_of(&mut self, branches: &[NodeId], place: &Place, is_alone: bool) -> Expr {
        let verdicts: Vec<Expr> = branches.iter().map(|id| self.applied(*id, place, is_alone)).collect();
        let verdicts: Vec<Expr> = verdicts.into_iter().filter(|verdict| !matches!(verdict, Expr::False)).collect();
        if verdicts.len() < 2 || branches::are_exclusive(self.schema, branches) {
            return self.any_of(branches, verdicts, place);
        }
        let counted: Vec<String> = verdicts.iter().map(|verdict| format!("+{}", verdict.operand_of_not())).collect();
        atom(format!("{} === 1", counted.join(" + ")))
    }

    /// That one of the verdicts on a place holds: what all ask first is asked once, and their tag is read once.
    fn any_of(&self, branches: &[NodeId], verdicts: Vec<Expr>, place: &Place) -> Expr {
        if verdicts.len() < 2 || verdicts.iter().any(|verdict| matches!(verdict, Expr::True)) {
            return any(verdicts);
        }
        let (mut common, mut verdicts) = factor(verdicts);
        let tag = format!("tag{}", place.level + 1);
        let name = union::tag(self.schema, branches).filter(|_| !common.is_empty());
        // A union within a branch may have a tag of its own.
        if let Some(name) = name.filter(|_| verdicts.iter().all(|verdict| verdict.uses(&tag) == 0)) {
            let access = access(&place.v, name);
            let mut replacement = format!("({tag} = {access})");
            if !verdicts.first().is_some_and(|verdict| verdict.begins_with(&access)) {
                common.push(atom(format!("{replacement} !== undefined")));
                replacement.clone_from(&tag);
            }
            for verdict in &mut verdicts {
                *verdict = verdict.clone().replace_access(&access, &replacement);
                replacement.clone_from(&tag);
            }
        }
        all(common.into_iter().chain([any(verdicts)]))
    }
}

/// Whether an expression that is true of `undefined` is out of the question at a look.
fn refuses_undefined(expr: &Expr, v: &str) -> bool {
    match expr {
        Expr::Atom(text) => {
            let tests = ["({}?.constructor === Object", "Array.isArray({})", "typeof {} === ", "Number.isFinite({})"];
            tests.iter().any(|test| text.starts_with(&test.replace("{}", v)))
        }
        Expr::And(terms) => terms.first().is_some_and(|term| refuses_undefined(term, v)),
        Expr::Or(terms) => terms.iter().all(|term| refuses_undefined(term, v)),
        _ => false,
    }
}

fn access(v: &str, name: &str) -> String {
    if union::is_inherited(name) {
        format!("{}({v}, {})", Helper::Own.name(), literal::string(name))
    } else {
        literal::access(v, name)
    }
}
