//! Capabilities: marker types and the table of descriptors.

use super::doc;
use super::types::Types;
use super::writer::Writer;
use crate::model::{CapabilityModel, Model, SideModel};

/// The contract's own constants.
pub(super) fn constants(writer: &mut Writer, model: &Model<'_>) {
    let texts = [
        ("The id of the agent.", "pub const AGENT: &str = ", model.manifest.agent.as_str()),
        (
            "SHA-256 of what callers rely on, in hexadecimal.",
            "pub const CONTRACT_HASH: &str = ",
            &model.hash.to_string(),
        ),
    ];
    for (what, head, text) in texts {
        writer.item();
        writer.doc(what);
        writer.text(head);
        writer.literal(text);
        writer.line(";");
    }
    writer.item();
    writer.doc("Every capability of the agent.");
    writer.text("pub const CAPABILITIES: &[::capgen::Descriptor] = ");
    writer.hold();
    writer.list("&[", "]", |w| {
        w.each(&model.capabilities, |w, capability| {
            w.text("<");
            w.text(&capability.marker);
            w.text(" as ::capgen::Capability>::DESCRIPTOR");
        });
    });
    writer.line(";");
}

/// The type of a side without a schema.
pub(super) fn loose(writer: &mut Writer, name: &str, side: &str, capability: &str) {
    writer.item();
    writer.doc(&format!("The {side} of {}: any JSON value, as it has no schema.", doc::code(capability)));
    writer.line(&format!("pub type {name} = ::serde_json::Value;"));
}

pub(super) fn marker(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>) {
    let source = capability.source;
    writer.item();
    doc::write(writer, source.description.as_deref(), || format!("The capability {}.", doc::code(&source.name)));
    writer.line("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]");
    writer.line(&format!("pub struct {};", capability.marker));
    let side = |writer: &mut Writer, head: &str, side: &SideModel| {
        writer.text(head);
        writer.text(match side {
            SideModel::Loose(name) => name,
            SideModel::Typed(id) => types.name(*id),
        });
        writer.line(";");
    };
    writer.implement(
        |w| w.text("::capgen::Capability"),
        &capability.marker,
        |w| {
            side(w, "type Request = ", &capability.request);
            side(w, "type Response = ", &capability.response);
            w.text("const DESCRIPTOR: ::capgen::Descriptor = ");
            w.hold();
            descriptor(w, types, capability);
            w.line(";");
        },
    );
}

fn descriptor(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>) {
    let source = capability.source;
    let hash = source.hash().to_string();
    let new = |w: &mut Writer| {
        w.call("::capgen::Descriptor::new", |w| {
            w.each([types.agent(), &source.name, &hash], |w, text| w.literal(text));
        });
    };
    let version = source.version.as_ref().map(ToString::to_string);
    let timeout = source.timeout_ms.map(|timeout| format!("{timeout}u64"));
    let idempotent = source.idempotent.map(|idempotent| if idempotent { "true" } else { "false" });
    let schemas = [&source.input, &source.output].map(|schema| schema.as_ref().map(|schema| schema.canonical()));
    let [input, output] = &schemas;
    let methods = [
        (".with_version", version.as_deref(), true),
        (".with_description", source.description.as_deref(), true),
        (".with_timeout_ms", timeout.as_deref(), false),
        (".with_idempotent", idempotent, false),
        (".with_since", source.since.as_deref(), true),
        (".with_input_schema", input.as_deref(), true),
        (".with_output_schema", output.as_deref(), true),
    ];
    if methods.iter().all(|(_, argument, _)| argument.is_none()) {
        return new(writer);
    }
    writer.group(4, |w| {
        new(w);
        for (name, argument, is_text) in methods {
            if let Some(argument) = argument {
                w.method(name, |w| if is_text { w.literal(argument) } else { w.text(argument) });
            }
        }
    });
}
