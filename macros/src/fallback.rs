//! The impls of a struct with a mistake, so that the mistake is the only error: what uses the capability still compiles.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Subject;
use crate::expand::{header, sided, sides};
use crate::valid::Declared;

/// The error, and impls that are never called.
pub(crate) fn expand(subject: &Subject<'_>, declared: &Declared, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    let Declared { name, capgen, response, .. } = declared;
    // With a lifetime before it, a bound that does not hold is no error of its own (rust-lang/rust#48214).
    let mut demands = vec![quote!(for<'__capgen> Self: #capgen::derive::Serialize + #capgen::derive::DeserializeOwned)];
    demands.extend(response.as_ref().map(|ty| quote!(for<'__capgen> #capgen::Checked<#ty>: #capgen::Payload)));
    let never = quote!(::core::unreachable!());
    let header = header(subject, &quote!(#capgen::Capability), &demands);
    let sides = sides(subject, declared);
    let sided = sided(subject, declared, &demands, &never);
    quote! {
        #error
        #header {
            #sides
            const NAME: &'static ::core::primitive::str = #name;
            fn descriptor() -> &'static #capgen::Descriptor {
                #never
            }
        }
        #sided
    }
}
