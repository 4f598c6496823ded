//! The properties of a registration after updates, deprecations and caps.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::Number;

use super::row::Scope;
use crate::Configuration;
use crate::event::{Offer, sorted};
use crate::fact::{Field, Stamp};
use crate::state::{Deprecation, Row, RowId, State};

/// The effective properties of a registration that is its row's winner.
#[derive(Clone, Debug)]
pub(crate) struct Effective {
    pub(super) offer: Arc<Offer>,
    /// After the cap.
    pub(super) priority: i64,
    pub(super) weight: Weight,
    pub(super) tags: Option<Arc<[Box<str>]>>,
    pub(super) latency_class: Option<Arc<str>>,
    pub(super) deprecated: Option<Scope>,
}

/// A weight: any JSON number, compared by value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Weight(pub(super) Number);

impl Weight {
    fn parts(&self) -> (f64, Option<i128>) {
        let integer = self.0.as_i64().map(i128::from).or_else(|| self.0.as_u64().map(i128::from));
        (self.0.as_f64().unwrap_or(0.0), integer)
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self.parts(), other.parts()) {
            ((_, Some(one)), (_, Some(other))) => one.cmp(&other),
            // A number that is no 64-bit integer is a fraction below 2^53, whose neighbours are exact as binary64, or
            // is beyond all 64-bit integers. Only 2^64 can equal one of them after rounding.
            ((one, None), (other, Some(_))) => one.total_cmp(&other).then(Ordering::Greater),
            ((one, Some(_)), (other, None)) => one.total_cmp(&other).then(Ordering::Less),
            ((one, None), (other, None)) => one.total_cmp(&other),
        }
    }
}

impl Effective {
    /// The properties of a row; none if the version is not registered.
    pub(super) fn of(row: &Row, state: &State, config: &Configuration) -> Option<Self> {
        let (stamp, offer) = row.winner.as_ref()?;
        let mut properties = offer.properties.clone();
        for (field, updated, value) in &row.updates {
            // An update that is less than the registration is about an earlier one.
            if updated < stamp {
                continue;
            }
            match field {
                Field::Priority => properties.priority = value.as_i64(),
                Field::Weight => properties.weight = value.as_number().cloned(),
                Field::Tags => properties.tags = Some(sorted(Some(value)).into()),
                Field::LatencyClass => properties.latency_class = value.as_str().map(Into::into),
            }
        }
        let all = state.all_deprecated.get(&(row.agent, row.capability));
        let deprecated = match (&row.deprecation, all) {
            (Some(_), _) => Some(Scope::Version),
            (None, Some((covering, _))) if stamp < covering => Some(Scope::All),
            _ => None,
        };
        Some(Self {
            priority: config.capped(state.names.text(row.agent), properties.priority.unwrap_or(0)),
            weight: Weight(properties.weight.unwrap_or_else(|| 1.into())),
            tags: properties.tags,
            latency_class: properties.latency_class,
            deprecated,
            offer: offer.clone(),
        })
    }
}

/// A registration: the winner of a row, with its effective properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registered<'r> {
    pub(super) id: RowId,
    pub(super) row: &'r Row,
    pub(crate) agent: &'r str,
    pub(crate) stamp: &'r Stamp,
    pub(crate) offer: &'r Offer,
    pub(super) effective: &'r Effective,
}

/// The deprecation that a mark is about.
pub(super) fn deprecation<'s>(row: &'s Row, state: &'s State, scope: Scope) -> Option<&'s Deprecation> {
    match scope {
        Scope::Version => row.deprecation.as_deref(),
        Scope::All => state.all_deprecated.get(&(row.agent, row.capability)),
    }
}
