//! Capabilities: marker types and the table of descriptors.

use std::borrow::Cow;

use capgen_manifest::Capability;
use capgen_schema::Schema;

use super::doc;
use super::types::Types;
use super::writer::Writer;
use crate::model::{CapabilityModel, Model, SideModel};

/// The contract's own constants.
pub(super) fn constants(writer: &mut Writer, model: &Model<'_>) {
    let texts = [
        ("The agent's id.", "pub const AGENT: &str = ", model.manifest.agent.as_str()),
        (
            "The contract's hash: SHA-256 over names, versions and schemas without annotations, in hexadecimal.",
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
    writer.doc("The descriptors of all capabilities, in the order of the contract.");
    writer.text("pub const CAPABILITIES: &[::capgen::Descriptor] = ");
    writer.never_break();
    writer.list("&[", "]", |w| {
        w.each(&model.capabilities, |w, capability| {
            w.text(&capability.marker);
            w.text("::DESCRIPTOR");
        });
    });
    writer.line(";");
}

/// The type of a side without a schema.
pub(super) fn loose(writer: &mut Writer, name: &str, side: &str, capability: &str) {
    writer.item();
    writer.doc(&format!(
        "The {side} of {}: any JSON value, because the contract has no schema for it.",
        doc::code(capability)
    ));
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
    writer.item();
    writer.text("impl ");
    writer.text(&capability.marker);
    writer.text(" ");
    writer.body(|w| {
        w.doc("The capability as the contract declares it.");
        w.text("pub const DESCRIPTOR: ::capgen::Descriptor = ");
        w.never_break();
        descriptor(w, types, capability);
        w.line(";");
    });
    writer.implement(
        |w| w.text("::capgen::Capability"),
        &capability.marker,
        |w| {
            side(w, "type Request = ", &capability.request);
            side(w, "type Response = ", &capability.response);
            w.line("const NAME: &'static str = Self::DESCRIPTOR.name;");
            w.text("fn descriptor() -> &'static ::capgen::Descriptor ");
            w.body(|w| w.line("&Self::DESCRIPTOR"));
        },
    );
}

/// An argument of a method of the descriptor.
enum Argument<'a> {
    Text(Cow<'a, str>),
    Code(String),
    Texts(&'a [String]),
}

fn descriptor(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>) {
    let source = capability.source;
    let hash = source.hash().to_string();
    let new = |w: &mut Writer| {
        w.call("::capgen::Descriptor::new", |w| {
            w.each([types.agent(), &source.name, &hash], |w, text| w.literal(text));
        });
    };
    let methods = methods(source);
    if methods.is_empty() {
        return new(writer);
    }
    writer.group(4, |w| {
        new(w);
        for (name, argument) in &methods {
            w.method(name, |w| match argument {
                Argument::Text(text) => w.literal(text),
                Argument::Code(code) => w.text(code),
                Argument::Texts(texts) => w.list("&[", "]", |w| w.each(*texts, |w, text| w.literal(text))),
            });
        }
    });
}

/// What the contract says of a capability, by the methods of `Descriptor`.
fn methods<'a>(source: &'a Capability) -> Vec<(&'static str, Argument<'a>)> {
    let text = |text: &'a Option<String>| text.as_deref().map(|text| Argument::Text(text.into()));
    let texts = |texts: &'a Vec<String>| (!texts.is_empty()).then_some(Argument::Texts(texts));
    let owned = |text: Option<String>| text.map(|text| Argument::Text(text.into()));
    let version = source.version.as_ref().map(ToString::to_string);
    let min_schema_version = source.min_schema_version.as_ref().map(ToString::to_string);
    let methods = [
        (".with_id", text(&source.id)),
        (".with_version", owned(version)),
        (".with_description", text(&source.description)),
        (".with_timeout_ms", source.timeout_ms.map(|timeout| Argument::Code(format!("{timeout}u64")))),
        (".with_idempotent", source.idempotent.map(|idempotent| Argument::Code(idempotent.to_string()))),
        (".with_since", text(&source.since)),
        (".with_skill", text(&source.skill)),
        (".with_supported_versions", texts(&source.supported_versions)),
        (".with_deprecated_versions", texts(&source.deprecated_versions)),
        (".with_min_schema_version", owned(min_schema_version)),
        (".with_tags", texts(&source.tags)),
        (".with_side_effects", source.side_effects.map(|effects| Argument::Text(effects.name().into()))),
        (".with_determinism", source.determinism.map(|class| Argument::Text(class.name().into()))),
        (".with_latency", text(&source.latency)),
        (".with_required_roles", texts(&source.required_roles)),
        (".with_required_scopes", texts(&source.required_scopes)),
        (".with_input_schema", owned(source.input.as_ref().map(Schema::canonical))),
        (".with_output_schema", owned(source.output.as_ref().map(Schema::canonical))),
    ];
    methods.into_iter().filter_map(|(name, argument)| Some((name, argument?))).collect()
}
