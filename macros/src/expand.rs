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
    let Declared { name, capgen, calls, .. } = declared;
    let (type_name, source) = (subject.name, subject.name.unraw().to_string());
    let descriptor = quote!(#capgen::Descriptor::declared(#name) #(#calls)*);
    let source = quote!(::core::concat!(::core::module_path!(), "::", #source));
    let is_generic = !subject.generics.params.is_empty();
    let slot = if is_generic {
        // A static would be one for all instances.
        quote!(#capgen::derive::generic::<Self>(#descriptor, #source))
    } else {
        quote!(__SLOT)
    };
    let item = (!is_generic).then(|| {
        quote!(static __SLOT: #capgen::derive::Slot = #capgen::derive::Slot::of::<#type_name>(#descriptor, #source);)
    });
    let this = this(subject);
    let side = quote!(#capgen::derive::Side::request::<#this>());
    let bodies = Bodies { descriptor: quote!(#slot.descriptor()), contract: quote!(#slot.contract()), side };
    let impls = impls(subject, declared, &demands(subject.generics, capgen), &bodies);
    quote! {
        #[allow(deprecated)]
        const _: () = {
            #item
            #impls
        };
    }
}

/// What stands in the impls.
pub(crate) struct Bodies {
    pub(crate) descriptor: TokenStream,
    pub(crate) contract: TokenStream,
    pub(crate) side: TokenStream,
}

/// All impls.
pub(crate) fn impls(
    subject: &Subject<'_>,
    declared: &Declared,
    demands: &[TokenStream],
    bodies: &Bodies,
) -> TokenStream {
    let capability = capability(subject, declared, demands, bodies);
    let sided = (!subject.is_unit).then(|| sided(subject, declared, demands, bodies));
    quote!(#capability #sided)
}

/// `impl Capability`.
fn capability(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream], bodies: &Bodies) -> TokenStream {
    let Declared { name, capgen, response, .. } = declared;
    let Bodies { descriptor, contract, .. } = bodies;
    let header = header(subject, &quote!(#capgen::Capability), demands);
    let request = if subject.is_unit { quote!(#capgen::Loose) } else { this(subject).to_token_stream() };
    let loose = || quote!(type Response = #capgen::Loose;);
    let response = response.as_ref().map_or_else(loose, |ty| checked(ty, capgen));
    quote! {
        #header {
            type Request = #request;
            #response
            const NAME: &'static ::core::primitive::str = #name;
            fn descriptor() -> &'static #capgen::Descriptor {
                #descriptor
            }
            fn contract() -> #capgen::derive::Contract {
                #contract
            }
        }
    }
}

/// `impl Sided`, from which `Payload` follows where serde knows the struct.
fn sided(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream], bodies: &Bodies) -> TokenStream {
    let (capgen, side) = (&declared.capgen, &bodies.side);
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
        impl #parameters #implemented for #name #arguments #clause
    }
}

/// The type of a response that is checked, at the place of what was written: there the compiler says what is wrong with it.
fn checked(ty: &Type, capgen: &Path) -> TokenStream {
    let tokens: Vec<TokenTree> = ty.to_token_stream().into_iter().collect();
    let place = |token: Option<&TokenTree>| token.map_or_else(Span::call_site, TokenTree::span);
    let open = located(quote!(type Response = #capgen::Checked<), place(tokens.first()));
    let close = located(quote!(>;), place(tokens.last()));
    quote!(#open #ty #close)
}

fn located(tokens: TokenStream, place: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}
