//! The file of a private key.

use std::path::Path;

use capgen_amp::message::SigningKey;
use capgen_diagnostic::Diagnostic;

use crate::console::Console;

/// Reads a key: the seed of Ed25519, as 64 hexadecimal digits. Warns if other users may read the file.
///
/// # Errors
///
/// One finding: the file cannot be read, or has other contents.
pub(super) fn read(path: &Path, console: &Console) -> Result<SigningKey, Vec<Diagnostic>> {
    let parse = |text: &str| SigningKey::from_hex(text).map_err(|error| error.to_string());
    crate::secret::read(path, "the seed of an Ed25519 key: 64 hexadecimal digits", parse, console)
}
