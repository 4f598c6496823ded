//! `#[derive(Capability)]`; `capgen` re-exports it with the feature `derive`.
//!
//! What was written (`ast`, `attr`) is held against the rules of the manifest (`valid`) and becomes impls of two traits
//! (`expand`): `Capability`, and the hidden `Sided`, from which `Payload` follows, so that there is one place where the compiler
//! says what a struct lacks. A struct with a mistake gets impls as well (`fallback`), so that what uses it has no errors of
//! its own.
#![forbid(unsafe_code)]

mod ast;
mod attr;
mod doc;
mod errors;
mod expand;
mod fallback;
mod generics;
mod kebab;
mod key;
mod near;
mod valid;
mod value;
mod version;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use errors::Errors;

#[doc = include_str!("derive.md")]
#[proc_macro_derive(Capability, attributes(capability))]
pub fn derive_capability(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let mut errors = Errors::default();
    let (subject, entries) = ast::read(&input, &mut errors);
    let declared = valid::check(&subject, entries, &mut errors);
    let tokens = match errors.finish() {
        None => expand::expand(&subject, &declared),
        Some(error) => fallback::expand(&subject, declared, &error),
    };
    tokens.into()
}
