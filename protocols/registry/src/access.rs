//! The roles and scopes of callers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The roles and scopes of a caller (section 11.1). They come from the grants of the configuration or from signed
/// claims, never from a request.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// The roles.
    pub roles: BTreeSet<String>,
    /// The scopes.
    pub scopes: BTreeSet<String>,
}

impl Access {
    /// Whether these roles and scopes contain all that a capability requires.
    #[must_use]
    pub fn allows<'r>(
        &self,
        required_roles: impl IntoIterator<Item = &'r str>,
        required_scopes: impl IntoIterator<Item = &'r str>,
    ) -> bool {
        required_roles.into_iter().all(|role| self.roles.contains(role))
            && required_scopes.into_iter().all(|scope| self.scopes.contains(scope))
    }

    /// `{"roles", "scopes"}`, both sorted.
    pub(crate) fn to_json(&self) -> Value {
        json!({"roles": self.roles, "scopes": self.scopes})
    }
}
