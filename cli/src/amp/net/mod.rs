//! `capgen amp serve`, `query` and `invoke`: AMP over `amp://` and `http://`.

mod arguments;
mod details;
mod exchange;
mod invoke;
mod query;
mod serve;
mod store;

pub(crate) use arguments::{Invoke, Query, Serve};
pub(super) use invoke::run as invoke;
pub(super) use query::run as query;
pub(super) use serve::run as serve;

use std::io;

use capgen_diagnostic::public_url;
use clap::error::ErrorKind;
use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// The runtime of a command, with one thread.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// A URL that cannot be used: incorrect usage.
fn invalid_url(url: &str, reason: &str) -> Failure {
    Failure::usage(ErrorKind::ValueValidation, format!("invalid URL '{}': {reason}", public_url(url)))
}
