//! From a foreign JSON Schema to one of the subset that says the same.

mod annotation;
mod array;
mod condition;
mod dialect;
mod format;
mod number;
mod object;
mod pattern;
mod target;
mod tree;
mod walk;

use std::collections::{HashMap, HashSet};

use dialect::Dialect;
use target::{TargetId, Targets};
use tree::{Body, Node, Origin, Value};
use walk::Walk;

use crate::{Json, Object, Problem, Schema, Severity, pointer};

/// How many subschemas may be written twice, where one place of the input becomes several.
const COPIES: usize = 4096;

/// Bytes of pointers that are kept to tell where in the input a problem of the output comes from.
const POINTER_BUDGET: usize = 64 << 20;

/// Brings a JSON Schema of another dialect into the subset without losing meaning.
///
/// Reads drafts 4 to 2020-12 and the schemas of OpenAPI 3.0 and 3.1, `schemars`' output among them. The dialect is that of
/// `$schema`; without it, draft 2020-12 where the root has `$defs`, and otherwise draft-07. For every payload the output says
/// what the input says, where formats assert, and where a keyword of another draft than `$schema` names means what that draft
/// says: whoever writes it means it. A schema of the subset comes back equal, but for definitions that nothing
/// refers to, and a sole branch of `allOf` that stands alone. What comes out loads, and comes back equal a second time.
///
/// | input | output |
/// |---|---|
/// | `format`: `int8` to `int128`, `int`, `uint8` to `uint128`, `uint`, beside `type: integer` | `minimum` and `maximum`; tighter bounds stay |
/// | `format`: `float`, `double`, `password` | dropped: they assert nothing |
/// | `format`: `ipv4`, `ipv6`, `ip`, `date` | a `pattern` that accepts the same; `date` is RFC 3339's, with leap years |
/// | `$defs`, `components/schemas`, nested `definitions` | the root's `definitions`, as far as references lead there |
/// | `$ref` to `#`, to any other place, to an anchor | a definition; where its name is taken, with a suffix that its pointer decides |
/// | `$ref` beside assertions, from draft 2019-09 on | `allOf` |
/// | `allOf` of one branch, with annotations alone beside it | the branch itself |
/// | `nullable: true` beside `type` | `null` in `type` |
/// | `exclusiveMinimum: true` (draft-04) | the bound itself |
/// | tuples of one schema | `items`, and `maxItems` where nothing may follow |
/// | `additionalItems`, `unevaluatedItems`, `unevaluatedProperties` | dropped, or `items` or `additionalProperties`, where that says the same |
/// | `patternProperties` for every name | `additionalProperties`; `^.*$` counts, whatever it says of names that hold a line break |
/// | `patternProperties` with `^(a\|b)$`, `propertyNames` with `enum` or `const` | `properties` |
/// | `propertyNames` that accepts every string | dropped |
/// | `minProperties: 1`, `maxProperties: 0`, `contains` | `not` or `additionalProperties` that say it; dropped where other keywords say it |
/// | `multipleOf: 1` | `type: integer` |
/// | `dependencies`, `dependentRequired`, `dependentSchemas`, `if` | `not`, where they only ask for names; otherwise `anyOf` |
/// | escapes in a `pattern` that ECMA-262 refuses, such as `\-` | the character |
/// | `deprecated: true` | `Deprecated.` at the end of `description` |
/// | `example` | `examples` |
/// | `discriminator`, `readOnly`, `writeOnly`, `contentMediaType` and the like, `x-...` | dropped: they assert nothing |
///
/// Everything else is refused: tuples of several schemas, names that a pattern constrains (maps with integer keys), other
/// formats, unknown keywords.
///
/// Takes time linear in the size of `source`, but for at most 4096 subschemas that are written twice, and sorting.
///
/// # Errors
/// Up to 1000 problems, each with a pointer into `source`, sorted by it.
///
/// ```
/// use capgen_schema::{Json, codes, normalise};
/// let byte = serde_json::json!({"type": ["integer", "null"], "format": "uint8", "minimum": 1});
/// let output = serde_json::json!({"type": ["integer", "null"], "minimum": 1, "maximum": 255});
/// assert_eq!(normalise(&Json::try_from(&byte)?).unwrap(), Json::try_from(&output)?);
///
/// let pair = serde_json::json!({"items": [{"type": "string"}, {"type": "integer"}]});
/// let problems = normalise(&Json::try_from(&pair)?).unwrap_err();
/// assert_eq!((problems[0].code, problems[0].pointer.as_str()), (codes::UNKNOWN_KEYWORD, "/items/0"));
/// assert_eq!(problems[0].message, "tuples have no schema in this subset");
/// # Ok::<(), capgen_schema::NumberError>(())
/// ```
pub fn normalise(source: &Json) -> Result<Json, Vec<Problem>> {
    let output = Output::of(source);
    let json = output.to_json();
    // What is passed on as it is, the loader judges.
    let mut problems = output.problems.clone();
    if let Err(found) = Schema::parse_silently(json.clone()) {
        problems.extend(output.in_the_input(found));
    }
    if problems.is_empty() {
        return Ok(json);
    }
    problems.sort_by(|a, b| pointer::compare(&a.pointer, &b.pointer).then_with(|| a.code.cmp(&b.code)));
    problems.dedup_by(|a, b| (&a.pointer, a.code) == (&b.pointer, b.code));
    Err(problems)
}

/// The schema that comes out, before its definitions have names.
struct Output<'a> {
    root: Node<'a>,
    /// Those that the root leads to.
    definitions: Vec<(TargetId, Node<'a>)>,
    names: HashMap<TargetId, String>,
    problems: Vec<Problem>,
}

impl<'a> Output<'a> {
    fn of(source: &'a Json) -> Self {
        let targets = Targets::collect(source);
        let dialect = Dialect::of(source);
        let mut walk = Walk { targets, dialect, problems: Vec::new(), copies: COPIES };
        let mut root = walk.schema(source, Origin::default(), 0);
        let mut definitions = Vec::new();
        for id in walk.targets.in_order() {
            let Some(target) = walk.targets.get(id) else { continue };
            let (json, origin) = (target.json, Origin::at(target.pointer.clone()));
            if std::ptr::eq(json, source) {
                let moved = move_root(&mut root, id);
                definitions.push((id, moved));
            } else {
                definitions.push((id, walk.schema(json, origin, 1)));
            }
        }
        let used = reachable(&root, &definitions);
        definitions.retain(|(id, _)| used.contains(id));
        let used: Vec<TargetId> = definitions.iter().map(|(id, _)| *id).collect();
        let names = walk.targets.names(&used);
        Self { root, definitions, names, problems: walk.problems }
    }

    fn name(&self, id: TargetId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    fn to_json(&self) -> Json {
        let reference = |id| format!("#/definitions/{}", encode(self.name(id)));
        let definition =
            |(id, node): &(TargetId, Node<'a>)| (self.name(*id).to_owned(), node.to_json(&reference, None));
        let definitions: Object = self.definitions.iter().map(definition).collect();
        let has_definitions = !definitions.is_empty();
        let definitions = Json::Object(definitions);
        let root = self.root.to_json(&reference, has_definitions.then_some(&definitions));
        match root {
            Json::Object(mut members) if has_definitions && members.get("definitions").is_none() => {
                members.push("definitions".to_owned(), definitions);
                Json::Object(members)
            }
            root => root,
        }
    }

    /// The errors of the output, each where the input caused it.
    fn in_the_input(&self, found: Vec<Problem>) -> Vec<Problem> {
        let mut places = HashMap::new();
        let mut room = POINTER_BUDGET;
        index(&self.root, String::new(), &mut places, &mut room);
        for (id, node) in &self.definitions {
            index(node, pointer::join("/definitions", self.name(*id)), &mut places, &mut room);
        }
        let errors = found.into_iter().filter(|problem| problem.code.severity() == Severity::Error);
        let moved = errors
            .take(walk::MAX_PROBLEMS)
            .map(|problem| Problem { pointer: source_pointer(&places, &problem.pointer), ..problem });
        moved.collect()
    }
}

/// Makes the root a reference to what it was, which is returned.
fn move_root<'a>(root: &mut Node<'a>, id: TargetId) -> Node<'a> {
    let mut moved = Node { origin: Origin::default(), source: root.source, body: Body::Plain(Json::Bool(true)) };
    let Body::Members(members) = &mut root.body else { return moved };
    let stays = |name: &str| ["$schema", "$id", "definitions"].contains(&name);
    let (mut kept, inner): (Vec<_>, Vec<_>) = members.drain(..).partition(|(name, _)| stays(name));
    let before_definitions = kept.iter().position(|(name, _)| name == "definitions").unwrap_or(kept.len());
    kept.insert(before_definitions, ("$ref".to_owned(), Value::Ref(id, None)));
    *members = kept;
    moved.body = Body::Members(inner);
    moved
}

/// The definitions that references from the root lead to.
fn reachable(root: &Node<'_>, definitions: &[(TargetId, Node<'_>)]) -> HashSet<TargetId> {
    let nodes: HashMap<TargetId, &Node<'_>> = definitions.iter().map(|(id, node)| (*id, node)).collect();
    let mut reached = HashSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        node.references(&mut |id| {
            if reached.insert(id) {
                open.extend(nodes.get(&id));
            }
        });
    }
    reached
}

/// A name as a token of a pointer in a fragment: RFC 6901 section 6.
fn encode(name: &str) -> String {
    let escaped = name.replace('~', "~0").replace('/', "~1");
    let mut encoded = String::with_capacity(escaped.len());
    for byte in escaped.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            _ if b"-._~!$&'()*+,;=:@".contains(&byte) => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Every subschema of the output by its pointer, while there is room.
fn index<'n, 'a>(node: &'n Node<'a>, at: String, places: &mut HashMap<String, &'n Node<'a>>, room: &mut usize) {
    let Some(left) = room.checked_sub(at.len() + 1) else { return };
    *room = left;
    if let Body::Members(members) = &node.body {
        for (name, value) in members {
            let at = pointer::join(&at, name);
            match value {
                Value::Node(node) => index(node, at, places, room),
                Value::List(nodes) => {
                    for (position, node) in nodes.iter().enumerate() {
                        index(node, pointer::join(&at, &position.to_string()), places, room);
                    }
                }
                Value::Map(nodes) => {
                    for (name, node) in nodes {
                        index(node, pointer::join(&at, name), places, room);
                    }
                }
                Value::Plain(_) | Value::Ref(..) | Value::Definitions => {}
            }
        }
    }
    places.insert(at, node);
}

/// Where in the input something of the output comes from: the nearest subschema above it, and the keyword if it has it.
fn source_pointer(places: &HashMap<String, &Node<'_>>, output: &str) -> String {
    let mut above = output;
    loop {
        if let Some(node) = places.get(above) {
            let rest = output.get(above.len()..).unwrap_or_default();
            let keyword = pointer::tokens(rest).next();
            let has = |keyword: &String| node.source.is_some_and(|source| source.get(keyword).is_some());
            let rest = if keyword.as_ref().is_some_and(has) { rest } else { "" };
            return format!("{}{rest}", node.origin.pointer());
        }
        match above.rsplit_once('/') {
            Some((parent, _)) => above = parent,
            None => return String::new(),
        }
    }
}
