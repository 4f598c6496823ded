//! The impls of a capability.
//!
//! The compiler checks every token here once for each struct, so the expansion is short: everything that can be a
//! function of capgen is one. `tools/benches/compile` measures the cost.

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
    let demands = demands(subject.generics, capgen);
    let declare = declare(subject, declared, &demands);
    let this = this(subject);
    let payload =
        derived_payload(subject, declared, &demands, &quote!(#capgen::derive::SchemaSource::request::<#this>()));
    quote!(#declare #payload)
}

/// `impl DerivedPayload`, from which `Payload` follows if the struct has serde's traits.
pub(crate) fn derived_payload(
    subject: &Subject<'_>,
    declared: &Declared,
    demands: &[TokenStream],
    source: &TokenStream,
) -> TokenStream {
    if subject.is_unit {
        return TokenStream::new();
    }
    let capgen = &declared.capgen;
    let header = header(subject, &quote!(#capgen::derive::DerivedPayload), demands);
    quote!(#header { const SCHEMA: #capgen::derive::SchemaSource = #source; })
}

/// The types of the request and the response.
pub(crate) fn sides(subject: &Subject<'_>, Declared { capgen, response, .. }: &Declared) -> TokenStream {
    let request = if subject.is_unit { quote!(#capgen::Loose) } else { this(subject).to_token_stream() };
    let loose = || quote!(type Response = #capgen::Loose;);
    let response = response.as_ref().map_or_else(loose, |ty| checked(ty, capgen));
    quote!(type Request = #request; #response)
}

/// `impl Declare`, from which `Capability` follows.
fn declare(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream]) -> TokenStream {
    let Declared { name, capgen, properties, errors, .. } = declared;
    let header = header(subject, &quote!(#capgen::derive::Declare), demands);
    let sides = sides(subject, declared);
    let source = subject.name.unraw().to_string();
    let setters = properties.iter().map(|(setter, argument)| {
        let setter = Ident::new(setter, Span::call_site());
        quote!(.#setter(#argument))
    });
    let errors = errors.as_ref().map(|ty| {
        quote!(const ERRORS: &'static [#capgen::derive::ErrorSource] = <#ty as #capgen::derive::DeclareErrors>::ERRORS;)
    });
    quote! {
        #header {
            #sides
            const DESCRIPTOR: #capgen::Descriptor = #capgen::Descriptor::declared(#name)#(#setters)*;
            const SOURCE: &'static ::core::primitive::str = ::core::concat!(::core::module_path!(), "::", #source);
            #errors
        }
    }
}

/// `Self` with the span of the struct's name: there the compiler reports traits that the struct lacks.
fn this(subject: &Subject<'_>) -> Ident {
    Ident::new("Self", subject.name.span())
}

pub(crate) fn header(subject: &Subject<'_>, implemented: &TokenStream, demands: &[TokenStream]) -> TokenStream {
    let name = subject.name;
    let (parameters, arguments, _) = subject.generics.split_for_impl();
    let clause = where_clause(subject.generics, demands);
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #implemented for #name #arguments #clause
    }
}

/// `Checked<...>` for the type of the response, with the spans of that type: there the compiler reports traits that it
/// lacks.
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
