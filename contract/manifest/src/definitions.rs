//! Which members of `definitions` in the schemas of a manifest are the same.
//!
//! Schemas cannot refer to one another, so several of them often repeat a definition. Two definitions are *equal* if
//! they have the same name and the same canonical text without annotations, and refer to equal definitions.

use std::collections::HashMap;
use std::hash::Hash;

use capgen_schema::analysis::graph::components;
use capgen_schema::{Json, Kind, NodeId, Schema};

use crate::{ContractPart, Manifest};

/// The definitions that the schemas of a manifest use, and which of them are equal.
///
/// A definition that no `$ref` reaches is not included. Building it takes time linear in the size of the manifest.
///
/// ```
/// use capgen_manifest::{Definitions, Source, load};
/// let text = r##"{"version": 1, "agent": "agent://shop",
///   "transports": [{"kind": "memory", "topics": {"requests": "shop"}}],
///   "capabilities": [
///     {"name": "a", "inputSchema": {"$ref": "#/definitions/N", "definitions": {"N": {"type": "null"}}}},
///     {"name": "b", "inputSchema": {"$ref": "#/definitions/N", "definitions": {"N": {"title": "N", "type": "null"}}}}]}"##;
/// let contract = load(&Source::new("capabilities.json", text)).unwrap();
/// let definitions = Definitions::of(&contract.manifest);
/// let all: Vec<_> = definitions.iter().collect();
/// assert!(all.iter().all(|definition| definition.is_shared));
/// assert_eq!(all[1].first, all[0].place);
/// ```
#[derive(Debug, Default)]
pub struct Definitions {
    all: Vec<Definition>,
    by_place: HashMap<DefinitionPlace, usize>,
}

/// A member of `definitions` that its schema uses.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its place.
    pub place: DefinitionPlace,
    /// Whether all definitions with its name are equal.
    pub is_shared: bool,
    /// The first definition in source order that is equal to it; perhaps itself.
    pub first: DefinitionPlace,
    /// Among the definitions that are equal to it, the one whose capability has the least name and version. Unlike
    /// [`first`](Self::first), it does not depend on the order of the capabilities.
    pub least: DefinitionPlace,
    /// The same number for definitions with the same name and text.
    pub(crate) text: usize,
}

/// The place of a definition in a manifest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is these three values, and nothing else can identify a definition")]
pub struct DefinitionPlace {
    /// An index into [`Manifest::capabilities`].
    pub capability: usize,
    /// The part whose schema contains it.
    pub part: ContractPart,
    /// Its node in this schema.
    pub node: NodeId,
}

impl Definitions {
    /// Compares the definitions of a manifest.
    pub fn of(manifest: &Manifest) -> Self {
        let mut definitions = Self::default();
        let mut classes = Classes::new(manifest);
        let mut class_of: Vec<usize> = Vec::new();
        for (capability, part, schema) in schemas(manifest) {
            for Classified { name, node, text, class } in classes.of_schema(schema) {
                let place = DefinitionPlace { capability, part, node };
                let (first, least) = (place, place);
                class_of.push(class);
                definitions.by_place.insert(place, definitions.all.len());
                definitions.all.push(Definition { name: name.to_owned(), place, is_shared: true, first, least, text });
            }
        }
        definitions.compare(manifest, &class_of);
        definitions
    }

    /// The definition at a place; `None` if it is not used.
    pub fn get(&self, place: DefinitionPlace) -> Option<&Definition> {
        self.all.get(*self.by_place.get(&place)?)
    }

    /// Every definition that is used, in source order of the schemas.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.all.iter()
    }

    /// Sets the properties that depend on other definitions.
    fn compare(&mut self, manifest: &Manifest, class_of: &[usize]) {
        let rank = |place: DefinitionPlace| {
            manifest
                .capabilities
                .get(place.capability)
                .map(|capability| (capability.name.as_str(), &capability.version, place.part))
        };
        let mut ends: HashMap<usize, (DefinitionPlace, DefinitionPlace)> = HashMap::new();
        // The class of each name; `None` if there are several.
        let mut sole: HashMap<&str, Option<usize>> = HashMap::new();
        for (definition, class) in self.all.iter().zip(class_of) {
            let (_, least) = ends.entry(*class).or_insert((definition.place, definition.place));
            if rank(definition.place) < rank(*least) {
                *least = definition.place;
            }
            let sole = sole.entry(&definition.name).or_insert(Some(*class));
            *sole = sole.filter(|sole| sole == class);
        }
        let is_shared: Vec<bool> =
            self.all.iter().map(|definition| sole.get(definition.name.as_str()).copied().flatten().is_some()).collect();
        for ((definition, class), is_shared) in self.all.iter_mut().zip(class_of).zip(is_shared) {
            definition.is_shared = is_shared;
            if let Some(&(first, least)) = ends.get(class) {
                (definition.first, definition.least) = (first, least);
            }
        }
    }
}

fn schemas(manifest: &Manifest) -> impl Iterator<Item = (usize, ContractPart, &Schema)> {
    manifest.capabilities.iter().enumerate().flat_map(|(index, capability)| {
        capability.parts().filter_map(move |part| Some((index, part, capability.schema(part)?)))
    })
}

/// A used definition, with the number of its text and that of its class of equal definitions.
struct Classified<'m> {
    name: &'m str,
    node: NodeId,
    text: usize,
    class: usize,
}

/// Assigns a number to each class of equal definitions.
struct Classes<'m> {
    /// How many schemas have a definition of the name.
    uses: HashMap<&'m str, usize>,
    /// Names with their texts.
    texts: Numbers<(&'m str, String)>,
    /// Of each name, the definition whose text was numbered last.
    last: HashMap<&'m str, (&'m Json, usize)>,
    /// Sets of definitions that refer to one another.
    components: Numbers<Vec<Part>>,
    /// Names with their components.
    classes: Numbers<(&'m str, usize)>,
}

/// A part of the key of a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    /// The number of a member's text.
    Member(usize),
    /// The number of another component to which a member refers.
    Target(usize),
}

/// The numbers of distinct keys, in the order in which they are first used.
struct Numbers<K>(HashMap<K, usize>);

impl<K: Eq + Hash> Numbers<K> {
    fn new() -> Self {
        Self(HashMap::new())
    }

    fn of(&mut self, key: K) -> usize {
        let next = self.0.len();
        *self.0.entry(key).or_insert(next)
    }
}

impl<'m> Classes<'m> {
    fn new(manifest: &'m Manifest) -> Self {
        let mut uses: HashMap<&'m str, usize> = HashMap::new();
        for (name, _) in schemas(manifest).flat_map(|(_, _, schema)| schema.definitions()) {
            *uses.entry(name).or_default() += 1;
        }
        Self { uses, texts: Numbers::new(), last: HashMap::new(), components: Numbers::new(), classes: Numbers::new() }
    }

    /// The used definitions of a schema.
    ///
    /// Names are unique in a schema. Therefore two definitions are equal if and only if the same names with the same
    /// texts are reachable from both. All members of a cycle of definitions reach the same ones, so they are compared
    /// together.
    fn of_schema(&mut self, schema: &'m Schema) -> Vec<Classified<'m>> {
        let definitions = schema.definitions();
        if definitions.is_empty() {
            return Vec::new();
        }
        let References { of_root, of_definitions } = References::of(schema);
        let texts: Vec<usize> = (0..definitions.len()).filter_map(|index| self.text(schema, index)).collect();
        let mut component_of: Vec<Option<usize>> = vec![None; definitions.len()];
        for members in components(&of_definitions) {
            let mut key = Vec::with_capacity(members.len());
            for &member in &members {
                key.extend(texts.get(member).copied().map(Part::Member));
                let targets = of_definitions.get(member).into_iter().flatten();
                // A target in the same component has no number yet, and needs none.
                key.extend(targets.filter_map(|target| component_of.get(*target).copied().flatten().map(Part::Target)));
            }
            key.sort_unstable();
            key.dedup();
            let component = self.components.of(key);
            for member in members {
                if let Some(slot) = component_of.get_mut(member) {
                    *slot = Some(component);
                }
            }
        }
        let used = used(&of_root, &of_definitions);
        let all = definitions.iter().zip(texts).zip(component_of).zip(used);
        all.filter(|(_, is_used)| *is_used)
            .filter_map(|((((name, node), text), component), _)| {
                let class = self.classes.of((name, component?));
                Some(Classified { name, node: *node, text, class })
            })
            .collect()
    }

    /// The number of a definition's name and text.
    fn text(&mut self, schema: &'m Schema, index: usize) -> Option<usize> {
        let (name, _) = schema.definitions().get(index)?;
        if self.uses.get(name.as_str()).is_none_or(|uses| *uses == 1) {
            return Some(self.texts.of((name, String::new())));
        }
        // Most definitions with a name are copies of one another, and comparing them is faster than building a text.
        let (_, source) = schema.source().get("definitions")?.as_object()?.iter().nth(index)?;
        if let Some((_, number)) = self.last.get(name.as_str()).filter(|(last, _)| *last == source) {
            return Some(*number);
        }
        let number = self.texts.of((name, schema.canonical_definition(index)?));
        self.last.insert(name, (source, number));
        Some(number)
    }
}

/// Which definitions the root and each definition refer to, by their index in [`Schema::definitions`].
struct References {
    of_root: Vec<usize>,
    of_definitions: Vec<Vec<usize>>,
}

impl References {
    fn of(schema: &Schema) -> Self {
        let indexes: HashMap<NodeId, usize> =
            schema.definitions().iter().enumerate().map(|(index, (_, node))| (*node, index)).collect();
        let targets = |start: NodeId| {
            let mut targets = Vec::new();
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                match &schema.node(node).kind {
                    Kind::Ref(target) => targets.extend(indexes.get(target)),
                    kind => open.extend(kind.children()),
                }
            }
            targets
        };
        Self {
            of_root: targets(schema.root()),
            of_definitions: schema.definitions().iter().map(|(_, node)| targets(*node)).collect(),
        }
    }
}

/// Whether each definition is reachable from the root.
fn used(of_root: &[usize], of_definitions: &[Vec<usize>]) -> Vec<bool> {
    let mut used = vec![false; of_definitions.len()];
    let mut open = of_root.to_vec();
    while let Some(at) = open.pop() {
        if let Some(slot @ false) = used.get_mut(at) {
            *slot = true;
            open.extend(of_definitions.get(at).into_iter().flatten());
        }
    }
    used
}
