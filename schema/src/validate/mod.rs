//! The interpreter: exactly draft-07 on the subset.

mod cache;
mod candidates;
mod check;
mod collect;
mod compile;
mod literal;
mod message;
mod number;
mod path;
mod report;
mod rule;
mod stack;
mod union;
mod value;
mod verdict;
mod violation;

use std::sync::Arc;

use serde_json::Value;

use crate::payload::MAX_PAYLOAD_DEPTH;
use crate::{NodeId, Schema};
pub use cache::ValidatorCache;
use collect::Collector;
use compile::Program;
use message::Wording;
use report::List;
use rule::RuleId;
pub(crate) use value::type_of;
use verdict::Evaluator;
pub use violation::{Keyword, UnknownKeyword, Violation};

/// A schema compiled for validation. Cheap to clone, and usable from several threads at once.
///
/// Semantics are those of JSON Schema draft-07, with `format` asserted: lengths in Unicode code points, `1.0` an integer
/// that equals `1`, numbers compared by exact value, where a payload's binary64 also equals the shortest decimal that reads
/// back as it (see [`Number`](crate::Number)). A payload nested deeper than 128 levels is invalid, whatever the schema.
///
/// Time is bounded by the size of the schema times that of the payload. The call stack follows neither beyond a fixed depth,
/// which takes some 100 KiB (in a debug build, up to 512).
///
/// ```
/// use capgen_schema::{Json, Schema, Validator};
/// use serde_json::json;
/// let schema = json!({"properties": {"severity": {"enum": ["low", "high"]}}, "required": ["severity"]});
/// let schema = Schema::parse(&Json::try_from(&schema)?).map_err(|problems| problems[0].message.clone())?;
/// let validator = Validator::new(&schema);
/// assert!(validator.is_valid(&json!({"severity": "low"})));
/// let violations = validator.validate(&json!({"severity": "urgent"}));
/// assert_eq!(violations[0].path, "/severity");
/// assert_eq!(violations[0].message, r#"value not in enum ["low","high"]"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    program: Arc<Program>,
    root: RuleId,
    wording: Wording,
    max_depth: usize,
    max_violations: usize,
}

impl Validator {
    /// Compiles a schema. Takes time about linear in its size.
    pub fn new(schema: &Schema) -> Self {
        let program = Program::new(schema);
        Self {
            root: program.root(),
            program: Arc::new(program),
            wording: Wording::default(),
            max_depth: MAX_PAYLOAD_DEPTH,
            max_violations: usize::MAX,
        }
    }

    /// The same validator, limits included, for the subschema that stands at a JSON Pointer of the schema, as
    /// [`Node::pointer`](crate::Node::pointer) has it; the root is the empty string, and a `$ref` leads to its target. `None`
    /// where no subschema stands. Payloads are then judged as if that subschema were all.
    ///
    /// Cheap: the compiled program is shared.
    ///
    /// ```
    /// use capgen_schema::{Schema, Validator};
    /// use serde_json::json;
    /// let validator = Validator::new(&Schema::parse_text(r#"{"properties":{"port":{"maximum":65535}}}"#)?);
    /// let port = validator.at("/properties/port").ok_or("no such place")?;
    /// assert_eq!(port.validate(&json!(65536))[0].path, "");
    /// assert!(validator.at("/properties/host").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, pointer: &str) -> Option<Self> {
        Some(Self { root: self.program.at(pointer)?, ..self.clone() })
    }

    /// How many levels of arrays and objects a payload may have: 128 where nothing else is set, and never more.
    ///
    /// ```
    /// use capgen_schema::{Schema, Validator};
    /// use serde_json::json;
    /// let flat = Validator::new(&Schema::parse_text("true")?).max_depth(1);
    /// assert!(flat.is_valid(&json!([1])));
    /// assert_eq!(flat.validate(&json!([[1]]))[0].message, "nested deeper than 1 level");
    /// # Ok::<(), capgen_schema::SchemaTextError>(())
    /// ```
    #[must_use]
    pub fn max_depth(mut self, levels: usize) -> Self {
        self.max_depth = levels.min(MAX_PAYLOAD_DEPTH);
        self
    }

    /// How many violations [`validate`](Self::validate) returns: all where nothing else is set, and at least 1. They are
    /// the first ones of the whole list.
    #[must_use]
    pub fn max_violations(mut self, count: usize) -> Self {
        self.max_violations = count.max(1);
        self
    }

    /// Whether messages leave out what only the payload has, which may be secret: its values, and property names that
    /// the schema does not have. Paths keep the names.
    #[must_use]
    pub fn redact(mut self, redact: bool) -> Self {
        self.wording.redact = redact;
        self
    }

    /// How many code points of one value a message quotes; 64 where nothing else is set.
    #[must_use]
    pub fn quote_limit(mut self, code_points: usize) -> Self {
        self.wording.quote_limit = code_points;
        self
    }

    /// Whether the payload fits; stops at the first failure. Allocates nothing, except to compare arrays and objects under
    /// `uniqueItems`, and to remember verdicts where definitions that two ways lead to are asked thousands of times.
    pub fn is_valid(&self, payload: &Value) -> bool {
        Evaluator::new(&self.program, payload, self.max_depth).accepts(self.root)
    }

    /// Every violation, sorted by path (names by UTF-16 code units, array indexes as numbers), then by keyword in a fixed
    /// order. Empty exactly where [`is_valid`](Self::is_valid).
    ///
    /// A value of the wrong type gets no other violation, and a union whose branches all fail gets one, at its own
    /// path, about the branch that comes closest. With more than 64 MiB of paths, the rest is left out.
    pub fn validate(&self, payload: &Value) -> Vec<Violation> {
        let mut evaluator = Evaluator::new(&self.program, payload, self.max_depth);
        if evaluator.accepts(self.root) {
            return Vec::new();
        }
        if !value::is_shallow(payload, self.max_depth) {
            return vec![Violation::too_deep(self.max_depth)];
        }
        let mut list = List::new(self.wording, self.max_violations);
        let mut collector = Collector { program: &self.program, wording: self.wording, evaluator, explains: true };
        let _ = collector.collect(self.root, payload, &mut list);
        list.into_violations()
    }

    /// Whether a value fits one subschema.
    pub(crate) fn accepts(&self, node: NodeId, value: &Value) -> bool {
        Evaluator::new(&self.program, value, self.max_depth).accepts(self.program.target(node))
    }
}
