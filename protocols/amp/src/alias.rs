//! Legacy types of capabilities.

use std::collections::BTreeMap;

use crate::name::CapabilityName;

/// The provider's table of aliases: each maps a legacy `type` to the name of a capability (decision 6).
///
/// ```
/// use capgen_amp::{Aliases, CapabilityName};
/// let name: CapabilityName = "org.agentries.code-review".parse()?;
/// let aliases: Aliases = [("review".to_owned(), name.clone())].into_iter().collect();
/// assert_eq!(aliases.resolve("review"), Some(name));
/// # Ok::<(), capgen_amp::InvalidName>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Aliases(BTreeMap<String, CapabilityName>);

impl Aliases {
    /// The name to which a `type` refers, without regard to the published capabilities: that of the table, or else the
    /// `type` itself, if it is a name. `None` if it may be the last segment of a published name, which only the
    /// catalogue knows (decision 6).
    #[must_use]
    pub fn resolve(&self, type_alias: &str) -> Option<CapabilityName> {
        self.0.get(type_alias).cloned().or_else(|| type_alias.parse().ok())
    }

    /// Whether a `type` agrees with the name of an `id` (decision 5): it is the name, an alias of it, or its last
    /// segment.
    #[must_use]
    pub fn agrees(&self, type_alias: &str, name: &CapabilityName) -> bool {
        type_alias == name.as_str() || type_alias == name.last_segment() || self.0.get(type_alias) == Some(name)
    }

    /// The aliases in ascending order, each with its name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &CapabilityName)> {
        self.0.iter().map(|(alias, name)| (alias.as_str(), name))
    }
}

/// Of equal types, the last one wins.
impl FromIterator<(String, CapabilityName)> for Aliases {
    fn from_iter<I: IntoIterator<Item = (String, CapabilityName)>>(aliases: I) -> Self {
        Self(aliases.into_iter().collect())
    }
}
