//! The other names of the types of capabilities that have several versions: those with the suffix of the plain version,
//! and for each version a module in which its types have the plain names.

use std::collections::HashSet;

use super::writer::Writer;
use super::{doc, ident};
use crate::lower::marker_type;
use crate::model::capability_name::{CapabilityName, names_with_start};
use crate::model::{CapabilityModel, Model, SideModel};
use crate::name;

/// Writes the re-exports of all capabilities with several versions.
pub(super) fn items(writer: &mut Writer, model: &Model<'_>) {
    let mut taken: HashSet<String> = model.type_names().into_iter().map(str::to_owned).collect();
    for capability in &model.capabilities {
        let CapabilityModel { name, .. } = capability;
        let names = names(model, capability);
        if let Some(suffixed) = &name.alias {
            let (own, other) = (marker_type(&name.title), marker_type(suffixed));
            for (name, alias) in names_with_start(&names, &own, &other) {
                // Another capability may have this name.
                if taken.insert(alias.clone()) {
                    writer.item();
                    writer.doc(&format!("[`{name}`] by the name that it keeps when a higher version is added."));
                    writer.line(&format!("pub use self::{name} as {alias};"));
                }
            }
        }
        if let Some(suffixed) = name.suffixed() {
            module(writer, name, suffixed, &names);
        }
    }
}

/// The module of a version, such as `book_trip_v1`.
fn module(writer: &mut Writer, name: &CapabilityName, suffixed: &str, names: &[&str]) {
    writer.item();
    writer.doc(&format!(
        "The types of {} under the names that they would have as the only version.",
        doc::code(&name.label)
    ));
    writer.braced("pub mod ", &ident::escaped(&name::field_name(suffixed)), |w| {
        w.first_item();
        let (own, plain) = (marker_type(&name.title), marker_type(&name.name));
        for (name, alias) in names_with_start(names, &own, &plain) {
            w.item();
            w.line(&match name == alias {
                true => format!("pub use super::{name};"),
                false => format!("pub use super::{name} as {alias};"),
            });
        }
    });
}

/// The types of a capability that have its name: the marker, the sides, and the types inside them.
fn names<'m>(model: &'m Model<'_>, capability: &'m CapabilityModel<'_>) -> Vec<&'m str> {
    let mut names = vec![capability.marker.as_str()];
    for side in [&capability.request, &capability.response] {
        match side {
            SideModel::Loose(name) => names.push(name),
            SideModel::Typed(root) => names.extend(model.types_of(*root).map(|(_, def)| def.name.as_str())),
        }
    }
    names
}
