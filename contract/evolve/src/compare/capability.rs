//! Two versions of one capability, compared.

use std::collections::BTreeMap;

use capgen_diagnostic::Code;
use capgen_manifest::{Capability, Side};
use capgen_schema::pointer;

use super::added::Added;
use super::decider::{PlacedChange, side};
use super::{Context, errors, major, properties, version};
use crate::{Bump, Finding, Fingerprint, Level, Levels, SideComparison, Witness, codes};

/// The findings about one capability, as they are collected.
pub(super) struct Draft {
    name: String,
    /// Whether the old and the new contract have the capability.
    present: (bool, bool),
    pub(super) request: Option<SideComparison>,
    pub(super) response: Option<SideComparison>,
    pub(super) findings: Vec<Finding>,
    /// The least step of the version that announces the findings.
    pub(super) bump: Bump,
    /// How many findings would have the same fingerprint.
    fingerprints: BTreeMap<Fingerprint, usize>,
}

/// The places of a finding in the old and the new contract, as JSON Pointers from the capability.
pub(super) struct Places {
    pub(super) old: String,
    pub(super) new: String,
}

/// Compares two versions of a capability, which findings call by `label`.
pub(super) fn compare(label: &str, old: Option<&Capability>, new: Option<&Capability>, context: &Context<'_>) -> Draft {
    let present = (old.is_some(), new.is_some());
    let mut draft = Draft::new(label, present);
    match (old, new) {
        (Some(old), Some(new)) => {
            draft.request = Some(side(Side::Request, old, new, context, &mut draft));
            draft.response = Some(side(Side::Response, old, new, context, &mut draft));
            properties::compare(old, new, &mut draft);
            errors::compare(old, new, context, &mut draft);
            draft.set_levels(context.levels);
            let announced = version::announced(draft.bump, draft.findings.iter());
            version::check(old, new, draft.bump, &announced, &mut draft);
            major::check(old, new, context.settings.assume, &mut draft);
            // The findings about the version itself require no greater one.
            context.levels.apply(&mut draft.findings);
        }
        (Some(old), None) => {
            removed(old, &context.added, &mut draft);
            draft.set_levels(context.levels);
        }
        (None, Some(new)) => {
            let (text, content) = ("capability added".to_owned(), new.hash().to_string());
            draft.property_with(codes::CAPABILITY_ADDED, Level::Safe, "", (text, &content), None);
            draft.set_levels(context.levels);
        }
        (None, None) => {}
    }
    draft
}

/// The finding about a version that was added beside another one of its capability, and may have the plain names now.
pub(super) fn added_beside(
    label: &str,
    new: Option<&Capability>,
    (beside, is_plain): (&Capability, bool),
    context: &Context<'_>,
) -> Draft {
    let mut draft = Draft::new(label, (false, true));
    let Some((new, version)) = new.and_then(|new| Some((new, new.version.as_ref()?))) else { return draft };
    let beside = beside.version.as_ref().map(|version| format!(" beside {version}")).unwrap_or_default();
    let moves = if is_plain { "; in generated code, the names without a suffix move to it" } else { "" };
    let (text, content) = (format!("version {version} added{beside}{moves}"), new.hash().to_string());
    draft.property_with(codes::CAPABILITY_ADDED, Level::Safe, "", (text, &content), None);
    draft.set_levels(context.levels);
    draft
}

impl Draft {
    pub(super) fn new(name: &str, present: (bool, bool)) -> Self {
        let (findings, fingerprints) = (Vec::new(), BTreeMap::new());
        Self { name: name.to_owned(), present, request: None, response: None, findings, bump: Bump::None, fingerprints }
    }

    /// Sets the levels that users have given to rules, and the version that all findings require.
    pub(super) fn set_levels(&mut self, levels: &Levels) {
        levels.apply(&mut self.findings);
        self.bump = self.findings.iter().map(|finding| finding.level.bump()).max().unwrap_or(Bump::None);
    }

    /// The fingerprint of a change. Equal changes of one place, such as two equal branches that were added, are
    /// numbered.
    fn fingerprint(&mut self, parts: &[&str]) -> Fingerprint {
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        let fingerprint = Fingerprint::of(&parts);
        let count = self.fingerprints.entry(fingerprint.clone()).or_default();
        *count += 1;
        if *count == 1 {
            return fingerprint;
        }
        let number = count.to_string();
        Fingerprint::of(&parts.into_iter().chain([number.as_str()]).collect::<Vec<_>>())
    }

    /// Adds a finding about a property of the capability whose message contains the change.
    pub(super) fn property(&mut self, code: Code, level: Level, key: &str, message: String, help: Option<String>) {
        self.property_with(code, level, key, (message, ""), help);
    }

    /// Adds a finding about a property of the capability; an empty key is the whole capability. The content is the part
    /// of the change that the message does not contain.
    pub(super) fn property_with(
        &mut self,
        code: Code,
        level: Level,
        key: &str,
        (message, content): (String, &str),
        help: Option<String>,
    ) {
        let place = if key.is_empty() { String::new() } else { pointer::join("", key) };
        let name = self.name.clone();
        let fingerprint = self.fingerprint(&[code.as_str(), &name, &place, &message, content]);
        self.findings.push(Finding {
            code,
            level,
            capability: self.name.clone(),
            side: None,
            old_pointer: self.present.0.then(|| place.clone()),
            new_pointer: self.present.1.then_some(place),
            message,
            help,
            witness: None,
            texts: None,
            fingerprint,
        });
    }

    /// Adds a finding about an element of a property, which may be at another place in the new contract. The
    /// fingerprint does not depend on the places.
    pub(super) fn add(
        &mut self,
        code: Code,
        level: Level,
        places: Places,
        (message, content): (String, &str),
        help: Option<String>,
        witness: Option<Witness>,
    ) {
        let name = self.name.clone();
        let fingerprint = self.fingerprint(&[code.as_str(), &name, &message, content]);
        self.findings.push(Finding {
            code,
            level,
            capability: self.name.clone(),
            side: None,
            old_pointer: Some(places.old),
            new_pointer: Some(places.new),
            message,
            help,
            witness,
            texts: None,
            fingerprint,
        });
    }

    /// Adds a finding about a schema.
    pub(super) fn schema_finding(
        &mut self,
        side: Side,
        (code, level): (Code, Level),
        change: &PlacedChange,
        witness: Option<Witness>,
    ) {
        let name = self.name.clone();
        // The message is not a part: it may contain a title, and shortens long values.
        let fingerprint = self.fingerprint(&[code.as_str(), &name, side.name(), &change.identity, &change.content]);
        self.findings.push(Finding {
            code,
            level,
            capability: self.name.clone(),
            side: Some(side),
            old_pointer: Some(change.old.clone()),
            new_pointer: Some(change.new.clone()),
            message: change.text.clone(),
            help: change.help.clone(),
            texts: None,
            fingerprint,
            witness,
        });
    }
}

fn removed(old: &Capability, added: &Added<'_>, draft: &mut Draft) {
    let renamed = added.renamed(old);
    let help = match renamed {
        Some(new) => format!("if it was renamed to `{new}`, keep both until no caller uses `{}`", old.name),
        None => "keep it until no caller uses it".to_owned(),
    };
    let said = ("capability removed".to_owned(), &*old.hash().to_string());
    draft.property_with(codes::CAPABILITY_REMOVED, Level::Breaking, "", said, Some(help));
}
