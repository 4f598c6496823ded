//! Widening schemas that the subset cannot express.
//!
//! The normaliser reports the keywords that it cannot translate. This module removes them from the *input* and runs the
//! normaliser again, until nothing is left to report. Removing a keyword widens the schema that contains it. Whether
//! this widens the whole depends on the place: below `not` it narrows the whole instead. [`widen`] therefore tracks the
//! polarity of each subschema.

use super::marks::Marks;
use super::normalise_noting;
use super::places::keyword_at;
use super::widen::Widener;
use crate::{Json, Problem, codes, pointer};

/// At most this many runs of the normaliser. Each one removes up to 1000 keywords; only problems that the removal of
/// others causes or uncovers need a further run.
const MAX_ROUNDS: usize = 32;

/// At most this many losses. More than a user reads; each needs memory, and a hostile schema can cause one per keyword.
const MAX_LOSSES: usize = 10_000;

/// A part of a schema that [`normalise_lossy`] removed or widened, or that [`normalise_noting`] lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// JSON Pointer into the input: the keyword, or the subschema that is not a schema.
    pub pointer: String,
    /// The keyword; empty for the root.
    pub keyword: String,
    /// The reason, and the effect if it is not simply that the keyword is removed. One sentence, without a full stop.
    pub reason: String,
    /// How it is read.
    pub reading: Reading,
    /// The format, keyword or property in question; empty for other readings.
    pub name: String,
}

/// How a part of a schema is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Reading {
    /// [`normalise_lossy`] removed or widened it.
    Widened,
    /// A `pattern` has syntax of Python or Rust, such as `(?i)` or `\Z`, and is translated.
    PatternSyntax,
    /// A `format` that is not in the subset asserts nothing, and is kept in `x-format`.
    UncheckedFormat,
    /// `nullable` is read as its author means it, although the dialect does not define it there.
    Nullable,
    /// The dialect ignores the keyword, because it is next to `$ref`, or because other drafts have it.
    Ignored,
    /// The keyword is not one of JSON Schema, so it asserts nothing: an annotation of another vocabulary.
    UnknownKeyword,
    /// The property of a `discriminator` is required in each branch, and has the values of that branch.
    Discriminator,
    /// `patternProperties` with a pattern such as `^.*$`, which excludes names with line breaks, is read as every name.
    EveryName,
    /// A keyword has the form of another draft, such as `exclusiveMinimum: true` in draft-07, and is read so.
    OtherForm,
    /// A `$ref` leads nowhere in the schema whose `$id` is around it, and is read as one to the root.
    RootReference,
    /// Branches of a union with a `discriminator` allow the same value of its property, so that it asserts nothing.
    Overlap,
}

/// Like [`normalise`](super::normalise()), but widens schemas that the subset cannot express instead of rejecting them.
///
/// The output accepts every payload that the input accepts, and usually more. Each part of the input that was removed
/// or widened is listed, sorted by pointer. Without losses, the output is that of [`normalise`](super::normalise()).
///
/// | input | output |
/// |---|---|
/// | an assertion that the subset cannot express, a name that is similar to a keyword | removed |
/// | a `$ref` to another document or to nothing | removed, so that every value is valid; it is never fetched |
/// | a pattern of `patternProperties` that the subset cannot express | removed, and `additionalProperties` accepts its schema, too |
/// | any other `patternProperties` that it cannot express | `additionalProperties` with `anyOf` over the schemas |
/// | a loss in `if`, or in `contains` with `maxContains` | these keywords are removed |
/// | a loss in a branch of `oneOf` | `anyOf`: more than one widened branch may match |
/// | a loss below `not` | the subschema that has it becomes `false` there; `not: false` is removed |
///
/// A definition may be referenced both below `not` and elsewhere. If it has a loss, its references below `not` become
/// `false`.
///
/// Takes time linear in the size of `source`, up to 32 times that of [`normalise`](super::normalise()).
///
/// # Errors
/// The remaining problems, if 32 runs or 10,000 losses are not enough. Only schemas made for this purpose need so many.
///
/// ```
/// use capgen_schema::{Json, normalise_lossy};
/// let source: Json = r#"{"type": "string", "pattern": "(a)\\1", "not": {"pattern": "(b)\\1"}}"#.parse()?;
/// let (output, losses) = normalise_lossy(&source).map_err(|problems| problems[0].message.clone())?;
/// assert_eq!(output, r#"{"type": "string"}"#.parse()?);
/// let lost: Vec<_> = losses.iter().map(|loss| loss.pointer.as_str()).collect();
/// assert_eq!(lost, ["/not", "/not/pattern", "/pattern"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn normalise_lossy(source: &Json) -> Result<(Json, Vec<Loss>), Vec<Problem>> {
    let flat = super::embedded::flattened(source);
    let (mut current, flat_notes) = flat.map_or_else(|| (source.clone(), Vec::new()), |flat| (flat.json, flat.notes));
    let mut record = Record::default();
    let mut rounds = 0;
    loop {
        let problems = match normalise_noting(&current) {
            Ok((output, notes)) => {
                let mut losses = record.into_losses(notes, source);
                losses.extend(flat_notes);
                return Ok((output, sorted(losses, source)));
            }
            Err(problems) => problems,
        };
        let known = record.losses.len();
        if rounds >= MAX_ROUNDS || known > MAX_LOSSES {
            return Err([too_many(known)].into_iter().chain(record.in_the_input(problems)).collect());
        }
        current = Widener::new(&current, &Marks::of(&problems)).widen(&mut record);
        rounds += 1;
        if record.losses.len() == known {
            return Err(record.in_the_input(problems));
        }
    }
}

/// The finding for a schema with too many losses. Its other problems follow.
fn too_many(known: usize) -> Problem {
    let message = format!(
        "the schema has too much that cannot be expressed: {known} parts were removed, and others remain; the limits are {MAX_LOSSES} parts and {MAX_ROUNDS} rounds"
    );
    let help = "split the schema, or remove the keywords that are reported most often";
    Problem::new(codes::SCHEMA_TOO_LARGE, String::new(), message).label("too many losses").help(help)
}

/// The losses so far, and the places to which subschemas moved.
#[derive(Default)]
pub(super) struct Record {
    losses: Vec<Loss>,
    /// A new place and the old one, each below its moved ancestors. Inner moves of a round come before outer ones.
    moves: Vec<(String, String)>,
    /// The number of moves before this round: pointers of this round are those after them.
    earlier_moves: usize,
}

impl Record {
    /// Starts a round: pointers from here on are those of the schema after all moves so far.
    pub(super) fn start_round(&mut self) {
        self.earlier_moves = self.moves.len();
    }

    pub(super) fn lose(&mut self, at: &str, reason: String) {
        let pointer = self.original(at);
        self.losses.push(Loss {
            pointer,
            keyword: String::new(),
            reason,
            reading: Reading::Widened,
            name: String::new(),
        });
    }

    pub(super) fn moved(&mut self, to: String, from: String) {
        self.moves.push((to, from));
    }

    /// The place in the input that a pointer of this round comes from.
    fn original(&self, at: &str) -> String {
        let moves = self.moves.get(..self.earlier_moves).unwrap_or_default();
        moves.iter().rev().fold(at.to_owned(), |at, (to, from)| match at.strip_prefix(to.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{from}{rest}"),
            _ => at,
        })
    }

    fn in_the_input(&mut self, problems: Vec<Problem>) -> Vec<Problem> {
        self.start_round();
        problems.into_iter().map(|p| Problem { pointer: self.original(&p.pointer), ..p }).collect()
    }

    fn into_losses(mut self, notes: Vec<Loss>, source: &Json) -> Vec<Loss> {
        self.start_round();
        let notes: Vec<Loss> =
            notes.into_iter().map(|note| Loss { pointer: self.original(&note.pointer), ..note }).collect();
        self.losses.extend(notes);
        sorted(self.losses, source)
    }
}

/// The losses in the order of their pointers, one for each, with their keywords in the input.
pub(super) fn sorted(mut losses: Vec<Loss>, source: &Json) -> Vec<Loss> {
    for loss in &mut losses {
        loss.keyword = keyword_at(source, &loss.pointer).unwrap_or_default();
    }
    losses.sort_by(|a, b| pointer::compare(&a.pointer, &b.pointer));
    losses.dedup_by(|a, b| a.pointer == b.pointer);
    losses
}
