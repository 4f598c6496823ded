//! The parts of a file around its items: header, export and module.

use super::writer::Writer;
use crate::model::Model;
use crate::name;

/// A file with the items from `write`.
pub(super) fn print(header: String, model: &Model<'_>, write: impl FnOnce(&mut Writer)) -> String {
    let module = module(model.manifest.agent.as_str());
    let mut text = header;
    // The conversions of errors make them reachable for rustc, also in a private module of the user.
    let converts = model.options.calls && model.has_errors();
    let attributes = if converts { ATTRIBUTES.replacen(UNREACHABLE, UNNAMEABLE, 1) } else { ATTRIBUTES.to_owned() };
    text.push_str(&format!("{EXPORT}pub use self::{module}::*;\n\n{attributes}mod {module} {{\n"));
    let mut writer = Writer::new(text);
    write(&mut writer);
    writer.finish()
}

// Users cannot fix generated code, so their lints are turned off for it. `missing_docs` is not in the list: every item
// is documented, and an `allow` would be an error in a crate that forbids the lint.

const EXPORT: &str = "\
#[allow(
    unused_imports,
    unreachable_pub,
    clippy::allow_attributes,
    clippy::pub_use,
    clippy::wildcard_imports,
    reason = \"users cannot change generated code\"
)]
";

/// The line of the list after which files with conversions of errors have one more.
const UNREACHABLE: &str = "    unreachable_pub,\n";
const UNNAMEABLE: &str = "    unnameable_types,\n    unreachable_pub,\n";

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
    clippy::restriction,
    reason = \"users cannot change generated code\"
)]
#[rustfmt::skip]
";

/// The module's name. It is unique to the agent, so that the files of several agents can be included in one module.
fn module(agent: &str) -> String {
    let snake = name::field_name(agent);
    let module = format!("{snake}_contract");
    // Several ids have the same snake case (`a-b`, `a.b`). The plain module name belongs to the one in kebab case; the
    // others get a hash.
    if snake.replace('_', "-") == agent {
        return module;
    }
    format!("{module}_x{}", name::hash(agent.as_bytes(), 8))
}
