//! The limit on how deeply types are nested, which rustc imposes.
//!
//! To find out whether a type is `Send`, how it is dropped and how it is laid out, rustc follows it into its parts, at
//! most as many steps as the recursion limit of the crate allows: 128 by default. Generated code must compile inside
//! any crate, so types that are nested more deeply become [`Type::Unknown`].

use std::collections::BTreeSet;

use capgen_manifest::ContractPart;
use capgen_schema::analysis::components::components;

use crate::model::{Field, Guard, Record, Rest, Shape, Type, TypeDef};

/// The steps of the most deeply nested type. The rest of rustc's limit is for the leaves (`serde_json::Value` takes 12
/// steps) and for the types of the user around it, such as futures.
pub(super) const MAX_HEIGHT: usize = 100;

/// How many steps rustc takes from each layer to the type inside it. It takes the most for `RefUnwindSafe`, which
/// follows the raw pointers in collections; for `Send`, a `Vec` and a `BTreeMap` take 3 and a `Box` takes 2.
pub(super) const OPTION: usize = 1;
/// The type of an item is a part of the tuple itself.
pub(super) const TUPLE: usize = 1;
pub(super) const BOX: usize = 4;
pub(super) const VEC: usize = 5;
pub(super) const MAP: usize = 9;

/// How often recursive types are searched for the references that lead too deep. After that, every reference that
/// closes a cycle of types is widened.
const ROUNDS: usize = 16;

/// How many references a search may follow; the time must not be quadratic. This many take less than a second.
const MAX_STEPS: usize = 10_000_000;

/// A reference from one definition to another.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    /// The steps of the layers between the two definitions.
    layers: usize,
    /// The position among the types of the definition, in the order of [`each_layered`].
    part: usize,
}

/// The definitions and their references.
struct Graph {
    /// The steps of each definition itself.
    own: Vec<usize>,
    edges: Vec<Vec<Edge>>,
    /// The steps that rustc takes from each definition to the most distant one.
    heights: Vec<usize>,
    /// The references to widen: the definition and the part.
    cuts: Vec<(usize, usize)>,
    steps: usize,
}

/// Widens the types that are nested too deeply to [`Type::Unknown`], and returns the capabilities and parts of the
/// types around them, which then check less than their schemas.
pub(super) fn limit(types: &mut [TypeDef]) -> BTreeSet<(String, ContractPart)> {
    let mut cut = BTreeSet::new();
    for def in types.iter_mut() {
        let is_truncated = truncate(def);
        def.coverage.is_exact &= !is_truncated;
        if is_truncated {
            cut.insert((def.capability.clone(), def.part));
        }
    }
    let mut graph = Graph::new(types);
    let mut round = 0;
    while !graph.measure(round < ROUNDS) {
        round += 1;
    }
    graph.cuts.sort_unstable();
    // A tuple with several references is one part.
    graph.cuts.dedup();
    for &(at, part) in &graph.cuts {
        let Some(def) = types.get_mut(at) else { continue };
        def.coverage.is_exact = false;
        cut.insert((def.capability.clone(), def.part));
        let mut position = 0;
        each_layered(&mut def.shape, &mut |_, ty, guard| {
            if position == part {
                widen(ty);
                // The definition is interpreted as a whole.
                *guard = Guard::None;
            }
            position += 1;
        });
    }
    cut
}

/// Widens the parts of a definition that are too deep by themselves.
fn truncate(def: &mut TypeDef) -> bool {
    let own = own_steps(&def.shape);
    let mut is_cut = false;
    each_layered(&mut def.shape, &mut |above, ty, guard| {
        if truncate_below(own + above, ty) {
            is_cut = true;
            *guard = Guard::None;
        }
    });
    is_cut
}

fn truncate_below(above: usize, ty: &mut Type) -> bool {
    if above > MAX_HEIGHT {
        *ty = Type::Unknown;
        return true;
    }
    let steps = steps(ty);
    match ty {
        Type::Array { item: inner, .. } | Type::Map(inner) => truncate_below(above + steps, inner),
        Type::Tuple(tuple) => {
            let mut is_cut = false;
            tuple.items.iter_mut().for_each(|item| is_cut |= truncate_below(above + steps, item));
            is_cut
        }
        Type::Nullable(inner) => {
            let is_cut = truncate_below(above + steps, inner);
            normalise(ty);
            is_cut
        }
        _ => false,
    }
}

/// Widens the definitions that a type refers to.
fn widen(ty: &mut Type) {
    match ty {
        Type::Array { item: inner, .. } | Type::Map(inner) => widen(inner),
        Type::Tuple(tuple) => tuple.items.iter_mut().filter(|item| !item.named().is_empty()).for_each(widen),
        Type::Nullable(inner) => {
            widen(inner);
            normalise(ty);
        }
        ty => *ty = Type::Unknown,
    }
}

/// Any value or `null` is any value.
fn normalise(ty: &mut Type) {
    if matches!(ty, Type::Nullable(inner) if **inner == Type::Unknown) {
        *ty = Type::Unknown;
    }
}

/// Calls `f` with each type of a shape: with the steps from the definition to it, the type, and its guard.
fn each_layered(shape: &mut Shape, f: &mut impl FnMut(usize, &mut Type, &mut Guard)) {
    match shape {
        Shape::Record(Record { fields, rest, rest_guard, .. }) => {
            for Field { ty, guard, required, .. } in fields {
                f(if *required { 0 } else { OPTION }, ty, guard);
            }
            if let Rest::Kept(ty) = rest {
                f(MAP, ty, rest_guard);
            }
        }
        Shape::Union(union) => union.variants.iter_mut().for_each(|variant| f(0, &mut variant.ty, &mut variant.guard)),
        Shape::Alias { target, guard, .. } => f(0, target, guard),
        Shape::Enum(_) => {}
    }
}

fn own_steps(shape: &Shape) -> usize {
    // Rust resolves an alias that is not a new type.
    usize::from(!matches!(shape, Shape::Alias { distinct: false, .. }))
}

fn steps(ty: &Type) -> usize {
    match ty {
        Type::Array { .. } => VEC,
        Type::Tuple(_) => TUPLE,
        Type::Map(_) => MAP,
        Type::Nullable(_) => OPTION,
        Type::Named { boxed: true, .. } => BOX,
        _ => 0,
    }
}

/// Calls `f` with each definition that a type refers to, and the steps to it; `above` are those to the type.
fn each_target(ty: &Type, above: usize, f: &mut impl FnMut(usize, usize)) {
    let layers = above + steps(ty);
    match ty {
        Type::Array { item: inner, .. } | Type::Map(inner) | Type::Nullable(inner) => each_target(inner, layers, f),
        Type::Tuple(tuple) => tuple.items.iter().for_each(|item| each_target(item, layers, f)),
        Type::Named { id, .. } => f(id.0, layers),
        _ => {}
    }
}

impl Graph {
    fn new(types: &mut [TypeDef]) -> Self {
        let edges = types.iter_mut().map(|def| {
            let mut edges = Vec::new();
            let mut part = 0;
            // An overlapping union contains its value and not its variants.
            let is_value = matches!(&def.shape, Shape::Union(union) if !union.disjoint);
            each_layered(&mut def.shape, &mut |above, ty, _| {
                if !is_value {
                    each_target(ty, above, &mut |to, layers| edges.push(Edge { to, layers, part }));
                }
                part += 1;
            });
            edges
        });
        let edges = edges.collect();
        let own = types.iter().map(|def| own_steps(&def.shape)).collect();
        Self { own, edges, heights: vec![0; types.len()], cuts: Vec::new(), steps: 0 }
    }

    /// Determines all heights and cuts the references that lead too deep. Returns `false` if it cut a cycle of types,
    /// after which the heights must be determined again.
    fn measure(&mut self, is_gentle: bool) -> bool {
        let successors: Vec<Vec<usize>> =
            self.edges.iter().map(|edges| edges.iter().map(|edge| edge.to).collect()).collect();
        let numbers = components(&successors);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); numbers.iter().max().map_or(0, |max| max + 1)];
        for (at, number) in numbers.iter().enumerate() {
            members.get_mut(*number).into_iter().for_each(|component| component.push(at));
        }
        let mut is_complete = true;
        // A component comes after those that it leads to.
        for component in &members {
            let is_inside = |to: usize| component.first().and_then(|at| numbers.get(*at)) == numbers.get(to);
            match component.as_slice() {
                [at] if !self.edges_of(*at).iter().any(|edge| edge.to == *at) => self.measure_one(*at),
                component => is_complete &= self.measure_cycle(component, is_inside, is_gentle),
            }
        }
        is_complete
    }

    fn edges_of(&self, at: usize) -> &[Edge] {
        self.edges.get(at).map_or(&[], Vec::as_slice)
    }

    fn own(&self, at: usize) -> usize {
        self.own.get(at).copied().unwrap_or(0)
    }

    fn height(&self, at: usize) -> usize {
        self.heights.get(at).copied().unwrap_or(0)
    }

    fn set_height(&mut self, at: usize, height: usize) {
        self.heights.get_mut(at).into_iter().for_each(|slot| *slot = height);
    }

    fn cut(&mut self, at: usize, is_too_deep: impl Fn(&Edge) -> bool) {
        let Some(edges) = self.edges.get_mut(at) else { return };
        self.cuts.extend(edges.iter().filter(|edge| is_too_deep(edge)).map(|edge| (at, edge.part)));
        edges.retain(|edge| !is_too_deep(edge));
    }

    /// A definition that does not contain itself.
    fn measure_one(&mut self, at: usize) {
        let own = self.own(at);
        let heights = std::mem::take(&mut self.heights);
        let below = |edge: &Edge| own + edge.layers + heights.get(edge.to).copied().unwrap_or(0);
        self.cut(at, |edge| below(edge) > MAX_HEIGHT);
        let height = self.edges_of(at).iter().map(below).max().unwrap_or(own);
        self.heights = heights;
        self.set_height(at, height);
    }

    /// Definitions that contain one another. Returns `false` if a reference between them was cut.
    fn measure_cycle(&mut self, component: &[usize], is_inside: impl Fn(usize) -> bool, is_gentle: bool) -> bool {
        let inside =
            |at: usize| self.edges_of(at).iter().filter(|edge| is_inside(edge.to)).map(|edge| edge.layers).max();
        let all: usize = component.iter().map(|at| self.own(*at) + inside(*at).unwrap_or(0)).sum();
        let exits = component.iter().flat_map(|at| self.edges_of(*at)).filter(|edge| !is_inside(edge.to));
        let exit = exits.map(|edge| edge.layers + self.height(edge.to)).max().unwrap_or(0);
        if all + exit <= MAX_HEIGHT {
            component.iter().for_each(|at| self.set_height(*at, all + exit));
            return true;
        }
        // If a reference is cut below, these heights count only until they are determined again.
        component.iter().for_each(|at| self.set_height(*at, 0));
        let cuts = self.cuts.len();
        if !is_gentle {
            return self.cut_cycles(component, is_inside);
        }
        for &start in component {
            let forward = self.search(start, &is_inside, false);
            let backward = self.search(start, &is_inside, true);
            let (Some(forward), Some(backward)) = (forward, backward) else {
                return self.cut_cycles(component, is_inside);
            };
            if self.cuts.len() > cuts {
                // The first definition is the nearest to a root. Cuts that are far from it lose the least.
                return false;
            }
            self.set_height(start, forward.max(backward));
        }
        true
    }

    /// The steps from a definition to the most distant one, if each definition is visited once, depth first, as rustc
    /// does. It remembers the definitions that it has visited. References that lead too deep are cut. `None` if it
    /// takes too long.
    fn search(&mut self, start: usize, is_inside: &impl Fn(usize) -> bool, is_backward: bool) -> Option<usize> {
        let mut seen = std::collections::HashSet::from([start]);
        let mut stack = vec![(start, 0, 0)];
        let mut deepest = 0;
        while let Some((at, above, turn)) = stack.pop() {
            let edges = self.edges_of(at);
            let index = if is_backward { edges.len().checked_sub(turn + 1) } else { Some(turn) };
            let below = above + self.own(at);
            deepest = deepest.max(below);
            let Some(edge) = index.and_then(|index| edges.get(index)).copied() else { continue };
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return None;
            }
            let is_member = is_inside(edge.to);
            if is_member && seen.contains(&edge.to) {
                stack.push((at, above, turn + 1));
                continue;
            }
            let rest = if is_member { self.own(edge.to) } else { self.height(edge.to) };
            if below + edge.layers + rest > MAX_HEIGHT {
                self.cut(at, |other| other.part == edge.part);
                // Forward, the next reference has moved to the position of this one; backward, it keeps its position.
                stack.push((at, above, turn));
                continue;
            }
            stack.push((at, above, turn + 1));
            if is_member {
                seen.insert(edge.to);
                stack.push((edge.to, below + edge.layers, 0));
            } else {
                deepest = deepest.max(below + edge.layers + rest);
            }
        }
        Some(deepest)
    }

    /// Cuts every reference to a definition that is being visited, depth first: then no definition contains itself.
    fn cut_cycles(&mut self, component: &[usize], is_inside: impl Fn(usize) -> bool) -> bool {
        let mut open = std::collections::HashSet::new();
        let mut seen = std::collections::HashSet::new();
        for &start in component {
            let mut stack = if seen.insert(start) { vec![(start, 0)] } else { Vec::new() };
            while let Some((at, turn)) = stack.pop() {
                open.insert(at);
                match self.edges_of(at).get(turn).copied() {
                    None => _ = open.remove(&at),
                    Some(edge) if open.contains(&edge.to) => {
                        self.cut(at, |other| other.part == edge.part);
                        stack.push((at, turn));
                    }
                    Some(edge) => {
                        stack.push((at, turn + 1));
                        if is_inside(edge.to) && seen.insert(edge.to) {
                            stack.push((edge.to, 0));
                        }
                    }
                }
            }
        }
        false
    }
}
