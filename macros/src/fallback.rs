//! The impls of a struct with an error, so that the error is the only one: code that uses the capability still
//! compiles.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Subject;
use crate::expand::{derived_payload, header, sides};
use crate::valid::Declared;

/// The error, and impls that nothing calls.
pub(crate) fn expand(subject: &Subject<'_>, declared: &Declared, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    let Declared { name, capgen, response, .. } = declared;
    // An unsatisfied bound without parameters is an error; with a lifetime, it is not (rust-lang/rust#48214).
    let mut demands = vec![quote!(for<'__capgen> Self: #capgen::derive::Serialize + #capgen::derive::DeserializeOwned)];
    demands.extend(response.as_ref().map(|ty| quote!(for<'__capgen> #capgen::Checked<#ty>: #capgen::Payload)));
    let never = quote!(::core::unreachable!());
    let header = header(subject, &quote!(#capgen::Capability), &demands);
    let sides = sides(subject, declared);
    let payload = derived_payload(subject, declared, &demands, &never);
    quote! {
        #error
        #header {
            #sides
            const NAME: &'static ::core::primitive::str = #name;
            fn descriptor() -> &'static #capgen::Descriptor {
                #never
            }
        }
        #payload
    }
}
