//! A schema as functions that give its verdict.
//!
//! Each function is true of a value exactly where its subschema accepts it and nothing in it is nested too deep. Its body is
//! one expression: the members of the value at level 1, theirs at level 2, and so on, each level with one variable.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use capgen_schema::{Assertions, Kind, NodeId, Schema, Type, TypeSet};

use super::expr::{Expr, all, any, atom};
use super::helpers::Helper;
use super::layout::new_line;
use super::output::{Output, identifiers};
use super::plan::{MAX_DEPTH, Plan};
use super::scalar;

/// A function looks no further into a value.
const MAX_LEVEL: usize = 6;
/// Subschemas are written into each other no deeper.
const MAX_NESTING: usize = 24;
/// A longer condition stands in one place.
const MAX_REPEATED: usize = 60;

/// Prints the functions of one schema.
pub(super) struct Emitter<'s, 'o> {
    pub(super) schema: &'s Schema,
    pub(super) plan: Plan<'s>,
    pub(super) output: &'o mut Output,
    functions: HashMap<NodeId, String>,
    queue: VecDeque<NodeId>,
    nesting: usize,
    /// Names of the maps that remember verdicts.
    memories: Vec<String>,
}

/// A value that is looked at: the variable that holds it, and where it is.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) v: String,
    /// How many values of the function are around it.
    pub(super) level: usize,
    pub(super) depth: Depth,
    /// The types that it may have, after what has been tested.
    known: TypeSet,
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

impl Place {
    /// What a function is given.
    pub(super) fn given(v: &str, depth: Depth) -> Self {
        Place { v: v.to_owned(), level: 0, depth, known: TypeSet::ALL }
    }

    /// A member of it.
    pub(super) fn member(&self) -> Self {
        let level = self.level + 1;
        Place { v: format!("value{level}"), level, depth: self.depth.below(), known: TypeSet::ALL }
    }
}

impl<'s, 'o> Emitter<'s, 'o> {
    pub(super) fn new(schema: &'s Schema, output: &'o mut Output) -> Self {
        let plan = Plan::new(schema);
        let (functions, queue, memories) = (HashMap::new(), VecDeque::new(), Vec::new());
        Emitter { schema, plan, output, functions, queue, nesting: 0, memories }
    }

    /// Prints everything; gives the statements that return the verdict on `value`.
    pub(super) fn run(&mut self) -> String {
        let root = self.expr(self.schema.root(), &Place::given("value", Depth { is_told: false, more: 0 }));
        while let Some(id) = self.queue.pop_front() {
            self.print(id);
        }
        if self.memories.is_empty() {
            return self.body(&root);
        }
        let clear: String = self.memories.iter().map(|memory| format!("\n  {memory}.clear();")).collect();
        let body = self.body(&root).replacen("return ", "const verdict = ", 1);
        format!("{body}{clear}\n  return verdict;")
    }

    fn print(&mut self, id: NodeId) {
        let Some(name) = self.functions.get(&id).cloned() else { return };
        let depth = Depth { is_told: self.plan.is_deep, more: 0 };
        let verdict = self.inline(id, &Place::given("value", depth));
        let body = self.body(&verdict);
        if !self.plan.memory.contains(&id) {
            return self.print_function(&name, depth, &body);
        }
        let decide = self.output.fresh("decide");
        self.print_function(&decide, depth, &body);
        let memory = self.output.memory();
        let decided = self.call_named(&decide, &Place::given("value", depth)).flat();
        let known = format!(
            "\n  let verdict = {memory}.get(value);\n  if (verdict === undefined) {memory}.set(value, (verdict = {decided}));\n  \
             return verdict;"
        );
        self.memories.push(memory);
        self.print_function(&name, depth, &known);
    }

    /// The statements that return what an expression says.
    pub(super) fn body(&self, expr: &Expr) -> String {
        let mut body = String::new();
        let (counter, expr) = expr.clone().without_counter();
        self.declare(&mut body, &expr, counter);
        new_line(&mut body, 2);
        body.push_str("return ");
        expr.write(&mut body, 10, 2);
        body.push(';');
        body
    }

    /// The statements that check each `item` of a loop.
    pub(super) fn each(&self, head: &str, first: &str, expr: &Expr) -> String {
        let mut body = String::new();
        self.declare(&mut body, expr, None);
        body.push_str(&format!("\n  for ({head}) {{{first}\n    if (!"));
        let mut text = String::new();
        expr.write(&mut text, 10, 4);
        body.push_str(&if text.starts_with("(\n") { text } else { expr.operand_of_not() });
        body.push_str(") return false;\n  }\n  return true;");
        body
    }

    /// Declares the variables of an expression; one of them may have a value.
    fn declare(&self, body: &mut String, expr: &Expr, value: Option<(String, String)>) {
        let flat = expr.flat();
        let mut names: Vec<&str> = Vec::new();
        for name in identifiers(&flat) {
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
            if stem.len() < name.len() && matches!(stem, "value" | "size" | "tag") && !names.contains(&name) {
                names.push(name);
            }
        }
        // In the same order everywhere, so that what is alike reads alike once names are shortened.
        names.sort_unstable_by_key(|name| order(name));
        if !names.is_empty() {
            let of = |name: &str| value.iter().find(|(n, _)| n == name).map(|(_, value)| format!(" = {value}"));
            let declared =
                |name: &&str| format!("{name}{}{}", self.output.typed(": any"), of(name).unwrap_or_default());
            let names: Vec<String> = names.iter().map(declared).collect();
            body.push_str(&format!("\n  let {};", names.join(", ")));
        }
    }

    pub(super) fn print_function(&mut self, name: &str, depth: Depth, statements: &str) {
        let text = self.function_text(depth, statements);
        self.output.function(name, format!("function {name}{text}"));
    }

    /// The name of a function, which others with the same statements share.
    pub(super) fn shared_function(&mut self, depth: Depth, statements: &str) -> String {
        let text = self.function_text(depth, statements);
        self.output.shared_function("check", &text)
    }

    fn function_text(&self, depth: Depth, statements: &str) -> String {
        let value = self.output.typed(": any");
        let verdict = self.output.typed(": boolean");
        let is_used = identifiers(statements).any(|name| name == "depth");
        let parameter = if is_used { "depth" } else { "_depth" };
        let depth =
            if depth.is_told { format!(", {parameter}{}", self.output.typed(": number")) } else { String::new() };
        format!("(value{value}{depth}){verdict} {{{statements}\n}}\n")
    }

    /// The verdict on a value by a function of its own.
    fn call(&mut self, id: NodeId, place: &Place) -> Expr {
        let name = match self.functions.get(&id) {
            Some(name) => name.clone(),
            None => {
                let name = self.output.fresh("check");
                self.functions.insert(id, name.clone());
                self.queue.push_back(id);
                name
            }
        };
        let depth = if self.plan.is_deep { format!(", {}", place.depth) } else { String::new() };
        atom(format!("{name}({}{depth})", place.v))
    }

    /// The verdict of a function that is told as much as the one around it.
    pub(super) fn call_named(&self, name: &str, place: &Place) -> Expr {
        atom(if place.depth.is_told { format!("{name}({}, depth)", place.v) } else { format!("{name}({})", place.v) })
    }

    /// The verdict of a subschema on a value.
    pub(super) fn expr(&mut self, id: NodeId, place: &Place) -> Expr {
        let id = self.schema.resolve(id);
        if self.plan.is_function(id) {
            let simple = self.is_simple(id).then(|| self.inline(id, place)).filter(|e| e.flat().len() <= MAX_REPEATED);
            return simple.unwrap_or_else(|| self.call(id, place));
        }
        if (place.level >= MAX_LEVEL || self.nesting >= MAX_NESTING) && !self.is_simple(id) {
            return self.call(id, place);
        }
        self.nesting += 1;
        let expr = self.inline(id, place);
        self.nesting -= 1;
        expr
    }

    /// Whether a subschema is not about members, items or other schemas.
    fn is_simple(&self, id: NodeId) -> bool {
        match &self.schema.node(id).kind {
            Kind::Assertions(a) => {
                let types = a.types.unwrap_or(TypeSet::ALL);
                let applies = a.all_of.is_some() || a.any_of.is_some() || a.one_of.is_some() || a.not.is_some();
                !applies && !asks_arrays(a, types) && !asks_objects(a, types)
            }
            _ => true,
        }
    }

    /// That a value of which nothing is known is not too deep.
    pub(super) fn anything(&self, place: &Place) -> Expr {
        let is_scalar = !place.known.contains(Type::Array) && !place.known.contains(Type::Object);
        if !self.plan.is_deep || is_scalar {
            return Expr::True;
        }
        atom(format!("{}({}, {})", Helper::Shallow.name(), place.v, place.depth.levels()))
    }

    /// That an array or object may stand at a depth.
    fn guard(&self, depth: Depth) -> Expr {
        if !self.plan.is_guarded || !depth.is_told {
            return Expr::True;
        }
        atom(format!("depth < {}", i64::from(MAX_DEPTH) - i64::from(depth.more)))
    }

    fn inline(&mut self, id: NodeId, place: &Place) -> Expr {
        let schema = self.schema;
        let a = match &schema.node(id).kind {
            Kind::Assertions(a) => a,
            Kind::Bool(false) => return Expr::False,
            Kind::Bool(true) | Kind::Ref(_) => return self.anything(place),
        };
        let types = a.types.unwrap_or(TypeSet::ALL);
        let tested = Place { known: place.known.intersection(types), ..place.clone() };
        let applied = self.applicators(a, &tested);
        if applied.is_empty() {
            return all(self.own(a, place));
        }
        let own = all(self.own(a, place));
        let is_apart = narrows(&own, &place.v) && applied.iter().any(|expr| asks_what(expr, &place.v));
        let own = if is_apart { self.apart(a, place) } else { own };
        all(std::iter::once(own).chain(applied))
    }

    /// What a schema says without other schemas for the same place, by a function of its own.
    fn apart(&mut self, a: &Assertions, place: &Place) -> Expr {
        let expr = all(self.own(a, &Place::given("value", place.depth)));
        let statements = self.body(&expr);
        let name = self.shared_function(place.depth, &statements);
        self.call_named(&name, place)
    }

    /// The verdict of a subschema on a value that others may be asked about too: the compiler would take what one tests for the
    /// type that the other sees.
    pub(super) fn applied(&mut self, id: NodeId, place: &Place, is_alone: bool) -> Expr {
        let expr = self.expr(id, place);
        if !is_alone && narrows(&expr, &place.v) { self.call(self.schema.resolve(id), place) } else { expr }
    }

    /// What a schema says without other schemas for the same place.
    fn own(&mut self, a: &Assertions, place: &Place) -> Vec<Expr> {
        let types = a.types.unwrap_or(TypeSet::ALL);
        let mut terms = Vec::new();
        let listed = scalar::listed(a);
        if let Some(values) = &listed {
            terms.push(scalar::listing(self.output, a, values, &place.v));
        }
        let is_settled = listed.is_some_and(|values| values.iter().all(|value| scalar::is_scalar(value)));
        if !is_settled && has_own(a) {
            terms.extend(if a.types.is_some() { vec![self.typed(a, types, place)] } else { self.untyped(a, place) });
        } else if !is_settled && !is_covered(a) {
            terms.push(self.anything(place));
        }
        terms
    }

    /// That a value has one of the types, and meets what is asked of that type.
    fn typed(&mut self, a: &Assertions, types: TypeSet, place: &Place) -> Expr {
        let mut terms = Vec::new();
        if types.contains(Type::Object) {
            let (test, members) = self.object(a, place);
            terms.push(all([test, self.guard(place.depth), members]));
        }
        if types.contains(Type::Array) {
            let items = self.array(a, place);
            terms.push(all([atom(format!("Array.isArray({})", place.v)), self.guard(place.depth), items]));
        }
        terms.extend(scalar::alternatives(self.output, a, types, &place.v));
        any(terms)
    }

    /// What a schema of every type asks of each.
    fn untyped(&mut self, a: &Assertions, place: &Place) -> Vec<Expr> {
        if place.known == TypeSet::EMPTY.with(Type::String) {
            return vec![scalar::on_text(self.output, a, &place.v)];
        }
        if place.known == TypeSet::EMPTY.with(Type::Object) {
            return vec![self.object(a, place).1];
        }
        let mut terms = scalar::implications(self.output, a, &place.v);
        let walks = self.plan.is_deep && !is_covered(a);
        let asks_objects = asks_objects(a, TypeSet::ALL);
        let asks_arrays = asks_arrays(a, TypeSet::ALL);
        if walks && !asks_objects && !asks_arrays {
            terms.push(self.anything(place));
            return terms;
        }
        if asks_objects || walks {
            let (test, members) = self.object(a, place);
            terms.push(any([atom(format!("!{}", test.operand())), all([self.guard(place.depth), members])]));
        }
        if asks_arrays || walks {
            let items = self.array(a, place);
            let is_none = atom(format!("!Array.isArray({})", place.v));
            terms.push(any([is_none, all([self.guard(place.depth), items])]));
        }
        terms
    }
}

/// Where a variable stands among others.
fn order(name: &str) -> (usize, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (["value", "size", "tag"].iter().position(|first| *first == stem).unwrap_or(0), name)
}

/// Whether the compiler takes a test in an expression for the type of `v`.
fn narrows(expr: &Expr, v: &str) -> bool {
    let flat = expr.flat();
    flat.contains(&format!("typeof {v} ")) || flat.contains(&format!("Array.isArray({v})"))
}

/// Whether an expression tests what `v` is.
fn asks_what(expr: &Expr, v: &str) -> bool {
    let flat = expr.flat();
    let tests = [" ===", " !==", "?.constructor ==="];
    narrows(expr, v) || tests.iter().any(|test| flat.contains(&format!("{v}{test}")))
}

/// Whether what the schema applies to the same place sees to it that nothing is too deep.
pub(super) fn is_covered(a: &Assertions) -> bool {
    [&a.all_of, &a.any_of, &a.one_of].into_iter().flatten().any(|branches| !branches.is_empty())
}

/// Whether anything is asserted but by other schemas for the same place.
fn has_own(a: &Assertions) -> bool {
    a.keywords().any(|keyword| !matches!(keyword, "allOf" | "anyOf" | "oneOf" | "not" | "enum" | "const"))
}

fn asks_arrays(a: &Assertions, types: TypeSet) -> bool {
    let asks = a.items.is_some() || a.min_items.is_some() || a.max_items.is_some() || a.unique_items;
    asks && types.contains(Type::Array)
}

fn asks_objects(a: &Assertions, types: TypeSet) -> bool {
    let asks = !a.properties.is_empty() || !a.required.is_empty() || a.additional_properties.is_some();
    asks && types.contains(Type::Object)
}
