//! The interpreter: validates payloads with exactly the semantics of draft-07.

mod budget;
mod cache;
mod candidates;
mod check;
mod collect;
mod compile;
mod literal;
mod message;
mod number;
mod path;
mod program;
mod report;
mod stack;
mod union_violation;
mod value;
mod verdict;
mod violation;
mod violations;

use std::sync::Arc;

use serde_json::Value;

use crate::exact::Digits;
use crate::payload_text::MAX_PAYLOAD_DEPTH;
use crate::{ExactPayload, Json, NodeId, Schema};
pub use budget::ReportBudget;
pub use cache::ValidatorCache;
use collect::Collector;
use compile::Program;
use message::Wording;
pub(crate) use number::to_integer;
use program::SubschemaId;
use report::List;
pub(crate) use value::canonical;
use verdict::Evaluator;
pub use violation::{Keyword, UnknownKeyword, Violation};
pub use violations::Violations;

/// A schema compiled for validation. Cheap to clone, and usable from several threads at once.
///
/// The semantics are those of JSON Schema draft-07, with `format` as an assertion. Lengths count Unicode code points.
/// `1.0` is an integer and equals `1`. Numbers are compared by exact value; a binary64 of a tree counts as the shortest
/// decimal that reads back as it (see [`Number`](crate::Number)), and an [`ExactPayload`] keeps the digits of its text.
/// A payload nested deeper than 128 levels is invalid under every schema.
///
/// The time is bounded by the size of the schema times that of the payload. The call stack takes about 100 KiB at most
/// (512 KiB in a debug build), whatever the depth of schema and payload. A thread with less stack must not call the
/// validator itself: the functions of `capgen::Payload` call it on a larger stack.
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
    root: SubschemaId,
    wording: Wording<'static>,
    max_depth: usize,
}

impl Validator {
    /// Compiles a schema. The time is about linear in its size.
    pub fn new(schema: &Schema) -> Self {
        Self::from(Program::new(schema))
    }

    /// A validator for [`accepts`](Self::accepts) of these nodes only, which is cheaper than one of the whole schema.
    pub(crate) fn of_nodes(schema: &Schema, nodes: Vec<NodeId>) -> Self {
        Self::from(Program::of(schema, nodes))
    }

    fn from(program: Program) -> Self {
        Self {
            root: program.root(),
            program: Arc::new(program),
            wording: Wording::default(),
            max_depth: MAX_PAYLOAD_DEPTH,
        }
    }

    /// The same validator, with the same limits, for the subschema at a JSON Pointer of the schema (see
    /// [`Node::pointer`](crate::Node::pointer)). The root is the empty string; a `$ref` is replaced by its target.
    /// `None` if that pointer has no subschema. Payloads are validated as if that subschema were the whole schema.
    ///
    /// This is cheap, since the compiled schema is shared.
    ///
    /// ```
    /// use capgen_schema::{Schema, Validator};
    /// use serde_json::json;
    /// let validator = Validator::new(&Schema::parse_text(r#"{"properties":{"port":{"maximum":65535}}}"#)?);
    /// let port = validator.at("/properties/port").ok_or("no subschema")?;
    /// assert_eq!(port.validate(&json!(65536))[0].path, "");
    /// assert!(validator.at("/properties/host").is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&self, pointer: &str) -> Option<Self> {
        Some(Self { root: self.program.at(pointer)?, ..self.clone() })
    }

    /// Sets how many levels of arrays and objects a payload may have. The default is 128, which is also the maximum.
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

    /// Sets how many violations [`validate`](Self::validate) returns: the first ones of the whole list, and at least 1.
    /// The default is 100. The other limits of the [budget](Self::budget) stay.
    #[must_use]
    pub fn max_violations(mut self, count: usize) -> Self {
        self.wording.budget.violations = count;
        self
    }

    /// Sets how much [`validate`](Self::validate) returns. The default is [`ReportBudget::DEFAULT`].
    #[must_use]
    pub fn budget(mut self, budget: ReportBudget) -> Self {
        self.wording.budget = budget;
        self
    }

    /// Sets whether messages omit text from the payload, which may be secret: its values, and property names that the
    /// schema does not have. Paths still contain these names.
    #[must_use]
    pub fn redact(mut self, redact: bool) -> Self {
        self.wording.redact = redact;
        self
    }

    /// Sets how many code points of one value a message quotes. The default is 64. A whole message has at most 4096.
    #[must_use]
    pub fn quote_limit(mut self, code_points: usize) -> Self {
        self.wording.quote_limit = code_points;
        self
    }

    /// Whether the payload is valid. Stops at the first failure. Allocates nothing, except to compare arrays and
    /// objects for `uniqueItems`, and to remember results if definitions that one place reaches more than once are
    /// evaluated thousands of times.
    pub fn is_valid(&self, payload: &Value) -> bool {
        Evaluator::new(&self.program, payload, Digits::OF_TREE, self.max_depth).accepts(self.root)
    }

    /// Like [`is_valid`](Self::is_valid), by the exact digits of the numbers in the payload's text.
    pub fn is_valid_exact(&self, payload: &ExactPayload) -> bool {
        Evaluator::new(&self.program, payload.value(), payload.digits(), self.max_depth).accepts(self.root)
    }

    /// The violations, sorted by path (names by UTF-16 code units, array indexes as numbers), then in the order of
    /// [`Keyword`]; the first ones, within the [budget](Self::budget). Empty if and only if the payload
    /// [is valid](Self::is_valid).
    ///
    /// A value of the wrong type gets no other violation. If all branches of a union fail, the violations are those of
    /// the only branch that could match, by the JSON type of the value, a tag or a key. If several could match, there
    /// is one violation at the path of the union, which names the branch that comes closest.
    pub fn validate(&self, payload: &Value) -> Violations {
        self.violations(payload, Digits::OF_TREE)
    }

    /// Like [`validate`](Self::validate), by the exact digits of the numbers in the payload's text.
    pub fn validate_exact(&self, payload: &ExactPayload) -> Violations {
        self.violations(payload.value(), payload.digits())
    }

    fn violations<'v>(&'v self, payload: &'v Value, digits: Digits<'v>) -> Violations {
        let mut evaluator = Evaluator::new(&self.program, payload, digits, self.max_depth);
        if evaluator.accepts(self.root) {
            return Violations::default();
        }
        if !value::is_shallow(payload, self.max_depth) {
            return Violation::too_deep(self.max_depth).into();
        }
        let wording = Wording { digits, ..self.wording };
        let mut list = List::new(wording);
        let mut collector = Collector { program: &self.program, wording, evaluator, explains: true };
        let _ = collector.collect(self.root, payload, &mut list);
        list.into_violations()
    }

    /// Whether a value matches one subschema.
    pub(crate) fn accepts(&self, node: NodeId, value: &Json) -> bool {
        let payload = ExactPayload::of(value);
        Evaluator::new(&self.program, payload.value(), payload.digits(), self.max_depth)
            .accepts(self.program.target(node))
    }
}
