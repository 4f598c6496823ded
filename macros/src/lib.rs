//! `#[derive(Capability)]`; `capgen` re-exports it with the feature `derive`.
//!
//! The derive declares a capability of an agent as a Rust struct: the struct is the request, its doc comment the
//! description, and serde and schemars give both schemas. [`Capability`](derive@Capability) documents every attribute.
//!
//! ```
//! use capgen::{Capability, Payload};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! /// Say hello.
//! #[derive(Serialize, Deserialize, JsonSchema, Capability)]
//! #[capability(response = String)]
//! struct Hello {
//!     name: String,
//! }
//!
//! assert_eq!(Hello::NAME, "hello");
//! assert!(Hello::from_json(br#"{"name": 1}"#).is_err());
//! ```
//!
//! # Reading order
//!
//! For contributors. The input is parsed (`ast.rs`, `attr.rs`, `value.rs`, with its documentation, generic parameters
//! and fields in files of their own) and checked by the rules of the manifest (`valid.rs`); `key.rs` lists the keys,
//! which are those of `capgen-descriptor` and four more. It expands (`expand.rs`) to impls of two hidden traits:
//! `Declare`, from which `Capability` follows, and `DerivedPayload`, from which `Payload` follows. So the compiler
//! reports a missing impl of serde or schemars in one place.
//!
//! `errors.rs` collects errors, so that all are reported at once. A struct with an error gets impls too
//! (`fallback.rs`), so that code that uses it has no further errors.
//!
//! `error_enum.rs` is `#[derive(CapabilityError)]`, an enum with the errors of a capability.
//!
//! With the feature `fleet`, `fleet.rs` reads the files of a fleet for `include_fleet!`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod ast;
mod attr;
mod doc;
mod error_enum;
mod errors;
mod expand;
mod fallback;
mod field;
#[cfg(feature = "fleet")]
mod fleet;
mod generics;
mod kebab;
mod key;
mod valid;
mod value;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use errors::Errors;

#[doc = include_str!("derive.md")]
#[proc_macro_derive(Capability, attributes(capability))]
pub fn derive_capability(input: TokenStream) -> TokenStream {
    derive(&parse_macro_input!(input as DeriveInput)).into()
}

// The example uses calls, on which this crate does not depend: `capgen-tests` tests it.
#[cfg_attr(not(doctest), doc = include_str!("error_enum.md"))]
#[proc_macro_derive(CapabilityError, attributes(capability))]
pub fn derive_capability_error(input: TokenStream) -> TokenStream {
    error_enum::derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// The text of an embedded fleet; `capgen::include_fleet!` documents it.
#[cfg(feature = "fleet")]
#[doc(hidden)]
#[proc_macro]
pub fn fleet_text(input: TokenStream) -> TokenStream {
    let paths = parse_macro_input!(input as fleet::Paths);
    // As in build scripts, paths are relative to the package, which Cargo names in this variable.
    let base = std::env::var_os("CARGO_MANIFEST_DIR").map(std::path::PathBuf::from).unwrap_or_default();
    fleet::expand(&base, &paths).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn derive(input: &DeriveInput) -> proc_macro2::TokenStream {
    let mut errors = Errors::default();
    let (subject, entries) = ast::read(input, &mut errors);
    let declared = valid::check(&subject, entries, &mut errors);
    match errors.finish() {
        None => expand::expand(&subject, &declared),
        Some(error) => fallback::expand(&subject, &declared, &error),
    }
}

#[cfg(test)]
mod tests {
    use capgen_testkit::Random;

    use super::*;

    const WORDS: &[&str] = &[
        "name",
        "timeout_ms",
        "idempotent",
        "tags",
        "response",
        "crate",
        "since",
        "side_effects",
        "r#name",
        "nmae",
        "=",
        "=",
        "=",
        ",",
        ",",
        ",",
        "-",
        "<",
        ">",
        "->",
        "::",
        ":",
        "?",
        "#",
        "'a",
        "&",
        "*",
        "+",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"\"",
        "\"a b\"",
        "\"pure\"",
        "b\"a\"",
        "'c'",
        "1",
        "-1",
        "0x1F",
        "1.5e3",
        "1u8",
        "99999999999999999999",
        "true",
        "self",
        "Self",
        "dyn",
        "impl",
        "fn",
        "for",
        "_",
        "ü",
        "Vec<u8>",
        "\"1.2\"",
        "[\"a\"]",
        "Review",
    ];

    #[test]
    fn no_attribute_makes_the_derive_panic() {
        let mut random = Random::new(1);
        let mut parsed = 0;
        for _ in 0..5_000 {
            let words: Vec<&str> = (0..random.below(14)).map(|_| random.pick(WORDS)).collect();
            let text = format!("#[capability({})] struct ReviewPr<T: JsonSchema>(T);", words.join(" "));
            let Ok(input) = syn::parse_str::<DeriveInput>(&text) else { continue };
            parsed += 1;
            assert!(!derive(&input).is_empty(), "{text}");
        }
        assert!(parsed > 500, "{parsed}");
    }
}
