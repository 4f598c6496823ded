//! A capability as a type.

use capgen_descriptor::Descriptor;

use crate::Payload;

/// Something that can be called on an agent, as a type.
///
/// Generated code implements it for a unit struct per capability. With the feature `derive`, `#[derive(Capability)]`
/// implements it for the type of the request. A request or response without a schema is [`Loose`](crate::Loose).
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
    message = "`{Self}` is not a capability",
    note = "write `#[derive(capgen::Capability)]` on it, or use the type that is generated for a capability"
)]
pub trait Capability {
    /// The payload that the caller sends.
    type Request: Payload;
    /// The payload that the provider answers with.
    type Response: Payload;
    /// The name in the contract.
    const NAME: &'static str;

    /// The properties of the capability in the contract.
    fn descriptor() -> &'static Descriptor;

    /// The capability in the form of the manifest.
    #[cfg(feature = "derive")]
    #[doc(hidden)]
    fn declared() -> crate::DeclaredCapability {
        crate::DeclaredCapability::from_descriptor(Self::descriptor())
    }
}
