//! The changes between two versions of a schema, place by place.

mod align;
mod keywords;
mod object;
mod rename;

pub(crate) use align::{constants, identities, name as branch_name};
pub(super) use align::{definition, tag};
pub(crate) use keywords::listed;

use std::collections::BTreeSet;

use capgen_schema::{Annotations, Json, Kind as Shape, NodeId, Schema};

use super::change::{Change, Kind};

/// The most changes of one side that are listed: a reader reads no more, and each takes time to find its places.
pub(super) const MAX_CHANGES: usize = 1_000;

/// The changes between two versions of a schema, at most [`MAX_CHANGES`], and whether these are all. Takes time linear
/// in the size of the schemas, and for each change the time to find its place in the texts.
pub(super) fn changes(old: &Schema, new: &Schema) -> (Vec<Change>, bool) {
    let mut walk = Walk { old, new, visited: BTreeSet::new(), open: Vec::new(), changes: Vec::new() };
    walk.pair(old.root(), new.root());
    // The places are visited in source order, so that equal inputs give equal findings.
    while walk.changes.len() <= MAX_CHANGES
        && let Some((old, new)) = walk.open.pop()
    {
        if walk.visited.insert((old, new)) {
            let below = walk.open.len();
            walk.place(old, new);
            if let Some(added) = walk.open.get_mut(below..) {
                added.reverse();
            }
        }
    }
    // One more than the limit shows that there are more.
    let is_complete = walk.changes.len() <= MAX_CHANGES;
    walk.changes.truncate(MAX_CHANGES);
    (walk.changes, is_complete)
}

/// Two versions of a schema, and the pairs of subschemas that are at the same place.
struct Walk<'s> {
    old: &'s Schema,
    new: &'s Schema,
    visited: BTreeSet<(NodeId, NodeId)>,
    /// An explicit stack: references make chains of any length.
    open: Vec<(NodeId, NodeId)>,
    changes: Vec<Change>,
}

impl Walk<'_> {
    /// Two subschemas for the same place, to be compared later.
    fn pair(&mut self, old: NodeId, new: NodeId) {
        // A `$ref` may have annotations of its own.
        let pairs = [(old, new), (self.old.resolve(old), self.new.resolve(new))];
        if matches!(self.old.node(old).kind, Shape::Ref(_)) && matches!(self.new.node(new).kind, Shape::Ref(_)) {
            self.annotations(pairs[0]);
        }
        self.open.push(pairs[1]);
    }

    fn place(&mut self, old: NodeId, new: NodeId) {
        let nothing = capgen_schema::Assertions::default();
        let (old_shape, new_shape) = (&self.old.node(old).kind, &self.new.node(new).kind);
        let before = match old_shape {
            Shape::Assertions(group) => &**group,
            Shape::Bool(true) => &nothing,
            _ => return self.replaced(old, new),
        };
        let after = match new_shape {
            Shape::Assertions(group) => &**group,
            Shape::Bool(true) => &nothing,
            _ => return self.replaced(old, new),
        };
        self.annotations((old, new));
        self.keywords((old, new), before, after);
        self.object((old, new), before, after);
        self.patterns((old, new), before, after);
        self.unions((old, new), before, after);
    }

    /// Reports that the whole subschema changed, unless both are the same.
    fn replaced(&mut self, old: NodeId, new: NodeId) {
        if matches!((&self.old.node(old).kind, &self.new.node(new).kind), (Shape::Bool(a), Shape::Bool(b)) if a == b) {
            return;
        }
        let (before, after) = (self.text_of(self.old, old), self.text_of(self.new, new));
        let shown = |schema: Option<&Json>| schema.map(brief).unwrap_or_default();
        let text = format!("the schema changed from {} to {}", shown(before), shown(after));
        let mut change = Change::of(Kind::Replaced, (old, new), "", text).edit(&[], after.cloned());
        change.path.clear();
        self.changes.push(change);
    }

    /// The text of a subschema as it was written.
    fn text_of<'t>(&self, schema: &'t Schema, id: NodeId) -> Option<&'t Json> {
        schema.source().pointer(&schema.node(id).pointer)
    }

    /// The text of a keyword of a subschema as it was written.
    fn keyword_of<'t>(&self, schema: &'t Schema, id: NodeId, keyword: &str) -> Option<&'t Json> {
        self.text_of(schema, id)?.get(keyword)
    }

    /// Edits that give the old subschema the keywords of the new one.
    fn copying(&self, change: Change, keywords: &[&str]) -> Change {
        let new = change.new;
        keywords
            .iter()
            .fold(change, |change, keyword| change.edit(&[keyword], self.keyword_of(self.new, new, keyword).cloned()))
    }

    fn annotations(&mut self, place: (NodeId, NodeId)) {
        let (before, after) = (&self.old.node(place.0).annotations, &self.new.node(place.1).annotations);
        let Annotations { title, description, x_format, deprecated, read_only, write_only, default, examples } = before;
        if *default != after.default {
            let shown = |value: &Option<Json>| value.as_ref().map_or_else(|| "none".to_owned(), brief);
            let text = format!("`default` changed from {} to {}", shown(default), shown(&after.default));
            let change = self.copying(Change::of(Kind::Default, place, "default", text), &["default"]);
            self.changes.push(change);
        }
        for (keyword, is_equal) in [
            ("title", *title == after.title),
            ("description", *description == after.description),
            ("x-format", *x_format == after.x_format),
            ("deprecated", *deprecated == after.deprecated),
            ("readOnly", *read_only == after.read_only),
            ("writeOnly", *write_only == after.write_only),
            ("examples", *examples == after.examples),
        ] {
            if !is_equal {
                let change = Change::of(Kind::Annotation, place, keyword, format!("`{keyword}` changed"));
                let change = self.copying(change, &[keyword]);
                self.changes.push(change);
            }
        }
    }
}

/// The most characters of a value in a message. A message has several values, and should fit on a line or two.
const MAX_VALUE: usize = 60;

/// A value on one line, at most [`MAX_VALUE`] characters.
pub(super) fn brief(value: &Json) -> String {
    let text = value.canonical();
    if text.chars().count() <= MAX_VALUE {
        return text;
    }
    text.chars().take(MAX_VALUE - 3).chain("...".chars()).collect()
}

/// The changes from one list of names to another: those that only the first has, and those that only the second has.
fn difference<'n>(old: &[&'n str], new: &[&'n str]) -> (Vec<&'n str>, Vec<&'n str>) {
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    let removed = old.iter().copied().filter(|name| !after.contains(name)).collect();
    let added = new.iter().copied().filter(|name| !before.contains(name)).collect();
    (removed, added)
}
