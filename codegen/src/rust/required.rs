//! The constructors of records: which properties they ask for, and whether their arguments have names.
//!
//! The order of arguments must never matter. Callers compile again after each change of the file, and a provider that
//! sorts its properties, or renames one, would otherwise make each caller pass one property in the place of another.
//! Comparing the types of the arguments is not enough: `parse()`, `into()` and numbers fit several types. So only a
//! single argument has no name.

use std::collections::HashMap;

use crate::model::{Field, Member, Model, Record, Shape, Type, TypeDef};
use crate::name;

impl Model<'_> {
    /// The properties that a program has to give to create a record: those that are required, without those that have
    /// one value only.
    pub(crate) fn arguments<'r>(&self, record: &'r Record) -> Vec<&'r Field> {
        record.fields.iter().filter(|field| field.required && self.constant(&field.ty).is_none()).collect()
    }

    /// The enum with one value that a type resolves to, and this value.
    pub(crate) fn constant(&self, ty: &Type) -> Option<(&TypeDef, &Member)> {
        let mut ty = ty;
        loop {
            let Type::Named { id, boxed: false } = ty else { return None };
            let def = &self[*id];
            match &def.shape {
                Shape::Alias { target, distinct: false, .. } => ty = target,
                _ => return Some((def, def.constant()?)),
            }
        }
    }

    /// The names of the structs that have the arguments of a constructor as fields, by the name of the type that they
    /// create. Only records whose constructors have several arguments have one.
    ///
    /// They never change the name of a type: a name that a type has already gets a hash.
    pub(crate) fn required_names(&self) -> HashMap<&str, String> {
        let has_several = |def: &&TypeDef| match &def.shape {
            Shape::Record(record) => self.arguments(record).len() > 1,
            _ => false,
        };
        let types: Vec<&TypeDef> = self.types.iter().filter(has_several).collect();
        let name = |def: &&TypeDef| (name::nested(def.name.trim_end_matches('_'), "Required"), def.identity(&def.name));
        let mut names: Vec<(String, Vec<u8>)> = types.iter().map(name).collect();
        let taken = self.type_names();
        name::make_unique(&mut names, "X", |name| taken.contains(name));
        types.into_iter().map(|def| def.name.as_str()).zip(names.into_iter().map(|(name, _)| name)).collect()
    }
}
