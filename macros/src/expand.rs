//! From a capability to its impls. What can be a function of capgen is one, and what is said is a text: each line here is
//! compiled once a struct.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Path, Type};

use crate::ast::Subject;
use crate::generics::{demands, where_clause};
use crate::json;
use crate::valid::Declared;

/// The impls of a struct without mistakes.
pub(crate) fn expand(subject: &Subject<'_>, declared: &Declared) -> TokenStream {
    let capgen = &declared.capgen;
    let demands = demands(subject.generics, capgen);
    let declare = declare(subject, declared, &demands);
    let this = this(subject);
    let sided = sided(subject, declared, &demands, &quote!(#capgen::derive::Side::request::<#this>()));
    quote!(#declare #sided)
}

/// `impl Sided`, from which `Payload` follows where serde knows the struct.
pub(crate) fn sided(
    subject: &Subject<'_>,
    declared: &Declared,
    demands: &[TokenStream],
    side: &TokenStream,
) -> TokenStream {
    if subject.is_unit {
        return TokenStream::new();
    }
    let capgen = &declared.capgen;
    let header = header(subject, &quote!(#capgen::derive::Sided), demands);
    quote!(#header { const SIDE: #capgen::derive::Side = #side; })
}

/// The types of both sides.
pub(crate) fn sides(subject: &Subject<'_>, Declared { capgen, response, .. }: &Declared) -> TokenStream {
    let request = if subject.is_unit { quote!(#capgen::Loose) } else { this(subject).to_token_stream() };
    let loose = || quote!(type Response = #capgen::Loose;);
    let response = response.as_ref().map_or_else(loose, |ty| checked(ty, capgen));
    quote!(type Request = #request; #response)
}

/// `impl Declare`, from which `Capability` follows.
fn declare(subject: &Subject<'_>, declared: &Declared, demands: &[TokenStream]) -> TokenStream {
    let Declared { name, capgen, description, said, .. } = declared;
    let header = header(subject, &quote!(#capgen::derive::Declare), demands);
    let sides = sides(subject, declared);
    let source = subject.name.unraw().to_string();
    let text = quote!(&'static ::core::primitive::str);
    let description = description.as_ref().map(|description| quote!(const DESCRIPTION: #text = #description;));
    let said = json::object(said).map(|said| quote!(const SAID: #text = #said;));
    quote! {
        #header {
            #sides
            const NAME: #text = #name;
            const SOURCE: #text = ::core::concat!(::core::module_path!(), "::", #source);
            #description
            #said
        }
    }
}

/// `Self`, where the compiler says what the struct lacks: at its name.
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
