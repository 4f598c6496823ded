//! The findings of a report by change: those with one cause together, the most severe first.

use capgen_diagnostic::Code;
use capgen_manifest::Side;

use super::{ComparedContract, ComparisonReport};
use crate::{Acceptance, Finding, Level, codes};

/// A finding with its acceptance.
type Accepted<'r> = (&'r Finding, &'r Acceptance);

/// The findings that one change causes: on both sides if it is in a definition that both have, and in generated types.
#[derive(Clone, Debug)]
pub struct Group<'r> {
    /// The contract that changed.
    pub contract: &'r ComparedContract,
    /// The finding that describes the change, then the others.
    pub findings: Vec<Accepted<'r>>,
}

impl<'r> Group<'r> {
    /// The finding that describes the change; the most severe one, if both sides have it.
    pub fn first(&self) -> Option<Accepted<'r>> {
        self.findings.first().copied()
    }

    /// The greatest level of the findings.
    pub fn level(&self) -> Level {
        self.findings.iter().map(|(finding, _)| finding.level).max().unwrap_or(Level::Cosmetic)
    }

    /// The codes, each once.
    pub fn codes(&self) -> Vec<Code> {
        let mut codes = Vec::new();
        for (finding, _) in &self.findings {
            if !codes.contains(&finding.code) {
                codes.push(finding.code);
            }
        }
        codes
    }

    /// The sides, in the order of requests and responses.
    pub fn sides(&self) -> Vec<Side> {
        let has = |side: &Side| self.findings.iter().any(|(finding, _)| finding.side == Some(*side));
        [Side::Request, Side::Response].into_iter().filter(has).collect()
    }
}

impl ComparisonReport {
    /// All findings, grouped by the changes that cause them: the most severe change first, then in the order of the
    /// findings.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = self.contracts.iter().flat_map(grouped).collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.level()));
        groups
    }
}

/// The groups of one contract.
fn grouped(contract: &ComparedContract) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut index = std::collections::HashMap::new();
    let (types, others): (Vec<Accepted<'_>>, Vec<Accepted<'_>>) =
        contract.findings().partition(|(finding, _)| is_about_types(finding));
    for (finding, acceptance) in others {
        // The same change of a definition that both sides have; the position keeps all other findings apart.
        let key = match definition(finding) {
            Some(place) => (finding.capability.as_str(), finding.message.as_str(), place, 0),
            None => (finding.capability.as_str(), "", "", groups.len() + 1),
        };
        let at = *index.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.findings.push((finding, acceptance)),
            None => groups.push(Group { contract, findings: vec![(finding, acceptance)] }),
        }
    }
    for (finding, acceptance) in types {
        let is_cause = |group: &Group<'_>| {
            group.findings.iter().any(|(other, _)| {
                let is_same = other.capability == finding.capability && other.side == finding.side;
                is_same && is_about_schema(other)
            })
        };
        // Of several changes of a side, each can be the cause.
        let mut causes = (0..groups.len()).filter(|at| groups.get(*at).is_some_and(is_cause));
        let cause = causes.next().filter(|_| causes.next().is_none());
        // The types of the other languages changed for the same reasons.
        let is_alike = |group: &Group<'_>| {
            let is_same = |other: &Finding| other.capability == finding.capability && other.side == finding.side;
            group.first().is_some_and(|(other, _)| is_about_types(other) && is_same(other))
        };
        let cause = cause.or_else(|| groups.iter().position(is_alike));
        match cause.and_then(|at| groups.get_mut(at)) {
            Some(group) => group.findings.push((finding, acceptance)),
            None => groups.push(Group { contract, findings: vec![(finding, acceptance)] }),
        }
    }
    groups
}

fn is_about_types(finding: &Finding) -> bool {
    [codes::RUST_TYPES_CHANGED, codes::TYPESCRIPT_TYPES_CHANGED].contains(&finding.code)
}

fn is_about_schema(finding: &Finding) -> bool {
    finding.side.is_some() && finding.code != codes::TEXT_CHANGED && !is_about_types(finding)
}

/// The place of a finding about a definition, from the schema of its side.
fn definition(finding: &Finding) -> Option<&str> {
    let key = finding.side?.schema_key();
    let place = finding.pointer().strip_prefix('/')?.strip_prefix(key)?;
    place.starts_with("/definitions/").then_some(place)
}
