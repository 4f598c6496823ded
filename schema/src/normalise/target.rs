//! What references lead to, and what it is called in the output.

use std::collections::{HashMap, HashSet};

use super::dialect;
use super::tree::Origin;
use crate::parse::{MAX_SCHEMA_DEPTH, percent_decode};
use crate::{Hash, Json, pointer};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TargetId(usize);

/// A subschema that a `$ref` leads to.
pub(super) struct Target<'a> {
    pub(super) json: &'a Json,
    pub(super) pointer: String,
    /// The name that it has or asks for.
    base: String,
    /// Whether it is a member of the root's `definitions`, so that its name stands.
    pub(super) is_definition: bool,
}

/// Why a `$ref` leads nowhere.
#[derive(Clone)]
pub(super) enum Unresolved {
    NotLocal,
    /// With the name that was looked for.
    Missing(String),
}

/// Names that are made from what stands somewhere have no more characters, but for their suffix.
const MAX_NAME: usize = 64;

type Members<'a> = HashMap<&'a str, &'a Json>;

/// The targets of all references that the root leads to.
pub(super) struct Targets<'a> {
    root: &'a Json,
    list: Vec<Target<'a>>,
    /// A value of the input is known by its address, which costs less than its pointer.
    by_address: HashMap<usize, TargetId>,
    by_text: HashMap<&'a str, Result<TargetId, Unresolved>>,
    /// Of every object that a reference went through.
    indexes: HashMap<usize, Members<'a>>,
    anchors: Option<HashMap<&'a str, (&'a Json, Origin)>>,
    /// The root's `$id`, in case that a reference is absolute.
    base: &'a str,
}

/// Whether the value of an `$id` moves the base of references.
fn is_base(id: &Json) -> bool {
    id.as_str().is_some_and(|id| !id.starts_with('#'))
}

fn address(json: &Json) -> usize {
    std::ptr::from_ref(json).addr()
}

impl<'a> Targets<'a> {
    /// Follows every reference from the root on.
    pub(super) fn collect(root: &'a Json) -> Self {
        let mut targets = Self {
            root,
            list: Vec::new(),
            by_address: HashMap::new(),
            by_text: HashMap::new(),
            indexes: HashMap::new(),
            anchors: None,
            base: root.get("$id").and_then(Json::as_str).unwrap_or_default().trim_end_matches('#'),
        };
        let mut seen = HashSet::from([address(root)]);
        let mut open = vec![(root, 0)];
        while let Some((json, depth)) = open.pop() {
            let Some(object) = json.as_object() else { continue };
            if depth > MAX_SCHEMA_DEPTH {
                continue;
            }
            let known = targets.list.len();
            if let Some(Json::String(text)) = object.get("$ref") {
                let _ = targets.resolve(text);
            }
            let below = dialect::subschemas(object).map(|child| (child, depth + 1));
            let found = targets.list.iter().skip(known).map(|target| (target.json, 1));
            let new: Vec<_> = below.chain(found).filter(|(json, _)| seen.insert(address(json))).collect();
            // The last one is read first.
            open.extend(new.into_iter().rev());
        }
        targets
    }

    /// What a reference leads to.
    pub(super) fn resolve(&mut self, text: &'a str) -> Result<TargetId, Unresolved> {
        if let Some(known) = self.by_text.get(text) {
            return known.clone();
        }
        let found = self.find(text).map(|(json, pointer)| self.add(json, pointer));
        self.by_text.insert(text, found.clone());
        found
    }

    /// The target that stands at a place of the input.
    pub(super) fn at(&self, json: &Json) -> Option<TargetId> {
        self.by_address.get(&address(json)).copied()
    }

    pub(super) fn get(&self, id: TargetId) -> Option<&Target<'a>> {
        self.list.get(id.0)
    }

    /// Members of the root's containers in source order, then what stands elsewhere, as it is met.
    pub(super) fn in_order(&self) -> Vec<TargetId> {
        let root = self.root.as_object();
        let containers = ["definitions", "$defs"].into_iter().filter_map(|name| root?.get(name)?.as_object());
        let components = self.root.get("components").and_then(|components| components.get("schemas")?.as_object());
        let named = containers.chain(components).flat_map(|container| container.iter());
        let mut order: Vec<TargetId> = named.filter_map(|(_, json)| self.at(json)).collect();
        let seen: HashSet<TargetId> = order.iter().copied().collect();
        order.extend((0..self.list.len()).map(TargetId).filter(|id| !seen.contains(id)));
        order
    }

    /// Names that could be meant, for a suggestion.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &'a str> {
        let root = self.root.as_object();
        let containers = ["definitions", "$defs"].into_iter().filter_map(move |name| root?.get(name)?.as_object());
        containers.flat_map(|container| container.iter().map(|(name, _)| name.as_str()))
    }

    fn add(&mut self, json: &'a Json, pointer: String) -> TargetId {
        let next = TargetId(self.list.len());
        let id = *self.by_address.entry(address(json)).or_insert(next);
        if id == next {
            let tokens: Vec<String> = pointer::tokens(&pointer).collect();
            let is_definition = matches!(tokens.as_slice(), [container, _] if container == "definitions");
            let base = base_name(json, &tokens);
            self.list.push(Target { json, pointer, base, is_definition });
        }
        id
    }

    fn find(&mut self, text: &str) -> Result<(&'a Json, String), Unresolved> {
        let local = match text.strip_prefix(self.base) {
            Some("") if !self.base.is_empty() => Some(""),
            Some(rest) if rest.starts_with('#') => rest.strip_prefix('#'),
            _ => text.strip_prefix('#'),
        };
        let fragment = local.and_then(percent_decode).ok_or(Unresolved::NotLocal)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let anchors = self.anchors.get_or_insert_with(|| anchors(self.root));
            let found = anchors.get(fragment.as_str()).map(|(json, origin)| (*json, origin.pointer()));
            return found.ok_or(Unresolved::Missing(fragment));
        }
        let mut json = self.root;
        for token in pointer::tokens(&fragment) {
            json = self.step(json, &token).ok_or(Unresolved::Missing(token))?;
            // Below another base, references mean something else.
            if ["$id", "id"].iter().any(|name| self.step(json, name).is_some_and(is_base)) {
                return Err(Unresolved::NotLocal);
            }
        }
        Ok((json, canonical(&fragment)))
    }

    fn step(&mut self, json: &'a Json, token: &str) -> Option<&'a Json> {
        match json {
            Json::Array(items) => items.get(token.parse::<usize>().ok()?),
            Json::Object(object) => {
                let index = || object.iter().map(|(name, value)| (name.as_str(), value)).collect();
                self.indexes.entry(address(json)).or_insert_with(index).get(token).copied()
            }
            _ => None,
        }
    }

    /// The name of each of `used`. A member of the root's `definitions` keeps its own; where another's is taken, it gets a
    /// suffix that its pointer alone decides.
    pub(super) fn names(&self, used: &[TargetId]) -> HashMap<TargetId, String> {
        let targets = || used.iter().filter_map(|id| self.get(*id).map(|target| (*id, target)));
        let mut wanted: HashMap<&str, usize> = HashMap::new();
        targets().for_each(|(_, target)| *wanted.entry(&target.base).or_default() += 1);
        let (kept, mut others): (Vec<_>, Vec<_>) =
            targets().partition(|(_, target)| target.is_definition || wanted.get(target.base.as_str()) == Some(&1));
        let mut names: HashMap<TargetId, String> =
            kept.into_iter().map(|(id, target)| (id, target.base.clone())).collect();
        let mut taken: HashSet<String> = names.values().cloned().collect();
        others.sort_by(|(_, a), (_, b)| a.pointer.cmp(&b.pointer));
        for (id, target) in others {
            let hash = Hash::of(&target.pointer).to_string();
            let suffixed = |length| format!("{}_{}", target.base, hash.get(..length).unwrap_or(&hash));
            let name = (8..=hash.len()).map(suffixed).find(|name| !taken.contains(name)).unwrap_or(hash.clone());
            taken.insert(name.clone());
            names.insert(id, name);
        }
        names
    }
}

/// One spelling a place.
fn canonical(fragment: &str) -> String {
    pointer::tokens(fragment).fold(String::new(), |mut pointer, token| {
        pointer::push(&mut pointer, &token);
        pointer
    })
}

fn base_name(json: &Json, tokens: &[String]) -> String {
    let Some((last, above)) = tokens.split_last() else {
        let title = json.get("title").and_then(Json::as_str).unwrap_or_default();
        let name: String = title.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(MAX_NAME).collect();
        return if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "Root".to_owned() };
    };
    if above.last().is_some_and(|container| ["definitions", "$defs", "schemas"].contains(&container.as_str())) {
        return last.clone();
    }
    let is_name = |token: &&String| {
        let is_index = token.bytes().all(|b| b.is_ascii_digit());
        !is_index && !crate::parse::keywords().any(|keyword| keyword == token.as_str())
    };
    let name = tokens.iter().rev().find(is_name).map_or("Schema", String::as_str);
    name.chars().take(MAX_NAME).collect()
}

/// Every place with a name of its own, by `$anchor` or by an `$id` that is a fragment.
fn anchors(root: &Json) -> HashMap<&str, (&Json, Origin)> {
    let mut anchors = HashMap::new();
    let mut open = vec![(root, Origin::default())];
    while let Some((json, origin)) = open.pop() {
        match json {
            Json::Object(object)
                if !origin.is_root() && ["$id", "id"].iter().any(|name| object.get(name).is_some_and(is_base)) => {}
            Json::Object(object) => {
                for (name, value) in object {
                    let anchor = match (name.as_str(), value) {
                        ("$anchor" | "$dynamicAnchor", Json::String(anchor)) => Some(anchor.as_str()),
                        ("$id" | "id", Json::String(id)) => id.strip_prefix('#'),
                        _ => None,
                    };
                    if let Some(anchor) = anchor {
                        anchors.entry(anchor).or_insert_with(|| (json, origin.clone()));
                    }
                    if !["enum", "const", "default", "examples", "example"].contains(&name.as_str()) {
                        open.push((value, origin.join(name)));
                    }
                }
            }
            Json::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (item, origin.join(&index.to_string()))));
            }
            _ => {}
        }
    }
    anchors
}
