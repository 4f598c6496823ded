//! Parts of a schema that probably mean something else than their author thinks: they accept nothing, or a union
//! accepts everything or hardly anything.
//!
//! The lint of the loader looks at one schema object at a time. This one asks the search of
//! [`contains`](super::contains), which combines `allOf`, `$ref` and properties, so it takes longer and has a budget. A
//! question that the budget does not answer gives no finding.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::budget::Budget;
use super::build;
use super::solve::{GoalOutcome, Solver};
use super::term::{Literal, TermId, Terms};
use super::{ExampleSettings, Steps, examples};
use crate::analysis::graph::{Graph, Vertex};
use crate::{Json, Kind, Node, NodeId, Object, Problem, Schema, Validator, codes};

/// The steps of one question. Usual questions take a few hundred; one that takes more must not use up the whole budget.
const STEPS_OF_QUESTION: u64 = 20_000;

/// At most this many subschemas of a schema are asked about, because each takes time even if the answer is known.
const MAX_QUESTIONS: usize = 4_000;

/// The branches of one `oneOf` whose examples are compared. Each is validated against all branches.
const MAX_BRANCHES: usize = 16;

/// At most this many lists of `oneOf` are compared by examples: each takes a search of its own for every branch.
const MAX_COMPARED: usize = 50;

/// No question is asked about a schema with a longer `oneOf`: the pairs of its branches would take gigabytes. Usual
/// ones have fewer than a hundred branches.
const MAX_ONE_OF: usize = 1_000;

/// The most bytes of `definitions` that are copied for the examples of branches. The search for examples needs a schema
/// of its own for each branch.
const MAX_COPIED: usize = 1 << 20;

impl Schema {
    /// Findings about the meaning of a schema that loads:
    ///
    /// - [`codes::ACCEPTS_NO_VALUE`] if no value at all is valid. The schema `false` is not reported: it states that on
    ///   purpose.
    /// - [`codes::ACCEPTS_NOTHING`] for each property, item and branch of a union for which the same is true, unless
    ///   the loader reported it or the cause is a part of it.
    /// - [`codes::UNION_OF_EVERYTHING`] for `anyOf` or `oneOf` with a branch that accepts every value.
    /// - [`codes::NO_USUAL_BRANCH`] for a `oneOf` all of whose examples match several branches.
    ///
    /// The findings are in the order of the schema. A schema with a `oneOf` of more than 1,000 branches has none. Takes
    /// up to `steps`, and about as much time for each branch of `oneOf` as [`examples`] with a small count.
    ///
    /// ```
    /// use capgen_schema::{Schema, Steps, codes};
    /// let text = r#"{"properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}}"#;
    /// let found = Schema::parse_text(text)?.meaning(Steps(10_000));
    /// assert_eq!((found[0].code, found[0].pointer.as_str()), (codes::ACCEPTS_NOTHING, "/properties/a"));
    /// # Ok::<(), capgen_schema::SchemaTextError>(())
    /// ```
    pub fn meaning(&self, steps: Steps) -> Vec<Problem> {
        let mut search = Search::new(self, steps);
        let mut problems: Vec<Problem> = search.accepts_no_value().into_iter().collect();
        let places = places(self);
        let empty = search.empty(&places);
        problems.extend(innermost(self, &empty).into_iter().map(|node| nothing(&node.pointer)));
        for (id, branches, keyword) in unions(self, &places) {
            let everything = branches.iter().position(|branch| search.accepts_everything(*branch));
            if let Some(index) = everything {
                problems.push(of_everything(self.node(id), keyword, index));
            } else if keyword == "oneOf" && !empty.contains(&id) && search.has_no_usual_branch(branches) {
                problems.push(no_usual_branch(self.node(id)));
            }
        }
        let order: HashMap<&str, usize> = self.nodes().map(|(id, node)| (node.pointer.as_str(), id.index())).collect();
        problems.sort_by_key(|problem| order.get(base(&problem.pointer, &order)).copied());
        problems
    }

    /// The finding [`codes::ACCEPTS_NO_VALUE`] of [`meaning`](Self::meaning) alone, which is found much faster.
    ///
    /// ```
    /// use capgen_schema::{Schema, Steps};
    /// let schema = Schema::parse_text(r#"{"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 1}"#)?;
    /// assert!(schema.accepts_no_value(Steps(10_000)).is_some());
    /// # Ok::<(), capgen_schema::SchemaTextError>(())
    /// ```
    pub fn accepts_no_value(&self, steps: Steps) -> Option<Problem> {
        Search::new(self, steps).accepts_no_value()
    }
}

/// The pointer of the subschema that a finding is in.
fn base<'p>(pointer: &'p str, order: &HashMap<&str, usize>) -> &'p str {
    let mut at = pointer;
    while !order.contains_key(at) {
        let Some((above, _)) = at.rsplit_once('/') else { return "" };
        at = above;
    }
    at
}

/// The subschemas that apply to a payload as they are, and are neither negated nor a condition, each once. Every
/// reference leads to its target.
fn places(schema: &Schema) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    let mut open = vec![schema.resolve(schema.root())];
    let mut places = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) || places.len() >= MAX_QUESTIONS {
            continue;
        }
        places.push(id);
        let kind = &schema.node(id).kind;
        let other = if let Kind::Assertions(group) = kind { [group.not, group.if_] } else { [None; 2] };
        open.extend(kind.children().filter(|child| !other.contains(&Some(*child))).map(|child| schema.resolve(child)));
    }
    places.sort_unstable();
    places
}

/// The unions with several branches.
fn unions<'s>(schema: &'s Schema, places: &[NodeId]) -> Vec<(NodeId, &'s [NodeId], &'static str)> {
    let of = |id: &NodeId| {
        let group = schema.assertions(*id)?;
        let lists = [(&group.any_of, "anyOf"), (&group.one_of, "oneOf")];
        Some(lists.map(|(branches, keyword)| (*id, branches.as_deref().unwrap_or_default(), keyword)))
    };
    places.iter().filter_map(of).flatten().filter(|(_, branches, _)| branches.len() > 1).collect()
}

struct Search<'s> {
    schema: &'s Schema,
    solver: Solver,
    ids: HashMap<build::Place, TermId>,
    steps: u64,
    /// How many more bytes of definitions may be copied.
    copies: usize,
    /// How many lists of `oneOf` were compared by examples.
    compared: usize,
}

impl<'s> Search<'s> {
    fn new(schema: &'s Schema, steps: Steps) -> Self {
        let mut terms = Terms::default();
        let ids = build::add_all(&mut terms, &[schema]);
        // The search writes down each pair of branches of `oneOf` before it counts steps.
        let wide = |id: NodeId| schema.assertions(id).and_then(|group| group.one_of.as_ref()).map_or(0, Vec::len);
        let widest = schema.nodes().map(|(id, _)| wide(id)).max().unwrap_or_default();
        let steps = if widest > MAX_ONE_OF { Steps(0) } else { steps };
        Self {
            schema,
            solver: Solver::new(terms, Budget::new(0)),
            ids,
            steps: steps.0,
            copies: MAX_COPIED,
            compared: 0,
        }
    }

    /// Whether no value conforms to a literal; `false` if that is not known.
    fn is_empty(&mut self, literal: Literal, limit: u64) -> bool {
        let limit = limit.min(self.steps);
        if limit == 0 {
            return false;
        }
        self.solver.budget = Budget::new(limit);
        let outcome = self.solver.solve(&BTreeSet::from([literal]), &mut BTreeSet::new());
        // An answer that is known already takes no steps, but some time.
        self.steps = self.steps.saturating_sub((limit - self.solver.budget.left()).max(1));
        if matches!(outcome, GoalOutcome::Unknown(_)) {
            self.solver.forget_unknown();
        }
        matches!(outcome, GoalOutcome::Empty)
    }

    fn term(&self, node: NodeId) -> Option<TermId> {
        self.ids.get(&(0, self.schema.resolve(node))).copied()
    }

    fn accepts_no_value(&mut self) -> Option<Problem> {
        let root = self.schema.root();
        if matches!(self.schema.node(root).kind, Kind::Bool(_)) {
            return None;
        }
        let term = self.term(root)?;
        if !self.is_empty(Literal::is(term), self.steps) {
            return None;
        }
        let help = "correct the keywords that exclude each other; if there is never a value, write the schema `false`";
        let problem = Problem::new(codes::ACCEPTS_NO_VALUE, String::new(), "no JSON value conforms to this schema");
        Some(problem.label("accepts nothing").help(help))
    }

    /// The places that accept nothing, without the schemas `false`.
    fn empty(&mut self, places: &[NodeId]) -> HashSet<NodeId> {
        let mut empty = HashSet::new();
        for id in places {
            if matches!(self.schema.node(*id).kind, Kind::Assertions(_))
                && let Some(term) = self.term(*id)
                && self.is_empty(Literal::is(term), STEPS_OF_QUESTION)
            {
                empty.insert(*id);
            }
        }
        empty
    }

    fn accepts_everything(&mut self, node: NodeId) -> bool {
        let Some(term) = self.term(node) else { return false };
        self.is_empty(Literal::is_not(term), STEPS_OF_QUESTION)
    }

    /// Whether every example of every branch matches several branches. `false` if a branch has too many examples to
    /// compare, or none.
    fn has_no_usual_branch(&mut self, branches: &[NodeId]) -> bool {
        if branches.len() > MAX_BRANCHES || self.compared >= MAX_COMPARED || self.steps == 0 {
            return false;
        }
        self.compared += 1;
        let validator = Validator::of_nodes(self.schema, branches.to_vec());
        let mut count = 0;
        for branch in branches {
            let Some(alone) = self.alone(*branch) else { return false };
            let steps = Steps(STEPS_OF_QUESTION.min(self.steps));
            // As many as show each part, and no values that only fill a number.
            let settings = ExampleSettings { count: None, seed: 0, steps };
            self.steps = self.steps.saturating_sub(STEPS_OF_QUESTION / 4);
            let Ok(values) = examples(&alone, settings) else { return false };
            // The smallest number of a branch is an integer, but a fraction is as usual.
            let fraction = "0.5".parse().ok().filter(|half| validator.accepts(*branch, half));
            for value in values.iter().chain(&fraction) {
                if branches.iter().filter(|other| validator.accepts(**other, value)).count() == 1 {
                    return false;
                }
            }
            count += values.len();
        }
        count > 0
    }

    /// A branch as a schema of its own; `None` if too much was copied.
    fn alone(&mut self, branch: NodeId) -> Option<Schema> {
        let source = self.schema.source();
        let own = source.pointer(&self.schema.node(branch).pointer)?.clone();
        let definitions = source.get("definitions").filter(|_| !self.schema.definitions().is_empty());
        let mut members = Object::new();
        members.push("allOf".to_owned(), Json::Array(vec![own]));
        if let Some(definitions) = definitions {
            members.push("definitions".to_owned(), definitions.clone());
        }
        let schema = Json::Object(members);
        self.copies = self.copies.checked_sub(schema.canonical().len())?;
        Schema::parse_silently(schema).ok()
    }
}

/// The empty places that have no empty part: those whose keywords are the cause. Of the places of a cycle of required
/// properties, which are parts of each other, only the first one.
fn innermost<'s>(schema: &'s Schema, empty: &HashSet<NodeId>) -> Vec<&'s Node> {
    let graph = Graph::new(schema);
    let vertices = graph.vertices();
    let is_empty = |vertex: &Vertex<'_>| empty.contains(&vertex.id);
    let mut explained = HashSet::new();
    for vertex in vertices.iter().filter(|vertex| is_empty(vertex)) {
        let parts = vertex.in_place.iter().chain(vertex.below.iter().map(|(_, part)| part));
        let mut others = parts.filter_map(|part| vertices.get(*part)).filter(|part| part.component != vertex.component);
        if others.any(is_empty) {
            explained.insert(vertex.component);
        }
    }
    let root = schema.resolve(schema.root());
    let causes = vertices.iter().filter(|vertex| is_empty(vertex) && vertex.id != root);
    let causes = causes.filter(|vertex| explained.insert(vertex.component)).map(|vertex| vertex.node);
    causes.filter(|node| !is_reported(schema, node)).collect()
}

/// Whether the loader has a warning about a keyword of the place, or below it.
fn is_reported(schema: &Schema, node: &Node) -> bool {
    let codes = [codes::ACCEPTS_NOTHING, codes::UNDECLARED_REQUIRED, codes::PATTERN_SLASHES];
    let is_below = |at: &str| at.strip_prefix(node.pointer.as_str()).is_some_and(|rest| rest.starts_with('/'));
    schema.warnings().iter().any(|warning| codes.contains(&warning.code) && is_below(&warning.pointer))
}

fn nothing(pointer: &str) -> Problem {
    let message = "no JSON value conforms to this schema, because its keywords exclude each other";
    Problem::new(codes::ACCEPTS_NOTHING, pointer.to_owned(), message)
        .label("accepts nothing")
        .help("correct the keywords; if there is never a value here, write the schema `false`")
}

fn of_everything(union: &Node, keyword: &str, index: usize) -> Problem {
    let pointer = format!("{}/{keyword}/{index}", union.pointer);
    let (message, help) = match keyword {
        "anyOf" => (
            "this branch accepts every value, so the whole `anyOf` does",
            "remove the other branches, or narrow this one",
        ),
        _ => (
            "this branch accepts every value, so the values of all other branches are rejected",
            "write `anyOf` if they are to be accepted, or narrow this branch",
        ),
    };
    Problem::new(codes::UNION_OF_EVERYTHING, pointer, message).label("accepts everything").help(help)
}

fn no_usual_branch(union: &Node) -> Problem {
    let message = "usual values match several branches of `oneOf`, so they are rejected";
    let help = "write `anyOf`, or distinguish the branches by a required property with a `const`";
    Problem::new(codes::NO_USUAL_BRANCH, format!("{}/oneOf", union.pointer), message)
        .at_key()
        .label("overlaps")
        .help(help)
}
