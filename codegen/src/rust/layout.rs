//! The file around the items.

use capgen_manifest::Manifest;
use proc_macro2::TokenStream;
use sha2::{Digest, Sha256};

use crate::header::header;
use crate::name;

/// A file that is being written.
pub(super) struct Text {
    text: String,
    is_empty: bool,
}

impl Text {
    /// A file without items.
    pub(super) fn new(manifest: &Manifest) -> Self {
        let module = module(manifest.agent.as_str());
        let text = format!("{}{EXPORT}pub use self::{module}::*;\n\n{ATTRIBUTES}mod {module} {{\n", header(manifest));
        Self { text, is_empty: true }
    }

    /// Adds items, formatted, with an empty line between each two.
    pub(super) fn items(&mut self, items: TokenStream) {
        for item in parse(items) {
            if !std::mem::take(&mut self.is_empty) {
                self.text.push('\n');
            }
            indent(&mut self.text, &prettyplease::unparse(&item));
        }
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.text.push_str("}\n");
        self.text
    }
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

/// The items of a group, each as a file: `prettyplease` leaves no line between items.
fn parse(group: TokenStream) -> Vec<syn::File> {
    let unparsed = group.clone();
    let items = match syn::parse2::<syn::File>(group) {
        Ok(file) => file.items,
        // A fault of ours, which a compiler must see.
        Err(_) => vec![syn::Item::Verbatim(unparsed)],
    };
    items
        .into_iter()
        .map(|item| syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] })
        .collect()
}

/// Literals have their line ends escaped, so that every line is one of code.
fn indent(out: &mut String, text: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.push_str("    ");
            out.push_str(line);
        }
        out.push('\n');
    }
}

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
