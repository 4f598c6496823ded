//! Signed bundles of descriptors and schemas: the offline registry (section 5.3, decision 16).
//!
//! A bundle is a folder with the file `bundle.cbor`, which is signed, and the schemas in `artifacts/`. [`create()`]
//! makes the files of a bundle from manifests, and [`contracts`] its contents without files. [`open()`] verifies a
//! bundle before anything in it is used; [`inspect`] does so without a list of trusted signers, to display it. Every
//! fault is [`Unavailable`](crate::Code::Unavailable) (5002).
//!
//! Nothing here uses a network.

mod contents;
mod create;
mod error;
mod files;
mod index;
mod key;
mod open;

pub use create::{CreateError, InvalidNamespace, Namespace, NewBundle, Publisher, Rule, contracts, create};
pub use error::{BundleError, BundleProblem};
pub use index::{Artifact, Index};
pub use open::{Creation, InspectedBundle, OpenBundle, SelfSignature, inspect, open};

/// The name of the signed file.
pub const INDEX: &str = "bundle.cbor";

/// The name of the folder of the schemas.
pub const ARTIFACTS: &str = "artifacts";

/// The maximum length of `bundle.cbor`, in bytes. It is in memory before its signature is verified, and may be as long
/// as a message (decision 16).
pub(crate) const MAX_INDEX: u64 = 16 << 20;

/// The maximum length of an artifact, in bytes. An artifact is one schema, usually of a few KB (decision 16).
pub(crate) const MAX_ARTIFACT: u64 = 1 << 20;
