//! Methods that set optional properties after `new`.
//!
//! They take the value without its `Option`, and are chained. A builder type for each struct would cost more code and
//! compile time, and could not make `new` check the required properties.

use super::ident;
use super::types::Types;
use super::union_type::unboxed;
use super::writer::Writer;
use crate::model::{Field, Type};

/// Writes the setter of an optional property; `name` is the field, as an identifier. If it is merged, absent and `null`
/// are the same `None`.
pub(super) fn write(writer: &mut Writer, types: &Types<'_>, name: &str, field: &Field, is_merged: bool) {
    let (ty, has_option) = match &field.ty {
        Type::Nullable(inner) if is_merged => (inner.as_ref(), false),
        // An alias of a type with `null`.
        ty if is_merged => (ty, true),
        ty => (ty, false),
    };
    let is_nullable = !is_merged && matches!(ty, Type::Nullable(_));
    writer.doc(&format!("Sets `{}`{}.", field.ident, if is_nullable { "; `None` is `null`" } else { "" }));
    writer.line("#[must_use]");
    let parameters = |w: &mut Writer| {
        w.each(["mut self", name], |w, parameter| w.text(parameter));
        w.text(": ");
        parameter_type(w, types, ty);
    };
    writer.signature(&format!("pub fn {}", ident::setter(&field.ident)), parameters, |w| w.text("Self"));
    writer.body(|w| {
        w.assign_field(name, |w| if has_option { w.text(name) } else { w.call("Some", |w| value(w, name, ty)) });
        w.line("self");
    });
}

fn parameter_type(writer: &mut Writer, types: &Types<'_>, ty: &Type) {
    if *ty == Type::String {
        writer.text("impl ");
        writer.generic("Into", |w| w.text("String"));
    } else {
        types.write(writer, &unboxed(ty).0);
    }
}

fn value(writer: &mut Writer, name: &str, ty: &Type) {
    match ty {
        Type::String => writer.method_call(name, ".into", |_| {}),
        ty if unboxed(ty).1 => writer.call("Box::new", |w| w.text(name)),
        _ => writer.text(name),
    }
}
