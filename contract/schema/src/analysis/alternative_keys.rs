//! Keys of branches that may be unions: properties of which every object of a branch has one, and that no other branch
//! allows.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::in_place::{InPlace, Operand};
use super::listed::for_objects;
use super::names::{Counts, Names};
use crate::{Assertions, NodeId};

/// How many names per branch are compared. Usual branches have a few dozen. Unions within unions repeat the names of
/// their branches.
const MAX_NAMES: usize = 1000;

/// How many keys a branch may have. One is enough to distinguish a branch; a branch with very many would need memory
/// and save no time.
const MAX_KEYS: usize = 64;

/// How many names are remembered. A name takes some tens of bytes, so they take tens of MB at most.
const MAX_KNOWN: usize = 1_000_000;

/// Finds keys. Every result depends on the schema alone, so it may be remembered or computed again.
#[derive(Default, Debug)]
pub(super) struct AlternativeKeys<'s> {
    /// The properties that an object of a subschema can have.
    allowed: HashMap<NodeId, Rc<Names<'s>>>,
    /// How many names `allowed` has.
    size: usize,
}

impl<'s> AlternativeKeys<'s> {
    /// The keys of each branch, if every branch has one.
    pub(super) fn find(&mut self, in_place: &InPlace<'s>, branches: &[NodeId]) -> Option<Vec<Vec<&'s str>>> {
        let size: usize = branches.iter().map(|branch| in_place.names(*branch)).sum();
        if size > MAX_NAMES * branches.len() {
            return None;
        }
        let allowed: Vec<Rc<Names<'_>>> = branches.iter().map(|branch| self.allowed(in_place, *branch)).collect();
        let counts = Counts::of(allowed.iter().map(Rc::as_ref));
        let keys = branches.iter().zip(&allowed).map(|(branch, allowed)| {
            let is_key = |name: &str| allowed.contains(name) && counts.of_name(name) == 1;
            let mut seen = HashSet::new();
            let keys = keys_of(in_place, *branch, &is_key)?.into_iter().filter(|name| seen.insert(*name));
            Some(keys.collect::<Vec<_>>()).filter(|keys| keys.len() <= MAX_KEYS)
        });
        keys.collect()
    }

    fn allowed(&mut self, in_place: &InPlace<'s>, node: NodeId) -> Rc<Names<'s>> {
        let Some((node, group)) = in_place.group(node) else { return Rc::new(Names::AllBut(HashSet::new())) };
        if let Some(known) = self.allowed.get(&node) {
            return known.clone();
        }
        let mut names = Names::allowed(in_place.schema(), group);
        for operand in in_place.operands(group) {
            match operand {
                Operand::Part(part) => names.restrict(&self.allowed(in_place, part)),
                Operand::Union(branches) => {
                    let mut any = Names::Only(HashSet::new());
                    for_objects(in_place, branches).for_each(|branch| any.extend(&self.allowed(in_place, branch)));
                    names.restrict(&any);
                }
            }
        }
        let names = Rc::new(names);
        if self.size > MAX_KNOWN {
            self.allowed.clear();
            self.size = 0;
        }
        self.size += names.size();
        self.allowed.insert(node, names.clone());
        names
    }
}

/// The first key that the parts of a subschema require or else the keys of the branches of its first union in which
/// each has one.
fn keys_of<'s>(in_place: &InPlace<'s>, node: NodeId, is_key: &impl Fn(&str) -> bool) -> Option<Vec<&'s str>> {
    let mut parts = Vec::new();
    add_parts(in_place, node, &mut parts);
    let required = parts.iter().flat_map(|part| &part.required);
    if let Some(key) = required.map(String::as_str).find(|name| is_key(name)) {
        return Some(vec![key]);
    }
    let unions = parts.iter().flat_map(|part| in_place.operands(part)).filter_map(|operand| match operand {
        Operand::Part(_) => None,
        Operand::Union(branches) => Some(branches),
    });
    let mut keys = unions.map(|branches| {
        let keys = for_objects(in_place, branches).map(|branch| keys_of(in_place, branch, is_key));
        keys.collect::<Option<Vec<_>>>().map(|keys| keys.concat())
    });
    keys.find_map(|keys| keys)
}

fn add_parts<'s>(in_place: &InPlace<'s>, node: NodeId, parts: &mut Vec<&'s Assertions>) {
    let Some((_, group)) = in_place.group(node) else { return };
    parts.push(group);
    for operand in in_place.operands(group) {
        if let Operand::Part(part) = operand {
            add_parts(in_place, part, parts);
        }
    }
}
