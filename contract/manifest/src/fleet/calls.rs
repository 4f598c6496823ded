//! The key `calls` of `fleet.yaml`: the settings of clients and servers.

use capgen_descriptor::{Assume, Skew};

use super::listing::{Listed, relative};
use crate::Node;
use crate::keys::{CALLS, names};
use crate::read::{Place, Reader, class};

/// The settings of the clients and servers of a fleet. Builders and the environment override them.
///
/// The key `accepted` names a file, which [`Fleet::accepted`](crate::Fleet::accepted) reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct FleetCalls {
    /// The key `skew`.
    pub skew: Option<Skew>,
    /// The key `assume`.
    pub assume: Option<Assume>,
}

/// The settings, and the path of the file of accepted findings.
pub(super) fn read_calls(reader: &mut Reader<'_>, node: &Node, place: Place) -> (FleetCalls, Option<Listed>) {
    let Some(mut map) = reader.map(node, place, "`calls`") else { return Default::default() };
    reader.only(&mut map, &names(&CALLS));
    let skew = class(reader, &map, "skew", Skew::ALL.map(|policy| (policy.name(), policy)));
    let assume = class(reader, &map, "assume", Assume::ALL.map(|assume| (assume.name(), assume)));
    (FleetCalls { skew, assume }, relative(reader, &map, "accepted"))
}
