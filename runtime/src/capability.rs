//! What a capability is to a program.

use crate::{Descriptor, Payload};

/// Something that can be called on an agent, as a type.
///
/// Generated code implements it for a unit struct per capability; `#[derive(Capability)]` for a request, with the feature
/// `derive`. A side without a schema is [`Loose`](crate::Loose).
///
/// ```
/// use capgen::{Capability, InvalidPayload, Payload};
///
/// fn call<C: Capability>(
///     request: &C::Request,
///     send: impl FnOnce(&str, Vec<u8>) -> Vec<u8>,
/// ) -> Result<C::Response, InvalidPayload> {
///     C::Response::from_json(&send(C::NAME, request.to_json()?))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no capability",
    note = "write `#[derive(capgen::Capability)]` on it, or take the type that is generated for a capability"
)]
pub trait Capability {
    /// What the caller sends.
    type Request: Payload;
    /// What the provider answers.
    type Response: Payload;
    /// The name in the contract.
    const NAME: &'static str;

    /// What the contract says about the capability.
    fn descriptor() -> &'static Descriptor;

    /// The capability as the manifest has it.
    #[cfg(feature = "derive")]
    #[doc(hidden)]
    fn contract() -> crate::derive::Contract {
        crate::derive::contract_of(Self::descriptor())
    }
}
