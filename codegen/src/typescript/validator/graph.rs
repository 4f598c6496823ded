//! Which subschemas lead where, references followed.

use std::collections::HashMap;

use capgen_schema::{Kind, Node, NodeId, Schema};

/// The subschemas that a way leads to from the root.
pub(super) struct Graph<'s> {
    pub(super) schema: &'s Schema,
    index: HashMap<NodeId, usize>,
    pub(super) vertices: Vec<Vertex<'s>>,
    /// Strongly connected components: each comes after those that it leads to.
    pub(super) components: Vec<Vec<usize>>,
}

pub(super) struct Vertex<'s> {
    pub(super) id: NodeId,
    pub(super) node: &'s Node,
    /// Subschemas for the same place.
    pub(super) in_place: Vec<usize>,
    /// Subschemas for items and members.
    pub(super) below: Vec<(Label<'s>, usize)>,
    /// How many references lead here.
    pub(super) references: usize,
    pub(super) component: usize,
    /// Whether a way leads back here.
    pub(super) is_recursive: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Label<'s> {
    Property(&'s str),
    Additional,
    Items,
}

/// The subschema that a reference stands for, or the one itself.
pub(super) fn follow(schema: &Schema, mut id: NodeId) -> NodeId {
    while let Kind::Ref(target) = schema.node(id).kind {
        id = target;
    }
    id
}

impl<'s> Graph<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let mut graph = Graph { schema, index: HashMap::new(), vertices: Vec::new(), components: Vec::new() };
        graph.vertex(follow(schema, schema.root()));
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

    /// The vertex of a subschema that a way leads to.
    pub(super) fn find(&self, id: NodeId) -> Option<&Vertex<'s>> {
        self.vertices.get(self.position(id)?)
    }

    pub(super) fn position(&self, id: NodeId) -> Option<usize> {
        self.index.get(&follow(self.schema, id)).copied()
    }

    fn edge(&mut self, child: NodeId) -> usize {
        let target = self.vertex(follow(self.schema, child));
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

    /// Finds the components, as Tarjan does, with a stack of its own.
    fn connect(&mut self) {
        let edges: Vec<Vec<usize>> = self.vertices.iter().map(|vertex| vertex.targets().collect()).collect();
        let mut marks = vec![Mark::default(); edges.len()];
        let (mut path, mut open) = (vec![(0, 0)], Vec::new());
        let mut count = 0;
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
                self.close(&mut marks, &mut open, at);
            }
            if let Some(&(parent, _)) = path.last() {
                lower(&mut marks, parent, mark.low);
            }
        }
    }

    fn close(&mut self, marks: &mut [Mark], open: &mut Vec<usize>, root: usize) {
        let start = open.iter().rposition(|&at| at == root).unwrap_or(0);
        let members = open.split_off(start);
        for &member in &members {
            if let (Some(mark), Some(vertex)) = (marks.get_mut(member), self.vertices.get_mut(member)) {
                mark.is_open = false;
                vertex.component = self.components.len();
                vertex.is_recursive = members.len() > 1 || vertex.targets().any(|target| target == member);
            }
        }
        self.components.push(members);
    }
}

impl Vertex<'_> {
    pub(super) fn targets(&self) -> impl Iterator<Item = usize> {
        self.in_place.iter().copied().chain(self.below.iter().map(|(_, target)| *target))
    }
}

#[derive(Clone, Copy, Default)]
struct Mark {
    /// In order of discovery, from 1.
    number: usize,
    low: usize,
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
        properties.chain(additional).chain(a.items.map(|id| (Label::Items, id)))
    })
}
