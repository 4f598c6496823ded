//! Strings as small numbers, so that a state contains each of them once.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Name(u32);

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

    pub(crate) fn text(&self, name: Name) -> &str {
        usize::try_from(name.0).ok().and_then(|index| self.texts.get(index)).map_or("", |text| text)
    }
}
