//! Two versions of a contract, compared.

mod added;
mod capability;
mod change;
mod content;
mod decider;
mod errors;
mod fragment;
mod isolate;
mod joint;
mod major;
mod pairs;
mod place;
mod properties;
mod reduced;
mod rule;
mod schema;
mod version;
mod withdrawn;

use added::Added;
use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Json, Steps};
pub(crate) use isolate::{overlap, part_of};
use pairs::{New, Pair};
pub(crate) use schema::{branch_name, constants, identities, listed};

use crate::work::Work;
use crate::{Assume, Bump, Finding, Level, Levels, Sender, SideComparison, TextChange};

/// The settings of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The senders that are assumed.
    pub assume: Assume,
    /// The budget of each decision about the two schemas of a side.
    pub steps: Steps,
    /// The budget of the whole comparison. Everything that is not decided when it is spent is undecided, which counts
    /// as breaking.
    pub budget: Steps,
}

/// The result of [`compare`].
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Every capability of both contracts, sorted by name, then by version.
    pub capabilities: Vec<CapabilityComparison>,
    /// The changes, in the order of the capabilities, and for each of them the most severe first.
    pub findings: Vec<Finding>,
}

/// The relation of two versions of one capability.
#[derive(Clone, PartialEq, Debug)]
pub struct CapabilityComparison {
    /// The name, or `<name>@<version>` if a contract has several versions of it.
    pub name: String,
    /// Its index in the old contract; `None` if it is new.
    pub old: Option<usize>,
    /// Its index in the new contract; `None` if it was removed.
    pub new: Option<usize>,
    /// The relation of the requests, if both contracts have the capability.
    pub request: Option<SideComparison>,
    /// The relation of the responses, if both contracts have the capability.
    pub response: Option<SideComparison>,
    /// The least step of the version that announces the changes of this capability.
    pub bump: Bump,
    /// The old version.
    pub version: Option<semver::Version>,
}

/// Everything that the comparisons of the capabilities have in common.
struct Context<'c> {
    settings: Settings,
    work: &'c Work,
    levels: &'c Levels,
    /// The capabilities that only the new contract has.
    added: Added<'c>,
    /// The senders of requests.
    old: Sender<'c>,
    /// The senders of responses.
    new: Sender<'c>,
}

impl Default for Settings {
    /// Any peer, the default budget of a decision, and a minute for the whole comparison.
    fn default() -> Self {
        Self { assume: Assume::AnyPeer, steps: Steps::default(), budget: Steps::of_seconds(60) }
    }
}

/// Compares two versions of the contract of an agent.
///
/// Capabilities are matched by name. If a contract has several versions of one, equal versions are matched, then each
/// old one with the next higher one of its compatibility line. A version that has no match is breaking, unless another
/// one fits its callers. Takes time linear in the size of the contracts, and the time of the decisions
/// about the schemas that changed, which `settings` bounds for each of them and for all together.
///
/// ```
/// use capgen_evolve::{Level, Settings, compare};
/// use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
/// use capgen_schema::Schema;
/// let version = |schema: &str| -> Result<Manifest, Box<dyn std::error::Error>> {
///     let input = Some(Schema::parse_text(schema)?);
///     let capability = Capability { input, ..Capability::new("search") };
///     let agent = AgentId::new("search").ok_or("an invalid id")?;
///     Ok(Manifest::new(agent, vec![TransportSettings::memory("search")], vec![capability]))
/// };
/// let old = version(r#"{"type": "string"}"#)?;
/// let new = version(r#"{"type": "string", "maxLength": 2}"#)?;
/// let comparison = compare(&old, &new, Settings::default());
/// let finding = &comparison.findings[0];
/// assert_eq!(finding.level, Level::Breaking);
/// assert_eq!(finding.witness.as_ref().map(|w| w.payload.canonical()), Some("\"aaa\"".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(old: &Manifest, new: &Manifest, settings: Settings) -> Comparison {
    compare_with_levels(old, new, settings, &Levels::default())
}

/// Like [`compare`], with other levels for some rules. The version that the changes require follows from these levels.
pub fn compare_with_levels(old: &Manifest, new: &Manifest, settings: Settings, levels: &Levels) -> Comparison {
    compare_within(old, new, settings, levels, &Work::new(settings.budget))
}

/// Like [`compare_with_levels`], as a part of a run with a budget.
pub(crate) fn compare_within(
    old: &Manifest,
    new: &Manifest,
    settings: Settings,
    levels: &Levels,
    work: &Work,
) -> Comparison {
    let pairs = pairs::pairs(old, new);
    let is_new = |pair: &&Pair<'_>| pair.old.is_none() && matches!(pair.new, New::Same(_));
    let names = pairs.iter().filter(is_new).filter_map(|pair| new.capability(&pair.label));
    let context = Context {
        settings,
        work,
        levels,
        added: Added::new(names),
        old: Sender::new(&old.capabilities),
        new: Sender::new(&new.capabilities),
    };
    let mut comparison = Comparison { capabilities: Vec::new(), findings: Vec::new() };
    for pair in pairs {
        let before = pair.old.and_then(|index| old.capabilities.get(index));
        let (mut result, new_index) = match &pair.new {
            New::Same(index) => {
                let after = index.and_then(|index| new.capabilities.get(index));
                let mut draft = capability::compare(&pair.label, before, after, &context);
                if !pair.tried.is_empty() {
                    let tried = pair.tried.iter().filter_map(|&index| Some((index, new.capabilities.get(index)?)));
                    withdrawn::check_higher(&mut draft, &pair.label, before, tried, &context);
                }
                (draft, *index)
            }
            New::Others(others) => {
                let others = others.iter().filter_map(|&index| Some((index, new.capabilities.get(index)?)));
                withdrawn::compare(&pair.label, before, others, &context)
            }
            New::Beside(index, other) => {
                let after = new.capabilities.get(*index);
                let is_plain = new.position(&other.name) == Some(*index);
                (capability::added_beside(&pair.label, after, (other, is_plain), &context), Some(*index))
            }
        };
        let after = new_index.and_then(|index| new.capabilities.get(index));
        if let (Some(before), Some(after)) = (before, after) {
            add_texts(before, after, &mut result.findings);
        }
        comparison.capabilities.push(CapabilityComparison {
            name: pair.label,
            old: pair.old,
            new: new_index,
            request: result.request,
            response: result.response,
            bump: result.bump,
            version: before.and_then(|capability| capability.version.clone()),
        });
        comparison.findings.extend(result.findings);
    }
    comparison.sort();
    comparison
}

/// Adds the old and the new text to the findings about texts for readers.
fn add_texts(old: &Capability, new: &Capability, findings: &mut [Finding]) {
    let is_text = |finding: &&mut Finding| finding.code == crate::codes::TEXT_CHANGED;
    let mut findings = findings.iter_mut().filter(is_text).peekable();
    // Writing a definition takes time linear in its size, so it is written once for all findings.
    if findings.peek().is_none() {
        return;
    }
    let (old, new) = (Json::Object(old.definition()), Json::Object(new.definition()));
    let text = |definition: &Json, at: &Option<String>| definition.pointer(at.as_deref()?)?.as_str().map(str::to_owned);
    for finding in findings {
        let texts = TextChange { old: text(&old, &finding.old_pointer), new: text(&new, &finding.new_pointer) };
        finding.texts = (texts.old != texts.new).then_some(texts);
    }
}

/// The finding about a version that was raised by less than `bump`, which these findings require.
pub(crate) fn check_version<'f>(
    label: &str,
    (old, new): (&Capability, &Capability),
    bump: Bump,
    required: impl Iterator<Item = &'f Finding>,
) -> Vec<Finding> {
    let mut draft = capability::Draft::new(label, (true, true));
    version::check(old, new, bump, &version::announced(bump, required), &mut draft);
    draft.findings
}

impl Comparison {
    /// Puts the findings into the order that is documented.
    pub(crate) fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            a.capability.cmp(&b.capability).then(b.level.cmp(&a.level)).then_with(|| a.side.cmp(&b.side))
        });
    }

    /// The least step of a version that announces all changes.
    pub fn bump(&self) -> Bump {
        self.capabilities.iter().map(|capability| capability.bump).max().unwrap_or(Bump::None)
    }

    /// The greatest level of the findings; `None` if there are none.
    pub fn level(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }
}

impl CapabilityComparison {
    /// The number of the version that the changes [raise](Bump::raised).
    pub fn raised(&self) -> Bump {
        self.version.as_ref().map_or(self.bump, |version| self.bump.raised(version))
    }

    /// The relation of a side.
    pub fn side(&self, side: Side) -> Option<&SideComparison> {
        match side {
            Side::Request => self.request.as_ref(),
            Side::Response => self.response.as_ref(),
        }
    }
}
