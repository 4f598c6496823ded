//! Contracts that grow: each shape has many parts of one kind, which random schemas do not have.

/// A kind of contract.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// The schema of the only request, with `n` parts.
    pub(crate) schema: fn(usize) -> String,
}

/// The text of a contract with `n` parts.
type Contract = Box<dyn Fn(usize) -> String>;

/// Every kind of contract, by name.
pub(crate) fn contracts() -> impl Iterator<Item = (&'static str, Contract)> {
    let one = |shape: &'static Shape| (shape.name, Box::new(|n| contract(&[(shape.schema)(n)])) as Contract);
    let combined = |n: usize| contract(&(0..n / 50).map(|capability| combined(capability, 20)).collect::<Vec<_>>());
    SHAPES.iter().map(one).chain([("n / 50 capabilities with 20 combined definitions", Box::new(combined) as Contract)])
}

pub(crate) const SHAPES: &[Shape] = &[
    Shape { name: "object with n optional properties", schema: |n| format!("{{{}}}", wide(n)) },
    Shape {
        name: "object with n required properties",
        schema: |n| format!(r#"{{{}, "required": [{}]}}"#, wide(n), list(n, |i| format!(r#""property{i}""#))),
    },
    Shape { name: "enum of n strings", schema: |n| format!(r#"{{"enum": [{}]}}"#, values(n)) },
    Shape {
        name: "n patterns",
        schema: |n| properties(n, |i| format!(r#"{{"type": "string", "pattern": "^x{i}(a{{5}}){{4}}$"}}"#)),
    },
    Shape {
        name: "n alternatives of a closed object",
        schema: |n| format!(r#"{{{}, "additionalProperties": false, "oneOf": [{}]}}"#, wide(n), list(n, required)),
    },
    Shape {
        name: "n tagged branches beside n properties",
        schema: |n| {
            let tag = |i| format!(r#"{{"properties": {{"kind": {{"const": "k{i}"}}}}, "required": ["kind"]}}"#);
            format!(r#"{{{}, "oneOf": [{}]}}"#, wide(n), list(n, tag))
        },
    },
    Shape {
        name: "n uses of a wide definition",
        schema: |n| {
            let merged = |i| format!(r##""a{i}": {{"allOf": [{{"$ref": "#/definitions/wide"}}, {}]}}"##, required(i));
            format!(r#"{{"properties": {{{}}}, "definitions": {{"wide": {{{}}}}}}}"#, list(n, merged), wide(n))
        },
    },
    Shape {
        name: "n uses of a long enum",
        schema: |n| {
            let listed =
                |i| format!(r##""a{i}": {{"allOf": [{{"$ref": "#/definitions/e"}}], "not": {{"const": "v{i}"}}}}"##);
            format!(r#"{{"properties": {{{}}}, "definitions": {{"e": {{"enum": [{}]}}}}}}"#, list(n, listed), values(n))
        },
    },
    Shape {
        name: "n tagged branches with a long enum",
        schema: |n| {
            let branch = |i| {
                let kind = format!(r#""kind": {{"const": "k{i}"}}"#);
                let listed = r##""e": {"$ref": "#/definitions/e"}"##;
                format!(r#"{{"type": "object", "properties": {{{kind}, {listed}}}, "required": ["kind"]}}"#)
            };
            format!(r#"{{"oneOf": [{}], "definitions": {{"e": {{"enum": [{}]}}}}}}"#, list(n, branch), values(n))
        },
    },
    Shape {
        name: "n ranges of the length of an array",
        schema: |n| {
            let range = |i: usize| format!(r#"{{"minItems": {}, "maxItems": {}}}"#, 2 * i, 2 * i + 1);
            let item = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
            format!(r#"{{"type": "array", "items": {item}, "oneOf": [{}]}}"#, list(n, range))
        },
    },
    Shape {
        name: "n recursive unions with siblings",
        schema: |n| {
            definitions(n, |i| {
                let to = (i + 1) % n;
                format!(
                    r##""value": {{"anyOf": [{{"$ref": "#/definitions/d{to}"}}, {{"type": "null"}}], "not": {{"type": "boolean"}}}}"##
                )
            })
        },
    },
    Shape { name: "ring of n definitions", schema: |n| definitions(n, |i| reference((i + 1) % n)) },
    Shape {
        name: "dense graph of n definitions",
        schema: |n| definitions(n, |i| [(i + 1) % n, (7 * i + 3) % n, (5 * i + 2) % n].map(reference).join(", ")),
    },
    Shape {
        name: "n objects below a name of 10 n bytes",
        schema: |n| {
            let object = |_| r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#.to_owned();
            format!(r#"{{"properties": {{"{}": {}}}}}"#, "k".repeat(10 * n), properties(n, object))
        },
    },
];

/// A contract with a capability for each schema.
pub(crate) fn contract(schemas: &[String]) -> String {
    let capability = |(i, schema)| format!(r#"{{"name": "c{i}", "inputSchema": {schema}}}"#);
    let capabilities: Vec<String> = schemas.iter().enumerate().map(capability).collect();
    format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{}]}}"#,
        capabilities.join(", ")
    )
}

/// `n` definitions, of which each property combines two. Other capabilities have other properties.
pub(crate) fn combined(capability: usize, n: usize) -> String {
    let both = |[a, b]: [usize; 2]| {
        let reference = |to| format!(r##"{{"$ref": "#/definitions/d{}"}}"##, to % n);
        format!(r#"{{"allOf": [{}, {}]}}"#, reference(a), reference(b))
    };
    definitions(n, |i| {
        let (a, b) = (both([i + 1, 3 * i + 2]), both([5 * i + 1, 7 * i + 2]));
        format!(r#""of{capability}x{i}": {{}}, "a": {a}, "b": {b}"#)
    })
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(", ")
}

fn properties(n: usize, schema: impl Fn(usize) -> String) -> String {
    format!(r#"{{"type": "object", "properties": {{{}}}}}"#, list(n, |i| format!(r#""property{i}": {}"#, schema(i))))
}

fn wide(n: usize) -> String {
    let object = properties(n, |_| r#"{"type": "string"}"#.to_owned());
    object.trim_start_matches('{').strip_suffix('}').unwrap_or_default().to_owned()
}

fn values(n: usize) -> String {
    list(n, |i| format!(r#""v{i}""#))
}

fn required(i: usize) -> String {
    format!(r#"{{"required": ["property{i}"]}}"#)
}

/// A property that refers to a definition.
fn reference(to: usize) -> String {
    format!(r##""p{to}": {{"$ref": "#/definitions/d{to}"}}"##)
}

fn definitions(n: usize, members: impl Fn(usize) -> String) -> String {
    let definition = |i| format!(r#""d{i}": {{"type": "object", "properties": {{"text{i}": {{}}, {}}}}}"#, members(i));
    format!(r##"{{"$ref": "#/definitions/d0", "definitions": {{{}}}}}"##, list(n, definition))
}
