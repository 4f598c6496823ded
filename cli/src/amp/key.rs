//! `capgen amp key`: the public key of a secret.

use super::{arguments, secret};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Key, console: &Console) -> RunResult {
    let key = secret::read(&arguments.secret_file, console)?;
    console::print(&format!("{}\n", key.public()))?;
    Ok(Verdict::Fine)
}
