//! The other names of the plain version of a capability that has several versions: those with its suffix, for programs
//! that must not move to a higher version.

use std::collections::HashSet;

use super::doc;
use super::syntax::{Constant, DeclarationKind, Expression, Item, Name, Type, TypeDeclaration};
use super::types::Types;
use super::validator;
use crate::lower::marker_type;
use crate::model::capability_name::names_with_start;
use crate::model::{CapabilityModel, Model, SideModel};

/// The second names of exported items.
#[derive(Default)]
pub(super) struct Aliases {
    /// Names of types, each with its second one.
    types: Vec<(String, String)>,
    /// Names of validators, each with its second one.
    validators: Vec<(String, String)>,
}

/// The aliases of a model, none of which is `taken`, and to which they are added.
pub(super) fn aliases(model: &Model<'_>, types: &Types<'_>, taken: &mut HashSet<String>) -> Aliases {
    let mut aliases = Aliases::default();
    for capability in &model.capabilities {
        let Some(suffixed) = &capability.name.alias else { continue };
        let (own, other) = (marker_type(&capability.name.title), marker_type(suffixed));
        let mut add = |list: &mut Vec<(String, String)>, name: &str, alias: String| {
            if taken.insert(alias.clone()) {
                list.push((name.to_owned(), alias));
            }
        };
        let (all, sides) = names(model, types, capability);
        for (name, alias) in names_with_start(&all, &own, &other) {
            add(&mut aliases.types, name, alias.clone());
            if sides.contains(name) {
                let functions = validator::Names::of(name).all().into_iter().zip(validator::Names::of(&alias).all());
                functions.for_each(|(name, alias)| add(&mut aliases.validators, &name, alias));
            }
        }
    }
    aliases
}

/// The exported types of a capability, and those of them that are sides with validators.
fn names<'m>(
    model: &'m Model<'_>,
    types: &Types<'_>,
    capability: &'m CapabilityModel<'_>,
) -> (Vec<&'m str>, HashSet<&'m str>) {
    let (mut names, mut sides) = (Vec::new(), HashSet::new());
    for side in [&capability.request, &capability.response] {
        match side {
            SideModel::Loose(name) => names.push(name.as_str()),
            SideModel::Typed(root) => {
                let exported = model.types_of(*root).filter(|(id, _)| types.is_exported(*id));
                names.extend(exported.map(|(_, def)| def.name.as_str()));
                sides.insert(model[*root].name.as_str());
            }
        }
    }
    (names, sides)
}

impl Aliases {
    /// The declarations of types.
    pub(super) fn types(&self) -> impl Iterator<Item = Item> {
        self.types.iter().map(|(name, alias)| {
            let doc = doc::lines(&format!("`{name}` by the name with its version."));
            let (name, body) = (alias.clone(), Type::name(name));
            Item::Type(TypeDeclaration { doc, name, parameter: None, body, kind: DeclarationKind::Compact })
        })
    }

    /// The constants for validators. They have explicit types, without which assertions cannot be called.
    pub(super) fn constants(&self) -> impl Iterator<Item = Item> {
        self.validators.iter().map(|(name, alias)| {
            Item::Exported(Constant {
                doc: Vec::new(),
                name: alias.clone(),
                value: Expression::Name(Name::Exported(name.clone())),
                declared: Type::Of(name.clone()),
                is_inferred: false,
            })
        })
    }
}
