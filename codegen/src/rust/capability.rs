//! Capabilities: marker types and the table of descriptors.

use capgen_manifest::{OwnedDescriptor, capability_keys};
use capgen_schema::Hash;

use super::types::Types;
use super::writer::Writer;
use super::{doc, ident, schema_text};
use crate::model::{CapabilityModel, ErrorModel, Model, SideModel};

/// The constants of the whole contract: the agent's id, the hash and the descriptors.
pub(super) fn constants(writer: &mut Writer, model: &Model<'_>, types: &Types<'_>) {
    let texts = [
        ("The agent's id.", "pub const AGENT: &str = ", model.manifest.agent.as_str()),
        (
            "The contract's hash: SHA-256 over names, versions and schemas without annotations, in hexadecimal.",
            "pub const CONTRACT_HASH: &str = ",
            &model.hashes().contract.to_string(),
        ),
    ];
    for (documentation, head, text) in texts {
        writer.item();
        writer.doc(documentation);
        writer.text(head);
        writer.literal(text);
        writer.line(";");
    }
    writer.item();
    writer.doc("The descriptors of all capabilities, in the order of the contract.");
    let head = format!("pub const CAPABILITIES: &[{}] = ", types.runtime("Descriptor"));
    writer.assign(&head, |w| {
        w.list("&[", "]", |w| {
            w.each(&model.capabilities, |w, capability| {
                w.text(&capability.marker);
                w.text("::DESCRIPTOR");
            });
        });
    });
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

/// The marker type of a capability, with its descriptor and its implementation of the trait `Capability`.
pub(super) fn marker(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>, hash: &Hash) {
    let source = capability.source;
    writer.item();
    doc::write(writer, source.description.as_deref(), || {
        format!("The capability {}.", doc::code(&capability.name.label))
    });
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
    // A constant rather than a function, so that `CAPABILITIES` and constants in user code can refer to it.
    writer.braced("impl ", &capability.marker, |w| {
        w.doc(if capability.roots().next().is_some() {
            "The capability's descriptor. Its schemas have no annotations, and their keys are sorted."
        } else {
            "The capability's descriptor."
        });
        let head = format!("pub const DESCRIPTOR: {} = ", types.runtime("Descriptor"));
        w.assign(&head, |w| descriptor(w, types, capability, hash));
    });
    writer.implement(
        |w| w.text(&types.runtime("Capability")),
        &capability.marker,
        |w| {
            side(w, "type Request = ", &capability.request);
            side(w, "type Response = ", &capability.response);
            w.line("const NAME: &'static str = Self::DESCRIPTOR.name;");
            w.text(&format!("fn descriptor() -> &'static {} ", types.runtime("Descriptor")));
            w.body(|w| w.line("&Self::DESCRIPTOR"));
        },
    );
}

/// The argument of a method of `Descriptor`, as a Rust expression.
enum Argument {
    Text(String),
    Texts(Vec<String>),
    Number(u64),
    Flag(bool),
    Constant(String),
}

impl Argument {
    fn write(&self, writer: &mut Writer) {
        match self {
            Argument::Text(text) => writer.literal(text),
            Argument::Texts(texts) => writer.list("&[", "]", |w| w.each(texts, |w, text| w.literal(text))),
            Argument::Number(number) => writer.text(&number.to_string()),
            Argument::Flag(flag) => writer.text(if *flag { "true" } else { "false" }),
            Argument::Constant(name) => writer.text(name),
        }
    }
}

/// A property of a descriptor as an argument; `None` if it is absent, and its method is not called.
trait ToArgument {
    fn to_argument(self) -> Option<Argument>;
}

impl ToArgument for Option<String> {
    fn to_argument(self) -> Option<Argument> {
        self.map(Argument::Text)
    }
}

impl ToArgument for Vec<String> {
    fn to_argument(self) -> Option<Argument> {
        (!self.is_empty()).then_some(Argument::Texts(self))
    }
}

impl ToArgument for Option<u64> {
    fn to_argument(self) -> Option<Argument> {
        self.map(Argument::Number)
    }
}

impl ToArgument for Option<bool> {
    fn to_argument(self) -> Option<Argument> {
        self.map(Argument::Flag)
    }
}

macro_rules! property_methods {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The methods that set the properties apart from schemas, in the order of the table.
        fn methods(descriptor: OwnedDescriptor) -> impl Iterator<Item = (&'static str, Argument)> {
            let methods = [
                $((concat!(".", stringify!($with)), descriptor.$field.to_argument()),)*
            ];
            methods.into_iter().filter_map(|(name, argument)| Some((name, argument?)))
        }
    };
}

capability_keys!(property_methods);

/// The constants with the schemas of a capability. The descriptor refers to them.
pub(super) fn schemas(writer: &mut Writer, model: &Model<'_>, types: &Types<'_>, capability: &CapabilityModel<'_>) {
    for (part, id) in model.own_roots(capability) {
        if let Some(schema) = capability.source.schema(part) {
            writer.item();
            writer.text(&format!("const {}: &str = ", ident::schema_constant(types.name(id))));
            writer.never_break();
            writer.verbatim(&schema_text::raw_literal(&schema.canonical_json()));
            writer.line(";");
        }
    }
}

/// The statics with the schemas of a capability, which are compiled on first use.
pub(super) fn payload_schemas(
    writer: &mut Writer,
    model: &Model<'_>,
    types: &Types<'_>,
    capability: &CapabilityModel<'_>,
) {
    for (_, id) in model.own_roots(capability) {
        let root = types.name(id);
        writer.item();
        writer.assign(&format!("static {}: wire::PayloadSchema = ", ident::schema_static(root)), |w| {
            w.call("wire::PayloadSchema::new", |w| w.text(&ident::schema_constant(root)));
        });
    }
}

fn descriptor(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>, hash: &Hash) {
    let descriptor = capability.source.to_properties();
    let sides = [(".with_input_schema", &capability.request), (".with_output_schema", &capability.response)];
    let schemas = sides.into_iter().filter_map(|(name, side)| match side {
        SideModel::Typed(id) => Some((name, Argument::Constant(ident::schema_constant(types.name(*id))))),
        SideModel::Loose(_) => None,
    });
    let (name, hash) = (descriptor.name.clone(), hash.to_string());
    let new = |w: &mut Writer| {
        w.call(&types.runtime("Descriptor::new"), |w| {
            w.each([types.agent(), &name, &hash], |w, text| w.literal(text));
        });
    };
    let methods: Vec<(&str, Argument)> = methods(descriptor).chain(schemas).collect();
    if methods.is_empty() && capability.errors.is_empty() {
        return new(writer);
    }
    writer.group(4, |w| {
        new(w);
        for (name, argument) in methods {
            w.method(name, |w| argument.write(w));
        }
        if !capability.errors.is_empty() {
            w.method(".with_errors", |w| {
                w.list("&[", "]", |w| w.each(&capability.errors, |w, error| error_descriptor(w, types, error)));
            });
        }
    });
}

/// The descriptor of a declared error.
fn error_descriptor(writer: &mut Writer, types: &Types<'_>, error: &ErrorModel<'_>) {
    let source = error.source;
    let schema = error.details.map(|id| Argument::Constant(ident::schema_constant(types.name(id))));
    let methods = [
        ("description", source.description.clone().map(Argument::Text)),
        ("retryable", source.retryable.then_some(Argument::Flag(true))),
        ("status", source.status.map(|status| Argument::Number(u64::from(status)))),
        ("details_schema", schema),
    ];
    let methods: Vec<_> = methods.into_iter().filter_map(|(name, argument)| Some((name, argument?))).collect();
    let new = |w: &mut Writer| w.call(&types.runtime("ErrorDescriptor::new"), |w| w.literal(&source.code));
    if methods.is_empty() {
        return new(writer);
    }
    writer.group(4, |w| {
        new(w);
        for (name, argument) in methods {
            w.method(&format!(".with_{name}"), |w| argument.write(w));
        }
    });
}
