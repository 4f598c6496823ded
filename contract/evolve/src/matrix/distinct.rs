//! The versions of a capability in contracts next to each other, each once.

/// The versions of a capability in contracts of which each follows the one before, or precedes it. A version that is in
/// contracts next to each other is there once; one that disappears and comes back is there twice.
#[derive(Clone, Debug)]
pub struct DistinctVersions<V> {
    all: Vec<V>,
    /// The indexes of those that the last contract has.
    of_last: Vec<usize>,
}

/// Which one is kept of equal versions in contracts next to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::exhaustive_enums, reason = "there are two of them")]
pub enum Kept {
    /// The one that was added first.
    First,
    /// The one that was added last.
    Last,
}

impl<V> Default for DistinctVersions<V> {
    fn default() -> Self {
        Self { all: Vec::new(), of_last: Vec::new() }
    }
}

impl<V> DistinctVersions<V> {
    /// Adds those of the next contract, of which no two are equal. A contract without the capability changes nothing.
    /// Takes a comparison for each pair of a version of this contract and one of the contract before.
    pub fn add(&mut self, versions: impl IntoIterator<Item = V>, is_equal: impl Fn(&V, &V) -> bool, kept: Kept) {
        let mut of_this = Vec::new();
        for version in versions {
            let known = |index: &usize| self.all.get(*index).is_some_and(|known| is_equal(known, &version));
            match self.of_last.iter().copied().find(known) {
                Some(index) => {
                    of_this.push(index);
                    if let (Kept::Last, Some(slot)) = (kept, self.all.get_mut(index)) {
                        *slot = version;
                    }
                }
                None => {
                    of_this.push(self.all.len());
                    self.all.push(version);
                }
            }
        }
        if !of_this.is_empty() {
            self.of_last = of_this;
        }
    }

    /// The number of versions.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no versions.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The versions, in the order in which they were added.
    pub fn into_vec(self) -> Vec<V> {
        self.all
    }
}
