//! Capabilities: marker types and the table of descriptors.

use proc_macro2::TokenStream;
use quote::quote;

use super::types::Types;
use super::{doc, ident};
use crate::model::{CapabilityModel, Model, SideModel};

/// The contract's own constants.
pub(super) fn constants(model: &Model<'_>) -> TokenStream {
    let agent = model.manifest.agent.as_str();
    let hash = model.manifest.hash().to_string();
    let descriptors = model.capabilities.iter().map(|capability| {
        let marker = ident::type_name(&capability.marker);
        quote!(<#marker as ::capgen::Capability>::DESCRIPTOR)
    });
    quote! {
        /// The id of the agent.
        pub const AGENT: &str = #agent;
        /// SHA-256 of what callers rely on, in hexadecimal.
        pub const CONTRACT_HASH: &str = #hash;
        /// Every capability of the agent.
        pub const CAPABILITIES: &[::capgen::Descriptor] = &[#(#descriptors),*];
    }
}

/// The type of a side without a schema.
pub(super) fn loose(name: &str, side: &str, capability: &str) -> TokenStream {
    let docs = doc::sentence(format!("The {side} of {}: any JSON value, as it has no schema.", doc::code(capability)));
    let name = ident::type_name(name);
    quote!(#docs pub type #name = ::serde_json::Value;)
}

pub(super) fn marker(types: &Types<'_>, capability: &CapabilityModel<'_>) -> TokenStream {
    let source = capability.source;
    let marker = ident::type_name(&capability.marker);
    let standard = || format!("The capability {}.", doc::code(&source.name));
    let docs = doc::of(source.description.as_deref(), standard);
    let side = |side: &SideModel| match side {
        SideModel::Loose(name) => ident::type_name(name),
        SideModel::Typed(id) => ident::type_name(types.name(*id)),
    };
    let (request, response) = (side(&capability.request), side(&capability.response));
    let descriptor = descriptor(types, capability);
    quote! {
        #docs
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct #marker;
        impl ::capgen::Capability for #marker {
            type Request = #request;
            type Response = #response;
            const DESCRIPTOR: ::capgen::Descriptor = #descriptor;
        }
    }
}

fn descriptor(types: &Types<'_>, capability: &CapabilityModel<'_>) -> TokenStream {
    let source = capability.source;
    let (agent, name, hash) = (types.agent(), &source.name, source.hash().to_string());
    let version = source.version.as_ref().map(|version| {
        let version = version.to_string();
        quote!(.with_version(#version))
    });
    let description = source.description.as_ref().map(|text| quote!(.with_description(#text)));
    let timeout = source.timeout_ms.map(|timeout| quote!(.with_timeout_ms(#timeout)));
    let idempotent = source.idempotent.map(|idempotent| quote!(.with_idempotent(#idempotent)));
    let since = source.since.as_ref().map(|since| quote!(.with_since(#since)));
    let input = source.input.as_ref().map(|schema| {
        let schema = schema.canonical();
        quote!(.with_input_schema(#schema))
    });
    let output = source.output.as_ref().map(|schema| {
        let schema = schema.canonical();
        quote!(.with_output_schema(#schema))
    });
    quote! {
        ::capgen::Descriptor::new(#agent, #name, #hash)
            #version #description #timeout #idempotent #since #input #output
    }
}
