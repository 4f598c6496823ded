//! Schemas with a URI of their own inside of a document: embedded resources, as bundled documents and libraries such as
//! TypeBox have them.
//!
//! Their references become pointers from the root, so that the rest of the translation needs no URIs but that of the
//! root. No schema moves.

use std::collections::HashMap;

use capgen_diagnostic::quoted;

use super::MAX_POINTER_BYTES;
use super::dialect::{Dialect, is_beside_reference};
use super::index::Index;
use super::lossy::{Loss, Reading};
use super::places::{map_subschemas, visit_subschemas};
use super::relative::resolved;
use super::version::Version;
use super::walk::MAX_PROBLEMS;
use crate::parse::advice::cut;
use crate::parse::percent_decode;
use crate::{Json, MAX_WALK_DEPTH, Object, pointer};

/// At most this many bytes of pointers to resources and anchors are kept. Pointers repeat the names above a place.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// A schema with a URI of its own, or the root.
struct Resource<'a> {
    /// Without a fragment; empty if the root has none.
    uri: String,
    pointer: String,
    schema: &'a Json,
}

/// The resources of a document, in the order of the text.
struct Resources<'a> {
    dialect: Dialect,
    /// `$id`, or `id` in draft-04.
    keyword: &'static str,
    list: Vec<Resource<'a>>,
    /// The pointers of anchors, by the index of their resource.
    anchors: HashMap<(usize, &'a str), String>,
    /// Indexes by URI; `None` if resources that differ have it.
    by_uri: HashMap<String, Option<usize>>,
    /// Bytes of pointers that may still be kept.
    room: usize,
}

/// A document with pointers in place of the URIs of its resources.
pub(super) struct Flat {
    pub(super) json: Json,
    /// The references that are not read by the letter.
    pub(super) notes: Vec<Loss>,
}

/// The document without resources; `None` if it has none but the root.
pub(super) fn flattened(root: &Json) -> Option<Flat> {
    let keyword = Version::id(Version::of(root));
    let mut resources = Resources {
        dialect: Dialect::of(root),
        keyword,
        list: Vec::new(),
        anchors: HashMap::new(),
        by_uri: HashMap::new(),
        room: MAX_KEPT_BYTES,
    };
    let uri = root.get(keyword).and_then(Json::as_str).unwrap_or_default();
    resources.add(without_fragment(uri).to_owned(), "", root);
    resources.collect(root, &mut String::new(), 0, 0);
    if resources.list.len() == 1 {
        return None;
    }
    let (index, notes) = (Index::default(), Vec::new());
    let mut flattening = Flattening { root, resources, index, notes, next: 0, left: MAX_POINTER_BYTES };
    let json = flattening.schema(root, &mut String::new(), 0, 0);
    Some(Flat { json, notes: flattening.notes })
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

impl<'a> Resources<'a> {
    fn add(&mut self, uri: String, at: &str, schema: &'a Json) {
        let index = self.list.len();
        let list = &self.list;
        let known = self.by_uri.entry(uri.clone()).or_insert(Some(index));
        // A library may repeat a type with its URI.
        if known.is_some_and(|known| known != index && list.get(known).is_none_or(|first| first.schema != schema)) {
            *known = None;
        }
        self.list.push(Resource { uri, pointer: at.to_owned(), schema });
    }

    fn keeps(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }

    /// The URI that a subschema gives itself.
    fn own(&self, object: &'a Object, around: usize) -> Option<String> {
        let id = object.get(self.keyword).and_then(Json::as_str)?;
        // Drafts 4 to 7 ignore it next to a reference, and one with only a fragment is an anchor.
        let is_ignored = self.dialect == Dialect::Legacy && object.get("$ref").is_some();
        let id = Some(without_fragment(id)).filter(|id| !id.is_empty() && !is_ignored)?;
        let base = self.list.get(around).map_or("", |around| around.uri.as_str());
        Some(resolved(base, id).unwrap_or_else(|| id.to_owned()))
    }

    /// Finds the resources below a schema, which is in the one with the index `around`.
    fn collect(&mut self, schema: &'a Json, at: &mut String, around: usize, depth: usize) {
        let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { return };
        let mut around = around;
        if depth > 0
            && let Some(uri) = self.own(object, around)
            && self.keeps(uri.len() + at.len())
        {
            around = self.list.len();
            self.add(uri, at, schema);
        }
        for name in ["$anchor", "$dynamicAnchor", self.keyword] {
            let text = object.get(name).and_then(Json::as_str).unwrap_or_default();
            let anchor = if name == self.keyword { text.strip_prefix('#').unwrap_or_default() } else { text };
            if !anchor.is_empty() && self.keeps(at.len() + 1) {
                self.anchors.entry((around, anchor)).or_insert_with(|| at.clone());
            }
        }
        let dialect = self.dialect;
        for (name, value) in object.iter().filter(|(name, _)| !is_beside_reference(dialect, object, name)) {
            visit_subschemas(name, value, depth == 0, at, &mut |child, at| self.collect(child, at, around, depth + 1));
        }
    }

    /// The pointer that a reference in a resource leads to.
    fn target(&self, reference: &str, around: usize) -> Option<String> {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let own = self.list.get(around)?;
        let uri = resolved(&own.uri, path).unwrap_or_else(|| path.to_owned());
        let index = match path.is_empty() || uri == own.uri {
            true => around,
            false => (*self.by_uri.get(&uri)?)?,
        };
        let resource = self.list.get(index)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(format!("{}{fragment}", pointer::to_fragment(&resource.pointer)));
        }
        self.anchors.get(&(index, fragment)).map(|at| pointer::to_fragment(at))
    }
}

/// The second walk, which visits the same schemas in the same order.
struct Flattening<'a> {
    root: &'a Json,
    resources: Resources<'a>,
    index: Index<'a>,
    notes: Vec<Loss>,
    /// The index of the last resource that was entered.
    next: usize,
    /// Bytes of references that may still be replaced by longer ones.
    left: usize,
}

impl Flattening<'_> {
    /// `at` is the pointer of the schema, also afterwards.
    fn schema(&mut self, schema: &Json, at: &mut String, around: usize, depth: usize) -> Json {
        let Some(object) = schema.as_object().filter(|_| depth <= MAX_WALK_DEPTH) else { return schema.clone() };
        let is_resource = self.resources.list.get(self.next + 1).is_some_and(|next| std::ptr::eq(next.schema, schema));
        self.next += usize::from(is_resource);
        let around = if is_resource { self.next } else { around };
        let mut out = Object::new();
        for (name, value) in object {
            let value = match (name.as_str(), value) {
                ("$ref", Json::String(text)) if self.means_the_root(text, around) => {
                    self.note(at, text);
                    value.clone()
                }
                ("$ref", Json::String(text)) => Json::String(self.reference(text, around)),
                // Anchors of other resources than the root have been replaced.
                ("$anchor" | "$dynamicAnchor", Json::String(_)) if around > 0 => continue,
                (name, Json::String(_)) if name == self.resources.keyword && around > 0 => continue,
                (name, value) => map_subschemas(name, value, depth == 0, &mut |tokens, child| {
                    let length = at.len();
                    pointer::push(at, name);
                    tokens.iter().for_each(|token| pointer::push(at, token));
                    let flat = self.schema(child, at, around, depth + 1);
                    at.truncate(length);
                    flat
                }),
            };
            out.push(name.clone(), value);
        }
        Json::Object(out)
    }

    /// Whether a pointer leads nowhere in its resource, but somewhere in the document. Tools that give each subschema
    /// an `$id` with its place write such references, and mean the document.
    fn means_the_root(&mut self, reference: &str, around: usize) -> bool {
        let Some(resource) = self.resources.list.get(around).filter(|_| around > 0) else { return false };
        let fragment = reference.strip_prefix('#').filter(|fragment| fragment.starts_with('/'));
        let Some(at) = fragment.and_then(percent_decode) else { return false };
        self.index.get(resource.schema, &at).is_none() && self.index.get(self.root, &at).is_some()
    }

    fn note(&mut self, at: &str, reference: &str) {
        if self.notes.len() >= MAX_PROBLEMS {
            return;
        }
        let reason = format!(
            "{} leads nowhere in the schema with the `{}` around it: it is read as a place of the document",
            quoted(&cut(reference)),
            self.resources.keyword
        );
        let (pointer, name) = (pointer::join(at, "$ref"), String::new());
        self.notes.push(Loss { pointer, keyword: String::new(), reason, reading: Reading::RootReference, name });
    }

    fn reference(&mut self, reference: &str, around: usize) -> String {
        let target = self.resources.target(reference, around);
        let room = target.as_ref().and_then(|target| self.left.checked_sub(target.len() + 1));
        if let (Some(target), Some(room)) = (target, room) {
            self.left = room;
            return format!("#{target}");
        }
        // A fragment alone would lead into the root.
        let base = self.resources.list.get(around).map_or("", |around| around.uri.as_str());
        match (around > 0, reference.starts_with('#')) {
            (true, true) => format!("{base}{reference}"),
            (true, false) => resolved(base, reference).unwrap_or_else(|| reference.to_owned()),
            (false, _) => reference.to_owned(),
        }
    }
}
