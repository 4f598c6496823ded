//! From a capability to its impls. What can be a function of capgen is one: each line here is compiled once a struct.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Path, Type};

use crate::ast::Subject;
use crate::generics::{demands, where_clause};
use crate::valid::Declared;

/// The impls of a struct without mistakes.
pub(crate) fn expand(subject: &Subject<'_>, declared: &Declared) -> TokenStream {
    let capgen = &declared.capgen;
    let derived = if subject.generics.params.is_empty() {
        quote! {
            static __DERIVED: #capgen::derive::Slot = #capgen::derive::Slot::new();
            __DERIVED.get_or_init::<Self>()
        }
    } else {
        // A static in a generic function is one for all of its instances.
        quote!(#capgen::derive::generic::<Self>())
    };
    let this = this(subject);
    let side = quote!(#capgen::derive::Side::request::<#this>());
    impls(subject, declared, &demands(subject.generics, capgen), &derived, &side)
}

/// All impls, with a body for `Declare::derived` and a value for `Sided::SIDE`.
pub(crate) fn impls(
    subject: &Subject<'_>,
    declared: &Declared,
    demands: &[TokenStream],
    derived: &TokenStream,
    side: &TokenStream,
) -> TokenStream {
    let capability = capability(subject, declared, demands);
    let declare = declare(subject, declared, demands, derived);
    let sided = (!subject.is_unit).then(|| sided(subject, declared, demands, side));
    quote!(#capability #declare #sided)
}

/// `impl Capability`.
fn capability(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream]) -> TokenStream {
    let Declared { name, capgen, response, .. } = declared;
    let header = header(subject, &quote!(#capgen::Capability), demands);
    let request = if subject.is_unit { quote!(#capgen::Loose) } else { this(subject).to_token_stream() };
    let response = response.as_ref().map_or_else(|| quote!(#capgen::Loose), |ty| checked(ty, capgen));
    quote! {
        #header {
            type Request = #request;
            type Response = #response;
            const NAME: &'static ::core::primitive::str = #name;
            fn descriptor() -> &'static #capgen::Descriptor {
                <Self as #capgen::derive::Declare>::derived().descriptor()
            }
            fn contract() -> #capgen::derive::Contract {
                <Self as #capgen::derive::Declare>::derived().contract()
            }
        }
    }
}

/// `impl Declare`.
fn declare(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream], derived: &TokenStream) -> TokenStream {
    let Declared { name, capgen, calls, .. } = declared;
    let header = header(subject, &quote!(#capgen::derive::Declare), demands);
    let source = subject.name.unraw().to_string();
    quote! {
        #header {
            const DECLARED: #capgen::Descriptor = #capgen::Descriptor::declared(#name) #(#calls)*;
            const SOURCE: &'static ::core::primitive::str = ::core::concat!(::core::module_path!(), "::", #source);
            fn derived() -> &'static #capgen::derive::Derived {
                #derived
            }
        }
    }
}

/// `impl Sided`, from which `Payload` follows where serde knows the struct.
fn sided(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream], side: &TokenStream) -> TokenStream {
    let capgen = &declared.capgen;
    let header = header(subject, &quote!(#capgen::derive::Sided), demands);
    quote!(#header { const SIDE: #capgen::derive::Side = #side; })
}

/// `Self`, where the compiler says what the struct lacks: at its name.
fn this(subject: &Subject<'_>) -> Ident {
    Ident::new("Self", subject.name.span())
}

fn header(subject: &Subject<'_>, implemented: &TokenStream, demands: &[TokenStream]) -> TokenStream {
    let name = subject.name;
    let (parameters, arguments, _) = subject.generics.split_for_impl();
    let clause = where_clause(subject.generics, demands);
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #implemented for #name #arguments #clause
    }
}

/// The response's type, with the place of what was written, for what the compiler says of it.
fn checked(ty: &Type, capgen: &Path) -> TokenStream {
    let tokens: Vec<TokenTree> = ty.to_token_stream().into_iter().collect();
    let place = |token: Option<&TokenTree>| token.map_or_else(Span::call_site, TokenTree::span);
    let open = located(quote!(#capgen::Checked<), place(tokens.first()));
    let close = located(quote!(>), place(tokens.last()));
    quote!(#open #ty #close)
}

fn located(tokens: TokenStream, place: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}
