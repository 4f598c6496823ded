//! From JSON to a checked [`Schema`], reporting all errors at once.
//!
//! Loading never stops at the first error. A keyword with an error is left out of the node, and the rest of the schema
//! is still read, so that one run shows everything there is to fix.

pub(crate) mod advice;
mod dependencies;
pub(crate) mod fixes;
mod keyword;
mod lint;
mod names;
mod patterns;
mod reference;
mod table;
mod undeclared;
mod value;

pub use patterns::{LargePattern, Patterns};
pub(crate) use reference::percent_decode;
pub use reference::{definition_name, definition_reference, fragment_token};
pub use table::{KeywordRole, KeywordValue, SCHEMA_KEYWORDS, SchemaKeyword};
pub(crate) use table::{is_annotation, is_assertion, keywords};
pub(crate) use value::{depth_is_within_limit, quote};

use crate::{Annotations, Assertions, Json, Kind, Node, NodeId, Object, Problem, Schema, Severity, codes, pointer};

/// Maximum nesting of subschemas; the root is at level 0. Functions that walk a schema recurse this far. Usual schemas
/// have fewer than 20 levels, definitions included.
pub(crate) const MAX_SCHEMA_DEPTH: usize = 64;

/// Maximum size of all JSON Pointers of a schema together, in bytes. Every node stores its pointer, which repeats the
/// names above it, so a small hostile text with long names could otherwise take quadratic memory. About a million
/// subschemas with usual pointers fit.
const MAX_POINTER_BYTES: usize = 64 << 20;

impl Schema {
    /// Checks a schema of the subset and reports all errors at once.
    ///
    /// Loading takes time linear in the size of `source`. Checking `default` and `examples` takes time up to the size
    /// of the schema times the size of these values.
    ///
    /// # Errors
    /// All errors and warnings, if there is at least one error.
    ///
    /// ```
    /// use capgen_schema::{Json, Schema, codes};
    /// let source = Json::try_from(&serde_json::json!({"minLength": -1, "type": "strnig"}))?;
    /// let problems = Schema::parse(&source).unwrap_err();
    /// assert_eq!((problems[0].code, problems[0].pointer.as_str()), (codes::BAD_LENGTH, "/minLength"));
    /// assert_eq!((problems[1].code, problems[1].pointer.as_str()), (codes::UNKNOWN_TYPE, "/type"));
    /// assert_eq!(problems[1].help.as_deref(), Some("did you mean `string`?"));
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn parse(source: &Json) -> Result<Schema, Vec<Problem>> {
        let mut patterns = Patterns::default();
        let mut schema = Self::parse_with(source.clone(), &mut patterns)?;
        patterns.drop_compiled([&mut schema]);
        let mut reports = Reports::default();
        patterns.check(&mut reports);
        if reports.has_errors() { Err(reports.problems) } else { Ok(schema) }
    }

    /// Like [`parse`](Self::parse), but with patterns that several schemas share. The caller checks
    /// [`Patterns::is_over_limit`] after the last schema.
    ///
    /// # Errors
    /// Those of [`parse`](Self::parse), except [`codes::PATTERNS_TOO_LARGE`].
    pub fn parse_with(source: Json, patterns: &mut Patterns) -> Result<Schema, Vec<Problem>> {
        let loader = Loader { warns: true, patterns: std::mem::take(patterns), ..Loader::default() };
        let (loaded, shared) = loader.schema(source);
        *patterns = shared;
        patterns.next_schema();
        let (mut schema, mut reports) = loaded?;
        // Checking examples compiles patterns.
        if !patterns.is_over_limit() {
            lint::run(&schema, &mut reports);
        }
        if reports.has_errors() {
            return Err(reports.problems);
        }
        schema.warnings = reports.problems;
        Ok(schema)
    }

    /// Like [`parse`](Self::parse), but without looking for warnings.
    pub(crate) fn parse_silently(source: Json) -> Result<Schema, Vec<Problem>> {
        let (loaded, patterns) = Loader::default().schema(source);
        let (schema, mut reports) = loaded?;
        patterns.check(&mut reports);
        if reports.has_errors() { Err(reports.problems) } else { Ok(schema) }
    }
}

#[derive(Default)]
struct Loader {
    nodes: Vec<Node>,
    /// The root's definitions.
    definitions: Vec<(String, NodeId)>,
    reports: Reports,
    /// The nodes that are references, each with the name of its definition.
    references: Vec<(NodeId, String)>,
    patterns: Patterns,
    /// Whether some schema has `dependencies`.
    has_dependencies: bool,
    /// Whether to run the checks for warnings that take much time.
    warns: bool,
}

/// The findings so far, and the size of the pointers of nodes and findings.
#[derive(Default)]
struct Reports {
    problems: Vec<Problem>,
    pointer_bytes: usize,
    is_full: bool,
}

/// A schema object whose keywords are being read.
struct Draft<'a> {
    object: &'a Object,
    pointer: String,
    depth: usize,
    assertions: Assertions,
    annotations: Annotations,
}

impl Loader {
    /// The schema and its warnings, or all problems; and the patterns in either case.
    fn schema(mut self, source: Json) -> (Result<(Schema, Reports), Vec<Problem>>, Patterns) {
        self.load(&source, String::new(), 0);
        if !self.reports.is_full {
            reference::resolve(&mut self);
        }
        let Loader { nodes, definitions, reports, patterns, has_dependencies, .. } = self;
        if reports.has_errors() {
            return (Err(reports.problems), patterns);
        }
        let source = if has_dependencies { dependencies::with_one_spelling(&source) } else { source };
        (Ok((Schema { nodes, definitions, source, warnings: Vec::new() }, reports)), patterns)
    }

    /// Loads a subschema and everything below it. [`MAX_SCHEMA_DEPTH`] bounds the recursion.
    fn load(&mut self, schema: &Json, pointer: String, depth: usize) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        if !self.reports.afford(&pointer) {
            return id;
        }
        // Reserve the node's place before its children, so that a parent comes before its children in the arena.
        self.nodes.push(Node { pointer: pointer.clone(), kind: Kind::Bool(true), annotations: Annotations::default() });
        let mut annotations = Annotations::default();
        let kind = match schema {
            _ if depth > MAX_SCHEMA_DEPTH => {
                self.report(advice::schema_too_deep(pointer));
                Kind::Bool(true)
            }
            Json::Bool(verdict) => Kind::Bool(*verdict),
            Json::Object(object) => {
                let mut draft = Draft {
                    object,
                    pointer,
                    depth,
                    assertions: Assertions::default(),
                    annotations: Annotations::default(),
                };
                let kind = self.load_object(id, &mut draft);
                annotations = draft.annotations;
                kind.unwrap_or(Kind::Assertions(Box::new(draft.assertions)))
            }
            other => {
                let message = format!("a schema must be an object or a boolean, not {}", value::with_article(other));
                let mut problem = Problem::new(codes::NOT_A_SCHEMA, pointer, message).label("not a schema");
                problem.help = advice::not_a_schema(other);
                self.report(fixes::of_schema(problem, other));
                Kind::Bool(true)
            }
        };
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.kind = kind;
            node.annotations = annotations;
        }
        id
    }

    /// Reads the keywords in source order. Returns the node's kind if the schema is a reference.
    fn load_object(&mut self, id: NodeId, draft: &mut Draft<'_>) -> Option<Kind> {
        let object = draft.object;
        let is_reference = object.iter().any(|(name, _)| name == "$ref");
        for (name, value) in object {
            if name == "$ref" {
                let target = self.reference_name(draft, value);
                self.references.extend(target.map(|name| (id, name)));
            } else if is_reference && is_assertion(name) {
                self.report(advice::ref_sibling(name, pointer::join(&draft.pointer, name)));
            } else {
                self.keyword(draft, name, value);
            }
        }
        // A placeholder: `resolve` sets the edge once all definitions are known.
        is_reference.then_some(Kind::Bool(true))
    }

    /// Loads the subschema at a keyword.
    fn child(&mut self, draft: &Draft<'_>, keyword: &str, schema: &Json) -> NodeId {
        self.load(schema, pointer::join(&draft.pointer, keyword), draft.depth + 1)
    }

    fn report(&mut self, problem: Problem) {
        self.reports.add(problem);
    }
}

impl Reports {
    fn add(&mut self, problem: Problem) {
        if self.afford(&problem.pointer) {
            self.problems.push(problem);
        }
    }

    /// Whether there is room for another pointer. Reports `SCHEMA_TOO_LARGE` the first time that there is not.
    fn afford(&mut self, pointer: &str) -> bool {
        // An empty pointer counts as well, because each node and finding takes memory.
        self.pointer_bytes = self.pointer_bytes.saturating_add(pointer.len() + 1);
        if self.pointer_bytes > MAX_POINTER_BYTES && !self.is_full {
            self.is_full = true;
            let problem = Problem::new(codes::SCHEMA_TOO_LARGE, String::new(), "the schema is too large");
            self.problems.push(problem.help("use fewer subschemas, or shorter names above them"));
        }
        !self.is_full
    }

    fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.code.severity() == Severity::Error)
    }
}
