//! What a pattern says, without what only its captures would need.

use std::collections::BTreeMap;

use regex_syntax::hir::ClassUnicode;

/// A set of characters, by its place in [`Parsed::sets`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SetId(pub(super) u32);

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) ast: Ast,
    pub(super) sets: Sets,
    /// How many [`Look`]s there are; their ids are below this.
    pub(super) looks: usize,
}

#[derive(Debug)]
pub(super) enum Ast {
    Empty,
    Set(SetId),
    Start,
    End,
    WordBoundary { negated: bool },
    Look(Box<Look>),
    Concat(Vec<Ast>),
    Alternatives(Vec<Ast>),
    Repeat(Box<Repeat>),
}

/// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
#[derive(Debug)]
pub(super) struct Look {
    /// Ids grow from the inside out: those inside `body` are smaller.
    pub(super) id: usize,
    pub(super) behind: bool,
    pub(super) negated: bool,
    pub(super) body: Ast,
}

/// Greedy or not: that changes which match is found, never whether there is one.
#[derive(Debug)]
pub(super) struct Repeat {
    pub(super) inner: Ast,
    pub(super) min: u32,
    /// `None` is without bound.
    pub(super) max: Option<u32>,
}

/// The distinct sets of a pattern.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sets: Vec<ClassUnicode>,
    ids: BTreeMap<Vec<(char, char)>, SetId>,
    ranges: usize,
}

impl Sets {
    /// The id of `set`, the same for equal sets.
    pub(super) fn intern(&mut self, set: ClassUnicode) -> SetId {
        let key: Vec<_> = set.ranges().iter().map(|range| (range.start(), range.end())).collect();
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = SetId(u32::try_from(self.sets.len()).unwrap_or(u32::MAX));
        self.ranges += key.len();
        self.ids.insert(key, id);
        self.sets.push(set);
        id
    }

    /// How many ranges they hold together.
    pub(super) fn ranges(&self) -> usize {
        self.ranges
    }

    pub(super) fn get(&self, id: SetId) -> Option<&ClassUnicode> {
        self.sets.get(usize::try_from(id.0).ok()?)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, ClassUnicode> {
        self.sets.iter()
    }
}

impl Ast {
    /// The looks in it, each after those inside it.
    pub(super) fn looks<'a>(&'a self, found: &mut Vec<&'a Look>) {
        match self {
            Ast::Empty | Ast::Set(_) | Ast::Start | Ast::End | Ast::WordBoundary { .. } => {}
            Ast::Look(look) => {
                look.body.looks(found);
                found.push(look);
            }
            Ast::Concat(items) | Ast::Alternatives(items) => items.iter().for_each(|item| item.looks(found)),
            Ast::Repeat(repeat) => repeat.inner.looks(found),
        }
    }

    /// Whether it can match at the start of the text only; `false` where that does not meet the eye.
    pub(super) fn is_anchored(&self) -> bool {
        match self {
            Ast::Start => true,
            Ast::Concat(items) => items.first().is_some_and(Ast::is_anchored),
            Ast::Alternatives(items) => items.iter().all(Ast::is_anchored),
            Ast::Repeat(repeat) => repeat.min > 0 && repeat.inner.is_anchored(),
            _ => false,
        }
    }
}
