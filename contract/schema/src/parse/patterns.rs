//! The patterns of a contract: equal patterns share one compiled form, and all of them together have a memory limit.

use std::collections::HashMap;

use super::Reports;
use crate::{Kind, Pattern, PatternError, Problem, Schema, codes};

/// At most this many patterns are reported, the largest first. To change these is usually enough to be within the
/// limit.
const REPORTED: usize = 5;

/// The patterns of the schemas that were read with it: [`Schema::parse_with`](crate::Schema::parse_with). Each distinct
/// pattern counts once.
#[derive(Default, Debug)]
pub struct Patterns {
    known: HashMap<String, Known>,
    bytes: u64,
    /// How many schemas were read before the present one.
    schemas: usize,
    largest: Vec<LargePattern>,
}

/// One of the largest patterns of a contract.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LargePattern {
    /// The number of schemas that were read before the one that contains it.
    pub schema: usize,
    /// JSON Pointer from the schema's root to the `pattern` that uses it first.
    pub pointer: String,
    /// An estimate of its memory when compiled, in bytes.
    pub bytes: u64,
}

impl LargePattern {
    /// The size in words, such as `2.3 MiB`.
    pub fn size(&self) -> String {
        mebibytes(self.bytes)
    }
}

#[derive(Debug)]
struct Known {
    pattern: Pattern,
    /// [`Pattern::may_blow_up`], if it was computed.
    may_blow_up: Option<bool>,
}

impl Patterns {
    /// The most memory, in bytes, that the compiled patterns of one contract may take. A typical pattern takes a few
    /// kilobytes. So thousands of them fit.
    pub const MAX_MEMORY: u64 = 32 << 20;

    /// An estimate of the memory, in bytes, of all patterns when compiled.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the patterns together exceed [`MAX_MEMORY`](Self::MAX_MEMORY).
    pub fn is_over_limit(&self) -> bool {
        self.bytes > Self::MAX_MEMORY
    }

    /// The message of a finding about the limit, without a full stop.
    pub fn message(&self) -> String {
        let (bytes, limit) = (mebibytes(self.bytes), mebibytes(Self::MAX_MEMORY));
        format!("the compiled patterns together take {bytes}, more than the limit of {limit}")
    }

    /// The largest patterns, the largest first.
    pub fn largest(&self) -> &[LargePattern] {
        &self.largest
    }

    /// Starts the next schema.
    pub(super) fn next_schema(&mut self) {
        self.schemas += 1;
    }

    /// Checks the pattern at `pointer`, or returns the equal one that is known.
    pub(super) fn get(&mut self, source: &str, pointer: impl FnOnce() -> String) -> Result<Pattern, PatternError> {
        if let Some(known) = self.known.get(source) {
            return Ok(known.pattern.clone());
        }
        let pattern = Pattern::new(source)?;
        let bytes = pattern.compiled_bytes();
        self.bytes = self.bytes.saturating_add(bytes);
        let at = self.largest.partition_point(|other| other.bytes >= bytes);
        if at < REPORTED {
            self.largest.truncate(REPORTED - 1);
            self.largest.insert(at, LargePattern { schema: self.schemas, pointer: pointer(), bytes });
        }
        self.known.insert(source.to_owned(), Known { pattern: pattern.clone(), may_blow_up: None });
        Ok(pattern)
    }

    pub(super) fn may_blow_up(&mut self, pattern: &Pattern) -> bool {
        match self.known.get_mut(pattern.source()) {
            Some(known) => *known.may_blow_up.get_or_insert_with(|| pattern.may_blow_up()),
            None => pattern.may_blow_up(),
        }
    }

    /// Reports the largest patterns of one schema if all patterns together exceed the limit.
    pub(super) fn check(&self, reports: &mut Reports) {
        for large in self.largest.iter().filter(|_| self.is_over_limit()) {
            let problem = Problem::new(codes::PATTERNS_TOO_LARGE, large.pointer.clone(), self.message());
            reports.add(problem.label(large.size()).help(Self::HELP));
        }
    }

    /// The help of a finding about the limit.
    pub const HELP: &str = "use smaller repetition counts, or check lengths with `maxLength`";

    /// Frees the memory of the patterns that were compiled to check examples. `schemas` are all schemas that share the
    /// patterns.
    pub fn drop_compiled<'s>(&mut self, schemas: impl IntoIterator<Item = &'s mut Schema>) {
        for node in schemas.into_iter().flat_map(|schema| &mut schema.nodes) {
            let Kind::Assertions(assertions) = &mut node.kind else { continue };
            let of_names = assertions.property_names.as_mut().and_then(|names| names.pattern.as_mut());
            let of_properties = assertions.pattern_properties.iter_mut().map(|(pattern, _)| pattern);
            for pattern in of_names.into_iter().chain(&mut assertions.pattern).chain(of_properties) {
                if let Some(known) = self.known.get_mut(pattern.source()).filter(|_| pattern.is_compiled()) {
                    if known.pattern.is_compiled() {
                        known.pattern = known.pattern.uncompiled();
                    }
                    *pattern = known.pattern.clone();
                }
            }
        }
    }
}

/// A size with one decimal, such as `2.3 MiB`.
fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10) / (1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
