//! The order in which registrations are preferred (decision 9).

use std::cmp::Ordering;

use super::effective::Effective;
use super::explain::DecidedBy;

/// A registration, and the name of its agent.
pub(super) type Candidate<'s> = (&'s str, &'s Effective);

/// The first step of the ranking in which two registrations differ, and their order: the better one is less.
pub(super) fn compare((one_agent, one): Candidate<'_>, (other_agent, other): Candidate<'_>) -> (Ordering, DecidedBy) {
    let steps = [
        (DecidedBy::Priority, other.priority.cmp(&one.priority)),
        (DecidedBy::Weight, other.weight.compare(&one.weight)),
        (DecidedBy::Version, other.offer.version.cmp_precedence(&one.offer.version)),
        (DecidedBy::RegistrationOrder, one.stamp.event_id.cmp(&other.stamp.event_id)),
    ];
    let decisive = steps.into_iter().find(|(_, order)| order.is_ne());
    decisive.map_or_else(|| (one_agent.cmp(other_agent), DecidedBy::Agent), |(step, order)| (order, step))
}
