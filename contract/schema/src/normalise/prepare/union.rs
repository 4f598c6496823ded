//! The values of the property of a `discriminator` in each branch of its union.

use std::collections::HashMap;

use capgen_diagnostic::quoted;

use super::super::target::local;
use super::facts::{Facts, Reader};
use super::lookup::Lookup;
use crate::{Json, Object, pointer};

/// A branch of a union with a discriminator, which accepts objects.
#[derive(Clone)]
pub(super) struct Branch {
    pub(super) index: usize,
    /// The pointer that the branch refers to.
    pub(super) target: Option<String>,
    pub(super) narrowing: Narrowing,
}

/// The assertions about the property that a branch lacks.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Narrowing {
    pub(super) tag: String,
    /// The values, if the branch does not assert them itself.
    pub(super) values: Option<Vec<String>>,
    /// The values that the branch must not have, because they are those of other branches.
    pub(super) excluded: Vec<String>,
    pub(super) is_required: bool,
}

impl Narrowing {
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_none() && self.excluded.is_empty() && !self.is_required
    }
}

/// A union with a discriminator.
pub(super) struct Union {
    /// `anyOf` or `oneOf`.
    pub(super) keyword: &'static str,
    pub(super) tag: String,
    pub(super) branches: Vec<Branch>,
    /// The name of the branch of objects without the property, or with a value of no branch.
    pub(super) default: Option<String>,
}

/// A discriminator, as OpenAPI defines it.
struct Discriminator<'a> {
    tag: &'a str,
    /// The names of the mapping by the pointers of their schemas.
    names: HashMap<String, Vec<String>>,
    /// The pointer in `defaultMapping`, which OpenAPI 3.2 has; `Some(None)` if it leads nowhere.
    default: Option<Option<String>>,
}

impl<'a> Discriminator<'a> {
    fn of(lookup: &Lookup<'_>, object: &'a Object) -> Option<Self> {
        let discriminator = object.get("discriminator")?;
        // A mapping has references, or names of components.
        let schema = |target: &Json| {
            let target = target.as_str().unwrap_or_default();
            let component = || Some(pointer::join("/components/schemas", target)).filter(|at| lookup.get(at).is_some());
            local(target).or_else(component)
        };
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        for (name, target) in discriminator.get("mapping").and_then(Json::as_object).into_iter().flatten() {
            if let Some(at) = schema(target) {
                names.entry(at).or_default().push(Json::from(name.as_str()).canonical());
            }
        }
        let default = discriminator.get("defaultMapping").map(schema);
        Some(Self { tag: discriminator.get("propertyName")?.as_str()?, names, default })
    }
}

impl Union {
    /// The union of a schema object; `None` if it has no discriminator, and the property with a message if the
    /// discriminator does not distinguish the branches.
    pub(super) fn of<'a>(reader: &mut Reader<'a>, object: &'a Object) -> Option<Result<Self, (String, String)>> {
        let discriminator = Discriminator::of(&reader.lookup, object)?;
        let keyword = ["oneOf", "anyOf"].into_iter().find(|name| object.get(name).is_some())?;
        let schemas = object.get(keyword)?.as_array()?;
        let tag = discriminator.tag.to_owned();
        let mut branches = Vec::new();
        // The branch of each value.
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut default = None;
        for (index, schema) in schemas.iter().enumerate() {
            let facts = reader.facts(schema, &tag)?;
            if !facts.accepts_objects {
                continue;
            }
            let target = schema.get("$ref").and_then(Json::as_str).and_then(local);
            if discriminator.default.as_ref().is_some_and(|at| at.is_some() && *at == target) {
                // Its values are known after those of the others.
                default = Some(DefaultBranch { index, at: branches.len(), facts });
                let narrowing = Narrowing { tag: tag.clone(), values: None, excluded: Vec::new(), is_required: false };
                branches.push(Branch { index, target, narrowing });
                continue;
            }
            let (values, is_new) = match values(&discriminator, &facts, target.as_deref()) {
                Ok(found) => found,
                Err(reason) => return Some(Err((tag, format!("the branch {} {reason}", name(schemas, index))))),
            };
            for value in &values {
                if let Some(other) = known.insert(value.clone(), index).filter(|other| *other != index) {
                    let (first, second) = (name(schemas, other), name(schemas, index));
                    return Some(Err((tag, format!("the branches {first} and {second} allow the same value"))));
                }
            }
            let values = is_new.then_some(values);
            let excluded = Vec::new();
            let narrowing = Narrowing { tag: tag.clone(), values, excluded, is_required: !facts.is_required };
            branches.push(Branch { index, target, narrowing });
        }
        let Some(_) = discriminator.default else { return Some(Ok(Self { keyword, tag, branches, default: None })) };
        let Some(default) = default else {
            let names: Vec<String> = (0..schemas.len()).map(|index| name(schemas, index)).collect();
            return Some(Err((tag, format!("`defaultMapping` names none of the branches {}", names.join(", ")))));
        };
        if let Some(other) = default.overlap(&known) {
            let (first, second) = (name(schemas, other), name(schemas, default.index));
            return Some(Err((tag, format!("the branches {first} and {second} allow the same value"))));
        }
        if let Some(branch) = branches.get_mut(default.at) {
            branch.narrowing.excluded = default.excluded(&known);
        }
        let default = Some(name(schemas, default.index));
        Some(Ok(Self { keyword, tag, branches, default }))
    }
}

/// The branch of objects without the property, or with a value of no branch.
struct DefaultBranch {
    index: usize,
    /// The index among the branches that accept objects.
    at: usize,
    facts: Facts,
}

impl DefaultBranch {
    /// The index of a branch that shares a value with the constants of this one. `known` has the branch of each value.
    fn overlap(&self, known: &HashMap<String, usize>) -> Option<usize> {
        self.facts.values.iter().flatten().find_map(|value| known.get(value).copied())
    }

    /// The values of the other branches, in order, unless the branch rejects them anyway.
    fn excluded(&self, known: &HashMap<String, usize>) -> Vec<String> {
        let rejects = self.facts.values.is_some() || self.facts.is_excluded;
        let mut values: Vec<String> = if rejects { Vec::new() } else { known.keys().cloned().collect() };
        values.sort();
        values
    }
}

/// The values of the property in a branch, and whether the branch does not assert them itself.
fn values(
    discriminator: &Discriminator<'_>,
    facts: &Facts,
    target: Option<&str>,
) -> Result<(Vec<String>, bool), &'static str> {
    let named = target.and_then(|target| discriminator.names.get(target));
    let component = target.and_then(|target| pointer::tokens(target).last()).map(|name| Json::from(name.as_str()));
    let component = component.map(|name| name.canonical());
    let wanted = match (named, &facts.values) {
        (Some(names), Some(own)) if names.iter().all(|name| own.contains(name)) => names.clone(),
        // The mapping contradicts the constants, which decide in every validator.
        (_, Some(own)) => match component.filter(|name| named.is_none() && own.len() > 1 && own.contains(name)) {
            Some(name) => vec![name],
            None => own.clone(),
        },
        (Some(names), None) => names.clone(),
        (None, None) => vec![component.filter(|_| !facts.is_union).ok_or("has no value of its own")?],
    };
    let is_new = facts.values.as_ref() != Some(&wanted);
    if is_new && (!facts.may_be_text || facts.is_excluded) {
        return Err("does not allow its value");
    }
    if !facts.is_required && facts.is_excluded {
        return Err("does not allow the property");
    }
    Ok((wanted, is_new))
}

/// The name of a branch in a message.
fn name(schemas: &[Json], index: usize) -> String {
    let reference = schemas.get(index).and_then(|schema| schema.get("$ref")?.as_str());
    let last = reference.and_then(local).and_then(|at| pointer::tokens(&at).last());
    last.map_or_else(|| format!("number {}", index + 1), |name| quoted(&name))
}
