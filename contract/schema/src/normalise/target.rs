//! The targets of references, and their names in the output.
//!
//! A target is identified by the address of its value in the input, not by its pointer: several spellings (`#/$defs/a`,
//! an anchor, `#/%24defs/a`) refer to the same value, and comparing addresses costs no memory for pointers.

use std::collections::{HashMap, HashSet};

use super::dialect::{self, Dialect};
use super::index::{Index, address};
use super::places::LINKED_FILES;
use super::relative;
use super::tree::Origin;
use super::version::Version;
use crate::parse::{MAX_SCHEMA_DEPTH, percent_decode};
use crate::{Hash, Json, pointer};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TargetId(usize);

/// A subschema that a `$ref` refers to.
pub(super) struct Target<'a> {
    pub(super) json: &'a Json,
    pub(super) pointer: String,
    /// The preferred name, before a suffix.
    base: String,
    /// Whether it is a member of the root's `definitions`, which keeps its name.
    pub(super) is_definition: bool,
}

/// The reason why a `$ref` cannot be resolved.
#[derive(Clone)]
pub(super) enum Unresolved {
    NotLocal,
    /// Contains the name that does not exist.
    Missing(String),
}

/// Maximum number of characters of a generated name, without its suffix. It may come from a title, which can be a
/// sentence.
const MAX_NAME: usize = 64;

/// The targets of all references that are reachable from the root.
pub(super) struct Targets<'a> {
    root: &'a Json,
    list: Vec<Target<'a>>,
    /// Targets by the address of their value in the input.
    by_address: HashMap<usize, TargetId>,
    /// Results by the text of the reference. Many references often have the same text.
    by_text: HashMap<&'a str, Result<TargetId, Unresolved>>,
    index: Index<'a>,
    /// Collected when the first reference to an anchor is resolved.
    anchors: Option<HashMap<&'a str, (&'a Json, Origin)>>,
    /// The root's `$id`, or `id` in draft-04, for references to this document by its URI.
    base: &'a str,
    /// The keywords that may give a subschema a base URI of its own.
    ids: &'static [&'static str],
}

/// Whether the value of an `$id` changes the base URI. In drafts 4 to 7, `$id: "#name"` is an anchor instead.
fn is_base(id: &Json) -> bool {
    id.as_str().is_some_and(|id| !id.starts_with('#'))
}

impl<'a> Targets<'a> {
    /// Finds the targets of all references, starting at the root and following references.
    pub(super) fn collect(root: &'a Json) -> Self {
        let version = Version::of(root);
        let id = Version::id(version);
        let mut targets = Self {
            root,
            list: Vec::new(),
            by_address: HashMap::new(),
            by_text: HashMap::new(),
            index: Index::default(),
            anchors: None,
            ids: Version::ids(version),
            base: root.get(id).and_then(Json::as_str).unwrap_or_default().trim_end_matches('#'),
        };
        let dialect = Dialect::of(root);
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
            let below = dialect::subschemas(object, dialect, version).map(|child| (child, depth + 1));
            let found = targets.list.iter().skip(known).map(|target| (target.json, 1));
            let new: Vec<_> = below.chain(found).filter(|(json, _)| seen.insert(address(json))).collect();
            // The stack is read from its end; reverse, so that targets are found in source order.
            open.extend(new.into_iter().rev());
        }
        targets
    }

    /// The target of a reference.
    pub(super) fn resolve(&mut self, text: &'a str) -> Result<TargetId, Unresolved> {
        if let Some(known) = self.by_text.get(text) {
            return known.clone();
        }
        let found = self.find(text).map(|(json, pointer)| self.add(json, pointer));
        self.by_text.insert(text, found.clone());
        found
    }

    /// The target at this value of the input, if it is one.
    pub(super) fn at(&self, json: &Json) -> Option<TargetId> {
        self.by_address.get(&address(json)).copied()
    }

    pub(super) fn get(&self, id: TargetId) -> Option<&Target<'a>> {
        self.list.get(id.0)
    }

    /// All targets: members of the root's containers in source order, then all others in the order of their references.
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

    /// Names of definitions, for suggestions.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &'a str> {
        let root = self.root.as_object();
        let containers = ["definitions", "$defs"].into_iter().filter_map(move |name| root?.get(name)?.as_object());
        let components = self.root.get("components").and_then(|components| components.get("schemas")?.as_object());
        containers.chain(components).flat_map(|container| container.iter().map(|(name, _)| name.as_str()))
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
        let resolved = relative::resolved(self.base, text);
        let text = resolved.as_deref().unwrap_or(text);
        let local = match text.strip_prefix(self.base) {
            Some("") if !self.base.is_empty() => Some(""),
            Some(rest) if rest.starts_with('#') => rest.strip_prefix('#'),
            // The empty reference is one to the document, as `#` is.
            _ if text.is_empty() => Some(""),
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
            json = self.index.step(json, &token).ok_or(Unresolved::Missing(token))?;
            // Below another base URI, the fragment of a reference would be resolved against a different document.
            if self.ids.iter().any(|name| self.index.step(json, name).is_some_and(is_base)) {
                return Err(Unresolved::NotLocal);
            }
        }
        Ok((json, canonical(&fragment)))
    }

    /// The names of the targets `used`. A member of the root's `definitions` keeps its name. Any other target whose
    /// preferred name is taken gets a suffix, a hash of its pointer, so its name does not depend on the other targets'
    /// order.
    pub(super) fn names(&self, used: &[TargetId]) -> HashMap<TargetId, String> {
        let targets = || used.iter().filter_map(|id| self.get(*id).map(|target| (*id, target)));
        let mut wanted: HashMap<&str, usize> = HashMap::new();
        targets().for_each(|(_, target)| *wanted.entry(&target.base).or_default() += 1);
        let (kept, mut others): (Vec<_>, Vec<_>) =
            targets().partition(|(_, target)| target.is_definition || wanted.get(target.base.as_str()) == Some(&1));
        let mut names: HashMap<TargetId, String> =
            kept.into_iter().map(|(id, target)| (id, target.base.clone())).collect();
        let mut taken: HashSet<String> = names.values().cloned().collect();
        // Sorted by pointer, so that a longer hash after a collision does not depend on the order of references.
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

/// The pointer of a reference within the document; `None` if it leads to an anchor or to another document.
pub(super) fn local(reference: &str) -> Option<String> {
    let fragment = if reference.is_empty() { reference } else { reference.strip_prefix('#')? };
    let fragment = percent_decode(fragment)?;
    (fragment.is_empty() || fragment.starts_with('/')).then(|| canonical(&fragment))
}

/// The pointer with `~` and `/` escaped in the usual way, so that each place has one spelling.
fn canonical(fragment: &str) -> String {
    pointer::tokens(fragment).fold(String::new(), |mut pointer, token| {
        pointer::push(&mut pointer, &token);
        pointer
    })
}

/// The preferred name of a target: for the root its title, for a definition its own name, and otherwise the nearest
/// name above it that is neither a keyword nor an index.
fn base_name(json: &Json, tokens: &[String]) -> String {
    let Some((last, above)) = tokens.split_last() else {
        let title = json.get("title").and_then(Json::as_str).unwrap_or_default();
        let name: String = title.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(MAX_NAME).collect();
        return if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { "Root".to_owned() };
    };
    if above
        .last()
        .is_some_and(|container| ["definitions", "$defs", "schemas", LINKED_FILES].contains(&container.as_str()))
    {
        return last.clone();
    }
    let is_name = |token: &&String| {
        let is_index = token.bytes().all(|b| b.is_ascii_digit());
        !is_index && !crate::parse::keywords().any(|keyword| keyword == token.as_str())
    };
    let name = tokens.iter().rev().find(is_name).map_or("Schema", String::as_str);
    name.chars().take(MAX_NAME).collect()
}

/// All anchors (`$anchor`, `$dynamicAnchor`, or an `$id` that is a fragment) with their values and places.
fn anchors(root: &Json) -> HashMap<&str, (&Json, Origin)> {
    let mut anchors = HashMap::new();
    let mut open = vec![(root, Origin::default())];
    while let Some((json, origin)) = open.pop() {
        match json {
            Json::Object(object)
                // A subschema with its own base URI has its own anchors.
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
                    // Values are data, even if they look like schemas.
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
