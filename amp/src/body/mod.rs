//! The bodies of the four capability messages and of `ERROR`.
//!
//! Reading checks all of the CDDL and reports every error with its path; each of them is answered with 4001 (decision 3). Unknown keys
//! are ignored.

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
