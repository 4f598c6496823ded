//! `#[derive(CapabilityError)]`: an enum with the errors of a capability.

use capgen_descriptor::name::{ERROR_CODE_RULE, ERROR_STATUSES, is_error_code};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Data, DeriveInput, Fields, LitBool, LitInt, LitStr, Path, Token, Type, Variant, parse_quote};

use crate::errors::Errors;
use crate::{doc, kebab};

/// A declared error: a variant with a code.
struct Declared<'a> {
    variant: &'a Ident,
    code: String,
    description: Option<TokenStream>,
    retryable: bool,
    status: Option<u16>,
    details: Option<&'a Type>,
}

/// The keys of the attributes of a variant.
#[derive(Default)]
struct Keys {
    code: Option<LitStr>,
    retryable: bool,
    status: Option<u16>,
    is_other: bool,
    /// Whether there are keys of a declared error.
    has_more: bool,
}

/// The impls of an enum, or its errors.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let capgen = crate_path(&input.attrs, &mut errors);
    let (declared, other) = read(input, &mut errors);
    let expanded = expand(&input.ident, &capgen, &declared, other);
    let error = errors.finish().map(|error| error.to_compile_error());
    if error.is_some() {
        // Code that uses the enum has no further errors.
        let trait_of_errors = quote!(#capgen::derive::DeclareErrors);
        let name = &input.ident;
        let (parameters, arguments, clause) = input.generics.split_for_impl();
        return quote! {
            #error
            #[automatically_derived]
            impl #parameters #trait_of_errors for #name #arguments #clause {
                const ERRORS: &'static [#capgen::derive::ErrorSource] = &[];
            }
        };
    }
    expanded
}

/// The path of the crate `capgen`.
fn crate_path(attributes: &[Attribute], errors: &mut Errors) -> Path {
    let mut path = parse_quote!(::capgen);
    each_key(attributes, errors, &mut |meta| {
        if !meta.path.is_ident("crate") {
            return Err(meta.error("unknown key: the key of the enum is `crate = path::to::capgen`"));
        }
        path = meta.value()?.call(Path::parse_mod_style)?;
        Ok(())
    });
    path
}

/// Calls `read` with every key of the attributes.
fn each_key(
    attributes: &[Attribute],
    errors: &mut Errors,
    read: &mut dyn FnMut(ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("capability")) {
        if let Err(error) = attribute.parse_nested_meta(&mut *read) {
            errors.push(error);
        }
    }
}

/// The declared errors, and the variant for all others.
fn read<'a>(input: &'a DeriveInput, errors: &mut Errors) -> (Vec<Declared<'a>>, Option<&'a Ident>) {
    let (mut declared, mut other): (Vec<Declared<'a>>, _) = (Vec::new(), None);
    let Data::Enum(data) = &input.data else {
        let message =
            format!("`CapabilityError` is for an enum with a variant for each code: write `enum {}`", input.ident);
        errors.at(&input.ident, message);
        return (declared, other);
    };
    if !input.generics.params.is_empty() {
        errors.at(&input.generics, "the errors of a capability have no parameters: remove them");
    }
    if data.variants.is_empty() {
        let message = "an enum without errors: write a variant for each code, or remove `errors` from the capability";
        errors.at(&input.ident, message);
    }
    for variant in &data.variants {
        let keys = keys(variant, errors);
        if keys.is_other {
            if keys.has_more {
                errors.at(variant, "the other variant has every code that is not declared: remove the other keys");
            }
            if field(variant).is_none() {
                errors.at(variant, "the other variant has a failure: write `Other(capgen::call::Failure)`");
            } else if other.replace(&variant.ident).is_some() {
                errors.at(variant, "a second variant with `other`: keep one");
            }
            continue;
        }
        let error = error(variant, keys, errors);
        if let Some(error) = error.filter(|error| is_new(error, &declared, errors)) {
            declared.push(error);
        }
    }
    (declared, other)
}

fn keys(variant: &Variant, errors: &mut Errors) -> Keys {
    let mut keys = Keys::default();
    let mut seen = Vec::new();
    each_key(&variant.attrs, errors, &mut |meta| {
        let flag = |meta: &ParseNestedMeta<'_>| {
            if meta.input.peek(Token![=]) { meta.value()?.parse::<LitBool>().map(|flag| flag.value) } else { Ok(true) }
        };
        let key = meta.path.get_ident().map(ToString::to_string);
        if key.is_some() && seen.contains(&key) {
            return Err(meta.error("duplicate key: a variant has each key once"));
        }
        seen.push(key);
        if meta.path.is_ident("code") {
            keys.code = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("retryable") {
            keys.retryable = flag(&meta)?;
        } else if meta.path.is_ident("other") {
            keys.is_other = flag(&meta)?;
        } else if meta.path.is_ident("status") {
            let status: LitInt = meta.value()?.parse()?;
            let value = status.base10_parse::<u16>().ok().filter(|value| ERROR_STATUSES.contains(value));
            let invalid = || syn::Error::new_spanned(&status, "`status` must be from 400 to 599: write `status = 409`");
            keys.status = Some(value.ok_or_else(invalid)?);
        } else {
            let keys = "`code`, `retryable`, `status` and `other`";
            return Err(meta.error(format!("unknown key: the keys of a variant are {keys}")));
        }
        keys.has_more |= !meta.path.is_ident("other");
        Ok(())
    });
    keys
}

/// The type of the only field of a tuple variant.
fn field(variant: &Variant) -> Option<&Type> {
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => fields.unnamed.first().map(|field| &field.ty),
        _ => None,
    }
}

/// The error of a variant.
fn error<'a>(variant: &'a Variant, keys: Keys, errors: &mut Errors) -> Option<Declared<'a>> {
    let details = field(variant);
    if details.is_none() && !matches!(variant.fields, Fields::Unit) {
        let name = &variant.ident;
        let message = format!("the details of an error are one type: write `{name}`, or `{name}({name}Details)`");
        errors.at(variant, message);
        return None;
    }
    let code = match &keys.code {
        Some(code) => code.value(),
        None => kebab::kebab(&variant.ident.unraw().to_string()).replace('-', "_").to_ascii_uppercase(),
    };
    if !is_error_code(&code) {
        match &keys.code {
            Some(literal) => errors.at(literal, ERROR_CODE_RULE),
            None => errors.at(
                &variant.ident,
                format!("the name gives no valid code: write `#[capability(code = \"...\")]`; {ERROR_CODE_RULE}"),
            ),
        }
        return None;
    }
    let description = doc::description(&variant.attrs);
    Some(Declared {
        variant: &variant.ident,
        code,
        description,
        retryable: keys.retryable,
        status: keys.status,
        details,
    })
}

/// Whether no variant before has the code.
fn is_new(error: &Declared<'_>, declared: &[Declared<'_>], errors: &mut Errors) -> bool {
    let first = declared.iter().find(|other| other.code == error.code);
    if let Some(first) = first {
        let message = format!("the code `{}` is the one of `{}` already", error.code, first.variant);
        errors.at(error.variant, message);
    }
    first.is_none()
}

fn expand(name: &Ident, capgen: &Path, declared: &[Declared<'_>], other: Option<&Ident>) -> TokenStream {
    let sources = declared.iter().map(|error| {
        let Declared { code, description, retryable, status, details, .. } = error;
        let description = description.as_ref().map(|description| quote!(.with_description(#description)));
        let status = status.map(|status| quote!(.with_status(#status)));
        let details = details.map(|details| quote!(.with_details::<#details>()));
        quote! {
            #capgen::derive::ErrorSource::new(
                #capgen::ErrorDescriptor::new(#code)#description.with_retryable(#retryable)#status
            )#details
        }
    });
    let variants = declared.iter().map(|Declared { code, variant, details, .. }| {
        let details = details.map(|details| quote!((#details)));
        quote!(#code => #variant #details)
    });
    quote! {
        #[automatically_derived]
        impl #capgen::derive::DeclareErrors for #name {
            const ERRORS: &'static [#capgen::derive::ErrorSource] = &[#(#sources),*];
        }
        #capgen::derive_error_conversions!(
            @derived #name, #capgen::derive::declared_errors::<#name>(), [#other], #(#variants,)*
        );
    }
}
