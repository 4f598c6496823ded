//! The policy of a provider: who may use what, and how versions are chosen.

mod read;

use semver::Version;

use crate::alias::Aliases;
use crate::message::Did;
use crate::name::CapabilityName;
use crate::negotiate::Mode;
use crate::version::Range;

/// Who may use which capabilities, and how versions are chosen (decisions 9 and 10). The default allows everything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Policy {
    /// The effect if no rule matches; `None` if the policy does not state it, which allows everything.
    default: Option<Effect>,
    /// The first rule that matches decides.
    rules: Vec<Rule>,
    mode: Mode,
    aliases: Aliases,
    adapters: Vec<AdapterRule>,
}

/// Allow or deny.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Effect {
    #[default]
    Allow,
    Deny,
}

/// A rule matches if all of its conditions do; `None` matches everything.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    caller: Option<Did>,
    capability: Option<CapabilityName>,
    version: Option<Range>,
    effect: Effect,
}

/// An adapter from requests of one version to another version (section 8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AdapterRule {
    /// The capability.
    pub capability: CapabilityName,
    /// The version of the requests.
    pub from: Version,
    /// The published version that serves them.
    pub to: Version,
    /// Whether the adapter may be registered although the comparison of contracts does not prove that it is safe
    /// (decision 9).
    pub unchecked: bool,
}

impl Policy {
    /// Whether a caller may use a capability, in a version or, with `None`, without asking for one. The answer depends
    /// on nothing that is published (decision 10). Takes time linear in the number of rules.
    #[must_use]
    pub fn allows(&self, caller: &Did, name: &CapabilityName, version: Option<&Version>) -> bool {
        let rule = self.rules.iter().find(|rule| rule.matches(caller, name, version));
        rule.map_or(self.default.unwrap_or_default(), |rule| rule.effect) == Effect::Allow
    }

    /// Whether the policy says who may use capabilities: it has a default or rules. If not, it allows everything.
    #[must_use]
    pub const fn decides(&self) -> bool {
        self.default.is_some() || !self.rules.is_empty()
    }

    /// How versions are chosen.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The names of legacy types.
    #[must_use]
    pub const fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// The adapters that mode `bridge` uses. The provider supplies their code.
    #[must_use]
    pub fn adapters(&self) -> &[AdapterRule] {
        &self.adapters
    }
}

impl Rule {
    /// Callers are compared without fragments (decision 4). A rule with a range does not match a request without a
    /// version (decision 19).
    fn matches(&self, caller: &Did, name: &CapabilityName, version: Option<&Version>) -> bool {
        self.caller.as_ref().is_none_or(|expected| expected.same_subject(caller))
            && self.capability.as_ref().is_none_or(|expected| expected == name)
            && self.version.as_ref().is_none_or(|range| version.is_some_and(|version| range.matches(version)))
    }
}
