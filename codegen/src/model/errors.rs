//! The parts of a contract: the two sides of capabilities, and the details of the errors that they declare.

use capgen_manifest::ContractPart;

use super::{CapabilityModel, ErrorNames, Model, SideModel, TypeDef, TypeId};

impl CapabilityModel<'_> {
    /// Each part that has a type, with its root type: the request, the response, and the details of errors. Several
    /// capabilities may share a type of details.
    pub(crate) fn roots(&self) -> impl Iterator<Item = (ContractPart, TypeId)> {
        let sides = [(ContractPart::Request, &self.request), (ContractPart::Response, &self.response)];
        let sides = sides.into_iter().filter_map(|(part, side)| match side {
            SideModel::Typed(id) => Some((part, *id)),
            SideModel::Loose(_) => None,
        });
        let details = self.errors.iter().enumerate();
        sides.chain(details.filter_map(|(index, error)| Some((ContractPart::Details(index), error.details?))))
    }

    /// The root types of all parts, for changes.
    pub(crate) fn roots_mut(&mut self) -> impl Iterator<Item = &mut TypeId> {
        let sides = [&mut self.request, &mut self.response].into_iter().filter_map(|side| match side {
            SideModel::Typed(id) => Some(id),
            SideModel::Loose(_) => None,
        });
        sides.chain(self.errors.iter_mut().filter_map(|error| error.details.as_mut()))
    }
}

impl ErrorNames {
    pub(crate) fn all(&self) -> [&str; 3] {
        let Self { error, details, failure } = self;
        [error, details, failure]
    }

    pub(crate) fn all_mut(&mut self) -> [&mut String; 3] {
        let Self { error, details, failure } = self;
        [error, details, failure]
    }
}

impl Model<'_> {
    /// Whether a capability declares errors.
    pub(crate) fn has_errors(&self) -> bool {
        self.capabilities.iter().any(|capability| !capability.errors.is_empty())
    }

    /// The [roots](CapabilityModel::roots) of a capability that no capability before it has.
    pub(crate) fn own_roots(&self, capability: &CapabilityModel<'_>) -> impl Iterator<Item = (ContractPart, TypeId)> {
        capability.roots().filter(|(_, id)| self[*id].capability == capability.name.label)
    }

    /// The root types of the details of errors that no capability before this one has.
    pub(crate) fn own_details(&self, capability: &CapabilityModel<'_>) -> impl Iterator<Item = TypeId> {
        self.own_roots(capability).filter(|(part, _)| matches!(part, ContractPart::Details(_))).map(|(_, id)| id)
    }
}

impl TypeDef {
    /// The part to which it belongs, apart from the capability: `request`, `response`, or the code of an error.
    pub(crate) fn part_name(&self) -> &str {
        match (&self.error, self.part) {
            (Some(error), _) => &error.code,
            (None, ContractPart::Request) => "request",
            (None, ContractPart::Response | ContractPart::Details(_)) => "response",
        }
    }
}
