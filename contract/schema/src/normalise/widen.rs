//! One round of widening: removes the keywords that the normaliser reported.
//!
//! A subschema in a *positive* place may only be widened, and one in a *negative* place, below an odd number of `not`,
//! only narrowed. Where neither is possible, such as in `if`, the keyword around it is removed as a whole.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::array::is_trivial;
use super::dialect::{self, Dialect, is_beside_reference};
use super::lossy::Record;
use super::marks::Marks;
use super::pattern::remove_needless_escapes;
use super::places::{is_container, map_subschemas, subschemas};
use super::rewrite::Draft;
use super::target::{TargetId, Targets};
use super::version::{self, Version};
use crate::{Json, Object, Pattern, Problem, codes, pointer};

/// Deeper subschemas are not visited. The normaliser rejects them at a lower depth.
const MAX_DEPTH: usize = 80;

/// The effect that a change of a subschema has on the whole schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Polarity {
    /// Widening it widens the whole.
    Positive,
    /// Narrowing it widens the whole.
    Negative,
    /// Neither is known.
    Mixed,
}

impl Polarity {
    fn below(self, keyword: &str, object: &Object) -> Self {
        match (keyword, self) {
            ("not", Self::Positive) => Self::Negative,
            ("not", Self::Negative) => Self::Positive,
            ("if", _) => Self::Mixed,
            ("contains", _) if object.get("maxContains").is_some() => Self::Mixed,
            _ => self,
        }
    }
}

/// A subschema after the round.
struct Widened {
    json: Json,
    /// Whether it may accept other values than before.
    is_changed: bool,
}

pub(super) struct Widener<'a, 'p> {
    root: &'a Json,
    marks: &'a Marks<'p>,
    targets: Targets<'a>,
    pub(super) dialect: Dialect,
    /// Whether `$schema` declares it.
    is_declared: bool,
    /// The draft that `$schema` declares.
    version: Option<Version>,
    /// The pointers of targets.
    pub(super) pointers: BTreeSet<String>,
    /// Targets that have a problem, or refer to one that has.
    changed: HashSet<TargetId>,
    /// Targets in a positive place.
    positive: HashSet<TargetId>,
}

/// The content of a target: whether it has a problem itself, and which targets it refers to or contains.
#[derive(Default)]
struct Content {
    has_marks: bool,
    uses: Vec<TargetId>,
}

impl<'a, 'p> Widener<'a, 'p> {
    pub(super) fn new(root: &'a Json, marks: &'a Marks<'p>) -> Self {
        let targets = Targets::collect(root);
        let all: Vec<TargetId> = targets.in_order();
        let pointers = all.iter().filter_map(|id| Some(targets.get(*id)?.pointer.clone())).collect();
        let version = Version::of(root);
        let is_declared = dialect::declared(root, version).is_some();
        let mut widener = Self {
            root,
            marks,
            targets,
            dialect: Dialect::of(root),
            is_declared,
            version,
            pointers,
            changed: HashSet::new(),
            positive: HashSet::new(),
        };
        let mut contents = HashMap::new();
        let root_id = widener.targets.at(root);
        widener.survey(root, Some(marks), Polarity::Positive, 0, root_id, &mut contents);
        // Targets at places where no keyword of JSON Schema leads. They are not rewritten.
        for id in all {
            let Some((json, pointer)) = widener.targets.get(id).map(|target| (target.json, target.pointer.clone()))
            else {
                continue;
            };
            if !contents.contains_key(&id) {
                let marks = marks.at(&pointer);
                widener.survey(json, marks, Polarity::Mixed, 1, Some(id), &mut contents);
            }
        }
        widener.changed = changed(&contents);
        widener
    }

    /// Whether the declared dialect ignores a keyword. Without one, a keyword next to `$ref` may be meant to apply.
    fn is_ignored(&self, object: &Object, keyword: &str) -> bool {
        let is_beside_reference = || self.is_declared && is_beside_reference(self.dialect, object, keyword);
        version::ignores(self.version, object, keyword) || is_beside_reference()
    }

    /// Finds the content of each target, and the targets in positive places. `around` is the nearest target around the
    /// subschema.
    fn survey(
        &mut self,
        json: &'a Json,
        marks: Option<&Marks<'p>>,
        polarity: Polarity,
        depth: usize,
        around: Option<TargetId>,
        contents: &mut HashMap<TargetId, Content>,
    ) {
        let mut around = around;
        if let Some(id) = self.targets.at(json) {
            if let Some(outer) = around.filter(|outer| *outer != id) {
                contents.entry(outer).or_default().uses.push(id);
            }
            around = Some(id);
            contents.entry(id).or_default();
            if polarity == Polarity::Positive {
                self.positive.insert(id);
            }
        }
        let mut mark = |has_marks: bool, uses: Option<TargetId>| {
            if let Some(content) = around.and_then(|id| contents.get_mut(&id)) {
                content.has_marks |= has_marks;
                content.uses.extend(uses);
            }
        };
        mark(marks.is_some_and(|marks| !marks.here.is_empty()), None);
        let Some(object) = json.as_object().filter(|_| depth <= MAX_DEPTH) else {
            return mark(marks.is_some(), None);
        };
        let mut own: HashSet<&str> = marks.iter().flat_map(|marks| marks.below.keys().map(String::as_str)).collect();
        let mut children = Vec::new();
        for (name, value) in object {
            if self.is_ignored(object, name) {
                own.remove(name.as_str());
                continue;
            }
            let below = marks.and_then(|marks| marks.below.get(name));
            if let ("$ref", Json::String(text)) = (name.as_str(), value) {
                mark(below.is_some(), self.targets.resolve(text).ok());
            }
            let found = subschemas(name, value, depth == 0);
            if !found.is_empty() && below.is_none_or(|marks| marks.here.is_empty()) {
                own.remove(name.as_str());
            }
            for (tokens, child) in found {
                let below =
                    below.and_then(|marks| tokens.iter().try_fold(marks, |marks, token| marks.below.get(token)));
                let (polarity, around) = match is_container(name) {
                    true => (Polarity::Positive, None),
                    false => (polarity.below(name, object), around),
                };
                children.push((child, below, polarity, around));
            }
        }
        mark(!own.is_empty(), None);
        for (child, below, polarity, around) in children {
            self.survey(child, below, polarity, depth + 1, around, contents);
        }
    }

    /// The schema without the reported keywords. Every change is recorded.
    pub(super) fn widen(mut self, record: &mut Record) -> Json {
        record.start_round();
        self.schema(self.root, Some(self.marks), "", Polarity::Positive, 0, record).json
    }

    fn schema(
        &mut self,
        json: &'a Json,
        marks: Option<&Marks<'p>>,
        at: &str,
        polarity: Polarity,
        depth: usize,
        record: &mut Record,
    ) -> Widened {
        let anything = |is_changed| Widened { json: Json::Bool(polarity != Polarity::Negative), is_changed };
        let has_problem = marks.is_some_and(|marks| !marks.here.is_empty());
        let Some(object) = json.as_object().filter(|_| !has_problem && depth <= MAX_DEPTH) else {
            return match marks {
                Some(marks) => {
                    marks.record(at, record);
                    anything(true)
                }
                None => Widened { json: json.clone(), is_changed: false },
            };
        };
        let (out, lost, unusable) = (Object::new(), BTreeSet::new(), BTreeSet::new());
        let mut draft = Draft { object, at, out, lost, unusable, is_changed: false };
        let mut is_hopeless = false;
        for (name, value) in object {
            let below = marks.and_then(|marks| marks.below.get(name));
            is_hopeless |= self.member(&mut draft, name, value, below, (polarity, depth), record);
        }
        // A problem at a member that does not exist cannot be located better.
        if let Some(marks) = marks {
            let names: HashSet<&str> = object.iter().map(|(name, _)| name.as_str()).collect();
            for (name, marks) in marks.below.iter().filter(|(name, _)| !names.contains(name.as_str())) {
                marks.record(&pointer::join(at, name), record);
                is_hopeless = true;
            }
        }
        is_hopeless |= polarity == Polarity::Negative && !draft.lost.is_empty();
        if is_hopeless {
            return anything(true);
        }
        let is_changed = draft.is_changed || !draft.lost.is_empty();
        let json = if draft.lost.is_empty() { Json::Object(draft.out) } else { self.finish(draft, record) };
        Widened { json, is_changed }
    }

    /// Reads a keyword; returns whether the whole subschema must be given up.
    fn member(
        &mut self,
        draft: &mut Draft<'a, '_>,
        name: &'a str,
        value: &'a Json,
        marks: Option<&Marks<'p>>,
        (polarity, depth): (Polarity, usize),
        record: &mut Record,
    ) -> bool {
        let at = pointer::join(draft.at, name);
        // With and without it, the schema accepts the same values. It stays for the note about it, unless a reference
        // leads to a problem in it.
        if self.is_ignored(draft.object, name) {
            match marks {
                Some(marks) => marks.record(&at, record),
                None => draft.out.push(name.to_owned(), value.clone()),
            }
            return false;
        }
        if let ("$ref", Json::String(text)) = (name, value)
            && marks.is_none()
            && let Ok(id) = self.targets.resolve(text)
            && self.changed.contains(&id)
        {
            draft.is_changed = true;
            lose_unevaluated(draft, name, record);
            if polarity == Polarity::Negative || !self.positive.contains(&id) {
                record.lose(&at, "the referenced schema is widened, which does not widen this place".to_owned());
                draft.lost.insert(name);
            }
        }
        let children = subschemas(name, value, depth == 0);
        let is_own = marks.is_some_and(|marks| !marks.here.is_empty()) || children.is_empty();
        if let Some(marks) = marks.filter(|_| is_own) {
            marks.record(&at, record);
            draft.out.push(name.to_owned(), value.clone());
            draft.lost.insert(name);
            // A different base changes the meaning of all references below.
            return depth > 0 && ["$id", "id"].contains(&name);
        }
        if let (Some(marks), "patternProperties") = (marks, name) {
            lose_patterns(draft, value, marks, record);
        }
        let inner = if is_container(name) { Polarity::Positive } else { polarity.below(name, draft.object) };
        let mut is_changed = false;
        let unusable = if name == "patternProperties" { draft.unusable.clone() } else { BTreeSet::new() };
        let value = map_subschemas(name, value, depth == 0, &mut |tokens, child| {
            let below = marks.and_then(|marks| tokens.iter().try_fold(marks, |marks, token| marks.below.get(*token)));
            // The problem of a pattern does not concern its schema.
            let pattern = tokens.first().filter(|pattern| unusable.contains(*pattern));
            let of_schema = pattern.map(|pattern| below?.without(|problem| concerns_name(problem, pattern)));
            let below = of_schema.as_ref().map_or(below, Option::as_ref);
            let at = tokens.iter().fold(at.clone(), |at, token| pointer::join(&at, token));
            let widened = self.schema(child, below, &at, inner, depth + 1, record);
            is_changed |= widened.is_changed;
            widened.json
        });
        draft.is_changed |= is_changed && !is_container(name);
        if is_changed && !is_container(name) {
            changed_below(draft, (name, &value), &at, (polarity, inner), record);
        }
        draft.out.push(name.to_owned(), value);
        false
    }
}

/// Whether a problem at a member of `patternProperties` concerns its pattern, and not its schema.
fn concerns_name(problem: &Problem, pattern: &str) -> bool {
    let of_patterns =
        [codes::PATTERN_SYNTAX, codes::PATTERN_BACK_REFERENCE, codes::PATTERN_TOO_LARGE, codes::PATTERN_UNSUPPORTED];
    let is_unusable = || Pattern::new(&remove_needless_escapes(pattern)).is_err();
    problem.code == codes::PATTERNS_TOO_LARGE || (of_patterns.contains(&problem.code) && is_unusable())
}

/// Gives up the members of `patternProperties` whose patterns cannot be expressed, and with them a restriction of all
/// other names.
fn lose_patterns<'a>(draft: &mut Draft<'a, '_>, value: &'a Json, marks: &Marks<'_>, record: &mut Record) {
    let at = pointer::join(draft.at, "patternProperties");
    for (pattern, _) in value.as_object().into_iter().flatten() {
        let problems = marks.below.get(pattern).into_iter().flat_map(|marks| &marks.here);
        if let Some(problem) = problems.into_iter().find(|problem| concerns_name(problem, pattern)) {
            record.lose(&pointer::join(&at, pattern), problem.message.clone());
            draft.unusable.insert(pattern);
        }
    }
    if draft.unusable.is_empty() {
        return;
    }
    draft.lost.insert("patternProperties");
    let object = draft.object;
    for name in ["additionalProperties", "unevaluatedProperties"] {
        if object.get(name).is_some_and(|others| !is_trivial(others)) {
            let reason = "a pattern of names cannot be expressed, so that other names are allowed as well".to_owned();
            record.lose(&pointer::join(draft.at, name), reason);
        }
    }
}

/// The consequences of a change in a subschema for the keyword around it.
fn changed_below<'a>(
    draft: &mut Draft<'a, '_>,
    (name, value): (&'a str, &Json),
    at: &str,
    (polarity, inner): (Polarity, Polarity),
    record: &mut Record,
) {
    lose_unevaluated(draft, name, record);
    let mut lose = |reason: &str| {
        record.lose(at, reason.to_owned());
        draft.lost.insert(name);
    };
    match name {
        "not" if *value == Json::Bool(false) => lose("its schema cannot be expressed"),
        "oneOf" if polarity == Polarity::Negative => lose("a branch cannot be expressed"),
        "oneOf" => lose("a branch is widened, so that several may match: it becomes `anyOf`"),
        _ if inner == Polarity::Mixed && polarity != Polarity::Mixed => {
            lose("its schema is widened, which does not widen the schema around it");
        }
        _ => {}
    }
}

/// Gives up keywords that depend on the properties and items which another schema for the same value evaluates.
fn lose_unevaluated<'a>(draft: &mut Draft<'a, '_>, changed: &str, record: &mut Record) {
    let in_place = ["$ref", "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "oneOf", "then"];
    if !in_place.contains(&changed) {
        return;
    }
    let object = draft.object;
    for (name, _) in object.iter().filter(|(name, _)| name.starts_with("unevaluated")) {
        if draft.lost.insert(name) {
            let reason = "a schema for the same value is widened, and may evaluate others then".to_owned();
            record.lose(&pointer::join(draft.at, name), reason);
        }
    }
}

/// The targets that have a problem, or use one that has.
fn changed(contents: &HashMap<TargetId, Content>) -> HashSet<TargetId> {
    let mut users: HashMap<TargetId, Vec<TargetId>> = HashMap::new();
    for (id, content) in contents {
        content.uses.iter().for_each(|used| users.entry(*used).or_default().push(*id));
    }
    let mut open: Vec<TargetId> = contents.iter().filter(|(_, c)| c.has_marks).map(|(id, _)| *id).collect();
    let mut changed: HashSet<TargetId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let users = users.get(&id).into_iter().flatten();
        open.extend(users.filter(|user| changed.insert(**user)));
    }
    changed
}
