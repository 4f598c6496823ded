//! Codes, and with the default feature `render` sources, diagnostics and their renderers.
//!
//! This crate is the root of the workspace: every other crate, `capgen-schema` included, takes its [`Code`] from here, so
//! there is one such type. Programs that use generated code link `capgen-schema` and therefore this crate. They never
//! render a diagnostic, so everything that does is behind the feature `render`, which only the readers of contracts
//! switch on; without it the one dependency is `strsim`.
//!
//! A crate declares its codes with [`codes!`] and keeps a Markdown page for each one next to them. A program that can
//! explain codes combines the tables of all crates in an [`Explanations`].
#![forbid(unsafe_code)]

mod characters;
mod code;
mod cut;
#[cfg(feature = "render")]
mod diagnostic;
mod explanation;
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

pub use characters::{is_other_space, is_unsafe};
pub use code::{Code, Severity};
pub use cut::{cut, cut_short};
pub use explanation::{Explanation, Explanations};
pub use near::{is_typo, nearest};
pub use quote::{quoted, shortened};
pub use url::{public_text, public_url};
pub use visible::{push_json_escape, push_visible, visible, visible_json, visible_lines};

#[cfg(feature = "render")]
pub use {
    diagnostic::{Diagnostic, Label, Suggestion},
    hidden::Hidden,
    source::{Position, Source},
};
