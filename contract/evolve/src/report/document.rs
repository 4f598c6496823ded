//! The result as one JSON document.

use capgen_manifest::Side;
use capgen_schema::{Containment, Json, Object, Violation};

use super::{ComparedContract, ComparisonReport};
use crate::{Acceptance, CapabilityComparison, Finding, SideComparison};

impl ComparisonReport {
    /// The result as one JSON document, on one line that ends with a line end. Numbers in payloads keep all their
    /// digits.
    ///
    /// - `capabilities`: for each capability, its sides `request` and `response`, or `status` (`added` or `removed`) if
    ///   only one version has it. A side has `old_in_new` and `new_in_old` (`yes`, `no` or `undecided`), `old_witness`
    ///   (a payload that the old schema accepts and the new one rejects), `new_witness` (the converse), `reason` (why
    ///   it is undecided) and `from_capgen_peer` (whether the receiver accepts all payloads of senders with generated
    ///   types). The key is the name of the capability, and `<agent>/<name>` if several contracts are compared.
    /// - `findings`: each with `code`, `level`, `agent`, `capability`, `side` (`null` if the finding is about neither
    ///   side), `pointer` (JSON Pointer from the capability), `message`, `fingerprint`, `fails`, and, if there are any,
    ///   `witness`, `violations`, `old_text` and `new_text` (of a text for readers), `help`, `accepted`, `callers`
    /// - `bump`: the least step of the version, and `bumps`: that of each capability
    /// - `assume`: the senders that were assumed
    pub fn json(&self) -> String {
        let mut capabilities = Object::new();
        let mut bumps = Object::new();
        for contract in &self.contracts {
            for capability in &contract.comparison.capabilities {
                let key = self.key(contract, &capability.name);
                capabilities.push(key.clone(), relation(capability));
                bumps.push(key, capability.bump.name().into());
            }
        }
        let findings = self.findings().map(|(contract, f, acceptance)| self.finding(contract, f, acceptance)).collect();
        let document = object([
            ("capabilities", Some(Json::Object(capabilities))),
            ("findings", Some(Json::Array(findings))),
            ("bump", Some(self.bump().name().into())),
            ("bumps", Some(Json::Object(bumps))),
            ("assume", Some(self.assume.name().into())),
        ]);
        format!("{document}\n")
    }

    fn finding(&self, contract: &ComparedContract, finding: &Finding, acceptance: &Acceptance) -> Json {
        let callers = contract.callers.iter().map(|path| path.as_str().into()).collect();
        let is_truncated = finding.witness.as_ref().is_some_and(|witness| witness.violations.is_truncated());
        let has_callers = finding.level == crate::Level::Breaking && !contract.callers.is_empty();
        object([
            ("code", Some(finding.code.as_str().into())),
            ("level", Some(finding.level.name().into())),
            ("agent", Some(contract.agent.as_str().into())),
            ("capability", Some(finding.capability.as_str().into())),
            ("side", Some(finding.side.map_or(Json::Null, |side| side.name().into()))),
            ("pointer", Some(finding.pointer().into())),
            ("message", Some(finding.message.as_str().into())),
            ("witness", finding.witness.as_ref().map(|witness| witness.payload.clone())),
            ("violations", finding.witness.as_ref().map(|witness| violations(&witness.violations))),
            ("old_text", finding.texts.as_ref().and_then(|texts| texts.old.as_deref()).map(Json::from)),
            ("new_text", finding.texts.as_ref().and_then(|texts| texts.new.as_deref()).map(Json::from)),
            ("truncated", is_truncated.then(|| true.into())),
            ("help", finding.help.as_deref().map(Json::from)),
            ("fingerprint", Some(finding.fingerprint.as_str().into())),
            ("fails", Some(self.fails(finding, acceptance).into())),
            ("accepted", accepted(acceptance)),
            ("callers", has_callers.then_some(Json::Array(callers))),
        ])
    }
}

/// The sides of a capability, or its status.
fn relation(capability: &CapabilityComparison) -> Json {
    let status = match (capability.old, capability.new) {
        (Some(_), None) => Some("removed"),
        (None, _) => Some("added"),
        (Some(_), Some(_)) => None,
    };
    let of = |side: Side| capability.side(side).filter(|_| status.is_none()).map(sides);
    object([("status", status.map(Json::from)), ("request", of(Side::Request)), ("response", of(Side::Response))])
}

fn sides(relation: &SideComparison) -> Json {
    let answer = |containment: &Containment| match containment {
        Containment::Yes => "yes".into(),
        Containment::No(_) => "no".into(),
        Containment::Undecided(_) => "undecided".into(),
    };
    let witness = |containment: &Containment| match containment {
        Containment::No(payload) => Some(payload.clone()),
        _ => None,
    };
    let mut reasons: Vec<&str> = [&relation.old_in_new, &relation.new_in_old]
        .into_iter()
        .filter_map(|containment| match containment {
            Containment::Undecided(undecided) => Some(undecided.reason),
            _ => None,
        })
        .collect();
    reasons.dedup();
    object([
        ("old_in_new", Some(answer(&relation.old_in_new))),
        ("new_in_old", Some(answer(&relation.new_in_old))),
        ("old_witness", witness(&relation.old_in_new)),
        ("new_witness", witness(&relation.new_in_old)),
        ("reason", (!reasons.is_empty()).then(|| reasons.join("; ").as_str().into())),
        ("from_capgen_peer", Some(answer(&relation.from_capgen_peer))),
    ])
}

fn violations(violations: &[Violation]) -> Json {
    let all = violations.iter().map(|violation| {
        object([
            ("path", Some(violation.path.as_str().into())),
            ("message", Some(violation.message.as_str().into())),
            ("keyword", Some(violation.keyword.as_str().into())),
        ])
    });
    Json::Array(all.collect())
}

fn accepted(acceptance: &Acceptance) -> Option<Json> {
    let (entry, is_expired) = match acceptance {
        Acceptance::None => return None,
        Acceptance::Accepted(entry) => (entry, false),
        Acceptance::Expired(entry) => (entry, true),
    };
    Some(object([
        ("reason", Some(entry.reason.as_str().into())),
        ("expires", Some(entry.expires.to_string().as_str().into())),
        ("expired", is_expired.then(|| true.into())),
    ]))
}

/// An object of the members that have a value.
fn object<const N: usize>(members: [(&str, Option<Json>); N]) -> Json {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(members.collect())
}
