//! Codes, and with the default feature `render` sources, findings and their renderers.
//!
//! This crate is the root of the workspace: every other crate, `capgen-schema` included, takes its [`Code`] from here,
//! so there is one such type. Programs that use generated code link `capgen-schema` and therefore this crate. They
//! never render a finding, so everything that does is behind the feature `render`, which only the readers of contracts
//! switch on; without it the one dependency is `strsim`.
//!
//! A crate declares its codes with [`codes!`] and keeps a Markdown page for each one next to them. A program that can
//! explain codes combines the tables of all crates in an [`Explanations`].
//!
//! ```
//! # #[cfg(feature = "render")] {
//! use capgen_diagnostic::{Code, Diagnostic, Source, render};
//!
//! let source = Source::new("capabilities.yaml", "version: 2\n");
//! let finding = Diagnostic::new(Code::new("E0204"), "unsupported version").at(&source, 9..10, "must be 1");
//! assert!(render::human(&[finding], false).contains("--> capabilities.yaml:1:10"));
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `code.rs` is the type of a code, with the macro that declares the codes of a crate beside their
//! pages; `explanation.rs` combines the pages of all crates. `source.rs` is a text with its lines, and `diagnostic.rs`
//! a finding: its labels and suggested edits may lie in any number of sources.
//!
//! `applicability.rs` distinguishes edits that are certain, and `fix.rs` applies them.
//!
//! `render/` has one file for each format, and the rules that all formats follow. Findings quote text that may come
//! from anyone, so no renderer displays it as it is: characters that steer a terminal are escaped, and the parts of a
//! source that may be secret are left out. A source states which parts these are; the renderers only ask it.
//!
//! The other files are small helpers for every crate: names that are nearly the expected ones ("did you mean"), quoting
//! untrusted text in a message, and the part of a URL that may be displayed.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod applicability;
mod characters;
mod code;
mod cut;
#[cfg(feature = "render")]
mod diagnostic;
mod explanation;
#[cfg(feature = "render")]
pub mod fix;
#[cfg(feature = "render")]
mod hidden;
mod near;
mod quote;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod source;
mod url;
mod visible;
mod xml;

pub use applicability::Applicability;
pub use characters::{is_other_space, is_unsafe};
pub use code::{Code, Severity};
pub use cut::{cut, cut_short};
pub use explanation::{Explanation, Explanations};
pub use near::{is_typo, nearest, similar};
pub use quote::{quoted, shortened};
pub use url::{public_text, public_url};
pub use visible::{push_json_escape, push_visible, visible, visible_json, visible_lines};
pub use xml::{xml_attribute, xml_text};

#[cfg(feature = "render")]
pub use {
    diagnostic::{Diagnostic, Label, Suggestion},
    hidden::Hidden,
    source::{Position, Source},
};
