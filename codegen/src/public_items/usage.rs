//! The sides that use a type, and so the programs that a change of it affects.

use std::fmt;

use capgen_manifest::ContractPart;

use crate::model::{Model, TypeId};

/// The directions of the values that have parts of a type: a definition may be part of both.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Usage {
    in_requests: bool,
    in_responses: bool,
}

/// The programs whose source may not compile after a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Affected {
    callers: bool,
    providers: bool,
}

impl Usage {
    /// The provider sends the details of errors, as it sends responses.
    pub(super) fn of(part: ContractPart) -> Self {
        let in_requests = part == ContractPart::Request;
        Self { in_requests, in_responses: !in_requests }
    }

    /// The programs that create values of the type.
    pub(crate) fn senders(self) -> Affected {
        Affected { callers: self.in_requests, providers: self.in_responses }
    }

    /// The programs that read values of the type.
    pub(crate) fn receivers(self) -> Affected {
        Affected { callers: self.in_responses, providers: self.in_requests }
    }
}

impl Affected {
    pub(crate) const ALL: Self = Self { callers: true, providers: true };
}

/// A note at the end of a change that does not affect all programs.
impl fmt::Display for Affected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.callers, self.providers) {
            (true, false) => f.write_str(" (affects callers)"),
            (false, true) => f.write_str(" (affects providers)"),
            _ => Ok(()),
        }
    }
}

/// The usage of each type, by its index. Takes time linear in the size of the model.
pub(super) fn usages(model: &Model<'_>) -> Vec<Usage> {
    let mut usages = vec![Usage::default(); model.types.len()];
    for is_request in [true, false] {
        let roots = model.capabilities.iter().flat_map(|capability| capability.roots());
        let roots = roots.filter(|(part, _)| Usage::of(*part).in_requests == is_request);
        let mut open: Vec<TypeId> = roots.map(|(_, root)| root).collect();
        while let Some(id) = open.pop() {
            let Some(usage) = usages.get_mut(id.0) else { continue };
            let used = if is_request { &mut usage.in_requests } else { &mut usage.in_responses };
            if !std::mem::replace(used, true) {
                model[id].shape.each_type(&mut |ty| open.extend(ty.named()));
            }
        }
    }
    usages
}
