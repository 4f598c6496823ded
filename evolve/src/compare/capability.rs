//! Two versions of one capability, compared.

use std::collections::BTreeMap;

use capgen_diagnostic::{Code, nearest};
use capgen_manifest::{Capability, Side};
use capgen_schema::{Containment, Json, Schema, Steps, contains, pointer, smallest_value};

use super::change::{Change, Kind};
use super::place::Places;
use super::{Context, Settings, isolate, properties, rule, schema, version};
use crate::side::{accepts, sent_in, witness};
use crate::{Assume, Bump, Finding, Fingerprint, Level, Levels, Sender, SideComparison, Witness, codes};

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

/// The most changes of a side that are decided one by one. Each decision takes time linear in the size of the schemas.
const MAX_DECISIONS: usize = 100;

/// The help for a change that may be one of those that break a side.
const NOT_DECIDED: &str = "the side has a breaking change; whether this is one was not decided, because the side has many changes or \
    large ones";

/// Compares two versions of a capability.
pub(super) fn compare(old: Option<&Capability>, new: Option<&Capability>, context: &Context<'_>) -> Draft {
    let name = old.or(new).map(|capability| capability.name.clone()).unwrap_or_default();
    let present = (old.is_some(), new.is_some());
    let mut draft = Draft::new(&name, present);
    match (old, new) {
        (Some(old), Some(new)) => {
            draft.request = Some(side(Side::Request, old, new, context, &mut draft));
            draft.response = Some(side(Side::Response, old, new, context, &mut draft));
            properties::compare(old, new, &mut draft);
            draft.set_levels(context.levels);
            version::check(old, new, draft.bump, &mut draft);
            // The finding about the version itself requires no greater one.
            context.levels.apply(&mut draft.findings);
        }
        (Some(old), None) => {
            removed(old, &context.added, &mut draft);
            draft.set_levels(context.levels);
        }
        (None, Some(_)) => {
            let text = "capability added".to_owned();
            draft.property(codes::CAPABILITY_ADDED, Level::Safe, "", text, None);
            draft.set_levels(context.levels);
        }
        (None, None) => {}
    }
    draft
}

impl Draft {
    pub(super) fn new(name: &str, present: (bool, bool)) -> Self {
        let (findings, fingerprints) = (Vec::new(), BTreeMap::new());
        Self { name: name.to_owned(), present, request: None, response: None, findings, bump: Bump::None, fingerprints }
    }

    /// Sets the levels that users have given to rules, and the version that all findings require.
    fn set_levels(&mut self, levels: &Levels) {
        levels.apply(&mut self.findings);
        self.bump = self.findings.iter().map(|finding| finding.level.bump()).max().unwrap_or(Bump::None);
    }

    /// The fingerprint of a change. Equal changes of one place, such as two equal branches that were added, are numbered.
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

    /// Adds a finding about a property of the capability; an empty key is the whole capability.
    pub(super) fn property(&mut self, code: Code, level: Level, key: &str, message: String, help: Option<String>) {
        let place = if key.is_empty() { String::new() } else { pointer::join("", key) };
        let name = self.name.clone();
        let fingerprint = self.fingerprint(&[code.as_str(), &name, &place, &message]);
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
            fingerprint,
        });
    }

    fn schema_finding(
        &mut self,
        side: Side,
        (code, level): (Code, Level),
        change: &PlacedChange,
        witness: Option<Witness>,
    ) {
        let name = self.name.clone();
        let parts = [code.as_str(), &name, side.name(), &change.identity, &change.text, &change.shortened];
        let fingerprint = self.fingerprint(&parts);
        self.findings.push(Finding {
            code,
            level,
            capability: self.name.clone(),
            side: Some(side),
            old_pointer: Some(change.old.clone()),
            new_pointer: Some(change.new.clone()),
            message: change.text.clone(),
            help: change.help.clone(),
            fingerprint,
            witness,
        });
    }
}

/// The effect of one change.
enum Effect {
    Compatible,
    /// It would break a receiver alone, but other changes make up for it.
    Compensated,
    /// The receiver rejects the payload because of it.
    Breaking(Witness),
    /// The side is not compatible, and it was not decided whether this change is a reason. So it counts as one.
    Undecided,
}

/// A change with pointers from the capability.
struct PlacedChange {
    old: String,
    new: String,
    /// The place in the old version, because an accepted finding is about what its callers know. Without the indexes of branches.
    identity: String,
    text: String,
    /// The values that `text` shortens, in full.
    shortened: String,
    help: Option<String>,
}

/// The capabilities that only the new contract has, and may be old ones under another name.
pub(super) struct Added<'c> {
    names: Vec<&'c str>,
    /// By the texts of the schemas.
    by_schemas: BTreeMap<[Option<String>; 2], Vec<&'c str>>,
}

/// The most new capabilities whose names are compared with those of removed ones: each comparison takes about a microsecond.
const MAX_NAMES: usize = 200;

impl<'c> Added<'c> {
    pub(super) fn new(capabilities: impl Iterator<Item = &'c Capability>) -> Self {
        let mut added = Self { names: Vec::new(), by_schemas: BTreeMap::new() };
        for capability in capabilities {
            added.names.push(&capability.name);
            added.by_schemas.entry(texts(capability)).or_default().push(&capability.name);
        }
        added
    }

    /// The probable new name of a removed capability: a similar name, or the only one with the same schemas.
    fn renamed(&self, old: &Capability) -> Option<&'c str> {
        let near = match self.names.len() {
            0..=MAX_NAMES => nearest(&old.name, self.names.iter().copied()),
            _ => None,
        };
        let has_schema = old.input.is_some() || old.output.is_some();
        near.or_else(|| match self.by_schemas.get(&texts(old)).filter(|_| has_schema)?.as_slice() {
            [only] => Some(only),
            _ => None,
        })
    }
}

fn texts(capability: &Capability) -> [Option<String>; 2] {
    Side::ALL.map(|side| capability.schema(side).map(Schema::canonical))
}

fn removed(old: &Capability, added: &Added<'_>, draft: &mut Draft) {
    let renamed = added.renamed(old);
    let help = match renamed {
        Some(new) => format!("if it was renamed to `{new}`, keep both until no caller uses `{}`", old.name),
        None => "keep it until no caller uses it".to_owned(),
    };
    draft.property(codes::CAPABILITY_REMOVED, Level::Breaking, "", "capability removed".to_owned(), Some(help));
}

/// Compares one side, and adds its findings.
fn side(side: Side, old: &Capability, new: &Capability, context: &Context<'_>, draft: &mut Draft) -> SideComparison {
    let (before, after) = (old.schema(side), new.schema(side));
    let is_same = match (before, after) {
        (None, None) => true,
        (Some(before), Some(after)) => before.source() == after.source(),
        _ => false,
    };
    if is_same {
        return SideComparison::equal();
    }
    let anything = Schema::parse(&Json::Bool(true)).ok();
    let (Some(before_schema), Some(after_schema)) = (before.or(anything.as_ref()), after.or(anything.as_ref())) else {
        return SideComparison::equal();
    };
    let contract = if side == Side::Request { &context.old } else { &context.new };
    let settings = context.settings;
    let comparison = SideComparison::of(side, before_schema, after_schema, contract, settings.steps);
    let mut changes = match (before, after) {
        (Some(before), Some(after)) => schema::changes(before, after),
        _ => vec![whole(before.is_none(), before_schema, after_schema)],
    };
    // Assertions first, so that the budget of decisions is not spent on annotations.
    changes.sort_by_key(|change| change.kind.is_annotation());
    let places = Places::new(before_schema);
    let decider = Decider { side, contract, old: before_schema, new: after_schema, places, settings };
    decider.findings(&comparison, &changes, draft);
    comparison
}

/// The change of a side that got or lost its schema.
fn whole(is_typed: bool, old: &Schema, new: &Schema) -> Change {
    let (kind, text) = match is_typed {
        true => (Kind::SideTyped, "a schema was added"),
        false => (Kind::SideUntyped, "the schema was removed"),
    };
    let mut change = Change::of(kind, (old.root(), new.root()), "", text.to_owned());
    change.path.clear();
    change.edit(&[], Some(new.source().clone()))
}

/// Decides which changes of a side break its receivers.
struct Decider<'s> {
    side: Side,
    /// The contract of the sender.
    contract: &'s Sender<'s>,
    old: &'s Schema,
    new: &'s Schema,
    /// Those of the old schema.
    places: Places<'s>,
    settings: Settings,
}

impl Decider<'_> {
    fn findings(&self, comparison: &SideComparison, changes: &[Change], draft: &mut Draft) {
        let answer = comparison.is_accepted(self.side, self.settings.assume);
        let is_equivalent = comparison.old_in_new == Containment::Yes && comparison.new_in_old == Containment::Yes;
        let (annotations, assertions): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| change.kind.is_annotation());
        // Some rewritings, such as `enum` with one value to `const`, are not changes of a place.
        if is_equivalent && (annotations.is_empty() || !assertions.is_empty()) {
            let text = "the schema is written differently, but accepts the same payloads".to_owned();
            draft.schema_finding(self.side, (codes::SCHEMA_REWRITTEN, Level::Safe), &self.root(text), None);
        } else {
            self.assertions(comparison, &assertions, draft);
        }
        for change in annotations {
            draft.schema_finding(self.side, rule::accepted(change.kind, self.side), &self.placed(change), None);
        }
        if let Containment::Undecided(undecided) = answer {
            let text = format!("it could not be decided whether the change is compatible: {}", undecided.reason);
            draft.schema_finding(self.side, (codes::UNDECIDED, Level::Breaking), &self.root(text), None);
        }
        self.check_nothing(draft);
    }

    fn assertions(&self, comparison: &SideComparison, changes: &[&Change], draft: &mut Draft) {
        let answer = comparison.is_accepted(self.side, self.settings.assume);
        let decide = |(index, change): (usize, &&Change)| match answer {
            Containment::Yes => Effect::Compatible,
            _ if index >= MAX_DECISIONS => Effect::Undecided,
            _ => self.effect(change),
        };
        let mut effects: Vec<Effect> = changes.iter().enumerate().map(decide).collect();
        let shared = match answer {
            Containment::No(payload) => witness(self.receiver(), payload.clone()),
            _ => None,
        };
        if let Some(shared) = shared
            && !effects.iter().any(|effect| matches!(effect, Effect::Breaking(_)))
        {
            // Several changes break only together, such as a property that was renamed: then one payload shows all of them.
            let mut together = effects.iter_mut().filter(|effect| matches!(effect, Effect::Compensated)).peekable();
            if together.peek().is_none() {
                let (code, text) = match self.side {
                    Side::Request => (codes::REQUEST_NARROWED, "requests that were valid are rejected"),
                    Side::Response => (codes::RESPONSE_WIDENED, "responses may be sent that were invalid"),
                };
                let place = self.with_reading(self.root(text.to_owned()), comparison);
                draft.schema_finding(self.side, (code, Level::Breaking), &place, Some(shared.clone()));
            }
            together.for_each(|effect| *effect = Effect::Breaking(shared.clone()));
        }
        for (change, effect) in changes.iter().zip(effects) {
            let place = self.placed(change);
            match effect {
                Effect::Breaking(witness) => {
                    let place = self.with_reading(place, comparison);
                    draft.schema_finding(self.side, rule::breaking(change.kind, self.side), &place, Some(witness));
                }
                Effect::Undecided => {
                    let mut place = self.with_reading(place, comparison);
                    place.help = place.help.or_else(|| Some(NOT_DECIDED.to_owned()));
                    draft.schema_finding(self.side, rule::breaking(change.kind, self.side), &place, None);
                }
                Effect::Compatible | Effect::Compensated => {
                    draft.schema_finding(self.side, rule::accepted(change.kind, self.side), &place, None);
                }
            }
        }
    }

    /// Names the other reading, if only it allows the change.
    fn with_reading(&self, mut place: PlacedChange, comparison: &SideComparison) -> PlacedChange {
        if self.settings.assume == Assume::AnyPeer && comparison.from_capgen_peer == Containment::Yes {
            let help = "this breaks nothing if every sender is built with capgen: `--assume capgen-peer`";
            place.help = Some(place.help.map_or_else(|| help.to_owned(), |other| format!("{other}; {help}")));
        }
        place
    }

    /// A schema that accepts nothing contradicts no other schema, but no call can succeed.
    fn check_nothing(&self, draft: &mut Draft) {
        let is_empty = |schema: &Schema| smallest_value(schema, self.settings.steps) == Ok(None);
        if !is_empty(self.new) {
            return;
        }
        let side = self.side.name();
        let (level, text) = if is_empty(self.old) {
            (Level::Risky, format!("no {side} conforms to the new schema, and none conformed to the old one"))
        } else {
            (Level::Breaking, format!("no {side} conforms to the new schema"))
        };
        draft.schema_finding(self.side, (codes::ACCEPTS_NOTHING, level), &self.root(text), None);
    }

    fn receiver(&self) -> &Schema {
        if self.side == Side::Request { self.new } else { self.old }
    }

    fn sender(&self) -> &Schema {
        if self.side == Side::Request { self.old } else { self.new }
    }

    /// Whether a payload is rejected because of this change: it is sent and rejected if nothing else changes, and also with all changes.
    fn effect(&self, change: &Change) -> Effect {
        let Some(alone) = isolate::isolated(self.old, self.new, change) else { return Effect::Undecided };
        let steps = isolate::part_of(self.settings.steps);
        let (receiver, sender) = match self.side {
            Side::Request => (&alone, self.old),
            Side::Response => (self.old, &alone),
        };
        let payload = match self.sent_in(receiver, sender, steps) {
            Containment::Yes => return Effect::Compatible,
            Containment::Undecided(_) => return Effect::Undecided,
            Containment::No(payload) => payload,
        };
        // Usually, the other changes have no effect on the smallest payload.
        let is_sent = accepts(self.sender(), &payload);
        if let Some(witness) = witness(self.receiver(), payload).filter(|_| is_sent) {
            return Effect::Breaking(witness);
        }
        let answer = match self.side {
            Side::Request => isolate::either(&alone, self.new).map(|receiver| self.sent_in(&receiver, self.old, steps)),
            Side::Response => isolate::both(&alone, self.new).map(|sender| contains(self.old, &sender, steps)),
        };
        match answer {
            Some(Containment::No(payload)) => {
                witness(self.receiver(), payload).map_or(Effect::Undecided, Effect::Breaking)
            }
            Some(Containment::Yes) => Effect::Compensated,
            Some(Containment::Undecided(_)) | None => Effect::Undecided,
        }
    }

    fn sent_in(&self, receiver: &Schema, sender: &Schema, steps: Steps) -> Containment {
        match self.contract.sent(self.settings.assume, sender) {
            None => contains(receiver, sender, steps),
            Some(sent) => sent_in(receiver, &sent, sender, steps),
        }
    }

    fn placed(&self, change: &Change) -> PlacedChange {
        let key = pointer::join("", self.side.schema_key());
        let at = |base: &str| {
            let place = format!("{key}{base}");
            change.path.iter().fold(place, |place, part| pointer::join(&place, part))
        };
        PlacedChange {
            old: at(&self.old.node(change.old).pointer),
            new: at(&self.new.node(change.new).pointer),
            identity: at(&self.places.identity(change.old)),
            text: change.text.clone(),
            shortened: change.shortened.clone(),
            help: change.help.clone(),
        }
    }

    fn root(&self, text: String) -> PlacedChange {
        let key = pointer::join("", self.side.schema_key());
        PlacedChange { old: key.clone(), new: key.clone(), identity: key, text, shortened: String::new(), help: None }
    }
}
