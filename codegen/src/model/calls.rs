//! The names of the items that call an agent and implement it.

use std::collections::HashSet;

use super::capability_name::CapabilityName;
use super::{ErrorNames, Model, SideModel};
use crate::name;

impl Model<'_> {
    /// The names of all types: the markers of capabilities, the types of their errors and of sides without a schema,
    /// and the others.
    pub(crate) fn type_names(&self) -> HashSet<&str> {
        let markers = self.capabilities.iter().map(|capability| capability.marker.as_str());
        let sides = self.capabilities.iter().flat_map(|capability| [&capability.request, &capability.response]);
        let loose = sides.filter_map(|side| if let SideModel::Loose(name) = side { Some(name.as_str()) } else { None });
        let errors = self.capabilities.iter().filter_map(|capability| capability.error_names.as_ref());
        let errors = errors.flat_map(ErrorNames::all);
        markers.chain(errors).chain(loose).chain(self.types.iter().map(|def| def.name.as_str())).collect()
    }

    /// The name of the method of each capability, in source order: `style` of the capability's title. Names that are
    /// `reserved` or equal for several capabilities get `separator` and a hash.
    pub(crate) fn methods(
        &self,
        style: impl Fn(&str) -> String,
        separator: &str,
        reserved: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let names = self.capabilities.iter().map(|capability| &capability.name);
        let identity = |name: &CapabilityName| (style(&name.title), name.label.as_bytes().to_vec());
        let mut names: Vec<(String, Vec<u8>)> = names.map(identity).collect();
        name::make_unique(&mut names, separator, reserved);
        names.into_iter().map(|(name, _)| name).collect()
    }
}
