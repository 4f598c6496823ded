//! Strings as small numbers, so that a state contains each of them once.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Name(u32);

impl Name {
    pub(super) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Every string of a state: agents, capabilities and versions.
#[derive(Clone, Default, Debug)]
pub(crate) struct Names {
    // The standard hasher, because strings come from strangers, who could make others collide.
    numbers: HashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
}

impl Names {
    pub(crate) fn number(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let text: Arc<str> = text.into();
        // A state of 2^32 strings does not fit into memory.
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The string of a name, which is not copied.
    pub(crate) fn shared(&self, name: Name) -> Arc<str> {
        self.texts.get(name.index()).cloned().unwrap_or_else(|| "".into())
    }

    /// The place of each name in the bytewise order of their strings, from 1 on.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut sorted: Vec<(&str, usize)> = self.texts.iter().map(|text| &**text).zip(0..).collect();
        sorted.sort_unstable();
        let mut ranks = vec![0; sorted.len()];
        for ((_, name), rank) in sorted.into_iter().zip(1..) {
            if let Some(place) = ranks.get_mut(name) {
                *place = rank;
            }
        }
        ranks
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        self.texts.get(name.index()).map_or("", |text| text)
    }
}
