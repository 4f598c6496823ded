//! The other names of the plain version of a capability that has several versions: those with its suffix, for programs
//! that must not move to a higher version.

use std::collections::{HashMap, HashSet};

use super::names::lower_first;
use super::syntax::{Constant, DeclarationKind, Expression, Item, Name, Type, TypeDeclaration};
use super::types::Types;
use super::validator;
use super::{doc, errors};
use crate::lower::marker_type;
use crate::model::capability_name::names_with_start;
use crate::model::{CapabilityModel, Model, SideModel, TypeId};

/// The second names of exported items.
#[derive(Default)]
pub(super) struct Aliases {
    /// Names of types, each with its second one.
    types: Vec<(String, String)>,
    /// Names of functions and constants, each with its second one.
    values: Vec<(String, String)>,
    /// The names of all types of the plain versions, also of those that are not exported, with their second ones.
    renamed: HashMap<String, String>,
}

/// The aliases of a model, none of which is `taken`, and to which they are added.
pub(super) fn aliases(model: &Model<'_>, types: &Types<'_>, taken: &mut HashSet<String>) -> Aliases {
    let mut aliases = Aliases::default();
    for capability in &model.capabilities {
        let Some(suffixed) = &capability.name.alias else { continue };
        let (own, other) = (marker_type(&capability.name.title), marker_type(suffixed));
        let Names { all, exported, roots } = names(model, types, capability);
        // Another type, such as that of a definition, may have a second name. Then nothing about this type has one.
        let renamed = names_with_start(&all, &own, &other).into_iter().filter(|(_, alias)| !taken.contains(alias));
        let renamed: Vec<(&str, String)> = renamed.collect();
        for (name, alias) in renamed {
            if exported.contains(name) && taken.insert(alias.clone()) {
                aliases.types.push((name.to_owned(), alias.clone()));
            }
            if roots.contains(name) {
                for (name, alias) in
                    validator::Names::of(name).all().into_iter().zip(validator::Names::of(&alias).all())
                {
                    if taken.insert(alias.clone()) {
                        aliases.values.push((name, alias));
                    }
                }
            }
            // A class is a type and a value.
            if Some(name) == errors::class(model, capability) && taken.insert(alias.clone()) {
                aliases.types.push((name.to_owned(), alias.clone()));
                aliases.values.push((name.to_owned(), alias.clone()));
            }
            aliases.renamed.insert(name.to_owned(), alias);
        }
    }
    aliases
}

/// The types of a capability.
struct Names<'m> {
    /// All of them.
    all: Vec<&'m str>,
    /// Those that have a name in the output.
    exported: HashSet<&'m str>,
    /// Those that have validators: sides and details of errors.
    roots: HashSet<&'m str>,
}

impl<'m> Names<'m> {
    /// Adds the types of a part.
    fn add(&mut self, model: &'m Model<'_>, types: &Types<'_>, root: TypeId) {
        for (id, def) in model.types_of(root) {
            self.all.push(&def.name);
            if types.is_exported(id) {
                self.exported.insert(&def.name);
            }
        }
        self.roots.insert(&model[root].name);
    }
}

fn names<'m>(model: &'m Model<'_>, types: &Types<'_>, capability: &'m CapabilityModel<'_>) -> Names<'m> {
    let mut names = Names { all: Vec::new(), exported: HashSet::new(), roots: HashSet::new() };
    for side in [&capability.request, &capability.response] {
        match side {
            SideModel::Loose(name) => {
                names.all.push(name);
                names.exported.insert(name);
            }
            SideModel::Typed(root) => names.add(model, types, *root),
        }
    }
    model.own_details(capability).for_each(|root| names.add(model, types, root));
    names.all.extend(errors::class(model, capability));
    names.all.extend(errors::types(model, capability));
    names.exported.extend(errors::types(model, capability));
    names
}

impl Aliases {
    /// Adds the second name of a function or constant about a type: its name starts with `start` and the name of the
    /// type, or with that name in lower case if `start` is empty.
    pub(super) fn add_value(&mut self, (start, ty): (&str, &str), name: &str, taken: &mut HashSet<String>) {
        let beginning = |ty: &str| if start.is_empty() { lower_first(ty) } else { format!("{start}{ty}") };
        let rest = name.strip_prefix(&beginning(ty));
        let alias = self.renamed.get(ty).zip(rest).map(|(other, rest)| beginning(other) + rest);
        if let Some(alias) = alias {
            self.add(name, alias, taken);
        }
    }

    /// Adds the second name of a function or constant, unless it is taken.
    pub(super) fn add(&mut self, name: &str, alias: String, taken: &mut HashSet<String>) {
        if taken.insert(alias.clone()) {
            self.values.push((name.to_owned(), alias));
        }
    }

    /// The declarations of types.
    pub(super) fn types(&self) -> impl Iterator<Item = Item> {
        self.types.iter().map(|(name, alias)| {
            let doc = doc::lines(&format!("`{name}` by the name with its version."));
            let (name, body) = (alias.clone(), Type::name(name));
            Item::Type(TypeDeclaration { doc, name, parameter: None, body, kind: DeclarationKind::Compact })
        })
    }

    /// The constants for functions and constants. They have explicit types, without which assertions cannot be called.
    pub(super) fn constants(&self) -> impl Iterator<Item = Item> {
        self.values.iter().map(|(name, alias)| {
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
