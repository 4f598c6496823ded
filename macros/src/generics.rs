//! The generic parameters of a struct.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{GenericParam, Generics, Path, Type, TypeParam, TypeParamBound, WherePredicate};

use crate::errors::Errors;

/// Rejects lifetimes, and type parameters without a bound by `JsonSchema`.
pub(crate) fn check(generics: &Generics, errors: &mut Errors) {
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(parameter) => errors.at(
                &parameter.lifetime,
                "a request must own its data, so it cannot have a lifetime: use `String` or `Cow<'static, str>`",
            ),
            GenericParam::Type(parameter) if !has_schema(parameter, generics) => {
                let name = &parameter.ident;
                errors
                    .at(name, format!("missing bound on a type parameter of a capability: write `{name}: JsonSchema`"));
            }
            GenericParam::Type(_) | GenericParam::Const(_) => {}
        }
    }
}

fn has_schema(parameter: &TypeParam, generics: &Generics) -> bool {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let elsewhere = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) if is(&predicate.bounded_ty, &parameter.ident) => Some(&predicate.bounds),
        _ => None,
    });
    std::iter::once(&parameter.bounds).chain(elsewhere).flatten().any(is_json_schema)
}

fn is(ty: &Type, name: &Ident) -> bool {
    matches!(ty, Type::Path(path) if path.qself.is_none() && path.path.is_ident(name))
}

fn is_json_schema(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|segment| segment.ident == "JsonSchema")
}

/// The bounds of the impls on each type parameter, in addition to `JsonSchema`. They are not required on the struct
/// itself: there, serde's traits as bounds would conflict with serde's derive.
pub(crate) fn demands(generics: &Generics, capgen: &Path) -> Vec<TokenStream> {
    let demand = |parameter: &TypeParam| {
        let name = &parameter.ident;
        quote!(#name: #capgen::derive::Serialize + #capgen::derive::DeserializeOwned + 'static)
    };
    generics.type_params().map(demand).collect()
}

/// The `where` clause of the struct with the bounds added; empty without predicates.
pub(crate) fn where_clause(generics: &Generics, demands: &[TokenStream]) -> TokenStream {
    let written = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut predicates: Vec<TokenStream> = written.map(|predicate| quote!(#predicate)).collect();
    predicates.extend_from_slice(demands);
    if predicates.is_empty() { TokenStream::new() } else { quote!(where #(#predicates),*) }
}
