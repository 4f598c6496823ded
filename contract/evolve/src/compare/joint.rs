//! Changes that are compatible alone, and break more payloads once the breaking ones are accepted.
//!
//! For example, a response loses its `enum` of texts, and its `type`. The `enum` alone implied the type, so only its
//! removal breaks receivers. But a reviewer who accepts this removal expects any text, and not any value.

use std::borrow::Cow;

use capgen_manifest::Side;
use capgen_schema::{Containment, Schema, Steps};

use super::change::Change;
use super::decider::{Decider, Effect};
use super::isolate;
use crate::side::{accepts, witness};

/// Marks the changes as breaking that break more payloads together with those that are breaking already. `false` if
/// some payload may be rejected that the changes which are breaking now do not explain.
pub(super) fn join(decider: &Decider<'_>, changes: &[&Change], effects: &mut [Effect]) -> bool {
    let mut breaking: Vec<&Change> =
        changes.iter().zip(&*effects).filter(|(_, effect)| effect.is_listed()).map(|(change, _)| *change).collect();
    if breaking.is_empty() {
        return true;
    }
    let Some(mut joint) = Joint::new(decider, &breaking) else { return false };
    if joint.explains(decider.settings.steps) {
        return true;
    }
    for (change, effect) in changes.iter().zip(effects) {
        if effect.is_listed() {
            continue;
        }
        breaking.push(change);
        let Some(payload) = isolate::isolated(decider.old, decider.new, &breaking).and_then(|more| joint.adds(&more))
        else {
            breaking.pop();
            continue;
        };
        let (Some(witness), Some(next)) = (witness(decider.receiver(), payload), Joint::new(decider, &breaking)) else {
            return false;
        };
        *effect = Effect::Breaking(witness);
        joint = next;
    }
    joint.explains(decider.settings.steps)
}

/// The old schema with the breaking changes and no others.
struct Joint<'d> {
    decider: &'d Decider<'d>,
    schema: Schema,
}

impl<'d> Joint<'d> {
    fn new(decider: &'d Decider<'d>, breaking: &[&Change]) -> Option<Self> {
        let schema = isolate::isolated(decider.old, decider.new, breaking)?;
        decider.work.read(&[decider.old]).then_some(Self { decider, schema })
    }

    /// Whether every payload that the new version breaks is broken by the breaking changes.
    fn explains(&self, steps: Steps) -> bool {
        let (old, new) = (self.decider.old, self.decider.new);
        let answer = match self.decider.side {
            // Requests that were sent, and that the breaking changes leave valid, are valid.
            Side::Request => isolate::both(&self.sent(old), &self.schema)
                .map(|requests| self.decider.work.contains(new, &requests, steps)),
            // Responses that are sent were expected, or are sent because of the breaking changes.
            Side::Response => isolate::either(old, &self.schema)
                .map(|responses| self.decider.work.contains(&responses, &self.sent(new), steps)),
        };
        answer == Some(Containment::Yes)
    }

    /// A payload that the new version breaks, and that is broken by `more`, the breaking changes and another one, but
    /// not by the breaking changes.
    fn adds(&self, more: &Schema) -> Option<capgen_schema::Json> {
        let (old, new) = (self.decider.old, self.decider.new);
        let (larger, smaller) = match self.decider.side {
            Side::Request => (isolate::either(more, new)?, isolate::both(&self.sent(old), &self.schema)?),
            Side::Response => (isolate::either(old, &self.schema)?, isolate::both(&self.sent(new), more)?),
        };
        match self.decider.work.contains(&larger, &smaller, isolate::part_of(self.decider.settings.steps)) {
            Containment::No(payload) if accepts(self.decider.sender(), &payload) => Some(payload),
            _ => None,
        }
    }

    /// The payloads that the sender sends.
    fn sent<'s>(&self, schema: &'s Schema) -> Cow<'s, Schema> {
        self.decider.contract.sent(self.decider.settings.assume, schema).map_or(Cow::Borrowed(schema), Cow::Owned)
    }
}
