//! The bodies of the four capability messages and of `ERROR`.
//!
//! Reading checks all of the CDDL and reports every error with its path; each of them is answered with 4001 (decision
//! 3). Unknown keys are ignored.

mod declare;
mod error;
mod invoke;
mod query;
mod result;

pub use declare::CapDeclare;
pub use error::ErrorBody;
pub use invoke::{CapInvoke, Hints, NameOrType, Target};
pub use query::{CapQuery, Filter, Order};
pub use result::{CapResult, ResultError};

pub use crate::reader::BodyError;

use crate::alias::Aliases;
use crate::cbor::Value;
use crate::message::MessageType;

/// The body of a message, read by its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// `CAP_QUERY`.
    Query(CapQuery),
    /// `CAP_DECLARE`.
    Declare(CapDeclare),
    /// `CAP_INVOKE`.
    Invoke(CapInvoke),
    /// `CAP_RESULT`.
    Result(CapResult),
    /// `ERROR`.
    Error(ErrorBody),
    /// The body of any other type, which may have any form (decision 2).
    Other(Value),
}

impl Body {
    /// Reads a body. Only `CAP_INVOKE` uses the aliases; without a table of their own, callers use an empty one.
    ///
    /// # Errors
    ///
    /// All violations; of more than 100, the first 100.
    pub fn read(kind: MessageType, body: &Value, aliases: &Aliases) -> Result<Self, Vec<BodyError>> {
        Ok(match kind {
            MessageType::CapQuery => Self::Query(CapQuery::read(body)?),
            MessageType::CapDeclare => Self::Declare(CapDeclare::read(body)?),
            MessageType::CapInvoke => Self::Invoke(CapInvoke::read(body, aliases)?),
            MessageType::CapResult => Self::Result(CapResult::read(body)?),
            MessageType::Error => Self::Error(ErrorBody::read(body)?),
            _ => Self::Other(body.clone()),
        })
    }
}
