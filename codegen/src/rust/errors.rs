//! The errors of calls: an enum for each capability that declares some.

use std::borrow::Cow;

use super::types::Types;
use super::writer::Writer;
use super::{doc, ident};
use crate::model::{CapabilityModel, ErrorModel, Model};

/// The variant for all failures that are not declared.
const OTHER: &str = "Other";

/// Writes the enums of all capabilities.
pub(super) fn items(writer: &mut Writer, model: &Model<'_>, types: &Types<'_>) {
    for capability in &model.capabilities {
        if let Some(names) = &capability.error_names {
            item(writer, types, capability, &names.error);
        }
    }
}

fn item(writer: &mut Writer, types: &Types<'_>, capability: &CapabilityModel<'_>, name: &str) {
    let failure = types.runtime("call::Failure");
    writer.item();
    writer.doc(&format!("Why {} failed.", doc::code(&capability.name.label)));
    writer.line("#[derive(Debug, Clone, PartialEq)]");
    writer.line("#[non_exhaustive]");
    writer.braced("pub enum ", name, |w| {
        for error in &capability.errors {
            doc::write(w, error.source.description.as_deref(), || {
                format!("The error {}.", doc::code(&error.source.code))
            });
            w.text(&variant(error));
            if let Some(details) = error.details {
                w.text(&format!("({})", types.name(details)));
            }
            w.line(",");
        }
        w.doc("Any other failure: its code is not declared, or its details violate their schema.");
        w.line(&format!("{OTHER}({failure}),"));
    });
    writer.macro_item(&types.runtime("call::declared_errors"), |w| {
        w.each([name, &capability.marker], |w, argument| w.text(argument));
        for error in &capability.errors {
            w.comma();
            w.literal(&error.source.code);
            w.comma();
            w.text(&variant(error));
            if let Some(details) = error.details {
                w.text(&format!("({})", types.name(details)));
            }
        }
    });
}

/// The variant of an error. The one for other failures has its name in every enum.
fn variant<'e>(error: &'e ErrorModel<'_>) -> Cow<'e, str> {
    match error.ident.as_str() {
        OTHER => Cow::Owned(format!("{OTHER}_")),
        ident => ident::escaped(ident),
    }
}
