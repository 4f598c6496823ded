//! The order in which registrations are preferred (decision 9).

use std::cmp::Ordering;

use super::effective::Registered;
use super::explain::DecidedBy;

/// The first step of the ranking in which two registrations differ, and their order: the better one is less.
pub(super) fn compare(one: &Registered<'_>, other: &Registered<'_>) -> (Ordering, DecidedBy) {
    let by = |order: Ordering, step| order.is_ne().then_some((order, step));
    by(other.effective.priority.cmp(&one.effective.priority), DecidedBy::Priority)
        .or_else(|| by(other.effective.weight.compare(&one.effective.weight), DecidedBy::Weight))
        .or_else(|| by(other.offer.version.cmp_precedence(&one.offer.version), DecidedBy::Version))
        .or_else(|| by(one.stamp.event_id.cmp(&other.stamp.event_id), DecidedBy::RegistrationOrder))
        .unwrap_or_else(|| (one.agent.cmp(other.agent), DecidedBy::Agent))
}
