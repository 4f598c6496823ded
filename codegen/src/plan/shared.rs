//! The functions and constants that the validators of a file share.

use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Pattern};

use super::Style;
use super::test::{Call, ConstantId, Count, FunctionId, Test};

/// The purpose of a function or constant, with which its name begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stem {
    /// Tests a value.
    Check,
    /// Tests a value for a function that remembers the result.
    Decide,
    Pattern,
    /// A set of scalars.
    Set,
    /// A set of names of properties.
    Names,
    /// Values of which at least one is an array or object.
    Literals,
    Memory,
}

/// A function that gets a value and, if it needs it, its depth.
#[derive(Debug)]
pub(crate) struct Function<'m> {
    pub(crate) id: FunctionId,
    pub(crate) has_depth: bool,
    pub(crate) body: Body<'m>,
}

/// The result of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Body<'m> {
    /// Whether a test is true.
    Test(Test<'m>),
    /// How many tests are true.
    Count(Count<'m>),
    /// Whether the test is true for each item of an array.
    EachItem(Test<'m>),
    /// Whether the test is true for an item of an array.
    SomeItem(Test<'m>),
    /// Whether the tests are true for the first items of an array, as many as there are of both, and `rest` is true for
    /// each item after them.
    Tuple { positions: Vec<Test<'m>>, rest: Test<'m> },
    /// Whether the test is true for each member of an object that is not declared.
    EachMember { declared: Declared<'m>, test: Test<'m> },
    /// Whether the test is true for the name of each member of an object.
    EachName(Test<'m>),
    /// The result of the call, which is remembered for each value.
    Remember { memory: ConstantId, decide: Call },
}

/// The names of declared properties.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Declared<'m> {
    /// So few that they are compared one by one.
    Few(Vec<&'m str>),
    /// In a constant set.
    Set(ConstantId),
}

/// A constant.
#[derive(Debug)]
pub(crate) enum Constant<'m> {
    Pattern(&'m Pattern),
    /// A set of scalars.
    Set(Vec<&'m Json>),
    /// A set of names.
    Names(Vec<&'m str>),
    /// Arrays and objects, which are compared by their content.
    Literals(Vec<&'m Json>),
    /// A map from values to verdicts, empty at first.
    Memory,
}

/// The functions and constants of a file. Equal ones are shared.
pub(crate) struct Shared<'m> {
    style: &'m dyn Style,
    /// In the order in which they were finished.
    functions: Vec<Function<'m>>,
    function_names: Vec<String>,
    constants: Vec<Constant<'m>>,
    constant_names: Vec<String>,
    /// Constants by their texts, and functions by their parameters and bodies.
    known_constants: HashMap<(Stem, String), ConstantId>,
    known_functions: HashMap<(bool, Body<'m>), FunctionId>,
    /// The type, definition or property to which the next functions and constants belong. It is a part of their names,
    /// so that a change elsewhere in the contract does not rename them.
    subject: &'m str,
    namer: Namer,
}

/// Assigns names that are unique in a file.
#[derive(Default)]
pub(crate) struct Namer {
    /// How many names begin with a text.
    counts: HashMap<String, usize>,
    names: HashSet<String>,
}

impl Namer {
    /// The name, with a number if it is taken: `check_lineItems`, `check_lineItems2`.
    pub(crate) fn fresh(&mut self, first: String) -> String {
        let count = self.counts.entry(first.clone()).or_default();
        loop {
            *count += 1;
            let name = if *count == 1 { first.clone() } else { format!("{first}{count}") };
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl<'m> Shared<'m> {
    pub(super) fn new(style: &'m dyn Style) -> Self {
        Self {
            style,
            functions: Vec::new(),
            function_names: Vec::new(),
            constants: Vec::new(),
            constant_names: Vec::new(),
            known_constants: HashMap::new(),
            known_functions: HashMap::new(),
            subject: "",
            namer: Namer::default(),
        }
    }

    /// The functions, in the order in which they were finished.
    pub(crate) fn functions(&self) -> &[Function<'m>] {
        &self.functions
    }

    /// The constants with their names, in the order in which they were made.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (&str, &Constant<'m>)> {
        self.constant_names.iter().map(String::as_str).zip(&self.constants)
    }

    pub(crate) fn function_name(&self, id: FunctionId) -> &str {
        self.function_names.get(id.0).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn constant_name(&self, id: ConstantId) -> &str {
        self.constant_names.get(id.0).map(String::as_str).unwrap_or_default()
    }

    pub(super) fn style(&self) -> &'m dyn Style {
        self.style
    }

    /// Sets the subject to the name of a type, definition or property, and returns the previous one.
    pub(super) fn enter(&mut self, subject: &'m str) -> &'m str {
        std::mem::replace(&mut self.subject, subject)
    }

    pub(super) fn subject(&self) -> &'m str {
        self.subject
    }

    fn fresh(&mut self, stem: Stem) -> String {
        self.namer.fresh(self.style.name(stem, self.subject))
    }

    /// A function whose body follows later, by [`define`](Self::define).
    pub(super) fn declare(&mut self, stem: Stem) -> FunctionId {
        let name = self.fresh(stem);
        self.function_names.push(name);
        FunctionId(self.function_names.len() - 1)
    }

    pub(super) fn define(&mut self, id: FunctionId, has_depth: bool, body: Body<'m>) {
        self.functions.push(Function { id, has_depth, body });
    }

    /// The function with this parameter and body, which equal checks share.
    pub(super) fn function(&mut self, has_depth: bool, body: Body<'m>) -> FunctionId {
        let key = (has_depth, body);
        if let Some(id) = self.known_functions.get(&key) {
            return *id;
        }
        let id = self.declare(Stem::Check);
        self.define(id, has_depth, key.1.clone());
        self.known_functions.insert(key, id);
        id
    }

    pub(super) fn pattern(&mut self, pattern: &'m Pattern) -> ConstantId {
        self.constant(Stem::Pattern, pattern.source().to_owned(), Constant::Pattern(pattern))
    }

    pub(super) fn set(&mut self, values: Vec<&'m Json>) -> ConstantId {
        self.constant(Stem::Set, text(&values), Constant::Set(values))
    }

    pub(super) fn names(&mut self, names: Vec<&'m str>) -> ConstantId {
        let values = names.iter().map(|name| Json::String((*name).to_owned())).collect();
        self.constant(Stem::Names, Json::Array(values).canonical(), Constant::Names(names))
    }

    pub(super) fn literals(&mut self, values: Vec<&'m Json>) -> ConstantId {
        self.constant(Stem::Literals, text(&values), Constant::Literals(values))
    }

    /// A new memory.
    pub(super) fn memory(&mut self) -> ConstantId {
        self.add(Stem::Memory, Constant::Memory)
    }

    fn constant(&mut self, stem: Stem, text: String, constant: Constant<'m>) -> ConstantId {
        let key = (stem, text);
        if let Some(id) = self.known_constants.get(&key) {
            return *id;
        }
        let id = self.add(stem, constant);
        self.known_constants.insert(key, id);
        id
    }

    fn add(&mut self, stem: Stem, constant: Constant<'m>) -> ConstantId {
        let name = self.fresh(stem);
        self.constant_names.push(name);
        self.constants.push(constant);
        ConstantId(self.constants.len() - 1)
    }
}

/// The canonical texts of values. Each ends with a character that no canonical text contains outside of a string.
fn text(values: &[&Json]) -> String {
    values.iter().flat_map(|value| [value.canonical(), "\n".to_owned()]).collect()
}
