//! The items of generated Rust that a program can name or call, without the order of those that it names.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::{Attribute, Fields, FnArg, ImplItem, Item, Signature, TraitItem};

/// The API of a generated file. Names and types of fields and variants are items of their own, so that their order does
/// not matter; the parameters of a function are in one item.
pub(super) fn of(text: &str) -> BTreeSet<String> {
    let mut api = BTreeSet::new();
    for item in items(text) {
        describe(item, &mut api);
    }
    api
}

/// A function of generated code.
pub(super) struct Function {
    pub(super) name: String,
    /// The types of its parameters, without the receiver.
    pub(super) arguments: Vec<String>,
}

/// The functions that a program can call, apart from those of traits that belong to other crates.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let mut signatures: Vec<Signature> = Vec::new();
    for item in items(text) {
        match item {
            Item::Impl(item) if item.trait_.is_none() => signatures.extend(
                item.items
                    .into_iter()
                    .filter_map(|item| if let ImplItem::Fn(function) = item { Some(function.sig) } else { None }),
            ),
            Item::Trait(item) => signatures.extend(
                item.items
                    .into_iter()
                    .filter_map(|item| if let TraitItem::Fn(function) = item { Some(function.sig) } else { None }),
            ),
            Item::Fn(function) => signatures.push(function.sig),
            _ => {}
        }
    }
    let argument = |input: &FnArg| if let FnArg::Typed(input) = input { Some(tokens(&input.ty)) } else { None };
    let function = |signature: &Signature| Function {
        name: signature.ident.to_string(),
        arguments: signature.inputs.iter().filter_map(argument).collect(),
    };
    signatures.iter().map(function).collect()
}

/// The items of the module of a generated file, without the inner module, whose items are private.
fn items(text: &str) -> Vec<Item> {
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module =
        file.items.into_iter().find_map(|item| if let Item::Mod(module) = item { module.content } else { None });
    module.unwrap().1.into_iter().filter(|item| !matches!(item, Item::Mod(_))).collect()
}

fn tokens(node: &impl ToTokens) -> String {
    node.to_token_stream().to_string()
}

fn derives(attributes: &[Attribute]) -> String {
    attributes.iter().filter(|attribute| attribute.path().is_ident("derive")).map(tokens).collect()
}

fn describe(item: Item, api: &mut BTreeSet<String>) {
    match item {
        Item::Struct(item) => {
            let name = item.ident.to_string();
            api.insert(format!("{} struct {name}", derives(&item.attrs)));
            fields(&name, &item.fields, api);
        }
        Item::Enum(item) => {
            api.insert(format!("{} enum {}", derives(&item.attrs), item.ident));
            for variant in &item.variants {
                let name = format!("{}::{}", item.ident, variant.ident);
                api.insert(format!("variant {name}"));
                fields(&name, &variant.fields, api);
            }
        }
        Item::Impl(item) => {
            let of = item.trait_.as_ref().map(|(path, _)| tokens(path)).unwrap_or_default();
            let owner = tokens(&item.self_ty);
            api.insert(format!("impl {of} for {owner}"));
            for member in &item.items {
                api.insert(match member {
                    ImplItem::Fn(function) => format!("{of} {owner}: {}", tokens(&function.sig)),
                    ImplItem::Const(constant) => format!("{of} {owner}: const {}", constant.ident),
                    ImplItem::Type(ty) => format!("{of} {owner}: {}", tokens(ty)),
                    other => panic!("{}", tokens(other)),
                });
            }
        }
        Item::Trait(item) => {
            for member in &item.items {
                let TraitItem::Fn(function) = member else { panic!("{}", tokens(member)) };
                api.insert(format!("trait {}: {}", item.ident, tokens(&function.sig)));
            }
        }
        Item::Fn(function) => _ = api.insert(tokens(&function.sig)),
        Item::Type(item) => _ = api.insert(format!("type {} = {}", item.ident, tokens(&item.ty))),
        Item::Use(item) => _ = api.insert(format!("use {}", tokens(&item.tree))),
        Item::Const(item) => _ = api.insert(format!("const {}: {}", item.ident, tokens(&item.ty))),
        // The conversions of the errors of a capability.
        Item::Macro(item) => _ = api.insert(tokens(&item)),
        other => panic!("{}", tokens(&other)),
    }
}

fn fields(owner: &str, fields: &Fields, api: &mut BTreeSet<String>) {
    for (index, field) in fields.iter().enumerate() {
        let name = field.ident.as_ref().map_or_else(|| index.to_string(), ToString::to_string);
        api.insert(format!("field {owner}.{name}: {}", tokens(&field.ty)));
    }
}
