//! The graph of a schema's subschemas, with references resolved: reachability, recursion, reference counts.

use std::collections::HashMap;

use crate::{Kind, Node, NodeId, Schema};

/// The subschemas that are reachable from the root, each `$ref` replaced by its target.
///
/// Building it takes time and memory linear in the size of the schema. The call stack does not grow with the schema.
///
/// ```
/// use capgen_schema::{Schema, analysis::graph::Graph};
/// let schema = Schema::parse_text(
///     r##"{"items": {"$ref": "#/definitions/tree"},
///          "definitions": {"tree": {"items": {"$ref": "#/definitions/tree"}}, "unused": {}}}"##,
/// )?;
/// let graph = Graph::new(&schema);
/// let recursive: Vec<&str> =
///     graph.vertices().iter().filter(|v| v.is_recursive).map(|v| v.node.pointer.as_str()).collect();
/// assert_eq!(recursive, ["/definitions/tree"]);
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
#[derive(Debug)]
pub struct Graph<'s> {
    schema: &'s Schema,
    index: HashMap<NodeId, usize>,
    vertices: Vec<Vertex<'s>>,
    components: Vec<Vec<usize>>,
}

/// A subschema that is reachable from the root and is not a reference.
#[derive(Debug)]
#[non_exhaustive]
pub struct Vertex<'s> {
    /// Its id in the schema.
    pub id: NodeId,
    /// Its node in the schema.
    pub node: &'s Node,
    /// The positions of the subschemas that apply to the same place of the payload: those of `allOf`, `anyOf`, `oneOf`,
    /// `not`, `if`, `then` and `else`.
    pub in_place: Vec<usize>,
    /// The positions of the subschemas that apply to items and properties.
    pub below: Vec<(Label<'s>, usize)>,
    /// How many `$ref`s of reachable subschemas point here. The root is not counted as a reference.
    pub references: usize,
    /// The index of its component in [`Graph::components`].
    pub component: usize,
    /// Whether it can reach itself.
    pub is_recursive: bool,
}

/// The place below an array or object to which a subschema applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label<'s> {
    /// The property of that name, from `properties`.
    Property(&'s str),
    /// The other properties, from `additionalProperties`.
    Additional,
    /// The item with that index, from a list in `items`.
    Item(usize),
    /// Every item, from `items` and `contains`; those that follow a list in it, from `additionalItems`.
    Items,
}

impl<'s> Graph<'s> {
    /// Builds the graph.
    pub fn new(schema: &'s Schema) -> Self {
        let mut graph = Graph { schema, index: HashMap::new(), vertices: Vec::new(), components: Vec::new() };
        graph.vertex(schema.resolve(schema.root()));
        // `vertices` is also the queue of a breadth-first search: a vertex gets its edges when its turn comes.
        let mut next = 0;
        while let Some(node) = graph.vertices.get(next).map(|vertex| vertex.node) {
            let in_place = node.kind.in_place().map(|child| graph.edge(child)).collect();
            let below = below(node).map(|(label, child)| (label, graph.edge(child))).collect();
            if let Some(vertex) = graph.vertices.get_mut(next) {
                vertex.in_place = in_place;
                vertex.below = below;
            }
            next += 1;
        }
        graph.connect();
        graph
    }

    /// The schema.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// The vertices, in breadth-first order from the root. A *position* is an index into this slice.
    pub fn vertices(&self) -> &[Vertex<'s>] {
        &self.vertices
    }

    /// The strongly connected components, as positions. A component follows all others that it can reach, so a value
    /// that depends on the subschemas below can be computed in this order.
    pub fn components(&self) -> &[Vec<usize>] {
        &self.components
    }

    /// The vertex of a node, or of the target if the node is a reference; `None` if it is not reachable from the root.
    pub fn find(&self, id: NodeId) -> Option<&Vertex<'s>> {
        self.vertices.get(self.position(id)?)
    }

    /// The position of [`find`](Self::find)'s vertex.
    pub fn position(&self, id: NodeId) -> Option<usize> {
        self.index.get(&self.schema.resolve(id)).copied()
    }

    fn edge(&mut self, child: NodeId) -> usize {
        let target = self.vertex(self.schema.resolve(child));
        if let (Kind::Ref(_), Some(vertex)) = (&self.schema.node(child).kind, self.vertices.get_mut(target)) {
            vertex.references += 1;
        }
        target
    }

    fn vertex(&mut self, id: NodeId) -> usize {
        let vertices = &mut self.vertices;
        let node = self.schema.node(id);
        *self.index.entry(id).or_insert_with(|| {
            let (in_place, below) = (Vec::new(), Vec::new());
            vertices.push(Vertex { id, node, in_place, below, references: 0, component: 0, is_recursive: false });
            vertices.len() - 1
        })
    }

    fn connect(&mut self) {
        let edges: Vec<Vec<usize>> = self.vertices.iter().map(|vertex| vertex.targets().collect()).collect();
        self.components = components(&edges);
        for (component, members) in self.components.iter().enumerate() {
            for &member in members {
                if let Some(vertex) = self.vertices.get_mut(member) {
                    vertex.component = component;
                    vertex.is_recursive = members.len() > 1 || vertex.targets().any(|target| target == member);
                }
            }
        }
    }
}

/// The strongly connected components of a graph with these edges. A component follows all others that it can reach.
///
/// This is Tarjan's algorithm. It keeps its own stack because the depth of recursion would be the length of the longest
/// chain of definitions, which an untrusted schema chooses.
///
/// ```
/// use capgen_schema::analysis::graph::components;
/// assert_eq!(components(&[vec![1], vec![2], vec![1]]), [vec![1, 2], vec![0]]);
/// ```
pub fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut components = Vec::new();
    let mut marks = vec![Mark::default(); edges.len()];
    let (mut open, mut count) = (Vec::new(), 0);
    for start in 0..edges.len() {
        if marks.get(start).is_some_and(|mark| mark.number > 0) {
            continue;
        }
        // Each entry is a vertex and the index of the edge to follow next.
        let mut path = vec![(start, 0)];
        while let Some((at, edge)) = path.pop() {
            let Some(mark) = marks.get_mut(at) else { continue };
            if edge == 0 {
                count += 1;
                *mark = Mark { number: count, low: count, is_open: true };
                open.push(at);
            }
            if let Some(&to) = edges.get(at).and_then(|targets| targets.get(edge)) {
                path.push((at, edge + 1));
                match marks.get(to).copied() {
                    Some(mark) if mark.number == 0 => path.push((to, 0)),
                    Some(mark) if mark.is_open => lower(&mut marks, at, mark.number),
                    _ => {}
                }
                continue;
            }
            let mark = *mark;
            if mark.low == mark.number {
                components.push(close(&mut marks, &mut open, at));
            }
            if let Some(&(parent, _)) = path.last() {
                lower(&mut marks, parent, mark.low);
            }
        }
    }
    components
}

/// Makes a component of `root` and the open vertices above it.
fn close(marks: &mut [Mark], open: &mut Vec<usize>, root: usize) -> Vec<usize> {
    let start = open.iter().rposition(|&at| at == root).unwrap_or(0);
    let members = open.split_off(start);
    for &member in &members {
        if let Some(mark) = marks.get_mut(member) {
            mark.is_open = false;
        }
    }
    members
}

/// Whether each node is reachable from the root; indexed in the order of [`Schema::nodes`].
///
/// Unlike a [`Graph`], this distinguishes a reference from its target: a definition that is only another name for a
/// used one may itself be unused.
pub fn reachable(schema: &Schema) -> Vec<bool> {
    reachable_from(schema, vec![schema.root()])
}

/// Whether each node is one of `open` or reachable from them.
pub(crate) fn reachable_from(schema: &Schema, mut open: Vec<NodeId>) -> Vec<bool> {
    let mut reached = vec![false; schema.nodes().count()];
    while let Some(id) = open.pop() {
        match reached.get_mut(id.0 as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        open.extend(schema.node(id).kind.children());
    }
    reached
}

impl Vertex<'_> {
    /// The positions of all subschemas that apply to the same place or below it.
    pub fn targets(&self) -> impl Iterator<Item = usize> {
        self.in_place.iter().copied().chain(self.below.iter().map(|(_, target)| *target))
    }
}

/// The state of a vertex in Tarjan's algorithm.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// In order of discovery, from 1; 0 if it is not discovered yet.
    number: usize,
    /// The lowest number of an open vertex that is known to be reachable.
    low: usize,
    /// Whether its component is not complete yet.
    is_open: bool,
}

fn lower(marks: &mut [Mark], at: usize, low: usize) {
    if let Some(mark) = marks.get_mut(at) {
        mark.low = mark.low.min(low);
    }
}

fn below(node: &Node) -> impl Iterator<Item = (Label<'_>, NodeId)> {
    let assertions = if let Kind::Assertions(assertions) = &node.kind { Some(assertions) } else { None };
    assertions.into_iter().flat_map(|a| {
        let properties = a.properties.iter().map(|(name, id)| (Label::Property(name), *id));
        let additional = a.additional_properties.map(|id| (Label::Additional, id));
        // Like `additionalProperties`, they can apply to any property.
        let patterns = a.pattern_properties.iter().map(|(_, id)| (Label::Additional, *id));
        let positions = a.tuple.iter().enumerate().map(|(index, id)| (Label::Item(index), *id));
        let items = positions.chain(a.items.or(a.additional_items).map(|id| (Label::Items, id)));
        let contained = a.contains.map(|id| (Label::Items, id));
        properties.chain(patterns).chain(additional).chain(items).chain(contained)
    })
}
