//! Rewrites keywords whose meaning depends on the schemas around them, before the translation: `nullable` and
//! `discriminator` of OpenAPI, which are in schemas of other dialects as well.

mod discriminator;
mod facts;
mod lookup;
pub(super) mod nullable;
mod union;

use std::collections::BTreeSet;

use super::dialect::{self, Dialect, is_beside_reference};
use super::lossy::{Loss, Reading};
use super::places::map_subschemas;
use super::target::local;
use super::tree::Origin;
use super::{MAX_POINTER_BYTES, Problem};
use crate::{Json, MAX_WALK_DEPTH, Object};
use discriminator::Discriminators;

/// At most this many places are listed. More than a user reads; a hostile schema can have any number.
const MAX_NOTES: usize = 1000;

/// A schema after the rewriting.
pub(super) struct Prepared {
    pub(super) json: Json,
    /// A new place and the one before, inner ones before outer ones.
    moves: Vec<(String, String)>,
    /// The places that are read in another way than they are written, in the schema before.
    pub(super) notes: Vec<Loss>,
}

impl Prepared {
    /// The problem at its place in the schema before the rewriting.
    pub(super) fn in_the_input(&self, problem: Problem) -> Problem {
        Problem { pointer: self.original(&problem.pointer), ..problem }
    }

    pub(super) fn original(&self, at: &str) -> String {
        self.moves.iter().rev().fold(at.to_owned(), |at, (to, from)| match at.strip_prefix(to.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{from}{rest}"),
            _ => at,
        })
    }
}

/// The relation of a subschema to the one around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// A branch of `anyOf` or `oneOf`.
    Union,
    /// A branch of `allOf`.
    Conjunction,
    Other,
}

/// A rewriting in progress.
struct Rewriting {
    discriminators: Discriminators,
    /// The pointers that references lead to.
    targets: BTreeSet<String>,
    dialect: Dialect,
    is_openapi_3_0: bool,
    moves: Moves,
    notes: Vec<Loss>,
}

/// The places that moved, as long as there is room for their pointers.
struct Moves {
    /// A new place and the one before, inner ones before outer ones.
    places: Vec<(String, String)>,
    /// In bytes.
    room: usize,
}

impl Moves {
    /// Records that the schema at a place moves below it, to these tokens; returns whether there was room.
    fn push(&mut self, origin: &Origin, tokens: &str) -> bool {
        let from = origin.pointer();
        let Some(room) = self.room.checked_sub(2 * from.len() + tokens.len()) else { return false };
        self.room = room;
        self.places.push((format!("{from}{tokens}"), from));
        true
    }
}

/// Rewrites a schema; `None` if it has neither keyword. Takes time linear in the schema, apart from sorting and from a
/// bounded number of looks at the branches of unions.
pub(super) fn prepare(source: &Json) -> Option<Prepared> {
    let found = Found::of(source);
    if !found.is_needed {
        return None;
    }
    let mut rewriting = Rewriting {
        discriminators: Discriminators::of(source, &found.references),
        targets: found.references.into_iter().collect(),
        dialect: Dialect::of(source),
        is_openapi_3_0: dialect::declares_openapi_3_0(source),
        moves: Moves { places: Vec::new(), room: MAX_POINTER_BYTES },
        notes: Vec::new(),
    };
    let json = rewriting.schema(source, &Origin::default(), Position::Other, 0);
    let Rewriting { discriminators, moves, mut notes, .. } = rewriting;
    notes.extend(discriminators.notes);
    Some(Prepared { json, moves: moves.places, notes })
}

/// The parts of a document that decide about the rewriting.
struct Found {
    is_needed: bool,
    /// The pointers of all references, one for each.
    references: Vec<String>,
}

impl Found {
    /// Looks at all values, also at those that are not schemas: too many references only prevent rewriting.
    fn of(source: &Json) -> Self {
        let mut found = Self { is_needed: false, references: Vec::new() };
        let mut open = vec![source];
        while let Some(json) = open.pop() {
            match json {
                Json::Object(members) => {
                    for (name, value) in members {
                        match (name.as_str(), value) {
                            ("nullable", Json::Bool(true)) | ("discriminator", Json::Object(_) | Json::String(_)) => {
                                found.is_needed = true;
                            }
                            ("$ref", Json::String(text)) => found.references.extend(local(text)),
                            _ => {}
                        }
                        open.push(value);
                    }
                }
                Json::Array(items) => open.extend(items),
                _ => {}
            }
        }
        found
    }
}

impl Rewriting {
    fn schema(&mut self, json: &Json, origin: &Origin, position: Position, depth: usize) -> Json {
        let Json::Object(members) = json else { return json.clone() };
        if depth > MAX_WALK_DEPTH {
            return json.clone();
        }
        let mut out = Object::new();
        for (name, value) in members {
            // Keywords that the dialect ignores stay, unless another reference leads there.
            let is_reached = |at: String| self.targets.contains(&at) || self.is_referenced_below(&at);
            if is_beside_reference(self.dialect, members, name) && !is_reached(origin.join(name).pointer()) {
                out.push(name.clone(), value.clone());
                continue;
            }
            let position = match name.as_str() {
                "anyOf" | "oneOf" => Position::Union,
                "allOf" => Position::Conjunction,
                _ => Position::Other,
            };
            let value = map_subschemas(name, value, depth == 0, &mut |tokens, child| {
                let below = tokens.iter().fold(origin.join(name), |origin, token| origin.join(token));
                self.schema(child, &below, position, depth + 1)
            });
            out.push(name.clone(), value);
        }
        let out = self.discriminators.rewritten(out, json, origin, &mut self.moves);
        Json::Object(self.nullable(out, origin, position))
    }

    /// Whether a reference leads below a place, so that its subschemas must stay where they are.
    fn is_referenced_below(&self, at: &str) -> bool {
        let below = format!("{at}/");
        self.targets.range(below.clone()..).next().is_some_and(|target| target.starts_with(&below))
    }

    fn note(&mut self, reading: Reading, pointer: String, reason: &str) {
        if self.notes.len() < MAX_NOTES {
            let (keyword, name) = (String::new(), String::new());
            self.notes.push(Loss { pointer, keyword, reason: reason.to_owned(), reading, name });
        }
    }
}
