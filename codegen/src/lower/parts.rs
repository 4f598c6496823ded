//! The parts of a contract, each with the state that lowering it needs.

use std::collections::HashMap;
use std::rc::Rc;

use capgen_manifest::{ContractPart, DefinitionPlace, Manifest};
use capgen_schema::Schema;
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::effort::Effort;
use capgen_schema::analysis::profile::Profiler;

use super::definitions::Definitions;
use super::details::{Details, DetailsType};
use super::reuse::Reused;
use super::size::{self, Shared, Size};
use super::widened::{Limit, Widened};
use super::{Lowering, Place, root_name};
use crate::model::capability_name::CapabilityName;
use crate::model::{Origin, Type, TypeDef, TypeId};

/// The parts of all capabilities, and their types.
pub(super) struct Parts<'a> {
    parts: HashMap<(usize, ContractPart), PartState<'a>>,
    names: Rc<Vec<CapabilityName>>,
    details: Rc<Details>,
    /// The types of details that several capabilities share, by the place of the one that they are made from.
    details_types: HashMap<(usize, ContractPart), TypeId>,
    shared: Shared,
    pub(super) types: Vec<TypeDef>,
    definitions: Definitions<'a>,
    /// See [`Lowering::compared`].
    pub(super) compared: Vec<Type>,
    /// See [`Lowering::widened`].
    widened: Widened,
}

/// What all types of a part have in common.
struct PartState<'a> {
    schema: &'a Schema,
    profiler: Profiler<'a>,
    size: Size<'a>,
    /// The part of [`Lowering::budget`] that only this schema may use.
    budget: usize,
    is_budget_exceeded: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn of(manifest: &'a Manifest, names: &Rc<Vec<CapabilityName>>) -> Self {
        let mut parts = HashMap::with_capacity(2 * manifest.capabilities.len());
        for (index, capability) in manifest.capabilities.iter().enumerate() {
            for part in capability.parts() {
                let Some(schema) = capability.schema(part) else { continue };
                let (profiler, size) = (Profiler::new(schema, Effort::FULL), Size::new(schema));
                let budget = size::own_steps(schema);
                let state = PartState { schema, profiler, size, budget, is_budget_exceeded: false };
                parts.insert((index, part), state);
            }
        }
        let (definitions, details) = Definitions::of(manifest, names);
        Self {
            parts,
            names: Rc::clone(names),
            details,
            details_types: HashMap::new(),
            shared: Shared::new(),
            types: Vec::new(),
            definitions,
            compared: Vec::new(),
            widened: Widened::new(),
        }
    }

    /// The type of a part and those that it refers to; `None` if the part has no schema.
    pub(super) fn lower(&mut self, index: usize, part: ContractPart) -> Option<TypeId> {
        let source = self.details.get(index, part).map(|details| details.source);
        if let Some(id) = source.and_then(|source| self.details_types.get(&source)) {
            return Some(*id);
        }
        let (index, part) = source.unwrap_or((index, part));
        let name = root_name(self.names.get(index)?, &self.details, index, part);
        let id = self.with(index, part, |lowering| {
            let place = Place { name, pointer: String::new() };
            lowering.define(place, Origin::Root, Conjunction::of([lowering.schema.root()]))
        })?;
        self.details_types.extend(source.map(|source| (source, id)));
        while let Some((id, DefinitionPlace { capability, part, node })) = self.definitions.next() {
            self.with(capability, part, |lowering| {
                lowering.shared = lowering.types.get(id.0).and_then(|def| def.definition.clone());
                lowering.queue.push((id, Conjunction::of([node])));
            });
        }
        Some(id)
    }

    /// The limits that the types of each part exceed, apart from the depth, which depends on all types.
    pub(super) fn widened(&mut self) -> Widened {
        let mut widened = std::mem::take(&mut self.widened);
        for (&(index, part), state) in &self.parts {
            let exceeded = [(Limit::Repetition, state.size.is_exceeded), (Limit::Work, state.is_budget_exceeded)];
            widened.extend(exceeded.iter().filter(|(_, is)| *is).map(|(limit, _)| (index, part, *limit)));
        }
        widened
    }

    /// Lowers the types that `start` adds to the queue.
    fn with<T>(
        &mut self,
        index: usize,
        part: ContractPart,
        start: impl FnOnce(&mut Lowering<'a, '_>) -> T,
    ) -> Option<T> {
        let capability = self.names.get(index)?;
        let error = self.details.get(index, part).map(DetailsType::error);
        let PartState { schema, profiler, size, budget, is_budget_exceeded } = self.parts.get_mut(&(index, part))?;
        let (types, definitions) = (&mut self.types, &mut self.definitions);
        let (compared, widened) = (&mut self.compared, &mut self.widened);
        let (started, is_out_of_steps) = self.shared.lend(size, budget, |size, budget| {
            let mut lowering = Lowering {
                schema,
                index,
                capability,
                part,
                error,
                shared: None,
                types,
                definitions,
                reused: Reused::default(),
                depth: 0,
                compared,
                widened,
                queue: Vec::new(),
                profiler,
                size,
                budget: *budget,
            };
            let started = start(&mut lowering);
            while let Some((id, conjunction)) = lowering.queue.pop() {
                lowering.lower_definition(id, &conjunction);
            }
            *budget = lowering.budget;
            started
        });
        *is_budget_exceeded |= is_out_of_steps;
        Some(started)
    }
}
