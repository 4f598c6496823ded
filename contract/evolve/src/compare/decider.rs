//! Two versions of one side of a capability, compared: which of its changes break its receivers.

use capgen_manifest::{Capability, Side};
use capgen_schema::{Containment, Json, Schema, Steps, pointer};

use super::capability::Draft;
use super::change::{Change, Kind};
use super::content::{self, Contents};
use super::place::Places;
use super::reduced::Reducers;
use super::{Context, Settings, isolate, joint, rule, schema};
use crate::side::{accepts, sent_in, witness};
use crate::work::Work;
use crate::{Assume, Level, Sender, SideComparison, Witness, codes};

/// The most changes of a side that are decided one by one. Each decision takes time linear in the size of the schemas.
/// Usual changes of a side are a few; for further ones, the finding states that it was not decided which of them
/// breaks.
const MAX_DECISIONS: usize = 100;

/// The help for a change that may be one of those that break a side.
const NOT_DECIDED: &str = "the side has a breaking change; whether this is one was not decided, because the side has many changes or \
    large ones";

/// The effect of one change.
pub(super) enum Effect {
    Compatible,
    /// It would break a receiver alone, but other changes make up for it.
    Compensated,
    /// The receiver rejects the payload because of it.
    Breaking(Witness),
    /// The side is not compatible, and it was not decided whether this change is a reason. So it counts as one.
    Undecided,
}

impl Effect {
    /// Whether the change is reported as breaking.
    pub(super) fn is_listed(&self) -> bool {
        matches!(self, Effect::Breaking(_) | Effect::Undecided)
    }
}

/// A change with pointers from the capability.
pub(super) struct PlacedChange {
    pub(super) old: String,
    pub(super) new: String,
    /// The place in the old version, because an accepted finding is about what its callers know. Without the indexes of
    /// branches.
    pub(super) identity: String,
    /// The old and the new content, by which a change differs from others of the same place.
    pub(super) content: String,
    pub(super) text: String,
    pub(super) help: Option<String>,
}

/// Compares one side, and adds its findings.
pub(super) fn side(
    side: Side,
    old: &Capability,
    new: &Capability,
    context: &Context<'_>,
    draft: &mut Draft,
) -> SideComparison {
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
    let comparison = SideComparison::of(side, before_schema, after_schema, contract, settings.steps, context.work);
    let (mut changes, is_complete) = match (before, after) {
        (Some(before), Some(after)) => schema::changes(before, after),
        _ => (vec![whole(before.is_none(), before_schema, after_schema)], true),
    };
    // Assertions first, so that the budget of decisions is not spent on annotations.
    changes.sort_by_key(|change| change.kind.is_annotation());
    let decider = Decider {
        side,
        contract,
        old: before_schema,
        new: after_schema,
        places: Places::new(before_schema),
        contents: (Contents::new(before_schema), Contents::new(after_schema)),
        settings,
        work: context.work,
    };
    decider.findings(&comparison, &changes, draft);
    if !is_complete {
        decider.check_unlisted(&comparison, draft);
    }
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
pub(super) struct Decider<'s> {
    pub(super) side: Side,
    /// The contract of the sender.
    pub(super) contract: &'s Sender<'s>,
    pub(super) old: &'s Schema,
    pub(super) new: &'s Schema,
    /// Those of the old schema.
    places: Places<'s>,
    /// Those of the old and the new schema.
    contents: (Contents<'s>, Contents<'s>),
    pub(super) settings: Settings,
    pub(super) work: &'s Work,
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
            // Several changes break only together, such as a property that was renamed: then one payload shows all of
            // them.
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
        let is_explained = match answer {
            Containment::No(_) => joint::join(self, changes, &mut effects),
            Containment::Yes | Containment::Undecided(_) => true,
        };
        let contents = self.contents_of_breaking(changes, &effects, is_explained);
        for ((change, effect), content) in changes.iter().zip(effects).zip(contents) {
            let mut place = self.placed(change);
            place.content.push_str(&content);
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

    /// For each change, the content of other changes that its acceptance depends on: those that reduce a breaking
    /// change, or the whole schemas if the breaking changes do not explain every payload that is rejected.
    fn contents_of_breaking(&self, changes: &[&Change], effects: &[Effect], is_explained: bool) -> Vec<String> {
        let mut reducers = Reducers::new(self, changes);
        let whole = if is_explained { String::new() } else { self.root(String::new()).content };
        let content = |(index, effect): (usize, &Effect)| {
            if !effect.is_listed() {
                return String::new();
            }
            if !is_explained {
                return whole.clone();
            }
            let placed = reducers.of(index, effects).into_iter().map(|change| self.placed(change));
            let mut contents: Vec<String> = placed.map(|place| place.identity + &place.content).collect();
            contents.sort_unstable();
            contents.concat()
        };
        effects.iter().enumerate().map(content).collect()
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
        let is_empty = |schema: &Schema| self.work.is_empty(schema, self.settings.steps);
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

    /// Reports that there are more changes than those that are listed. Without this finding, accepting all listed ones
    /// would accept the others too.
    fn check_unlisted(&self, comparison: &SideComparison, draft: &mut Draft) {
        if *comparison.is_accepted(self.side, self.settings.assume) == Containment::Yes {
            return;
        }
        let code = if self.side == Side::Request { codes::REQUEST_NARROWED } else { codes::RESPONSE_WIDENED };
        let text = format!(
            "the side has a breaking change, and more changes than the {} that are listed",
            schema::MAX_CHANGES
        );
        draft.schema_finding(self.side, (code, Level::Breaking), &self.root(text), None);
    }

    pub(super) fn receiver(&self) -> &Schema {
        if self.side == Side::Request { self.new } else { self.old }
    }

    pub(super) fn sender(&self) -> &Schema {
        if self.side == Side::Request { self.old } else { self.new }
    }

    /// Whether a payload is rejected because of this change: it is sent and rejected if nothing else changes, and also
    /// with all changes.
    fn effect(&self, change: &Change) -> Effect {
        if !self.work.read(&[self.old]) {
            return Effect::Undecided;
        }
        let Some(alone) = isolate::isolated(self.old, self.new, &[change]) else { return Effect::Undecided };
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
            Side::Response => {
                isolate::both(&alone, self.new).map(|sender| self.work.contains(self.old, &sender, steps))
            }
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
            None => self.work.contains(receiver, sender, steps),
            Some(sent) => sent_in(receiver, &sent, sender, steps, self.work),
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
            content: content::of_change(change, &self.contents.0, &self.contents.1),
            text: change.text.clone(),
            help: change.help.clone(),
        }
    }

    fn root(&self, text: String) -> PlacedChange {
        let key = pointer::join("", self.side.schema_key());
        let content = content::of_whole(&self.contents.0, &self.contents.1);
        PlacedChange { old: key.clone(), new: key.clone(), identity: key, content, text, help: None }
    }
}
