//! The syntax tree of a pattern. It has no capture groups: `pattern` asks only whether there is a match.

use std::collections::BTreeMap;

use regex_syntax::hir::ClassUnicode;

/// The index of a set of characters in [`Parsed::sets`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SetId(pub(crate) u32);

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) ast: Ast,
    pub(super) sets: Sets,
    /// The number of [`Look`]s; their ids are below it.
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
    /// Look-arounds inside `body` have smaller ids. The scanner relies on this: it evaluates them in the order of ids.
    pub(super) id: usize,
    pub(super) behind: bool,
    pub(super) negated: bool,
    pub(super) body: Ast,
}

/// A quantifier. Greedy and lazy ones are the same here: they differ in which match is found, not in whether there is
/// one.
#[derive(Debug)]
pub(super) struct Repeat {
    pub(super) inner: Ast,
    pub(super) min: u32,
    /// `None` means unbounded.
    pub(super) max: Option<u32>,
}

/// The distinct character sets of a pattern. A pattern often repeats a large set such as `\p{L}`, so equal sets are
/// stored once.
#[derive(Debug, Default)]
pub(super) struct Sets {
    sets: Vec<ClassUnicode>,
    ids: BTreeMap<Vec<(char, char)>, SetId>,
    ranges: usize,
}

impl Sets {
    /// The id of `set`. Equal sets have the same id.
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

    /// The number of ranges of all sets together.
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
    /// All look-arounds of the tree. An inner one comes before the outer one.
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

    /// The tree without its look-arounds. It matches wherever the tree does.
    pub(super) fn without_looks(self) -> Self {
        let all = |items: Vec<Ast>| items.into_iter().map(Ast::without_looks).collect();
        match self {
            Ast::Look(_) => Ast::Empty,
            Ast::Concat(items) => Ast::Concat(all(items)),
            Ast::Alternatives(items) => Ast::Alternatives(all(items)),
            Ast::Repeat(repeat) => {
                let Repeat { inner, min, max } = *repeat;
                Ast::Repeat(Box::new(Repeat { inner: inner.without_looks(), min, max }))
            }
            other => other,
        }
    }

    /// Whether it can match at the start of the text only. The check is syntactic, so `false` means "unknown".
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
