//! A schema as functions that give its verdict.
//!
//! Each function is true of a value exactly where its subschema accepts it and nothing in it is nested too deep. A
//! variable is narrowed by one subschema only, as the compiler refuses to compare what it holds for impossible.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use capgen_schema::{Assertions, Kind, NodeId, Schema, Type, TypeSet};

use super::body::Body;
use super::graph::follow;
use super::helpers::Helper;
use super::output::Output;
use super::plan::{MAX_DEPTH, Plan};
use super::scalar::{self, Condition};

/// Blocks are nested no deeper.
const MAX_NESTING: usize = 10;
/// A condition that is longer stands in one place.
const MAX_REPEATED: usize = 120;

/// Prints the functions of one schema.
pub(super) struct Emitter<'s, 'o> {
    pub(super) schema: &'s Schema,
    pub(super) plan: Plan<'s>,
    pub(super) output: &'o mut Output,
    functions: HashMap<NodeId, String>,
    queue: VecDeque<NodeId>,
    /// Names of the maps that remember verdicts.
    pub(super) memories: Vec<String>,
}

/// How many arrays and objects are around a value: as many as a function was told, or none, and some more.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    pub(super) is_told: bool,
    pub(super) more: u32,
}

impl Depth {
    pub(super) fn below(self) -> Self {
        Depth { more: self.more + 1, ..self }
    }

    /// How many levels a value may have, as an expression.
    pub(super) fn levels(self) -> String {
        let levels = i64::from(MAX_DEPTH) - i64::from(self.more);
        if self.is_told { format!("{levels} - depth") } else { levels.to_string() }
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_told, self.more) {
            (true, 0) => f.write_str("depth"),
            (true, more) => write!(f, "depth + {more}"),
            (false, more) => write!(f, "{more}"),
        }
    }
}

impl<'s, 'o> Emitter<'s, 'o> {
    pub(super) fn new(schema: &'s Schema, output: &'o mut Output) -> Self {
        let plan = Plan::new(schema);
        Emitter { schema, plan, output, functions: HashMap::new(), queue: VecDeque::new(), memories: Vec::new() }
    }

    /// Prints everything; gives the verdict on `value` as an expression.
    pub(super) fn run(&mut self) -> String {
        let root = self.call(self.schema.root(), "value", Depth { is_told: false, more: 0 });
        while let Some(id) = self.queue.pop_front() {
            self.print(id);
        }
        root
    }

    fn print(&mut self, id: NodeId) {
        let Some(name) = self.functions.get(&id).cloned() else { return };
        let mut body = Body::new();
        let depth = Depth { is_told: self.plan.is_deep, more: 0 };
        self.inline(&mut body, id, "value", depth);
        if self.plan.memory.contains(&id) {
            let decide = self.output.fresh("decide");
            self.print_function(&decide, "Json", &body.finish());
            let memory = self.output.memory();
            let told = if self.plan.is_deep { ", depth" } else { "" };
            let text = format!(
                "\n  let verdict = {memory}.get(value);\n  if (verdict === undefined) {{\n    verdict = {decide}(value{told});\n    \
                 {memory}.set(value, verdict);\n  }}\n  return verdict;"
            );
            self.memories.push(memory);
            self.print_function(&name, "Json", &text);
        } else {
            self.print_function(&name, "Json", &body.finish());
        }
    }

    pub(super) fn print_function(&mut self, name: &str, ty: &str, statements: &str) {
        let value = self.output.typed(if ty == "Dict" { ": Dict" } else { ": Json" });
        let verdict = self.output.typed(": boolean");
        let depth = match self.plan.is_deep {
            true => format!(", depth{}", self.output.typed(": number")),
            false => String::new(),
        };
        self.output.function(name, format!("function {name}(value{value}{depth}){verdict} {{{statements}\n}}\n"));
    }

    /// The verdict on a value by a function of its own.
    pub(super) fn call(&mut self, id: NodeId, v: &str, depth: Depth) -> String {
        let id = follow(self.schema, id);
        let name = match self.functions.get(&id) {
            Some(name) => name.clone(),
            None => {
                let name = self.output.fresh("check");
                self.functions.insert(id, name.clone());
                self.queue.push_back(id);
                name
            }
        };
        self.call_named(&name, v, depth)
    }

    pub(super) fn call_named(&self, name: &str, v: &str, depth: Depth) -> String {
        if self.plan.is_deep { format!("{name}({v}, {depth})") } else { format!("{name}({v})") }
    }

    /// Asks that the subschema holds for a variable that nothing has narrowed.
    pub(super) fn place(&mut self, body: &mut Body, id: NodeId, v: &str, depth: Depth) {
        match self.simple(id, v, depth) {
            Some(condition) => require(body, condition),
            None if self.plan.is_function(id) || body.nesting() > MAX_NESTING => {
                let call = self.call(id, v, depth);
                body.require(call);
            }
            None => self.inline(body, follow(self.schema, id), v, depth),
        }
    }

    /// The condition that a subschema is, where that takes no statements.
    pub(super) fn simple(&mut self, id: NodeId, v: &str, depth: Depth) -> Option<Condition> {
        let schema = self.schema;
        let a = match &schema.node(follow(schema, id)).kind {
            Kind::Assertions(a) => a,
            Kind::Bool(false) => return Some(Condition::Never),
            Kind::Bool(true) | Kind::Ref(_) => return Some(self.anything(v, depth)),
        };
        let types = a.types.unwrap_or(TypeSet::ALL);
        if has_applicators(a) || asks_arrays(a, types) || asks_objects(a, types) {
            return None;
        }
        let condition = self.own(a, v, depth);
        let is_long = matches!(&condition, Condition::When(text) if text.len() > MAX_REPEATED);
        if is_long && self.plan.is_function(id) { None } else { Some(condition) }
    }

    /// What a schema says without other schemas and the keywords of arrays and objects.
    fn own(&mut self, a: &Assertions, v: &str, depth: Depth) -> Condition {
        if let Some(values) = scalar::listed(a) {
            return scalar::listing(self.output, a, &values, v);
        }
        let Some(types) = a.types else {
            let mut conditions = scalar::implications(self.output, a, v);
            if let Condition::When(condition) = self.anything(v, depth) {
                conditions.push(condition);
            }
            return if conditions.is_empty() { Condition::Always } else { Condition::When(conditions.join(" && ")) };
        };
        let mut terms = scalar::alternatives(self.output, a, types, v);
        let walk = match self.anything(v, depth) {
            Condition::When(walk) => format!(" && {walk}"),
            _ => String::new(),
        };
        if types.contains(Type::Array) {
            terms.push(format!("Array.isArray({v}){walk}"));
        }
        if types.contains(Type::Object) {
            terms.push(format!("{}{walk}", self.is_object(v, None)));
        }
        scalar::any(terms)
    }

    /// That a value of which nothing is known is not too deep.
    pub(super) fn anything(&mut self, v: &str, depth: Depth) -> Condition {
        if !self.plan.is_deep {
            return Condition::Always;
        }
        Condition::When(format!("{}({v}, {})", Helper::Shallow.name(), depth.levels()))
    }

    /// The test for an object, at a depth where that matters.
    pub(super) fn is_object(&mut self, v: &str, depth: Option<Depth>) -> String {
        let plain = Helper::Plain.name();
        let guard = depth.map(|depth| self.guard(depth)).unwrap_or_default();
        format!(
            "typeof {v} === \"object\" && {v} !== null && !Array.isArray({v}) && \
             ({v}.constructor === Object || {plain}({v})){guard}"
        )
    }

    /// That an array or object may stand at a depth.
    fn guard(&self, depth: Depth) -> String {
        if !self.plan.is_guarded {
            String::new()
        } else if depth.is_told {
            format!(" && depth < {}", i64::from(MAX_DEPTH) - i64::from(depth.more))
        } else {
            String::new()
        }
    }

    fn inline(&mut self, body: &mut Body, id: NodeId, v: &str, depth: Depth) {
        let schema = self.schema;
        let a = match &schema.node(id).kind {
            Kind::Assertions(a) => a,
            Kind::Bool(false) => return body.refuse(),
            Kind::Bool(true) | Kind::Ref(_) => return require(body, self.anything(v, depth)),
        };
        let types = a.types.unwrap_or(TypeSet::ALL);
        let is_covered = is_covered(a);
        let is_pristine = !has_own(a);
        let mut is_object = false;
        match scalar::listed(a) {
            Some(values) if values.iter().all(|value| value.as_array().is_none() && value.as_object().is_none()) => {
                require(body, scalar::listing(self.output, a, &values, v));
            }
            listed => {
                if let Some(values) = listed {
                    require(body, scalar::listing(self.output, a, &values, v));
                }
                let only = |t: Type| types == TypeSet::EMPTY.with(t);
                if is_pristine {
                    if !is_covered {
                        require(body, self.anything(v, depth));
                    }
                } else if only(Type::Object) {
                    is_object = true;
                    let test = self.is_object(v, Some(depth));
                    body.require(test);
                    self.object(body, a, v, depth, None);
                } else if only(Type::Array) {
                    body.require(format!("Array.isArray({v}){}", self.guard(depth)));
                    self.array(body, a, v, depth);
                } else {
                    self.chain(body, a, types, v, depth);
                }
            }
        }
        self.applicators(body, a, v, depth, is_pristine, is_object);
    }

    /// Values of several types: each in its own block.
    fn chain(&mut self, body: &mut Body, a: &Assertions, types: TypeSet, v: &str, depth: Depth) {
        let mut blocks: Vec<(String, bool)> = Vec::new();
        let object_asks = asks_objects(a, types) || (self.plan.is_deep && !is_covered(a));
        let array_asks = asks_arrays(a, types) || (self.plan.is_deep && !is_covered(a));
        if types.contains(Type::Object) && object_asks {
            blocks.push((self.is_object(v, None), true));
        }
        if types.contains(Type::Array) && array_asks {
            blocks.push((format!("Array.isArray({v})"), false));
        }
        for (index, (test, is_object)) in blocks.iter().enumerate() {
            if index == 0 {
                body.open(&format!("if ({test})"))
            } else {
                body.turn(&format!("else if ({test})"))
            }
            let guard = self.guard(depth);
            if let Some(guard) = guard.strip_prefix(" && ") {
                body.require(guard);
            }
            if *is_object { self.object(body, a, v, depth, None) } else { self.array(body, a, v, depth) }
        }
        let rest = match a.types {
            None => scalar::implications(self.output, a, v),
            Some(_) => {
                let mut terms = scalar::alternatives(self.output, a, types, v);
                if types.contains(Type::Array) && !array_asks {
                    terms.push(format!("Array.isArray({v})"));
                }
                if types.contains(Type::Object) && !object_asks {
                    terms.push(self.is_object(v, None));
                }
                match scalar::any(terms) {
                    Condition::When(condition) => vec![condition],
                    _ => vec!["false".to_owned()],
                }
            }
        };
        match (blocks.is_empty(), rest.is_empty()) {
            (true, _) => rest.into_iter().for_each(|condition| body.require(condition)),
            (false, true) => body.close(),
            (false, false) => body.turn_to_condition(&rest.join(" && ")),
        }
    }
}

/// Asks for a condition.
pub(super) fn require(body: &mut Body, condition: Condition) {
    match condition {
        Condition::Always => {}
        Condition::Never => body.refuse(),
        Condition::When(condition) => body.require(condition),
    }
}

/// Whether other schemas apply to the same place.
fn has_applicators(a: &Assertions) -> bool {
    a.all_of.is_some() || a.any_of.is_some() || a.one_of.is_some() || a.not.is_some()
}

/// Whether what the schema applies to the same place sees to it that nothing is too deep.
pub(super) fn is_covered(a: &Assertions) -> bool {
    [&a.all_of, &a.any_of, &a.one_of].into_iter().flatten().any(|branches| !branches.is_empty())
}

/// Whether anything is asserted but by other schemas for the same place.
fn has_own(a: &Assertions) -> bool {
    a.keywords().any(|keyword| !matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not"))
}

fn asks_arrays(a: &Assertions, types: TypeSet) -> bool {
    let asks = a.items.is_some() || a.min_items.is_some() || a.max_items.is_some() || a.unique_items;
    asks && types.contains(Type::Array)
}

fn asks_objects(a: &Assertions, types: TypeSet) -> bool {
    let asks = !a.properties.is_empty() || !a.required.is_empty() || a.additional_properties.is_some();
    asks && types.contains(Type::Object)
}
