//! Translates a JSON Schema of another dialect to an equivalent schema of the subset.
//!
//! [`walk`] translates schema objects keyword by keyword; the other modules each know one group of keywords. [`target`]
//! finds everything that a `$ref` refers to, and names it. The result is a tree whose subschemas know their place in
//! the input, so a finding of the loader in the output can be reported at the place in the input that caused it.

mod annotated;
mod annotation;
mod array;
mod condition;
mod dialect;
mod embedded;
mod format;
mod forms;
mod index;
mod lossy;
mod marks;
mod names;
mod number;
mod object;
mod pattern;
mod pattern_letters;
mod pattern_syntax;
mod places;
mod prepare;
mod relative;
mod rewrite;
mod target;
mod tree;
mod unevaluated;
mod version;
mod walk;
mod widen;

use std::collections::{HashMap, HashSet};

pub use annotated::{annotate_formats, checked_formats, places_of_checked_formats};
use dialect::Dialect;
pub use dialect::{is_known_dialect, is_same_dialect};
use forms::Forms;
pub use forms::has_keywords_of_other_drafts;
pub use lossy::{Loss, Reading, normalise_lossy};
pub use object::has_patterns_of_lines;
pub use places::{LINKED_FILES, keyword_at};
pub use relative::resolved as resolved_reference;
use target::{TargetId, Targets};
use tree::{Body, Node, Origin, Value};
use version::Version;
use walk::Walk;

use crate::parse::definition_reference;
use crate::{Json, Object, Problem, Schema, Severity, codes, pointer};

/// Maximum number of additional subschemas, for rewrites that copy a schema. It keeps the output linear in the input.
/// Usual schemas need a few dozen.
const COPIES: usize = 4096;

/// Maximum size of the pointers that map places of the output to the input, in bytes. Pointers repeat the names above a
/// place, so that a small text with long names could take quadratic memory.
const MAX_POINTER_BYTES: usize = 64 << 20;

/// Translates a JSON Schema of another dialect to the subset without changing its meaning.
///
/// The input may be in drafts 4 to 2020-12 or a schema of OpenAPI 3.0 to 3.2, including the output of `schemars`.
/// `$schema` selects the dialect. Without it, the dialect is draft 2020-12 if the root has `$defs`, and draft-07
/// otherwise.
///
/// The output accepts exactly the payloads that the input accepts, with these conventions: a `format` of the subset is
/// an assertion, and no other one is; `nullable` and `discriminator` mean what their author intends, see [`Reading`];
/// and without `$schema`, a keyword has the meaning of the draft that has it. Keywords that the draft of `$schema`
/// ignores, and those that are not of JSON Schema, are left out. The output always loads, and normalising it again does
/// not change it. A schema of the subset does not change either, except that unused definitions are removed, a single
/// branch of `allOf` is merged, and a number with `multipleOf: 1` becomes an integer.
///
/// | input | output |
/// |---|---|
/// | `format`: `int8` to `int128`, `int`, `uint8` to `uint128`, `uint`, with `type: integer` | `minimum` and `maximum`, unless tighter bounds exist |
/// | `format`: `float`, `double`, `password` | dropped: they assert nothing |
/// | `format`: `ip`, `partial-time`, `partial-date-time` | an equivalent `pattern` |
/// | any other `format` | `x-format` |
/// | `$defs`, `components/schemas`, nested `definitions` | the root's `definitions`, if they are referenced |
/// | `$ref` to `#`, to any other place in the document, to an anchor, to the `$id` of a schema in it | a definition; if its name is taken, it gets a suffix derived from its pointer |
/// | `$ref` to a pointer that leads nowhere in the schema with an `$id` around it, but somewhere in the document | that place of the document |
/// | `$ref` next to assertions, from draft 2019-09 on | `allOf` |
/// | `allOf` with one branch and no other assertion next to it | the branch itself |
/// | `$ref` next to assertions, if `$schema` is that of an earlier draft or of OpenAPI 3.0 | the assertions are dropped |
/// | `nullable: true` with `type` | `null` in `type`, and in `enum` |
/// | `nullable: true` with `$ref`, `allOf`, `anyOf`, `oneOf` or `const`, or alone in a union | `anyOf` with the type null |
/// | `discriminator` in a union | `required`, and `const` or `enum`, in each branch, unless the branches overlap |
/// | its `defaultMapping` | `not` with the values of the other branches, in that branch |
/// | `exclusiveMinimum: true` (draft-04) | the bound itself |
/// | tuples: `prefixItems` and `items`, or a list in `items` and `additionalItems` | a list in `items`, and `additionalItems` |
/// | tuples in which all positions have the same schema | `items`, and `maxItems` if no more items are allowed |
/// | `unevaluatedItems`, `unevaluatedProperties` | dropped, `items`, `additionalItems` or `additionalProperties`, if that is equivalent |
/// | `unevaluatedProperties` next to `$ref` or `allOf` | `additionalProperties`, and `true` for each property that these declare, if they are the same for every value |
/// | `patternProperties` that matches every name, or every name without line breaks, such as `^.*$` | `additionalProperties` |
/// | `patternProperties` with `^(a\|b)$`, `propertyNames` with `enum` or `const` | `properties` |
/// | `patternProperties` with one schema, `additionalProperties: false`, and only `properties` that match | `propertyNames` with the `pattern`, and `additionalProperties` |
/// | `propertyNames` with `allOf`, `$ref` or a format that is a pattern | `propertyNames` with assertions about strings; several become `allOf` around them |
/// | `propertyNames` that accepts every string | dropped |
/// | `propertyNames` with `not` and a list | `false` for each listed property |
/// | `propertyNames` with other lists, or with `anyOf` of lists and patterns | `propertyNames` with a `pattern` |
/// | `contains` | an equivalent `not` or `additionalProperties`; dropped if other keywords imply it |
/// | `multipleOf: 1` next to a numeric `type` | `type: integer` |
/// | `dependentRequired` | `dependencies`, as draft-07 calls it |
/// | `dependencies` with schemas, `dependentSchemas`, `if` | `not` if only required names depend on the condition; otherwise `anyOf` |
/// | escapes in a `pattern` that ECMA-262 does not allow, such as `\-` | the character |
/// | `example` | `examples` |
/// | `contentMediaType` and similar annotations, `x-...` except `x-format` | dropped: they assert nothing |
///
/// Everything else is rejected: property names that are constrained in other ways, names that are similar to keywords.
///
/// Takes time linear in the size of `source`, apart from at most 4096 copied subschemas and from sorting.
///
/// # Errors
/// Up to 1000 problems, each with a pointer into `source`, sorted by that pointer.
///
/// ```
/// use capgen_schema::{Json, codes, normalise};
/// let byte = serde_json::json!({"type": ["integer", "null"], "format": "uint8", "minimum": 1});
/// let output = serde_json::json!({"type": ["integer", "null"], "minimum": 1, "maximum": 255});
/// assert_eq!(normalise(&Json::try_from(&byte)?).unwrap(), Json::try_from(&output)?);
///
/// let pair = serde_json::json!({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false});
/// let list = serde_json::json!({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false});
/// assert_eq!(normalise(&Json::try_from(&pair)?).unwrap(), Json::try_from(&list)?);
///
/// let dynamic = serde_json::json!({"$dynamicRef": "#node"});
/// let problems = normalise(&Json::try_from(&dynamic)?).unwrap_err();
/// assert_eq!((problems[0].code, problems[0].pointer.as_str()), (codes::UNKNOWN_KEYWORD, "/$dynamicRef"));
/// # Ok::<(), capgen_schema::NumberError>(())
/// ```
pub fn normalise(source: &Json) -> Result<Json, Vec<Problem>> {
    normalise_noting(source).map(|(output, _)| output)
}

/// Like [`normalise`], and lists the keywords that are read in another way than they are written, sorted by pointer.
///
/// [`Reading`] has all of them.
///
/// # Errors
/// As for [`normalise`].
pub fn normalise_noting(source: &Json) -> Result<(Json, Vec<Loss>), Vec<Problem>> {
    let flat = embedded::flattened(source);
    let source = flat.as_ref().map_or(source, |flat| &flat.json);
    let prepared = prepare::prepare(source);
    let output = Output::of(prepared.as_ref().map_or(source, |prepared| &prepared.json));
    let json = output.to_json();
    // Most keywords are copied without a check, because the loader checks them anyway.
    let mut problems = output.problems.clone();
    if let Err(found) = Schema::parse_silently(json.clone()) {
        problems.extend(output.in_the_input(found));
    }
    let mut notes = output.notes;
    if let Some(prepared) = prepared {
        problems = problems.into_iter().map(|problem| prepared.in_the_input(problem)).collect();
        notes.iter_mut().for_each(|note| note.pointer = prepared.original(&note.pointer));
        notes.extend(prepared.notes);
    }
    if problems.is_empty() {
        notes.extend(flat.as_ref().into_iter().flat_map(|flat| flat.notes.iter().cloned()));
        return Ok((json, lossy::sorted(notes, source)));
    }
    problems.sort_by(|a, b| pointer::compare(&a.pointer, &b.pointer).then_with(|| a.code.cmp(&b.code)));
    problems.dedup_by(|a, b| (&a.pointer, a.code) == (&b.pointer, b.code));
    Err(problems)
}

/// The output schema, in which references are still ids of targets.
struct Output<'a> {
    root: Node<'a>,
    /// The targets that are reachable from the root.
    definitions: Vec<(TargetId, Node<'a>)>,
    names: HashMap<TargetId, String>,
    problems: Vec<Problem>,
    notes: Vec<Loss>,
}

impl<'a> Output<'a> {
    fn of(source: &'a Json) -> Self {
        let targets = Targets::collect(source);
        let dialect = Dialect::of(source);
        let version = Version::of(source);
        let declared = dialect::declared(source, version);
        let forms = Forms::of(source);
        let (problems, notes) = (Vec::new(), Vec::new());
        let name_bytes = unevaluated::NAME_BYTES;
        let mut walk = Walk { targets, dialect, version, declared, forms, problems, notes, copies: COPIES, name_bytes };
        let mut root = walk.schema(source, Origin::default(), 0);
        let mut definitions = Vec::new();
        for id in walk.targets.in_order() {
            let Some(target) = walk.targets.get(id) else { continue };
            let (json, origin) = (target.json, Origin::at(target.pointer.clone()));
            // A `$ref` to `#`: the root's content becomes a definition, and the root a reference to it.
            if std::ptr::eq(json, source) {
                let moved = move_root(&mut root, id);
                definitions.push((id, moved));
            } else {
                definitions.push((id, walk.schema(json, origin, 1)));
            }
        }
        // A rewrite may have dropped the keyword with the only reference to a target.
        let used = reachable(&root, &definitions);
        definitions.retain(|(id, _)| used.contains(id));
        let used: Vec<TargetId> = definitions.iter().map(|(id, _)| *id).collect();
        let names = walk.targets.names(&used);
        Self { root, definitions, names, problems: walk.problems, notes: walk.notes }
    }

    fn name(&self, id: TargetId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    fn to_json(&self) -> Json {
        let reference = |id| definition_reference(self.name(id));
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

    /// The loader's errors in the output, each moved to the place in the input that caused it.
    fn in_the_input(&self, found: Vec<Problem>) -> Vec<Problem> {
        let mut places = HashMap::new();
        let mut room = MAX_POINTER_BYTES;
        index(&self.root, String::new(), &mut places, &mut room);
        for (id, node) in &self.definitions {
            index(node, pointer::join("/definitions", self.name(*id)), &mut places, &mut room);
        }
        let errors = found.into_iter().filter(|problem| problem.code.severity() == Severity::Error);
        let moved = errors
            .take(walk::MAX_PROBLEMS)
            .map(|problem| Problem { message: source_message(&places, &problem), ..problem })
            .map(|problem| Problem { pointer: source_pointer(&places, &problem.pointer), ..problem });
        moved.collect()
    }
}

/// Replaces the root by a reference to its previous content, and returns that content.
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

/// The definitions that are reachable from the root through references.
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

/// Collects the subschemas of the output by their pointers, until `room` is used up.
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

/// The message of a problem, with the places of a cycle of references in the input.
fn source_message(places: &HashMap<String, &Node<'_>>, problem: &Problem) -> String {
    if problem.code != codes::REF_CYCLE {
        return problem.message.clone();
    }
    let part = |part: &str| match part.strip_prefix('#') {
        Some(output) => format!("#{}", source_pointer(places, output)),
        None => part.to_owned(),
    };
    problem.message.split('`').map(part).collect::<Vec<_>>().join("`")
}

/// The place in the input that a pointer into the output comes from: the nearest subschema at or above it, plus the
/// rest of the pointer if that subschema has the keyword in the input.
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
