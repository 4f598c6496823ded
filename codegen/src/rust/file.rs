//! The file around the items.

use sha2::{Digest, Sha256};

use super::writer::Writer;
use crate::header::header;
use crate::model::Model;
use crate::name;

/// A file with the items that `write` writes.
pub(super) fn print(model: &Model<'_>, write: impl FnOnce(&mut Writer)) -> String {
    let module = module(model.manifest.agent.as_str());
    let mut text = header(model);
    text.push_str(&format!("{EXPORT}pub use self::{module}::*;\n\n{ATTRIBUTES}mod {module} {{\n"));
    let mut writer = Writer::new(text);
    write(&mut writer);
    let mut text = writer.finish();
    text.push_str("}\n");
    text
}

// What a user's lints would say of generated code is not for the user to mend. `missing_docs` is not allowed, as nothing is
// undocumented and a user may forbid it.

const EXPORT: &str = "\
#[allow(
    unused_imports,
    unreachable_pub,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::pub_use,
    clippy::wildcard_imports
)]
";

const ATTRIBUTES: &str = "\
#[allow(
    future_incompatible,
    let_underscore,
    missing_copy_implementations,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    unused,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    warnings,
    clippy::all,
    clippy::cargo,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
#[rustfmt::skip]
";

/// The module's name: no other agent has it, so that the files of several can be included in one place.
fn module(agent: &str) -> String {
    let snake = name::field_name(agent);
    let module = format!("{snake}_contract");
    if snake.replace('_', "-") == agent {
        return module;
    }
    let digits: String = Sha256::digest(agent).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{module}_x{digits}")
}
