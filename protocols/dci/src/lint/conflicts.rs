//! Denied capabilities that every resolution requires.

use std::collections::BTreeMap;

use crate::inputs::SkillContract;

/// The steps of the search that are left.
pub(super) struct Budget(usize);

/// The maximum number of steps of the search: less than a second of work. Beyond it, a denied capability may be missed,
/// which is better than a check that takes long.
const MAX_STEPS: usize = 20_000_000;

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_STEPS)
    }
}

impl Budget {
    fn spend(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// Why a skill always leads to a requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// The skill requires the capability.
    Itself,
    /// Every provider of this capability, which the skill requires, leads to it.
    Providers(usize),
}

/// A skill, by the numbers of its capabilities.
#[derive(Default)]
struct Skill {
    provides: Vec<usize>,
    denies: Vec<usize>,
}

/// The capabilities that skills provide and require, by canonical tokens.
#[derive(Default)]
pub(super) struct Graph {
    numbers: BTreeMap<String, usize>,
    names: Vec<String>,
    skills: Vec<Skill>,
    /// The number of skills that provide each capability.
    providers: Vec<usize>,
    /// The skills that require each capability.
    requirers: Vec<Vec<usize>>,
}

impl Graph {
    /// Adds the next skill.
    pub(super) fn add(&mut self, contract: Option<&SkillContract>, canonical: impl Fn(&str) -> String) {
        let skill = self.skills.len();
        let mut numbers =
            |tokens: &[String]| -> Vec<usize> { tokens.iter().map(|token| self.number(canonical(token))).collect() };
        let Some(contract) = contract else {
            self.skills.push(Skill::default());
            return;
        };
        let (mut provides, mut requires) = (numbers(&contract.provides), numbers(&contract.requires));
        let denies = numbers(&contract.denies);
        // Several tokens of a skill may have one canonical form.
        for list in [&mut provides, &mut requires] {
            list.sort_unstable();
            list.dedup();
        }
        for number in &provides {
            if let Some(count) = self.providers.get_mut(*number) {
                *count += 1;
            }
        }
        for number in requires {
            if let Some(requirers) = self.requirers.get_mut(number) {
                requirers.push(skill);
            }
        }
        self.skills.push(Skill { provides, denies });
    }

    fn number(&mut self, token: String) -> usize {
        if let Some(number) = self.numbers.get(&token) {
            return *number;
        }
        let number = self.names.len();
        self.names.push(token.clone());
        self.numbers.insert(token, number);
        self.providers.push(0);
        self.requirers.push(Vec::new());
        number
    }

    /// The name of a capability.
    pub(super) fn name(&self, number: usize) -> &str {
        self.names.get(number).map_or("", String::as_str)
    }

    /// The number of skills that provide a capability.
    pub(super) fn providers(&self, canonical: &str) -> usize {
        self.numbers.get(canonical).and_then(|number| self.providers.get(*number)).copied().unwrap_or(0)
    }

    /// The capabilities that a skill provides, in the order in which they were first seen.
    pub(super) fn provided(&self) -> impl Iterator<Item = &str> {
        let names = self.names.iter().zip(&self.providers);
        names.filter(|(_, count)| **count > 0).map(|(name, _)| name.as_str())
    }

    /// The denied capabilities of each skill that it always requires, by their places in `D(...)`. Ends early if the
    /// budget does.
    pub(super) fn conflicts(&self, budget: &mut Budget) -> BTreeMap<usize, Vec<(usize, Reason)>> {
        let mut deniers: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (index, skill) in self.skills.iter().enumerate() {
            for (place, capability) in skill.denies.iter().enumerate() {
                deniers.entry(*capability).or_default().push((index, place));
            }
        }
        let mut conflicts: BTreeMap<usize, Vec<(usize, Reason)>> = BTreeMap::new();
        for (capability, deniers) in deniers {
            let Some(always) = self.always_require(capability, budget) else { break };
            for (skill, place) in deniers {
                if let Some(reason) = always.get(&skill) {
                    conflicts.entry(skill).or_default().push((place, *reason));
                }
            }
        }
        conflicts
    }

    /// The skills whose resolutions all require a capability: those that require it, and those that require a
    /// capability whose providers are all such skills. `None` if the budget ends.
    fn always_require(&self, capability: usize, budget: &mut Budget) -> Option<BTreeMap<usize, Reason>> {
        let direct = self.requirers.get(capability).map_or(&[][..], Vec::as_slice);
        let mut always: BTreeMap<usize, Reason> = direct.iter().map(|skill| (*skill, Reason::Itself)).collect();
        let mut open = direct.to_vec();
        // How many providers of each capability are such skills.
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        while let Some(skill) = open.pop() {
            for provided in self.skills.get(skill).map_or(&[][..], |skill| &skill.provides) {
                budget.spend()?;
                let count = counts.entry(*provided).or_default();
                *count += 1;
                if self.providers.get(*provided) != Some(count) {
                    continue;
                }
                for requirer in self.requirers.get(*provided).map_or(&[][..], Vec::as_slice) {
                    budget.spend()?;
                    always.entry(*requirer).or_insert_with(|| {
                        open.push(*requirer);
                        Reason::Providers(*provided)
                    });
                }
            }
        }
        Some(always)
    }
}
