//! Looking up a name in a time that does not show whether it is there.

use std::hash::{BuildHasher as _, RandomState};

/// The places of names in a list, by hashes that differ between processes, so that a client cannot choose names whose
/// hashes are near those of others.
#[derive(Debug)]
pub(super) struct NameIndex {
    hasher: RandomState,
    /// The hash of each name and its place, in the order of the hashes.
    places: Vec<(u64, usize)>,
}

impl NameIndex {
    /// The index of names that all differ.
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        // Until no two names have the same hash, which is nearly always so the first time.
        loop {
            let hasher = RandomState::new();
            let hashes = names.clone().map(|name| hasher.hash_one(name));
            let mut places: Vec<_> = hashes.zip(0..).collect();
            places.sort_unstable();
            if places.is_sorted_by(|(hash, _), (next, _)| hash < next) {
                return Self { hasher, places };
            }
        }
    }

    /// The only place that may have this name: the caller compares the name there. With a name that is not in the list,
    /// it is the place of any other.
    ///
    /// The steps are the same for every name of a length. A hash table would compare only names that are there.
    pub(super) fn candidate(&self, name: &str) -> usize {
        let hash = self.hasher.hash_one(name);
        let found = self.places.partition_point(|(other, _)| *other < hash);
        // Without a branch. The list may be empty.
        self.places.get(found.min(self.places.len().saturating_sub(1))).map_or(0, |(_, place)| *place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_place_and_other_names_have_any() {
        for count in [0, 1, 2, 300] {
            let names: Vec<String> = (0..count).map(|number| format!("tool-{number}")).collect();
            let index = NameIndex::new(names.iter().map(String::as_str));
            for (place, name) in names.iter().enumerate() {
                assert_eq!(index.candidate(name), place);
            }
            for other in ["", "tool-300", "tool-1 "] {
                assert!(index.candidate(other) < count.max(1));
            }
        }
    }
}
