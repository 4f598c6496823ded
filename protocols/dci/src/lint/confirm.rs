//! Whether a resolution has a conflict that the graph of capabilities suggests.

use std::collections::BTreeSet;

use super::{Lint, LintSkill};
use crate::choose::{Consumer, Corpus, Inputs, resolve};
use crate::inputs::{Declared, Host, Overrides, Probes, Profile, Reliability, Skill, SkillContract};

/// The most skills that all resolutions together may read: about a second of work.
const MAX_READ: usize = 200_000;

/// Resolves the requirements of skills, as long as the limit permits it.
pub(super) struct Confirm {
    left: usize,
}

impl Default for Confirm {
    fn default() -> Self {
        Self { left: MAX_READ }
    }
}

impl Confirm {
    /// The capabilities in conflict in the resolutions of a skill, in any profile; `None` if the limit is reached. A
    /// provider that is never selected, or is deeper than requirements are followed, is in no conflict.
    pub(super) fn conflicts(
        &mut self,
        lint: &Lint,
        skill: &LintSkill,
        contract: &SkillContract,
    ) -> Option<BTreeSet<String>> {
        self.left = self.left.checked_sub(lint.skills.len() + lint.others.len())?;
        let own = &skill.file.skill;
        let Declared::Text(text) = &own.contract else { return None };
        let checked = lint.skills.iter().map(|other| &other.file.skill).filter(|other| *other != own);
        let skills: Vec<Skill> = checked.chain(lint.others).cloned().collect();
        let corpus = Corpus::new(skills, lint.mode_of(text));
        let (reliability, probes) = (Reliability::default(), Probes::default());
        let mut inputs = Inputs {
            required: Vec::new(),
            query: None,
            consumer: Some(Consumer { id: own.id(), contract: Some(contract.clone()) }),
            host: Host::default(),
            overrides: Overrides::default(),
            profile: Profile::default(),
            aliases: lint.aliases,
            reliability: &reliability,
            probes: &probes,
        };
        let mut found = BTreeSet::new();
        for profile in Profile::ALL {
            inputs.profile = profile;
            if let Ok(resolution) = resolve(&corpus, &inputs, None) {
                found.extend(resolution.conflicts.capabilities);
            }
        }
        Some(found)
    }
}
