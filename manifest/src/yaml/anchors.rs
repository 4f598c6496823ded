//! Anchors, and finding again in the unfinished tree what they name.
//!
//! An alias is written out by copying. Nothing is copied where an anchor is defined, so that anchors alone cost nothing;
//! sizes are known before the copying starts, so that a bomb is refused before it takes memory.

use std::collections::BTreeMap;

use crate::{Data, Node};

/// How much there is below a value, aliases written out.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Values, the value itself included.
    pub(super) nodes: usize,
    /// Bytes of strings, keys and numbers.
    pub(super) bytes: usize,
    /// Levels of sequences and mappings.
    pub(super) height: usize,
}

/// Where a value hangs: below which container, and as which of its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The number of the container; `None` for the root.
    pub(super) parent: Option<usize>,
    pub(super) index: usize,
}

/// What an anchor names.
pub(super) enum Anchor {
    /// A sequence or mapping that has not ended.
    Open,
    /// A key.
    Key(Box<Node>, Size),
    /// The value at that place.
    Value(Place, Size),
}

impl Anchor {
    /// How much an alias of it stands for; `None` while it is open.
    pub(super) fn size(&self) -> Option<Size> {
        match self {
            Anchor::Open => None,
            Anchor::Key(_, size) | Anchor::Value(_, size) => Some(*size),
        }
    }
}

/// The anchors of a document, and the place of each of its sequences and mappings.
#[derive(Default)]
pub(super) struct Anchors {
    anchors: BTreeMap<usize, Anchor>,
    /// By the number of the container.
    places: Vec<Place>,
}

impl Anchors {
    /// Gives a new container its number.
    pub(super) fn number(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    /// Defines an anchor, or completes one. The parser counts anchors from 1; 0 is none.
    pub(super) fn define(&mut self, id: usize, anchor: Anchor) {
        if id != 0 {
            self.anchors.insert(id, anchor);
        }
    }

    pub(super) fn get(&self, id: usize) -> Option<&Anchor> {
        self.anchors.get(&id)
    }

    /// The value at `place`. `open` gives the children so far of a container that has not ended.
    pub(super) fn find<'t>(&self, place: Place, open: impl Fn(usize) -> Option<Children<'t>>) -> Option<&'t Node> {
        // From the value up to the nearest container that is still open, then down again.
        let mut path = vec![place.index];
        let mut at = place.parent?;
        let mut children = loop {
            if let Some(children) = open(at) {
                break children;
            }
            let place = self.places.get(at)?;
            path.push(place.index);
            at = place.parent?;
        };
        let mut node = None;
        while let Some(index) = path.pop() {
            let child = children.get(index)?;
            children = Children::of(child);
            node = Some(child);
        }
        node
    }
}

/// The children of a container.
pub(super) enum Children<'t> {
    Items(&'t [Node]),
    Members(&'t [crate::Member]),
}

impl<'t> Children<'t> {
    fn of(node: &'t Node) -> Self {
        match &node.data {
            Data::Array(items) => Self::Items(items),
            Data::Object(members) => Self::Members(members),
            _ => Self::Items(&[]),
        }
    }

    fn get(&self, index: usize) -> Option<&'t Node> {
        match self {
            Self::Items(items) => items.get(index),
            Self::Members(members) => members.get(index).map(|m| &m.value),
        }
    }
}
