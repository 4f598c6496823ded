//! The pages.

mod agent;
mod calls;
mod capability;
mod changes;
mod errors;
mod frame;
mod http;
mod overview;
mod parts;
mod properties;
mod samples;
mod versions;
mod warnings;

pub(crate) use agent::agent;
pub(crate) use capability::capability;
pub(crate) use changes::changes;
pub(crate) use overview::overview;
pub use versions::{Labels, compatibility_page};
pub(crate) use warnings::warnings;
