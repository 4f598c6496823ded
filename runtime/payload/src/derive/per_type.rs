//! Values that are computed once for each type.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// Values by type. They live as long as the program. A program has finitely many types, so the memory is bounded.
pub(super) struct PerType<V: 'static>(RwLock<BTreeMap<TypeId, &'static V>>);

impl<V> PerType<V> {
    pub(super) const fn new() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }

    /// The value for a type, computed by `make` on first use. `make` may call this for other types: no lock is held
    /// during the call.
    pub(super) fn get(&self, key: TypeId, make: &dyn Fn() -> V) -> &'static V {
        if let Some(value) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return value;
        }
        let value = make();
        self.0.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert_with(|| Box::leak(Box::new(value)))
    }
}
