//! A capability that a program declares, in the form of the manifest.

use capgen_descriptor::{Descriptor, OwnedDescriptor};
use capgen_manifest::{Capability as Entry, InvalidProperty};

use crate::UnsupportedSchema;

/// A capability that a program declares, in the form of the manifest.
#[derive(Clone, Debug)]
pub struct DeclaredCapability {
    /// The path of the Rust type that declares it; empty if a descriptor does.
    pub source: &'static str,
    /// The entry of the manifest, or every reason why there is none.
    pub entry: Result<Entry, Vec<UnsupportedSchema>>,
}

impl DeclaredCapability {
    /// The capability of a descriptor, such as one in generated code. Its schemas have no annotations.
    #[must_use]
    pub fn from_descriptor(descriptor: &Descriptor) -> Self {
        Self { source: "", entry: entry(descriptor) }
    }
}

/// The entry of the manifest. The schemas of a descriptor that `#[derive(Capability)]` made are absent until they are
/// added.
///
/// # Errors
///
/// Every invalid property.
pub(crate) fn entry(descriptor: &Descriptor) -> Result<Entry, Vec<UnsupportedSchema>> {
    let problem = |InvalidProperty { key, message, .. }: InvalidProperty| UnsupportedSchema {
        path: descriptor.name.to_owned(),
        message: format!("`{key}`: {message}"),
    };
    Entry::from_descriptor(&OwnedDescriptor::from(descriptor))
        .map_err(|problems| problems.into_iter().map(problem).collect())
}
