//! The references of one file of a bundle.
//!
//! The walk knows no dialect: a file can be a schema, a document of OpenAPI, or a part of one.

use std::collections::HashMap;

use capgen_schema::{Json, Object, pointer, resolved_reference};

use super::unread::{is_internal, resolved};

/// The pointers of the anchors of a file.
pub(super) type Anchors = HashMap<String, String>;

/// At most this many bytes of pointers to anchors are kept for a file. Pointers repeat the names above a place; files
/// have a few anchors.
const MAX_ANCHORS: usize = 4 << 20;

/// Members of objects whose keys are names that authors choose, and not keywords.
const NAMES: [&str; 6] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties", "schemas"];

/// Whether the value of a keyword consists of values, even if they look like references.
fn is_data(name: &str, value: &Json) -> bool {
    name == "const" || (matches!(name, "enum" | "examples") && value.as_array().is_some())
}

/// The URI that an object gives itself. In drafts 4 to 7, one that starts with `#` is an anchor.
fn id(members: &Object) -> Option<&str> {
    let ids = ["$id", "id"].into_iter().filter_map(|name| members.get(name)?.as_str());
    ids.map(|id| id.trim_end_matches('#')).find(|id| !id.is_empty() && !id.starts_with('#'))
}

/// The URI that a file gives itself: that of a schema, or of a document of OpenAPI 3.2.
fn own_uri(members: &Object) -> Option<&str> {
    let document = members.get("openapi").and_then(|_| members.get("$self")?.as_str());
    document.filter(|uri| !uri.is_empty() && !uri.contains('#')).or_else(|| id(members))
}

/// Whether a file has references to other files, or to itself by its path or URI.
pub(super) fn have_paths(json: &Json) -> bool {
    let mut found = false;
    references(json, &mut |reference| found |= !reference.is_empty() && !reference.starts_with('#'));
    found
}

/// Calls `found` with each reference of a file, in the order of the text.
pub(super) fn references<'j>(json: &'j Json, found: &mut impl FnMut(&'j str)) {
    let mut open = vec![(json, false)];
    while let Some((json, has_names)) = open.pop() {
        match json {
            Json::Object(members) => {
                let keyword = |name| members.get(name).filter(|_| !has_names);
                keyword("$ref").and_then(Json::as_str).into_iter().for_each(&mut *found);
                let discriminator = keyword("discriminator");
                let default = discriminator.and_then(|one| one.get("defaultMapping"));
                let targets = mapping(discriminator).map(|(_, target)| target).chain(default);
                targets.filter_map(file_name).for_each(&mut *found);
                let below = members.iter().rev().filter(|(name, value)| has_names || !is_data(name, value));
                open.extend(below.map(|(name, value)| (value, !has_names && NAMES.contains(&name.as_str()))));
            }
            Json::Array(items) => open.extend(items.iter().rev().map(|item| (item, false))),
            _ => {}
        }
    }
}

/// The members of the mapping of a discriminator.
fn mapping(discriminator: Option<&Json>) -> impl Iterator<Item = &(String, Json)> {
    discriminator.and_then(|one| one.get("mapping")?.as_object()).into_iter().flatten()
}

/// The reference in a mapping, which can have names of components instead.
fn file_name(target: &Json) -> Option<&str> {
    target.as_str().filter(|text| text.contains(['.', '/', '#']))
}

/// The anchors of a file, apart from those in schemas with a URI of their own.
pub(super) fn anchors(json: &Json) -> Anchors {
    let mut search = Search { found: Anchors::new(), room: MAX_ANCHORS };
    search.visit(json, &mut String::new(), false);
    search.found
}

struct Search {
    found: Anchors,
    /// In bytes.
    room: usize,
}

impl Search {
    /// `at` is the pointer of `json`. The readers of documents bound the depth.
    fn visit(&mut self, json: &Json, at: &mut String, has_names: bool) {
        let length = at.len();
        match json {
            Json::Object(members) if !has_names && length > 0 && id(members).is_some() => {}
            Json::Object(members) => {
                for (name, value) in members {
                    if let Some(anchor) = anchor(name, value).filter(|_| !has_names) {
                        self.add(anchor, at);
                    }
                    if has_names || !is_data(name, value) {
                        pointer::push(at, name);
                        self.visit(value, at, !has_names && NAMES.contains(&name.as_str()));
                        at.truncate(length);
                    }
                }
            }
            Json::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointer::push(at, &index.to_string());
                    self.visit(item, at, false);
                    at.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, anchor: &str, at: &str) {
        let Some(room) = self.room.checked_sub(anchor.len() + at.len() + 1) else { return };
        self.room = room;
        self.found.entry(anchor.to_owned()).or_insert_with(|| at.to_owned());
    }
}

fn anchor<'j>(name: &str, value: &'j Json) -> Option<&'j str> {
    match name {
        "$anchor" | "$dynamicAnchor" => value.as_str(),
        "$id" | "id" => value.as_str()?.strip_prefix('#').filter(|anchor| !anchor.is_empty()),
        _ => None,
    }
}

/// A file whose references are replaced by references within the bundle.
pub(super) struct Links<'b> {
    /// Its path.
    file: &'b str,
    is_main: bool,
    /// Its URI.
    base: &'b str,
    /// The reference within the bundle to a path and a fragment.
    place: &'b dyn Fn(&str, &str) -> Option<String>,
}

/// The part of a file that a value is in.
#[derive(Clone, Copy, Default)]
struct Part<'b> {
    /// Whether the value has names instead of keywords.
    has_names: bool,
    is_below_root: bool,
    /// The URI of the schema around the value, if it is not that of the file.
    base: Option<&'b str>,
}

impl<'b> Links<'b> {
    pub(super) fn of(
        file: &'b str,
        is_main: bool,
        json: &'b Json,
        place: &'b dyn Fn(&str, &str) -> Option<String>,
    ) -> Self {
        Self { file, is_main, base: json.as_object().and_then(own_uri).unwrap_or_default(), place }
    }

    /// The content of the file. Only the document itself keeps its URI and its anchors.
    pub(super) fn linked(&self, json: &'b Json) -> Json {
        self.value(json, Part::default())
    }

    fn value(&self, json: &'b Json, mut part: Part<'b>) -> Json {
        let Json::Object(members) = json else {
            let Json::Array(items) = json else { return json.clone() };
            let part = Part { has_names: false, is_below_root: true, ..part };
            return Json::Array(items.iter().map(|item| self.value(item, part)).collect());
        };
        if part.is_below_root && !part.has_names {
            part.base = id(members).or(part.base);
        }
        let member = |(name, value): &'b (String, Json)| {
            let below = Part { has_names: false, is_below_root: true, base: part.base };
            let value = match (name.as_str(), value) {
                _ if part.has_names => self.value(value, below),
                ("$ref", Json::String(text)) => Json::String(self.link(text, part.base)),
                ("$id" | "id" | "$anchor" | "$dynamicAnchor", Json::String(_)) if self.drops(name, value, part) => {
                    return None;
                }
                ("discriminator", Json::Object(members)) => self.discriminator(members, part.base),
                (name, value) if is_data(name, value) => value.clone(),
                (name, value) => self.value(value, Part { has_names: NAMES.contains(&name), ..below }),
            };
            Some((name.clone(), value))
        };
        Json::Object(members.iter().filter_map(member).collect())
    }

    /// Whether a keyword would be one of the bundle: the URI of another file, or an anchor in it.
    fn drops(&self, name: &str, value: &Json, part: Part<'_>) -> bool {
        !self.is_main && part.base.is_none() && (!part.is_below_root || anchor(name, value).is_some())
    }

    fn discriminator(&self, members: &'b Object, base: Option<&str>) -> Json {
        let mut out = members.clone();
        let link = |target: &Json| file_name(target).map(|text| Json::String(self.link(text, base)));
        if let Some(Json::Object(targets)) = out.get_mut("mapping") {
            let target =
                |(name, target): &(String, Json)| (name.clone(), link(target).unwrap_or_else(|| target.clone()));
            *targets = targets.iter().map(target).collect();
        }
        if let Some(default) = out.get_mut("defaultMapping") {
            *default = link(default).unwrap_or_else(|| default.clone());
        }
        Json::Object(out)
    }

    /// A reference within the bundle, or one that leads out of it.
    fn link(&self, reference: &str, base: Option<&str>) -> String {
        // The references in a schema with a URI of its own are relative to it. In the document, its reader knows that.
        if let Some(base) = base {
            // That reader also looks for a place in the document.
            let internal = reference.strip_prefix('#').filter(|fragment| self.is_main && is_internal(fragment));
            return match internal.and_then(|fragment| (self.place)(self.file, fragment)) {
                Some(renamed) => renamed,
                None if self.is_main => reference.to_owned(),
                None => absolute(base, reference),
            };
        }
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let is_own = path.is_empty() || path == self.base || absolute(self.base, path) == self.base;
        let path = if is_own { Some(self.file.to_owned()) } else { resolved(self.file, path).ok() };
        let found = path.and_then(|path| (self.place)(&path, fragment));
        found.unwrap_or_else(|| match self.is_main {
            true => reference.to_owned(),
            // The fragment alone would lead into the document.
            false if reference.starts_with('#') => format!("{}{reference}", self.file),
            false => absolute(self.base, reference),
        })
    }
}

/// A reference that is relative to a URI, as far as it can be.
fn absolute(base: &str, reference: &str) -> String {
    match reference.starts_with('#') {
        true => format!("{base}{reference}"),
        false => resolved_reference(base, reference).unwrap_or_else(|| reference.to_owned()),
    }
}
