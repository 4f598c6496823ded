//! Anchors, and the search for their values in the unfinished tree.
//!
//! An alias copies the value of its anchor. Defining an anchor copies nothing, so anchors without aliases cost nothing.
//! The size of a copy is known before it is made, so an alias bomb is rejected before it takes memory.

use std::collections::BTreeMap;

use crate::{Data, Node};

/// The size of a value, counting the copies that aliases make.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Values, the value itself included.
    pub(super) nodes: usize,
    /// Bytes of strings, keys and numbers.
    pub(super) bytes: usize,
    /// Levels of sequences and mappings.
    pub(super) height: usize,
}

/// The position of a value in the tree: its container, and its index there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The number of the container; `None` for the root.
    pub(super) parent: Option<usize>,
    pub(super) index: usize,
}

/// The value of an anchor.
pub(super) enum Anchor {
    /// A sequence or mapping that has not ended.
    Open,
    /// A key.
    Key(Box<Node>, Size),
    /// The value at that place.
    Value(Place, Size),
}

impl Anchor {
    /// The size of a copy; `None` while the value is open.
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
    /// Assigns a number to a new container.
    pub(super) fn number(&mut self, place: Place) -> usize {
        self.places.push(place);
        self.places.len() - 1
    }

    /// Defines an anchor, or completes one. The parser counts anchors from 1; 0 means that there is no anchor.
    pub(super) fn define(&mut self, id: usize, anchor: Anchor) {
        if id != 0 {
            self.anchors.insert(id, anchor);
        }
    }

    pub(super) fn get(&self, id: usize) -> Option<&Anchor> {
        self.anchors.get(&id)
    }

    /// The value at `place`. `open` returns the children so far of a container that has not ended.
    pub(super) fn find<'t>(&self, place: Place, open: impl Fn(usize) -> Option<Children<'t>>) -> Option<&'t Node> {
        // Goes up from the value to the nearest container that is still open, then down again.
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
