//! Signed messages: the envelope of AMP RFC 001 (`specs/amp-envelope.md`).
//!
//! [`Message::sign`] encodes a message. [`decode_message`] reads one and checks its form; [`Unverified`] then checks
//! its times and its signature. The order of these checks is that of decision 2.

mod answers;
mod base58;
mod did;
mod envelope;
mod id;
mod key;
mod kind;
mod read;
mod rejection;
mod resolve;

pub use answers::answers;
pub use did::{Did, InvalidDid, Recipients};
pub use envelope::Message;
pub use id::MessageId;
pub use key::{InvalidKey, PublicKey, SigningKey};
pub use kind::MessageType;
pub(crate) use read::{ID_TOLERANCE_MS, open_message};
pub use read::{Unverified, decode_message};
pub use rejection::Rejection;
pub use resolve::{DidKey, Keys, ResolveKey};
