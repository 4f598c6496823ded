//! The other names of the types of capabilities that have several versions: those with the suffix of the plain version,
//! and for each version a module in which its types have the plain names.

use std::collections::{HashMap, HashSet};

use super::writer::Writer;
use super::{doc, ident};
use crate::lower::marker_type;
use crate::model::capability_name::{CapabilityName, names_with_start};
use crate::model::{CapabilityModel, Model, SideModel};
use crate::name;

/// Writes the re-exports of all capabilities with several versions.
pub(super) fn items(writer: &mut Writer, model: &Model<'_>) {
    let mut taken: HashSet<String> = model.type_names().into_iter().map(str::to_owned).collect();
    let modules = modules(model);
    for capability in &model.capabilities {
        let CapabilityModel { name, .. } = capability;
        let names = names(model, capability);
        if let Some(suffixed) = &name.alias {
            let (own, other) = (marker_type(&name.title), marker_type(suffixed));
            let version = version_of(capability);
            for (name, alias) in names_with_start(&names, &own, &other) {
                // Another capability may have this name.
                if taken.insert(alias.clone()) {
                    writer.item();
                    writer.doc(&format!("[`{name}`] of version {version}."));
                    writer.line(&format!("pub use self::{name} as {alias};"));
                }
            }
        }
        if let Some(module_name) = modules.get(name.label.as_str()) {
            module(writer, name, module_name, &names);
        }
    }
}

/// The names of the modules, by the labels of the versions. Equal ones get a hash.
fn modules<'m>(model: &'m Model<'_>) -> HashMap<&'m str, String> {
    let versions = model.capabilities.iter().map(|capability| &capability.name);
    let versions: Vec<(&str, &str)> = versions.filter_map(|it| Some((it.label.as_str(), it.suffixed()?))).collect();
    let name = |(label, suffixed): &(&str, &str)| (name::field_name(suffixed), label.as_bytes().to_vec());
    let mut names: Vec<(String, Vec<u8>)> = versions.iter().map(name).collect();
    name::make_unique(&mut names, "_x", |_| false);
    versions.into_iter().zip(names).map(|((label, _), (name, _))| (label, name)).collect()
}

/// The module of a version, such as `book_trip_v1`.
fn module(writer: &mut Writer, name: &CapabilityName, module_name: &str, names: &[&str]) {
    writer.item();
    writer.doc(&format!(
        "The types of {} under the names that they would have as the only version.",
        doc::code(&name.label)
    ));
    writer.braced("pub mod ", &ident::escaped(module_name), |w| {
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

/// The version of a capability, as text.
fn version_of(capability: &CapabilityModel<'_>) -> String {
    capability.source.version.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The types of a capability that have its name: the marker, the errors, the sides, and the types inside them.
fn names<'m>(model: &'m Model<'_>, capability: &'m CapabilityModel<'_>) -> Vec<&'m str> {
    let mut names = vec![capability.marker.as_str()];
    for side in [&capability.request, &capability.response] {
        match side {
            SideModel::Loose(name) => names.push(name),
            SideModel::Typed(root) => names.extend(model.types_of(*root).map(|(_, def)| def.name.as_str())),
        }
    }
    // The type of the errors is generated for calls alone.
    names.extend(capability.error_names.iter().filter(|_| model.options.calls).map(|names| names.error.as_str()));
    let details = model.own_details(capability).flat_map(|root| model.types_of(root));
    names.extend(details.map(|(_, def)| def.name.as_str()));
    names
}
