//! `capgen registry key`, and the option `--signing-key`.

use std::path::Path;

use capgen_registry::SigningKey;

use super::arguments;
use crate::console::{Console, print};
use crate::failure::{Failure, Outcome, Verdict};
use crate::secret;

pub(super) fn run(arguments: &arguments::Key, console: &Console) -> Outcome {
    let key = read("", &arguments.file, console)?;
    print(&format!("{}\n", key.public_key()))?;
    Ok(Verdict::Fine)
}

/// The key of `--signing-key`, if there is one.
///
/// # Errors
///
/// The file cannot be used.
pub(super) fn signing_key(signing: &arguments::Signing, console: &Console) -> Result<Option<SigningKey>, Failure> {
    signing.signing_key.as_ref().map(|(id, path)| read(id, path, console)).transpose()
}

fn read(id: &str, path: &Path, console: &Console) -> Result<SigningKey, Failure> {
    let parse = |text: &str| SigningKey::from_base64(id, text).map_err(|error| error.to_string());
    Ok(secret::read(path, "the seed of an Ed25519 key: 32 bytes in base64", parse, console)?)
}
